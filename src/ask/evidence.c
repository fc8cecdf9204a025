/* SPDX-License-Identifier: Apache-2.0 */
#include "ask/evidence.h"

_Static_assert(FL_CHECKS <= 32, "checks are kept as bits");

int fl_evidence_log_init(struct fl_evidence_log *log, const struct fl_mem *mem,
			 const struct fl_model *m, struct fl_workload w, struct fl_arena *arena,
			 fairlead_error *err)
{
	*log = (struct fl_evidence_log){ .workload = w, .mem = mem, .n_workloads = m->n_workloads };
	log->failed = fl_arena_alloc(arena, m->n_workloads, sizeof(*log->failed), err);
	if (!log->failed)
		return FAIRLEAD_ENOMEM;
	log->held = fl_arena_alloc(arena, m->n_workloads, sizeof(*log->held), err);
	return log->held ? 0 : FAIRLEAD_ENOMEM;
}

void fl_evidence_log_done(struct fl_evidence_log *log)
{
	log->needs = fl_mem_free(log->mem, log->needs);
}

static void log_need(struct fl_evidence_log *log, const struct fl_evidence *row)
{
	bool match = row->check != FL_CHECK_FLAVOR;
	struct fl_resource resource = { match ? row->resource.v : FL_NONE };

	/* The full assignment comes first; later rows are of tries with fewer pods. */
	for (uint32_t i = 0; i < log->n_needs; i++)
		if (log->needs[i].podset == row->podset &&
		    log->needs[i].flavor.v == row->flavor.v &&
		    log->needs[i].resource.v == resource.v)
			return;
	if (fl_mem_grow(log->mem, &log->needs, &log->cap_needs, log->n_needs + 1,
			sizeof(*log->needs),
			/* err= */ NULL) < 0) {
		log->out_of_memory = true;
		return;
	}
	log->needs[log->n_needs++] = (struct fl_explain_need){
		.podset = row->podset,
		.flavor = row->flavor,
		.resource = resource,
		.requested = match ? row->lhs.amount : 0,
		.verdict = match ? FL_NEED_FITS : FL_NEED_NO_MATCH,
	};
}

void fl_evidence_log_row(void *user, const struct fl_evidence *row)
{
	struct fl_evidence_log *log = user;

	if (row->workload.v != log->workload.v)
		return;
	if (row->victim.v < log->n_workloads) {
		uint32_t *bits = row->holds ? log->held : log->failed;

		bits[row->victim.v] |= UINT32_C(1) << row->check;
		return;
	}
	if (row->podset == FL_NONE || row->flavor.v == FL_NONE)
		return;
	switch (row->check) {
	case FL_CHECK_FLAVOR:
		if (!row->holds)
			log_need(log, row);
		return;
	case FL_CHECK_POTENTIAL:
	case FL_CHECK_AVAILABLE:
		if (row->resource.v != FL_NONE)
			log_need(log, row);
		return;
	default:
		return;
	}
}

/*
 * In the order a victim meets them.  Whoever failed the first fairness rule may
 * still have passed the second, and then nothing ruled it out.
 */
enum fl_check fl_evidence_log_refusal(const struct fl_evidence_log *log, uint32_t victim)
{
	static const enum fl_check order[] = {
		FL_CHECK_VICTIM_POLICY,   FL_CHECK_VICTIM_USES, FL_CHECK_VICTIM_BORROWS,
		FL_CHECK_VICTIM_PRIORITY, FL_CHECK_S2A,         FL_CHECK_S2B,
	};
	uint32_t failed = log->failed[victim], held = log->held[victim];
	uint32_t fair = UINT32_C(1) << FL_CHECK_S2A | UINT32_C(1) << FL_CHECK_S2B;

	if (held & fair)
		failed &= ~fair;
	for (unsigned i = 0; i < sizeof(order) / sizeof(order[0]); i++)
		if (failed & (UINT32_C(1) << order[i]))
			return order[i];
	return FL_CHECKS;
}
