/* SPDX-License-Identifier: Apache-2.0 */
/* objects - texts of Workloads as an API server sends them, from a few numbers */
#ifndef FL_TESTS_UNIT_MIRROR_OBJECTS_H
#define FL_TESTS_UNIT_MIRROR_OBJECTS_H

#include <stdio.h>

enum { OBJECT = 4096 };

/* What differs between Workloads of the tests. */
struct written {
	unsigned name, uid, version, pods, priority, queue;
	bool out, reserved, admitted, evicted, finished;
	unsigned held, reserved_at, requeue;
};

static inline const char *write_workload(const struct written *w, char ret[OBJECT])
{
	size_t n = 0;

#define PUT(...) n += (size_t)snprintf(ret + n, OBJECT - n, __VA_ARGS__)
	PUT("{\"metadata\":{\"name\":\"w%u\",\"namespace\":\"ns\",\"uid\":\"u-%u\","
	    "\"resourceVersion\":\"%u\",\"creationTimestamp\":\"2026-11-01T10:00:%02uZ\","
	    "\"managedFields\":[{\"manager\":\"kueue\",\"time\":\"%u\"}],"
	    "\"annotations\":{\"kubectl.kubernetes.io/last-applied-configuration\":\"%u\"}},",
	    w->name, w->uid, w->version, w->name % 60, w->version, w->version);
	PUT("\"spec\":{\"queueName\":\"q%u\",\"priority\":%u,\"active\":%s,\"podSets\":[{\"name\":\"main\","
	    "\"count\":%u,\"template\":{\"spec\":{\"containers\":[{\"name\":\"c\",\"resources\":{"
	    "\"requests\":{\"cpu\":\"%u\",\"memory\":\"1Gi\"}}}],\"nodeSelector\":{\"zone\":\"z%u\"},"
	    "\"tolerations\":[{\"key\":\"spot\",\"operator\":\"Exists\"}]}}}]},",
	    w->queue, w->priority, w->out ? "false" : "true", w->pods + 1, w->pods + 1,
	    w->pods % 3);
	PUT("\"status\":{\"resourceRequests\":[{\"name\":\"x%u\"}],\"conditions\":["
	    "{\"type\":\"PodsReady\",\"status\":\"False\",\"reason\":\"r\"}",
	    w->version);
	if (w->reserved)
		PUT(",{\"type\":\"QuotaReserved\",\"status\":\"True\",\"reason\":\"QuotaReserved\","
		    "\"lastTransitionTime\":\"2026-11-01T11:00:%02uZ\"}",
		    w->reserved_at % 60);
	if (w->admitted)
		PUT(",{\"type\":\"Admitted\",\"status\":\"True\",\"reason\":\"Admitted\","
		    "\"lastTransitionTime\":\"2026-11-01T11:00:59Z\"}");
	if (w->evicted)
		PUT(",{\"type\":\"Evicted\",\"status\":\"True\",\"reason\":\"%s\","
		    "\"message\":\"m\",\"lastTransitionTime\":\"2026-11-01T12:00:00Z\"}",
		    w->requeue ? "PodsReadyTimeout" : "Preempted");
	if (w->finished)
		PUT(",{\"type\":\"Finished\",\"status\":\"True\",\"reason\":\"Succeeded\","
		    "\"lastTransitionTime\":\"2026-11-01T13:00:00Z\"}");
	PUT("]");
	if (w->reserved)
		PUT(",\"admission\":{\"clusterQueue\":\"cq\",\"podSetAssignments\":[{\"name\":\"main\","
		    "\"count\":%u,\"flavors\":{\"cpu\":\"f%u\",\"memory\":\"f%u\"},\"resourceUsage\":{"
		    "\"cpu\":\"%u\",\"memory\":\"1Gi\"}}]}",
		    w->pods + 1, w->held, w->held, w->pods + 1);
	if (w->requeue)
		PUT(",\"requeueState\":{\"count\":1,\"requeueAt\":\"2026-11-01T14:00:%02uZ\"}",
		    w->requeue % 60);
	PUT("}}");
#undef PUT
	return ret;
}

#endif
