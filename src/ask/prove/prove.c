/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Breadth first: states wait to be explored in the order in which they were found.  The policy
 * stands in one state at a time, with a mark before each move that led there from the first one;
 * to explore another, it is rolled back to where the ways to both part, and the rest of the way is
 * made again.  States found from one state stand side by side, so that is one or two moves, mostly.
 */
#include "ask/prove/prove.h"

#include <string.h>

#include "ask/prove/face.h"
#include "ask/prove/prover.h"
#include "base/amount.h"
#include "base/check.h"
#include "base/mix.h"
#include "base/sort.h"

enum { MOVES_UNTIL_PROGRESS = 1 << 13 };

/* --- moves --- */

struct fl_prove_clock fl_prove_clock(const struct fl_policy_ops *ops, const struct fl_model *m,
				     fl_time now)
{
	const struct fl_prove_face *face = fl_prove_face_of(ops);
	fl_time span = face->longest(m, now);

	/* Whatever began within moves before is over, too. */
	return (struct fl_prove_clock){ now, face->tick,
					span > 0 ? fl_sat_add(span, FL_SECOND) : 0 };
}

void fl_prove_tick(struct fl_prove_clock *c, enum fl_move_kind kind)
{
	c->now = fl_sat_add(c->now, kind == FL_MOVE_WAIT ? c->span : c->tick);
}

static void mix(void *user, uint64_t word) { fl_mix(user, word); }

void fl_prove_gist(const struct fl_policy_ops *ops, const struct fl_policy *p,
		   const struct fl_prove_clock *c, uint64_t ret[2])
{
	uint64_t h[2] = { 1, 2 };

	ops->gist(p, fl_sat_add(c->now, c->tick), mix, h);
	ret[0] = h[0];
	ret[1] = h[1];
}

int fl_prove_move(const struct fl_policy_ops *ops, struct fl_policy *p, fl_time now,
		  struct fl_move move, const struct fl_sink *sink, struct fl_decisions *ret,
		  fairlead_error *err)
{
	struct fl_event gone = { .kind = FL_EV_EVICTED, .workload = move.workload };
	int rc = 0;

	switch (move.kind) {
	case FL_MOVE_SERVE:
		rc = ops->serve(p, now, move.workload, sink, ret, err);
		break;
	case FL_MOVE_CYCLE:
		rc = ops->step(p, now, FL_STEP_FULL, sink, ret, err);
		break;
	case FL_MOVE_LET_GO:
		if (ops->state(p, move.workload) != FL_STATE_EVICTING)
			return fl_fail(err, FAIRLEAD_ESTATE, "is not being evicted");
		rc = ops->apply(p, now, &gone, err);
		if (rc == 0)
			*ret = (struct fl_decisions){ 0 };
		break;
	case FL_MOVE_WAIT: /* what it ends is entered when all are looked at anew */
		if (move.workload.v != FL_NONE)
			rc = ops->lift(p, now, move.workload.v, err);
		if (rc == 0)
			*ret = (struct fl_decisions){ 0 };
		break;
	}
	return rc;
}

/* It is the next one, and pending ones are looked at anew; so many more were evicted. */
static int make_one(struct fl_prover *x, struct fl_move move, uint32_t *evicted,
		    fairlead_error *err)
{
	struct fl_decisions d;
	int rc = 0;

	/* What is lifted alone is, whatever the clock says. */
	fl_prove_tick(&x->clock, move.workload.v == FL_NONE ? move.kind : FL_MOVE_SERVE);
	if (x->noting)
		rc = fl_mem_grow(x->states.mem, &x->noted, &x->cap_noted, x->n_noted + 1,
				 sizeof *x->noted, err);
	if (rc == 0)
		rc = fl_prove_move(x->ops, x->policy, x->clock.now, move, /* sink= */ NULL, &d,
				   err);
	if (rc != 0)
		return rc;
	if (x->noting)
		x->noted[x->n_noted++] = move;
	for (uint32_t i = 0; i < d.n; i++)
		*evicted += d.rows[i].kind == FL_EVICT && !d.rows[i].already_evicting;
	/* Something was refused for now, or will be another by then. */
	x->timed |= !x->timed && x->ops->wake(x->policy, x->clock.now) != FL_NEVER;
	return x->ops->forget(x->policy, x->clock.now, err);
}

