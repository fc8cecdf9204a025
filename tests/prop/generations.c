/* SPDX-License-Identifier: Apache-2.0 */
#include "prop/generations.h"

#include <string.h>

#include "codec/object/kube.h"
#include "decide/adopt.h"
#include "decide/drf/drf.h"
#include "decide/entitle/entitle.h"
#include "model/join_from.h"
#include "prop/objects.h"

enum { MOST = 128, DEPTH = 8 };

struct generations_counts generations_counts;

/* --- objects --- */

static struct {
	enum generations how;
	struct objects objects;
} world;

void generations_of(struct text *objects, enum generations how)
{
	world.how = how;
	objects_split(&world.objects, objects, /* keep_past= */ how == GENERATIONS_SAME);
}

/* --- a policy on a model of its own --- */

struct generation {
	const struct fl_policy_ops *ops;
	const struct fl_model *outer;
	struct fl_model *inner; /* NULL: the outer one serves */
	struct fl_policy *p;
	struct fl_policy_options options;
	fl_time now; /* of the last call */
	uint64_t random;
	uint32_t marks;
	bool changed[MOST]; /* by workload of the outer model: its priority was */
	uint32_t in[MOST];  /* by workload of the outer model: the inner one; FL_NONE: left out */
	uint32_t in_at[DEPTH][MOST]; /* the same at each mark */

	/* ids of the outer model in the inner one, and back */
	struct fl_adoption to;
	uint32_t *workloads, *nodes, *flavors, *resources, *machines;

	struct fl_decision *rows;
	struct fl_placement *placements, *held;
	struct fl_workload *heads;
};

static struct generation *of(const struct fl_policy *p) { return (void *)(uintptr_t)p; }

static uint32_t pick(struct generation *g, uint32_t below)
{
	g->random = g->random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (uint32_t)(g->random >> 33) % below;
}

static const struct fl_model *model_of(const struct generation *g)
{
	return g->inner ? g->inner : g->outer;
}

/* Its number, as in its name. */
static int number(const struct fl_model *m, uint32_t w)
{
	return atoi(fl_model_text(m, m->workloads[w].name) + 1);
}

static void read_objects(struct fl_model *m, const struct text *t)
{
	fairlead_error err = { 0 };

	if (fl_kube_read(m, "in", t->bytes, t->n, &err) == 0 && fl_model_seal(m, &err) == 0)
		return;
	(void)fprintf(stderr, "generations: %s: %s\n%s\n", err.subject, err.text, t->bytes);
	abort();
}

/* A model of all objects in any order, but for workloads that are not @wanted, by number. */
static struct fl_model *read_some(struct generation *g, const bool *wanted)
{
	static struct text some;
	unsigned order[MOST_OBJECTS], n = world.objects.n;
	struct fl_model *m = NULL;

	ENSURE(fl_model_new(&fl_mem_heap, &m, NULL) == 0);
	for (unsigned i = 0; i < n; i++)
		order[i] = i;
	for (unsigned i = n; i > 1; i--) {
		unsigned k = pick(g, i), kept = order[i - 1];

		order[i - 1] = order[k];
		order[k] = kept;
	}
	objects_begin(&some);
	for (unsigned i = 0; i < n; i++) {
		int of = world.objects.rows[order[i]].of;

		if (of < 0 || wanted[of])
			objects_add(&some, &world.objects, order[i]);
	}
	objects_end(&some);
	m->spare = world.how == GENERATIONS_JOINED ? MOST : 0;
	read_objects(m, &some);
	m->settings.settles = g->outer->settings.settles;
	m->settings.eviction_timeout = g->outer->settings.eviction_timeout;
	m->settings.many_heads = g->outer->settings.many_heads;
	return m;
}

static uint32_t *invert(const uint32_t *there, uint32_t n, uint32_t n_back)
{
	uint32_t *back = malloc((n_back + 1) * sizeof *back);

	ENSURE(back);
	memset(back, 0xff, n_back * sizeof *back);
	for (uint32_t i = 0; i < n; i++)
		if (there[i] != FL_NONE)
			back[there[i]] = i;
	return back;
}

