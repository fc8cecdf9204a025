/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Documents of ours as wholes: each field comes to the member that it is about, and refuses a
 * value of another type; and tables that say something else are found out.
 */
#include "codec/object/known.h"
#include "codec/object/types.h"
#include "load.h"

#define HEAD(kind) "apiVersion: fairlead.dev/v1alpha1\nkind: " kind "\nmetadata: {name: d}\nspec:\n"

enum { SIZE = 8192 };

/* A value stands in ( ), which are not part of it, so that each can be replaced. */
static const char policy[] = HEAD(
	"Policy") " admissionFairSharing: ({usage: (Exact)})\n"
		  " headsPerCycle: (all)\n"
		  " preemptionGuarantee: (settles)\n"
		  " evictionTimeout: (5m)\n"
		  " defaults: ({minimumRunTime: (7s),"
		  " preemptionDelay: ({InClusterQueue: (1s), InCohortReclamation: (2s),"
		  " InCohortFairSharing: (3s), InCohortReclaimWhileBorrowing: (4s)}),"
		  " reclaimBackOff: ({base: (5s), max: (6s)}), overrulingPriority: (100),"
		  " holdFreedQuota: (true)})\n"
		  " cohorts: ([({name: (c), minimumRunTime: (8s)})])\n"
		  " clusterQueues: ([({name: (q), holdFreedQuota: (false)})])\n"
		  " entitlement: ({division: (Bounded), turns: (true), keepBelowQuota: (false),"
		  " protectQuota: (true)})\n"
		  " budgets: ({period: ({every: (24h), start: (\"1970-01-01T00:00:09Z\")}),"
		  " overcommitment: (FirstCome), afterBudget: (Stop), queues: ([({name: (q),"
		  " gpuHours: (1.5), cpuHours: (2), memoryHours: (3Ki)})])})\n";

static const char history[] =
	HEAD("UsageHistory") " samples: ([({from: (\"1970-01-01T00:00:01Z\"),"
			     " to: (\"1970-01-01T00:00:02Z\"),"
			     " capacity: ({gpu: (8), cpu: (\"4\"), memory: (1Ki)}),"
			     " queues: ({q: ({gpu: (2), cpu: (1), memory: (5)})})})])\n"
			     " usage: ({q: ({gpu: (0.5), cpu: (0.25), memory: (1)})})\n";

static const char moves[] = HEAD("Moves") " moves: ([({serve: (a/b)}), ({letGo: (c/d)}),"
					  " ({cycle: (true)}), ({wait: (true)})])\n"
					  " repeat: (3)\n";

static const char simulation[] = HEAD(
	"Simulation") " seed: (5)\n start: (\"1970-01-01T00:00:07Z\")\n until: (5d)\n"
		      " trees: ([(a.yaml)])\n"
		      " sources: ([({swf: (a.swf), from: (1s), for: (2s), load: (1.5), runtime: (2),"
		      " cancelled: (true), queues: ([({users: ([(1), (x)]), groups: ([(g)]),"
		      " queues: ([(h), (i), (j)]), partitions: ([(k)]), to: (l), priority: (6)}),"
		      " ({users: ([(a)]), leaveOut: (true)})])}),"
		      " ({openb: ({pods: (p), nodes: (n)}), queues: ([({to: (q)})])}),"
		      " ({generator: (g.yaml)}), ({objects: (o.yaml)})])\n"
		      " queueTemplates: ([({match: (v), localQueue: ({clusterQueue: (q)})})])\n"
		      " classes: ([({name: (a), to: (t), count: (5), every: ({exponential: (3s)}),"
		      " runs: ({lognormal: ({median: (4s), p84: (8s)}), least: (1s), most: (9s)}),"
		      " pods: ({uniform: ([(1), (4)])}), minPods: (2), requests: ({cpu: (1)}),"
		      " priority: (3), begins: (11s), ends: (12s), hours: ({from: (\"01:00\"),"
		      " to: (\"03:00\"), zone: (\"+01:00\"), weekends: (true)})}),"
		      " ({name: (b), to: (t), count: (1), runs: ({pareto: ({least: (5s),"
		      " exponent: (1.5)})}), requests: ({cpu: (1)})}),"
		      " ({name: (c), to: (t), count: (1), runs: ({weibull: ({scale: (6s),"
		      " shape: (2.5)})}), requests: ({cpu: (1)})})])\n"
		      " cycles: ({interval: (1s), period: (2s)})\n"
		      " eviction: ({grace: (3s), checkpoint: (4s), restart: (5s),"
		      " backOff: ({base: (6s), max: (7s)})})\n"
		      " changes: ([({at: (1s), clusterQueue: (q), flavor: (f), resource: (cpu),"
		      " nominalQuota: (5), borrowingLimit: (6), lendingLimit: (7), weight: (2)}),"
		      " ({at: (2s), queue: (r), resource: (cpu), deserved: (1), limit: (2),"
		      " overQuotaWeight: (3), priority: (4)}),"
		      " ({at: (3s), machine: (m), resource: (cpu), allocatable: (5), kills: (false)}),"
		      " ({at: (3s), cohort: (c), weight: (5)})])\n"
		      " failures: ([({machine: (m), every: (1s), lasts: (2s)}), ({cohort: (c),"
		      " flavor: (f), resource: (cpu), amount: (3), every: (3s), lasts: (4s)})])\n"
		      " report: ({top: (5)})\n";

