/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The n-th allocation fails, for every n, through every function of the library.
 *
 * Each row of the table is one call on an engine in some state.  There are two
 * such engines.  On one the call is made with the first allocation failing, then
 * the second, and so on until it succeeds: every failure is FAIRLEAD_ENOMEM with
 * its text, and leaves an engine that answers like the other one (or, of what is
 * still being read, one that says it can only be freed).  Then the other makes
 * the call once, and both come to the same.  What either had is given back.
 *
 * --list prints the functions of the table; covered.sh holds that against the
 * library, so that a new function cannot be forgotten.
 */
#include <fairlead/fairlead.h>
#include <stdbool.h>

#include "lib/unit.h"

#define SECOND INT64_C(1000000000)
#define NOW (100 * SECOND)

/* Two teams of 4 GPUs; red runs 6, blue wants its own back; usage-based, with a protection. */
static const char lab[] =
	"apiVersion: config.kueue.x-k8s.io/v1beta2\nkind: Configuration\nfairSharing: {}\n"
	"admissionFairSharing: {usageHalfLifeTime: 10s, usageSamplingInterval: 1s}\n"
	"---\napiVersion: fairlead.dev/v1alpha1\nkind: Policy\nmetadata: {name: p}\n"
	"spec: {defaults: {minimumRunTime: 5s, reclaimBackOff: {base: 2s}, holdFreedQuota: true}}\n"
	"---\napiVersion: kueue.x-k8s.io/v1beta2\nkind: ResourceFlavor\nmetadata: {name: a100}\n"
	"---\napiVersion: v1\nkind: Namespace\nmetadata: {name: ns}\n"
#define QUEUE(name)                                                                                \
	"---\napiVersion: kueue.x-k8s.io/v1beta2\nkind: ClusterQueue\nmetadata: {name: " name      \
	"}\nspec:\n  cohortName: lab\n  namespaceSelector: {}\n  typo: 1\n"                        \
	"  preemption: {reclaimWithinCohort: Any}\n"                                               \
	"  admissionScope: {admissionMode: UsageBasedAdmissionFairSharing}\n"                      \
	"  resourceGroups: [{coveredResources: [gpu], flavors: [{name: a100, "                     \
	"resources: [{name: gpu, nominalQuota: 4}]}]}]\n"                                          \
	"---\napiVersion: kueue.x-k8s.io/v1beta2\nkind: LocalQueue\nmetadata: {namespace: ns, "    \
	"name: " name "}\nspec: {clusterQueue: " name "}\n"
	QUEUE("red") QUEUE("blue")
#define JOB(name, queue, gpus, rest)                                                               \
	"---\napiVersion: kueue.x-k8s.io/v1beta2\nkind: Workload\nmetadata: {namespace: ns, "      \
	"name: " name ", creationTimestamp: \"1970-01-01T00:00:00Z\"}\nspec:\n  queueName: " queue \
	"\n  podSets: [{name: main, count: 1, template: {spec: {containers: [{name: c, "           \
	"resources: {requests: {gpu: " gpus "}}}]}}}]\n" rest
#define HOLDS(queue, gpus)                                                                         \
	"status:\n  conditions: [{type: QuotaReserved, status: \"True\", "                         \
	"lastTransitionTime: \"1970-01-01T00:00:01Z\"}]\n  admission: {clusterQueue: " queue       \
	", podSetAssignments: [{name: main, count: 1, flavors: {gpu: a100}, "                      \
	"resourceUsage: {gpu: " gpus "}}]}\n"
		JOB("r1", "red", "3", HOLDS("red", "3")) JOB("r2", "red", "3", HOLDS("red", "3"))
			JOB("b1", "blue", "2", "") JOB("b2", "blue", "2", "");

/* KAI's: red holds 3 of 4 GPUs and its weight gives it 2; blue wants two. Half of red is history. */
static const char farm[] =
	"apiVersion: v1\nkind: Node\nmetadata: {name: m}\n"
	"status: {allocatable: {cpu: 64, memory: 64Gi, nvidia.com/gpu: 4}, "
	"conditions: [{type: Ready, status: \"True\"}]}\n"
	"---\napiVersion: fairlead.dev/v1alpha1\nkind: UsageHistory\nmetadata: {name: h}\n"
	"spec: {usage: {red: {gpu: 0.5}}}\n"
