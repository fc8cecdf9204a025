/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a Policy adds: minimum run times, delays, back-off, priorities that overrule
 * fair sharing, freed quota that is held.
 */
#include "ask/common/settle.h"
#include "decide/borrow/borrow.h"
#include "lib/fail_mem.h"
#include "lib/world.h"
#include "unit/codec/load.h"

static const struct fl_policy_ops *const ops = &fl_borrow_policy;

#define T0 (INT64_C(1767225600) * FL_SECOND) /* 2026-01-01T00:00:00Z */
#define MINUTE (60 * FL_SECOND)

#define KUEUE(kind, name)                                                                          \
	"---\napiVersion: kueue.x-k8s.io/v1beta2\nkind: " kind "\nmetadata: " name "\n"
#define FLAVOR KUEUE("ResourceFlavor", "{name: f}")
#define FAIR                                                                                       \
	"---\napiVersion: config.kueue.x-k8s.io/v1beta2\nkind: Configuration\nfairSharing: {}\n"
#define QUEUE(name, cohort, quota, more)                                                           \
	KUEUE("ClusterQueue", "{name: " name "}")                                                  \
	"spec:\n  cohortName: " cohort "\n  namespaceSelector: {}\n" more "  resourceGroups:\n"    \
	"  - coveredResources: [a]\n"                                                              \
	"    flavors: [{name: f, resources: [{name: a, nominalQuota: " quota                       \
	"}]}]\n" KUEUE("LocalQueue",                                                               \
		       "{name: " name ", namespace: ns}") "spec: {clusterQueue: " name "}\n"
#define PREEMPTS(what) "  preemption: {" what "}\n"
#define STRICT "  queueingStrategy: StrictFIFO\n"
#define JOB(name, queue, priority, created, ask)                                                   \
	KUEUE("Workload",                                                                          \
	      "{name: " name ", namespace: ns, creationTimestamp: '2026-01-01T" created "Z'}")     \
	"spec:\n  queueName: " queue "\n  priority: " priority                                     \
	"\n  podSets: [{template: {spec: {containers: [{resources: {requests: {a: " ask            \
	"}}}]}}}]\n"
#define RUNS(queue, since, ask)                                                                    \
	"status:\n  conditions:\n  - {type: QuotaReserved, status: 'True', lastTransitionTime: "   \
	"'2026-01-01T" since "Z'}\n  admission:\n    clusterQueue: " queue                         \
	"\n    podSetAssignments: [{name: main, flavors: {a: f}, resourceUsage: {a: " ask "}}]\n"
#define POLICY(spec)                                                                               \
	"---\napiVersion: fairlead.dev/v1alpha1\nkind: Policy\nmetadata: {name: p}\nspec:\n" spec

struct world {
	struct fl_model *m;
	struct fl_policy *p;
	struct fl_decisions d;
	bool refused[FL_CHECKS]; /* by the last step */
};

static void note_refusal(void *user, const struct fl_evidence *row)
{
	((struct world *)user)->refused[row->check] |= !row->holds;
}

static void open_world(struct world *w, const char *text)
{
	*w = (struct world){ .m = load(text) };
	w->p = world_policy(&fl_mem_heap, w->m, T0);
}

static void close_world(struct world *w)
{
	w->p = ops->free(w->p);
	w->m = fl_model_free(w->m);
}

static struct fl_workload job(const struct world *w, const char *name)
{
	return fl_model_find_workload(w->m, "ns", name);
}

static enum fl_workload_state state(const struct world *w, const char *name)
{
	return ops->state(w->p, job(w, name));
}

static void step(struct world *w, fl_time now)
{
	struct fl_sink sink = { .row = note_refusal, .user = w };

	memset(w->refused, 0, sizeof w->refused);
	assert_int_equal(ops->step(w->p, now, 0, &sink, &w->d, NULL), 0);
}

static void tell(struct world *w, fl_time now, enum fl_event_kind kind, const char *name)
{
	struct fl_event e = { .kind = kind, .workload = job(w, name) };

	assert_int_equal(ops->apply(w->p, now, &e, NULL), 0);
}

/* Why @name was evicted by the last step; NONE when it was not. */
static enum fl_reason evicted(const struct world *w, const char *name)
{
	for (uint32_t i = 0; i < w->d.n; i++)
		if (w->d.rows[i].kind == FL_EVICT && w->d.rows[i].workload.v == job(w, name).v)
			return w->d.rows[i].reason;
	return FL_REASON_NONE;
}

/*
 * One way to preempt for each cause: "victim" holds its quota since 00:00, "wants" waits
 * since 00:00.
 */
#define WITHIN                                                                                     \
	FLAVOR QUEUE("q", "c", "4", PREEMPTS("withinClusterQueue: LowerPriority"))                 \
		JOB("victim", "q", "0", "00:00:00", "4") RUNS("q", "00:00:00", "4")                \
			JOB("wants", "q", "9", "00:00:00", "4")
#define RECLAIM(more)                                                                              \
	FLAVOR QUEUE("q", "c", "4", PREEMPTS("reclaimWithinCohort: Any") more)                     \
		QUEUE("r", "c", "0", more) JOB("victim", "r", "0", "00:00:00", "4")                \
			RUNS("r", "00:00:00", "4") JOB("wants", "q", "0", "00:00:00", "4")
