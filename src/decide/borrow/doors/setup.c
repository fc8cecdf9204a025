/* SPDX-License-Identifier: Apache-2.0 */
/*
 * setup - from a sealed model to the policy's columns
 *
 * All that the policy will ever need is allocated here, so that events and cycles cannot run out
 * of memory halfway.
 */
#include <string.h>

#include "base/sort.h"
#include "decide/borrow/afs/afs.h"
#include "decide/borrow/backlog/backlog.h"
#include "decide/borrow/backlog/holders.h"
#include "decide/borrow/backlog/requeue.h"
#include "decide/borrow/cycle/cycle.h"
#include "decide/borrow/doors/image.h"
#include "decide/borrow/doors/setup.h"
#include "decide/borrow/doors/setup_groups.h"
#include "decide/borrow/doors/setup_state.h"
#include "decide/borrow/guarantee/protect.h"
#include "decide/borrow/guarantee/rung.h"
#include "decide/borrow/preempt/preempt.h"
#include "decide/borrow/state/least.h"
#include "model/placing.h"

/* --- workloads --- */

static bool takes_part(const struct fl_workload_row *row)
{
	return row->excluded == FL_INCLUDED || row->excluded == FL_EXCLUDED_MISCONFIGURED ||
	       row->excluded == FL_EXCLUDED_LIMIT_RANGE;
}

/*
 * The number of distinct resource rows that a workload can ever hold at once: those of its
 * requests, or those of its admission.  A podset without requests has a row, too.
 */
uint32_t fl_setup_room_of(const struct fl_policy *p, const struct fl_workload_row *row)
{
	const struct fl_model *m = p->model;
	bool pods = row->cluster_queue.v != FL_NONE &&
		    p->backlogs[row->cluster_queue.v].covers_pods;
	uint32_t asked = 0, held = 0;

	for (uint32_t i = 0; i < row->podsets.n; i++) {
		uint32_t n = m->podsets[row->podsets.first + i].requests.n + pods;

		asked += n ? n : 1;
	}
	for (uint32_t i = 0; i < row->admission.n; i++)
		held += m->podset_assignments[row->admission.first + i].assignments.n;
	return asked > held ? asked : held;
}

/* Memory for sorting, freed when setup ends. */
struct ranks {
	struct fl_arena arena;
	struct fl_sort_row *rows, *scratch; /* one for each workload */
	uint32_t *ids;                      /* workloads in queue order, then by class */
	const struct fl_saved_order *given; /* what an image has sorted already; NULL: no image */
};

static void sort_by(const struct fl_policy *p, struct ranks *s, uint32_t first, uint32_t n,
		    struct fl_sym (*name)(const struct fl_workload_row *))
{
	for (uint32_t i = first; i < first + n; i++)
		s->rows[i].sym = name(&p->model->workloads[s->rows[i].id]).v;
	fl_names_sort(&p->model->names, s->rows + first, n, s->scratch);
}

static struct fl_sym uid_of(const struct fl_workload_row *row) { return row->uid; }
static struct fl_sym name_of(const struct fl_workload_row *row) { return row->name; }
static struct fl_sym namespace_of(const struct fl_workload_row *row) { return row->namespace; }

/* Ranks by uid; workloads without one, or with the same one, by namespace and name. */
static void rank_uids(struct fl_policy *p, struct ranks *s)
{
	uint32_t n = p->model->n_workloads, end;

	sort_by(p, s, 0, n, uid_of);
	for (uint32_t i = 0; i < n; i = end) {
		for (end = i + 1; end < n && s->rows[end].sym == s->rows[i].sym;)
			end++;
		if (end - i == 1)
			continue;
		sort_by(p, s, i, end - i, name_of);
		sort_by(p, s, i, end - i, namespace_of);
		for (uint32_t k = i; k < end; k++) /* one symbol again, by which the loop goes */
			s->rows[k].sym = p->model->workloads[s->rows[k].id].uid.v;
	}
	for (uint32_t i = 0; i < n; i++)
		p->uid_rank[s->rows[i].id] = i;
}

