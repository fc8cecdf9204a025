/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gather - rows that are gathered with their texts, and become durable together
 *
 * All of a batch is the gatherer's, until it is cleared.  Not for several threads at once: one that is being
 * committed is left alone.  Tested by all that write (tests/unit/daemon).
 */
#ifndef FL_STORE_GATHER_H
#define FL_STORE_GATHER_H

#include "base/mem.h"
#include "store/row.h"

struct fl_gathered {
	struct fl_arena arena; /* of texts */
	struct fl_batch rows;
	uint32_t caps[FL_BATCH_PARTS];
};

void fl_gathered_init(struct fl_gathered *g);
void fl_gathered_done(struct fl_gathered *g);
void fl_gathered_clear(struct fl_gathered *g); /* keeps memory */
uint32_t fl_gathered_count(const struct fl_gathered *g);

/* Copies a row of that part with its texts, but not the spec of a job. All or nothing. */
int fl_gathered_add(struct fl_gathered *g, enum fl_batch_part part, const void *row,
		    fairlead_error *err);
/* NULL stays NULL. */
int fl_gathered_text(struct fl_gathered *g, const char **text, fairlead_error *err);

/* The part for rows of its type. */
#define FL_BATCH_PART_OF(row)                                                                      \
	_Generic(*(row), struct fl_journal_row                                                     \
		 : FL_BATCH_JOURNAL, struct fl_job_row                                             \
		 : FL_BATCH_JOBS, struct fl_event_row                                              \
		 : FL_BATCH_EVENTS, struct fl_admission_row                                        \
		 : FL_BATCH_ADMISSIONS, struct fl_condition_row                                    \
		 : FL_BATCH_CONDITIONS, struct fl_audit_row                                        \
		 : FL_BATCH_AUDIT, struct fl_setting                                               \
		 : FL_BATCH_SETTINGS, struct fl_token_row                                          \
		 : FL_BATCH_TOKENS, struct fl_object_row                                           \
		 : FL_BATCH_OBJECTS)

#endif