/* @marked without its marks; of the value numbered @n, from 0 on, another. Whether there is one. */
static bool rewrite(const char *marked, int n, const char *other, char text[SIZE])
{
	size_t used = 0;
	int depth = 0, inside = 0;

	for (int at = 0; *marked; marked++) {
		bool opens = *marked == '(', closes = *marked == ')';

		depth += opens;
		if (opens && at++ == n) {
			inside = depth;
			used += (size_t)snprintf(text + used, SIZE - used, "%s", other);
		}
		if (!inside && !opens && !closes)
			text[used++] = *marked;
		if (closes && depth-- == inside)
			inside = 0;
		assert_true(used + 8 < SIZE);
		if (!marked[1])
			n = n < at ? -1 : n;
	}
	text[used] = '\0';
	return n < 0;
}

static struct fl_model *read_marked(const char *marked)
{
	struct fl_model *m = NULL;
	fairlead_error err = { 0 };
	char text[SIZE];

	assert_true(rewrite(marked, -1, "", text));
	assert_int_equal(fl_model_new(&fl_mem_heap, &m, &err), 0);
	if (fl_kube_read(m, "d.yaml", text, strlen(text), &err) != 0)
		fail_msg("%u:%u: %s: %s", err.line, err.column, err.subject, err.text);
	return m;
}

static bool is(const struct fl_model *m, struct fl_sym sym, const char *text)
{
	return strcmp(fl_model_text(m, sym), text) == 0;
}

#define S FL_SECOND

TEST(a_policy)
{
	struct fl_model *m = read_marked(policy);
	const struct fl_settings *s = &m->settings;
	const struct fl_entitle_settings *e = &m->entitle;
	const struct fl_protection *p = &m->protections[0].says;
	const struct fl_budget_row *b = &m->budgets[0];

	assert_true(s->exact_usage && s->many_heads && s->settles);
	assert_true(s->eviction_timeout == 300 * S);
	assert_int_equal(m->n_protections, 3);
	for (unsigned c = 0; c < FL_CAUSES; c++)
		assert_true(p->minimum_run[c] == 7 * S);
	assert_true(p->delay[FL_CAUSE_WITHIN_QUEUE] == 1 * S);
	assert_true(p->delay[FL_CAUSE_RECLAIM] == 2 * S);
	assert_true(p->delay[FL_CAUSE_FAIR_SHARING] == 3 * S);
	assert_true(p->delay[FL_CAUSE_RECLAIM_BORROWING] == 4 * S);
	assert_true(p->back_off_base == 5 * S && p->back_off_max == 6 * S);
	assert_true(p->has_overruling_priority && p->overruling_priority == 100);
	assert_true(p->hold_freed_quota == FL_SWITCH_ON);
	assert_true(m->protections[1].scope == FL_PROTECT_COHORT);
	assert_true(m->protections[1].says.minimum_run[0] == 8 * S);
	assert_true(is(m, m->protections[1].name, "c") && is(m, m->protections[2].name, "q"));
	assert_true(m->protections[2].says.hold_freed_quota == FL_SWITCH_OFF);
	assert_true(e->bounded_division && e->turns && !e->keep_below_quota && e->protect_quota);
	assert_true(e->has_budgets && e->period == 24 * 3600 * S && e->period_start == 9 * S);
	assert_true(e->period_kind == FL_WINDOW_TUMBLING);
	assert_true(e->overcommitment == 1 && e->after_budget == 1);
	assert_true(is(m, b->queue_name, "q") && b->hours.of[FL_GPU] == 1.5);
	assert_true(b->hours.of[FL_CPU] == 2000 && b->hours.of[FL_MEMORY] == 3072);
	fl_model_free(m);
}

