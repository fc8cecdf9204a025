/* SPDX-License-Identifier: Apache-2.0 */
/* Admissions and evictions that another scheduler decided: FL_EV_HOLDS, FL_EV_GOES. */
#include "decide/borrow/borrow.h"
#include "decide/drf/drf.h"
#include "decide/entitle/entitle.h"
#include "lib/entitle_world.h"
#include "lib/fail_mem.h"
#include "sim/driver.h"
#include "unit/codec/load.h"

#define K "apiVersion: kueue.x-k8s.io/v1beta2\n"
#define T0 (INT64_C(1767225600) * FL_SECOND) /* 2026-01-01T00:00:00Z */

/* Queue q: 4 cpu of f, none of g; queue other: 4 cpu of h, in no cohort. */
#define QUEUES                                                                                      \
	K "kind: ResourceFlavor\nmetadata: {name: f}\n---\n" K                                      \
	  "kind: ResourceFlavor\nmetadata: {name: g}\n---\n" K                                      \
	  "kind: ResourceFlavor\nmetadata: {name: h}\n---\n" K                                      \
	  "kind: ClusterQueue\nmetadata: {name: q}\nspec: {namespaceSelector: {}, resourceGroups: " \
	  "[{coveredResources: [cpu], flavors: [{name: f, resources: [{name: cpu, nominalQuota: "   \
	  "4}]}, {name: g, resources: [{name: cpu, nominalQuota: 0}]}]}], preemption: "             \
	  "{withinClusterQueue: LowerPriority}}\n---\n" K                                           \
	  "kind: ClusterQueue\nmetadata: {name: other}\nspec: {namespaceSelector: {}, "             \
	  "resourceGroups: [{coveredResources: [cpu], flavors: [{name: h, resources: [{name: cpu, " \
	  "nominalQuota: 4}]}]}]}\n---\n" K                                                         \
	  "kind: LocalQueue\nmetadata: {name: l, namespace: ns}\nspec: {clusterQueue: q}\n"

#define JOB(name, priority, cpu, status)                                                           \
	"---\n" K "kind: Workload\nmetadata: {name: " name ", namespace: ns, uid: " name           \
	", creationTimestamp: \"2026-01-01T00:00:00Z\"}\n"                                         \
	"spec: {queueName: l, priority: " #priority ", podSets: [{template: {spec: {containers: "  \
	"[{resources: {requests: {cpu: " #cpu "}}}]}}}]}\nstatus: {" status "}\n"

#define ADMITTED                                                                                   \
	"conditions: [{type: QuotaReserved, status: \"True\", lastTransitionTime: "                \
	"\"2026-01-01T00:00:10Z\"}], admission: {clusterQueue: q, podSetAssignments: [{flavors: "  \
	"{cpu: g}, resourceUsage: {cpu: 7}}]}"

static const struct fl_policy_ops *const giving[] = { &fl_borrow_policy, &fl_drf_policy };
enum { GIVING = sizeof giving / sizeof *giving };

struct run {
	const struct fl_policy_ops *ops;
	struct fl_model *m;
	struct fl_policy *p;
};

static struct run start_in(const struct fl_mem *mem, const struct fl_policy_ops *ops,
			   const char *text)
{
	struct run r = { .ops = ops, .m = load(text) };
	const struct fl_policy_options options = { .mem = mem, .now = T0 + 60 * FL_SECOND };

	assert_int_equal(ops->new (r.m, &options, &r.p, NULL), 0);
	return r;
}

static struct run start(const struct fl_policy_ops *ops, const char *text)
{
	return start_in(&fl_mem_heap, ops, text);
}

static void stop(struct run *r)
{
	r->ops->free(r->p);
	fl_model_free(r->m);
}

static struct fl_workload find(const struct run *r, const char *name)
{
	return fl_model_find_workload(r->m, "ns", name);
}

