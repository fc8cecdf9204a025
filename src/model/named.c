/* SPDX-License-Identifier: Apache-2.0 */
/*
 * named - workloads by kind, namespace and name
 *
 * Of each there is its number only, in open addressing; the names are in its row.
 */
#include "model/table.h"

#include <string.h>

static bool is_named(const struct fl_model *m, uint32_t id, enum fl_table table,
		     struct fl_sym namespace, struct fl_sym name)
{
	const struct fl_workload_row *row = &m->workloads[id];

	return row->name.v == name.v && row->namespace.v == namespace.v &&
	       fl_table_of_workload(m, row) == table;
}

static uint32_t slot_of(const struct fl_model *m, enum fl_table table, struct fl_sym namespace,
			struct fl_sym name)
{
	uint32_t i = fl_slots_first(m->n_named,
				    fl_pairs_hash(fl_table_key(table, namespace), name.v));

	while (m->named[i] && !is_named(m, m->named[i] - 1, table, namespace, name))
		i = fl_slots_next(m->n_named, i);
	return i;
}

uint32_t fl_named_find(const struct fl_model *m, enum fl_table table, struct fl_sym namespace,
		       struct fl_sym name)
{
	uint32_t found = m->n_named ? m->named[slot_of(m, table, namespace, name)] : 0;

	return found ? found - 1 : FL_NONE;
}

void fl_named_add(struct fl_model *m, uint32_t id)
{
	const struct fl_workload_row *row = &m->workloads[id];

	m->named[slot_of(m, fl_table_of_workload(m, row), row->namespace, row->name)] = id + 1;
}

static uint32_t first_slot(const struct fl_model *m, uint32_t id)
{
	const struct fl_workload_row *row = &m->workloads[id];

	return fl_slots_first(m->n_named, fl_pairs_hash(fl_table_key(fl_table_of_workload(m, row),
								     row->namespace),
							row->name.v));
}

/* Those behind it, up to the next empty slot, move up where that is on their way. */
void fl_named_remove(struct fl_model *m, uint32_t id)
{
	const struct fl_workload_row *row = &m->workloads[id];
	uint32_t hole = slot_of(m, fl_table_of_workload(m, row), row->namespace, row->name);

	if (m->named[hole] != id + 1)
		return;
	for (uint32_t i = fl_slots_next(m->n_named, hole); m->named[i];
	     i = fl_slots_next(m->n_named, i)) {
		uint32_t first = first_slot(m, m->named[i] - 1);
		bool stays = hole < i ? first > hole && first <= i : first > hole || first <= i;

		if (stays)
			continue;
		m->named[hole] = m->named[i];
		hole = i;
	}
	m->named[hole] = 0;
}

int fl_named_reserve(struct fl_model *m, fairlead_error *err)
{
	uint32_t n = m->n_workloads > m->places ? m->n_workloads : m->places;
	uint32_t slots = fl_slots_more(m->n_named);
	uint32_t *slot;

	if (!fl_slots_full(m->n_named, n))
		return 0;
	while (fl_slots_full(slots, n))
		slots = fl_slots_more(slots);
	slot = m->mem->resize(m->mem->user, NULL, slots * sizeof *slot);
	if (!slot)
		return fl_fail_nomem(err);
	memset(slot, 0, slots * sizeof *slot);
	fl_mem_free(m->mem, m->named);
	m->named = slot;
	m->n_named = slots;
	for (uint32_t w = 0; w < m->n_workloads; w++)
		fl_named_add(m, w);
	return 0;
}

/* Numbers of rows, and a search that finds nothing ends, also when all places are taken. */
bool fl_named_is_sound(const struct fl_model *m)
{
	uint32_t used = 0, bad = 0;

	for (uint32_t i = 0; i < m->n_named; i++) {
		used += m->named[i] > 0;
		bad |= m->named[i] > m->n_workloads;
	}
	return !bad && (!m->n_named || fl_slots_sound(m->n_named, used)) &&
	       (!m->places || !fl_slots_full(m->n_named, m->places));
}
