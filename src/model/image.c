/* SPDX-License-Identifier: Apache-2.0 */
#include "model/image.h"

#include <math.h>
#include <string.h>

#include "base/bitset.h"
#include "base/limits.h"
#include "model/newcomer.h"
#include "model/table.h"

/* What there is one of. */
struct single {
	struct fl_settings settings;
	struct fl_entitle_settings entitle;
	struct fl_resource axis[FL_BUNDLE];
	enum fl_dialect wanted;
	uint32_t notices_dropped;
	uint32_t places;
	struct fl_worn worn;
	fl_time newest;
};

/* --- what is where in a row: a number that is another when something moves --- */

#define AT(f) fields = fl_image_fields(fields, #f, offsetof(row, f), sizeof(((row *)0)->f));
#define SYM(f) AT(f.v)
#define SYM_OR_NONE(f) AT(f.v)
#define ID(f, table) AT(f.v)
#define ID_OR_NONE(f, table) AT(f.v)
#define INDEX_OR_NONE(f, table) AT(f)
#define SPAN(f, table) AT(f)
#define BELOW(f, bound) AT(f)
#define BOOL(f) AT(f)
#define FINITE(f) AT(f)
#define FINITES(f) AT(f)
#define SELF()
#define ROW(type, table, ...)                                                                      \
	static struct fl_image_kind kind_of_##table(void)                                          \
	{                                                                                          \
		typedef type row;                                                                  \
		uint64_t fields = 0;                                                               \
                                                                                                   \
		__VA_ARGS__                                                                        \
		return (struct fl_image_kind){ #table, sizeof(row), fields };                      \
	}
#define MAYBE ROW
#include "model/image.def"
#undef AT
#undef SYM
#undef SYM_OR_NONE
#undef ID
#undef ID_OR_NONE
#undef INDEX_OR_NONE
#undef SPAN
#undef BELOW
#undef BOOL
#undef FINITE
#undef FINITES
#undef SELF
#undef ROW
#undef MAYBE

static const struct fl_image_kind single_kind = { "single", sizeof(struct single), 0 };
static const struct fl_image_kind named_kind = { "named", sizeof(uint32_t), 0 };

/* --- what must hold of a row --- */

static int no_index(uint32_t id, uint32_t n) { return id != FL_NONE && id >= n; }

static int no_span(struct fl_span s, uint32_t n) { return s.first > n || s.n > n - s.first; }

/* As an unsigned number: where those below 0 begin. */
#define NEGATIVE (UINT32_MAX / 2 + 1)

static int no_numbers(const struct fl_bundle *b)
{
	return !(isfinite(b->of[0]) && isfinite(b->of[1]) && isfinite(b->of[2]));
}

static int no_bool(const void *b) { return *(const unsigned char *)b > 1; }

#define SYM(f) bad |= r->f.v >= m->names.n;
#define SYM_OR_NONE(f) bad |= no_index(r->f.v, m->names.n);
#define ID(f, table) bad |= r->f.v >= m->n_##table;
#define ID_OR_NONE(f, table) bad |= no_index(r->f.v, m->n_##table);
#define INDEX_OR_NONE(f, table) bad |= no_index(r->f, m->n_##table);
#define SPAN(f, table) bad |= no_span(r->f, m->n_##table);
#define BELOW(f, bound) bad |= (uint32_t)r->f >= (uint32_t)(bound);
#define BOOL(f) bad |= no_bool(&r->f);
#define FINITE(f) bad |= !isfinite(r->f);
#define FINITES(f) bad |= no_numbers(&r->f);
#define SELF() bad |= r->v >= m->names.n;
#define ROW(type, table, ...)                                                                      \
	static bool are_sound_##table(const struct fl_model *m)                                    \
	{                                                                                          \
		int bad = 0;                                                                       \
                                                                                                   \
		for (uint32_t i = 0; i < m->n_##table; i++) {                                      \
			const type *r = &m->table[i];                                              \
                                                                                                   \
			(void)r;                                                                   \
			__VA_ARGS__                                                                \
		}                                                                                  \
		return !bad;                                                                       \
	}
#define MAYBE ROW
#include "model/image.def"
#undef ROW
#undef MAYBE

static bool is_sound_single(const struct fl_model *m, const struct single *r)
{
	int bad = 0;

	BELOW(settings.strategies[0], FL_INITIAL_SHARE + 1)
	BELOW(settings.strategies[1], FL_INITIAL_SHARE + 1)
	BELOW(settings.n_strategies - 1, 2)
	BOOL(settings.present)
	BOOL(settings.fair_sharing)
	BOOL(settings.admission_fair_sharing)
	SPAN(settings.resource_weights, resource_weights)
	SPAN(settings.excluded_prefixes, syms)
	BOOL(settings.from_creation)
	BOOL(settings.has_policy)
	BOOL(settings.exact_usage)
	BOOL(settings.many_heads)
	BOOL(settings.settles)
	BOOL(settings.has_moves)
	BELOW(settings.moves_repeat, m->n_moves + 1)
	BOOL(entitle.fairshare_body)
	BOOL(entitle.present)
	BOOL(entitle.consolidating_reclaim)
	BOOL(entitle.spread_gpu)
	BOOL(entitle.spread_cpu)
	BELOW(entitle.min_run_method, FL_MIN_RUN_QUEUE + 1)
	BOOL(entitle.usage_on)
	BELOW(entitle.window_kind, FL_WINDOW_CRON + 1)
	SYM(entitle.cron)
	BOOL(entitle.bounded_division)
	BOOL(entitle.turns)
	BOOL(entitle.keep_below_quota)
	BOOL(entitle.protect_quota)
	BOOL(entitle.free_within_share)
	BOOL(entitle.by_documents)
	BOOL(entitle.has_budgets)
	BELOW(entitle.period_kind, FL_WINDOW_CRON + 1)
	SYM(entitle.period_cron)
	BELOW(entitle.overcommitment, FL_OVERCOMMIT_FIRST_COME + 1)
	BELOW(entitle.after_budget, FL_AFTER_BUDGET_STOP + 1)
	BELOW(wanted, FL_DIALECT_MIXED)
	for (int i = 0; i < FL_GATES; i++)
		BOOL(settings.off[i])
	for (int i = 0; i < FL_ACTIONS; i++)
		BOOL(entitle.actions[i])
	for (int i = 0; i < FL_BUNDLE; i++)
		ID_OR_NONE(axis[i], resources)
	return !bad;
}

/* --- what must hold between rows --- */

/* Parents are above, and lead to a root; a Queue has an entitlement, and no other kind. */
static bool are_trees(const struct fl_model *m)
{
	for (uint32_t n = 0; n < m->n_nodes; n++) {
		const struct fl_node_row *row = &m->nodes[n];
		enum fl_node_kind above = row->kind == FL_QUEUE ? FL_QUEUE : FL_COHORT;
		uint32_t depth = 0;

		if (row->parent.v != FL_NONE && m->nodes[row->parent.v].kind != above)
			return false;
		if (row->kind == FL_QUEUE ? row->entitlement >= m->n_entitlements :
					    row->entitlement != FL_NONE)
			return false;
		if (row->groups.n > FL_MAX_RESOURCE_GROUPS)
			return false;
		if (row->inactive == FL_INACTIVE_COHORT_CYCLE)
			continue;
		for (uint32_t at = row->parent.v; at != FL_NONE; at = m->nodes[at].parent.v)
			if (++depth > FL_MAX_TREE_DEPTH)
				return false;
	}
	return true;
}

/* Queues that take part are below such only, and gangs in those that have none below them. */
static int check_leaves(const struct fl_model *m, fairlead_error *err)
{
	struct fl_arena scratch;
	bool *inner, bad = false;

	fl_arena_init(&scratch, m->mem);
	inner = fl_arena_alloc(&scratch, m->n_nodes, sizeof *inner, err);
	if (!inner)
		return FAIRLEAD_ENOMEM;
	for (uint32_t n = 0; n < m->n_nodes; n++) {
		uint32_t above = m->nodes[n].parent.v;

		if (m->nodes[n].kind != FL_QUEUE || above == FL_NONE)
			continue;
		inner[above] = true;
		bad |= m->nodes[n].inactive == FL_ACTIVE && m->nodes[above].inactive != FL_ACTIVE;
	}
	for (uint32_t w = 0; w < m->n_workloads; w++) {
		const struct fl_workload_row *row = &m->workloads[w];

		if (row->gang != FL_NONE && row->excluded == FL_INCLUDED)
			bad |= row->cluster_queue.v != FL_NONE && inner[row->cluster_queue.v];
	}
	fl_arena_done(&scratch);
	return bad ? fl_image_damaged("nodes", err) : 0;
}

static bool is_of_kind(const struct fl_model *m, struct fl_node n, enum fl_node_kind kind)
{
	return n.v == FL_NONE || m->nodes[n.v].kind == kind;
}

/* Workloads are in queues, and the tasks of a gang are its own. */
static bool are_in_queues(const struct fl_model *m)
{
	for (uint32_t q = 0; q < m->n_queues; q++)
		if (!is_of_kind(m, m->queues[q].cluster_queue, FL_CLUSTER_QUEUE))
			return false;
	for (uint32_t w = 0; w < m->n_workloads; w++) {
		const struct fl_workload_row *row = &m->workloads[w];
		bool lone = row->gang == FL_NONE;
		struct fl_span tasks;

		if (!is_of_kind(m, row->cluster_queue, lone ? FL_CLUSTER_QUEUE : FL_QUEUE) ||
		    !is_of_kind(m, row->admitted_queue, FL_CLUSTER_QUEUE))
			return false;
		tasks = lone ? (struct fl_span){ 0 } : m->gangs[row->gang].tasks;
		for (uint32_t t = tasks.first; t < tasks.first + tasks.n; t++)
			if (m->tasks[t].workload.v != w && m->tasks[t].workload.v != FL_NONE)
				return false;
	}
	for (uint32_t g = 0; g < m->n_gangs; g++)
		if (!is_of_kind(m, m->gangs[g].queue, FL_QUEUE))
			return false;
	return true;
}

/* A place is vacant once, and its row is that of a workload that ended. */
static int check_vacant(const struct fl_model *m, fairlead_error *err)
{
	struct fl_arena scratch;
	struct fl_bitset seen;
	int bad = !m->places && m->n_vacant, r;

	fl_arena_init(&scratch, m->mem);
	r = fl_bitset_init(&seen, m->n_workloads + 1, &scratch, err);
	for (uint32_t i = 0; i < m->n_vacant && r == 0; i++) {
		const uint32_t w = m->vacant[i].workload.v;
		const struct fl_workload_row *row = &m->workloads[w];

		bad |= fl_bitset_has(&seen, w) || !row->finished ||
		       row->admitted_queue.v != FL_NONE;
		fl_bitset_put(&seen, w, /* in= */ true, /* undo= */ NULL);
	}
	fl_arena_done(&scratch);
	return r == 0 && bad ? fl_image_damaged("vacant", err) : r;
}

static bool are_in_gangs(const struct fl_model *m)
{
	for (uint32_t t = 0; t < m->n_tasks; t++) {
		uint32_t w = m->tasks[t].workload.v, gang;
		struct fl_span tasks;

		if (w == FL_NONE)
			continue;
		gang = m->workloads[w].gang;
		if (gang == FL_NONE)
			return false;
		tasks = m->gangs[gang].tasks;
		if (t < tasks.first || t - tasks.first >= tasks.n)
			return false;
	}
	return true;
}

/* Rows of what is found by name with this first half of a key; UINT32_MAX: it is never looked up. */
static uint32_t rows_named(const struct fl_model *m, uint32_t key)
{
	enum fl_table table = key < FL_TABLE_QUEUE ? key : FL_TABLE_QUEUE + key % 8;

	if (key >= FL_TABLE_QUEUE && key < FL_TABLE_GENERATED_KEY + 1)
		return UINT32_MAX; /* of a Policy: seal looks them up; or of the reader */
	switch (table) {
	case FL_TABLE_FLAVOR:
		return m->n_flavors;
	case FL_TABLE_CLUSTER_QUEUE:
	case FL_TABLE_COHORT:
	case FL_TABLE_ENTITLED:
		return m->n_nodes;
	case FL_TABLE_NAMESPACE:
		return m->n_namespaces;
	case FL_TABLE_PRIORITY_CLASS:
	case FL_TABLE_WORKLOAD_PRIORITY_CLASS:
		return m->n_priorities;
	case FL_TABLE_MACHINE:
		return m->n_machines;
	case FL_TABLE_QUEUE:
		return m->n_queues;
	case FL_TABLE_RUNTIME_CLASS:
	case FL_TABLE_LIMIT_RANGE:
	case FL_TABLE_WORKLOAD: /* not in this table */
	case FL_TABLE_POD_GROUP:
	case FL_TABLE_POD:
		break;
	}
	return UINT32_MAX;
}

static bool are_found(const struct fl_model *m)
{
	int bad = 0;

	for (uint32_t s = 0; s < m->by_name.slots; s++)
		bad |= m->by_name.slot[s].used &&
		       m->by_name.slot[s].value >= rows_named(m, m->by_name.slot[s].a);
	return !bad && fl_named_is_sound(m);
}

/* --- saving --- */

static bool is_of_simulation(const struct fl_model *m)
{
	return m->simulation.present || m->n_traces || m->n_classes || m->n_trees ||
	       m->n_templates || m->n_targets;
}

static int put_single(const struct fl_model *m, struct fl_image_writer *w, fairlead_error *err)
{
	struct single s;

	memset(&s, 0, sizeof s); /* what lies between fields, too */
	s.settings = m->settings;
	s.entitle = m->entitle;
	memcpy(s.axis, m->axis, sizeof s.axis);
	s.wanted = m->wanted;
	s.notices_dropped = m->notices_dropped;
	s.places = m->places;
	s.worn = m->worn;
	s.newest = m->newest;
	return fl_image_put(w, &single_kind, &s, 1, err);
}

int fl_model_save(const struct fl_model *m, struct fl_image_writer *w, fairlead_error *err)
{
	int r;

	if (!m->sealed)
		return fl_fail(err, FAIRLEAD_ESTATE, "the model is not sealed");
	if (is_of_simulation(m))
		return fl_fail(err, FAIRLEAD_EINPUT, "a simulation cannot be saved, only a state");
	if ((r = put_single(m, w, err)) < 0 || (r = fl_names_save(&m->names, w, err)) < 0 ||
	    (r = fl_pairs_save(&m->by_name, w, err)) < 0 ||
	    (r = fl_image_put(w, &named_kind, m->named, m->n_named, err)) < 0)
		return r;
#define ROW(type, table, ...)                                                                      \
	if (r == 0)                                                                                \
		r = fl_image_put(w, &(struct fl_image_kind[]){ kind_of_##table() }[0], m->table,   \
				 m->n_##table, err);
#define MAYBE(type, table, ...)                                                                    \
	if (m->n_##table)                                                                          \
	ROW(type, table, __VA_ARGS__)
#include "model/image.def"
#undef ROW
#undef MAYBE
	return r;
}

/* --- loading --- */

static int take_single(struct fl_image *i, struct fl_model *m, struct single *ret,
		       fairlead_error *err)
{
	const void *row;
	uint32_t n;
	int r = fl_image_rows(i, &single_kind, &row, &n, err);

	if (r < 0)
		return r;
	if (n != 1)
		return fl_image_damaged("single", err);
	memcpy(ret, row, sizeof *ret);
	m->settings = ret->settings;
	m->entitle = ret->entitle;
	memcpy(m->axis, ret->axis, sizeof m->axis);
	m->wanted = ret->wanted;
	m->notices_dropped = ret->notices_dropped;
	m->places = ret->places;
	m->worn = ret->worn;
	m->newest = ret->newest;
	m->settings.transformations = (struct fl_span){ 0 }; /* only seal reads them */
	return 0;
}

static int take_tables(struct fl_image *i, struct fl_model *m, fairlead_error *err)
{
	struct fl_image_kind kind;
	void *rows = NULL;
	int r = fl_names_load(&m->names, i, err);

	if (r == 0)
		r = fl_pairs_load(&m->by_name, i, err);
	if (r == 0)
		r = fl_image_take(i, &named_kind, &rows, &m->n_named, err);
	if (r == 0)
		m->named = rows;
#define ROW(type, table, ...)                                                                      \
	kind = kind_of_##table();                                                                  \
	if (r == 0)                                                                                \
		r = fl_image_take(i, &kind, &rows, &m->n_##table, err);                            \
	if (r == 0) {                                                                              \
		m->table = rows;                                                                   \
		m->cap_##table = m->n_##table;                                                     \
	}
#define MAYBE(type, table, ...)                                                                    \
	kind = kind_of_##table();                                                                  \
	if (fl_image_has(i, &kind)) {                                                              \
		ROW(type, table, __VA_ARGS__)                                                      \
	}
#include "model/image.def"
#undef ROW
#undef MAYBE
	return r;
}

static int check(const struct fl_model *m, const struct single *s, fairlead_error *err)
{
	int r;

	if (!fl_newcomer_is_sound(m) || m->n_nodes > FL_MAX_NODES ||
	    m->n_workloads > FL_MAX_WORKLOADS || m->n_tasks > FL_MAX_TASKS ||
	    !is_sound_single(m, s))
		return fl_image_damaged("single", err);
#define ROW(type, table, ...)                                                                      \
	if (m->n_##table > UINT32_MAX / 2 || !are_sound_##table(m))                                \
		return fl_image_damaged(#table, err);
#define MAYBE ROW
#include "model/image.def"
#undef ROW
#undef MAYBE
	if (!are_trees(m))
		return fl_image_damaged("nodes", err);
	if (!are_in_queues(m) || !are_in_gangs(m))
		return fl_image_damaged("workloads", err);
	if ((r = check_vacant(m, err)) < 0)
		return r;
	return are_found(m) ? check_leaves(m, err) : fl_image_damaged("pairs", err);
}

int fl_model_load(struct fl_image *i, struct fl_model **ret, fairlead_error *err)
{
	struct fl_model *m;
	struct single s;
	int r = fl_model_new(i->mem, &m, err);

	if (r < 0)
		return r;
	if ((r = take_single(i, m, &s, err)) < 0 || (r = take_tables(i, m, err)) < 0 ||
	    (r = check(m, &s, err)) < 0) {
		fl_model_free(m);
		return r;
	}
	m->sealed = true;
	*ret = m;
	return 0;
}
