/* SPDX-License-Identifier: Apache-2.0 */
/*
 * usage - what each user held in each queue over a time
 *
 * Exact, from when each job held what, up to now for what still runs.  The user of a job is known as
 * long as the job is kept; what it held is kept for longer, and then belongs to a user that is not
 * known.  Sums (store/tiers.h) know no users: the answer begins where the admissions do.  The store is read on a thread: a year of it takes seconds.
 */
#include "daemon/api/history/usage.h"

#include <stdlib.h>
#include <string.h>

#include "daemon/api/ask/child.h"
#include "daemon/engine/daemon.h"
#include "store/store.h"

enum { ALL = FL_NONE };

static const fl_time DEFAULT_SPAN = 7 * (86400 * FL_SECOND);

struct usage {
	struct fl_call call;
	uv_work_t work;
	fl_time from, to;
	struct fl_usage_line *lines; /* texts of these and of parts are from strdup */
	struct fl_usage_part *parts; /* of all lines, in their order */
	uint32_t *first;             /* by line: its first part */
	uint32_t n, cap, cap_first, n_parts, cap_parts, n_totals, cap_totals;
	uint32_t at; /* the line of the last part */
	/* What all users held: by (queue, resource), and of all queues, ALL. */
	struct fl_names names;
	struct fl_pairs total_of;
	double *totals;
	int code;
	fairlead_error err;
};

static bool same(const char *a, const char *b) { return a && b ? strcmp(a, b) == 0 : a == b; }

/* Cores instead of milli-cores; all else is in whole units. */
static double units(const char *resource, double amount)
{
	return strcmp(resource, "cpu") == 0 ? amount / 1000 : amount;
}

/* A copy; NULL of NULL. */
static int copy(const char *text, const char **ret, fairlead_error *err)
{
	*ret = text ? strdup(text) : NULL;
	return text && !*ret ? fl_fail_nomem(err) : 0;
}

static int add_line(struct usage *u, const struct fl_usage_sum_row *row)
{
	struct fl_usage_line *l;

	if (fl_mem_grow(&fl_mem_heap, &u->lines, &u->cap, u->n + 1, sizeof *u->lines, &u->err) <
		    0 ||
	    fl_mem_grow(&fl_mem_heap, &u->first, &u->cap_first, u->n + 1, sizeof *u->first,
			&u->err) < 0)
		return FAIRLEAD_ENOMEM;
	l = &u->lines[u->n];
	u->first[u->n++] = 0;
	*l = (struct fl_usage_line){ .jobs = row->jobs,
				     .attempts = row->admissions,
				     .preempted = row->evictions };
	return copy(row->user, &l->user, &u->err) < 0 ? FAIRLEAD_ENOMEM :
							copy(row->queue, &l->queue, &u->err);
}

/* The symbol of a queue, which may be NULL, or of a resource. */
static int word(struct usage *u, const char *text, uint32_t *ret)
{
	struct fl_sym sym;
	int r = fl_names_add(&u->names, text ? text : "", text ? strlen(text) : 0, &sym, &u->err);

	*ret = r < 0 ? 0 : sym.v;
	return r;
}

static int add_total(struct usage *u, uint32_t queue, uint32_t resource, double held)
{
	uint32_t at = u->n_totals;
	int r = fl_mem_grow(&fl_mem_heap, &u->totals, &u->cap_totals, at + 1, sizeof *u->totals,
			    &u->err);

	if (r == 0)
		r = fl_pairs_add(&u->total_of, queue, resource, at, &at, &u->err);
	if (r < 0)
		return r;
	if (r == 0)
		u->totals[u->n_totals++] = 0;
	u->totals[at] += held;
	return 0;
}

/* Rows of parts come in the order of the lines; both queries read the same moment. */
static bool find_line(struct usage *u, const struct fl_usage_sum_row *row)
{
	for (uint32_t i = u->at; i < u->n; i++)
		if (same(u->lines[i].user, row->user) && same(u->lines[i].queue, row->queue)) {
			u->at = i;
			return true;
		}
	return false;
}

static int add_part(struct usage *u, const struct fl_usage_sum_row *row)
{
	double held = units(row->resource, row->amount);
	struct fl_usage_part *part;
	uint32_t queue, resource;

	if (!find_line(u, row))
		return 0;
	if (fl_mem_grow(&fl_mem_heap, &u->parts, &u->cap_parts, u->n_parts + 1, sizeof *u->parts,
			&u->err) < 0)
		return FAIRLEAD_ENOMEM;
	if (u->lines[u->at].n_parts++ == 0)
		u->first[u->at] = u->n_parts;
	part = &u->parts[u->n_parts++];
	*part = (struct fl_usage_part){ .held = held };
	if (copy(row->resource, &part->resource, &u->err) < 0)
		return FAIRLEAD_ENOMEM;
	if (word(u, row->queue, &queue) < 0 || word(u, row->resource, &resource) < 0 ||
	    add_total(u, queue, resource, held) < 0 || add_total(u, ALL, resource, held) < 0)
		return u->err.code;
	return 0;
}

