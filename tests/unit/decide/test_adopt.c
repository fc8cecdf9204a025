/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What one policy knows, in one on another model: what is refused, and what a change of queues,
 * quota, weights and priorities makes of it.  That all else goes on as it would have is tested by
 * tests/prop/incremental --generations.
 */
#include "decide/borrow/borrow.h"
#include "unit/codec/load.h"

static const struct fl_policy_ops *const ops = &fl_borrow_policy;

#define KUEUE "---\napiVersion: kueue.x-k8s.io/v1beta2\nkind: "
#define FLAVOR(name) KUEUE "ResourceFlavor\nmetadata: {name: " name "}\n"
#define FAIR "apiVersion: config.kueue.x-k8s.io/v1beta2\nkind: Configuration\nfairSharing: {}\n"
#define QUEUE(name, flavor, quota, weight)                                                         \
	KUEUE "ClusterQueue\nmetadata: {name: " name "}\nspec: {cohortName: all, "                 \
	      "namespaceSelector: {}, fairSharing: {weight: " weight "}, preemption: "             \
	      "{reclaimWithinCohort: Any, withinClusterQueue: LowerPriority}, "                    \
	      "resourceGroups: [{coveredResources: [gpu], flavors: [{name: " flavor                \
	      ", resources: [{name: gpu, nominalQuota: " quota "}]}]}]}\n"
#define LOCAL(name, queue)                                                                         \
	KUEUE "LocalQueue\nmetadata: {name: " name ", namespace: ns}\n"                            \
	      "spec: {clusterQueue: " queue "}\n"
#define JOB(name, age, queue, priority, gpus)                                                      \
	KUEUE "Workload\nmetadata: {name: " name ", namespace: ns, creationTimestamp: "            \
	      "\"2026-01-01T00:00:0" age "Z\"}\nspec: {queueName: " queue ", priority: " priority  \
	      ", podSets: [{name: main, count: 1, template: {spec: {containers: [{name: c, "       \
	      "resources: {requests: {gpu: " gpus "}}}]}}}]}\n"

/* Two queues of a cohort: x borrows, y and z wait. */
#define TREE FAIR FLAVOR("f") QUEUE("a", "f", "2", "1") QUEUE("b", "f", "2", "1")
#define LOCALS LOCAL("la", "a") LOCAL("lb", "b")
#define X JOB("x", "1", "la", "0", "3")
#define Y JOB("y", "2", "la", "0", "2")
#define Z JOB("z", "3", "la", "0", "2")

struct world {
	struct fl_model *m;
	struct fl_policy *p;
	fl_time now;
};

static struct world begin(const char *text)
{
	struct world w = { .m = load(text), .now = 100 * FL_SECOND };
	const struct fl_policy_options options = { .mem = &fl_mem_heap, .now = w.now };

	assert_int_equal(ops->new (w.m, &options, &w.p, NULL), 0);
	return w;
}

static void end(struct world *w)
{
	w->p = ops->free(w->p);
	w->m = fl_model_free(w->m);
}

static struct fl_workload find(const struct world *w, const char *name)
{
	return fl_model_find_workload(w->m, "ns", name);
}

static struct fl_decisions step(struct world *w)
{
	struct fl_decisions d;

	w->now += FL_SECOND;
	assert_int_equal(ops->step(w->p, w->now, 0, /* sink= */ NULL, &d, NULL), 0);
	return d;
}

static void apply(struct world *w, const struct fl_event *e)
{
	fairlead_error err = { 0 };

	if (ops->apply(w->p, w->now, e, &err) < 0)
		fail_msg("%s", err.text);
}

static void check_state(const struct world *w, const char *name, enum fl_workload_state state)
{
	CHECK(ops->state(w->p, find(w, name)) == state, name);
}