#define TEAM(name, parent)                                                                         \
	"---\napiVersion: scheduling.run.ai/v2\nkind: Queue\nmetadata: {name: " name               \
	"}\nspec:\n  " parent "typo: 1\n  resources: {cpu: {quota: -1, limit: -1}, "               \
	"memory: {quota: -1, limit: -1}, gpu: {quota: 0, overQuotaWeight: 1, limit: -1}}\n"
	TEAM("lab", "") TEAM("red", "parentQueue: lab\n  ") TEAM("blue", "parentQueue: lab\n  ")
#define TASK(name, queue, gpus, bound, phase)                                                      \
	"---\napiVersion: v1\nkind: Pod\nmetadata: {namespace: ns, name: " name                    \
	", labels: {kai.scheduler/queue: " queue "}, creationTimestamp: "                          \
	"\"1970-01-01T00:00:00Z\"}\nspec: {schedulerName: kai-scheduler, " bound                   \
	"containers: [{name: c, resources: {requests: {nvidia.com/gpu: " gpus                      \
	"}}}]}\nstatus: {phase: " phase "}\n"
		TASK("r1", "red", "2", "nodeName: m, ", "Running")
			TASK("r2", "red", "1", "nodeName: m, ", "Running")
				TASK("b1", "blue", "2", "", "Pending")
					TASK("b2", "blue", "2", "", "Pending");

/* --- the heap that fails --- */

struct heap {
	unsigned long calls, fail_at; /* 1: the next; 0: none */
	long live;
};

static void *resize(void *user, void *old, size_t size)
{
	struct heap *h = user;
	void *new;

	if (size == 0) {
		h->live -= old != NULL;
		free(old);
		return NULL;
	}
	h->calls++;
	if (h->fail_at && --h->fail_at == 0)
		return NULL;
	new = realloc(old, size);
	if (!new)
		abort();
	h->live += old == NULL;
	return new;
}

/* --- an engine, and all that can be seen of it --- */

struct subject {
	struct heap heap;
	fairlead_engine *engine;
	char log[1 << 14];
	uint32_t mark;
	bool entitled; /* the farm, not the lab */
};

__attribute__((format(printf, 2, 3))) static void say(struct subject *s, const char *format, ...)
{
	size_t n = strlen(s->log);
	va_list args;

	va_start(args, format);
	(void)vsnprintf(s->log + n, sizeof s->log - n, format, args);
	va_end(args);
	assert_true(strlen(s->log) + 1 < sizeof s->log);
}

static void note(void *user, const fairlead_decision *d)
{
	say(user, "%d %s %s %s %s", (int)d->kind, d->workload, d->cluster_queue, d->reason,
	    d->preemptor ? d->preemptor : "");
	for (size_t i = 0; i < d->n_placements; i++)
		say(user, " %s:%dx%s=%lld@%s%s", d->placements[i].podset,
		    (int)d->placements[i].count, d->placements[i].resource,
		    (long long)d->placements[i].amount, d->placements[i].flavor,
		    d->placements[i].machine);
	say(user, "; ");
}

static void must(int r, const fairlead_error *err)
{
	if (r < 0)
		fail_msg("%s: %s", err->subject, err->text);
}

static void look_at(struct subject *s, const char *queue)
{
	fairlead_standing standing;
	fairlead_share share;
	fairlead_error err;

	if (s->entitled) {
		must(fairlead_engine_standing(s->engine, queue, &standing, &err), &err);
		say(s, "gpu %.17g of %.17g, used %.17g; ", standing.allocated.gpu,
		    standing.fair_share.gpu, standing.usage.gpu);
		return;
	}
	must(fairlead_engine_share(s->engine, FAIRLEAD_CLUSTER_QUEUE, queue, &share, &err), &err);
	say(s, "share %.17g %d; ", share.precise, share.borrowing);
}