static void forget_ids(struct generation *g)
{
	if (g->workloads)
		fl_adoption_done(&g->to);
	free(g->workloads);
	free(g->nodes);
	free(g->flavors);
	free(g->resources);
	free(g->machines);
}

/* Which is which, now that the inner model is another. */
static void learn_ids(struct generation *g)
{
	const struct fl_model *m = model_of(g);
	struct fl_workload *was = malloc((m->n_workloads + 1) * sizeof *was);

	forget_ids(g);
	ENSURE(was);
	for (uint32_t w = 0; w < m->n_workloads; w++) {
		const struct fl_workload_row *row = &m->workloads[w];

		was[w] = fl_model_find_workload(g->outer, fl_model_text(m, row->namespace),
						fl_model_text(m, row->name));
		ENSURE(was[w].v != FL_NONE);
	}
	ENSURE(fl_adoption_begin(&g->to, g->outer, m, was, &fl_mem_heap, NULL) == 0);
	memcpy(g->in, g->to.workloads, g->outer->n_workloads * sizeof *g->in);
	g->workloads = invert(g->in, g->outer->n_workloads, m->n_workloads);
	g->nodes = invert(g->to.nodes, g->outer->n_nodes, m->n_nodes);
	g->flavors = invert(g->to.flavors, g->outer->n_flavors, m->n_flavors);
	g->resources = invert(g->to.resources, g->outer->n_resources, m->n_resources);
	g->machines = invert(g->to.machines, g->outer->n_machines, m->n_machines);
	free(was);
}

/* May @w, of the outer model, be left out? */
static bool may_go(const struct generation *g, uint32_t w)
{
	struct fl_workload in = { g->in[w] };

	if (in.v == FL_NONE)
		return true;
	return !g->changed[w] && g->ops->state(g->p, in) == FL_STATE_ABSENT &&
	       !(g->ops == &fl_borrow_policy && generations_is_marked(g->p, in));
}

struct words {
	uint64_t *words;
	size_t n, cap;
};

static void add_word(void *user, uint64_t word)
{
	struct words *w = user;

	if (w->n == w->cap)
		w->words = realloc(w->words, (w->cap = 2 * w->cap + 64) * sizeof *w->words);
	ENSURE(w->words);
	w->words[w->n++] = word;
}

/* The same words, as they are spelt at @now. */
static void check_same(const struct generation *g, const struct fl_policy *next, fl_time now)
{
	struct words x = { NULL, 0, 0 }, y = { NULL, 0, 0 };

	g->ops->spell(g->p, now, add_word, &x);
	g->ops->spell(next, now, add_word, &y);
	for (size_t i = 0; i < x.n && i < y.n; i++)
		if (x.words[i] != y.words[i]) {
			(void)fprintf(stderr,
				      "generations: word %zu of %zu was %llx, and is %llx\n", i,
				      x.n, (unsigned long long)x.words[i],
				      (unsigned long long)y.words[i]);
			abort();
		}
	ENSURE(x.n == y.n);
	free(x.words);
	free(y.words);
}

static void adopt(struct generation *g, const struct fl_model *m, fl_time now,
		  const struct fl_workload *was)
{
	struct fl_policy_options options = g->options;
	struct fl_policy *next = NULL;
	fairlead_error err = { 0 };

	options.now = now;
	ENSURE(g->ops->new (m, &options, &next, &err) == 0);
	if (g->ops->adopt(next, now, g->p, was, &err) < 0) {
		(void)fprintf(stderr, "generations: %s: %s\n", err.subject, err.text);
		abort();
	}
	generations_counts.generations++;
	if (!g->inner)
		check_same(g, next, now);
	g->ops->free(g->p);
	g->p = next;
}

static void adopt_same(struct generation *g, fl_time now)
{
	struct fl_workload was[MOST];

	for (uint32_t w = 0; w < g->outer->n_workloads; w++)
		was[w].v = w;
	adopt(g, g->outer, now, was);
}

/*
 * Goes on on another model, of all that cannot go and perhaps of others; @needed for sure, and
 * without @gone, whatever it holds.
 */
