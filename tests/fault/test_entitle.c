/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The n-th allocation fails, for every n, in the entitle policy: what it is built of,
 * its operations and events one by one, and the questions about it (calls.h).
 */
#include "ask/common/difference.h"
#include "ask/entitle/division.h"
#include "ask/entitle/explain.h"
#include "ask/entitle/obstacle.h"
#include "ask/entitle/outcome.h"
#include "codec/object/kube.h"
#include "decide/entitle/entitle.h"
#include "decide/entitle/state/state.h"
#include "fault/calls.h"

static const struct fl_policy_ops *const ops = &fl_entitle_policy;

/* --- a world in which every action has something to do --- */

#define OBJECT(version, kind, rest)                                                                \
	"{\"apiVersion\":\"" version "\",\"kind\":\"" kind "\"," rest "}\n"
#define QUEUE(name, spec, quota)                                                                   \
	OBJECT("scheduling.run.ai/v2", "Queue",                                                    \
	       "\"metadata\":{\"name\":\"" name "\"},\"spec\":{" spec "\"resources\":{\"gpu\":{"   \
	       "\"quota\":" quota ",\"limit\":-1,\"overQuotaWeight\":1},\"cpu\":{\"quota\":-1,"    \
	       "\"limit\":-1},\"memory\":{\"quota\":-1,\"limit\":-1}}}")
#define MACHINE(name, gpus)                                                                        \
	OBJECT("v1", "Node",                                                                       \
	       "\"metadata\":{\"name\":\"" name "\"},\"status\":{\"allocatable\":{\"cpu\":\"9\","  \
	       "\"memory\":\"9G\",\"nvidia.com/gpu\":\"" gpus "\"},\"conditions\":[{\"type\":"     \
	       "\"Ready\",\"status\":\"True\"}]}")
#define GANG(name, queue, least, what)                                                             \
	OBJECT("scheduling.run.ai/v2alpha2", "PodGroup",                                           \
	       "\"metadata\":{\"name\":\"" name "\",\"namespace\":\"ns\",\"annotations\":{"        \
	       "\"kai.scheduler/stale-podgroup-timestamp\":\"1970-01-01T00:00:01Z\"}},"            \
	       "\"spec\":{\"queue\":\"" queue "\",\"minMember\":" least                            \
	       ",\"preemptibility\":\"preemptible\"" what "}")
#define POD(gang, name, gpus, on)                                                                  \
	OBJECT("v1", "Pod",                                                                        \
	       "\"metadata\":{\"name\":\"" gang name "\",\"namespace\":\"ns\",\"annotations\":{"   \
	       "\"pod-group-name\":\"" gang "\"}},\"spec\":{" on                                   \
	       "\"schedulerName\":\"kai-scheduler\",\"containers\":[{\"resources\":{\"limits\":{"  \
	       "\"nvidia.com/gpu\":" gpus "}}}]}")
#define ON(machine) "\"nodeName\":\"" machine "\","

/*
 * a is over its quota and b claims what it deserves; in a, a job of more priority preempts;
 * in c, a gang must be consolidated for; s has lost pods and is stale.
 */