/* Shares, notices, and what would be decided from here on: all of it taken back. */
static void look(struct subject *s)
{
	static const char *const jobs[] = { "ns/r1", "ns/r2", "ns/b1", "ns/b2" };
	static const char *const queues[] = { "red", "blue" };
	fairlead_error err;
	uint32_t mark;

	for (size_t i = 0; i < 2; i++)
		look_at(s, queues[i]);
	say(s, "%zu notices; ", fairlead_engine_notices(s->engine));
	must(fairlead_engine_mark(s->engine, &mark, &err), &err);
	for (size_t i = 0; i < 4; i++)
		say(s, "tried %d; ",
		    fairlead_engine_try(s->engine, NOW + SECOND, jobs[i], note, s, &err));
	for (int i = 1; i < 4; i++) {
		must(fairlead_engine_step(s->engine, NOW + 5 * i * SECOND, note, s, &err), &err);
		for (size_t j = 0; j < 2; j++)
			say(s, "evicted %d; ",
			    fairlead_engine_event(s->engine, NOW + 5 * i * SECOND, FAIRLEAD_EVICTED,
						  jobs[j], &err));
	}
	fairlead_engine_rollback(s->engine, mark);
}

/* --- states that calls begin in --- */

static void closed(struct subject *s) { (void)s; }

static void empty(struct subject *s)
{
	fairlead_engine_options options = FAIRLEAD_ENGINE_OPTIONS_INIT;
	fairlead_error err;

	options.resize = resize;
	options.user = &s->heap;
	must(fairlead_engine_new(&options, &s->engine, &err), &err);
}

static void filled(struct subject *s)
{
	fairlead_error err;

	empty(s);
	must(fairlead_engine_read(s->engine, "lab", lab, sizeof lab - 1, &err), &err);
}

static void sealed(struct subject *s)
{
	fairlead_error err;

	filled(s);
	must(fairlead_engine_seal(s->engine, NOW, &err), &err);
}

/* The same, of an engine that can be told of more. */
static void keeping(struct subject *s)
{
	fairlead_engine_options options = FAIRLEAD_ENGINE_OPTIONS_INIT;
	fairlead_error err;

	options.resize = resize;
	options.user = &s->heap;
	options.flags = FAIRLEAD_KEEP_OBJECTS;
	must(fairlead_engine_new(&options, &s->engine, &err), &err);
}

static void kept(struct subject *s)
{
	fairlead_error err;

	keeping(s);
	must(fairlead_engine_read(s->engine, "lab", lab, sizeof lab - 1, &err), &err);
	must(fairlead_engine_seal(s->engine, NOW, &err), &err);
	must(fairlead_engine_step(s->engine, NOW, NULL, NULL, &err), &err);
}

static void kept_farm(struct subject *s)
{
	fairlead_error err;

	s->entitled = true;
	keeping(s);
	must(fairlead_engine_read(s->engine, "farm", farm, sizeof farm - 1, &err), &err);
	must(fairlead_engine_seal(s->engine, NOW, &err), &err);
	must(fairlead_engine_step(s->engine, NOW, NULL, NULL, &err), &err);
}

static void marked(struct subject *s)
{
	fairlead_error err;

	sealed(s);
	must(fairlead_engine_mark(s->engine, &s->mark, &err), &err);
}

/* r1 and r2 are being evicted for b1, which is the first of two marks. */
static void busy(struct subject *s)
{
	fairlead_error err;
	uint32_t inner;

	marked(s);
	must(fairlead_engine_step(s->engine, NOW + 20 * SECOND, NULL, NULL, &err), &err);
	must(fairlead_engine_mark(s->engine, &inner, &err), &err);
}

static void cancelled(struct subject *s)
{
	fairlead_error err;

	sealed(s);
	must(fairlead_engine_event(s->engine, NOW, FAIRLEAD_CANCELLED, "ns/b1", &err), &err);
	must(fairlead_engine_mark(s->engine, &s->mark, &err), &err);
}

