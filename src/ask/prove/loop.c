/* SPDX-License-Identifier: Apache-2.0 */
#include "ask/prove/loop.h"

#include <string.h>

/* What is known of a component; QUIET: in one of its states no eviction is under way. */
enum { RESTS = 1, UNKNOWN = 2, LOOPS = 4, LEAVES = 8, QUIET = 16 };

/* The kinds of loops, the worst last. */
enum kind { NONE, PASSING, POSSIBLE, FORCED };

struct search {
	const struct fl_states *s;
	uint32_t n;
	uint32_t *component;   /* by state: a number from 1; where it leads to has larger ones */
	uint32_t *own, *stack; /* while components are found */
	uint32_t *cursor, *order;
	uint32_t *bound; /* by component: evictions at most from there on */
	unsigned char *flags;

	/* the way back to one state: that and whether one was evicted, in order of distance */
	uint32_t *queue, *from;
	unsigned char *visited; /* by state: bits 1 << evicted */
	uint64_t looks;
};

void fl_loop_room_done(struct fl_loop_room *room, const struct fl_mem *mem)
{
	fl_mem_free(mem, room->numbers);
	fl_mem_free(mem, room->flags);
}

static int reserve(struct fl_loop_room *room, const struct fl_mem *mem, uint32_t n,
		   fairlead_error *err)
{
	void *numbers, *flags;

	if (n <= room->cap)
		return 0;
	numbers = mem->resize(mem->user, room->numbers, (size_t)n * 5 * sizeof *room->numbers);
	if (!numbers)
		return fl_fail_nomem(err);
	room->numbers = numbers;
	flags = mem->resize(mem->user, room->flags, (size_t)n * 2);
	if (!flags)
		return fl_fail_nomem(err);
	room->flags = flags;
	room->cap = n;
	return 0;
}

static struct search search_of(const struct fl_states *s, const struct fl_loop_room *room)
{
	uint32_t n = s->n, *rest = room->numbers + n;

	memset(room->numbers, 0, n * sizeof *room->numbers);
	memset(room->flags, 0, (size_t)n * 2);
	return (struct search){
		.s = s,
		.n = n,
		.component = room->numbers,
		.own = rest,
		.stack = rest + n,
		.cursor = rest + 2 * (size_t)n,
		.order = rest + 3 * (size_t)n,
		.bound = rest,
		.flags = room->flags,
		.queue = rest,
		.from = rest + 2 * (size_t)n,
		.visited = room->flags + n,
	};
}

/*
 * Components, by Tarjan as Pearce has it: one number a state tells, while it is open, the oldest
 * open state that can be reached from it, and then its component.  Open states are numbered from 1,
 * components from @n down, so that the latter are never less than the former.  `stack` holds the
 * way to the state that is looked at from the bottom, and what was left open from the top.
 */
static void find_components(struct search *f)
{
	uint32_t open = 0, way = 0, left = f->n, component = f->n, ordered = 0;
	uint32_t next = 0; /* to be opened; FL_NONE */

	while (next != FL_NONE || way > 0) {
		if (next != FL_NONE) {
			f->component[next] = f->own[next] = ++open;
			f->cursor[next] = fl_states_edges(f->s, next);
			f->stack[way++] = next;
			next = FL_NONE;
		}
		uint32_t v = f->stack[way - 1];

		if (f->cursor[v] < fl_states_edges(f->s, v + 1)) {
			uint32_t to = f->s->edges[f->cursor[v]++].to;

			if (f->component[to] == 0)
				next = to;
			else if (f->component[to] < f->component[v])
				f->component[v] = f->component[to];
			continue;
		}
		way--;
		if (way > 0 && f->component[v] < f->component[f->stack[way - 1]])
			f->component[f->stack[way - 1]] = f->component[v];
		if (f->component[v] < f->own[v]) {
			f->stack[--left] = v;
			continue;
		}
		/* The oldest one of its component; those of it that are younger were left open. */
		for (; left < f->n && f->own[f->stack[left]] > f->own[v]; left++, open--) {
			f->component[f->stack[left]] = component;
			f->order[ordered++] = f->stack[left];
		}
		f->component[v] = component--;
		f->order[ordered++] = v;
		open--;
	}
}

