/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/engine/alike.h"

#include <string.h>

#include "base/mem.h"
#include "base/mix.h"

enum { FIRST_SLOTS = 64 };

uint64_t fl_alike_name(const char *name)
{
	uint64_t hash[2] = { 0, strlen(name) };

	if (!*name)
		return 0;
	for (; *name; name++)
		fl_mix(hash, (unsigned char)*name);
	return hash[0] ? hash[0] : 1;
}

void fl_alike_done(struct fl_alike *a)
{
	fl_mem_free(&fl_mem_heap, a->rows);
	*a = (struct fl_alike){ 0 };
}

static uint32_t home(const struct fl_alike *a, uint32_t user, uint64_t name)
{
	uint64_t hash[2] = { name, 0 };

	fl_mix(hash, user);
	return (uint32_t)hash[0] & (a->slots - 1);
}

/* Its slot, or the free one where it would be. */
static uint32_t slot_of(const struct fl_alike *a, uint32_t user, uint64_t name)
{
	uint32_t at = home(a, user, name);

	while (a->rows[at].n && (a->rows[at].user != user || a->rows[at].name != name))
		at = (at + 1) & (a->slots - 1);
	return at;
}

int fl_alike_reserve(struct fl_alike *a, fairlead_error *err)
{
	struct fl_alike more = { .slots = a->slots ? a->slots * 2 : FIRST_SLOTS, .used = a->used };

	if (a->slots && a->used + 1 < a->slots / 4 * 3)
		return 0;
	more.rows = fl_mem_heap.resize(fl_mem_heap.user, NULL, more.slots * sizeof *more.rows);
	if (!more.rows)
		return fl_fail_nomem(err);
	memset(more.rows, 0, more.slots * sizeof *more.rows);
	for (uint32_t i = 0; i < a->slots; i++)
		if (a->rows[i].n)
			more.rows[slot_of(&more, a->rows[i].user, a->rows[i].name)] = a->rows[i];
	fl_mem_free(&fl_mem_heap, a->rows);
	*a = more;
	return 0;
}

void fl_alike_add(struct fl_alike *a, struct fl_sym user, uint64_t name, uint64_t job,
		  bool singleton)
{
	struct fl_alike_row *row = &a->rows[slot_of(a, user.v, name)];

	if (row->n == 0)
		a->used++;
	if (row->n == 0 || job < row->since)
		row->since = job;
	row->user = user.v;
	row->name = name;
	row->n++;
	row->singletons += singleton;
}

/* Rows behind a slot that becomes free move forward, as long as that brings them nearer home. */
static void close_gap(struct fl_alike *a, uint32_t gap)
{
	const uint32_t mask = a->slots - 1;

	for (uint32_t at = (gap + 1) & mask; a->rows[at].n; at = (at + 1) & mask) {
		uint32_t from = home(a, a->rows[at].user, a->rows[at].name);

		if (((at - from) & mask) < ((at - gap) & mask))
			continue;
		a->rows[gap] = a->rows[at];
		a->rows[at] = (struct fl_alike_row){ 0 };
		gap = at;
	}
}

void fl_alike_drop(struct fl_alike *a, struct fl_sym user, uint64_t name, bool singleton)
{
	uint32_t at = slot_of(a, user.v, name);

	a->rows[at].singletons -= singleton;
	if (--a->rows[at].n)
		return;
	a->used--;
	close_gap(a, at);
}

struct fl_alike_row fl_alike_find(const struct fl_alike *a, struct fl_sym user, uint64_t name)
{
	return a->slots ? a->rows[slot_of(a, user.v, name)] : (struct fl_alike_row){ 0 };
}

void fl_alike_note(struct fl_alike *a, struct fl_sym user, uint64_t name, uint64_t job)
{
	a->rows[slot_of(a, user.v, name)].since = job;
}
