/* SPDX-License-Identifier: Apache-2.0 */
#include "world.h"

#include <dirent.h>
#include <fcntl.h>
#include <inttypes.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/unit.h"

enum { IMAGE_WORDS = 5000 };

void world_begin(struct world *w)
{
	/* In memory where that can be: a kill does not care, and a sync takes no time. */
	(void)snprintf(w->root, sizeof w->root, "%s/fairlead-store-XXXXXX",
		       access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp");
	assert_non_null(mkdtemp(w->root));
	(void)snprintf(w->folder, sizeof w->folder, "%.200s/state", w->root);
}

static void remove_all(const char *path)
{
	DIR *d = opendir(path);
	const struct dirent *e;

	if (!d) {
		(void)unlink(path);
		return;
	}
	while ((e = readdir(d))) {
		char inner[PATH_MAX];

		if (strcmp(e->d_name, ".") == 0 || strcmp(e->d_name, "..") == 0)
			continue;
		(void)snprintf(inner, sizeof inner, "%s/%s", path, e->d_name);
		if (e->d_type == DT_DIR)
			remove_all(inner);
		else
			(void)unlink(inner);
	}
	(void)closedir(d);
	(void)rmdir(path);
}

void world_end(struct world *w) { remove_all(w->root); }

struct fl_store *world_open(const struct world *w)
{
	struct fl_store_options options = { .folder = w->folder, .create = true };
	struct fl_store *s = NULL;
	fairlead_error err = { 0 };

	if (fl_store_open(&options, &s, &err) != 0)
		fail_msg("%s (%s)", err.text, err.hint);
	return s;
}

int world_try(const struct world *w, bool create, const char *vfs, fairlead_error *err)
{
	struct fl_store_options options = { .folder = w->folder, .create = create, .vfs = vfs };
	struct fl_store *s = NULL;
	int r = fl_store_open(&options, &s, err);

	(void)fl_store_close(s);
	return r;
}

const char *world_path(struct world *w, const char *name)
{
	static char path[WORLD_PATH * 2];

	(void)snprintf(path, sizeof path, "%s/%s", w->folder, name);
	return path;
}

void world_write(const char *path, long offset, const void *bytes, size_t n)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);

	assert_true(fd >= 0);
	assert_int_equal(pwrite(fd, bytes, n, offset), n);
	(void)close(fd);
}

long world_size(const char *path)
{
	struct stat s;

	return stat(path, &s) == 0 ? (long)s.st_size : -1;
}

static char *load(const char *path, size_t *ret_n)
{
	FILE *f = fopen(path, "re");
	long size = world_size(path);
	char *bytes = malloc((size_t)size + 1);

	assert_non_null(f);
	assert_non_null(bytes);
	*ret_n = fread(bytes, 1, (size_t)size, f);
	(void)fclose(f);
	return bytes;
}

void world_copy(const char *from, const char *to)
{
	DIR *d = opendir(from);
	const struct dirent *e;

	assert_non_null(d);
	assert_int_equal(mkdir(to, 0700), 0);
	while ((e = readdir(d))) {
		char a[PATH_MAX], b[PATH_MAX], *bytes;
		size_t n;

		if (e->d_type != DT_REG)
			continue;
		(void)snprintf(a, sizeof a, "%s/%s", from, e->d_name);
		(void)snprintf(b, sizeof b, "%s/%s", to, e->d_name);
		bytes = load(a, &n);
		world_write(b, 0, bytes, n);
		free(bytes);
	}
	(void)closedir(d);
}

uint64_t world_sum(const char *folder)
{
	DIR *d = opendir(folder);
	const struct dirent *e;
	uint64_t all = 0;

	assert_non_null(d);
	while ((e = readdir(d))) {
		uint64_t sum = UINT64_C(0xcbf29ce484222325);
		size_t n, length = strlen(e->d_name);
		char path[PATH_MAX], *bytes;

		if (e->d_type != DT_REG || strcmp(e->d_name, "lock") == 0 ||
		    (length > 4 && strcmp(e->d_name + length - 4, "-shm") == 0))
			continue;
		(void)snprintf(path, sizeof path, "%s/%s", folder, e->d_name);
		bytes = load(path, &n);
		/* A log without anything in it is as good as none. */
		if (n) {
			for (size_t i = 0; i < length; i++)
				sum = (sum ^ (unsigned char)e->d_name[i]) * UINT64_C(0x100000001b3);
			for (size_t i = 0; i < n; i++)
				sum = (sum ^ (unsigned char)bytes[i]) * UINT64_C(0x100000001b3);
			all += sum;
		}
		free(bytes);
	}
	(void)closedir(d);
	return all;
}

/* --- rows --- */

