/* SPDX-License-Identifier: Apache-2.0 */
/*
 * submit - what the daemon does for one submission, and for the same one after a kill
 *
 * submit [--jobs N]
 * submit --submit N | --replay N
 *                    N jobs submitted, or made again from the journal, and no figures: what can be
 *                    counted
 *
 * The daemon's core on a store in a folder of its own, with a backend that runs nothing.  Jobs come
 * as bodies of requests, each its own, and all of them are one batch: parsed, checked, numbered,
 * committed, applied, in the next generation and told to its policy, answered.  A replay is the
 * start of a core on what is there then, with all those rows behind the checkpoint.
 *
 * The same work every time: the linker puts functions of this file (__wrap_...) in place of clocks,
 * of the thread that commits, and of what sends answers (meson.build); the loop never turns.
 * One JSON line; README.md says how to read the figures.  Exit 1 when a job is missing.
 */
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "daemon/api/job/jobs.h"
#include "daemon/machine/inside.h"
#include "daemon/machine/view.h"
#include "measure.h"

/* Below what is drafted on a thread (core.c). */
enum { MOST = 900, JOBS = 500, USER = 1000 };

static const char configuration[] =
	"apiVersion: fairlead.dev/v1alpha1\n"
	"kind: Daemon\n"
	"metadata: {name: bench}\n"
	"spec:\n"
	"  machine: {cohort: company}\n"
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
	char folder[64], config[96], state[96];
	uv_loop_t loop;
	struct fl_core *core;
	struct fl_api api;
};

static void must(int r, const fairlead_error *err)
{
	if (r >= 0)
		return;
	fprintf(stderr, "submit: %s: %s\n", err->subject, err->text);
	exit(3);
}

/* --- in place of others ------------------------------------------------------------------------- */

void __wrap_fl_clock_begin(struct fl_clock *c, const struct fl_clock_past *past);
void __real_fl_clock_begin(struct fl_clock *c, const struct fl_clock_past *past);
uint64_t __wrap_uv_hrtime(void);
int __wrap_uv_queue_work(uv_loop_t *loop, uv_work_t *req, uv_work_cb work, uv_after_work_cb after);
void __wrap_fl_exchange_give(struct fl_exchange *x, unsigned status, const char *type, char *body,
			     size_t len);
void __wrap_fl_exchange_problem(struct fl_exchange *x, const struct fl_problem *problem);

static fl_time boot = 1000 * FL_SECOND;
static uv_after_work_cb committed; /* to be called; NULL: nothing is on its way */
static uv_work_t *commit;
static uint32_t answers;

static void read_clock(fl_time *ret_wall, fl_time *ret_boot)
{
	*ret_boot = boot;
	*ret_wall = INT64_C(1767225600) * FL_SECOND + boot;
}

void __wrap_fl_clock_begin(struct fl_clock *c, const struct fl_clock_past *past)
{
	c->read = read_clock;
	__real_fl_clock_begin(c, past);
}

/* Nothing takes any time, so what hangs on that is always the same. */
uint64_t __wrap_uv_hrtime(void) { return 1; }

int __wrap_uv_queue_work(uv_loop_t *loop, uv_work_t *req, uv_work_cb work, uv_after_work_cb after)
{
	req->loop = loop;
	work(req);
	commit = req;
	committed = after;
	return 0;
}

void __wrap_fl_exchange_give(struct fl_exchange *x, unsigned status, const char *type, char *body,
			     size_t len)
{
	(void)x, (void)type, (void)len;
	answers += status == 201;
	free(body);
}

void __wrap_fl_exchange_problem(struct fl_exchange *x, const struct fl_problem *problem)
{
	(void)x;
	fprintf(stderr, "submit: answered %u: %s (%s)\n", problem->status, problem->text,
		problem->hint ? problem->hint : "");
	exit(3);
}

/* --- a backend that runs nothing, and accounts that are the same everywhere ------------------------ */

static int last(const char *state, struct fl_last_run *ret, fairlead_error *err)
{
	(void)state, (void)err;
	*ret = (struct fl_last_run){ 0 };
	return 0;
}

static int open_host(const struct fl_host_options *options, struct fl_host **ret,
		     fairlead_error *err)
{
	static char host;

	(void)options, (void)err;
	*ret = (struct fl_host *)&host;
	return 0;
}

static struct fl_host *close_host(struct fl_host *h)
{
	(void)h;
	return NULL;
}

/* What one job asks for: one has it, and all others wait. */
static int capacity(struct fl_host *h, struct fl_capacity *ret, fairlead_error *err)
{
	static const struct fl_capacity_row rows[] = {
		{ "default", "cpu", 8000 },
		{ "default", "memory", INT64_C(16) << 30 },
	};

	(void)h, (void)err;
	*ret = (struct fl_capacity){ .rows = rows, .n = 2 };
	return 0;
}

