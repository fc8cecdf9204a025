/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tiers - what sums of history cost: a year of many queues is written hour by hour, and asked
 *
 * Times are of the processor, so that other load of the machine does not count.
 *
 * usage: tiers [QUEUES [HOURS]]; its database is in a folder in TMPDIR or /tmp, and removed.  A year
 * of 1,000 queues is some gigabytes.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "daemon/engine/history/hours.h"
#include "store/store.h"

static const fl_time HOUR = 3600 * FL_SECOND;
static const char *const resources[] = { "cpu", "memory", "nvidia.com/gpu" };
enum { RESOURCES = 3, MONTH = 24 * 30 };

static double now_ms(void)
{
	struct timespec t;

	(void)clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

static void die(const fairlead_error *err)
{
	(void)fprintf(stderr, "tiers: %s\n", err->text);
	exit(1);
}

/* --- a year --- */

struct year {
	uint32_t n;
	char (*names)[32];
	struct fl_amount_sum *amounts;
	struct fl_queue_sum *queues;
};

static void add_hour(struct year *y, int hour)
{
	for (uint32_t q = 0; q < y->n; q++) {
		struct fl_queue_sum *sum = &y->queues[q];
		const fl_nanos cores = (hour * 7919 + (int)q * 104729) % 64;

		if (hour % MONTH == 0)
			*sum = (struct fl_queue_sum){ 0 };
		sum->queue = y->names[q];
		sum->known += HOUR;
		sum->started += 3;
		sum->share += (fl_nanos)123456 * HOUR;
		sum->waited += 17 * HOUR;
		for (int k = 0; k < FL_MOSTS_OF; k++) {
			sum->wait_most[k] = HOUR + hour % 1000 * FL_SECOND;
			sum->share_most[k] = 123456 + hour % 1000;
		}
		for (uint32_t r = 0; r < RESOURCES; r++) {
			struct fl_amount_sum *a = &y->amounts[q * RESOURCES + r];
			const fl_nanos unit = r == 0 ? 1000 : r == 1 ? (fl_nanos)1 << 32 : 1;

			if (hour % MONTH == 0)
				*a = (struct fl_amount_sum){ 0 };
			a->queue = y->names[q];
			a->resource = resources[r];
			for (int k = 0; k < FL_SUMS_OF; k++)
				a->of[k] += unit * cores * HOUR / (k + 1);
		}
	}
}

static void close_hour(struct fl_store *s, struct year *y, int hour)
{
	const struct fl_closed c = {
		.closing = { .until = (hour + 1) * HOUR,
			     .begin = hour * HOUR,
			     .book = hour / MONTH * MONTH * HOUR,
			     .wall = (hour + 1) * HOUR,
			     .tier = (hour + 1) % MONTH == 0 ? FL_TIER_MONTH :
				     (hour + 1) % 24 == 0    ? FL_TIER_DAY :
							       FL_TIER_HOUR },
		.after = hour ? hour * HOUR : FL_TIME_NONE,
		.queues = y->queues,
		.n_queues = y->n,
		.amounts = y->amounts,
		.n_amounts = y->n * RESOURCES,
	};
	fairlead_error err;

	add_hour(y, hour);
	if (fl_store_close_hour(s, &c, &err) < 0)
		die(&err);
}

/* --- questions --- */

static int count_amount(void *user, const struct fl_amount_sum *row, fairlead_error *err)
{
	(void)row;
	(void)err;
	++*(uint64_t *)user;
	return 0;
}

static int count_queue(void *user, const struct fl_queue_sum *row, fairlead_error *err)
{
	(void)row;
	(void)err;
	++*(uint64_t *)user;
	return 0;
}

static void ask_all(struct fl_store *s, const char *what, fl_time from, fl_time to)
{
	uint64_t n = 0;
	const struct fl_sum_reader reader = { NULL, count_amount, count_queue, &n };
	struct fl_tier_told told;
	fairlead_error err;
	double best = 1e9, worst = 0;

	for (int i = 0; i < 5; i++) {
		const double began = now_ms();
		double took;

		if (fl_store_sums(s, from, to, &reader, &told, &err) < 0)
			die(&err);
		took = now_ms() - began;
		best = took < best ? took : best;
		worst = took > worst ? took : worst;
	}
	(void)printf("all queues, %-28s %7.1f ms, at most %7.1f\n", what, best, worst);
}

static void ask_one(struct fl_store *s, const char *what, enum fl_tier step, fl_time to)
{
	const struct fl_series_filter f = {
		.queue = "team-7", .to = to, .step = step, .limit = 2000
	};
	uint64_t n = 0;
	const struct fl_sum_reader reader = { NULL, count_amount, count_queue, &n };
	fl_time more;
	fairlead_error err;
	double began = now_ms();

	if (fl_store_series(s, &f, &reader, &more, &err) < 0)
		die(&err);
	(void)printf("one queue,  %-28s %7.1f ms\n", what, now_ms() - began);
}

static void drop(struct fl_store *s, fl_time hours, fl_time days)
{
	const struct fl_retention keep = { .hours_before = hours, .days_before = days };
	const double began = now_ms();
	double longest = 0;
	fairlead_error err;
	int r = 1, calls = 0;

	for (; r > 0; calls++) {
		const double at = now_ms();

		r = fl_store_expire(s, &keep, &err);
		longest = now_ms() - at > longest ? now_ms() - at : longest;
	}
	if (r < 0)
		die(&err);
	(void)printf("dropped in %d steps of at most %.0f ms, %.1f s\n", calls, longest,
		     (now_ms() - began) / 1e3);
}

/* An hour from jobs to sums, as the thread does it. */
static void sum_up(const struct year *y)
{
	struct fl_hour_node *nodes = calloc(y->n + 1, sizeof *nodes);
	double *nominal = calloc(((size_t)y->n + 1) * RESOURCES, sizeof *nominal);
	const struct fl_hour_tree tree = { nodes, resources, nominal, NULL, y->n + 1, RESOURCES };
	struct fl_hours *h = NULL;
	fairlead_error err;
	double began;
	int r;

	if (!nodes || !nominal)
		exit(1);
	nodes[0] = (struct fl_hour_node){ "company", FL_NONE, 1, false };
	for (uint32_t i = 0; i < y->n; i++) {
		nodes[i + 1] = (struct fl_hour_node){ y->names[i], 0, 1, true };
		nominal[((size_t)i + 1) * RESOURCES] = 4000;
	}
	began = now_ms();
	r = fl_hours_new(&h, &err);
	if (r == 0)
		r = fl_hours_begin(h, &tree, 0, HOUR, &err);
	for (uint32_t i = 0; i < 10 * y->n && r == 0; i++) {
		const fl_time from = i * 7919LL * FL_SECOND % HOUR;
		const struct fl_admission_row row = {
			.job = i + 1,
			.attempt = 1,
			.queue = y->names[i % y->n],
			.waits = from - 60 * FL_SECOND,
			.from = from,
			.to = from + 1800 * FL_SECOND,
			.placement = "[{\"resource\":\"cpu\",\"flavor\":\"a\",\"amount\":2000},"
				     "{\"resource\":\"memory\",\"flavor\":\"a\",\"amount\":4096}]"
		};

		r = fl_hours_admission(h, &row, &err);
	}
	if (r == 0)
		r = fl_hours_end(h, &err);
	if (r < 0)
		die(&err);
	(void)printf("an hour of %u jobs summed up: %.0f ms\n", 10 * y->n, now_ms() - began);
	fl_hours_free(h);
	free(nodes);
	free(nominal);
}

/* A folder of its own. */
static void make_folder(char path[300])
{
	const char *in = getenv("TMPDIR");

	(void)snprintf(path, 300, "%.200s/fairlead-tiers-XXXXXX", in ? in : "/tmp");
	if (!mkdtemp(path)) {
		perror("tiers: a folder");
		exit(1);
	}
}

static void remove_folder(const char *path)
{
	static const char *const files[] = { "fairlead.db", "fairlead.db-wal", "fairlead.db-shm",
					     "lock" };
	char file[400];

	for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
		(void)snprintf(file, sizeof file, "%s/%s", path, files[i]);
		(void)unlink(file);
	}
	(void)rmdir(path);
}