/* Does @w wait, all of it or a part? */
static bool waits(const struct fl_prover *x, struct fl_workload w)
{
	enum fl_workload_state s = x->ops->state(x->policy, w);

	return s == FL_STATE_WAITING || s == FL_STATE_INADMISSIBLE ||
	       (x->elastic && s == FL_STATE_ADMITTED);
}

/* All evictions complete, and @move is made again: once, and as often as it evicts more. */
static int follow_up(struct fl_prover *x, struct fl_move move, uint32_t *evicted,
		     fairlead_error *err)
{
	uint32_t before = 0;
	int rc = 0;

	for (uint32_t i = 0; i < x->n_who && before < *evicted && rc == 0; i++) {
		before = *evicted;
		for (uint32_t k = 0; k < x->n_who && rc == 0; k++) {
			struct fl_move go = { FL_MOVE_LET_GO, { x->who[k] } };

			if (x->ops->state(x->policy, go.workload) == FL_STATE_EVICTING)
				rc = make_one(x, go, evicted, err);
		}
		if (rc == 0 && waits(x, move.workload))
			rc = make_one(x, move, evicted, err);
		if (rc == FAIRLEAD_ESTATE)
			return 0; /* it is not served here, or wants nothing more */
	}
	return rc;
}

/* *ret: so many were newly evicted. */
static int make(struct fl_prover *x, struct fl_move move, uint32_t *ret, fairlead_error *err)
{
	int rc;

	*ret = 0;
	rc = make_one(x, move, ret, err);
	return rc == 0 && x->prompt && move.kind == FL_MOVE_SERVE ? follow_up(x, move, ret, err) :
								    rc;
}

/* --- states --- */

struct spelling {
	struct fl_states *states;
	fairlead_error *err;
	int rc;
};

static void spell_word(void *user, uint64_t word)
{
	struct spelling *s = user;

	if (s->rc == 0)
		s->rc = fl_states_word(s->states, word, s->err);
}

/* The number of the state the policy is in. */
static int name_state(struct fl_prover *x, uint32_t parent, uint32_t *ret, fairlead_error *err)
{
	fl_time next = fl_sat_add(x->clock.now, x->clock.tick);
	struct spelling s = { .states = &x->states, .err = err };

	fl_states_begin(&x->states);
	x->ops->gist(x->policy, next, spell_word, &s);
	return s.rc != 0 ? s.rc : fl_states_add(&x->states, parent, ret, err);
}

static int step_to(struct fl_prover *x, uint32_t state, fairlead_error *err)
{
	struct fl_prove_step step = { .state = state };
	uint32_t evicted;
	int rc = fl_mem_grow(x->states.mem, &x->way, &x->cap_way, x->n_way + 1, sizeof *x->way,
			     err);

	if (rc == 0)
		rc = x->ops->mark(x->policy, &step.mark, err);
	if (rc == 0)
		rc = make(x, fl_states_way(&x->states, state), &evicted, err);
	if (rc < 0)
		return rc;
	step.then = x->clock.now;
	x->way[x->n_way++] = step;
	return 0;
}

/* Put the policy into @state. */
static int go_to(struct fl_prover *x, uint32_t state, fairlead_error *err)
{
	const struct fl_seen *seen = x->states.seen;
	uint32_t n = 0, same = 1;
	int rc = 0;

	for (uint32_t v = state; v != 0; v = seen[v].parent)
		n++;
	rc = fl_mem_grow(x->states.mem, &x->scratch, &x->cap_scratch, n, sizeof *x->scratch, err);
	if (rc < 0)
		return rc;
	for (uint32_t v = state, i = n; v != 0; v = seen[v].parent)
		x->scratch[--i] = v;
	while (same < x->n_way && same <= n && x->way[same].state == x->scratch[same - 1])
		same++;
	if (same < x->n_way)
		x->ops->rollback(x->policy, x->way[same].mark);
	x->n_way = same;
	x->clock.now = x->way[same - 1].then;
	for (uint32_t i = same - 1; i < n && rc == 0; i++)
		rc = step_to(x, x->scratch[i], err);
#ifdef FL_CHECKED
	uint32_t again = state;

	FL_CHECK(rc != 0 || name_state(x, state, &again, /* err= */ NULL) != 0 || again == state);
#endif
	return rc;
}

/* --- to explore --- */

