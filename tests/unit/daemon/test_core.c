/* SPDX-License-Identifier: Apache-2.0 */
/* The core with a store of its own and runs that are rows of a table: fake.h. */
#include <dirent.h>
#include <glob.h>
#include <pthread.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/mix.h"
#include "base/random.h"
#include "daemon/history/past.h"
#include "daemon/machine/apply.h"
#include "daemon/machine/asked.h"
#include "daemon/machine/checkpoint.h"
#include "daemon/machine/inside.h"
#include "daemon/machine/keep.h"
#include "daemon/machine/prepare.h"
#include "daemon/machine/submit.h"
#include "daemon/machine/tokens.h"
#include "daemon/machine/view.h"
#include "daemon/machine/wish.h"
#include "fake.h"
#include "folder.h"
#include "lib/few.h"

static const char company[] =
	"apiVersion: fairlead.dev/v1alpha1\n"
	"kind: Daemon\n"
	"metadata: {name: test}\n"
	"spec:\n"
	"  machine: {cohort: company}\n"
	"  jobs: {losses: 3}\n"
	"  limits: {jobs: 300, jobsPerUser: 250, jobsPerQueue: 200}\n"
	"  cycleInterval: 1ms\n"
	"---\n"
	"apiVersion: config.kueue.x-k8s.io/v1beta2\n"
	"kind: Configuration\n"
	"fairSharing: {}\n"
	"---\n"
	"apiVersion: kueue.x-k8s.io/v1beta2\n"
	"kind: ClusterQueue\n"
	"metadata: {name: team-a}\n"
	"spec: {cohortName: company, namespaceSelector: {}, preemption: {reclaimWithinCohort: Any}}\n"
	"---\n"
	"apiVersion: kueue.x-k8s.io/v1beta2\n"
	"kind: ClusterQueue\n"
	"metadata: {name: team-b}\n"
	"spec: {cohortName: company, namespaceSelector: {}, preemption: {reclaimWithinCohort: Any}}\n";

struct world {
	struct folder folder;
	char config[512], state[512];
	uv_loop_t loop;
	uv_timer_t tick;
	struct fl_core *core;
	bool broken, closed;
	uint32_t answers, refusals;
	uint64_t last;  /* of the numbers that were answered */
	char said[200]; /* the last line of the log */
};

static void log_line(void *user, const char *line)
{
	(void)snprintf(((struct world *)user)->said, sizeof((struct world *)user)->said, "%s",
		       line);
	if (getenv("FAIRLEAD_TEST_LOG"))
		(void)fprintf(stderr, "core: %s\n", line);
}

static void broken(void *user, const fairlead_error *err)
{
	(void)fprintf(stderr, "broken: %s: %s\n", err->subject, err->text);
	((struct world *)user)->broken = true;
}

static void start_core(struct world *w)
{
	const struct fl_core_options o = { .loop = &w->loop,
					   .config = w->config,
					   .state = w->state,
					   .runner = "/nonexistent",
					   .backend = &fake_backend,
					   .log = log_line,
					   .broken = broken,
					   .user = w };
	fairlead_error err = { 0 };
	int r = fl_core_new(&o, &w->core, &err);

	if (r < 0)
		(void)fprintf(stderr, "%s:%u: %s: %s\n", err.file, err.line, err.subject, err.text);
	assert_int_equal(r, 0);
}

static int begin(void **state)
{
	struct world *w = calloc(1, sizeof *w);

	folder_make(&w->folder);
	folder_write(&w->folder, "daemon.yaml", company);
	(void)snprintf(w->config, sizeof w->config, "%s/daemon.yaml", w->folder.path);
	(void)snprintf(w->state, sizeof w->state, "%s/state", w->folder.path);
	assert_int_equal(uv_loop_init(&w->loop), 0);
	assert_int_equal(uv_timer_init(&w->loop, &w->tick), 0);
	start_core(w);
	*state = w;
	return 0;
}

static bool is_quiet(const struct fl_core *c)
{
	return !c->writing && fl_gather_is_empty(c->gather) && !c->n_dirty && !c->tokens.n_dirty &&
	       !c->n_newcomers && fl_driver_next(&c->generation.driver, c->at) == FL_NEVER;
}

static void ticked(uv_timer_t *timer) { (void)timer; }

/*
 * One that ends, whatever was to do: the timer repeats, as one that is due already is called before
 * the loop waits, and when that was all there was to do, nothing more would come.
 */
static void turn(struct world *w)
{
	(void)uv_timer_start(&w->tick, ticked, 20, /* repeat= */ 20);
	(void)uv_run(&w->loop, UV_RUN_ONCE);
	(void)uv_timer_stop(&w->tick);
}

/* Until nothing is left to do; bounded by turns of the loop, not by time. */
static void settle(struct world *w)
{
	for (int i = 0; i < 20000 && !is_quiet(w->core) && !w->broken; i++)
		turn(w);
	assert_true(is_quiet(w->core));
	assert_false(w->broken);
}

/* Nothing of it is on a thread or in another process. */
static void wait_for_threads(struct world *w)
{
	while (w->core->in_flight || w->core->checkpointing)
		turn(w);
}

/* As by kill -9, between two turns of the loop: what is not durable is gone. */
static void kill_core(struct world *w)
{
	struct fl_core *c = w->core;

	wait_for_threads(w);
	fl_core_drop_draft(c);
	uv_close((uv_handle_t *)&c->check, NULL);
	uv_close((uv_handle_t *)&c->due, NULL);
	uv_close((uv_handle_t *)&c->again, NULL);
	uv_close((uv_handle_t *)&c->drafted, NULL);
	uv_close((uv_handle_t *)&c->sweep, NULL);
	(void)uv_run(&w->loop, UV_RUN_NOWAIT);
	w->core = fl_core_free(c);
}

static void closed(void *user) { ((struct world *)user)->closed = true; }

static void close_core(struct world *w)
{
	w->closed = false;
	fl_core_close(w->core, closed, w);
	for (int i = 0; i < 20000 && !w->closed; i++)
		turn(w);
	assert_true(w->closed);
	w->core = fl_core_free(w->core);
}

static int end(void **state)
{
	struct world *w = *state;

	if (w->core)
		close_core(w);
	uv_close((uv_handle_t *)&w->tick, NULL);
	(void)uv_run(&w->loop, UV_RUN_NOWAIT);
	assert_int_equal(uv_loop_close(&w->loop), 0);
	folder_gone(&w->folder);
	fake_reset();
	free(w);
	return 0;
}

/* --- what people do --- */

static void answered(void *user, const struct fl_reply *reply)
{
	struct world *w = user;

	if (reply->code < 0)
		w->refusals++;
	else
		w->answers++;
	for (uint32_t i = 0; i < reply->n_jobs; i++)
		w->last = reply->jobs[i];
}

static struct fl_job_spec spec_of(const char *queue, fl_amount cpu)
{
	struct fl_job_spec s = { .uid = 1000,
				 .user = "alice",
				 .tasks = 1,
				 .n_requests = 1,
				 .time_limit = FL_NEVER,
				 .grace = FL_TIME_NONE,
				 .directory = "/",
				 .command = "true",
				 .command_len = 5 };

	(void)snprintf(s.queue, sizeof s.queue, "%s", queue);
	(void)snprintf(s.requests[0].resource, sizeof s.requests[0].resource, "cpu");
	s.requests[0].amount = cpu;
	return s;
}

static int submit(struct world *w, const struct fl_job_spec *s)
{
	fairlead_error err = { 0 };

	return fl_core_submit(w->core, s, 1, /* array= */ NULL, answered, w, &err);
}

static uint64_t submitted(struct world *w, const struct fl_job_spec *s)
{
	assert_int_equal(submit(w, s), 0);
	settle(w);
	return w->last;
}

static int wish(struct world *w, enum fl_wish what, uint64_t job)
{
	fairlead_error err = { 0 };
	struct fl_wishing wishing = {
		.wish = what, .who = { .name = "ann" }, .value = 7, .budget = FL_WISH_BUDGET
	};
	int r = fl_core_check_wish(w->core, &wishing, job, &err);

	return r < 0 ? r : fl_core_wish(w->core, &wishing, &job, 1, answered, w, &err);
}

static enum fl_job_state state_of(const struct world *w, uint64_t job)
{
	const struct fl_live *live = fl_daemon_job(fl_core_daemon(w->core), job);

	return live ? live->state : FL_JOB_STATES;
}

static struct fake_run *run_of(const struct world *w, uint64_t job)
{
	return fake_find(job, fl_daemon_job(fl_core_daemon(w->core), job)->attempt);
}

/* --- tests --- */

/*
 * Each job from @first on: h held, d depends, w waits, r has a run, . done, ! failed, - cancelled.
 */
static void assert_states(const struct world *w, uint64_t first, const char *wanted)
{
	static const char letters[FL_JOB_STATES] = { 'h', 'd', 'w', 'r', 'r', 'r', '.', '!', '-' };
	char is[16] = "";

	for (size_t i = 0; wanted[i]; i++) {
		enum fl_job_state state = fl_core_state_of(w->core, first + i);

		is[i] = state == FL_JOB_STATES ? '?' : letters[state];
	}
	assert_string_equal(is, wanted);
}

static void finish_run(const struct world *w, uint64_t job)
{
	fake_end(run_of(w, job), FL_RUN_EXITED, 0);
}

TEST_IN(begin, end, test_life)
{
	struct world *w = *unit_state;
	struct fl_job_spec s = spec_of("team-a", 2000);
	uint64_t job = submitted(w, &s);

	assert_int_equal(job, 1);
	assert_int_equal(state_of(w, job), FL_JOB_STARTS);
	fake_begin(run_of(w, job));
	settle(w);
	assert_int_equal(state_of(w, job), FL_JOB_RUNS);
	fake_end(run_of(w, job), FL_RUN_EXITED, 0);
	settle(w);
	assert_int_equal(state_of(w, job), FL_JOB_DONE);
	assert_int_equal(run_of(w, job)->state, FAKE_FORGOTTEN);
}

