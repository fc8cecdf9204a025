/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Objects that come, change and go after seal, through the public interface alone.
 *
 * The long test has two engines: one is told of jobs as they come and go, the other knew all of
 * them from the beginning, cancelled, and is told by events.  Both must say the same, step by step.
 */
#include <fairlead/fairlead.h>
#include <stdbool.h>

#include "lib/few.h"
#include "lib/unit.h"

#define SECOND INT64_C(1000000000)
#define START (100 * SECOND)

#define KUEUE "---\napiVersion: kueue.x-k8s.io/v1beta2\n"
#define QUEUE(name, gpus)                                                                          \
	KUEUE "kind: ClusterQueue\nmetadata: {name: " name "}\nspec:\n  cohortName: lab\n"         \
	      "  namespaceSelector: {}\n  preemption: {reclaimWithinCohort: Any, "                 \
	      "withinClusterQueue: LowerPriority}\n"                                               \
	      "  resourceGroups: [{coveredResources: [gpu], flavors: [{name: a100, "               \
	      "resources: [{name: gpu, nominalQuota: " gpus "}]}]}]\n"
#define LOCAL(name)                                                                                \
	KUEUE "kind: LocalQueue\nmetadata: {namespace: ns, name: " name                            \
	      "}\nspec: {clusterQueue: " name "}\n"
#define WANTS(name, queue, gpus)                                                                   \
	KUEUE "kind: Workload\nmetadata: {namespace: ns, name: " name                              \
	      "}\nspec:\n  queueName: " queue                                                      \
	      "\n  podSets: [{name: main, count: 1, template: {spec: {containers: "                \
	      "[{name: c, resources: {requests: {gpu: " gpus "}}}]}}}]\n"

static const char lab[] =
	"apiVersion: config.kueue.x-k8s.io/v1beta2\nkind: Configuration\nfairSharing: {}\n"
	"---\napiVersion: v1\nkind: Namespace\nmetadata: {name: ns}\n" KUEUE
	"kind: ResourceFlavor\nmetadata: {name: a100}\n" QUEUE("red", "4") LOCAL("red")
		QUEUE("blue", "4") LOCAL("blue") QUEUE("green", "4") LOCAL("green");

static const char farm[] = "apiVersion: v1\nkind: Node\nmetadata: {name: m}\n"
			   "status: {allocatable: {cpu: 640, memory: 640Gi, nvidia.com/gpu: 8}, "
			   "conditions: [{type: Ready, status: \"True\"}]}\n"
			   "---\napiVersion: v1\nkind: Node\nmetadata: {name: n1}\n"
			   "status: {allocatable: {cpu: 640, memory: 640Gi, nvidia.com/gpu: 4}, "
			   "conditions: [{type: Ready, status: \"True\"}]}\n"
#define TEAM(name, parent)                                                                         \
	"---\napiVersion: scheduling.run.ai/v2\nkind: Queue\nmetadata: {name: " name               \
	"}\nspec:\n  " parent "resources: {cpu: {quota: -1, limit: -1}, "                          \
	"memory: {quota: -1, limit: -1}, gpu: {quota: 0, overQuotaWeight: 1, limit: -1}}\n"
	TEAM("all", "") TEAM("red", "parentQueue: all\n  ") TEAM("blue", "parentQueue: all\n  ")
		TEAM("green", "parentQueue: all\n  ");

struct log {
	char text[4096];
	/* Who was told to go in the last step, and who was let in, by number. */
	unsigned evicted[64], n_evicted, admitted[64], n_admitted;
};

static void note(void *user, const fairlead_decision *d)
{
	static const char *const words[] = { "admit", "reserve", "evict", "wait" };
	struct log *log = user;
	size_t at = strlen(log->text);
	unsigned number = 0;

	(void)snprintf(log->text + at, sizeof log->text - at, "%s %s %s %s%s%s; ", words[d->kind],
		       d->workload, d->cluster_queue, d->reason, d->preemptor ? " for " : "",
		       d->preemptor ? d->preemptor : "");
	if (sscanf(d->workload, "ns/j%u", &number) != 1)
		return;
	if (d->kind == FAIRLEAD_EVICT)
		log->evicted[log->n_evicted++ % 64] = number;
	if (d->kind == FAIRLEAD_ADMIT)
		log->admitted[log->n_admitted++ % 64] = number;
}