static int take(void *user, const struct fl_usage_sum_row *row, fairlead_error *err)
{
	(void)err; /* in u->err, like all errors */
	return row->resource ? add_part(user, row) : add_line(user, row);
}

static double part_of(double held, double all) { return all > 0 ? held / all : 0; }

static double total(const struct usage *u, uint32_t queue, uint32_t resource)
{
	const uint32_t at = fl_pairs_find(&u->total_of, queue, resource);

	return at == FL_NONE ? 0 : u->totals[at];
}

static int finish(struct usage *u)
{
	for (uint32_t i = 0; i < u->n; i++) {
		struct fl_usage_line *l = &u->lines[i];

		l->parts = u->parts + u->first[i];
		for (uint32_t k = 0; k < l->n_parts; k++) {
			struct fl_usage_part *p = &u->parts[u->first[i] + k];
			uint32_t queue, resource;

			if (word(u, l->queue, &queue) < 0 || word(u, p->resource, &resource) < 0)
				return u->err.code;
			p->of_queue = part_of(p->held, total(u, queue, resource));
			p->of_all = part_of(p->held, total(u, ALL, resource));
		}
	}
	return 0;
}

static void tell_on_thread(uv_work_t *work)
{
	struct usage *u = work->data;

	struct fl_tier_ends ends;

	fl_pairs_init(&u->total_of, &fl_mem_heap);
	u->code = fl_names_init(&u->names, &fl_mem_heap, &u->err);
	if (u->code == 0)
		u->code = fl_store_tier_ends(u->call.api->daemon->store, &ends, &u->err);
	if (u->code < 0)
		return;
	/* Sums do not know users. */
	u->from = fl_amount_max(u->from, fl_amount_min(ends.exact, u->to));
	u->code = fl_store_user_usage(u->call.api->daemon->store, u->from, u->to, take, u, &u->err);
	if (u->code == 0)
		u->code = finish(u);
}

static void free_all(struct usage *u)
{
	for (uint32_t i = 0; i < u->n; i++) {
		free((char *)(uintptr_t)u->lines[i].user);
		free((char *)(uintptr_t)u->lines[i].queue);
	}
	for (uint32_t i = 0; i < u->n_parts; i++)
		free((char *)(uintptr_t)u->parts[i].resource);
	fl_mem_free(&fl_mem_heap, u->lines);
	fl_mem_free(&fl_mem_heap, u->first);
	fl_mem_free(&fl_mem_heap, u->parts);
	fl_mem_free(&fl_mem_heap, u->totals);
	fl_names_done(&u->names);
	fl_pairs_done(&u->total_of);
	free(u);
}

static void done(uv_work_t *work, int status)
{
	struct usage *u = work->data;
	const struct fl_usage_answer a = {
		.from = fl_api_wall(u->call.api, u->from),
		.to = fl_api_wall(u->call.api, u->to),
		.tier = fl_tier_name(FL_TIER_EXACT),
		.lines = u->lines,
		.n = u->n,
	};

	(void)status;
	u->call.api->n_threads--;
	if (u->code < 0)
		fl_api_error(&u->call, &u->err);
	else
		fl_api_answer(&u->call, 200, &fl_usage_shape, &a);
	free_all(u);
}

void fl_api_usage(struct fl_call *call)
{
	fl_time now = fl_clock_now(&call->api->daemon->clock), from, to;
	struct usage *u;

	if (!fl_api_time(call, "to", now, &to) ||
	    !fl_api_time(call, "from", fl_sat_sub(to, DEFAULT_SPAN), &from))
		return;
	if (from > to) {
		fl_api_fail(call, 400, "'from' is after 'to'", NULL);
		return;
	}
	if (!fl_api_may_read(call))
		return;
	u = calloc(1, sizeof *u);
	if (!u) {
		fl_api_fail(call, 503, "out of memory", NULL);
		return;
	}
	u->call = *call;
	u->from = from;
	u->to = to > now ? now : to;
	u->work.data = u;
	call->api->n_threads++;
	(void)uv_queue_work(call->api->options.loop, &u->work, tell_on_thread, done);
}
