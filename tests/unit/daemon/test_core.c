/* SPDX-License-Identifier: Apache-2.0 */
/* The core with a store of its own and runs that are rows of a table: fake.h. */
#include <pthread.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/random.h"
#include "daemon/machine/checkpoint.h"
#include "daemon/machine/inside.h"
#include "daemon/machine/keep.h"
#include "daemon/machine/past.h"
#include "daemon/machine/prepare.h"
#include "daemon/machine/submit.h"
#include "daemon/machine/view.h"
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
	uint64_t last; /* of the numbers that were answered */
};

static void log_line(void *user, const char *line)
{
	(void)user;
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
	return !c->writing && fl_gather_is_empty(c->gather) && !c->n_dirty && !c->n_newcomers &&
	       fl_driver_next(&c->generation.driver, c->at) == FL_NEVER;
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

	return fl_core_submit(w->core, s, 1, /* array= */ 0, answered, w, &err);
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

	return fl_core_wish(w->core, what, job, /* priority= */ 7,
			    &(struct fl_wisher){ .name = "ann" }, answered, w, &err);
}

static enum fl_job_state state_of(const struct world *w, uint64_t job)
{
	const struct fl_live *live = fl_core_job(w->core, job);

	return live ? live->state : FL_JOB_STATES;
}

static struct fake_run *run_of(const struct world *w, uint64_t job)
{
	return fake_find(job, fl_core_job(w->core, job)->attempt);
}

/* --- tests --- */

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
	assert_int_equal(fl_core_job(w->core, victim)->evictions, 1);
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
	assert_int_equal(state_of(w, job), FL_JOB_STOPS);
	assert_int_equal(run_of(w, job)->told, FL_GO_HELD);
	fake_end(run_of(w, job), FL_RUN_SIGNALLED, 15);
	settle(w);
	assert_int_equal(state_of(w, job), FL_JOB_HELD);
	assert_int_equal(wish(w, FL_WISH_RELEASE, job), 0);
	settle(w);
	assert_int_equal(fl_core_job(w->core, job)->attempt, 2);
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
	assert_int_equal(fl_core_job(w->core, job)->attempt, 3);
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
	assert_int_equal(fl_core_job(w->core, job)->attempt, 1);
	assert_true(submitted(w, &s) > job); /* what it held is free */
	assert_int_equal(state_of(w, job + 1), FL_JOB_STARTS);
}

/* What its host knows besides is told, also after a replay. */
TEST_IN(begin, end, test_out_of_memory)
{
	struct world *w = *unit_state;
	struct fl_job_spec s = spec_of("team-a", 1000);
	uint64_t job = submitted(w, &s);
	char buffer[FL_CORE_REASON];

	fake_begin(run_of(w, job));
	run_of(w, job)->besides = "out of memory";
	fake_end(run_of(w, job), FL_RUN_SIGNALLED, 9);
	settle(w);
	for (int i = 0; i < 2; i++) {
		const struct fl_live *live = fl_core_job(w->core, job);

		assert_int_equal(live->state, FL_JOB_FAILED);
		assert_string_equal(fl_core_reason(w->core, live, buffer, sizeof buffer),
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

	assert_int_equal(fl_core_submit(w->core, &s, 1, 200, answered, w, &err), 0);
	assert_int_equal(submit(w, &s), FAIRLEAD_ELIMIT); /* also while they are on their way */
	settle(w);
	assert_int_equal(submit(w, &s), FAIRLEAD_ELIMIT);
	s = spec_of("team-b", 1000);
	assert_int_equal(fl_core_submit(w->core, &s, 1, 51, answered, w, &err), FAIRLEAD_ELIMIT);
	assert_int_equal(fl_core_submit(w->core, &s, 1, 50, answered, w, &err), 0);
	settle(w);
	assert_int_equal(w->last, 250);
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
	}
	free(now.rows);
}

static uint64_t below(struct fl_random *r, uint64_t n) { return fl_random_bits(r) % n; }

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
	switch (below(random, 10)) {
	case 0:
	case 1:
	case 2:
		(void)submit(w, &s);
		break;
	case 3:
		(void)wish(w, (enum fl_wish)below(random, 4), job);
		break;
	case 4:
	case 5:
		if (r)
			fake_begin(r);
		break;
	case 6:
	case 7:
	case 8:
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
	assert_in_range(fl_core_job(w->core, w->last)->bytes, SIZE, SIZE + 1000);
	assert_int_equal(fl_jobs_bytes_of_user(&w->core->jobs, "alice"),
			 fl_core_job(w->core, w->last)->bytes);
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
	assert_int_equal(fl_core_job(w->core, job)->attempt, 1);
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
	assert_int_equal(fl_core_job(w->core, job)->attempt, 2);
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

	assert_int_equal(fl_core_reload(w->core, /* warn= */ NULL, answered, w, &err), 0);
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

	assert_int_not_equal(fl_core_job(w->core, waits)->workload.v, FL_NONE);
	configure(w, "metadata: {name: team-b}", "metadata: {name: team-c}");
	reload(w);
	assert_int_equal(state_of(w, waits), FL_JOB_WAITS);
	assert_int_equal(fl_core_job(w->core, waits)->workload.v, FL_NONE);
	configure(w, "", "");
	reload(w);
	assert_int_not_equal(fl_core_job(w->core, waits)->workload.v, FL_NONE);
	assert_int_equal(wish(w, FL_WISH_CANCEL, waits), 0);
	settle(w);
	runs = submitted(w, &small);
	assert_int_equal(state_of(w, runs), FL_JOB_STARTS);
	configure(w, "metadata: {name: team-b}", "metadata: {name: team-c}");
	assert_int_equal(fl_core_reload(w->core, /* warn= */ NULL, answered, w, &err), 0);
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
	assert_int_equal(fl_core_reload(w->core, /* warn= */ NULL, answered, w, &err), 0);
	kill_core(w); /* before it is written */
	configure(w, "losses: 3", "losses: 4");
	start_core(w);
	assert_false(w->core->configuring);
	assert_int_equal(fl_core_settings(w->core)->losses, 4);
}

static void write_at_most(rlim_t bytes)
{
	struct rlimit most;

	assert_int_equal(getrlimit(RLIMIT_FSIZE, &most), 0);
	most.rlim_cur = bytes;
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &most), 0);
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
	struct fl_eta eta;
	fairlead_error err = { 0 };
	int r = fl_past_eta(past, w->core, job, &eta, &err);

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
	w->core->clock.at += 10 * day;
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
	assert_int_equal(fl_past_read(w->core->store, fl_clock_now(&w->core->clock), &past, &err),
			 0);
	pid_t child = fork(); /* what is tried is not taken back */
	if (child == 0)
		_exit(lately_of(w, past, job, &lately) < 0 ? 2 : lately != day);
	fl_past_free(past);
	assert_int_equal(waitpid(child, &status, 0), child);
	/* What a child leaves to the kernel is an error to valgrind. */
	assert_true(status == 0 || under_valgrind());
}

UNIT_GROUP("core")
