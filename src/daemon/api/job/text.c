/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/api/job/text.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "daemon/api/job/list.h"
#include "daemon/engine/people.h"
#include "store/store.h"

/* The same in every locale. */
static char lower(char c) { return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c; }

static bool begins(const char *text, const char *wanted)
{
	while (*wanted && lower(*text) == lower(*wanted)) {
		text++;
		wanted++;
	}
	return !*wanted;
}

static bool is_in(const char *text, const char *wanted)
{
	for (; text && *text; text++)
		if (begins(text, wanted))
			return true;
	return false;
}

static bool is_in_number(uint64_t number, const char *wanted)
{
	char text[24];

	(void)snprintf(text, sizeof text, "%" PRIu64, number);
	return is_in(text, wanted);
}

/* As much of the sentence as the caller may see. */
static bool is_in_sentence(const struct fl_job_text *t, uint32_t uid, const char *queue,
			   const char *sentence)
{
	char part[FL_LIVE_REASON], text[FL_PEOPLE_TEXT];

	sentence = fl_api_reason(t->call, uid, queue, sentence, part);
	return is_in(fl_sees_text(t->call->sees, sentence, text), t->wanted);
}

/* --- names --- */

struct naming {
	const struct fl_job_text *t;
	bool is, nameless;
};

static int see_name(void *user, const struct fl_job_row *row, fairlead_error *err)
{
	struct naming *n = user;
	char name[FL_JOB_NAME];

	(void)err;
	n->nameless = !*row->name;
	n->is = is_in(n->nameless && row->spec ? fl_api_name(row, name) : row->name, n->t->wanted);
	return 0;
}

/* Of a job without a name of its own: its program is in its spec. */
static bool is_in_program(const struct fl_job_text *t, uint64_t id)
{
	struct naming n = { .t = t };

	return fl_store_job(t->call->api->daemon->store, id, see_name, &n, /* err= */ NULL) == 0 &&
	       n.is;
}

static bool is_in_name(const struct fl_job_text *t, const struct fl_live *job)
{
	const struct fl_daemon *d = t->call->api->daemon;
	const struct fl_job_row *newer = d->ops->newer(d, job->id);
	struct naming n = { .t = t };
	const char *namespace, *name;

	if (d->ops->named)
		return d->ops->named(d, job, &namespace, &name) && is_in(name, t->wanted);
	if (newer)
		(void)see_name(&n, newer, /* err= */ NULL);
	else if (fl_store_job_row(d->store, job->id, see_name, &n, /* err= */ NULL) == 0 &&
		 n.nameless)
		return is_in_program(t, job->id);
	return n.is;
}

/* --- jobs --- */

int fl_job_text_in(const struct fl_job_text *t, const struct fl_live *job, bool *ret,
		   fairlead_error *err)
{
	const struct fl_daemon *d = t->call->api->daemon;
	const char *queue = fl_daemon_word(d, job->queue);
	char why[FL_LIVE_REASON];
	int r;

	*ret = !t->wanted || is_in_number(job->id, t->wanted) || is_in(queue, t->wanted) ||
	       is_in(fl_daemon_word(d, job->user), t->wanted) || is_in_name(t, job);
	if (*ret)
		return 0;
	r = fl_why_of(t->why, job, why, err);
	if (r == 0)
		*ret = is_in_sentence(t, job->uid, queue, why);
	return r;
}

bool fl_job_text_over(const struct fl_job_text *t, const struct fl_job_row *row)
{
	return !t->wanted || is_in_number(row->id, t->wanted) ||
	       (!row->damaged &&
		(is_in(row->queue, t->wanted) || is_in(row->user, t->wanted) ||
		 is_in(row->name, t->wanted) || (!*row->name && is_in_program(t, row->id)) ||
		 is_in_sentence(t, row->uid, row->queue, row->reason)));
}
