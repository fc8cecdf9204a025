/* SPDX-License-Identifier: Apache-2.0 */
#include "decide/borrow/preempt/borrowers.h"

#include "base/check.h"
#include "decide/borrow/afs/afs.h"
#include "decide/borrow/backlog/holders.h"
#include "decide/borrow/preempt/preempt.h"
#include "decide/borrow/preempt/s2a.h"

/* Flags in fl_borrowers.stands. */
enum { STANDS = 1, LEFT = 2, TOLD = 4, KEEPS = 8 };

/*
 * Children of one kind below one cohort, at places [base, base + n).  Round i has the better of
 * games 2i and 2i + 1, where n + k is the k-th child; its winner is in games[base + i].
 */
struct contest {
	uint32_t base, n;
};

int fl_borrowers_new(struct fl_policy *p, struct fl_view *v, fairlead_error *err)
{
	const struct fl_tree *t = &p->tree;
	struct fl_arena *a = &p->arena;
	struct fl_borrowers *s = v->borrowers = fl_arena_alloc(a, 1, sizeof *s, err);

	if (!s)
		return FAIRLEAD_ENOMEM;
	s->n_cohorts = fl_arena_alloc(a, t->n_nodes, sizeof *s->n_cohorts, err);
	s->games = fl_arena_alloc(a, t->n_order, sizeof *s->games, err);
	s->first = fl_arena_alloc(a, t->n_nodes, sizeof *s->first, err);
	s->kept = fl_arena_alloc(a, t->n_nodes, sizeof *s->kept, err);
	s->stands = fl_arena_alloc(a, t->n_nodes, sizeof *s->stands, err);
	s->told = fl_arena_alloc(a, t->n_nodes, sizeof *s->told, err);
	if (!s->n_cohorts || !s->games || !s->first || !s->kept || !s->stands || !s->told)
		return FAIRLEAD_ENOMEM;
	for (uint32_t i = 0; i < t->n_order; i++)
		if (t->is_cohort[t->order[i]] && t->parent[t->order[i]] != FL_NONE)
			s->n_cohorts[t->parent[t->order[i]]]++;
	return 0;
}

uint64_t fl_borrowers_looked(const struct fl_view *v) { return v->borrowers->looked; }

static struct contest contest_of(const struct fl_tree *t, const struct fl_borrowers *s, uint32_t n,
				 bool of_cohorts)
{
	struct fl_span children = t->children[n];
	uint32_t first, cohorts = s->n_cohorts[n];

	if (!children.n)
		return (struct contest){ 0, 0 };
	first = t->place[t->child_ids[children.first]];
	return of_cohorts ? (struct contest){ first, cohorts } :
			    (struct contest){ first + cohorts, children.n - cohorts };
}

/* Of queues @a and @b with the same share: does the candidate of @a come first? */
static bool has_earlier(const struct fl_policy *p, const struct fl_borrowers *s, uint32_t a,
			uint32_t b)
{
	if (s->first[a] == FL_NONE || s->first[b] == FL_NONE)
		return s->first[a] == FL_NONE &&
		       (s->first[b] != FL_NONE || p->tree.place[a] < p->tree.place[b]);
	return fl_holders_cmp_ages(p, s->first[a], s->first[b]) < 0;
}

/* The better of two children of one kind; FL_NONE is worse than any child. */
static uint32_t better(const struct fl_policy *p, struct fl_view *v, uint32_t a, uint32_t b)
{
	int order;

	if (a == FL_NONE || b == FL_NONE)
		return a == FL_NONE ? b : a;
	v->borrowers->looked++;
	order = fl_drs_cmp(fl_view_drs(p, v, (struct fl_node){ a }),
			   fl_view_drs(p, v, (struct fl_node){ b }));
	if (order)
		return order > 0 ? a : b;
	if (p->tree.is_cohort[a])
		return p->tree.place[a] > p->tree.place[b] ? a : b;
	return has_earlier(p, v->borrowers, a, b) ? a : b;
}

const struct fl_drs *fl_borrowers_kept(const struct fl_policy *p, struct fl_view *v, uint32_t q)
{
	return v->borrowers->stands[q] & KEEPS ? &v->borrowers->kept[q] :
						 fl_view_drs(p, v, (struct fl_node){ q });
}

/* Of two queues the one with the larger bound of what it keeps; FL_NONE is worse than any queue. */
static uint32_t keeps_more(const struct fl_policy *p, struct fl_view *v, uint32_t a, uint32_t b)
{
	int order;

	if (a == FL_NONE || b == FL_NONE)
		return a == FL_NONE ? b : a;
	order = fl_drs_cmp(fl_borrowers_kept(p, v, a), fl_borrowers_kept(p, v, b));
	return order > 0 || (order == 0 && p->tree.place[a] < p->tree.place[b]) ? a : b;
}

/* The winner of game @i, which may be a child itself. */
static struct fl_share_game outcome(const struct fl_tree *t, const struct fl_borrowers *s,
				    struct contest c, uint32_t i)
{
	uint32_t n;

