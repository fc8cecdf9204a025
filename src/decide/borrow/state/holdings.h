/* SPDX-License-Identifier: Apache-2.0 */
/*
 * holdings - what workloads hold, as rows that exist only while they hold it
 *
 * A holding is a run of rows, for as many uses and placements as workloads of that class can ever
 * have.  One that is given back is reused by the next of the same room: so there are as many rows
 * as were ever held at once, for each room, and once that is reached nothing is allocated.
 *
 * Which rows are free changes through the undo log, and rows never move, so after a rollback all
 * rows are where they were. fl_holdings_reserve comes first, so that fl_holdings_take cannot fail.
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
	uint64_t **chunks; /* each of the same number of cells, a power of two */
	uint32_t n_chunks, cap_chunks;
	uint32_t shift, max_room;

	/* changes */
	uint32_t *free; /* by room: one that is free, and in it the next; FL_NONE */
	uint32_t used;  /* cells that were ever in use */
	uint32_t n;     /* how many are held */
};

/* For workloads that need @rows rows in all, and @max_room rows at most each. */
int fl_holdings_init(struct fl_holdings *h, uint64_t rows, uint32_t max_room,
		     const struct fl_mem *mem, fairlead_error *err);
void fl_holdings_done(struct fl_holdings *h);
/* @max_room rows at most each from now on; 1: no chunk has so many. */
int fl_holdings_widen(struct fl_holdings *h, uint32_t max_room, fairlead_error *err);

/* The end of the next one of @room, if it is taken at @at or behind it. */
uint32_t fl_holdings_end(const struct fl_holdings *h, uint32_t at, uint32_t room);
/* Allocates all cells up to @end; begin with h->used. */
int fl_holdings_reserve(struct fl_holdings *h, uint32_t end, fairlead_error *err);

/* Room in the undo log to take or give back one. */
enum { FL_HOLDINGS_UNDO = 3 * FL_UNDO_OF(uint32_t) };
uint32_t fl_holdings_take(struct fl_holdings *h, uint32_t room, struct fl_undo *undo);
void fl_holdings_give(struct fl_holdings *h, uint32_t at, uint32_t room, struct fl_undo *undo);

static inline void *fl_holdings_rows(const struct fl_holdings *h, uint32_t at)
{
	return h->chunks[at >> h->shift] + (at & ((1u << h->shift) - 1));
}

/* Uses are at the beginning, placements behind the room for uses. */
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
