/* SPDX-License-Identifier: Apache-2.0 */
#include "prove/entitle_config.h"

#include <stdlib.h>
#include <string.h>

#include "lib/entitle_world.h"

static const char *const names[][6] = {
	{ "q0", "q1", "q2", "q3", "q4", "q5" },
	{ "m0", "m1", "m2", "m3", "m4", "m5" },
	{ "w0", "w1", "w2", "w3", "w4", "w5" },
};

const char *const entitle_setting_names[ENTITLE_SETTINGS] = {
	"bounded",          "turns",         "keepBelowQuota", "protectQuota",
	"no-consolidation", "no-preemption", "no-reclaim",     "multiplier-2",
};

static int priority_of(const struct entitle_gang *g) { return 50 + 10 * g->priority; }

void entitle_config_set(struct fl_model *m, uint8_t settings)
{
	struct fl_entitle_settings *e = &m->entitle;

	e->bounded_division |= (settings & ENTITLE_BOUNDED) != 0;
	e->turns |= (settings & ENTITLE_TURNS) != 0;
	e->keep_below_quota |= (settings & ENTITLE_KEEP_BELOW) != 0;
	e->protect_quota |= (settings & ENTITLE_PROTECT) != 0;
	e->actions[FL_ACTION_CONSOLIDATION] &= !(settings & ENTITLE_NO_CONSOLIDATION);
	e->actions[FL_ACTION_PREEMPT] &= !(settings & ENTITLE_NO_PREEMPTION);
	e->actions[FL_ACTION_RECLAIM] &= !(settings & ENTITLE_NO_RECLAIM);
	if (settings & ENTITLE_MULTIPLIER)
		e->multiplier = 2;
}

struct fl_model *entitle_config_model(const struct entitle_config *c, const struct fl_mem *mem)
{
	struct world_machine machines[ENTITLE_MACHINES];
	struct world_leaf queues[ENTITLE_QUEUES];
	struct world_gang gangs[ENTITLE_GANGS];
	struct world_usage usages[ENTITLE_QUEUES];
	struct world_of world = {
		.machines = machines,
		.queues = queues,
		.gangs = gangs,
		.usages = usages,
		.n_machines = c->n_machines,
		.n_queues = c->n_queues,
		.n_gangs = c->n_gangs,
		.n_usages = c->k ? c->n_queues : 0,
		.settings = fl_entitle_settings_default,
	};
	struct fl_model *m;

	for (unsigned i = 0; i < c->n_machines; i++)
		machines[i] = (struct world_machine){ names[1][i], c->machines[i] };
	for (unsigned i = 0; i < c->n_queues; i++) {
		const struct entitle_queue *q = &c->queues[i];

		queues[i] = (struct world_leaf){ LEAF(names[0][i],
						      q->parent < 0 ? NULL : names[0][q->parent],
						      q->deserved, q->limit, q->weight),
						 .priority = 100 + q->priority };
		usages[i] = (struct world_usage){ names[0][i], q->used / 4.0 };
	}
	for (unsigned i = 0; i < c->n_gangs; i++) {
		const struct entitle_gang *g = &c->gangs[i];

		gangs[i] = (struct world_gang){ WAITS(names[2][i], names[0][g->queue],
						      priority_of(g), g->pods, g->least, g->gpus) };
	}
	world.settings.k = c->k;
	world.settings.usage_on = c->k > 0;
	m = entitle_world(mem, &world);
	entitle_config_set(m, c->settings);
	return m;
}

/* --- as objects --- */

static void print_head(const char *version, const char *kind, FILE *to)
{
	(void)fprintf(to, "---\napiVersion: %s\nkind: %s\n", version, kind);
}

static void print_classes(const struct entitle_config *c, FILE *to)
{
	bool seen[256] = { false };

	for (unsigned i = 0; i < c->n_gangs; i++) {
		int priority = priority_of(&c->gangs[i]);

		if (seen[priority])
			continue;
		seen[priority] = true;
		print_head("scheduling.k8s.io/v1", "PriorityClass", to);
		(void)fprintf(to, "metadata: {name: p%d}\nvalue: %d\n", priority, priority);
	}
}

