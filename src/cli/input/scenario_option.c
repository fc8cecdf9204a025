/* SPDX-License-Identifier: Apache-2.0 */
/* What a sweep turns, on a model that is not sealed yet. */
#include "cli/input/scenario_option.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/nearest.h"
#include "cli/input/scenario.h"

enum bound { ANY_FROM_0, ABOVE_0, FACTOR, WHOLE_FROM_0 };

enum which {
	HALF_LIFE,
	WINDOW,
	K,
	LOAD,
	RUNTIME,
	CYCLE_INTERVAL,
	GRACE,
	CHECKPOINT,
	SEED,
	UNTIL,
	WEIGHT,
	QUOTA,
	OPTIONS
};

static const struct row {
	const char *name, *unit; /* a name that ends in ':' goes on */
	enum bound bound;
} rows[OPTIONS] = {
	[HALF_LIFE] = { "half-life", "seconds", ANY_FROM_0 },
	[WINDOW] = { "window", "seconds", ABOVE_0 },
	[K] = { "k", "", ANY_FROM_0 },
	[LOAD] = { "load", "times", FACTOR },
	[RUNTIME] = { "runtime", "times", FACTOR },
	[CYCLE_INTERVAL] = { "cycle-interval", "seconds", ABOVE_0 },
	[GRACE] = { "grace", "seconds", ANY_FROM_0 },
	[CHECKPOINT] = { "checkpoint", "seconds", ANY_FROM_0 },
	[SEED] = { "seed", "", WHOLE_FROM_0 },
	[UNTIL] = { "until", "seconds", ABOVE_0 },
	[WEIGHT] = { "weight:", "", ANY_FROM_0 },
	[QUOTA] = { "quota:", "times", ANY_FROM_0 },
};

static const double longest = 250.0 * 365 * 86400; /* seconds that times can hold */

/* OPTIONS when there is none. */
static enum which find(const char *name)
{
	for (unsigned i = 0; i < OPTIONS; i++) {
		size_t len = strlen(rows[i].name);
		bool goes_on = rows[i].name[len - 1] == ':';

		if (goes_on ? strncmp(name, rows[i].name, len) == 0 && name[len] :
			      strcmp(name, rows[i].name) == 0)
			return (enum which)i;
	}
	return OPTIONS;
}

const char *fl_scenario_unit(const char *name)
{
	enum which which = find(name);

	return which == OPTIONS ? NULL : rows[which].unit;
}

const char *fl_scenario_options(void)
{
	return "half-life, window, k, load, runtime, cycle-interval, grace, checkpoint, seed, "
	       "until, weight:NAME, quota:NAME";
}

static int refuse(const struct fl_scenario_option *o, const char *why, fairlead_error *err)
{
	return fl_fail(err, FAIRLEAD_EINPUT, "'%.280s' cannot be %g: %s", o->name, o->value, why);
}

int fl_scenario_check(const struct fl_scenario_option *o, fairlead_error *err)
{
	enum which which = find(o->name);

	if (which == OPTIONS) {
		fl_fail(err, FAIRLEAD_EINPUT, "there is no option '%.280s' to sweep", o->name);
		fl_fail_hint(err, "the options are %s", fl_scenario_options());
		return FAIRLEAD_EINPUT;
	}
	if (!isfinite(o->value) || o->value < 0)
		return refuse(o, "expected a number of 0 or more", err);
	if (rows[which].bound == ABOVE_0 && o->value <= 0)
		return refuse(o, "expected more than 0", err);
	if (rows[which].bound == FACTOR && (o->value < 1e-6 || o->value > 1e6))
		return refuse(o, "expected a number from 1e-6 to 1e6", err);
	if (rows[which].bound == WHOLE_FROM_0 && (o->value != floor(o->value) || o->value > 0x1p53))
		return refuse(o, "expected a whole number", err);
	if (strcmp(rows[which].unit, "seconds") == 0 && o->value > longest)
		return refuse(o, "that is more than 250 years", err);
	return 0;
}

static fl_time time_of(double seconds)
{
	fl_time t = (fl_time)llround(seconds * 1e9);

	return t == 0 && seconds > 0 ? 1 : t;
}

/* --- settings, sources, classes --- */

