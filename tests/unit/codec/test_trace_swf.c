/* SPDX-License-Identifier: Apache-2.0 */
/* Lines of the Standard Workload Format to workloads and lives, and what is refused. */
#include "lib/unit.h"
#include "unit/codec/trace_load.h"

/* job submit wait run used cpu mem asked time memory status user group app queue part prec think */
#define JOB(number, submit, wait, run, procs)                                                      \
	number " " submit " " wait " " run " " procs " -1 -1 -1 -1 -1 1 7 1 -1 2 -1 -1 -1\n"
#define SOURCE(more) "sources: [{swf: jobs, " more "queues: [{to: a}]}]"
#define TREE(more) TRACE_FLAVOR TRACE_QUEUE("a") TRACE_SIMULATION(SOURCE(more))

static const char header[] = "; Version: 2.2\n; Acknowledge: Somebody Kind\n; MaxProcs: 240\n"
			     ";UnixStartTime:\t1000 \n; Note: nothing\n";

static fl_time s(double seconds) { return (fl_time)(seconds * 1e9); }

TEST(a_job_becomes_rows)
{
	struct fl_model *m = trace_trees(TREE("cancelled: true, "));
	const struct fl_workload_row *w;
	const struct fl_life_row *life;
	const struct fl_podset *p;
	fairlead_error err;
	char jobs[600];

	(void)snprintf(jobs, sizeof jobs, "%s\n%s%s%s", header,
		       "  11 20 5 100.5 3 1.25 -1 4 200 1024 1 7 8 -1 9 2 -1 -1\r\n",
		       "12 30 -1 50 4 -1 2048 -1 -1 -1 0 7 8 -1 9 2 -1 -1\n",
		       "13 40 60 -1 -1 -1 -1 4 500 1024 5 -1 -1 -1 -1 -1 -1 -1");
	assert_int_equal(trace_add(m, jobs, 1 << 20, &err), 0);
	assert_int_equal(m->n_workloads, 3);
	assert_int_equal(m->n_lives, 3);

	w = &m->workloads[0];
	life = &m->lives[0];
	p = &m->podsets[w->podsets.first];
	assert_string_equal(fl_model_text(m, w->name), "job-11");
	assert_int_equal(life->workload.v, 0);
	assert_int_equal(life->arrives, s(1020));
	assert_int_equal(w->created, s(1020));
	assert_int_equal(life->runs, s(100.5));
	assert_int_equal(life->asked, s(200));
	assert_int_equal(life->waited, s(5));
	assert_int_equal(life->leaves, FL_NEVER);
	assert_string_equal(fl_model_text(m, life->user), "7");
	assert_int_equal(w->place.line, 7);
	assert_int_equal(p->count, 4);      /* asked for, not used */
	assert_int_equal(p->requests.n, 1); /* nobody has quota for memory */
	assert_int_equal(m->requests[p->requests.first].amount, 1000);
	assert_non_null(load_notice(m, FL_NOTICE_JOBS_WITHOUT_MEMORY));

	assert_int_equal(m->lives[1].waited, FL_TIME_NONE);
	assert_int_equal(m->lives[1].asked, FL_TIME_NONE);
	assert_int_equal(m->podsets[m->workloads[1].podsets.first].count, 4); /* used */

	/* Gives up after as long as it waited then, and would run for what it asked. */
	assert_int_equal(m->lives[2].leaves, s(1100));
	assert_int_equal(m->lives[2].runs, s(500));
	assert_int_equal(m->workloads[2].podsets.first, w->podsets.first); /* shared */

	assert_int_equal(m->n_logs, 3);
	assert_string_equal(fl_model_text(m, m->logs[0].key), "Acknowledge");
	assert_string_equal(fl_model_text(m, m->logs[0].value), "Somebody Kind");
	assert_string_equal(fl_model_text(m, m->logs[2].value), "1000");
	assert_int_equal(fl_model_seal(m, &err), 0);
	assert_int_equal(m->workloads[0].excluded, FL_INCLUDED);
	fl_model_free(m);
}

