/* SPDX-License-Identifier: Apache-2.0 */
#include "model/model.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/limits.h"
#include "model/groups.h"
#include "model/table.h"

const struct fl_node_row fl_cluster_queue_default = {
	.kind = FL_CLUSTER_QUEUE,
	.name = { FL_NONE },
	.parent_name = { FL_NONE },
	.weight = 1,
	.declared = true,
	.parent = { FL_NONE },
	.missing_flavor = { FL_NONE },
	.within_queue = FL_PREEMPT_NEVER,
	.reclaim = FL_PREEMPT_NEVER,
	.borrow_within = FL_PREEMPT_NEVER,
	.when_can_borrow = FL_MAY_STOP_SEARCH,
	.when_can_preempt = FL_TRY_NEXT_FLAVOR,
	.entitlement = FL_NONE,
};

const struct fl_node_row fl_cohort_default = {
	.kind = FL_COHORT,
	.name = { FL_NONE },
	.parent_name = { FL_NONE },
	.weight = 1,
	.declared = true,
	.parent = { FL_NONE },
	.missing_flavor = { FL_NONE },
	.entitlement = FL_NONE,
};

const struct fl_node_row fl_entitled_default = {
	.kind = FL_QUEUE,
	.name = { FL_NONE },
	.parent_name = { FL_NONE },
	.weight = 1,
	.declared = true,
	.parent = { FL_NONE },
	.missing_flavor = { FL_NONE },
	.entitlement = FL_NONE,
};

const struct fl_queue_row fl_queue_default = {
	.consumed_at = FL_TIME_NONE,
	.name = { FL_NONE },
	.cluster_queue_name = { FL_NONE },
	.weight = 1,
	.cluster_queue = { FL_NONE },
};

const struct fl_workload_row fl_workload_default = {
	.name = { FL_NONE },
	.queue_name = { FL_NONE },
	.owner_job = { FL_NONE },
	.priority_class = { FL_NONE },
	.created = FL_TIME_NONE,
	.active = true,
	.requeue = FL_NONE,
	.reserved_at = FL_TIME_NONE,
	.gang = FL_NONE,
	.queue = { FL_NONE },
	.cluster_queue = { FL_NONE },
	.admitted_queue = { FL_NONE },
};

const struct fl_requeue_row fl_requeue_default = {
	.evicted_at = FL_TIME_NONE,
	.requeue_at = FL_TIME_NONE,
	.ready_at = FL_TIME_NONE,
};

const struct fl_podset fl_podset_default = { .count = 1, .min_count = -1 };

static const char *const kinds[] = {
	[FL_TABLE_FLAVOR] = "ResourceFlavor",
	[FL_TABLE_CLUSTER_QUEUE] = "ClusterQueue",
	[FL_TABLE_COHORT] = "Cohort",
	[FL_TABLE_NAMESPACE] = "Namespace",
	[FL_TABLE_PRIORITY_CLASS] = "PriorityClass",
	[FL_TABLE_WORKLOAD_PRIORITY_CLASS] = "WorkloadPriorityClass",
	[FL_TABLE_RUNTIME_CLASS] = "RuntimeClass",
	[FL_TABLE_ENTITLED] = "Queue",
	[FL_TABLE_MACHINE] = "Node",
	[FL_TABLE_QUEUE] = "LocalQueue",
	[FL_TABLE_WORKLOAD] = "Workload",
	[FL_TABLE_LIMIT_RANGE] = "LimitRange",
	[FL_TABLE_POD_GROUP] = "PodGroup",
	[FL_TABLE_POD] = "Pod",
};

const char *fl_table_kind(enum fl_table table) { return kinds[table]; }

const char *fl_table_subject(const struct fl_model *m, enum fl_table table, struct fl_sym namespace,
			     struct fl_sym name, char buffer[FL_SUBJECT])
{
	bool namespaced = table >= FL_TABLE_QUEUE;

	(void)snprintf(buffer, FL_SUBJECT, "%s/%s%s%s", kinds[table],
		       namespaced ? fl_model_text(m, namespace) : "", namespaced ? "/" : "",
		       fl_model_text(m, name));
	return buffer;
}

