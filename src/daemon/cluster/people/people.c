/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/cluster/people/people.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/cluster/people/review.h"

enum {
	ASKED = 32, /* tokens that the API server is asked about at once */
	OPEN = 256, /* questions that are open at once */
};

enum step { REVIEW, QUEUES, ALL, ONE, NAMESPACES, STEPS };

struct question {
	struct question *next;
	struct fl_cluster_people *all;
	const struct fl_person *person; /* REVIEW: another one may take its row afterwards */
	uint64_t number;                /* of the person */
	struct fl_principal who;
	char *spec; /* after REVIEW, as `who`: copies of the person's */
	enum step step;
	uint32_t at; /* NAMESPACES: which */
	char namespace[FL_PEOPLE_NAMESPACE], name[256];
	bool has_one, needs_one, needs_queues, kai;
	char (*namespaces)[FL_PEOPLE_NAMESPACE];
	uint32_t n;
	struct fl_sees sees;
	struct fl_kube_call *call;
	void (*done)(void *user, int code, const struct fl_principal *who,
		     const struct fl_sees *sees, const fairlead_error *err);
	void *user;
};

struct fl_cluster_people {
	struct fl_people people; /* first */
	uv_loop_t *loop;
	struct fl_kube_client *client;
	struct fl_known known;
	struct question *questions;
	uint32_t n_open, n_asking;
};

static void advance(struct question *q);

static struct fl_cluster_people *all_of(const struct fl_people *people)
{
	return (struct fl_cluster_people *)(uintptr_t)people;
}

/* The row is found again by its number, which a caller cannot choose. */
static void name_person(const struct fl_person *one, struct fl_principal *ret)
{
	*ret = (struct fl_principal){ .kind = FL_PRINCIPAL_KUBE,
				      .role = FL_RANK_READER,
				      .uid = (uid_t)one->number };
	if (one->standing == FL_STANDS_VALID)
		(void)snprintf(ret->name, sizeof ret->name, "%s", one->name);
	else /* no user has a name that begins so */
		(void)snprintf(ret->name, sizeof ret->name, "?%02x%02x%02x%02x%02x%02x",
			       one->hash[0], one->hash[1], one->hash[2], one->hash[3], one->hash[4],
			       one->hash[5]);
}

/* --- ends --- */

static void end(struct question *q, int code, const fairlead_error *err)
{
	struct fl_cluster_people *p = q->all;
	struct question **at = &p->questions;

	while (*at != q)
		at = &(*at)->next;
	*at = q->next;
	p->n_open--;
	q->done(q->user, code, &q->who, &q->sees, err);
	free(q->spec);
	free(q->namespaces);
	free(q);
}

static void fail(struct question *q, int code, const char *text, const char *hint)
{
	fairlead_error err = { 0 };

	fl_fail(&err, code, "%s", text);
	if (hint)
		fl_fail_hint(&err, "%s", hint);
	end(q, code, &err);
}

/* --- tokens --- */

/* All that wait for what is known of this person now. */
static void go_on(struct fl_cluster_people *p, const struct fl_person *one)
{
	bool again = true;

	while (again) {
		again = false;
		for (struct question *q = p->questions; q; q = q->next)
			if (q->person == one && q->step == REVIEW) {
				advance(q);
				again = true; /* the list may have changed */
				break;
			}
	}
}

static void reviewed(void *user, const struct fl_kube_answer *answer)
{
	struct fl_person *one = user;
	struct fl_cluster_people *p = one->user;
	const uint64_t now = uv_now(p->loop);

	p->n_asking--;
	one->standing = FL_STANDS_UNKNOWN;
	one->until = now;
	if (fl_review_is_there(answer))
		fl_review_take_token(answer, now, one);
	go_on(p, one);
}

static int review(struct fl_cluster_people *p, struct fl_person *one, const char *secret)
{
	const struct fl_reviewer by = { p->client, reviewed, one };
	struct fl_kube_call *call;
	int code;

	one->user = p;
	one->standing = FL_STANDS_ASKING;
	code = fl_review_token(&by, secret, &call);
	if (code == 0)
		p->n_asking++;
	else
		one->standing = FL_STANDS_UNKNOWN;
	return code;
}

