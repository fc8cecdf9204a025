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

int fl_named_reserve(struct fl_model *m, fairlead_error *err)
{
	uint32_t slots = fl_slots_more(m->n_named);
	uint32_t *slot;

	if (!fl_slots_full(m->n_named, m->n_workloads))
		return 0;
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

/* Numbers of rows, and a search that finds nothing ends. */
bool fl_named_is_sound(const struct fl_model *m)
{
	uint32_t used = 0, bad = 0;

	for (uint32_t i = 0; i < m->n_named; i++) {
		used += m->named[i] > 0;
		bad |= m->named[i] > m->n_workloads;
	}
	return !bad && (!m->n_named || fl_slots_sound(m->n_named, used));
}
