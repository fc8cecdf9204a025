/* SPDX-License-Identifier: Apache-2.0 */
/*
 * History of a daemon that watches a cluster: what the store has of Workloads, also after a restart, and when the disk
 * takes nothing.
 */
#include <signal.h>
#include <sqlite3.h>
#include <sys/resource.h>

#include "base/time.h"
#include "daemon/cluster/daemon.h"
#include "daemon/cluster/inside.h"
#include "lib/unit.h"
#include "store/database.h"
#include "unit/daemon/folder.h"
#include "unit/daemon/watched.h"
#include "unit/mirror/objects.h"

struct world {
	struct folder folder;
	uv_loop_t loop;
	struct fl_cluster *cluster;
	char log[4096];
	bool closed;
};

static void note(void *user, const char *line)
{
	struct world *w = user;
	size_t n = strlen(w->log);

	(void)snprintf(w->log + n, sizeof w->log - n, "%s\n", line);
}

static void on_broken(void *user, const fairlead_error *err)
{
	(void)user;
	fail_msg("%s", err->text);
}

static void on_closed(void *user) { ((struct world *)user)->closed = true; }

static const struct {
	enum fl_mirror_kind kind;
	const char *text;
} objects[] = {
	{ FL_MIRROR_FLAVOR, "{\"metadata\":{\"name\":\"f0\"},\"spec\":{}}" },
	{ FL_MIRROR_CLUSTER_QUEUE,
	  "{\"metadata\":{\"name\":\"cq\"},\"spec\":{\"namespaceSelector\":{},\"resourceGroups\":[{"
	  "\"coveredResources\":[\"cpu\",\"memory\"],\"flavors\":[{\"name\":\"f0\",\"resources\":["
	  "{\"name\":\"cpu\",\"nominalQuota\":\"4\"},{\"name\":\"memory\",\"nominalQuota\":\"40Gi\"}"
	  "]}]}]}}" },
	{ FL_MIRROR_LOCAL_QUEUE,
	  "{\"metadata\":{\"name\":\"q0\",\"namespace\":\"ns\"},\"spec\":{\"clusterQueue\":\"cq\"}}" },
	{ FL_MIRROR_NAMESPACE, "{\"metadata\":{\"name\":\"ns\"}}" },
};

static void see(struct world *w, enum fl_mirror_kind kind, const char *text)
{
	fairlead_error err = { 0 };

	assert_int_equal(fl_cluster_seen(w->cluster, kind, text, strlen(text), &err), 0);
}

static void see_workload(struct world *w, const struct written *o)
{
	char text[OBJECT];

	see(w, FL_MIRROR_WORKLOAD, write_workload(o, text));
}

static void remove_workload(struct world *w, const char *name)
{
	fairlead_error err = { 0 };

	assert_int_equal(fl_cluster_removed(w->cluster, FL_MIRROR_WORKLOAD, "ns", name, &err), 0);
}

static void list_all(struct world *w, const struct written *there, uint32_t n)
{
	for (enum fl_mirror_kind k = 0; k < FL_MIRROR_KINDS; k++) {
		fl_cluster_begun(w->cluster, k, NULL);
		for (size_t i = 0; i < COUNT(objects); i++)
			if (objects[i].kind == k)
				see(w, k, objects[i].text);
		for (uint32_t i = 0; i < n && k == FL_MIRROR_WORKLOAD; i++)
			see_workload(w, &there[i]);
		fl_cluster_listed(w->cluster, k);
	}
}

static void start(struct world *w, const struct written *there, uint32_t n)
{
	struct fl_cluster_options o = watched_options(&w->loop, w->folder.path, w);
	fairlead_error err = { 0 };

	o.log = note;
	o.broken = on_broken;
	assert_int_equal(uv_loop_init(&w->loop), 0);
	if (fl_cluster_new(&o, &w->cluster, &err) < 0)
		fail_msg("%s", err.text);
	list_all(w, there, n);
	while (!fl_cluster_is_settled(w->cluster))
		(void)uv_run(&w->loop, UV_RUN_ONCE);
}

