/* SPDX-License-Identifier: Apache-2.0 */
#include "decide/borrow/preempt/classical_walk.h"

#include "base/check.h"
#include "base/sort.h"
#include "decide/borrow/backlog/by_usage.h"
#include "decide/borrow/backlog/holders.h"
#include "decide/borrow/preempt/preempt.h"

static bool is_thorough(const struct fl_classical *k)
{
	return fl_tell_of_victims(k->s->tell) || k->p->protect || k->p->afs;
}

static bool skip_list(const struct fl_classical *k, enum fl_list list)
{
	if (list == FL_LIST_SAME_QUEUE)
		return k->row->within_queue == FL_PREEMPT_NEVER ||
		       !k->p->backlogs[k->ask->queue.v].active;
	return k->row->reclaim == FL_PREEMPT_NEVER ||
	       !fl_tree_has_parent(&k->p->tree, k->ask->queue) ||
	       (list == FL_LIST_HIERARCHY ? !k->any_advantage : k->all_advantage);
}

static enum fl_preempt_policy policy_for(const struct fl_classical *k, enum fl_list list)
{
	return list == FL_LIST_SAME_QUEUE ? fl_preempt_within_queue(k->p, k->ask->queue) :
					    k->row->reclaim;
}

static enum fl_cause cause_of(enum fl_variant variant)
{
	switch (variant) {
	case FL_WITHIN_QUEUE:
		return FL_CAUSE_WITHIN_QUEUE;
	case FL_RECLAIM_WHILE_BORROWING:
		return FL_CAUSE_RECLAIM_BORROWING;
	case FL_HIERARCHICAL_RECLAIM:
	case FL_RECLAIM_WITHOUT_BORROWING:
		break;
	}
	return FL_CAUSE_RECLAIM;
}

/* May @w, which is in @list, be preempted at all? */
static bool allows(struct fl_classical *k, enum fl_list list, uint32_t w)
{
	return fl_preempt_allows(k->p, k->s, k->ask, w, policy_for(k, list),
				 cause_of(fl_classical_variant(k, list, w)));
}

/* The list of workloads that are reclaimed through the ancestor at @depth. */
static enum fl_list list_at(const struct fl_classical *k, uint32_t depth)
{
	return k->s->advantage[depth] ? FL_LIST_HIERARCHY : FL_LIST_PRIORITY;
}

/* --- queues beyond their quota, and their cursors --- */

/* The first place at @from or behind whose node is beyond its quota in a needed column; FL_NONE. */
static uint32_t next_over(const struct fl_classical *k, uint32_t from)
{
	uint32_t root = k->p->tree.root_index[k->ask->queue.v], least = FL_NONE;
	uint32_t start = k->p->tree.roots[root].order.first;

	for (uint32_t i = 0; i < k->ask->n; i++)
		if (k->ask->needs[i]) {
			uint32_t at = fl_bitset_next(
				&k->v->usage.over[root][k->ask->uses[i].column.v], from - start);

			least = at < least ? at : least;
		}
	return least == FL_NONE ? FL_NONE : start + least;
}

/* The cursors of the two lists of other queues grow from the two ends of the array. */
static void add_cursor(struct fl_classical *k, uint32_t queue, enum fl_list list)
{
	struct fl_cursors *c = &k->cursors[list];

	if (list == FL_LIST_PRIORITY)
		c->first--;
	c->first[list == FL_LIST_PRIORITY ? 0 : c->all] = (struct fl_cursor){ .queue = queue };
	c->all++;
}

/* Adds a cursor for each queue below @n that is reachable from @n, except queues below @except. */
static void collect(struct fl_classical *k, uint32_t n, uint32_t except, enum fl_list list)
{
	const struct fl_tree *t = &k->p->tree;
	uint32_t first, end;

	if (!t->children[n].n)
		return;
	first = t->place[t->child_ids[t->children[n].first]];
	end = first + t->children[n].n;
	for (uint32_t at = next_over(k, first); at < end; at = next_over(k, at + 1)) {
		uint32_t child = t->order[at];

		k->s->looked++;
		if (child == except)
			continue;
		if (t->is_cohort[child])
			collect(k, child, FL_NONE, list); /* recursion is bounded by the depth */
		else if (k->p->backlogs[child].active)
			add_cursor(k, child, list);
	}
}

