/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Policy (fairlead.dev/v1alpha1): what Kueue's objects have no place for.
 *
 * A protection is said once for all queues (defaults), again for those below a cohort
 * (cohorts; the nearest counts), and again for a single one (clusterQueues), field by
 * field.  doc/guide/policy.md.
 */
#include "codec/object/fields.h"

/* --- one protection --- */

static int fill(fl_time times[FL_CAUSES], fl_time value)
{
	for (unsigned c = 0; c < FL_CAUSES; c++)
		times[c] = value;
	return 0;
}

#define CAUSE(cause, function, into)                                                               \
	static int function(struct fl_kube *k, uint32_t v, void *row)                              \
	{                                                                                          \
		return fl_kube_duration(k, v, &((struct fl_protection *)row)->into[cause]);        \
	}

CAUSE(FL_CAUSE_WITHIN_QUEUE, read_run_within_queue, minimum_run)
CAUSE(FL_CAUSE_RECLAIM, read_run_reclaim, minimum_run)
CAUSE(FL_CAUSE_FAIR_SHARING, read_run_fair_sharing, minimum_run)
CAUSE(FL_CAUSE_RECLAIM_BORROWING, read_run_reclaim_borrowing, minimum_run)
CAUSE(FL_CAUSE_WITHIN_QUEUE, read_delay_within_queue, delay)
CAUSE(FL_CAUSE_RECLAIM, read_delay_reclaim, delay)
CAUSE(FL_CAUSE_FAIR_SHARING, read_delay_fair_sharing, delay)
CAUSE(FL_CAUSE_RECLAIM_BORROWING, read_delay_reclaim_borrowing, delay)

static const struct fl_field minimum_run[] = {
	{ .name = "InClusterQueue", .read = read_run_within_queue },
	{ .name = "InCohortReclamation", .read = read_run_reclaim },
	{ .name = "InCohortFairSharing", .read = read_run_fair_sharing },
	{ .name = "InCohortReclaimWhileBorrowing", .read = read_run_reclaim_borrowing },
	{ .name = NULL },
};

static const struct fl_field delay[] = {
	{ .name = "InClusterQueue", .read = read_delay_within_queue },
	{ .name = "InCohortReclamation", .read = read_delay_reclaim },
	{ .name = "InCohortFairSharing", .read = read_delay_fair_sharing },
	{ .name = "InCohortReclaimWhileBorrowing", .read = read_delay_reclaim_borrowing },
	{ .name = NULL },
};

/* One length of time for all reasons, or a map of them. */
static int read_times(struct fl_kube *k, uint32_t v, const struct fl_field *by_cause,
		      fl_time times[FL_CAUSES], struct fl_protection *row)
{
	fl_time all;
	int r;

	if (k->doc.values[v].kind == FL_TOKEN_MAP)
		return fl_kube_map(k, v, by_cause, row);
	r = fl_kube_duration(k, v, &all);
	return r < 0 ? r : fill(times, all);
}

static int read_minimum_run(struct fl_kube *k, uint32_t v, void *row)
{
	struct fl_protection *p = row;

	return read_times(k, v, minimum_run, p->minimum_run, p);
}

static int read_delay(struct fl_kube *k, uint32_t v, void *row)
{
	struct fl_protection *p = row;

	return read_times(k, v, delay, p->delay, p);
}

static int read_base(struct fl_kube *k, uint32_t v, void *row)
{
	return fl_kube_duration(k, v, &((struct fl_protection *)row)->back_off_base);
}

static int read_max(struct fl_kube *k, uint32_t v, void *row)
{
	return fl_kube_duration(k, v, &((struct fl_protection *)row)->back_off_max);
}

static const struct fl_field back_off[] = {
	{ .name = "base", .read = read_base },
	{ .name = "max", .read = read_max },
	{ .name = NULL },
};

static int read_back_off(struct fl_kube *k, uint32_t v, void *row)
{
	struct fl_protection *p = row;
	uint32_t unused;
	int r = fl_kube_need(k, v, "base", &unused);

	p->back_off_max = 60 * 60 * FL_SECOND;
	if (r == 0)
		r = fl_kube_map(k, v, back_off, row);
	if (r == 0 && p->back_off_max < p->back_off_base)
		return fl_kube_fail(k, v, FAIRLEAD_EINPUT, "'max' is less than 'base'");
	return r;
}

static int read_overruling(struct fl_kube *k, uint32_t v, void *row)
{
	struct fl_protection *p = row;

	p->has_overruling_priority = true;
	return fl_kube_int32(k, v, &p->overruling_priority);
}

static int read_hold(struct fl_kube *k, uint32_t v, void *row)
{
	bool on = false;
	int r = fl_kube_bool(k, v, &on);

	((struct fl_protection *)row)->hold_freed_quota = on ? FL_SWITCH_ON : FL_SWITCH_OFF;
	return r;
}

#define PROTECTION                                                                                 \
	{ .name = "minimumRunTime", .read = read_minimum_run, .fields = minimum_run },             \
		{ .name = "preemptionDelay", .read = read_delay, .fields = delay },                \
		{ .name = "reclaimBackOff", .read = read_back_off, .fields = back_off },           \
		{ .name = "overrulingPriority", .read = read_overruling },                         \
	{                                                                                          \
		.name = "holdFreedQuota", .read = read_hold                                        \
	}

/* --- for whom --- */

static const struct fl_field for_all[] = {
	PROTECTION,
	{ .name = NULL },
};

static int read_before(struct fl_kube *k, uint32_t v, void *row)
{
	(void)k, (void)v, (void)row;
	return 0;
}

