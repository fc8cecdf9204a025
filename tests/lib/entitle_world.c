/* SPDX-License-Identifier: Apache-2.0 */
#include "lib/entitle_world.h"

#include "lib/unit.h"

static void must(int r, const fairlead_error *err)
{
	if (r < 0)
		fail_msg("%s: %s", err->subject, err->text);
}

static struct fl_sym sym(struct fl_model *m, const char *text)
{
	struct fl_sym none = { FL_NONE }, ret;
	fairlead_error err;

	if (!text)
		return none;
	must(fl_model_sym(m, text, strlen(text), &ret, &err), &err);
	return ret;
}

static void add_queue(struct fl_model *m, const struct world_leaf *leaf, uint32_t at)
{
	struct fl_entitlement e = fl_entitlement_default;
	struct fl_node_row row = fl_cluster_queue_default;
	fairlead_error err;

	for (int r = 0; r < FL_BUNDLE; r++) {
		e.deserved.of[r] = r == FL_GPU ? leaf->deserved : FL_UNBOUNDED;
		e.limit.of[r] = r == FL_GPU ? leaf->limit : FL_UNBOUNDED;
		e.weight.of[r] = leaf->weight;
	}
	e.priority = leaf->priority ? leaf->priority : 100;
	e.created = (fl_time)at * FL_SECOND;
	if (leaf->reclaim_min_run)
		e.reclaim_min_run = leaf->reclaim_min_run * FL_SECOND;
	if (leaf->preempt_min_run)
		e.preempt_min_run = leaf->preempt_min_run * FL_SECOND;
	row.kind = FL_QUEUE;
	must(fl_model_push_entitlements(m, &e, &row.entitlement, &err), &err);
	row.name = sym(m, leaf->name);
	row.parent_name = sym(m, leaf->parent);
	must(fl_model_add_node(m, &row, &err), &err);
}

static void add_machine(struct fl_model *m, const struct world_machine *machine)
{
	struct fl_machine_row row = { .name = sym(m, machine->name) };
	fairlead_error err;

	row.allocatable = (struct fl_bundle){ { 1e6, 1e13, machine->gpus } };
	must(fl_model_add_machine(m, &row, &err), &err);
}

static void add_task(struct fl_model *m, const struct world_gang *g, int number)
{
	struct fl_task_row row = fl_task_default;
	bool runs = g->running && number < g->tasks - g->waiting;
	fairlead_error err;
	char name[64];

	snprintf(name, sizeof name, "%s-%d", g->name, number);
	row.namespace = sym(m, "ns");
	row.name = sym(m, name);
	row.gang_name = sym(m, g->name);
	row.machine_name = sym(m, runs ? g->running : NULL);
	row.request.of[FL_GPU] = g->gpus;
	row.phase = runs ? FL_TASK_ALLOCATED : FL_TASK_PENDING;
	row.created = 0;
	must(fl_model_add_task(m, &row, &err), &err);
}

static void add_gang(struct fl_model *m, const struct world_gang *g, uint32_t at)
{
	struct fl_workload_row row = fl_workload_default;
	struct fl_gang gang = fl_gang_default;
	fairlead_error err;

	gang.min_tasks = g->min_tasks ? g->min_tasks : g->tasks;
	gang.stated = g->firm ? FL_NON_PREEMPTIBLE : FL_PREEMPTIBLE;
	gang.started = g->running ? (WORLD_NOW - g->ran) * FL_SECOND : FL_TIME_NONE;
	must(fl_model_push_gangs(m, &gang, &row.gang, &err), &err);
	row.namespace = sym(m, "ns");
	row.name = sym(m, g->name);
	row.queue_name = sym(m, g->queue);
	row.has_priority = true;
	row.priority = g->priority;
	row.created = (fl_time)at * FL_SECOND;
	must(fl_model_add_workload(m, &row, &err), &err);
	for (int i = 0; i < g->tasks; i++)
		add_task(m, g, i);
}

static void add_budget(struct fl_model *m, const struct world_budget *budget)
{
	struct fl_budget_row row = {
		.queue_name = sym(m, budget->queue),
		.hours = { { FL_UNBOUNDED, FL_UNBOUNDED, budget->gpu_hours } },
		.node = { FL_NONE },
	};
	fairlead_error err;

	must(fl_model_add_budget(m, &row, &err), &err);
}