#define SHARES                                                                                                 \
	FAIR FLAVOR KUEUE(                                                                                     \
		"Cohort",                                                                                      \
		"{name: c}") "spec: {resourceGroups: [{coveredResources: [a], flavors: [{name: f, resources: " \
			     "[{name: a, nominalQuota: 8}]}]}]}\n" QUEUE(                                      \
				     "q", "c", "0", PREEMPTS("reclaimWithinCohort: Any"))                      \
				     QUEUE("r", "c", "0", "") JOB("victim", "r", "0", "00:00:00",              \
								  "4") RUNS("r", "00:00:00", "4")              \
					     JOB("other", "r", "0", "00:00:00",                                \
						 "4") RUNS("r", "00:00:01", "4")                               \
						     JOB("wants", "q", "0", "00:00:00", "4")
#define BORROWS                                                                                                        \
	FLAVOR KUEUE(                                                                                                  \
		"Cohort",                                                                                              \
		"{name: c}") "spec: {resourceGroups: [{coveredResources: [a], flavors: [{name: f, resources: "         \
			     "[{name: a, nominalQuota: 4}]}]}]}\n" QUEUE(                                              \
				     "q", "c", "0",                                                                    \
				     PREEMPTS(                                                                         \
					     "reclaimWithinCohort: Any, borrowWithinCohort: {policy: LowerPriority}")) \
				     QUEUE("r", "c", "0", "") JOB("victim", "r", "0", "00:00:00",                      \
								  "4") RUNS("r", "00:00:00", "4")                      \
					     JOB("wants", "q", "9", "00:00:00", "4")

static const struct way {
	const char *world, *cause;
	enum fl_reason reason;
} ways[] = {
	{ WITHIN, "InClusterQueue", FL_REASON_IN_CLUSTER_QUEUE },
	{ FAIR WITHIN, "InClusterQueue", FL_REASON_IN_CLUSTER_QUEUE },
	{ RECLAIM(""), "InCohortReclamation", FL_REASON_IN_COHORT_RECLAMATION },
	{ FAIR RECLAIM(""), "InCohortReclamation", FL_REASON_IN_COHORT_RECLAMATION },
	{ RECLAIM(STRICT), "InCohortReclamation", FL_REASON_IN_COHORT_RECLAMATION },
	{ SHARES, "InCohortFairSharing", FL_REASON_IN_COHORT_FAIR_SHARING },
	{ BORROWS, "InCohortReclaimWhileBorrowing", FL_REASON_IN_COHORT_RECLAIM_WHILE_BORROWING },
};

static const char *const causes[] = { "InClusterQueue", "InCohortReclamation",
				      "InCohortFairSharing", "InCohortReclaimWhileBorrowing" };

TEST(at_once_without_a_policy)
{
	for (size_t i = 0; i < COUNT(ways); i++) {
		struct world w;

		open_world(&w, ways[i].world);
		step(&w, T0 + FL_SECOND);
		assert_int_equal(evicted(&w, "victim") | evicted(&w, "other"), ways[i].reason);
		assert_true(ops->wake(w.p, T0) == FL_NEVER);
		close_world(&w);
	}
}

/* Each setting holds its own cause up until its time has come, and no other cause at all. */
TEST(waits_its_time)
{
	static const struct {
		const char *setting;
		enum fl_check check;
	} rows[] = {
		{ "minimumRunTime", FL_CHECK_MINIMUM_RUN },
		{ "preemptionDelay", FL_CHECK_PREEMPTION_DELAY },
	};

	for (size_t i = 0; i < COUNT(ways) * COUNT(rows) * COUNT(causes); i++) {
		const struct way *way = &ways[i % COUNT(ways)];
		size_t row = i / COUNT(ways) % COUNT(rows);
		const char *cause = causes[i / COUNT(ways) / COUNT(rows)];
		bool matters = strcmp(cause, way->cause) == 0;
		bool later = way->reason == FL_REASON_IN_COHORT_FAIR_SHARING && row == 0;
		char text[4096], spec[200];
		fl_time end = T0 + 10 * MINUTE; /* "other" runs a second less */
		struct world w;

		(void)snprintf(spec, sizeof spec, POLICY("  defaults: {%s: {%s: 10m}}\n"),
			       rows[row].setting, cause);
		(void)snprintf(text, sizeof text, "%s%s", way->world, spec);
		open_world(&w, text);
		step(&w, T0 + 9 * MINUTE);
		if (!matters) {
			assert_int_equal(evicted(&w, "victim") | evicted(&w, "other"), way->reason);
			close_world(&w);
			continue;
		}
		assert_int_equal(evicted(&w, "victim") | evicted(&w, "other"), FL_REASON_NONE);
		assert_true(w.refused[rows[row].check]);
		assert_int_equal(ops->reason(w.p, job(&w, "wants")), FL_REASON_PROTECTED);
		assert_true(ops->wake(w.p, T0 + 9 * MINUTE) == end);
		step(&w, end - 1);
		assert_int_equal(evicted(&w, "victim"), FL_REASON_NONE);
		step(&w, end);
		assert_int_equal(evicted(&w, "victim") | (later ? 0 : evicted(&w, "other")),
				 way->reason);
		assert_true(ops->wake(w.p, end) == (later ? end + FL_SECOND : FL_NEVER) ||
			    ops->wake(w.p, end) == FL_NEVER);
		close_world(&w);
	}
}