/* Jobs join the generation there is, and those that ended give their places back to others. */
TEST_IN(begin, end, test_newcomers)
{
	struct world *w = *unit_state;
	struct fl_job_spec s = spec_of("team-a", 2000);
	uint64_t first = submitted(w, &s), number = w->core->generation.number, job;
	uint32_t rows = 0;

	for (int i = 0; i < 100; i++) {
		job = submitted(w, &s);
		assert_int_not_equal(fl_daemon_job(fl_core_daemon(w->core), job)->workload.v,
				     FL_NONE);
		assert_int_equal(state_of(w, job), FL_JOB_STARTS);
		fake_begin(run_of(w, job));
		settle(w);
		finish_run(w, job);
		settle(w);
		if (i == 2)
			rows = w->core->generation.model->n_workloads;
	}
	assert_int_equal(w->core->generation.number, number);
	assert_int_equal(w->core->generation.model->n_workloads, rows);
	assert_int_equal(state_of(w, first), FL_JOB_STARTS);
}

static uint64_t hash_of_text(uint64_t hash[2], const char *text)
{
	fl_mix(hash, strlen(text));
	for (; *text; text++)
		fl_mix(hash, (unsigned char)*text);
	return hash[0];
}

/* Of one task that asks for @cpu and for memory, up to the amount of memory. */
static uint64_t hash_of_asks(fl_amount cpu)
{
	uint64_t hash[2] = { 1, 0 };

	(void)hash_of_text(hash, "cpu");
	fl_mix(hash, (uint64_t)cpu);
	return hash_of_text(hash, "memory");
}

static fl_amount cpu_of(const struct world *w, uint64_t job)
{
	const struct fl_model *m = w->core->generation.model;
	const struct fl_live *live = fl_daemon_job(fl_core_daemon(w->core), job);

	return m->requests[m->podsets[m->workloads[live->workload.v].podsets.first].requests.first]
		.amount;
}

/* Amounts of memory can be chosen so that jobs with different asks have one hash. */
TEST_IN(begin, end, test_asks_of_one_hash)
{
	struct world *w = *unit_state;
	struct fl_job_spec s = spec_of("team-a", 1);
	const uint64_t most = UINT64_C(1) << 46, large = hash_of_asks(2);
	uint64_t first, second;
	fl_amount cpu = 3;

	(void)submitted(w, &s); /* the first generation */
	s.n_requests = 2;
	(void)snprintf(s.requests[1].resource, sizeof s.requests[1].resource, "memory");
	while ((hash_of_asks(cpu) ^ large) >= most)
		cpu++;
	s.requests[0].amount = 2;
	s.requests[1].amount = (fl_amount)most;
	first = submitted(w, &s);
	s.requests[0].amount = cpu;
	s.requests[1].amount = (fl_amount)(most ^ hash_of_asks(cpu) ^ large);
	second = submitted(w, &s);
	assert_int_equal(cpu_of(w, first), 2);
	assert_int_equal(cpu_of(w, second), cpu);
}

TEST_IN(begin, end, test_preemption)
{
	struct world *w = *unit_state;
	struct fl_job_spec a = spec_of("team-a", 2000), b = spec_of("team-b", 4000);
	uint64_t first = 0, victim = 0, job;

	for (int i = 0; i < 4; i++) {
		job = submitted(w, &a);
		first = first ? first : job;
		fake_begin(run_of(w, job));
	}
	settle(w);
	job = submitted(w, &b);
	for (uint64_t i = first; i < job; i++)
		if (state_of(w, i) == FL_JOB_STOPS) {
			victim = i;
			assert_int_equal(run_of(w, i)->told, FL_GO_PREEMPTED);
			fake_end(run_of(w, i), FL_RUN_SIGNALLED, 15);
		}
	assert_true(victim > 0);
	settle(w);
	assert_int_equal(state_of(w, victim), FL_JOB_WAITS);
	assert_int_equal(fl_daemon_job(fl_core_daemon(w->core), victim)->evictions, 1);
	assert_int_equal(state_of(w, job), FL_JOB_STARTS);
}

TEST_IN(begin, end, test_hold_and_cancel)
{
	struct world *w = *unit_state;
	struct fl_job_spec s = spec_of("team-a", 2000);
	uint64_t job;

	s.hold = true;
	job = submitted(w, &s);
	assert_int_equal(state_of(w, job), FL_JOB_HELD);
	assert_int_equal(wish(w, FL_WISH_RELEASE, job), 0);
	settle(w);
	assert_int_equal(state_of(w, job), FL_JOB_STARTS);
	fake_begin(run_of(w, job));
	assert_int_equal(wish(w, FL_WISH_HOLD, job), 0);
	settle(w);
	assert_int_equal(state_of(w, job), FL_JOB_RUNS);
	assert_int_equal(run_of(w, job)->told, FL_GO_NOT);
	assert_int_equal(wish(w, FL_WISH_STOP, job), 0);
	settle(w);
	assert_int_equal(state_of(w, job), FL_JOB_STOPS);
	assert_int_equal(run_of(w, job)->told, FL_GO_HELD);
	fake_end(run_of(w, job), FL_RUN_SIGNALLED, 15);
	settle(w);
	assert_int_equal(state_of(w, job), FL_JOB_HELD);
	assert_int_equal(wish(w, FL_WISH_RELEASE, job), 0);
	settle(w);
	assert_int_equal(fl_daemon_job(fl_core_daemon(w->core), job)->attempt, 2);
	assert_int_equal(wish(w, FL_WISH_CANCEL, job), 0);
	settle(w);
	fake_end(run_of(w, job), FL_RUN_EXITED, 0);
	settle(w);
	assert_int_equal(state_of(w, job), FL_JOB_CANCELLED);
	assert_int_equal(wish(w, FL_WISH_CANCEL, job), FAIRLEAD_ESTATE);
	assert_int_equal(wish(w, FL_WISH_CANCEL, 4711), FAIRLEAD_ENOENT);
}

TEST_IN(begin, end, test_after)
{
	struct world *w = *unit_state;
	struct fl_job_spec s = spec_of("team-a", 1000);
	uint64_t first = submitted(w, &s), well, ill, any;

	s.n_after = 1;
	s.after[0].job = first;
	s.after[0].how = FL_AFTER_OK;
	well = submitted(w, &s);
	s.after[0].how = FL_AFTER_FAILED;
	ill = submitted(w, &s);
	s.after[0].job = ill;
	s.after[0].how = FL_AFTER_ANY;
	any = submitted(w, &s);
	assert_int_equal(state_of(w, well), FL_JOB_DEPENDS);
	fake_end(run_of(w, first), FL_RUN_EXITED, 0);
	settle(w);
	assert_int_equal(state_of(w, well), FL_JOB_STARTS);
	assert_int_equal(state_of(w, ill), FL_JOB_CANCELLED);
	assert_int_equal(state_of(w, any), FL_JOB_STARTS);
}

TEST_IN(begin, end, test_losses)
{
	struct world *w = *unit_state;
	struct fl_job_spec s = spec_of("team-a", 1000);
	uint64_t job = submitted(w, &s);

	for (int i = 0; i < 3; i++) {
		assert_int_equal(state_of(w, job), FL_JOB_STARTS);
		fake_begin(run_of(w, job));
		fake_end(run_of(w, job), FL_RUN_LOST, 0);
		settle(w);
	}
	assert_int_equal(state_of(w, job), FL_JOB_FAILED);
	assert_int_equal(fl_daemon_job(fl_core_daemon(w->core), job)->attempt, 3);
}

/* What can never start is not tried again. */
TEST_IN(begin, end, test_impossible)
{
	struct world *w = *unit_state;
	struct fl_job_spec s = spec_of("team-a", 1000);
	uint64_t job = submitted(w, &s);

	fake_end(run_of(w, job), FL_RUN_IMPOSSIBLE, 0);
	settle(w);
	assert_int_equal(state_of(w, job), FL_JOB_FAILED);
	assert_int_equal(fl_daemon_job(fl_core_daemon(w->core), job)->attempt, 1);
	assert_true(submitted(w, &s) > job); /* what it held is free */
	assert_int_equal(state_of(w, job + 1), FL_JOB_STARTS);
}

/* What its host knows besides is told, also after a replay. */
TEST_IN(begin, end, test_out_of_memory)
{
	struct world *w = *unit_state;
	struct fl_job_spec s = spec_of("team-a", 1000);
	uint64_t job = submitted(w, &s);
	char buffer[FL_LIVE_REASON];

	fake_begin(run_of(w, job));
	run_of(w, job)->besides = "out of memory";
	fake_end(run_of(w, job), FL_RUN_SIGNALLED, 9);
	settle(w);
	for (int i = 0; i < 2; i++) {
		const struct fl_live *live = fl_daemon_job(fl_core_daemon(w->core), job);

		assert_int_equal(live->state, FL_JOB_FAILED);
		assert_string_equal(fl_daemon_reason(fl_core_daemon(w->core), live, buffer,
						     sizeof buffer),
				    "killed by signal 9, out of memory");
		if (i == 0) {
			kill_core(w);
			start_core(w);
		}
	}
}

TEST_IN(begin, end, test_refused)
{
	static const struct {
		const char *queue, *resource;
		uint64_t after;
		int code;
	} rows[] = {
		{ "team-x", "cpu", 0, FAIRLEAD_ENOENT },
		{ "team-a", "cpus", 0, FAIRLEAD_EINPUT },
		{ "team-a", "cpu", 99, FAIRLEAD_ENOENT },
	};
	struct world *w = *unit_state;

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct fl_job_spec s = spec_of(rows[i].queue, 1000);

		(void)snprintf(s.requests[0].resource, sizeof s.requests[0].resource, "%s",
			       rows[i].resource);
		s.n_after = rows[i].after > 0;
		s.after[0].job = rows[i].after;
		assert_int_equal(submit(w, &s), rows[i].code);
	}
	assert_true(is_quiet(w->core) || w->core->seq == 0);
}