static const char *const parts[] = {
	OBJECT("kai.scheduler/v1", "SchedulingShard",
	       "\"metadata\":{\"name\":\"s\"},\"spec\":{\"kValue\":0.5,\"minRuntime\":{"
	       "\"preemptMinRuntime\":\"1s\"},\"usageDBConfig\":{\"usageParams\":{"
	       "\"halfLifePeriod\":\"60s\",\"windowType\":\"cron\",\"cronString\":\"0 * * * *\"}}}"),
	OBJECT("fairlead.dev/v1alpha1", "UsageHistory",
	       "\"metadata\":{\"name\":\"h\"},\"spec\":{\"usage\":{\"c\":{\"gpu\":0.1}},"
	       "\"samples\":[{\"from\":\"1970-01-01T00:00:00Z\",\"to\":\"1970-01-01T00:01:00Z\","
	       "\"capacity\":{\"gpu\":12},\"queues\":{\"a\":{\"gpu\":4}}}]}"),
	OBJECT("scheduling.k8s.io/v1", "PriorityClass",
	       "\"metadata\":{\"name\":\"high\"},\"value\":90"),
	QUEUE("up", "", "8"),
	QUEUE("a", "\"parentQueue\":\"up\",", "2"),
	QUEUE("b", "\"parentQueue\":\"up\",", "4"),
	QUEUE("c", "", "4"),
	MACHINE("m1", "5"),
	MACHINE("m2", "2"),
	MACHINE("m3", "2"),
	MACHINE("m4", "2"),
	GANG("a1", "a", "1", ""),
	POD("a1", "-0", "2", ON("m1")),
	POD("a1", "-1", "2", ON("m1")),
	GANG("a2", "a", "1", ",\"priorityClassName\":\"high\""),
	POD("a2", "-0", "2", ""),
	GANG("a3", "a", "1", ",\"priorityClassName\":\"high\""),
	POD("a3", "-0", "2", ""),
	GANG("b1", "b", "1", ""),
	POD("b1", "-0", "3", ""),
	GANG("c1", "c", "1", ""),
	POD("c1", "-0", "1", ON("m2")),
	GANG("c2", "c", "1", ""),
	POD("c2", "-0", "1", ON("m3")),
	GANG("c3", "c", "1", ""),
	POD("c3", "-0", "2", ""),
	GANG("d1", "c", "1", ""),
	POD("d1", "-0", "0", ""),
	GANG("s1", "c", "2", ""),
	POD("s1", "-0", "2", ON("m4")),
	POD("s1", "-1", "2", ""),
};
enum { A1, A2, A3, B1, C1, C2, C3, D1, S1, JOBS }; /* in the order of the input */
static const char modes[] =
	OBJECT("fairlead.dev/v1alpha1", "Policy",
	       "\"metadata\":{\"name\":\"p\"},\"spec\":{\"entitlement\":{\"division\":\"Bounded\","
	       "\"keepBelowQuota\":true,\"protectQuota\":true,\"turns\":true},\"budgets\":{"
	       "\"period\":{\"cron\":\"@daily\"},\"queues\":[{\"name\":\"c\",\"gpuHours\":9}]}}");
static char world[1 << 14]; /* all parts; behind them the modes */
static size_t world_len;    /* as far as is read */

/* --- what must not change --- */

static void keep(struct image *i, const void *ptr, size_t size)
{
	assert_true(size <= sizeof i->bytes - i->n);
	memcpy(i->bytes + i->n, ptr, size);
	i->n += size;
}

/* And what is used up to later, of which the digest knows only what is now. */
static void look(const struct run *r, struct image *i)
{
	const struct fl_policy *p = r->p;
	struct fl_bundle usage[8];

	for (uint32_t t = 0; t < r->m->n_tasks; t++) {
		keep(i, &p->tasks[t].state, sizeof p->tasks[t].state);
		keep(i, &p->tasks[t].machine, sizeof p->tasks[t].machine);
		keep(i, &p->tasks[t].promised, sizeof p->tasks[t].promised);
	}
	for (uint32_t w = 0; w < r->m->n_workloads; w++) {
		keep(i, &p->jobs[w].priority, sizeof p->jobs[w].priority);
		keep(i, &p->jobs[w].started, sizeof p->jobs[w].started);
		keep(i, &p->jobs[w].stale_since, sizeof p->jobs[w].stale_since);
		keep(i, &p->jobs[w].reason, sizeof p->jobs[w].reason);
	}
	for (uint32_t q = 0; q < r->m->n_nodes; q++) {
		keep(i, &p->queues[q].priority, sizeof p->queues[q].priority);
		keep(i, &p->queues[q].deserved,
		     (FL_BUNDLE - 1) * sizeof(struct fl_bundle)); /* limit, weight */
		keep(i, &p->queues[q].fair_share, sizeof p->queues[q].fair_share);
		keep(i, &p->queues[q].allocated, sizeof p->queues[q].allocated);
	}
	for (uint32_t m = 0; m < r->m->n_machines; m++) {
		keep(i, &p->rooms[m].allocatable, sizeof p->rooms[m].allocatable);
		keep(i, &p->rooms[m].idle, sizeof p->rooms[m].idle);
	}
	assert_true(r->m->n_nodes <= COUNT(usage));
	fl_history_usage(p->history, (NOW + 600) * FL_SECOND, usage);
	keep(i, usage, r->m->n_nodes * sizeof *usage);
}

