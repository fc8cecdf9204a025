/* SPDX-License-Identifier: Apache-2.0 */
/*
 * evidence - the rows a trial emits, gathered into what explain needs of them
 *
 * Private to ask.  Two logs: what assignment found for each (podset, flavor,
 * resource) it looked at; and what one search for victims said of each workload,
 * and of nodes as a whole.  A check that is not known here is kept like any other.
 */
#ifndef FL_ASK_BORROW_EVIDENCE_H
#define FL_ASK_BORROW_EVIDENCE_H

#include "ask/borrow/explain.h"

struct fl_evidence_log {
	struct fl_workload workload;
	const struct fl_mem *mem;
	struct fl_explain_need *needs; /* podset, flavor, resource, requested; check when refused */
	uint32_t n_needs, cap_needs;
	uint32_t search; /* the last one for victims */
	bool out_of_memory;
};

void fl_evidence_log_init(struct fl_evidence_log *log, const struct fl_mem *mem,
			  struct fl_workload w);
void fl_evidence_log_done(struct fl_evidence_log *log);
void fl_evidence_log_row(void *log, const struct fl_evidence *row); /* for fl_sink */

/*
 * The last search that a column was needed in, of those for all pods (later ones, for
 * fewer, are partial admission's).  All in the arena.
 */
struct fl_victim_log {
	struct fl_workload workload;
	const struct fl_tree *tree;
	struct fl_column column;            /* that was needed */
	uint32_t search;                    /* that these are of; 0: there was none */
	uint32_t *ids, n;                   /* of the tree that hold quota, ascending */
	uint32_t *said_of;                  /* by index in ids: == search when a row was about it */
	struct fl_explain_refusal *refused; /* the same: n == 0 when nothing failed */
	uint32_t *node_said;                /* by node, the same for all below it */
	struct fl_explain_refusal *node_refused;
	uint32_t *needed;              /* by column: == search */
	struct fl_explain_refusal all; /* the last FITS_WITHOUT: without all that were chosen */
	bool enough;                   /* and it held: what was taken last is `all.victim` */
	struct fl_evidence first;      /* row of assignment: when it comes again, for fewer pods */
	bool any, again;
};

int fl_victim_log_init(struct fl_victim_log *log, const struct fl_policy *p, struct fl_workload w,
		       struct fl_column column, struct fl_arena *arena, fairlead_error *err);
void fl_victim_log_row(void *log, const struct fl_evidence *row); /* for fl_sink */

#endif
