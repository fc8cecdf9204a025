/* SPDX-License-Identifier: Apache-2.0 */
#include "decide/borrow/cycle/tournament.h"

#include "base/check.h"
#include "decide/borrow/cycle/heads.h"

int fl_tournament_new(struct fl_cycle *c, struct fl_arena *a, uint32_t nodes, fairlead_error *err)
{
	c->contenders = fl_arena_alloc(a, nodes, sizeof *c->contenders, err);
	c->paths = fl_arena_alloc(a, nodes, sizeof *c->paths, err);
	c->rounds = fl_arena_alloc(a, 2 * (size_t)nodes, sizeof *c->rounds, err);
	return c->contenders && c->paths && c->rounds ? 0 : FAIRLEAD_ENOMEM;
}

/* --- paths --- */

static void link_node(struct fl_policy *p, uint32_t n)
{
	struct fl_cycle *c = p->scratch;

	c->contenders[n] = (struct fl_contender){ .cycle = c->marks.serial, .at = c->n_paths };
	c->paths[c->n_paths++] = n;
}

/* The parent of the first node in paths, from *@at on, whose parent is not linked yet; FL_NONE. */
static uint32_t next_parent(const struct fl_policy *p, uint32_t *at)
{
	const struct fl_cycle *c = p->scratch;

	for (; *at < c->n_paths; ++*at) {
		uint32_t parent = p->tree.parent[c->paths[*at]];

		if (parent != FL_NONE && c->contenders[parent].cycle != c->marks.serial)
			return parent;
	}
	return FL_NONE;
}

static bool is_later(const struct fl_policy *p, uint32_t a, uint32_t b)
{
	return b == FL_NONE || (a != FL_NONE && p->tree.place[a] > p->tree.place[b]);
}

/*
 * Heads stand in the order of their places, and in the tree's order, which is by depth, parents
 * stand as their children do.  So the last of the heads and of the parents is always at hand.
 */
static void link_paths(struct fl_policy *p)
{
	struct fl_cycle *c = p->scratch;
	uint32_t heads = c->n_heads, below = 0;

	c->n_paths = 0;
	for (;;) {
		uint32_t parent = next_parent(p, &below);
		uint32_t head = FL_NONE;

		while (heads && c->heads[heads - 1].entry == FL_NONE)
			heads--;
		if (heads)
			head = c->heads[heads - 1].queue.v;
		if (parent == FL_NONE && head == FL_NONE)
			break;
		if (is_later(p, head, parent)) {
			link_node(p, head);
			heads--;
		} else {
			link_node(p, parent);
		}
	}
	for (uint32_t i = 0; i < c->n_paths; i++) {
		uint32_t parent = p->tree.parent[c->paths[i]];

		if (parent == FL_NONE)
			continue;
		if (c->contenders[parent].n++ == 0)
			c->contenders[parent].first = i;
	}
}

/* --- rounds --- */

/* The better of two children; FL_NONE when neither has a head left. */
static uint32_t play(const struct fl_policy *p, uint32_t a, uint32_t b)
{
	const struct fl_contender *k = p->scratch->contenders;
	bool has_a = a != FL_NONE && k[a].entry, has_b = b != FL_NONE && k[b].entry;

	if (has_a && has_b)
		return fl_order_cmp(p, &k[a], &k[b]) < 0 ? a : b;
	return has_a ? a : has_b ? b : FL_NONE;
}

/* Who stands at @i of the tree of rounds of @k, whose last k->n places are the children. */
static uint32_t standing(const struct fl_cycle *c, const struct fl_contender *k, uint32_t i)
{
	return i >= k->n ? c->paths[k->first + i - k->n] : c->rounds[2 * (size_t)k->first + i];
}

static void play_round(const struct fl_policy *p, const struct fl_contender *k, uint32_t i)
{
	struct fl_cycle *c = p->scratch;

	c->rounds[2 * (size_t)k->first + i] = play(p, standing(c, k, 2 * i),
						   standing(c, k, 2 * i + 1));
}

/* The cohort's contender is that of the child that won all rounds. */
static void crown(struct fl_policy *p, struct fl_contender *k)
{
	uint32_t best = standing(p->scratch, k, 1);

	k->entry = best == FL_NONE ? NULL : p->scratch->contenders[best].entry;
}

static void compare_by(struct fl_policy *p, uint32_t n)
{
	struct fl_contender *k = &p->scratch->contenders[n];

	if (k->entry && p->tree.parent[n] != FL_NONE)
		fl_order_value(p, (struct fl_node){ n }, k);
}

#ifdef FL_CHECKED
static void check(const struct fl_policy *p)
{
	const struct fl_cycle *c = p->scratch;

	for (uint32_t i = 0; i < c->n_paths; i++) {
		const struct fl_contender *k = &c->contenders[c->paths[i]];
		const struct fl_contender *best = NULL;

		FL_CHECK(k->at == i && k->cycle == c->marks.serial);
		FL_CHECK(i == 0 || p->tree.place[c->paths[i]] < p->tree.place[c->paths[i - 1]]);
		for (uint32_t j = k->first; j < k->first + k->n; j++) {
			const struct fl_contender *child = &c->contenders[c->paths[j]];
			struct fl_contender now = *child;

			FL_CHECK(p->tree.parent[c->paths[j]] == c->paths[i]);
			if (!child->entry)
				continue;
			fl_order_value((struct fl_policy *)p, (struct fl_node){ c->paths[j] },
				       &now);
			FL_CHECK(now.borrows == child->borrows &&
				 fl_drs_cmp(&now.drs, &child->drs) == 0);
			if (!best || fl_order_cmp(p, child, best) < 0)
				best = child;
		}
		if (k->n)
			FL_CHECK(k->entry == (best ? best->entry : NULL));
		else
			FL_CHECK(!k->entry || !k->entry->processed);
	}
}
#endif

void fl_tournament_start(struct fl_policy *p)
{
	struct fl_cycle *c = p->scratch;

	link_paths(p);
	for (uint32_t i = 0; i < c->n_paths; i++) {
		uint32_t n = c->paths[i];
		struct fl_contender *k = &c->contenders[n];

		if (p->tree.is_cohort[n]) {
			for (uint32_t round = k->n; round-- > 1;)
				play_round(p, k, round);
			crown(p, k);
		} else if (!c->entries[c->entry_of[n] - 1].processed) {
			k->entry = &c->entries[c->entry_of[n] - 1];
		}
		compare_by(p, n);
	}
#ifdef FL_CHECKED
	check(p);
#endif
}

void fl_tournament_served(struct fl_policy *p, const struct fl_entry *e)
{
	struct fl_cycle *c = p->scratch;
	uint32_t n = e->queue.v;

	c->contenders[n].entry = NULL;
	for (uint32_t parent = p->tree.parent[n]; parent != FL_NONE;
	     n = parent, parent = p->tree.parent[n]) {
		struct fl_contender *k = &c->contenders[parent];

		for (uint32_t i = (k->n + c->contenders[n].at - k->first) / 2; i > 0; i /= 2)
			play_round(p, k, i);
		crown(p, k);
		compare_by(p, parent);
	}
#ifdef FL_CHECKED
	check(p);
#endif
}

struct fl_entry *fl_tournament_best(const struct fl_policy *p, uint32_t root)
{
	const struct fl_contender *k = &p->scratch->contenders[p->tree.roots[root].node.v];

	return k->cycle == p->scratch->marks.serial ? k->entry : NULL;
}
