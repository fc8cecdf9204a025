/* SPDX-License-Identifier: Apache-2.0 */
/*
 * room - more room for a queue's members, classes, holders: outside marks
 *
 * A queue moves to where it has a quarter more; when an array is used up all of its queues are packed
 * at its begin, and what was free between them is at its end.  That costs what the cluster costs, once
 * for about as many newcomers.
 */
#include <string.h>

#include "base/sort.h"
#include "decide/borrow/backlog/backlog.h"
#include "decide/borrow/doors/room.h"
#include "decide/borrow/guarantee/protect.h"

/* --- what moves --- */

/* One of a queue's spans, and how it moves to @to, which is where it is free, or below and across. */
struct part {
	struct fl_spans *(*spans)(struct fl_policy *p);
	struct fl_span (*span)(const struct fl_backlog *b);
	void (*move)(struct fl_policy *p, struct fl_backlog *b, uint32_t to);
};

static void move_bit(struct fl_bitset *s, uint32_t from, uint32_t to)
{
	bool in = fl_bitset_has(s, from);

	fl_bitset_put(s, from, false, /* undo= */ NULL);
	fl_bitset_put(s, to, in, /* undo= */ NULL);
}

static struct fl_spans *member_spans(struct fl_policy *p) { return &p->member_spans; }
static struct fl_span member_span(const struct fl_backlog *b)
{
	return (struct fl_span){ b->members.first, b->room };
}
static void move_members(struct fl_policy *p, struct fl_backlog *b, uint32_t to)
{
	uint32_t from = b->members.first, n = b->members.n;

	memmove(p->members + to, p->members + from, n * sizeof *p->members);
	memmove(p->eq_class_ids + to, p->eq_class_ids + from, n * sizeof *p->eq_class_ids);
	for (uint32_t i = 0; i < n; i++)
		move_bit(&p->with_class, from + i, to + i);
	for (uint32_t i = b->eq_classes.first; i < b->eq_classes.first + b->eq_classes.n; i++)
		p->eq_classes[i].members.first += to - from;
	b->members.first = to;
}

static struct fl_spans *scan_spans(struct fl_policy *p) { return &p->scan_spans; }
static struct fl_span scan_span(const struct fl_backlog *b) { return b->scans; }
static void move_scans(struct fl_policy *p, struct fl_backlog *b, uint32_t to)
{
	uint32_t from = b->scans.first;
	int16_t *promised = p->protect ? fl_protect_scans(p) : NULL;

	memmove(p->scans + to, p->scans + from, b->scans.n * sizeof *p->scans);
	if (promised)
		memmove(promised + to, promised + from, b->scans.n * sizeof *promised);
	for (uint32_t i = b->eq_classes.first; i < b->eq_classes.first + b->eq_classes.n; i++)
		p->eq_classes[i].scans += to - from;
	b->scans.first = to;
}

static struct fl_spans *class_spans(struct fl_policy *p) { return &p->class_spans; }
static struct fl_span class_span(const struct fl_backlog *b) { return b->eq_classes; }
static void move_eq_classes(struct fl_policy *p, struct fl_backlog *b, uint32_t to)
{
	uint32_t from = b->eq_classes.first, n = b->eq_classes.n;

	memmove(p->eq_classes + to, p->eq_classes + from, n * sizeof *p->eq_classes);
	memmove(p->heads + 2 * (size_t)to, p->heads + 2 * (size_t)from,
		2 * (size_t)n * sizeof *p->heads);
	for (uint32_t i = 0; i < n; i++)
		move_bit(&p->marked, from + i, to + i);
	for (uint32_t i = b->members.first; i < b->members.first + b->members.n; i++)
		p->jobs[p->members[i]].eq_class += to - from;
	b->eq_classes.first = to;
}

static struct fl_spans *holder_spans(struct fl_policy *p) { return &p->holder_spans; }
static struct fl_span holder_span(const struct fl_backlog *b) { return b->holders; }
static void move_holders(struct fl_policy *p, struct fl_backlog *b, uint32_t to)
{
	uint32_t from = b->holders.first, n = b->holders.n;

	memmove(p->holders + to, p->holders + from, n * sizeof *p->holders);
	memmove(p->candidates + to, p->candidates + from, n * sizeof *p->candidates);
	b->holders.first = to;
}

