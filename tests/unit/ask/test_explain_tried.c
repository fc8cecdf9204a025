/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What an explanation says of changes and victims holds: on small cases by hand, and for
 * whoever waits on random clusters.  A change that is proposed admits; one unit less does
 * not; nobody is refused as a victim by an inequality that is true.
 */
#include <math.h>

#include "ask/borrow/evidence.h"
#include "decide/borrow/borrow.h"
#include "lib/few.h"
#include "unit/codec/load.h"

static const struct fl_policy_ops *const ops = &fl_borrow_policy;
static const fl_time now = INT64_C(1767225600) * FL_SECOND + 100 * FL_SECOND;

static char text[1 << 17];
static size_t used;

static void say(const char *format, ...) __attribute__((format(printf, 1, 2)));
static void say(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	used += (size_t)vsnprintf(text + used, sizeof text - used, format, args);
	va_end(args);
	assert_true(used < sizeof text);
}

/* --- an open case --- */

struct fixture {
	struct fl_model *m;
	struct fl_policy *p;
	struct fl_arena arena;
};

static void open_case(struct fixture *f)
{
	struct fl_policy_options options = { .mem = &fl_mem_heap, .now = now };
	fairlead_error err;

	f->m = load(text);
	if (ops->new (f->m, &options, &f->p, &err) < 0)
		fail_msg("%s", err.text);
	fl_arena_init(&f->arena, &fl_mem_heap);
}

static void close_case(struct fixture *f)
{
	fl_arena_done(&f->arena);
	ops->free(f->p);
	fl_model_free(f->m);
}

static struct fl_explain explain(struct fixture *f, struct fl_workload w)
{
	uint64_t before[2], after[2];
	struct fl_explain x = { 0 };
	fairlead_error err;

	ops->digest(f->p, now, before);
	if (fl_explain(ops, f->p, f->m, now, w, /* machine= */ NULL, &f->arena, &x, &err) < 0)
		fail_msg("%s", err.text);
	ops->digest(f->p, now, after);
	assert_memory_equal(before, after, sizeof before);
	return x;
}

/* What becomes of @w with these cells, in a try or in a step. */
static enum fl_decision_kind outcome(struct fixture *f, struct fl_workload w,
				     const struct fl_explain_change *cells, uint32_t n, bool step)
{
	enum fl_decision_kind kind = FL_WAIT;
	struct fl_decisions d;
	fairlead_error err;
	fl_mark mark;

	assert_int_equal(ops->mark(f->p, &mark, &err), 0);
	for (uint32_t i = 0; i < n; i++) {
		struct fl_event e = { .kind = FL_EV_CELL,
				      .workload = w,
				      .cell = { .kind = cells[i].kind,
						.node = cells[i].node,
						.flavor = cells[i].flavor,
						.resource = cells[i].resource,
						.amount = cells[i].to,
						.weight = cells[i].weight_to } };

		if (ops->apply(f->p, now, &e, &err) < 0)
			fail_msg("%s", err.text);
	}
	assert_int_equal(step ? ops->step(f->p, now, 0, NULL, &d, &err) :
				ops->try(f->p, now, w, NULL, &d, &err),
			 0);
	for (uint32_t i = 0; i < d.n; i++)
		if (d.rows[i].workload.v == w.v && d.rows[i].kind != FL_EVICT)
			kind = d.rows[i].kind;
	ops->rollback(f->p, mark);
	return kind;
}

/* The largest number of two digits below @weight, or @from if that is larger. */
static double one_less(double weight, double from)
{
	double best = from;
	char number[32];

	for (int power = -4; power <= 8; power++)
		for (int digits = 10; digits < 100; digits++) {
			double candidate, exact = digits;

			(void)snprintf(number, sizeof number, "%de%d", digits, power);
			candidate = strtod(number, NULL);
			if (candidate < weight * (1 - 1e-9) && candidate > best && exact > 0)
				best = candidate;
		}
	return best;
}

