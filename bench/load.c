/* SPDX-License-Identifier: Apache-2.0 */
/*
 * load - the daemon with many jobs that wait and many clients
 *
 * load [--pending N] [--jobs N] [--clients N] [--rate N] [--seconds N] [--state NAME]
 *
 * Starts a fairleadd in a new folder named after NAME, which is removed again; two jobs run, --pending
 * others wait.  Then --clients clients submit --jobs more, one at a time each, while others read
 * and somebody cancels what runs.  Then nothing for --seconds, kill -9, a restart, and all that
 * was acknowledged must be there.  What the disk can do is measured in the same folder, before
 * and after.  One line of JSON, and a table; exit 1 when a job was lost.
 */
#include <fcntl.h>
#include <jansson.h>
#include <pthread.h>
#include <signal.h>
#include <sqlite3.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "load_daemon.h"
#include "load_http.h"
#include "measure.h"

enum { SYNCS = 100, READS = 100000, PAGE = 10000, SPEC = 600 };

struct options {
	const char *state;
	unsigned pending, jobs, clients, rate, seconds;
};

static volatile sig_atomic_t told_to_stop;

static void on_signal(int number)
{
	(void)number;
	told_to_stop = 1;
}

static void *room(size_t n, size_t size)
{
	void *ret = calloc(n + 1, size);

	if (!ret)
		exit(3);
	return ret;
}

static void sleep_until_ms(double at)
{
	double ms = at - now_ms();
	struct timespec t;

	if (ms <= 0)
		return;
	t.tv_sec = (time_t)(ms / 1e3);
	t.tv_nsec = (long)((ms - (double)t.tv_sec * 1e3) * 1e6);
	(void)nanosleep(&t, NULL);
}

/* --- what the disk can do --- */

struct disk {
	double sync_ms, commit_ms,
		group_ms; /* medians: fdatasync; commit of one row, of one a client */
};

static double bare_sync(const char *root, double *ms)
{
	static const char pages[2 * (4096 + 24)]; /* what a commit of one row appends to the log */
	char path[4200];
	int fd;

	(void)snprintf(path, sizeof path, "%s/sync", root);
	fd = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	for (int i = 0; i < SYNCS; i++) {
		double start = now_ms();

		if (write(fd, pages, sizeof pages) != sizeof pages || fdatasync(fd) != 0)
			exit(3);
		ms[i] = now_ms() - start;
	}
	(void)close(fd);
	(void)unlink(path);
	return median(ms, SYNCS);
}

static void must_sql(sqlite3 *db, const char *sql)
{
	if (sqlite3_exec(db, sql, NULL, NULL, NULL) == SQLITE_OK)
		return;
	fprintf(stderr, "load: %s\n", sqlite3_errmsg(db));
	exit(3);
}

/* Transactions of @rows rows of a job's size, nothing else. */
static double bare_commit(sqlite3 *db, unsigned rows, double *ms)
{
	sqlite3_stmt *insert;

	if (sqlite3_prepare_v2(db, "INSERT INTO bare (spec) VALUES (zeroblob(?))", -1, &insert,
			       NULL) != SQLITE_OK)
		exit(3);
	sqlite3_bind_int(insert, 1, SPEC);
	for (int i = 0; i < SYNCS; i++) {
		double start = now_ms();

		must_sql(db, "BEGIN IMMEDIATE");
		for (unsigned k = 0; k < rows; k++) {
			if (sqlite3_step(insert) != SQLITE_DONE)
				exit(3);
			sqlite3_reset(insert);
		}
		must_sql(db, "COMMIT");
		ms[i] = now_ms() - start;
	}
	sqlite3_finalize(insert);
	return median(ms, SYNCS);
}