TEST_IN(begin, end, test_limits)
{
	struct world *w = *unit_state;
	struct fl_job_spec s = spec_of("team-a", 1000);
	fairlead_error err;

	assert_int_equal(fl_core_submit(w->core, &s, 1, &(struct fl_submitted_array){ 200, NULL },
					answered, w, &err),
			 0);
	assert_int_equal(submit(w, &s), FAIRLEAD_ELIMIT); /* also while they are on their way */
	settle(w);
	assert_int_equal(submit(w, &s), FAIRLEAD_ELIMIT);
	s = spec_of("team-b", 1000);
	assert_int_equal(fl_core_submit(w->core, &s, 1, &(struct fl_submitted_array){ 51, NULL },
					answered, w, &err),
			 FAIRLEAD_ELIMIT);
	assert_int_equal(fl_core_submit(w->core, &s, 1, &(struct fl_submitted_array){ 50, NULL },
					answered, w, &err),
			 0);
	settle(w);
	assert_int_equal(w->last, 250);
}

/* Of an array with a limit so many are let in, also after a kill; one that is held gives way. */
TEST_IN(begin, end, test_array_limit)
{
	struct world *w = *unit_state;
	struct fl_job_spec s = spec_of("team-a", 1000);
	const uint32_t indexes[] = { 3, 5, 8, 9, 40 };
	fairlead_error err;
	char reason[FL_LIVE_REASON];

	s.array_most = 2;
	assert_int_equal(fl_core_submit(w->core, &s, 1, &(struct fl_submitted_array){ 5, indexes },
					answered, w, &err),
			 0);
	settle(w);
	assert_states(w, 1, "rrddd");
	assert_string_equal(fl_daemon_reason(fl_core_daemon(w->core),
					     fl_daemon_job(fl_core_daemon(w->core), 3), reason,
					     sizeof reason),
			    "waits for others of its array: 2 of them may run at once");
	kill_core(w);
	start_core(w);
	settle(w);
	assert_states(w, 1, "rrddd");
	assert_int_equal(wish(w, FL_WISH_HOLD, 3), 0); /* of those that wait */
	finish_run(w, 1);
	settle(w);
	assert_states(w, 1, ".rhrd");
	assert_int_equal(wish(w, FL_WISH_RELEASE, 3), 0);
	settle(w);
	assert_states(w, 1, ".rdrd");
	assert_int_equal(wish(w, FL_WISH_CANCEL, 3), 0);
	finish_run(w, 2);
	settle(w);
	assert_states(w, 1, "..-rr");
	kill_core(w);
	start_core(w);
	settle(w);
	assert_states(w, 1, "..-rr");
}

/* One job of a name and user at a time, in order; of others of the name, too. */
TEST_IN(begin, end, test_singleton)
{
	struct world *w = *unit_state;
	struct fl_job_spec s = spec_of("team-a", 1000), other = s;

	(void)snprintf(s.name, sizeof s.name, "night");
	other = s;
	(void)snprintf(other.user, sizeof other.user, "bob");
	(void)submitted(w, &s); /* 1: of the name, and waits for nothing */
	s.singleton = other.singleton = true;
	(void)submitted(w, &s);     /* 2 */
	(void)submitted(w, &s);     /* 3 */
	(void)submitted(w, &other); /* 4: of another user */
	assert_states(w, 1, "rddr");
	kill_core(w);
	start_core(w);
	settle(w);
	assert_states(w, 1, "rddr");
	finish_run(w, 1);
	settle(w);
	assert_states(w, 1, ".rdr");
	assert_int_equal(wish(w, FL_WISH_HOLD, 3), 0);
	settle(w);
	finish_run(w, 2);
	settle(w);
	assert_states(w, 1, "..hr");
	(void)submitted(w, &s); /* 5: in order, behind the one that is held */
	assert_states(w, 1, "..hrd");
	assert_int_equal(wish(w, FL_WISH_CANCEL, 3), 0);
	settle(w);
	assert_states(w, 1, "..-rr");
}

static fl_time wall_step;

static void read_stepped(fl_time *ret_wall, fl_time *ret_boot)
{
	struct timespec t;

	(void)clock_gettime(CLOCK_REALTIME, &t);
	*ret_wall = t.tv_sec * FL_SECOND + t.tv_nsec + wall_step;
	(void)clock_gettime(CLOCK_BOOTTIME, &t);
	*ret_boot = t.tv_sec * FL_SECOND + t.tv_nsec;
}

/* By the wall clock, also when it is set; once it has come, not again. */
TEST_IN(begin, end, test_begin)
{
	struct world *w = *unit_state;
	struct fl_job_spec s = spec_of("team-a", 1000);
	char reason[FL_LIVE_REASON];
	fl_time now, boot;

	wall_step = 0;
	read_stepped(&now, &boot);
	s.begin = now - FL_SECOND;
	(void)submitted(w, &s); /* 1: over already */
	s.begin = now + 3600 * FL_SECOND;
	s.hold = true;
	(void)submitted(w, &s); /* 2 */
	s.hold = false;
	(void)submitted(w, &s);           /* 3 */
	s.begin = now + 7200 * FL_SECOND; /* 4 */
	(void)submitted(w, &s);
	for (int i = 0; i < 100 && state_of(w, 1) != FL_JOB_STARTS; i++)
		turn(w);
	assert_states(w, 1, "rhww");
	assert_true(strncmp(fl_daemon_reason(fl_core_daemon(w->core),
					     fl_daemon_job(fl_core_daemon(w->core), 3), reason,
					     sizeof reason),
			    "begins at 20", 12) == 0);
	kill_core(w);
	start_core(w);
	settle(w);
	assert_states(w, 1, "rhww");
	w->core->daemon.clock.read = read_stepped;
	wall_step = 3601 * FL_SECOND;
	fl_core_soon(w->core);
	for (int i = 0; i < 100 && state_of(w, 3) == FL_JOB_WAITS; i++)
		turn(w);
	assert_states(w, 1, "rhrw");
	wall_step = 0;
	assert_int_equal(wish(w, FL_WISH_RELEASE, 2), 0);
	settle(w);
	assert_states(w, 1, "rrrw");
	kill_core(w); /* as of the journal: the wall has the old time again */
	start_core(w);
	settle(w);
	assert_states(w, 1, "rrrw");
}

/* Not queued again: preempted or lost, it has failed. */
TEST_IN(begin, end, test_once)
{
	struct world *w = *unit_state;
	struct fl_job_spec s = spec_of("team-a", 1000);
	char reason[FL_LIVE_REASON];

	s.once = true;
	(void)submitted(w, &s);
	fake_end(fake_find(1, 1), FL_RUN_LOST, 0);
	settle(w);
	assert_states(w, 1, "!");
	assert_string_equal(fl_daemon_reason(fl_core_daemon(w->core),
					     fl_daemon_job(fl_core_daemon(w->core), 1), reason,
					     sizeof reason),
			    "lost, and it is not queued again (--no-requeue)");
	for (int i = 0; i < 4; i++) {
		s = spec_of("team-a", 2000);
		s.once = true;
		fake_begin(run_of(w, submitted(w, &s)));
	}
	settle(w);
	s = spec_of("team-b", 4000);
	(void)submitted(w, &s);
	assert_int_equal(state_of(w, 5), FL_JOB_STOPS);
	fake_end(run_of(w, 5), FL_RUN_SIGNALLED, 15);
	settle(w);
	assert_int_equal(state_of(w, 5), FL_JOB_FAILED);
	assert_string_equal(fl_daemon_reason(fl_core_daemon(w->core),
					     fl_daemon_job(fl_core_daemon(w->core), 5), reason,
					     sizeof reason),
			    "preempted, and it is not queued again (--no-requeue)");
	for (uint64_t i = 2; i < 5; i++)
		if (state_of(w, i) == FL_JOB_STOPS)
			fake_end(run_of(w, i), FL_RUN_SIGNALLED, 15);
	settle(w);
	assert_int_equal(state_of(w, 6), FL_JOB_STARTS);
}

/* It waits until the other has begun, or has ended. */
TEST_IN(begin, end, test_after_begun)
{
	struct world *w = *unit_state;
	struct fl_job_spec s = spec_of("team-a", 1000);

	s.hold = true;
	(void)submitted(w, &s);
	s.hold = false;
	s.n_after = 1;
	s.after[0] = (struct fl_job_after){ 1, FL_AFTER_BEGUN };
	(void)submitted(w, &s);
	assert_states(w, 1, "hd");
	assert_int_equal(wish(w, FL_WISH_RELEASE, 1), 0);
	settle(w);
	assert_states(w, 1, "rd");
	fake_begin(fake_find(1, 1));
	settle(w);
	assert_states(w, 1, "rr");
	(void)submitted(w, &s);
	assert_states(w, 1, "rrr");
}

/* Quietly stopped, and begun again: as it was. */
TEST_IN(begin, end, test_restart)
{
	struct world *w = *unit_state;
	struct fl_job_spec s = spec_of("team-a", 4000);
	uint64_t jobs[4], digest[2], again[2];

	for (int i = 0; i < 4; i++)
		jobs[i] = submitted(w, &s);
	fake_begin(run_of(w, jobs[0]));
	settle(w);
	w->core->generation.ops->digest(w->core->generation.policy, w->core->at, digest);
	close_core(w);
	start_core(w);
	w->core->generation.ops->digest(w->core->generation.policy, w->core->at, again);
	assert_memory_equal(digest, again, sizeof digest);
	assert_int_equal(state_of(w, jobs[0]), FL_JOB_RUNS);
	assert_int_equal(state_of(w, jobs[3]), FL_JOB_WAITS);
	fake_end(run_of(w, jobs[0]), FL_RUN_EXITED, 0);
	settle(w);
	assert_int_equal(state_of(w, jobs[2]), FL_JOB_STARTS);
	assert_int_equal(fake.twice, 0);
}

