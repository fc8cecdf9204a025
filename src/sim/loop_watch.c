/* SPDX-License-Identifier: Apache-2.0 */
#include "sim/loop_watch.h"

#include <string.h>

int fl_loop_watch_init(struct fl_loop_watch *r, const struct fl_mem *mem, uint32_t n_workloads,
		       fairlead_error *err)
{
	*r = (struct fl_loop_watch){ .mem = mem, .n_jobs = n_workloads };
	fl_pairs_init(&r->by_names, mem);
	if (!n_workloads)
		return 0;
	r->jobs = fl_mem_zeroed(mem, n_workloads, sizeof *r->jobs, err);
	return r->jobs ? 0 : FAIRLEAD_ENOMEM;
}

void fl_loop_watch_done(struct fl_loop_watch *r)
{
	if (!r->mem)
		return;
	fl_pairs_done(&r->by_names);
	fl_mem_free(r->mem, r->jobs);
	fl_mem_free(r->mem, r->pairs);
	fl_mem_free(r->mem, r->loops);
	*r = (struct fl_loop_watch){ 0 };
}

/* --- loops --- */

static struct fl_watched_loop *loop_of(const struct fl_loop_watch *r, uint32_t number)
{
	struct fl_watched_loop *l;

	if (!number)
		return NULL;
	l = &r->loops[(number - 1) % FL_LOOP_WATCH_LOOPS];
	return l->number == number ? l : NULL;
}

static void change(struct fl_loop_watch *r, struct fl_watched_loop *l)
{
	r->changed += !l->changed;
	l->changed = true;
}

static int add_loop(struct fl_loop_watch *r, fl_time now, struct fl_watched_loop **ret,
		    fairlead_error *err)
{
	uint32_t at = r->n_loops % FL_LOOP_WATCH_LOOPS;
	int rc = fl_mem_grow(r->mem, &r->loops, &r->cap_loops, at + 1, sizeof *r->loops, err);

	if (rc < 0)
		return rc;
	*ret = &r->loops[at];
	if (r->n_loops >= FL_LOOP_WATCH_LOOPS)
		r->changed -= (*ret)->changed;
	**ret = (struct fl_watched_loop){ .number = ++r->n_loops, .since = now, .last = now };
	return 0;
}

/* All of @from is @to's. */
static void merge(struct fl_loop_watch *r, struct fl_watched_loop *to, struct fl_watched_loop *from)
{
	for (uint32_t i = 0; i < r->n_pairs; i++)
		if (r->pairs[i].loop == from->number)
			r->pairs[i].loop = to->number;
	for (uint32_t w = 0; w < r->n_jobs; w++)
		if (r->jobs[w].loop == from->number)
			r->jobs[w].loop = to->number;
	to->workloads += from->workloads;
	to->preemptions += from->preemptions;
	to->sure |= from->sure;
	to->since = fl_amount_min(to->since, from->since);
	to->last = fl_amount_max(to->last, from->last);
	r->changed -= from->changed;
	*from = (struct fl_watched_loop){ 0 };
	change(r, to);
}

static void enter(struct fl_loop_watch *r, struct fl_watched_loop *l, uint32_t w)
{
	if (r->jobs[w].loop == l->number)
		return;
	r->jobs[w].loop = l->number;
	l->workloads++;
	change(r, l);
}

/* @p is part of a loop: the one that one of both is in, or a new one. */
static int join(struct fl_loop_watch *r, struct fl_watched_pair *p, bool sure, fl_time now,
		fairlead_error *err)
{
	struct fl_watched_loop *a = loop_of(r, r->jobs[p->preemptor].loop);
	struct fl_watched_loop *b = loop_of(r, r->jobs[p->victim].loop);
	struct fl_watched_loop *l = a && b ? (a->number < b->number ? a : b) : a ? a : b;
	int rc = l ? 0 : add_loop(r, now, &l, err);

	if (rc < 0)
		return rc;
	if (a && b && a != b)
		merge(r, l, l == a ? b : a);
	if (p->loop != l->number) {
		p->loop = l->number;
		l->preemptions += p->times;
		r->preemptions += p->times;
		l->since = fl_amount_min(l->since, p->first);
	}
	enter(r, l, p->preemptor);
	enter(r, l, p->victim);
	if (sure && !l->sure) {
		l->sure = true;
		change(r, l);
	}
	return 0;
}