TEST(memory_counts_where_there_is_quota)
{
	static const char tree[] = TRACE_FLAVOR
		"---\napiVersion: kueue.x-k8s.io/v1beta1\nkind: ClusterQueue\nmetadata: {name: a}\n"
		"spec:\n  namespaceSelector: {}\n  resourceGroups:\n"
		"  - coveredResources: [cpu, memory]\n    flavors: [{name: default, resources: "
		"[{name: cpu, nominalQuota: 4}, {name: memory, nominalQuota: 8Gi}]}]\n" TRACE_SIMULATION(
			SOURCE(""));
	static const char jobs[] = "1 0 0 1 2 -1 512 -1 -1 1024 1 7 8 -1 9 2 -1 -1\n"
				   "2 0 0 1 2 -1 512 -1 -1 -1 1 7 8 -1 9 2 -1 -1\n";
	struct fl_model *m = trace_trees(tree);
	fairlead_error err;

	assert_int_equal(trace_add(m, jobs, 1 << 20, &err), 0);
	for (uint32_t i = 0; i < 2; i++) {
		const struct fl_podset *p = &m->podsets[m->workloads[i].podsets.first];

		assert_int_equal(p->requests.n, 2);
		assert_int_equal(m->requests[p->requests.first + 1].amount, (i ? 512 : 1024) << 10);
	}
	fl_model_free(m);
}

/* Jobs that differ in it alone have one shape: what a policy finds out of one holds of all. */
TEST(memory_that_does_not_count_makes_no_shape)
{
	static const char jobs[] = "1 0 0 1 2 -1 512 -1 -1 1024 1 7 8 -1 9 2 -1 -1\n"
				   "2 0 0 1 2 -1 512 -1 -1 -1 1 7 8 -1 9 2 -1 -1\n";
	struct fl_model *m = trace_trees(TREE(""));
	fairlead_error err;

	assert_int_equal(trace_add(m, jobs, 1 << 20, &err), 0);
	const struct fl_podset *a = &m->podsets[m->workloads[0].podsets.first];
	const struct fl_podset *b = &m->podsets[m->workloads[1].podsets.first];

	assert_true(a->requests.n == 1 && b->requests.n == 1);
	assert_int_equal(m->requests[a->requests.first].amount,
			 m->requests[b->requests.first].amount);
	assert_true(a->spec_hash == b->spec_hash);
	fl_model_free(m);
}

/* What is left of five jobs, ten seconds apart, and when they come. */
TEST(parts_and_scales)
{
	static const char jobs[] = JOB("1", "100", "0", "8", "1") JOB("2", "110", "0", "8", "1")
		JOB("3", "120", "0", "8", "1") JOB("4", "130", "0", "8", "1")
			JOB("5", "140", "0", "8", "1");
	static const struct {
		const char *name, *more;
		double runs, came[6]; /* ended by -1 */
	} rows[] = {
		{ "all", "", 8, { 100, 110, 120, 130, 140, -1 } },
		{ "from", "from: 15s, ", 8, { 120, 130, 140, -1 } },
		{ "for", "for: 20s, ", 8, { 100, 110, -1 } },
		{ "from and for", "from: 10s, for: 21s, ", 8, { 110, 120, 130, -1 } },
		{ "load", "load: 2, ", 8, { 100, 105, 110, 115, 120, -1 } },
		{ "load of a part", "from: 20s, load: 0.5, ", 8, { 120, 140, 160, -1 } },
		{ "run time", "runtime: 1.5, for: 10s, ", 12, { 100, -1 } },
		{ "nobody", "from: 50s, ", 8, { -1 } },
	};

	for (size_t i = 0; i < COUNT(rows); i++) {
		char objects[2000], text[1000];
		fairlead_error err;
		struct fl_model *m;
		uint32_t n = 0;

		(void)snprintf(objects, sizeof objects, "%s", TRACE_FLAVOR TRACE_QUEUE("a"));
		(void)snprintf(objects + strlen(objects), sizeof objects - strlen(objects),
			       TRACE_SIMULATION("sources: [{swf: jobs, %squeues: [{to: a}]}]"),
			       rows[i].more);
		(void)snprintf(text, sizeof text, "; UnixStartTime: 1000\n%s", jobs);
		m = trace_trees(objects);
		CHECK(trace_add(m, text, 1 << 20, &err) == 0, rows[i].name);
		for (; rows[i].came[n] >= 0; n++) {
			CHECK(n < m->n_lives, rows[i].name);
			CHECK(m->lives[n].arrives == s(1000 + rows[i].came[n]), rows[i].name);
			CHECK(m->lives[n].runs == s(rows[i].runs), rows[i].name);
		}
		CHECK(m->n_lives == n, rows[i].name);
		fl_model_free(m);
	}
}

