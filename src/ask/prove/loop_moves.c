/* SPDX-License-Identifier: Apache-2.0 */
#include "ask/prove/loop_moves.h"

#include "ask/common/pending.h"
#include "base/sort.h"

struct telling {
	const struct fl_policy_ops *ops;
	struct fl_policy *policy;
	const struct fl_model *model;
	fl_time now;
	struct fl_prove_clock clock;
	const struct fl_move *moves;
	struct fl_arena *arena;
	struct fl_loop_moves *loop;
	struct fl_node *where; /* by workload: where it holds quota, or would */
	bool *in_cast;         /* by workload */
	uint32_t cap_acts;
	uint32_t failed;
	/* of the move under way: acts from here on; no memory for more of them */
	uint32_t first_act;
	struct fl_evidence *heard;
	uint32_t n_heard, cap_heard;
	fairlead_error *err;
	int rc;
};

/* --- what is heard --- */

/* Which rows allow a victim; 0: none. Of several that hold, the last of the highest. */
static int weight_of(enum fl_check check)
{
	switch (check) {
	case FL_CHECK_S2A:
	case FL_CHECK_S2B:
	case FL_CHECK_MAINTAIN_FAIR_SHARE:
	case FL_CHECK_GUARANTEE_DESERVED:
		return 3;
	case FL_CHECK_VICTIM_PRIORITY:
	case FL_CHECK_VICTIM_AGE:
	case FL_CHECK_WHILE_BORROWING:
		return 2;
	case FL_CHECK_WITHIN_NOMINAL:
	case FL_CHECK_CAN_RECLAIM:
		return 1;
	default:
		return 0;
	}
}

static void hear(void *user, const struct fl_evidence *row)
{
	struct telling *t = user;
	void *grown;

	if (!row->holds || !weight_of(row->check) || t->rc < 0)
		return;
	if (t->n_heard == t->cap_heard) {
		uint32_t cap = t->cap_heard ? 2 * t->cap_heard : 64;

		grown = fl_arena_alloc(t->arena, cap, sizeof(*t->heard), t->err);
		if (!grown) {
			t->rc = FAIRLEAD_ENOMEM;
			return;
		}
		for (uint32_t i = 0; i < t->n_heard; i++)
			((struct fl_evidence *)grown)[i] = t->heard[i];
		t->heard = grown;
		t->cap_heard = cap;
	}
	t->heard[t->n_heard++] = *row;
}

/* A reclaim depends on the preemptor's quota alone; all else on what was said of the victim. */
static bool suits(const struct fl_loop_act *act, const struct fl_evidence *row)
{
	bool own = row->victim.v == act->workload.v;

	if (row->workload.v != act->preemptor.v)
		return false;
	/* With reclaimWithinCohort: Any it holds whatever the priorities, and says nothing. */
	if (row->check == FL_CHECK_VICTIM_PRIORITY && row->lhs.amount >= row->rhs.amount)
		return false;
	if (act->reason == FL_REASON_IN_COHORT_RECLAMATION)
		return own ? weight_of(row->check) == 2 : row->check == FL_CHECK_WITHIN_NOMINAL;
	return own || (row->victim.v == FL_NONE && row->check == FL_CHECK_CAN_RECLAIM);
}

static void find_proof(const struct telling *t, struct fl_loop_act *act)
{
	int best = 0;

	for (uint32_t i = 0; i < t->n_heard; i++) {
		int weight = weight_of(t->heard[i].check);

		if (act->reason == FL_REASON_IN_COHORT_RECLAMATION)
			weight = 4 - weight; /* that it is within its quota says it */
		if (weight < best || !suits(act, &t->heard[i]))
			continue;
		best = weight;
		act->has_proof = true;
		act->proof = t->heard[i];
	}
}

/* --- what a move did --- */

static uint32_t depth_of(const struct fl_model *m, struct fl_node n)
{
	uint32_t depth = 0;

	for (; n.v != FL_NONE; n = m->nodes[n.v].parent)
		depth++;
	return depth;
}

/* The nodes that part below the lowest one above both queues. */
static void find_sides(const struct fl_model *m, struct fl_node a, struct fl_node b,
		       struct fl_loop_side ret[2])
{
	uint32_t da = depth_of(m, a), db = depth_of(m, b);

	ret[0].node.v = ret[1].node.v = FL_NONE;
	if (!da || !db || a.v == b.v)
		return;
	for (; da > db; da--)
		a = m->nodes[a.v].parent;
	for (; db > da; db--)
		b = m->nodes[b.v].parent;
	while (m->nodes[a.v].parent.v != m->nodes[b.v].parent.v) {
		a = m->nodes[a.v].parent;
		b = m->nodes[b.v].parent;
	}
	ret[0].node = a;
	ret[1].node = b;
}

