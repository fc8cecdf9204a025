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
#include "decide/borrow/guarantee/protect.h"
#include "decide/borrow/guarantee/rung.h"
#include "decide/borrow/preempt/preempt.h"
#include "decide/borrow/state/least.h"

/* --- resource groups of the queues --- */

static int alloc_groups(struct fl_policy *p, fairlead_error *err)
{
	const struct fl_model *m = p->model;
	uint32_t groups = 0, resources = 0, flavors = 0, columns = 0;

	for (uint32_t n = 0; n < m->n_nodes; n++)
		for (uint32_t g = 0; g < m->nodes[n].groups.n; g++) {
			const struct fl_group *row = &m->groups[m->nodes[n].groups.first + g];

			groups++;
			resources += row->resources.n;
			flavors += row->flavors.n;
			columns += row->flavors.n * row->resources.n;
		}
	return FL_NEW(&p->arena, p->groups, groups, err) &&
			       FL_NEW(&p->arena, p->group_resources, resources, err) &&
			       FL_NEW(&p->arena, p->group_flavors, flavors, err) &&
			       FL_NEW(&p->arena, p->group_columns, columns, err) ?
		       0 :
		       FAIRLEAD_ENOMEM;
}

static struct fl_resource find_resource(const struct fl_model *m, struct fl_sym name)
{
	for (uint32_t r = 0; r < m->n_resources; r++)
		if (m->resources[r].v == name.v)
			return (struct fl_resource){ r };
	return (struct fl_resource){ FL_NONE };
}

struct group_room {
	uint32_t groups, resources, flavors, columns;
};

static void fill_group(struct fl_policy *p, struct fl_node q, const struct fl_group *row,
		       struct group_room *at)
{
	const struct fl_model *m = p->model;
	struct fl_queue_group *g = &p->groups[at->groups++];

	*g = (struct fl_queue_group){ .resources = { at->resources, row->resources.n },
				      .flavors = { at->flavors, row->flavors.n },
				      .columns = at->columns };
	for (uint32_t r = 0; r < row->resources.n; r++) {
		struct fl_resource id = find_resource(m, m->syms[row->resources.first + r]);

		p->group_resources[at->resources++] = id;
		p->backlogs[q.v].covers_pods |= id.v == p->pods_resource.v && id.v != FL_NONE;
	}
	for (uint32_t f = 0; f < row->flavors.n; f++) {
		struct fl_flavor flavor = m->group_flavors[row->flavors.first + f].id;

		p->group_flavors[at->flavors++] = flavor;
		for (uint32_t r = 0; r < row->resources.n; r++)
			p->group_columns[at->columns++] = fl_tree_column(
				&p->tree, q, flavor, p->group_resources[g->resources.first + r]);
	}
}

static int fill_groups(struct fl_policy *p, fairlead_error *err)
{
	const struct fl_model *m = p->model;
	struct group_room at = { 0 };
	struct fl_sym pods = fl_names_find(&m->names, "pods", 4);
	int r = alloc_groups(p, err);

	if (r < 0)
		return r;
	p->pods_resource = find_resource(m, pods);
	for (uint32_t n = 0; n < m->n_nodes; n++) {
		const struct fl_node_row *row = &m->nodes[n];
		struct fl_backlog *backlog = &p->backlogs[n];

		backlog->groups = (struct fl_span){ at.groups, row->kind == FL_CLUSTER_QUEUE ?
								       row->groups.n :
								       0 };
		backlog->active = row->kind == FL_CLUSTER_QUEUE && row->inactive == FL_ACTIVE;
		backlog->sticky = FL_NONE;
		for (uint32_t g = 0; g < backlog->groups.n; g++)
			fill_group(p, (struct fl_node){ n }, &m->groups[row->groups.first + g],
				   &at);
	}
	return 0;
}

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
static uint32_t room_of(const struct fl_policy *p, const struct fl_workload_row *row)
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
		p->jobs[s->rows[i].id].uid_rank = i;
}

