/* SPDX-License-Identifier: Apache-2.0 */
/* Figures as text: each is what it says, names may be anything, and promtool has no complaint. */
#include <math.h>
#include <unistd.h>

#include "daemon/metrics/metrics_render.h"
#include "decide/entitle/entitle.h"
#include "folder.h"
#include "unit/codec/load.h"

#define QUEUE(name, cohort, quota, borrow)                                                         \
	"---\napiVersion: kueue.x-k8s.io/v1beta2\nkind: ClusterQueue\nmetadata: {name: " name      \
	"}\nspec: {namespaceSelector: {}, cohortName: " cohort                                     \
	", resourceGroups: [{coveredResources: [cpu, memory], flavors: [{name: f, resources: "     \
	"[{name: cpu, nominalQuota: " quota borrow "}, {name: memory, nominalQuota: 1Gi}]}]}]}\n"  \
	"---\napiVersion: kueue.x-k8s.io/v1beta2\nkind: LocalQueue\nmetadata: {name: " name        \
	", namespace: ns}\nspec: {clusterQueue: " name "}\n"
#define WORKLOAD(name, queue, cpu, more)                                                           \
	"---\napiVersion: kueue.x-k8s.io/v1beta2\nkind: Workload\nmetadata: {name: " name          \
	", namespace: ns, uid: " name ", creationTimestamp: '2026-01-01T00:00:00Z'}\n"             \
	"spec: {queueName: " queue ", podSets: [{name: main, count: 2, template: {spec: "          \
	"{containers: [{name: c, resources: {requests: {cpu: " cpu "}}}]}}}]}\n" more
#define RUNS(queue, cpu)                                                                           \
	"status: {admission: {clusterQueue: " queue ", podSetAssignments: [{name: main, count: "   \
	"2, flavors: {cpu: f}, resourceUsage: {cpu: " cpu "}}]}, conditions: [{type: "             \
	"QuotaReserved, status: 'True', lastTransitionTime: '2026-01-01T00:00:00Z', reason: x, "   \
	"message: x}, {type: Admitted, status: 'True', lastTransitionTime: "                       \
	"'2026-01-01T00:00:00Z', reason: x, message: x}]}\n"
#define FLAVOR "apiVersion: kueue.x-k8s.io/v1beta2\nkind: ResourceFlavor\nmetadata: {name: f}\n"
#define NAMESPACE "---\napiVersion: v1\nkind: Namespace\nmetadata: {name: ns}\n"

static const char company[] = FLAVOR NAMESPACE QUEUE("a", "company", "4", "")
	QUEUE("b", "company", "4", ", lendingLimit: 3") WORKLOAD("one", "a", "3", RUNS("a", "6"))
		WORKLOAD("two", "b", "1500m", "");

static const char kai[] =
	"apiVersion: scheduling.run.ai/v2\nkind: Queue\nmetadata: {name: top}\n"
	"spec: {resources: {cpu: {quota: -1, limit: -1}, gpu: {quota: 2, limit: -1}, memory: "
	"{quota: -1, limit: -1}}}\n"
	"---\napiVersion: scheduling.run.ai/v2\nkind: Queue\nmetadata: {name: a}\n"
	"spec: {parentQueue: top, resources: {cpu: {quota: 1000, limit: -1}, gpu: {quota: 1, "
	"limit: -1, overQuotaWeight: 1}, memory: {quota: 1, limit: -1}}}\n"
	"---\napiVersion: v1\nkind: Node\nmetadata: {name: n}\n"
	"status: {allocatable: {cpu: '8', memory: 8Gi, nvidia.com/gpu: '4', pods: '110'}, "
	"conditions: [{type: Ready, status: 'True'}]}\n"
	"---\napiVersion: v1\nkind: Pod\nmetadata: {name: p, namespace: ns, labels: "
	"{kai.scheduler/queue: a}}\n"
	"spec: {schedulerName: kai-scheduler, nodeName: n, containers: [{name: c, resources: "
	"{requests: {cpu: '1', nvidia.com/gpu: '2'}, limits: {nvidia.com/gpu: '2'}}}]}\n"
	"status: {phase: Running}\n"
	"---\napiVersion: v1\nkind: Pod\nmetadata: {name: q, namespace: ns, labels: "
	"{kai.scheduler/queue: a}}\n"
	"spec: {schedulerName: kai-scheduler, containers: [{name: c, resources: {requests: {cpu: "
	"2500m}}}]}\nstatus: {phase: Pending}\n";