/* --- other numbers --- */

/* The workload it lost to has ended: then it counts as not having lost. */
static struct fl_watched_job renumbered(struct fl_watched_job j, const uint32_t *is)
{
	if (j.lost_at && is[j.lost_to] == FL_NONE)
		j.lost_at = 0;
	j.lost_to = j.lost_at ? is[j.lost_to] : 0;
	return j;
}

static int adopt_pairs(struct fl_loop_watch *r, const struct fl_loop_watch *from,
		       const uint32_t *is, fairlead_error *err)
{
	int rc = fl_mem_grow(r->mem, &r->pairs, &r->cap_pairs, from->n_pairs, sizeof *r->pairs,
			     err);

	for (uint32_t i = 0; i < from->n_pairs && rc >= 0; i++) {
		struct fl_watched_pair p = from->pairs[i];

		p.preemptor = is[p.preemptor];
		p.victim = is[p.victim];
		if (p.preemptor == FL_NONE || p.victim == FL_NONE)
			continue;
		rc = fl_pairs_add(&r->by_names, p.preemptor, p.victim, r->n_pairs,
				  /* ret_old= */ NULL, err);
		r->pairs[r->n_pairs++] = p;
	}
	return rc < 0 ? rc : 0;
}

/* Those that have lost a workload are as they were, but smaller. */
static int adopt_loops(struct fl_loop_watch *r, const struct fl_loop_watch *from,
		       fairlead_error *err)
{
	uint32_t n = from->n_loops < FL_LOOP_WATCH_LOOPS ? from->n_loops : FL_LOOP_WATCH_LOOPS;
	int rc = fl_mem_grow(r->mem, &r->loops, &r->cap_loops, n, sizeof *r->loops, err);
	struct fl_watched_loop *l;

	if (rc < 0)
		return rc;
	for (uint32_t i = 0; i < n; i++) {
		r->loops[i] = from->loops[i];
		r->loops[i].workloads = 0;
	}
	r->n_loops = from->n_loops;
	r->changed = from->changed;
	r->preemptions = from->preemptions;
	for (uint32_t w = 0; w < r->n_jobs; w++)
		if ((l = loop_of(r, r->jobs[w].loop)))
			l->workloads++;
	return 0;
}

int fl_loop_watch_adopt(struct fl_loop_watch *r, const struct fl_loop_watch *from,
			const struct fl_workload *was, fairlead_error *err)
{
	uint32_t *is = r->mem->resize(r->mem->user, NULL, (from->n_jobs + 1) * sizeof *is);
	int rc;

	if (!is)
		return fl_fail_nomem(err);
	memset(is, 0xff, from->n_jobs * sizeof *is); /* FL_NONE */
	r->cycle = r->outside = from->cycle;
	r->serial = from->serial;
	for (uint32_t w = 0; w < r->n_jobs; w++)
		if (was[w].v != FL_NONE)
			is[was[w].v] = w;
	for (uint32_t w = 0; w < r->n_jobs; w++)
		r->jobs[w] = was[w].v == FL_NONE ? (struct fl_watched_job){ .arrived = r->cycle } :
						   renumbered(from->jobs[was[w].v], is);
	rc = adopt_pairs(r, from, is, err);
	if (rc == 0)
		rc = adopt_loops(r, from, err);
	fl_mem_free(r->mem, is);
	return rc;
}

/* --- pairs --- */