int fl_model_new(const struct fl_mem *mem, struct fl_model **ret, fairlead_error *err)
{
	struct fl_model *m = mem->resize(mem->user, NULL, sizeof *m);
	int r;

	if (!m)
		return fl_fail_nomem(err);
	*m = (struct fl_model){
		.mem = mem,
		.newest = FL_TIME_NONE,
		.entitle = fl_entitle_settings_default,
		.simulation = fl_simulation_default,
		.daemon = fl_daemon_default,
		.settings = { .strategies = { FL_FINAL_SHARE, FL_INITIAL_SHARE },
			      .n_strategies = 2 },
	};
	fl_pairs_init(&m->by_name, mem);
	r = fl_names_init(&m->names, mem, err);
	if (r < 0) {
		fl_model_free(m);
		return r;
	}
	*ret = m;
	return 0;
}

void fl_model_mark(const struct fl_model *m, struct fl_model_mark *ret)
{
#define X(type, field) ret->n_##field = m->n_##field;
	FL_MODEL_TABLES(X)
#undef X
	ret->newest = m->newest;
}

void fl_model_cut(struct fl_model *m, const struct fl_model_mark *mark)
{
#define X(type, field) m->n_##field = mark->n_##field;
	FL_MODEL_TABLES(X)
#undef X
	m->newest = mark->newest;
}

bool fl_notice_is_note(enum fl_notice_kind kind)
{
	return kind == FL_NOTICE_ASSUMED || kind == FL_NOTICE_NOT_MODELLED ||
	       kind == FL_NOTICE_IGNORED_FIELD || kind == FL_NOTICE_IGNORED_OBJECT;
}

static void drop_late(struct fl_model *m)
{
	if (m->late.objects)
		m->late.done(m->late.objects);
	m->late = (struct fl_late){ 0 };
}

struct fl_model *fl_model_free(struct fl_model *m)
{
	if (!m)
		return NULL;
#define X(type, field) fl_mem_free(m->mem, m->field);
	FL_MODEL_TABLES(X)
#undef X
	fl_names_done(&m->names);
	fl_pairs_done(&m->by_name);
	fl_mem_free(m->mem, m->named);
	drop_late(m);
	return fl_mem_free(m->mem, m);
}

int fl_model_complete(struct fl_model *m, fairlead_error *err)
{
	int r = m->late.objects ? m->late.make(m, m->late.objects, err) : 0;

	drop_late(m);
	return r;
}

int fl_model_sym(struct fl_model *m, const char *text, size_t len, struct fl_sym *ret,
		 fairlead_error *err)
{
	return fl_names_add(&m->names, text, len, ret, err);
}

const char *fl_model_text(const struct fl_model *m, struct fl_sym sym)
{
	return fl_names_text(&m->names, sym);
}

int fl_model_generate(struct fl_model *m, const char *kind, const char *namespace,
		      const char *prefix, uint32_t *ret, fairlead_error *err)
{
	const uint32_t first = 0;
	char key[3 * FL_MAX_NAME];
	struct fl_sym sym;
	uint32_t old = 0;
	int r;

	(void)snprintf(key, sizeof key, "%.60s/%.253s/%.253s", kind, namespace, prefix);
	r = fl_model_sym(m, key, strlen(key), &sym, err);
	if (r == 0)
		r = fl_pairs_add(&m->by_name, FL_TABLE_GENERATED_KEY, sym.v, m->n_generated, &old,
				 err);
	if (r == 0)
		r = fl_model_push_generated(m, &first, &old, err);
	if (r < 0)
		return r;
	*ret = m->generated[old]++;
	return 0;
}

/* How many rows a pool may have: ids stay well below FL_NONE. */
static uint32_t limit_of(const char *table)
{
	if (strcmp(table, "nodes") == 0)
		return FL_MAX_NODES;
	if (strcmp(table, "workloads") == 0)
		return FL_MAX_WORKLOADS;
	if (strcmp(table, "tasks") == 0)
		return FL_MAX_TASKS;
	return UINT32_MAX / 2;
}

static int full(const char *table, uint32_t limit, fairlead_error *err)
{
	return fl_fail(err, FAIRLEAD_ELIMIT, "more than %u %s in the input", limit, table);
}