static void stop(struct world *w)
{
	w->closed = false;
	fl_cluster_close(w->cluster, on_closed, w);
	while (!w->closed)
		(void)uv_run(&w->loop, UV_RUN_ONCE);
	w->cluster = fl_cluster_free(w->cluster);
	assert_int_equal(uv_loop_close(&w->loop), 0);
}

static void begin(struct world *w, const struct written *there, uint32_t n)
{
	*w = (struct world){ 0 };
	folder_make(&w->folder);
	start(w, there, n);
}

static void end(struct world *w)
{
	stop(w);
	assert_string_equal(w->log, "");
	folder_gone(&w->folder);
}

/* Until all is in the store. */
static void write_all(struct world *w)
{
	const struct fl_keeping *k = &w->cluster->kept;

	while (k->n_dirty || k->writing || fl_gathered_count(k->gather))
		(void)uv_run(&w->loop, UV_RUN_ONCE);
}

static int put_job(void *user, const struct fl_job_row *row, fairlead_error *err)
{
	char *text = user;

	(void)err;
	(void)snprintf(text + strlen(text), 200, "%d %s %s %s %u/%u%s; ", (int)row->id, row->name,
		       row->queue, fl_job_state_name(row->state), row->attempt, row->evictions,
		       row->ended == FL_TIME_NONE ? "" : " ended");
	return 0;
}

/* All that the store has of jobs, as text. */
static const char *jobs_of(const struct world *w, char text[1024])
{
	const struct fl_job_filter all = { .damaged = true };

	text[0] = '\0';
	assert_int_equal(fl_store_jobs(w->cluster->daemon.store, &all, put_job, text, NULL), 0);
	return text;
}

static int put_admission(void *user, const struct fl_admission_row *row, fairlead_error *err)
{
	char *text = user, from[40], to[40] = "-----------now";

	(void)err;
	fl_time_format(from, row->from);
	if (row->to != FL_TIME_NONE)
		fl_time_format(to, row->to);
	(void)snprintf(text + strlen(text), 300, "%u %s %.8s-%.8s %s %s; ", row->attempt,
		       row->queue, from + 11, to + 11, row->ended ? row->ended : "-",
		       row->placement ? row->placement : "nothing");
	return 0;
}

static const char *attempts_of(const struct world *w, uint64_t job, char text[1024])
{
	text[0] = '\0';
	assert_int_equal(
		fl_store_admissions(w->cluster->daemon.store, job, put_admission, text, NULL), 0);
	return text;
}

static int put_event(void *user, const struct fl_event_row *row, fairlead_error *err)
{
	char *text = user;

	(void)err;
	(void)snprintf(text + strlen(text), 64, "%s %d; ", row->kind, (int)row->job);
	return 0;
}

static const char *events_of(const struct world *w, char text[1024])
{
	const struct fl_event_filter all = { 0 };

	text[0] = '\0';
	assert_int_equal(fl_store_events(w->cluster->daemon.store, &all, put_event, text, NULL), 0);
	return text;
}

#define HELD                                                                                       \
	"[{\"resource\":\"cpu\",\"flavor\":\"f0\",\"amount\":1000},"                               \
	"{\"resource\":\"memory\",\"flavor\":\"f0\",\"amount\":1073741824}]"