/* --- killed at any moment --- */

struct seen {
	uint64_t seq, digest[2], n;
	struct fl_live *rows;
};

static void look(const struct world *w, struct seen *s)
{
	const struct fl_core *c = w->core;

	s->seq = c->seq;
	c->generation.ops->digest(c->generation.policy, c->at, s->digest);
	s->rows = realloc(s->rows, (c->jobs.n + 1) * sizeof *s->rows);
	s->n = 0;
	for (uint32_t i = 0; i < c->jobs.n; i++)
		if (!fl_job_is_over(c->jobs.rows[i].state))
			s->rows[s->n++] = c->jobs.rows[i];
}

static void compare(const struct world *w, const struct seen *s)
{
	struct seen now = { 0 };

	look(w, &now);
	assert_int_equal(now.seq, s->seq);
	assert_int_equal(now.n, s->n);
	assert_memory_equal(now.digest, s->digest, sizeof now.digest);
	for (uint64_t i = 0; i < now.n; i++) {
		const struct fl_live *a = &now.rows[i], *b = &s->rows[i];

		assert_int_equal(a->id, b->id);
		assert_int_equal(a->state, b->state);
		assert_int_equal(a->attempt, b->attempt);
		assert_int_equal(a->evictions, b->evictions);
		assert_int_equal(a->ran, b->ran);
		assert_int_equal(a->submitted, b->submitted);
		assert_int_equal(a->stopping, b->stopping);
		assert_int_equal(a->held, b->held);
		assert_int_equal(a->awaited, b->awaited);
		assert_int_equal(a->priority, b->priority);
		assert_int_equal(a->losses, b->losses);
		assert_int_equal(a->started, b->started);
		assert_int_equal(a->waits, b->waits);
		assert_int_equal(a->retry, b->retry);
		assert_int_equal(a->workload.v, b->workload.v);
		assert_int_equal(a->outcome, b->outcome);
		assert_int_equal(a->queue.v, b->queue.v);
		assert_int_equal(a->time_limit, b->time_limit);
		assert_int_equal(a->relimited, b->relimited);
		assert_int_equal(a->why_held, b->why_held);
	}
	free(now.rows);
}

static uint64_t below(struct fl_random *r, uint64_t n) { return fl_random_bits(r) % n; }

/* Some of what can change, to something that can often not be: dependencies on any job, in circles, too. */
static int update(struct world *w, struct fl_random *random, uint64_t job)
{
	static const enum fl_job_field fields[] = { FL_JOB_F_QUEUE, FL_JOB_F_AFTER,
						    FL_JOB_F_PRIORITY, FL_JOB_F_TIME_LIMIT,
						    FL_JOB_F_HOLD_REASON };
	struct fl_job_update u = { 0 };
	struct fl_wishing wishing = { .wish = FL_WISH_UPDATE,
				      .who = { .name = "ann", .admin = below(random, 2) },
				      .update = &u,
				      .budget = FL_WISH_BUDGET };
	fairlead_error err = { 0 };
	int r;

	for (size_t i = 0; i < COUNT(fields); i++)
		u.fields |= below(random, 3) ? 0 : 1U << fields[i];
	u.spec = spec_of(below(random, 2) ? "team-a" : "team-b", 1000);
	u.spec.priority = (int32_t)below(random, 3);
	u.spec.time_limit = below(random, 2) ? FL_NEVER :
					       (fl_time)(1 + below(random, 99)) * FL_SECOND;
	u.spec.hold_reason[0] = below(random, 2) ? 'x' : '\0';
	u.spec.n_after = (uint32_t)below(random, 3);
	for (uint32_t i = 0; i < u.spec.n_after; i++) {
		u.spec.after[i].job = 1 + below(random, w->last + 1);
		u.spec.after[i].how = (enum fl_after)below(random, 3);
	}
	r = fl_core_check_wish(w->core, &wishing, job, &err);
	return r < 0 ? r : fl_core_wish(w->core, &wishing, &job, 1, answered, w, &err);
}

static void act(struct world *w, struct fl_random *random)
{
	struct fl_job_spec s = spec_of(below(random, 2) ? "team-a" : "team-b",
				       1000 * (1 + (fl_amount)below(random, 4)));
	uint64_t job = w->last ? 1 + below(random, w->last) : 0;
	struct fake_run *r = fake.n ? &fake.runs[below(random, fake.n)] : NULL;

	s.priority = (int32_t)below(random, 3);
	s.hold = below(random, 12) == 0;
	if (below(random, 8) == 0 && job) {
		s.n_after = 1;
		s.after[0].job = job;
		s.after[0].how = (enum fl_after)below(random, 3);
	}
	switch (below(random, 11)) {
	case 0:
	case 1:
	case 2:
		(void)submit(w, &s);
		break;
	case 3:
		(void)wish(w, (enum fl_wish)below(random, FL_WISH_UPDATE), job);
		break;
	case 4:
		(void)update(w, random, job);
		break;
	case 5:
	case 6:
		if (r)
			fake_begin(r);
		break;
	case 7:
	case 8:
	case 9:
		if (r && r->state == FAKE_BEGAN)
			fake_end(r, below(random, 9) ? FL_RUN_EXITED : FL_RUN_LOST,
				 below(random, 4) == 0);
		break;
	default:
		(void)uv_run(&w->loop, UV_RUN_NOWAIT);
		break;
	}
}

TEST_IN(begin, end, test_killed)
{
	struct world *w = *unit_state;
	struct fl_random random;
	struct seen seen = { 0 };
	const int lives = under_valgrind() ? 4 : 60;

	fl_random_init(&random, 4711, 0);
	for (int life = 0; life < lives; life++) {
		uint64_t steps = below(&random, 60);

		/* Generations are made at once, or, of so many jobs, on a thread. */
		w->core->draft_from = 2 + (uint32_t)below(&random, 30);
		/* And some lives have a checkpoint in their midst. */
		w->core->must_checkpoint |= below(&random, 2) == 0;
		for (uint64_t i = 0; i < steps; i++) {
			act(w, &random);
			if (below(&random, 3) == 0)
				(void)uv_run(&w->loop, UV_RUN_NOWAIT);
			assert_false(w->broken);
		}
		wait_for_threads(w);
		look(w, &seen);
		kill_core(w);
		start_core(w);
		compare(w, &seen);
		fake_again();
	}
	settle(w);
	assert_int_equal(fake.twice, 0);
	for (uint32_t i = 0; i < w->core->jobs.n; i++) { /* nobody is forgotten */
		const struct fl_live *job = &w->core->jobs.rows[i];

		assert_true(job->state != FL_JOB_WAITS || job->workload.v != FL_NONE);
		assert_true(job->state != FL_JOB_DEPENDS ||
			    fl_jobs_waits_for(&w->core->jobs, job->id));
	}
	free(seen.rows);
}

/* --- what was once wrong --- */

static void rename_job(struct world *w, uint64_t job, const char *name)
{
	struct fl_job_update u = { .fields = 1U << FL_JOB_F_NAME };
	struct fl_wishing wishing = { .wish = FL_WISH_UPDATE,
				      .who = { .name = "ann" },
				      .update = &u,
				      .budget = FL_WISH_BUDGET };
	fairlead_error err = { 0 };

	(void)snprintf(u.spec.name, sizeof u.spec.name, "%s", name);
	assert_int_equal(fl_core_check_wish(w->core, &wishing, job, &err), 0);
	assert_int_equal(fl_core_wish(w->core, &wishing, &job, 1, answered, w, &err), 0);
	settle(w);
}

/* One that was revived waited for its name, and got another one: a replay knows the first one. */
TEST_IN(begin, end, test_revived_and_renamed)
{
	struct world *w = *unit_state;
	struct fl_job_spec s = spec_of("team-a", 6000), plain = spec_of("team-a", 2000);

	(void)snprintf(s.name, sizeof s.name, "night");
	(void)submitted(w, &s); /* 1 */
	s.singleton = true;
	s.requests[0].amount = 2000;
	(void)submitted(w, &s); /* 2 */
	assert_int_equal(wish(w, FL_WISH_CANCEL, 2), 0);
	settle(w);
	assert_states(w, 1, "r-");
	w->core->checkpoint_at = UINT64_MAX;
	assert_int_equal(wish(w, FL_WISH_REQUEUE, 2), 0);
	settle(w);
	(void)submitted(w, &plain); /* 3 */
	assert_states(w, 1, "rdr");
	rename_job(w, 2, "day");
	assert_states(w, 1, "rwr");
	kill_core(w);
	start_core(w);
	settle(w);
	assert_states(w, 1, "rwr");
	assert_int_equal(fake.disowned, 0);
}

/* It was taken, but had not come into a generation yet. */
TEST_IN(begin, end, test_taken_at_the_end)
{
	struct world *w = *unit_state;
	struct fl_job_spec s = spec_of("team-a", 1000);

	assert_int_equal(submit(w, &s), 0);
	close_core(w);
	assert_int_equal(w->last, 1);
	start_core(w);
	settle(w);
	assert_int_equal(state_of(w, 1), FL_JOB_STARTS);
}

static void assert_same_policy(const struct world *w, const uint64_t wanted[2])
{
	const struct fl_generation *g = &w->core->generation;
	uint64_t is[2];

	g->ops->digest(g->policy, /* now= */ 0, is);
	assert_true(is[0] == wanted[0] && is[1] == wanted[1]);
}

