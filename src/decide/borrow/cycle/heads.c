/* SPDX-License-Identifier: Apache-2.0 */
#include "decide/borrow/cycle/heads.h"

#include <string.h>

#include "base/check.h"
#include "decide/borrow/backlog/backlog.h"
#include "decide/borrow/cycle/assign.h"
#include "decide/match.h"

int fl_heads_new(struct fl_policy *p, struct fl_heads **ret, fairlead_error *err)
{
	struct fl_arena *a = &p->arena;
	struct fl_heads *k = fl_arena_alloc(a, 1, sizeof *k, err);

	if (!k)
		return FAIRLEAD_ENOMEM;
	k->rows = fl_arena_alloc(a, p->tree.n_nodes, sizeof *k->rows, err);
	k->observed = fl_arena_alloc(a, p->tree.n_nodes, sizeof *k->observed, err);
	*ret = k;
	return k->rows && k->observed ? 0 : FAIRLEAD_ENOMEM;
}

void fl_heads_renew(const struct fl_policy *p, struct fl_heads *k)
{
	memset(k->observed, 0, p->tree.n_nodes * sizeof *k->observed);
}

static void set_aside(struct fl_entry *e, enum fl_reason reason)
{
	e->verdict = FL_SET_ASIDE;
	e->reason = reason;
	e->processed = true;
}

bool fl_heads_set_aside(const struct fl_policy *p, struct fl_entry *e)
{
	const struct fl_workload_row *row = fl_row(p, e->workload);

	if (!fl_match_namespace_exists(p->model, row->namespace))
		set_aside(e, FL_REASON_NAMESPACE_MISSING);
	else if (!fl_match_namespace(p->model, &p->model->nodes[e->queue.v].namespaces,
				     row->namespace))
		set_aside(e, FL_REASON_NAMESPACE_MISMATCH);
	else if (row->requests == FL_REQUESTS_ABOVE_LIMITS)
		set_aside(e, FL_REASON_MISCONFIGURED);
	else if (row->requests == FL_REQUESTS_OUTSIDE_RANGE)
		set_aside(e, FL_REASON_OUTSIDE_LIMIT_RANGE);
	return e->processed;
}

/* --- entries --- */

static struct fl_entry *add_entry(struct fl_policy *p, struct fl_head *h)
{
	struct fl_cycle *c = p->scratch;
	struct fl_entry *e = &c->entries[c->n_entries];

	*e = (struct fl_entry){ .workload = h->workload, .queue = h->queue };
	h->entry = c->n_entries++;
	c->entry_of[e->queue.v] = c->n_entries;
	return e;
}

static struct fl_head *add_head(struct fl_policy *p, struct fl_workload w)
{
	struct fl_heads *k = p->scratch->heads;
	struct fl_head *h = &k->rows[k->n++];

	*h = (struct fl_head){ .workload = w, .queue = p->jobs[w.v].queue, .entry = FL_NONE };
	return h;
}

struct fl_entry *fl_heads_only(struct fl_policy *p, struct fl_workload w)
{
	struct fl_head *h = add_head(p, w);

	p->scratch->roots[p->scratch->n_roots++] = p->tree.root_index[h->queue.v];
	return add_entry(p, h);
}

void fl_heads_with_promised(struct fl_policy *p, struct fl_workload w)
{
	uint32_t root = p->tree.root_index[p->jobs[w.v].queue.v];
	struct fl_span order = p->tree.roots[root].order;

	p->scratch->roots[p->scratch->n_roots++] = root;
	for (uint32_t at = order.first; at < order.first + order.n; at++) {
		uint32_t q = p->tree.order[at], sticky = p->backlogs[q].sticky;

		if (q == p->jobs[w.v].queue.v)
			(void)add_entry(p, add_head(p, w));
		else if (sticky != FL_NONE && p->jobs[sticky].promised && p->backlogs[q].active)
			(void)add_entry(p, add_head(p, (struct fl_workload){ sticky }));
	}
}

