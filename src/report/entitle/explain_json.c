/* SPDX-License-Identifier: Apache-2.0 */
/* The shape of the answer as JSON. */
#include "report/common/explain_shapes.h"
#include "report/entitle/explain_report.h"
#include "report/entitle/explain_set.h"
#include "report/entitle/words.h"
#include "report/out/bundle_text.h"
#include "report/out/held_shape.h"

static const struct fl_entitle_explain *explain_of(const struct fl_shape_at *at)
{
	const struct fl_entitle_answer *a = at->answer;

	return a->x;
}

static const char *const decisions[] = {
	[FL_ADMIT] = "Allocate", [FL_RESERVE] = "Reserve", [FL_EVICT] = "Evict", [FL_WAIT] = "Wait"
};

static const char *const resources[] = { "cpu", "memory", "gpu" };

/* --- what was compared --- */

/* Each number in its own unit: an amount, a ratio, seconds, a priority. */
struct compared {
	const char *resource;
	const struct fl_number *left, *right;
};

/* False where nothing was compared. */
static bool fill_compared(const struct fl_shape_at *at, struct fl_resource resource,
			  const struct fl_number *lhs, const struct fl_number *rhs, void *row)
{
	int res = fl_bundle_resource(at->model, resource);

	*(struct compared *)row = (struct compared){ res == FL_BUNDLE ? NULL : fl_bundle_name(res),
						     lhs, rhs };
	return lhs->kind != FL_NUMBER_AMOUNT || lhs->amount || rhs->amount;
}

static bool fill_evidence(struct fl_shape_at *at, const void *source, uint32_t i, void *row)
{
	const struct fl_evidence *e = source;

	(void)i;
	return fill_compared(at, e->resource, &e->lhs, &e->rhs, row);
}

static bool fill_refusal(struct fl_shape_at *at, const void *source, uint32_t i, void *row)
{
	const struct fl_explain_refusal *e = source;

	(void)i;
	return fill_compared(at, e->resource, &e->lhs, &e->rhs, row);
}

static void put_number(const struct fl_shape_at *at, const char *key, const struct fl_number *n)
{
	if (n->kind == FL_NUMBER_BUNDLE)
		fl_json_bound(at->json, key, n->share);
	else if (n->kind == FL_NUMBER_RATIO && n->share <= 1e300)
		fl_json_number(at->json, key, n->share);
	else if (n->kind == FL_NUMBER_RATIO)
		fl_json_text(at->json, key, "inf");
	else if (n->kind == FL_NUMBER_DURATION)
		fl_json_number(at->json, key, (double)n->amount / (double)FL_SECOND);
	else
		fl_json_int(at->json, key, n->amount);
}

static void put_left(const struct fl_shape_at *at, const char *key, const void *row)
{
	put_number(at, key, ((const struct compared *)row)->left);
}

static void put_right(const struct fl_shape_at *at, const char *key, const void *row)
{
	put_number(at, key, ((const struct compared *)row)->right);
}

#define ROW struct compared
#define NUMBER_TYPE                                                                                \
	.more = "{\"oneOf\": [{\"type\": \"number\"}, {\"enum\": [\"unlimited\", \"inf\"]}]}"
static const struct fl_json_field compared_fields[] = {
	FL_FIELD(TEXT, "resource", resource, NULL, .maybe = true, FL_NAMES(resources)),
	FL_FIELD_PUT(BOUND, "left", put_left, NULL, NUMBER_TYPE),
	FL_FIELD_PUT(BOUND, "right", put_right, NULL, NUMBER_TYPE),
};
static const struct fl_json_shape evidence_shape =
	FL_SHAPE_MADE(compared_fields, fill_evidence, sizeof(struct fl_evidence), "compared");
static const struct fl_json_shape compared_shape =
	FL_SHAPE_MADE(compared_fields, fill_refusal, sizeof(struct fl_explain_refusal), "compared");
#undef ROW

static const char *meaning(const struct fl_shape_at *at, const void *row,
			   char buffer[FL_SHAPE_TEXT])
{
	(void)at;
	(void)buffer;
	return fl_check_meaning(((const struct fl_evidence *)row)->check);
}

static const char *obstacle(const struct fl_shape_at *at, const void *row,
			    char buffer[FL_SHAPE_TEXT])
{
	return fl_entitle_obstacle_text(at->report, row, "", buffer, 512);
}

