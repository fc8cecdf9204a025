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
	     "Prometheus itself asks over TCP, and the daemon has none; so let something that stands\n"
	     "beside it hand them on: `socat TCP-LISTEN:9184,bind=127.0.0.1,fork\n"
	     "UNIX-CONNECT:/run/fairlead/fairlead.sock` as a service of its own, or a cron job that\n"
	     "writes the text for node_exporter's textfile collector. Mind that whoever reaches such a\n"
	     "port is, for the daemon, the user that the relay runs as: let it be one who may do nothing.\n\n"
	     "Amounts are cores, bytes, or plain units. Nothing has a label for a job or a user, so the\n"
	     "number of series does not grow with them: in each metric 256 queues stand for themselves,\n"
	     "and the rest together as `(other)`; shares, which have no sum, are left out there. Counters\n"
	     "begin at 0 when the daemon starts. What is exact over restarts is `GET /v1/history`.\n\n"
	     "This page is printed from the table that the daemon renders by, and compared with it in\n"
	     "the tests; what is rendered is checked by `promtool`.\n\n"
	     "| metric | labels | what it is | unit |\n|---|---|---|---|");
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		printf("| `%s` (%s) | ", rows[i].name, rows[i].type);
		put_names(rows[i].labels, "");
		printf(" | %s | %s |\n", rows[i].help, rows[i].unit);
	}
	puts("\n## What others call them\n\n"
	     "For dashboards that come from there. Kueue's names begin with `kueue_`; KAI's with the\n"
	     "prefix that its scheduler is given, if any. Theirs differ in what they count in places:\n"
	     "Kueue counts a preemption at the queue that preempts, and its cohorts' reservations are\n"
	     "those of all queues below; KAI's shares are one metric for each resource, memory in GB.\n\n"
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
	     "| Is anybody far from its share? | `fairlead_queue_share` |\n"
	     "| Who waits, and for how many GPUs? | `fairlead_queue_pending{resource=\"nvidia.com/gpu\"}` |\n"
	     "| How long does one wait? | `histogram_quantile(0.9, sum by (queue, le) "
	     "(rate(fairlead_job_wait_seconds_bucket[1h])))` |\n"
	     "| How much is preempted, and why? | `sum by (queue, reason) "
	     "(increase(fairlead_preemptions_total[1h]))` |\n"
	     "| Does preemption go round? | `increase(fairlead_preemption_loops_total[1h]) > 0` |\n"
	     "| Is the disk in trouble? | `fairlead_store_failing > 0` |\n"
	     "| Is somebody kept out? | `sum by (reason) "
	     "(increase(fairlead_http_connections_refused_total[5m]))` |\n"
	     "| Do descriptors run out? | `process_open_fds / process_max_fds > 0.8` |\n"
	     "| Are runs lost? | `sum by (queue) (increase(fairlead_job_losses_total[1h]))` |");
	return 0;
}