static struct fl_loop_act *add_act(struct telling *t)
{
	struct fl_loop_moves *r = t->loop;

	if (r->n_acts == t->cap_acts) {
		uint32_t cap = t->cap_acts ? 2 * t->cap_acts : 16;
		struct fl_loop_act *grown = fl_arena_alloc(t->arena, cap, sizeof(*grown), t->err);

		if (!grown)
			return NULL;
		for (uint32_t i = 0; i < r->n_acts; i++)
			grown[i] = r->acts[i];
		r->acts = grown;
		t->cap_acts = cap;
	}
	r->acts[r->n_acts] = (struct fl_loop_act){ .preemptor = { FL_NONE },
						   .preemptor_queue = { FL_NONE } };
	return &r->acts[r->n_acts++];
}

static bool is_news(const struct fl_decision *d)
{
	return d->kind == FL_ADMIT || (d->kind == FL_EVICT && !d->already_evicting) ||
	       (d->kind == FL_RESERVE && d->action != FL_ACTION_NONE);
}

static int keep_decisions(struct telling *t, const struct fl_decisions *d)
{
	for (uint32_t i = 0; i < d->n; i++) {
		const struct fl_decision *row = &d->rows[i];
		struct fl_loop_act *act = is_news(row) ? add_act(t) : NULL;

		if (!is_news(row))
			continue;
		if (!act)
			return FAIRLEAD_ENOMEM;
		act->kind = row->kind;
		act->reason = row->reason;
		act->workload = row->workload;
		act->queue = row->cluster_queue;
		t->in_cast[row->workload.v] = true;
		if (row->kind == FL_ADMIT)
			t->where[row->workload.v] = row->cluster_queue;
		find_sides(t->model, (struct fl_node){ FL_NONE }, act->queue, act->sides);
		if (row->kind != FL_EVICT || row->preemptor.v == FL_NONE)
			continue;
		act->preemptor = row->preemptor;
		act->preemptor_queue = t->model->workloads[row->preemptor.v].cluster_queue;
		t->in_cast[row->preemptor.v] = true;
		find_sides(t->model, act->preemptor_queue, act->queue, act->sides);
	}
	return 0;
}

/* --- shares before and after --- */

static void look_at_shares(struct telling *t, bool after)
{
	struct fl_loop_moves *r = t->loop;

	for (uint32_t i = t->first_act; i < r->n_acts; i++)
		for (int s = 0; s < 2; s++) {
			struct fl_loop_side *side = &r->acts[i].sides[s];

			if (side->node.v != FL_NONE)
				t->ops->share(t->policy, side->node,
					      after ? &side->after : &side->before);
		}
}

/* All evictions of the move have completed, and the preemptor is served. */
static int play_out(struct telling *t, fl_time now)
{
	struct fl_loop_moves *r = t->loop;
	struct fl_decisions d;
	int rc = 0;

	for (uint32_t i = t->first_act; i < r->n_acts && rc == 0; i++) {
		struct fl_event event = { .kind = FL_EV_EVICTED, .workload = r->acts[i].workload };

		if (r->acts[i].kind == FL_EVICT &&
		    t->ops->state(t->policy, event.workload) == FL_STATE_EVICTING)
			rc = t->ops->apply(t->policy, now, &event, t->err);
	}
	for (uint32_t i = t->first_act; i < r->n_acts && rc == 0; i++) {
		struct fl_workload w = r->acts[i].preemptor;
		enum fl_workload_state state = w.v == FL_NONE ? FL_STATE_ABSENT :
								t->ops->state(t->policy, w);

		if (state == FL_STATE_WAITING || state == FL_STATE_INADMISSIBLE)
			rc = t->ops->serve(t->policy, now, w, /* sink= */ NULL, &d, t->err);
	}
	return rc;
}

static int weigh(struct telling *t, fl_time now)
{
	struct fl_loop_moves *r = t->loop;
	bool any = false;
	fl_mark mark;

	for (uint32_t i = t->first_act; i < r->n_acts; i++)
		any |= r->acts[i].sides[0].node.v != FL_NONE;
	if (!any)
		return 0;
	look_at_shares(t, /* after= */ false);
	int rc = t->ops->mark(t->policy, &mark, t->err);
	if (rc < 0)
		return rc;
	rc = play_out(t, now);
	if (rc == 0)
		look_at_shares(t, /* after= */ true);
	t->ops->rollback(t->policy, mark);
	return rc;
}

/* --- both ways along the moves --- */

