/* SPDX-License-Identifier: Apache-2.0 */
/*
 * store - what it costs that something is durable
 *
 * store [--folder PATH] [--jobs N] [--batch N] [--syncs N]
 *
 * In a new folder named after PATH, which is removed again: a bare fdatasync of what a small
 * commit writes, the commit of one row of the journal, then jobs submitted in batches (a row of
 * the journal, of jobs, a spec of 550 bytes and an event each), each changed once, all of it read,
 * opened again, verified and copied.
 * One line of JSON.
 */
#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "measure.h"
#include "store/store.h"

struct options {
	const char *folder;
	unsigned jobs, batch, syncs;
};

struct figures {
	double sync_ms, sync_99_ms, commit_ms, commit_99_ms;
	double submit_ms, batch_ms, batch_99_ms, change_ms, read_ms, open_ms, verify_ms, backup_ms;
	double bytes;
};

static void must(int r, const fairlead_error *err)
{
	if (r >= 0)
		return;
	fprintf(stderr, "store: %s\n", err->text);
	exit(3);
}

static void *room(size_t n, size_t size)
{
	void *ret = calloc(n, size);

	if (!ret)
		exit(3);
	return ret;
}

/* Of sorted ones. */
static double nearly_all(const double *ms, size_t n) { return ms[n * 99 / 100]; }

/* What a commit of one row appends to the log: two pages, each with its head. */
static void sync_bare(const struct options *o, double *ms, struct figures *f)
{
	static const char pages[2 * (4096 + 24)];
	char path[4200];
	int fd;

	(void)snprintf(path, sizeof path, "%s.sync", o->folder);
	fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	for (unsigned i = 0; i < o->syncs; i++) {
		double start = now_ms();

		if (write(fd, pages, sizeof pages) != sizeof pages || fdatasync(fd) != 0)
			exit(3);
		ms[i] = now_ms() - start;
	}
	(void)close(fd);
	(void)unlink(path);
	f->sync_ms = median(ms, o->syncs);
	f->sync_99_ms = nearly_all(ms, o->syncs);
}

static uint64_t commit_rows(struct fl_store *s, const struct options *o, double *ms,
			    struct figures *f)
{
	fairlead_error err;
	uint64_t seq = 0;

	for (unsigned i = 0; i < o->syncs; i++) {
		struct fl_journal_row row = { .seq = ++seq,
					      .at = (fl_time)seq,
					      .kind = FL_JOURNAL_CYCLE };
		struct fl_batch batch = { .journal = &row, .n_journal = 1 };
		double start = now_ms();

		must(fl_store_commit(s, &batch, &err), &err);
		ms[i] = now_ms() - start;
	}
	f->commit_ms = median(ms, o->syncs);
	f->commit_99_ms = nearly_all(ms, o->syncs);
	return seq;
}

struct rows {
	struct fl_journal_row *journal;
	struct fl_job_row *jobs;
	struct fl_event_row *events;
	char spec[551];
};

static void fill(struct rows *r, unsigned n, uint64_t seq, uint64_t job)
{
	static const char *const users[] = { "ann", "bob", "cleo", "dan", "eve", "finn", "gus" };
	static const char *const queues[] = { "team-a", "team-b", "team-c" };

	for (unsigned i = 0; i < n; i++) {
		fl_time at = (fl_time)(seq + i);

		r->journal[i] = (struct fl_journal_row){
			.seq = seq + i, .at = at, .kind = FL_JOURNAL_SUBMIT, .job = job + i
		};
		r->jobs[i] = (struct fl_job_row){
			.id = job + i,
			.state = FL_JOB_WAITS,
			.uid = 1000,
			.user = users[(job + i) % 7],
			.name = "train",
			.queue = queues[(job + i) % 3],
			.spec = r->spec,
			.submitted = at,
			.started = FL_TIME_NONE,
			.ended = FL_TIME_NONE,
			.outcome = -1,
		};
		r->events[i] = (struct fl_event_row){
			.seq = seq + i,
			.at = at,
			.kind = "Submitted",
			.job = job + i,
			.queue = r->jobs[i].queue,
			.text = "asks for 2 cpu and 4Gi memory",
		};
	}
}

static void submit(struct fl_store *s, const struct options *o, uint64_t seq, double *ms,
		   struct figures *f)
{
	struct rows r = { room(o->batch, sizeof *r.journal), room(o->batch, sizeof *r.jobs),
			  room(o->batch, sizeof *r.events), "" };
	unsigned batches = o->jobs / o->batch;
	fairlead_error err;