static void must(int r, const fairlead_error *err)
{
	if (r < 0)
		fail_msg("%d: %s:%u: %s: %s", r, err->file, (unsigned)err->line, err->subject,
			 err->text);
}

static fairlead_engine *engine_of(const char *text, uint64_t flags)
{
	fairlead_engine_options options = FAIRLEAD_ENGINE_OPTIONS_INIT;
	fairlead_engine *e = NULL;
	fairlead_error err;

	options.flags = flags;
	must(fairlead_engine_new(&options, &e, &err), &err);
	must(fairlead_engine_read(e, "start", text, strlen(text), &err), &err);
	return e;
}

static fairlead_engine *sealed(const char *text)
{
	fairlead_engine *e = engine_of(text, FAIRLEAD_KEEP_OBJECTS);
	fairlead_error err;

	must(fairlead_engine_seal(e, START, &err), &err);
	return e;
}

static void reads(fairlead_engine *e, const char *text)
{
	fairlead_error err;

	must(fairlead_engine_read(e, "more", text, strlen(text), &err), &err);
}

static void deletes(fairlead_engine *e, const char *object)
{
	fairlead_error err;

	must(fairlead_engine_change(e, NULL, NULL, 0, &object, 1, &err), &err);
}

static void step_is(fairlead_engine *e, int64_t second, const char *expected)
{
	struct log log = { .text = "" };
	fairlead_error err;

	must(fairlead_engine_step(e, second * SECOND, note, &log, &err), &err);
	assert_string_equal(log.text, expected);
}

static void event(fairlead_engine *e, int64_t second, fairlead_event what, const char *name)
{
	fairlead_error err;

	must(fairlead_engine_event(e, second * SECOND, what, name, &err), &err);
}

/* --- what comes and goes --- */

TEST(jobs_come_and_go)
{
	fairlead_engine *e = sealed(lab);
	fairlead_error err;
	fairlead_share share;

	step_is(e, 101, "");
	reads(e, WANTS("a", "red", "6"));
	step_is(e, 102, "admit ns/a red Fits; ");
	reads(e, WANTS("b", "red", "7") WANTS("c", "blue", "8"));
	step_is(e, 103,
		"wait ns/c blue PreemptionNoCandidates; wait ns/b red PreemptionNoCandidates; ");
	/* Who waits may ask for something else. */
	reads(e, WANTS("c", "blue", "4"));
	step_is(e, 104, "admit ns/c blue Fits; ");
	event(e, 105, FAIRLEAD_FINISHED, "ns/a");
	step_is(e, 105, "admit ns/b red Fits; ");
	deletes(e, "workload/ns/a");
	assert_int_equal(fairlead_engine_event(e, 105 * SECOND, FAIRLEAD_CANCELLED, "ns/a", &err),
			 FAIRLEAD_ENOENT);
	step_is(e, 106, "");
	/* One that is deleted has let go. */
	reads(e, WANTS("d", "green", "6"));
	step_is(e, 107,
		"reserve ns/d green WaitingForPreemptedWorkloads; "
		"evict ns/b red InCohortFairSharing for ns/d; ");
	deletes(e, "Workload/ns/b");
	step_is(e, 108, "admit ns/d green Fits; ");
	/* A name that is free may be another one's. */
	reads(e, WANTS("b", "blue", "1"));
	step_is(e, 109, "admit ns/b blue Fits; ");
	must(fairlead_engine_share(e, FAIRLEAD_CLUSTER_QUEUE, "green", &share, &err), &err);
	assert_true(share.borrowing && share.precise > 166 && share.precise < 167);
	fairlead_engine_free(e);
}

