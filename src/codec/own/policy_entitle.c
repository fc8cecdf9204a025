/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Policy: what KAI's objects have no place for.  Modes of division and of turns
 * (.spec.entitlement), resource-hours of queues (.spec.budgets).
 */
#include "codec/object/fields.h"

/* --- entitlement --- */

static int read_division(struct fl_kube *k, uint32_t v, void *row)
{
	static const char *const names[] = { "Compatible", "Bounded", NULL };
	uint32_t i = 0;
	int r = fl_kube_enum(k, v, names, &i);

	(void)row;
	k->m->entitle.bounded_division = i == 1;
	return r;
}

static int read_turns(struct fl_kube *k, uint32_t v, void *row)
{
	(void)row;
	return fl_kube_bool(k, v, &k->m->entitle.turns);
}

static int read_keep_below_quota(struct fl_kube *k, uint32_t v, void *row)
{
	(void)row;
	return fl_kube_bool(k, v, &k->m->entitle.keep_below_quota);
}

static int read_protect_quota(struct fl_kube *k, uint32_t v, void *row)
{
	(void)row;
	return fl_kube_bool(k, v, &k->m->entitle.protect_quota);
}

const struct fl_field fl_fields_entitlement[] = {
	{ .name = "division", .read = read_division },
	{ .name = "turns", .read = read_turns },
	{ .name = "keepBelowQuota", .read = read_keep_below_quota },
	{ .name = "protectQuota", .read = read_protect_quota },
	{ .name = NULL },
};

/* --- budgets: the period --- */

struct period {
	bool every, start, cron;
};

static int read_every(struct fl_kube *k, uint32_t v, void *row)
{
	int r = fl_kube_duration(k, v, &k->m->entitle.period);

	((struct period *)row)->every = true;
	if (r == 0 && k->m->entitle.period == 0)
		return fl_kube_fail(k, v, FAIRLEAD_EINPUT, "a period of no length");
	return r;
}

/* A beginning that lies ahead is not when now is. */
static int read_start(struct fl_kube *k, uint32_t v, void *row)
{
	fl_time newest = k->m->newest;
	int r = fl_kube_time(k, v, &k->m->entitle.period_start);

	((struct period *)row)->start = true;
	k->m->newest = newest;
	return r;
}

static int read_cron(struct fl_kube *k, uint32_t v, void *row)
{
	((struct period *)row)->cron = true;
	return fl_kube_cron(k, v, &k->m->entitle.period_cron);
}

static const struct fl_field period[] = {
	{ .name = "every", .read = read_every },
	{ .name = "start", .read = read_start },
	{ .name = "cron", .read = read_cron },
	{ .name = NULL },
};

static int read_period(struct fl_kube *k, uint32_t v, void *row)
{
	struct period p = { 0 };
	int r = fl_kube_map(k, v, period, &p);

	(void)row;
	k->m->entitle.period_kind = p.cron ? FL_WINDOW_CRON : FL_WINDOW_TUMBLING;
	if (r == 0 && (p.cron ? p.every || p.start : !p.every || !p.start))
		return fl_kube_fail(k, v, FAIRLEAD_EINPUT,
				    "a period is either 'every' with 'start', or 'cron'");
	return r;
}

/* --- budgets: of each queue --- */

static int read_nothing(struct fl_kube *k, uint32_t v, void *row)
{
	(void)k, (void)v, (void)row;
	return 0;
}

static int read_gpu_hours(struct fl_kube *k, uint32_t v, void *row)
{
	return fl_kube_number(k, v, &((struct fl_budget_row *)row)->hours.of[FL_GPU]);
}

static int read_cpu_hours(struct fl_kube *k, uint32_t v, void *row)
{
	double *hours = &((struct fl_budget_row *)row)->hours.of[FL_CPU];
	int r = fl_kube_number(k, v, hours);

	*hours *= 1000;
	return r;
}

static int read_memory_hours(struct fl_kube *k, uint32_t v, void *row)
{
	fl_amount amount = 0;
	int r = fl_kube_quantity(k, v, "memory", &amount);

	((struct fl_budget_row *)row)->hours.of[FL_MEMORY] = (double)amount;
	return r;
}

static const struct fl_field budget[] = {
	{ .name = "name", .read = read_nothing, .text = FL_TEXT_CLUSTER_QUEUE },
	{ .name = "gpuHours", .read = read_gpu_hours },
	{ .name = "cpuHours", .read = read_cpu_hours },
	{ .name = "memoryHours", .read = read_memory_hours },
	{ .name = NULL },
};

static int read_queues(struct fl_kube *k, uint32_t v, void *unused)
{
	uint32_t end = 0, name = FL_NONE;
	int r = fl_kube_list(k, v, &end);

	(void)unused;
	for (uint32_t item = v + 1; r == 0 && item < end; item = fl_kube_next(k, item)) {
		struct fl_budget_row row = {
			.hours = { { FL_UNBOUNDED, FL_UNBOUNDED, FL_UNBOUNDED } },
			.place = fl_kube_place(k, item),
			.node = { FL_NONE },
		};

		r = fl_kube_need(k, item, "name", &name);
		if (r == 0)
			r = fl_kube_text(k, name, &row.queue_name);
		if (r == 0)
			r = fl_kube_map(k, item, budget, &row);
		if (r == 0)
			r = fl_model_add_budget(k->m, &row, k->err);
		if (r == FAIRLEAD_EINPUT && k->err && k->err->line == 0)
			r = fl_kube_blame(k, item);
	}
	return r;
}

static int read_overcommitment(struct fl_kube *k, uint32_t v, void *row)
{
	static const char *const names[] = { "Proportional", "FirstCome", NULL };
	uint32_t i = 0;
	int r = fl_kube_enum(k, v, names, &i);

	(void)row;
	k->m->entitle.overcommitment = (enum fl_overcommitment)i;
	return r;
}

static int read_after_budget(struct fl_kube *k, uint32_t v, void *row)
{
	static const char *const names[] = { "Spare", "Stop", NULL };
	uint32_t i = 0;
	int r = fl_kube_enum(k, v, names, &i);

	(void)row;
	k->m->entitle.after_budget = (enum fl_after_budget)i;
	return r;
}

const struct fl_field fl_fields_budgets[] = {
	{ .name = "period", .read = read_period, .fields = period },
	{ .name = "overcommitment", .read = read_overcommitment },
	{ .name = "afterBudget", .read = read_after_budget },
	{ .name = "queues", .read = read_queues, .fields = budget, .list = true },
	{ .name = NULL },
};

int fl_kube_budgets(struct fl_kube *k, uint32_t v, void *row)
{
	uint32_t unused;
	int r = fl_kube_need(k, v, "period", &unused);

	k->m->entitle.has_budgets = true;
	return r < 0 ? r : fl_kube_map(k, v, fl_fields_budgets, row);
}
