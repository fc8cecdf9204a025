/* SPDX-License-Identifier: Apache-2.0 */
/* Loops of preemption that a simulation went through (sim/loop_watch.h), as JSON. */
#include "report/sim/sim_report.h"

struct fl_node fl_sim_loop_queue(const struct fl_model *m, struct fl_workload w)
{
	const struct fl_workload_row *row = &m->workloads[w.v];

	return row->cluster_queue.v == FL_NONE ? row->admitted_queue : row->cluster_queue;
}

struct fl_workload fl_sim_loop_next(const struct fl_sim *sim, const struct fl_watched_loop *l,
				    uint32_t *from)
{
	while (*from < sim->model->n_workloads) {
		uint32_t w = sim->by_rank[(*from)++];

		if (sim->driver.loop_watch.jobs[w].loop == l->number)
			return (struct fl_workload){ w };
	}
	return (struct fl_workload){ FL_NONE };
}

struct member {
	struct fl_workload workload;
	struct fl_node queue;
};

#define ROW struct member
static const struct fl_json_field member_fields[] = {
	FL_FIELD(WORKLOAD, "workload", workload, NULL),
	FL_FIELD(QUEUE, "queue", queue, NULL),
};
static const struct fl_json_shape member_shape = FL_SHAPE(member_fields, "loopMember");
#undef ROW

struct pair {
	struct fl_workload preemptor, victim;
	enum fl_reason reason;
	uint32_t times;
};

#define ROW struct pair
static const struct fl_json_field pair_fields[] = {
	FL_FIELD(WORKLOAD, "preemptor", preemptor, NULL),
	FL_FIELD(WORKLOAD, "workload", victim, "the victim"),
	FL_FIELD(REASON, "reason", reason, "of the last time"),
	FL_FIELD(NTH, "times", times, NULL),
};
static const struct fl_json_shape pair_shape = FL_SHAPE(pair_fields, "loopPair");
#undef ROW

struct loop {
	const struct fl_sim *sim;
	struct fl_watched_loop of;
	fl_time since, last;
};

static void put_members(const struct fl_shape_at *at, const char *key, const void *row)
{
	const struct loop *l = row;
	struct member m;

	fl_json_list(at->json, key);
	for (uint32_t i = 0; (m.workload = fl_sim_loop_next(l->sim, &l->of, &i)).v != FL_NONE;) {
		m.queue = fl_sim_loop_queue(at->model, m.workload);
		fl_shape_json(at, NULL, &member_shape, &m);
	}
	fl_json_end_list(at->json);
}

static void put_pairs(const struct fl_shape_at *at, const char *key, const void *row)
{
	const struct loop *l = row;
	const struct fl_watched_pair *p;

	fl_json_list(at->json, key);
	for (uint32_t i = 0;
	     (p = fl_loop_watch_pair_of(&l->sim->driver.loop_watch, l->of.number, &i));) {
		const struct pair pair = { { p->preemptor }, { p->victim }, p->reason, p->times };

		fl_shape_json(at, NULL, &pair_shape, &pair);
	}
	fl_json_end_list(at->json);
}

#define ROW struct loop
static const struct fl_json_field loop_fields[] = {
	FL_FIELD(NTH, "loop", of.number, "its number, in the order in which they were found"),
	FL_FIELD(BOOL, "sure", of.sure,
		 "true: the same state came again with nothing from outside; false: the same pairs "
		 "met again and again"),
	FL_FIELD(SECONDS, "since", since,
		 "the first preemption of its pairs, in seconds after the beginning"),
	FL_FIELD(COUNT64, "preemptions", of.preemptions, "of its pairs, in all",
		 .more = "{\"minimum\": 1}"),
	FL_FIELD_PUT(LIST, "workloads", put_members, NULL, .shape = &member_shape),
	FL_FIELD_PUT(LIST, "pairs", put_pairs, NULL, .shape = &pair_shape),
};
static const struct fl_json_shape loop_shape = FL_SHAPE(loop_fields, "loop");
static const struct fl_json_field listed_fields[] = {
	FL_FIELD_ALSO(loop_shape, NULL),
	FL_FIELD(SECONDS, "last", last, "the last one"),
};
static const struct fl_json_shape listed_shape = FL_SHAPE(listed_fields, "loop");
#undef ROW

static struct loop loop_of(const struct fl_sim *sim, const struct fl_watched_loop *l)
{
	return (struct loop){ sim, *l, l->since - sim->options.start,
			      l->last - sim->options.start };
}

void fl_sim_loop_json(struct fl_json *j, const struct fl_sim *sim, const struct fl_watched_loop *l)
{
	const struct fl_shape_at at = { .json = j, .model = sim->model };
	const struct loop loop = loop_of(sim, l);

	fl_shape_fields(&at, &loop_shape, &loop);
}

static void put_loops(const struct fl_shape_at *at, const char *key, const void *row)
{
	const struct fl_sim *sim = row;
	const struct fl_watched_loop *l;

	fl_json_list(at->json, key);
	for (uint32_t i = 0; (l = fl_loop_watch_loop_at(&sim->driver.loop_watch, &i));) {
		const struct loop loop = loop_of(sim, l);

		fl_shape_json(at, NULL, &listed_shape, &loop);
	}
	fl_json_end_list(at->json);
}

static bool has_loops(const struct fl_shape_at *at, const void *row)
{
	(void)at;
	return ((const struct fl_sim *)row)->driver.loop_watch.n_loops;
}

#define ROW struct fl_sim
static const struct fl_json_field fields[] = {
	FL_FIELD_PUT(LIST, "loops", put_loops,
		     "preemption loops, the oldest first; absent when there was none. Of more than "
		     "4096 the newest, and of their pairs those that met recently",
		     .shape = &listed_shape, .when = has_loops, .more = "{\"minItems\": 1}"),
};
const struct fl_json_shape fl_sim_loops_shape = FL_SHAPE(fields, "loops");
#undef ROW