/* A job ended while a generation was made; the place of its workload is the next one's also then. */
TEST_IN(begin, end, test_ended_before_the_take)
{
	struct world *w = *unit_state;
	struct fl_job_spec s = spec_of("team-a", 1);
	uint64_t first = submitted(w, &s), last, digest[2];
	struct fl_workload of_last;

	fake_begin(run_of(w, first));
	settle(w);
	w->core->draft_from = 1;
	while (!w->core->drafter.draft) {
		assert_int_equal(submit(w, &s), 0);
		do
			turn(w);
		while (!is_quiet(w->core) && !w->core->drafter.draft);
	}
	fake_end(run_of(w, first), FL_RUN_EXITED, 0);
	settle(w);
	assert_int_equal(w->core->generation.n_left, 1);
	w->core->must_checkpoint = true;
	fake_begin(run_of(w, first + 1));
	settle(w);
	wait_for_threads(w);
	last = submitted(w, &s);
	of_last = fl_daemon_job(fl_core_daemon(w->core), last)->workload;
	w->core->generation.ops->digest(w->core->generation.policy, /* now= */ 0, digest);
	kill_core(w);
	start_core(w);
	assert_int_equal(fl_daemon_job(fl_core_daemon(w->core), last)->workload.v, of_last.v);
	assert_same_policy(w, digest);
}

/* Of two that it waits for one was over before the checkpoint. */
TEST_IN(begin, end, test_after_checkpoint)
{
	struct world *w = *unit_state;
	struct fl_job_spec s = spec_of("team-a", 1000);
	uint64_t first = submitted(w, &s), second = submitted(w, &s), third;

	s.n_after = 2;
	s.after[0].job = first;
	s.after[1].job = second;
	third = submitted(w, &s);
	fake_end(run_of(w, first), FL_RUN_EXITED, 0);
	settle(w);
	close_core(w);
	start_core(w);
	assert_int_equal(state_of(w, third), FL_JOB_DEPENDS);
	fake_end(run_of(w, second), FL_RUN_EXITED, 0);
	settle(w);
	assert_int_equal(state_of(w, third), FL_JOB_STARTS);
}

/* Whom it waited for is forgotten since: a replay knows how that ended all the same. */
TEST_IN(begin, end, test_after_forgotten)
{
	const struct fl_retention keep = { .jobs_before = FL_NEVER };
	struct world *w = *unit_state;
	struct fl_job_spec s = spec_of("team-a", 1000);
	uint64_t first = submitted(w, &s), second;
	fairlead_error err;

	fake_end(run_of(w, first), FL_RUN_EXITED, 0);
	settle(w);
	close_core(w);
	start_core(w);
	s.n_after = 1;
	s.after[0].job = first;
	second = submitted(w, &s);
	assert_int_equal(state_of(w, second), FL_JOB_STARTS);
	assert_int_equal(fl_store_expire(fl_core_store(w->core), &keep, &err), 0);
	assert_int_equal(submit(w, &s), FAIRLEAD_ENOENT);
	kill_core(w);
	start_core(w);
	assert_int_equal(state_of(w, second), FL_JOB_STARTS);
}

static bool copies_stall;

static void stall_copy(void)
{
	if (copies_stall)
		(void)raise(SIGSTOP);
}

/* A copy that stands still is ended, and another one made later. */
TEST_IN(begin, end, test_stalled_copy)
{
	struct world *w = *unit_state;
	struct fl_job_spec s = spec_of("team-a", 1000);

	if (under_valgrind())
		return;
	assert_int_equal(pthread_atfork(NULL, NULL, stall_copy), 0);
	(void)submitted(w, &s);
	settle(w);
	wait_for_threads(w);
	w->core->stalled_ms = 50;
	copies_stall = true;
	fl_core_checkpoint_aside(w->core);
	copies_stall = false;
	assert_true(w->core->checkpointing);
	wait_for_threads(w);
	assert_int_equal(w->core->copy.pid, 0);
	assert_true(w->core->must_checkpoint);
	assert_true(w->core->checkpointed < w->core->seq);
	w->core->stalled_ms = 60000;
	w->core->checkpoint_at = 0;
	for (int i = 0; i < 1000 && w->core->must_checkpoint; i++)
		turn(w);
	wait_for_threads(w);
	assert_int_equal(w->core->checkpointed, w->core->seq);
}

static bool copies_wait;

static void slow_copy(void)
{
	if (copies_wait)
		(void)usleep(300000);
}

static void ignore_signal(int number) { (void)number; }

static void interrupt_other_threads(void)
{
	DIR *threads = opendir("/proc/self/task");
	const struct dirent *entry;

	assert_non_null(threads);
	while ((entry = readdir(threads))) {
		const pid_t thread = (pid_t)strtol(entry->d_name, NULL, 10);

		if (thread > 0 && thread != getpid())
			(void)syscall(SYS_tgkill, getpid(), thread, SIGUSR1);
	}
	(void)closedir(threads);
}

/* Signals while it waits for the copy do not make it fail. */
TEST_IN(begin, end, test_interrupted_copy)
{
	const struct sigaction ignore = { .sa_handler = ignore_signal };
	struct world *w = *unit_state;
	struct fl_job_spec s = spec_of("team-a", 1000);
	struct sigaction was;

	if (under_valgrind())
		return;
	assert_int_equal(pthread_atfork(NULL, NULL, slow_copy), 0);
	assert_int_equal(sigaction(SIGUSR1, &ignore, &was), 0);
	(void)submitted(w, &s);
	settle(w);
	wait_for_threads(w);
	copies_wait = true;
	fl_core_checkpoint_aside(w->core);
	copies_wait = false;
	assert_true(w->core->checkpointing);
	for (int i = 0; i < 10; i++) {
		(void)usleep(10000);
		interrupt_other_threads();
	}
	wait_for_threads(w);
	assert_int_equal(sigaction(SIGUSR1, &was, NULL), 0);
	assert_int_equal(w->core->checkpointed, w->core->seq);
	assert_false(w->core->must_checkpoint);
}

/* What is to go and the last checkpoint needs is let go of by another one, once a day. */
TEST_IN(begin, end, test_old_checkpoint)
{
	struct world *w = *unit_state;
	struct fl_job_spec s = spec_of("team-a", 1000);
	const uint64_t day = 24 * 3600 * (uint64_t)FL_SECOND;

	/* There the copy does not end well: what other threads had is lost in it. */
	if (under_valgrind())
		return;
	(void)submitted(w, &s);
	w->core->checkpoint_made = fl_core_loop_ns(w->core);
	fl_core_age(w->core);
	settle(w);
	assert_true(w->core->checkpointed < w->core->seq);
	w->core->checkpoint_made -= day;
	w->core->checkpoint_at = fl_core_loop_ns(w->core) + 20000000; /* one has just failed */
	fl_core_age(w->core);
	for (int i = 0; i < 1000 && w->core->must_checkpoint; i++)
		turn(w);
	wait_for_threads(w);
	assert_int_equal(w->core->checkpointed, w->core->seq);
	assert_false(w->core->must_checkpoint);
}

/* What would have to be read again after a kill is counted by its length, too. */
TEST_IN(begin, end, test_large_specs)
{
	enum { SIZE = 100000 };
	static char environment[SIZE];
	struct world *w = *unit_state;
	struct fl_job_spec s = spec_of("team-a", 1000);
	uint64_t replay, seq;

	if (under_valgrind())
		return;
	memset(environment, 'x', SIZE - 1);
	memcpy(environment, "A=", 2);
	s.environment = environment;
	s.environment_len = SIZE;
	(void)submitted(w, &s);
	assert_in_range(fl_daemon_job(fl_core_daemon(w->core), w->last)->bytes, SIZE, SIZE + 1000);
	assert_int_equal(fl_jobs_bytes_of_user(&w->core->jobs, "alice"),
			 fl_daemon_job(fl_core_daemon(w->core), w->last)->bytes);
	replay = w->core->replay_ns;
	assert_true(replay >= SIZE * UINT64_C(20));
	wait_for_threads(w);
	w->core->replay_ns = 2 * (uint64_t)FL_SECOND - SIZE * UINT64_C(10);
	w->core->must_checkpoint = false;
	seq = w->core->seq;
	(void)submitted(w, &s);
	for (int i = 0; i < 1000 && w->core->checkpointed <= seq; i++) {
		(void)uv_run(&w->loop, UV_RUN_NOWAIT);
		wait_for_threads(w);
	}
	assert_true(w->core->checkpointed > seq);
	kill_core(w);
	start_core(w);
	assert_in_range(fl_jobs_bytes_of_user(&w->core->jobs, "alice"), 2 * SIZE, 2 * SIZE + 2000);
	assert_int_equal(fl_jobs_bytes_of_user(&w->core->jobs, "bob"), 0);
}

/* Team-b takes back what one of four jobs of team-a has: which one. */
static uint64_t preempted(struct world *w)
{
	struct fl_job_spec a = spec_of("team-a", 2000), b = spec_of("team-b", 2000);
	uint64_t last = 0;

	for (int i = 0; i < 4; i++)
		fake_begin(run_of(w, last = submitted(w, &a)));
	settle(w);
	(void)submitted(w, &b);
	for (uint64_t i = last - 3; i <= last; i++)
		if (state_of(w, i) == FL_JOB_STOPS)
			return i;
	fail();
	return 0;
}

TEST_IN(begin, end, test_hold_preempted)
{
	struct world *w = *unit_state;
	uint64_t job = preempted(w);

	assert_int_equal(wish(w, FL_WISH_HOLD, job), 0);
	settle(w);
	fake_end(run_of(w, job), FL_RUN_SIGNALLED, 15);
	settle(w);
	assert_int_equal(state_of(w, job), FL_JOB_HELD);
	assert_int_equal(wish(w, FL_WISH_RELEASE, job), 0);
	settle(w);
	assert_int_equal(state_of(w, job), FL_JOB_WAITS);
}

TEST_IN(begin, end, test_hold_lost)
{
	struct world *w = *unit_state;
	struct fl_job_spec s = spec_of("team-a", 1000);
	uint64_t job = submitted(w, &s);

	fake_begin(run_of(w, job));
	assert_int_equal(wish(w, FL_WISH_HOLD, job), 0);
	settle(w);
	fake_end(run_of(w, job), FL_RUN_LOST, 0);
	settle(w);
	assert_int_equal(state_of(w, job), FL_JOB_HELD);
}

