/* SPDX-License-Identifier: Apache-2.0 */
/*
 * watch - what a daemon that watches a cluster costs: from the first object to ready, and each change then
 *
 * usage: watch STATE-FOLDER [WORKLOADS [CHANGES]]
 *
 * Objects of 3 kB, as an API server sends them, in queues of 100; without the network, TLS and a server.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#include "daemon/cluster/cluster.h"

enum { OBJECT = 8192, OF_QUEUE = 100 };

static double seconds(void)
{
	struct rusage u;

	(void)getrusage(RUSAGE_SELF, &u);
	return (double)(u.ru_utime.tv_sec + u.ru_stime.tv_sec) +
	       (double)(u.ru_utime.tv_usec + u.ru_stime.tv_usec) / 1e6;
}

static double wall(void)
{
	struct timespec t;

	(void)clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static long status_kb(const char *key)
{
	FILE *f = fopen("/proc/self/status", "re");
	char line[256];
	long kb = 0;

	while (f && fgets(line, sizeof line, f))
		if (strncmp(line, key, strlen(key)) == 0)
			kb = strtol(line + strlen(key), NULL, 10);
	if (f)
		(void)fclose(f);
	return kb;
}

static void complain(void *user, const fairlead_error *err)
{
	(void)user;
	(void)fprintf(stderr, "%s\n", err->text);
	exit(1);
}

/* @team: the namespace, and the queue of that name. */
static size_t write_workload(char *to, unsigned i, unsigned team, bool held, unsigned version)
{
	static char filler[1800];
	size_t n = 0;

	memset(filler, 'x', sizeof filler - 1);
#define PUT(...) n += (size_t)snprintf(to + n, OBJECT - n, __VA_ARGS__)
	PUT("{\"metadata\":{\"name\":\"job-train-%06u-a1b2c\",\"namespace\":\"team-%u\",\"uid\":"
	    "\"00000000-0000-4000-8000-%012u\",\"resourceVersion\":\"%u\",\"generation\":1,"
	    "\"creationTimestamp\":\"2026-11-01T10:00:00Z\",\"labels\":{\"kueue.x-k8s.io/job-uid\":\"%012u\"},"
	    "\"ownerReferences\":[{\"apiVersion\":\"batch/v1\",\"kind\":\"Job\",\"name\":\"train-%06u\",\"uid\":\"%012u\","
	    "\"controller\":true}],\"managedFields\":[{\"manager\":\"kueue\",\"fieldsV1\":{\"f:x\":\"%s\"}}]},",
	    i, team, i, version, i, i, i, filler);
	PUT("\"spec\":{\"queueName\":\"main\",\"priority\":%u,\"active\":true,\"podSets\":[{\"name\":\"main\",\"count\":1,"
	    "\"template\":{\"metadata\":{},\"spec\":{\"containers\":[{\"name\":\"c\",\"image\":\"registry/x:1\",\"resources\":"
	    "{\"requests\":{\"cpu\":\"%u\",\"memory\":\"1Gi\"}},\"imagePullPolicy\":\"IfNotPresent\"}],\"restartPolicy\":"
	    "\"Never\"}}}]},\"status\":{\"conditions\":[",
	    i % 3, 1 + i % 4);
	if (held)
		PUT("{\"type\":\"QuotaReserved\",\"status\":\"True\",\"reason\":\"QuotaReserved\",\"message\":\"m\","
		    "\"lastTransitionTime\":\"2026-11-01T11:00:00Z\"},{\"type\":\"Admitted\",\"status\":\"True\",\"reason\":"
		    "\"Admitted\",\"message\":\"m\",\"lastTransitionTime\":\"2026-11-01T11:00:00Z\"}],\"admission\":{"
		    "\"clusterQueue\":\"team-%u\",\"podSetAssignments\":[{\"name\":\"main\",\"count\":1,\"flavors\":{\"cpu\":"
		    "\"default\",\"memory\":\"default\"},\"resourceUsage\":{\"cpu\":\"%u\",\"memory\":\"1Gi\"}}]}}}",
		    team, 1 + i % 4);
	else
		PUT("{\"type\":\"QuotaReserved\",\"status\":\"False\",\"reason\":\"Pending\",\"message\":\"m\","
		    "\"lastTransitionTime\":\"2026-11-01T10:00:01Z\"}]}}");
	return n;
}

static void see(struct fl_cluster *c, enum fl_mirror_kind kind, const char *text, size_t n)
{
	fairlead_error err = { 0 };

	if (fl_cluster_seen(c, kind, text, n, &err) < 0)
		complain(NULL, &err);
}

static void see_queues(struct fl_cluster *c, enum fl_mirror_kind kind, unsigned n)
{
	char text[1024];

	for (unsigned i = 0; i <= n / OF_QUEUE; i++) {
		if (kind == FL_MIRROR_NAMESPACE)
			(void)snprintf(text, sizeof text, "{\"metadata\":{\"name\":\"team-%u\"}}",
				       i);
		else if (kind == FL_MIRROR_LOCAL_QUEUE)
			(void)snprintf(
				text, sizeof text,
				"{\"metadata\":{\"name\":\"main\",\"namespace\":\"team-%u\"},\"spec\":{"
				"\"clusterQueue\":\"team-%u\"}}",
				i, i);
		else
			(void)snprintf(
				text, sizeof text,
				"{\"metadata\":{\"name\":\"team-%u\"},\"spec\":{\"cohortName\":\"all\","
				"\"namespaceSelector\":{},\"resourceGroups\":[{\"coveredResources\":[\"cpu\","
				"\"memory\"],\"flavors\":[{\"name\":\"default\",\"resources\":[{\"name\":\"cpu\","
				"\"nominalQuota\":\"100\"},{\"name\":\"memory\",\"nominalQuota\":\"100Gi\"}]}]}]}}",
				i);
		see(c, kind, text, strlen(text));
	}
}

