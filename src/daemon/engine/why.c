/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/engine/why.h"

#include <stdio.h>
#include <string.h>

#include "report/out/report.h"

enum { NAMED = 3 /* jobs that it waits for, at most */ };

void fl_why_begin(struct fl_live_why *w, const struct fl_live_view *view,
		  struct fl_live_order *order, uint64_t version)
{
	*w = (struct fl_live_why){ .view = view,
				   .face = fl_daemon_face_of(view->ops),
				   .order = order,
				   .version = version };
	fl_arena_init(&w->arena, &fl_mem_heap);
}

void fl_why_end(struct fl_live_why *w) { fl_arena_done(&w->arena); }

/* --- the place in its queue --- */

static int before(struct fl_live_why *w, const struct fl_live *job, uint32_t *ret,
		  fairlead_error *err)
{
	struct fl_live_pending own = fl_live_pending_of(w->view->model, job);
	const struct fl_live_pending first = { own.node, INT32_MAX,   INT64_MIN,
					       0,        { FL_NONE }, { FL_NONE } },
				     *sorted;
	uint32_t n;
	int r = fl_live_order_get(w->order, w->view, w->version, &sorted, &n, err);

	if (r == 0)
		*ret = fl_live_order_before(sorted, n, &own) -
		       fl_live_order_before(sorted, n, &first);
	return r;
}

/* --- the limit --- */

/* What a job asks for of a resource, and the limit that leaves least of it. */
struct tight {
	struct fl_live_room room;
	struct fl_resource resource;
	const char *name; /* of the resource in jobs */
	fl_amount asked;
	double lack; /* of what there is at most, as a part of it; below 0: that much is left */
};

/* false: it asks for nothing that has a limit. */
static bool find_tightest(const struct fl_live_why *w, const struct fl_live *job, struct tight *ret)
{
	struct fl_live_ask asks[FL_LIVE_ASKS];
	const uint32_t n = fl_live_asks(w->view, job, asks, FL_LIVE_ASKS);
	bool found = false;

	for (uint32_t i = 0; i < n; i++) {
		struct tight t = { .name = fl_model_text(
					   w->view->model,
					   w->view->model->resources[asks[i].resource.v]),
				   .resource = asks[i].resource,
				   .asked = asks[i].amount };
		if (t.asked == 0 ||
		    !w->face->tightest(w->stand, job->workload, t.resource, &t.room))
			continue;
		t.lack = t.room.most <= 0 ?
				 1e18 :
				 ((double)t.asked + (double)t.room.used - (double)t.room.most) /
					 (double)t.room.most;
		if (!found || t.lack > ret->lack)
			*ret = t;
		found = true;
	}
	return found;
}

/* It could not run if nothing else did. */
static bool is_beyond(const struct tight *t) { return t->asked > t->room.most; }

/* "8 of 8 cpu in use", and of what, unless of all that there is. */
static size_t put_room(const struct fl_live_why *w, const struct tight *t, char ret[FL_LIVE_REASON])
{
	const struct fl_model *m = w->view->model;
	const char *slash = strrchr(t->name, '/'), *what = slash ? slash + 1 : t->name;
	char used[FL_AMOUNT_TEXT], most[FL_AMOUNT_TEXT], asked[FL_AMOUNT_TEXT];
	int n;

	fl_daemon_amount(t->name, t->room.used, used);
	fl_daemon_amount(t->name, t->room.most, most);
	fl_daemon_amount(t->name, t->asked, asked);
	if (is_beyond(t))
		n = snprintf(ret, FL_LIVE_REASON, "asks for %s %s, and there are %s", asked, what,
			     most);
	else
		n = snprintf(ret, FL_LIVE_REASON, "%s of %s %s in use", used, most, what);
	if (t->room.node.v != FL_NONE)
		n += snprintf(ret + n, FL_LIVE_REASON - (size_t)n, " in %s '%.253s'",
			      m->nodes[t->room.node.v].kind == FL_COHORT ? "cohort" : "queue",
			      fl_model_text(m, m->nodes[t->room.node.v].name));
	return (size_t)n;
}

/* Reasons that only a change of the job, its queue or the machine ends. */
static bool is_lasting(enum fl_reason reason)
{
	return reason == FL_REASON_NO_MATCHING_FLAVOR || reason == FL_REASON_RESOURCE_NOT_COVERED ||
	       reason == FL_REASON_NAMESPACE_MISMATCH || reason == FL_REASON_EXCEEDS_MAX_QUOTA;
}

static int pending(struct fl_live_why *w, const struct fl_live *job, char ret[FL_LIVE_REASON],
		   fairlead_error *err)
{
	enum fl_reason reason = w->view->ops->reason(w->view->policy, job->workload);
	struct tight t;
	uint32_t ahead = 0;
	size_t n = 0;
	int r = w->stand ? 0 : w->face->look(w->view, &w->arena, &w->stand, err);

	if (r == 0)
		r = before(w, job, &ahead, err);
	if (r < 0)
		return r;
	bool limited = find_tightest(w, job, &t);
	if (limited)
		n = put_room(w, &t, ret);
	if (limited && is_beyond(&t))
		return 0;
	if (is_lasting(reason))
		(void)snprintf(ret, FL_LIVE_REASON, "%s", fl_reason_sentence(reason));
	else if (ahead > 0)
		(void)snprintf(ret + n, FL_LIVE_REASON - n, "%s%u ahead of it", n ? "; " : "",
			       ahead);
	else
		(void)snprintf(ret + n, FL_LIVE_REASON - n, "%snext in its queue", n ? "; " : "");
	return 0;
}

/* --- all states --- */

static void put_awaited(const struct fl_jobs *jobs, const struct fl_live *job,
			char ret[FL_LIVE_REASON])
{
	uint64_t on[NAMED];
	uint32_t n = fl_jobs_awaited_by(jobs, job->id, on, NAMED);
	size_t len = (size_t)snprintf(ret, FL_LIVE_REASON, "waits for %s", n == 1 ? "job" : "jobs");

	for (uint32_t i = 0; i < n && i < NAMED; i++)
		len += (size_t)snprintf(ret + len, FL_LIVE_REASON - len, "%s %llu", i ? "," : "",
					(unsigned long long)on[i]);
	if (n > NAMED)
		(void)snprintf(ret + len, FL_LIVE_REASON - len, " and %u more", n - NAMED);
}

int fl_why_of(struct fl_live_why *w, const struct fl_live *job, char ret[FL_LIVE_REASON],
	      fairlead_error *err)
{
	const struct fl_living *of = &w->view->of;
	bool excluded = fl_live_is_pending(job) &&
			w->view->ops->state(w->view->policy, job->workload) == FL_STATE_EXCLUDED;

	if (fl_live_is_pending(job) && !excluded)
		return pending(w, job, ret, err);
	if (job->state == FL_JOB_DEPENDS && fl_jobs_waits_for(of->jobs, job->id))
		put_awaited(of->jobs, job, ret);
	else if (job->state == FL_JOB_HELD)
		(void)snprintf(ret, FL_LIVE_REASON, "held%s until it is released",
			       job->held == FL_HOLD_ADMIN ? " by an admin" : "");
	else if (job->state == FL_JOB_STOPS && job->preemptor)
		(void)snprintf(ret, FL_LIVE_REASON, "preempted for job %llu",
			       (unsigned long long)job->preemptor);
	else
		(void)fl_live_reason(of, job, ret, FL_LIVE_REASON);
	return 0;
}