#define ROW struct fl_evidence
static const struct fl_json_field obstacle_fields[] = {
	FL_FIELD(CHECK, "rule", check, NULL),     FL_FIELD_TEXT("meaning", meaning, NULL),
	FL_FIELD(QUEUE, "queue", node, NULL),     FL_FIELD_ALSO(evidence_shape, NULL),
	FL_FIELD_TEXT("message", obstacle, NULL),
};
static const struct fl_json_shape obstacle_shape = FL_SHAPE(obstacle_fields, "obstacle");
#undef ROW

/* --- queues that hold what is short --- */

struct standing {
	struct fl_node queue;
	double allocated, fair_share, deserved, limit;
	uint32_t workloads;
};

static void fill_standing(const struct fl_shape_at *at, struct fl_node n, uint32_t workloads,
			  struct standing *ret)
{
	const struct fl_entitle_explain *x = explain_of(at);
	const struct fl_standing *q = &x->standings.rows[n.v];
	int r = x->resource;

	*ret = (struct standing){ .queue = n,
				  .allocated = q->allocated.of[r],
				  .fair_share = q->fair_share.of[r],
				  .deserved = q->deserved.of[r],
				  .limit = q->limit.of[r],
				  .workloads = workloads };
}

/* The queue of the workload, and those above it. */
static struct fl_shape_rows path(const struct fl_shape_at *at, const void *row)
{
	const struct fl_entitle_explain *x = row;
	uint32_t n = 0;

	(void)at;
	for (struct fl_node q = x->queue; x->resource != FL_BUNDLE && q.v != FL_NONE;
	     q = x->standings.rows[q.v].parent)
		n++;
	return (struct fl_shape_rows){ NULL, n };
}

static bool fill_path(struct fl_shape_at *at, const void *source, uint32_t i, void *row)
{
	const struct fl_entitle_explain *x = source;
	struct fl_node q = x->queue;

	while (i--)
		q = x->standings.rows[q.v].parent;
	fill_standing(at, q, 0, row);
	return true;
}

static bool fill_holder(struct fl_shape_at *at, const void *source, uint32_t i, void *row)
{
	const struct fl_entitle_holder *h = source;

	(void)i;
	fill_standing(at, h->queue, h->workloads, row);
	return true;
}

#define ROW struct standing
#define PATH_FIELDS                                                                                \
	FL_FIELD(QUEUE, "queue", queue, NULL), FL_FIELD(NUMBER, "allocated", allocated, NULL),     \
		FL_FIELD(BOUND, "fairShare", fair_share, NULL),                                    \
		FL_FIELD(BOUND, "deserved", deserved, NULL), FL_FIELD(BOUND, "limit", limit, NULL)
static const struct fl_json_field path_fields[] = { PATH_FIELDS };
static const struct fl_json_shape path_shape =
	FL_SHAPE_MADE(path_fields, fill_path, sizeof(struct fl_entitle_explain), "standing");
static const struct fl_json_field holder_fields[] = {
	PATH_FIELDS,
	FL_FIELD(COUNT, "workloads", workloads, NULL),
};
static const struct fl_json_shape holder_shape =
	FL_SHAPE_MADE(holder_fields, fill_holder, sizeof(struct fl_entitle_holder), "queueHolder");
#undef ROW

static struct fl_shape_rows first_ahead(const struct fl_shape_at *at, const void *row)
{
	const struct fl_entitle_explain *x = row;

	(void)at;
	return (struct fl_shape_rows){ x->ahead, x->n_ahead < FL_EXPLAIN_AHEAD ? x->n_ahead :
										 FL_EXPLAIN_AHEAD };
}

#define ROW struct fl_entitle_explain
static const struct fl_json_field ahead_fields[] = {
	FL_FIELD(COUNT, "count", n_ahead, NULL),
	FL_FIELD_ITEMS_OF(WORKLOAD, "first", first_ahead, NULL),
};
static const struct fl_json_shape ahead_shape = FL_SHAPE(ahead_fields, "ahead");
#undef ROW

/* --- victims --- */

#define ROW struct fl_explain_refusal
static const struct fl_json_field refusal_fields[] = {
	FL_FIELD(WORKLOAD, "workload", victim, NULL, .maybe = true),
	FL_FIELD(NTH, "count", n, NULL),
	FL_FIELD(QUEUE, "queue", node, "where it was compared"),
	FL_FIELD_ALSO(compared_shape, NULL, .maybe = true),
};
static const struct fl_json_shape refusal_shape = FL_SHAPE(refusal_fields, "refusal");
#undef ROW

static struct fl_shape_rows refusals(const struct fl_shape_at *at, const void *row)
{
	const struct fl_explain_rule *rule = row;

