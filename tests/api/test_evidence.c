/* SPDX-License-Identifier: Apache-2.0 */
/* Why a program's decision is as it is, and what would be if: through the public interface alone. */
#include <fairlead/fairlead.h>
#include <math.h>

#include "lib/unit.h"

#define SECOND INT64_C(1000000000)

#define KUEUE "---\napiVersion: kueue.x-k8s.io/v1beta2\n"
#define QUEUE(name)                                                                                \
	KUEUE "kind: ClusterQueue\nmetadata: {name: " name                                         \
	      "}\nspec:\n  cohortName: lab\n  namespaceSelector: {}\n"                             \
	      "  preemption: {reclaimWithinCohort: Any}\n"                                         \
	      "  resourceGroups: [{coveredResources: [gpu], flavors: [{name: a100, "               \
	      "resources: [{name: gpu, nominalQuota: 4}]}]}]\n" KUEUE                              \
	      "kind: LocalQueue\nmetadata: {namespace: ns, name: " name                            \
	      "}\nspec: {clusterQueue: " name "}\n"
#define JOB(name, queue, gpus)                                                                     \
	KUEUE "kind: Workload\nmetadata: {namespace: ns, name: " name                              \
	      ", creationTimestamp: \"1970-01-01T00:00:00Z\"}\nspec:\n  queueName: " queue         \
	      "\n  podSets: [{name: main, count: 1, template: {spec: {containers: [{name: c, "     \
	      "resources: {requests: {gpu: " gpus "}}}]}}}]\n"

static const char lab[] =
	"apiVersion: config.kueue.x-k8s.io/v1beta2\nkind: Configuration\nfairSharing: {}\n"
	"---\napiVersion: v1\nkind: Namespace\nmetadata: {name: ns}\n" KUEUE
	"kind: ResourceFlavor\nmetadata: {name: a100}\n" QUEUE("red") QUEUE("blue")
		JOB("r1", "red", "7") JOB("b1", "blue", "3") JOB("b2", "blue", "9");

static const char farm[] = "apiVersion: v1\nkind: Node\nmetadata: {name: m}\n"
			   "status: {allocatable: {cpu: 64, memory: 64Gi, nvidia.com/gpu: 4}, "
			   "conditions: [{type: Ready, status: \"True\"}]}\n"
#define TEAM(name, parent)                                                                         \
	"---\napiVersion: scheduling.run.ai/v2\nkind: Queue\nmetadata: {name: " name               \
	"}\nspec:\n  " parent "resources: {cpu: {quota: -1, limit: -1}, "                          \
	"memory: {quota: -1, limit: -1}, gpu: {quota: 0, overQuotaWeight: 1, limit: -1}}\n"
	TEAM("all", "") TEAM("red", "parentQueue: all\n  ")
#define TASK(name, gpus)                                                                           \
	"---\napiVersion: v1\nkind: Pod\nmetadata: {namespace: ns, name: " name                    \
	", labels: {kai.scheduler/queue: red}}\nspec: {schedulerName: kai-scheduler, "             \
	"containers: [{name: c, resources: {requests: {nvidia.com/gpu: " gpus "}}}]}\n"
		TASK("a", "3") TASK("b", "2");

struct log {
	char text[8192];
};

static void add(struct log *log, const char *text)
{
	size_t at = strlen(log->text);

	(void)snprintf(log->text + at, sizeof log->text - at, "%s", text);
}

static void note(void *user, const fairlead_decision *d)
{
	static const char *const words[] = { "admit", "reserve", "evict", "wait" };
	char line[512];

	(void)snprintf(line, sizeof line, "%s %s %s; ", words[d->kind], d->workload, d->reason);
	add(user, line);
}

static void number(char to[64], const fairlead_number *n)
{
	static const char *const marks[] = { "", "share ", "time ", "for ", "", "ratio " };

	if (n->kind == FAIRLEAD_NUMBER_SHARE || n->kind >= FAIRLEAD_NUMBER_BUNDLE)
		(void)snprintf(to, 64, "%s%.6g", marks[n->kind], n->value);
	else
		(void)snprintf(to, 64, "%s%lld", marks[n->kind], (long long)n->amount);
}

static void hear(void *user, const fairlead_evidence *row)
{
	char line[512], lhs[64], rhs[64];

	number(lhs, &row->lhs);
	number(rhs, &row->rhs);
	(void)snprintf(line, sizeof line, "%s@%s%s%s/%s/%s%s%s: %s, %s: %s; ", row->check,
		       row->node, row->podset[0] ? "." : "", row->podset, row->flavor,
		       row->resource, row->victim[0] ? " of " : "", row->victim, lhs, rhs,
		       row->holds ? "yes" : "no");
	add(user, line);
	assert_true(row->meaning[0] && row->workload[0]);
}

static void must(int r, const fairlead_error *err)
{
	if (r < 0)
		fail_msg("%d: %s: %s", r, err->subject, err->text);
}