TEST(a_life)
{
	struct written o = { .name = 0, .uid = 1 };
	struct world w;
	char text[1024];

	begin(&w, &o, 1);
	write_all(&w);
	assert_string_equal(jobs_of(&w, text), "1 w0 ns/q0 waits 0/0; ");
	o.reserved = o.admitted = true;
	see_workload(&w, &o);
	write_all(&w);
	assert_string_equal(jobs_of(&w, text), "1 w0 ns/q0 runs 1/0; ");
	assert_string_equal(attempts_of(&w, 1, text), "1 cq 11:00:00-now - " HELD "; ");
	o.evicted = true;
	see_workload(&w, &o);
	o.reserved = o.admitted = false;
	see_workload(&w, &o);
	write_all(&w);
	assert_string_equal(jobs_of(&w, text), "1 w0 ns/q0 waits 1/1; ");
	CHECK(strstr(attempts_of(&w, 1, text), " preempted " HELD "; "), text);
	o.evicted = false;
	o.reserved = o.admitted = true;
	o.reserved_at = 7;
	see_workload(&w, &o);
	o.finished = true;
	see_workload(&w, &o);
	write_all(&w);
	assert_string_equal(jobs_of(&w, text), "1 w0 ns/q0 done 2/1 ended; ");
	CHECK(strstr(attempts_of(&w, 1, text), "2 cq 11:00:07-13:00:00 exited " HELD "; "), text);
	assert_string_equal(events_of(&w, text),
			    "Admitted 1; Preempted 1; Requeued 1; Admitted 1; Finished 1; ");
	end(&w);
}

/* It comes, holds and goes before anything was written. */
TEST(a_short_life)
{
	struct written o = { .name = 0, .uid = 1, .reserved = true };
	struct world w;
	char text[1024];

	begin(&w, NULL, 0);
	see_workload(&w, &o);
	remove_workload(&w, "w0");
	o = (struct written){ .name = 0, .uid = 2 };
	see_workload(&w, &o);
	/* Heard of when it is over: its times are those of the API. */
	o = (struct written){ .name = 1, .uid = 3, .reserved = true, .finished = true };
	see_workload(&w, &o);
	write_all(&w);
	assert_string_equal(jobs_of(&w, text),
			    "1 w0 ns/q0 cancelled 1/0 ended; 2 w0 ns/q0 waits 0/0; ");
	CHECK(strstr(attempts_of(&w, 1, text), "cancelled " HELD), text);
	end(&w);
}

/* Numbers stay, and what has changed meanwhile has the times of the API, or two between which it was. */
TEST(a_restart)
{
	struct written there[] = {
		{ .name = 0, .uid = 1 },
		{ .name = 1, .uid = 2, .reserved = true },
		{ .name = 2, .uid = 3, .reserved = true },
		{ .name = 3, .uid = 4, .reserved = true },
		{ .name = 4, .uid = 5 },
		{ .name = 5, .uid = 6, .reserved = true },
	};
	struct world w;
	char text[1024];

	begin(&w, there, 6);
	stop(&w);
	/* 0 was admitted, 1 goes on, 2 has finished, 3 was admitted again, 4 is gone, 5 is gone. */
	there[0].reserved = true;
	there[2].finished = true;
	there[3].reserved_at = 9;
	start(&w, there, 4);
	write_all(&w);
	assert_string_equal(jobs_of(&w, text),
			    "1 w0 ns/q0 runs 1/0; 2 w1 ns/q0 runs 1/0; "
			    "3 w2 ns/q0 done 1/0 ended; 4 w3 ns/q0 runs 2/1; "
			    "5 w4 ns/q0 cancelled 0/0 ended; 6 w5 ns/q0 cancelled 1/0 ended; ");
	assert_string_equal(attempts_of(&w, 1, text), "1 cq 11:00:00-now - " HELD "; ");
	assert_string_equal(attempts_of(&w, 2, text), "1 cq 11:00:00-now - " HELD "; ");
	assert_string_equal(attempts_of(&w, 3, text), "1 cq 11:00:00-13:00:00 exited " HELD "; ");
	CHECK(strstr(attempts_of(&w, 4, text), " requeued " HELD "; 2 cq 11:00:09-now - "), text);
	CHECK(strstr(attempts_of(&w, 6, text), " cancelled " HELD "; "), text);
	/* A new one gets a number of its own. */
	see_workload(&w, &(struct written){ .name = 5, .uid = 7 });
	write_all(&w);
	CHECK(strstr(jobs_of(&w, text), "; 7 w5 ns/q0 waits 0/0; "), text);
	/* Nothing has changed, so nothing is written but that. */
	stop(&w);
	there[2] = (struct written){ .name = 5, .uid = 7 };
	start(&w, there, 4);
	assert_int_equal(w.cluster->kept.n_dirty, 0);
	end(&w);
}