static unsigned seen_kinds[FL_CELL_PRIORITY + 2]; /* the last: several cells */
static unsigned seen_checks[FL_CHECKS];

static void check_proposal(struct fixture *f, const struct fl_explain *x, uint32_t which)
{
	const struct fl_explain_proposal *p = &x->proposals[which];
	struct fl_explain_change cells[64];
	bool turn = x->alone != FL_WAIT; /* then it is asked of the cycle */

	assert_in_range(p->n, 1, 64);
	memcpy(cells, x->changes + p->first, p->n * sizeof *cells);
	assert_int_not_equal(p->alone, FL_WAIT);
	if (!turn)
		assert_int_equal(outcome(f, x->workload, cells, p->n, false), p->alone);
	else
		assert_int_not_equal(p->next, FL_WAIT);
	assert_int_equal(outcome(f, x->workload, cells, p->n, true), p->next);
	for (uint32_t i = 0; i < p->n; i++) {
		struct fl_explain_change was = cells[i];

		if (was.kind == FL_CELL_WEIGHT) {
			assert_true(was.weight_to > was.weight_from);
			cells[i].weight_to = one_less(was.weight_to, was.weight_from);
		} else {
			assert_true(was.to > was.from);
			cells[i].to--;
		}
		assert_int_equal(outcome(f, x->workload, cells, p->n, turn), FL_WAIT);
		cells[i] = was;
	}
	seen_kinds[p->n == 1 ? cells[0].kind : FL_CELL_PRIORITY + 1]++;
}

static void check_proposals(struct fixture *f, const struct fl_explain *x)
{
	assert_true(x->n_tries <= 1000);
	for (uint32_t i = 0; i < x->n_proposals; i++) {
		const struct fl_explain_proposal *p = &x->proposals[i];

		check_proposal(f, x, i);
		assert_true(i == 0 || p[-1].n <= p->n);
		for (uint32_t k = 0; k < i && p->n == 1; k++)
			assert_true(x->proposals[k].n > 1 ||
				    x->changes[x->proposals[k].first].kind !=
					    x->changes[p->first].kind);
	}
}

/* Does the inequality of the check hold for these numbers? Those not known here: no. */
static bool holds(const struct fl_explain_refusal *row)
{
	fl_amount a = row->lhs.amount, b = row->rhs.amount;

	switch (row->check) {
	case FL_CHECK_S2A:
		return row->lhs.share <= row->rhs.share && !isinf(row->lhs.share);
	case FL_CHECK_S2B:
		return row->lhs.share < row->rhs.share;
	case FL_CHECK_VICTIM_PRIORITY:
	case FL_CHECK_VICTIM_AGE:
	case FL_CHECK_VICTIM_BORROWS:
	case FL_CHECK_STILL_BORROWS:
	case FL_CHECK_VICTIM_NEEDED:
		return a < b;
	case FL_CHECK_WHILE_BORROWING:
	case FL_CHECK_FITS_WITHOUT:
		return a <= b;
	default:
		return false;
	}
}

static void check_victims(struct fixture *f, const struct fl_explain *x)
{
	uint32_t rows = 0, workloads = 0;

	for (uint32_t i = 0; i < x->n_rules; i++) {
		uint32_t n = 0;

		assert_int_equal(x->rules[i].first, rows);
		rows += x->rules[i].n;
		for (uint32_t k = 0; k < x->rules[i].n; k++) {
			const struct fl_explain_refusal *r = &x->refusals[x->rules[i].first + k];

			assert_int_equal(r->check, x->rules[i].check);
			if (holds(r))
				fail_msg("%s holds", fl_check_name(r->check));
			n += r->n;
			if (r->victim.v == FL_NONE)
				continue;
			assert_in_range(ops->state(f->p, r->victim), FL_STATE_ADMITTED,
					FL_STATE_EVICTING);
			for (uint32_t v = 0; v < x->n_victims; v++)
				assert_int_not_equal(x->victims[v].workload.v, r->victim.v);
		}
		assert_int_equal(n, x->rules[i].workloads);
		assert_true(i == 0 || x->rules[i - 1].workloads >= n);
		workloads += n;
		seen_checks[x->rules[i].check]++;
	}
	assert_int_equal(rows, x->n_refusals);
	assert_true(workloads <= x->n_considered);
}