/* To be called after rank_uids: uids decide the order of equal times. */
static void sort_ages(struct fl_policy *p, struct ranks *s)
{
	uint32_t n = p->model->n_workloads;

	for (uint32_t i = 0; i < n; i++)
		s->rows[i].key = fl_sort_key(p->jobs[s->rows[i].id].since);
	fl_sort_rows(s->rows, n, s->scratch);
}

/* A place without a workload. */
static const struct fl_job nobody = {
	.queue = { FL_NONE },
	.since = FL_TIME_NONE,
	.position = FL_NONE, /* among no members */
	.state = FL_STATE_EXCLUDED,
	.held_by = { FL_NONE },
	.held = FL_NONE,
	.reserved_at = FL_TIME_NONE,
};

void fl_setup_job(const struct fl_policy *p, struct fl_workload w, struct fl_job *ret)
{
	const struct fl_workload_row *row = fl_row(p, w);

	*ret = nobody;
	if (takes_part(row))
		ret->queue = row->cluster_queue;
	ret->since = fl_queue_time(p, w);
	ret->priority = row->priority;
}

void fl_setup_nobody(struct fl_job *ret) { *ret = nobody; }

static int fill_jobs(struct fl_policy *p, struct ranks *s, fairlead_error *err)
{
	const struct fl_model *m = p->model;
	uint32_t n = m->n_workloads;

	s->rows = fl_arena_alloc(&s->arena, n, sizeof *s->rows, err);
	s->scratch = fl_arena_alloc(&s->arena, n, sizeof *s->scratch, err);
	s->ids = fl_arena_alloc(&s->arena, n, sizeof *s->ids, err);
	if (!s->rows || !s->scratch || !s->ids || !FL_NEW(&p->arena, p->jobs, p->places, err) ||
	    !FL_NEW(&p->arena, p->uid_rank, p->places, err))
		return FAIRLEAD_ENOMEM;
	for (uint32_t w = 0; w < n; w++) {
		s->rows[w].id = w;
		fl_setup_job(p, (struct fl_workload){ w }, &p->jobs[w]);
		if (!s->given)
			continue;
		p->jobs[w].priority = s->given[w].priority;
		p->uid_rank[w] = s->given[w].uid_rank;
	}
	for (uint32_t w = n; w < p->places; w++) {
		p->jobs[w] = nobody;
		p->uid_rank[w] = FL_NONE;
	}
	if (!s->given) {
		rank_uids(p, s);
		sort_ages(p, s);
	}
	return 0;
}

/*
 * Takes the order of an image into @ids, queue by queue; FAIRLEAD_EINPUT if it does not have each
 * workload once.  @classes: of eq_class_ids; else of members.
 */
static int take_order(const struct fl_policy *p, struct ranks *s, bool eq_classes, uint32_t *ids,
		      fairlead_error *err)
{
	uint32_t n = p->model->n_workloads;
	bool *seen = fl_arena_alloc(&s->arena, n, sizeof *seen, err);

	if (!seen)
		return FAIRLEAD_ENOMEM;
	for (uint32_t i = 0; i < n; i++) {
		uint32_t w = eq_classes ? s->given[i].eq_class_id & ~FL_ORDER_BEGINS :
					  s->given[i].member;

		if (w >= n || seen[w] ||
		    (i > 0 && p->jobs[w].queue.v < p->jobs[ids[i - 1]].queue.v))
			return fl_image_damaged("borrow.orders", err);
		seen[w] = true;
		ids[i] = w;
	}
	return 0;
}

/* --- queues: members in queue order, room for holders, equal classes --- */

static int cmp_u64(uint64_t a, uint64_t b) { return (a > b) - (a < b); }