static int move(struct telling *t, uint32_t i, const struct fl_sink *sink, struct fl_decisions *d)
{
	fl_prove_tick(&t->clock, t->moves[i].kind);
	t->failed = i;
	return fl_prove_move(t->ops, t->policy, t->clock.now, t->moves[i], sink, d, t->err);
}

/* What each does; and does the round close? */
static int follow(struct telling *t)
{
	const struct fl_sink sink = { .row = hear, .user = t };
	struct fl_loop_moves *r = t->loop;
	uint64_t begin[2] = { 0 }, end[2];

	for (uint32_t i = 0; i < r->prefix + r->n; i++) {
		struct fl_decisions d;

		if (i == r->prefix)
			fl_prove_gist(t->ops, t->policy, &t->clock, begin);
		t->n_heard = 0;
		t->first_act = r->n_acts;
		r->steps[i].move = t->moves[i];
		int rc = move(t, i, &sink, &d);
		if (rc == 0)
			rc = t->rc;
		if (rc == 0)
			rc = keep_decisions(t, &d);
		if (rc == 0)
			rc = weigh(t, t->clock.now);
		if (rc == 0)
			rc = t->ops->forget(t->policy, t->clock.now, t->err);
		if (rc < 0)
			return rc;
		for (uint32_t k = t->first_act; k < r->n_acts; k++)
			find_proof(t, &r->acts[k]);
		r->steps[i].acts = (struct fl_span){ t->first_act, r->n_acts - t->first_act };
		r->steps[i].queue.v = FL_NONE;
		if (!fl_move_names(t->moves[i].kind))
			continue;
		t->in_cast[t->moves[i].workload.v] = true;
		r->steps[i].queue = t->where[t->moves[i].workload.v];
	}
	fl_prove_gist(t->ops, t->policy, &t->clock, end);
	r->closes = r->n && begin[0] == end[0] && begin[1] == end[1];
	return 0;
}

/* What the cast holds now, behind all that was kept. */
static struct fl_span look(struct telling *t)
{
	struct fl_loop_moves *r = t->loop;
	struct fl_span span = { r->n_holdings, 0 };

	for (uint32_t i = 0; i < r->n_cast; i++) {
		struct fl_workload w = r->cast[i];
		enum fl_workload_state state = t->ops->state(t->policy, w);
		struct fl_loop_holding *h = &r->holdings[r->n_holdings];

		if (state != FL_STATE_ADMITTED && state != FL_STATE_EVICTING)
			continue;
		*h = (struct fl_loop_holding){ .workload = w,
					       .queue = t->where[w.v],
					       .going = state == FL_STATE_EVICTING };
		for (uint32_t k = 0; k < r->n_resources; k++)
			h->amount[k] = t->ops->held(t->policy, w, r->resources[k]);
		r->n_holdings++;
		span.n++;
	}
	return span;
}

static int follow_holdings(struct telling *t)
{
	struct fl_loop_moves *r = t->loop;

	r->start = look(t);
	for (uint32_t i = 0; i < r->prefix + r->n; i++) {
		struct fl_decisions d;
		int rc = move(t, i, /* sink= */ NULL, &d);

		if (rc < 0)
			return rc;
		for (uint32_t k = 0; k < d.n; k++)
			if (d.rows[k].kind == FL_ADMIT)
				t->where[d.rows[k].workload.v] = d.rows[k].cluster_queue;
		r->steps[i].holdings = look(t);
		rc = t->ops->forget(t->policy, t->clock.now, t->err);
		if (rc < 0)
			return rc;
	}
	return 0;
}

/* --- the cast, its queues and resources --- */

static int cmp_workloads(const void *ctx, uint32_t a, uint32_t b)
{
	return fl_workload_name_cmp(ctx, a, b);
}

static int cmp_nodes(const void *ctx, uint32_t a, uint32_t b)
{
	const struct fl_model *m = ctx;

	return fl_names_cmp(&m->names, m->nodes[a].name, m->nodes[b].name);
}

static void place_all(struct telling *t)
{
	for (uint32_t w = 0; w < t->model->n_workloads; w++) {
		const struct fl_workload_row *row = &t->model->workloads[w];

		t->where[w] = row->reserved && row->admitted_queue.v != FL_NONE ?
				      row->admitted_queue :
				      row->cluster_queue;
	}
}