TEST(queues_change)
{
	fairlead_engine *e = sealed(lab);
	static const char *const gone[] = { "LocalQueue/ns/green", "clusterqueue/green" };
	fairlead_error err;

	reads(e, WANTS("a", "red", "12") WANTS("b", "new", "2"));
	step_is(e, 101, "admit ns/a red Fits; ");
	reads(e, WANTS("c", "red", "1"));
	step_is(e, 102, "wait ns/c red PreemptionNoCandidates; ");
	/* More quota: whoever waits is looked at. */
	reads(e, QUEUE("red", "5"));
	step_is(e, 103, "admit ns/c red Fits; ");
	/* A queue comes, and somebody was waiting for it. */
	reads(e, QUEUE("new", "2") LOCAL("new"));
	step_is(e, 104, "admit ns/b new Fits; ");
	/* What comes and what goes in one: 4 of 16 go, of which 15 are held. */
	must(fairlead_engine_change(e, "both", WANTS("d", "blue", "1"),
				    sizeof WANTS("d", "blue", "1") - 1, gone, 2, &err),
	     &err);
	step_is(e, 105,
		"reserve ns/d blue WaitingForPreemptedWorkloads; "
		"evict ns/a red InCohortReclamation for ns/d; ");
	event(e, 106, FAIRLEAD_EVICTED, "ns/a");
	step_is(e, 106, "admit ns/d blue Fits; wait ns/a red ExceedsMaxQuota; ");
	fairlead_engine_free(e);
}

/* A namespace takes with it what is in it; an engine of nothing takes the policy that comes. */
TEST(from_nothing)
{
	fairlead_engine *e = sealed("apiVersion: v1\nkind: Namespace\nmetadata: {name: other}\n");
	fairlead_error err;

	reads(e, farm);
	reads(e, "apiVersion: v1\nkind: Pod\nmetadata: {namespace: ns, name: p, labels: "
		 "{kai.scheduler/queue: red}}\nspec: {schedulerName: kai-scheduler, containers: "
		 "[{name: c, resources: {requests: {nvidia.com/gpu: 4}}}]}\n");
	step_is(e, 101, "admit ns/p red Fits; ");
	assert_int_equal(fairlead_engine_read(e, "lab", lab, strlen(lab), &err), FAIRLEAD_EINPUT);
	deletes(e, "Pod/ns/p");
	step_is(e, 102, "");
	fairlead_engine_free(e);
}

/* --- what is refused --- */

#define HELD                                                                                       \
	"status:\n  conditions: [{type: QuotaReserved, status: \"True\", "                         \
	"lastTransitionTime: \"1970-01-01T00:00:01Z\"}]\n  admission: {clusterQueue: red"          \
	", podSetAssignments: [{name: main, count: 1, flavors: {gpu: a100}, "                      \
	"resourceUsage: {gpu: 1}}]}\n"

static const struct refusal {
	const char *text, *gone;
	int code;
	const char *subject, *words;
} refusals[] = {
	{ "kind: [", NULL, FAIRLEAD_EINPUT, "", "" },
	{ WANTS("x", "red", "nonsense"), NULL, FAIRLEAD_EINPUT, "Workload/ns/x .spec", "" },
	{ WANTS("x", "red", "1") WANTS("x", "red", "1"), NULL, FAIRLEAD_EINPUT, "Workload/ns/x",
	  "" },
	{ WANTS("x", "red", "1") HELD, NULL, FAIRLEAD_EINPUT, "Workload/ns/x",
	  "holds quota, and the engine does not know of it" },
	{ WANTS("held", "red", "2"), NULL, FAIRLEAD_EINPUT, "Workload/ns/held",
	  "holds quota, and its requests would change" },
	{ NULL, "ClusterQueue/red", FAIRLEAD_EINPUT, "Workload/ns/held",
	  "holds quota of ClusterQueue 'red', which would not exist any more" },
	{ WANTS("waits", "red", "2"), "Workload/ns/waits", FAIRLEAD_EINPUT, "Workload/ns/waits",
	  "both changed and deleted" },
	{ NULL, "Workload/ns/nobody", FAIRLEAD_ENOENT, "",
	  "there is no 'Workload/ns/nobody' to delete" },
	{ NULL, "Nonsense/x", FAIRLEAD_ENOENT, "", "there is no kind 'Nonsense'" },
	{ NULL, "Workload/", FAIRLEAD_EINPUT, "", "'Workload/' is not KIND/NAMESPACE/NAME" },
	{ "apiVersion: fairlead.dev/v1alpha1\nkind: UsageHistory\nmetadata: {name: h}\nspec: {}\n",
	  NULL, FAIRLEAD_EINPUT, "", "'UsageHistory/h' is read before seal only" },
	{ "apiVersion: scheduling.run.ai/v2\nkind: Queue\nmetadata: {name: q}\nspec: {}\n", NULL,
	  FAIRLEAD_EINPUT, "", "both policies" },
	{ "Nodes:\n  n: {}\n", NULL, FAIRLEAD_EINPUT, "", "" },
};