static unsigned char *flags_of(const struct search *f, uint32_t state)
{
	return &f->flags[f->component[state] - 1];
}

static enum kind kind_of(unsigned flags)
{
	if (!(flags & LOOPS))
		return NONE;
	if (!(flags & (RESTS | UNKNOWN)))
		return FORCED;
	return flags & QUIET ? POSSIBLE : PASSING;
}

/* Is no eviction under way in @v?  Each that is can complete. */
static bool is_quiet(const struct search *f, uint32_t v)
{
	for (uint32_t e = fl_states_edges(f->s, v); e < fl_states_edges(f->s, v + 1); e++)
		if (fl_states_move(f->s, &f->s->edges[e]).kind == FL_MOVE_LET_GO)
			return false;
	return v < f->s->explored;
}

/* What follows from the edges of @v, of which the component comes behind those it leads to. */
static void look_ahead(struct search *f, uint32_t v)
{
	uint32_t *bound = &f->bound[f->component[v] - 1];
	unsigned char *flags = flags_of(f, v);

	if (v >= f->s->explored)
		*flags |= UNKNOWN;
	if (is_quiet(f, v))
		*flags |= QUIET;
	for (uint32_t e = fl_states_edges(f->s, v); e < fl_states_edges(f->s, v + 1); e++) {
		const struct fl_edge *edge = &f->s->edges[e];
		uint32_t evicted = fl_states_evicted(f->s, edge);
		uint64_t all = (uint64_t)evicted + f->bound[f->component[edge->to] - 1];

		if (f->component[edge->to] == f->component[v]) {
			*flags |= evicted ? LOOPS : 0;
			continue;
		}
		*flags |= LEAVES | (*flags_of(f, edge->to) & (RESTS | UNKNOWN));
		if (all > *bound)
			*bound = all < FL_NONE ? (uint32_t)all : FL_NONE;
	}
}

/* Component by component, what is known of each.  Returns the worst kind of loop there is. */
static enum kind judge(struct search *f, struct fl_prove_result *ret)
{
	enum kind worst = NONE;

	memset(f->bound, 0, f->n * sizeof *f->bound);
	for (uint32_t i = 0; i < f->n; i++) {
		uint32_t v = f->order[i];
		unsigned char *flags = flags_of(f, v);

		look_ahead(f, v);
		ret->resting += v < f->s->explored &&
				fl_states_edges(f->s, v) == fl_states_edges(f->s, v + 1);
		if (i + 1 < f->n && f->component[f->order[i + 1]] == f->component[v])
			continue;
		/* All of it was explored.  No workload is evicted there, and nothing leads away. */
		if (!(*flags & (LEAVES | LOOPS | UNKNOWN)))
			*flags |= RESTS;
		if (kind_of(*flags) > worst)
			worst = kind_of(*flags);
	}
	ret->loop = worst == FORCED ? FL_LOOP_FORCED :
		    worst == NONE   ? FL_LOOP_NONE :
				      FL_LOOP_POSSIBLE;
	ret->passing = worst == PASSING;
	ret->always = !(*flags_of(f, 0) & (RESTS | UNKNOWN));
	ret->bound = worst == NONE ? f->bound[f->component[0] - 1] : 0;
	return worst;
}

/* --- the shortest loop --- */

/* Unless it is there already. */
static void enqueue(struct search *f, uint32_t *n, uint32_t state, bool evicted, uint32_t from)
{
	unsigned char bit = (unsigned char)(1 << evicted);

	if (f->visited[state] & bit)
		return;
	f->visited[state] |= bit;
	f->queue[*n] = state << 1 | evicted;
	f->from[(*n)++] = from;
}

/*
 * The shortest way from @x back to it with an eviction on it.  Returns how many moves it has, 0 when
 * it has @limit or more.  *ret: index of the last state before @x.
 */