/* One that cannot be read for a while is the same one. */
TEST(one_that_comes_back)
{
	const struct written o = { .name = 0, .uid = 1, .reserved = true };
	struct world w;
	char text[1024];

	begin(&w, &o, 1);
	for (int again = 0; again < 2; again++) {
		see(&w, FL_MIRROR_WORKLOAD,
		    "{\"metadata\":{\"name\":\"w0\",\"namespace\":\"ns\",\"uid\":\"u-1\"},"
		    "\"spec\":{\"podSets\":7}}");
		see_workload(&w, &o);
		write_all(&w);
	}
	CHECK(strstr(jobs_of(&w, text), "1 w0 ns/q0 runs 1/0; "), text);
	assert_null(strstr(text, "; 2 "));
	/* It is one attempt, which goes on. */
	CHECK(strstr(attempts_of(&w, 1, text), "1 cq 11:00:00-now - "), text);
	assert_null(strstr(text, "2 cq"));
	w.log[0] = '\0';
	end(&w);
}

/* What @sql changes in a row does not match its checksum. */
static void damage(const struct world *w, const char *sql)
{
	sqlite3 *db;

	assert_int_equal(sqlite3_open(folder_path(&w->folder, FL_STORE_DATABASE), &db), SQLITE_OK);
	if (sqlite3_exec(db, sql, NULL, NULL, NULL) != SQLITE_OK)
		fail_msg("%s: %s", sql, sqlite3_errmsg(db));
	assert_int_equal(sqlite3_changes(db), 1);
	assert_int_equal(sqlite3_close(db), SQLITE_OK);
}

/* The configuration changes, and all takes part in a new generation. */
static void restructure(struct world *w)
{
	see(w, FL_MIRROR_NAMESPACE, "{\"metadata\":{\"name\":\"ns\",\"labels\":{\"a\":\"b\"}}}");
	while (!fl_cluster_is_settled(w->cluster))
		(void)uv_run(&w->loop, UV_RUN_ONCE);
	assert_int_equal(w->cluster->jobs.n_over, 0);
}

/* The same over a new generation, which knows nothing of those that are over; before and after that is written. */
TEST(one_that_comes_back_over_a_generation)
{
	for (int written = 0; written < 2; written++) {
		struct written o = { .name = 0, .uid = 1, .reserved = true };
		struct world w;
		char text[1024];

		begin(&w, &o, 1);
		o.reserved = false;
		see_workload(&w, &o); /* its first attempt is over */
		o.reserved = true;
		o.reserved_at = 7;
		see_workload(&w, &o);
		see(&w, FL_MIRROR_WORKLOAD,
		    "{\"metadata\":{\"name\":\"w0\",\"namespace\":\"ns\",\"uid\":\"u-1\"},"
		    "\"spec\":{\"podSets\":7}}");
		if (written)
			write_all(&w);
		restructure(&w);
		see_workload(&w, &o);
		write_all(&w);
		assert_string_equal(jobs_of(&w, text), "1 w0 ns/q0 runs 2/0; ");
		CHECK(strstr(attempts_of(&w, 1, text), "; 2 cq 11:00:07-now - "), text);
		assert_null(strstr(text, "3 cq"));
		w.log[0] = '\0';
		end(&w);
	}
}

/* The row of a Workload that ended is damaged, and it comes back: it is the same one, and the others are kept. */
TEST(one_that_comes_back_and_is_damaged)
{
	const struct written o = { .name = 0, .uid = 1, .reserved = true };
	struct world w;
	char text[1024];

	begin(&w, &o, 1);
	remove_workload(&w, "w0");
	write_all(&w);
	restructure(&w);
	damage(&w, "UPDATE jobs SET priority = priority + 1 WHERE id = 1");
	see_workload(&w, &o);
	see_workload(&w, &(struct written){ .name = 1, .uid = 2 });
	write_all(&w);
	assert_null(fl_daemon_problem(fl_cluster_daemon(w.cluster)));
	CHECK(strstr(jobs_of(&w, text), "2 w1 ns/q0 waits 0/0; "), text);
	CHECK(!strstr(w.log, "not written"), w.log);
	w.log[0] = '\0';
	end(&w);
}