/* The engine is as it was: held holds, waits waits, and nobody else is there. */
static void look_unchanged(fairlead_engine *e)
{
	struct log log = { .text = "" };
	fairlead_error err;
	uint32_t mark;

	assert_int_equal(fairlead_engine_event(e, START, FAIRLEAD_CANCELLED, "ns/x", &err),
			 FAIRLEAD_ENOENT);
	must(fairlead_engine_mark(e, &mark, &err), &err);
	must(fairlead_engine_event(e, START, FAIRLEAD_FINISHED, "ns/held", &err), &err);
	must(fairlead_engine_step(e, START + SECOND, note, &log, &err), &err);
	assert_string_equal(log.text, "admit ns/waits red Fits; ");
	fairlead_engine_rollback(e, mark);
}

TEST(refused)
{
	fairlead_engine *e = sealed(lab);
	fairlead_error err;
	uint32_t mark;

	reads(e, WANTS("held", "red", "9"));
	step_is(e, 100, "admit ns/held red Fits; ");
	reads(e, WANTS("waits", "red", "4"));
	step_is(e, 100, "wait ns/waits red PreemptionNoCandidates; ");
	look_unchanged(e);
	for (size_t i = 0; i < sizeof refusals / sizeof *refusals; i++) {
		const struct refusal *r = &refusals[i];
		int code = fairlead_engine_change(e, "bad", r->text, r->text ? strlen(r->text) : 0,
						  &r->gone, r->gone != NULL, &err);

		if (code != r->code || !strstr(err.text, r->words) ||
		    strncmp(err.subject, r->subject, strlen(r->subject)) != 0)
			fail_msg("%zu: %d, %s: %s", i, code, err.subject, err.text);
		look_unchanged(e);
	}
	must(fairlead_engine_mark(e, &mark, &err), &err);
	assert_int_equal(fairlead_engine_read(e, "m", WANTS("x", "red", "1"),
					      sizeof WANTS("x", "red", "1") - 1, &err),
			 FAIRLEAD_ESTATE);
	assert_string_equal(err.text, "objects do not change inside a mark: roll it back first");
	fairlead_engine_rollback(e, mark);
	look_unchanged(e);
	reads(e, WANTS("x", "red", "1"));
	fairlead_engine_free(e);
}

TEST(refused_as_a_whole)
{
	static const char *const gone[] = { "Namespace/ns" };
	static const char odd[] = "Nodes:\n  n: {GPUs: 1}\nQueues: []\nJobs: []\n";
	fairlead_engine *e = engine_of(lab, 0);
	fairlead_engine_options options = FAIRLEAD_ENGINE_OPTIONS_INIT;
	fairlead_error err;

	assert_int_equal(fairlead_engine_change(e, NULL, NULL, 0, gone, 1, &err), FAIRLEAD_ESTATE);
	assert_string_equal(err.text, "the engine is not sealed yet");
	must(fairlead_engine_seal(e, START, &err), &err);
	assert_int_equal(fairlead_engine_change(e, NULL, NULL, 0, gone, 1, &err), FAIRLEAD_ESTATE);
	assert_string_equal(err.text, "the engine is sealed, and has not kept its objects");
	assert_string_equal(err.hint, "make it with FAIRLEAD_KEEP_OBJECTS");
	assert_int_equal(fairlead_engine_read(e, "x", "{}", 2, &err), FAIRLEAD_ESTATE);
	fairlead_engine_free(e);

	/* What cannot be kept is not read. */
	options.flags = FAIRLEAD_KEEP_OBJECTS;
	must(fairlead_engine_new(&options, &e, &err), &err);
	assert_int_equal(fairlead_engine_read(e, "odd", odd, sizeof odd - 1, &err),
			 FAIRLEAD_EINPUT);
	fairlead_engine_free(e);
	options.flags = 4 | FAIRLEAD_KEEP_OBJECTS;
	assert_int_equal(fairlead_engine_new(&options, &e, &err), FAIRLEAD_EINPUT);
	assert_string_equal(err.text, "flags 0x4 of the options are none that this version knows");
}