	return (struct fl_shape_rows){ &explain_of(at)->refusals[rule->first], rule->n };
}

#define ROW struct fl_explain_rule
static const struct fl_json_field rule_fields[] = {
	FL_FIELD_ALSO(fl_explain_rule_shape, NULL),
	FL_FIELD_ROWS("victims", refusals, refusal_shape, NULL),
};
static const struct fl_json_shape rule_shape = FL_SHAPE(rule_fields, "rule");
#undef ROW

#define ROW struct fl_explain_victim
static const struct fl_json_field victim_fields[] = {
	FL_FIELD(WORKLOAD, "workload", workload, NULL),
	FL_FIELD(REASON, "reason", reason, NULL, .first_name = FL_REASON_RECLAIMED,
		 .end_name = FL_REASON_CONSOLIDATED + 1),
};
static const struct fl_json_shape victim_shape = FL_SHAPE(victim_fields, "victim");
#undef ROW

#define ROW struct fl_entitle_explain
static const struct fl_json_field eviction_fields[] = {
	FL_FIELD(COUNT, "considered", n_considered, NULL),
	FL_FIELD_LIST("refused", rules, n_rules, rule_shape, NULL),
	FL_FIELD_LIST("victims", victims, n_victims, victim_shape,
		      "the workloads that are evicted"),
};
static const struct fl_json_shape eviction_shape = FL_SHAPE(eviction_fields, "eviction");
#undef ROW

/* --- changes that would help --- */

static const char *change_of(const struct fl_shape_at *at, const void *row,
			     char buffer[FL_SHAPE_TEXT])
{
	(void)row;
	return fl_report_workload(at->model, explain_of(at)->workload, buffer);
}

static const char *machine_of(const struct fl_shape_at *at, const void *row,
			      char buffer[FL_SHAPE_TEXT])
{
	const struct fl_entitle_change *c = row;

	(void)buffer;
	return fl_model_text(at->model, at->model->machines[c->machine.v].name);
}

static const char *change_text(const struct fl_shape_at *at, const void *row,
			       char buffer[FL_SHAPE_TEXT])
{
	return fl_entitle_change_text(at->report, at->answer, row, buffer);
}

static void put_sets(const struct fl_shape_at *at, const char *key, const void *row)
{
	const struct fl_entitle_sets sets = { row, explain_of(at)->workload };

	char class[256];

	if (!fl_entitle_class(at->report, &sets, class)) /* it would not be there */
		fl_trial_json(at->report, at->json, key, fl_entitle_set, &sets, 1);
}

#define ROW struct fl_entitle_change
#define OF_QUEUE (~0u ^ 1u << FL_CELL_PRIORITY ^ 1u << FL_CELL_ALLOCATABLE)
static const struct fl_json_field change_fields[] = {
	FL_FIELD_TEXT_AS(WORKLOAD, "workload", change_of, NULL,
			 FL_IF(kind, 1u << FL_CELL_PRIORITY)),
	FL_FIELD_TEXT("machine", machine_of, NULL, FL_IF(kind, 1u << FL_CELL_ALLOCATABLE)),
	FL_FIELD(QUEUE, "queue", node, NULL, FL_IF(kind, OF_QUEUE)),
	FL_FIELD_ENUM("field", kind, fl_cell_fields, NULL, .first_name = FL_CELL_PRIORITY),
	FL_FIELD_ENUM("resource", resource, resources, NULL,
		      FL_IF(resource, (1u << FL_BUNDLE) - 1)),
	FL_FIELD(NUMBER, "from", from, NULL),
	FL_FIELD(NUMBER, "to", to, NULL),
	FL_FIELD_PUT(LIST, "set", put_sets, FL_TRIAL_MEANING, .item = FL_AS_TEXT, .maybe = true),
	FL_FIELD(BOOL, "exact", exact, "false: less may be enough; there were no tries left"),
	FL_FIELD_ENUM("alone", alone, decisions, NULL),
	FL_FIELD_ENUM("comingCycle", next, decisions, NULL),
	FL_FIELD(COUNT, "evicted", n_victims, NULL),
	FL_FIELD_TEXT("message", change_text, NULL),
};
static const struct fl_json_shape change_shape = FL_SHAPE(change_fields, "change");
#undef ROW

/* --- the whole --- */

static struct fl_shape_rows failed(const struct fl_shape_at *at, const void *row)
{
	const struct fl_entitle_explain *x = row;

	(void)at;
	return (struct fl_shape_rows){ x->failing == FL_NONE ? NULL : &x->obstacles[x->failing],
				       1 };
}