static int turn_jobs(struct fl_model *m, const struct fl_scenario_option *o, bool load,
		     fairlead_error *err)
{
	if (m->n_traces + m->n_classes == 0)
		return fl_fail(
			err, FAIRLEAD_EINPUT,
			"'%s' changes sources and classes of a Simulation, and there are none",
			o->name);
	for (uint32_t i = 0; i < m->n_traces; i++)
		*(load ? &m->traces[i].load : &m->traces[i].runtime) *= o->value;
	for (uint32_t i = 0; i < m->n_classes; i++)
		if (load)
			fl_distribution_scale(&m->classes[i].between, 1 / o->value);
		else
			fl_distribution_scale(&m->classes[i].runs, o->value);
	return 0;
}

int fl_scenario_turn_settings(struct fl_model *m, const struct fl_scenario_option *o,
			      fairlead_error *err)
{
	struct fl_simulation_settings *s = &m->simulation;

	switch (find(o->name)) {
	case LOAD:
		return turn_jobs(m, o, /* load= */ true, err);
	case RUNTIME:
		return turn_jobs(m, o, /* load= */ false, err);
	case CYCLE_INTERVAL:
		s->cycle_interval = time_of(o->value);
		return 0;
	case GRACE:
		s->grace = time_of(o->value);
		return 0;
	case CHECKPOINT:
		s->checkpoint = time_of(o->value);
		return 0;
	case SEED:
		s->seed = (uint64_t)o->value;
		return 0;
	case UNTIL:
		s->until = time_of(o->value);
		return 0;
	default:
		return 0;
	}
}

/* --- usage over time --- */

static int turn_kueues(struct fl_model *m, const struct fl_scenario_option *o, enum which which,
		       fairlead_error *err)
{
	if (which != HALF_LIFE)
		return fl_fail(err, FAIRLEAD_EINPUT,
			       "'%s' belongs to the entitle policy, and this is borrow", o->name);
	if (!m->settings.admission_fair_sharing)
		return fl_fail(err, FAIRLEAD_EINPUT,
			       "'%s' needs admissionFairSharing in the Configuration", o->name);
	m->settings.usage_half_life = time_of(o->value);
	return 0;
}

static int turn_kais(struct fl_model *m, const struct fl_scenario_option *o, enum which which)
{
	m->entitle.usage_on = true;
	if (which == HALF_LIFE)
		m->entitle.half_life = time_of(o->value);
	else if (which == WINDOW)
		m->entitle.window = time_of(o->value);
	else
		m->entitle.k = o->value;
	return 0;
}

/* Usage over time, in the settings of Kueue or of KAI, as the objects are. */
static int turn_history(struct fl_model *m, const struct fl_scenario_option *o, enum which which,
			fairlead_error *err)
{
	enum fl_dialect dialect = m->wanted == FL_DIALECT_ANY ? fl_model_dialect(m) : m->wanted;

	return dialect == FL_DIALECT_KAI ? turn_kais(m, o, which) : turn_kueues(m, o, which, err);
}

/* --- queues --- */

static void offer_nodes(struct fl_nearest *near, const struct fl_model *m)
{
	for (uint32_t i = 0; i < m->n_nodes; i++)
		fl_nearest_offer(near, fl_model_text(m, m->nodes[i].name));
}

static int fail_missing(const struct fl_model *m, const struct fl_scenario_option *o,
			const char *name, fairlead_error *err)
{
	struct fl_nearest near = { .wanted = name };
	char text[1600];

	fl_fail(err, FAIRLEAD_EINPUT, "%.280s: there is no queue or cohort of that name", o->name);
	offer_nodes(&near, m);
	if (near.n)
		fl_fail_hint(err, "did you mean %s?", fl_nearest_text(&near, text, sizeof(text)));
	return FAIRLEAD_EINPUT;
}

/* A queue before a cohort of the same name. */
static uint32_t find_node(const struct fl_model *m, const char *name)
{
	static const enum fl_node_kind kinds[] = { FL_CLUSTER_QUEUE, FL_COHORT, FL_QUEUE };

	for (unsigned i = 0; i < sizeof(kinds) / sizeof(*kinds); i++) {
		struct fl_node n = fl_model_find_node(m, kinds[i], name);

		if (n.v != FL_NONE)
			return n.v;
	}
	return FL_NONE;
}