/* Places and notices are those of each object's own input. */
TEST(notices_stay)
{
	fairlead_engine *e = sealed(lab);
	fairlead_notice n;

	assert_int_equal(fairlead_engine_notices(e), 0);
	reads(e, "apiVersion: v1\nkind: Namespace\nmetadata: {name: b}\n" KUEUE
		 "kind: LocalQueue\nmetadata: {namespace: ns, name: l}\n"
		 "spec: {clusterQueue: nobody}\n");
	reads(e, WANTS("a", "red", "1"));
	assert_int_equal(fairlead_engine_notices(e), 1);
	fairlead_engine_notice(e, 0, &n);
	assert_string_equal(n.file, "more");
	assert_true(n.line == 5 && strncmp(n.subject, "LocalQueue/ns/l", 15) == 0);
	deletes(e, "LocalQueue/ns/l");
	assert_int_equal(fairlead_engine_notices(e), 0);
	fairlead_engine_free(e);
}

/* What is noticed in the text of one that joins is told when it comes, and is the same in a new model. */
TEST(notices_of_newcomers)
{
	static const char other[] = "apiVersion: v1\nkind: Namespace\nmetadata: {name: b}\n";
	fairlead_engine *e = sealed(lab);
	fairlead_notice n;

	reads(e,
	      WANTS("a", "red", "1") "  preemptionGates: [{name: g}]\n" WANTS("b", "nowhere", "1"));
	for (int again = 0; again < 2; again++) {
		assert_int_equal(fairlead_engine_notices(e), 2);
		fairlead_engine_notice(e, 0, &n);
		assert_string_equal(n.file, "more");
		assert_int_equal(n.line, 8);
		CHECK(strstr(n.subject, "Workload/ns/a"), n.subject);
		fairlead_engine_notice(e, 1, &n);
		CHECK(strstr(n.subject, "Workload/ns/b"), n.subject);
		reads(e, other);
	}
	fairlead_engine_free(e);
}

/* --- what it costs --- */

enum { THERE = 2000, MORE = 400 };

static void *count(void *user, void *old, size_t size)
{
	*(size_t *)user += size;
	if (size > 0)
		return realloc(old, size);
	free(old);
	return NULL;
}

static void write_newcomer(unsigned i, char *to, size_t size)
{
	(void)snprintf(to, size,
		       KUEUE
		       "kind: Workload\nmetadata: {namespace: ns, name: n%u}\nspec:\n"
		       "  queueName: red\n  podSets: [{name: main, count: 1, template: {spec: "
		       "{containers: [{name: c, resources: {requests: {gpu: 1}}}]}}}]\n",
		       i);
}