static int cmp_requests(const struct fl_model *m, struct fl_span a, struct fl_span b)
{
	int order = cmp_u64(a.n, b.n);

	for (uint32_t i = 0; !order && i < a.n; i++) {
		const struct fl_request *x = &m->requests[a.first + i];
		const struct fl_request *y = &m->requests[b.first + i];

		order = cmp_u64(x->resource.v, y->resource.v);
		if (!order)
			order = (x->amount > y->amount) - (x->amount < y->amount);
	}
	return order;
}

/*
 * Compares what makes a class within a queue and priority: names, counts and specs of podsets, and
 * what of a spec decides by itself as well as by the hash.
 */
int fl_setup_cmp_podsets(const void *model, uint32_t a, uint32_t b)
{
	const struct fl_model *m = model;
	struct fl_span s = m->workloads[a].podsets, t = m->workloads[b].podsets;
	int order = cmp_u64(s.n, t.n);

	for (uint32_t i = 0; !order && s.first != t.first && i < s.n; i++) {
		const struct fl_podset *u = &m->podsets[s.first + i], *v = &m->podsets[t.first + i];

		order = fl_names_cmp(&m->names, u->name, v->name);
		if (!order && u->count != v->count)
			order = u->count < v->count ? -1 : 1;
		if (!order && u->reclaimed != v->reclaimed)
			order = u->reclaimed < v->reclaimed ? -1 : 1;
		if (!order && u->min_count != v->min_count)
			order = u->min_count < v->min_count ? -1 : 1;
		if (!order)
			order = cmp_u64(u->spec_hash, v->spec_hash);
		if (!order) /* the hash is no proof */
			order = fl_podset_cmp_placing(m, u, v);
		if (!order)
			order = cmp_requests(m, u->requests, v->requests);
	}
	return order;
}

/* Places for newcomers where @n of something are: none in a policy without. */
static uint32_t spare(const struct fl_policy *p, uint32_t n) { return p->spare ? n / 16 + 2 : 0; }

/*
 * Sorts workloads that are in queue order by class, so that each class stays in queue order, and
 * numbers the classes.
 */
static void number_eq_classes(struct fl_policy *p, uint32_t *ids, uint32_t *scratch)
{
	uint32_t n = p->model->n_workloads, end;

	for (uint32_t i = 0; i < n; i = end) {
		const struct fl_job *first = &p->jobs[ids[i]];

		for (end = i + 1; end < n && p->jobs[ids[end]].queue.v == first->queue.v &&
				  p->jobs[ids[end]].priority == first->priority;)
			end++;
		fl_sort(ids + i, end - i, scratch, fl_setup_cmp_podsets, p->model);
		for (uint32_t k = i; k < end; k++) {
			p->n_eq_classes += k == i ||
					   fl_setup_cmp_podsets(p->model, ids[k - 1], ids[k]) != 0;
			p->jobs[ids[k]].eq_class = p->n_eq_classes - 1;
		}
	}
}

/*
 * The same from an image; workloads of one class must be of one queue and have equally many
 * podsets.
 */
static int take_eq_classes(struct fl_policy *p, struct ranks *s, uint32_t *ids, fairlead_error *err)
{
	int r = take_order(p, s, /* shapes= */ true, ids, err);

	for (uint32_t i = 0; r == 0 && i < p->model->n_workloads; i++) {
		bool begins = s->given[i].eq_class_id & FL_ORDER_BEGINS;
		struct fl_job *j = &p->jobs[ids[i]];

		if (!begins && (i == 0 || j->queue.v != p->jobs[ids[i - 1]].queue.v ||
				p->model->workloads[ids[i]].podsets.n !=
					p->model->workloads[ids[i - 1]].podsets.n))
			return fl_image_damaged("borrow.orders", err);
		p->n_eq_classes += begins;
		j->eq_class = p->n_eq_classes - 1;
	}
	return r;
}

/*
 * Classes have been numbered one after another: numbers for others are left free behind those of
 * each queue.
 */