static void adopt_apart(struct generation *g, fl_time now, uint32_t needed, uint32_t gone, bool all)
{
	struct fl_model *m;
	struct fl_workload was[MOST];
	bool wanted[MOST] = { false };

	for (uint32_t w = 0; w < g->outer->n_workloads; w++) {
		bool stays = w != gone && (all || w == needed || !may_go(g, w) || pick(g, 4) == 0);

		wanted[number(g->outer, w)] = stays;
		generations_counts.left_out += !stays && g->in[w] != FL_NONE;
		generations_counts.joined += stays && g->in[w] == FL_NONE;
	}
	m = read_some(g, wanted);
	for (uint32_t w = 0; w < m->n_workloads; w++) {
		const struct fl_workload_row *row = &m->workloads[w];

		was[w].v = g->in[fl_model_find_workload(g->outer, fl_model_text(m, row->namespace),
							fl_model_text(m, row->name))
					 .v];
	}
	adopt(g, m, now, was);
	fl_model_free(g->inner);
	g->inner = m;
	learn_ids(g);
}

/* --- one after the other, in the same model --- */

/* Which inner workload is which; ids of all else stay. */
static void learn_workloads(struct generation *g)
{
	free(g->workloads);
	g->workloads = invert(g->in, g->outer->n_workloads, g->inner->n_workloads);
}

/* Rows of the inner model that nobody has any more: their workloads leave it, too. */
static void tidy(struct generation *g)
{
	bool is_there[2 * MOST] = { false };

	for (uint32_t w = 0; w < g->outer->n_workloads; w++)
		if (g->in[w] != FL_NONE)
			is_there[g->in[w]] = true;
	for (uint32_t i = 0; i < g->inner->n_vacant; i++)
		is_there[g->inner->vacant[i].workload.v] = true;
	for (uint32_t w = 0; w < g->inner->n_workloads; w++)
		if (!is_there[w])
			ENSURE(fl_model_leave(g->inner, (struct fl_workload){ w }, NULL) == 0);
}

/* The same state in a policy of its own on the same model, which is one that nobody ever joined. */
static void check_afresh(struct generation *g, fl_time now)
{
	struct fl_policy_options options = g->options;
	struct fl_workload was[2 * MOST];
	struct fl_policy *fresh = NULL;
	fairlead_error err = { 0 };

	for (uint32_t w = 0; w < g->inner->n_workloads; w++)
		was[w].v = w;
	options.now = now;
	options.packed = pick(g, 2);
	ENSURE(g->ops->new (g->inner, &options, &fresh, &err) == 0);
	if (g->ops->adopt(fresh, now, g->p, was, &err) < 0) {
		(void)fprintf(stderr, "generations: %s: %s\n", err.subject, err.text);
		abort();
	}
	generations_counts.generations++;
	check_same(g, fresh, now);
	g->ops->free(fresh);
}

static void join_one(struct generation *g, uint32_t w)
{
	const struct fl_workload_row *row = &g->outer->workloads[w];
	struct fl_workload in = fl_model_find_workload(g->inner,
						       fl_model_text(g->outer, row->namespace),
						       fl_model_text(g->outer, row->name));
	const char *why = "";
	fairlead_error err = { 0 };
	int r = 0;

	if (in.v == FL_NONE)
		r = fl_model_join_from(g->inner, g->outer, (struct fl_workload){ w }, &in, &why,
				       &err);
	if (r == 0)
		r = g->ops->join(g->p, in, &err);
	if (r != 0) {
		(void)fprintf(stderr, "generations: %s cannot join: %d %s%s\n",
			      fl_model_text(g->outer, row->name), r, why, err.text);
		abort();
	}
	g->in[w] = in.v;
	generations_counts.joined++;
	learn_workloads(g);
}

static void leave_one(struct generation *g, uint32_t w)
{
	ENSURE(g->ops->leave(g->p, (struct fl_workload){ g->in[w] }, NULL) == 0);
	g->in[w] = FL_NONE;
	generations_counts.left_out++;
	if (!g->marks)
		tidy(g);
	learn_workloads(g);
}

/* One that takes no part may have ended; if it came anew it would only take no part. */
static bool takes_part(const struct generation *g, uint32_t w)
{
	enum fl_excluded why = g->outer->workloads[w].excluded;

	return why == FL_INCLUDED || why == FL_EXCLUDED_MISCONFIGURED ||
	       why == FL_EXCLUDED_LIMIT_RANGE;
}

