/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Policy (fairlead.dev/v1alpha1): settings for which Kueue's objects have no field.
 *
 * A protection is set for all queues (defaults), for those below a cohort (cohorts; the nearest
 * counts), and for a single one (clusterQueues), field by field; the narrowest counts.
 * doc/guide/policy.md.
 */
#include "codec/own/policy.h"

#define SAYS(field, type, member) FL_IS(field, type, struct fl_protection, member)
#define SETTING(field, type, member) FL_IS(field, type, struct fl_model, settings.member)

/* --- one protection --- */

/* One duration for each reason of preemption. */
struct times {
	fl_time of[FL_CAUSES];
};

#define CAUSE(field, cause)                                                                        \
	{                                                                                          \
		FL_IS(field, duration, struct times, of[cause])                                    \
	}

static const struct fl_field by_cause[] = {
	CAUSE("InClusterQueue", FL_CAUSE_WITHIN_QUEUE),
	CAUSE("InCohortReclamation", FL_CAUSE_RECLAIM),
	CAUSE("InCohortFairSharing", FL_CAUSE_FAIR_SHARING),
	CAUSE("InCohortReclaimWhileBorrowing", FL_CAUSE_RECLAIM_BORROWING),
	{ .name = NULL },
};

/* One duration for all reasons, or a map with one for each. */
static int read_times(struct fl_kube *k, uint32_t v, const struct fl_field *f, void *to)
{
	struct times *times = to;
	fl_time all;
	int r;

	if (k->doc.values[v].kind == FL_TOKEN_MAP)
		return fl_kube_map(k, v, f->fields, to);
	r = fl_kube_duration(k, v, &all);
	for (unsigned c = 0; c < FL_CAUSES && r == 0; c++)
		times->of[c] = all;
	return r;
}

#define FL_C_times fl_time[FL_CAUSES]
static const struct fl_type fl_type_times = { .read = read_times,
					      .schema = "\"oneOf\": [{ " FL_DURATION_SCHEMA
							" }, { @ }]" };

static const struct fl_field back_off[] = {
	{ SAYS("base", duration, back_off_base), .needed = true },
	{ SAYS("max", duration, back_off_max) },
	{ .name = NULL },
};

static int read_back_off(struct fl_kube *k, uint32_t v, void *row)
{
	struct fl_protection *p = row;
	int r;

	p->back_off_max = 60 * 60 * FL_SECOND;
	r = fl_kube_whole(k, v, back_off, row);
	if (r == 0 && p->back_off_max < p->back_off_base)
		return fl_kube_fail(k, v, FAIRLEAD_EINPUT, "'max' is less than 'base'");
	return r;
}

static int read_hold(struct fl_kube *k, uint32_t v, const struct fl_field *f, void *to)
{
	bool on = false;
	int r = fl_kube_bool(k, v, &on);

	(void)f;
	*(enum fl_switch *)to = on ? FL_SWITCH_ON : FL_SWITCH_OFF;
	return r;
}

#define FL_C_switch enum fl_switch
static const struct fl_type fl_type_switch = { .read = read_hold,
					       .schema = "\"type\": \"boolean\"" };

#define TIMES_DOC "One duration for every reason of preemption, or one for each: "
#define PROTECTION                                                                                                                 \
	{ SAYS("minimumRunTime", times, minimum_run), .fields = by_cause,                                                          \
	  .doc = TIMES_DOC                                                                                                         \
	  "a workload can be preempted only when it has held its quota for so long." },                                            \
		{ SAYS("preemptionDelay", times, delay), .fields = by_cause,                                                       \
		  .doc = TIMES_DOC                                                                                                 \
		  "a workload can preempt others only when it has been pending for so long." },                                    \
		{ .name = "reclaimBackOff",                                                                                        \
		  .read = read_back_off,                                                                                           \
		  .fields = back_off,                                                                                              \
		  .doc = "After a reclaim a queue may not borrow for `base`, which doubles each time up to `max` (default 1h)." }, \
		{ SAYS("overrulingPriority", int32, overruling_priority),                                                          \
		  FL_SAID(struct fl_protection, has_overruling_priority),                                                          \
		  .doc = "A workload with a higher priority than this overrules fair sharing." },                                  \
	{                                                                                                                          \
		SAYS("holdFreedQuota", switch, hold_freed_quota),                                                                  \
			.doc = "Quota that an eviction frees is kept for the workload that preempted."                             \
	}