int main(int argc, char **argv)
{
	struct fl_store_options o = { .create = true };
	struct year y = { .n = argc > 1 ? (uint32_t)atoi(argv[1]) : 1000 };
	const int hours = argc > 2 ? atoi(argv[2]) : 24 * 365;
	char folder[300];
	struct fl_store *s;
	fairlead_error err;
	double began, bytes;

	if (y.n < 8 || hours < 100) {
		(void)fprintf(stderr, "usage: tiers [QUEUES [HOURS]]: 8 and 100 at least\n");
		return 2;
	}
	make_folder(folder);
	o.folder = folder;
	y.names = calloc(y.n, sizeof *y.names);
	y.amounts = calloc((size_t)y.n * RESOURCES, sizeof *y.amounts);
	y.queues = calloc(y.n, sizeof *y.queues);
	if (!y.names || !y.amounts || !y.queues)
		return 1;
	for (uint32_t i = 0; i < y.n; i++)
		(void)snprintf(y.names[i], sizeof y.names[i], "team-%u", i);
	sum_up(&y);
	if (fl_store_open(&o, &s, &err) < 0)
		die(&err);
	began = now_ms();
	for (int h = 0; h < hours; h++)
		close_hour(s, &y, h);
	bytes = (double)fl_store_bytes(s);
	(void)printf(
		"%d hours of %u queues, %d resources: %.1f ms an hour, %.0f bytes a queue and hour\n",
		hours, y.n, RESOURCES, (now_ms() - began) / hours, bytes / hours / y.n);
	ask_all(s, "all hours", 0, hours * HOUR);
	ask_all(s, "from and to within hours", hours / 20 * HOUR + 1800 * FL_SECOND,
		(hours - 50) * HOUR - 1800 * FL_SECOND);
	ask_all(s, "the last day", (hours - 24) * HOUR, hours * HOUR);
	ask_all(s, "the last 30 days", (hours > 720 ? hours - 720 : 0) * HOUR, hours * HOUR);
	ask_one(s, "2,000 hours", FL_TIER_HOUR, hours * HOUR);
	ask_one(s, "all days", FL_TIER_DAY, hours * HOUR);
	ask_one(s, "all months", FL_TIER_MONTH, hours * HOUR);
	drop(s, hours / 2 * HOUR, 0);
	ask_all(s, "all hours, half are days", 0, hours * HOUR);
	(void)fl_store_close(s);
	remove_folder(folder);
	free(y.names);
	free(y.amounts);
	free(y.queues);
	return 0;
}