static uint32_t way_back(struct search *f, uint32_t x, uint32_t limit, uint32_t *ret)
{
	uint32_t n = 0, moves = 1, found = 0, end;

	enqueue(f, &n, x, false, FL_NONE);
	end = n;
	for (uint32_t i = 0; i < n && moves < limit && !found; i++) {
		uint32_t v = f->queue[i] >> 1, first = fl_states_edges(f->s, v),
			 last = fl_states_edges(f->s, v + 1);

		f->looks += last - first;
		for (uint32_t e = first; e < last && !found; e++) {
			const struct fl_edge *edge = &f->s->edges[e];
			bool evicted = f->queue[i] & 1 || fl_states_evicted(f->s, edge);

			if (edge->to == x && evicted) {
				found = moves;
				*ret = i;
			} else if (f->component[edge->to] == f->component[x]) {
				enqueue(f, &n, edge->to, evicted, i);
			}
		}
		if (i + 1 == end) {
			end = n;
			moves++;
		}
	}
	for (uint32_t i = 0; i < n; i++)
		f->visited[f->queue[i] >> 1] = 0;
	return found;
}

/* The first move that leads from @v to @to and makes @evicted of @before. */
static struct fl_move move_to(const struct fl_states *s, uint32_t v, uint32_t to, bool before,
			      bool evicted)
{
	uint32_t e = fl_states_edges(s, v);

	while (s->edges[e].to != to ||
	       (before || fl_states_evicted(s, &s->edges[e]) > 0) != evicted)
		e++;
	return fl_states_move(s, &s->edges[e]);
}

static int tell(struct search *f, uint32_t x, struct fl_prove_result *ret, fairlead_error *err)
{
	const struct fl_states *s = f->s;
	uint32_t at = 0, to = x;
	bool evicted = true;

	ret->n = way_back(f, x, FL_NONE, &at);
	for (uint32_t v = x; v != 0; v = s->seen[v].parent)
		ret->prefix++;
	ret->moves = s->mem->resize(s->mem->user, NULL,
				    ((size_t)ret->prefix + ret->n) * sizeof *ret->moves);
	if (!ret->moves)
		return fl_fail_nomem(err);
	for (uint32_t i = ret->prefix + ret->n; i > ret->prefix; i--, at = f->from[at]) {
		uint32_t v = f->queue[at] >> 1;
		bool before = f->queue[at] & 1;

		ret->moves[i - 1] = move_to(s, v, to, before, evicted);
		to = v;
		evicted = before;
	}
	for (uint32_t i = ret->prefix, v = x; i > 0; i--, v = s->seen[v].parent)
		ret->moves[i - 1] = fl_states_way(s, v);
	return 0;
}

/* The first state on the best loop of kind @worst, from a state that is @quiet; FL_NONE. */
static uint32_t find_best(struct search *f, enum kind worst, bool quiet)
{
	uint32_t best = FL_NONE, first = FL_NONE, at = 0;

	for (uint32_t x = 0; x < f->n; x++) {
		if (first != FL_NONE && f->looks > FL_LOOP_LOOKS)
			break;
		if (kind_of(*flags_of(f, x)) != worst || (quiet && !is_quiet(f, x)))
			continue;
		uint32_t moves = way_back(f, x, best, &at);

		if (moves > 0) {
			best = moves;
			first = x;
		}
	}
	return first;
}

int fl_loop_find(const struct fl_states *s, struct fl_loop_room *room, struct fl_prove_result *ret,
		 fairlead_error *err)
{
	struct fl_prove_result result = {
		.states = s->explored,
		.tried = ret->tried,
		.timed = ret->timed,
		.complete = s->explored == s->n,
	};
	int rc = reserve(room, s->mem, s->n, err);

	if (rc < 0)
		return rc;
	struct search f = search_of(s, room);

	find_components(&f);
	enum kind worst = judge(&f, &result);
	uint32_t first = worst == NONE ? FL_NONE : find_best(&f, worst, /* quiet= */ true);

	if (worst != NONE && first == FL_NONE)
		first = find_best(&f, worst, /* quiet= */ false);
	if (first != FL_NONE)
		rc = tell(&f, first, &result, err);
	if (rc == 0)
		*ret = result;
	return rc;
}