static void come_and_go(struct generation *g, fl_time now, uint32_t needed)
{
	uint32_t w = pick(g, g->outer->n_workloads);

	if (needed != FL_NONE && g->in[needed] == FL_NONE)
		join_one(g, needed);
	if (w == needed)
		return;
	if (g->in[w] == FL_NONE && pick(g, 4) == 0)
		join_one(g, w);
	else if (g->in[w] != FL_NONE && takes_part(g, w) && may_go(g, w))
		leave_one(g, w);
	if (!g->marks && pick(g, 4) == 0)
		check_afresh(g, now);
}

/* Now and then, and where something is to happen to one that was left out. */
static void go_on(struct generation *g, fl_time now, uint32_t needed)
{
	bool missing = needed != FL_NONE && g->in[needed] == FL_NONE;

	g->now = now;
	if (world.how == GENERATIONS_JOINED)
		come_and_go(g, now, needed < g->outer->n_workloads ? needed : FL_NONE);
	if (world.how == GENERATIONS_JOINED || g->marks || (!missing && pick(g, 2)))
		return;
	if (world.how == GENERATIONS_SAME)
		adopt_same(g, now);
	else
		adopt_apart(g, now, needed, /* gone= */ FL_NONE, /* all= */ false);
}

/* --- doors --- */

static int make(const struct fl_policy_ops *ops, const struct fl_model *m,
		const struct fl_policy_options *options, struct fl_policy **ret,
		fairlead_error *err)
{
	struct generation *g = calloc(1, sizeof *g);
	bool wanted[MOST];
	int r;

	ENSURE(g && m->n_workloads <= MOST);
	memset(wanted, true, sizeof wanted);
	*g = (struct generation){
		.ops = ops, .outer = m, .options = *options, .now = options->now, .random = 1
	};
	if (world.how != GENERATIONS_SAME)
		g->inner = read_some(g, wanted);
	r = ops->new (model_of(g), options, &g->p, err);
	ENSURE(r == 0);
	learn_ids(g);
	*ret = (void *)g;
	return 0;
}

static int new_borrow(const struct fl_model *m, const struct fl_policy_options *options,
		      struct fl_policy **ret, fairlead_error *err)
{
	return make(&fl_borrow_policy, m, options, ret, err);
}

static int new_drf(const struct fl_model *m, const struct fl_policy_options *options,
		   struct fl_policy **ret, fairlead_error *err)
{
	return make(&fl_drf_policy, m, options, ret, err);
}

static int new_entitle(const struct fl_model *m, const struct fl_policy_options *options,
		       struct fl_policy **ret, fairlead_error *err)
{
	return make(&fl_entitle_policy, m, options, ret, err);
}

static struct fl_policy *done(struct fl_policy *p)
{
	struct generation *g = of(p);

	g->ops->free(g->p);
	forget_ids(g);
	fl_model_free(g->inner);
	free(g->rows);
	free(g->placements);
	free(g->held);
	free(g->heads);
	free(g);
	return NULL;
}

static struct fl_workload into(const struct generation *g, struct fl_workload w)
{
	return (struct fl_workload){ w.v < g->outer->n_workloads ? g->in[w.v] : FL_NONE };
}

/* Whoever is not in the next model has gone: is that what the event says?  Then it is so. */
static bool leave_out(struct generation *g, fl_time now, const struct fl_event *event)
{
	struct fl_workload in = into(g, event->workload);
	enum fl_workload_state s;

	if (world.how != GENERATIONS_APART || g->marks || in.v == FL_NONE ||
	    g->changed[event->workload.v] ||
	    (event->kind != FL_EV_CANCEL && event->kind != FL_EV_FINISHED) || pick(g, 2))
		return false;
	s = g->ops->state(g->p, in);
	if ((event->kind == FL_EV_FINISHED && s != FL_STATE_ADMITTED && s != FL_STATE_EVICTING) ||
	    (g->ops == &fl_borrow_policy && generations_is_marked(g->p, in)))
		return false;
	adopt_apart(g, now, FL_NONE, event->workload.v, /* all= */ false);
	generations_counts.gone += s != FL_STATE_ABSENT;
	return true;
}