/* No file of this process may grow beyond this. */
static void limit_files(rlim_t bytes)
{
	struct rlimit limit;

	(void)signal(SIGXFSZ, SIG_IGN);
	assert_int_equal(getrlimit(RLIMIT_FSIZE, &limit), 0);
	limit.rlim_cur = bytes;
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
}

static void until_problem(struct world *w)
{
	while (!fl_daemon_problem(fl_cluster_daemon(w->cluster)))
		(void)uv_run(&w->loop, UV_RUN_ONCE);
	assert_non_null(
		strstr(fl_daemon_problem(fl_cluster_daemon(w->cluster)), "history is not written"));
	assert_non_null(fl_daemon_store_problem(fl_cluster_daemon(w->cluster)));
}

static int put_setting(void *user, const struct fl_setting *row, fairlead_error *err)
{
	char *text = user;

	(void)err;
	(void)snprintf(text + strlen(text), 100, "%s; ", strchr(row->value, ' '));
	return 0;
}

static const char *gaps_of(const struct world *w, char text[1024])
{
	text[0] = '\0';
	assert_int_equal(fl_store_settings(w->cluster->daemon.store, FL_STORE_GAP "0",
					   FL_STORE_GAP "9~", 0, put_setting, text, NULL),
			 0);
	return text;
}

static const struct fl_live *find(const struct world *w, const char *name)
{
	return fl_cluster_find(w->cluster, "ns", name);
}

/* What happens meanwhile is decided, answered, and kept once there is room. */
TEST(a_full_disk)
{
	struct written o = { .name = 0, .uid = 1 };
	struct world w;
	char text[1024];

	begin(&w, &o, 1);
	write_all(&w);
	limit_files(1);
	o.reserved = true;
	see_workload(&w, &o);
	until_problem(&w);
	see_workload(&w, &(struct written){ .name = 1, .uid = 2 });
	assert_int_equal(find(&w, "w0")->state, FL_JOB_RUNS);
	assert_true(find(&w, "w1")->workload.v != FL_NONE);
	remove_workload(&w, "w0");
	limit_files(RLIM_INFINITY);
	write_all(&w);
	assert_null(fl_daemon_problem(fl_cluster_daemon(w.cluster)));
	assert_string_equal(jobs_of(&w, text),
			    "1 w0 ns/q0 cancelled 1/0 ended; 2 w1 ns/q0 waits 0/0; ");
	CHECK(strstr(attempts_of(&w, 1, text), " cancelled " HELD "; "), text);
	assert_string_equal(events_of(&w, text), "Admitted 1; Submitted 2; Cancelled 1; ");
	assert_string_equal(gaps_of(&w, text), "");
	assert_non_null(strstr(w.log, "history is not written: "));
	assert_non_null(strstr(w.log, "the database can be written again\n"));
	w.log[0] = '\0';
	end(&w);
}

