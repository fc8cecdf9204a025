/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Generations of the entitle policy with a second machine beside the daemon's.  No configuration
 * makes one: it is put into the model as that is made (the linker's --wrap).
 */
#include "daemon/engine/generation.h"
#include "folder.h"

int __real_fl_config_model(const struct fl_config *c, const struct fl_capacity *capacity,
			   const struct fl_mem *mem, struct fl_model **ret, fairlead_error *err);
int __wrap_fl_config_model(const struct fl_config *c, const struct fl_capacity *capacity,
			   const struct fl_mem *mem, struct fl_model **ret, fairlead_error *err);

int __wrap_fl_config_model(const struct fl_config *c, const struct fl_capacity *capacity,
			   const struct fl_mem *mem, struct fl_model **ret, fairlead_error *err)
{
	struct fl_machine_row row = { .name = { 0 } };
	int r = __real_fl_config_model(c, capacity, mem, ret, err);

	if (r < 0)
		return r;
	row.allocatable = (*ret)->machines[0].allocatable;
	r = fl_model_sym(*ret, "another", 7, &row.name, err);
	return r < 0 ? r : fl_model_add_machine(*ret, &row, err);
}

#define ANY "{quota: -1, limit: -1, overQuotaWeight: 1}"

static const char laboratory[] = "apiVersion: fairlead.dev/v1alpha1\n"
				 "kind: Daemon\n"
				 "metadata: {name: d}\n"
				 "spec: {machine: {name: ours}}\n"
				 "---\n"
				 "apiVersion: scheduling.run.ai/v2\n"
				 "kind: Queue\n"
				 "metadata: {name: top}\n"
				 "spec: {resources: {cpu: " ANY ", gpu: " ANY ", memory: " ANY
				 "}}\n"
				 "---\n"
				 "apiVersion: scheduling.run.ai/v2\n"
				 "kind: Queue\n"
				 "metadata: {name: a}\n"
				 "spec: {parentQueue: top, resources: {cpu: " ANY ", gpu: " ANY
				 ", memory: " ANY "}}\n";

static const struct fl_capacity_row rows[] = {
	{ "default", "cpu", 8000 },
	{ "default", "memory", INT64_C(16) << 30 },
};
static const struct fl_capacity capacity = { .rows = rows, .n = COUNT(rows) };

struct world {
	struct folder folder;
	struct fl_config *config;
	struct fl_jobs jobs;
	struct fl_generation g;
};

static int begin(void **state)
{
	struct world *w = calloc(1, sizeof *w);
	fairlead_error err = { 0 };

	folder_make(&w->folder);
	folder_write(&w->folder, "d.yaml", laboratory);
	if (fl_config_read(folder_path(&w->folder, "d.yaml"), &w->config, &err) < 0)
		fail_msg("%s: %s", err.subject, err.text);
	assert_int_equal(fl_jobs_init(&w->jobs, &err), 0);
	*state = w;
	return 0;
}

static int end(void **state)
{
	struct world *w = *state;

	fl_generation_done(&w->g);
	fl_jobs_done(&w->jobs);
	fl_config_free(w->config);
	folder_gone(&w->folder);
	free(w);
	return 0;
}

static int decided(void *user, fl_time now, const struct fl_decision *d, fairlead_error *err)
{
	(void)user;
	(void)now;
	(void)d;
	(void)err;
	return 0;
}

/* A job of two tasks that holds all of a machine. */
static const struct fl_run_grant *held(void *user, uint64_t job, uint32_t *ret_n)
{
	static const struct fl_run_grant cpu = { .resource = "cpu",
						 .flavor = "default",
						 .amount = 8000 };

	(void)user;
	*ret_n = job == 1;
	return job == 1 ? &cpu : NULL;
}

static void add_job(struct world *w, uint64_t id, enum fl_job_state state)
{
	struct fl_job_spec s = { .uid = 1000,
				 .user = "alice",
				 .queue = "a",
				 .tasks = 2,
				 .n_requests = 1,
				 .time_limit = FL_NEVER,
				 .grace = FL_TIME_NONE,
				 .directory = "/",
				 .command = "true",
				 .command_len = 4 };
	struct fl_live *job;
	fairlead_error err;

	(void)snprintf(s.requests[0].resource, sizeof s.requests[0].resource, "cpu");
	s.requests[0].amount = 4000;
	assert_int_equal(fl_jobs_add(&w->jobs, id, &s, (fl_time)id, &job, &err), 0);
	job->state = state;
	job->started = state == FL_JOB_WAITS ? FL_TIME_NONE : (fl_time)id;
}

static void go_on(struct world *w, bool first)
{
	static const struct fl_backend backend = { .start = decided, .evict = decided };
	struct fl_generation old = w->g;
	const struct fl_generation_options o = { .config = w->config,
						 .capacity = &capacity,
						 .now = 10,
						 .up_to = UINT64_MAX,
						 .backend = &backend,
						 .from = first ? NULL : &old,
						 .held = first ? held : NULL };
	fairlead_error err = { 0 };

	if (fl_generation_new(&o, &w->jobs, &w->g, &err) < 0)
		fail_msg("%s: %s", err.subject, err.text);
	if (!first)
		fl_generation_done(&old);
}

static const char *machine_of(const struct world *w, uint64_t job)
{
	const struct fl_live *live = fl_jobs_find(&w->jobs, job);
	const struct fl_placement *where;
	uint32_t n;

	where = w->g.ops->placement(w->g.policy, live->workload, &n);
	assert_int_equal(n, 1);
	return fl_model_text(w->g.model, w->g.model->machines[where->machine.v].name);
}

/* What runs here is on our machine, whichever stands last in the model. */
TEST_IN(begin, end, on_its_machine)
{
	struct world *w = *unit_state;

	add_job(w, 1, FL_JOB_RUNS);
	go_on(w, /* first= */ true);
	assert_int_equal(w->g.model->n_machines, 2);
	assert_string_equal(machine_of(w, 1), "ours");
}

/* And stays there; the next one finds room on the other. */
TEST_IN(begin, end, stays_there)
{
	struct world *w = *unit_state;
	fairlead_error err = { 0 };

	add_job(w, 1, FL_JOB_RUNS);
	go_on(w, /* first= */ true);
	add_job(w, 2, FL_JOB_WAITS);
	go_on(w, /* first= */ false);
	assert_string_equal(machine_of(w, 1), "ours");
	assert_true(fl_driver_cycle(&w->g.driver, 10, &err) >= 0);
	assert_string_equal(machine_of(w, 2), "another");
	add_job(w, 3, FL_JOB_WAITS);
	go_on(w, /* first= */ false);
	assert_string_equal(machine_of(w, 1), "ours");
	assert_string_equal(machine_of(w, 2), "another");
}

UNIT_GROUP("generation")