/* --- a state, its text --- */

enum { MOST = 256 /* queues with series of their own */ };

struct world {
	struct fl_model *model;
	struct fl_metrics *m;
	struct fl_metrics_now now;
	char *text;
	size_t len;
};

static void begin(struct world *w, const char *manifests)
{
	struct fl_policy_options options = { .mem = &fl_mem_heap };
	fairlead_error err;

	*w = (struct world){ .model = load(manifests) };
	assert_int_equal(fl_metrics_new(MOST, &w->m, &err), 0);
	w->now.view.model = w->model;
	w->now.view.ops = fl_model_dialect(w->model) == FL_DIALECT_KAI ? &fl_entitle_policy :
									 &fl_borrow_policy;
	options.now = w->model->newest;
	assert_int_equal(w->now.view.ops->new (w->model, &options, &w->now.view.policy, &err), 0);
}

static void render(struct world *w)
{
	fairlead_error err;

	free(w->text);
	assert_int_equal(fl_metrics_render(w->m, &w->now, &w->text, &w->len, &err), 0);
	assert_int_equal(w->len, strlen(w->text));
}

static void end(struct world *w)
{
	free(w->text);
	fl_metrics_free(w->m);
	w->now.view.ops->free(w->now.view.policy);
	fl_model_free(w->model);
}

/* Stands the whole line there? */
static bool has(const struct world *w, const char *line)
{
	size_t n = strlen(line);

	for (const char *at = w->text; (at = strstr(at, line)); at++)
		if ((at == w->text || at[-1] == '\n') && at[n] == '\n')
			return true;
	return false;
}

static void check_lines(const struct world *w, const char *const *lines, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (!has(w, lines[i]))
			fail_msg("no line '%s' in\n%s", lines[i], w->text);
}

/* --- what there is --- */

TEST(borrow)
{
	static const char *const lines[] = {
		"fairlead_build_info{version=\"" FAIRLEAD_VERSION "\",policy=\"borrow\"} 1",
		"fairlead_start_time_seconds 1.5",
		"# TYPE fairlead_queue_share gauge",
		"# HELP fairlead_cohort_share The same value of a cohort.",
		"fairlead_queue_share{queue=\"a\"} 285.71428571428572", /* 2 of 7 */
		"fairlead_queue_share{queue=\"b\"} 0",
		"fairlead_cohort_share{cohort=\"company\"} 0",
		"fairlead_queue_nominal_quota{queue=\"a\",flavor=\"f\",resource=\"cpu\"} 4",
		"fairlead_queue_nominal_quota{queue=\"a\",flavor=\"f\",resource=\"memory\"} "
		"1073741824",
		"fairlead_queue_usage{queue=\"a\",flavor=\"f\",resource=\"cpu\"} 6",
		"fairlead_queue_usage{queue=\"b\",flavor=\"f\",resource=\"cpu\"} 0",
		"fairlead_queue_borrowed{queue=\"a\",flavor=\"f\",resource=\"cpu\"} 2",
		"fairlead_queue_lent{queue=\"b\",flavor=\"f\",resource=\"cpu\"} 2",
		"fairlead_cohort_subtree_quota{cohort=\"company\",flavor=\"f\",resource=\"cpu\"} 7",
		"fairlead_cohort_usage{cohort=\"company\",flavor=\"f\",resource=\"cpu\"} 6",
		"fairlead_queue_jobs{queue=\"a\",state=\"running\"} 1",
		"fairlead_queue_jobs{queue=\"b\",state=\"waiting\"} 1",
		"fairlead_queue_jobs{queue=\"b\",state=\"stopping\"} 0",
		"fairlead_queue_pending{queue=\"b\",resource=\"cpu\"} 3",
		"fairlead_queue_pending{queue=\"a\",resource=\"cpu\"} 0",
		"fairlead_jobs{state=\"held\"} 0",
		"fairlead_store_size_bytes 4096",
		"fairlead_store_failing 1",
		"fairlead_store_damaged 4",
		"fairlead_store_log_cut_pages 5",
		"fairlead_http_requests_total 12",
		"fairlead_http_requests_refused_total 3",
		"fairlead_http_connections 2",
		"fairlead_http_connections_refused_total{reason=\"full\"} 0",
		"fairlead_http_connections_refused_total{reason=\"stranger\"} 7",
		"fairlead_http_connections_refused_total{reason=\"descriptors\"} 8",
		"fairlead_http_connections_displaced_total 9",
		"fairlead_http_handshakes_failed_total 10",
		"fairlead_http_requests_without_token_total 11",
		"fairlead_watch_stale 1",
		"fairlead_restored 1",
		"fairlead_store_errors_total 2",
		"fairlead_job_losses_total{queue=\"b\"} 1",
		"process_open_fds 20",
		"process_max_fds +Inf",
		"process_cpu_seconds_total 0.5",
		"process_start_time_seconds 1.5",
	};
	struct world w;

	begin(&w, company);
	w.now.started = FL_SECOND * 3 / 2;
	w.now.store_bytes = 4096;
	w.now.store_fails = true;
	w.now.store_damaged = 4;
	w.now.store_cut = 5;
	w.now.server = (struct fl_server_figures){ .requests = 12, .refused = 3, .connections = 2 };
	w.now.server.turned_away[FL_AWAY_STRANGER] = 7;
	w.now.server.turned_away[FL_AWAY_DESCRIPTORS] = 8;
	w.now.server.gave_way = 9;
	w.now.server.handshakes_failed = 10;
	w.now.server.without_token = 11;
	w.now.restored = true;
	w.now.stale = 1;
	/* What is not known does not stand there. */
	w.now.vitals = (struct fl_vitals){ .open_fds = 20,
					   .max_fds = (double)INFINITY,
					   .cpu_seconds = 0.5,
					   .started = 1.5,
					   .resident_bytes = -1,
					   .virtual_bytes = -1 };
	fl_metrics_store_failed(w.m);
	fl_metrics_store_failed(w.m);
	fl_metrics_lost(w.m, "b");
	render(&w);
	check_lines(&w, lines, COUNT(lines));
	assert_null(strstr(w.text, "\nprocess_resident_memory_bytes "));
	assert_null(strstr(w.text, "(other)"));
	assert_null(strstr(w.text, "fairlead_queue_fair_share{"));
	w.now.stale = -1;
	render(&w);
	assert_null(strstr(w.text, "\nfairlead_watch_stale "));
	end(&w);
}