/* --- building --- */

static int build_sealed(struct run *r, fairlead_error *err)
{
	struct fl_model *m = NULL;
	int code = fl_model_new(&r->f.mem, &m, err);

	if (code == 0)
		code = fl_kube_read(m, "in", world, world_len, err);
	if (code == 0)
		code = fl_model_seal(m, err);
	if (code == 0)
		add_model(r, m);
	fl_model_free(m);
	return code;
}

static int build_policy(struct run *r, fairlead_error *err)
{
	struct fl_policy_options options = { .mem = &r->f.mem,
					     .now = NOW * FL_SECOND,
					     .moving_usage = r->moving_usage };
	struct fl_policy *p = NULL;
	int code = ops->new (r->m, &options, &p, err);

	ops->free(p);
	return code;
}

/* What r->p knows, in a policy of its own. */
static int build_adopted(struct run *r, fairlead_error *err)
{
	struct fl_policy_options options = { .mem = &r->f.mem,
					     .now = NOW * FL_SECOND,
					     .moving_usage = r->moving_usage };
	struct fl_workload was[JOBS];
	struct fl_policy *p = NULL;
	uint64_t digest[2];
	int code = ops->new (r->m, &options, &p, err);

	for (uint32_t w = 0; w < JOBS; w++)
		was[w].v = w;
	if (code == 0)
		code = ops->adopt(p, (NOW + 2) * FL_SECOND, r->p, was, err);
	if (code == 0) {
		ops->digest(p, (NOW + 2) * FL_SECOND, digest);
		add(r, digest[0]);
	}
	ops->free(p);
	return code;
}

static int build_divider(struct run *r, fairlead_error *err)
{
	const struct fl_divide_queue rows[] = {
		{ .parent = FL_NONE, .rank = 0, .deserved = { { 1, 1, 1 } } },
		{ .parent = 0, .rank = 1, .priority = 1, .deserved = { { 0, 0, 1 } } },
		{ .parent = 0, .rank = 2, .weight = { { 1, 1, 1 } } },
	};
	struct fl_divider *d = NULL;
	int code = fl_divider_new(&r->f.mem, rows, COUNT(rows), &d, err);

	fl_divider_free(d);
	return code;
}

/* Of what is held, of samples, and of what no window reaches any more. */
static int build_history(struct run *r, fairlead_error *err)
{
	struct fl_history_settings settings = { .half_life = FL_SECOND,
						.window = { .kind = FL_WINDOW_SLIDING,
							    .length = 5 * FL_SECOND } };
	struct fl_bundle one = { { 1, 1, 1 } }, usage[2];
	struct fl_history *h = NULL;
	struct fl_undo undo;
	int code;

	fl_undo_init(&undo, &r->f.mem);
	code = fl_history_new(&r->f.mem, &settings, COUNT(usage), &h, err);
	for (fl_time t = FL_SECOND; code == 0 && t < 40 * FL_SECOND; t += FL_SECOND) {
		one.of[FL_GPU] = (double)(t / FL_SECOND % 3);
		code = fl_history_add(h, t, t - FL_SECOND, t, 1, &one, err);
		if (code == 0)
			code = fl_history_reserve(h, &undo, 2, err);
		if (code < 0)
			break;
		fl_history_hold(h, &undo, t, 0, &one);
		fl_history_capacity(h, &undo, t, &one);
	}
	if (code == 0) {
		fl_history_usage(h, 40 * FL_SECOND, usage);
		add(r, (uint64_t)(usage[0].of[FL_GPU] * 1e9));
		add(r, (uint64_t)(usage[1].of[FL_GPU] * 1e9));
	}
	fl_history_free(h);
	fl_undo_done(&undo);
	return code;
}