TEST(a_log_without_a_clock_begins_at_the_start)
{
	struct fl_model *m = trace_trees(TREE(""));
	fairlead_error err;

	m->simulation.start = s(5000);
	assert_int_equal(trace_add(m, JOB("1", "70", "0", "8", "1") JOB("2", "75", "0", "8", "1"),
				   1 << 20, &err),
			 0);
	assert_int_equal(fl_simulation_fix_times(m, NULL), 0);
	assert_int_equal(m->lives[0].arrives, s(5000));
	assert_int_equal(m->lives[1].arrives, s(5005));
	assert_int_equal(m->workloads[1].created, s(5005));
	fl_model_free(m);
}

/* Who is no job here, and in what words it is told. */
TEST(left_out)
{
	static const char jobs[] =
		"1 0 9 -1 -1 -1 -1 4 500 -1 5 1 1 1 1 1 -1 -1\n" /* cancelled while it waited */
		"2 0 0 63 -1 -1 -1 4 500 -1 5 1 1 1 1 1 -1 -1\n" /* likewise */
		"3 0 0 63 4 -1 -1 4 500 -1 5 1 1 1 1 1 -1 -1\n"  /* while it ran: a job */
		"4 0 0 -1 4 -1 -1 4 500 -1 1 1 1 1 1 1 -1 -1\n"  /* no run time */
		"5 0 0 5 -1 -1 -1 0 500 -1 1 1 1 1 1 1 -1 -1\n"  /* no size */
		"6 0 0 5 4 -1 -1 4 500 -1 2 1 1 1 1 1 -1 -1\n"   /* a part of another */
		"6 -1 9 5 4 -1 -1 4 500 -1 3 1 1 1 1 1 -1 -1\n"  /* the next: no submit time */
		"7 0 0 0 4 -1 -1 4 500 -1 0 1 1 1 1 1 -1 -1\n"   /* failed at once: a job */
		"8 0 0 5 5 -1 -1 -1 500 -1 1 1 1 1 1 1 -1 -1\n"; /* larger than the cluster: a job */
	struct fl_model *m = trace_trees(TREE(""));
	fairlead_error err;
	char line[512];

	assert_int_equal(trace_add(m, jobs, 1 << 20, &err), 0);
	assert_int_equal(m->n_workloads, 3);
	assert_int_equal(m->lives[1].runs, 0);
	assert_non_null(strstr(load_notice_line(m, FL_NOTICE_JOBS_LEFT_OUT, line),
			       "6 of 9 jobs are left out: 2 cancelled while pending, 1 without a "
			       "run time, 1 without a size, 2 parts of other jobs"));
	assert_non_null(strstr(
		load_notice_line(m, FL_NOTICE_JOBS_TOO_LARGE, line),
		"1 job is larger than the whole cluster, 4 cores, and stays pending for ever"));
	fl_model_free(m);
}

