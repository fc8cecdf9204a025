/* SPDX-License-Identifier: Apache-2.0 */
/* The public interface alone: this file sees <fairlead/fairlead.h> and nothing else of the project. */
#include <fairlead/fairlead.h>

#include "lib/unit.h"

#define SECOND INT64_C(1000000000)

/* Two teams of 4 GPUs each; red runs 6, and blue wants its own back. */
static const char manifests[] =
	"{\"apiVersion\":\"config.kueue.x-k8s.io/v1beta2\",\"kind\":\"Configuration\",\"fairSharing\":{}}\n"
	"{\"apiVersion\":\"kueue.x-k8s.io/v1beta2\",\"kind\":\"ResourceFlavor\",\"metadata\":{\"name\":\"a100\"}}\n"
#define QUEUE(name)                                                                                              \
	"{\"apiVersion\":\"kueue.x-k8s.io/v1beta2\",\"kind\":\"ClusterQueue\",\"metadata\":{\"name\":\"" name    \
	"\"},\"spec\":{\"cohortName\":\"lab\",\"namespaceSelector\":{},\"preemption\":{\"reclaimWithinCohort\":" \
	"\"Any\"},\"resourceGroups\":[{\"coveredResources\":[\"gpu\"],\"flavors\":[{\"name\":\"a100\","          \
	"\"resources\":[{\"name\":\"gpu\",\"nominalQuota\":4}]}]}]}}\n"                                          \
	"{\"apiVersion\":\"kueue.x-k8s.io/v1beta2\",\"kind\":\"LocalQueue\",\"metadata\":{\"namespace\":\"ns\"," \
	"\"name\":\"" name "\"},\"spec\":{\"clusterQueue\":\"" name "\"}}\n"
	QUEUE("red") QUEUE("blue")
#define JOB(name, queue, gpus, rest)                                                                           \
	"{\"apiVersion\":\"kueue.x-k8s.io/v1beta2\",\"kind\":\"Workload\",\"metadata\":{\"namespace\":\"ns\"," \
	"\"name\":\"" name "\",\"uid\":\"" name                                                                \
	"\",\"creationTimestamp\":\"2026-01-01T00:00:00Z\"},\"spec\":{"                                        \
	"\"queueName\":\"" queue                                                                               \
	"\",\"podSets\":[{\"name\":\"main\",\"count\":1,\"template\":{\"spec\":{"                              \
	"\"containers\":[{\"name\":\"c\",\"resources\":{\"requests\":{\"gpu\":" gpus                           \
	"}}}]}}}]}" rest "}\n"
#define HOLDS(queue, gpus)                                                                               \
	",\"status\":{\"admission\":{\"clusterQueue\":\"" queue                                          \
	"\",\"podSetAssignments\":[{\"name\":\"main\","                                                  \
	"\"count\":1,\"flavors\":{\"gpu\":\"a100\"},\"resourceUsage\":{\"gpu\":" gpus                    \
	"}}]},\"conditions\":["                                                                          \
	"{\"type\":\"QuotaReserved\",\"status\":\"True\",\"reason\":\"QuotaReserved\",\"message\":\"\"," \
	"\"lastTransitionTime\":\"2026-01-01T00:00:01Z\"}]}"
		JOB("r1", "red", "3", HOLDS("red", "3")) JOB("r2", "red", "3", HOLDS("red", "3"))
			JOB("b1", "blue", "2", "") JOB("b2", "blue", "2", "");

struct log {
	char text[1024];
};

static void note(void *user, const fairlead_decision *d)
{
	static const char *const words[] = { "admit", "reserve", "evict", "wait" };
	struct log *log = user;
	size_t at = strlen(log->text);

	(void)snprintf(log->text + at, sizeof log->text - at, "%s %s %s %s%s%s", words[d->kind],
		       d->workload, d->cluster_queue, d->reason, d->preemptor ? " for " : "",
		       d->preemptor ? d->preemptor : "");
	for (size_t i = 0; i < d->n_placements; i++) {
		at = strlen(log->text);
		(void)snprintf(log->text + at, sizeof log->text - at, " %s:%dx%s=%lld@%s",
			       d->placements[i].podset, (int)d->placements[i].count,
			       d->placements[i].resource, (long long)d->placements[i].amount,
			       d->placements[i].flavor);
	}
	at = strlen(log->text);
	(void)snprintf(log->text + at, sizeof log->text - at, "; ");
}

static fairlead_engine *open_engine(void)
{
	fairlead_engine *e = NULL;
	fairlead_error err;

	if (fairlead_engine_new(NULL, &e, &err) < 0 ||
	    fairlead_engine_read(e, "lab.json", manifests, sizeof manifests - 1, &err) < 0 ||
	    fairlead_engine_seal(e, 100 * SECOND, &err) < 0)
		fail_msg("%s:%u: %s: %s", err.file, err.line, err.subject, err.text);
	return e;
}

static void step_is(fairlead_engine *e, int64_t second, const char *expected)
{
	struct log log = { "" };
	fairlead_error err;

	assert_int_equal(fairlead_engine_step(e, second * SECOND, note, &log, &err), 0);
	assert_string_equal(log.text, expected);
}