/* More than waits in memory: it says from when to when it has nothing, and is right again. */
TEST(a_disk_that_is_full_for_long)
{
	struct written there[] = { { .name = 0, .uid = 1, .reserved = true },
				   { .name = 1, .uid = 2, .reserved = true },
				   { .name = 2, .uid = 3 },
				   { .name = 4, .uid = 5, .reserved = true } };
	struct world w;
	char text[1024];

	begin(&w, there, 4);
	write_all(&w);
	limit_files(1);
	see_workload(&w, &(struct written){ .name = 9, .uid = 9 });
	until_problem(&w);
	w.cluster->kept.most = 500;
	for (unsigned i = 0; !w.cluster->kept.dropped; i++) {
		assert_true(i <= 500);
		there[2].priority = i % 2 + 1;
		see_workload(&w, &there[2]);
	}
	remove_workload(&w, "w0");
	there[1].reserved_at = 9;
	see_workload(&w, &there[1]);
	there[2].reserved = true;
	see_workload(&w, &there[2]);
	there[3].finished = true;
	see_workload(&w, &there[3]);
	see_workload(&w, &(struct written){ .name = 3, .uid = 4 });
	limit_files(RLIM_INFINITY);
	write_all(&w);
	assert_null(fl_daemon_problem(fl_cluster_daemon(w.cluster)));
	assert_string_equal(jobs_of(&w, text),
			    "1 w0 ns/q0 cancelled 1/0 ended; 2 w1 ns/q0 runs 2/0; "
			    "3 w2 ns/q0 runs 1/0; 4 w4 ns/q0 done 1/0 ended; "
			    "5 w9 ns/q0 waits 0/0; 6 w3 ns/q0 waits 0/0; ");
	CHECK(strstr(attempts_of(&w, 1, text), " cancelled " HELD "; "), text);
	CHECK(strstr(attempts_of(&w, 2, text), " requeued " HELD "; 2 cq 11:00:09-now - "), text);
	assert_string_equal(attempts_of(&w, 3, text), "1 cq 11:00:00-now - " HELD "; ");
	assert_string_equal(gaps_of(&w, text), " the database could not be written; ");
	w.log[0] = '\0';
	end(&w);
}

static uv_sem_t hanging;

static void hang(uv_work_t *work)
{
	(void)work;
	uv_sem_wait(&hanging);
}

static void hung(uv_work_t *work, int status)
{
	uint32_t *left = work->data;

	(void)status;
	--*left;
}

/* A commit neither ends nor fails: that is told, rows and numbers do not become ever more, and all is right afterwards. */
TEST(a_volume_that_hangs)
{
	enum { THREADS = 16, MORE = 2000 };
	struct written there[] = { { .name = 0, .uid = 1, .reserved = true } };
	const struct fl_keeping *k;
	uv_work_t works[THREADS];
	uint32_t left = THREADS;
	struct world w;
	char text[1024];

	begin(&w, there, 1);
	write_all(&w);
	k = &w.cluster->kept;
	assert_int_equal(uv_sem_init(&hanging, 0), 0);
	for (int i = 0; i < THREADS; i++) {
		works[i].data = &left;
		assert_int_equal(uv_queue_work(&w.loop, &works[i], hang, hung), 0);
	}
	w.cluster->kept.most = 500;
	w.cluster->kept.hangs = 50;
	there[0].priority = 1;
	see_workload(&w, &there[0]);
	until_problem(&w);
	assert_true(k->in_flight);
	for (unsigned i = 0; i < MORE; i++) {
		see_workload(&w, &(struct written){ .name = 2, .uid = 2 + i });
		assert_true(fl_gathered_count(k->gather) <= 500);
		remove_workload(&w, "w2");
	}
	assert_true(k->dropped);
	assert_true(k->n_dirty <= 2 * 500 + FL_CLUSTER_OVER);
	see_workload(&w, &(struct written){ .name = 3, .uid = 1 + MORE + 1 });
	for (int i = 0; i < THREADS; i++)
		uv_sem_post(&hanging);
	write_all(&w);
	while (left > 0) /* the last of them may be behind the commit */
		(void)uv_run(&w.loop, UV_RUN_ONCE);
	assert_null(fl_daemon_problem(fl_cluster_daemon(w.cluster)));
	CHECK(strncmp(jobs_of(&w, text), "1 w0 ns/q0 runs 1/0; ", 21) == 0, text);
	CHECK(strstr(text, " w3 ns/q0 waits 0/0; "), text);
	assert_string_equal(gaps_of(&w, text), " the database could not be written; ");
	w.log[0] = '\0';
	end(&w);
	uv_sem_destroy(&hanging);
}

UNIT_GROUP("kept")