/* There is room for all that were there before. */
static void name_pairs(struct fl_loop_watch *r)
{
	fl_pairs_clear(&r->by_names);
	for (uint32_t i = 0; i < r->n_pairs; i++)
		(void)fl_pairs_add(&r->by_names, r->pairs[i].preemptor, r->pairs[i].victim, i,
				   /* ret_old= */ NULL, /* err= */ NULL);
}

static void drop_pairs(struct fl_loop_watch *r, uint32_t w)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < r->n_pairs; i++)
		if (r->pairs[i].preemptor != w && r->pairs[i].victim != w)
			r->pairs[n++] = r->pairs[i];
	if (n == r->n_pairs)
		return;
	r->n_pairs = n;
	name_pairs(r);
}

void fl_loop_watch_join(struct fl_loop_watch *r, struct fl_workload w)
{
	struct fl_watched_job was = r->jobs[w.v];
	struct fl_watched_loop *l = loop_of(r, was.loop);

	if (l)
		l->workloads--;
	r->jobs[w.v] = (struct fl_watched_job){ .arrived = r->cycle };
	if (was.won || was.lost_at)
		drop_pairs(r, w.v);
	for (uint32_t i = 0; was.won && i < r->n_jobs; i++)
		if (r->jobs[i].lost_at && r->jobs[i].lost_to == w.v)
			r->jobs[i].lost_at = r->jobs[i].lost_to = 0;
}

void fl_loop_watch_move(struct fl_loop_watch *r, struct fl_workload from, struct fl_workload to)
{
	bool named = r->jobs[from.v].won || r->jobs[from.v].lost_at;

	fl_loop_watch_join(r, to);
	r->jobs[to.v] = r->jobs[from.v];
	r->jobs[from.v] = (struct fl_watched_job){ .arrived = r->cycle };
	if (!named)
		return;
	for (uint32_t i = 0; i < r->n_jobs; i++)
		if (r->jobs[i].lost_at && r->jobs[i].lost_to == from.v)
			r->jobs[i].lost_to = to.v;
	for (uint32_t i = 0; i < r->n_pairs; i++) {
		struct fl_watched_pair *p = &r->pairs[i];

		p->preemptor = p->preemptor == from.v ? to.v : p->preemptor;
		p->victim = p->victim == from.v ? to.v : p->victim;
	}
	name_pairs(r);
}

/* Those that met in the last half as many preemptions as there may be pairs: half of them or less. */
static int forget(struct fl_loop_watch *r, fairlead_error *err)
{
	uint32_t n = 0;
	int rc = 0;

	for (uint32_t i = 0; i < r->n_pairs; i++)
		if (r->serial - r->pairs[i].serial < FL_LOOP_WATCH_PAIRS / 2)
			r->pairs[n++] = r->pairs[i];
	r->n_pairs = n;
	fl_pairs_clear(&r->by_names);
	for (uint32_t i = 0; i < n && rc >= 0; i++)
		rc = fl_pairs_add(&r->by_names, r->pairs[i].preemptor, r->pairs[i].victim, i,
				  /* ret_old= */ NULL, err);
	return rc;
}

static struct fl_watched_pair *find(const struct fl_loop_watch *r, uint32_t preemptor,
				    uint32_t victim)
{
	uint32_t i = fl_pairs_find(&r->by_names, preemptor, victim);

	return i == FL_NONE ? NULL : &r->pairs[i];
}

static int add_pair(struct fl_loop_watch *r, uint32_t preemptor, uint32_t victim, fl_time now,
		    struct fl_watched_pair **ret, fairlead_error *err)
{
	int rc = r->n_pairs == FL_LOOP_WATCH_PAIRS ? forget(r, err) : 0;

	if (rc >= 0)
		rc = fl_mem_grow(r->mem, &r->pairs, &r->cap_pairs, r->n_pairs + 1, sizeof *r->pairs,
				 err);
	if (rc >= 0)
		rc = fl_pairs_add(&r->by_names, preemptor, victim, r->n_pairs,
				  /* ret_old= */ NULL, err);
	if (rc < 0)
		return rc;
	*ret = &r->pairs[r->n_pairs++];
	**ret = (struct fl_watched_pair){ .preemptor = preemptor, .victim = victim, .first = now };
	return 0;
}