/* Newcomers cost what they cost, but for the few that find no place; the 5th of them is decided as any other. */
TEST(newcomers_cost_little)
{
	fairlead_engine_options options = FAIRLEAD_ENGINE_OPTIONS_INIT;
	size_t bytes = 0, sealing;
	unsigned dear = 0;
	fairlead_engine *e;
	fairlead_error err;
	char text[512];

	options.resize = count;
	options.user = &bytes;
	options.flags = FAIRLEAD_KEEP_OBJECTS;
	must(fairlead_engine_new(&options, &e, &err), &err);
	reads(e, lab);
	for (unsigned i = 0; i < THERE; i++) {
		write_newcomer(i, text, sizeof text);
		reads(e, text);
	}
	bytes = 0;
	must(fairlead_engine_seal(e, START, &err), &err);
	sealing = bytes;
	for (unsigned i = THERE; i < THERE + MORE; i++) {
		write_newcomer(i, text, sizeof text);
		bytes = 0;
		reads(e, text);
		dear += bytes > sealing / 4;
	}
	/* Two new models, and tables that grow to twice their size. */
	assert_in_range(dear, 2, 5);
	for (unsigned i = 0; i < THERE; i++) {
		(void)snprintf(text, sizeof text, "ns/n%u", i);
		event(e, 101, FAIRLEAD_CANCELLED, text);
	}
	step_is(e, 102, "admit ns/n2000 red Fits; ");
	fairlead_engine_free(e);
}

/* --- against an engine that knew it all --- */

enum { JOBS = 48, STEPS = 160 };

struct life {
	unsigned arrives, gpus, queue, priority;
	enum { TO_COME, WAITS, HOLDS, GOES, OVER, DELETED } state;
};

struct world {
	fairlead_engine *grown, *knew;
	struct life jobs[JOBS];
	uint64_t random;
	bool entitle;
};

static unsigned pick(struct world *w, unsigned n)
{
	w->random = w->random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (unsigned)(w->random >> 33) % n;
}

static size_t write_job(const struct world *w, unsigned i, char *to, size_t size)
{
	static const char *const queues[] = { "red", "blue", "green" };
	const struct life *j = &w->jobs[i];

	if (w->entitle)
		return (size_t)snprintf(
			to, size,
			"---\napiVersion: v1\nkind: Pod\nmetadata: {namespace: ns, name: j%u, labels: "
			"{kai.scheduler/queue: %s}, creationTimestamp: \"1970-01-01T00:%02u:%02uZ\"}\n"
			"spec: {schedulerName: kai-scheduler, priority: %u, containers: "
			"[{name: c, resources: {requests: {nvidia.com/gpu: %u}}}]}\n"
			"status: {phase: Pending}\n",
			i, queues[j->queue], (100 + j->arrives) / 60, (100 + j->arrives) % 60,
			j->priority * 10, j->gpus);
	return (size_t)snprintf(
		to, size,
		KUEUE "kind: Workload\nmetadata: {namespace: ns, name: j%u, uid: u%u, "
		      "creationTimestamp: \"1970-01-01T00:%02u:%02uZ\"}\nspec:\n  queueName: %s\n"
		      "  priority: %u\n  podSets: [{name: main, count: 1, template: {spec: "
		      "{containers: [{name: c, resources: {requests: {gpu: %u}}}]}}}]\n",
		i, i, (100 + j->arrives) / 60, (100 + j->arrives) % 60, queues[j->queue],
		j->priority, j->gpus);
}

static const char *name_of(unsigned i, char to[16])
{
	(void)snprintf(to, 16, "ns/j%u", i);
	return to;
}

static void both_hear(struct world *w, int64_t now, fairlead_event what, unsigned i)
{
	fairlead_error err;
	char name[16];

	must(fairlead_engine_event(w->grown, now, what, name_of(i, name), &err), &err);
	must(fairlead_engine_event(w->knew, now, what, name, &err), &err);
}

static void begin_world(struct world *w, bool entitle, uint64_t seed)
{
	const char *start = entitle ? farm : lab;
	static char all[JOBS * 512];
	size_t n = 0;
	fairlead_error err;

	*w = (struct world){ .random = seed, .entitle = entitle };
	for (unsigned i = 0; i < JOBS; i++) {
		w->jobs[i] = (struct life){ .arrives = 1 + pick(w, STEPS * 3 / 4),
					    .gpus = 1 + pick(w, 5),
					    .queue = pick(w, 3),
					    .priority = pick(w, 3) };
		n += write_job(w, i, all + n, sizeof all - n);
	}
	w->grown = sealed(start);
	w->knew = engine_of(start, 0);
	must(fairlead_engine_read(w->knew, "all", all, n, &err), &err);
	must(fairlead_engine_seal(w->knew, START, &err), &err);
	for (unsigned i = 0; i < JOBS; i++) {
		char name[16];

		must(fairlead_engine_event(w->knew, START, FAIRLEAD_CANCELLED, name_of(i, name),
					   &err),
		     &err);
	}
}