void fl_heads_tell_only(struct fl_heads *k, struct fl_workload w)
{
	for (uint32_t i = 0; i < k->n; i++)
		if (k->rows[i].workload.v == w.v)
			k->rows[0] = k->rows[i];
	k->n = 1;
}

/* --- by a quick check --- */

#ifdef FL_CHECKED
/* A full nomination would have refused it as well, with the same reason. */
static int check(struct fl_policy *p, const struct fl_entry *seen, fairlead_error *err)
{
	struct fl_entry e = { .workload = seen->workload, .queue = seen->queue };
	uint32_t n = fl_scan(p, &p->jobs[e.workload.v]).n;

	if (fl_assign_nominate(p, p->scratch->assign, &p->scratch->s, &e, /* only= */ NULL, err) <
	    0)
		return FAIRLEAD_ENOMEM;
	FL_CHECK(e.n_targets == 0 && e.assignment.mode == seen->assignment.mode &&
		 e.assignment.reason == seen->assignment.reason &&
		 e.assignment.level == seen->assignment.level &&
		 memcmp(e.assignment.scan, seen->assignment.scan, n * sizeof(int16_t)) == 0);
	return 0;
}
#endif

static int keep_refusal(struct fl_policy *p, struct fl_head *h, const struct fl_entry *e,
			fairlead_error *err)
{
	uint32_t n = fl_scan(p, &p->jobs[h->workload.v]).n;
	int16_t *scan = fl_arena_alloc(&p->cycle_arena, n, sizeof *scan, err);

	if (!scan)
		return FAIRLEAD_ENOMEM;
	memcpy(scan, e->assignment.scan, n * sizeof *scan);
	h->scan = scan;
	h->verdict = e->assignment.mode == FL_MODE_NO_FIT ? FL_NO_FIT : FL_NO_TARGETS;
	h->reason = e->assignment.mode == FL_MODE_NO_FIT ? e->assignment.reason :
							   FL_REASON_NO_CANDIDATES;
#ifdef FL_CHECKED
	if (check(p, e, err) < 0)
		return FAIRLEAD_ENOMEM;
#endif
	h->reserves = h->verdict == FL_NO_TARGETS && fl_cycle_reserves(p, e);
	return 0;
}

/* A refusal, or an entry. */
static int look_at(struct fl_policy *p, struct fl_head *h, fairlead_error *err)
{
	struct fl_cycle *c = p->scratch;
	struct fl_entry e = { .workload = h->workload, .queue = h->queue };
	struct fl_entry *entry;
	enum fl_quick_check seen;
	int r;

	if (fl_heads_set_aside(p, &e)) {
		*add_entry(p, h) = e;
		return 0;
	}
	r = fl_assign_quick_check(p, c->assign, &c->s, &e, &seen, err);
	if (r < 0)
		return r;
	if (seen == FL_QUICK_CHECK_REFUSED)
		return keep_refusal(p, h, &e, err);
	entry = add_entry(p, h);
	if (seen == FL_QUICK_CHECK_FITS)
		fl_assign_take_quick_check(c->assign, entry);
	return 0;
}

/* --- refusals that matter to others --- */

static bool is_contested(const struct fl_policy *p, const struct fl_head *h)
{
	const struct fl_cycle *c = p->scratch;

	return h->entry != FL_NONE && !c->entries[h->entry].processed;
}

/* The lowest node that is above all entries of the heads from @first on; NULL heads: none. */
static uint32_t common(const struct fl_policy *p, uint32_t first)
{
	const struct fl_heads *k = p->scratch->heads;
	struct fl_node top = { FL_NONE };

	for (uint32_t i = first; i < k->n; i++)
		if (is_contested(p, &k->rows[i]))
			top = top.v == FL_NONE ? k->rows[i].queue :
						 fl_tree_lca(&p->tree, top, k->rows[i].queue);
	return top.v;
}