static void space_eq_classes(struct fl_policy *p, const uint32_t *ids)
{
	struct fl_span *last = NULL;
	uint32_t free = 0, before = FL_NONE;

	for (uint32_t i = 0; i < p->model->n_workloads; i++) {
		struct fl_job *j = &p->jobs[ids[i]];
		struct fl_span *of = &fl_backlog_of(p, j)->eq_classes;
		bool begins = j->eq_class != before;

		before = j->eq_class;
		if (last && of != last) {
			free += spare(p, last->n);
			last->n += spare(p, last->n);
		}
		last = of;
		j->eq_class += free;
		if (begins && of->n++ == 0)
			of->first = j->eq_class;
	}
	p->n_eq_classes += free;
	if (last && spare(p, last->n)) {
		p->n_eq_classes += spare(p, last->n);
		last->n += spare(p, last->n);
	}
}

static int too_many_rows(fairlead_error *err)
{
	return fl_fail(err, FAIRLEAD_ELIMIT, "a workload holds more than %d rows", UINT16_MAX);
}

/* Where the scan positions of each class are. */
static int place_scans(struct fl_policy *p, fairlead_error *err)
{
	bool spaced = p->spare > 0;

	for (uint32_t q = 0; q <= p->model->n_nodes; q++) {
		struct fl_backlog *b = &p->backlogs[q];
		uint32_t end = b->eq_classes.first + b->eq_classes.n, most = b->groups.n;

		for (uint32_t k = b->eq_classes.first; k < end; k++)
			if (most < p->eq_classes[k].n_scan)
				most = p->eq_classes[k].n_scan;
		b->scans = (struct fl_span){ p->n_scans, spaced ? b->room * most : 0 };
		for (uint32_t k = b->eq_classes.first; k < end; k++) {
			struct fl_eq_class *c = &p->eq_classes[k];

			c->stride = spaced ? most : c->n_scan;
			c->scans = spaced ? b->scans.first +
						    (c->members.first - b->members.first) * most :
					    p->n_scans;
			p->n_scans += spaced ? 0 : c->n_scan * c->members.n;
		}
		p->n_scans += b->scans.n;
	}
	p->scan_spans = (struct fl_spans){ .end = p->n_scans };
	p->n_scans += spaced ? p->n_scans / 2 + 4096 : 0;
	p->scan_spans.cap = p->n_scans;
	return FL_NEW(&p->arena, p->scans, p->n_scans, err) ? 0 : FAIRLEAD_ENOMEM;
}

/* Makes room for what workloads of each class hold, and for their scan positions. */
static int fill_rows(struct fl_policy *p, fairlead_error *err)
{
	uint32_t max_room = 0;
	uint64_t rows = 0;
	int r;

	for (uint32_t s = 0; s < p->n_eq_classes; s++) {
		struct fl_eq_class *eq_class = &p->eq_classes[s];
		uint32_t w, q;

		if (!eq_class->members.n)
			continue;
		w = p->eq_class_ids[eq_class->members.first];
		q = p->jobs[w].queue.v;
		if (eq_class->room > UINT16_MAX)
			return too_many_rows(err);
		if (q != FL_NONE)
			eq_class->n_scan = p->model->workloads[w].podsets.n *
					   p->backlogs[q].groups.n;
		rows += (uint64_t)eq_class->room * eq_class->members.n;
		max_room = eq_class->room > max_room ? eq_class->room : max_room;
	}
	if (p->spare)
		rows += FL_SETUP_ROWS; /* a chunk that newcomers of other shapes fit into */
	r = place_scans(p, err);
	return r < 0 ? r : fl_holdings_init(&p->holdings, rows, max_room, p->mem, err);
}

static int alloc_flushes(struct fl_policy *p, fairlead_error *err)
{
	p->flush_next = FL_NEVER;
	if (!p->flush_after)
		return 0;
	if (!FL_NEW(&p->arena, p->flush_due, p->tree.n_roots, err))
		return FAIRLEAD_ENOMEM;
	for (uint32_t root = 0; root < p->tree.n_roots; root++)
		p->flush_due[root] = FL_NEVER;
	return 0;
}