TEST(a_history)
{
	struct fl_model *m = read_marked(history);
	const struct fl_sample_row *s = m->samples;

	assert_int_equal(m->n_samples, 2);
	assert_true(s[0].from == 1 * S && s[0].to == 2 * S && s[0].queue_name.v == FL_NONE);
	assert_true(s[0].amount.of[FL_GPU] == 8 && s[0].amount.of[FL_CPU] == 4000);
	assert_true(s[0].amount.of[FL_MEMORY] == 1024 && is(m, s[1].queue_name, "q"));
	assert_true(s[1].amount.of[FL_GPU] == 2 && s[1].amount.of[FL_CPU] == 1000);
	assert_true(s[1].amount.of[FL_MEMORY] == 5);
	assert_true(m->usages[0].usage.of[FL_GPU] == 0.5 && m->usages[0].usage.of[FL_CPU] == 0.25);
	assert_true(m->usages[0].usage.of[FL_MEMORY] == 1);
	fl_model_free(m);
}

TEST(some_moves)
{
	struct fl_model *m = read_marked(moves);
	const struct fl_move_row *row = m->moves;

	assert_int_equal(m->n_moves, 4);
	assert_true(m->settings.moves_repeat == 3);
	assert_true(row[0].kind == FL_MOVE_SERVE && row[1].kind == FL_MOVE_LET_GO);
	assert_true(row[2].kind == FL_MOVE_CYCLE && row[3].kind == FL_MOVE_WAIT);
	assert_true(is(m, row[0].namespace, "a") && is(m, row[0].name, "b"));
	assert_true(is(m, row[1].namespace, "c") && is(m, row[1].name, "d"));
	fl_model_free(m);
}

/* Its settings are as in the document above. */
static bool as_written(const struct fl_simulation_settings *s)
{
	return s->seed == 5 && s->start == 7 * S && s->until == 5 * 24 * 3600 * S &&
	       s->cycle_interval == 1 * S && s->period == 2 * S && s->grace == 3 * S &&
	       s->checkpoint == 4 * S && s->restart == 5 * S && s->back_off_base == 6 * S &&
	       s->back_off_max == 7 * S && s->top == 5;
}

static void check_sources(const struct fl_model *m)
{
	const struct fl_trace_row *t = m->traces;
	const struct fl_trace_rule *r = m->trace_rules;

	assert_int_equal(m->n_traces, 4);
	assert_true(t[0].kind == FL_TRACE_SWF && is(m, t[0].file, "a.swf"));
	assert_true(t[0].from == 1 * S && t[0].length == 2 * S && t[0].load == 1.5);
	assert_true(t[0].runtime == 2 && t[0].cancelled && t[0].rules.n == 2);
	assert_true(r[0].users.n == 2 && r[0].groups.n == 1 && r[0].queues.n == 3);
	assert_true(is(m, m->syms[r[0].users.first], "1"));
	assert_true(is(m, m->syms[r[0].groups.first], "g"));
	assert_true(is(m, m->syms[r[0].queues.first], "h"));
	assert_true(is(m, m->syms[r[0].partitions.first], "k"));
	assert_true(is(m, r[0].to, "l") && r[0].has_priority && r[0].priority == 6);
	assert_true(r[1].to.v == FL_NONE && !r[1].has_priority);
	assert_true(t[1].kind == FL_TRACE_OPENB && is(m, t[1].file, "p"));
	assert_true(is(m, t[1].nodes_file, "n"));
	assert_true(t[2].kind == FL_TRACE_GENERATOR && t[3].kind == FL_TRACE_OBJECTS);
}