/* --- events --- */

static int event(struct run *r, enum fl_event_kind kind, uint32_t w, fairlead_error *err)
{
	struct fl_event e = { .kind = kind, .workload = { w } };

	return ops->apply(r->p, NOW * FL_SECOND, &e, err);
}

static int cell(struct run *r, enum fl_cell_kind kind, fairlead_error *err)
{
	struct fl_event e = { .kind = FL_EV_CELL,
			      .workload = { A1 },
			      .cell = { .kind = kind,
					.node = fl_model_find_node(r->m, FL_QUEUE, "a"),
					.resource = r->m->axis[FL_GPU],
					.amount = 7,
					.value = 3 } };

	if (kind == FL_CELL_ALLOCATABLE)
		e.cell.machine.v = 1;
	return ops->apply(r->p, NOW * FL_SECOND, &e, err);
}

#define EVENT(name, kind, w)                                                                       \
	static int call_##name(struct run *r, fairlead_error *err)                                 \
	{                                                                                          \
		return event(r, kind, w, err);                                                     \
	}
#define CELL(name, kind)                                                                           \
	static int call_##name(struct run *r, fairlead_error *err) { return cell(r, kind, err); }

EVENT(submit, FL_EV_SUBMIT, A1)
EVENT(cancel, FL_EV_CANCEL, A1)
EVENT(started, FL_EV_STARTED, A1)
EVENT(evicted, FL_EV_EVICTED, A1)
EVENT(finished, FL_EV_FINISHED, A1)
EVENT(rejected, FL_EV_REJECTED, A1)

static int kill_on(struct run *r, uint32_t machine, fairlead_error *err)
{
	struct fl_event e = { .kind = FL_EV_KILLED, .workload = { A1 }, .machine = { machine } };

	return ops->apply(r->p, NOW * FL_SECOND, &e, err);
}

static int call_killed(struct run *r, fairlead_error *err) { return kill_on(r, FL_NONE, err); }
static int call_killed_on(struct run *r, fairlead_error *err) { return kill_on(r, 0, err); }

CELL(deserved, FL_CELL_DESERVED)
CELL(limit, FL_CELL_LIMIT)
CELL(weight, FL_CELL_OVER_QUOTA_WEIGHT)
CELL(queue_priority, FL_CELL_QUEUE_PRIORITY)
CELL(priority, FL_CELL_PRIORITY)
CELL(allocatable, FL_CELL_ALLOCATABLE)

/* Without undo: no mark may be open. */
static int call_sample(struct run *r, fairlead_error *err)
{
	struct fl_event e = { .kind = FL_EV_USAGE,
			      .sample = { .node = fl_model_find_node(r->m, FL_QUEUE, "b"),
					  .from = 100 * FL_SECOND,
					  .to = 200 * FL_SECOND,
					  .amount = { { 0, 0, 2 } } } };

	return ops->apply(r->p, NOW * FL_SECOND, &e, err);
}

/* --- operations and questions --- */

static int call_try(struct run *r, fairlead_error *err)
{
	struct fl_decisions d;
	int code = ops->try(r->p, (NOW + 1) * FL_SECOND, (struct fl_workload){ B1 },
			    /* sink= */ NULL, &d, err);

	if (code == 0)
		add_decisions(r, &d);
	return code;
}