static int alloc_eq_classes(struct fl_policy *p, fairlead_error *err)
{
	uint32_t more = p->spare, cap;

	cap = p->n_eq_classes + (more ? more + 2 * p->model->n_nodes + 64 : 0);
	p->class_spans = (struct fl_spans){ .end = p->n_eq_classes, .cap = cap };
	if (!FL_NEW(&p->arena, p->cycle, p->tree.n_roots, err) ||
	    !FL_NEW(&p->arena, p->eq_classes, cap, err) ||
	    !FL_NEW(&p->arena, p->heads, 2 * (size_t)cap, err) ||
	    fl_bitset_init(&p->with_class, p->member_spans.cap, &p->arena, err) < 0 ||
	    fl_bitset_init(&p->marked, cap, &p->arena, err) < 0 || fl_least_new(p, err) < 0 ||
	    fl_bitset_init(&p->dirty, p->tree.n_roots, &p->arena, err) < 0 ||
	    fl_bitset_init(&p->ready, p->tree.n_order, &p->arena, err) < 0 ||
	    fl_bitset_init(&p->asleep, p->tree.n_order, &p->arena, err) < 0)
		return FAIRLEAD_ENOMEM;
	for (uint32_t root = 0; root < p->tree.n_roots; root++)
		fl_bitset_add(&p->dirty, root, /* undo= */ NULL);
	memset(p->heads, 0xff, 2 * (size_t)cap * sizeof *p->heads); /* FL_NONE */
	return alloc_flushes(p, err);
}

static int fill_eq_classes(struct fl_policy *p, struct ranks *s, fairlead_error *err)
{
	uint32_t n = p->model->n_workloads, *ids = s->ids, of = 0;
	const struct fl_backlog *last = NULL;
	int r;

	if (s->given && (r = take_eq_classes(p, s, ids, err)) < 0)
		return r;
	if (!s->given)
		number_eq_classes(p, ids, (uint32_t *)s->scratch);
	space_eq_classes(p, ids);
	if (!FL_NEW(&p->arena, p->eq_class_ids, p->member_spans.cap, err) ||
	    (r = alloc_eq_classes(p, err)) < 0)
		return FAIRLEAD_ENOMEM;
	for (uint32_t i = 0; i < n; i++) {
		struct fl_job *j = &p->jobs[ids[i]];
		const struct fl_backlog *backlog = fl_backlog_of(p, j);
		struct fl_eq_class *eq_class = &p->eq_classes[j->eq_class];
		uint32_t room = fl_setup_room_of(p, &p->model->workloads[ids[i]]);

		of = backlog == last ? of + 1 : 0;
		last = backlog;
		p->eq_class_ids[backlog->members.first + of] = ids[i];
		if (eq_class->room < room)
			eq_class->room = room;
		j->eq_class_place = eq_class->members.n;
		if (eq_class->members.n++ == 0)
			eq_class->members.first = backlog->members.first + of;
	}
	return fill_rows(p, err);
}

/* Sorts as fl_backlog_cmp; on entry they are sorted by age and uid. */
static void sort_members(struct fl_policy *p, struct ranks *s)
{
	uint32_t n = p->model->n_workloads;

	for (uint32_t i = 0; i < n; i++) {
		const struct fl_job *j = &p->jobs[s->rows[i].id];

		/* the highest priority first */
		s->rows[i].key = (uint64_t)j->queue.v << 32 |
				 (uint64_t)(INT32_MAX - (int64_t)j->priority);
	}
	fl_sort_rows(s->rows, n, s->scratch);
	for (uint32_t i = 0; i < n; i++)
		s->ids[i] = s->rows[i].id;
}

