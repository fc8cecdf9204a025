/* SPDX-License-Identifier: Apache-2.0 */
#include "sim/calendar.h"

void fl_calendar_init(struct fl_calendar *c, const struct fl_mem *mem)
{
	*c = (struct fl_calendar){ .mem = mem };
}

void fl_calendar_done(struct fl_calendar *c) { c->slots = fl_mem_free(c->mem, c->slots); }

static bool before(const struct fl_due_slot *a, const struct fl_due_slot *b)
{
	if (a->due.at != b->due.at)
		return a->due.at < b->due.at;
	if (a->due.kind != b->due.kind)
		return a->due.kind < b->due.kind;
	if (a->due.number != b->due.number)
		return a->due.number < b->due.number;
	return a->serial < b->serial;
}

int fl_calendar_push(struct fl_calendar *c, const struct fl_due *due, fairlead_error *err)
{
	struct fl_due_slot slot = { *due, c->serials };
	uint32_t at = c->n;
	int r = fl_mem_grow(c->mem, &c->slots, &c->cap, c->n + 1, sizeof *c->slots, err);

	if (r < 0)
		return r;
	c->serials++;
	c->n++;
	for (; at > 0 && before(&slot, &c->slots[(at - 1) / 2]); at = (at - 1) / 2)
		c->slots[at] = c->slots[(at - 1) / 2];
	c->slots[at] = slot;
	return 0;
}

const struct fl_due *fl_calendar_first(const struct fl_calendar *c)
{
	return c->n ? &c->slots[0].due : NULL;
}

void fl_calendar_pop(struct fl_calendar *c)
{
	struct fl_due_slot last = c->slots[--c->n];
	uint32_t at = 0;

	for (uint32_t child; (child = 2 * at + 1) < c->n; at = child) {
		if (child + 1 < c->n && before(&c->slots[child + 1], &c->slots[child]))
			child++;
		if (!before(&c->slots[child], &last))
			break;
		c->slots[at] = c->slots[child];
	}
	if (c->n)
		c->slots[at] = last;
}