TEST(rules_give_queues_and_priorities)
{
	struct fl_model *m =
		trace_trees(TRACE_FLAVOR TRACE_QUEUE("a") TRACE_QUEUE("q-2") TRACE_SIMULATION(
			"sources: [{swf: jobs, queues: [{users: ['8-9'], to: a, priority: 5}, "
			"{groups: ['3'], leaveOut: true}, {to: 'q-{queue}'}]}]"));
	static const char jobs[] = "1 0 0 1 1 -1 -1 -1 -1 -1 1 9 1 -1 2 -1 -1 -1\n"
				   "2 0 0 1 1 -1 -1 -1 -1 -1 1 7 1 -1 2 -1 -1 -1\n"
				   "3 0 0 1 1 -1 -1 -1 -1 -1 1 7 3 -1 2 -1 -1 -1\n";
	fairlead_error err;

	assert_int_equal(trace_add(m, jobs, 1 << 20, &err), 0);
	assert_int_equal(m->n_workloads, 2);
	assert_string_equal(fl_model_text(m, m->workloads[0].queue_name), "a");
	assert_true(m->workloads[0].has_priority && m->workloads[0].priority == 5);
	assert_string_equal(fl_model_text(m, m->workloads[1].queue_name), "q-2");
	assert_false(m->workloads[1].has_priority);
	fl_model_free(m);
}

TEST(gangs_for_the_other_policy)
{
	struct fl_model *m = trace_trees(
		"apiVersion: scheduling.run.ai/v2\nkind: Queue\nmetadata: {name: a}\nspec: {resources: "
		"{cpu: {quota: -1, limit: -1}, memory: {quota: -1, limit: -1}}}\n"
		"---\napiVersion: v1\nkind: Node\nmetadata: {name: n}\nstatus: {allocatable: {cpu: 4, "
		"memory: 8Gi}}\n" TRACE_SIMULATION(SOURCE("")));
	static const char jobs[] = "5 0 0 9 3 -1 1024 -1 -1 -1 1 9 1 -1 2 -1 -1 -1\n";
	fairlead_error err;

	assert_int_equal(trace_add(m, jobs, 1 << 20, &err), 0);
	assert_int_equal(fl_model_seal(m, &err), 0);
	assert_int_equal(m->n_workloads, 1);
	assert_int_equal(m->workloads[0].excluded, FL_INCLUDED);
	assert_int_equal(m->gangs[m->workloads[0].gang].min_tasks, 3);
	assert_int_equal(m->gangs[m->workloads[0].gang].tasks.n, 3);
	assert_true(m->tasks[0].request.of[FL_CPU] == 1000);
	assert_true(m->tasks[0].request.of[FL_MEMORY] == 1 << 20);
	fl_model_free(m);
}

TEST(what_is_refused)
{
	static const char good[] = JOB("1", "10", "0", "8", "1");
	static const struct {
		const char *name, *line, *error; /* error NULL: fine */
	} rows[] = {
		{ "good", JOB("2", "10", "0", "8", "1"), NULL },
		{ "no newline", "2 10 0 8 1 -1 -1 -1 -1 -1 1 7 1 -1 2 -1 -1 -1", NULL },
		{ "tabs", "2\t10\t0 8 1 -1 -1 -1 -1 -1 1 7 1 -1 2 -1 -1 -1 \t", NULL },
		{ "remark between", "; MaxProcs: what\n", NULL },
		{ "backwards", JOB("2", "9", "0", "8", "1"),
		  "jobs:2:3: arrives 1 s before the job above it, but jobs must be in the order of arrival" },
		{ "negative", JOB("2", "11", "0", "8", "-3"),
		  "jobs:2:10: field 5, processors: '-3' is below 0" },
		{ "a bit negative", JOB("2", "11", "-0.5", "8", "1"),
		  "jobs:2:6: field 3, wait time: '-0.5' is below 0" },
		{ "garbage", JOB("2", "11", "0", "8h", "1"),
		  "jobs:2:8: field 4, run time: '8h' is not a number" },
		{ "a minus alone", JOB("2", "11", "0", "-", "1"),
		  "jobs:2:8: field 4, run time: '-' is not a number" },
		{ "too large", JOB("2", "99999999999", "0", "8", "1"),
		  "jobs:2:3: field 2, submit time: '99999999999' is more than 2147483647" },
		{ "too few", "2 11 0 8 1 -1\n", "jobs:2:14: 6 fields, a job has 18" },
		{ "too many", "2 11 0 8 1 -1 -1 -1 -1 -1 1 7 1 -1 2 -1 -1 -1 0\n",
		  "jobs:2:47: more than 18 fields" },
		{ "no number", JOB("-1", "11", "0", "8", "1"),
		  "jobs:2:1: a job without job number" },
		{ "no submit time", JOB("2", "-1", "0", "8", "1"),
		  "jobs:2:1: a job without submit time" },
		{ "twice", JOB("1", "11", "0", "8", "1"), "jobs:2:1: defined twice" },
	};

	for (size_t i = 0; i < COUNT(rows); i++) {
		struct fl_model *m = trace_trees(TREE(""));
		char text[1000], line[1024];
		fairlead_error err;
		int r;

		(void)snprintf(text, sizeof text, "%s%s", good, rows[i].line);
		r = trace_add(m, text, 7, &err);
		CHECK(r == (rows[i].error ? FAIRLEAD_EINPUT : 0), rows[i].name);
		if (rows[i].error)
			assert_string_equal(trace_error(&err, line), rows[i].error);
		fl_model_free(m);
	}
}