TEST(entitle)
{
	static const char *const lines[] = {
		"fairlead_build_info{version=\"" FAIRLEAD_VERSION "\",policy=\"entitle\"} 1",
		"fairlead_queue_nominal_quota{queue=\"a\",flavor=\"\",resource=\"cpu\"} 1",
		"fairlead_queue_nominal_quota{queue=\"top\",flavor=\"\",resource=\"memory\"} +Inf",
		"fairlead_queue_usage{queue=\"a\",flavor=\"\",resource=\"nvidia.com/gpu\"} 2",
		"fairlead_queue_borrowed{queue=\"a\",flavor=\"\",resource=\"nvidia.com/gpu\"} 1",
		"fairlead_queue_fair_share{queue=\"a\",resource=\"nvidia.com/gpu\"} 2",
		"fairlead_queue_jobs{queue=\"a\",state=\"running\"} 1",
		"fairlead_queue_pending{queue=\"a\",resource=\"cpu\"} 2.5",
	};
	struct world w;

	begin(&w, kai);
	render(&w);
	check_lines(&w, lines, COUNT(lines));
	assert_null(strstr(w.text, "fairlead_queue_lent{"));
	assert_null(strstr(w.text, "fairlead_cohort_usage{"));
	end(&w);
}

/* Without end, and a share without end. */
TEST(infinite)
{
	static const char text[] = FLAVOR NAMESPACE QUEUE("a", "c", "1", "")
		QUEUE("z", "c", "10E", "") WORKLOAD(
			"one", "a", "1",
			RUNS("a",
			     "2")) "---\napiVersion: kueue.x-k8s.io/v1beta2\nkind: Cohort\nmetadata: {name: "
				   "c}\nspec: {fairSharing: {weight: 0}, parentName: top}\n";
	struct world w;

	begin(&w, text);
	render(&w);
	assert_true(has(&w,
			"fairlead_queue_nominal_quota{queue=\"z\",flavor=\"f\",resource=\"cpu\"}"
			" +Inf"));
	end(&w);
}

/* --- what is counted --- */

