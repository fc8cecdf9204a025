/* SPDX-License-Identifier: Apache-2.0 */
/* The core with a store of its own and runs that are rows of a table: fake.h. */
#include "base/random.h"
#include "daemon/core_parts.h"
#include "fake.h"
#include "folder.h"

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
	start_core(w);
	*state = w;
	return 0;
}

static bool is_quiet(const struct fl_core *c)
{
	return !c->writing && fl_gather_is_empty(c->gather) && !c->n_dirty && !c->n_newcomers &&
	       fl_driver_next(&c->generation.driver, c->at) == FL_NEVER;
}

/* Until nothing is left to do; bounded by turns of the loop, not by time. */
static void settle(struct world *w)
{
	for (int i = 0; i < 20000 && !is_quiet(w->core) && !w->broken; i++)
		(void)uv_run(&w->loop, UV_RUN_ONCE);
	assert_true(is_quiet(w->core));
	assert_false(w->broken);
}

/* Nothing of it is on a thread or in another process. */
static void wait_for_threads(struct world *w)
{
	while (w->core->in_flight || w->core->checkpointing)
		(void)uv_run(&w->loop, UV_RUN_ONCE);
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
		(void)uv_run(&w->loop, UV_RUN_ONCE);
	assert_true(w->closed);
	w->core = fl_core_free(w->core);
}

static int end(void **state)
{
	struct world *w = *state;

	if (w->core)
		close_core(w);
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

	return fl_core_wish(w->core, what, job, /* priority= */ 7, answered, w, &err);
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

static void test_life(void **state)
{
	struct world *w = *state;
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

static void test_preemption(void **state)
{
	struct world *w = *state;
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

static void test_hold_and_cancel(void **state)
{
	struct world *w = *state;
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

static void test_after(void **state)
{
	struct world *w = *state;
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

static void test_losses(void **state)
{
	struct world *w = *state;
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

static void test_refused(void **state)
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
	struct world *w = *state;

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

static void test_limits(void **state)
{
	struct world *w = *state;
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
static void test_restart(void **state)
{
	struct world *w = *state;
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

static void test_killed(void **state)
{
	struct world *w = *state;
	struct fl_random random;
	struct seen seen = { 0 };

	fl_random_init(&random, 4711, 0);
	for (int life = 0; life < 60; life++) {
		uint64_t steps = below(&random, 60);

		/* Generations are made at once, or, of so many jobs, on a thread. */
		w->core->draft_from = 2 + (uint32_t)below(&random, 30);
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
	free(seen.rows);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)
	const struct CMUnitTest tests[] = {
		TEST(test_life),   TEST(test_preemption), TEST(test_hold_and_cancel),
		TEST(test_after),  TEST(test_losses),     TEST(test_refused),
		TEST(test_limits), TEST(test_restart),    TEST(test_killed),
	};

	return cmocka_run_group_tests_name("core", tests, NULL, NULL);
}