static int call_serve(struct run *r, fairlead_error *err)
{
	struct fl_decisions d;
	int code = ops->serve(r->p, (NOW + 1) * FL_SECOND, (struct fl_workload){ B1 },
			      /* sink= */ NULL, &d, err);

	if (code == 0)
		add_decisions(r, &d);
	return code;
}

static int call_outcome(struct run *r, fairlead_error *err)
{
	return outcome_of(r, &fl_entitle_asks, err);
}

static int explain(struct run *r, uint32_t w, fairlead_error *err)
{
	struct fl_arena arena;
	struct fl_entitle_explain x;

	fl_arena_init(&arena, &r->f.mem);
	int code = fl_entitle_explain(ops, r->p, r->m, (NOW + 1) * FL_SECOND,
				      (struct fl_workload){ w }, /* machine= */ NULL, &arena, &x,
				      err);

	if (code == 0) {
		add(r, x.state);
		add(r, x.n_obstacles);
		add(r, x.n_victims);
		add(r, x.n_changes);
	}
	fl_arena_done(&arena);
	return code;
}

static int call_explain_claim(struct run *r, fairlead_error *err) { return explain(r, B1, err); }
static int call_explain_waits(struct run *r, fairlead_error *err) { return explain(r, C3, err); }
static int call_explain_holder(struct run *r, fairlead_error *err) { return explain(r, A1, err); }

static int call_division(struct run *r, fairlead_error *err)
{
	struct fl_standings standings;
	struct fl_division division = { 0 };
	struct fl_arena arena;

	fl_arena_init(&arena, &r->f.mem);
	int code = fl_standings_init(&standings, r->m, &arena, err);

	if (code == 0) {
		fl_standings_look(&standings, r->p);
		code = fl_division_init(&division, &standings, /* with_steps= */ true, &arena, err);
	}
	fl_arena_done(&arena);
	return code;
}

/* A sink cannot fail: it says later that it did. */
static int call_obstacles(struct run *r, fairlead_error *err)
{
	struct fl_obstacle_log log = { 0 };
	struct fl_sink sink = { .row = fl_obstacle_row, .user = &log };
	struct fl_decisions d;
	int code = fl_obstacle_init(&log, &r->f.mem, r->m, err);

	if (code == 0)
		code = ops->try(r->p, (NOW + 1) * FL_SECOND, (struct fl_workload){ C3 }, &sink, &d,
				err);
	if (code == 0 && log.why.out_of_memory)
		code = fl_fail_nomem(err);
	if (code == 0)
		add(r, log.n);
	fl_obstacle_done(&log);
	return code;
}

static const struct row rows[] = {
	{ "submit", NULL, call_submit, false },
	{ "submit again", call_cancel, call_submit, false },
	{ "cancel", NULL, call_cancel, true },
	{ "started", NULL, call_started, false },
	{ "evicted", NULL, call_evicted, true },
	{ "finished", NULL, call_finished, true },
	{ "killed", NULL, call_killed, true },
	{ "killed on a machine", NULL, call_killed_on, true },
	{ "rejected", NULL, call_rejected, true },
	{ "deserved", NULL, call_deserved, true },
	{ "limit", NULL, call_limit, true },
	{ "weight", NULL, call_weight, true },
	{ "queue's priority", NULL, call_queue_priority, true },
	{ "priority", NULL, call_priority, true },
	{ "allocatable", NULL, call_allocatable, true },
	{ "step", NULL, call_step, true },
	{ "step after a step", call_step, call_step, false },
	{ "try", NULL, call_try, true },
	{ "serve", NULL, call_serve, true },
	{ "forget", call_step, call_forget, false },
	{ "mark", NULL, call_mark, true },
	{ "outcome", NULL, call_outcome, true },
	{ "explain: claim", NULL, call_explain_claim, true },
	{ "explain: waits", NULL, call_explain_waits, true },
	{ "explain: holder", NULL, call_explain_holder, true },
	{ "division", NULL, call_division, true },
	{ "obstacles", NULL, call_obstacles, true },
};

