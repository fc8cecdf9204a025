/* SPDX-License-Identifier: Apache-2.0 */
#include "model/newcomer.h"

#include "base/limits.h"
#include "model/table.h"

/* --- places --- */

/* As much again as there is, and some more. */
static uint32_t twice(uint32_t n) { return n > UINT32_MAX / 2 - 4096 ? UINT32_MAX : 2 * n + 4096; }

int fl_newcomer_places(struct fl_model *m, fairlead_error *err)
{
	uint64_t places = (uint64_t)m->n_workloads + m->spare;

	m->places = places < FL_MAX_WORKLOADS ? (uint32_t)places : FL_MAX_WORKLOADS;
	m->worn = (struct fl_worn){ .names = twice(m->names.n),
				    .podsets = twice(m->n_podsets),
				    .requests = twice(m->n_requests),
				    .tasks = twice(m->n_tasks) };
	return fl_named_reserve(m, err);
}

bool fl_newcomer_is_sound(const struct fl_model *m)
{
	return m->places == 0 ||
	       (m->places >= m->n_workloads && m->places <= FL_MAX_WORKLOADS &&
		m->worn.names <= twice(m->names.n) && m->worn.podsets <= twice(m->n_podsets) &&
		m->worn.requests <= twice(m->n_requests) && m->worn.tasks <= twice(m->n_tasks));
}

uint32_t fl_model_places_left(const struct fl_model *m)
{
	return m->places ? m->places - m->n_workloads + m->n_vacant : 0;
}

bool fl_model_is_worn(const struct fl_model *m)
{
	return m->names.n > m->worn.names || m->n_podsets > m->worn.podsets ||
	       m->n_requests > m->worn.requests || m->n_tasks > m->worn.tasks;
}

/* --- numbers of what it names --- */

static uint32_t find_resource(const struct fl_model *m, struct fl_sym name)
{
	uint32_t r = 0;

	while (r < m->n_resources && m->resources[r].v != name.v)
		r++;
	return r < m->n_resources ? r : FL_NONE;
}

/* False: the model does not have one of them. */
static bool number_requests(struct fl_model *m, const struct fl_workload_row *row)
{
	bool all = true;

	for (uint32_t i = row->podsets.first; i < row->podsets.first + row->podsets.n; i++) {
		struct fl_span s = m->podsets[i].requests;

		for (uint32_t k = s.first; k < s.first + s.n; k++) {
			m->requests[k].resource.v = find_resource(m, m->requests[k].resource_name);
			all &= m->requests[k].resource.v != FL_NONE;
		}
	}
	return all;
}

static bool number_admission(struct fl_model *m, const struct fl_workload_row *row)
{
	bool all = true;

	for (uint32_t i = row->admission.first; i < row->admission.first + row->admission.n; i++) {
		struct fl_span s = m->podset_assignments[i].assignments;

		for (uint32_t k = s.first; k < s.first + s.n; k++) {
			struct fl_assignment *a = &m->assignments[k];

			a->resource.v = find_resource(m, a->resource_name);
			a->flavor.v = fl_table_find(m, FL_TABLE_FLAVOR, (struct fl_sym){ 0 },
						    a->flavor_name);
			all &= a->resource.v != FL_NONE && a->flavor.v != FL_NONE;
		}
	}
	return all;
}

/* --- in and out --- */

static const char *why_not(const struct fl_model *m)
{
	if (!m->places)
		return "the model was sealed without places for more workloads";
	if (!fl_model_places_left(m))
		return "all places of the model are taken";
	return fl_model_is_worn(m) ? "names and podsets of workloads that left fill the model" :
				     NULL;
}

static int refuse(const struct fl_model *m, const struct fl_workload_row *row, int code,
		  const char *text, fairlead_error *err)
{
	char subject[FL_SUBJECT];

	fl_fail(err, code, "%s", text);
	fl_fail_in(err, "%s",
		   fl_table_subject(m, fl_table_of_workload(m, row), row->namespace, row->name,
				    subject));
	return fl_model_fail_at(m, row->place, err);
}