/* It ended by itself while the decision that it must go was being written. */
TEST_IN(begin, end, test_done_before_it_heard)
{
	struct world *w = *unit_state;
	uint64_t job = preempted(w);

	run_of(w, job)->told = FL_GO_NOT;
	fake_end(run_of(w, job), FL_RUN_EXITED, 0);
	settle(w);
	assert_int_equal(state_of(w, job), FL_JOB_DONE);
	assert_int_equal(fl_daemon_job(fl_core_daemon(w->core), job)->attempt, 1);
}

/* The machine is shut down: its runner tells it to go, and nobody else did. */
TEST_IN(begin, end, test_shut_down)
{
	struct world *w = *unit_state;
	struct fl_job_spec s = spec_of("team-a", 1000);
	uint64_t job = submitted(w, &s);

	fake_begin(run_of(w, job));
	settle(w);
	run_of(w, job)->told = FL_GO_DRAIN;
	fake_end(run_of(w, job), FL_RUN_SIGNALLED, 15);
	settle(w);
	assert_int_equal(state_of(w, job), FL_JOB_STARTS);
	assert_int_equal(fl_daemon_job(fl_core_daemon(w->core), job)->attempt, 2);
}

static void configure(struct world *w, const char *find, const char *put)
{
	char text[4096];
	const char *at = strstr(company, find);

	assert_non_null(at);
	(void)snprintf(text, sizeof text, "%.*s%s%s", (int)(at - company), company, put,
		       at + strlen(find));
	folder_write(&w->folder, "daemon.yaml", text);
}

static void reload(struct world *w)
{
	fairlead_error err = { 0 };
	uint32_t had = w->answers;

	assert_int_equal(
		fl_core_reload(w->core, /* by= */ NULL, /* warn= */ NULL, answered, w, &err), 0);
	for (int i = 0; i < 20000 && w->answers == had; i++)
		turn(w);
	assert_int_equal(w->answers, had + 1);
	settle(w);
}

/* People who ask for something else each time. */
TEST_IN(begin, end, test_asks_go)
{
	enum { MANY = 3000 };
	struct fl_jobs j;
	struct fl_live *job;
	fairlead_error err;

	assert_int_equal(fl_jobs_init(&j, &err), 0);
	for (uint64_t i = 1; i <= MANY; i++) {
		struct fl_job_spec s = spec_of("team-a", (fl_amount)i);

		assert_int_equal(fl_jobs_add(&j, i, &s, (fl_time)i, &job, &err), 0);
		if (i % 1000)
			assert_int_equal(fl_jobs_end(&j, job, FL_JOB_DONE, NULL, &err), 0);
	}
	assert_int_equal(j.n_asks, MANY);
	fl_jobs_drop(&j, NULL, NULL);
	assert_int_equal(j.n_asks, 3);
	for (uint64_t i = 1000; i <= MANY; i += 1000) {
		const struct fl_asks *a = &j.asks[fl_jobs_find(&j, i)->asks];
		struct fl_job_spec s = spec_of("team-a", (fl_amount)i);

		assert_int_equal(a->requests[0].amount, i);
		assert_int_equal(fl_jobs_add(&j, MANY + i, &s, MANY + 1, &job, &err), 0);
		assert_ptr_equal(&j.asks[job->asks], a);
	}
	fl_jobs_done(&j);
}

TEST_IN(begin, end, test_chain)
{
	const uint64_t length = under_valgrind() ? 300 : 2000;
	struct world *w = *unit_state;
	struct fl_job_spec s = spec_of("team-a", 1000);

	configure(w, "{jobs: 300, jobsPerUser: 250, jobsPerQueue: 200}", "{jobs: 100000}");
	reload(w);
	s.hold = true;
	for (uint64_t i = 1; i <= length; i++, s.hold = false) {
		assert_int_equal(submit(w, &s), 0);
		s.n_after = 1;
		s.after[0].job = i;
	}
	settle(w);
	assert_int_equal(state_of(w, length), FL_JOB_DEPENDS);
	assert_int_equal(wish(w, FL_WISH_CANCEL, 1), 0);
	settle(w);
	assert_int_equal(w->core->jobs.n_live, 0);
}

/* Nobody takes part of whose queue goes; then it is wanted. */
TEST_IN(begin, end, test_queue_gone)
{
	struct world *w = *unit_state;
	struct fl_job_spec s = spec_of("team-b", 1000);
	uint64_t job;

	s.hold = true;
	job = submitted(w, &s);
	configure(w, "metadata: {name: team-b}", "metadata: {name: team-c}");
	reload(w);
	assert_int_equal(wish(w, FL_WISH_RELEASE, job), 0);
	settle(w);
	assert_int_equal(state_of(w, job), FL_JOB_WAITS);
	kill_core(w);
	start_core(w);
	settle(w);
	assert_int_equal(state_of(w, job), FL_JOB_WAITS);
	configure(w, "", "");
	reload(w);
	settle(w);
	assert_int_equal(state_of(w, job), FL_JOB_STARTS);
}

/* Whoever waits in it waits until it is back; while somebody of it runs it cannot go. */
TEST_IN(begin, end, test_queue_gone_with_jobs)
{
	struct world *w = *unit_state;
	struct fl_job_spec large = spec_of("team-b", 1000000), small = spec_of("team-b", 1000);
	uint64_t waits = submitted(w, &large), runs;
	fairlead_error err;

	assert_int_not_equal(fl_daemon_job(fl_core_daemon(w->core), waits)->workload.v, FL_NONE);
	configure(w, "metadata: {name: team-b}", "metadata: {name: team-c}");
	reload(w);
	assert_int_equal(state_of(w, waits), FL_JOB_WAITS);
	assert_int_equal(fl_daemon_job(fl_core_daemon(w->core), waits)->workload.v, FL_NONE);
	configure(w, "", "");
	reload(w);
	assert_int_not_equal(fl_daemon_job(fl_core_daemon(w->core), waits)->workload.v, FL_NONE);
	assert_int_equal(wish(w, FL_WISH_CANCEL, waits), 0);
	settle(w);
	runs = submitted(w, &small);
	assert_int_equal(state_of(w, runs), FL_JOB_STARTS);
	configure(w, "metadata: {name: team-b}", "metadata: {name: team-c}");
	assert_int_equal(
		fl_core_reload(w->core, /* by= */ NULL, /* warn= */ NULL, answered, w, &err), 0);
	settle(w);
	assert_int_equal(w->refusals, 1);
	assert_non_null(strstr(w->core->refused.text, "jobs of it run, such as 2"));
	assert_int_equal(state_of(w, runs), FL_JOB_STARTS);
}

/* A LocalQueue leads to a ClusterQueue that is not there. */
TEST_IN(begin, end, test_leads_nowhere)
{
	static const char local[] = "kind: ClusterQueue\n"
				    "metadata: {name: team-b}\n"
				    "spec: {cohortName: company, namespaceSelector: {}}\n"
				    "---\n"
				    "apiVersion: kueue.x-k8s.io/v1beta2\n"
				    "kind: LocalQueue\n"
				    "metadata: {name: lost, namespace: default}\n"
				    "spec: {clusterQueue: nowhere}\n";
	static const char was[] = "kind: ClusterQueue\n"
				  "metadata: {name: team-b}\n"
				  "spec: {cohortName: company, namespaceSelector: {}, preemption: "
				  "{reclaimWithinCohort: Any}}\n";
	struct world *w = *unit_state;
	struct fl_job_spec s = spec_of("lost", 1000);
	uint64_t job;

	configure(w, was, local);
	reload(w);
	job = submitted(w, &s);
	assert_int_equal(state_of(w, job), FL_JOB_WAITS);
	kill_core(w);
	start_core(w);
	settle(w);
	assert_int_equal(wish(w, FL_WISH_CANCEL, job), 0);
	settle(w);
	assert_int_equal(state_of(w, job), FL_JOB_CANCELLED);
}

/* A reload that comes to nothing leaves the one before as it was. */
TEST_IN(begin, end, test_reload_lost)
{
	struct world *w = *unit_state;
	fairlead_error err = { 0 };

	w->core->checkpoint_at = UINT64_MAX;
	configure(w, "losses: 3", "losses: 4");
	reload(w);
	settle(w);
	configure(w, "losses: 3", "losses: 5");
	assert_int_equal(
		fl_core_reload(w->core, /* by= */ NULL, /* warn= */ NULL, answered, w, &err), 0);
	kill_core(w); /* before it is written */
	configure(w, "losses: 3", "losses: 4");
	start_core(w);
	assert_false(w->core->configuring);
	assert_int_equal(fl_daemon_settings_of(fl_core_daemon(w->core))->losses, 4);
}

static void spoil_image(const struct world *w)
{
	char pattern[600];
	glob_t found;

	(void)snprintf(pattern, sizeof pattern, "%s/checkpoint-*.image", w->state);
	assert_int_equal(glob(pattern, 0, NULL, &found), 0);
	for (size_t i = 0; i < found.gl_pathc; i++) {
		FILE *f = fopen(found.gl_pathv[i], "r+");

		assert_int_equal(fseek(f, -100, SEEK_END), 0);
		assert_true(fputs("spoilt", f) >= 0);
		assert_int_equal(fclose(f), 0);
	}
	globfree(&found);
}

/* Of a machine that has more than when its last version was made, one is made at the start. */
TEST_IN(begin, end, test_capacity_is_of_a_version)
{
	struct world *w = *unit_state;

	settle(w);
	assert_int_equal(fl_core_version(w->core)->number, 0);
	for (int images = 1; images >= 0; images--) {
		uint64_t number = fl_core_version(w->core)->number;

		close_core(w);
		fake.more_cpu += 1000;
		if (!images)
			spoil_image(w);
		start_core(w);
		settle(w);
		assert_true(fl_core_version(w->core)->number > number);
		assert_int_equal(fl_core_version(w->core)->capacity[fl_weighed_resource("cpu")],
				 8000 + fake.more_cpu);
	}
}