static void measure_disk(const struct own *d, const struct options *o, struct disk *ret)
{
	double ms[SYNCS];
	char path[4200];
	sqlite3 *db;

	ret->sync_ms = bare_sync(d->root, ms);
	(void)snprintf(path, sizeof path, "%s/bare.db", d->root);
	if (sqlite3_open(path, &db) != SQLITE_OK)
		exit(3);
	must_sql(db, "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;"
		     "CREATE TABLE IF NOT EXISTS bare (id INTEGER PRIMARY KEY, spec BLOB)");
	ret->commit_ms = bare_commit(db, 1, ms);
	ret->group_ms = bare_commit(db, o->clients, ms);
	sqlite3_close(db);
}

/* --- jobs --- */

static void spell_job(char *ret, size_t size, unsigned n, unsigned copies)
{
	int used = snprintf(
		ret, size,
		"{\"name\":\"train-%u\",\"queue\":\"team-%02u\",\"priority\":%u,"
		"\"requests\":{\"cpu\":\"1\",\"memory\":\"%uGi\"},\"command\":[\"sleep\",\"100000\"],"
		"\"environment\":{\"PATH\":\"/usr/local/bin:/usr/bin:/bin\",\"LANG\":\"C.UTF-8\","
		"\"EPOCHS\":\"%u\",\"DATA\":\"/data/sets/imagenet/shards/%u\"},\"directory\":\"/\"",
		n, n % QUEUES, n % 7 == 0 ? 10U : 0U, 1 + n % 5, n % 90, n);

	if (copies > 1)
		used += snprintf(ret + used, size - (size_t)used, ",\"array\":%u", copies);
	(void)snprintf(ret + used, size - (size_t)used, "}");
}

/* The number behind {"jobs":[ ; 0: it was not taken. */
static uint64_t number_of(const struct door *d)
{
	const char *at = strstr(door_body(d), "\"jobs\":[");

	return at ? strtoull(at + 8, NULL, 10) : 0;
}

/* --- reading while others write --- */

struct reader {
	const char *name, *path; /* %llu: a job; NULL: of the disk, not of the daemon */
	double every_ms;
	/* set while it runs */
	struct bench *b;
	double *ms;
	unsigned n, failed;
	pthread_t thread;
};

struct bench {
	struct options o;
	struct own d;
	struct disk before, after;
	struct own_figures empty, full, most, first_idle, last_idle;
	double fill_s, load_s, restart_ms;
	double *ms; /* by job submitted: until it was acknowledged */
	uint64_t *acked, *filled;
	unsigned n_filled;
	atomic_uint next, refused;
	atomic_bool loading;
	double began;
	unsigned cancelled, missing, found;
	struct reader *readers;
	char *metrics; /* after the load */
};

/* What the disk does meanwhile, for whoever asks it: each time two pages. */
static void *sync_on(void *user)
{
	static const char pages[2 * (4096 + 24)];
	struct reader *r = user;
	char path[4200];
	int fd;

	(void)snprintf(path, sizeof path, "%s/sync", r->b->d.root);
	fd = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	while (atomic_load(&r->b->loading) && !told_to_stop && r->n < READS) {
		double start = now_ms();

		r->failed += write(fd, pages, sizeof pages) != sizeof pages || fdatasync(fd) != 0;
		r->ms[r->n++] = now_ms() - start;
		sleep_until_ms(start + r->every_ms);
	}
	(void)close(fd);
	return NULL;
}

static void *read_on(void *user)
{
	struct reader *r = user;
	struct door d;
	unsigned seed = 7;

	door_init(&d, r->b->d.socket);
	while (atomic_load(&r->b->loading) && !told_to_stop && r->n < READS) {
		double start = now_ms();
		char path[200];

		(void)snprintf(path, sizeof path, r->path,
			       1 + (unsigned long long)rand_r(&seed) % (r->b->o.pending + 1));
		if (door_ask(&d, "GET", path, "") != 200)
			r->failed++;
		r->ms[r->n++] = now_ms() - start;
		sleep_until_ms(start + r->every_ms);
	}
	door_done(&d);
	return NULL;
}