/* What comes of @move in the state the policy is in, which it is in again afterwards. */
static int try(struct fl_prover *x, uint32_t state, struct fl_move move, fairlead_error *err)
{
	uint32_t to = state, evicted = 0;
	fl_time before = x->clock.now;
	fl_mark mark;
	int rc = x->ops->mark(x->policy, &mark, err);

	if (rc < 0)
		return rc;
	x->tried++;
	rc = make(x, move, &evicted, err);
	if (rc == 0) {
		rc = name_state(x, state, &to, err);
	} else if (rc > 0 || (rc == FAIRLEAD_ESTATE && move.kind == FL_MOVE_SERVE)) {
		evicted = 0; /* it is not served here, or nothing is left to wait for: no move */
		rc = 0;
	}
	x->ops->rollback(x->policy, mark);
	x->clock.now = before;
	if (rc == 0 && (to != state || evicted > 0))
		rc = fl_states_lead(&x->states, to, move, evicted, err);
	return rc;
}

/*
 * Is a workload pending in front of the @i-th, and is like it?  Then what follows when this one is
 * served follows when that one is, with both names exchanged: evictions, their ends, and rests are
 * the same.  So to each way among all states there is one among those that are explored which passes
 * the same states but for such exchanges, step by step, and the reverse.
 */
static bool is_behind(const struct fl_prover *x, uint32_t i)
{
	for (uint32_t k = x->like[i]; k != FL_NONE; k = x->like[k])
		if (waits(x, (struct fl_workload){ x->who[k] }))
			return true;
	return false;
}

/* What time will lift is lifted, each alone. */
static int try_lifts(struct fl_prover *x, uint32_t state, fairlead_error *err)
{
	uint32_t n = x->ops->delays(x->policy);
	int rc = 0;

	for (uint32_t i = 0; i < n && rc == 0; i++)
		rc = try(x, state, (struct fl_move){ FL_MOVE_WAIT, { i } }, err);
	return rc;
}

static int try_all(struct fl_prover *x, uint32_t state, fairlead_error *err)
{
	int rc = 0;

	for (uint32_t i = 0; i < x->n_who && rc == 0; i++) {
		struct fl_workload w = { x->who[i] };

		if (x->ops->state(x->policy, w) == FL_STATE_EVICTING)
			rc = try(x, state, (struct fl_move){ FL_MOVE_LET_GO, w }, err);
		else if (waits(x, w) && !is_behind(x, i))
			rc = try(x, state, (struct fl_move){ FL_MOVE_SERVE, w }, err);
	}
	if (rc == 0 && !x->no_cycles && !x->prompt)
		rc = try(x, state, (struct fl_move){ FL_MOVE_CYCLE, { FL_NONE } }, err);
	if (rc == 0 && x->clock.span > 0)
		rc = try(x, state, (struct fl_move){ FL_MOVE_WAIT, { FL_NONE } }, err);
	return rc == 0 && x->lifts ? try_lifts(x, state, err) : rc;
}

/* The next state, all of it or nothing. */
static int explore(struct fl_prover *x, fairlead_error *err)
{
	struct fl_states *s = &x->states;
	uint32_t n = s->n, n_edges = s->n_edges;
	int rc = go_to(x, s->explored, err);

	if (rc == 0)
		rc = try_all(x, s->explored, err);
	if (rc == 0) {
		s->seen[s->explored++].edges = n_edges;
	} else {
		fl_states_undo(s, n);
		s->n_edges = n_edges;
	}
	return rc;
}

static bool told_to_stop(struct fl_prover *x, const struct fl_prove_options *o)
{
	const struct fl_states *s = &x->states;
	struct fl_prove_progress progress = {
		.states = s->explored,
		.moves = x->tried,
		.waiting = s->n - s->explored,
		.bytes = s->bytes,
	};

	if (!o->progress || x->tried - x->told < MOVES_UNTIL_PROGRESS)
		return false;
	x->told = x->tried;
	return o->progress(o->user, &progress) != 0;
}

static int cmp_names(const void *model, uint32_t a, uint32_t b)
{
	const struct fl_model *m = model;
	const struct fl_workload_row *x = &m->workloads[a], *y = &m->workloads[b];
	int c = x->namespace.v == y->namespace.v ?
			0 :
			strcmp(fl_model_text(m, x->namespace), fl_model_text(m, y->namespace));

	return c ? c : strcmp(fl_model_text(m, x->name), fl_model_text(m, y->name));
}

