/* SPDX-License-Identifier: Apache-2.0 */
/* Events about decisions that cannot be sent: how many of them wait, which are wanted, and what becomes of them. */
#include "base/limits.h"
#include "base/time.h"
#include "daemon/cluster/scheduler/state.h"
#include "lib/unit.h"
#include "unit/daemon/folder.h"
#include "unit/daemon/watched.h"

enum { LOG = 4096 };

#define DAEMON(events)                                                                             \
	"{\"metadata\":{\"name\":\"fairlead\",\"namespace\":\"fairlead\"},\"data\":{\"d\":"        \
	"\"apiVersion: fairlead.dev/v1alpha1\\nkind: Daemon\\nmetadata: {name: d}\\n"              \
	"spec: {events: " events "}\\n\"}}"
#define WORKLOAD(reason)                                                                           \
	"{\"metadata\":{\"name\":\"w\",\"namespace\":\"ns\",\"uid\":\"u\",\"resourceVersion\":"    \
	"\"7\",\"creationTimestamp\":\"2026-11-01T10:00:00Z\"},\"spec\":{\"queueName\":\"q\","     \
	"\"podSets\":[{\"name\":\"main\",\"count\":1,\"template\":{\"spec\":{\"containers\":[{"    \
	"\"name\":\"c\",\"resources\":{\"requests\":{\"cpu\":\"1\"}}}]}}}]},\"status\":{"          \
	"\"admission\":{\"clusterQueue\":\"cq\",\"podSetAssignments\":[{\"name\":\"main\","        \
	"\"count\":1,\"flavors\":{\"cpu\":\"f\"},\"resourceUsage\":{\"cpu\":\"1\"}}]},"            \
	"\"conditions\":[{\"type\":\"QuotaReserved\",\"status\":\"True\",\"reason\":\"r\","        \
	"\"lastTransitionTime\":\"2026-11-01T11:00:00Z\"},{\"type\":\"Evicted\",\"status\":"       \
	"\"True\",\"reason\":\"" reason "\",\"message\":\"m\","                                    \
	"\"lastTransitionTime\":\"2026-11-01T12:00:00Z\"}]}}"

struct world {
	struct folder folder;
	uv_loop_t loop;
	struct fl_cluster *cluster;
	struct fl_scheduler s; /* which decides nothing, and sends nothing */
	char log[LOG];
	bool closed;
};

static void note(void *user, const char *line)
{
	struct world *w = user;
	size_t n = strlen(w->log);

	(void)snprintf(w->log + n, sizeof w->log - n, "%s\n", line);
}

static void on_closed(void *user) { ((struct world *)user)->closed = true; }

static void see(struct world *w, enum fl_mirror_kind kind, const char *text)
{
	fairlead_error err = { 0 };

	assert_int_equal(fl_cluster_seen(w->cluster, kind, text, strlen(text), &err), 0);
}

static void begin(struct world *w, const char *daemon, const char *workload)
{
	struct fl_cluster_options o = watched_options(&w->loop, w->folder.path, w);
	fairlead_error err = { 0 };

	*w = (struct world){ .closed = false };
	folder_make(&w->folder);
	o.log = note;
	assert_int_equal(uv_loop_init(&w->loop), 0);
	assert_int_equal(fl_cluster_new(&o, &w->cluster, &err), 0);
	for (enum fl_mirror_kind k = 0; k < FL_MIRROR_KINDS; k++) {
		fl_cluster_begun(w->cluster, k, NULL);
		if (k == FL_MIRROR_CONFIG_MAP)
			see(w, k, daemon);
		if (k == FL_MIRROR_WORKLOAD)
			see(w, k, workload);
		fl_cluster_listed(w->cluster, k);
	}
	while (!fl_cluster_is_settled(w->cluster))
		(void)uv_run(&w->loop, UV_RUN_ONCE);
	assert_string_equal(w->log, "");
	w->s.o.cluster = w->cluster;
}

static void end(struct world *w)
{
	fl_decision_events_done(&w->s.decision_events);
	fl_cluster_close(w->cluster, on_closed, w);
	while (!w->closed)
		(void)uv_run(&w->loop, UV_RUN_ONCE);
	fl_cluster_free(w->cluster);
	assert_int_equal(uv_loop_close(&w->loop), 0);
	folder_gone(&w->folder);
}

