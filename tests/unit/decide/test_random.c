/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Random events, cycles and marks on random worlds that have everything at once:
 * several flavors and podsets, partial admission, usage-based queues, deep and
 * shallow cohorts, strict queues.  Every rollback gives back every byte of usage,
 * quota and what is seen from outside; a trial says what the cycle then does; a
 * failing allocation changes nothing.
 */
#include "decide/borrow/borrow.h"
#include "decide/borrow/cycle/cycle.h"
#include "decide/borrow/preempt/search.h"
#include "lib/fail_mem.h"
#include "lib/few.h"
#include "lib/world.h"
#include "unit/codec/load.h"

static const struct fl_policy_ops *const ops = &fl_borrow_policy;

static char text[1 << 18];
static size_t used;
static uint64_t seed_state;

static uint32_t pick(uint32_t below)
{
	seed_state = seed_state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (uint32_t)(seed_state >> 33) % below;
}

static const char *one_of(const char *const *words, uint32_t n) { return words[pick(n)]; }
#define ONE_OF(...)                                                                                \
	one_of((const char *const[]){ __VA_ARGS__ },                                               \
	       sizeof((const char *const[]){ __VA_ARGS__ }) / sizeof(char *))

static void say(const char *format, ...) __attribute__((format(printf, 1, 2)));
static void say(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	used += (size_t)vsnprintf(text + used, sizeof text - used, format, args);
	va_end(args);
	assert_true(used < sizeof text);
}

static void say_quota(const char *resource)
{
	say("{name: %s, nominalQuota: %u", resource, (unsigned)pick(9));
	if (pick(3) == 0)
		say(", borrowingLimit: %u", (unsigned)pick(9));
	if (pick(3) == 0)
		say(", lendingLimit: %u", (unsigned)pick(9));
	say("}");
}

static void say_groups(void)
{
	say(", resourceGroups: [{coveredResources: [a, b], flavors: [");
	for (int f = 0; f < 3; f++) {
		say("%s{name: f%d, resources: [", f ? ", " : "", f);
		say_quota("a");
		say(", ");
		say_quota("b");
		say("]}");
	}
	say("]}, {coveredResources: [pods], flavors: [{name: f0, resources: [");
	say_quota("pods");
	say("]}]}]");
}

static void say_queue(int q)
{
	say("---\napiVersion: kueue.x-k8s.io/v1beta2\nkind: ClusterQueue\nmetadata: {name: q%d}\n"
	    "spec: {namespaceSelector: {}, queueingStrategy: %s, preemption: "
	    "{withinClusterQueue: %s, reclaimWithinCohort: %s}, flavorFungibility: "
	    "{whenCanBorrow: %s, whenCanPreempt: %s}, fairSharing: {weight: %u}",
	    q, ONE_OF("BestEffortFIFO", "BestEffortFIFO", "StrictFIFO"),
	    ONE_OF("Never", "LowerPriority", "LowerOrNewerEqualPriority"),
	    ONE_OF("Never", "LowerPriority", "Any"), ONE_OF("MayStopSearch", "TryNextFlavor"),
	    ONE_OF("MayStopSearch", "TryNextFlavor"), (unsigned)pick(3));
	if (pick(5))
		say(", cohortName: c%u", (unsigned)pick(5));
	if (pick(2))
		say(", admissionScope: {admissionMode: UsageBasedAdmissionFairSharing}");
	say_groups();
	say("}\n");
	for (int i = 0; i < 2; i++)
		say("---\napiVersion: kueue.x-k8s.io/v1beta2\nkind: LocalQueue\n"
		    "metadata: {name: lq%d-%d, namespace: ns}\nspec: {clusterQueue: q%d}\n",
		    q, i, q);
}