static uint32_t known(const uint32_t *there, uint32_t n, uint32_t id)
{
	return id < n ? there[id] : FL_NONE;
}

/* What another scheduler gave, which may name what there is not. */
static void translate(const struct generation *g, struct fl_holding *h)
{
	static struct fl_placement rows[MOST];
	const struct fl_model *m = g->outer;

	h->cluster_queue.v = known(g->to.nodes, m->n_nodes, h->cluster_queue.v);
	ENSURE(h->n <= MOST);
	for (uint32_t i = 0; i < h->n; i++) {
		rows[i] = h->rows[i];
		rows[i].resource.v = known(g->to.resources, m->n_resources, rows[i].resource.v);
		if (m->n_machines)
			rows[i].machine.v = known(g->to.machines, m->n_machines, rows[i].machine.v);
		else
			rows[i].flavor.v = known(g->to.flavors, m->n_flavors, rows[i].flavor.v);
	}
	h->rows = rows;
}

static int apply(struct fl_policy *p, fl_time now, const struct fl_event *event,
		 fairlead_error *err)
{
	struct generation *g = of(p);
	bool of_one = event->kind != FL_EV_CELL || event->cell.kind == FL_CELL_PRIORITY;
	struct fl_event e = *event;

	go_on(g, now, of_one ? event->workload.v : FL_NONE);
	if (leave_out(g, now, event))
		return 0;
	e.workload = into(g, e.workload);
	e.machine.v = fl_adopted(g->to.machines, e.machine.v);
	if (e.cell.kind == FL_CELL_ALLOCATABLE)
		e.cell.machine.v = fl_adopted(g->to.machines, e.cell.machine.v);
	else
		e.cell.node.v = fl_adopted(g->to.nodes, e.cell.node.v);
	e.cell.flavor.v = fl_adopted(g->to.flavors, e.cell.flavor.v);
	e.cell.resource.v = fl_adopted(g->to.resources, e.cell.resource.v);
	e.sample.node.v = fl_adopted(g->to.nodes, e.sample.node.v);
	translate(g, &e.holding);
	if (event->kind == FL_EV_CELL && of_one)
		g->changed[event->workload.v] = true;
	return g->ops->apply(g->p, now, &e, err);
}

static void *copy(void **to, const void *from, size_t n, size_t size)
{
	free(*to);
	*to = malloc((n + 1) * size);
	ENSURE(*to);
	if (n)
		memcpy(*to, from, n * size);
	return *to;
}

static void tell_placements(const struct generation *g, struct fl_placement *rows, uint32_t n)
{
	const uint32_t *places = g->ops == &fl_entitle_policy ? g->machines : g->flavors;

	for (uint32_t i = 0; i < n; i++) {
		rows[i].resource.v = fl_adopted(g->resources, rows[i].resource.v);
		rows[i].flavor.v = fl_adopted(places, rows[i].flavor.v);
	}
}

static void tell(struct generation *g, struct fl_decisions *d)
{
	struct fl_decision *rows = copy((void **)&g->rows, d->rows, d->n, sizeof *rows);
	struct fl_placement *placements = copy((void **)&g->placements, d->placements,
					       d->n_placements, sizeof *placements);
	struct fl_workload *heads = copy((void **)&g->heads, d->heads, d->n_heads, sizeof *heads);

	for (uint32_t i = 0; i < d->n; i++) {
		rows[i].workload.v = g->workloads[rows[i].workload.v];
		rows[i].preemptor.v = fl_adopted(g->workloads, rows[i].preemptor.v);
		rows[i].cluster_queue.v = fl_adopted(g->nodes, rows[i].cluster_queue.v);
	}
	tell_placements(g, placements, d->n_placements);
	for (uint32_t i = 0; i < d->n_heads; i++)
		heads[i].v = g->workloads[heads[i].v];
	d->rows = rows;
	d->placements = placements;
	d->heads = heads;
}

static int step(struct fl_policy *p, fl_time now, unsigned flags, const struct fl_sink *sink,
		struct fl_decisions *ret, fairlead_error *err)
{
	struct generation *g = of(p);
	int r;

	go_on(g, now, FL_NONE);
	r = g->ops->step(g->p, now, flags, sink, ret, err);
	if (r == 0)
		tell(g, ret);
	return r;
}