static int start(struct fl_host *h, const struct fl_run *run, fairlead_error *err)
{
	(void)h, (void)run, (void)err;
	return 0;
}

static int find(struct fl_host *h, uint64_t job, uint32_t attempt, const char *token,
		enum fl_found *ret, fairlead_error *err)
{
	(void)h, (void)job, (void)attempt, (void)token, (void)err;
	*ret = FL_FOUND_RUNS;
	return 0;
}

static int each(struct fl_host *h,
		int (*fn)(void *user, uint64_t job, uint32_t attempt, const char *token),
		void *user, fairlead_error *err)
{
	(void)h, (void)fn, (void)user, (void)err;
	return 0;
}

static const struct fl_backend_ops backend = {
	.name = "none",
	.last = last,
	.open = open_host,
	.close = close_host,
	.capacity = capacity,
	.start = start,
	.find = find,
	.each = each,
};

static int number_of(void *user, const char *name, uint32_t *ret)
{
	(void)user, (void)name, (void)ret;
	return 1;
}

static int name_of(void *user, uid_t uid, char *ret, size_t size)
{
	(void)user;
	snprintf(ret, size, "user%u", (unsigned)uid);
	return 0;
}

static int groups_of(void *user, uid_t uid, gid_t gid, gid_t *ret, uint32_t room, uint32_t *ret_n)
{
	(void)user, (void)uid, (void)gid, (void)ret, (void)room;
	*ret_n = 0;
	return 0;
}

static int owner_of(void *user, uid_t uid, uid_t *ret)
{
	(void)user, (void)uid, (void)ret;
	return 1;
}

static fl_time now_of(void *user)
{
	(void)user;
	return boot;
}

static const struct fl_accounts accounts = { .user_of = number_of,
					     .group_of = number_of,
					     .name_of = name_of,
					     .groups_of = groups_of,
					     .owner_of = owner_of,
					     .now = now_of };

/* --- the core ------------------------------------------------------------------------------------ */

static void broken(void *user, const fairlead_error *err)
{
	(void)user;
	must(err->code, err);
}

static void begin(struct world *w)
{
	const struct fl_core_options o = { .loop = &w->loop,
					   .config = w->config,
					   .state = w->state,
					   .runner = "/nonexistent",
					   .backend = &backend,
					   .broken = broken };
	/* As if root had started it, for all users. */
	const struct fl_access_runs runs = { 0, true, 1, UINT32_MAX - 1, true };
	fairlead_error err = { 0 };

	if (uv_loop_init(&w->loop) != 0)
		abort();
	must(fl_core_new(&o, &w->core, &err), &err);
	w->api = (struct fl_api){ .daemon = fl_core_daemon(w->core), .core = w->core };
	must(fl_access_new(fl_daemon_config(fl_core_daemon(w->core)), &accounts, &runs,
			   &w->api.access, &err),
	     &err);
}

/* As by a kill: what was committed is all there is. */
static void end(struct world *w)
{
	struct fl_core *c = w->core;

	fl_access_free(w->api.access);
	uv_close((uv_handle_t *)&c->check, NULL);
	uv_close((uv_handle_t *)&c->due, NULL);
	uv_close((uv_handle_t *)&c->again, NULL);
	uv_close((uv_handle_t *)&c->drafted, NULL);
	uv_close((uv_handle_t *)&c->sweep, NULL);
	uv_run(&w->loop, UV_RUN_NOWAIT);
	fl_core_free(c);
	uv_loop_close(&w->loop);
}

/* Until nothing is left to do. */
static void settle(struct world *w)
{
	boot += FL_SECOND;
	w->core->due.timer_cb(&w->core->due);
	while (committed) {
		uv_after_work_cb after = committed;

		committed = NULL;
		boot += FL_SECOND;
		after(commit, 0);
	}
}

static void post(struct world *w, uint32_t number)
{
	char body[1024];
	struct fl_http_request r = {
		.method = "POST",
		.path = "/v1/jobs",
		.body = body,
		.who = fl_principal_user(USER, USER),
		.pid = 1,
	};
	struct fl_call call = { .api = &w->api, .r = &r, .action = "submit" };

	r.body_len = (size_t)snprintf(
		body, sizeof body,
		"{\"name\": \"train-%04u\", \"queue\": \"team-%c\", \"tasks\": 1,"
		" \"requests\": {\"cpu\": \"8\", \"memory\": \"8Gi\"},"
		" \"command\": [\"python\", \"-m\", \"train\", \"--run=%04u\", \"--epochs=20\"],"
		" \"environment\": {\"HOME\": \"/srv/ann\", \"LANG\": \"en_US.UTF-8\","
		" \"PATH\": \"/usr/local/bin:/usr/bin:/bin\", \"OMP_NUM_THREADS\": \"4\"},"
		" \"directory\": \"/srv/ann/runs\", \"output\": \"/srv/ann/runs/log-%04u\","
		" \"timeLimit\": \"1h30m\", \"grace\": \"30s\"}",
		number, number % 2 ? 'b' : 'a', number, number);
	fl_api_submit(&call);
}