/* Some are not where they were admitted, some of an odd or unknown podset. */
static void say_admission(void)
{
	say("status:\n  conditions: [{type: QuotaReserved, status: 'True'}%s]\n"
	    "  admission: {clusterQueue: q%u, podSetAssignments: [{name: %s, count: 1, flavors: "
	    "{a: f%u, b: f%u}, resourceUsage: {a: %u, b: %u}}]}\n",
	    pick(5) ? "" : ", {type: Evicted, status: 'True', reason: Preempted}",
	    (unsigned)pick(5), ONE_OF("one", "two", "gone"), (unsigned)pick(3), (unsigned)pick(4),
	    (unsigned)pick(4), (unsigned)pick(4));
}

static void say_job(int w, int queues)
{
	say("---\napiVersion: kueue.x-k8s.io/v1beta2\nkind: Workload\n"
	    "metadata: {name: w%02d, namespace: ns, creationTimestamp: "
	    "\"2026-01-01T00:00:%02uZ\"}\nspec:\n  queueName: lq%u-%u\n  priority: %u\n  podSets:\n",
	    w, (unsigned)pick(30), (unsigned)pick((uint32_t)queues), (unsigned)pick(2),
	    (unsigned)pick(3));
	for (uint32_t s = 0, n = 1 + pick(2); s < n; s++) {
		uint32_t count = 1 + pick(3);

		say("  - {name: %s, count: %u%s, template: {spec: {containers: [{resources: "
		    "{requests: {a: %u, b: %u}}}]}}}\n",
		    s ? "two" : "one", (unsigned)count,
		    count > 1 && pick(3) == 0 ? ", minCount: 1" : "", (unsigned)pick(4),
		    (unsigned)pick(4));
	}
	if (pick(3) == 0)
		say_admission();
}

enum { QUEUES = 5, COHORTS = 5, JOBS = 30 };

/* With @lonely all that wait are in one queue. */
static struct fl_model *random_world(uint32_t seed, bool lonely)
{
	seed_state = seed;
	used = 0;
	say("apiVersion: config.kueue.x-k8s.io/v1beta2\nkind: Configuration\n");
	if (pick(3))
		say("fairSharing: {}\n");
	if (pick(2))
		say("admissionFairSharing: {usageHalfLifeTime: 10s, usageSamplingInterval: 1s}\n");
	for (int f = 0; f < 3; f++)
		say("---\napiVersion: kueue.x-k8s.io/v1beta2\nkind: ResourceFlavor\n"
		    "metadata: {name: f%d}\n",
		    f);
	for (unsigned c = 0; c < COHORTS; c++) {
		say("---\napiVersion: kueue.x-k8s.io/v1beta2\nkind: Cohort\nmetadata: {name: c%u}\n"
		    "spec: {fairSharing: {weight: %u}",
		    c, (unsigned)pick(3));
		if (c && pick(4))
			say(", parentName: c%u", (unsigned)pick(c));
		say_groups();
		say("}\n");
	}
	for (int q = 0; q < QUEUES; q++)
		say_queue(q);
	for (int w = 0; w < JOBS; w++)
		say_job(w, lonely ? 1 : QUEUES);
	return load(text);
}

/* All that a rollback must give back. */
struct image {
	fl_mark mark;
	uint64_t digest[2];
	char seen[JOBS * 16];
	unsigned char bytes[1 << 15];
	size_t n;
};

static void keep_bytes(struct image *i, const void *ptr, size_t size)
{
	assert_true(size <= sizeof i->bytes - i->n);
	memcpy(i->bytes + i->n, ptr, size);
	i->n += size;
}

static void take_image(const struct fl_model *m, const struct fl_policy *p, struct image *i)
{
	const struct fl_tree *t = fl_borrow_tree(p);
	const struct fl_usage *u = fl_borrow_usage(p);
	size_t at = 0;

	i->n = 0;
	ops->digest(p, /* now= */ 0, i->digest);
	for (uint32_t w = 0; w < m->n_workloads; w++) {
		uint32_t n;

		(void)ops->placement(p, (struct fl_workload){ w }, &n);
		at += (size_t)snprintf(i->seen + at, sizeof i->seen - at, "%d/%d/%u ",
				       (int)ops->state(p, (struct fl_workload){ w }),
				       (int)ops->reason(p, (struct fl_workload){ w }), (unsigned)n);
	}
	keep_bytes(i, u->cell, t->cells * sizeof *u->cell);
	keep_bytes(i, u->borrowed, t->res_cells * sizeof *u->borrowed);
	keep_bytes(i, u->borrowing, t->n_nodes * sizeof *u->borrowing);
	keep_bytes(i, t->potential, t->cells * sizeof *t->potential);
	keep_bytes(i, t->known, t->cells * sizeof *t->known);
	keep_bytes(i, t->weight, t->n_nodes * sizeof *t->weight);
}