static struct fl_flavor flavor(const struct run *r, const char *name)
{
	for (uint32_t f = 0; f < r->m->n_flavors; f++)
		if (strcmp(fl_model_text(r->m, r->m->flavors[f].name), name) == 0)
			return (struct fl_flavor){ f };
	return (struct fl_flavor){ FL_NONE };
}

/* A row of @cores of cpu, in a flavor; FL_NONE where there is none of that name. */
static struct fl_placement cpu(const struct run *r, const char *in, int cores)
{
	return (struct fl_placement){ .count = 1,
				      .resource = fl_model_find_resource(r->m, "cpu"),
				      .flavor = flavor(r, in),
				      .amount = 1000 * (fl_amount)cores };
}

static int holds(struct run *r, const char *name, const char *queue,
		 const struct fl_placement *rows, uint32_t n, fairlead_error *err)
{
	const struct fl_event e = { .kind = FL_EV_HOLDS,
				    .workload = find(r, name),
				    .holding = { fl_model_find_node(r->m, FL_CLUSTER_QUEUE, queue),
						 rows, n },
				    .since = T0 + 10 * FL_SECOND };

	return r->ops->apply(r->p, T0 + 60 * FL_SECOND, &e, err);
}

static int happens(struct run *r, enum fl_event_kind kind, const char *name)
{
	const struct fl_event e = { .kind = kind,
				    .workload = find(r, name),
				    .machine = { FL_NONE },
				    .since = FL_TIME_NONE,
				    .reason = FL_REASON_IN_CLUSTER_QUEUE };

	return r->ops->apply(r->p, T0 + 60 * FL_SECOND, &e, NULL);
}

static void check_same(const struct run *a, const struct run *b)
{
	uint64_t x[2], y[2];

	a->ops->digest(a->p, T0 + 60 * FL_SECOND, x);
	b->ops->digest(b->p, T0 + 60 * FL_SECOND, y);
	assert_true(x[0] == y[0] && x[1] == y[1]);
}

/* Names of those decided about as @kind. */
static const char *step(struct run *r, enum fl_decision_kind kind, char out[64])
{
	struct fl_decisions d;

	out[0] = '\0';
	assert_int_equal(r->ops->step(r->p, T0 + 60 * FL_SECOND, 0, NULL, &d, NULL), 0);
	for (uint32_t i = 0; i < d.n; i++)
		if (d.rows[i].kind == kind)
			strcat(out,
			       fl_model_text(r->m, r->m->workloads[d.rows[i].workload.v].name));
	return out;
}

/* Beyond quota, in a flavor of which the queue has none, and that is as if the model had it. */
TEST(is_as_the_model_has_it)
{
	for (int i = 0; i < GIVING; i++) {
		struct run told = start(giving[i], QUEUES JOB("a", 0, 1, "") JOB("b", 0, 2, ""));
		struct run has = start(giving[i],
				       QUEUES JOB("a", 0, 1, ADMITTED) JOB("b", 0, 2, ""));
		struct fl_placement row = cpu(&told, "g", 7);
		uint32_t n;

		assert_int_equal(holds(&told, "a", "q", &row, 1, NULL), 0);
		assert_int_equal(told.ops->state(told.p, find(&told, "a")), FL_STATE_ADMITTED);
		assert_int_equal(told.ops->placement(told.p, find(&told, "a"), &n)[0].amount, 7000);
		assert_int_equal(n, 1);
		check_same(&told, &has);
		assert_int_equal(happens(&told, FL_EV_EVICTED, "a"), 0);
		assert_int_equal(happens(&has, FL_EV_EVICTED, "a"), 0);
		check_same(&told, &has);
		stop(&told);
		stop(&has);
	}
}