/* Places the spans of holders one after another, each as large as its queue may need. */
static int lay_out_holders(struct fl_policy *p, fairlead_error *err)
{
	uint32_t room = 0, more = p->spare;

	for (uint32_t q = 0; q < p->model->n_nodes; q++) {
		p->backlogs[q].sorted_epoch = UINT64_MAX; /* not sorted yet */
		p->backlogs[q].holders.first = room;
		room += p->backlogs[q].holders.n;
	}
	p->holder_spans = (struct fl_spans){ .end = room,
					     .cap = room + (more ? room / 2 + more : 0) };
	return FL_NEW(&p->arena, p->holders, p->holder_spans.cap, err) &&
			       FL_NEW(&p->arena, p->candidates, p->holder_spans.cap, err) ?
		       0 :
		       FAIRLEAD_ENOMEM;
}

/* Places the spans of members one after another, in the order of queues. */
static int lay_out_members(struct fl_policy *p, fairlead_error *err)
{
	const struct fl_model *m = p->model;
	uint32_t at = 0, more = p->spare;
	int r;

	for (uint32_t q = 0; q <= m->n_nodes; q++) {
		struct fl_backlog *b = &p->backlogs[q];

		b->room = b->members.n;
		if (q == m->n_nodes || m->nodes[q].kind == FL_CLUSTER_QUEUE)
			b->room += spare(p, b->members.n);
		b->members.first = at;
		b->holders.n = b->room + b->n_foreign;
		at += b->room;
		if (q < m->n_nodes && m->nodes[q].kind == FL_CLUSTER_QUEUE &&
		    ((r = fl_bitset_init(&b->loose, b->room, &p->arena, err)) < 0 ||
		     (r = fl_bitset_init(&b->parked, b->room, &p->arena, err)) < 0))
			return r;
	}
	p->member_spans = (struct fl_spans){ .end = at, .cap = at + (more ? at / 2 + more : 0) };
	return FL_NEW(&p->arena, p->members, p->member_spans.cap, err) ? 0 : FAIRLEAD_ENOMEM;
}

static int fill_members(struct fl_policy *p, struct ranks *s, fairlead_error *err)
{
	const struct fl_model *m = p->model;
	uint32_t n = m->n_workloads;
	int r;

	if (!s->given)
		sort_members(p, s);
	else if ((r = take_order(p, s, /* eq_classes= */ false, s->ids, err)) < 0)
		return r;
	for (uint32_t i = 0; i < n; i++) {
		struct fl_job *j = &p->jobs[s->ids[i]];
		struct fl_node held = m->workloads[s->ids[i]].admitted_queue;

		if (held.v != FL_NONE && held.v != j->queue.v)
			p->backlogs[held.v].n_foreign++;
		j->position = fl_backlog_of(p, j)->members.n++;
	}
	if ((r = lay_out_members(p, err)) < 0)
		return r;
	for (uint32_t i = 0; i < n; i++) {
		const struct fl_job *j = &p->jobs[s->ids[i]];

		p->members[fl_backlog_of(p, j)->members.first + j->position] = s->ids[i];
	}
	return FL_NEW(&p->arena, p->holder_at, p->places, err) ? lay_out_holders(p, err) :
								 FAIRLEAD_ENOMEM;
}

static int fill_workloads(struct fl_policy *p, const struct fl_saved_order *given,
			  fairlead_error *err)
{
	struct ranks s = { .given = given };
	int r;

	fl_arena_init(&s.arena, p->mem);
	if ((r = fill_jobs(p, &s, err)) == 0 && (r = fill_members(p, &s, err)) == 0)
		r = fill_eq_classes(p, &s, err);
	fl_arena_done(&s.arena);
	return r;
}