/* Marks the cohorts in whose tournaments below @top head @h takes part. */
static void mark_cohorts(struct fl_policy *p, const struct fl_head *h, uint32_t top)
{
	for (uint32_t n = h->queue.v; n != top; n = p->tree.parent[n])
		p->scratch->heads->observed[n] = p->scratch->marks.serial;
}

static bool stands_before_others(const struct fl_policy *p, const struct fl_head *h)
{
	for (uint32_t n = p->tree.parent[h->queue.v]; n != FL_NONE; n = p->tree.parent[n])
		if (p->scratch->heads->observed[n] == p->scratch->marks.serial)
			return true;
	return false;
}

/*
 * Adds entries for refused heads of one tree that matter to others; its heads are those from
 * @first on.
 */
static void add_observed(struct fl_policy *p, uint32_t first)
{
	struct fl_heads *k = p->scratch->heads;
	uint32_t top = common(p, first);

	if (top == FL_NONE)
		return;
	for (uint32_t i = first; i < k->n; i++)
		if (k->rows[i].entry == FL_NONE && k->rows[i].reserves)
			(void)add_entry(p, &k->rows[i]);
	if (!p->model->settings.fair_sharing)
		return;
	top = common(p, first);
	for (uint32_t i = first; i < k->n; i++)
		if (is_contested(p, &k->rows[i]))
			mark_cohorts(p, &k->rows[i], top);
	for (uint32_t i = first; i < k->n; i++)
		if (k->rows[i].entry == FL_NONE && stands_before_others(p, &k->rows[i]))
			(void)add_entry(p, &k->rows[i]);
}

/* --- all heads --- */

static bool is_passed_over(const struct fl_policy *p, uint32_t root)
{
	struct fl_span order = p->tree.roots[root].order;

	return p->scratch->ours &&
	       (!order.n || p->model->nodes[p->tree.order[order.first]].elsewhere);
}

uint32_t fl_heads_changed(const struct fl_policy *p, uint32_t root)
{
	root = fl_bitset_next(&p->dirty, root);
	while (root != FL_NONE && is_passed_over(p, root))
		root = fl_bitset_next(&p->dirty, root + 1);
	return root;
}

/* Gathers the head of every active queue of one tree. */
static int gather_tree(struct fl_policy *p, uint32_t root, bool quick_check, fairlead_error *err)
{
	struct fl_cycle *c = p->scratch;
	struct fl_span order = p->tree.roots[root].order;
	uint32_t first = c->heads->n;
	int r = 0;

	c->roots[c->n_roots++] = root;
	for (uint32_t at = fl_bitset_next(&p->ready, order.first);
	     at < order.first + order.n && r == 0; at = fl_bitset_next(&p->ready, at + 1)) {
		struct fl_workload w = fl_backlog_head(p, (struct fl_node){ p->tree.order[at] });
		struct fl_head *h;

		if (w.v == FL_NONE)
			continue;
		h = add_head(p, w);
		if (quick_check)
			r = look_at(p, h, err);
		else
			(void)add_entry(p, h);
	}
	if (r == 0 && quick_check)
		add_observed(p, first);
	return r;
}

int fl_heads_gather(struct fl_policy *p, bool full, fairlead_error *err)
{
	/*
	 * A Policy notes which workloads it protects, and until when: so each search must be made.
	 */
	bool all = full || p->afs, quick_check = !full && !p->protect;
	int r = 0;

	fl_assign_begin(p->scratch->assign);
	if (all)
		for (uint32_t root = 0; root < p->tree.n_roots && r == 0; root++)
			r = is_passed_over(p, root) ? 0 : gather_tree(p, root, quick_check, err);
	else
		for (uint32_t root = fl_heads_changed(p, 0); root != FL_NONE && r == 0;
		     root = fl_heads_changed(p, root + 1))
			r = gather_tree(p, root, quick_check, err);
	return r;
}