#ifdef FL_CHECKED
/* Asserts that fl_usage.over is right for every node of the tree: is it beyond its quota? */
static void check_over(const struct fl_classical *k)
{
	const struct fl_tree *t = &k->p->tree;
	uint32_t r = t->root_index[k->ask->queue.v];
	const struct fl_tree_root *root = &t->roots[r];

	for (uint32_t i = 0; i < root->order.n; i++)
		for (uint32_t c = 0; c < root->n_columns; c++) {
			size_t at = t->row[t->order[root->order.first + i]] + c;

			FL_CHECK(fl_bitset_has(&k->v->usage.over[r][c], i) ==
				 (k->v->usage.cell[at] > t->subtree[at]));
		}
}
#endif

static void collect_all(struct fl_classical *k)
{
	const struct fl_tree *t = &k->p->tree;
	struct fl_cursor *room = k->s->cursors;

#ifdef FL_CHECKED
	check_over(k);
#endif
	k->cursors[FL_LIST_HIERARCHY] = (struct fl_cursors){ .first = room + 1 };
	k->cursors[FL_LIST_PRIORITY] = (struct fl_cursors){ .first = room + 1 + t->n_nodes };
	k->cursors[FL_LIST_SAME_QUEUE] = (struct fl_cursors){ .first = room };
	if (!skip_list(k, FL_LIST_SAME_QUEUE))
		add_cursor(k, k->ask->queue.v, FL_LIST_SAME_QUEUE);
	for (uint32_t below = k->ask->queue.v, n = t->parent[below]; n != FL_NONE;
	     below = n, n = t->parent[n]) {
		enum fl_list list = list_at(k, t->depth[n]);

		if (!skip_list(k, list))
			collect(k, n, below, list);
	}
}

/* Moves @c to the next candidate of its queue that may be preempted; false at the end. */
static bool advance(struct fl_classical *k, enum fl_list list, struct fl_cursor *c)
{
	uint32_t n;
	const uint32_t *candidates = fl_holders_candidates(k->p, (struct fl_node){ c->queue }, &n);

	for (; c->at < n; c->at++) {
		c->next = candidates[c->at];
		if (allows(k, list, c->next)) {
			c->at++;
			return true;
		}
		if (fl_preempt_refuses_rest(k->p, k->s, k->ask, c->next, policy_for(k, list)))
			break;
	}
	return false;
}

static void swap(struct fl_cursor *a, struct fl_cursor *b)
{
	struct fl_cursor was = *a;

	*a = *b;
	*b = was;
}

/* Moves cursor @i down in the heap until no cursor below comes before it. */
static void sink(struct fl_classical *k, struct fl_cursors *c, uint32_t i)
{
	for (uint32_t below = 2 * i + 1; below < c->n; i = below, below = 2 * i + 1) {
		k->s->looked++;
		if (below + 1 < c->n &&
		    fl_holders_cmp_ages(k->p, c->first[below + 1].next, c->first[below].next) < 0)
			below++;
		if (fl_holders_cmp_ages(k->p, c->first[i].next, c->first[below].next) < 0)
			return;
		swap(&c->first[i], &c->first[below]);
	}
}

static void start_list(struct fl_classical *k, enum fl_list list)
{
	struct fl_cursors *c = &k->cursors[list];

	c->n = c->all;
	for (uint32_t i = 0; i < c->n;) {
		c->first[i].at = 0;
		if (advance(k, list, &c->first[i]))
			i++;
		else
			swap(&c->first[i], &c->first[--c->n]);
	}
	for (uint32_t i = c->n / 2; i-- > 0;)
		sink(k, c, i);
}

