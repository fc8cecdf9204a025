/* SPDX-License-Identifier: Apache-2.0 */
/* metrics - prints doc/guide/metrics.md from the table that the daemon renders by */
#include <stdio.h>
#include <string.h>

static const struct {
	const char *type, *name, *unit, *labels, *help, *kueue, *kai;
} rows[] = {
#define FL_METRIC(id, type, name, unit, labels, help, kueue, kai)                                  \
	{ type, name, unit, labels, help, kueue, kai },
#include "daemon/metrics/metrics.def"
#undef FL_METRIC
};

/* "a,b" as "`a`, `b`"; with @before before each. */
static void put_names(const char *names, const char *before)
{
	for (const char *at = names; *at;) {
		size_t n = strcspn(at, ",");

		printf("%s`%s%.*s`", at == names ? "" : ", ", before, (int)n, at);
		at += n + strspn(at + n, ", ");
	}
}

int main(void)
{
	puts("# Metrics\n\n"
	     "`GET /metrics` on the socket gives figures for Prometheus:\n\n"
	     "```\n"
	     "curl --unix-socket /run/fairlead/fairlead.sock http://localhost/metrics\n"
	     "```\n\n"
	     "Prometheus asks over TCP, and the daemon has none. A relay beside it can pass them on: `socat\n"
	     "TCP-LISTEN:9184,bind=127.0.0.1,fork UNIX-CONNECT:/run/fairlead/fairlead.sock` as a service, or\n"
	     "a cron job that writes the text for node_exporter's textfile collector. All clients of that port\n"
	     "are, for the daemon, the relay's user: give it no rights.\n\n"
	     "Amounts are cores, bytes, or plain units. No series has a label for a job or a user: in each\n"
	     "metric as many queues as [`metrics.queues`](daemon.md#the-configuration) says, 256 unless told\n"
	     "otherwise, have series of their own, the first ones by name (of counters those that were counted\n"
	     "first), and the rest together is `(other)` (not of shares, which have no sum);\n"
	     "`fairlead_metrics_left_out` says how many queues that are. Counters begin at 0 when the daemon starts; `GET /v1/history` is exact over\n"
	     "restarts. This page is printed from the daemon's table and compared with it in the tests;\n"
	     "`promtool` checks what is rendered.\n\n"
	     "| metric | labels | what it is | unit |\n|---|---|---|---|");
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		printf("| `%s` (%s) | ", rows[i].name, rows[i].type);
		put_names(rows[i].labels, "");
		printf(" | %s | %s |\n", rows[i].help, rows[i].unit);
	}
	puts("\n## How much it is\n\n"
	     "Queues with pending jobs, three resources and one flavor, each with series of its own; then the same\n"
	     "when a job has also run and ended in each. Measured on two cores; that of 10,000 queues in which jobs\n"
	     "have ended is ten times that of 1,000.\n\n"
	     "| `metrics.queues` | series | bytes | time | jobs have ended: series | bytes |\n"
	     "|---|---|---|---|---|---|\n"
	     "| 256 | 5,200 | 0.4 MB | 5 ms | 9,800 | 0.7 MB |\n"
	     "| 1,000 | 20,100 | 1.5 MB | 20 ms | 38,100 | 2.6 MB |\n"
	     "| 10,000 | 200,100 | 14.5 MB | 0.2 s | 381,000 | 26 MB |\n\n"
	     "Of more than 1,000 queues and cohorts a copy of the process writes it, as it answers other long\n"
	     "questions, and the daemon goes on meanwhile.\n\n"
	     "## Dashboard\n\n"
	     "`deploy/grafana.json` is a dashboard for Grafana (import it, and choose the Prometheus that asks\n"
	     "the daemon): shares, pending jobs and demand, waits and preemptions of the queues that are chosen,\n"
	     "and how the daemon is. The tests run each of its queries by Prometheus against a daemon with jobs.");
	puts("\n## What others call them\n\n"
	     "Kueue's names begin with `kueue_`, KAI's with its scheduler's prefix, if any. Some count\n"
	     "differently: Kueue's cohorts'\n"
	     "reservations are those of all queues below; KAI's shares are one metric for each resource,\n"
	     "memory in GB.\n\n"
	     "| here | Kueue | KAI |\n|---|---|---|");
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		if (!*rows[i].kueue && !*rows[i].kai)
			continue;
		printf("| `%s` | ", rows[i].name);
		put_names(rows[i].kueue, "kueue_");
		printf(" | ");
		put_names(rows[i].kai, "");
		puts(" |");
	}
	puts("\n## Questions and their queries\n\n"
	     "| question | query |\n|---|---|\n"
	     "| Is a queue far from its share? | `fairlead_queue_share` |\n"
	     "| Which queues have pending jobs, for how many GPUs? | `fairlead_queue_pending{resource=\"nvidia.com/gpu\"}` |\n"
	     "| How long do jobs wait (p90)? | `histogram_quantile(0.9, sum by (queue, le) "
	     "(rate(fairlead_job_wait_seconds_bucket[1h])))` |\n"
	     "| Which queues make others give way? | `sum by (queue, reason) "
	     "(increase(fairlead_queue_preempts_total[1h]))` |\n"
	     "| How much is preempted, and why? | `sum by (queue, reason) "
	     "(increase(fairlead_preemptions_total[1h]))` |\n"
	     "| Is there a preemption loop? | `increase(fairlead_preemption_loops_total[1h]) > 0` |\n"
	     "| Is the disk in trouble? | `fairlead_store_failing > 0` |\n"
	     "| Are connections refused? | `sum by (reason) "
	     "(increase(fairlead_http_connections_refused_total[5m]))` |\n"
	     "| Do descriptors run out? | `process_open_fds / process_max_fds > 0.8` |\n"
	     "| Are runs lost? | `sum by (queue) (increase(fairlead_job_losses_total[1h]))` |");
	return 0;
}