/* To be called after rank_uids: uids decide the order of equal times. */
static void rank_ages(struct fl_policy *p, struct ranks *s)
{
	uint32_t n = p->model->n_workloads;

	for (uint32_t i = 0; i < n; i++)
		s->rows[i].key =
			fl_sort_key(fl_queue_time(p, (struct fl_workload){ s->rows[i].id }));
	fl_sort_rows(s->rows, n, s->scratch);
	for (uint32_t i = 0, age = 0; i < n; i++) {
		age += i > 0 && s->rows[i].key != s->rows[i - 1].key;
		p->jobs[s->rows[i].id].age = age;
	}
}

static int fill_jobs(struct fl_policy *p, struct ranks *s, fairlead_error *err)
{
	const struct fl_model *m = p->model;
	uint32_t n = m->n_workloads;

	s->rows = fl_arena_alloc(&s->arena, n, sizeof *s->rows, err);
	s->scratch = fl_arena_alloc(&s->arena, n, sizeof *s->scratch, err);
	if (!s->rows || !s->scratch || !FL_NEW(&p->arena, p->jobs, n, err))
		return FAIRLEAD_ENOMEM;
	for (uint32_t w = 0; w < n; w++) {
		const struct fl_workload_row *row = &m->workloads[w];

		s->rows[w].id = w;
		p->jobs[w] = (struct fl_job){
			.queue = takes_part(row) ? row->cluster_queue : (struct fl_node){ FL_NONE },
			.priority = s->given ? s->given[w].priority : row->priority,
			.state = FL_STATE_EXCLUDED,
			.held_by = { FL_NONE },
			.held = FL_NONE,
			.reserved_at = FL_TIME_NONE,
		};
	}
	for (uint32_t w = 0; s->given && w < n; w++) {
		p->jobs[w].uid_rank = s->given[w].uid_rank;
		p->jobs[w].age = s->given[w].age;
	}
	if (!s->given) {
		rank_uids(p, s);
		rank_ages(p, s);
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

/* Compares what makes a class within a queue and priority: names, counts and specs of podsets. */
static int cmp_podsets(const void *model, uint32_t a, uint32_t b)
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
		if (!order)
			order = cmp_requests(m, u->requests, v->requests);
	}
	return order;
}

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
		fl_sort(ids + i, end - i, scratch, cmp_podsets, p->model);
		for (uint32_t k = i; k < end; k++) {
			p->n_eq_classes += k == i || cmp_podsets(p->model, ids[k - 1], ids[k]) != 0;
			p->jobs[ids[k]].eq_class = p->n_eq_classes - 1;
			p->jobs[ids[k]].eq_class_place = k;
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
		j->eq_class_place = i;
	}
	return r;
}

/* Makes room for what workloads of each class hold, and for their scan positions. */
static int fill_rows(struct fl_policy *p, fairlead_error *err)
{
	uint32_t max_room = 0;
	uint64_t rows = 0;

	for (uint32_t s = 0; s < p->n_eq_classes; s++) {
		struct fl_eq_class *eq_class = &p->eq_classes[s];
		uint32_t w = p->eq_class_ids[eq_class->members.first], q = p->jobs[w].queue.v;

		if (eq_class->room > UINT16_MAX)
			return fl_fail(err, FAIRLEAD_ELIMIT, "a workload holds more than %d rows",
				       UINT16_MAX);
		if (q != FL_NONE)
			eq_class->n_scan = p->model->workloads[w].podsets.n *
					   p->backlogs[q].groups.n;
		eq_class->scans = p->n_scans;
		p->n_scans += eq_class->n_scan * eq_class->members.n;
		rows += (uint64_t)eq_class->room * eq_class->members.n;
		max_room = eq_class->room > max_room ? eq_class->room : max_room;
	}
	return FL_NEW(&p->arena, p->scans, p->n_scans, err) ?
		       fl_holdings_init(&p->holdings, rows, max_room, p->mem, err) :
		       FAIRLEAD_ENOMEM;
}