/* --- cases by hand --- */

static void say_start(bool fair)
{
	used = 0;
	say("apiVersion: config.kueue.x-k8s.io/v1beta2\nkind: Configuration\n%s",
	    fair ? "fairSharing: {}\n" : "");
	say("---\napiVersion: kueue.x-k8s.io/v1beta2\nkind: ResourceFlavor\nmetadata: {name: f}\n");
}

/* A queue of cohort "all" with @cpu and more fields of it. */
static void say_queue(const char *name, const char *preemption, const char *quota)
{
	say("---\napiVersion: kueue.x-k8s.io/v1beta2\nkind: ClusterQueue\nmetadata: {name: %s}\n"
	    "spec: {cohortName: all, namespaceSelector: {}, preemption: {%s}, resourceGroups: "
	    "[{coveredResources: [gpu], flavors: [{name: f, resources: [{name: gpu, "
	    "nominalQuota: %s}]}]}]}\n"
	    "---\napiVersion: kueue.x-k8s.io/v1beta2\nkind: LocalQueue\n"
	    "metadata: {name: l%s, namespace: ns}\nspec: {clusterQueue: %s}\n",
	    name, preemption, quota, name, name);
}

static void say_job(const char *name, const char *queue, int priority, int gpu, int age,
		    bool admitted)
{
	say("---\napiVersion: kueue.x-k8s.io/v1beta2\nkind: Workload\n"
	    "metadata: {name: %s, namespace: ns, creationTimestamp: \"2026-01-01T00:00:%02dZ\"}\n"
	    "spec: {queueName: l%s, priority: %d, podSets: [{name: main, count: 1, template: {spec: "
	    "{containers: [{resources: {requests: {gpu: %d}}}]}}}]}\n",
	    name, age, queue, priority, gpu);
	if (admitted)
		say("status:\n  conditions: [{type: QuotaReserved, status: 'True', "
		    "lastTransitionTime: \"2026-01-01T00:00:%02dZ\"}]\n"
		    "  admission: {clusterQueue: %s, podSetAssignments: [{name: main, count: 1, "
		    "flavors: {gpu: f}, resourceUsage: {gpu: %d}}]}\n",
		    age, queue, gpu);
}

static struct fl_explain explain_new(struct fixture *f)
{
	struct fl_explain x;

	open_case(f);
	x = explain(f, fl_model_find_workload(f->m, "ns", "new"));
	check_proposals(f, &x);
	check_victims(f, &x);
	return x;
}

static const struct fl_explain_change *change_of(const struct fl_explain *x, enum fl_cell_kind kind,
						 const struct fl_explain_proposal **ret)
{
	for (uint32_t i = 0; i < x->n_proposals; i++)
		if (x->changes[x->proposals[i].first].kind == kind) {
			*ret = &x->proposals[i];
			return &x->changes[x->proposals[i].first];
		}
	fail_msg("no change of kind %d", (int)kind);
	return NULL;
}

static const struct fl_explain_refusal *refusal(const struct fixture *f, const struct fl_explain *x,
						const char *victim, enum fl_check check)
{
	struct fl_workload w = fl_model_find_workload(f->m, "ns", victim);

	for (uint32_t i = 0; i < x->n_refusals; i++)
		if (x->refusals[i].victim.v == w.v) {
			assert_int_equal(x->refusals[i].check, check);
			return &x->refusals[i];
		}
	fail_msg("'%s' is not refused", victim);
	return NULL;
}