	if (i < c.n)
		return s->games[c.base + i];
	n = t->order[c.base + i - c.n];
	if ((s->stands[n] & (STANDS | LEFT)) != STANDS)
		return (struct fl_share_game){ FL_NONE, FL_NONE };
	return (struct fl_share_game){ n, t->is_cohort[n] ? FL_NONE : n };
}

static struct fl_share_game play(const struct fl_policy *p, struct fl_view *v,
				 struct fl_share_game a, struct fl_share_game b)
{
	return (struct fl_share_game){ better(p, v, a.most, b.most),
				       keeps_more(p, v, a.keeps, b.keeps) };
}

static struct fl_share_game play_game(const struct fl_policy *p, struct fl_view *v,
				      struct contest c, uint32_t i)
{
	const struct fl_borrowers *s = v->borrowers;

	return play(p, v, outcome(&p->tree, s, c, 2 * i), outcome(&p->tree, s, c, 2 * i + 1));
}

/*
 * Plays the games above @n again.  Where neither @n wins, nor a winner changes, nothing above
 * depends on it; that also holds while other nodes have moved whose games were not played again
 * yet.
 */
static void replay(const struct fl_policy *p, struct fl_view *v, uint32_t n)
{
	const struct fl_tree *t = &p->tree;
	struct fl_borrowers *s = v->borrowers;
	struct contest c;

	if (t->parent[n] == FL_NONE)
		return;
	c = contest_of(t, s, t->parent[n], t->is_cohort[n]);
	for (uint32_t i = (c.n + t->place[n] - c.base) / 2; i >= 1; i /= 2) {
		struct fl_share_game was = s->games[c.base + i], now = play_game(p, v, c, i);

		s->games[c.base + i] = now;
		if (now.most == was.most && was.most != n && now.keeps == was.keeps &&
		    was.keeps != n)
			break;
	}
}

static void play_all(const struct fl_policy *p, struct fl_view *v, struct contest c)
{
	for (uint32_t i = c.n; i-- > 1;)
		v->borrowers->games[c.base + i] = play_game(p, v, c, i);
}

/* The first candidate of @q, if the order of its candidates is known and is that of all queues. */
static uint32_t known_first(const struct fl_policy *p, uint32_t q)
{
	const struct fl_backlog *backlog = &p->backlogs[q];

	if (backlog->sorted_epoch != backlog->epoch || !backlog->n_holders ||
	    fl_afs_orders(p, (struct fl_node){ q }))
		return FL_NONE;
	return p->candidates[backlog->holders.first];
}

/* Updates whether @n stands, and with which candidate. */
static void look_at(const struct fl_policy *p, struct fl_view *v, uint32_t n)
{
	struct fl_borrowers *s = v->borrowers;
	bool stands = v->usage.borrowing[n] > 0;

	if (!p->tree.is_cohort[n])
		stands = stands && p->backlogs[n].active && p->backlogs[n].n_holders > 0;
	s->stands[n] = (uint8_t)((s->stands[n] & (LEFT | TOLD)) | (stands ? STANDS : 0));
	if (stands && !p->tree.is_cohort[n] && !(s->stands[n] & TOLD))
		s->first[n] = known_first(p, n);
}

/* The share that @q keeps at most when one of its workloads is taken out. */
static struct fl_drs kept_of(const struct fl_policy *p, struct fl_view *v, struct fl_node q)
{
	const struct fl_backlog *backlog = &p->backlogs[q.v];
	struct fl_drs most = { .weighted = -1 };

	for (uint32_t i = backlog->holders.first; i < backlog->holders.first + backlog->n_holders;
	     i++) {
		struct fl_drs share = fl_view_drs_without(p, v, q,
							  (struct fl_workload){ p->holders[i] });

		v->borrowers->looked++;
		if (fl_drs_cmp(&share, &most) > 0)
			most = share;
	}
	return most;
}

#ifdef FL_CHECKED
static void check_contest(const struct fl_policy *p, struct fl_view *v, struct contest c)
{
	for (uint32_t i = 1; i < c.n; i++) {
		struct fl_share_game is = v->borrowers->games[c.base + i];
		struct fl_share_game should = play_game(p, v, c, i);

		FL_CHECK(is.most == should.most && is.keeps == should.keeps);
	}
}

/*
 * Asserts, when nothing has moved, that every child stands as it should, and that each game has
 * the better of its two.
 */
static void check_borrowers(const struct fl_policy *p, struct fl_view *v)
{
	const struct fl_tree *t = &p->tree;
	struct fl_borrowers *s = v->borrowers;

	for (uint32_t i = 0; i < t->n_order; i++) {
		uint32_t n = t->order[i], first = s->first[n];
		uint8_t stood = s->stands[n];

		look_at(p, v, n);
		FL_CHECK(s->stands[n] == (stood & ~KEEPS));
		s->stands[n] = stood;
		if ((stood & ~KEEPS) == STANDS && !t->is_cohort[n] && first != FL_NONE)
			FL_CHECK(s->first[n] == first);
		s->first[n] = first;
		if (stood & KEEPS) {
			struct fl_drs most = kept_of(p, v, (struct fl_node){ n });

			FL_CHECK(fl_drs_cmp(&most, &s->kept[n]) <= 0);
		}
		check_contest(p, v, contest_of(t, s, n, true));
		check_contest(p, v, contest_of(t, s, n, false));
	}
}
#endif