static void admitted(struct subject *s)
{
	fairlead_error err;

	marked(s);
	must(fairlead_engine_event(s->engine, NOW, FAIRLEAD_FINISHED, "ns/r1", &err), &err);
	must(fairlead_engine_step(s->engine, NOW + SECOND, NULL, NULL, &err), &err);
}

static void empty_farm(struct subject *s)
{
	empty(s);
	s->entitled = true;
}

static void farmed(struct subject *s)
{
	fairlead_error err;

	empty_farm(s);
	must(fairlead_engine_read(s->engine, "farm", farm, sizeof farm - 1, &err), &err);
}

static void entitled(struct subject *s)
{
	fairlead_error err;

	farmed(s);
	must(fairlead_engine_seal(s->engine, NOW, &err), &err);
}

static void reclaimed(struct subject *s)
{
	fairlead_error err;

	entitled(s);
	must(fairlead_engine_mark(s->engine, &s->mark, &err), &err);
	must(fairlead_engine_step(s->engine, NOW, NULL, NULL, &err), &err);
}

/* --- calls --- */

static int call_new(struct subject *s, fairlead_error *err)
{
	fairlead_engine_options options = FAIRLEAD_ENGINE_OPTIONS_INIT;

	options.resize = resize;
	options.user = &s->heap;
	return fairlead_engine_new(&options, &s->engine, err);
}

static int call_read(struct subject *s, fairlead_error *err)
{
	return fairlead_engine_read(s->engine, "lab", lab, sizeof lab - 1, err);
}

static int call_read_farm(struct subject *s, fairlead_error *err)
{
	return fairlead_engine_read(s->engine, "farm", farm, sizeof farm - 1, err);
}

/* One comes, one asks for more, a queue has more, and one that holds quota goes. */
static const char more[] = JOB("n1", "blue", "1", "") JOB("b2", "blue", "3", "") QUEUE("red"),
		  more_of_farm[] = TASK("n1", "blue", "1", "", "Pending") TEAM("green", "");

static int call_change(struct subject *s, fairlead_error *err)
{
	static const char *const gone[] = { "Workload/ns/b1", "Pod/ns/b1" };

	return fairlead_engine_change(s->engine, "more", s->entitled ? more_of_farm : more,
				      s->entitled ? sizeof more_of_farm - 1 : sizeof more - 1,
				      gone + s->entitled, 1, err);
}

static int call_read_kept(struct subject *s, fairlead_error *err)
{
	return fairlead_engine_read(s->engine, "more", more, sizeof more - 1, err);
}

/* They join; one of them has no queue. */
static const char newcomers[] = JOB("n1", "blue", "1", "") JOB("n2", "nowhere", "2", "")
	JOB("n3", "red", "3", "");

static int call_read_newcomers(struct subject *s, fairlead_error *err)
{
	return fairlead_engine_read(s->engine, "newcomers", newcomers, sizeof newcomers - 1, err);
}

static int call_read_json(struct subject *s, fairlead_error *err)
{
	static const char text[] =
		"{\"apiVersion\":\"v1\",\"kind\":\"List\",\"items\":["
		"{\"apiVersion\":\"v1\",\"kind\":\"Namespace\",\"metadata\":{\"name\":\"\\u0061\","
		"\"labels\":{\"k\":\"v\"}}},{\"apiVersion\":\"v1\",\"kind\":\"Event\"}]}";

	return fairlead_engine_read(s->engine, "list", text, sizeof text - 1, err);
}

struct stream {
	const char *at;
	size_t left;
};

static int next_bytes(void *user, char *buffer, size_t size, size_t *ret, fairlead_error *err)
{
	struct stream *t = user;

	(void)err;
	*ret = size < 1000 ? size : 1000;
	*ret = *ret < t->left ? *ret : t->left;
	memcpy(buffer, t->at, *ret);
	t->at += *ret;
	t->left -= *ret;
	return 0;
}

static int call_read_from(struct subject *s, fairlead_error *err)
{
	struct stream t = { lab, sizeof lab - 1 };

	return fairlead_engine_read_from(s->engine, "lab", next_bytes, &t, err);
}