	memset(r.spec, 'x', sizeof r.spec - 1);
	for (unsigned i = 0; i < batches; i++) {
		struct fl_batch batch = { .journal = r.journal,
					  .n_journal = o->batch,
					  .new_jobs = r.jobs,
					  .n_new_jobs = o->batch,
					  .events = r.events,
					  .n_events = o->batch };
		double start;

		fill(&r, o->batch, seq + 1, 1 + (uint64_t)i * o->batch);
		start = now_ms();
		must(fl_store_commit(s, &batch, &err), &err);
		ms[i] = now_ms() - start;
		f->submit_ms += ms[i];
		seq += o->batch;
	}
	f->batch_ms = median(ms, batches);
	f->batch_99_ms = nearly_all(ms, batches);
	for (unsigned i = 0; i < batches; i++) {
		struct fl_batch batch = { .jobs = r.jobs, .n_jobs = o->batch };
		double start;

		for (unsigned k = 0; k < o->batch; k++)
			r.jobs[k] =
				(struct fl_job_row){ .id = 1 + (uint64_t)i + (uint64_t)k * batches,
						     .state = FL_JOB_DONE,
						     .started = 1,
						     .ended = 2 };
		start = now_ms();
		must(fl_store_commit(s, &batch, &err), &err);
		f->change_ms += now_ms() - start;
	}
	free(r.journal);
	free(r.jobs);
	free(r.events);
}

static int count(void *user, const struct fl_job_row *row, fairlead_error *err)
{
	(void)row;
	(void)err;
	++*(unsigned *)user;
	return 0;
}

static struct fl_store *look(struct fl_store *s, const struct options *o, struct figures *f)
{
	const struct fl_store_options again = { .folder = o->folder };
	const struct fl_job_filter all = { 0 };
	char copy[4200];
	unsigned n = 0;
	double start = now_ms();
	fairlead_error err;

	must(fl_store_jobs(s, &all, count, &n, &err), &err);
	f->read_ms = now_ms() - start;
	if (n != o->jobs / o->batch * o->batch)
		exit(4);
	s = fl_store_close(s);
	start = now_ms();
	must(fl_store_open(&again, &s, &err), &err);
	f->open_ms = now_ms() - start;
	f->bytes = (double)fl_store_bytes(s);
	start = now_ms();
	must(fl_store_verify(o->folder, &err), &err);
	f->verify_ms = now_ms() - start;
	(void)snprintf(copy, sizeof copy, "%s.copy", o->folder);
	start = now_ms();
	must(fl_store_backup(s, copy, &err), &err);
	f->backup_ms = now_ms() - start;
	return s;
}

static int remove_one(const char *path, const struct stat *st, int kind, struct FTW *where)
{
	(void)st;
	(void)kind;
	(void)where;
	return remove(path);
}

static void parse(int argc, char **argv, struct options *o)
{
	for (int i = 1; i + 1 < argc; i += 2) {
		if (strcmp(argv[i], "--folder") == 0)
			o->folder = argv[i + 1];
		else if (strcmp(argv[i], "--jobs") == 0)
			o->jobs = (unsigned)strtoul(argv[i + 1], NULL, 10);
		else if (strcmp(argv[i], "--batch") == 0)
			o->batch = (unsigned)strtoul(argv[i + 1], NULL, 10);
		else if (strcmp(argv[i], "--syncs") == 0)
			o->syncs = (unsigned)strtoul(argv[i + 1], NULL, 10);
	}
	if (o->batch == 0 || o->jobs < o->batch || o->syncs == 0) {
		fprintf(stderr,
			"usage: store [--folder PATH] [--jobs N] [--batch N] [--syncs N]\n");
		exit(2);
	}
}

int main(int argc, char **argv)
{
	struct options o = { "store-bench", 100000, 100, 300 };
	struct fl_store_options options = { .create = true };
	char parent[4000], folder[4096];
	struct figures f = { 0 };
	struct fl_store *s;
	fairlead_error err;
	double *ms;

	parse(argc, argv, &o);
	(void)snprintf(parent, sizeof parent, "%s.XXXXXX", o.folder);
	if (!mkdtemp(parent)) {
		fprintf(stderr, "store: no folder can be made here\n");
		return 3;
	}
	(void)snprintf(folder, sizeof folder, "%s/state", parent);
	options.folder = o.folder = folder;
	ms = room(o.jobs > o.syncs ? o.jobs : o.syncs, sizeof *ms);
	must(fl_store_open(&options, &s, &err), &err);
	sync_bare(&o, ms, &f);
	submit(s, &o, commit_rows(s, &o, ms, &f), ms, &f);
	s = look(s, &o, &f);
	printf("{\"folder\":\"%s\",\"jobs\":%u,\"batch\":%u,\"syncMs\":%.3f,\"sync99Ms\":%.3f,"
	       "\"commitMs\":%.3f,\"commit99Ms\":%.3f,\"jobsPerSecond\":%.0f,\"batchMs\":%.3f,"
	       "\"batch99Ms\":%.3f,\"changesPerSecond\":%.0f,\"readPerSecond\":%.0f,"
	       "\"bytesPerJob\":%.0f,\"openMs\":%.1f,\"verifyMs\":%.1f,\"backupMs\":%.1f}\n",
	       parent, o.jobs, o.batch, f.sync_ms, f.sync_99_ms, f.commit_ms, f.commit_99_ms,
	       o.jobs / f.submit_ms * 1e3, f.batch_ms, f.batch_99_ms, o.jobs / f.change_ms * 1e3,
	       o.jobs / f.read_ms * 1e3, f.bytes / o.jobs, f.open_ms, f.verify_ms, f.backup_ms);
	(void)fl_store_close(s);
	free(ms);
	return nftw(parent, remove_one, 8, FTW_DEPTH | FTW_PHYS) == 0 ? 0 : 3;
}