/* Takes the first candidate of a list: only evicting ones, or only others. */
static uint32_t take_first(struct fl_classical *k, enum fl_list list)
{
	struct fl_cursors *c = &k->cursors[list];
	uint32_t w;

	if (!c->n || (!k->fresh && k->p->jobs[c->first[0].next].state != FL_STATE_EVICTING))
		return FL_NONE;
	w = c->first[0].next;
	if (!advance(k, list, &c->first[0]))
		swap(&c->first[0], &c->first[--c->n]);
	sink(k, c, 0);
	return w;
}

/* --- all candidates of the tree --- */

/*
 * The depth of the ancestor through which workloads of @q can be reclaimed: the lowest common
 * ancestor, if @q and every cohort below that ancestor were above nominal when the search began.
 * FL_NONE: not at all.
 */
static uint32_t reach(struct fl_classical *k, struct fl_node q)
{
	struct fl_preempt *c = k->s;
	struct fl_search_node *s = &c->nodes[q.v];

	if (s->reach_known == c->search)
		return s->reach;
	if (k->p->tree.is_cohort[q.v])
		s->reach_known = c->search;
	s->reach = FL_NONE;
	if (fl_preempt_within_nominal(k->p, k->v, k->ask, q)) {
		if (fl_tell_of_victims(k->s->tell))
			fl_preempt_tell_within(k->p, k->s->tell, k->v, k->ask,
					       FL_CHECK_VICTIM_BORROWS, FL_NONE, q);
	} else if (fl_tree_has_parent(&k->p->tree, q)) {
		struct fl_node above = fl_tree_parent(&k->p->tree, q);

		if (c->nodes[above.v].on_path == c->search)
			s->reach = k->p->tree.depth[above.v];
		else
			s->reach = reach(k, above); /* recursion is bounded by the depth */
	}
	return s->reach;
}

/* The list for workloads of @q, another queue; FL_LISTS: they are in none. */
static enum fl_list list_of(struct fl_classical *k, struct fl_node q)
{
	struct fl_search_node *s = &k->s->nodes[q.v];

	if (s->reach_known != k->s->search) {
		bool other = k->p->backlogs[q.v].active && q.v != k->ask->queue.v;
		uint32_t through = other ? reach(k, q) : FL_NONE;

		s->reach_known = k->s->search;
		if (through == FL_NONE)
			s->list = FL_LISTS;
		else
			s->list = k->s->advantage[through] ? FL_LIST_HIERARCHY : FL_LIST_PRIORITY;
	}
	return s->list;
}

/* The index of the first workload of @list that is not being evicted. */
static uint32_t first_fresh(const struct fl_policy *p, const uint32_t *list, uint32_t n)
{
	uint32_t at = 0;

	while (at < n && p->jobs[list[at]].state == FL_STATE_EVICTING)
		at++;
	return at;
}

/* The next candidate among all of the tree; FL_NONE at the end. */
static uint32_t next_of_tree(struct fl_classical *k, enum fl_list list)
{
	const uint32_t *candidates = k->others;
	uint32_t n = k->n_others, end;

	if (list == FL_LIST_SAME_QUEUE)
		candidates = fl_holders_candidates(k->p, k->ask->queue, &n);
	end = first_fresh(k->p, candidates, n);
	if (k->fresh) {
		k->at = k->at < end ? end : k->at;
		end = n;
	}
	for (uint32_t at = k->at; at < end; at++) {
		k->s->looked++;
		if ((list == FL_LIST_SAME_QUEUE ||
		     list_of(k, (struct fl_node){ k->others_queues[at] }) == list) &&
		    allows(k, list, candidates[at])) {
			k->at = at + 1;
			return candidates[at];
		}
	}
	return FL_NONE;
}