static bool is_new(const struct fl_people *people, const char *secret)
{
	const struct fl_cluster_people *p = all_of(people);

	return !fl_known_token(&p->known, secret, uv_now(p->loop));
}

static int bearer(struct fl_people *people, const char *secret, struct fl_principal *ret)
{
	struct fl_cluster_people *p = all_of(people);
	struct fl_person *one = fl_known_token(&p->known, secret, uv_now(p->loop));

	if (!one) {
		if (p->n_asking >= ASKED || !(one = fl_known_make_room(&p->known, secret)))
			return FAIRLEAD_ELIMIT;
		if (review(p, one, secret) < 0)
			return FAIRLEAD_EIO;
	}
	if (one->standing == FL_STANDS_REFUSED)
		return FAIRLEAD_ESTATE;
	name_person(one, ret);
	return 0;
}

/* --- rights --- */

/* What the present step asks for; false: nothing. */
static bool asked(const struct question *q, struct fl_right *ret)
{
	static const char *const groups[] = { "kueue.x-k8s.io", "scheduling.run.ai" };
	static const char *const resources[][2] = { { "workloads", "clusterqueues" },
						    { "podgroups", "queues" } };

	*ret = (struct fl_right){
		.group = groups[q->kai],
		.resource = resources[q->kai][q->step == QUEUES],
		.namespace = q->step == ONE        ? q->namespace :
			     q->step == NAMESPACES ? q->namespaces[q->at] :
						     "",
		.name = q->step == ONE ? q->name : "",
	};
	return q->step != ONE || q->has_one;
}

/* The answer of the present step, and on to the next. */
static void take(struct question *q, bool allowed)
{
	struct fl_sees *s = &q->sees;

	if (q->step == QUEUES) {
		s->queues = allowed;
		q->n = allowed || !q->needs_queues ? q->n : 0;
	} else if (q->step == ALL && allowed) {
		s->limited = !s->queues;
		s->one = true;
		for (uint32_t i = 0; i < q->n; i++)
			memcpy(s->namespaces[s->n++], q->namespaces[i], FL_PEOPLE_NAMESPACE);
		q->step = STEPS;
		return;
	} else if (q->step == ONE) {
		s->one = allowed;
		q->n = allowed || !q->needs_one ? q->n : 0;
	} else if (q->step == NAMESPACES) {
		if (allowed)
			memcpy(s->namespaces[s->n++], q->namespaces[q->at], FL_PEOPLE_NAMESPACE);
		if (++q->at < q->n)
			return;
	}
	q->step++;
	if (q->step == NAMESPACES && q->n == 0)
		q->step = STEPS;
}

static void told(void *user, const struct fl_kube_answer *answer)
{
	struct question *q = user;
	struct fl_right right;
	bool allowed;

	q->call = NULL;
	if (!fl_review_is_there(answer)) {
		fail(q, FAIRLEAD_EIO, "the API server does not say what you may see",
		     answer->problem ? answer->problem->text : NULL);
		return;
	}
	(void)asked(q, &right);
	allowed = fl_review_is_allowed(answer);
	fl_known_keep(&q->all->known, q->number, &right, uv_now(q->all->loop), allowed);
	take(q, allowed);
	advance(q);
}

/* --- questions --- */

/* REVIEW goes on when the server has answered; false: it has to be waited for, or the question has ended. */
static bool is_reviewed(struct question *q)
{
	const struct fl_person *one = q->person;

	if (!one || one->number != q->number || one->standing == FL_STANDS_UNKNOWN) {
		fail(q, FAIRLEAD_EIO, "the API server does not say whose token this is",
		     "try again in a moment");
		return false;
	}
	if (one->standing == FL_STANDS_REFUSED)
		fail(q, FAIRLEAD_ESTATE, "the token is not valid",
		     "kubectl create token makes one");
	if (one->standing != FL_STANDS_VALID)
		return false;
	name_person(one, &q->who);
	q->spec = strdup(one->spec);
	if (!q->spec) {
		fail(q, FAIRLEAD_EIO, "out of memory", NULL);
		return false;
	}
	q->step = QUEUES;
	return true;
}