TEST(what_is_refused_of_a_file)
{
	struct fl_model *m = trace_trees(TREE(""));
	char line[1024], *text = malloc(40000);
	struct trace_text t;
	struct fl_source source;
	fairlead_error err;

	assert_int_equal(trace_add(m, "; Version: 2.2\n", 3, &err), FAIRLEAD_EINPUT);
	assert_string_equal(trace_error(&err, line), "jobs:1:1: no job in it");
	fl_model_free(m);

	m = trace_trees(TREE(""));
	assert_int_equal(trace_add(m, "; UnixStartTime: soon\n", 3, &err), FAIRLEAD_EINPUT);
	assert_string_equal(trace_error(&err, line),
			    "jobs:1:18: UnixStartTime 'soon' is not a number");
	fl_model_free(m);

	memset(text, ' ', 39999);
	text[39999] = '\0';
	m = trace_trees(TREE(""));
	assert_int_equal(trace_add(m, text, 1 << 20, &err), FAIRLEAD_ELIMIT);
	assert_string_equal(trace_error(&err, line), "jobs:1:1: a line of more than 16384 bytes");
	fl_model_free(m);
	free(text);

	m = trace_trees(TREE(""));
	source = trace_source(&t, JOB("1", "10", "0", "8", "1"), 5);
	t.fails = true;
	err = (fairlead_error){ 0 };
	assert_int_equal(fl_trace_read(m, 0, "jobs", &source, &err), FAIRLEAD_EINPUT);
	assert_string_equal(err.text, "the file is cut off");
	assert_string_equal(err.file, "jobs");
	fl_model_free(m);
}

/* The rows are the same, however the bytes come. */
TEST(pieces_make_no_difference)
{
	static const size_t pieces[] = { 1, 2, 63, 4096, 1 << 16 };
	enum { JOBS = 3000 };
	char *text = malloc(JOBS * 80 + 1);
	size_t n = 0;

	for (int i = 0; i < JOBS; i++)
		n += (size_t)snprintf(text + n, 80,
				      "%d %d 0 %d %d -1 -1 -1 -1 -1 1 %d 1 -1 2 -1 -1 -1\n", i,
				      i / 2, i % 97, 1 + i % 3, i % 11);
	for (size_t i = 0; i < COUNT(pieces); i++) {
		struct fl_model *m = trace_trees(TREE(""));
		fairlead_error err;

		assert_int_equal(trace_add(m, text, pieces[i], &err), 0);
		assert_int_equal(m->n_workloads, JOBS);
		assert_int_equal(m->n_podsets, 3);
		for (uint32_t w = 0; w < JOBS; w++) {
			assert_int_equal(m->lives[w].runs, s(w % 97));
			assert_int_equal(m->workloads[w].place.line, w + 1);
		}
		fl_model_free(m);
	}
	free(text);
}

UNIT_GROUP("trace-swf")
