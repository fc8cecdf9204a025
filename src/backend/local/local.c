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

#include "backend/local/host.h"
#include "backend/local/namespace.h"
#include "backend/local/process.h"
#include "base/fd.h"

enum { MOST_PROCESSES = 32768 /* processes of a run in its control group */ };

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
	if (*h->place.path)
		rmdir(h->place.path); /* unless runs are in it */
	fl_folder_close(&h->folder);
	fl_machine_done(&h->machine);
	free(h->runs);
	free(h->runner);
	free(h);
}

void fl_local_unref(struct fl_local_run *r)
{
	struct fl_host *h = r->h;

	if (--r->refs > 0)
		return;
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
	*r = (struct fl_local_run){
		.h = h, .job = job, .attempt = attempt, .refs = 1, .pidfd = -1
	};
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

static int keep_spec(struct fl_local_run *r, const struct fl_attempt_spec *spec,
		     fairlead_error *err)
{
	free(r->devices);
	r->uid = spec->uid;
	snprintf(r->token, sizeof r->token, "%s", spec->token);
	snprintf(r->group, sizeof r->group, "%s", spec->group);
	r->devices = malloc((spec->n_devices + 1) * sizeof *r->devices);
	if (!r->devices)
		return fl_fail_nomem(err);
	if (spec->n_devices > 0)
		memcpy(r->devices, spec->devices, spec->n_devices * sizeof *r->devices);
	r->n_devices = spec->n_devices;
	return 0;
}

void fl_local_reread(struct fl_local_run *r)
{
	struct fl_attempt_spec spec = { 0 };
	FL_FD fd = fl_life_open(r, O_RDONLY);

	if (fd >= 0 && fl_attempt_read(fd, &spec, NULL) == 0)
		keep_spec(r, &spec, NULL);
	fl_attempt_done(&spec);
}

/* --- open and close --- */

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
		rc = keep_spec(r, &spec, NULL);
	if (rc == 0 && !damaged && status.state != FL_ATTEMPT_ENDED)
		fl_machine_retake(&h->machine, r->devices, r->n_devices, job, attempt);
	fl_attempt_done(&spec);
	return rc;
}

static int find_groups(struct fl_host *h, enum fl_cgroup_use use, fairlead_error *err)
{
	struct fl_stock *m = &h->machine;

	if (use != FL_CGROUP_OFF)
		fl_group_find(&h->place);
	if (use == FL_CGROUP_REQUIRED && !(h->place.cpu && h->place.memory)) {
		fl_fail(err, FAIRLEAD_EIO,
			"no control groups (version 2) for cpu and memory can "
			"be made here, and the configuration requires them");
		fl_fail_hint(err, "run the daemon as root or in a group that is delegated to it, "
				  "or set cgroup: auto");
		return FAIRLEAD_EIO;
	}
	if (!*h->place.path)
		fl_machine_remark(m,
				  "control groups are not used%s: jobs are not held to the cpu "
				  "and memory they asked for",
				  use == FL_CGROUP_OFF ? "" : ", as none can be made here");
	else if (!h->place.cpu || !h->place.memory)
		fl_machine_remark(m,
				  "control groups in %s: jobs are not held to the %s they asked "
				  "for",
				  h->place.path,
				  h->place.cpu    ? "memory" :
				  h->place.memory ? "cpu" :
						    "cpu and memory");
	else
		fl_machine_remark(m, "control groups in %s hold jobs to their cpu and memory",
				  h->place.path);
	return 0;
}

/* Remarks what can end a run with all its processes when its runner cannot. */
static void find_end(struct fl_host *h)
{
	if (h->place.ends)
		return;
	h->alone = fl_namespace_can();
	fl_machine_remark(&h->machine,
			  h->alone ? "jobs have a namespace of processes each, as control groups "
				     "do not end them: nothing outlives its job" :
				     "neither control groups nor namespaces of processes are "
				     "available: when a runner is killed, processes that its job "
				     "started in a session of their own may continue");
}

static int set_up(struct fl_host *h, const struct fl_host_options *o, fairlead_error *err)
{
	struct fl_machine_found found;
	FL_FD self = pidfd_open(getpid(), 0);

	if (self < 0 && (errno == ENOSYS || errno == EPERM))
		return fl_fail(err, FAIRLEAD_EIO,
			       "processes cannot be watched here: Linux 5.4 or later is needed, "
			       "with pidfd_open allowed");
	h->runner = strdup(o->runner);
	if (!h->runner)
		return fl_fail_nomem(err);
	if (access(o->runner, X_OK) != 0)
		return fl_fail(err, FAIRLEAD_EIO, "cannot run %s, which stands beside each job: %s",
			       o->runner, strerror(errno));
	fl_machine_find("", &found);
	int rc = fl_machine_share(&found, o, &h->machine, err);
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

	if (!h)
		return fl_fail_nomem(err);
	h->loop = options->loop;
	h->callbacks = options->callbacks;
	h->output_limit = options->output_limit;
	h->folder.runs = h->folder.ended = -1;
	h->refs = 1;
	fl_boot_id(h->boot);
	if (uv_async_init(h->loop, &h->tell, fl_life_tell_all) != 0) {
		fl_host_unref(h);
		return fl_fail(err, FAIRLEAD_EIO, "cannot wake the loop");
	}
	uv_timer_init(h->loop, &h->again);
	h->tell.data = h->again.data = h;
	h->refs += 2;
	/* The handle does not keep the loop running while it is idle. */
	uv_unref((uv_handle_t *)&h->tell);
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
		.contains = h->place.ends || h->alone,
		.remarks = (const char *const *)h->machine.remarks,
		.n_remarks = h->machine.n_remarks,
	};
	return 0;
}