/*
 * Goes back along preemptions: from the preemptor to the workload that preempted it since it
 * preempted the victim, to the one that preempted that one, and so on.  Returns after how many
 * steps this is the victim, or the preemptor itself; 0 when it is neither, or a newcomer.
 */
static uint32_t ring(const struct fl_loop_watch *r, const struct fl_watched_pair *p)
{
	uint32_t w = p->preemptor, since = p->last + 1;

	for (uint32_t n = 1; n <= FL_LOOP_WATCH_RING; n++) {
		const struct fl_watched_job *j = &r->jobs[w];

		if (j->lost_at < since || r->jobs[j->lost_to].arrived >= p->last)
			return 0;
		w = j->lost_to;
		if (w == p->victim || w == p->preemptor)
			return n;
		since = p->last; /* others may have lost to the preemptor then */
	}
	return 0;
}

/* Does the pair meet after a round?  @ret_steps: of its ring; 0: the preemptor got nothing. */
static bool ends_a_repeat(const struct fl_loop_watch *r, const struct fl_watched_pair *p,
			  uint32_t *ret_steps)
{
	*ret_steps = 0;
	if (!p->times || r->jobs[p->victim].admitted <= p->last)
		return false;
	if (r->jobs[p->preemptor].admitted <= p->last)
		return true;
	*ret_steps = ring(r, p);
	return *ret_steps > 0;
}

/* @p is part of a loop, with the workloads on the @n steps of its ring. */
static int tell(struct fl_loop_watch *r, struct fl_watched_pair *p, uint32_t n, fl_time now,
		fairlead_error *err)
{
	int rc = join(r, p, /* sure= */ false, now, err);

	p->told = rc == 0;
	for (uint32_t w = p->preemptor; n && rc == 0; n--) {
		struct fl_watched_pair *back = find(r, r->jobs[w].lost_to, w);

		w = r->jobs[w].lost_to;
		if (back) /* else it is forgotten */
			rc = join(r, back, /* sure= */ false, now, err);
	}
	return rc;
}

static int preempted(struct fl_loop_watch *r, const struct fl_decision *d, fl_time now,
		     fairlead_error *err)
{
	uint32_t x = d->preemptor.v, y = d->workload.v, steps;
	struct fl_watched_pair *p = find(r, x, y);
	struct fl_watched_loop *l;
	int rc = p ? 0 : add_pair(r, x, y, now, &p, err);

	if (rc < 0)
		return rc;
	bool repeat = ends_a_repeat(r, p, &steps);
	if (!r->watched && p->last > r->outside) {
		r->watched = true;
		r->lap = r->laps = 0;
	}
	p->times++;
	p->repeats += repeat;
	p->last = r->cycle;
	p->serial = ++r->serial;
	p->reason = d->reason;
	l = loop_of(r, p->loop);
	if (l) {
		l->last = now;
		l->preemptions++;
		r->preemptions++;
	}
	if (repeat && !p->told &&
	    p->repeats >= (r->watched ? FL_LOOP_WATCH_PATIENCE : FL_LOOP_WATCH_TOLD))
		rc = tell(r, p, steps, now, err);
	r->jobs[y].lost_at = r->cycle;
	r->jobs[y].lost_to = x;
	r->jobs[x].won = true;
	return rc;
}

/* --- what the driver says --- */

void fl_loop_watch_event(struct fl_loop_watch *r, const struct fl_event *event)
{
	struct fl_watched_job *j;

	switch (event->kind) {
	case FL_EV_STARTED:
	case FL_EV_EVICTED:
		return;
	case FL_EV_SUBMIT:
		/* A workload that lost its quota and comes back is not a newcomer. */
		j = &r->jobs[event->workload.v];
		if (j->lost_at <= j->admitted)
			j->arrived = r->cycle;
		break;
	case FL_EV_CANCEL:
	case FL_EV_FINISHED:
	case FL_EV_REJECTED:
	case FL_EV_KILLED:
	case FL_EV_CELL:
	case FL_EV_USAGE:
	case FL_EV_HOLDS:
	case FL_EV_GOES:
		break;
	}
	r->outside = r->cycle;
	r->watched = r->recurred = false;
}