static int try(struct fl_policy *p, fl_time now, struct fl_workload w, const struct fl_sink *sink,
	       struct fl_decisions *ret, fairlead_error *err)
{
	struct generation *g = of(p);
	int r;

	go_on(g, now, w.v);
	r = g->ops->try(g->p, now, into(g, w), sink, ret, err);
	if (r == 0)
		tell(g, ret);
	return r;
}

static fl_time wake(const struct fl_policy *p, fl_time now)
{
	return of(p)->ops->wake(of(p)->p, now);
}

/* Nothing is adopted while a mark is open, and everybody may be talked of. */
static int mark(struct fl_policy *p, fl_mark *ret, fairlead_error *err)
{
	struct generation *g = of(p);
	int r;

	if (!g->marks && world.how == GENERATIONS_APART)
		adopt_apart(g, g->now, FL_NONE, /* gone= */ FL_NONE, /* all= */ true);
	r = g->ops->mark(g->p, ret, err);
	if (r == 0) {
		ENSURE(*ret < DEPTH);
		memcpy(g->in_at[*ret], g->in, sizeof g->in);
		g->marks = *ret + 1;
	}
	return r;
}

static void end_mark(struct generation *g, fl_mark m)
{
	g->marks = m < g->marks ? m : g->marks;
	if (world.how == GENERATIONS_JOINED && !g->marks)
		tidy(g);
	if (world.how == GENERATIONS_JOINED)
		learn_workloads(g);
}

static void rollback(struct fl_policy *p, fl_mark m)
{
	struct generation *g = of(p);

	g->ops->rollback(g->p, m);
	if (m < g->marks)
		memcpy(g->in, g->in_at[m], sizeof g->in);
	end_mark(g, m);
}

static void keep(struct fl_policy *p, fl_mark m)
{
	of(p)->ops->keep(of(p)->p, m);
	end_mark(of(p), m);
}

static void share(const struct fl_policy *p, struct fl_node n, struct fl_share *ret)
{
	const struct generation *g = of(p);

	g->ops->share(g->p, (struct fl_node){ g->to.nodes[n.v] }, ret);
	ret->dominant.v = fl_adopted(g->resources, ret->dominant.v);
}

static enum fl_workload_state state(const struct fl_policy *p, struct fl_workload w)
{
	struct fl_workload in = into(of(p), w);

	return in.v == FL_NONE ? FL_STATE_ABSENT : of(p)->ops->state(of(p)->p, in);
}

static enum fl_reason reason(const struct fl_policy *p, struct fl_workload w)
{
	struct fl_workload in = into(of(p), w);

	return in.v == FL_NONE ? FL_REASON_NONE : of(p)->ops->reason(of(p)->p, in);
}

static const struct fl_placement *placement(const struct fl_policy *p, struct fl_workload w,
					    uint32_t *ret_n)
{
	struct generation *g = of(p);
	struct fl_workload in = into(g, w);
	const struct fl_placement *rows;

	*ret_n = 0;
	if (in.v == FL_NONE)
		return NULL;
	rows = g->ops->placement(g->p, in, ret_n);
	rows = copy((void **)&g->held, rows, *ret_n, sizeof *rows);
	tell_placements(g, g->held, *ret_n);
	return rows;
}

static double held(const struct fl_policy *p, struct fl_workload w, struct fl_resource r)
{
	const struct generation *g = of(p);
	struct fl_workload in = into(g, w);

	r.v = fl_adopted(g->to.resources, r.v);
	return in.v == FL_NONE || r.v == FL_NONE ? 0 : g->ops->held(g->p, in, r);
}

#define REST                                                                                       \
	.free = done, .apply = apply, .step = step, .try = try, .wake = wake, .mark = mark,        \
	.rollback = rollback, .keep = keep, .share = share, .state = state,                        \
	.placement = placement, .held = held, .reason = reason

const struct fl_policy_ops generations_borrow = { .name = "borrow", .new = new_borrow, REST };
const struct fl_policy_ops generations_drf = { .name = "drf", .new = new_drf, REST };
const struct fl_policy_ops generations_entitle = { .name = "entitle", .new = new_entitle, REST };
