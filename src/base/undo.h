/* SPDX-License-Identifier: Apache-2.0 */
/*
 * undo - old values, so that all changes since a mark can be undone
 *
 * Note a cell before writing it.  While no mark is open a note costs one branch.
 * Room is reserved before an operation starts to write, so notes cannot fail in
 * the middle of it.
 */
#ifndef FL_BASE_UNDO_H
#define FL_BASE_UNDO_H

#include "base/mem.h"

struct fl_undo {
	const struct fl_mem *mem;
	unsigned char *bytes; /* records: old value, then struct note */
	uint32_t n, cap;
	uint32_t *mark; /* what n was at each open mark */
	uint32_t marks, cap_marks;
};

void fl_undo_init(struct fl_undo *u, const struct fl_mem *mem);
void fl_undo_done(struct fl_undo *u);

/*
 * Room to undo one write of @what, a cell or a type: its old value, and where that stood.  What an
 * operation needs is the sum over what it writes at most, and stands beside the operation.
 */
#define FL_UNDO_OF(what) (FL_UNDO_NOTE + sizeof(what))
enum { FL_UNDO_NOTE = 16 };

/* So much room. Nothing to do while no mark is open. */
int fl_undo_reserve(struct fl_undo *u, size_t room, fairlead_error *err);

/*
 * Remember @size bytes at @ptr; needs room reserved.  Where that is too little a checked build stops,
 * and any other one grows the log.
 */
void fl_undo_save(struct fl_undo *u, void *ptr, uint32_t size);

static inline void fl_undo_note(struct fl_undo *u, void *ptr, uint32_t size)
{
	if (u && u->marks)
		fl_undo_save(u, ptr, size);
}

/* Marks nest: what ends one ends all newer ones. A mark that is not open is ignored. */
int fl_undo_mark(struct fl_undo *u, uint32_t *ret, fairlead_error *err);
void fl_undo_rollback(struct fl_undo *u, uint32_t mark);
/* The mark ends and what was done since stays; an older mark can still undo it. */
void fl_undo_keep(struct fl_undo *u, uint32_t mark);

#endif
