/* SPDX-License-Identifier: Apache-2.0 */
/*
 * scheduler - a small scheduler for a minute: jobs arrive, are admitted, and end
 *
 * Two teams share 8 GPUs.  Each second the program collects what has happened, tells the engine of
 * it, has it decide, and does what was decided; here that is to note when a job will end.  The
 * clock is a number that it counts up: a real one would read it, and sleep until
 * fairlead_engine_wake, or until something happens.
 */
#include <fairlead/fairlead.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SECOND INT64_C(1000000000)
#define START (INT64_C(1767225600) * SECOND) /* 2026-01-01T00:00:00Z */

#define KUEUE "---\napiVersion: kueue.x-k8s.io/v1beta2\n"
#define TEAM(name)                                                                                 \
	KUEUE "kind: ClusterQueue\n"                                                               \
	      "metadata: {name: " name "}\n"                                                       \
	      "spec:\n"                                                                            \
	      "  cohortName: lab\n"                                                                \
	      "  namespaceSelector: {}\n"                                                          \
	      "  preemption: {reclaimWithinCohort: Any}\n"                                         \
	      "  resourceGroups:\n"                                                                \
	      "  - coveredResources: [gpu]\n"                                                      \
	      "    flavors: [{name: any, resources: [{name: gpu, nominalQuota: 4}]}]\n" KUEUE      \
	      "kind: LocalQueue\n"                                                                 \
	      "metadata: {namespace: lab, name: " name "}\n"                                       \
	      "spec: {clusterQueue: " name "}\n"

static const char cluster[] =
	"apiVersion: config.kueue.x-k8s.io/v1beta2\nkind: Configuration\nfairSharing: {}\n"
	"---\napiVersion: v1\nkind: Namespace\nmetadata: {name: lab}\n" KUEUE
	"kind: ResourceFlavor\nmetadata: {name: any}\n" TEAM("red") TEAM("blue");

enum state { TO_COME, WAITS, RUNS, MUST_GO, OVER, GONE };

static struct job {
	const char *name, *team;
	int gpus, arrives, takes; /* seconds; what it has run before it had to go is lost */
	enum state state;
	int ends;
} jobs[] = {
	{ "lab/train-1", "red", 3, 1, 40, TO_COME, 0 },
	{ "lab/train-2", "red", 3, 1, 25, TO_COME, 0 },
	{ "lab/train-3", "red", 2, 2, 20, TO_COME, 0 },
	{ "lab/serve-1", "blue", 2, 10, 30, TO_COME, 0 },
	{ "lab/serve-2", "blue", 2, 12, 10, TO_COME, 0 },
	{ "lab/batch-1", "blue", 4, 20, 12, TO_COME, 0 },
};

enum { JOBS = sizeof jobs / sizeof *jobs };

static int second;

static struct job *find(const char *name)
{
	for (int i = 0; i < JOBS; i++)
		if (strcmp(jobs[i].name, name) == 0)
			return &jobs[i];
	abort(); /* the engine knows of no others */
}

/* What would start and stop processes. */
static void carry_out(void *user, const fairlead_decision *d)
{
	struct job *job = find(d->workload);

	(void)user;
	switch (d->kind) {
	case FAIRLEAD_ADMIT:
		job->state = RUNS;
		job->ends = second + job->takes;
		printf("%2d s  start %s in %s\n", second, d->workload, d->cluster_queue);
		break;
	case FAIRLEAD_EVICT:
		job->state = MUST_GO;
		printf("%2d s  stop  %s for %s\n", second, d->workload, d->preemptor);
		break;
	case FAIRLEAD_RESERVE:
	case FAIRLEAD_WAIT:
		printf("%2d s  hold  %s: %s\n", second, d->workload, d->sentence);
		break;
	}
}

/* What comes now as manifests, and the names of those whose end is told already. */
static int change(fairlead_engine *e, fairlead_error *err)
{
	char text[4096] = "", names[JOBS][64];
	const char *removed[JOBS];
	size_t n = 0, n_removed = 0;

	for (int i = 0; i < JOBS; i++) {
		struct job *job = &jobs[i];

		if (job->state == TO_COME && job->arrives <= second) {
			n += (size_t)snprintf(
				text + n, sizeof text - n,
				KUEUE "kind: Workload\nmetadata: {namespace: lab, name: %s}\n"
				      "spec:\n  queueName: %s\n  podSets:\n"
				      "  - {name: main, count: 1, template: {spec: {containers: "
				      "[{name: c, resources: {requests: {gpu: %d}}}]}}}\n",
				strchr(job->name, '/') + 1, job->team, job->gpus);
			job->state = WAITS;
		} else if (job->state == OVER) {
			(void)snprintf(names[n_removed], sizeof names[0], "Workload/%s", job->name);
			removed[n_removed] = names[n_removed];
			n_removed++;
			job->state = GONE;
		}
	}
	return n || n_removed ? fairlead_engine_change(e, "jobs", n ? text : NULL, n, removed,
						       n_removed, err) :
				0;
}

static int one_second(fairlead_engine *e, fairlead_error *err)
{
	int64_t now = START + second * SECOND;
	int r = 0;

	for (int i = 0; i < JOBS && r == 0; i++) {
		struct job *job = &jobs[i];

		if (job->state == RUNS && job->ends == second) {
			printf("%2d s  done  %s\n", second, job->name);
			job->state = OVER;
			r = fairlead_engine_event(e, now, FAIRLEAD_FINISHED, job->name, err);
		} else if (job->state == MUST_GO) { /* it had a second to write down what it has */
			job->state = WAITS;
			r = fairlead_engine_event(e, now, FAIRLEAD_EVICTED, job->name, err);
		}
	}
	if (r == 0)
		r = change(e, err);
	return r < 0 ? r : fairlead_engine_step(e, now, carry_out, NULL, err);
}

int main(void)
{
	fairlead_engine_options options = FAIRLEAD_ENGINE_OPTIONS_INIT;
	fairlead_engine *e = NULL;
	fairlead_error err;
	int r;

	options.flags = FAIRLEAD_KEEP_OBJECTS;
	r = fairlead_engine_new(&options, &e, &err);
	if (r == 0)
		r = fairlead_engine_read(e, "cluster", cluster, sizeof cluster - 1, &err);
	if (r == 0)
		r = fairlead_engine_seal(e, START, &err);
	for (second = 1; second <= 60 && r == 0; second++)
		r = one_second(e, &err);
	if (r < 0)
		fprintf(stderr, "%s:%u: %s: %s\n", err.file, (unsigned)err.line, err.subject,
			err.text);
	e = fairlead_engine_free(e);
	return r < 0;
}