static void check_classes(const struct fl_model *m)
{
	const struct fl_class_row *c = m->classes;

	assert_int_equal(m->n_classes, 3);
	assert_true(is(m, c->name, "a") && is(m, c->to, "t") && c->count == 5);
	assert_true(c->between.kind == FL_EXPONENTIAL && c->between.a == 3);
	assert_true(c->runs.kind == FL_LOGNORMAL && c->runs.a == 4 && c->runs.b == 2);
	assert_true(c->runs.least == 1 && c->runs.most == 9);
	assert_true(c->pods.kind == FL_UNIFORM && c->pods.a == 1 && c->pods.b == 4);
	assert_true(c->min_pods == 2 && c->has_priority && c->priority == 3);
	assert_true(c->begins == 11 * S && c->ends == 12 * S && c->day_begins == 3600 * S);
	assert_true(c->day_length == 7200 * S && c->zone == 3600 * S && c->weekends);
	assert_true(c[1].runs.kind == FL_PARETO && c[1].runs.a == 5 && c[1].runs.b == 1.5);
	assert_true(c[2].runs.kind == FL_WEIBULL && c[2].runs.a == 6 && c[2].runs.b == 2.5);
	assert_true(!c[1].has_priority && c[1].pods.a == 1);
}

static void check_events(const struct fl_model *m)
{
	const struct fl_change_row *c = m->changes;
	const struct fl_failure_row *f = m->failures;

	assert_int_equal(m->n_changes, 10);
	assert_true(c[0].at == 1 * S && c[0].cell == FL_CELL_NOMINAL && c[0].amount == 5000);
	assert_true(is(m, c[0].node_name, "q") && is(m, c[0].flavor_name, "f"));
	assert_true(c[1].amount == 6000 && c[2].amount == 7000 && c[3].value == 2);
	assert_true(c[4].node_kind == FL_QUEUE && is(m, c[4].node_name, "r"));
	assert_true(c[4].value == 1000 && c[5].value == 2000 && c[6].value == 3 && c[7].value == 4);
	assert_true(is(m, c[8].machine_name, "m") && c[8].value == 5000 && !c[8].kills);
	assert_true(c[9].node_kind == FL_COHORT && c[9].value == 5);
	assert_true(is(m, f[0].machine_name, "m") && f[0].every == 1 * S && f[0].lasts == 2 * S);
	assert_true(f[1].node_kind == FL_COHORT && is(m, f[1].node_name, "c"));
	assert_true(f[1].amount == 3000 && f[1].every == 3 * S && f[1].lasts == 4 * S);
}

TEST(a_simulation)
{
	struct fl_model *m = read_marked(simulation);

	assert_true(as_written(&m->simulation));
	assert_true(m->n_trees == 1 && is(m, m->trees[0].file, "a.yaml"));
	assert_true(m->n_templates == 1 && m->templates[0].local);
	check_sources(m);
	check_classes(m);
	check_events(m);
	fl_model_free(m);
}

/* A list of an empty list is of no field's type. */
TEST(other_types)
{
	static const char *const documents[] = { policy, history, moves, simulation };
	int n = 0;

	for (size_t d = 0; d < COUNT(documents); d++) {
		char text[SIZE];

		for (int value = 0; rewrite(documents[d], value, "[[]]", text); value++, n++) {
			struct fl_model *m = NULL;
			fairlead_error err = { 0 };

			assert_int_equal(fl_model_new(&fl_mem_heap, &m, &err), 0);
			CHECK(fl_kube_read(m, "d.yaml", text, strlen(text), &err) ==
					      FAIRLEAD_EINPUT &&
				      err.line > 0,
			      text);
			fl_model_free(m);
		}
	}
	assert_true(n > 150);
}