/* --- the scope of a protection --- */

static const struct fl_field for_all[] = {
	PROTECTION,
	{ .name = NULL },
};

#define NAME(of)                                                                                   \
	{                                                                                          \
		.name = "name", .type = &fl_type_any, .needed = true, .text = of,                  \
		.schema = FL_OBJECT_NAME_SCHEMA                                                    \
	}

static const struct fl_field for_one[] = {
	NAME(FL_TEXT_CLUSTER_QUEUE),
	PROTECTION,
	{ .name = NULL },
};

static const struct fl_field for_cohort[] = {
	NAME(FL_TEXT_COHORT),
	PROTECTION,
	{ .name = NULL },
};

static int add(struct fl_kube *k, uint32_t v, struct fl_protection_row *row,
	       const struct fl_field *fields)
{
	int r;

	row->says = fl_protection_default;
	row->place = fl_kube_place_of(k, v);
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
	struct fl_protection_row row = { .scope = scope, .node = { FL_NONE } };
	uint32_t name = FL_NONE;
	int r = fl_kube_need(k, v, "name", &name);

	if (r == 0)
		r = fl_kube_text(k, name, &row.name);
	return r < 0 ? r : add(k, v, &row, for_one);
}

static int read_cohort(struct fl_kube *k, uint32_t v, void *unused)
{
	(void)unused;
	return read_named(k, v, FL_PROTECT_COHORT);
}

static int read_cluster_queue(struct fl_kube *k, uint32_t v, void *unused)
{
	(void)unused;
	return read_named(k, v, FL_PROTECT_CLUSTER_QUEUE);
}

/* --- the whole; row: struct fl_model --- */

static const struct fl_field admission_fair_sharing[] = {
	{ FL_IS_EITHER("usage", struct fl_model, settings.exact_usage, "Sampled", "Exact"),
	  .doc = "How the usage of local queues is counted: sampled, as in Kueue, or as the exact integral." },
	{ .name = NULL },
};

static const struct fl_field spec[] = {
	{ .name = "admissionFairSharing", .fields = admission_fair_sharing },
	{ FL_IS_EITHER("headsPerCycle", struct fl_model, settings.many_heads, "one", "all"),
	  .doc = "Heads that a cycle serves: one of each queue, or further ones until no more workload is admitted." },
	{ FL_IS_EITHER("preemptionGuarantee", struct fl_model, settings.settles, "none", "settles"),
	  .doc = "settles: no preemption loops (livelock): while no workload ends, preemption stops after finitely many steps, in any order." },
	{ SETTING("evictionTimeout", duration, eviction_timeout),
	  .doc = "With preemptionGuarantee settles: a workload whose eviction takes longer counts as running again, and reservations that waited for it end." },
	{ .name = "defaults",
	  .read = read_defaults,
	  .fields = for_all,
	  .doc = "Protection of all queues." },
	{ FL_IS_EACH("cohorts", read_cohort), .fields = for_cohort, .list = true,
	  .doc = "Protection of the queues below a cohort; of several cohorts the nearest counts." },
	{ FL_IS_EACH("clusterQueues", read_cluster_queue), .fields = for_one, .list = true,
	  .doc = "Protection of one queue." },
	{ .name = "entitlement",
	  .fields = fl_fields_entitlement,
	  .offset = offsetof(struct fl_model, entitle),
	  .doc = "For KAI's queues: behaviour that KAI's documents promise and KAI lacks." },
	{ .name = "budgets",
	  .read = fl_policy_read_budgets,
	  .fields = fl_fields_budgets,
	  .doc = "Resource-hours that KAI's queues may use in a period." },
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

	if (settings->has_policy)
		return fl_own_second(k, "Policy", settings->policy_place);
	settings->has_policy = true;
	settings->policy_place = fl_kube_place_of(k, 0);
	r = fl_kube_map(k, 0, policy_fields, k->m);
	if (r == 0 && settings->eviction_timeout > 0 && !settings->settles) {
		fl_kube_fail(k, 0, FAIRLEAD_EINPUT,
			     "evictionTimeout has no effect without preemptionGuarantee");
		fl_fail_hint(k->err, "it needs preemptionGuarantee: settles");
		return FAIRLEAD_EINPUT;
	}
	return r;
}

const struct fl_kind fl_kind_policy = { "fairlead.dev", "Policy",     false,     policy_fields,
					read_policy,    FL_TEXT_NAME, "v1alpha1" };