/* The row takes its place, and is found by its name from now on. */
static int enter(struct fl_model *m, const struct fl_workload_row *row, struct fl_workload w,
		 fairlead_error *err)
{
	if (w.v == m->n_workloads) {
		int r = fl_model_push_workloads(m, row, /* ret_id= */ NULL, err);

		if (r < 0)
			return r;
	} else {
		m->workloads[w.v] = *row;
		m->n_vacant--;
	}
	fl_named_add(m, w.v);
	return 0;
}

int fl_model_join(struct fl_model *m, const struct fl_workload_row *row, struct fl_workload *ret,
		  const char **ret_why, fairlead_error *err)
{
	struct fl_workload_row own = *row;
	struct fl_workload w = { m->n_vacant ? m->vacant[m->n_vacant - 1].workload.v :
					       m->n_workloads };
	int r;

	if (!m->sealed)
		return fl_fail(err, FAIRLEAD_ESTATE, "the model is not sealed");
	if ((*ret_why = why_not(m)))
		return 1;
	if (fl_named_find(m, fl_table_of_workload(m, row), row->namespace, row->name) != FL_NONE)
		return refuse(m, row, FAIRLEAD_EINPUT, fl_model_twice, err);
	if (row->podsets.n > FL_MAX_PODSETS)
		return refuse(m, row, FAIRLEAD_ELIMIT, "too many podSets", err);
	if ((r = fl_totals_fill_one(m, &own, err)) < 0)
		return r;
	if (!number_requests(m, &own) || !number_admission(m, &own)) {
		*ret_why = "it needs a resource or a flavor that the model does not have";
		return 1;
	}
	r = own.gang == FL_NONE ?
		    fl_model_resolve_workload(
			    m, &own, fl_model_default_priority(m, /* otherwise= */ 0), err) :
		    fl_entitle_resolve_one(m, &own, w.v, err);
	if (r < 0 || (r = enter(m, &own, w, err)) < 0)
		return r;
	*ret = w;
	return 0;
}

/* What was said of it beside its row is not said of the next one in its place. */
static void forget(struct fl_model *m, struct fl_workload w)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < m->n_evictions; i++)
		if (m->evictions[i].workload.v != w.v)
			m->evictions[n++] = m->evictions[i];
	m->n_evictions = n;
	n = 0;
	for (uint32_t i = 0; i < m->n_lives; i++)
		if (m->lives[i].workload.v != w.v)
			m->lives[n++] = m->lives[i];
	m->n_lives = n;
}

void fl_model_part(struct fl_model *m, struct fl_workload w)
{
	struct fl_workload_row *row = &m->workloads[w.v];

	fl_named_remove(m, w.v);
	row->finished = true;
	row->excluded = FL_EXCLUDED_FINISHED;
}

void fl_model_unpart(struct fl_model *m, struct fl_workload w, enum fl_excluded excluded)
{
	struct fl_workload_row *row = &m->workloads[w.v];

	row->finished = excluded == FL_EXCLUDED_FINISHED;
	row->excluded = excluded;
	fl_named_add(m, w.v);
}

int fl_model_vacate(struct fl_model *m, struct fl_workload w, fairlead_error *err)
{
	struct fl_workload_row *row = &m->workloads[w.v];
	int r = fl_model_push_vacant(m, &(struct fl_vacant_row){ w }, /* ret_id= */ NULL, err);

	if (r < 0)
		return r;
	forget(m, w);
	row->evicting = FL_EVICTING_NOT;
	row->admitted_queue.v = FL_NONE;
	return 0;
}

int fl_model_leave(struct fl_model *m, struct fl_workload w, fairlead_error *err)
{
	int r = fl_model_vacate(m, w, err);

	if (r == 0)
		fl_model_part(m, w);
	return r;
}