static void same_image(const struct fl_model *m, const struct fl_policy *p,
		       const struct image *before)
{
	static struct image now;

	take_image(m, p, &now);
	assert_string_equal(now.seen, before->seen);
	assert_int_equal(now.n, before->n);
	assert_memory_equal(now.bytes, before->bytes, now.n);
	assert_memory_equal(now.digest, before->digest, sizeof now.digest);
}

static struct fl_event random_event(const struct fl_model *m)
{
	static const enum fl_event_kind kinds[] = { FL_EV_SUBMIT,  FL_EV_CANCEL,   FL_EV_STARTED,
						    FL_EV_EVICTED, FL_EV_FINISHED, FL_EV_REJECTED,
						    FL_EV_CELL,    FL_EV_CELL };
	static const enum fl_cell_kind cells[] = { FL_CELL_NOMINAL, FL_CELL_BORROWING_LIMIT,
						   FL_CELL_LENDING_LIMIT, FL_CELL_WEIGHT };
	struct fl_event e = { .kind = kinds[pick(COUNT(kinds))],
			      .workload = { pick(m->n_workloads) } };

	e.cell = (struct fl_cell){ .kind = cells[pick(COUNT(cells))],
				   .node = { pick(m->n_nodes) },
				   .flavor = { pick(m->n_flavors) },
				   .resource = { pick(m->n_resources) },
				   .amount = pick(12) ? pick(10) : FL_UNLIMITED,
				   .weight = pick(3) };
	return e;
}

static void random_thing(const struct fl_model *m, struct fl_policy *p, fl_time now,
			 fairlead_error *err)
{
	struct fl_decisions d;
	struct fl_event e = random_event(m);

	switch (pick(4)) {
	case 0:
	case 1:
		(void)ops->step(p, now, 0, NULL, &d, err);
		break;
	case 2:
		(void)ops->try(p, now, e.workload, NULL, &d, err);
		break;
	default:
		(void)ops->apply(p, now, &e, err);
	}
}

enum { DEPTH = 6 };

TEST(rollback_gives_all_back)
{
	static struct image images[DEPTH];

	for (uint32_t seed = 1; seed <= few(300); seed++) {
		struct fl_model *m = random_world(seed, false);
		struct fl_policy *p = world_policy(&fl_mem_heap, m, 100 * FL_SECOND);
		uint32_t depth = 0;
		fairlead_error err;

		for (int i = 0; i < 120; i++) {
			if (pick(5) == 0 && depth < DEPTH) {
				take_image(m, p, &images[depth]);
				assert_int_equal(ops->mark(p, &images[depth].mark, NULL), 0);
				depth++;
			} else if (depth && pick(6) == 0) {
				depth = pick(depth); /* that one, and all newer ones */
				ops->rollback(p, images[depth].mark);
				same_image(m, p, &images[depth]);
			} else if (depth && pick(12) == 0) {
				depth = pick(depth);
				ops->keep(p, images[depth].mark);
			} else {
				random_thing(m, p, (101 + i) * FL_SECOND, &err);
			}
		}
		ops->free(p);
		fl_model_free(m);
	}
}