/* On the objects of @text, by name; @from goes. */
static int try_adopt(struct world *from, const char *text, struct world *ret, fairlead_error *err)
{
	struct fl_workload was[16];
	int r;

	*ret = begin(text);
	ret->now = from->now;
	for (uint32_t w = 0; w < ret->m->n_workloads; w++)
		was[w] = fl_model_find_workload(from->m, "ns",
						fl_model_text(ret->m, ret->m->workloads[w].name));
	r = ops->adopt(ret->p, ret->now, from->p, was, err);
	end(from);
	return r;
}

static struct world adopt(struct world *from, const char *text)
{
	fairlead_error err = { 0 };
	struct world ret;

	if (try_adopt(from, text, &ret, &err) < 0)
		fail_msg("%s: %s", err.subject, err.text);
	return ret;
}

/* x holds 3, one of them borrowed; y and z are parked. */
static struct world settled(void)
{
	struct world w = begin(TREE LOCALS X Y Z);

	for (int i = 0; i < 4; i++)
		(void)step(&w);
	check_state(&w, "x", FL_STATE_ADMITTED);
	check_state(&w, "y", FL_STATE_INADMISSIBLE);
	check_state(&w, "z", FL_STATE_INADMISSIBLE);
	return w;
}

static fl_amount used(const struct world *w, const char *queue)
{
	const struct fl_tree *t = fl_borrow_tree(w->p);
	struct fl_node n = fl_model_find_node(w->m, FL_CLUSTER_QUEUE, queue);

	return fl_borrow_usage(w->p)->cell[t->row[n.v]];
}

/* --- */

TEST(who_is_new_is_to_come)
{
	struct world w = settled();

	w = adopt(&w, TREE JOB("n", "4", "lb", "0", "1") Z LOCALS X);
	check_state(&w, "x", FL_STATE_ADMITTED);
	check_state(&w, "z", FL_STATE_INADMISSIBLE);
	check_state(&w, "n", FL_STATE_ABSENT);
	assert_int_equal(used(&w, "a"), 3);
	assert_int_equal(step(&w).n,
			 0); /* nothing was stirred but by y, which waited for nothing */
	apply(&w, &(struct fl_event){ .kind = FL_EV_SUBMIT, .workload = find(&w, "n") });
	(void)step(&w);
	check_state(&w, "n", FL_STATE_ADMITTED);
	end(&w);
}

TEST(who_is_left_out_has_let_go)
{
	struct world w = settled();

	w = adopt(&w, TREE LOCALS Y Z);
	assert_int_equal(used(&w, "a"), 0);
	check_state(&w, "y", FL_STATE_WAITING);
	(void)step(&w);
	check_state(&w, "y", FL_STATE_ADMITTED);
	end(&w);
}

TEST(other_quota_wakes_who_waits)
{
	struct world w = settled();

	w = adopt(&w, FAIR FLAVOR("f") QUEUE("a", "f", "4", "1") QUEUE("b", "f", "2", "1")
			      LOCALS X Y Z);
	check_state(&w, "x", FL_STATE_ADMITTED);
	check_state(&w, "y", FL_STATE_WAITING);
	(void)step(&w);
	check_state(&w, "y", FL_STATE_ADMITTED);
	end(&w);
}

TEST(queues_come_and_go)
{
	struct world w = settled();

	w = adopt(&w, TREE QUEUE("c", "f", "1", "1") LOCALS LOCAL("lc", "c") X Y Z);
	(void)step(&w);
	check_state(&w, "y", FL_STATE_ADMITTED); /* 5 in all now */
	end(&w);

	w = settled();
	w = adopt(&w, FAIR FLAVOR("f") QUEUE("a", "f", "2", "1") LOCAL("la", "a") X Y Z);
	check_state(&w, "x", FL_STATE_ADMITTED); /* more than there is any more */
	assert_int_equal(used(&w, "a"), 3);
	(void)step(&w);
	check_state(&w, "y", FL_STATE_INADMISSIBLE);
	end(&w);
}