TEST(counts)
{
	static const char *const lines[] = {
		"fairlead_jobs_submitted_total{queue=\"a\"} 5",
		"fairlead_jobs_ended_total{queue=\"b\",state=\"failed\"} 1",
		"fairlead_preemptions_total{queue=\"a\",reason=\"InCohortFairSharing\"} 2",
		"fairlead_preemptions_total{queue=\"b\",reason=\"InClusterQueue\"} 1",
		"fairlead_queue_preempts_total{queue=\"b\",reason=\"InCohortFairSharing\"} 2",
		"fairlead_preemption_loops_total 1",
		"fairlead_job_wait_seconds_bucket{queue=\"b\",le=\"1\"} 1",
		"fairlead_job_wait_seconds_bucket{queue=\"b\",le=\"3\"} 2",
		"fairlead_job_wait_seconds_bucket{queue=\"b\",le=\"259200\"} 2",
		"fairlead_job_wait_seconds_bucket{queue=\"b\",le=\"+Inf\"} 3",
		"fairlead_job_wait_seconds_count{queue=\"b\"} 3",
		"fairlead_cycle_seconds_bucket{le=\"0.0001\"} 1",
		"fairlead_cycle_seconds_bucket{le=\"0.01\"} 2",
		"fairlead_cycle_seconds_count 2",
		"fairlead_generation_seconds_count 1",
		"fairlead_commit_seconds_sum 0.5",
		"fairlead_journal_rows_total 7",
	};
	struct world w;

	begin(&w, company);
	render(&w);
	assert_true(has(&w, "fairlead_cycle_seconds_count 0"));
	assert_null(strstr(w.text, "fairlead_job_wait_seconds_count"));
	fl_metrics_submitted(w.m, "b", 1);
	fl_metrics_submitted(w.m, "a", 2);
	fl_metrics_submitted(w.m, "a", 3);
	fl_metrics_ended(w.m, "b", FL_JOB_FAILED);
	fl_metrics_preempted(w.m, "a", "b", FL_REASON_IN_COHORT_FAIR_SHARING);
	fl_metrics_preempted(w.m, "a", "b", FL_REASON_IN_COHORT_FAIR_SHARING);
	fl_metrics_preempted(w.m, "b", /* by= */ NULL, FL_REASON_IN_CLUSTER_QUEUE);
	fl_metrics_loop(w.m);
	fl_metrics_waited(w.m, "b", FL_SECOND);
	fl_metrics_waited(w.m, "b", FL_SECOND + 1);
	fl_metrics_waited(w.m, "b", 1000000 * FL_SECOND);
	fl_metrics_cycle(w.m, -5); /* a clock that is set back */
	fl_metrics_cycle(w.m, FL_SECOND / 200);
	fl_metrics_generation(w.m, FL_SECOND);
	fl_metrics_committed(w.m, FL_SECOND / 2, 7);
	render(&w);
	check_lines(&w, lines, COUNT(lines));
	assert_null(strstr(w.text, "fairlead_queue_preempts_total{queue=\"a\""));
	end(&w);
}

/* --- many, and odd ones --- */

static char *many_queues(unsigned n)
{
	char *text = NULL;
	size_t len;
	FILE *f = open_memstream(&text, &len);

	fputs(FLAVOR NAMESPACE, f);
	for (unsigned i = 0; i < n; i++)
		fprintf(f,
			"---\napiVersion: kueue.x-k8s.io/v1beta2\nkind: ClusterQueue\nmetadata: "
			"{name: q%04u}\nspec: {namespaceSelector: {}, cohortName: c, "
			"resourceGroups: [{coveredResources: [cpu], flavors: [{name: f, resources: "
			"[{name: cpu, nominalQuota: 2}]}]}]}\n",
			i);
	fclose(f);
	return text;
}

static unsigned count_lines(const char *text, const char *begins)
{
	unsigned n = 0;

	for (const char *at = text; (at = strstr(at, begins)); at++)
		n++;
	return n;
}

/* A label has so many values at most, whatever there is. */
TEST(bounded)
{
	static const char *const lines[] = {
		"fairlead_queue_nominal_quota{queue=\"(other)\",flavor=\"f\",resource=\"cpu\"} 88",
		"fairlead_queue_jobs{queue=\"(other)\",state=\"waiting\"} 0",
		"fairlead_queue_pending{queue=\"(other)\",resource=\"cpu\"} 0",
		"fairlead_jobs_submitted_total{queue=\"(other)\"} 44",
		"fairlead_job_wait_seconds_count{queue=\"(other)\"} 44",
		"fairlead_metrics_left_out{kind=\"queue\"} 44",
		"fairlead_metrics_left_out{kind=\"cohort\"} 0",
	};
	char *text = many_queues(MOST + 44), name[16];
	struct world w;

	begin(&w, text);
	free(text);
	for (unsigned i = 0; i < MOST + 44; i++) {
		(void)snprintf(name, sizeof name, "q%04u", i * 7 % (MOST + 44));
		fl_metrics_submitted(w.m, name, 1);
		fl_metrics_waited(w.m, name, FL_SECOND);
	}
	render(&w);
	check_lines(&w, lines, COUNT(lines));
	assert_int_equal(count_lines(w.text, "\nfairlead_queue_share{"), MOST);
	assert_int_equal(count_lines(w.text, "\nfairlead_queue_nominal_quota{"), MOST + 1);
	assert_int_equal(count_lines(w.text, "\nfairlead_jobs_submitted_total{"), MOST + 1);
	end(&w);
}