/* The nearest that says something counts, setting by setting. */
TEST(is_inherited)
{
	static const struct {
		const char *policy;
		int minutes; /* until "victim" of queue r, which is below c and top, may go */
	} rows[] = {
		{ POLICY("  defaults: {minimumRunTime: 7m}\n"), 7 },
		{ POLICY("  defaults: {minimumRunTime: 7m}\n"
			 "  cohorts: [{name: top, minimumRunTime: 5m}]\n"),
		  5 },
		{ POLICY("  defaults: {minimumRunTime: 7m}\n"
			 "  cohorts: [{name: top, minimumRunTime: 5m}, {name: c, minimumRunTime: 0s}]\n"),
		  0 },
		{ POLICY("  clusterQueues: [{name: r, minimumRunTime: {InCohortReclamation: 3m}}]\n"
			 "  cohorts: [{name: c, minimumRunTime: 9m}]\n"),
		  3 },
		{ POLICY("  clusterQueues: [{name: r, minimumRunTime: {InClusterQueue: 3m}}]\n"
			 "  cohorts: [{name: c, minimumRunTime: 9m}]\n"),
		  9 },
		/* Of the victim's queue, not the preemptor's. */
		{ POLICY("  clusterQueues: [{name: q, minimumRunTime: 3m}]\n"), 0 },
		{ POLICY("  clusterQueues: [{name: q, preemptionDelay: 3m}]\n"), 3 },
		{ POLICY("  clusterQueues: [{name: r, preemptionDelay: 3m}]\n"), 0 },
		/* Both: the later. */
		{ POLICY("  defaults: {preemptionDelay: 3m, minimumRunTime: 4m}\n"), 4 },
		/* What is said of nobody. */
		{ POLICY("  cohorts: [{name: nowhere, minimumRunTime: 3m}]\n"), 0 },
	};

	for (size_t i = 0; i < COUNT(rows); i++) {
		char text[4096];
		struct world w;
		int minute = 0;

		(void)snprintf(text, sizeof text, "%s%s%s", RECLAIM(""),
			       KUEUE("Cohort", "{name: c}") "spec: {parentName: top}\n",
			       rows[i].policy);
		open_world(&w, text);
		for (;; minute++) {
			step(&w, T0 + minute * MINUTE);
			if (evicted(&w, "victim"))
				break;
			assert_true(minute < 60);
		}
		CHECK(minute == rows[i].minutes, rows[i].policy);
		close_world(&w);
	}
}

/* Who is being evicted already is taken whatever the Policy says. */
TEST(the_evicted_are_not_spared)
{
	static const char *const going[] = {
		"",
		"  - {type: Evicted, status: 'True', reason: Preempted, lastTransitionTime: "
		"'2026-01-01T00:00:00Z'}\n",
	};

	for (size_t i = 0; i < COUNT(going); i++) {
		char text[4096];
		struct world w;

		(void)snprintf(text, sizeof text,
			       FLAVOR QUEUE("q", "c", "8",
					    PREEMPTS("withinClusterQueue: LowerPriority"))
				       JOB("wants", "q", "9", "00:00:00", "4")
					       JOB("victim", "q", "0", "00:00:00", "8")
						       RUNS("q", "00:00:00", "8") "%s%s",
			       "", "");
		/* The condition belongs into the victim's list, before its admission. */
		char *at = strstr(text, "  admission:");
		char rest[4096];

		(void)snprintf(rest, sizeof rest, "%s%s%s", going[i], at,
			       POLICY("  defaults: {minimumRunTime: 1h, preemptionDelay: 1h}\n"));
		(void)snprintf(at, sizeof text - (size_t)(at - text), "%s", rest);
		open_world(&w, text);
		step(&w, T0 + MINUTE);
		assert_int_equal(evicted(&w, "victim"),
				 i ? FL_REASON_IN_CLUSTER_QUEUE : FL_REASON_NONE);
		close_world(&w);
	}
}

/* --- back-off --- */

/* r borrows; q takes it back; how long until r borrows again? */
static fl_time one_round(struct world *w, fl_time now, uint32_t *ret_refused)
{
	fl_time reclaimed;

	*ret_refused = 0;
	tell(w, now, FL_EV_SUBMIT, "wants");
	step(w, now);
	assert_int_equal(evicted(w, "victim"), FL_REASON_IN_COHORT_RECLAMATION);
	reclaimed = now;
	tell(w, now, FL_EV_EVICTED, "victim");
	step(w, now);
	assert_int_equal(state(w, "wants"), FL_STATE_ADMITTED);
	tell(w, now, FL_EV_FINISHED, "wants");
	for (; state(w, "victim") != FL_STATE_ADMITTED; now += FL_SECOND) {
		step(w, now);
		if (state(w, "victim") == FL_STATE_ADMITTED)
			break;
		assert_int_equal(ops->reason(w->p, job(w, "victim")), FL_REASON_RECLAIM_BACK_OFF);
		assert_true(w->refused[FL_CHECK_BACK_OFF] || *ret_refused);
		*ret_refused += 1;
		assert_true(now < reclaimed + 60 * MINUTE);
		assert_true(ops->wake(w->p, now) > now);
	}
	return now - reclaimed;
}