/* It holds what it held where it held it; who waits goes along, or takes no part. */
TEST(local_queues_move_and_stop)
{
	struct world w = settled();
	struct fl_event e = { .kind = FL_EV_EVICTED };

	w = adopt(&w, TREE LOCAL("la", "b") LOCAL("lb", "b") X Y Z);
	check_state(&w, "x", FL_STATE_ADMITTED);
	assert_int_equal(used(&w, "a"), 3);
	check_state(&w, "y", FL_STATE_WAITING);
	(void)step(&w); /* b takes back what x has borrowed */
	check_state(&w, "x", FL_STATE_EVICTING);
	w = adopt(&w,
		  TREE KUEUE "LocalQueue\nmetadata: {name: la, namespace: ns}\n"
			     "spec: {clusterQueue: b, stopPolicy: Hold}\n" LOCAL("lb", "b") X Y Z);
	check_state(&w, "x", FL_STATE_EVICTING);
	check_state(&w, "y", FL_STATE_EXCLUDED);
	assert_int_equal(used(&w, "a"), 3);
	e.workload = find(&w, "x");
	apply(&w, &e);
	check_state(&w, "x", FL_STATE_EXCLUDED);
	assert_int_equal(used(&w, "a"), 0);
	w = adopt(&w, TREE LOCALS X Y Z);
	check_state(&w, "x", FL_STATE_WAITING);
	(void)step(&w);
	check_state(&w, "x", FL_STATE_ADMITTED);
	end(&w);
}

TEST(who_waits_follows_its_local_queue)
{
	struct world w = settled();

	apply(&w, &(struct fl_event){ .kind = FL_EV_FINISHED, .workload = find(&w, "x") });
	w = adopt(&w, TREE LOCAL("la", "b") LOCAL("lb", "b") X Y Z);
	check_state(&w, "x", FL_STATE_ABSENT);
	(void)step(&w);
	check_state(&w, "y", FL_STATE_ADMITTED);
	assert_int_equal(used(&w, "b"), 2);
	end(&w);
}

/* --- cells --- */

static double weight_of(const struct world *w, const char *queue)
{
	struct fl_share s;

	ops->share(w->p, fl_model_find_node(w->m, FL_CLUSTER_QUEUE, queue), &s);
	return s.weight;
}

static void set(struct world *w, enum fl_cell_kind kind, const char *queue, fl_amount amount)
{
	struct fl_event e = { .kind = FL_EV_CELL,
			      .cell = { .kind = kind,
					.node = fl_model_find_node(w->m, FL_CLUSTER_QUEUE, queue),
					.amount = amount,
					.weight = (double)amount } };

	apply(w, &e);
}

static fl_amount nominal_of(const struct world *w, const char *queue)
{
	const struct fl_tree *t = fl_borrow_tree(w->p);

	return t->nominal[t->row[fl_model_find_node(w->m, FL_CLUSTER_QUEUE, queue).v]];
}

TEST(changed_cells_count_where_rows_are_the_same)
{
	struct world w = settled();

	set(&w, FL_CELL_WEIGHT, "a", 5);
	set(&w, FL_CELL_WEIGHT, "b", 6);
	set(&w, FL_CELL_NOMINAL, "a", 1);
	set(&w, FL_CELL_NOMINAL, "b", 3);
	w = adopt(&w, TREE LOCALS X Y Z);
	assert_true(weight_of(&w, "a") == 5 && weight_of(&w, "b") == 6);
	assert_int_equal(nominal_of(&w, "a"), 1);
	/* b's row is another now; a's is not, and neither has it been for two models. */
	w = adopt(&w, FAIR FLAVOR("f") QUEUE("b", "f", "9", "2") QUEUE("a", "f", "2", "1")
			      LOCALS X Y Z);
	assert_true(weight_of(&w, "a") == 5 && weight_of(&w, "b") == 2);
	assert_int_equal(nominal_of(&w, "a"), 1);
	assert_int_equal(nominal_of(&w, "b"), 9);
	end(&w);
}