/* --- starting --- */

static int check_run(const struct fl_run *run, fairlead_error *err)
{
	const struct fl_job_spec *s = run->spec;

	if (run->job == 0 || run->attempt == 0)
		return fl_fail(err, FAIRLEAD_EINPUT, "jobs and attempts are numbered from 1");
	if (strlen(run->token) != FL_RUN_TOKEN - 1)
		return fl_fail(err, FAIRLEAD_EINPUT, "a token has %d digits", FL_RUN_TOKEN - 1);
	if (s->command_len == 0 || s->command[0] == 0 || s->command[s->command_len - 1] != 0)
		return fl_fail(err, FAIRLEAD_EINPUT, "the job has no command");
	if (s->environment_len > 0 && s->environment[s->environment_len - 1] != 0)
		return fl_fail(err, FAIRLEAD_EINPUT, "the environment of the job is incomplete");
	if (s->directory[0] != '/' || (s->output[0] && s->output[0] != '/'))
		return fl_fail(err, FAIRLEAD_EINPUT,
			       "directory and output of a job must be absolute paths");
	if (s->tasks == 0 || s->tasks > FL_JOB_TASKS)
		return fl_fail(err, FAIRLEAD_ELIMIT, "a job has 1 to %d tasks", FL_JOB_TASKS);
	return 0;
}

/* The limits of its control group. */
static struct fl_attempt_limits limits_of(const struct fl_host *h, const struct fl_run *run)
{
	struct fl_attempt_limits l = { 0 };

	for (uint32_t i = 0; i < run->n_grants; i++)
		if (h->place.cpu && strcmp(run->grants[i].resource, "cpu") == 0)
			l.cpu = fl_sat_add(l.cpu, run->grants[i].amount);
		else if (h->place.memory && strcmp(run->grants[i].resource, "memory") == 0)
			l.memory = fl_sat_add(l.memory, run->grants[i].amount);
	if (h->place.processes)
		l.processes = MOST_PROCESSES;
	return l;
}

static int encode(struct fl_local_run *r, const struct fl_run *run, const uint32_t *devices,
		  uint32_t n_devices, fairlead_error *err)
{
	const struct fl_job_spec *s = run->spec;
	struct fl_host *h = r->h;
	char group[600] = "";

	if (*h->place.path)
		snprintf(group, sizeof group, "%s/run-%" PRIu64 ".%" PRIu32 "-%.8s", h->place.path,
			 run->job, run->attempt, run->token);
	struct fl_attempt_spec spec = {
		.job = run->job,
		.attempt = run->attempt,
		.tasks = s->tasks,
		.uid = s->uid,
		.gid = s->gid,
		.array = s->array,
		.array_index = s->array_index,
		.signal = s->signal > 0 ? s->signal : SIGTERM,
		.time_limit = run->time_limit,
		.grace = run->grace,
		.output_limit = h->output_limit,
		.limits = limits_of(h, run),
		.alone = h->alone,
		.numbered = h->machine.n_devices > 0,
		.token = run->token,
		.name = s->name,
		.queue = s->queue,
		.directory = s->directory,
		.output = s->output,
		.group = group,
		.devices = devices,
		.n_devices = n_devices,
		.command = s->command,
		.command_len = s->command_len,
		.environment = s->environment,
		.environment_len = s->environment_len,
	};
	int rc = keep_spec(r, &spec, err);
	return rc == 0 ? fl_attempt_encode(&spec, &r->bytes, &r->n_bytes, err) : rc;
}

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
	uint32_t devices[FL_MACHINE_DEVICES], n_devices = 0;
	struct fl_attempt_status status;
	struct fl_local_run *r = run_of(h, run->job, run->attempt);
	bool enough = true;
	int rc = check_run(run, err);

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
	for (uint32_t i = 0; i < run->n_grants && enough; i++)
		enough = fl_machine_take(&h->machine, &run->grants[i], run->job, run->attempt,
					 devices, &n_devices);
	if (!enough && run->before == FL_BEFORE_NOT) {
		fl_life_refuse(r, too_few);
		return 0;
	}
	/* Processes that it may have left are ended all the same. */
	r->refused = run->before == FL_BEFORE_TOLD ? told : !enough ? too_few : NULL;
	rc = encode(r, run, devices, n_devices, err);
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

/* --- finding and forgetting --- */

/* Only a run that goes on can be in another state folder. */
static int fetch_run(struct fl_host *h, uint64_t job, uint32_t attempt, const char *token,
		     struct fl_local_run **ret, fairlead_error *err)
{
	int rc = token ? fl_elsewhere_fetch(&h->folder, job, attempt, token, err) : 1;

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
	char name[40];
	struct stat st;

	if (task >= spec->tasks)
		return fl_fail(err, FAIRLEAD_ENOENT,
			       "there is no task %u of job %" PRIu64 ": the last one is %u", task,
			       spec->job, spec->tasks - 1);
	if (*spec->output)
		return fl_fail(err, FAIRLEAD_ENOENT, "the output of job %" PRIu64 " goes to '%s'",
			       spec->job, spec->output);
	snprintf(name, sizeof name, "%s.%u", stream == FL_STREAM_OUT ? "out" : "err", task);
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
	.find = local_find,
	.each = local_each,
	.disown = local_disown,
	.forget = local_forget,
	.remove = local_remove,
	.log = local_log,
	.devices = local_devices,
};