/* Twice a second what runs is cancelled, and the next one starts. */
static void *cancel_on(void *user)
{
	struct bench *b = user;
	struct door d;

	door_init(&d, b->d.socket);
	while (atomic_load(&b->loading) && !told_to_stop) {
		double start = now_ms();
		char path[100];
		const char *id = NULL;

		if (door_ask(&d, "GET", "/v1/jobs?state=runs&limit=1", "") == 200)
			id = strstr(door_body(&d), "\"id\":");
		if (id) {
			(void)snprintf(path, sizeof path, "/v1/jobs/%llu/cancel",
				       strtoull(id + 5, NULL, 10));
			b->cancelled += door_ask(&d, "POST", path, "") == 200;
		}
		sleep_until_ms(start + 500);
	}
	door_done(&d);
	return NULL;
}

/* --- writing --- */

static void *submit_on(void *user)
{
	struct bench *b = user;
	struct door d;
	unsigned k;

	door_init(&d, b->d.socket);
	while ((k = atomic_fetch_add(&b->next, 1)) < b->o.jobs && !told_to_stop) {
		char body[1000];
		double start = now_ms();

		if (b->o.rate) { /* late is late, whoever was */
			start = b->began + k * 1e3 / b->o.rate;
			sleep_until_ms(start);
		}
		spell_job(body, sizeof body, k, 1);
		if (door_ask(&d, "POST", "/v1/jobs", body) == 201)
			b->acked[k] = number_of(&d);
		else
			atomic_fetch_add(&b->refused, 1);
		b->ms[k] = now_ms() - start;
	}
	door_done(&d);
	return NULL;
}

/* Jobs that wait, in arrays of a queue each. */
static void fill(struct bench *b)
{
	unsigned part = b->o.pending / QUEUES < 5000 ? b->o.pending / QUEUES + 1 : 5000;
	struct door d;
	double start = now_ms();

	door_init(&d, b->d.socket);
	for (unsigned n = 0, k = 0; n < b->o.pending + RUNNING && !told_to_stop; k++) {
		unsigned left = b->o.pending + RUNNING - n, copies = left < part ? left : part;
		char body[1000];

		spell_job(body, sizeof body, k, copies);
		if (door_ask(&d, "POST", "/v1/jobs", body) != 201) {
			fprintf(stderr, "load: %s\n", d.fd < 0 ? "no answer" : door_body(&d));
			break;
		}
		for (unsigned i = 0; i < copies; i++)
			b->filled[b->n_filled++] = number_of(&d) + i;
		n += copies;
	}
	door_done(&d);
	b->fill_s = (now_ms() - start) / 1e3;
}

/* Until so many run, and nobody was submitted just now: all take part. False: in vain. */
static bool wait_settled(struct bench *b)
{
	double until = now_ms() + 120e3;
	struct door d;
	bool settled = false;

	door_init(&d, b->d.socket);
	while (!settled && now_ms() < until && !told_to_stop) {
		char path[100];
		unsigned running = 0;

		sleep_until_ms(now_ms() + 200);
		if (door_ask(&d, "GET", "/v1/jobs?state=runs", "") == 200)
			for (const char *at = door_body(&d); (at = strstr(at, "\"id\":")); at++)
				running++;
		(void)snprintf(path, sizeof path, "/v1/jobs/%llu",
			       (unsigned long long)b->filled[b->n_filled - 1]);
		settled = running == RUNNING && door_ask(&d, "GET", path, "") == 200 &&
			  !strstr(door_body(&d), "was submitted just now");
	}
	if (!settled && !told_to_stop) {
		fprintf(stderr, "load: %d jobs should run, and nobody have just come\n", RUNNING);
		if (door_ask(&d, "GET", "/v1/jobs?state=starts,runs,stops&limit=5", "") == 200)
			fprintf(stderr, "%s\n", door_body(&d));
	}
	door_done(&d);
	return settled;
}