/* No queue has series of its own: all is in the sums. */
TEST(sums_only)
{
	static const char *const lines[] = {
		"fairlead_queue_nominal_quota{queue=\"(other)\",flavor=\"f\",resource=\"cpu\"} 6",
		"fairlead_jobs_submitted_total{queue=\"(other)\"} 2",
		"fairlead_metrics_left_out{kind=\"queue\"} 3",
		"fairlead_metrics_left_out{kind=\"cohort\"} 1",
	};
	char *text = many_queues(3);
	fairlead_error err;
	struct world w;

	begin(&w, text);
	free(text);
	fl_metrics_free(w.m);
	assert_int_equal(fl_metrics_new(0, &w.m, &err), 0);
	fl_metrics_submitted(w.m, "q0000", 2);
	render(&w);
	check_lines(&w, lines, COUNT(lines));
	assert_null(strstr(w.text, "queue=\"q"));
	assert_null(strstr(w.text, "cohort=\"c"));
	end(&w);
}

static const char odd[] = FLAVOR NAMESPACE QUEUE("\"q\\\"uo\\\\te\\nline\\u00e9\"", "\"c\\\"\\n\"",
						 "1", "");

TEST(odd_names)
{
	struct world w;

	begin(&w, odd);
	fl_metrics_submitted(w.m, "\\\"\n", 1);
	render(&w);
	assert_true(has(&w, "fairlead_queue_share{queue=\"q\\\"uo\\\\te\\nline\xc3\xa9\"} 0"));
	assert_true(has(&w, "fairlead_jobs_submitted_total{queue=\"\\\\\\\"\\n\"} 1"));
	end(&w);
}

/* --- promtool --- */

static void check_by_promtool(const struct folder *here, const char *manifests)
{
	char command[600];
	struct world w;

	begin(&w, manifests);
	fl_metrics_waited(w.m, "a", FL_SECOND);
	fl_metrics_submitted(w.m, "a", 1);
	fl_metrics_ended(w.m, "a", FL_JOB_DONE);
	fl_metrics_preempted(w.m, "a", "a", FL_REASON_IN_CLUSTER_QUEUE);
	render(&w);
	folder_write(here, "metrics", w.text);
	(void)snprintf(command, sizeof command, "promtool check metrics <%s 1>&2",
		       folder_path(here, "metrics"));
	if (system(command) != 0)
		fail_msg("promtool complains of\n%s", w.text);
	end(&w);
}

TEST(promtool)
{
	struct folder here;
	char *many;

	if (system("command -v promtool >/dev/null") != 0)
		skip(); /* tools/bootstrap gets it */
	many = many_queues(MOST + 44);
	folder_make(&here);
	check_by_promtool(&here, company);
	check_by_promtool(&here, kai);
	check_by_promtool(&here, odd);
	check_by_promtool(&here, many);
	folder_gone(&here);
	free(many);
}

/* Each row says what it is, and its name how it is counted. */
TEST(rows)
{
	for (int i = 0; i < FL_METRICS; i++) {
		const struct fl_metric_row *row = &fl_metric_rows[i];
		size_t n = strlen(row->name);
		bool total = n > 6 && strcmp(row->name + n - 6, "_total") == 0;

		CHECK(strncmp(row->name, "fairlead_", 9) == 0 ||
			      strncmp(row->name, "process_", 8) == 0,
		      row->name);
		CHECK(total == (strcmp(row->type, "counter") == 0), row->name);
		CHECK(*row->help && row->help[strlen(row->help) - 1] == '.', row->name);
		CHECK(!strstr(row->labels, "job") && !strstr(row->labels, "user"), row->name);
	}
}

UNIT_GROUP("metrics")