/* Those of @all that are on, from bit @first to before bit @end. */
static void print_some(const struct entitle_config *c, const char *const *all, unsigned first,
		       unsigned end, FILE *to)
{
	const char *between = "";

	for (unsigned i = first; i < end; i++)
		if (c->settings >> i & 1) {
			(void)fprintf(to, "%s%s", between, all[i]);
			between = ", ";
		}
}

/* The first four are the Policy's, then come the shard's actions, and an argument of a plugin. */
static void print_settings(const struct entitle_config *c, FILE *to)
{
	static const char *const texts[ENTITLE_SETTINGS] = {
		"division: Bounded",
		"turns: true",
		"keepBelowQuota: true",
		"protectQuota: true",
		"consolidation: {enabled: false}",
		"preempt: {enabled: false}",
		"reclaim: {enabled: false}",
		"relcaimerSaturationMultiplier: '2'",
	};

	if (c->k || c->settings >> 4) {
		print_head("kai.scheduler/v1", "SchedulingShard", to);
		(void)fprintf(to, "metadata: {name: shard}\nspec:\n  kValue: %d\n  actions: {",
			      c->k);
		print_some(c, texts, 4, 7, to);
		(void)fputs("}\n  plugins: {proportion: {arguments: {", to);
		print_some(c, texts, 7, 8, to);
		(void)fputs("}}}\n", to);
	}
	if (!(c->settings & (ENTITLE_NO_CONSOLIDATION - 1)))
		return;
	print_head("fairlead.dev/v1alpha1", "Policy", to);
	(void)fputs("metadata: {name: policy}\nspec: {entitlement: {", to);
	print_some(c, texts, 0, 4, to);
	(void)fputs("}}\n", to);
}

static void print_queue(const struct entitle_config *c, unsigned i, FILE *to)
{
	static const char free[] = "{quota: -1, limit: -1, overQuotaWeight: 1}";
	const struct entitle_queue *q = &c->queues[i];

	print_head("scheduling.run.ai/v2", "Queue", to);
	(void)fprintf(to,
		      "metadata: {name: q%u, creationTimestamp: '2026-01-01T00:00:%02uZ'}\nspec: {",
		      i, i);
	if (q->parent >= 0)
		(void)fprintf(to, "parentQueue: q%d, ", q->parent);
	(void)fprintf(
		to,
		"priority: %d, resources: {\n  gpu: {quota: %d, limit: %d, overQuotaWeight: %d},"
		"\n  cpu: %s,\n  memory: %s}}\n",
		100 + q->priority, q->deserved, q->limit, q->weight, free, free);
}

static void print_gang(const struct entitle_config *c, unsigned i, FILE *to)
{
	const struct entitle_gang *g = &c->gangs[i];

	print_head("scheduling.run.ai/v2alpha2", "PodGroup", to);
	(void)fprintf(
		to,
		"metadata: {name: w%u, namespace: ns, creationTimestamp: '2026-01-01T00:00:%02uZ'}\n"
		"spec: {queue: q%d, minMember: %d, priorityClassName: p%d, preemptibility: "
		"preemptible}\n",
		i, i, g->queue, g->least, priority_of(g));
	for (unsigned pod = 0; pod < g->pods; pod++) {
		print_head("v1", "Pod", to);
		(void)fprintf(
			to,
			"metadata: {name: w%u-%u, namespace: ns, annotations: {pod-group-name: w%u}}\n"
			"spec: {schedulerName: kai-scheduler, containers: [{name: c, resources: "
			"{limits: {nvidia.com/gpu: %d}}}]}\n"
			"status: {phase: Pending}\n",
			i, pod, i, g->gpus);
	}
}

void entitle_config_print(const struct entitle_config *c, FILE *to)
{
	print_classes(c, to);
	print_settings(c, to);
	for (unsigned i = 0; i < c->n_queues; i++)
		print_queue(c, i, to);
	for (unsigned i = 0; i < c->n_machines; i++) {
		print_head("v1", "Node", to);
		(void)fprintf(
			to,
			"metadata: {name: m%u}\nstatus: {allocatable: {cpu: 64, memory: 64Gi, "
			"nvidia.com/gpu: %d}, conditions: [{type: Ready, status: 'True'}]}\n",
			i, c->machines[i]);
	}
	for (unsigned i = 0; i < c->n_gangs; i++)
		print_gang(c, i, to);
	if (!c->k)
		return;
	print_head("fairlead.dev/v1alpha1", "UsageHistory", to);
	(void)fputs("metadata: {name: history}\nspec: {usage: {", to);
	for (unsigned i = 0; i < c->n_queues; i++)
		(void)fprintf(to, "%sq%u: {gpu: %g}", i ? ", " : "", i, c->queues[i].used / 4.0);
	(void)fputs("}}\n", to);
}