static int gather(struct telling *t)
{
	const struct fl_model *m = t->model;
	struct fl_loop_moves *r = t->loop;
	uint32_t most = m->n_workloads > m->n_nodes ? m->n_workloads : m->n_nodes;
	uint32_t *ids = fl_arena_alloc(t->arena, (size_t)most * 2 + 1, sizeof(*ids), t->err);
	bool *is_queue = fl_arena_alloc(t->arena, (size_t)m->n_nodes + 1, 1, t->err);
	uint32_t n = 0;

	if (!ids || !is_queue)
		return FAIRLEAD_ENOMEM;
	for (uint32_t w = 0; w < m->n_workloads; w++)
		if (t->in_cast[w])
			ids[n++] = w;
	fl_sort(ids, n, ids + most, cmp_workloads, m);
	r->cast = fl_arena_alloc(t->arena, (size_t)n + 1, sizeof(*r->cast), t->err);
	if (!r->cast)
		return FAIRLEAD_ENOMEM;
	for (; r->n_cast < n; r->n_cast++) {
		r->cast[r->n_cast].v = ids[r->n_cast];
		if (t->where[ids[r->n_cast]].v != FL_NONE)
			is_queue[t->where[ids[r->n_cast]].v] = true;
	}
	n = 0;
	for (uint32_t q = 0; q < m->n_nodes; q++)
		if (is_queue[q])
			ids[n++] = q;
	fl_sort(ids, n, ids + most, cmp_nodes, m);
	r->queues = fl_arena_alloc(t->arena, (size_t)n + 1, sizeof(*r->queues), t->err);
	if (!r->queues)
		return FAIRLEAD_ENOMEM;
	for (; r->n_queues < n; r->n_queues++)
		r->queues[r->n_queues].node.v = ids[r->n_queues];
	return 0;
}

/* Does one of the cast hold, or get, some of @resource? */
static bool is_asked_for(const struct telling *t, struct fl_resource resource)
{
	const struct fl_model *m = t->model;

	for (uint32_t i = 0; i < t->loop->n_cast; i++) {
		const struct fl_workload_row *w = &m->workloads[t->loop->cast[i].v];

		if (t->ops->held(t->policy, t->loop->cast[i], resource) > 0)
			return true;
		for (uint32_t s = w->podsets.first; s < w->podsets.first + w->podsets.n; s++)
			for (uint32_t q = 0; q < m->podsets[s].requests.n; q++) {
				const struct fl_request *row =
					&m->requests[m->podsets[s].requests.first + q];

				if (row->resource.v == resource.v && row->amount > 0)
					return true;
			}
		for (int a = 0; a < FL_BUNDLE && w->gang != FL_NONE; a++)
			for (uint32_t k = 0; k < m->gangs[w->gang].tasks.n; k++)
				if (m->axis[a].v == resource.v &&
				    m->tasks[m->gangs[w->gang].tasks.first + k].request.of[a] > 0)
					return true;
	}
	return false;
}

static double quota_of(const struct fl_model *m, struct fl_node n, struct fl_resource resource)
{
	const struct fl_node_row *row = &m->nodes[n.v];
	struct fl_quota_walk walk = { 0 };
	const struct fl_quota *q;
	double sum = 0;

	for (int a = 0; row->kind == FL_QUEUE && a < FL_BUNDLE; a++)
		if (m->axis[a].v == resource.v)
			return m->entitlements[row->entitlement].deserved.of[a];
	while ((q = fl_model_next_quota(m, n, &walk)))
		if (q->resource.v == resource.v)
			sum += (double)q->nominal;
	return sum;
}

/* Some queue of the cast has a bound of it. */
static bool is_bounded(const struct telling *t, struct fl_resource resource)
{
	for (uint32_t q = 0; q < t->loop->n_queues; q++)
		if (quota_of(t->model, t->loop->queues[q].node, resource) != FL_UNBOUNDED)
			return true;
	return false;
}

/* Without those that no queue has a bound of, unless there are no others. */
static void choose_resources(struct telling *t)
{
	struct fl_loop_moves *r = t->loop;
	bool any = false;

	for (uint32_t i = 0; i < t->model->n_resources; i++)
		any |= is_asked_for(t, (struct fl_resource){ i }) &&
		       is_bounded(t, (struct fl_resource){ i });
	for (uint32_t i = 0; i < t->model->n_resources; i++) {
		if (!is_asked_for(t, (struct fl_resource){ i }) ||
		    (any && !is_bounded(t, (struct fl_resource){ i })))
			continue;
		if (r->n_resources < FL_LOOP_RESOURCES)
			r->resources[r->n_resources++].v = i;
		else
			r->more_resources++;
	}
}

