/* SPDX-License-Identifier: Apache-2.0 */
/*
 * order - in which order a cycle's heads are served
 *
 * Classical: by borrowing level, priority, age.
 *
 * Fair sharing: a tournament in each tree of cohorts, played again after each
 * pick.  At every cohort the heads below compete by the share that the child node
 * they come through would have with them; the winner goes on to the parent, and
 * the root's winner is served.  A child that stays within its quota beats one
 * that borrows; then the lower share, the higher priority, the older workload.
 *
 * Before all of them come those for whom freed quota is held, and, under fair sharing,
 * those whose priority overrules it (protect.h), each in classical order.
 *
 * Only nodes with a head below them take part.  A pick changes usage only on the path of its
 * queue, so only the contenders on that path are computed again: a pick costs the children
 * with heads along one path.
 */
#include "base/sort.h"
#include "decide/borrow/protect.h"

/* The best head below a node, and what the node's parent compares it by. */
struct fl_contender {
	uint32_t cycle;         /* == serial: a head of this cycle is below it, or was */
	uint32_t first, next;   /* such a child; another such child of its parent; FL_NONE */
	struct fl_entry *entry; /* NULL: none left */
	bool borrows;           /* the node would borrow in a column that the entry asks for */
	struct fl_drs drs;      /* of the node, with the entry's usage */
};

size_t fl_order_contender_size(void) { return sizeof(struct fl_contender); }

/* Priority, age, uid: what is left to compare when the shares are equal. */
static int cmp_age(const struct fl_policy *p, struct fl_workload a, struct fl_workload b)
{
	const struct fl_job *x = &p->jobs[a.v], *y = &p->jobs[b.v];

	if (x->priority != y->priority && !p->model->settings.off[FL_GATE_PRIORITY_SORTING])
		return x->priority > y->priority ? -1 : 1;
	if (x->queue_time != y->queue_time)
		return x->queue_time < y->queue_time ? -1 : 1;
	return (x->uid_rank > y->uid_rank) - (x->uid_rank < y->uid_rank);
}

static int cmp_classical(const void *policy, uint32_t a, uint32_t b)
{
	const struct fl_policy *p = policy;
	const struct fl_entry *x = &p->scratch->entries[a], *y = &p->scratch->entries[b];
	bool promised = p->jobs[x->workload.v].promised;

	if (promised != p->jobs[y->workload.v].promised)
		return promised ? -1 : 1;

	if (x->assignment.level != y->assignment.level)
		return x->assignment.level < y->assignment.level ? -1 : 1;
	return cmp_age(p, x->workload, y->workload);
}

static int cmp_contenders(const struct fl_policy *p, const struct fl_contender *a,
			  const struct fl_contender *b)
{
	int order;

	if (a->borrows != b->borrows && !p->model->settings.off[FL_GATE_PRIORITIZE_NON_BORROWING])
		return a->borrows ? 1 : -1;
	order = fl_drs_cmp(&a->drs, &b->drs);
	return order ? order : cmp_age(p, a->entry->workload, b->entry->workload);
}

/* Value of @n's contender: the node as it would be with the entry's usage. */
static void value(struct fl_policy *p, uint32_t n)
{
	const struct fl_tree *t = &p->tree;
	struct fl_cycle *c = p->scratch;
	const struct fl_usage *u = &c->s.usage;
	struct fl_contender *k = &c->contenders[n];
	const struct fl_nomination *a = &k->entry->assignment;

	k->borrows = false;
	for (uint32_t i = 0; i < a->n_uses; i++) {
		struct fl_column column = a->uses[i].column;
		fl_amount amount = a->uses[i].amount;

		/* What each level keeps for itself does not arrive above it. */
		for (uint32_t at = k->entry->queue.v; at != n; at = t->parent[at])
			amount = fl_amount_max(
				0, fl_sat_sub(amount,
					      fl_quota_local_available(t, u, (struct fl_node){ at },
								       column)));
		c->arriving[i] = (struct fl_drs_extra){ column, amount };
		k->borrows |= a->uses[i].amount > 0 &&
			      fl_quota_borrows_with(t, u, (struct fl_node){ n }, column, amount);
	}
	k->drs = fl_drs_with(t, u, (struct fl_node){ n }, c->arriving, a->n_uses);
}

