/* SPDX-License-Identifier: Apache-2.0 */
#include "model/simulation.h"

#include <stdio.h>

#include "base/time.h"
#include "model/model.h"

const struct fl_simulation_settings fl_simulation_default = {
	.seed = 1,
	.start = FL_TIME_NONE,
	.until = FL_NEVER,
	.cycle_interval = FL_SECOND / 10,
	.period = FL_NEVER,
	.grace = 30 * FL_SECOND,
	.checkpoint = FL_NEVER,
	.top = 12,
};

/* Backing off doubles up to an hour, unless something else is said. */
enum { BACK_OFF_SECONDS = 60 * 60 };

static int fail(const struct fl_model *m, struct fl_place place, const char *path, uint32_t item,
		const char *text, fairlead_error *err)
{
	fl_fail(err, FAIRLEAD_EINPUT, "%s", text);
	if (item != FL_NONE)
		fl_fail_in(err, "[%u]", item);
	fl_fail_in(err, "Simulation/%.253s %s", fl_model_text(m, m->simulation.name), path);
	fl_model_fail_at(m, place, err);
	return FAIRLEAD_EINPUT;
}

int fl_simulation_check(struct fl_model *m, fairlead_error *err)
{
	struct fl_simulation_settings *s = &m->simulation;
	const fl_time hour = BACK_OFF_SECONDS * FL_SECOND;

	if (s->back_off_max && !s->back_off_base)
		return fail(m, s->place, ".spec.eviction.backOff", FL_NONE,
			    "a 'max' without 'base'", err);
	if (s->back_off_base && !s->back_off_max)
		s->back_off_max = s->back_off_base > hour ? s->back_off_base : hour;
	if (s->back_off_max < s->back_off_base)
		return fail(m, s->place, ".spec.eviction.backOff", FL_NONE,
			    "'max' is less than 'base'", err);
	if (s->until != FL_NEVER && s->until > FL_LONGEST_SIMULATION)
		return fail(m, s->place, ".spec.until", FL_NONE, "more than 73 years", err);
	if (s->period < s->cycle_interval)
		return fail(m, s->place, ".spec.cycles", FL_NONE,
			    "'period' is less than 'interval'", err);
	for (uint32_t i = 0; i < m->n_classes; i++) {
		struct fl_class_row *class = &m->classes[i];

		if (class->ends > s->until)
			class->ends = s->until;
		if (class->count == 0 && class->ends == FL_NEVER)
			return fail(
				m, class->place, ".spec.classes", i,
				"jobs arrive without end: give it a 'count' or an 'ends', or the "
				"simulation an 'until'",
				err);
	}
	return 0;
}

int fl_simulation_unused(struct fl_model *m, fairlead_error *err)
{
	char subject[560];
	int r = 0;

	(void)snprintf(subject, sizeof subject, "Simulation/%.253s",
		       fl_model_text(m, m->simulation.name));
	for (uint32_t t = 0; t < m->n_traces; t++)
		for (uint32_t i = 0; i < m->traces[t].rules.n && r == 0; i++) {
			const struct fl_trace_rule *rule =
				&m->trace_rules[m->traces[t].rules.first + i];

			if (!rule->used)
				r = fl_model_notice(m, FL_NOTICE_RULE_UNUSED, rule->place, subject,
						    /* hint= */ NULL, err,
						    "no job of sources[%u] matches this rule", t);
		}
	for (uint32_t i = 0; i < m->n_templates && r == 0; i++)
		if (!m->templates[i].used)
			r = fl_model_notice(m, FL_NOTICE_RULE_UNUSED, m->templates[i].place,
					    subject, /* hint= */ NULL, err,
					    "no queue is made by this template");
	return r;
}

static fl_time first_arrival(const struct fl_model *m)
{
	fl_time first = FL_NEVER;

	for (uint32_t i = 0; i < m->n_lives; i++)
		if (!m->lives[i].from_start && m->lives[i].arrives != FL_TIME_NONE &&
		    m->lives[i].arrives < first)
			first = m->lives[i].arrives;
	return first;
}

int fl_simulation_check_start(fl_time start, fairlead_error *err)
{
	char text[40];

	if (start >= -2 * FL_LONGEST_SIMULATION && start <= 2 * FL_LONGEST_SIMULATION)
		return 0;
	return fl_fail(err, FAIRLEAD_EINPUT,
		       "the simulation begins at %s: not within the years 1824 to 2116",
		       fl_time_format(text, start));
}

int fl_simulation_fix_times(struct fl_model *m, fairlead_error *err)
{
	fl_time *start = &m->simulation.start;
	int r;

	if (*start == FL_TIME_NONE)
		*start = first_arrival(m);
	if (*start == FL_NEVER)
		*start = m->newest == FL_TIME_NONE ? 0 : m->newest;
	r = fl_simulation_check_start(*start, err);
	if (r < 0)
		return fl_model_fail_at(m, m->simulation.place, err);
	for (uint32_t i = 0; i < m->n_lives; i++) {
		struct fl_life_row *life = &m->lives[i];

		if (!life->from_start)
			continue;
		uint32_t w = life->workload.v; /* FL_NONE: of a pod, tied to it by seal */

		life->from_start = false;
		if (life->arrives != FL_TIME_NONE)
			life->arrives = fl_sat_add(*start, life->arrives);
		if (life->leaves != FL_NEVER)
			life->leaves = fl_sat_add(*start, life->leaves);
		if (w != FL_NONE && m->workloads[w].created == FL_TIME_NONE)
			m->workloads[w].created = life->arrives;
	}
	return 0;
}