#define ROW struct fl_entitle_explain
static const struct fl_json_field alone_fields[] = {
	FL_FIELD_ENUM("decision", alone, decisions, NULL),
	FL_FIELD(REASON, "reason", alone_reason, NULL),
};
static const struct fl_json_shape alone_shape = FL_SHAPE(alone_fields, "alone");

static const struct fl_json_field waiting_fields[] = {
	FL_FIELD_SAME("alone", alone_shape, "were it the only workload that waits"),
	FL_FIELD_FROM("failed", failed, obstacle_shape, "the inequality that the reason is about",
		      .maybe = true),
	FL_FIELD_LIST("obstacles", obstacles, n_obstacles, obstacle_shape,
		      "the first inequality that failed of each rule, as the rules are asked"),
	FL_FIELD_ROWS("path", path, path_shape,
		      "of the resource that is short: its queue and those above it"),
	FL_FIELD_LIST("holders", holders, n_holders, holder_shape,
		      "leaf queues that hold some of it, the furthest above its fair share first"),
	FL_FIELD_SAME("ahead", ahead_shape, "workloads that are considered before it"),
	FL_FIELD_SAME("eviction", eviction_shape,
		      "workloads it might have evicted, and the rules that refused it"),
	FL_FIELD_LIST("changes", changes, n_changes, change_shape,
		      "each tried, the best first: it alone would help, and less of it would not"),
	FL_FIELD(COUNT, "tries", n_tries, "how often the policy was asked for that"),
};
static const struct fl_json_shape waiting_shape = FL_SHAPE(waiting_fields, "waiting");

static const struct fl_json_field request_fields[] = {
	FL_FIELD(COUNT, "tasks", n_tasks, NULL),
	FL_FIELD(BUNDLE, "amount", amount, NULL),
};
static const struct fl_json_shape request_shape = FL_SHAPE(request_fields, "requests");

static const char *sentence(const struct fl_shape_at *at, const void *row,
			    char buffer[FL_SHAPE_TEXT])
{
	(void)row;
	return fl_entitle_sentence(at->report, at->answer, buffer);
}

static bool fill_held(struct fl_shape_at *at, const void *source, uint32_t i, void *row)
{
	const struct fl_entitle_explain *x = source;

	(void)at;
	(void)i;
	*(struct fl_held *)row = (struct fl_held){ x->workload, x->placement, x->n_placement };
	return x->n_placement;
}
static const struct fl_json_shape held_shape =
	FL_SHAPE_MADE(fl_held_machines, fill_held, sizeof(struct fl_entitle_explain), "held");

static const struct fl_json_field explain_fields[] = {
	FL_FIELD(WORKLOAD, "workload", workload, NULL),
	FL_FIELD(QUEUE, "queue", queue, NULL),
	FL_FIELD_ENUM("state", state, fl_explain_states, NULL),
	FL_FIELD(REASON, "reason", reason, NULL),
	FL_FIELD_TEXT("message", sentence, "the answer in a few sentences"),
	FL_FIELD_SAME("requests", request_shape, "of the pods that wait, or of those that run"),
	FL_FIELD(INT, "minTasks", min_tasks, "it never runs with fewer pods",
		 .more = "{\"minimum\": 0}"),
	FL_FIELD(BOOL, "preemptible", preemptible, NULL),
	FL_FIELD_ALSO(held_shape, NULL, .maybe = true),
	FL_FIELD_ENUM("action", by, fl_actions,
		      "the action that finds it a place in the coming cycle",
		      .end_name = FL_ACTION_STALE_GANG,
		      FL_IF(state, 1u << FL_EXPLAIN_NEXT | 1u << FL_EXPLAIN_PREEMPTS)),
	FL_FIELD_ALSO(waiting_shape, NULL, FL_IF(state, FL_EXPLAIN_IS_WAITING)),
};
static const struct fl_json_shape explain_shape = FL_SHAPE(explain_fields, "explain");
#undef ROW

#define ROW struct fl_entitle_answer
static const struct fl_json_field fields[] = {
	FL_FIELD_INLINE_TO(x, explain_shape, NULL),
	FL_FIELD_INLINE_TO(evicted, fl_evicted_shape, NULL, .maybe = true),
	FL_FIELD_TO("eta", eta, fl_eta_shape,
		    "with --eta: when it will start, from many simulated runs", .maybe = true),
};
static const struct fl_json_shape shape = FL_SHAPE(fields, "entitle");
#undef ROW

const struct fl_document fl_entitle_explain_document = { .kind = "Explanation",
							 .policy = "entitle",
							 .shape = &shape };