TEST(backs_off_longer_each_time)
{
	static const int64_t seconds[] = { 10, 20, 40, 60, 60 };
	struct world w;
	fl_time now = T0;
	uint32_t refused;

	open_world(&w, RECLAIM("") POLICY("  defaults: {reclaimBackOff: {base: 10s, max: 1m}}\n"));
	tell(&w, now, FL_EV_CANCEL, "wants");
	for (size_t i = 0; i < COUNT(seconds); i++) {
		fl_time length = one_round(&w, now, &refused);

		assert_int_equal(length, seconds[i] * FL_SECOND);
		assert_true(refused > 0);
		now += length;
	}
	/* A quiet time of max behind the last one, and it begins anew. */
	now += MINUTE;
	assert_int_equal(one_round(&w, now, &refused), 10 * FL_SECOND);
	close_world(&w);
}

/* However many of its workloads go at once, it is one reclaim. */
TEST(victims_of_one_moment_count_once)
{
	struct world w;

	open_world(&w,
		   FLAVOR QUEUE("q", "c", "4", PREEMPTS("reclaimWithinCohort: Any")) QUEUE(
			   "r", "c", "0", "") JOB("one", "r", "0", "00:00:00", "2")
			   RUNS("r", "00:00:00", "2") JOB("two", "r", "0", "00:00:00", "2") RUNS(
				   "r", "00:00:00", "2") JOB("wants", "q", "0", "00:00:00", "4")
				   POLICY("  defaults: {reclaimBackOff: {base: 10s}}\n"));
	step(&w, T0);
	assert_int_equal(evicted(&w, "one"), FL_REASON_IN_COHORT_RECLAMATION);
	assert_int_equal(evicted(&w, "two"), FL_REASON_IN_COHORT_RECLAMATION);
	tell(&w, T0, FL_EV_EVICTED, "one");
	tell(&w, T0, FL_EV_EVICTED, "two");
	tell(&w, T0, FL_EV_CANCEL, "wants");
	step(&w, T0 + 10 * FL_SECOND - 1);
	assert_int_equal(ops->reason(w.p, job(&w, "one")), FL_REASON_RECLAIM_BACK_OFF);
	step(&w, T0 + 10 * FL_SECOND);
	assert_int_equal(state(&w, "one"), FL_STATE_ADMITTED);
	close_world(&w);
}

#define TWO_QUOTAS(a, b)                                                                               \
	"  - coveredResources: [a, b]\n    flavors: [{name: f, resources: [{name: a, nominalQuota: " a \
	"}, {name: b, nominalQuota: " b "}]}]\n"
#define TWO_QUEUE(name, more, a, b)                                                                \
	KUEUE("ClusterQueue", "{name: " name "}")                                                  \
	"spec:\n  cohortName: c\n  namespaceSelector: {}\n" more                                   \
	"  resourceGroups:\n" TWO_QUOTAS(a, b)                                                     \
		KUEUE("LocalQueue", "{name: " name ", namespace: ns}") "spec: {"                   \
								       "clusterQueue: " name "}\n"

/* Only what it had borrowed: the same workload's other resource was within its quota. */
TEST(a_back_off_is_of_one_resource)
{
	struct world w;

	open_world(
		&w,
		FLAVOR TWO_QUEUE("q", PREEMPTS("reclaimWithinCohort: Any"), "4",
				 "4") TWO_QUEUE("r", "", "0", "4")
			JOB("both", "r", "0", "00:00:00",
			    "4, b: 4") "status:\n  conditions: [{type: QuotaReserved, status: 'True'}]\n"
				       "  admission:\n    clusterQueue: r\n    podSetAssignments: [{name: main, "
				       "flavors: {a: f, b: f}, resourceUsage: {a: 4, b: 4}}]\n" JOB(
					       "wants", "q", "0", "00:00:00",
					       "4") JOB("only-a", "r", "9", "00:00:00",
							"1") JOB("only-b", "r", "5", "00:00:00",
								 "0, b: 5")
					       POLICY("  defaults: {reclaimBackOff: {base: 1h}}\n"));
	tell(&w, T0, FL_EV_CANCEL, "only-a");
	tell(&w, T0, FL_EV_CANCEL, "only-b");
	step(&w, T0);
	assert_int_equal(evicted(&w, "both"), FL_REASON_IN_COHORT_RECLAMATION);
	tell(&w, T0, FL_EV_EVICTED, "both");
	tell(&w, T0, FL_EV_CANCEL, "wants");
	tell(&w, T0, FL_EV_CANCEL, "both");
	tell(&w, T0, FL_EV_SUBMIT, "only-a");
	tell(&w, T0, FL_EV_SUBMIT, "only-b");
	step(&w, T0);
	assert_int_equal(ops->reason(w.p, job(&w, "only-a")), FL_REASON_RECLAIM_BACK_OFF);
	step(&w, T0);
	assert_int_equal(state(&w, "only-b"), FL_STATE_ADMITTED);
	close_world(&w);
}

/* A mark in the middle of a row of reclaims: the row goes on where it was. */
TEST(back_offs_are_taken_back)
{
	struct world w;
	uint32_t refused;
	fl_time now = T0, length = 0;
	fl_mark mark;

	open_world(&w, RECLAIM("") POLICY("  defaults: {reclaimBackOff: {base: 10s, max: 10m}}\n"));
	tell(&w, now, FL_EV_CANCEL, "wants");
	now += one_round(&w, now, &refused);
	for (int i = 0; i < 3; i++) {
		fl_time wake = ops->wake(w.p, T0);
		uint64_t before[2], after[2];

		ops->digest(w.p, now, before);
		assert_int_equal(ops->mark(w.p, &mark, NULL), 0);
		length = one_round(&w, now, &refused);
		assert_int_equal(length, 20 * FL_SECOND);
		ops->rollback(w.p, mark);
		assert_true(ops->wake(w.p, T0) == wake);
		ops->digest(w.p, now, after);
		assert_memory_equal(before, after, sizeof before);
	}
	close_world(&w);
}