static void submit(struct world *w, uint32_t jobs)
{
	answers = 0;
	for (uint32_t i = 0; i < jobs; i++)
		post(w, i);
	settle(w);
}

/* In the policy, be it that they wait or that the backend was asked to start them. */
static uint32_t known(const struct world *w)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < w->core->jobs.n; i++)
		n += w->core->jobs.rows[i].workload.v != FL_NONE &&
		     (w->core->jobs.rows[i].state == FL_JOB_WAITS ||
		      w->core->jobs.rows[i].state == FL_JOB_STARTS);
	return n;
}

static void check(const char *what, uint32_t is, uint32_t jobs)
{
	if (is == jobs)
		return;
	fprintf(stderr, "submit: %s: %u jobs of %u\n", what, is, jobs);
	exit(1);
}

/* --- the two figures, in milliseconds -------------------------------------------------------------- */

static double measure_submit(struct world *w, uint32_t jobs)
{
	double ms;

	begin(w);
	settle(w);
	ms = now_ms();
	submit(w, jobs);
	ms = now_ms() - ms;
	check("answered", answers, jobs);
	check("in the policy", known(w), jobs);
	end(w);
	return ms;
}

static double measure_replay(struct world *w, uint32_t jobs)
{
	double ms = now_ms();

	begin(w);
	ms = now_ms() - ms;
	check("replayed", known(w), jobs);
	end(w);
	return ms;
}

/* By another process, whose instructions are not counted (figures.py). */
static void submit_aside(struct world *w, uint32_t jobs)
{
	pid_t child = fork();
	int status;

	if (child == 0) {
		measure_submit(w, jobs);
		_exit(0);
	}
	if (child < 0 || waitpid(child, &status, 0) != child || status != 0)
		exit(3);
	boot += 1000 * FL_SECOND;
}

/* --- the folder ------------------------------------------------------------------------------------ */

static void make_folder(struct world *w)
{
	FILE *f;

	snprintf(w->folder, sizeof w->folder, "/tmp/fairlead-submit-XXXXXX");
	if (!mkdtemp(w->folder)) {
		fprintf(stderr, "submit: no folder can be made in /tmp\n");
		exit(3);
	}
	snprintf(w->config, sizeof w->config, "%s/daemon.yaml", w->folder);
	snprintf(w->state, sizeof w->state, "%s/state", w->folder);
	f = fopen(w->config, "w");
	if (!f || fputs(configuration, f) < 0 || fclose(f) != 0) {
		fprintf(stderr, "submit: %s cannot be written\n", w->config);
		exit(3);
	}
}

static int drop(const char *path, const struct stat *st, int type, struct FTW *at)
{
	(void)st, (void)type, (void)at;
	return remove(path);
}

static int usage(void)
{
	fprintf(stderr, "usage: submit [--jobs N | --submit N | --replay N], N from 1 to %d\n",
		(int)MOST);
	return 2;
}

int main(int argc, char **argv)
{
	const char *option = argc > 1 ? argv[1] : "--jobs";
	long n = argc > 2 ? strtol(argv[2], NULL, 10) : argc == 1 ? JOBS : 0;
	uint32_t jobs = (uint32_t)n;
	struct world w = { 0 };
	double ms;

	if (argc > 3 || n < 1 || n > MOST)
		return usage();
	if (strcmp(option, "--jobs") != 0 && strcmp(option, "--submit") != 0 &&
	    strcmp(option, "--replay") != 0)
		return usage();
	json_object_seed(1); /* else random, and with it who collides with whom */
	make_folder(&w);
	if (strcmp(option, "--replay") == 0) {
		submit_aside(&w, jobs);
		measure_replay(&w, jobs);
	} else {
		ms = measure_submit(&w, jobs);
		if (strcmp(option, "--jobs") == 0)
			printf("{\"id\":\"jobs-%u\",\"submitUs\":%.1f,\"replayUs\":%.1f}\n", jobs,
			       1e3 * ms / jobs, 1e3 * measure_replay(&w, jobs) / jobs);
	}
	nftw(w.folder, drop, 8, FTW_DEPTH | FTW_PHYS);
	return 0;
}