/* Play @n's round again from its children's contenders. */
static void play(struct fl_policy *p, uint32_t n)
{
	const struct fl_tree *t = &p->tree;
	struct fl_cycle *c = p->scratch;
	const struct fl_contender *best = NULL;

	c->contenders[n].entry = NULL;
	if (!t->is_cohort[n]) {
		if (c->entry_of[n] && !c->entries[c->entry_of[n] - 1].processed)
			c->contenders[n].entry = &c->entries[c->entry_of[n] - 1];
	} else {
		for (uint32_t i = c->contenders[n].first; i != FL_NONE; i = c->contenders[i].next) {
			const struct fl_contender *k = &c->contenders[i];

			if (k->entry && (!best || cmp_contenders(p, k, best) < 0))
				best = k;
		}
		c->contenders[n].entry = best ? best->entry : NULL;
	}
	if (c->contenders[n].entry && t->parent[n] != FL_NONE)
		value(p, n);
}

/* One head alone has nobody to compete with. */
static bool comes_early(const struct fl_policy *p, const struct fl_entry *e)
{
	return !p->model->settings.fair_sharing || p->scratch->n_entries == 1 ||
	       p->jobs[e->workload.v].promised || fl_protect_overrules(p, e->workload);
}

/* Later in the tree's order first: children before parents. */
static int cmp_places(const void *tree, uint32_t a, uint32_t b)
{
	const struct fl_tree *t = tree;

	return (t->place[a] < t->place[b]) - (t->place[a] > t->place[b]);
}

/* Link the nodes above this cycle's heads, each once; c->paths, children first. Their number. */
static uint32_t link_paths(struct fl_policy *p)
{
	struct fl_cycle *c = p->scratch;
	uint32_t n = 0;

	for (uint32_t i = 0; i < c->n_entries; i++) {
		uint32_t at = c->entries[i].queue.v, child = FL_NONE;
		bool news = true;

		for (; news && at != FL_NONE; child = at, at = p->tree.parent[at]) {
			struct fl_contender *k = &c->contenders[at];

			news = k->cycle != c->serial;
			if (news) {
				*k = (struct fl_contender){ .cycle = c->serial,
							    .first = FL_NONE,
							    .next = FL_NONE };
				c->paths[n++] = at;
			}
			if (child != FL_NONE) {
				c->contenders[child].next = k->first;
				k->first = child;
			}
		}
	}
	fl_sort(c->paths, n, c->paths_scratch, cmp_places, &p->tree);
	return n;
}

static bool has_tournament(const struct fl_cycle *c) { return c->n_early < c->n_entries; }

int fl_order_start(struct fl_policy *p, fairlead_error *err)
{
	struct fl_cycle *c = p->scratch;
	uint32_t *scratch = fl_arena_alloc(&p->cycle_arena, c->n_entries, sizeof *scratch, err);

	c->at = c->n_early = 0;
	c->order = fl_arena_alloc(&p->cycle_arena, c->n_entries, sizeof *c->order, err);
	if (!scratch || !c->order)
		return FAIRLEAD_ENOMEM;
	for (uint32_t i = 0; i < c->n_entries; i++)
		if (comes_early(p, &c->entries[i]))
			c->order[c->n_early++] = i;
	fl_sort(c->order, c->n_early, scratch, cmp_classical, p);
	if (has_tournament(c))
		for (uint32_t i = 0, n = link_paths(p); i < n; i++)
			play(p, c->paths[i]);
	return 0;
}

struct fl_entry *fl_order_next(struct fl_policy *p)
{
	struct fl_cycle *c = p->scratch;

	for (; c->at < c->n_early; c->at++)
		if (!c->entries[c->order[c->at]].processed)
			return &c->entries[c->order[c->at]];
	if (!has_tournament(c))
		return NULL;
	for (; c->at - c->n_early < c->n_roots; c->at++) {
		const struct fl_contender *k =
			&c->contenders[p->tree.roots[c->roots[c->at - c->n_early]].node.v];

		if (k->cycle == c->serial && k->entry)
			return k->entry;
	}
	return NULL;
}

void fl_order_done(struct fl_policy *p, struct fl_entry *e)
{
	e->processed = true;
	if (has_tournament(p->scratch))
		for (uint32_t n = e->queue.v; n != FL_NONE; n = p->tree.parent[n])
			play(p, n);
}