/* Is there a candidate in @list?  Checks queue by queue: most are out of reach as a whole. */
static bool any_of_tree(struct fl_classical *k, enum fl_list list)
{
	struct fl_span queues = k->p->tree.queues[k->p->tree.root_index[k->ask->queue.v]];

	if (skip_list(k, list))
		return false;
	for (uint32_t i = queues.first; i < queues.first + queues.n; i++) {
		struct fl_node q = { k->p->tree.queue_ids[i] };
		const uint32_t *candidates;
		uint32_t n;

		if (list_of(k, q) != list)
			continue;
		candidates = fl_holders_candidates(k->p, q, &n);
		for (uint32_t c = 0; c < n; c++)
			if (allows(k, list, candidates[c]))
				return true;
	}
	return false;
}

/* Evicting ones first, then list by list. */
static int cmp_parts(const void *classical, uint32_t a, uint32_t b)
{
	const struct fl_classical *k = classical;
	const struct fl_job *x = &k->p->jobs[a], *y = &k->p->jobs[b];
	uint32_t one, other;

	if ((x->state == FL_STATE_EVICTING) != (y->state == FL_STATE_EVICTING))
		return x->state == FL_STATE_EVICTING ? -1 : 1;
	one = k->s->nodes[x->held_by.v].list; /* list_of was called for each */
	other = k->s->nodes[y->held_by.v].list;
	return (one > other) - (one < other);
}

/*
 * Where usage orders local queues, the order depends on which other workloads may be preempted
 * (fl_afs_sort); so only those are sorted, each list alone, as the reference does.
 */
static void sort_others(struct fl_classical *k)
{
	struct fl_preempt *c = k->s;
	uint32_t n = 0, end;

	for (uint32_t i = 0; i < k->n_others; i++) {
		enum fl_list list = list_of(k, (struct fl_node){ k->others_queues[i] });

		if (list != FL_LISTS && allows(k, list, k->others[i]))
			c->sorted[n++] = k->others[i];
	}
	fl_sort(c->sorted, n, k->p->sort_scratch, cmp_parts, k);
	for (uint32_t i = 0; i < n; i = end) {
		for (end = i + 1; end < n && cmp_parts(k, c->sorted[i], c->sorted[end]) == 0;)
			end++;
		fl_afs_sort(k->p, c->sorted + i, end - i);
	}
	for (uint32_t i = 0; i < n; i++)
		c->sorted_queues[i] = k->p->jobs[c->sorted[i]].held_by.v;
	k->others = c->sorted;
	k->others_queues = c->sorted_queues;
	k->n_others = n;
}

/* --- the walk --- */

void fl_classical_walk_begin(struct fl_classical *k)
{
	k->begun = true;
	if (!is_thorough(k)) {
		collect_all(k);
		fl_classical_walk_restart(k);
		return;
	}
	k->others = fl_holders_tree_candidates(k->p, k->p->tree.root_index[k->ask->queue.v],
					       &k->others_queues, &k->n_others);
	if (k->p->afs)
		sort_others(k);
}

bool fl_classical_walk_any(struct fl_classical *k, enum fl_list list)
{
	return is_thorough(k) ? any_of_tree(k, list) : k->cursors[list].n > 0;
}

void fl_classical_walk_restart(struct fl_classical *k)
{
	if (!k->begun)
		return; /* it is listed already */
	k->begun = k->fresh = false;
	k->list = FL_LIST_HIERARCHY;
	k->at = 0;
	for (enum fl_list list = FL_LIST_HIERARCHY; list < FL_LISTS && !is_thorough(k); list++)
		start_list(k, list);
}

uint32_t fl_classical_walk_next(struct fl_classical *k, enum fl_list *ret_list)
{
	k->begun = true;
	for (;; k->list++, k->at = 0) {
		uint32_t w;

		if (k->list == FL_LISTS) {
			if (k->fresh)
				return FL_NONE;
			k->fresh = true;
			k->list = FL_LIST_HIERARCHY;
			k->at = 0;
		}
		if (skip_list(k, k->list))
			continue;
		w = is_thorough(k) ? next_of_tree(k, k->list) : take_first(k, k->list);
		*ret_list = k->list;
		if (w != FL_NONE)
			return w;
	}
}