int fl_loop_watch_decided(struct fl_loop_watch *r, fl_time now,
			  const struct fl_decisions *decisions, fairlead_error *err)
{
	int rc = 0;

	r->cycle++;
	r->admitted = false;
	for (uint32_t i = 0; i < decisions->n && rc >= 0; i++) {
		const struct fl_decision *d = &decisions->rows[i];

		if (d->kind == FL_ADMIT) {
			r->jobs[d->workload.v].admitted = r->cycle;
			r->admitted = true;
		} else if (d->kind == FL_EVICT && !d->already_evicting &&
			   d->preemptor.v != FL_NONE) {
			rc = preempted(r, d, now, err);
		}
	}
	return rc;
}

/* Is a workload being evicted that was not evicted in the last cycle? */
static bool anybody_leaves(const struct fl_loop_watch *r, const struct fl_policy_ops *ops,
			   const struct fl_policy *policy)
{
	for (uint32_t w = 0; w < r->n_jobs; w++)
		if (ops->state(policy, (struct fl_workload){ w }) == FL_STATE_EVICTING &&
		    r->jobs[w].lost_at != r->cycle)
			return true;
	return false;
}

/*
 * States are compared with one of them, which is replaced after ever longer laps, so that a loop
 * is found within three rounds (Brent).
 */
int fl_loop_watch_look(struct fl_loop_watch *r, const struct fl_policy_ops *ops,
		       const struct fl_policy *policy, fl_time now, fairlead_error *err)
{
	uint64_t digest[2];
	int rc = 0;

	if (!r->watched || r->recurred || !r->admitted || anybody_leaves(r, ops, policy))
		return 0;
	ops->digest(policy, now, digest);
	if (r->laps && digest[0] == r->anchor[0] && digest[1] == r->anchor[1]) {
		r->recurred = true;
		for (uint32_t i = 0; i < r->n_pairs && rc >= 0; i++)
			if (r->pairs[i].last > r->anchor_cycle)
				rc = join(r, &r->pairs[i], /* sure= */ true, now, err);
		return rc;
	}
	if (r->lap++ == r->laps) {
		r->anchor[0] = digest[0];
		r->anchor[1] = digest[1];
		r->anchor_cycle = r->cycle;
		r->laps = r->laps ? 2 * r->laps : 1;
		r->lap = 0;
	}
	return 0;
}

const struct fl_watched_loop *fl_loop_watch_loop_at(const struct fl_loop_watch *r, uint32_t *from)
{
	uint32_t first = r->n_loops < FL_LOOP_WATCH_LOOPS ? 0 : r->n_loops - FL_LOOP_WATCH_LOOPS;
	const struct fl_watched_loop *l = NULL;

	while (!l && first + *from < r->n_loops)
		l = loop_of(r, first + ++*from);
	return l;
}

const struct fl_watched_loop *fl_loop_watch_next(struct fl_loop_watch *r)
{
	const struct fl_watched_loop *l = NULL;

	if (!r->changed)
		return NULL;
	for (uint32_t i = 0; (l = fl_loop_watch_loop_at(r, &i)) && !l->changed;)
		;
	r->changed--;
	loop_of(r, l->number)->changed = false;
	return l;
}

const struct fl_watched_pair *fl_loop_watch_pair_of(const struct fl_loop_watch *r, uint32_t number,
						    uint32_t *from)
{
	while (*from < r->n_pairs)
		if (r->pairs[(*from)++].loop == number)
			return &r->pairs[*from - 1];
	return NULL;
}