const struct fl_batch *world_batch(uint64_t i)
{
	static struct fl_journal_row journal;
	static struct fl_job_row job;
	static struct fl_event_row event;
	static struct fl_batch batch;
	static char text[64], spec[256];

	(void)snprintf(text, sizeof text, "text %" PRIu64, i);
	(void)snprintf(spec, sizeof spec, "{\"number\":%" PRIu64 ",\"command\":[\"%*d\"]}", i,
		       (int)(i % 100), 0);
	journal = (struct fl_journal_row){
		.seq = i,
		.at = (fl_time)i * FL_SECOND,
		.kind = FL_JOURNAL_ENDED,
		.job = i,
		.ended = { .attempt = (uint32_t)i % 7,
			   .when = -(fl_time)i * 3,
			   .status = i % 256,
			   .stopped = FL_GO_HELD,
			   .how = FL_RUN_SIGNALLED,
			   .remark = text },
	};
	job = (struct fl_job_row){
		.id = i,
		.state = FL_JOB_WAITS,
		.uid = 1000,
		.user = "ann",
		.name = text,
		.queue = i % 2 ? "team-a" : "team-b",
		.spec = spec,
		.submitted = journal.at,
		.started = FL_TIME_NONE,
		.ended = FL_TIME_NONE,
		.outcome = -1,
	};
	event = (struct fl_event_row){ .seq = i,
				       .at = journal.at,
				       .kind = "Submitted",
				       .job = i,
				       .queue = job.queue,
				       .text = text };
	batch = (struct fl_batch){
		.journal = &journal,
		.n_journal = 1,
		.new_jobs = &job,
		.n_new_jobs = 1,
		.events = &event,
		.n_events = 1,
		.wall = journal.at + 5,
		.boot = 7,
		.boot_id = "this-boot",
	};
	return &batch;
}

int world_commit(struct fl_store *s, uint64_t i, fairlead_error *err)
{
	return fl_store_commit(s, world_batch(i), err);
}

static int check_journal(void *user, const struct fl_journal_row *row, fairlead_error *err)
{
	uint64_t *seen = user;
	const struct fl_journal_row *want = world_batch(++*seen)->journal;

	(void)err;
	assert_int_equal(row->seq, want->seq);
	assert_int_equal(row->at, want->at);
	assert_int_equal(row->kind, want->kind);
	assert_int_equal(row->job, want->job);
	assert_int_equal(row->ended.attempt, want->ended.attempt);
	assert_int_equal(row->ended.when, want->ended.when);
	assert_int_equal(row->ended.status, want->ended.status);
	assert_int_equal(row->ended.stopped, want->ended.stopped);
	assert_int_equal(row->ended.how, want->ended.how);
	assert_string_equal(row->ended.remark, want->ended.remark);
	return 0;
}

static int check_job(void *user, const struct fl_job_row *row, fairlead_error *err)
{
	uint64_t *seen = user;
	const struct fl_job_row *want = world_batch(++*seen)->new_jobs;

	(void)err;
	assert_int_equal(row->id, want->id);
	assert_int_equal(row->state, want->state);
	assert_string_equal(row->name, want->name);
	assert_string_equal(row->queue, want->queue);
	assert_string_equal(row->spec, want->spec);
	return 0;
}

static int check_event(void *user, const struct fl_event_row *row, fairlead_error *err)
{
	uint64_t *seen = user;
	const struct fl_event_row *want = world_batch(++*seen)->events;

	(void)err;
	assert_int_equal(row->seq, want->seq);
	assert_int_equal(row->n, want->n);
	assert_string_equal(row->text, want->text);
	return 0;
}

void world_check(struct fl_store *s, uint64_t n)
{
	const struct fl_job_filter jobs = { 0 };
	const struct fl_event_filter events = { 0 };
	struct fl_store_end end;
	fairlead_error err = { 0 };
	uint64_t seen = 0;

	if (fl_store_end(s, &end, &err) != 0)
		fail_msg("%s", err.text);
	assert_int_equal(end.seq, n);
	assert_int_equal(end.job, n);
	assert_int_equal(fl_store_journal(s, 0, check_journal, &seen, &err), 0);
	assert_int_equal(seen, n);
	seen = 0;
	assert_int_equal(fl_store_jobs(s, &jobs, check_job, &seen, &err), 0);
	assert_int_equal(seen, n);
	seen = 0;
	assert_int_equal(fl_store_events(s, &events, check_event, &seen, &err), 0);
	assert_int_equal(seen, n);
}

/* --- images --- */

int world_write_image(void *user, int fd, fairlead_error *err)
{
	const uint64_t *number = user;
	uint64_t words[IMAGE_WORDS];
	ssize_t n = sizeof words;

	for (size_t i = 0; i < COUNT(words); i++)
		words[i] = *number + i;
	/* A byte less: images need not be whole words. */
	if (write(fd, words, (size_t)n - 1) != n - 1)
		return fl_fail(err, FAIRLEAD_EIO, "the image cannot be written");
	return 0;
}

void world_check_image(struct fl_store *s, uint64_t seq, uint64_t number)
{
	uint64_t words[IMAGE_WORDS], got_seq = 99;
	fairlead_error err = { 0 };
	int fd = -2;

	if (fl_store_checkpointed(s, &got_seq, &fd, &err) != 0)
		fail_msg("%s", err.text);
	assert_int_equal(got_seq, seq);
	assert_true(fd >= 0);
	assert_int_equal(read(fd, words, sizeof words), sizeof words - 1);
	for (size_t i = 0; i < COUNT(words) - 1; i++)
		assert_int_equal(words[i], number + i);
	(void)close(fd);
}
