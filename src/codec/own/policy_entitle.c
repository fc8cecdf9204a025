/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Policy: settings for which KAI's objects have no field.  Modes of division and of turns
 * (.spec.entitlement), resource-hours of queues (.spec.budgets).
 */
#include "codec/own/policy.h"

#define SETTING(field, type, member) FL_IS(field, type, struct fl_entitle_settings, member)

/* --- entitlement --- */

const struct fl_field fl_fields_entitlement[] = {
	{ FL_IS_EITHER("division", struct fl_entitle_settings, bounded_division, "Compatible",
		       "Bounded"),
	  .doc = "How capacity is divided: as KAI does, or so that shares sum up to at most the capacity, no capacity is idle while a queue asks for it, and no queue gets more than it can use." },
	{ FL_IS_EITHER("usageWithinShare", struct fl_entitle_settings, free_within_share, "Counted",
		       "Free"),
	  .doc = "Usage up to the part of a queue's weight: it counts as in KAI, or only what a queue used above that part counts." },
	{ SETTING("documentedMultiplier", flag, by_documents),
	  .doc = "reclaimerUtilizationMultiplier of the SchedulingShard counts, also for a reclaimer within its fair share; a value below 1 is refused. By default it has no effect, as in KAI." },
	{ SETTING("turns", flag, turns),
	  .doc = "For workloads larger than a fair share: the queue with the lowest relative usage is next." },
	{ SETTING("keepBelowQuota", flag, keep_below_quota),
	  .doc = "A queue that is below its quota before it reclaims is not above it afterwards." },
	{ SETTING("protectQuota", flag, protect_quota),
	  .doc = "A reclaim leaves each queue at least its deserved quota." },
	{ .name = NULL },
};

/* --- budgets: the period --- */

struct period {
	fl_time length, start;
	struct fl_sym schedule;
	bool every, starts, cron; /* which fields are given */
};

static int read_every(struct fl_kube *k, uint32_t v, const struct fl_field *f, void *to)
{
	int r = fl_kube_duration(k, v, to);

	(void)f;
	if (r == 0 && *(fl_time *)to == 0)
		return fl_kube_fail(k, v, FAIRLEAD_EINPUT, "a period of no length");
	return r;
}

static int read_cron(struct fl_kube *k, uint32_t v, const struct fl_field *f, void *to)
{
	(void)f;
	return fl_kube_cron(k, v, to);
}

#define FL_C_every fl_time
#define FL_C_cron struct fl_sym
static const struct fl_type fl_type_every = { .read = read_every, .schema = FL_DURATION_SCHEMA };
static const struct fl_type fl_type_cron = { .read = read_cron, .schema = "\"type\": \"string\"" };

static const struct fl_field period[] = {
	{ FL_IS("every", every, struct period, length), FL_SAID(struct period, every) },
	/* a start in the future must not become the present time */
	{ FL_IS("start", time_aside, struct period, start), FL_SAID(struct period, starts) },
	{ FL_IS("cron", cron, struct period, schedule), FL_SAID(struct period, cron),
	  .doc = "Five fields, or @monthly and the like; in UTC." },
	{ .name = NULL },
};

static int read_period(struct fl_kube *k, uint32_t v, void *row)
{
	struct fl_entitle_settings *s = row;
	struct period p = { .length = s->period,
			    .start = s->period_start,
			    .schedule = s->period_cron };
	int r = fl_kube_map(k, v, period, &p);

	s->period = p.length;
	s->period_start = p.start;
	s->period_cron = p.schedule;
	s->period_kind = p.cron ? FL_WINDOW_CRON : FL_WINDOW_TUMBLING;
	if (r == 0 && (p.cron ? p.every || p.starts : !p.every || !p.starts))
		return fl_kube_fail(k, v, FAIRLEAD_EINPUT,
				    "a period is either 'every' with 'start', or 'cron'");
	return r;
}

/* --- budgets: of each queue --- */

static int read_cpu_hours(struct fl_kube *k, uint32_t v, const struct fl_field *f, void *to)
{
	int r = fl_kube_number(k, v, to);

	(void)f;
	*(double *)to *= 1000;
	return r;
}

#define FL_C_cpu_hours double
static const struct fl_type fl_type_cpu_hours = {
	.read = read_cpu_hours, .schema = "\"type\": \"number\", \"minimum\": 0"
};

#define HOURS(field, type, axis) FL_IS(field, type, struct fl_budget_row, hours.of[axis])

static const struct fl_field budget[] = {
	{ .name = "name",
	  .type = &fl_type_any,
	  .needed = true,
	  .text = FL_TEXT_CLUSTER_QUEUE,
	  .schema = FL_OBJECT_NAME_SCHEMA },
	{ HOURS("gpuHours", number, FL_GPU) },
	{ HOURS("cpuHours", cpu_hours, FL_CPU), .doc = "Hours of a core." },
	{ HOURS("memoryHours", amount, FL_MEMORY), .resource = "memory",
	  .doc = "A quantity of bytes, for an hour each." },
	{ .name = NULL },
};

static int read_queue(struct fl_kube *k, uint32_t v, void *unused)
{
	struct fl_budget_row row = {
		.hours = { { FL_UNBOUNDED, FL_UNBOUNDED, FL_UNBOUNDED } },
		.place = fl_kube_place_of(k, v),
		.node = { FL_NONE },
	};
	uint32_t name;
	int r = fl_kube_need(k, v, "name", &name);

	(void)unused;
	if (r == 0)
		r = fl_kube_text(k, name, &row.queue_name);
	if (r == 0)
		r = fl_kube_map(k, v, budget, &row);
	if (r == 0)
		r = fl_model_add_budget(k->m, &row, k->err);
	if (r == FAIRLEAD_EINPUT && k->err && k->err->line == 0)
		r = fl_kube_blame(k, v);
	return r;
}

#define EITHER_PERIOD                                                                                 \
	"\"allOf\": [{ \"oneOf\": [{ \"required\": [\"every\", \"start\"], \"not\": { \"required\": " \
	"[\"cron\"] } }, { \"required\": [\"cron\"], \"not\": { \"anyOf\": [{ \"required\": "         \
	"[\"every\"] }, { \"required\": [\"start\"] }] } }] }], @"

const struct fl_field fl_fields_budgets[] = {
	{ .name = "period",
	  .read = read_period,
	  .needed = true,
	  .fields = period,
	  .schema = EITHER_PERIOD,
	  .doc = "The period for which the resource-hours are." },
	{ FL_IS_ENUM("overcommitment", struct fl_entitle_settings, overcommitment,
		     enum fl_overcommitment, "Proportional", "FirstCome"),
	  .doc = "When budgets promise more than the capacity: a queue may reclaim from one that has used a larger part of its budget, or running jobs are not interrupted." },
	{ FL_IS_ENUM("afterBudget", struct fl_entitle_settings, after_budget, enum fl_after_budget,
		     "Spare", "Stop"),
	  .doc = "A queue that has used its budget gets capacity that no other queue wants, or none." },
	{ FL_IS_EACH("queues", read_queue), .fields = budget, .list = true },
	{ .name = NULL },
};

int fl_policy_read_budgets(struct fl_kube *k, uint32_t v, void *unused)
{
	(void)unused;
	k->m->entitle.has_budgets = true;
	return fl_kube_whole(k, v, fl_fields_budgets, &k->m->entitle);
}