static void add_usage(struct fl_model *m, const struct world_usage *usage)
{
	struct fl_usage_row row = { .queue_name = sym(m, usage->queue), .node = { FL_NONE } };
	fairlead_error err;

	row.usage.of[FL_GPU] = usage->part;
	must(fl_model_add_usage(m, &row, &err), &err);
}

struct fl_model *entitle_world(const struct fl_mem *mem, const struct world_of *world)
{
	struct fl_model *m = NULL;
	fairlead_error err;

	must(fl_model_new(mem, &m, &err), &err);
	m->entitle = world->settings;
	for (uint32_t i = 0; i < world->n_machines; i++)
		add_machine(m, &world->machines[i]);
	for (uint32_t i = 0; i < world->n_queues; i++)
		add_queue(m, &world->queues[i], i);
	for (uint32_t i = 0; i < world->n_gangs; i++)
		add_gang(m, &world->gangs[i], i);
	for (uint32_t i = 0; i < world->n_budgets; i++)
		add_budget(m, &world->budgets[i]);
	for (uint32_t i = 0; i < world->n_usages; i++)
		add_usage(m, &world->usages[i]);
	must(fl_model_seal(m, &err), &err);
	return m;
}

static struct fl_policy *policy_of(const struct fl_mem *mem, const struct fl_model *m, bool moving)
{
	struct fl_policy_options options = { .mem = mem,
					     .now = WORLD_NOW * FL_SECOND,
					     .moving_usage = moving };
	struct fl_policy *p = NULL;
	fairlead_error err;

	must(fl_entitle_policy.new(m, &options, &p, &err), &err);
	return p;
}

struct fl_policy *entitle_world_policy(const struct fl_mem *mem, const struct fl_model *m)
{
	return policy_of(mem, m, /* moving= */ false);
}

struct fl_policy *entitle_world_moving(const struct fl_mem *mem, const struct fl_model *m)
{
	return policy_of(mem, m, /* moving= */ true);
}

struct fl_decisions entitle_world_step(struct fl_policy *p, int64_t later)
{
	struct fl_decisions decisions;
	fairlead_error err;

	must(fl_entitle_policy.step(p, (WORLD_NOW + later) * FL_SECOND, 0, NULL, &decisions, &err),
	     &err);
	return decisions;
}

void entitle_world_settle(struct fl_policy *p, const struct fl_decisions *decisions, int64_t later)
{
	fairlead_error err;

	for (uint32_t i = 0; i < decisions->n; i++) {
		struct fl_event event = { .kind = FL_EV_EVICTED,
					  .workload = decisions->rows[i].workload };

		/* One that was only promised a place, or is told twice, has nothing (more) to leave. */
		if (decisions->rows[i].kind == FL_EVICT &&
		    fl_entitle_policy.state(p, event.workload) == FL_STATE_EVICTING)
			must(fl_entitle_policy.apply(p, (WORLD_NOW + later) * FL_SECOND, &event,
						     &err),
			     &err);
	}
}

struct fl_workload entitle_world_find(const struct fl_model *m, const char *gang)
{
	struct fl_workload none = { FL_NONE };

	for (uint32_t w = 0; w < m->n_workloads; w++)
		if (strcmp(fl_model_text(m, m->workloads[w].name), gang) == 0)
			return (struct fl_workload){ w };
	return none;
}

int entitle_world_count(const struct fl_model *m, const struct fl_decisions *decisions,
			enum fl_decision_kind kind, const char *gang)
{
	uint32_t w = entitle_world_find(m, gang).v;
	int n = 0;

	for (uint32_t i = 0; i < decisions->n; i++)
		if (decisions->rows[i].kind == kind && decisions->rows[i].workload.v == w)
			n += decisions->rows[i].count;
	return n;
}

const char *entitle_world_text(const struct fl_model *m, const struct fl_decisions *decisions,
			       char *buffer, size_t size)
{
	static const char signs[] = { [FL_ADMIT] = '+', [FL_RESERVE] = '>', [FL_EVICT] = '-' };
	size_t n = 0;

	buffer[0] = '\0';
	for (uint32_t i = 0; i < decisions->n && n < size; i++) {
		const struct fl_decision *d = &decisions->rows[i];

		if (d->kind == FL_WAIT)
			continue;
		n += (size_t)snprintf(buffer + n, size - n, "%s%c%s*%d", n ? " " : "",
				      signs[d->kind],
				      fl_model_text(m, m->workloads[d->workload.v].name), d->count);
	}
	return buffer;
}