static int call_seal(struct subject *s, fairlead_error *err)
{
	return fairlead_engine_seal(s->engine, NOW, err);
}

static int call_step(struct subject *s, fairlead_error *err)
{
	return fairlead_engine_step(s->engine, NOW + 20 * SECOND, note, s, err);
}

static int call_step_unheard(struct subject *s, fairlead_error *err)
{
	return fairlead_engine_step(s->engine, NOW + 20 * SECOND, NULL, NULL, err);
}

static int call_try(struct subject *s, fairlead_error *err)
{
	return fairlead_engine_try(s->engine, NOW + 20 * SECOND, "ns/b2", note, s, err);
}

static void hear(void *user, const fairlead_evidence *row)
{
	say(user, "%s %s %s %s %s %s %lld %.17g %lld %.17g %d; ", row->check, row->node,
	    row->flavor, row->resource, row->podset, row->victim, (long long)row->lhs.amount,
	    row->lhs.value, (long long)row->rhs.amount, row->rhs.value, row->holds);
}

static int call_explain(struct subject *s, fairlead_error *err)
{
	return fairlead_engine_explain(s->engine, NOW + 20 * SECOND, "ns/b1", hear, note, s, err);
}

static int call_set(struct subject *s, fairlead_error *err)
{
	fairlead_cell cell = { .kind = FAIRLEAD_CELL_NOMINAL,
			       .name = "red",
			       .flavor = "a100",
			       .resource = "gpu",
			       .amount = 9 };

	if (s->entitled) {
		cell.kind = FAIRLEAD_CELL_OVER_QUOTA_WEIGHT;
		cell.resource = "nvidia.com/gpu";
		cell.value = 3;
	}
	return fairlead_engine_set(s->engine, NOW, &cell, err);
}

#define EVENT(name, event, workload)                                                               \
	static int call_##name(struct subject *s, fairlead_error *err)                             \
	{                                                                                          \
		return fairlead_engine_event(s->engine, NOW + 21 * SECOND, event, workload, err);  \
	}

EVENT(submitted, FAIRLEAD_SUBMITTED, "ns/b1")
EVENT(cancelled, FAIRLEAD_CANCELLED, "ns/r1")
EVENT(evicted, FAIRLEAD_EVICTED, "ns/r1")
EVENT(finished, FAIRLEAD_FINISHED, "ns/r2")
EVENT(rejected, FAIRLEAD_REJECTED, "ns/b1")

static int call_mark(struct subject *s, fairlead_error *err)
{
	return fairlead_engine_mark(s->engine, &s->mark, err);
}

static int call_wake(struct subject *s, fairlead_error *err)
{
	(void)err;
	assert_true(fairlead_engine_wake(s->engine, 0) == FAIRLEAD_NEVER);
	return 0;
}

static int call_rollback(struct subject *s, fairlead_error *err)
{
	(void)err;
	fairlead_engine_rollback(s->engine, s->mark);
	return 0;
}

static int call_share(struct subject *s, fairlead_error *err)
{
	fairlead_share share;
	int r = fairlead_engine_share(s->engine, FAIRLEAD_COHORT, "lab", &share, err);

	say(s, "share %.17g", share.precise);
	return r;
}

static int call_standing(struct subject *s, fairlead_error *err)
{
	fairlead_standing standing;
	int r = fairlead_engine_standing(s->engine, "lab", &standing, err);

	say(s, "holds %.17g", standing.allocated.gpu);
	return r;
}

static int call_notices(struct subject *s, fairlead_error *err)
{
	(void)err;
	say(s, "%zu", fairlead_engine_notices(s->engine));
	return 0;
}

static int call_notice(struct subject *s, fairlead_error *err)
{
	fairlead_notice n;

	(void)err;
	fairlead_engine_notice(s->engine, 0, &n);
	say(s, "%s:%u: %s: %s", n.file, n.line, n.subject, n.text);
	return 0;
}

static int call_free(struct subject *s, fairlead_error *err)
{
	(void)err;
	s->engine = fairlead_engine_free(s->engine);
	return 0;
}

