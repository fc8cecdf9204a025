/* SPDX-License-Identifier: Apache-2.0 */
/* The entitle policy through the public interface alone. */
#include <fairlead/fairlead.h>

#include "lib/unit.h"

#define SECOND INT64_C(1000000000)
#define HOUR (3600 * SECOND)

/* Red and blue have equal weights over one machine of 4 GPUs; red holds all of it. */
static const char farm[] =
	"apiVersion: v1\nkind: Node\nmetadata: {name: m}\n"
	"status: {allocatable: {cpu: 64, memory: 64Gi, nvidia.com/gpu: 4}, "
	"conditions: [{type: Ready, status: \"True\"}]}\n"
	"---\napiVersion: kai.scheduler/v1\nkind: SchedulingShard\nmetadata: {name: s}\n"
	"spec: {kValue: 1, usageDBConfig: {clientType: prometheus, connectionString: x, "
	"usageParams: {windowSize: 10h}}}\n"
#define TEAM(name, parent)                                                                         \
	"---\napiVersion: scheduling.run.ai/v2\nkind: Queue\nmetadata: {name: " name               \
	"}\nspec:\n  " parent "resources: {cpu: {quota: -1, limit: -1}, "                          \
	"memory: {quota: -1, limit: -1}, gpu: {quota: 0, overQuotaWeight: 1, limit: -1}}\n"
	TEAM("lab", "") TEAM("red", "parentQueue: lab\n  ") TEAM("blue", "parentQueue: lab\n  ")
#define TASK(name, queue, bound, phase)                                                            \
	"---\napiVersion: v1\nkind: Pod\nmetadata: {namespace: ns, name: " name                    \
	", labels: {kai.scheduler/queue: " queue "}, creationTimestamp: "                          \
	"\"1970-01-01T00:00:00Z\"}\nspec: {schedulerName: kai-scheduler, " bound                   \
	"containers: [{name: c, resources: {requests: {nvidia.com/gpu: 4}}}]}\n"                   \
	"status: {phase: " phase "}\n"
		TASK("r1", "red", "nodeName: m, ", "Running") TASK("b1", "blue", "", "Pending");

/* Ten hours before the clock starts: the machine was there, and idle. */
static const char idle[] =
	"apiVersion: fairlead.dev/v1alpha1\nkind: UsageHistory\nmetadata: {name: h}\nspec: {samples: ["
	"{from: \"1969-12-31T14:00:00Z\", to: \"1970-01-01T00:00:00Z\", "
	"capacity: {cpu: 64, memory: 64Gi, gpu: 4}}]}\n";

static const char borrowed[] =
	"apiVersion: kueue.x-k8s.io/v1beta2\nkind: ClusterQueue\nmetadata: {name: q}\nspec: {}\n";

struct log {
	char text[512];
};

static void note(void *user, const fairlead_decision *d)
{
	static const char *const words[] = { "admit", "reserve", "evict", "wait" };
	struct log *log = user;
	size_t at = strlen(log->text);

	(void)snprintf(log->text + at, sizeof log->text - at, "%s %s of %s: %d, %s%s%s%s%s; ",
		       words[d->kind], d->workload, d->cluster_queue, (int)d->pods, d->reason,
		       d->preemptor ? " for " : "", d->preemptor ? d->preemptor : "",
		       d->n_placements ? " on " : "",
		       d->n_placements ? d->placements[0].machine : "");
}

static fairlead_engine *engine_of(const char *first, const char *second, fairlead_policy policy,
				  int seals)
{
	fairlead_engine_options options = FAIRLEAD_ENGINE_OPTIONS_INIT;
	fairlead_engine *e = NULL;
	fairlead_error err;

	options.policy = policy;
	if (fairlead_engine_new(&options, &e, &err) < 0 ||
	    fairlead_engine_read(e, "1", first, strlen(first), &err) < 0 ||
	    (second && fairlead_engine_read(e, "2", second, strlen(second), &err) < 0))
		fail_msg("%s:%u: %s: %s", err.file, err.line, err.subject, err.text);
	if (fairlead_engine_seal(e, 0, &err) != seals)
		fail_msg("%s", err.text);
	return e;
}

static void step_is(fairlead_engine *e, int64_t now, const char *expected)
{
	struct log log = { "" };
	fairlead_error err;

	assert_int_equal(fairlead_engine_step(e, now, note, &log, &err), 0);
	assert_string_equal(log.text, expected);
}

static fairlead_standing standing_of(fairlead_engine *e, const char *queue)
{
	fairlead_standing s;
	fairlead_error err;

	assert_int_equal(fairlead_engine_standing(e, queue, &s, &err), 0);
	return s;
}

/* What is held from seal on counts by itself, until red's share is gone and blue may reclaim. */
TEST(usage_moves)
{
	fairlead_engine *e = engine_of(farm, idle, FAIRLEAD_POLICY_OF_INPUT, 0);
	fairlead_error err;

	step_is(e, HOUR, "wait ns/b1 of blue: 0, OverFairShare; ");
	assert_true(standing_of(e, "red").allocated.gpu == 4);
	assert_true(standing_of(e, "red").usage.gpu == 0.1);
	assert_true(standing_of(e, "lab").fair_share.gpu == 4);
	step_is(e, 20 * HOUR,
		"evict ns/r1 of red: 1, Reclaim for ns/b1; "
		"reserve ns/b1 of blue: 1, Reserved on m; ");
	assert_true(standing_of(e, "red").usage.gpu > 0.99);
	assert_true(standing_of(e, "red").fair_share.gpu == 0);
	assert_int_equal(fairlead_engine_event(e, 20 * HOUR, FAIRLEAD_EVICTED, "ns/r1", &err), 0);
	step_is(e, 20 * HOUR + SECOND,
		"admit ns/b1 of blue: 1, Fits on m; "
		"wait ns/r1 of red: 0, OverFairShare; ");
	fairlead_engine_free(e);
}

TEST(policies)
{
	fairlead_engine *e = engine_of(farm, borrowed, FAIRLEAD_POLICY_OF_INPUT, FAIRLEAD_EINPUT);
	fairlead_engine_options options = FAIRLEAD_ENGINE_OPTIONS_INIT;
	fairlead_standing standing;
	fairlead_share share;
	fairlead_error err;

	fairlead_engine_free(e);
	e = engine_of(farm, borrowed, FAIRLEAD_POLICY_ENTITLE, 0);
	assert_int_equal(fairlead_engine_share(e, FAIRLEAD_CLUSTER_QUEUE, "q", &share, &err),
			 FAIRLEAD_ENOENT);
	assert_int_equal(fairlead_engine_standing(e, "red", &standing, &err), 0);
	fairlead_engine_free(e);
	e = engine_of(farm, borrowed, FAIRLEAD_POLICY_BORROW, 0);
	assert_int_equal(fairlead_engine_standing(e, "red", &standing, &err), FAIRLEAD_ENOENT);
	assert_int_equal(fairlead_engine_share(e, FAIRLEAD_CLUSTER_QUEUE, "q", &share, &err), 0);
	fairlead_engine_free(e);
	options.policy = (fairlead_policy)7;
	assert_int_equal(fairlead_engine_new(&options, &e, &err), FAIRLEAD_EINPUT);
	assert_string_equal(err.text, "policy 7 of the options is none that this version knows");
}

UNIT_GROUP("entitle")
