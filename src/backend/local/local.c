/* SPDX-License-Identifier: Apache-2.0 */
/*
 * local - jobs as processes of this machine (backend.h)
 *
 * Its guarantees rest on the file of each run (attempt.h): it is whole before any process is made,
 * its runner takes a lock on it and starts nothing twice, and the runner does not need the daemon.
 */
#include "backend/local/local.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/pidfd.h>
#include <sys/stat.h>
#include <unistd.h>

#include "backend/local/life.h"
#include "backend/local/life_make.h"
#include "backend/local/life_order.h"
#include "backend/local/life_report.h"
#include "backend/local/life_watch.h"
#include "backend/local/meeting.h"
#include "backend/local/specify.h"
#include "backend/process/process.h"
#include "base/fd.h"

/* A file system of the user may hold up the end of its output for seconds. */
enum { PATIENCE_S = 30 };

/* --- the table --- */

/* The place of the run, or where it would be inserted. */
static uint32_t place_of(const struct fl_host *h, uint64_t job, uint32_t attempt)
{
	uint32_t low = 0, high = h->n_runs;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;
		const struct fl_local_run *r = h->runs[middle];

		if (r->job < job || (r->job == job && r->attempt < attempt))
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static struct fl_local_run *run_of(const struct fl_host *h, uint64_t job, uint32_t attempt)
{
	uint32_t i = place_of(h, job, attempt);

	if (i == h->n_runs || h->runs[i]->job != job || h->runs[i]->attempt != attempt)
		return NULL;
	return h->runs[i];
}

void fl_host_unref(struct fl_host *h)
{
	if (--h->refs > 0)
		return;
	if (*h->place.group.path)
		rmdir(h->place.group.path); /* unless runs are in it */
	fl_spawner_free(h->spawner);
	uv_mutex_destroy(&h->answers_lock);
	fl_folder_close(&h->folder);
	fl_machine_done(&h->machine);
	free(h->unreaped);
	free(h->runs);
	free(h);
}

void fl_local_unref(struct fl_local_run *r)
{
	struct fl_host *h = r->h;

	if (--r->refs > 0)
		return;
	fl_fd_close(&r->client);
	free(r->devices);
	free(r->bytes);
	free(r);
	fl_host_unref(h);
}

static int add_run(struct fl_host *h, uint64_t job, uint32_t attempt, struct fl_local_run **ret,
		   fairlead_error *err)
{
	int rc = fl_mem_grow(&fl_mem_heap, &h->runs, &h->room, h->n_runs + 1, sizeof *h->runs, err);
	struct fl_local_run *r = rc == 0 ? calloc(1, sizeof *r) : NULL;

	if (!r)
		return rc != 0 ? rc : fl_fail_nomem(err);
	*r = (struct fl_local_run){ .h = h,
				    .job = job,
				    .attempt = attempt,
				    .refs = 1,
				    .pidfd = -1,
				    .awaited = FL_TIME_NONE,
				    .overdue = FL_NEVER,
				    .time_limit = FL_NEVER,
				    .fresh = -1,
				    .client = -1 };
	uint32_t i = place_of(h, job, attempt);
	memmove(h->runs + i + 1, h->runs + i, (h->n_runs - i) * sizeof *h->runs);
	h->runs[i] = r;
	h->n_runs++;
	h->refs++;
	*ret = r;
	return 0;
}

static void take_out(struct fl_local_run *r)
{
	struct fl_host *h = r->h;
	uint32_t i = place_of(h, r->job, r->attempt);

	h->n_runs--;
	memmove(h->runs + i, h->runs + i + 1, (h->n_runs - i) * sizeof *h->runs);
	fl_machine_release(&h->machine, r->job, r->attempt);
	fl_life_let_go(r);
	fl_local_unref(r);
}

void fl_local_reread(struct fl_local_run *r)
{
	struct fl_attempt_spec spec = { 0 };
	FL_FD fd = fl_life_open(r, O_RDONLY);

	if (fd >= 0 && fl_attempt_read(fd, &spec, NULL) == 0)
		fl_specify_keep(r, &spec, NULL);
	fl_attempt_done(&spec);
}

/* --- open and close --- */

static void retake(struct fl_stock *m, const struct fl_attempt_spec *spec)
{
	const char *resource = "", *at = spec->resources;

	for (uint32_t i = 0; i < spec->n_devices; i++) {
		if (spec->resources_len) {
			resource = *at ? at : resource;
			at += strlen(at) + 1;
		}
		fl_machine_retake(m, resource, spec->devices[i], spec->job, spec->attempt);
	}
}

/*
 * A run from before the start.  Its file gets its name when it is whole, so a folder without one
 * was only half made, or the file was removed: the state of the job says which.
 */
static int load_run(void *user, uint64_t job, uint32_t attempt)
{
	struct fl_host *h = user;
	struct fl_local_run probe = { .h = h, .job = job, .attempt = attempt }, *r;
	struct fl_attempt_spec spec = { 0 };
	struct fl_attempt_status status = { 0 };
	FL_FD fd = fl_life_open(&probe, O_RDONLY);

	if (fd < 0)
		return errno == ENOENT ? (fl_folder_clear(&h->folder, job, attempt), 0) :
					 FAIRLEAD_EIO;
	int rc = fl_attempt_read(fd, &spec, NULL);
	bool damaged = rc == FAIRLEAD_EINPUT || fl_attempt_get_status(fd, &status) != 0;
	if (rc == 0 || damaged)
		rc = add_run(h, job, attempt, &r, NULL);
	if (rc == 0)
		r->life = FL_LIFE_FOUND;
	if (rc == 0 && !damaged)
		rc = fl_specify_keep(r, &spec, NULL);
	if (rc == 0 && !damaged && status.state != FL_ATTEMPT_ENDED)
		retake(&h->machine, &spec);
	fl_attempt_done(&spec);
	return rc;
}

static int find_groups(struct fl_host *h, enum fl_cgroup_use use, fairlead_error *err)
{
	const struct fl_group_place *place = &h->place.group;
	struct fl_stock *m = &h->machine;
	int rc = fl_spawner_place(h->spawner, use != FL_CGROUP_OFF, &h->place, err);

	if (rc != 0)
		return rc;
	if (use == FL_CGROUP_REQUIRED && !(place->cpu && place->memory)) {
		fl_fail(err, FAIRLEAD_EIO,
			"no control groups (version 2) for cpu and memory can "
			"be made here, and the configuration requires them");
		fl_fail_hint(err, "run the daemon as root or in a group that is delegated to it, "
				  "or set cgroup: auto");
		return FAIRLEAD_EIO;
	}
	if (!*place->path)
		fl_machine_remark(m,
				  "control groups are not used%s: jobs are not held to the cpu "
				  "and memory they asked for",
				  use == FL_CGROUP_OFF ? "" : ", as none can be made here");
	else if (!place->cpu || !place->memory)
		fl_machine_remark(m,
				  "control groups in %s: jobs are not held to the %s they asked "
				  "for",
				  place->path,
				  place->cpu    ? "memory" :
				  place->memory ? "cpu" :
						  "cpu and memory");
	else
		fl_machine_remark(m, "control groups in %s hold jobs to their cpu and memory",
				  place->path);
	return 0;
}

/* Remarks what can end a run with all its processes when its runner cannot. */
static void find_end(struct fl_host *h)
{
	if (h->place.group.ends)
		return;
	h->alone = h->place.alone;
	fl_machine_remark(&h->machine,
			  h->alone ? "jobs have a namespace of processes each, as control groups "
				     "do not end them: nothing outlives its job" :
				     "neither control groups nor namespaces of processes are "
				     "available: when a runner is killed, processes that its job "
				     "started in a session of their own may continue");
}

/* Takes over the socket. */
static int find_spawner(struct fl_host *h, const struct fl_host_options *o, fairlead_error *err)
{
	int socket = o->spawner > 0 ? o->spawner : -1;

	if (access(o->runner, X_OK) == 0)
		return fl_spawner_new(socket, o->runner, fl_life_spawner_gone, h, &h->spawner, err);
	int why = errno;
	fl_fd_close(&socket);
	return fl_fail(err, FAIRLEAD_EIO, "cannot run %s, which stands beside each job: %s",
		       o->runner, strerror(why));
}

static int set_up(struct fl_host *h, const struct fl_host_options *o, fairlead_error *err)
{
	struct fl_machine_found found;
	int rc = find_spawner(h, o, err);
	FL_FD self = pidfd_open(getpid(), 0);

	if (rc == 0 && self < 0 && (errno == ENOSYS || errno == EPERM))
		rc = fl_fail(err, FAIRLEAD_EIO,
			     "processes cannot be watched here: Linux 5.4 or later is needed, "
			     "with pidfd_open allowed");
	if (rc != 0)
		return rc;
	fl_machine_find("", &found);
	rc = fl_machine_share(&found, o, &h->machine, err);
	if (rc == 0)
		rc = find_groups(h, o->cgroup, err);
	if (rc == 0)
		find_end(h);
	if (rc == 0)
		rc = fl_folder_open(&h->folder, o->state, err);
	if (rc == 0)
		rc = fl_folder_each(&h->folder, load_run, h, err);
	return rc;
}

static struct fl_host *local_close(struct fl_host *h);

static void closed_own(uv_handle_t *handle) { fl_host_unref(handle->data); }

static int local_open(const struct fl_host_options *options, struct fl_host **ret,
		      fairlead_error *err)
{
	struct fl_host *h = calloc(1, sizeof *h);

	if (!h || uv_mutex_init(&h->answers_lock) != 0) {
		free(h);
		return fl_fail_nomem(err);
	}
	h->loop = options->loop;
	h->callbacks = options->callbacks;
	h->output_limit = options->output_limit;
	h->patience = options->patience > 0 ? options->patience : PATIENCE_S * FL_SECOND;
	h->folder.runs = h->folder.ended = -1;
	h->refs = 1;
	fl_boot_id(h->boot);
	if (uv_async_init(h->loop, &h->tell, fl_life_tell_all) != 0 ||
	    uv_async_init(h->loop, &h->answers, fl_life_hear) != 0) {
		fl_host_unref(h);
		return fl_fail(err, FAIRLEAD_EIO, "cannot wake the loop");
	}
	uv_timer_init(h->loop, &h->again);
	h->tell.data = h->answers.data = h->again.data = h;
	h->refs += 3;
	/* The handles do not keep the loop running while they are idle. */
	uv_unref((uv_handle_t *)&h->tell);
	uv_unref((uv_handle_t *)&h->answers);
	int rc = set_up(h, options, err);
	if (rc != 0)
		local_close(h);
	else
		*ret = h;
	return rc;
}

static struct fl_host *local_close(struct fl_host *h)
{
	if (!h)
		return NULL;
	h->closed = true;
	while (h->first_due) {
		struct fl_local_run *r = h->first_due;

		h->first_due = r->next_due;
		fl_local_unref(r);
	}
	h->last_due = NULL;
	while (h->n_runs > 0)
		take_out(h->runs[h->n_runs - 1]);
	/* No more answers come: those that were awaited are told that. */
	fl_spawner_stop(h->spawner);
	uv_mutex_lock(&h->answers_lock);
	h->deaf = true;
	uv_mutex_unlock(&h->answers_lock);
	fl_life_hear(&h->answers);
	uv_close((uv_handle_t *)&h->answers, closed_own);
	uv_close((uv_handle_t *)&h->tell, closed_own);
	uv_close((uv_handle_t *)&h->again, closed_own);
	fl_host_unref(h);
	return NULL;
}

static int local_capacity(struct fl_host *h, struct fl_capacity *ret, fairlead_error *err)
{
	(void)err;
	*ret = (struct fl_capacity){
		.rows = h->machine.rows,
		.n = h->machine.n_rows,
		.contains = h->place.group.ends || h->alone,
		.remarks = (const char *const *)h->machine.remarks,
		.n_remarks = h->machine.n_remarks,
	};
	return 0;
}

/* --- starting --- */

/* A forgotten run has ended: a second order does not start it again. */
static bool is_forgotten(struct fl_host *h, uint64_t job, uint32_t attempt, const char *token,
			 struct fl_attempt_status *ret)
{
	struct fl_local_run probe = { .h = h, .job = job, .attempt = attempt };
	struct fl_attempt_spec spec = { 0 };
	FL_FD fd = fl_life_open(&probe, O_RDONLY);

	if (fd < 0)
		return false;
	bool is = fl_attempt_get_status(fd, ret) == 0 && ret->state == FL_ATTEMPT_ENDED &&
		  fl_attempt_read(fd, &spec, NULL) == 0 &&
		  (!token || strcmp(spec.token, token) == 0);
	fl_attempt_done(&spec);
	return is;
}

/* The run with that number is another one, which was not disowned. */
static int check_token(const struct fl_local_run *r, const char *token, fairlead_error *err)
{
	return !token || strcmp(r->token, token) == 0 ?
		       0 :
		       fl_fail(err, FAIRLEAD_ESTATE,
			       "there is another run with the number %" PRIu64 ".%" PRIu32, r->job,
			       r->attempt);
}

static const char told[] = "it was told to stop before it started",
		  too_few[] = "not enough devices are free: other runs hold some";

static int local_start(struct fl_host *h, const struct fl_run *run, fairlead_error *err)
{
	struct fl_taken devices = { .n = 0 };
	struct fl_attempt_status status;
	struct fl_local_run *r = run_of(h, run->job, run->attempt);
	bool enough = true;
	int rc = fl_specify_check(run, err);

	if (r && rc == 0 && (rc = check_token(r, run->token, err)) == 0 && r->life == FL_LIFE_FOUND)
		fl_life_hold(r);
	if (r || rc != 0)
		return rc;
	rc = add_run(h, run->job, run->attempt, &r, err);
	if (rc != 0)
		return rc;
	if (is_forgotten(h, run->job, run->attempt, run->token, &status)) {
		fl_life_over(r, &status);
		return 0;
	}
	r->before = run->before;
	if (run->spec->interactive && run->client >= 0)
		r->client = fcntl(run->client, F_DUPFD_CLOEXEC, 3);
	for (uint32_t i = 0; i < run->n_grants && enough; i++)
		enough = fl_machine_take(&h->machine, &run->grants[i], run->job, run->attempt,
					 &devices);
	if (!enough && run->before == FL_BEFORE_NOT) {
		fl_life_refuse(r, too_few);
		return 0;
	}
	/* Processes that it may have left are ended all the same. */
	r->refused = run->before == FL_BEFORE_TOLD ? told : !enough ? too_few : NULL;
	rc = fl_specify(r, run, &devices, err);
	if (rc != 0)
		take_out(r);
	else
		fl_life_make(r);
	return rc;
}

static int local_stop(struct fl_host *h, uint64_t job, uint32_t attempt, enum fl_go_why why,
		      fl_time grace, fairlead_error *err)
{
	struct fl_local_run *r = run_of(h, job, attempt);
	fl_time by = fl_sat_add(fl_boot_clock(), grace);

	if (!r)
		return fl_fail(err, FAIRLEAD_ENOENT, "there is no run %" PRIu64 ".%" PRIu32, job,
			       attempt);
	if (r->life == FL_LIFE_FOUND)
		fl_life_hold(r);
	if (r->life == FL_LIFE_OVER)
		return 0;
	if (r->life != FL_LIFE_MADE)
		return fl_life_order(r, why, by, err);
	if (r->why == FL_GO_NOT) {
		r->why = why;
		r->by = by;
	}
	r->by = fl_amount_min(r->by, by);
	return 0;
}

static int find_told(struct fl_host *h, uint64_t job, uint32_t attempt, struct fl_local_run **ret,
		     fairlead_error *err)
{
	*ret = run_of(h, job, attempt);
	if (!*ret)
		return fl_fail(err, FAIRLEAD_ENOENT, "there is no run %" PRIu64 ".%" PRIu32, job,
			       attempt);
	if ((*ret)->life == FL_LIFE_FOUND)
		fl_life_hold(*ret);
	return 0;
}

static int local_limit(struct fl_host *h, uint64_t job, uint32_t attempt, fl_time time_limit,
		       fairlead_error *err)
{
	struct fl_local_run *r;
	int rc = find_told(h, job, attempt, &r, err);

	if (rc != 0 || r->life == FL_LIFE_OVER)
		return rc;
	if (r->life != FL_LIFE_MADE)
		return fl_life_change(r, time_limit, /* signal= */ 0, err);
	r->new_limit = time_limit; /* it is told when it is made */
	return 0;
}

static int local_signal(struct fl_host *h, uint64_t job, uint32_t attempt, int number,
			fairlead_error *err)
{
	struct fl_local_run *r;
	int rc = find_told(h, job, attempt, &r, err);

	if (rc != 0 || r->life == FL_LIFE_OVER)
		return rc;
	if (r->life == FL_LIFE_MADE)
		return fl_fail(err, FAIRLEAD_ESTATE, "it has not begun");
	return fl_life_change(r, /* time_limit= */ 0, number, err);
}

/* --- finding and forgetting --- */

/* Only a run that goes on can be in another state folder. */
static int fetch_run(struct fl_host *h, uint64_t job, uint32_t attempt, const char *token,
		     struct fl_local_run **ret, fairlead_error *err)
{
	int rc = token ? fl_elsewhere_fetch(h->spawner, &h->folder, job, attempt, token, err) : 1;

	if (rc == 0)
		rc = load_run(h, job, attempt);
	if (rc == 0)
		*ret = run_of(h, job, attempt);
	return rc > 0 ? 0 : rc;
}

static int local_find(struct fl_host *h, uint64_t job, uint32_t attempt, const char *token,
		      enum fl_found *ret, fairlead_error *err)
{
	struct fl_local_run *r = run_of(h, job, attempt);
	struct fl_attempt_status status;

	if (r && !*r->token) {
		take_out(r);
		*ret = FL_FOUND_DAMAGED;
		return 0;
	}
	if (r && check_token(r, token, err) != 0)
		return FAIRLEAD_ESTATE;
	if (!r && !is_forgotten(h, job, attempt, token, &status)) {
		int rc = fetch_run(h, job, attempt, token, &r, err);

		if (rc != 0 || !r) {
			*ret = FL_FOUND_NEVER;
			return rc;
		}
	}
	if (!r) {
		int rc = add_run(h, job, attempt, &r, err);
		if (rc != 0)
			return rc;
		fl_life_over(r, &status);
	}
	if (r->life == FL_LIFE_FOUND)
		fl_life_hold(r);
	*ret = r->life == FL_LIFE_OVER ? FL_FOUND_ENDED : FL_FOUND_RUNS;
	return 0;
}

static int local_each(struct fl_host *h,
		      int (*fn)(void *user, uint64_t job, uint32_t attempt, const char *token),
		      void *user, fairlead_error *err)
{
	struct {
		uint64_t job;
		uint32_t attempt;
		char token[FL_RUN_TOKEN];
	} *all = malloc((h->n_runs + 1) * sizeof *all);
	uint32_t n = h->n_runs;
	int rc = 0;

	if (!all)
		return fl_fail_nomem(err);
	for (uint32_t i = 0; i < n; i++) {
		all[i].job = h->runs[i]->job;
		all[i].attempt = h->runs[i]->attempt;
		memcpy(all[i].token, h->runs[i]->token, sizeof all[i].token);
	}
	/* @fn may start, stop and forget. */
	for (uint32_t i = 0; i < n && rc == 0; i++)
		rc = fn(user, all[i].job, all[i].attempt, all[i].token);
	free(all);
	return rc;
}

static void local_forget(struct fl_host *h, uint64_t job, uint32_t attempt)
{
	struct fl_local_run *r = run_of(h, job, attempt);

	if (!r || r->life != FL_LIFE_OVER)
		return;
	fl_folder_retire(&h->folder, job, attempt);
	take_out(r);
}

static void local_disown(struct fl_host *h, struct fl_stray *strays, uint32_t n)
{
	struct fl_local_run **runs = calloc(n + 1, sizeof *runs);

	for (uint32_t i = 0; runs && i < n; i++)
		runs[i] = run_of(h, strays[i].job, strays[i].attempt);
	if (runs)
		fl_strays_end(runs, strays, n);
	for (uint32_t i = 0; runs && i < n; i++)
		if (runs[i])
			take_out(runs[i]);
	free(runs);
}

struct removal {
	uv_work_t work;
	struct fl_host *h;
	uint64_t job;
};

static void remove_job(uv_work_t *work)
{
	struct removal *x = work->data;

	fl_folder_remove(&x->h->folder, x->job);
}

static void removed_job(uv_work_t *work, int status)
{
	struct removal *x = work->data;

	(void)status;
	fl_host_unref(x->h);
	free(x);
}

static void local_remove(struct fl_host *h, uint64_t job)
{
	struct removal *x = calloc(1, sizeof *x);

	for (uint32_t i = place_of(h, job, 0); i < h->n_runs && h->runs[i]->job == job;) {
		if (h->runs[i]->life != FL_LIFE_OVER) {
			free(x);
			return; /* it has not ended: nothing is removed */
		}
		take_out(h->runs[i]);
	}
	if (!x)
		return;
	*x = (struct removal){ .work = { .data = x }, .h = h, .job = job };
	h->refs++;
	uv_queue_work(h->loop, &x->work, remove_job, removed_job);
}

/* --- output and devices --- */

static int open_output(int folder, const struct fl_attempt_spec *spec, uint32_t task,
		       enum fl_stream stream, struct fl_run_log *ret, fairlead_error *err)
{
	char name[FL_OUTPUT_NAME];
	struct stat st;

	if (task >= spec->tasks)
		return fl_fail(err, FAIRLEAD_ENOENT,
			       "there is no task %u of job %" PRIu64 ": the last one is %u", task,
			       spec->job, spec->tasks - 1);
	if (spec->interactive)
		return fl_fail(err, FAIRLEAD_ENOENT,
			       "job %" PRIu64 " is interactive: its output went to its client and "
			       "is not kept",
			       spec->job);
	if (*spec->output)
		return fl_fail(err, FAIRLEAD_ENOENT, "the output of job %" PRIu64 " goes to '%s'",
			       spec->job, spec->output);
	fl_folder_output_name(FL_ATTEMPT_STREAMS * task + (uint32_t)stream, name);
	ret->fd = openat(folder, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
	if (ret->fd >= 0 && fstat(ret->fd, &st) == 0)
		ret->size = (uint64_t)st.st_size;
	return ret->fd >= 0 || errno == ENOENT ?
		       0 :
		       fl_fail(err, FAIRLEAD_EIO, "cannot read the output of job %" PRIu64 ": %s",
			       spec->job, strerror(errno));
}

static int local_log(struct fl_host *h, uint64_t job, uint32_t attempt, uint32_t task,
		     enum fl_stream stream, struct fl_run_log *ret, fairlead_error *err)
{
	const struct fl_local_run *r = run_of(h, job, attempt);
	struct fl_run_log log = { .fd = -1, .complete = !r || r->life == FL_LIFE_OVER };
	struct fl_attempt_spec spec = { 0 };
	struct fl_attempt_status status;
	bool ended;
	FL_FD folder = fl_folder_of(&h->folder, job, attempt, &ended);
	FL_FD file = folder < 0 ? -1 : fl_attempt_open(folder, O_RDONLY);
	int rc = file < 0 ? FAIRLEAD_ENOENT : fl_attempt_read(file, &spec, err);

	if (file < 0 && r) /* being made, or it could not be made */
		rc = 0;
	else if (file < 0)
		fl_fail(err, FAIRLEAD_ENOENT,
			"there is no output of attempt %" PRIu32 " of job %" PRIu64, attempt, job);
	else if (rc == 0)
		rc = open_output(folder, &spec, task, stream, &log, err);
	if (file >= 0 && rc == 0 && fl_attempt_get_status(file, &status) == 0)
		log.lost = status.output_lost;
	fl_attempt_done(&spec);
	if (rc == 0)
		*ret = log;
	return rc;
}

static int local_reach(struct fl_host *h, uint64_t job, uint32_t attempt)
{
	struct fl_attempt_spec spec = { 0 };
	fairlead_error err;
	bool ended;
	FL_FD folder = fl_folder_of(&h->folder, job, attempt, &ended);
	FL_FD file = folder < 0 ? -1 : fl_attempt_open(folder, O_RDONLY);
	int socket = -1;

	if (file >= 0 && fl_attempt_read(file, &spec, &err) == 0 && spec.interactive)
		socket = fl_meeting_go(spec.token, spec.uid);
	fl_attempt_done(&spec);
	return socket;
}

static uint32_t local_devices(struct fl_host *h, uint64_t job, uint32_t attempt, uint32_t *ret,
			      uint32_t room)
{
	const struct fl_local_run *r = run_of(h, job, attempt);
	uint32_t n = r ? r->n_devices : 0;

	for (uint32_t i = 0; i < n && i < room; i++)
		ret[i] = r->devices[i];
	return n < room ? n : room;
}

const struct fl_backend_ops fl_local_backend = {
	.name = "local",
	.last = fl_folder_last,
	.open = local_open,
	.close = local_close,
	.capacity = local_capacity,
	.start = local_start,
	.stop = local_stop,
	.limit = local_limit,
	.signal = local_signal,
	.find = local_find,
	.each = local_each,
	.disown = local_disown,
	.forget = local_forget,
	.remove = local_remove,
	.log = local_log,
	.reach = local_reach,
	.devices = local_devices,
};