static const struct fl_field for_one[] = {
	{ .name = "name", .read = read_before, .text = FL_TEXT_CLUSTER_QUEUE },
	PROTECTION,
	{ .name = NULL },
};

static const struct fl_field for_cohort[] = {
	{ .name = "name", .read = read_before, .text = FL_TEXT_COHORT },
	PROTECTION,
	{ .name = NULL },
};

static int add(struct fl_kube *k, uint32_t v, struct fl_protection_row *row,
	       const struct fl_field *fields)
{
	int r;

	row->says = fl_protection_default;
	row->place = fl_kube_place(k, v);
	r = fl_kube_map(k, v, fields, &row->says);
	if (r < 0)
		return r;
	r = fl_model_add_protection(k->m, row, k->err);
	return r == FAIRLEAD_EINPUT ? fl_kube_blame(k, v) : r;
}

static int read_defaults(struct fl_kube *k, uint32_t v, void *unused)
{
	struct fl_protection_row row = { .scope = FL_PROTECT_ALL, .node = { FL_NONE } };

	(void)unused;
	return add(k, v, &row, for_all);
}

static int read_named(struct fl_kube *k, uint32_t v, enum fl_protection_scope scope)
{
	uint32_t end = 0, name = FL_NONE;
	int r = fl_kube_list(k, v, &end);

	for (uint32_t item = v + 1; r == 0 && item < end; item = fl_kube_next(k, item)) {
		struct fl_protection_row row = { .scope = scope, .node = { FL_NONE } };

		r = fl_kube_need(k, item, "name", &name);
		if (r == 0)
			r = fl_kube_text(k, name, &row.name);
		if (r == 0)
			r = add(k, item, &row, for_one);
	}
	return r;
}

static int read_cohorts(struct fl_kube *k, uint32_t v, void *row)
{
	(void)row;
	return read_named(k, v, FL_PROTECT_COHORT);
}

static int read_cluster_queues(struct fl_kube *k, uint32_t v, void *row)
{
	(void)row;
	return read_named(k, v, FL_PROTECT_CLUSTER_QUEUE);
}

/* --- the rest --- */

static int read_usage(struct fl_kube *k, uint32_t v, void *row)
{
	static const char *const names[] = { "Sampled", "Exact", NULL };
	uint32_t i = 0;
	int r = fl_kube_enum(k, v, names, &i);

	((struct fl_settings *)row)->exact_usage = i == 1;
	return r;
}

static int read_heads(struct fl_kube *k, uint32_t v, void *row)
{
	static const char *const names[] = { "one", "all", NULL };
	uint32_t i = 0;
	int r = fl_kube_enum(k, v, names, &i);

	((struct fl_settings *)row)->many_heads = i == 1;
	return r;
}

static int read_guarantee(struct fl_kube *k, uint32_t v, void *row)
{
	static const char *const names[] = { "none", "settles", NULL };
	uint32_t i = 0;
	int r = fl_kube_enum(k, v, names, &i);

	((struct fl_settings *)row)->settles = i == 1;
	return r;
}

static int read_eviction_timeout(struct fl_kube *k, uint32_t v, void *row)
{
	return fl_kube_duration(k, v, &((struct fl_settings *)row)->eviction_timeout);
}

static const struct fl_field admission_fair_sharing[] = {
	{ .name = "usage", .read = read_usage },
	{ .name = NULL },
};

static const struct fl_field spec[] = {
	{ .name = "admissionFairSharing", .fields = admission_fair_sharing },
	{ .name = "headsPerCycle", .read = read_heads },
	{ .name = "preemptionGuarantee", .read = read_guarantee },
	{ .name = "evictionTimeout", .read = read_eviction_timeout },
	{ .name = "defaults", .read = read_defaults, .fields = for_all },
	{ .name = "cohorts", .read = read_cohorts, .fields = for_cohort, .list = true },
	{ .name = "clusterQueues", .read = read_cluster_queues, .fields = for_one, .list = true },
	{ .name = "entitlement", .fields = fl_fields_entitlement },
	{ .name = "budgets", .read = fl_kube_budgets, .fields = fl_fields_budgets },
	{ .name = NULL },
};

static const struct fl_field policy_fields[] = {
	FL_HEAD,
	{ .name = "spec", .fields = spec },
	{ .name = NULL },
};

static int read_policy(struct fl_kube *k)
{
	struct fl_settings *settings = &k->m->settings;
	int r;

	if (settings->has_policy) {
		fl_kube_fail(k, 0, FAIRLEAD_EINPUT, "a second Policy");
		fl_fail_hint(k->err, "the first is at %.200s:%u:%u",
			     fl_model_text(k->m, k->m->inputs[settings->policy_place.file]),
			     settings->policy_place.line, settings->policy_place.column);
		return FAIRLEAD_EINPUT;
	}
	settings->has_policy = true;
	settings->policy_place = fl_kube_place(k, 0);
	r = fl_kube_map(k, 0, policy_fields, settings);
	if (r == 0 && settings->eviction_timeout > 0 && !settings->settles) {
		fl_kube_fail(k, 0, FAIRLEAD_EINPUT, "evictionTimeout has nothing to bound");
		fl_fail_hint(k->err, "it goes with preemptionGuarantee: settles");
		return FAIRLEAD_EINPUT;
	}
	return r;
}

const struct fl_kind fl_kind_policy = { "fairlead.dev", "Policy",     false,     policy_fields,
					read_policy,    FL_TEXT_NAME, "v1alpha1" };