/* Its own quota is its own all the time. */
TEST(a_back_off_is_of_borrowing)
{
	struct world w;

	open_world(&w,
		   FLAVOR QUEUE("q", "c", "4", PREEMPTS("reclaimWithinCohort: Any")) QUEUE(
			   "r", "c", "4", PREEMPTS("withinClusterQueue: LowerPriority"))
			   JOB("victim", "r", "0", "00:00:00", "8") RUNS("r", "00:00:00", "8") JOB(
				   "small", "r", "5", "00:00:00",
				   "2") JOB("other", "r", "5", "00:00:01",
					    "2") JOB("urgent", "r", "9", "00:00:01", "3")
				   JOB("large", "r", "3", "00:00:00", "5") JOB("wants", "q", "0",
									       "00:00:00", "4")
					   POLICY("  defaults: {reclaimBackOff: {base: 1h}}\n"));
	tell(&w, T0, FL_EV_CANCEL, "small");
	tell(&w, T0, FL_EV_CANCEL, "other");
	tell(&w, T0, FL_EV_CANCEL, "urgent");
	tell(&w, T0, FL_EV_CANCEL, "large");
	step(&w, T0);
	assert_int_equal(evicted(&w, "victim"), FL_REASON_IN_COHORT_RECLAMATION);
	tell(&w, T0, FL_EV_EVICTED, "victim");
	tell(&w, T0, FL_EV_CANCEL, "wants"); /* so there would be room for all */
	tell(&w, T0, FL_EV_SUBMIT, "small");
	step(&w, T0);
	assert_int_equal(state(&w, "small"), FL_STATE_ADMITTED);
	tell(&w, T0, FL_EV_SUBMIT, "other");
	step(&w, T0);
	assert_int_equal(state(&w, "other"), FL_STATE_ADMITTED);
	tell(&w, T0, FL_EV_SUBMIT, "large");
	step(&w, T0);
	assert_int_equal(ops->reason(w.p, job(&w, "large")), FL_REASON_RECLAIM_BACK_OFF);
	/* In the queue's own quota it fits once both are gone; with one it would borrow. */
	tell(&w, T0, FL_EV_SUBMIT, "urgent");
	step(&w, T0);
	assert_int_equal(evicted(&w, "small"), FL_REASON_IN_CLUSTER_QUEUE);
	assert_int_equal(evicted(&w, "other"), FL_REASON_IN_CLUSTER_QUEUE);
	step(&w, T0 + 60 * MINUTE); /* and borrowed once the time is over */
	assert_int_equal(state(&w, "urgent"), FL_STATE_ADMITTED);
	close_world(&w);
}

/* --- priorities that overrule shares --- */

#define THREE_QUEUES(priority)                                                                                 \
	FAIR FLAVOR KUEUE(                                                                                     \
		"Cohort",                                                                                      \
		"{name: c}") "spec: {resourceGroups: [{coveredResources: [a], flavors: [{name: f, resources: " \
			     "[{name: a, nominalQuota: 8}]}]}]}\n" QUEUE(                                      \
				     "q", "c", "0", PREEMPTS("reclaimWithinCohort: Any"))                      \
				     QUEUE("r", "c", "0", PREEMPTS("reclaimWithinCohort: Any"))                \
					     JOB("mine", "q", "0", "00:00:00",                                 \
						 "6") RUNS("q", "00:00:00", "6")                               \
						     JOB("theirs", "r", "50", "00:00:00", "2")                 \
							     RUNS("r", "00:00:00", "2")                        \
								     JOB("wants", "q", priority,               \
									 "00:00:00", "2")

TEST(overruling_priority)
{
	struct world w;

	/* By its share q may take nothing from r, whatever the priority. */
	open_world(&w, THREE_QUEUES("1000"));
	step(&w, T0);
	assert_int_equal(evicted(&w, "theirs"), FL_REASON_NONE);
	close_world(&w);
	open_world(&w, THREE_QUEUES("1000") POLICY("  defaults: {overrulingPriority: 1000}\n"));
	step(&w, T0);
	assert_int_equal(evicted(&w, "theirs"), FL_REASON_NONE); /* above, not at */
	close_world(&w);
	open_world(&w, THREE_QUEUES("1001") POLICY("  defaults: {overrulingPriority: 1000}\n"));
	step(&w, T0);
	assert_int_equal(evicted(&w, "theirs"), FL_REASON_IN_COHORT_RECLAIM_WHILE_BORROWING);
	tell(&w, T0, FL_EV_EVICTED, "theirs");
	step(&w, T0);
	assert_int_equal(state(&w, "wants"), FL_STATE_ADMITTED);
	/* r is below its share now and takes back by it, but not the one that overrules. */
	step(&w, T0 + FL_SECOND);
	assert_int_equal(evicted(&w, "wants"), FL_REASON_NONE);
	assert_int_equal(evicted(&w, "mine"), FL_REASON_IN_COHORT_FAIR_SHARING);
	close_world(&w);
	/* Fair sharing takes whom is at the line, not whom is above. */
	for (int i = 0; i < 2; i++) {
		open_world(&w,
			   i ? SHARES POLICY(
				       "  clusterQueues: [{name: r, overrulingPriority: -1}]\n") :
			       SHARES POLICY("  defaults: {overrulingPriority: 0}\n"));
		step(&w, T0 + FL_SECOND);
		assert_int_equal(evicted(&w, "victim") | evicted(&w, "other"),
				 i ? FL_REASON_NONE : FL_REASON_IN_COHORT_FAIR_SHARING);
		assert_true(w.refused[FL_CHECK_OVERRULING] == i);
		close_world(&w);
	}
	/* Equal and higher priorities are left alone. */
	open_world(&w, THREE_QUEUES("50") POLICY("  defaults: {overrulingPriority: 10}\n"));
	step(&w, T0);
	assert_int_equal(evicted(&w, "theirs"), FL_REASON_NONE);
	close_world(&w);
}