static const struct row sample = { "sample", NULL, call_sample, false };

/* --- tests --- */

static void read_world(struct run *r, bool with_modes)
{
	fairlead_error err = { 0 };

	world_len = strlen(world) - (with_modes ? 0 : strlen(modes));
	*r = (struct run){ .ops = ops, .look = look, .unmarked = call_mark };
	assert_int_equal(fl_model_new(&fl_mem_heap, &r->m, &err), 0);
	if (fl_kube_read(r->m, "in", world, world_len, &err) < 0)
		fail_msg("%u:%u %s: %s", err.line, err.column, err.subject, err.text);
	assert_int_equal(fl_model_seal(r->m, &err), 0);
	assert_int_equal(r->m->n_workloads, JOBS);
}

/* Every action has something to do in the first cycle: none of its paths goes untried. */
TEST(a_busy_cycle)
{
	bool seen[FL_ACTIONS] = { false };
	struct fl_decisions d;
	struct run r;

	read_world(&r, /* with_modes= */ false);
	struct fl_policy_options options = { .mem = &fl_mem_heap, .now = NOW * FL_SECOND };

	assert_int_equal(ops->new (r.m, &options, &r.p, NULL), 0);
	assert_int_equal(ops->step(r.p, (NOW + 1) * FL_SECOND, 0, NULL, &d, NULL), 0);
	for (uint32_t i = 0; i < d.n; i++)
		seen[d.rows[i].action] |= d.rows[i].kind != FL_WAIT;
	for (enum fl_action a = FL_ACTION_ALLOCATE; a < FL_ACTIONS; a++)
		assert_true(seen[a]);
	ops->free(r.p);
	fl_model_free(r.m);
}

static void build_adopter(struct run *r)
{
	const struct fl_policy_options options = { .mem = &fl_mem_heap,
						   .now = NOW * FL_SECOND,
						   .moving_usage = r->moving_usage };
	struct fl_decisions d;

	assert_int_equal(ops->new (r->m, &options, &r->p, NULL), 0);
	assert_int_equal(ops->step(r->p, (NOW + 1) * FL_SECOND, 0, NULL, &d, NULL), 0);
	each_of_building("adopt", r, build_adopted);
	r->p = ops->free(r->p);
}

static void build_all(bool with_modes)
{
	struct run r;

	read_world(&r, with_modes);
	each_of_building("seal", &r, build_sealed);
	each_of_building("policy", &r, build_policy);
	build_adopter(&r);
	r.moving_usage = true;
	each_of_building("policy, usage moves", &r, build_policy);
	build_adopter(&r);
	fl_model_free(r.m);
}

TEST(building)
{
	struct run r = { 0 };

	each_of_building("divider", &r, build_divider);
	each_of_building("history", &r, build_history);
	build_all(/* with_modes= */ false);
	build_all(/* with_modes= */ true);
}

static void operate_all(bool with_modes)
{
	struct run r;

	read_world(&r, with_modes);
	for (int moving = 0; moving < 2; moving++) {
		r.moving_usage = moving;
		for (size_t i = 0; i < COUNT(rows); i++)
			if (rows[i].allocates || !moving) /* entering usage does */
				each_of_operations(&rows[i], &r);
	}
	r.unmarked = call_sample;
	each_of_operations(&sample, &r);
	fl_model_free(r.m);
}

TEST(operations) { operate_all(/* with_modes= */ false); }

TEST(operations_with_modes) { operate_all(/* with_modes= */ true); }

int main(void)
{
	for (size_t i = 0; i < COUNT(parts); i++)
		strcat(world, parts[i]);
	strcat(world, modes);
	return unit_run_tests("fault/entitle", unit_tests, NULL, NULL);
}