#define X(type, field)                                                                             \
	int fl_model_push_##field(struct fl_model *m, const type *row, uint32_t *ret_id,           \
				  fairlead_error *err)                                             \
	{                                                                                          \
		int r;                                                                             \
                                                                                                   \
		if (m->n_##field >= limit_of(#field))                                              \
			return full(#field, limit_of(#field), err);                                \
		r = fl_mem_grow(m->mem, &m->field, &m->cap_##field, m->n_##field + 1, sizeof *row, \
				err);                                                              \
		if (r < 0)                                                                         \
			return r;                                                                  \
		m->field[m->n_##field] = *row;                                                     \
		if (ret_id)                                                                        \
			*ret_id = m->n_##field;                                                    \
		m->n_##field++;                                                                    \
		return 0;                                                                          \
	}
FL_MODEL_TABLES(X)
#undef X

const char *fl_model_file(const struct fl_model *m, struct fl_place place)
{
	return place.file < m->n_inputs ? fl_model_text(m, m->inputs[place.file]) : "";
}

int fl_model_fail_at(const struct fl_model *m, struct fl_place place, fairlead_error *err)
{
	if (!err)
		return FAIRLEAD_EINPUT;
	(void)snprintf(err->file, sizeof err->file, "%s", fl_model_file(m, place));
	err->line = place.line;
	err->column = place.column;
	return err->code;
}

/* Place and subject of the object that is being added. */
static int blame(const struct fl_model *m, enum fl_table table, struct fl_sym namespace,
		 struct fl_sym name, struct fl_place place, fairlead_error *err)
{
	char subject[FL_SUBJECT];

	fl_fail_in(err, "%s", fl_table_subject(m, table, namespace, name, subject));
	return fl_model_fail_at(m, place, err);
}

static int check_length(const struct fl_model *m, struct fl_sym name, const char *what,
			fairlead_error *err)
{
	size_t len = strlen(fl_model_text(m, name));

	if (len == 0)
		return fl_fail(err, FAIRLEAD_EINPUT, "the %s is empty", what);
	if (len > FL_MAX_NAME)
		return fl_fail(err, FAIRLEAD_EINPUT, "the %s has %zu bytes, more than %d", what,
			       len, FL_MAX_NAME);
	return 0;
}

static struct fl_place place_of(const struct fl_model *m, enum fl_table table, uint32_t id)
{
	switch (table) {
	case FL_TABLE_FLAVOR:
		return m->flavors[id].place;
	case FL_TABLE_CLUSTER_QUEUE:
	case FL_TABLE_COHORT:
	case FL_TABLE_ENTITLED:
		return m->nodes[id].place;
	case FL_TABLE_MACHINE:
		return m->machines[id].place;
	case FL_TABLE_NAMESPACE:
		return m->namespaces[id].place;
	case FL_TABLE_PRIORITY_CLASS:
	case FL_TABLE_WORKLOAD_PRIORITY_CLASS:
		return m->priorities[id].place;
	case FL_TABLE_RUNTIME_CLASS:
		return m->runtime_classes[id].place;
	case FL_TABLE_QUEUE:
		return m->queues[id].place;
	case FL_TABLE_LIMIT_RANGE:
		return m->limit_ranges[id].place;
	case FL_TABLE_POD:
		return m->tasks[id].place;
	case FL_TABLE_WORKLOAD:
	case FL_TABLE_POD_GROUP:
		break;
	}
	return m->workloads[id].place;
}

/* Claim (table, namespace, name) for @id, the next row's; fl_named_add follows for workloads. */
const char fl_model_twice[] = "defined twice";

static int claim(struct fl_model *m, enum fl_table table, struct fl_sym namespace,
		 struct fl_sym name, struct fl_place place, uint32_t id, fairlead_error *err)
{
	uint32_t old = 0;
	int r = check_length(m, name, "name", err);

	if (r == 0 && table >= FL_TABLE_QUEUE)
		r = check_length(m, namespace, "namespace", err);
	if (r < 0)
		return blame(m, table, namespace, name, place, err);
	if (fl_table_is_of_workloads(table)) {
		old = fl_named_find(m, table, namespace, name);
		r = old == FL_NONE ? fl_named_reserve(m, err) : 1;
	} else {
		r = fl_pairs_add(&m->by_name, fl_table_key(table, namespace), name.v, id, &old,
				 err);
	}
	if (r <= 0)
		return r;
	struct fl_place first = place_of(m, table, old);

	fl_fail(err, FAIRLEAD_EINPUT, "%s", fl_model_twice);
	fl_fail_hint(err, "first defined at %.200s:%u:%u", fl_model_file(m, first), first.line,
		     first.column);
	blame(m, table, namespace, name, place, err);
	return FAIRLEAD_EINPUT;
}

int fl_model_add_flavor(struct fl_model *m, const struct fl_flavor_row *row, fairlead_error *err)
{
	struct fl_flavor_row copy = *row;
	int r = claim(m, FL_TABLE_FLAVOR, (struct fl_sym){ 0 }, row->name, row->place, m->n_flavors,
		      err);

	copy.declared = true;
	return r < 0 ? r : fl_model_push_flavors(m, &copy, /* ret_id= */ NULL, err);
}

int fl_model_add_node(struct fl_model *m, const struct fl_node_row *row, fairlead_error *err)
{
	enum fl_table table = fl_table_of_node(row);
	char subject[FL_SUBJECT];
	int r = claim(m, table, (struct fl_sym){ 0 }, row->name, row->place, m->n_nodes, err);

	if (r < 0)
		return r;
	r = fl_model_check_groups(m, row, err);
	if (r < 0) {
		fl_fail_in(err, "%s",
			   fl_table_subject(m, table, (struct fl_sym){ 0 }, row->name, subject));
		return r;
	}
	return fl_model_push_nodes(m, row, /* ret_id= */ NULL, err);
}

int fl_model_add_queue(struct fl_model *m, const struct fl_queue_row *row, fairlead_error *err)
{
	int r = claim(m, FL_TABLE_QUEUE, row->namespace, row->name, row->place, m->n_queues, err);

	return r < 0 ? r : fl_model_push_queues(m, row, /* ret_id= */ NULL, err);
}

int fl_model_add_namespace(struct fl_model *m, const struct fl_namespace_row *row,
			   fairlead_error *err)
{
	int r = claim(m, FL_TABLE_NAMESPACE, (struct fl_sym){ 0 }, row->name, row->place,
		      m->n_namespaces, err);

	return r < 0 ? r : fl_model_push_namespaces(m, row, /* ret_id= */ NULL, err);
}

int fl_model_add_priority(struct fl_model *m, const struct fl_priority_row *row,
			  fairlead_error *err)
{
	enum fl_table table = row->of_workloads ? FL_TABLE_WORKLOAD_PRIORITY_CLASS :
						  FL_TABLE_PRIORITY_CLASS;
	int r = claim(m, table, (struct fl_sym){ 0 }, row->name, row->place, m->n_priorities, err);

	return r < 0 ? r : fl_model_push_priorities(m, row, /* ret_id= */ NULL, err);
}

int fl_model_add_workload(struct fl_model *m, const struct fl_workload_row *row,
			  fairlead_error *err)
{
	enum fl_table table = fl_table_of_workload(m, row);
	int r = claim(m, table, row->namespace, row->name, row->place, m->n_workloads, err);

	if (r == 0 && row->podsets.n > FL_MAX_PODSETS) {
		fl_fail(err, FAIRLEAD_ELIMIT, "%u podSets, more than %d", row->podsets.n,
			FL_MAX_PODSETS);
		blame(m, table, row->namespace, row->name, row->place, err);
		return FAIRLEAD_ELIMIT;
	}
	if (r < 0 || (r = fl_model_push_workloads(m, row, /* ret_id= */ NULL, err)) < 0)
		return r;
	fl_named_add(m, m->n_workloads - 1);
	return 0;
}

int fl_model_add_machine(struct fl_model *m, const struct fl_machine_row *row, fairlead_error *err)
{
	int r = claim(m, FL_TABLE_MACHINE, (struct fl_sym){ 0 }, row->name, row->place,
		      m->n_machines, err);

	return r < 0 ? r : fl_model_push_machines(m, row, /* ret_id= */ NULL, err);
}

int fl_model_add_task(struct fl_model *m, const struct fl_task_row *row, fairlead_error *err)
{
	int r = check_length(m, row->name, "name", err);

	if (r == 0)
		r = check_length(m, row->namespace, "namespace", err);
	if (r < 0)
		return blame(m, FL_TABLE_POD, row->namespace, row->name, row->place, err);
	return fl_model_push_tasks(m, row, /* ret_id= */ NULL, err);
}

int fl_model_add_limit_range(struct fl_model *m, const struct fl_limit_range_row *row,
			     fairlead_error *err)
{
	int r = claim(m, FL_TABLE_LIMIT_RANGE, row->namespace, row->name, row->place,
		      m->n_limit_ranges, err);

	return r < 0 ? r : fl_model_push_limit_ranges(m, row, /* ret_id= */ NULL, err);
}

int fl_model_add_runtime_class(struct fl_model *m, const struct fl_runtime_class_row *row,
			       fairlead_error *err)
{
	int r = claim(m, FL_TABLE_RUNTIME_CLASS, (struct fl_sym){ 0 }, row->name, row->place,
		      m->n_runtime_classes, err);

	return r < 0 ? r : fl_model_push_runtime_classes(m, row, /* ret_id= */ NULL, err);
}

/* One of the kind that @key stands for is enough. */
static int claim_name(struct fl_model *m, uint32_t key, struct fl_sym name, uint32_t id,
		      fairlead_error *err)
{
	uint32_t old = 0;
	int r = fl_pairs_add(&m->by_name, key, name.v, id, &old, err);

	return r <= 0 ? r :
			fl_fail(err, FAIRLEAD_EINPUT, "'%.60s' is there already",
				fl_model_text(m, name));
}

int fl_model_add_budget(struct fl_model *m, const struct fl_budget_row *row, fairlead_error *err)
{
	int r = claim_name(m, FL_TABLE_BUDGET_KEY, row->queue_name, m->n_budgets, err);

	return r < 0 ? r : fl_model_push_budgets(m, row, /* ret_id= */ NULL, err);
}

int fl_model_add_usage(struct fl_model *m, const struct fl_usage_row *row, fairlead_error *err)
{
	int r = claim_name(m, FL_TABLE_USAGE_KEY, row->queue_name, m->n_usages, err);

	return r < 0 ? r : fl_model_push_usages(m, row, /* ret_id= */ NULL, err);
}

int fl_model_notice(struct fl_model *m, enum fl_notice_kind kind, struct fl_place place,
		    const char *subject, const char *hint, fairlead_error *err, const char *format,
		    ...)
{
	struct fl_notice notice = { .kind = kind, .place = place };
	char text[1024];
	va_list args;
	int r;

	if (m->n_notices >= FL_MAX_NOTICES) {
		m->notices_dropped++;
		return 0;
	}
	va_start(args, format);
	(void)vsnprintf(text, sizeof text, format, args);
	va_end(args);
	r = fl_model_sym(m, text, strlen(text), &notice.text, err);
	if (r == 0 && subject)
		r = fl_model_sym(m, subject, strlen(subject), &notice.subject, err);
	if (r == 0 && hint)
		r = fl_model_sym(m, hint, strlen(hint), &notice.hint, err);
	return r < 0 ? r : fl_model_push_notices(m, &notice, /* ret_id= */ NULL, err);
}

static uint32_t find_text(const struct fl_model *m, enum fl_table table, const char *namespace,
			  const char *name)
{
	struct fl_sym ns = fl_names_find(&m->names, namespace, strlen(namespace));
	struct fl_sym sym = fl_names_find(&m->names, name, strlen(name));

	return ns.v == FL_NONE || sym.v == FL_NONE ? FL_NONE : fl_table_find(m, table, ns, sym);
}

const struct fl_eviction_row *fl_model_eviction(const struct fl_model *m, struct fl_workload w)
{
	for (uint32_t i = 0; i < m->n_evictions; i++)
		if (m->evictions[i].workload.v == w.v)
			return &m->evictions[i];
	return NULL;
}

struct fl_node fl_model_find_node(const struct fl_model *m, enum fl_node_kind kind,
				  const char *name)
{
	const struct fl_node_row row = { .kind = kind };

	return (struct fl_node){ find_text(m, fl_table_of_node(&row), "", name) };
}

struct fl_resource fl_model_find_resource(const struct fl_model *m, const char *name)
{
	struct fl_sym sym = fl_names_find(&m->names, name, strlen(name));

	for (uint32_t i = 0; i < m->n_resources && sym.v != FL_NONE; i++)
		if (m->resources[i].v == sym.v)
			return (struct fl_resource){ i };
	return (struct fl_resource){ FL_NONE };
}

struct fl_node fl_model_root(const struct fl_model *m, struct fl_node n)
{
	for (uint32_t i = 0; i < m->n_nodes && m->nodes[n.v].parent.v != FL_NONE; i++)
		n = m->nodes[n.v].parent;
	return n;
}

const char *fl_stop_word(enum fl_stop stop)
{
	static const char *const words[] = { "None", "Hold", "HoldAndDrain" };

	return words[stop];
}

static const char *const handed_words[FL_HANDEDS] = {
	[FL_HANDED_RUNS] = "true",
	[FL_HANDED_HOLD] = "hold",
	[FL_HANDED_DRAIN] = "drain",
	[FL_HANDED_BETWEEN] = "handover",
};

const char *fl_handed_word(enum fl_handed handed) { return handed_words[handed]; }

enum fl_handed fl_handed_of(const char *word)
{
	if (!word)
		return FL_HANDED_NOT;
	for (int i = 0; i < FL_HANDEDS; i++)
		if (handed_words[i] && strcmp(handed_words[i], word) == 0)
			return (enum fl_handed)i;
	return FL_HANDED_OTHER;
}

struct fl_flavor fl_model_find_flavor(const struct fl_model *m, const char *name)
{
	struct fl_sym sym = fl_names_find(&m->names, name, strlen(name));

	for (uint32_t i = 0; i < m->n_flavors && sym.v != FL_NONE; i++)
		if (m->flavors[i].name.v == sym.v)
			return (struct fl_flavor){ i };
	return (struct fl_flavor){ FL_NONE };
}

uint32_t fl_model_find_podset(const struct fl_model *m, struct fl_workload w, const char *name)
{
	struct fl_sym sym = fl_names_find(&m->names, name, strlen(name));
	struct fl_span sets = m->workloads[w.v].podsets;

	for (uint32_t i = 0; i < sets.n && sym.v != FL_NONE; i++)
		if (m->podsets[sets.first + i].name.v == sym.v)
			return i;
	return FL_NONE;
}

struct fl_workload fl_model_find_workload(const struct fl_model *m, const char *namespace,
					  const char *name)
{
	uint32_t id = find_text(m, FL_TABLE_WORKLOAD, namespace, name);

	if (id == FL_NONE)
		id = find_text(m, FL_TABLE_POD_GROUP, namespace, name);
	if (id == FL_NONE)
		id = find_text(m, FL_TABLE_POD, namespace, name);
	/* What is left is a pod of some group, which only its own row knows. */
	for (uint32_t i = 0; i < m->n_tasks && id == FL_NONE; i++) {
		const struct fl_task_row *t = &m->tasks[i];

		if (strcmp(fl_model_text(m, t->name), name) == 0 &&
		    strcmp(fl_model_text(m, t->namespace), namespace) == 0)
			id = t->workload.v;
	}
	return (struct fl_workload){ id };
}

enum fl_dialect fl_model_dialect(const struct fl_model *m)
{
	bool entitle = m->n_gangs > 0 || m->entitle.fairshare_body;
	bool borrow = m->n_queues > 0 || m->n_flavors > 0;

	for (uint32_t n = 0; n < m->n_nodes; n++)
		*(m->nodes[n].kind == FL_QUEUE ? &entitle : &borrow) = true;
	for (uint32_t i = 0; i < m->n_tasks && !entitle; i++)
		entitle = !m->tasks[i].foreign;
	for (uint32_t w = 0; w < m->n_workloads && !borrow; w++)
		borrow = m->workloads[w].gang == FL_NONE;
	entitle |= !borrow && m->wanted == FL_DIALECT_KAI;
	return !entitle ? FL_DIALECT_KUEUE : borrow ? FL_DIALECT_MIXED : FL_DIALECT_KAI;
}

struct fl_workload fl_model_find_job(const struct fl_model *m, const char *namespace,
				     const char *name)
{
	struct fl_sym job = fl_names_find(&m->names, name, strlen(name));
	struct fl_workload best = { FL_NONE };

	for (uint32_t w = 0; w < m->n_workloads && job.v != FL_NONE; w++) {
		const struct fl_workload_row *row = &m->workloads[w];

		if (row->owner_job.v != job.v ||
		    (namespace && strcmp(fl_model_text(m, row->namespace), namespace) != 0))
			continue;
		if (best.v != FL_NONE) {
			const struct fl_workload_row *old = &m->workloads[best.v];
			int c = fl_names_cmp(&m->names, old->namespace, row->namespace);

			if (c < 0 || (c == 0 && fl_names_cmp(&m->names, old->name, row->name) < 0))
				continue;
		}
		best.v = w;
	}
	return best;
}

struct fl_namespace_row *fl_model_find_namespace(const struct fl_model *m, struct fl_sym name)
{
	uint32_t id = fl_table_find(m, FL_TABLE_NAMESPACE, (struct fl_sym){ 0 }, name);

	return id == FL_NONE ? NULL : &m->namespaces[id];
}

static const struct {
	const char *name, *meaning, *advice;
} notices[] = {
#define FL_NOTICE(id, name, meaning, advice) { name, meaning, advice },
#include "model/notice.def"
#undef FL_NOTICE
};

const char *fl_notice_name(enum fl_notice_kind kind)
{
	return (unsigned)kind < FL_NOTICE_KINDS ? notices[kind].name : "";
}

const char *fl_notice_meaning(enum fl_notice_kind kind)
{
	return (unsigned)kind < FL_NOTICE_KINDS ? notices[kind].meaning : "";
}

const char *fl_notice_advice(enum fl_notice_kind kind)
{
	return (unsigned)kind < FL_NOTICE_KINDS ? notices[kind].advice : "";
}

const char *fl_gate_name(enum fl_gate gate)
{
	static const char *const names[] = {
#define FL_GATE(id, name, off) name,
#include "model/gate.def"
#undef FL_GATE
	};

	return (unsigned)gate < FL_GATES ? names[gate] : "";
}

const char *fl_inactive_name(enum fl_inactive why)
{
	switch (why) {
	case FL_ACTIVE:
		break;
	case FL_INACTIVE_FLAVOR_NOT_FOUND:
		return "FlavorNotFound";
	case FL_INACTIVE_COHORT_CYCLE:
		return "CohortCycle";
	case FL_INACTIVE_STOPPED:
		return "Stopped";
	case FL_INACTIVE_PARENT_NOT_FOUND:
		return "ParentNotFound";
	}
	return "";
}

const char *fl_excluded_name(enum fl_excluded why)
{
	switch (why) {
	case FL_INCLUDED:
		break;
	case FL_EXCLUDED_FINISHED:
		return "Finished";
	case FL_EXCLUDED_DEACTIVATED:
		return "Deactivated";
	case FL_EXCLUDED_NO_QUEUE:
		return "QueueDoesNotExist";
	case FL_EXCLUDED_NO_CLUSTER_QUEUE:
		return "ClusterQueueDoesNotExist";
	case FL_EXCLUDED_QUEUE_STOPPED:
		return "QueueStopped";
	case FL_EXCLUDED_CLUSTER_QUEUE_STOPPED:
		return "ClusterQueueStopped";
	case FL_EXCLUDED_MISCONFIGURED:
		return "Misconfigured";
	case FL_EXCLUDED_LIMIT_RANGE:
		return "OutsideLimitRange";
	case FL_EXCLUDED_NOT_A_LEAF:
		return "NotALeaf";
	case FL_EXCLUDED_PARENT_NOT_FOUND:
		return "ParentDoesNotExist";
	}
	return "";
}

const struct fl_quota *fl_model_next_quota(const struct fl_model *m, struct fl_node n,
					   struct fl_quota_walk *walk)
{
	const struct fl_span groups = m->nodes[n.v].groups;

	for (; walk->group < groups.n; walk->group++, walk->flavor = 0) {
		const struct fl_span flavors = m->groups[groups.first + walk->group].flavors;

		for (; walk->flavor < flavors.n; walk->flavor++, walk->quota = 0) {
			const struct fl_span quotas =
				m->group_flavors[flavors.first + walk->flavor].quotas;

			if (walk->quota < quotas.n)
				return &m->quotas[quotas.first + walk->quota++];
		}
	}
	return NULL;
}