/* What a Policy holds up for a while is looked at when the time has come. */
TEST(wakes_in_time)
{
	static const char policy[] =
		"{\"apiVersion\":\"fairlead.dev/v1alpha1\",\"kind\":\"Policy\","
		"\"metadata\":{\"name\":\"p\"},"
		"\"spec\":{\"defaults\":{\"preemptionDelay\":\"5m\"}}}";
	fairlead_engine *e = NULL;
	fairlead_error err;
	int64_t wake;

	assert_int_equal(fairlead_engine_new(NULL, &e, &err), 0);
	assert_int_equal(fairlead_engine_read(e, "lab.json", manifests, sizeof manifests - 1, &err),
			 0);
	assert_int_equal(fairlead_engine_read(e, "p.json", policy, sizeof policy - 1, &err), 0);
	assert_true(fairlead_engine_wake(e, 0) == FAIRLEAD_NEVER);
	assert_int_equal(fairlead_engine_seal(e, 100 * SECOND, &err), 0);
	for (int64_t second = 101; second < 110; second++)
		assert_int_equal(fairlead_engine_step(e, second * SECOND, NULL, NULL, &err), 0);
	wake = fairlead_engine_wake(e, 110 * SECOND);
	assert_true(wake == (1767225600 + 300) * SECOND); /* five minutes after it was created */
	step_is(e, wake / SECOND,
		"reserve ns/b2 blue WaitingForPreemptedWorkloads main:1xgpu=2@a100; "
		"evict ns/r1 red InCohortReclamation for ns/b2; ");
	assert_true(fairlead_engine_wake(e, wake) == FAIRLEAD_NEVER);
	fairlead_engine_free(e);
}

TEST(a_day_in_the_lab)
{
	fairlead_engine *e = open_engine();
	fairlead_error err;
	fairlead_share share;
	struct log log = { "" };
	uint32_t mark;

	assert_int_equal(fairlead_engine_share(e, FAIRLEAD_CLUSTER_QUEUE, "red", &share, &err), 0);
	assert_true(share.precise == 250 && share.weight == 1 && share.borrowing);
	assert_string_equal(share.dominant, "gpu");
	assert_int_equal(fairlead_engine_try(e, 100 * SECOND, "ns/b2", note, &log, &err), 0);
	assert_string_equal(log.text, "admit ns/b2 blue Fits main:1xgpu=2@a100; ");

	assert_int_equal(fairlead_engine_mark(e, &mark, &err), 0);
	step_is(e, 101, "admit ns/b1 blue Fits main:1xgpu=2@a100; ");
	step_is(e, 102,
		"reserve ns/b2 blue WaitingForPreemptedWorkloads main:1xgpu=2@a100; "
		"evict ns/r1 red InCohortReclamation for ns/b2; ");
	fairlead_engine_rollback(e, mark);
	/* Nothing of that happened: the same again. */
	step_is(e, 101, "admit ns/b1 blue Fits main:1xgpu=2@a100; ");
	step_is(e, 102,
		"reserve ns/b2 blue WaitingForPreemptedWorkloads main:1xgpu=2@a100; "
		"evict ns/r1 red InCohortReclamation for ns/b2; ");
	assert_int_equal(fairlead_engine_event(e, 103 * SECOND, FAIRLEAD_EVICTED, "ns/r1", &err),
			 0);
	step_is(e, 104,
		"admit ns/b2 blue Fits main:1xgpu=2@a100; "
		"wait ns/r1 red NoLongerFits; ");
	assert_int_equal(fairlead_engine_event(e, 105 * SECOND, FAIRLEAD_FINISHED, "ns/r2", &err),
			 0);
	step_is(e, 106, "admit ns/r1 red Fits main:1xgpu=3@a100; ");
	assert_int_equal(fairlead_engine_event(e, 107 * SECOND, FAIRLEAD_SUBMITTED, "ns/r2", &err),
			 0);
	assert_int_equal(fairlead_engine_event(e, 107 * SECOND, FAIRLEAD_CANCELLED, "ns/r2", &err),
			 0);
	step_is(e, 108, "");
	e = fairlead_engine_free(e);
	assert_null(e);
}