/* --- smaller ones --- */

static void drop_gang(struct entitle_config *c, unsigned at)
{
	c->n_gangs--;
	memmove(&c->gangs[at], &c->gangs[at + 1], (c->n_gangs - at) * sizeof *c->gangs);
}

/* Only one that nobody is in. */
static bool drop_queue(struct entitle_config *c, unsigned at)
{
	for (unsigned i = 0; i < c->n_gangs; i++)
		if (c->gangs[i].queue == at)
			return false;
	for (unsigned i = 0; i < c->n_queues; i++)
		if (c->queues[i].parent == (int)at)
			return false;
	for (unsigned i = 0; i < c->n_gangs; i++)
		c->gangs[i].queue = (uint8_t)(c->gangs[i].queue - (c->gangs[i].queue > at));
	c->n_queues--;
	memmove(&c->queues[at], &c->queues[at + 1], (c->n_queues - at) * sizeof *c->queues);
	for (unsigned i = 0; i < c->n_queues; i++)
		c->queues[i].parent =
			(int8_t)(c->queues[i].parent - (c->queues[i].parent > (int)at));
	return true;
}

static bool make_plainer(uint8_t *value, uint8_t plain)
{
	bool was = *value != plain;

	*value = plain;
	return was;
}

static bool lower(uint8_t *value, uint8_t least)
{
	if (*value <= least)
		return false;
	--*value;
	return true;
}

enum { QUEUE_STEPS = 7, GANG_STEPS = 4 };

static bool smaller_queue(struct entitle_queue *q, unsigned step)
{
	uint8_t *deserved = (uint8_t *)&q->deserved, *limit = (uint8_t *)&q->limit;

	switch (step) {
	case 0:
		return make_plainer(&q->weight, 1);
	case 1:
		return make_plainer(&q->priority, 0);
	case 2:
		return make_plainer(&q->used, 0);
	case 3:
		return make_plainer(limit, UINT8_MAX);
	case 4:
		return q->deserved > 0 && lower(deserved, 0);
	case 5:
		return q->deserved > 1 && make_plainer(deserved, 0);
	case 6:
		return q->parent >= 0 && (q->parent = -1, true);
	}
	return false;
}

static bool smaller_gang(struct entitle_gang *g, unsigned step)
{
	switch (step) {
	case 0:
		g->least = (uint8_t)(g->least - (g->least == g->pods));
		return lower(&g->pods, 1) && (g->least = g->least ? g->least : 1, true);
	case 1:
		return g->least != g->pods && (g->least = g->pods, true);
	case 2:
		return lower(&g->gpus, 1);
	case 3:
		return lower(&g->priority, 0);
	}
	return false;
}

int entitle_config_smaller(const struct entitle_config *c, unsigned n, struct entitle_config *ret)
{
	*ret = *c;
	if (n < c->n_gangs)
		return drop_gang(ret, n), 1;
	n -= c->n_gangs;
	if (n < c->n_queues)
		return drop_queue(ret, n);
	n -= c->n_queues;
	if (n < c->n_machines)
		return lower(&ret->machines[n], 1);
	n -= c->n_machines;
	if (n < ENTITLE_SETTINGS)
		return c->settings >> n & 1 && (ret->settings ^= (uint8_t)(1U << n), true);
	n -= ENTITLE_SETTINGS;
	if (n < c->n_queues * QUEUE_STEPS)
		return smaller_queue(&ret->queues[n / QUEUE_STEPS], n % QUEUE_STEPS);
	n -= c->n_queues * QUEUE_STEPS;
	if (n < c->n_gangs * GANG_STEPS)
		return smaller_gang(&ret->gangs[n / GANG_STEPS], n % GANG_STEPS);
	n -= c->n_gangs * GANG_STEPS;
	if (n == 0)
		return c->n_machines > 1 && (ret->n_machines--, true);
	return n == 1 ? make_plainer(&ret->k, 0) : -1;
}