/* 2 are wanted; b keeps 3 of its 4 to itself, of which 1 is in use. */
TEST(a_lending_limit)
{
	const struct fl_explain_proposal *p;
	struct fixture f;

	say_start(false);
	say_queue("a", "", "1");
	say_queue("b", "", "4, lendingLimit: 1");
	say_job("a1", "a", 0, 1, 1, true);
	say_job("b1", "b", 0, 1, 2, true);
	say_job("new", "a", 0, 2, 3, false);
	struct fl_explain x = explain_new(&f);
	const struct fl_explain_change *c = change_of(&x, FL_CELL_LENDING_LIMIT, &p);

	assert_string_equal(fl_model_text(f.m, f.m->nodes[c->node.v].name), "b");
	assert_int_equal(c->from, 1);
	assert_int_equal(c->to, 2);
	assert_int_equal(p->alone, FL_ADMIT);
	assert_int_equal(change_of(&x, FL_CELL_NOMINAL, &p)->to, 2);
	close_case(&f);
}

/* With equal weights 2 of 4 borrowed each; with more weight a's share of 4 gets below b's of 2. */
TEST(a_weight)
{
	const struct fl_explain_proposal *p;
	struct fixture f;

	say_start(true);
	say_queue("a", "reclaimWithinCohort: Any", "0");
	say_queue("b", "", "0");
	say_queue("pool", "", "4");
	say_job("a1", "a", 0, 2, 1, true);
	say_job("b1", "b", 0, 1, 2, true);
	say_job("b2", "b", 0, 1, 3, true);
	say_job("new", "a", 0, 1, 4, false);
	struct fl_explain x = explain_new(&f);
	const struct fl_explain_change *c = change_of(&x, FL_CELL_WEIGHT, &p);

	/* 3 of 4 borrowed are 750: S2-b wants 750 / w < 500, the share of b as it is. */
	assert_string_equal(fl_model_text(f.m, f.m->nodes[c->node.v].name), "a");
	assert_true(c->weight_from == 1 && c->weight_to == 1.6);
	assert_int_equal(p->alone, FL_RESERVE);
	assert_int_equal(p->n_victims, 1);
	assert_true(refusal(&f, &x, "b2", FL_CHECK_S2B)->lhs.share == 750);
	assert_true(refusal(&f, &x, "b2", FL_CHECK_S2B)->rhs.share == 500);
	/* The second pass looks at one a queue; the other was refused by the first. */
	assert_true(refusal(&f, &x, "b1", FL_CHECK_S2A)->rhs.share == 250);
	assert_int_equal(refusal(&f, &x, "b1", FL_CHECK_S2A)->n, 1);
	close_case(&f);
}

/* Two of the three that run must go; what is as important as they are takes none of them. */
TEST(a_priority)
{
	const struct fl_explain_proposal *p;
	struct fixture f;

	say_start(false);
	say_queue("a", "withinClusterQueue: LowerPriority", "6");
	say_job("a1", "a", 3, 2, 1, true);
	say_job("a2", "a", 5, 2, 2, true);
	say_job("a3", "a", 9, 2, 3, true);
	say_job("new", "a", 2, 4, 4, false);
	struct fl_explain x = explain_new(&f);
	const struct fl_explain_change *c = change_of(&x, FL_CELL_PRIORITY, &p);

	assert_int_equal(c->from, 2);
	assert_int_equal(c->to, 6);
	assert_int_equal(p->alone, FL_RESERVE);
	assert_int_equal(p->next, FL_RESERVE);
	assert_int_equal(p->n_victims, 2);
	assert_int_equal(x.n_considered, 3);
	/* Nearest first. */
	assert_int_equal(x.n_refusals, 3);
	assert_int_equal(x.refusals[0].lhs.amount, 3);
	assert_int_equal(x.refusals[2].lhs.amount, 9);
	assert_int_equal(refusal(&f, &x, "a1", FL_CHECK_VICTIM_PRIORITY)->rhs.amount, 2);
	close_case(&f);
}