static const struct part members = { member_spans, member_span, move_members };
static const struct part scans = { scan_spans, scan_span, move_scans };
static const struct part eq_classes = { class_spans, class_span, move_eq_classes };
static const struct part holders = { holder_spans, holder_span, move_holders };

/* --- packing --- */

struct packing {
	const struct fl_policy *p;
	const struct part *part;
};

static int cmp_firsts(const void *packing, uint32_t a, uint32_t b)
{
	const struct packing *k = packing;
	uint32_t x = k->part->span(&k->p->backlogs[a]).first;
	uint32_t y = k->part->span(&k->p->backlogs[b]).first;

	return (x > y) - (x < y);
}

static bool pack(struct fl_policy *p, const struct part *part)
{
	const struct packing k = { p, part };
	uint32_t n = 0, all = p->model->n_nodes + 1, end = 0;
	uint32_t *order = p->mem->resize(p->mem->user, NULL, 2 * (size_t)all * sizeof *order);

	if (!order)
		return false;
	for (uint32_t q = 0; q < all; q++)
		if (part->span(&p->backlogs[q]).n)
			order[n++] = q;
	fl_sort(order, n, order + all, cmp_firsts, &k);
	for (uint32_t i = 0; i < n; i++) {
		struct fl_backlog *b = &p->backlogs[order[i]];
		struct fl_span span = part->span(b);

		if (span.first != end)
			part->move(p, b, end);
		end += span.n;
	}
	fl_mem_free(p->mem, order);
	*part->spans(p) = (struct fl_spans){ .end = end, .cap = part->spans(p)->cap };
	return true;
}

static bool take(struct fl_policy *p, const struct part *part, uint32_t n, uint32_t *ret_first)
{
	struct fl_spans *s = part->spans(p);

	return fl_spans_take(s, n, ret_first) || (pack(p, part) && fl_spans_take(s, n, ret_first));
}

/* --- more of it --- */

static uint32_t more(uint32_t n) { return n + n / 4 + 4; }

bool fl_room_for_class(struct fl_policy *p, struct fl_backlog *b)
{
	struct fl_span from, to = { 0, more(b->eq_classes.n) };

	if (!take(p, &eq_classes, to.n, &to.first))
		return false;
	from = b->eq_classes;
	memset(p->eq_classes + to.first, 0, to.n * sizeof *p->eq_classes);
	move_eq_classes(p, b, to.first);
	b->eq_classes = to;
	fl_spans_give(&p->class_spans, from.first, from.n);
	if (p->n_eq_classes < to.first + to.n)
		p->n_eq_classes = to.first + to.n;
	/* A tree of other size: made anew. */
	memset(p->heads + 2 * (size_t)to.first, 0xff, 2 * (size_t)to.n * sizeof *p->heads);
	if (b != &p->backlogs[p->model->n_nodes])
		fl_backlog_note_eq_classes(p, (struct fl_node){ (uint32_t)(b - p->backlogs) });
	return true;
}

static bool grow_bits(struct fl_bitset *s, uint32_t room, struct fl_policy *p)
{
	struct fl_bitset wider;

	if (room <= s->size)
		return true;
	if (fl_bitset_init(&wider, room, &p->arena, /* err= */ NULL) < 0)
		return false;
	for (uint32_t i = fl_bitset_next(s, 0); i != FL_NONE; i = fl_bitset_next(s, i + 1))
		fl_bitset_add(&wider, i, /* undo= */ NULL);
	*s = wider;
	return true;
}

