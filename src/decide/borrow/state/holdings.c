/* SPDX-License-Identifier: Apache-2.0 */
#include "decide/borrow/state/holdings.h"

enum {
	ROW_CELLS = (sizeof(struct fl_use) + sizeof(struct fl_placement)) / sizeof(uint64_t),
	CHUNK_CELLS = 1 << 12, /* 32 KiB, or all that can ever be needed if that is less */
};

/* A holding without rows has one cell too, in which the next free one is noted. */
static uint32_t cells_of(uint32_t room) { return room ? room * ROW_CELLS : 1; }

int fl_holdings_init(struct fl_holdings *h, uint64_t rows, uint32_t max_room,
		     const struct fl_mem *mem, fairlead_error *err)
{
	uint64_t cells = rows * ROW_CELLS < CHUNK_CELLS ? rows * ROW_CELLS : CHUNK_CELLS;

	if (cells < cells_of(max_room))
		cells = cells_of(max_room);
	*h = (struct fl_holdings){ .mem = mem, .max_room = max_room };
	while ((UINT64_C(1) << h->shift) < cells)
		h->shift++;
	h->free = mem->resize(mem->user, NULL, ((size_t)max_room + 1) * sizeof *h->free);
	if (!h->free)
		return fl_fail_nomem(err);
	for (uint32_t room = 0; room <= max_room; room++)
		h->free[room] = FL_NONE;
	return 0;
}

void fl_holdings_done(struct fl_holdings *h)
{
	if (!h->mem)
		return;
	for (uint32_t i = 0; i < h->n_chunks; i++)
		fl_mem_free(h->mem, h->chunks[i]);
	fl_mem_free(h->mem, h->chunks);
	fl_mem_free(h->mem, h->free);
	*h = (struct fl_holdings){ 0 };
}

int fl_holdings_widen(struct fl_holdings *h, uint32_t max_room, fairlead_error *err)
{
	uint32_t *free;

	if (cells_of(max_room) > 1u << h->shift)
		return 1;
	free = h->mem->resize(h->mem->user, h->free, ((size_t)max_room + 1) * sizeof *h->free);
	if (!free)
		return fl_fail_nomem(err);
	for (uint32_t room = h->max_room + 1; room <= max_room; room++)
		free[room] = FL_NONE;
	h->free = free;
	h->max_room = max_room;
	return 0;
}

/* No holding crosses the end of a chunk. */
static uint32_t begin_of(const struct fl_holdings *h, uint32_t at, uint32_t room)
{
	uint32_t chunk = 1u << h->shift;

	return (at & (chunk - 1)) + cells_of(room) <= chunk ? at : (at | (chunk - 1)) + 1;
}

uint32_t fl_holdings_end(const struct fl_holdings *h, uint32_t at, uint32_t room)
{
	return begin_of(h, at, room) + cells_of(room);
}

int fl_holdings_reserve(struct fl_holdings *h, uint32_t end, fairlead_error *err)
{
	uint32_t n = end ? ((end - 1) >> h->shift) + 1 : 0;
	int r = fl_mem_grow(h->mem, &h->chunks, &h->cap_chunks, n, sizeof *h->chunks, err);

	if (r < 0)
		return r;
	for (; h->n_chunks < n; h->n_chunks++) {
		uint64_t *chunk = h->mem->resize(h->mem->user, NULL,
						 sizeof *chunk * ((size_t)1 << h->shift));

		if (!chunk)
			return fl_fail_nomem(err);
		h->chunks[h->n_chunks] = chunk;
	}
	return 0;
}

uint32_t fl_holdings_take(struct fl_holdings *h, uint32_t room, struct fl_undo *undo)
{
	uint32_t at = h->free[room];

	fl_undo_note(undo, &h->n, sizeof h->n);
	h->n++;
	if (at == FL_NONE) {
		at = begin_of(h, h->used, room);
		fl_undo_note(undo, &h->used, sizeof h->used);
		h->used = at + cells_of(room);
	} else {
		fl_undo_note(undo, &h->free[room], sizeof h->free[room]);
		h->free[room] = *(const uint32_t *)fl_holdings_rows(h, at);
	}
	return at;
}

void fl_holdings_give(struct fl_holdings *h, uint32_t at, uint32_t room, struct fl_undo *undo)
{
	uint32_t *next = fl_holdings_rows(h, at);

	fl_undo_note(undo, &h->n, sizeof h->n);
	h->n--;
	fl_undo_note(undo, next, sizeof *next);
	fl_undo_note(undo, &h->free[room], sizeof h->free[room]);
	*next = h->free[room];
	h->free[room] = at;
}
