/* SPDX-License-Identifier: Apache-2.0 */
/*
 * evidence - the rows a trial emits, gathered into what explain needs of them
 *
 * Private to ask.  Two things are kept: the first row for each (podset, flavor,
 * resource) that assignment looked at, and for each workload that was looked at
 * as a victim which checks it passed and which not.
 */
#ifndef FL_ASK_EVIDENCE_H
#define FL_ASK_EVIDENCE_H

#include "ask/explain.h"

struct fl_evidence_log {
	struct fl_workload workload;
	const struct fl_mem *mem;
	struct fl_explain_need *needs; /* podset, flavor, resource, requested only */
	uint32_t n_needs, cap_needs;
	uint32_t *failed, *held; /* by workload: bits of checks */
	uint32_t n_workloads;
	bool out_of_memory;
};

int fl_evidence_log_init(struct fl_evidence_log *log, const struct fl_mem *mem,
			 const struct fl_model *m, struct fl_workload w, struct fl_arena *arena,
			 fairlead_error *err);
void fl_evidence_log_done(struct fl_evidence_log *log);
void fl_evidence_log_row(void *log, const struct fl_evidence *row); /* for fl_sink */

/* The check that ruled @victim out; FL_CHECKS when none did. */
enum fl_check fl_evidence_log_refusal(const struct fl_evidence_log *log, uint32_t victim);

#endif