/* The first of two chosen is not needed in the end. */
TEST(fill_back)
{
	struct fixture f;

	say_start(false);
	say_queue("a", "withinClusterQueue: LowerOrNewerEqualPriority", "6");
	say_job("old", "a", 5, 1, 1, true); /* comes last: nobody gets that far */
	say_job("small", "a", 0, 1, 10, true);
	say_job("large", "a", 1, 4, 11, true);
	say_job("new", "a", 5, 4, 9, false);
	struct fl_explain x = explain_new(&f);

	assert_int_equal(x.state, FL_EXPLAIN_PREEMPTS);
	assert_int_equal(x.n_victims, 1);
	assert_int_equal(x.n_considered, 2);
	const struct fl_explain_refusal *back = refusal(&f, &x, "small", FL_CHECK_VICTIM_NEEDED);
	assert_int_equal(back->lhs.amount, 4);
	assert_int_equal(back->rhs.amount, 4);
	close_case(&f);
}

/* Of equal priority those go that came later. */
TEST(age)
{
	struct fixture f;

	say_start(false);
	say_queue("a", "withinClusterQueue: LowerOrNewerEqualPriority", "6");
	say_job("old", "a", 5, 3, 1, true);
	say_job("late", "a", 5, 3, 10, true);
	say_job("new", "a", 5, 4, 9, false);
	struct fl_explain x = explain_new(&f);
	const struct fl_explain_refusal *r = refusal(&f, &x, "old", FL_CHECK_VICTIM_AGE);

	assert_int_equal(r->lhs.kind, FL_NUMBER_TIME);
	assert_int_equal(r->lhs.amount - r->rhs.amount, 8 * FL_SECOND);
	assert_int_equal(refusal(&f, &x, "late", FL_CHECK_FITS_WITHOUT)->rhs.amount, 3);
	close_case(&f);
}

/* b gives back what it borrowed, and no more; c borrows nothing; it is not enough. */
TEST(back_within_nominal)
{
	static const bool fair[] = { false, true };
	struct fixture f;

	for (int i = 0; i < 2; i++) {
		say_start(fair[i]);
		say_queue("a", "reclaimWithinCohort: LowerPriority", "6");
		say_queue("b", "", "2");
		say_queue("c", "", "2, borrowingLimit: 0");
		say_queue("d", "", "0");
		say_job("a1", "a", 9, 3, 1, true);
		say_job("b1", "b", 1, 2, 2, true);
		say_job("b2", "b", 2, 1, 3, true);
		say_job("c1", "c", 0, 2, 4, true);
		say_job("d1", "d", 6, 2, 5, true);
		say_job("new", "a", 5, 3, 6, false);
		struct fl_explain x = explain_new(&f);

		assert_int_equal(x.alone, FL_WAIT);
		/* b1 may go and is not enough, and then b is within its 2. */
		assert_int_equal(refusal(&f, &x, "b1", FL_CHECK_FITS_WITHOUT)->rhs.amount, 2);
		assert_int_equal(refusal(&f, &x, "d1", FL_CHECK_VICTIM_PRIORITY)->lhs.amount, 6);
		bool still = false, never = false, policy = false;

		for (uint32_t k = 0; k < x.n_refusals; k++) {
			const struct fl_explain_refusal *r = &x.refusals[k];
			const char *node = fl_model_text(f.m, f.m->nodes[r->node.v].name);

			still |= r->check == FL_CHECK_STILL_BORROWS && strcmp(node, "b") == 0 &&
				 r->n == 1 && r->lhs.amount == 2 && r->rhs.amount == 1;
			never |= r->check == FL_CHECK_VICTIM_BORROWS && strcmp(node, "c") == 0 &&
				 r->n == 1 && r->lhs.amount == 2 && r->rhs.amount == 2;
			policy |= r->check == FL_CHECK_VICTIM_POLICY && strcmp(node, "a") == 0 &&
				  r->n == 1;
		}
		assert_true(still && never && policy);
		assert_int_equal(x.n_considered, 5);
		close_case(&f);
	}
}