static fairlead_engine *engine_of(const char *text)
{
	fairlead_engine *e = NULL;
	fairlead_error err;

	must(fairlead_engine_new(NULL, &e, &err), &err);
	must(fairlead_engine_read(e, "start", text, strlen(text), &err), &err);
	must(fairlead_engine_seal(e, SECOND, &err), &err);
	return e;
}

static void step_is(fairlead_engine *e, const char *expected)
{
	struct log log = { "" };
	fairlead_error err;

	must(fairlead_engine_step(e, 2 * SECOND, note, &log, &err), &err);
	assert_string_equal(log.text, expected);
}

static void explain_is(fairlead_engine *e, const char *workload, const char *expected)
{
	struct log log = { "" };
	fairlead_error err;

	must(fairlead_engine_explain(e, 2 * SECOND, workload, hear, note, &log, &err), &err);
	assert_string_equal(log.text, expected);
}

TEST(reasons)
{
	fairlead_engine *e = engine_of(lab);
	struct log log = { "" };
	fairlead_error err;

	must(fairlead_engine_event(e, SECOND, FAIRLEAD_CANCELLED, "ns/b1", &err), &err);
	step_is(e, "wait ns/b2 ExceedsMaxQuota; admit ns/r1 Fits; ");
	must(fairlead_engine_event(e, SECOND, FAIRLEAD_SUBMITTED, "ns/b1", &err), &err);
	explain_is(
		e, "ns/b1",
		"FlavorMatches@blue.main/a100/: 0, 0: yes; "
		"PotentialAvailable@blue.main/a100/gpu: 3, 8: yes; "
		"Available@blue.main/a100/gpu: 3, 1: no; Nominal@blue.main/a100/gpu: 3, 4: yes; WithinNominal@blue/a100/gpu: 3, 4: yes; "
		"VictimPolicy@blue//: 0, 0: no; VictimPriority@red// of ns/r1: 0, 0: yes; VictimPriority@red// of ns/r1: 0, 0: yes; "
		"FitsWithoutVictims@blue/a100/gpu of ns/r1: 3, 8: yes; WithinNominal@blue/a100/gpu: 3, 4: yes; "
		"VictimPolicy@blue//: 0, 0: no; VictimPriority@red// of ns/r1: 0, 0: yes; VictimPriority@red// of ns/r1: 0, 0: yes; "
		"FitsWithoutVictims@blue/a100/gpu of ns/r1: 3, 8: yes; "
		"FitsWithoutVictims@blue/a100/gpu: 3, 8: yes; "
		"reserve ns/b1 WaitingForPreemptedWorkloads; evict ns/r1 InCohortReclamation; ");
	explain_is(e, "ns/b2",
		   "FlavorMatches@blue.main/a100/: 0, 0: yes; "
		   "PotentialAvailable@blue.main/a100/gpu: 9, 8: no; wait ns/b2 ExceedsMaxQuota; ");
	/* Nothing of that happened, and either listener may be missing. */
	must(fairlead_engine_explain(e, 2 * SECOND, "ns/b1", NULL, note, &log, &err), &err);
	assert_true(strncmp(log.text, "reserve ns/b1", 13) == 0);
	must(fairlead_engine_explain(e, 2 * SECOND, "ns/b1", hear, NULL, &log, &err), &err);
	must(fairlead_engine_explain(e, 2 * SECOND, "ns/b1", NULL, NULL, NULL, &err), &err);
	assert_int_equal(fairlead_engine_explain(e, SECOND, "ns/r1", hear, note, &log, &err),
			 FAIRLEAD_ESTATE);
	assert_int_equal(fairlead_engine_explain(e, SECOND, "ns/x", hear, note, &log, &err),
			 FAIRLEAD_ENOENT);
	fairlead_engine_free(e);
}

TEST(reasons_of_entitle)
{
	fairlead_engine *e = engine_of(farm);

	step_is(e, "admit ns/a Fits; wait ns/b OverFairShare; ");
	explain_is(
		e, "ns/b",
		"Room@red//nvidia.com/gpu: 2, 1: no; RoomLater@red//cpu: 0, 64000: yes; "
		"RoomLater@red//memory: 0, 6.87195e+10: yes; RoomLater@red//nvidia.com/gpu: 2, 1: no; "
		"CanReclaim@red//cpu: 0, 0: yes; CanReclaim@red//memory: 0, 0: yes; CanReclaim@red//nvidia.com/gpu: 5, 4: no; "
		"VictimPriority@red// of ns/a: 50, 50: no; wait ns/b OverFairShare; ");
	fairlead_engine_free(e);
}

/* --- what if --- */

static void what_if_is(fairlead_engine *e, const fairlead_cell *cell, const char *expected)
{
	fairlead_error err;
	uint32_t mark;

	must(fairlead_engine_mark(e, &mark, &err), &err);
	must(fairlead_engine_set(e, 2 * SECOND, cell, &err), &err);
	step_is(e, expected);
	fairlead_engine_rollback(e, mark);
}