/* All workloads that may ever move, in an order that is not that of the input. */
static int find_who(struct fl_prover *x, const struct fl_model *m, fairlead_error *err)
{
	const struct fl_mem *mem = x->states.mem;
	int rc = fl_mem_grow(mem, &x->who, &x->cap_who, m->n_workloads, sizeof *x->who, err);

	if (rc == 0)
		rc = fl_mem_grow(mem, &x->scratch, &x->cap_scratch, m->n_workloads,
				 sizeof *x->scratch, err);
	if (rc < 0)
		return rc;
	x->n_who = 0;
	for (uint32_t w = 0; w < m->n_workloads; w++) {
		enum fl_workload_state s = x->ops->state(x->policy, (struct fl_workload){ w });

		if (s != FL_STATE_ABSENT && s != FL_STATE_EXCLUDED)
			x->who[x->n_who++] = w;
	}
	fl_sort(x->who, x->n_who, x->scratch, cmp_names, m);
	return 0;
}

/* Which workloads are alike, if that counts. */
static int find_alike(struct fl_prover *x, fairlead_error *err)
{
	bool counts = (x->no_cycles || x->prompt) && !x->apart && x->clock.tick > 0 &&
		      x->ops->likeness;
	const struct fl_mem *mem = x->states.mem;
	uint32_t n = x->n_who;
	int rc = fl_mem_grow(mem, &x->like, &x->cap_like, n, sizeof *x->like, err);

	if (rc == 0)
		rc = fl_mem_grow(mem, &x->rows, &x->cap_rows, n, sizeof *x->rows, err);
	if (rc == 0)
		rc = fl_mem_grow(mem, &x->row_scratch, &x->cap_row_scratch, n, sizeof *x->rows,
				 err);
	if (rc < 0)
		return rc;
	for (uint32_t i = 0; i < n; i++) {
		struct fl_workload w = { x->who[i] };

		x->rows[i].id = i;
		x->rows[i].key = counts ? x->ops->likeness(x->policy, w) : FL_LIKE_NOBODY;
	}
	fl_sort_rows(x->rows, n, x->row_scratch);
	for (uint32_t i = 0; i < n; i++) {
		bool alike = i > 0 && x->rows[i].key != FL_LIKE_NOBODY &&
			     x->rows[i].key == x->rows[i - 1].key;

		x->like[x->rows[i].id] = alike ? x->rows[i - 1].id : FL_NONE;
	}
	return 0;
}

/* The present state, which is the first one. */
static int begin(struct fl_prover *x, const struct fl_model *m, const struct fl_prove_options *o,
		 fairlead_error *err)
{
	bool again = x->states.n > 0;
	uint32_t first = 0;
	int rc;

	if (again && (x->now != o->now || x->no_cycles != o->no_cycles || x->prompt != o->prompt ||
		      x->apart != o->apart || x->lifts != o->lifts))
		return fl_fail(err, FAIRLEAD_ESTATE, "it was explored with other moves");
	x->now = o->now;
	x->clock = fl_prove_clock(x->ops, m, o->now);
	x->no_cycles = o->no_cycles;
	x->prompt = o->prompt;
	x->apart = o->apart;
	x->lifts = o->lifts;
	x->elastic = fl_prove_face_of(x->ops)->elastic;
	x->states.limit = o->bytes;
	x->told = x->tried;
	rc = find_who(x, m, err);
	if (rc == 0)
		rc = find_alike(x, err);
	if (rc == 0)
		rc = x->ops->forget(x->policy, o->now, err);
	if (rc == 0)
		rc = name_state(x, FL_NONE, &first, err);
	if (rc != 0 || first == 0)
		return rc;
	fl_states_undo(&x->states, x->states.n - 1);
	return fl_fail(err, FAIRLEAD_ESTATE, "another state was explored");
}

static int run(struct fl_prover *x, const struct fl_model *m, const struct fl_prove_options *o,
	       fairlead_error *err)
{
	const struct fl_states *s = &x->states;
	int rc = fl_mem_grow(s->mem, &x->way, &x->cap_way, 1, sizeof *x->way, err);

	if (rc < 0)
		return rc;
	x->way[0] = (struct fl_prove_step){ .then = o->now };
	x->n_way = 1;
	rc = begin(x, m, o, err);
	while (rc == 0 && s->explored < s->n && s->explored < o->states && !told_to_stop(x, o))
		rc = explore(x, err);
	return rc;
}