static void load(struct bench *b)
{
	pthread_t *clients = room(b->o.clients, sizeof *clients), canceller;

	atomic_store(&b->loading, true);
	for (struct reader *r = b->readers; r->name; r++) {
		r->b = b;
		r->ms = room(READS, sizeof *r->ms);
		pthread_create(&r->thread, NULL, r->path ? read_on : sync_on, r);
	}
	pthread_create(&canceller, NULL, cancel_on, b);
	b->began = now_ms();
	for (unsigned i = 0; i < b->o.clients; i++)
		pthread_create(&clients[i], NULL, submit_on, b);
	for (unsigned i = 0; i < b->o.clients; i++)
		pthread_join(clients[i], NULL);
	b->load_s = (now_ms() - b->began) / 1e3;
	atomic_store(&b->loading, false);
	for (struct reader *r = b->readers; r->name; r++)
		pthread_join(r->thread, NULL);
	pthread_join(canceller, NULL);
	free(clients);
}

/* --- what is there after a kill --- */

static int by_number(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

/* Numbers of all jobs there are, rising. */
static unsigned list_all(const struct bench *b, uint64_t *ret, unsigned most)
{
	static const char all[] = "held,depends,waits,starts,runs,stops,done,failed,cancelled";
	struct door d;
	unsigned n = 0;
	bool more = true;

	door_init(&d, b->d.socket);
	while (more && n < most) {
		char path[300];
		json_t *page, *job;
		size_t i;

		(void)snprintf(path, sizeof path, "/v1/jobs?state=%s&limit=%d&after=%llu", all,
			       PAGE, n ? (unsigned long long)ret[n - 1] : 0ULL);
		if (door_ask(&d, "GET", path, "") != 200)
			break;
		page = json_loads(door_body(&d), 0, NULL);
		json_array_foreach(json_object_get(page, "jobs"), i, job)
		{
			if (n < most)
				ret[n++] = (uint64_t)json_integer_value(json_object_get(job, "id"));
		}
		more = i > 0 && json_is_true(json_object_get(page, "more"));
		json_decref(page);
	}
	door_done(&d);
	return n;
}

static void look_for_all(struct bench *b)
{
	unsigned most = b->n_filled + b->o.jobs + 1000;
	uint64_t *there = room(most, sizeof *there);

	b->found = list_all(b, there, most);
	for (unsigned i = 0; i < b->n_filled; i++)
		b->missing += !bsearch(&b->filled[i], there, b->found, sizeof *there, by_number);
	for (unsigned i = 0; i < b->o.jobs; i++)
		b->missing += b->acked[i] &&
			      !bsearch(&b->acked[i], there, b->found, sizeof *there, by_number);
	free(there);
}

/* --- the whole --- */

static void keep_metrics(struct bench *b)
{
	struct door d;

	door_init(&d, b->d.socket);
	if (door_ask(&d, "GET", "/metrics", "") == 200)
		b->metrics = strdup(door_body(&d));
	door_done(&d);
}

static bool step(struct bench *b)
{
	own_make(&b->d, b->o.state);
	measure_disk(&b->d, &b->o, &b->before);
	if (own_start(&b->d) < 0) {
		fprintf(stderr, "load: the daemon did not start\n");
		return false;
	}
	own_look(&b->d, &b->empty);
	fill(b);
	if (b->n_filled != b->o.pending + RUNNING || !wait_settled(b))
		return false;
	own_look(&b->d, &b->full);
	own_forget_peak(&b->d);
	load(b);
	own_look(&b->d, &b->most);
	keep_metrics(b);
	if (told_to_stop)
		return false;
	measure_disk(&b->d, &b->o, &b->after);
	if (!wait_settled(b))
		return false;
	sleep_until_ms(now_ms() + 2e3); /* what came last is written, too */
	own_look(&b->d, &b->first_idle);
	sleep_until_ms(now_ms() + b->o.seconds * 1e3);
	own_look(&b->d, &b->last_idle);
	own_stop(&b->d, SIGKILL);
	b->restart_ms = own_start(&b->d);
	if (b->restart_ms < 0 || told_to_stop)
		return false;
	look_for_all(b);
	return true;
}

/* --- what is printed --- */

/* Of sorted ones. */
static double part_of(const double *ms, unsigned n, double part)
{
	return n ? ms[part < 1 ? (unsigned)(n * part) : n - 1] : 0;
}

static double metric(const struct bench *b, const char *name)
{
	size_t len = strlen(name);

	for (const char *at = b->metrics; at && (at = strstr(at, name)); at += len)
		if ((at == b->metrics || at[-1] == '\n') && at[len] == ' ')
			return strtod(at + len, NULL);
	return 0;
}

static double mean_of(const struct bench *b, const char *name)
{
	char sum[100], count[100];
	double n;

	(void)snprintf(sum, sizeof sum, "%s_sum", name);
	(void)snprintf(count, sizeof count, "%s_count", name);
	n = metric(b, count);
	return n > 0 ? metric(b, sum) / n * 1e3 : 0;
}

static double smaller(double a, double b) { return a < b ? a : b; }

static void print(struct bench *b)
{
	double rate = (b->o.jobs - atomic_load(&b->refused)) / b->load_s;
	/* What others did to the disk meanwhile is not known: the better of the two. */
	double group = b->o.clients * 1e3 / smaller(b->before.group_ms, b->after.group_ms);
	double pending = b->o.pending;

	(void)median(b->ms, b->o.jobs);
	printf("{\"pending\":%u,\"jobs\":%u,\"clients\":%u,\"refused\":%u,\"perSecond\":%.0f,"
	       "\"ackMs\":%.2f,\"ack99Ms\":%.2f,\"ackMostMs\":%.2f,",
	       b->o.pending, b->o.jobs, b->o.clients, atomic_load(&b->refused), rate,
	       part_of(b->ms, b->o.jobs, 0.5), part_of(b->ms, b->o.jobs, 0.99),
	       part_of(b->ms, b->o.jobs, 1));
	printf("\"syncMs\":[%.3f,%.3f],\"commitMs\":[%.3f,%.3f],\"groupMs\":[%.3f,%.3f],"
	       "\"groupPerSecond\":%.0f,\"part\":%.2f,",
	       b->before.sync_ms, b->after.sync_ms, b->before.commit_ms, b->after.commit_ms,
	       b->before.group_ms, b->after.group_ms, group, rate / group);
	for (struct reader *r = b->readers; r->name; r++) {
		(void)median(r->ms, r->n);
		printf("\"%s\":{\"n\":%u,\"failed\":%u,\"ms\":%.2f,\"p99Ms\":%.2f,\"mostMs\":%.2f},",
		       r->name, r->n, r->failed, part_of(r->ms, r->n, 0.5),
		       part_of(r->ms, r->n, 0.99), part_of(r->ms, r->n, 1));
	}
	printf("\"cpuMs\":%.2f,", (b->most.cpu_ms - b->full.cpu_ms) / b->o.jobs);
	printf("\"cancelled\":%u,\"generations\":%.0f,\"generationMs\":%.1f,\"cycles\":%.0f,"
	       "\"cycleMs\":%.2f,\"commits\":%.0f,\"daemonCommitMs\":%.2f,",
	       b->cancelled, metric(b, "fairlead_generation_seconds_count"),
	       mean_of(b, "fairlead_generation_seconds"), metric(b, "fairlead_cycle_seconds_count"),
	       mean_of(b, "fairlead_cycle_seconds"), metric(b, "fairlead_commit_seconds_count"),
	       mean_of(b, "fairlead_commit_seconds"));
	printf("\"emptyMB\":%.1f,\"fullMB\":%.1f,\"peakFullMB\":%.1f,\"peakLoadMB\":%.1f,"
	       "\"bytesPerPending\":%.0f,\"peakBytesPerPending\":%.0f,\"fillPerSecond\":%.0f,"
	       "\"idleSeconds\":%u,\"idleSwitches\":%llu,\"restartMs\":%.0f,\"found\":%u,"
	       "\"missing\":%u}\n",
	       b->empty.resident_mb, b->full.resident_mb, b->full.peak_mb, b->most.peak_mb,
	       (b->full.resident_mb - b->empty.resident_mb) * 1e6 / pending,
	       (b->full.peak_mb - b->empty.resident_mb) * 1e6 / pending, pending / b->fill_s,
	       b->o.seconds, (unsigned long long)(b->last_idle.switches - b->first_idle.switches),
	       b->restart_ms, b->found, b->missing);
	fprintf(stderr,
		"%u jobs wait, %u clients submit %u: %.0f a second, %.2f of what this disk allows\n"
		"  acknowledged   p50 %7.2f ms   p99 %7.2f ms\n",
		b->o.pending, b->o.clients, b->o.jobs, rate, rate / group,
		part_of(b->ms, b->o.jobs, 0.5), part_of(b->ms, b->o.jobs, 0.99));
	for (struct reader *r = b->readers; r->name; r++)
		fprintf(stderr, "  %-14s p50 %7.2f ms   p99 %7.2f ms\n", r->name,
			part_of(r->ms, r->n, 0.5), part_of(r->ms, r->n, 0.99));
	fprintf(stderr,
		"  %.0f bytes a job that waits; %.0f ms to restart after kill -9; %u of %u missing\n",
		(b->full.resident_mb - b->empty.resident_mb) * 1e6 / pending, b->restart_ms,
		b->missing, b->n_filled + b->o.jobs - atomic_load(&b->refused));
}

static void parse(int argc, char **argv, struct options *o)
{
	const struct {
		const char *name;
		unsigned *to;
	} numbers[] = { { "--pending", &o->pending },
			{ "--jobs", &o->jobs },
			{ "--clients", &o->clients },
			{ "--rate", &o->rate },
			{ "--seconds", &o->seconds } };
	bool known = argc % 2 == 1;

	for (int i = 1; i + 1 < argc && known; i += 2) {
		known = strcmp(argv[i], "--state") == 0;
		if (known)
			o->state = argv[i + 1];
		for (size_t k = 0; k < sizeof numbers / sizeof *numbers; k++)
			if (strcmp(argv[i], numbers[k].name) == 0) {
				*numbers[k].to = (unsigned)strtoul(argv[i + 1], NULL, 10);
				known = true;
			}
	}
	if (known && o->pending && o->jobs && o->clients && o->clients < 500)
		return;
	fprintf(stderr, "usage: load [--pending N] [--jobs N] [--clients N] [--rate N] "
			"[--seconds N] [--state NAME]\n");
	exit(2);
}

int main(int argc, char **argv)
{
	static struct reader readers[] = {
		{ .name = "explain", .path = "/v1/jobs/%llu/explain", .every_ms = 25 },
		{ .name = "health", .path = "/v1/health", .every_ms = 25 },
		{ .name = "jobs", .path = "/v1/jobs?limit=100&after=%llu", .every_ms = 200 },
		{ .name = "queues", .path = "/v1/queues", .every_ms = 500 },
		{ .name = "metrics", .path = "/metrics", .every_ms = 1000 },
		{ .name = "sync", .path = NULL, .every_ms = 25 },
		{ .name = NULL },
	};
	static struct bench b = { .o = { "load", 100000, 20000, 50, 0, 5 } };
	struct sigaction action = { .sa_handler = on_signal };
	bool done;

	parse(argc, argv, &b.o);
	(void)sigaction(SIGINT, &action, NULL);
	(void)sigaction(SIGTERM, &action, NULL);
	b.readers = readers;
	b.ms = room(b.o.jobs, sizeof *b.ms);
	b.acked = room(b.o.jobs, sizeof *b.acked);
	b.filled = room(b.o.pending + RUNNING, sizeof *b.filled);
	done = step(&b);
	if (done)
		print(&b);
	own_end(&b.d);
	for (struct reader *r = readers; r->name; r++)
		free(r->ms);
	free(b.ms);
	free(b.acked);
	free(b.filled);
	free(b.metrics);
	return !done ? 3 : b.missing || atomic_load(&b.refused) ? 1 : 0;
}