static int fill_trees(struct fl_policy *p, fairlead_error *err)
{
	bool classical = !p->model->settings.fair_sharing || p->model->n_protections > 0;
	uint32_t room = 0, more = p->spare;

	if (!FL_NEW(&p->arena, p->tree_epoch, p->tree.n_roots, err) ||
	    !FL_NEW(&p->arena, p->tree_sorted_epoch, p->tree.n_roots, err) ||
	    !FL_NEW(&p->arena, p->tree_first, p->tree.n_roots, err) ||
	    !FL_NEW(&p->arena, p->tree_room, p->tree.n_roots, err) ||
	    !FL_NEW(&p->arena, p->tree_n, p->tree.n_roots, err))
		return FAIRLEAD_ENOMEM;
	for (uint32_t r = 0; r < p->tree.n_roots; r++) {
		p->tree_first[r] = room;
		for (uint32_t i = 0; i < p->tree.queues[r].n && classical; i++)
			p->tree_room[r] +=
				p->backlogs[p->tree.queue_ids[p->tree.queues[r].first + i]]
					.holders.n;
		room += p->tree_room[r];
	}
	p->tree_spans = (struct fl_spans){
		.end = room, .cap = room + (classical && more ? room / 2 + more : 0)
	};
	return FL_NEW(&p->arena, p->tree_candidates, p->tree_spans.cap, err) &&
			       FL_NEW(&p->arena, p->tree_holders, p->tree_spans.cap, err) ?
		       0 :
		       FAIRLEAD_ENOMEM;
}

int fl_setup_more_room(struct fl_policy *p, const uint32_t *holders, const uint32_t *rows,
		       fairlead_error *err)
{
	uint32_t max_room = 0;
	uint64_t all = 0;
	int r;

	for (uint32_t q = 0; q < p->model->n_nodes; q++) {
		p->backlogs[q].holders.n += holders[q];
		p->backlogs[q].n_foreign += holders[q];
	}
	for (uint32_t s = 0; s < p->n_eq_classes; s++) {
		struct fl_eq_class *eq_class = &p->eq_classes[s];

		eq_class->room = rows[s] > eq_class->room ? rows[s] : eq_class->room;
		all += (uint64_t)eq_class->room * eq_class->members.n;
		max_room = eq_class->room > max_room ? eq_class->room : max_room;
	}
	fl_holdings_done(&p->holdings);
	if ((r = fl_holdings_init(&p->holdings, all, max_room, p->mem, err)) < 0 ||
	    (r = lay_out_holders(p, err)) < 0)
		return r;
	return fill_trees(p, err);
}

/* Makes all but the state of workloads: which are pending, and which hold what. */
static int make_room(struct fl_policy *p, const struct fl_saved_order *given, fairlead_error *err)
{
	int r;

	if ((r = fl_tree_init(&p->tree, p->model, p->mem, err)) < 0 ||
	    (r = fl_usage_init(&p->usage, &p->tree, &p->arena, err)) < 0)
		return r;
	p->usage.undo = &p->undo;
	if (!FL_NEW(&p->arena, p->backlogs, p->model->n_nodes + (size_t)1, err))
		return FAIRLEAD_ENOMEM;
	if ((r = fl_setup_groups(p, err)) < 0 || (r = fill_workloads(p, given, err)) < 0 ||
	    (r = fill_trees(p, err)) < 0 || (r = fl_afs_setup(p, err)) < 0 ||
	    (r = fl_protect_setup(p, err)) < 0 || (r = fl_cycle_new(p, err)) < 0 ||
	    (r = fl_rung_setup(p, err)) < 0)
		return r;
	return fl_requeue_setup(p, err);
}

int fl_setup(struct fl_policy *p, fairlead_error *err)
{
	int r = make_room(p, /* given= */ NULL, err);

	if (r == 0 && (r = fl_setup_state(p, err)) == 0)
		fl_afs_start(p);
	for (uint32_t root = 0; r == 0 && root < p->tree.n_roots; root++)
		fl_rung_renew(p, &p->scratch->s, root);
	if (r == 0)
		fl_protect_watch(p);
	return r;
}

int fl_setup_from(struct fl_policy *p, const struct fl_image *i, fairlead_error *err)
{
	const struct fl_saved_order *given;
	int r = fl_borrow_saved_orders(i, p->model->n_workloads, &given, err);

	if (r == 0)
		r = make_room(p, given, err);
	return r < 0 ? r : fl_borrow_enter(p, i, err);
}