static int call_version(struct subject *s, fairlead_error *err)
{
	(void)err;
	say(s, "%s", fairlead_version());
	return 0;
}

enum after {
	AS_BEFORE, /* a failure leaves the engine as it was */
	BROKEN,    /* it can then only be freed */
	NEVER,     /* allocates nothing, so it cannot fail */
	WARM,      /* as AS_BEFORE; allocates nothing but where every object is an allocation */
};

static const struct row {
	const char *function, *state;
	void (*prepare)(struct subject *s);
	int (*call)(struct subject *s, fairlead_error *err);
	enum after after;
} rows[] = {
	{ "fairlead_version", "closed", closed, call_version, NEVER },
	{ "fairlead_engine_new", "closed", closed, call_new, AS_BEFORE },
	{ "fairlead_engine_free", "sealed", sealed, call_free, NEVER },
	{ "fairlead_engine_read", "yaml", empty, call_read, BROKEN },
	{ "fairlead_engine_read", "json", filled, call_read_json, BROKEN },
	{ "fairlead_engine_read_from", "yaml", empty, call_read_from, BROKEN },
	{ "fairlead_engine_read", "kept", keeping, call_read, BROKEN },
	{ "fairlead_engine_read", "after seal", kept, call_read_kept, AS_BEFORE },
	{ "fairlead_engine_read", "newcomers", kept, call_read_newcomers, AS_BEFORE },
	{ "fairlead_engine_change", "borrow", kept, call_change, AS_BEFORE },
	{ "fairlead_engine_change", "entitle", kept_farm, call_change, AS_BEFORE },
	{ "fairlead_engine_seal", "filled", filled, call_seal, BROKEN },
	{ "fairlead_engine_step", "sealed", sealed, call_step, AS_BEFORE },
	{ "fairlead_engine_step", "in a mark", marked, call_step, AS_BEFORE },
	{ "fairlead_engine_step", "unheard", busy, call_step_unheard, WARM },
	{ "fairlead_engine_try", "sealed", sealed, call_try, AS_BEFORE },
	{ "fairlead_engine_explain", "sealed", sealed, call_explain, AS_BEFORE },
	{ "fairlead_engine_explain", "entitle", entitled, call_explain, AS_BEFORE },
	{ "fairlead_engine_set", "in a mark", marked, call_set, AS_BEFORE },
	{ "fairlead_engine_set", "entitle", entitled, call_set, AS_BEFORE },
	{ "fairlead_engine_event", "submitted", cancelled, call_submitted, AS_BEFORE },
	{ "fairlead_engine_event", "cancelled", marked, call_cancelled, AS_BEFORE },
	{ "fairlead_engine_event", "evicted", marked, call_evicted, AS_BEFORE },
	{ "fairlead_engine_event", "finished", marked, call_finished, AS_BEFORE },
	/* What a step needed once, to take things back, is there for what follows. */
	{ "fairlead_engine_event", "rejected", admitted, call_rejected, NEVER },
	{ "fairlead_engine_event", "evicted after a step", busy, call_evicted, NEVER },
	{ "fairlead_engine_mark", "sealed", sealed, call_mark, AS_BEFORE },
	{ "fairlead_engine_wake", "busy", busy, call_wake, NEVER },
	{ "fairlead_engine_rollback", "busy", busy, call_rollback, NEVER },
	{ "fairlead_engine_share", "busy", busy, call_share, NEVER },
	{ "fairlead_engine_read", "entitle", empty_farm, call_read_farm, BROKEN },
	{ "fairlead_engine_seal", "entitle", farmed, call_seal, BROKEN },
	{ "fairlead_engine_step", "entitle", entitled, call_step, AS_BEFORE },
	{ "fairlead_engine_step", "entitle, again", reclaimed, call_step, AS_BEFORE },
	{ "fairlead_engine_try", "entitle", entitled, call_try, AS_BEFORE },
	{ "fairlead_engine_event", "entitle", reclaimed, call_cancelled, NEVER },
	{ "fairlead_engine_standing", "entitle", entitled, call_standing, NEVER },
	{ "fairlead_engine_notices", "sealed", sealed, call_notices, NEVER },
	{ "fairlead_engine_notice", "sealed", sealed, call_notice, NEVER },
};