/* Plays all games again that depend on moved nodes. */
static void refresh(const struct fl_policy *p, struct fl_view *v)
{
	const struct fl_tree *t = &p->tree;
	struct fl_usage *u = &v->usage;

	if (!u->all_moved && !u->n_moved)
		return;
	if (u->all_moved) {
		for (uint32_t i = 0; i < t->n_order; i++)
			look_at(p, v, t->order[i]);
		for (uint32_t i = 0; i < t->n_order; i++) {
			play_all(p, v, contest_of(t, v->borrowers, t->order[i], true));
			play_all(p, v, contest_of(t, v->borrowers, t->order[i], false));
		}
	} else {
		for (uint32_t i = 0; i < u->n_moved; i++)
			look_at(p, v, u->moved[i]);
		for (uint32_t i = 0; i < u->n_moved; i++)
			replay(p, v, u->moved[i]);
	}
	fl_usage_looked(u);
#ifdef FL_CHECKED
	check_borrowers(p, v);
#endif
}

void fl_borrowers_begin(const struct fl_policy *p, struct fl_view *v)
{
	struct fl_borrowers *s = v->borrowers;

	for (uint32_t i = 0; i < s->n_told; i++) {
		s->stands[s->told[i]] &= STANDS | KEEPS;
		s->first[s->told[i]] = known_first(p, s->told[i]);
	}
	for (uint32_t i = 0; i < s->n_told; i++)
		replay(p, v, s->told[i]);
	s->n_told = 0;
}

/* The winner of all games of @c without child @except. */
static struct fl_share_game all_but(const struct fl_policy *p, struct fl_view *v, struct contest c,
				    uint32_t except)
{
	const struct fl_tree *t = &p->tree;
	const struct fl_borrowers *s = v->borrowers;
	struct fl_share_game all = { FL_NONE, FL_NONE };

	if (!c.n)
		return all;
	if (except == FL_NONE || t->place[except] - c.base >= c.n)
		return outcome(t, s, c, 1);
	for (uint32_t i = c.n + t->place[except] - c.base; i > 1; i /= 2)
		all = play(p, v, all, outcome(t, s, c, i ^ 1));
	return all;
}

struct fl_node fl_borrowers_top(const struct fl_policy *p, struct fl_view *v, uint32_t n,
				enum fl_borrower_kind kind, uint32_t except)
{
	struct contest c = contest_of(&p->tree, v->borrowers, n, kind == FL_BORROWER_COHORT);

	refresh(p, v);
	return (struct fl_node){ all_but(p, v, c, except).most };
}

/* The same as fl_borrowers_top_keeping, for children below game @i. */
static uint32_t top_keeping(const struct fl_policy *p, struct fl_view *v, struct contest c,
			    uint32_t i, uint32_t except, const struct fl_drs *least)
{
	struct fl_share_game r = outcome(&p->tree, v->borrowers, c, i);

	if (r.keeps == FL_NONE || !fl_s2a_holds(least, fl_borrowers_kept(p, v, r.keeps)))
		return FL_NONE;
	if (r.most != except && fl_s2a_holds(least, fl_borrowers_kept(p, v, r.most)))
		return r.most;
	if (i >= c.n)
		return FL_NONE;
	return better(p, v, top_keeping(p, v, c, 2 * i, except, least), /* depth: of the games */
		      top_keeping(p, v, c, 2 * i + 1, except, least));
}

struct fl_node fl_borrowers_top_keeping(const struct fl_policy *p, struct fl_view *v, uint32_t n,
					uint32_t except, const struct fl_drs *least)
{
	struct contest c = contest_of(&p->tree, v->borrowers, n, false);

	refresh(p, v);
	return (struct fl_node){ c.n ? top_keeping(p, v, c, 1, except, least) : FL_NONE };
}

void fl_borrowers_find_kept(const struct fl_policy *p, struct fl_view *v, struct fl_node q)
{
	struct fl_drs most = kept_of(p, v, q);

	fl_borrowers_keeps_at_most(p, v, q, &most);
}

void fl_borrowers_keeps_at_most(const struct fl_policy *p, struct fl_view *v, struct fl_node q,
				const struct fl_drs *most)
{
	refresh(p, v);
	v->borrowers->kept[q.v] = *most;
	v->borrowers->stands[q.v] |= KEEPS;
	replay(p, v, q.v);
}

static void tell(struct fl_borrowers *s, uint32_t n, uint8_t what)
{
	if (!(s->stands[n] & (LEFT | TOLD)))
		s->told[s->n_told++] = n;
	s->stands[n] |= what;
}

void fl_borrowers_leave(const struct fl_policy *p, struct fl_view *v, uint32_t n)
{
	tell(v->borrowers, n, LEFT);
	replay(p, v, n);
}

void fl_borrowers_with(const struct fl_policy *p, struct fl_view *v, uint32_t q, uint32_t w)
{
	tell(v->borrowers, q, TOLD);
	v->borrowers->first[q] = w;
	replay(p, v, q);
}