/* Of two that wait, the one whose priority overrules is served first, whatever its share. */
TEST(overruling_is_served_first)
{
	static const char *const policies[] = { "",
						POLICY("  defaults: {overrulingPriority: 10}\n") };

	for (size_t i = 0; i < COUNT(policies); i++) {
		char text[4096];
		struct world w;

		(void)snprintf(
			text, sizeof text, "%s%s",
			FAIR FLAVOR KUEUE(
				"Cohort",
				"{name: c}") "spec: {resourceGroups: [{coveredResources: [a], flavors: [{name: f, "
					     "resources: [{name: a, nominalQuota: 8}]}]}]}\n" QUEUE(
						     "q", "c", "0", "") QUEUE("r", "c", "0", "")
						     JOB("mine", "q", "0", "00:00:00",
							 "4") RUNS("q", "00:00:00", "4")
							     JOB("theirs", "r", "0", "00:00:00",
								 "4") JOB("wants", "q", "50",
									  "00:00:00", "4"),
			policies[i]);
		open_world(&w, text);
		step(&w, T0);
		assert_int_equal(state(&w, i ? "wants" : "theirs"), FL_STATE_ADMITTED);
		assert_int_not_equal(state(&w, i ? "theirs" : "wants"), FL_STATE_ADMITTED);
		close_world(&w);
	}
}

/* --- freed quota --- */

/*
 * "wants" needs both victims; one goes at once, the other takes its time.  The first one's
 * queue has quota of its own for it: without a hold it comes straight back.
 */
TEST(holds_what_is_freed)
{
	static const char *const policies[] = { "",
						POLICY("  defaults: {holdFreedQuota: true}\n") };

	for (size_t i = 0; i < COUNT(policies); i++) {
		char text[4096];
		struct world w;

		(void)snprintf(
			text, sizeof text, "%s%s",
			FAIR FLAVOR QUEUE("q", "c", "6", PREEMPTS("reclaimWithinCohort: Any"))
				QUEUE("r", "c", "0", "") QUEUE("s", "c", "0", "")
					JOB("first", "r", "0", "00:00:00",
					    "3") RUNS("r", "00:00:00", "3") JOB("second", "s", "0",
										"00:00:00", "3")
						RUNS("s", "00:00:00", "3")
							JOB("wants", "q", "0", "00:00:00", "6"),
			policies[i]);
		open_world(&w, text);
		step(&w, T0);
		assert_int_equal(evicted(&w, "first"), FL_REASON_IN_COHORT_RECLAMATION);
		assert_int_equal(evicted(&w, "second"), FL_REASON_IN_COHORT_RECLAMATION);
		tell(&w, T0, FL_EV_EVICTED, "first");
		for (int k = 1; k < 5; k++)
			step(&w, T0 + k * FL_SECOND);
		if (i)
			assert_int_not_equal(state(&w, "first"), FL_STATE_ADMITTED);
		tell(&w, T0, FL_EV_EVICTED, "second");
		step(&w, T0 + 9 * FL_SECOND);
		if (i)
			assert_int_equal(state(&w, "wants"), FL_STATE_ADMITTED);
		close_world(&w);
	}
}

/* Others that would be served first, by share or by priority, come after who was promised. */
TEST(the_promised_is_served_first)
{
	static const char *const worlds[] = {
		/* Equal shares: "late" would win by its priority. */
		FAIR FLAVOR KUEUE(
			"Cohort",
			"{name: c}") "spec: {resourceGroups: [{coveredResources: [a], flavors: [{name: f, resources: "
				     "[{name: a, nominalQuota: 8}]}]}]}\n" QUEUE(
					     "q", "c", "0", PREEMPTS("reclaimWithinCohort: Any"))
					     QUEUE("r", "c", "0", "") QUEUE("s", "c", "0", "") JOB(
						     "victim", "r", "0", "00:00:00",
						     "3") RUNS("r", "00:00:02", "3")
						     JOB("stays", "r", "0", "00:00:00",
							 "3") RUNS("r", "00:00:01", "3")
							     JOB("mine", "q", "0", "00:00:00",
								 "2") RUNS("q", "00:00:00", "2")
								     JOB("wants", "q", "0",
									 "00:00:00", "1")
									     JOB("late", "s", "9",
										 "00:00:00", "3"),
		/* Classical: the same by priority alone. */
		BORROWS QUEUE("s", "c", "0", "") JOB("late", "s", "50", "00:00:00", "4"),
	};

	for (size_t i = 0; i < COUNT(worlds) * 2; i++) {
		bool hold = i >= COUNT(worlds);
		char text[4096];
		struct world w;

		(void)snprintf(text, sizeof text, "%s%s", worlds[i % COUNT(worlds)],
			       hold ? POLICY("  defaults: {holdFreedQuota: true}\n") : "");
		open_world(&w, text);
		tell(&w, T0 + MINUTE, FL_EV_CANCEL, "late");
		step(&w, T0 + MINUTE);
		assert_true(evicted(&w, "victim") != FL_REASON_NONE);
		tell(&w, T0 + MINUTE, FL_EV_SUBMIT, "late");
		tell(&w, T0 + MINUTE, FL_EV_EVICTED, "victim");
		step(&w, T0 + MINUTE);
		assert_int_equal(state(&w, hold ? "wants" : "late"), FL_STATE_ADMITTED);
		assert_int_not_equal(state(&w, hold ? "late" : "wants"), FL_STATE_ADMITTED);
		close_world(&w);
	}
}

