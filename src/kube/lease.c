/* SPDX-License-Identifier: Apache-2.0 */
#include "kube/lease.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/error.h"
#include "kube/client_state.h"
#include "kube/credentials_kept.h"

enum { LASTS = 15000, EVERY = 5000, MOST = 10000, LOOK = 1000 };

#define GROUP "/apis/coordination.k8s.io/v1/namespaces/"

struct fl_kube_lease {
	struct fl_kube_client *client;
	struct fl_kube_lease_spec spec;
	const struct fl_kube_lease_listener *listener;
	void *user;
	char *all, *one;        /* paths */
	uv_timer_t *next, *end; /* freed when they are closed */
	struct fl_kube_call *call;
	json_t *lease; /* as last seen; NULL: never, or it was not there */
	bool absent;   /* it was not there */
	int64_t kept;  /* absent: until then its holder of before may lead; ms of CLOCK_BOOTTIME */
	bool doubtful; /* it may have changed since: looked at before it is written */
	int64_t changed; /* when `lease` was first seen; this and the next two: ms of CLOCK_BOOTTIME */
	int64_t asked; /* when the call began */
	int64_t until; /* it leads; 0: it does not */
	bool releasing;
	bool was_mine;          /* as it was taken */
	fairlead_error problem; /* code 0: none */
};

static void step(struct fl_kube_lease *l);

static void on_next(uv_timer_t *timer) { step(timer->data); }

static void after(struct fl_kube_lease *l, int64_t ms)
{
	(void)uv_timer_start(l->next, on_next, ms > 0 ? (uint64_t)ms : 0, 0);
}

/* --- what is known of it --- */

static const char *text_of(const struct fl_kube_lease *l, const char *part, const char *field)
{
	const char *text =
		json_string_value(json_object_get(json_object_get(l->lease, part), field));

	return text ? text : "";
}

const char *fl_kube_lease_holder(const struct fl_kube_lease *l)
{
	return text_of(l, "spec", "holderIdentity");
}

static bool is_mine(const struct fl_kube_lease *l)
{
	return strcmp(fl_kube_lease_holder(l), l->spec.identity) == 0;
}

/* Until when its holder, another one, may lead. */
static int64_t until_free(const struct fl_kube_lease *l)
{
	const json_t *spec = json_object_get(l->lease, "spec");

	if (l->absent)
		return l->kept;
	if (!*fl_kube_lease_holder(l))
		return 0;
	return l->changed +
	       json_integer_value(json_object_get(spec, "leaseDurationSeconds")) * 1000;
}

static bool is_free(const struct fl_kube_lease *l)
{
	return fl_kube_ms(CLOCK_BOOTTIME) > until_free(l);
}

bool fl_kube_lease_leads(const struct fl_kube_lease *l)
{
	return !l->releasing && fl_kube_ms(CLOCK_BOOTTIME) < l->until;
}

const fairlead_error *fl_kube_lease_problem(const struct fl_kube_lease *l)
{
	return l->problem.code ? &l->problem : NULL;
}

static void set(struct fl_kube_lease *l, json_t *lease)
{
	json_decref(l->lease);
	l->lease = lease;
	l->absent = !lease;
	l->doubtful = false;
}

/* It is not there.  If it was deleted, its holder leads on, and does not know yet; at the first look its holder is not known. */
static void miss(struct fl_kube_lease *l)
{
	if (!l->lease && !l->absent)
		l->kept = fl_kube_ms(CLOCK_BOOTTIME) + l->spec.lasts;
	else
		l->kept = is_mine(l) ? 0 : until_free(l);
	set(l, NULL);
}

/* --- leading and not --- */

static void lose(struct fl_kube_lease *l)
{
	fairlead_error why = l->problem;

	if (!l->until || l->releasing)
		return;
	l->was_mine = true;
	l->until = 0;
	(void)uv_timer_stop(l->end);
	if (!why.code)
		(void)fl_fail(&why, FAIRLEAD_ESTATE, "the Lease is held by %s",
			      *fl_kube_lease_holder(l) ? fl_kube_lease_holder(l) : "nobody");
	l->listener->lost(l->user, &why);
}

static void on_end(uv_timer_t *timer)
{
	struct fl_kube_lease *l = timer->data;

	if (!l->problem.code)
		(void)fl_fail(&l->problem, FAIRLEAD_EIO, "no renewal was answered for %.1f s",
			      l->spec.most / 1000.0);
	lose(l);
}

/* The call, which was answered, has made it this process's. */
static void lead(struct fl_kube_lease *l)
{
	int64_t now = fl_kube_ms(CLOCK_BOOTTIME), left = l->asked + l->spec.most - now;

	/* The machine slept past the end: the timer's clock stood still. */
	if (l->until && now >= l->until)
		on_end(l->end);
	if (left <= 0)
		return;

	bool first = !l->until;
	l->until = l->asked + l->spec.most;
	(void)uv_timer_start(l->end, on_end, (uint64_t)left, 0);
	if (first)
		l->listener->leads(l->user, text_of(l, "metadata", "resourceVersion"));
}