static void settle(uv_loop_t *loop, const struct fl_cluster *c)
{
	while (!fl_cluster_is_settled(c))
		(void)uv_run(loop, UV_RUN_ONCE);
}

static int by_time(const void *a, const void *b)
{
	const double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

int main(int argc, char **argv)
{
	const unsigned n = argc > 2 ? (unsigned)strtoul(argv[2], NULL, 10) : 10000;
	const unsigned changes = argc > 3 ? (unsigned)strtoul(argv[3], NULL, 10) : 1000;
	static const char flavor[] = "{\"metadata\":{\"name\":\"default\"},\"spec\":{}}";
	struct fl_cluster_options o = { .namespace = "fairlead",
					.name = "fairlead",
					.kueue_namespace = "kueue-system",
					.kueue_name = "kueue-manager-config",
					.broken = complain };
	fairlead_error err = { 0 };
	struct fl_cluster *c;
	uv_loop_t loop;
	char *text = malloc(OBJECT);
	double *took = calloc(changes + 1, sizeof *took), begin, writing = 0, w;
	uint64_t generations, events;
	unsigned version = n;

	if (argc < 2 || !text || !took || uv_loop_init(&loop) != 0) {
		(void)fprintf(stderr, "usage: watch STATE-FOLDER [WORKLOADS [CHANGES]]\n");
		return 2;
	}
	o.loop = &loop;
	o.state = argv[1];
	if (fl_cluster_new(&o, &c, &err) < 0)
		complain(NULL, &err);
	(void)printf("begun: %ld kB\n", status_kb("VmRSS:"));
	begin = seconds();
	w = wall();
	for (enum fl_mirror_kind k = 0; k < FL_MIRROR_KINDS; k++) {
		fl_cluster_begun(c, k, NULL);
		if (k == FL_MIRROR_FLAVOR)
			see(c, k, flavor, sizeof flavor - 1);
		if (k == FL_MIRROR_NAMESPACE || k == FL_MIRROR_LOCAL_QUEUE ||
		    k == FL_MIRROR_CLUSTER_QUEUE)
			see_queues(c, k, n);
		for (unsigned i = 0; k == FL_MIRROR_WORKLOAD && i < n; i++) {
			const double at = seconds();
			const size_t len = write_workload(text, i, i / OF_QUEUE, i % OF_QUEUE < 40,
							  i);

			writing += seconds() - at;
			see(c, k, text, len);
		}
		if (k == FL_MIRROR_WORKLOAD)
			(void)printf(
				"heard: %.2f s of processor time, %.2f s, mirror %.1f bytes a Workload, %ld kB\n",
				seconds() - begin - writing, wall() - w,
				(double)fl_mirror_bytes(fl_cluster_mirror(c)) / n,
				status_kb("VmRSS:"));
		fl_cluster_listed(c, k);
	}
	settle(&loop, c);
	(void)printf(
		"ready: %u Workloads, %.2f s of processor time, %.2f s, %ld kB, at most %ld kB\n",
		n, seconds() - begin - writing, wall() - w, status_kb("VmRSS:"),
		status_kb("VmHWM:"));

	begin = seconds();
	for (unsigned i = 0; i < changes; i++) {
		/* One that waits gets quota, one that has it ends, a new one comes, by turns. */
		const unsigned which = i % 3 == 2 ? n + i : (i * 7919) % n;
		const unsigned team = which < n ? which / OF_QUEUE : i * 31 % (n / OF_QUEUE);
		const size_t len = write_workload(text, which, team, i % 3 == 0, ++version);
		const double at = wall();

		if (i % 3 == 1) {
			char namespace[32], name[40];

			(void)snprintf(namespace, sizeof namespace, "team-%u", team);
			(void)snprintf(name, sizeof name, "job-train-%06u-a1b2c", which);
			if (fl_cluster_removed(c, FL_MIRROR_WORKLOAD, namespace, name, &err) < 0)
				complain(NULL, &err);
		} else {
			see(c, FL_MIRROR_WORKLOAD, text, len);
		}
		settle(&loop, c);
		took[i] = wall() - at;
	}
	fl_cluster_counts(c, &generations, &events);
	qsort(took, changes, sizeof *took, by_time);
	if (changes)
		(void)printf(
			"changes: %.0f us of processor time each, until they are in the view %.0f us, 99 of 100 "
			"within %.0f us; %" PRIu64 " generations, %" PRIu64 " events\n",
			(seconds() - begin) / changes * 1e6, took[changes / 2] * 1e6,
			took[changes * 99 / 100] * 1e6, generations, events);
	free(took);
	free(text);
	return 0;
}