/* A later, more urgent workload of the same queue, strict or not, does not take what was freed. */
TEST(the_preemptor_stays_head)
{
	static const char *const strategies[] = { "", STRICT };

	for (size_t i = 0; i < COUNT(strategies) * 2; i++) {
		bool hold = i >= COUNT(strategies);
		char text[4096];
		struct world w;

		(void)snprintf(text, sizeof text, FLAVOR "%s%s%s%s",
			       i % COUNT(strategies) ?
				       QUEUE("q", "c", "4",
					     STRICT PREEMPTS("withinClusterQueue: LowerPriority")) :
				       QUEUE("q", "c", "4",
					     PREEMPTS("withinClusterQueue: LowerPriority")),
			       JOB("victim", "q", "0", "00:00:00", "4") RUNS("q", "00:00:00", "4"),
			       JOB("wants", "q", "5", "00:00:00", "4")
				       JOB("urgent", "q", "9", "00:00:00", "4"),
			       hold ? POLICY("  defaults: {holdFreedQuota: true}\n") : "");
		open_world(&w, text);
		tell(&w, T0, FL_EV_CANCEL, "urgent");
		step(&w, T0);
		assert_int_equal(evicted(&w, "victim"), FL_REASON_IN_CLUSTER_QUEUE);
		tell(&w, T0, FL_EV_SUBMIT, "urgent");
		tell(&w, T0, FL_EV_EVICTED, "victim");
		step(&w, T0);
		/* A BestEffortFIFO queue keeps its preemptor in front anyway. */
		bool stays = hold || i % COUNT(strategies) == 0;

		assert_int_equal(state(&w, stays ? "wants" : "urgent"), FL_STATE_ADMITTED);
		close_world(&w);
	}
}

/* --- time, marks, memory --- */

static int keep_last(void *user, const struct fl_settle_cycle *cycle, fairlead_error *err)
{
	(void)err;
	*(fl_time *)user = cycle->now;
	return 0;
}

/* To settle, the clock goes to where something can happen, instead of ticking there. */
TEST(settling_waits_for_time)
{
	struct fl_settle_options options = {
		.mem = &fl_mem_heap,
		.now = T0,
		.interval = FL_SECOND,
		.cycles = 50,
		.to_the_end = true,
	};
	struct fl_settle_result result;
	struct world w;
	fl_time last = 0;

	open_world(&w, RECLAIM("") POLICY("  defaults: {minimumRunTime: 100h}\n"));
	assert_int_equal(fl_settle(ops, w.p, w.m, &options, keep_last, &last, &result, NULL), 0);
	assert_true(result.settled);
	assert_true(result.cycles < 12);
	assert_true(last >= T0 + 6000 * MINUTE);
	assert_int_equal(state(&w, "wants"), FL_STATE_ADMITTED);
	close_world(&w);
}

TEST(taken_back_exactly)
{
	static const char *const specs[] = {
		"  defaults: {minimumRunTime: 1m}\n",
		"  defaults: {preemptionDelay: 1m}\n",
		"  defaults: {reclaimBackOff: {base: 30s}, holdFreedQuota: true}\n",
	};

	for (size_t i = 0; i < COUNT(specs) * COUNT(ways); i++) {
		char text[4096];
		uint64_t before[2], back[2], ends[2][2];
		struct world w;
		fl_mark mark;

		(void)snprintf(text, sizeof text, "%s" POLICY("%s"), ways[i % COUNT(ways)].world,
			       specs[i / COUNT(ways)]);
		open_world(&w, text);
		step(&w, T0 + FL_SECOND);
		ops->digest(w.p, T0 + MINUTE, before);
		for (int round = 0; round < 2; round++) {
			assert_int_equal(ops->mark(w.p, &mark, NULL), 0);
			for (int k = 0; k < 4; k++) {
				step(&w, T0 + k * MINUTE);
				if (state(&w, "victim") == FL_STATE_EVICTING)
					tell(&w, T0 + k * MINUTE, FL_EV_EVICTED, "victim");
			}
			ops->digest(w.p, T0 + 4 * MINUTE, ends[round]);
			ops->rollback(w.p, mark);
			ops->digest(w.p, T0 + MINUTE, back);
			assert_memory_equal(before, back, sizeof before);
		}
		assert_memory_equal(ends[0], ends[1], sizeof ends[0]);
		close_world(&w);
	}
}