static uint32_t find_local_queue(const struct fl_model *m, const char *name)
{
	for (uint32_t i = 0; i < m->n_queues; i++) {
		const char *namespace = fl_model_text(m, m->queues[i].namespace);
		size_t len = strlen(namespace);

		if (strncmp(name, namespace, len) == 0 && name[len] == '/' &&
		    strcmp(name + len + 1, fl_model_text(m, m->queues[i].name)) == 0)
			return i;
	}
	return FL_NONE;
}

static int turn_weight(struct fl_model *m, const struct fl_scenario_option *o, fairlead_error *err)
{
	const char *name = o->name + strlen(rows[WEIGHT].name);
	uint32_t n = find_node(m, name), q = n == FL_NONE ? find_local_queue(m, name) : FL_NONE;

	if (q != FL_NONE)
		m->queues[q].weight = o->value;
	else if (n == FL_NONE)
		return fail_missing(m, o, name, err);
	else if (m->nodes[n].kind != FL_QUEUE)
		m->nodes[n].weight = o->value;
	for (int r = 0; r < FL_BUNDLE && n != FL_NONE && m->nodes[n].kind == FL_QUEUE; r++)
		m->entitlements[m->nodes[n].entitlement].weight.of[r] = o->value;
	return 0;
}

/* Rounded to the nearest; unlimited stays unlimited. */
static fl_amount times(fl_amount amount, double factor)
{
	double product = (double)amount * factor;

	if (amount == FL_UNLIMITED || amount == FL_NO_LIMIT)
		return amount;
	return product < 0x1p62 ? (fl_amount)llround(product) : (fl_amount)1 << 62;
}

/* Its own copy, for queues of one template share their quotas. */
static int copy_flavors(struct fl_model *m, struct fl_group *group, double factor,
			fairlead_error *err)
{
	struct fl_span old = group->flavors;
	int rc = 0;

	group->flavors.first = m->n_group_flavors;
	for (uint32_t f = 0; f < old.n && rc == 0; f++) {
		struct fl_group_flavor flavor = m->group_flavors[old.first + f];
		struct fl_span quotas = flavor.quotas;

		flavor.quotas.first = m->n_quotas;
		for (uint32_t i = 0; i < quotas.n && rc == 0; i++) {
			struct fl_quota q = m->quotas[quotas.first + i];

			q.nominal = times(q.nominal, factor);
			q.borrowing_limit = times(q.borrowing_limit, factor);
			q.lending_limit = times(q.lending_limit, factor);
			rc = fl_model_push_quotas(m, &q, /* ret_id= */ NULL, err);
		}
		if (rc == 0)
			rc = fl_model_push_group_flavors(m, &flavor, /* ret_id= */ NULL, err);
	}
	return rc;
}

static int turn_quota(struct fl_model *m, const struct fl_scenario_option *o, fairlead_error *err)
{
	const char *name = o->name + strlen(rows[QUOTA].name);
	uint32_t n = find_node(m, name);
	struct fl_span old;
	int rc = 0;

	if (n == FL_NONE)
		return fail_missing(m, o, name, err);
	if (m->nodes[n].kind == FL_QUEUE) {
		struct fl_entitlement *says = &m->entitlements[m->nodes[n].entitlement];

		for (int r = 0; r < FL_BUNDLE; r++) {
			if (says->deserved.of[r] != FL_UNBOUNDED)
				says->deserved.of[r] *= o->value;
			if (says->limit.of[r] != FL_UNBOUNDED)
				says->limit.of[r] *= o->value;
		}
		return 0;
	}
	old = m->nodes[n].groups;
	if (old.n == 0)
		return fl_fail(err, FAIRLEAD_EINPUT, "%.280s: it has no quota", o->name);
	m->nodes[n].groups.first = m->n_groups;
	for (uint32_t g = 0; g < old.n && rc == 0; g++) {
		struct fl_group group = m->groups[old.first + g];

		rc = copy_flavors(m, &group, o->value, err);
		if (rc == 0)
			rc = fl_model_push_groups(m, &group, /* ret_id= */ NULL, err);
	}
	return rc;
}

int fl_scenario_turn_queues(struct fl_model *m, const struct fl_scenario_option *o,
			    fairlead_error *err)
{
	enum which which = find(o->name);

	switch (which) {
	case HALF_LIFE:
	case WINDOW:
	case K:
		return turn_history(m, o, which, err);
	case WEIGHT:
		return turn_weight(m, o, err);
	case QUOTA:
		return turn_quota(m, o, err);
	default:
		return 0;
	}
}