static void write_at_most(rlim_t bytes)
{
	struct rlimit most;

	assert_int_equal(getrlimit(RLIMIT_FSIZE, &most), 0);
	most.rlim_cur = bytes;
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &most), 0);
}

/* Until the disk takes nothing, and until it does again. */
static void wait_for_problem(struct world *w, bool has)
{
	for (int i = 0; i < 20000 && (fl_core_problem(w->core) != NULL) != has; i++)
		turn(w);
	assert_int_equal(fl_core_problem(w->core) != NULL, has);
}

/* Nobody would ask for it again: that of the files at a start, which could not be written at once. */
TEST_IN(begin, end, test_configured_when_full)
{
	struct world *w = *unit_state;
	fairlead_error err = { 0 };

	close_core(w);
	configure(w, "losses: 3", "losses: 5");
	start_core(w);
	assert_true(fl_core_is_configuring(w->core));
	(void)signal(SIGXFSZ, SIG_IGN);
	write_at_most(1);
	wait_for_problem(w, true);
	assert_true(fl_core_is_configuring(w->core));
	write_at_most(RLIM_INFINITY);
	wait_for_problem(w, false);
	settle(w);
	assert_false(fl_core_is_configuring(w->core));
	assert_int_equal(fl_daemon_settings_of(fl_core_daemon(w->core))->losses, 5);
	/* One that was asked for was answered, and is not done later. */
	configure(w, "losses: 3", "losses: 6");
	write_at_most(1);
	assert_int_equal(
		fl_core_reload(w->core, /* by= */ NULL, /* warn= */ NULL, answered, w, &err), 0);
	wait_for_problem(w, true);
	assert_int_equal(w->refusals, 1);
	assert_false(fl_core_is_configuring(w->core));
	write_at_most(RLIM_INFINITY);
	wait_for_problem(w, false);
	settle(w);
	assert_int_equal(fl_daemon_settings_of(fl_core_daemon(w->core))->losses, 5);
}

/* Each change that is refused meanwhile is a row: so many wait, and the rest is counted. */
TEST_IN(begin, end, test_audit_when_full)
{
	const struct fl_audit_row row = {
		.user = "ann", .action = "cancel", .subject = "job 1", .status = 503
	};
	struct world *w = *unit_state;

	settle(w);
	(void)signal(SIGXFSZ, SIG_IGN);
	write_at_most(1);
	fl_core_audit(w->core, &row);
	wait_for_problem(w, true);
	for (int i = 0; i < FL_CORE_AUDIT + 100; i++)
		fl_core_audit(w->core, &row);
	assert_int_equal(w->core->gather->all.rows.n_audit, FL_CORE_AUDIT);
	assert_int_equal(w->core->audit_lost, 100);
	w->said[0] = '\0';
	write_at_most(RLIM_INFINITY);
	wait_for_problem(w, false);
	settle(w);
	assert_string_equal(w->said,
			    "100 rows of the audit log are lost, as it could not be written");
	fl_core_audit(w->core, &row);
	assert_int_equal(w->core->audit_lost, 0);
}

/* It is told to stop while nothing can be written, with something to be written. */
TEST_IN(begin, end, test_closed_when_full)
{
	struct world *w = *unit_state;
	struct fl_job_spec s = spec_of("team-a", 1000);
	uint64_t job = submitted(w, &s);

	(void)signal(SIGXFSZ, SIG_IGN);
	write_at_most(1);
	fake_begin(run_of(w, job));
	assert_int_equal(submit(w, &s), 0);
	for (int i = 0; i < 20000 && !w->refusals; i++)
		turn(w);
	assert_int_equal(w->refusals, 1);
	fake_end(run_of(w, job), FL_RUN_EXITED, 0);
	close_core(w);
	write_at_most(RLIM_INFINITY);
	start_core(w);
	assert_int_equal(state_of(w, job), FL_JOB_STARTS);
	fake_again();
	settle(w);
	assert_int_equal(state_of(w, job), FL_JOB_DONE);
}

/* Somebody was faster, where everybody may make folders: it is not taken for ours. */
TEST_IN(begin, end, test_state_of_somebody_else)
{
	struct world *w = *unit_state;
	struct fl_core_options o = w->core->options;
	fairlead_error err = { 0 };

	close_core(w);
	assert_int_equal(chmod(w->state, 0770), 0);
	assert_int_equal(fl_core_new(&o, &w->core, &err), FAIRLEAD_EIO);
	assert_non_null(strstr(err.text, "its group can write to "));
	assert_int_equal(chmod(w->state, 0700), 0);
	if (geteuid() == 0) {
		assert_int_equal(chown(w->state, 65534, 65534), 0);
		assert_int_equal(fl_core_new(&o, &w->core, &err), FAIRLEAD_EIO);
		assert_non_null(strstr(err.text, " belongs to user 65534"));
		assert_int_equal(chown(w->state, 0, 0), 0);
	}
	start_core(w);
}

static int lately_of(struct world *w, const struct fl_past *past, uint64_t job, fl_time *ret)
{
	struct fl_daemon *daemon = fl_core_daemon(w->core);
	struct fl_live_view is;
	struct fl_eta eta;
	fairlead_error err = { 0 };
	int r;

	fl_daemon_view(daemon, &is);
	r = fl_past_foretell(past, &is, daemon->ops->jobs(daemon), job, &eta, &err);

	*ret = eta.options.arrivals;
	return r;
}

/* The first job runs for long yet; who came and went since then is known for a day only. */
TEST_IN(begin, end, test_past_that_is_forgotten)
{
	static const fl_time day = 86400 * FL_SECOND;
	struct world *w = *unit_state;
	struct fl_job_spec s = spec_of("team-a", 6000);
	uint64_t first = submitted(w, &s), job;
	struct fl_past *past;
	fairlead_error err;
	fl_time lately;
	int status;

	configure(w, "  jobs: {losses: 3}", "  jobs: {losses: 3}\n  keep: {jobs: 1d}");
	reload(w);
	fake_begin(run_of(w, first));
	settle(w);
	w->core->daemon.clock.at += 10 * day;
	s = spec_of("team-a", 1000);
	for (int i = 0; i < 3; i++) {
		job = submitted(w, &s);
		fake_begin(run_of(w, job));
		settle(w);
		fake_end(run_of(w, job), FL_RUN_EXITED, 0);
		settle(w);
	}
	s = spec_of("team-a", 4000);
	job = submitted(w, &s);
	assert_int_equal(state_of(w, job), FL_JOB_WAITS);
	assert_int_equal(fl_past_read(w->core->daemon.store, fl_clock_now(&w->core->daemon.clock),
				      &past, &err),
			 0);
	pid_t child = fork(); /* what is tried is not taken back */
	if (child == 0)
		_exit(lately_of(w, past, job, &lately) < 0 ? 2 : lately != day);
	fl_past_free(past);
	assert_int_equal(waitpid(child, &status, 0), child);
	/* What a child leaves to the kernel is an error to valgrind. */
	assert_true(status == 0 || under_valgrind());
}

/* --- tokens --- */

static const struct fl_token_wish ci = { .name = "ci",
					 .uid = 1000,
					 .user = "alice",
					 .role = FL_RANK_USER,
					 .queues = "default/team-a",
					 .by = "alice" };

struct told_token {
	char text[FL_TOKEN_TEXT], id[FL_TOKEN_ID];
};

static int ask_token(struct world *w, const struct fl_token_wish *wish, struct told_token *ret)
{
	fairlead_error err = { 0 };

	return fl_core_token_create(w->core, wish, ret->text, ret->id, answered, w, &err);
}

static struct told_token token_of(struct world *w, const struct fl_token_wish *wish)
{
	struct told_token told;
	uint32_t before = w->answers;

	assert_int_equal(ask_token(w, wish, &told), 0);
	settle(w);
	assert_int_equal(w->answers, before + 1);
	return told;
}

static int check_token(struct world *w, const char *text, fl_time later)
{
	struct fl_principal who = { 0 };
	const char *user = NULL;
	int r = fl_core_token_check(w->core, text, fl_clock_now(&w->core->daemon.clock) + later,
				    &who, &user);

	if (r == 0) {
		assert_int_equal(who.kind, FL_PRINCIPAL_TOKEN);
		assert_int_equal(who.uid, 1000);
		assert_int_equal(who.gid, FL_NO_GROUP);
		assert_string_equal(user, "alice");
	}
	return r;
}

static void revoke_token(struct world *w, const char *id)
{
	fairlead_error err = { 0 };

	assert_int_equal(fl_core_token_revoke(w->core, id, "root", answered, w, &err), 0);
	settle(w);
}

/* What a file of the state folder, or of a copy, would tell. */
static bool is_in_files(const char *folder, const char *secret)
{
	char command[1024];

	(void)snprintf(command, sizeof command, "grep -rqaF -e '%s' '%s'", secret, folder);
	return system(command) == 0;
}

TEST_IN(begin, end, test_token_life)
{
	struct world *w = *unit_state;
	struct told_token told = token_of(w, &ci), other = { 0 };
	const struct fl_principal who = { .kind = FL_PRINCIPAL_TOKEN, .uid = 1000, .name = "ci" };

	assert_int_equal(strlen(told.text), FL_TOKEN_TEXT - 1);
	assert_int_equal(check_token(w, told.text, 0), 0);
	assert_string_equal(fl_core_token_of(w->core, &who)->queues, "default/team-a");
	/* One of that name at a time. */
	assert_int_equal(ask_token(w, &ci, &other), FAIRLEAD_ESTATE);
	assert_int_equal(check_token(w, other.text, 0), FAIRLEAD_ENOENT);
	revoke_token(w, told.id);
	assert_int_equal(check_token(w, told.text, 0), FAIRLEAD_ESTATE);
	assert_null(fl_core_token_of(w->core, &who));
	other = token_of(w, &ci);
	assert_int_equal(check_token(w, other.text, 0), 0);
	assert_int_equal(check_token(w, told.text, 0), FAIRLEAD_ESTATE);
	assert_false(is_in_files(w->folder.path, told.text + 3 + FL_TOKEN_ID));
	assert_true(is_in_files(w->folder.path, told.id));
}