/* Beyond its own quota it takes lower priorities only, and none above the threshold. */
TEST(while_borrowing)
{
	struct fixture f;

	say_start(false);
	say_queue("a",
		  "reclaimWithinCohort: Any, borrowWithinCohort: {policy: LowerPriority, "
		  "maxPriorityThreshold: 3}",
		  "2");
	say_queue("b", "", "2");
	say_queue("c", "", "4");
	say_job("a1", "a", 9, 2, 1, true);
	say_job("b1", "b", 4, 6, 2, true);
	say_job("new", "a", 5, 2, 5, false);
	struct fl_explain x = explain_new(&f);
	const struct fl_explain_refusal *r = refusal(&f, &x, "b1", FL_CHECK_WHILE_BORROWING);

	assert_int_equal(r->lhs.amount, 4);
	assert_int_equal(r->rhs.amount, 3);
	close_case(&f);
}

/* What stands against a flavor is kept, whatever check it is. */
TEST(other_refusals_of_a_flavor)
{
	struct fl_evidence_log log;
	struct fl_evidence row = { .check = FL_CHECK_AVAILABLE,
				   .lhs = { .amount = 3 },
				   .holds = true };
	struct fl_explain_need *need;

	row.victim.v = FL_NONE;
	fl_evidence_log_init(&log, &fl_mem_heap, row.workload);
	fl_evidence_log_row(&log, &row);
	row.check = FL_CHECK_BACK_OFF;
	row.lhs = (struct fl_number){ .kind = FL_NUMBER_TIME, .amount = 7 };
	fl_evidence_log_row(&log, &row); /* it holds */
	assert_int_equal(log.n_needs, 1);
	need = &log.needs[0];
	assert_int_equal(need->verdict, FL_NEED_FITS);
	row.holds = false;
	fl_evidence_log_row(&log, &row);
	assert_int_equal(log.n_needs, 1);
	assert_int_equal(need->verdict, FL_NEED_REFUSED);
	assert_int_equal(need->check, FL_CHECK_BACK_OFF);
	assert_int_equal(need->lhs.amount, 7);
	assert_int_equal(need->requested, 3);
	fl_evidence_log_done(&log);
}

/* --- random clusters --- */

static uint64_t seed;

static uint32_t pick(uint32_t below)
{
	seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (uint32_t)(seed >> 33) % below;
}

static const char *one_of(const char *const *words, uint32_t n) { return words[pick(n)]; }
#define ONE_OF(...)                                                                                \
	one_of((const char *const[]){ __VA_ARGS__ },                                               \
	       sizeof((const char *const[]){ __VA_ARGS__ }) / sizeof(char *))

static void say_groups(uint32_t most)
{
	say("resourceGroups: [{coveredResources: [a, b], flavors: [");
	for (int f = 0; f < 2; f++) {
		say("%s{name: f%d, resources: [", f ? ", " : "", f);
		for (int r = 0; r < 2; r++) {
			say("%s{name: %c, nominalQuota: %u", r ? ", " : "", 'a' + r, pick(most));
			if (pick(3) == 0)
				say(", borrowingLimit: %u", pick(7));
			if (pick(3) == 0)
				say(", lendingLimit: %u", pick(7));
			say("}");
		}
		say("]}");
	}
	say("]}]");
}

enum { QUEUES = 5, COHORTS = 3, JOBS = 24 };