static struct fl_event priority(const struct world *w, const char *name, fl_amount value)
{
	return (struct fl_event){ .kind = FL_EV_CELL,
				  .workload = find(w, name),
				  .cell = { .kind = FL_CELL_PRIORITY, .amount = value } };
}

/* The first to start when there is room for one. */
static void check_first(struct world *w, const char *name)
{
	struct fl_event e = { .kind = FL_EV_FINISHED, .workload = find(w, "x") };

	set(w, FL_CELL_NOMINAL, "a", 0);
	apply(w, &e);
	(void)step(w);
	check_state(w, name, FL_STATE_ADMITTED);
}

TEST(changed_priorities_count_where_rows_are_the_same)
{
	struct world w = settled();
	struct fl_event e = priority(&w, "z", 7);

	apply(&w, &e);
	w = adopt(&w, TREE LOCALS Z Y X);
	check_first(&w, "z");
	end(&w);

	w = settled();
	apply(&w, &e);
	w = adopt(&w, TREE LOCALS X JOB("y", "2", "la", "8", "2") Z);
	check_first(&w, "y");
	end(&w);

	w = settled();
	apply(&w, &e);
	w = adopt(&w, TREE LOCALS X Y JOB("z", "3", "la", "-1", "2"));
	check_first(&w, "y");
	end(&w);
}

/* --- what is refused --- */

TEST(what_is_held_must_be_there)
{
	static const struct {
		const char *name, *text;
	} rows[] = {
		{ "queue gone", FAIR FLAVOR("f") QUEUE("b", "f", "2", "1") LOCALS X },
		{ "flavor gone", FAIR FLAVOR("g") QUEUE("a", "g", "2", "1") LOCALS X },
		{ "column gone", FAIR FLAVOR("f") FLAVOR("g") QUEUE("a", "g", "2", "1") LOCALS X },
	};

	for (size_t i = 0; i < COUNT(rows); i++) {
		struct world w = settled(), next;
		fairlead_error err = { 0 };

		CHECK(try_adopt(&w, rows[i].text, &next, &err) == FAIRLEAD_EINPUT, rows[i].name);
		CHECK(strcmp(err.subject, "Workload/ns/x") == 0, rows[i].name);
		CHECK(strcmp(err.text, "holds quota of ClusterQueue 'a', which would not exist "
				       "any more") == 0,
		      rows[i].name);
		CHECK(err.hint[0] != '\0', rows[i].name);
		end(&next);
	}
}

TEST(what_was_must_be_one_each)
{
	struct world w = settled(), next = begin(TREE LOCALS X Y Z);
	const struct fl_workload twice[] = { { 0 }, { 0 }, { 1 } };
	const struct fl_workload beyond[] = { { 0 }, { 1 }, { 3 } };
	fairlead_error err = { 0 };

	assert_int_equal(ops->adopt(next.p, next.now, w.p, twice, &err), FAIRLEAD_EINPUT);
	assert_string_equal(err.text, "workload 1 cannot be the same as old workload 0");
	assert_int_equal(ops->adopt(next.p, next.now, w.p, beyond, &err), FAIRLEAD_EINPUT);
	assert_string_equal(err.text, "workload 2 cannot be the same as old workload 3");
	end(&next);
	end(&w);
}

TEST(not_inside_a_mark)
{
	const struct fl_workload was[] = { { 0 }, { 1 }, { 2 } };
	fairlead_error err = { 0 };

	for (int i = 0; i < 2; i++) {
		struct world w = settled(), next = begin(TREE LOCALS X Y Z);
		fl_mark mark;

		assert_int_equal(ops->mark(i ? w.p : next.p, &mark, NULL), 0);
		assert_int_equal(ops->adopt(next.p, next.now, w.p, was, &err), FAIRLEAD_ESTATE);
		assert_string_equal(err.text,
				    "the state of a policy is not carried over inside a mark");
		end(&next);
		end(&w);
	}
}

UNIT_GROUP("adopt")