/* --- answers --- */

/* Of a Lease with a resourceVersion; else the answer is a problem. */
static bool take(struct fl_kube_lease *l, const struct fl_kube_answer *answer)
{
	json_t *lease = json_loadb(answer->bytes, answer->len, JSON_REJECT_DUPLICATES, NULL);
	const char *version = json_string_value(
		json_object_get(json_object_get(lease, "metadata"), "resourceVersion"));

	if (!version || !json_is_object(json_object_get(lease, "spec"))) {
		json_decref(lease);
		(void)fl_fail(&l->problem, FAIRLEAD_EINPUT, "the API server's Lease is not valid");
		(void)fl_fail_in(&l->problem, "%s", fl_kube_server(l->client));
		return false;
	}
	if (!l->lease || strcmp(version, text_of(l, "metadata", "resourceVersion")) != 0)
		l->changed = fl_kube_ms(CLOCK_BOOTTIME);
	set(l, lease);
	return true;
}

static void on_looked(void *user, const struct fl_kube_answer *answer)
{
	struct fl_kube_lease *l = user;

	l->call = NULL;
	l->problem = (fairlead_error){ 0 };
	if (answer->status == 404) {
		miss(l);
	} else if (answer->problem) {
		l->problem = *answer->problem;
		after(l, l->spec.look);
		return;
	} else if (!take(l, answer)) {
		after(l, l->spec.look);
		return;
	}
	if (!is_mine(l))
		lose(l);
	after(l, is_mine(l) || is_free(l) || l->releasing ? 0 : l->spec.look);
}

static void on_written(void *user, const struct fl_kube_answer *answer)
{
	struct fl_kube_lease *l = user;

	l->call = NULL;
	l->problem = (fairlead_error){ 0 };
	if (answer->problem) {
		/* Another was first, it was deleted, or it may have been written all the same. */
		l->problem = *answer->problem;
		l->doubtful = true;
		after(l, l->spec.look);
	} else if (!take(l, answer)) {
		l->doubtful = true;
		after(l, l->spec.look);
	} else {
		if (is_mine(l))
			lead(l);
		after(l, l->releasing ? 0 : l->asked + l->spec.every - fl_kube_ms(CLOCK_BOOTTIME));
	}
}

/* --- requests --- */

/* @body is freed; NULL of what is to be written: no memory. */
static void ask(struct fl_kube_lease *l, const char *method, char *body)
{
	bool writes = strcmp(method, "GET") != 0;
	struct fl_kube_request request = {
		.method = method,
		.path = strcmp(method, "POST") == 0 ? l->all : l->one,
		.body = body,
		.len = body ? strlen(body) : 0,
		.type = "application/json",
		.lane = FL_KUBE_LEASE,
		/* So that there is time for a second one. */
		.timeout = (l->spec.most - l->spec.every) / 2,
		.done = writes ? on_written : on_looked,
		.user = l,
	};
	int rc = writes && !body ? fl_fail_nomem(&l->problem) : 0;

	l->asked = fl_kube_ms(CLOCK_BOOTTIME);
	if (rc == 0)
		rc = fl_kube_ask(l->client, &request, &l->call, &l->problem);
	if (rc < 0)
		after(l, l->spec.look);
	free(body);
}

/* Now, as a MicroTime. */
static json_t *moment(void)
{
	struct timespec now;
	struct tm parts;
	char day[32], text[64];

	clock_gettime(CLOCK_REALTIME, &now);
	(void)gmtime_r(&now.tv_sec, &parts);
	(void)strftime(day, sizeof day, "%Y-%m-%dT%H:%M:%S", &parts);
	(void)snprintf(text, sizeof text, "%s.%06ldZ", day, now.tv_nsec / 1000);
	return json_string(text);
}

/* The Lease as it is to be, with @holder; NULL: no memory. */
static char *written(const struct fl_kube_lease *l, const char *holder)
{
	json_t *lease = l->absent ? json_pack("{s:s, s:s, s:{s:s}, s:{}}", "apiVersion",
					      "coordination.k8s.io/v1", "kind", "Lease", "metadata",
					      "name", l->spec.name, "spec") :
				    json_deep_copy(l->lease);
	json_t *spec = json_object_get(lease, "spec");
	json_int_t times = json_integer_value(json_object_get(spec, "leaseTransitions"));
	int rc = spec ? 0 : -1;
	char *text;

	rc |= json_object_set_new(spec, "renewTime", moment());
	if (*holder && (l->absent || !is_mine(l))) {
		rc |= json_object_set_new(spec, "acquireTime", moment());
		rc |= json_object_set_new(spec, "leaseTransitions",
					  json_integer(l->absent ? 0 : times + 1));
	}
	rc |= json_object_set_new(spec, "holderIdentity", json_string(holder));
	rc |= json_object_set_new(spec, "leaseDurationSeconds",
				  json_integer(*holder ? l->spec.lasts / 1000 : 1));
	text = rc ? NULL : json_dumps(lease, JSON_COMPACT);
	json_decref(lease);
	return text;
}