/* The moves of a loop one by one, with those that follow up. */
static int spell_out(struct fl_prover *x, struct fl_prove_result *r, fairlead_error *err)
{
	struct fl_move *moves;
	uint32_t evicted, prefix = 0;
	int rc = x->ops->forget(x->policy, x->now, err);

	x->clock.now = x->now;
	x->n_noted = 0;
	x->noting = true;
	for (uint32_t i = 0; i < r->prefix + r->n && rc == 0; i++) {
		if (i == r->prefix)
			prefix = x->n_noted;
		rc = make(x, r->moves[i], &evicted, err);
	}
	x->noting = false;
	if (rc < 0)
		return rc;
	moves = x->states.mem->resize(x->states.mem->user, r->moves, x->n_noted * sizeof *moves);
	if (!moves)
		return fl_fail_nomem(err);
	memcpy(moves, x->noted, x->n_noted * sizeof *moves);
	r->moves = moves;
	r->prefix = prefix;
	r->n = x->n_noted - prefix;
	return 0;
}

static int judge(struct fl_prover *x, struct fl_prove_result *ret, fairlead_error *err)
{
	fl_mark mark;
	int rc = fl_loop_find(&x->states, &x->room, ret, err);

	if (rc < 0 || !x->prompt || !ret->moves)
		return rc;
	rc = x->ops->mark(x->policy, &mark, err);
	if (rc == 0) {
		rc = spell_out(x, ret, err);
		x->ops->rollback(x->policy, mark);
	}
	if (rc < 0)
		fl_prove_done(x->states.mem, ret);
	return rc;
}

int fl_prover_run(struct fl_prover *x, const struct fl_policy_ops *ops, struct fl_policy *p,
		  const struct fl_model *m, const struct fl_prove_options *options,
		  struct fl_prove_result *ret, fairlead_error *err)
{
	struct fl_prove_result result = { 0 };
	fl_mark mark;
	int rc = ops->mark(p, &mark, err);

	if (rc < 0)
		return rc;
	x->ops = ops;
	x->policy = p;
	rc = run(x, m, options, err);
	ops->rollback(p, mark);
	if (rc < 0)
		return rc;
	result.tried = x->tried;
	result.timed = x->timed;
	rc = x->states.n > 0 ? judge(x, &result, err) : 0; /* 0: there was no room for one */
	if (rc == 0)
		*ret = result;
	return rc;
}

/* --- provers --- */

int fl_prover_new(const struct fl_mem *mem, struct fl_prover **ret, fairlead_error *err)
{
	struct fl_prover *x = mem->resize(mem->user, NULL, sizeof *x);

	if (!x)
		return fl_fail_nomem(err);
	*x = (struct fl_prover){ 0 };
	fl_states_init(&x->states, mem);
	*ret = x;
	return 0;
}

struct fl_prover *fl_prover_free(struct fl_prover *x)
{
	const struct fl_mem *mem;

	if (!x)
		return NULL;
	mem = x->states.mem;
	fl_states_done(&x->states);
	fl_loop_room_done(&x->room, mem);
	fl_mem_free(mem, x->way);
	fl_mem_free(mem, x->who);
	fl_mem_free(mem, x->scratch);
	fl_mem_free(mem, x->noted);
	fl_mem_free(mem, x->like);
	fl_mem_free(mem, x->rows);
	fl_mem_free(mem, x->row_scratch);
	return fl_mem_free(mem, x);
}

size_t fl_prover_bytes(const struct fl_prover *x) { return x->states.bytes; }

void fl_prover_reset(struct fl_prover *x)
{
	fl_states_clear(&x->states);
	x->tried = 0;
	x->timed = false;
}

int fl_prove(const struct fl_policy_ops *ops, struct fl_policy *p, const struct fl_model *m,
	     const struct fl_prove_options *options, struct fl_prove_result *ret,
	     fairlead_error *err)
{
	struct fl_prover *x = NULL;
	int rc = fl_prover_new(options->mem, &x, err);

	if (rc == 0)
		rc = fl_prover_run(x, ops, p, m, options, ret, err);
	fl_prover_free(x);
	return rc;
}

void fl_prove_done(const struct fl_mem *mem, struct fl_prove_result *result)
{
	result->moves = fl_mem_free(mem, result->moves);
}