TEST(versions)
{
	static const struct {
		const char *kind, *versions;
	} rows[] = {
		{ "ResourceFlavor", "v1beta1 v1beta2" },
		{ "ClusterQueue", "v1beta1 v1beta2" },
		{ "Cohort", "v1beta1 v1beta2" },
		{ "LocalQueue", "v1beta1 v1beta2" },
		{ "Workload", "v1beta1 v1beta2" },
		{ "WorkloadPriorityClass", "v1beta1 v1beta2" },
		{ "PriorityClass", "v1" },
		{ "Namespace", "v1" },
		{ "Configuration", "v1beta1 v1beta2" },
		{ "ConfigMap", "v1" },
		{ "LimitRange", "v1" },
		{ "RuntimeClass", "v1" },
		{ "Policy", "v1alpha1" },
		{ "Queue", "v2" },
		{ "PodGroup", "v2alpha2" },
		{ "Pod", "v1" },
		{ "Node", "v1" },
		{ "BindRequest", "v1alpha2" },
		{ "SchedulingShard", "v1" },
		{ "UsageHistory", "v1alpha1" },
		{ "Simulation", "v1alpha1" },
		{ "Moves", "v1alpha1" },
		{ "Daemon", "v1alpha1" },
	};

	for (uint32_t k = 0; k < COUNT(rows); k++) {
		CHECK(strcmp(fl_kube_kind(k), rows[k].kind) == 0, rows[k].kind);
		CHECK(strcmp(fl_kube_kind_row(k)->versions, rows[k].versions) == 0, rows[k].kind);
	}
	assert_null(fl_kube_kind(COUNT(rows)));
}

/* --- tables that say something else --- */

/* Copies of the tables on the way to one row of the Simulation's, which can be changed. */
struct copy {
	struct fl_field fields[8], spec[32], part[8];
	struct fl_simulation_settings row;
	int code;
};

static struct fl_field *row_of(struct fl_field *fields, const char *name)
{
	while (strcmp(fields->name, name) != 0)
		fields++;
	return fields;
}

static void copy_table(struct fl_field *to, size_t room, const struct fl_field *from)
{
	size_t n = 0;

	do {
		assert_true(n < room);
		to[n] = from[n];
	} while (from[n++].name);
}

static void copy_tables(struct copy *c, const char *part)
{
	*c = (struct copy){ .row = fl_simulation_default };
	copy_table(c->fields, COUNT(c->fields), fl_kind_simulation.fields);
	copy_table(c->spec, COUNT(c->spec), row_of(c->fields, "spec")->fields);
	copy_table(c->part, COUNT(c->part), row_of(c->spec, part)->fields);
	row_of(c->fields, "spec")->fields = c->spec;
	row_of(c->spec, part)->fields = c->part;
}

static int read_by_copy(void *user, struct fl_kube *k, const struct fl_kind *kind)
{
	struct copy *c = user;

	(void)kind;
	c->code = fl_kube_map(k, 0, c->fields, &c->row);
	return 1;
}

static bool reads_as_written(struct copy *c)
{
	struct fl_model *m = NULL;
	fairlead_error err = { 0 };
	struct fl_reader *r = NULL;
	const struct fl_kube_tap tap = { .object = read_by_copy, .user = c };
	struct fl_doc doc;
	struct fl_token t;
	char text[SIZE];

	assert_true(rewrite(simulation, -1, "", text));
	assert_int_equal(fl_model_new(&fl_mem_heap, &m, &err), 0);
	assert_int_equal(fl_model_push_inputs(m, &(struct fl_sym){ 0 }, NULL, &err), 0);
	fl_doc_init(&doc, m->mem);
	assert_int_equal(fl_reader_new(m->mem, text, strlen(text), &r, &err), 0);
	assert_int_equal(fl_reader_next(r, &t, &err), 0);
	assert_int_equal(fl_reader_next(r, &t, &err), 0);
	assert_int_equal(fl_doc_read(&doc, r, &t, &err), 0);
	(void)fl_kube_read_again(m, 0, &doc, &tap, &err);
	fl_reader_free(r);
	fl_doc_done(&doc);
	fl_model_free(m);
	return c->code == 0 && as_written(&c->row);
}

TEST(planted)
{
	struct copy c;
	uint32_t offset;

	copy_tables(&c, "cycles");
	assert_true(reads_as_written(&c));
	copy_tables(&c, "cycles");
	offset = c.part[0].offset; /* planted: two offsets are swapped */
	c.part[0].offset = c.part[1].offset;
	c.part[1].offset = offset;
	assert_false(reads_as_written(&c));
	copy_tables(&c, "report");
	c.part[0].most = 4; /* planted: a bound */
	assert_false(reads_as_written(&c));
	copy_tables(&c, "cycles");
	c.part[0].type = c.part[1].type = &fl_type_time; /* planted: a type */
	assert_false(reads_as_written(&c));
}

UNIT_GROUP("own")