/* It has no holder now, or that could not be written: both end it. */
static void end_release(struct fl_kube_lease *l)
{
	l->until = 0;
	l->listener->released(l->user, fl_kube_lease_problem(l));
}

static void step_release(struct fl_kube_lease *l)
{
	bool over = fl_kube_ms(CLOCK_BOOTTIME) >= l->until;

	if (over || (!l->doubtful && !is_mine(l)))
		end_release(l);
	else if (l->doubtful)
		ask(l, "GET", NULL);
	else
		ask(l, "PUT", written(l, ""));
}

static void renew(struct fl_kube_lease *l)
{
	l->was_mine |= !l->until && is_mine(l);
	ask(l, "PUT", written(l, l->spec.identity));
}

bool fl_kube_lease_was_mine(const struct fl_kube_lease *l) { return l->was_mine; }

static void step(struct fl_kube_lease *l)
{
	if (l->releasing)
		step_release(l);
	else if (l->doubtful)
		ask(l, "GET", NULL);
	else if (l->absent && is_free(l))
		ask(l, "POST", written(l, l->spec.identity));
	else if (is_mine(l) || is_free(l))
		renew(l);
	else
		ask(l, "GET", NULL);
}

void fl_kube_lease_look(struct fl_kube_lease *l)
{
	if (l->until || l->releasing || l->call)
		return;
	l->doubtful = true;
	after(l, 0);
}

void fl_kube_lease_release(struct fl_kube_lease *l)
{
	l->releasing = true;
	(void)uv_timer_stop(l->end);
	if (l->call) {
		/* It may have been written all the same. */
		l->call = fl_kube_cancel(l->call);
		l->doubtful = true;
	}
	l->problem = (fairlead_error){ 0 };
	after(l, 0);
}

/* --- its life --- */

static uv_timer_t *make_timer(struct fl_kube_lease *l)
{
	uv_timer_t *timer = malloc(sizeof *timer);

	if (timer) {
		(void)uv_timer_init(l->client->loop, timer);
		timer->data = l;
	}
	return timer;
}

static void free_timer(uv_handle_t *timer) { free(timer); }

static bool copy(struct fl_kube_lease *l, const struct fl_kube_lease_spec *from)
{
	struct fl_kube_lease_spec *to = &l->spec;

	*to = (struct fl_kube_lease_spec){
		.namespace = strdup(from->namespace),
		.name = strdup(from->name),
		.identity = strdup(from->identity),
		.lasts = from->lasts ? from->lasts : LASTS,
		.every = from->every ? from->every : EVERY,
		.most = from->most ? from->most : MOST,
		.look = from->look ? from->look : LOOK,
	};
	if (asprintf(&l->all, GROUP "%s/leases", from->namespace) < 0)
		l->all = NULL;
	if (asprintf(&l->one, GROUP "%s/leases/%s", from->namespace, from->name) < 0)
		l->one = NULL;
	return to->namespace && to->name && to->identity && l->all && l->one;
}

int fl_kube_lease_new(struct fl_kube_client *k, const struct fl_kube_lease_spec *spec,
		      const struct fl_kube_lease_listener *listener, void *user,
		      struct fl_kube_lease **ret, fairlead_error *err)
{
	struct fl_kube_lease *l = calloc(1, sizeof *l);

	if (!l)
		return fl_fail_nomem(err);
	l->client = k;
	l->listener = listener;
	l->user = user;
	l->doubtful = true;
	l->next = make_timer(l);
	l->end = make_timer(l);
	if (!copy(l, spec) || !l->next || !l->end) {
		fl_kube_lease_free(l);
		return fl_fail_nomem(err);
	}
	after(l, 0);
	*ret = l;
	return 0;
}

struct fl_kube_lease *fl_kube_lease_free(struct fl_kube_lease *l)
{
	if (!l)
		return NULL;
	if (l->call)
		fl_kube_cancel(l->call);
	if (l->next)
		uv_close((uv_handle_t *)l->next, free_timer);
	if (l->end)
		uv_close((uv_handle_t *)l->end, free_timer);
	json_decref(l->lease);
	free((char *)l->spec.namespace);
	free((char *)l->spec.name);
	free((char *)l->spec.identity);
	free(l->all);
	free(l->one);
	free(l);
	return NULL;
}