/* It may be preempted as any other; who is evicted by another scheduler holds on until it has ended. */
TEST(goes_and_is_pending_again)
{
	struct run r = start(&fl_borrow_policy, QUEUES JOB("a", 0, 4, "") JOB("b", 5, 4, ""));
	struct fl_placement row = cpu(&r, "f", 4);
	char out[64];

	assert_int_equal(holds(&r, "a", "q", &row, 1, NULL), 0);
	assert_int_equal(happens(&r, FL_EV_GOES, "a"), 0);
	assert_int_equal(r.ops->state(r.p, find(&r, "a")), FL_STATE_EVICTING);
	assert_int_equal(r.ops->reason(r.p, find(&r, "a")), FL_REASON_IN_CLUSTER_QUEUE);
	assert_string_equal(step(&r, FL_ADMIT, out), "");
	assert_int_equal(happens(&r, FL_EV_GOES, "a"), 0); /* again: the reason may be another */
	assert_int_equal(happens(&r, FL_EV_EVICTED, "a"), 0);
	assert_string_equal(step(&r, FL_ADMIT, out), "b");
	assert_int_equal(happens(&r, FL_EV_GOES, "a"), FAIRLEAD_ESTATE); /* it holds nothing */
	stop(&r);
}

TEST(is_preempted_like_any_other)
{
	struct run r = start(&fl_borrow_policy, QUEUES JOB("a", 0, 4, "") JOB("b", 5, 4, ""));
	struct fl_placement row = cpu(&r, "f", 4);
	char out[64];

	assert_int_equal(holds(&r, "a", "q", &row, 1, NULL), 0);
	assert_string_equal(step(&r, FL_EVICT, out), "a");
	stop(&r);
}

/* All or nothing: after each refusal nothing has changed. */
TEST(refusals)
{
	static const struct {
		const char *name, *queue, *flavor;
		int cpu, twice, code;
		const char *text, *of_drf; /* NULL: drf allows it */
	} cases[] = {
		{ "a", "none", "f", 1, 0, FAIRLEAD_EINPUT, "a ClusterQueue that does not exist",
		  "a ClusterQueue that does not exist" },
		{ "a", "q", "none", 1, 0, FAIRLEAD_EINPUT,
		  "row 1 has a ResourceFlavor that does not exist",
		  "row 1 has a ResourceFlavor that does not exist" },
		{ "a", "q", "f", -1, 0, FAIRLEAD_EINPUT, "row 1 has a negative number",
		  "row 1 has a negative number" },
		{ "a", "q", "h", 1, 0, FAIRLEAD_EINPUT,
		  "no queue or cohort of its tree has quota of flavor 'h' for 'cpu'", NULL },
		{ "a", "other", "h", 1, 0, FAIRLEAD_ELIMIT,
		  "the ClusterQueue is not that of the workload", NULL },
		{ "a", "q", "f", 1, 1, FAIRLEAD_ELIMIT,
		  "it holds more resources than the workload asks for", NULL },
		{ "h", "q", "f", 1, 0, FAIRLEAD_ESTATE,
		  "workload 'ns/h' cannot be admitted: it holds quota already, or is not there",
		  "workload 'ns/h' cannot be admitted: it holds quota already, or is not there" },
	};

	for (size_t c = 0; c < sizeof cases / sizeof *cases; c++)
		for (int i = 0; i < GIVING; i++) {
			struct run r = start(giving[i],
					     QUEUES JOB("a", 0, 1, "") JOB("h", 0, 1, ADMITTED));
			struct run same = start(giving[i],
						QUEUES JOB("a", 0, 1, "") JOB("h", 0, 1, ADMITTED));
			struct fl_placement rows[] = { cpu(&r, cases[c].flavor, cases[c].cpu),
						       cpu(&r, cases[c].flavor, cases[c].cpu) };
			const char *text = giving[i] == &fl_drf_policy ? cases[c].of_drf :
									 cases[c].text;
			fairlead_error err = { 0 };
			int code = holds(&r, cases[c].name, cases[c].queue, rows,
					 1 + (uint32_t)cases[c].twice, &err);

			assert_int_equal(code, text ? cases[c].code : 0);
			assert_string_equal(err.text, text ? text : "");
			if (text)
				check_same(&r, &same);
			stop(&r);
			stop(&same);
		}
}