static void look_at_queues(struct telling *t)
{
	const struct fl_model *m = t->model;
	struct fl_loop_moves *r = t->loop;

	for (uint32_t i = 0; i < r->n_queues; i++)
		for (uint32_t k = 0; k < r->n_resources; k++)
			r->queues[i].quota[k] = quota_of(m, r->queues[i].node, r->resources[k]);
	for (uint32_t w = 0; w < m->n_workloads; w++)
		for (uint32_t i = 0; i < r->n_queues && !t->in_cast[w]; i++) {
			struct fl_loop_queue *q = &r->queues[i];

			if (t->where[w].v != q->node.v)
				continue;
			for (uint32_t k = 0; k < r->n_resources; k++)
				q->others[k] += t->ops->held(t->policy, (struct fl_workload){ w },
							     r->resources[k]);
		}
}

/* --- is it a race? --- */

/* What step @i admits: *ret_other, a workload that is not @who.  Does it admit @who? */
static bool admits(const struct fl_loop_moves *r, uint32_t i, struct fl_workload who,
		   bool *ret_other)
{
	const struct fl_span *acts = &r->steps[i].acts;
	bool admitted = false;

	for (uint32_t k = acts->first; k < acts->first + acts->n; k++) {
		if (r->acts[k].kind != FL_ADMIT)
			continue;
		if (r->acts[k].workload.v == who.v)
			admitted = true;
		else
			*ret_other = true;
	}
	return admitted;
}

/* Does another one start behind step @i of the round before @preemptor, once around? */
static bool is_overtaken(const struct fl_loop_moves *r, uint32_t i, struct fl_workload preemptor)
{
	bool other = false;

	for (uint32_t k = 1; k <= r->n && !other; k++)
		if (admits(r, r->prefix + (i - r->prefix + k) % r->n, preemptor, &other))
			return false;
	return other;
}

static bool is_race(const struct fl_loop_moves *r)
{
	for (uint32_t i = r->prefix; i < r->prefix + r->n; i++) {
		const struct fl_span *acts = &r->steps[i].acts;

		for (uint32_t k = acts->first; k < acts->first + acts->n; k++)
			if (r->acts[k].kind == FL_EVICT && r->acts[k].preemptor.v != FL_NONE &&
			    is_overtaken(r, i, r->acts[k].preemptor))
				return true;
	}
	return false;
}

/* --- the whole --- */

static int tell(struct telling *t)
{
	struct fl_loop_moves *r = t->loop;
	uint32_t n = r->prefix + r->n;
	fl_mark mark;

	t->where = fl_arena_alloc(t->arena, (size_t)t->model->n_workloads + 1, sizeof(*t->where),
				  t->err);
	t->in_cast = fl_arena_alloc(t->arena, (size_t)t->model->n_workloads + 1, 1, t->err);
	r->steps = fl_arena_alloc(t->arena, (size_t)n + 1, sizeof(*r->steps), t->err);
	if (!t->where || !t->in_cast || !r->steps)
		return FAIRLEAD_ENOMEM;
	place_all(t);
	int rc = t->ops->mark(t->policy, &mark, t->err);
	if (rc < 0)
		return rc;
	rc = t->ops->forget(t->policy, t->now, t->err);
	if (rc == 0)
		rc = follow(t);
	t->ops->rollback(t->policy, mark);
	if (rc == 0)
		rc = gather(t);
	if (rc < 0)
		return rc;
	place_all(t);
	choose_resources(t);
	look_at_queues(t);
	r->holdings = fl_arena_alloc(t->arena, ((size_t)n + 1) * r->n_cast + 1,
				     sizeof(*r->holdings), t->err);
	if (!r->holdings)
		return FAIRLEAD_ENOMEM;
	t->clock.now = t->now;
	rc = t->ops->mark(t->policy, &mark, t->err);
	if (rc < 0)
		return rc;
	rc = t->ops->forget(t->policy, t->now, t->err);
	if (rc == 0)
		rc = follow_holdings(t);
	t->ops->rollback(t->policy, mark);
	return rc;
}

int fl_loop_moves_tell(const struct fl_policy_ops *ops, struct fl_policy *p,
		       const struct fl_model *m, fl_time now, const struct fl_move *moves,
		       uint32_t prefix, uint32_t n, struct fl_arena *arena,
		       struct fl_loop_moves *ret, uint32_t *ret_failed, fairlead_error *err)
{
	struct fl_loop_moves loop = { .prefix = prefix, .n = n };
	struct telling t = {
		.ops = ops,
		.policy = p,
		.model = m,
		.now = now,
		.clock = fl_prove_clock(ops, m, now),
		.moves = moves,
		.arena = arena,
		.loop = &loop,
		.err = err,
	};
	int rc = tell(&t);

	if (rc == 0) {
		loop.race = is_race(&loop);
		*ret = loop;
	} else if (ret_failed) {
		*ret_failed = t.failed;
	}
	return rc;
}