static void advance(struct question *q)
{
	const struct fl_reviewer by = { q->all->client, told, q };

	if (q->step == REVIEW && !is_reviewed(q))
		return;
	while (q->step < STEPS) {
		struct fl_right right;
		bool allowed = false;

		if (!asked(q, &right)) {
			take(q, false);
			continue;
		}
		if (!fl_known_may(&q->all->known, q->number, &right, uv_now(q->all->loop),
				  &allowed)) {
			if (fl_review_right(&by, q->spec, &right, &q->call) < 0)
				fail(q, FAIRLEAD_EIO, "the API server cannot be asked", NULL);
			return;
		}
		take(q, allowed);
	}
	end(q, 0, NULL);
}

static bool copy_names(struct question *q, const struct fl_people_question *of)
{
	q->namespaces = calloc(FL_PEOPLE_NAMESPACES, sizeof *q->namespaces);
	if (!q->namespaces)
		return false;
	for (uint32_t i = 0; i < of->n && q->n < FL_PEOPLE_NAMESPACES; i++)
		if (strlen(of->namespaces[i]) < FL_PEOPLE_NAMESPACE)
			(void)snprintf(q->namespaces[q->n++], FL_PEOPLE_NAMESPACE, "%s",
				       of->namespaces[i]);
	if (!of->namespace || strlen(of->namespace) >= FL_PEOPLE_NAMESPACE)
		return true;
	q->has_one = true;
	(void)snprintf(q->namespace, sizeof q->namespace, "%s", of->namespace);
	(void)snprintf(q->name, sizeof q->name, "%s", of->name);
	return true;
}

static void ask(struct fl_people *people, const struct fl_people_question *of,
		void (*done)(void *user, int code, const struct fl_principal *who,
			     const struct fl_sees *sees, const fairlead_error *err),
		void *user)
{
	struct fl_cluster_people *p = all_of(people);
	struct question *q = p->n_open < OPEN ? calloc(1, sizeof *q) : NULL;
	const struct fl_sees nothing = { .limited = true };
	fairlead_error err = { 0 };

	if (!q || !copy_names(q, of)) {
		free(q);
		fl_fail(&err, FAIRLEAD_EIO, "too many callers at once");
		done(user, FAIRLEAD_EIO, &of->who, &nothing, &err);
		return;
	}
	q->all = p;
	q->kai = of->kai;
	q->needs_one = of->needs_one;
	q->needs_queues = of->needs_queues;
	q->who = of->who;
	q->person = fl_known_number(&p->known, of->who.uid);
	q->number = q->person ? q->person->number : 0;
	q->sees.limited = true;
	q->done = done;
	q->user = user;
	q->next = p->questions;
	p->questions = q;
	p->n_open++;
	advance(q);
}

static bool is_known(struct fl_people *people, const struct fl_principal *who)
{
	const struct fl_cluster_people *p = all_of(people);

	return fl_person_is_valid(fl_known_number(&p->known, who->uid), uv_now(p->loop));
}

/* --- begin and end --- */

int fl_cluster_people_new(uv_loop_t *loop, struct fl_kube_client *k, struct fl_cluster_people **ret,
			  fairlead_error *err)
{
	struct fl_cluster_people *p = calloc(1, sizeof *p);

	if (!p)
		return fl_fail_nomem(err);
	p->people = (struct fl_people){ is_new, bearer, ask, is_known };
	p->loop = loop;
	p->client = k;
	*ret = p;
	return 0;
}

struct fl_people *fl_cluster_people_of(struct fl_cluster_people *p) { return &p->people; }

struct fl_cluster_people *fl_cluster_people_free(struct fl_cluster_people *p)
{
	while (p && p->questions) {
		struct question *q = p->questions;

		if (q->call)
			q->call = fl_kube_cancel(q->call);
		fail(q, FAIRLEAD_EIO, "the daemon stops", NULL);
	}
	if (p)
		fl_known_done(&p->known);
	free(p);
	return NULL;
}