TEST(failing_allocations_change_nothing)
{
	static struct image before;

	for (uint32_t seed = 1; seed <= few(60); seed++) {
		struct fl_model *m = random_world(seed, false);
		struct fail_mem f;
		fairlead_error err;

		fail_mem_init(&f);
		struct fl_policy *p = world_policy(&f.mem, m, 100 * FL_SECOND);

		for (int i = 0; i < 30; i++) {
			struct fl_event e = random_event(m);
			struct fl_decisions d;
			bool step = pick(2);
			fl_mark mark;

			take_image(m, p, &before);
			if (pick(2))
				assert_int_equal(ops->mark(p, &mark, NULL), 0);
			for (unsigned long n = 1;; n++) {
				f.fail_at = n;
				int r = step ? ops->step(p, (101 + i) * FL_SECOND, 0, NULL, &d,
							 &err) :
					       ops->apply(p, (101 + i) * FL_SECOND, &e, &err);
				f.fail_at = 0;
				if (r != FAIRLEAD_ENOMEM)
					break;
				same_image(m, p, &before);
			}
		}
		ops->free(p);
		assert_int_equal(f.live, 0);
		fl_model_free(m);
	}
}

/* Of a cycle with one head only, alone is what it was. */
TEST(a_trial_foretells_the_cycle)
{
	uint32_t compared = 0;

	for (uint32_t seed = 1; seed <= few(200); seed++) {
		struct fl_model *m = random_world(seed, /* lonely= */ true);
		struct fl_policy *p = world_policy(&fl_mem_heap, m, 100 * FL_SECOND);

		for (int i = 0; i < 30; i++) {
			fl_time now = (101 + i) * FL_SECOND;
			struct fl_decisions d;
			struct fl_decision step;
			fairlead_error err;
			fl_mark mark;

			assert_int_equal(ops->mark(p, &mark, NULL), 0);
			assert_int_equal(ops->step(p, now, 0, NULL, &d, NULL), 0);
			uint32_t heads = d.n_heads, n = d.n;

			step = n ? d.rows[0] : (struct fl_decision){ 0 };
			ops->rollback(p, mark);
			if (heads == 1) {
				assert_int_equal(ops->try(p, now, step.workload, NULL, &d, NULL),
						 0);
				assert_int_equal(d.n, n);
				assert_int_equal(d.rows[0].kind, step.kind);
				assert_int_equal(d.rows[0].reason, step.reason);
				compared++;
			}
			random_thing(m, p, now, &err);
		}
		ops->free(p);
		fl_model_free(m);
	}
	assert_true(compared > few(2000));
}

/* The numbers that mark things begin anew before they wrap, and nothing is different then. */
TEST(marks_are_renewed)
{
	static struct image one, other;

	for (uint32_t seed = 1; seed <= few(60); seed++) {
		struct fl_model *m = random_world(seed, false);
		struct fl_policy *p = world_policy(&fl_mem_heap, m, 100 * FL_SECOND);
		struct fl_policy *old = world_policy(&fl_mem_heap, m, 100 * FL_SECOND);
		struct fl_decisions d;

		for (int i = 0; i < 12; i++) {
			if (i == 4) /* as after months */
				old->scratch->search->search = old->scratch->search->pass =
					old->scratch->marks.serial = FL_MARKS_RENEWED;
			assert_int_equal(ops->step(p, (101 + i) * FL_SECOND, 0, NULL, &d, NULL), 0);
			assert_int_equal(ops->step(old, (101 + i) * FL_SECOND, 0, NULL, &d, NULL),
					 0);
			for (uint32_t w = 0; w < m->n_workloads; w++) {
				struct fl_event e = { .kind = FL_EV_EVICTED, .workload = { w } };

				if (ops->state(p, e.workload) != FL_STATE_EVICTING)
					continue;
				assert_int_equal(ops->apply(p, 0, &e, NULL), 0);
				assert_int_equal(ops->apply(old, 0, &e, NULL), 0);
			}
			take_image(m, p, &one);
			take_image(m, old, &other);
			assert_string_equal(one.seen, other.seen);
			assert_memory_equal(one.bytes, other.bytes, one.n);
		}
		assert_true(old->scratch->search->search < FL_MARKS_RENEWED);
		ops->free(p);
		ops->free(old);
		fl_model_free(m);
	}
}

