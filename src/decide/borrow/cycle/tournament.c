/* SPDX-License-Identifier: Apache-2.0 */
#include "decide/borrow/cycle/tournament.h"

#include "base/check.h"
#include "decide/borrow/cycle/cycle.h"
#include "decide/borrow/cycle/heads.h"

int fl_tournament_init(struct fl_policy *p, struct fl_tournament *t, fairlead_error *err)
{
	uint32_t nodes = p->tree.n_nodes, columns = fl_tree_most_columns(&p->tree);
	struct fl_arena *a = &p->arena;

	t->contenders = fl_arena_alloc(a, nodes, sizeof *t->contenders, err);
	t->paths = fl_arena_alloc(a, nodes, sizeof *t->paths, err);
	t->games = fl_arena_alloc(a, 2 * (size_t)nodes, sizeof *t->games, err);
	t->arriving = fl_arena_alloc(a, columns, sizeof *t->arriving, err);
	return t->contenders && t->paths && t->games && t->arriving ? 0 : FAIRLEAD_ENOMEM;
}

/* --- paths --- */

static void link_node(const struct fl_policy *p, struct fl_tournament *t, uint32_t n)
{
	t->contenders[n] = (struct fl_contender){ .cycle = p->scratch->marks.serial,
						  .at = t->n_paths };
	t->paths[t->n_paths++] = n;
}

/* The parent of the first node in paths, from *@at on, whose parent is not linked yet; FL_NONE. */
static uint32_t next_parent(const struct fl_policy *p, const struct fl_tournament *t, uint32_t *at)
{
	for (; *at < t->n_paths; ++*at) {
		uint32_t parent = p->tree.parent[t->paths[*at]];

		if (parent != FL_NONE && t->contenders[parent].cycle != p->scratch->marks.serial)
			return parent;
	}
	return FL_NONE;
}

static bool is_later(const struct fl_policy *p, uint32_t a, uint32_t b)
{
	return b == FL_NONE || (a != FL_NONE && p->tree.place[a] > p->tree.place[b]);
}

/*
 * Heads are in the order of their queues' places.  The tree's order is by depth, so parents are in
 * the same order as their children.  So the next node to add is always the last of the heads or of
 * the parents.
 */
static void link_paths(const struct fl_policy *p, struct fl_tournament *t)
{
	const struct fl_head *rows = p->scratch->heads->rows;
	uint32_t heads = p->scratch->heads->n, below = 0;

	t->n_paths = 0;
	for (;;) {
		uint32_t parent = next_parent(p, t, &below);
		uint32_t head = FL_NONE;

		while (heads && rows[heads - 1].entry == FL_NONE)
			heads--;
		if (heads)
			head = rows[heads - 1].queue.v;
		if (parent == FL_NONE && head == FL_NONE)
			break;
		if (is_later(p, head, parent)) {
			link_node(p, t, head);
			heads--;
		} else {
			link_node(p, t, parent);
		}
	}
	for (uint32_t i = 0; i < t->n_paths; i++) {
		uint32_t parent = p->tree.parent[t->paths[i]];

		if (parent == FL_NONE)
			continue;
		if (t->contenders[parent].n++ == 0)
			t->contenders[parent].first = i;
	}
}

/* --- games --- */

/* The better of two children; FL_NONE: neither has a head left. */
static uint32_t play(const struct fl_policy *p, const struct fl_tournament *t, uint32_t a,
		     uint32_t b)
{
	const struct fl_contender *k = t->contenders;
	bool has_a = a != FL_NONE && k[a].entry, has_b = b != FL_NONE && k[b].entry;

	if (has_a && has_b)
		return fl_order_cmp(p, &k[a], &k[b]) < 0 ? a : b;
	return has_a ? a : has_b ? b : FL_NONE;
}

/* The child at @i of the tree of games of @k, whose last k->n places are the children. */
static uint32_t standing(const struct fl_tournament *t, const struct fl_contender *k, uint32_t i)
{
	return i >= k->n ? t->paths[k->first + i - k->n] : t->games[2 * (size_t)k->first + i];
}

static void play_game(const struct fl_policy *p, struct fl_tournament *t,
		      const struct fl_contender *k, uint32_t i)
{
	t->games[2 * (size_t)k->first + i] = play(p, t, standing(t, k, 2 * i),
						  standing(t, k, 2 * i + 1));
}

/* The contender of the cohort becomes that of the child that won all games. */
static void crown(const struct fl_tournament *t, struct fl_contender *k)
{
	uint32_t best = standing(t, k, 1);

	k->entry = best == FL_NONE ? NULL : t->contenders[best].entry;
}

static void compare_by(const struct fl_policy *p, struct fl_tournament *t, uint32_t n)
{
	struct fl_contender *k = &t->contenders[n];

	if (k->entry && p->tree.parent[n] != FL_NONE)
		fl_order_value(p, (struct fl_node){ n }, t->arriving, k);
}

#ifdef FL_CHECKED
static void check(const struct fl_policy *p, struct fl_tournament *t)
{
	for (uint32_t i = 0; i < t->n_paths; i++) {
		const struct fl_contender *k = &t->contenders[t->paths[i]];
		const struct fl_contender *best = NULL;

		FL_CHECK(k->at == i && k->cycle == p->scratch->marks.serial);
		FL_CHECK(i == 0 || p->tree.place[t->paths[i]] < p->tree.place[t->paths[i - 1]]);
		for (uint32_t j = k->first; j < k->first + k->n; j++) {
			const struct fl_contender *child = &t->contenders[t->paths[j]];
			struct fl_contender now = *child;

			FL_CHECK(p->tree.parent[t->paths[j]] == t->paths[i]);
			if (!child->entry)
				continue;
			fl_order_value(p, (struct fl_node){ t->paths[j] }, t->arriving, &now);
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

void fl_tournament_start(struct fl_policy *p, struct fl_tournament *t)
{
	struct fl_cycle *c = p->scratch;

	link_paths(p, t);
	for (uint32_t i = 0; i < t->n_paths; i++) {
		uint32_t n = t->paths[i];
		struct fl_contender *k = &t->contenders[n];

		if (p->tree.is_cohort[n]) {
			for (uint32_t game = k->n; game-- > 1;)
				play_game(p, t, k, game);
			crown(t, k);
		} else if (!c->entries[c->entry_of[n] - 1].processed) {
			k->entry = &c->entries[c->entry_of[n] - 1];
		}
		compare_by(p, t, n);
	}
#ifdef FL_CHECKED
	check(p, t);
#endif
}

void fl_tournament_served(struct fl_policy *p, struct fl_tournament *t, const struct fl_entry *e)
{
	uint32_t n = e->queue.v;

	t->contenders[n].entry = NULL;
	for (uint32_t parent = p->tree.parent[n]; parent != FL_NONE;
	     n = parent, parent = p->tree.parent[n]) {
		struct fl_contender *k = &t->contenders[parent];

		for (uint32_t i = (k->n + t->contenders[n].at - k->first) / 2; i > 0; i /= 2)
			play_game(p, t, k, i);
		crown(t, k);
		compare_by(p, t, parent);
	}
#ifdef FL_CHECKED
	check(p, t);
#endif
}

struct fl_entry *fl_tournament_best(const struct fl_policy *p, const struct fl_tournament *t,
				    uint32_t root)
{
	const struct fl_contender *k = &t->contenders[p->tree.roots[root].node.v];

	return k->cycle == p->scratch->marks.serial ? k->entry : NULL;
}