/* The scan positions of all classes go to @to, @stride apart. */
static void space_scans(struct fl_policy *p, const struct fl_backlog *b, uint32_t to,
			uint32_t stride)
{
	int16_t *promised = p->protect ? fl_protect_scans(p) : NULL;

	for (uint32_t i = b->eq_classes.first; i < b->eq_classes.first + b->eq_classes.n; i++) {
		struct fl_eq_class *c = &p->eq_classes[i];
		uint32_t at = to + (c->members.first - b->members.first) * stride;

		for (uint32_t m = 0; m < c->members.n; m++) {
			const size_t bytes = c->n_scan * sizeof *p->scans;
			uint32_t there = at + m * stride, here = c->scans + m * c->stride;

			memcpy(p->scans + there, p->scans + here, bytes);
			if (promised)
				memcpy(promised + there, promised + here, bytes);
		}
		c->scans = at;
		c->stride = stride;
	}
}

uint32_t fl_room_stride(const struct fl_backlog *b) { return b->room ? b->scans.n / b->room : 0; }

bool fl_room_for_member(struct fl_policy *p, struct fl_backlog *b, uint32_t n_scan)
{
	uint32_t stride = fl_room_stride(b), room = b->room, to, there;
	struct fl_span from;

	if (b->members.n == b->room)
		room = more(room);
	if (n_scan > stride)
		stride = n_scan;
	if (b->loose.levels && (!grow_bits(&b->loose, room, p) || !grow_bits(&b->parked, room, p)))
		return false;
	if (!take(p, &scans, room * stride, &there))
		return false;
	if (room > b->room) {
		if (!take(p, &members, room, &to)) {
			fl_spans_give(&p->scan_spans, there, room * stride);
			return false;
		}
		from = member_span(b);
		move_members(p, b, to);
		fl_spans_give(&p->member_spans, from.first, from.n);
		b->room = room;
	}
	space_scans(p, b, there, stride);
	fl_spans_give(&p->scan_spans, b->scans.first, b->scans.n);
	b->scans = (struct fl_span){ there, room * stride };
	return true;
}

/* Workloads that may hold quota in a tree. */
static uint32_t may_hold(const struct fl_policy *p, uint32_t root)
{
	struct fl_span queues = p->tree.queues[root];
	uint32_t n = 0;

	for (uint32_t i = queues.first; i < queues.first + queues.n; i++)
		n += p->backlogs[p->tree.queue_ids[i]].holders.n;
	return n;
}

/* The lists of all trees are derived: they are made again when they are asked for. */
static void pack_trees(struct fl_policy *p)
{
	uint32_t end = 0;

	for (uint32_t root = 0; root < p->tree.n_roots; root++) {
		p->tree_first[root] = end;
		p->tree_sorted_epoch[root] = UINT64_MAX;
		end += p->tree_room[root];
	}
	p->tree_spans = (struct fl_spans){ .end = end, .cap = p->tree_spans.cap };
}

static bool for_tree(struct fl_policy *p, uint32_t root)
{
	uint32_t need = may_hold(p, root), was = p->tree_room[root], room = more(need), first;

	if (!p->tree_spans.cap || was >= need)
		return true;
	fl_spans_give(&p->tree_spans, p->tree_first[root], was);
	p->tree_sorted_epoch[root] = UINT64_MAX;
	p->tree_room[root] = 0;
	if (!fl_spans_take(&p->tree_spans, room, &first)) {
		pack_trees(p);
		if (!fl_spans_take(&p->tree_spans, room, &first) &&
		    !fl_spans_take(&p->tree_spans, room = was, &first))
			return false; /* there was as much before */
	}
	p->tree_first[root] = first;
	p->tree_room[root] = room;
	return room >= need;
}

bool fl_room_for_holder(struct fl_policy *p, struct fl_node q)
{
	struct fl_backlog *b = &p->backlogs[q.v];
	uint32_t room = more(b->holders.n), root = p->tree.root_index[q.v], to;
	struct fl_span from;

	if (!take(p, &holders, room, &to))
		return false;
	from = b->holders;
	move_holders(p, b, to);
	fl_spans_give(&p->holder_spans, from.first, from.n);
	b->holders.n = room;
	if (root == FL_NONE || for_tree(p, root))
		return true;
	b->holders.n = from.n; /* its tree has no room for more */
	return false;
}