/* Inside a mark, and with any allocation failing: all of it is done or nothing. */
TEST(all_or_nothing)
{
	for (int i = 0; i < GIVING; i++)
		for (unsigned long n = 1;; n++) {
			struct fail_mem f;
			struct run r, same = start(giving[i], QUEUES JOB("a", 0, 1, ""));
			struct fl_placement row;
			fl_mark mark;
			int rc;

			fail_mem_init(&f);
			r = start_in(&f.mem, giving[i], QUEUES JOB("a", 0, 1, ""));
			row = cpu(&r, "g", 7);
			assert_int_equal(r.ops->mark(r.p, &mark, NULL), 0);
			f.fail_at = n;
			rc = holds(&r, "a", "q", &row, 1, NULL);
			if (rc == 0)
				rc = happens(&r, FL_EV_GOES, "a");
			f.fail_at = 0;
			assert_true(rc == 0 || rc == FAIRLEAD_ENOMEM);
			assert_int_equal(r.ops->state(r.p, find(&r, "a")) == FL_STATE_EVICTING,
					 rc == 0);
			r.ops->rollback(r.p, mark);
			check_same(&r, &same);
			stop(&r);
			stop(&same);
			assert_int_equal(f.live, 0);
			if (rc == 0)
				break;
			assert_true(n < 1000);
		}
}

/* --- loops --- */

static int count_loop(void *user, fl_time now, const struct fl_watched_loop *l, fairlead_error *err)
{
	uint32_t *workloads = user;

	(void)now;
	(void)err;
	*workloads = l->workloads;
	return 0;
}

static void follow(struct run *r, struct fl_driver *d, fl_time now, enum fl_event_kind kind,
		   const char *name, const char *preemptor)
{
	struct fl_placement row = cpu(r, "f", 4);
	const struct fl_event e = { .kind = kind,
				    .workload = find(r, name),
				    .machine = { FL_NONE },
				    .holding = { fl_model_find_node(r->m, FL_CLUSTER_QUEUE, "q"),
						 &row, 1 },
				    .since = now,
				    .reason = FL_REASON_IN_CLUSTER_QUEUE };

	assert_int_equal(kind == FL_EV_EVICTED ?
				 fl_driver_apply(d, now, &e, NULL) :
				 fl_driver_follow(d, now, &e,
						  preemptor ? find(r, preemptor) :
							      (struct fl_workload){ FL_NONE },
						  NULL),
			 0);
}

/*
 * Each of the names preempts the one before it, all around; rounds until that was called a loop; 0:
 * it was not in 20 rounds.
 */
static uint32_t rounds_to_loop(const char *const *names, uint32_t n, bool known, uint32_t *ret_n)
{
	struct run r = start(&fl_borrow_policy,
			     QUEUES JOB("a", 0, 4, "") JOB("b", 0, 4, "") JOB("c", 0, 4, ""));
	const struct fl_driver_options o = { .mem = &fl_mem_heap,
					     .ops = r.ops,
					     .policy = r.p,
					     .n_workloads = r.m->n_workloads,
					     .backend = { .loop = count_loop, .user = ret_n } };
	fl_time now = T0 + 60 * FL_SECOND;
	struct fl_driver d;
	uint32_t round = 1;

	*ret_n = 0;
	assert_int_equal(fl_driver_init(&d, &o, NULL), 0);
	follow(&r, &d, now, FL_EV_HOLDS, names[0], NULL);
	for (; round <= 20 && !*ret_n; round++)
		for (uint32_t i = 0; i < n; i++) {
			const char *next = names[(i + 1) % n];

			now += FL_SECOND;
			follow(&r, &d, now, FL_EV_GOES, names[i], known ? next : NULL);
			follow(&r, &d, now, FL_EV_EVICTED, names[i], NULL);
			follow(&r, &d, now, FL_EV_HOLDS, next, NULL);
		}
	fl_driver_done(&d);
	stop(&r);
	return *ret_n ? round - 1 : 0;
}