/* All who come at @t, and some of those who are over go. */
static void come_and_go(struct world *w, unsigned t)
{
	static char text[JOBS * 512], names[JOBS][32];
	const char *gone[JOBS];
	size_t n = 0, n_gone = 0;
	fairlead_error err;

	for (unsigned i = 0; i < JOBS; i++) {
		struct life *j = &w->jobs[i];

		if (j->state == OVER && pick(w, 4) == 0) {
			(void)snprintf(names[n_gone], 32, "%s/ns/j%u",
				       w->entitle ? "Pod" : "Workload", i);
			gone[n_gone] = names[n_gone];
			n_gone++;
			j->state = DELETED;
		}
		if (j->state == TO_COME && j->arrives == t) {
			n += write_job(w, i, text + n, sizeof text - n);
			j->state = WAITS;
		}
	}
	if (n || n_gone)
		must(fairlead_engine_change(w->grown, "some", n ? text : NULL, n, gone, n_gone,
					    &err),
		     &err);
	for (unsigned i = 0; i < JOBS; i++) {
		char name[16];

		if (w->jobs[i].state == WAITS && w->jobs[i].arrives == t && n)
			must(fairlead_engine_event(w->knew, START + (t - 1) * SECOND,
						   FAIRLEAD_SUBMITTED, name_of(i, name), &err),
			     &err);
	}
}

static void hear(struct world *w, unsigned t)
{
	int64_t now = START + t * SECOND;

	for (unsigned i = 0; i < JOBS; i++) {
		struct life *j = &w->jobs[i];

		if (j->state == GOES && pick(w, 2) == 0) {
			both_hear(w, now, FAIRLEAD_EVICTED, i);
			j->state = WAITS;
		} else if (j->state == HOLDS && pick(w, 8) == 0) {
			both_hear(w, now, FAIRLEAD_FINISHED, i);
			j->state = OVER;
		} else if (j->state == WAITS && j->arrives < t && pick(w, 100) == 0) {
			both_hear(w, now, FAIRLEAD_CANCELLED, i);
			j->state = OVER;
		}
	}
}

static void step_both(struct world *w, unsigned t, unsigned counts[2])
{
	static struct log logs[2];
	fairlead_error err;

	memset(logs, 0, sizeof logs);
	must(fairlead_engine_step(w->grown, START + t * SECOND, note, &logs[0], &err), &err);
	must(fairlead_engine_step(w->knew, START + t * SECOND, note, &logs[1], &err), &err);
	if (strcmp(logs[0].text, logs[1].text) != 0)
		fail_msg("second %u:\ngrown: %s\nknew:  %s", t, logs[0].text, logs[1].text);
	for (unsigned i = 0; i < logs[0].n_evicted; i++)
		w->jobs[logs[0].evicted[i]].state = GOES;
	for (unsigned i = 0; i < logs[0].n_admitted; i++)
		w->jobs[logs[0].admitted[i]].state = HOLDS;
	counts[0] += logs[0].n_admitted;
	counts[1] += logs[0].n_evicted;
}

static void same_as_knowing(bool entitle)
{
	unsigned counts[2] = { 0, 0 };
	static struct world w;

	for (uint64_t seed = 1; seed <= few(12); seed++) {
		begin_world(&w, entitle, seed * 977);
		for (unsigned t = 1; t <= STEPS; t++) {
			come_and_go(&w, t);
			hear(&w, t);
			step_both(&w, t, counts);
		}
		fairlead_engine_free(w.grown);
		fairlead_engine_free(w.knew);
	}
	assert_true(counts[0] > few(12) * JOBS / 2 && counts[1] > few(12));
}

TEST(same_as_knowing_borrow) { same_as_knowing(false); }

TEST(same_as_knowing_entitle) { same_as_knowing(true); }

UNIT_GROUP("api/change")