/* Whatever is not the token to the last letter is none, and costs no disk. */
TEST_IN(begin, end, test_token_guesses)
{
	struct world *w = *unit_state;
	struct told_token told = token_of(w, &ci);
	char guess[FL_TOKEN_TEXT + 8];
	uint64_t seq;

	assert_int_equal(check_token(w, told.text, 0), 0);
	settle(w);
	seq = w->core->seq;
	for (size_t i = 0; i < FL_TOKEN_TEXT - 1; i++) {
		(void)snprintf(guess, sizeof guess, "%s", told.text);
		guess[i] = guess[i] == 'a' ? 'b' : 'a';
		assert_int_equal(check_token(w, guess, 0), FAIRLEAD_ENOENT);
		guess[i] = '\0';
		assert_int_equal(check_token(w, guess, 0), FAIRLEAD_ENOENT);
	}
	(void)snprintf(guess, sizeof guess, "%sa", told.text);
	assert_int_equal(check_token(w, guess, 0), FAIRLEAD_ENOENT);
	assert_int_equal(check_token(w, "", 0), FAIRLEAD_ENOENT);
	assert_true(is_quiet(w->core));
	assert_int_equal(w->core->seq, seq);
	assert_int_equal(check_token(w, told.text, 0), 0);
}

/* A kill at each moment: before it is durable there is none; then it is there, as it was. */
TEST_IN(begin, end, test_token_killed)
{
	struct world *w = *unit_state;
	struct fl_token_wish day = ci;
	struct told_token told[3];

	day.lasts = 86400 * FL_SECOND;
	told[0] = token_of(w, &day);
	kill_core(w);
	start_core(w);
	assert_int_equal(check_token(w, told[0].text, 0), 0);
	assert_int_equal(check_token(w, told[0].text, day.lasts - 60 * FL_SECOND), 0);
	assert_int_equal(check_token(w, told[0].text, day.lasts), FAIRLEAD_ESTATE);
	day.name = "other";
	assert_int_equal(ask_token(w, &day, &told[1]), 0);
	assert_int_equal(check_token(w, told[1].text, 0), FAIRLEAD_ENOENT);
	kill_core(w);
	start_core(w);
	assert_int_equal(check_token(w, told[1].text, 0), FAIRLEAD_ENOENT);
	revoke_token(w, told[0].id);
	kill_core(w);
	start_core(w);
	assert_int_equal(check_token(w, told[0].text, 0), FAIRLEAD_ESTATE);
	/* The table alone has them once the journal was passed, and what is behind it counts. */
	told[1] = token_of(w, &day);
	told[2] = token_of(w, &ci);
	close_core(w);
	start_core(w);
	revoke_token(w, told[1].id);
	kill_core(w);
	start_core(w);
	assert_int_equal(check_token(w, told[0].text, 0), FAIRLEAD_ESTATE);
	assert_int_equal(check_token(w, told[1].text, 0), FAIRLEAD_ESTATE);
	assert_int_equal(check_token(w, told[2].text, 0), 0);
}

static int see_revoked(void *user, const struct fl_token_row *row, fairlead_error *err)
{
	(void)err;
	*(fl_time *)user = row->revoked;
	return 0;
}

/* What follows from it cannot be written any more. */
static void answered_and_full(void *user, const struct fl_reply *reply)
{
	answered(user, reply);
	write_at_most(1);
}

static int write_nonsense(void *user, int fd, fairlead_error *err)
{
	(void)user;
	(void)err;
	assert_int_equal(write(fd, "nonsense", 8), 8);
	return 0;
}

/*
 * The checkpoint cannot be read, and a kill came before the row of the token that was revoked last
 * was written: the journal has it.
 */
TEST_IN(begin, end, test_token_without_checkpoint)
{
	struct world *w = *unit_state;
	struct told_token told = token_of(w, &ci);
	fairlead_error err = { 0 };
	fl_time revoked = 0;

	settle(w);
	assert_int_equal(fl_store_checkpoint(w->core->daemon.store, w->core->seq, write_nonsense,
					     NULL, &err),
			 0);
	(void)signal(SIGXFSZ, SIG_IGN);
	assert_int_equal(fl_core_token_revoke(w->core, told.id, "root", answered_and_full, w, &err),
			 0);
	for (int i = 0; i < 20000 && !fl_daemon_problem(fl_core_daemon(w->core)); i++)
		turn(w);
	assert_int_equal(w->answers, 2);
	write_at_most(RLIM_INFINITY);
	assert_int_equal(fl_store_tokens(w->core->daemon.store, see_revoked, &revoked, &err), 0);
	assert_true(revoked == FL_TIME_NONE);
	kill_core(w);
	start_core(w);
	assert_true(w->core->checkpointed > 1);
	assert_int_equal(check_token(w, told.text, 0), FAIRLEAD_ESTATE);
}

/* The disk is full: the client is told so, and there is no token; nor is there one later. */
TEST_IN(begin, end, test_token_disk_full)
{
	struct world *w = *unit_state;
	struct told_token told;

	(void)signal(SIGXFSZ, SIG_IGN);
	write_at_most(1);
	assert_int_equal(ask_token(w, &ci, &told), 0);
	for (int i = 0; i < 20000 && !w->refusals; i++)
		turn(w);
	assert_int_equal(w->refusals, 1);
	assert_int_equal(check_token(w, told.text, 0), FAIRLEAD_ENOENT);
	write_at_most(RLIM_INFINITY);
	for (int i = 0; i < 20000 && fl_daemon_problem(fl_core_daemon(w->core)); i++)
		turn(w);
	settle(w);
	assert_int_equal(check_token(w, told.text, 0), FAIRLEAD_ENOENT);
	kill_core(w);
	start_core(w);
	assert_int_equal(check_token(w, told.text, 0), FAIRLEAD_ENOENT);
	told = token_of(w, &ci);
	assert_int_equal(check_token(w, told.text, 0), 0);
}

static int see_used(void *user, const struct fl_token_row *row, fairlead_error *err)
{
	(void)err;
	*(fl_time *)user = row->used;
	return 0;
}

/* By the hour: the first request of an hour is written, soon; all others write nothing. */
TEST_IN(begin, end, test_token_used)
{
	static const fl_time hour = 3600 * FL_SECOND;
	struct world *w = *unit_state;
	struct told_token told = token_of(w, &ci);
	fl_time used = 0, now = fl_clock_now(&w->core->daemon.clock);

	assert_int_equal(fl_store_tokens(fl_core_store(w->core), see_used, &used, NULL), 0);
	assert_true(used == FL_TIME_NONE);
	for (int i = 0; i < 1000; i++)
		assert_int_equal(check_token(w, told.text, 0), 0);
	settle(w);
	assert_int_equal(fl_store_tokens(fl_core_store(w->core), see_used, &used, NULL), 0);
	assert_true(used % hour == 0 && used <= now + hour && used > now - hour);
	assert_int_equal(w->core->tokens.n_dirty, 0);
	assert_int_equal(check_token(w, told.text, 0), 0);
	assert_int_equal(w->core->tokens.n_dirty, 0);
	assert_int_equal(check_token(w, told.text, hour), 0);
	assert_int_equal(w->core->tokens.n_dirty, 1);
	kill_core(w);
	start_core(w);
	assert_int_equal(check_token(w, told.text, 0), 0);
	assert_int_equal(w->core->tokens.n_dirty, 0);
}

TEST_IN(begin, end, test_token_limits)
{
	static const struct {
		const char *name;
		bool fits;
	} names[] = {
		{ "a", true },
		{ "A-1._z", true },
		{ "0123456789012345678901234567890123456789012345678901234567890ab", true },
		{ "0123456789012345678901234567890123456789012345678901234567890abc", false },
		{ "", false },
		{ "-a", false },
		{ ".a", false },
		{ "a b", false },
		{ "a/b", false },
		{ "\303\251", false },
	};
	struct world *w = *unit_state;
	struct fl_token_wish wish = ci;
	struct told_token told;
	char name[16];

	for (size_t i = 0; i < COUNT(names); i++) {
		wish.name = names[i].name;
		CHECK(ask_token(w, &wish, &told) == (names[i].fits ? 0 : FAIRLEAD_EINPUT),
		      names[i].name);
	}
	settle(w);
	wish.name = name;
	for (int i = 3; i < FL_TOKENS_IN_USE; i++) {
		(void)snprintf(name, sizeof name, "t%d", i);
		assert_int_equal(ask_token(w, &wish, &told), 0);
	}
	(void)snprintf(name, sizeof name, "more");
	assert_int_equal(ask_token(w, &wish, &told), FAIRLEAD_ELIMIT);
	settle(w);
	assert_int_equal(ask_token(w, &wish, &told), FAIRLEAD_ELIMIT);
	wish.uid = 1001;
	assert_int_equal(ask_token(w, &wish, &told), 0);
	/* Those that have ended are kept, for a while and not without end. */
	wish.uid = 1002;
	wish.lasts = 1;
	settle(w);
	for (int i = 0; i < FL_TOKENS_OF_USER; i++) {
		(void)snprintf(name, sizeof name, "e%d", i);
		assert_int_equal(ask_token(w, &wish, &told), 0);
		if (i % FL_TOKENS_IN_USE == FL_TOKENS_IN_USE - 1)
			settle(w);
	}
	assert_int_equal(ask_token(w, &wish, &told), FAIRLEAD_ELIMIT);
	fl_core_tokens_forget(w->core, FL_NEVER);
	assert_int_equal(w->core->tokens.n, FL_TOKENS_IN_USE + 1);
	assert_int_equal(ask_token(w, &wish, &told), 0);
	settle(w);
}

UNIT_GROUP("core")
