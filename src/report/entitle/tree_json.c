/* SPDX-License-Identifier: Apache-2.0 */
/* The shape of the answer as JSON. */
#include "report/entitle/tree_report.h"

static const struct fl_entitle_tree *tree_of(const struct fl_shape_at *at) { return at->answer; }

/* --- a resource of a queue --- */

struct resource {
	const char *name;
	double deserved, over_quota, fair_share, allocated, non_preemptible, saturation, request,
		limit, weight, usage;
};

static const int order[] = { FL_GPU, FL_CPU, FL_MEMORY };
static const char *const names[] = { "gpu", "cpu", "memory" };

static bool fill_resource(struct fl_shape_at *at, const void *source, uint32_t i, void *row)
{
	const struct fl_standings *s = tree_of(at)->standings;
	const struct fl_node *n = source; /* which a queue's row begins with */
	const struct fl_standing *q = &s->rows[n->v];
	int r = order[i];

	*(struct resource *)row = (struct resource){
		.name = names[i],
		.deserved = q->deserved.of[r],
		.over_quota = fl_over_quota(q, r),
		.fair_share = q->fair_share.of[r],
		.allocated = q->allocated.of[r],
		.non_preemptible = q->non_preemptible.of[r],
		.saturation = fl_standings_saturation(s, *n, r),
		.request = q->request.of[r],
		.limit = q->limit.of[r],
		.weight = q->weight.of[r],
		.usage = s->usage[n->v].of[r],
	};
	return s->used[r];
}

static struct fl_shape_rows resources(const struct fl_shape_at *at, const void *row)
{
	(void)at;
	(void)row;
	return (struct fl_shape_rows){ NULL, FL_BUNDLE };
}

#define ROW struct resource
static const struct fl_json_field resource_fields[] = {
	FL_FIELD(TEXT, "resource", name, "in GPUs, milli-cores, bytes", FL_NAMES(names)),
	FL_FIELD(BOUND, "deserved", deserved, "quota of its own"),
	FL_FIELD(NUMBER, "overQuota", over_quota, "what its fair share has beyond that"),
	FL_FIELD(BOUND, "fairShare", fair_share, "as divided among the queues"),
	FL_FIELD(NUMBER, "allocated", allocated, "held by its workloads and those below it"),
	FL_FIELD(NUMBER, "allocatedNonPreemptible", non_preemptible,
		 "the part of it that cannot be preempted"),
	FL_FIELD(RATIO, "saturation", saturation, "allocated / fairShare"),
	FL_FIELD(NUMBER, "request", request, "held or asked for"),
	FL_FIELD(BOUND, "limit", limit, "it never holds more"),
	FL_FIELD(NUMBER, "overQuotaWeight", weight,
		 "its part of what is left after deserved quota, against its siblings"),
	FL_FIELD(NUMBER, "usage", usage, "part of the capacity that it held over time"),
};
static const struct fl_json_shape resource_shape = FL_SHAPE_MADE(resource_fields, fill_resource, 0,
								 "resource");
#undef ROW

/* --- a queue --- */

struct queue {
	struct fl_node node;
	bool active;
	const char *parent;
	int32_t priority;
	uint32_t running, waiting;
};

static bool fill_queue(struct fl_shape_at *at, const void *source, uint32_t i, void *row)
{
	const struct fl_entitle_tree *t = at->answer;
	const struct fl_model *m = at->model;
	struct fl_node n = *(const struct fl_node *)source;
	const struct fl_node_row *r = &m->nodes[n.v];
	bool active = r->inactive == FL_ACTIVE;

	(void)i;
	*(struct queue *)row = (struct queue){
		.node = n,
		.active = active,
		.parent = r->parent_name.v == FL_NONE ? NULL : fl_model_text(m, r->parent_name),
		.priority = active ? t->standings->rows[n.v].priority :
				     m->entitlements[r->entitlement].priority,
		.running = active ? t->running[n.v] : 0,
		.waiting = active ? t->waiting[n.v] : 0,
	};
	return true;
}

#define ROW struct queue
static const struct fl_json_field queue_fields[] = {
	FL_FIELD_INLINE(node, fl_queue_shape),
	FL_FIELD(TEXT, "parent", parent, NULL, .maybe = true),
	FL_FIELD(INT, "priority", priority, NULL),
	FL_FIELD_INLINE(node, fl_inactive_queue_shape),
	FL_FIELD(COUNT, "runningWorkloads", running, NULL, FL_IF_TRUE(active)),
	FL_FIELD(COUNT, "pendingWorkloads", waiting, NULL, FL_IF_TRUE(active)),
	FL_FIELD_ROWS("resources", resources, resource_shape,
		      "those that a workload holds or asks for; of a queue that takes part",
		      FL_IF_TRUE(active)),
};
static const struct fl_json_shape queue_shape = FL_SHAPE_MADE(queue_fields, fill_queue,
							      sizeof(struct fl_node), "treeNode");
#undef ROW

#define ROW struct fl_standings
static const struct fl_json_field total_fields[] = {
	FL_FIELD(BUNDLE, "total", total, "what there is to be divided"),
};
static const struct fl_json_shape total_shape = FL_SHAPE(total_fields, "total");
#undef ROW

/* Those that take part, in their order, and those that do not. */
static void put_queues(const struct fl_shape_at *at, const char *key, const void *row)
{
	const struct fl_entitle_tree *t = row;
	const struct fl_model *m = at->model;
	struct fl_node n;

	fl_json_list(at->json, key);
	for (uint32_t i = fl_entitle_tree_first(t); (n = fl_entitle_tree_at(t, i)).v != FL_NONE;
	     i++)
		fl_shape_json(at, NULL, &queue_shape, &n);
	for (n.v = 0; t->top.v == FL_NONE && n.v < m->n_nodes; n.v++)
		if (m->nodes[n.v].kind == FL_QUEUE && m->nodes[n.v].inactive != FL_ACTIVE)
			fl_shape_json(at, NULL, &queue_shape, &n);
	fl_json_end_list(at->json);
}

#define ROW struct fl_entitle_tree
static const struct fl_json_field fields[] = {
	FL_FIELD_INLINE_TO(standings, total_shape, NULL),
	FL_FIELD_PUT(LIST, "nodes", put_queues, "each before its children", .shape = &queue_shape),
};
static const struct fl_json_shape shape = FL_SHAPE(fields, "entitle");
#undef ROW

const struct fl_document fl_entitle_tree_document = { .kind = "Tree",
						      .policy = "entitle",
						      .shape = &shape };