/* The digest tells apart what only time is going to tell apart. */
TEST(digest_knows_what_is_left)
{
	struct world w;
	uint64_t early[2], late[2], over[2], long_over[2];

	open_world(&w, RECLAIM("") POLICY("  defaults: {minimumRunTime: 10m}\n"));
	ops->digest(w.p, T0 + MINUTE, early);
	ops->digest(w.p, T0 + 2 * MINUTE, late);
	ops->digest(w.p, T0 + 10 * MINUTE, over);
	ops->digest(w.p, T0 + 20 * MINUTE, long_over);
	assert_memory_not_equal(early, late, sizeof early);
	assert_memory_not_equal(late, over, sizeof over);
	assert_memory_equal(over, long_over, sizeof over);
	close_world(&w);
	/* And who was promised something, when all else is the same. */
	for (int i = 0; i < 2; i++) {
		open_world(&w, i ? RECLAIM("") POLICY("  defaults: {holdFreedQuota: true}\n") :
				   RECLAIM("") POLICY("  defaults: {holdFreedQuota: false}\n"));
		step(&w, T0);
		ops->digest(w.p, T0, i ? over : long_over);
		close_world(&w);
	}
	assert_memory_not_equal(over, long_over, sizeof over);
}

/*
 * Of two alike the one that comes first lost its quota a minute ago; the other has waited
 * long enough, and does not wait for the first one's time.
 */
TEST(those_alike_wait_each_their_own_time)
{
	struct world w;

	open_world(
		&w,
		FLAVOR QUEUE("q", "c", "4", PREEMPTS("reclaimWithinCohort: Any")) QUEUE(
			"r", "c", "0", "") JOB("victim", "r", "0", "00:00:00",
					       "4") RUNS("r", "00:00:00", "4")
			JOB("first", "q", "0", "00:00:00",
			    "4") "status: {conditions: [{type: Evicted, status: 'True', reason: "
				 "Preempted, lastTransitionTime: '2026-01-01T00:10:00Z'}]}\n" JOB(
					 "second", "q", "0", "00:00:01", "4")
					 POLICY("  defaults: {preemptionDelay: 10m}\n"));
	step(&w, T0 + 11 * MINUTE);
	assert_int_equal(state(&w, "first"), FL_STATE_INADMISSIBLE);
	assert_int_equal(ops->reason(w.p, job(&w, "first")), FL_REASON_PROTECTED);
	assert_true(ops->wake(w.p, T0 + 11 * MINUTE) == T0 + 20 * MINUTE);
	step(&w, T0 + 11 * MINUTE + FL_SECOND);
	assert_int_equal(evicted(&w, "victim"), FL_REASON_IN_COHORT_RECLAMATION);
	close_world(&w);
}

/* What is due already and was not looked at yet is due now, not never. */
TEST(what_is_due_is_not_forgotten)
{
	struct world w;

	open_world(&w, RECLAIM("") POLICY("  defaults: {minimumRunTime: 1m}\n"));
	step(&w, T0);
	assert_true(ops->wake(w.p, T0) == T0 + MINUTE);
	assert_true(ops->wake(w.p, T0 + 2 * MINUTE) == T0 + 2 * MINUTE);
	step(&w, T0 + 2 * MINUTE);
	assert_int_equal(state(&w, "victim"), FL_STATE_EVICTING);
	close_world(&w);
}

/* Where parked workloads will be looked at again is not where they will not be. */
TEST(digest_knows_who_will_be_woken)
{
	uint64_t digests[2][2];

	for (int i = 0; i < 2; i++) {
		struct world w;

		open_world(&w, RECLAIM("") POLICY("  defaults: {minimumRunTime: 1m}\n"));
		if (i == 0)
			step(&w, T0);
		tell(&w, T0, FL_EV_CANCEL, "wants");
		if (i == 1)
			step(&w, T0);
		assert_true(ops->wake(w.p, T0) == (i ? FL_NEVER : T0 + MINUTE));
		ops->digest(w.p, T0, digests[i]);
		close_world(&w);
	}
	assert_memory_not_equal(digests[0], digests[1], sizeof digests[0]);
}

/* A step that wakes somebody and then runs out of memory has changed nothing. */
TEST(a_failed_step_wakes_nobody)
{
	struct fail_mem f;
	struct fl_model *m = load(RECLAIM("") POLICY("  defaults: {minimumRunTime: 1m}\n"));

	fail_mem_init(&f);
	for (unsigned long n = 1;; n++) {
		struct fl_policy *p = world_policy(&f.mem, m, T0);
		struct fl_decisions d;
		uint64_t before[2], after[2];
		int r;

		assert_int_equal(ops->step(p, T0, 0, NULL, &d, NULL), 0);
		ops->digest(p, T0, before);
		f.fail_at = n;
		r = ops->step(p, T0 + MINUTE, 0, NULL, &d, NULL);
		f.fail_at = 0;
		if (r < 0) {
			assert_int_equal(r, FAIRLEAD_ENOMEM);
			ops->digest(p, T0, after);
			assert_memory_equal(before, after, sizeof before);
			assert_int_equal(ops->step(p, T0 + MINUTE, 0, NULL, &d, NULL), 0);
		}
		assert_int_equal(ops->state(p, fl_model_find_workload(m, "ns", "victim")),
				 FL_STATE_EVICTING);
		ops->free(p);
		if (r == 0)
			break;
	}
	fl_model_free(m);
}

UNIT_GROUP("protect")