#define SAYS(condition, row)                                                                       \
	do {                                                                                       \
		if (!(condition))                                                                  \
			fail_msg("%s, %s: %s", (row)->function, (row)->state, #condition);         \
	} while (0)

/* --- the test --- */

/* What came of a call that succeeded: sealed, if it is not yet, and looked at. */
static void look_after(const struct row *row, struct subject *s)
{
	fairlead_error err;

	if (!s->engine || row->call == call_new)
		return;
	if (fairlead_engine_seal(s->engine, NOW, &err) != FAIRLEAD_ESTATE)
		say(s, "sealed; ");
	look(s);
}

static void check_broken(const struct row *row, struct subject *s)
{
	fairlead_error err = { 0 };

	SAYS(fairlead_engine_read(s->engine, "more", "{}", 2, &err) == FAIRLEAD_ESTATE, row);
	SAYS(fairlead_engine_seal(s->engine, NOW, &err) == FAIRLEAD_ESTATE, row);
	SAYS(strstr(err.text, "can only be freed") != NULL, row);
}

static void check_failure(const struct row *row, struct subject *s, const fairlead_error *err,
			  const char *as_before)
{
	SAYS(err->code == FAIRLEAD_ENOMEM && strcmp(err->text, "out of memory") == 0, row);
	SAYS(s->log[0] == '\0', row); /* nobody was told anything */
	if (row->after == BROKEN) {
		check_broken(row, s);
	} else if (s->engine) {
		look(s);
		if (strcmp(s->log, as_before) != 0)
			fail_msg("%s, %s: was\n%s\nand is\n%s", row->function, row->state,
				 as_before, s->log);
	}
	s->log[0] = '\0';
}

static void each_allocation(const struct row *row)
{
	static struct subject s, twin;
	unsigned long failures = 0;

	s = twin = (struct subject){ .mark = 0 };
	row->prepare(&s);
	row->prepare(&twin);
	if (twin.engine && (row->after == AS_BEFORE || row->after == WARM))
		look(&twin);
	for (unsigned long n = 1;; n++) {
		fairlead_error err = { 0 };

		s.heap.fail_at = n;
		unsigned long calls = s.heap.calls;
		int r = row->call(&s, &err);

		s.heap.fail_at = 0;
		if (r == 0) {
			SAYS(row->after != NEVER || s.heap.calls == calls, row);
			SAYS(s.heap.calls - calls < n, row); /* none was failed and kept quiet */
			break;
		}
		SAYS(r == FAIRLEAD_ENOMEM, row);
		check_failure(row, &s, &err, twin.log);
		failures++;
		if (row->after == BROKEN) {
			fairlead_engine_free(s.engine);
			SAYS(s.heap.live == 0, row);
			s = (struct subject){ .mark = 0 };
			row->prepare(&s);
		}
	}
	SAYS(failures > 0 || row->after == NEVER || row->after == WARM, row);

	/* In the end it is as if nothing had failed. */
	fairlead_error err;

	look_after(row, &s);
	twin.log[0] = '\0';
	must(row->call(&twin, &err), &err);
	look_after(row, &twin);
	SAYS(row->after == NEVER || row->call == call_new || strlen(s.log) > 200, row);
	if (strcmp(s.log, twin.log) != 0)
		fail_msg("%s, %s: without failures\n%s\nwith them\n%s", row->function, row->state,
			 twin.log, s.log);
	fairlead_engine_free(s.engine);
	fairlead_engine_free(twin.engine);
	SAYS(s.heap.live == 0 && twin.heap.live == 0, row);
}

TEST(every_function)
{
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
		each_allocation(&rows[i]);
}

int main(int argc, char **argv)
{
	if (argc > 1 && strcmp(argv[1], "--list") == 0) {
		for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
			(void)printf("%s\n", rows[i].function);
		return 0;
	}
	return unit_run_tests("fault/public", unit_tests, NULL, NULL);
}
