/* SPDX-License-Identifier: Apache-2.0 */
/*
 * holdings - what workloads hold, as rows that exist only while they hold it
 *
 * A holding is a run of rows for as many uses and placements as workloads of that shape can
 * ever have.  Those given back are used again by the next of the same room, so rows take as much
 * as the most that was held at once of each room, and nothing is allocated once that was seen.
 *
 * Which rows are free changes through the undo log, and rows never move; so a rollback finds
 * everything where it was.  fl_holdings_reserve comes before, fl_holdings_take cannot fail.
 *
 * Private to decide/borrow.
 */
#ifndef FL_DECIDE_BORROW_STATE_HOLDINGS_H
#define FL_DECIDE_BORROW_STATE_HOLDINGS_H

#include "base/amount.h"
#include "base/undo.h"
#include "record/record.h"

/* An amount of one column. */
struct fl_use {
	struct fl_column column;
	fl_amount amount;
};

struct fl_holdings {
	const struct fl_mem *mem;
	uint64_t **chunks; /* of the same number of cells each, a power of two */
	uint32_t n_chunks, cap_chunks;
	uint32_t shift, max_room;

	/* changes */
	uint32_t *free; /* by room: one that was given back, and in it the next; FL_NONE */
	uint32_t used;  /* cells that were ever taken */
	uint32_t n;     /* so many are held */
};

/* For workloads with room for @rows rows in all, and @max_room of them at most. */
int fl_holdings_init(struct fl_holdings *h, uint64_t rows, uint32_t max_room,
		     const struct fl_mem *mem, fairlead_error *err);
void fl_holdings_done(struct fl_holdings *h);

/* Where the next one of @room ends when it is taken at @at or behind. */
uint32_t fl_holdings_end(const struct fl_holdings *h, uint32_t at, uint32_t room);
/* Room for all up to @end; begin with h->used. */
int fl_holdings_reserve(struct fl_holdings *h, uint32_t end, fairlead_error *err);

/* Room to undo that one is taken or given back. */
enum { FL_HOLDINGS_UNDO = 3 * FL_UNDO_OF(uint32_t) };
uint32_t fl_holdings_take(struct fl_holdings *h, uint32_t room, struct fl_undo *undo);
void fl_holdings_give(struct fl_holdings *h, uint32_t at, uint32_t room, struct fl_undo *undo);

static inline void *fl_holdings_rows(const struct fl_holdings *h, uint32_t at)
{
	return h->chunks[at >> h->shift] + (at & ((1u << h->shift) - 1));
}

/* Uses stand first, placements behind the last there is room for. */
static inline struct fl_use *fl_holdings_uses(const struct fl_holdings *h, uint32_t at)
{
	return at == FL_NONE ? NULL : fl_holdings_rows(h, at);
}
static inline struct fl_placement *fl_holdings_placements(const struct fl_holdings *h, uint32_t at,
							  uint32_t room)
{
	return at == FL_NONE ? NULL : (void *)(fl_holdings_uses(h, at) + room);
}

#endif