/* An eviction that was decided at 12:00:00 and @more: is there an Event of it more? */
static bool put(struct world *w, enum fl_reason reason, fl_time more)
{
	const struct fl_mirror_object *o = fl_mirror_find(w->cluster->mirror, FL_MIRROR_WORKLOAD,
							  "ns", "w");
	struct fl_intent intent = { .evicts = true, .reason = reason, .message = (char[]){ "m" } };
	const uint32_t before = w->s.decision_events.n;
	fairlead_error err;

	assert_non_null(o);
	assert_int_equal(fl_time_parse("2026-11-01T12:00:00Z", 20, &intent.decided, &err), 0);
	intent.decided += more;
	fl_decision_events_put(&w->s, &intent, o);
	assert_in_range(w->s.decision_events.n - before, 0, 1);
	return w->s.decision_events.n > before;
}

TEST(of_which_there_are_any)
{
	static const struct {
		const char *daemon, *workload;
		enum fl_reason reason;
		fl_time more;
		bool is;
	} rows[] = {
		{ DAEMON("preempted"), WORKLOAD("ClusterQueueStopped"),
		  FL_REASON_CLUSTER_QUEUE_STOPPED, 0, true },
		{ DAEMON("all"), WORKLOAD("ClusterQueueStopped"), FL_REASON_CLUSTER_QUEUE_STOPPED,
		  0, true },
		{ DAEMON("none"), WORKLOAD("ClusterQueueStopped"), FL_REASON_CLUSTER_QUEUE_STOPPED,
		  0, false },
		/* conditions have whole seconds */
		{ DAEMON("all"), WORKLOAD("ClusterQueueStopped"), FL_REASON_CLUSTER_QUEUE_STOPPED,
		  FL_SECOND - 1, true },
		/* it was evicted, at another time, or for another cause */
		{ DAEMON("all"), WORKLOAD("ClusterQueueStopped"), FL_REASON_CLUSTER_QUEUE_STOPPED,
		  FL_SECOND, false },
		{ DAEMON("all"), WORKLOAD("ClusterQueueStopped"), FL_REASON_CLUSTER_QUEUE_STOPPED,
		  -1, false },
		{ DAEMON("all"), WORKLOAD("PodsReadyTimeout"), FL_REASON_CLUSTER_QUEUE_STOPPED, 0,
		  false },
	};

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct world w;

		begin(&w, rows[i].daemon, rows[i].workload);
		if (put(&w, rows[i].reason, rows[i].more) != rows[i].is)
			fail_msg("row %zu", i);
		assert_string_equal(w.log, "");
		end(&w);
	}
}

TEST(so_many_wait_and_further_ones_are_left_out)
{
	enum { MORE = 5 };
	static const char begins[] = "Events about decisions are left out: decisions come faster "
				     "than Events may be written\n";
	char log[LOG];
	struct world w;

	begin(&w, DAEMON("preempted"), WORKLOAD("ClusterQueueStopped"));
	for (uint32_t i = 0; i < FL_MAX_KUBE_EVENTS; i++)
		assert_true(put(&w, FL_REASON_CLUSTER_QUEUE_STOPPED, 0));
	assert_string_equal(w.log, "");
	for (uint32_t i = 0; i < MORE; i++)
		assert_false(put(&w, FL_REASON_CLUSTER_QUEUE_STOPPED, 0));
	assert_int_equal(w.s.tellings[FL_TELLING_DROPPED], MORE);
	assert_string_equal(w.log, begins);
	/* It leads no more. */
	fl_decision_events_stop(&w.s);
	assert_int_equal(w.s.decision_events.n, 0);
	assert_int_equal(w.s.tellings[FL_TELLING_DROPPED], FL_MAX_KUBE_EVENTS + MORE);
	(void)snprintf(log, sizeof log, "%s%d Events about decisions were left out\n", begins,
		       FL_MAX_KUBE_EVENTS + MORE);
	assert_string_equal(w.log, log);
	/* And again. */
	assert_true(put(&w, FL_REASON_CLUSTER_QUEUE_STOPPED, 0));
	assert_int_equal(w.s.decision_events.n, 1);
	assert_int_equal(w.s.decision_events.left_out, 0);
	end(&w);
}

UNIT_GROUP("decision-events")