/* After a cycle that moved nothing the next one is the same, and moves nothing either. */
TEST(a_cycle_that_moved_nothing_is_the_last)
{
	static struct image one, other;
	uint32_t still = 0;

	for (uint32_t seed = 1; seed <= few(60); seed++) {
		struct fl_model *m = random_world(seed, false);
		struct fl_policy *p = world_policy(&fl_mem_heap, m, 100 * FL_SECOND);
		fairlead_error err;

		for (int i = 0; i < 60; i++) {
			fl_time now = (101 + i / 4) * FL_SECOND;
			struct fl_decisions d;

			assert_int_equal(ops->step(p, now, FL_STEP_FULL, NULL, &d, NULL), 0);
			if (!d.moved) {
				uint32_t n = d.n;

				take_image(m, p, &one);
				assert_int_equal(ops->step(p, now, 0, NULL, &d, NULL), 0);
				assert_true(d.n_heads == 0 || m->settings.admission_fair_sharing);
				assert_int_equal(ops->step(p, now, FL_STEP_FULL, NULL, &d, NULL),
						 0);
				take_image(m, p, &other);
				assert_false(d.moved);
				assert_int_equal(d.n, n);
				for (uint32_t k = 0; k < d.n; k++)
					assert_true(d.rows[k].kind != FL_ADMIT &&
						    (d.rows[k].kind != FL_EVICT ||
						     d.rows[k].already_evicting));
				assert_string_equal(one.seen, other.seen);
				assert_memory_equal(one.bytes, other.bytes, one.n);
				still++;
			}
			random_thing(m, p, now, &err);
		}
		ops->free(p);
		fl_model_free(m);
	}
	assert_true(still > few(1000));
}

static void hear(void *heard, const struct fl_evidence *row)
{
	(void)row;
	++*(uint64_t *)heard;
}

/* What it remembers of cycles before is forgotten: views and lists of candidates are made anew. */
static void forget(struct fl_policy *p)
{
	p->usage.all_written = true;
	for (uint32_t n = 0; n < p->tree.n_nodes; n++)
		p->backlogs[n].sorted_epoch = UINT64_MAX;
	for (uint32_t r = 0; r < p->tree.n_roots; r++)
		p->tree_sorted_epoch[r] = UINT64_MAX;
}

/* With a listener searches look at everybody; without, and from what is known, they find the same. */
TEST(short_cuts_decide_the_same)
{
	static struct image one, other;
	uint64_t heard = 0;
	const struct fl_sink sink = { .row = hear, .user = &heard };
	uint32_t evictions = 0;

	for (uint32_t seed = 1; seed <= few(60); seed++) {
		struct fl_model *m = random_world(seed, false);
		struct fl_policy *p = world_policy(&fl_mem_heap, m, 100 * FL_SECOND);
		struct fl_policy *all = world_policy(&fl_mem_heap, m, 100 * FL_SECOND);
		fairlead_error err;

		for (int i = 0; i < 100; i++) {
			fl_time now = (101 + i) * FL_SECOND;
			struct fl_event e = random_event(m);
			struct fl_decisions d;

			assert_int_equal(ops->apply(p, now, &e, &err),
					 ops->apply(all, now, &e, &err));
			if (pick(2))
				continue;
			forget(all);
			assert_int_equal(ops->step(p, now, 0, NULL, &d, NULL), 0);
			for (uint32_t k = 0; k < d.n; k++)
				evictions += d.rows[k].kind == FL_EVICT;
			assert_int_equal(ops->step(all, now, 0, &sink, &d, NULL), 0);
			take_image(m, p, &one);
			take_image(m, all, &other);
			assert_string_equal(one.seen, other.seen);
			assert_memory_equal(one.digest, other.digest, sizeof one.digest);
			assert_memory_equal(one.bytes, other.bytes, one.n);
		}
		ops->free(p);
		ops->free(all);
		fl_model_free(m);
	}
	assert_true(under_valgrind() || (heard > 10000 && evictions > 500));
}

UNIT_GROUP("random")