TEST(loops_of_another_scheduler_are_found)
{
	static const char *const names[] = { "a", "b", "c" };
	uint32_t n;

	assert_in_range(rounds_to_loop(names, 2, /* known= */ true, &n), 2, 8);
	assert_int_equal(n, 2);
	assert_in_range(rounds_to_loop(names, 3, /* known= */ true, &n), 2, 8);
	assert_int_equal(n, 3);
	assert_int_equal(rounds_to_loop(names, 2, /* known= */ false, &n), 0);
}

/* --- entitle: task by task --- */

static const struct world_machine machines[] = { { "m1", 8 }, { "m2", 8 } };
static const struct world_leaf leaves[] = { { LEAF("a", NULL, 8, -1, 1) } };
/* Two of three suffice. */
static const struct world_gang waits[] = { { WAITS("g", "a", 50, 3, 2, 1) } };
static const struct world_gang runs[] = { { RUNS("g", "a", 50, 3, 2, 1, "m2"), .waiting = 1 } };

static struct run gang(const struct world_gang *g)
{
	const struct world_of world = { .queues = leaves,
					.machines = machines,
					.gangs = g,
					.n_queues = COUNT(leaves),
					.n_machines = COUNT(machines),
					.n_gangs = 1,
					.settings = fl_entitle_settings_default };
	struct run r = { .ops = &fl_entitle_policy, .m = entitle_world(&fl_mem_heap, &world) };

	r.p = entitle_world_policy(&fl_mem_heap, r.m);
	return r;
}

static int bind(struct run *r, uint32_t task, const char *machine, fairlead_error *err)
{
	struct fl_placement row = { .podset = task, .count = 1, .machine = { FL_NONE } };
	const struct fl_event e = { .kind = FL_EV_HOLDS,
				    .machine = { FL_NONE },
				    .holding = { .rows = &row, .n = 1 },
				    .since = FL_TIME_NONE };

	for (uint32_t i = 0; i < r->m->n_machines; i++)
		if (strcmp(fl_model_text(r->m, r->m->machines[i].name), machine) == 0)
			row.machine.v = i;
	return r->ops->apply(r->p, WORLD_NOW * FL_SECOND, &e, err);
}

static uint32_t rows_of(const struct run *r)
{
	uint32_t n;

	(void)r->ops->placement(r->p, (struct fl_workload){ 0 }, &n);
	return n;
}

TEST(tasks_are_told_one_by_one)
{
	struct run told = gang(waits), has = gang(runs);
	const struct fl_event goes = { .kind = FL_EV_GOES, .machine = { FL_NONE } };
	fairlead_error err = { 0 };

	assert_int_equal(bind(&told, 0, "m2", &err), 0);
	assert_int_equal(told.ops->state(told.p, (struct fl_workload){ 0 }), FL_STATE_ADMITTED);
	assert_int_equal(bind(&told, 0, "m1", &err), FAIRLEAD_ESTATE);
	assert_string_equal(err.text, "row 1 has a pod that is not pending");
	assert_int_equal(bind(&told, 3, "m1", &err), FAIRLEAD_EINPUT);
	assert_string_equal(err.text, "row 1 has a pod that the workload does not have");
	assert_int_equal(bind(&told, 1, "m3", &err), FAIRLEAD_EINPUT);
	assert_string_equal(err.text, "row 1 has a Node that does not exist");
	assert_int_equal(bind(&told, 1, "m2", &err), 0);
	check_same(&told, &has);
	assert_int_equal(rows_of(&told), 1);
	assert_int_equal(told.ops->apply(told.p, WORLD_NOW * FL_SECOND, &goes, &err), 0);
	assert_int_equal(told.ops->state(told.p, (struct fl_workload){ 0 }), FL_STATE_EVICTING);
	assert_int_equal(happens(&told, FL_EV_EVICTED, "g"), 0);
	assert_int_equal(happens(&told, FL_EV_GOES, "g"), FAIRLEAD_ESTATE);
	stop(&told);
	stop(&has);
}

UNIT_GROUP("holds")