TEST(what_if)
{
	const fairlead_cell quota = { .kind = FAIRLEAD_CELL_NOMINAL,
				      .node = FAIRLEAD_CLUSTER_QUEUE,
				      .name = "blue",
				      .flavor = "a100",
				      .resource = "gpu",
				      .amount = 12 };
	const fairlead_cell first = { .kind = FAIRLEAD_CELL_PRIORITY,
				      .name = "ns/b2",
				      .amount = 5 };
	fairlead_cell limit = quota;
	fairlead_engine *e = engine_of(lab);
	fairlead_error err;

	step_is(e, "admit ns/b1 Fits; wait ns/r1 NoLongerFits; ");
	what_if_is(e, &quota, "admit ns/b2 Fits; wait ns/r1 NoLongerFits; ");
	what_if_is(e, &first, "wait ns/b2 ExceedsMaxQuota; wait ns/r1 PreemptionNoCandidates; ");
	limit.kind = FAIRLEAD_CELL_BORROWING_LIMIT;
	limit.name = "red";
	limit.amount = 0;
	what_if_is(e, &limit, "wait ns/b2 ExceedsMaxQuota; wait ns/r1 ExceedsMaxQuota; ");
	/* And without a mark it stays. */
	must(fairlead_engine_set(e, 2 * SECOND, &quota, &err), &err);
	step_is(e, "admit ns/b2 Fits; wait ns/r1 NoLongerFits; ");
	fairlead_engine_free(e);
}

TEST(what_if_of_entitle)
{
	const fairlead_cell room = { .kind = FAIRLEAD_CELL_ALLOCATABLE,
				     .name = "m",
				     .resource = "nvidia.com/gpu",
				     .value = 5 };
	const fairlead_cell limit = {
		.kind = FAIRLEAD_CELL_LIMIT, .name = "red", .resource = "nvidia.com/gpu", .value = 2
	};
	fairlead_engine *e = engine_of(farm);

	what_if_is(e, &room, "admit ns/a Fits; admit ns/b Fits; ");
	what_if_is(e, &limit, "admit ns/b Fits; wait ns/a OverLimit; ");
	step_is(e, "admit ns/a Fits; wait ns/b OverFairShare; ");
	fairlead_engine_free(e);
}

static const struct {
	fairlead_cell cell;
	int code;
	const char *text;
} wrong[] = {
	{ { .kind = (fairlead_cell_kind)99 }, FAIRLEAD_ESTATE, "no such kind of cell" },
	{ { .kind = FAIRLEAD_CELL_NOMINAL, .name = "x", .flavor = "a100", .resource = "gpu" },
	  FIELDS(FAIRLEAD_ENOENT, "no ClusterQueue 'x'") },
	{ { .kind = FAIRLEAD_CELL_NOMINAL, .node = FAIRLEAD_COHORT, .name = "red" },
	  FIELDS(FAIRLEAD_ENOENT, "no Cohort 'red'") },
	{ { .kind = FAIRLEAD_CELL_NOMINAL, .node = (fairlead_node_kind)9, .name = "red" },
	  FIELDS(FAIRLEAD_ENOENT, "no such kind of node") },
	{ { .kind = FAIRLEAD_CELL_NOMINAL, .name = "red", .flavor = "x", .resource = "gpu" },
	  FIELDS(FAIRLEAD_ENOENT, "no ResourceFlavor 'x'") },
	{ { .kind = FAIRLEAD_CELL_NOMINAL, .name = "red", .flavor = "a100", .resource = "x" },
	  FIELDS(FAIRLEAD_ENOENT, "no resource 'x'") },
	{ { .kind = FAIRLEAD_CELL_NOMINAL,
	    .name = "red",
	    .flavor = "a100",
	    .resource = "gpu",
	    .amount = -2 },
	  FIELDS(FAIRLEAD_EINPUT, "a negative quota or limit") },
	{ { .kind = FAIRLEAD_CELL_WEIGHT, .name = "red", .value = (double)INFINITY },
	  FIELDS(FAIRLEAD_EINPUT, "a value that is not a number") },
	{ { .kind = FAIRLEAD_CELL_PRIORITY, .name = "ns/x" },
	  FIELDS(FAIRLEAD_ENOENT, "no workload 'ns/x' (name it namespace/name)") },
	{ { .kind = FAIRLEAD_CELL_LIMIT, .name = "red", .resource = "gpu" },
	  FIELDS(FAIRLEAD_ENOENT, "no Queue 'red'") },
	{ { .kind = FAIRLEAD_CELL_ALLOCATABLE, .name = "m", .resource = "gpu" },
	  FIELDS(FAIRLEAD_ENOENT, "no Node 'm'") },
};

TEST(refusals)
{
	fairlead_engine *e = engine_of(lab), *open = NULL;
	fairlead_error err;

	for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
		int r = fairlead_engine_set(e, SECOND, &wrong[i].cell, &err);

		if (r != wrong[i].code || strcmp(err.text, wrong[i].text) != 0)
			fail_msg("%zu: %d %s", i, r, err.text);
	}
	fairlead_engine_free(e);
	must(fairlead_engine_new(NULL, &open, &err), &err);
	assert_int_equal(fairlead_engine_set(open, SECOND, &wrong[1].cell, &err), FAIRLEAD_ESTATE);
	fairlead_engine_free(open);
}

UNIT_GROUP("api/evidence")