static void say_random(void)
{
	used = 0;
	say("apiVersion: config.kueue.x-k8s.io/v1beta2\nkind: Configuration\n%s",
	    pick(2) ? "fairSharing: {}\n" : "");
	for (int f = 0; f < 2; f++)
		say("---\napiVersion: kueue.x-k8s.io/v1beta2\nkind: ResourceFlavor\n"
		    "metadata: {name: f%d}\n",
		    f);
	for (unsigned c = 0; c < COHORTS; c++) {
		say("---\napiVersion: kueue.x-k8s.io/v1beta2\nkind: Cohort\nmetadata: {name: c%u}\n"
		    "spec: {fairSharing: {weight: %u}, ",
		    c, pick(3));
		if (c)
			say("parentName: c%u, ", pick(c));
		say_groups(3);
		say("}\n");
	}
	for (int q = 0; q < QUEUES; q++) {
		say("---\napiVersion: kueue.x-k8s.io/v1beta2\nkind: ClusterQueue\n"
		    "metadata: {name: q%d}\nspec: {cohortName: c%u, namespaceSelector: {}, "
		    "queueingStrategy: %s, preemption: {withinClusterQueue: %s, "
		    "reclaimWithinCohort: %s%s}, fairSharing: {weight: %u}, ",
		    q, pick(COHORTS), ONE_OF("BestEffortFIFO", "StrictFIFO"),
		    ONE_OF("Never", "LowerPriority", "LowerOrNewerEqualPriority"),
		    ONE_OF("Never", "LowerPriority", "Any", "Any"),
		    ONE_OF("", ", borrowWithinCohort: {policy: LowerPriority, "
			       "maxPriorityThreshold: 1}"),
		    pick(3));
		say_groups(8);
		say("}\n---\napiVersion: kueue.x-k8s.io/v1beta2\nkind: LocalQueue\n"
		    "metadata: {name: l%d, namespace: ns}\nspec: {clusterQueue: q%d}\n",
		    q, q);
	}
	for (int w = 0; w < JOBS; w++) {
		unsigned q = pick(QUEUES), count = 1 + pick(2), a = pick(5), b = pick(4),
			 f = pick(2);

		say("---\napiVersion: kueue.x-k8s.io/v1beta2\nkind: Workload\n"
		    "metadata: {name: w%02d, namespace: ns, creationTimestamp: "
		    "\"2026-01-01T00:00:%02uZ\"}\nspec: {queueName: l%u, priority: %u, podSets: "
		    "[{name: main, count: %u, %stemplate: {spec: {containers: [{resources: "
		    "{requests: {a: %u, b: %u}}}]}}}]}\n",
		    w, pick(30), q, pick(4), count,
		    count > 1 && pick(3) == 0 ? "minCount: 1, " : "", a, b);
		if (pick(2))
			say("status:\n  conditions: [{type: QuotaReserved, status: 'True'}]\n"
			    "  admission: {clusterQueue: q%u, podSetAssignments: [{name: main, "
			    "count: %u, flavors: {a: f%u, b: f%u}, resourceUsage: {a: %u, b: "
			    "%u}}]}\n",
			    q, count, f, f, a * count, b * count);
	}
}

TEST(whoever_waits)
{
	static const enum fl_check all[] = {
		FL_CHECK_S2A,
		FL_CHECK_S2B,
		FL_CHECK_VICTIM_PRIORITY,
		FL_CHECK_VICTIM_AGE,
		FL_CHECK_VICTIM_BORROWS,
		FL_CHECK_STILL_BORROWS,
		FL_CHECK_WHILE_BORROWING,
		FL_CHECK_VICTIM_POLICY,
		FL_CHECK_VICTIM_NEEDED,
		FL_CHECK_FITS_WITHOUT,
	};

	memset(seen_kinds, 0, sizeof seen_kinds);
	memset(seen_checks, 0, sizeof seen_checks);
	for (uint32_t n = 1; n <= few(150); n++) {
		struct fixture f;

		seed = n;
		say_random();
		open_case(&f);
		for (uint32_t w = 0; w < f.m->n_workloads; w++) {
			struct fl_explain x = explain(&f, (struct fl_workload){ w });

			check_proposals(&f, &x);
			check_victims(&f, &x);
		}
		close_case(&f);
	}
	/* All of it came up, so that all of it was checked. */
	for (size_t k = 0; k < COUNT(seen_kinds); k++)
		assert_true(seen_kinds[k] > 0 || under_valgrind());
	for (size_t c = 0; c < COUNT(all); c++)
		CHECK(seen_checks[all[c]] > 0 || under_valgrind(), fl_check_name(all[c]));
}

UNIT_GROUP("explain-tried")