TEST(refusals)
{
	fairlead_engine *e = NULL, *sealed = open_engine();
	fairlead_error err;
	fairlead_share share;
	struct log log = { "" };

	assert_int_equal(fairlead_engine_new(NULL, &e, &err), 0);
	assert_int_equal(fairlead_engine_step(e, 0, note, &log, &err), FAIRLEAD_ESTATE);
	assert_string_equal(err.text, "the engine is not sealed yet");
	assert_int_equal(fairlead_engine_read(e, "x.yaml", "kind: [", 7, &err), FAIRLEAD_EINPUT);
	assert_string_equal(err.file, "x.yaml");
	assert_true(err.line == 1 && err.column == 8 && err.text[0]);
	assert_int_equal(fairlead_engine_read(e, "y", "{}", 2, &err), FAIRLEAD_ESTATE);
	assert_string_equal(err.text, "the input was refused: the engine can only be freed");
	assert_int_equal(fairlead_engine_seal(e, 0, &err), FAIRLEAD_ESTATE);
	fairlead_engine_rollback(e, 0);
	e = fairlead_engine_free(e);

	assert_int_equal(fairlead_engine_read(sealed, "y", "{}", 2, &err), FAIRLEAD_ESTATE);
	assert_int_equal(fairlead_engine_seal(sealed, 0, &err), FAIRLEAD_ESTATE);
	assert_int_equal(fairlead_engine_try(sealed, 0, "ns/nobody", note, &log, &err),
			 FAIRLEAD_ENOENT);
	assert_string_equal(err.text, "no workload 'ns/nobody' (name it namespace/name)");
	assert_int_equal(fairlead_engine_try(sealed, 0, "b1", NULL, NULL, &err), FAIRLEAD_ENOENT);
	assert_int_equal(fairlead_engine_event(sealed, 0, FAIRLEAD_EVICTED, "ns/b1", &err),
			 FAIRLEAD_ESTATE);
	assert_string_equal(err.text, "workload 'ns/b1' holds no quota");
	assert_int_equal(fairlead_engine_share(sealed, FAIRLEAD_COHORT, "red", &share, &err),
			 FAIRLEAD_ENOENT);
	assert_string_equal(err.text, "no Cohort 'red'");
	/* An error struct is a courtesy, not a must. */
	assert_int_equal(fairlead_engine_try(sealed, 0, "ns/r1", NULL, NULL, NULL),
			 FAIRLEAD_ESTATE);
	assert_int_equal(fairlead_engine_notices(sealed), 0);
	sealed = fairlead_engine_free(sealed);
	assert_null(fairlead_engine_free(NULL));
}

/* --- options of other versions --- */

/* As a caller of another version has them: so many bytes, and one that may be set. */
struct sized {
	size_t size, set;  /* set: a byte that is not zero; 0: none */
	int code, resizes; /* resizes: the allocator was taken over */
	const char *text;
};

static int taken; /* how often somebody's allocator was asked */

static void *count(void *user, void *old, size_t size)
{
	(void)user;
	taken++;
	if (size == 0) {
		free(old);
		return NULL;
	}
	return realloc(old, size);
}

static void new_is(const struct sized *row)
{
	_Alignas(fairlead_engine_options) unsigned char bytes[8192] = { 0 };
	fairlead_engine_options known = FAIRLEAD_ENGINE_OPTIONS_INIT;
	fairlead_engine *e = NULL;
	fairlead_error err = { 0 };

	known.size = row->size;
	known.resize = count;
	memcpy(bytes, &known, sizeof known);
	if (row->size >= sizeof known.size && row->size < sizeof known)
		memset(bytes + row->size, 0x5a, sizeof known - row->size); /* not the caller's */
	bytes[row->set] |= row->set != 0;
	taken = 0;
	int r = fairlead_engine_new((void *)bytes, &e, &err);
	if (r != row->code || (taken > 0) != row->resizes || strcmp(err.text, row->text) != 0)
		fail_msg("%zu bytes, byte %zu set: %d, %d times asked, '%s'", row->size, row->set,
			 r, taken, err.text);
	fairlead_engine_free(e);
}

TEST(options_grow)
{
	enum {
		SIZE = sizeof(fairlead_engine_options),
		RESIZE = offsetof(fairlead_engine_options, resize),
		USER = offsetof(fairlead_engine_options, user),
		POLICY = offsetof(fairlead_engine_options, policy),
	};
	char none[128], huge[128], later[128];
	const struct sized rows[] = {
		{ SIZE, 0, 0, 1, "" },
		/* Older: that much was there. */
		{ POLICY, 0, 0, 1, "" },
		{ USER, 0, 0, 1, "" },
		{ USER - 1, 0, 0, 0, "" }, /* half a pointer is none */
		{ RESIZE, 0, 0, 0, "" },
		/* Newer, and nothing of it is used; and the same, but for a byte. */
		{ SIZE + 8, 0, 0, 1, "" },
		{ 4096, 0, 0, 1, "" },
		{ SIZE + 8, SIZE + 7, FAIRLEAD_EINPUT, 0, later },
		{ SIZE + 8, SIZE + 8, 0, 1, "" }, /* behind it is not looked at */
		/* Never set. */
		{ 0, 0, FAIRLEAD_EINPUT, 0, none },
		{ 4097, 0, FAIRLEAD_EINPUT, 0, huge },
	};

	(void)snprintf(none, sizeof none,
		       "options of 0 bytes: set `size` to "
		       "sizeof(fairlead_engine_options)");
	(void)snprintf(huge, sizeof huge,
		       "options of 4097 bytes: set `size` to "
		       "sizeof(fairlead_engine_options)");
	(void)snprintf(later, sizeof later,
		       "byte %d of the options is not zero, and this version knows %d bytes",
		       SIZE + 7, SIZE);
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
		new_is(&rows[i]);
}

UNIT_GROUP("api")