static int fill_eq_classes(struct fl_policy *p, struct ranks *s, fairlead_error *err)
{
	uint32_t n = p->model->n_workloads, *ids;
	int r;

	if (!FL_NEW(&p->arena, ids, n, err))
		return FAIRLEAD_ENOMEM;
	p->eq_class_ids = ids;
	if (s->given && (r = take_eq_classes(p, s, ids, err)) < 0)
		return r;
	if (!s->given) {
		memcpy(ids, p->members, n * sizeof *ids);
		number_eq_classes(p, ids, (uint32_t *)s->scratch);
	}
	if (!FL_NEW(&p->arena, p->cycle, p->tree.n_roots, err) ||
	    !FL_NEW(&p->arena, p->eq_classes, p->n_eq_classes, err) ||
	    !FL_NEW(&p->arena, p->heads, 2 * (size_t)p->n_eq_classes, err) ||
	    (r = fl_bitset_init(&p->with_class, n, &p->arena, err)) < 0 ||
	    (r = fl_bitset_init(&p->marked, p->n_eq_classes, &p->arena, err)) < 0 ||
	    (r = fl_least_new(p, err)) < 0 ||
	    (r = fl_bitset_init(&p->dirty, p->tree.n_roots, &p->arena, err)) < 0 ||
	    (r = fl_bitset_init(&p->ready, p->tree.n_order, &p->arena, err)) < 0 ||
	    (r = fl_bitset_init(&p->asleep, p->tree.n_order, &p->arena, err)) < 0)
		return FAIRLEAD_ENOMEM;
	for (uint32_t root = 0; root < p->tree.n_roots; root++)
		fl_bitset_add(&p->dirty, root, /* undo= */ NULL);
	memset(p->heads, 0xff, 2 * (size_t)p->n_eq_classes * sizeof *p->heads); /* FL_NONE */
	for (uint32_t i = 0; i < n; i++) {
		uint32_t q = p->jobs[ids[i]].queue.v;
		struct fl_eq_class *eq_class = &p->eq_classes[p->jobs[ids[i]].eq_class];

		if (eq_class->room < room_of(p, &p->model->workloads[ids[i]]))
			eq_class->room = room_of(p, &p->model->workloads[ids[i]]);
		if (eq_class->members.n++ > 0)
			continue;
		eq_class->members.first = i;
		if (q != FL_NONE && p->backlogs[q].eq_classes.n++ == 0)
			p->backlogs[q].eq_classes.first = p->jobs[ids[i]].eq_class;
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
		p->members[i] = s->rows[i].id;
}

/* Places the spans of holders one after another, each as large as its queue may need. */
static int lay_out_holders(struct fl_policy *p, fairlead_error *err)
{
	uint32_t room = 0;

	for (uint32_t q = 0; q < p->model->n_nodes; q++) {
		p->backlogs[q].sorted_epoch = UINT64_MAX; /* not sorted yet */
		p->backlogs[q].holders.first = room;
		room += p->backlogs[q].holders.n;
	}
	return FL_NEW(&p->arena, p->holders, room, err) &&
			       FL_NEW(&p->arena, p->candidates, room, err) ?
		       0 :
		       FAIRLEAD_ENOMEM;
}

static int fill_members(struct fl_policy *p, struct ranks *s, fairlead_error *err)
{
	const struct fl_model *m = p->model;
	uint32_t n = m->n_workloads;
	int r;

	if (!FL_NEW(&p->arena, p->members, n, err))
		return FAIRLEAD_ENOMEM;
	if (!s->given)
		sort_members(p, s);
	else if ((r = take_order(p, s, /* shapes= */ false, p->members, err)) < 0)
		return r;
	for (uint32_t i = 0; i < n; i++) {
		struct fl_job *j = &p->jobs[p->members[i]];
		struct fl_node held = m->workloads[p->members[i]].admitted_queue;

		if (held.v != FL_NONE && held.v != j->queue.v)
			p->backlogs[held.v].holders.n++;
		if (j->queue.v == FL_NONE)
			continue;
		if (p->backlogs[j->queue.v].members.n == 0)
			p->backlogs[j->queue.v].members.first = i;
		j->position = p->backlogs[j->queue.v].members.n++;
		p->backlogs[j->queue.v].holders.n++;
	}
	for (uint32_t q = 0; q < m->n_nodes; q++) {
		struct fl_backlog *backlog = &p->backlogs[q];

		if (m->nodes[q].kind == FL_CLUSTER_QUEUE &&
		    ((r = fl_bitset_init(&backlog->loose, backlog->members.n, &p->arena, err)) <
			     0 ||
		     (r = fl_bitset_init(&backlog->parked, backlog->members.n, &p->arena, err)) <
			     0))
			return r;
	}
	return FL_NEW(&p->arena, p->holder_at, n, err) ? lay_out_holders(p, err) : FAIRLEAD_ENOMEM;
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
	uint32_t room = 0;

	if (!FL_NEW(&p->arena, p->tree_epoch, p->tree.n_roots, err) ||
	    !FL_NEW(&p->arena, p->tree_sorted_epoch, p->tree.n_roots, err) ||
	    !FL_NEW(&p->arena, p->tree_first, p->tree.n_roots, err) ||
	    !FL_NEW(&p->arena, p->tree_n, p->tree.n_roots, err))
		return FAIRLEAD_ENOMEM;
	for (uint32_t r = 0; r < p->tree.n_roots; r++) {
		p->tree_first[r] = room;
		for (uint32_t i = 0; i < p->tree.queues[r].n && classical; i++)
			room += p->backlogs[p->tree.queue_ids[p->tree.queues[r].first + i]]
					.holders.n;
	}
	return FL_NEW(&p->arena, p->tree_candidates, room, err) &&
			       FL_NEW(&p->arena, p->tree_holders, room, err) ?
		       0 :
		       FAIRLEAD_ENOMEM;
}

int fl_setup_more_room(struct fl_policy *p, const uint32_t *holders, const uint32_t *rows,
		       fairlead_error *err)
{
	uint32_t max_room = 0;
	uint64_t all = 0;
	int r;

	for (uint32_t q = 0; q < p->model->n_nodes; q++)
		p->backlogs[q].holders.n += holders[q];
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

/* --- the state as the model has it --- */

static int overflow(const struct fl_policy *p, const struct fl_workload_row *row,
		    fairlead_error *err)
{
	const struct fl_model *m = p->model;

	(void)fl_fail(err, FAIRLEAD_ELIMIT,
		      "what is admitted is more than 2^63 units of a resource");
	(void)fl_fail_in(err, "Workload/%s/%s .status.admission", fl_model_text(m, row->namespace),
			 fl_model_text(m, row->name));
	return FAIRLEAD_ELIMIT;
}

/* The index of the podset in the workload's spec; FL_NONE: the spec has none of that name. */
static uint32_t find_podset(const struct fl_model *m, const struct fl_workload_row *row,
			    struct fl_sym name)
{
	for (uint32_t i = 0; i < row->podsets.n; i++)
		if (m->podsets[row->podsets.first + i].name.v == name.v)
			return i;
	return FL_NONE;
}

static enum fl_reason reason_of(enum fl_evicting evicting)
{
	switch (evicting) {
	case FL_EVICTING_NOT:
	case FL_EVICTING_UNDER_WAY:
		break;
	case FL_EVICTING_CLUSTER_QUEUE_STOPPED:
		return FL_REASON_CLUSTER_QUEUE_STOPPED;
	case FL_EVICTING_LOCAL_QUEUE_STOPPED:
		return FL_REASON_LOCAL_QUEUE_STOPPED;
	case FL_EVICTING_QUEUE_MISSING:
		return FL_REASON_LOCAL_QUEUE_MISSING;
	case FL_EVICTING_ADMISSION_CHECK:
		return FL_REASON_ADMISSION_CHECK;
	}
	return FL_REASON_NONE;
}

/* Enters what @w holds by its status. */
static int hold(struct fl_policy *p, struct fl_workload w, fairlead_error *err)
{
	const struct fl_model *m = p->model;
	const struct fl_workload_row *row = fl_row(p, w);
	struct fl_job *j = &p->jobs[w.v];
	struct fl_node q = row->admitted_queue;
	bool in_tree = p->tree.root_index[q.v] != FL_NONE;
	struct fl_use *uses;
	int r = fl_cycle_room(p, w, err);

	if (r < 0)
		return r;
	uses = fl_uses(p, j);

	for (uint32_t s = 0; s < row->admission.n; s++) {
		const struct fl_podset_assignment *a =
			&m->podset_assignments[row->admission.first + s];
		uint32_t podset = find_podset(m, row, a->podset);

		for (uint32_t i = 0; i < a->assignments.n; i++) {
			const struct fl_assignment *got = &m->assignments[a->assignments.first + i];
			struct fl_column column = fl_tree_column(&p->tree, q, got->flavor,
								 got->resource);
			uint32_t at = 0;

			fl_placements(p, j)[j->n_placement++] =
				(struct fl_placement){ .podset = podset,
						       .count = a->count,
						       .resource = got->resource,
						       .flavor = got->flavor,
						       .amount = got->amount };
			while (at < j->n_use && uses[at].column.v != column.v)
				at++;
			if (!in_tree)
				continue;
			if (at == j->n_use)
				uses[j->n_use++] = (struct fl_use){ column, 0 };
			uses[at].amount = fl_sat_add(uses[at].amount, got->amount);
		}
	}
	for (uint32_t i = 0; i < j->n_use; i++)
		if (fl_usage_overflows(&p->usage, &p->tree, q, uses[i].column, uses[i].amount))
			return overflow(p, row, err);
	j->state = row->evicting ? FL_STATE_EVICTING : FL_STATE_ADMITTED;
	j->reason = reason_of(row->evicting);
	j->reserved_at = row->reserved_at == FL_TIME_NONE ? p->now : row->reserved_at;
	fl_holders_hold(p, w, q);
	return 0;
}

static int enter_state(struct fl_policy *p, fairlead_error *err)
{
	int r;

	for (uint32_t i = 0; i < p->model->n_workloads; i++) {
		uint32_t w = p->members[i]; /* queue by queue: uses caches well */
		const struct fl_workload_row *row = &p->model->workloads[w];

		if (row->finished)
			p->jobs[w].state = FL_STATE_ABSENT;
		else if (row->admitted_queue.v != FL_NONE) {
			if ((r = hold(p, (struct fl_workload){ w }, err)) < 0)
				return r;
		} else if (p->jobs[w].queue.v != FL_NONE &&
			   !fl_requeue_hold(p, (struct fl_workload){ w })) {
			fl_backlog_enter(p, (struct fl_workload){ w });
		}
	}
	return 0;
}

/* Makes all but the state of workloads: which are pending, and which hold what. */
static int make_room(struct fl_policy *p, const struct fl_saved_order *given, fairlead_error *err)
{
	int r;

	if ((r = fl_tree_init(&p->tree, p->model, p->mem, err)) < 0 ||
	    (r = fl_usage_init(&p->usage, &p->tree, &p->arena, err)) < 0)
		return r;
	p->usage.undo = &p->undo;
	if (!FL_NEW(&p->arena, p->backlogs, p->model->n_nodes, err))
		return FAIRLEAD_ENOMEM;
	if ((r = fill_groups(p, err)) < 0 || (r = fill_workloads(p, given, err)) < 0 ||
	    (r = fill_trees(p, err)) < 0 || (r = fl_afs_setup(p, err)) < 0 ||
	    (r = fl_protect_setup(p, err)) < 0 || (r = fl_cycle_new(p, err)) < 0 ||
	    (r = fl_rung_setup(p, err)) < 0)
		return r;
	return fl_requeue_setup(p, err);
}

int fl_setup(struct fl_policy *p, fairlead_error *err)
{
	int r = make_room(p, /* given= */ NULL, err);

	if (r == 0 && (r = enter_state(p, err)) == 0)
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
