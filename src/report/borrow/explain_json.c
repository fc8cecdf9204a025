/* SPDX-License-Identifier: Apache-2.0 */
/* The shape of the answer as JSON. */
#include "base/time.h"
#include "report/borrow/explain_report.h"
#include "report/borrow/explain_set.h"
#include "report/common/explain_shapes.h"
#include "report/out/held_shape.h"

static const struct fl_explain *explain_of(const struct fl_shape_at *at)
{
	const struct fl_explain_report *e = at->answer;

	return e->x;
}

static const char *const decisions[] = {
	[FL_ADMIT] = "Admit",
	[FL_RESERVE] = "Preempt",
	[FL_EVICT] = "Evict",
	[FL_WAIT] = "Wait",
};

/* --- what does not fit --- */

static const char *podset_name(const struct fl_shape_at *at, const void *row,
			       char buffer[FL_SHAPE_TEXT])
{
	const struct fl_workload_row *w = &at->model->workloads[explain_of(at)->workload.v];
	const struct fl_explain_need *need = row;

	(void)buffer;
	return fl_model_text(at->model, at->model->podsets[w->podsets.first + need->podset].name);
}

static const char *const binds[] = {
	[FL_BIND_QUOTA] = "Quota",
	[FL_BIND_BORROWING_LIMIT] = "BorrowingLimit",
};

#define ROW struct fl_bind
static const struct fl_json_field bind_fields[] = {
	FL_FIELD_ENUM("by", kind, binds, NULL),
	FL_FIELD(NODE, "node", node, NULL),
	FL_FIELD(AMOUNT, "left", left, "what this node can pass on"),
	FL_FIELD(AMOUNT, "keptBelow", below, "what nodes below it keep for themselves"),
};
static const struct fl_json_shape bind_shape = FL_SHAPE(bind_fields, "binding");
#undef ROW

#define ROW struct fl_explain_need
#define COMPARES                                                                                   \
	(1u << FL_NEED_FITS | 1u << FL_NEED_WAITS | 1u << FL_NEED_NEVER | 1u << FL_NEED_REFUSED)
#define ASKS (COMPARES | 1u << FL_NEED_NOT_COVERED)
static const struct fl_json_field need_fields[] = {
	FL_FIELD_TEXT("podSet", podset_name, NULL),
	FL_FIELD(FLAVOR, "flavor", flavor, NULL, .maybe = true),
	FL_FIELD(RESOURCE, "resource", resource, NULL, .maybe = true),
	FL_FIELD_ENUM("verdict", verdict, fl_explain_verdicts, NULL),
	FL_FIELD(CHECK, "rule", check, "if refused, the rule",
		 FL_IF(verdict, 1u << FL_NEED_REFUSED)),
	FL_FIELD(AMOUNT, "requested", requested, NULL, FL_IF(verdict, ASKS)),
	FL_FIELD(AMOUNT, "available", available, NULL, FL_IF(verdict, COMPARES)),
	FL_FIELD(AMOUNT, "maximum", potential, "if nothing were in use", FL_IF(verdict, COMPARES)),
	FL_FIELD(AMOUNT, "nominal", nominal, NULL, FL_IF(verdict, COMPARES)),
	FL_FIELD_IN("binding", bind, bind_shape, "what decides the number that was compared",
		    FL_IF(verdict, COMPARES)),
};
static const struct fl_json_shape need_shape = FL_SHAPE(need_fields, "need");
#undef ROW

#define ROW struct fl_explain_holder
static const struct fl_json_field holder_fields[] = {
	FL_FIELD(QUEUE, "clusterQueue", queue, NULL), FL_FIELD(AMOUNT, "usage", usage, NULL),
	FL_FIELD(AMOUNT, "own", own, NULL),           FL_FIELD(AMOUNT, "borrowed", borrowed, NULL),
	FL_FIELD(AMOUNT, "idleNotLent", kept, NULL),  FL_FIELD(COUNT, "workloads", workloads, NULL),
};
static const struct fl_json_shape holder_shape = FL_SHAPE(holder_fields, "holder");
#undef ROW

/* --- workloads that come first --- */

static fl_amount requested(const struct fl_model *m, const struct fl_workload_row *w, uint32_t r)
{
	fl_amount sum = 0;

	for (uint32_t k = 0; k < w->podsets.n; k++) {
		const struct fl_podset *ps = &m->podsets[w->podsets.first + k];

		for (uint32_t i = 0; i < ps->requests.n; i++) {
			const struct fl_request *q = &m->requests[ps->requests.first + i];

			if (q->resource.v == r)
				sum = fl_sat_add(sum, fl_sat_mul(q->amount, fl_podset_left(ps)));
		}
	}
	return sum;
}

/* Of a row that begins with its workload. */
static void put_requests(const struct fl_shape_at *at, const char *key, const void *row)
{
	const struct fl_model *m = at->model;
	const struct fl_workload *w = row;

	fl_json_object(at->json, key);
	for (uint32_t r = 0; r < m->n_resources; r++) {
		fl_amount sum = requested(m, &m->workloads[w->v], r);

		if (sum)
			fl_json_int(at->json, fl_report_resource(m, (struct fl_resource){ r }),
				    sum);
	}
	fl_json_end_object(at->json);
}

struct waits {
	struct fl_workload workload;
	int32_t priority;
	fl_time created;
};

static bool fill_waits(struct fl_shape_at *at, const void *source, uint32_t i, void *row)
{
	struct fl_workload w = { *(const uint32_t *)source };
	const struct fl_workload_row *r = &at->model->workloads[w.v];

	(void)i;
	*(struct waits *)row = (struct waits){ w, r->priority, r->created };
	return true;
}

#define ROW struct waits
static const struct fl_json_field waits_fields[] = {
	FL_FIELD(WORKLOAD, "workload", workload, NULL),
	FL_FIELD(INT, "priority", priority, NULL),
	FL_FIELD(TIME, "created", created, NULL, .maybe = true),
	FL_FIELD_PUT(MAP, "requests", put_requests, NULL, .item = FL_AS_WHOLE),
};
static const struct fl_json_shape waits_shape = FL_SHAPE_MADE(waits_fields, fill_waits,
							      sizeof(uint32_t), "waits");
#undef ROW

static struct fl_shape_rows ahead(const struct fl_shape_at *at, const void *row)
{
	const struct fl_explain *x = row;

	(void)at;
	return (struct fl_shape_rows){ x->ahead, x->n_ahead < FL_EXPLAIN_AHEAD ? x->n_ahead :
										 FL_EXPLAIN_AHEAD };
}

#define ROW struct fl_explain
static const struct fl_json_field ahead_fields[] = {
	FL_FIELD(COUNT, "count", n_ahead, NULL),
	FL_FIELD_ROWS("workloads", ahead, waits_shape, "the first ten, in order",
		      .more = "{\"maxItems\": 10}"),
};
static const struct fl_json_shape ahead_shape = FL_SHAPE(ahead_fields, "ahead");
#undef ROW

/* --- victims --- */

/* A number of a check, in its unit. */
static void put_number(const struct fl_shape_at *at, const char *key, const struct fl_number *n)
{
	char text[32];

	if (n->kind == FL_NUMBER_SHARE)
		fl_json_text(at->json, key,
			     fl_report_precise(&(struct fl_share){ .precise = n->share }, text));
	else
		fl_shape_value(at, key, n->kind == FL_NUMBER_TIME ? FL_AS_TIME : FL_AS_AMOUNT,
			       &n->amount);
}

static void put_lhs(const struct fl_shape_at *at, const char *key, const void *row)
{
	put_number(at, key, &((const struct fl_explain_refusal *)row)->lhs);
}

static void put_rhs(const struct fl_shape_at *at, const char *key, const void *row)
{
	put_number(at, key, &((const struct fl_explain_refusal *)row)->rhs);
}

static bool of_all(const struct fl_shape_at *at, const void *row)
{
	(void)at;
	return ((const struct fl_explain_refusal *)row)->victim.v == FL_NONE;
}

static const char *victims_queue(const struct fl_shape_at *at, const void *row,
				 char buffer[FL_SHAPE_TEXT])
{
	(void)buffer;
	if (of_all(at, row))
		return NULL;
	struct fl_workload w = ((const struct fl_explain_refusal *)row)->victim;
	return fl_report_node(at->model, fl_report_queue(at->model, w));
}

static const char *const units[] = {
	[FL_NUMBER_AMOUNT] = "amount",
	[FL_NUMBER_SHARE] = "share",
	[FL_NUMBER_TIME] = "time",
	[FL_NUMBER_DURATION] = "nanoseconds",
};

#define ROW struct fl_explain_refusal
#define NUMBER                                                                                     \
	"as `unit` says: an amount (of the resource; plain, such as a priority, without one), "    \
	"the 17 digits of a share or \"inf\", a time, or nanoseconds"
#define NUMBER_TYPE .more = "{\"type\": [\"integer\", \"string\"]}"
static const struct fl_json_field refusal_fields[] = {
	FL_FIELD(COUNT, "allBelow", n,
		 "instead of a workload: how many below `node` hold what is needed, of which the "
		 "same is true",
		 .when = of_all, .more = "{\"minimum\": 1}"),
	FL_FIELD(WORKLOAD, "workload", victim, NULL, .maybe = true),
	FL_FIELD_TEXT("clusterQueue", victims_queue, "whose quota it holds", .maybe = true),
	FL_FIELD(NODE, "node", node, NULL),
	FL_FIELD(FLAVOR, "flavor", flavor, NULL, .maybe = true),
	FL_FIELD(RESOURCE, "resource", resource, NULL, .maybe = true),
	FL_FIELD_ENUM("unit", lhs.kind, units, NULL),
	FL_FIELD_PUT(TEXT, "lhs", put_lhs, NUMBER, NUMBER_TYPE),
	FL_FIELD_PUT(TEXT, "rhs", put_rhs, NUMBER, NUMBER_TYPE),
};
static const struct fl_json_shape refusal_shape =
	FL_SHAPE(refusal_fields, "refusal",
		 .doc = "a workload that could be a victim and is not, or all below a node",
		 .more = "{\"oneOf\": [{\"required\": [\"workload\", \"clusterQueue\"]},"
			 " {\"required\": [\"allBelow\"]}]}");
#undef ROW

static struct fl_shape_rows refusals(const struct fl_shape_at *at, const void *row)
{
	const struct fl_explain_rule *rule = row;

	return (struct fl_shape_rows){ &explain_of(at)->refusals[rule->first], rule->n };
}

static const char *example(const struct fl_shape_at *at, const void *row,
			   char buffer[FL_SHAPE_TEXT])
{
	const struct fl_explain_refusal *first = refusals(at, row).rows;

	return of_all(at, first) ? NULL : fl_report_workload(at->model, first->victim, buffer);
}

#define ROW struct fl_explain_rule
static const struct fl_json_field rule_fields[] = {
	FL_FIELD_ALSO(fl_explain_rule_shape, NULL),
	FL_FIELD_TEXT_AS(WORKLOAD, "example", example, NULL, .maybe = true),
	FL_FIELD_ROWS("victims", refusals, refusal_shape, "all, nearest to passing first",
		      .more = "{\"minItems\": 1}"),
};
static const struct fl_json_shape rule_shape = FL_SHAPE(rule_fields, "rule");
#undef ROW

static const char *const policies[] = {
	[FL_PREEMPT_NEVER] = "Never",
	[FL_PREEMPT_LOWER_PRIORITY] = "LowerPriority",
	[FL_PREEMPT_LOWER_OR_NEWER_EQUAL] = "LowerOrNewerEqualPriority",
	[FL_PREEMPT_ANY] = "Any",
};

struct policies {
	enum fl_preempt_policy within, reclaim, borrow;
};

static bool fill_policies(struct fl_shape_at *at, const void *source, uint32_t i, void *row)
{
	const struct fl_explain *x = source;
	const struct fl_node_row *queue = &at->model->nodes[x->cluster_queue.v];

	(void)i;
	*(struct policies *)row = (struct policies){ queue->within_queue, queue->reclaim,
						     queue->borrow_within };
	return true;
}

#define ROW struct policies
static const struct fl_json_field policy_fields[] = {
	FL_FIELD_ENUM("withinClusterQueue", within, policies, NULL),
	FL_FIELD_ENUM("reclaimWithinCohort", reclaim, policies, NULL),
	FL_FIELD_ENUM("borrowWithinCohort", borrow, policies, NULL),
};
static const struct fl_json_shape policy_shape =
	FL_SHAPE_MADE(policy_fields, fill_policies, sizeof(struct fl_explain), "policies");
#undef ROW

#define ROW struct fl_explain_victim
static const struct fl_json_field victim_fields[] = {
	FL_FIELD(WORKLOAD, "workload", workload, NULL),
	FL_FIELD(REASON, "reason", reason, NULL),
};
static const struct fl_json_shape victim_shape = FL_SHAPE(victim_fields, "victim");
#undef ROW

#define ROW struct fl_explain
static const struct fl_json_field preemption_fields[] = {
	FL_FIELD_ALSO(policy_shape, NULL),
	FL_FIELD(BOOL, "searched", searched, "whether victims were looked for"),
	FL_FIELD(COUNT, "considered", n_considered,
		 "workloads that hold what is needed and were looked at, victims included"),
	FL_FIELD(COUNT, "unrelated", n_unrelated, "others, that hold nothing of it"),
	FL_FIELD_LIST("refused", rules, n_rules, rule_shape, "the rule that refused most first"),
	FL_FIELD_LIST("victims", victims, n_victims, victim_shape,
		      "the workloads that are preempted"),
};
static const struct fl_json_shape preemption_shape = FL_SHAPE(preemption_fields, "preemption");
#undef ROW

/* --- changes that would help --- */

static void put_side(const struct fl_shape_at *at, const char *key,
		     const struct fl_explain_change *c, fl_amount amount, double weight)
{
	char text[40];

	if (c->kind == FL_CELL_WEIGHT)
		fl_json_raw(at->json, key, text,
			    (size_t)snprintf(text, sizeof(text), "%.15g", weight));
	else
		fl_shape_value(at, key, FL_AS_AMOUNT, &amount);
}

static void put_from(const struct fl_shape_at *at, const char *key, const void *row)
{
	const struct fl_explain_change *c = row;

	put_side(at, key, c, c->from, c->weight_from);
}

static void put_to(const struct fl_shape_at *at, const char *key, const void *row)
{
	const struct fl_explain_change *c = row;

	put_side(at, key, c, c->to, c->weight_to);
}

static const char *change_of(const struct fl_shape_at *at, const void *row,
			     char buffer[FL_SHAPE_TEXT])
{
	(void)row;
	return fl_report_workload(at->model, explain_of(at)->workload, buffer);
}

#define ROW struct fl_explain_change
#define QUOTAS (1u << FL_CELL_NOMINAL | 1u << FL_CELL_BORROWING_LIMIT | 1u << FL_CELL_LENDING_LIMIT)
static const struct fl_json_field change_fields[] = {
	FL_FIELD_TEXT_AS(WORKLOAD, "workload", change_of, NULL,
			 FL_IF(kind, 1u << FL_CELL_PRIORITY)),
	FL_FIELD(NODE, "node", node, NULL, FL_IF(kind, QUOTAS | 1u << FL_CELL_WEIGHT)),
	FL_FIELD_ENUM("field", kind, fl_cell_fields, NULL, .end_name = FL_CELL_PRIORITY + 1),
	FL_FIELD(FLAVOR, "flavor", flavor, NULL, FL_IF(kind, QUOTAS)),
	FL_FIELD(RESOURCE, "resource", resource, NULL, FL_IF(kind, QUOTAS)),
	FL_FIELD_PUT(BOUND, "from", put_from, NULL),
	FL_FIELD_PUT(BOUND, "to", put_to,
		     "cpu in milli-units, everything else in whole units; a weight in two digits"),
};
static const struct fl_json_shape change_shape =
	FL_SHAPE(change_fields, "change",
		 .more = "{\"oneOf\": [{\"required\": [\"workload\"], \"properties\":"
			 " {\"field\": {\"const\": \"priority\"}}}, {\"required\": [\"node\"]}]}");
#undef ROW

static struct fl_shape_rows changes_of(const struct fl_shape_at *at, const void *row)
{
	const struct fl_explain_proposal *p = row;

	return (struct fl_shape_rows){ &explain_of(at)->changes[p->first], p->n };
}

/* Those of the smallest. */
static struct fl_shape_rows smallest(const struct fl_shape_at *at, const void *row)
{
	const struct fl_explain *x = row;

	return x->n_proposals ? changes_of(at, &x->proposals[0]) : (struct fl_shape_rows){ 0 };
}

static const char *outcome(const struct fl_shape_at *at, const void *row,
			   char buffer[FL_SHAPE_TEXT])
{
	(void)at;
	return fl_explain_outcome(row, buffer);
}

static void put_sets(const struct fl_shape_at *at, const char *key, const void *row)
{
	const struct fl_explain_proposal *p = row;
	const struct fl_explain_sets sets = { changes_of(at, row).rows, explain_of(at)->workload };

	fl_trial_json(at->report, at->json, key, fl_explain_set, &sets, p->n);
}

#define ROW struct fl_explain_proposal
static const struct fl_json_field proposal_fields[] = {
	FL_FIELD_ROWS("changes", changes_of, change_shape, NULL, .more = "{\"minItems\": 1}"),
	FL_FIELD_PUT(LIST, "set", put_sets, FL_TRIAL_MEANING, .item = FL_AS_TEXT, .maybe = true),
	FL_FIELD_ENUM("alone", alone, decisions,
		      "the decision then, were it its queue's only head"),
	FL_FIELD_ENUM("comingCycle", next, decisions,
		      "the decision then in the coming cycle; Wait: others come first"),
	FL_FIELD(COUNT, "preempted", n_victims, "how many workloads are preempted for it"),
	FL_FIELD_TEXT("message", outcome, NULL),
};
static const struct fl_json_shape proposal_shape = FL_SHAPE(proposal_fields, "proposal");
#undef ROW

/* --- the whole --- */

#define ROW struct fl_explain
static const struct fl_json_field alone_fields[] = {
	FL_FIELD_ENUM("decision", alone, decisions, NULL),
	FL_FIELD(REASON, "reason", alone_reason, NULL),
};
static const struct fl_json_shape alone_shape = FL_SHAPE(alone_fields, "alone");

static struct fl_shape_rows failed(const struct fl_shape_at *at, const void *row)
{
	const struct fl_explain *x = row;

	(void)at;
	return (struct fl_shape_rows){ x->failing == FL_NONE ? NULL : &x->needs[x->failing], 1 };
}

static const struct fl_json_field waiting_fields[] = {
	FL_FIELD(BOOL, "head", head, NULL),
	FL_FIELD(BOOL, "parked", parked, "out of the queue until quota is freed"),
	FL_FIELD_SAME("alone", alone_shape, "were it its queue's only head"),
	FL_FIELD_FROM("failed", failed, need_shape, "the inequality that decides", .maybe = true),
	FL_FIELD_LIST("tried", needs, n_needs, need_shape, NULL),
	FL_FIELD_LIST("holders", holders, n_holders, holder_shape,
		      "queues that hold what failed, most borrowed first"),
	FL_FIELD_SAME("ahead", ahead_shape, NULL),
	FL_FIELD_ITEMS(
		WORKLOAD, "servedFirst", served, n_served,
		"workloads of its tree that the coming cycle serves, when it fits but they come first"),
	FL_FIELD_SAME("preemption", preemption_shape, NULL),
	FL_FIELD_ROWS("changes", smallest, change_shape,
		      "the smallest change: these cells together would admit it; empty if none is "
		      "known"),
	FL_FIELD_LIST("proposals", proposals, n_proposals, proposal_shape,
		      "the smallest change of each kind, smallest first; each was tried, and with "
		      "one unit less it is not enough"),
	FL_FIELD(COUNT, "tries", n_tries, "how often the policy was asked for that",
		 .more = "{\"maximum\": 1000}"),
};
static const struct fl_json_shape waiting_shape = FL_SHAPE(waiting_fields, "waiting");

static const char *sentence(const struct fl_shape_at *at, const void *row,
			    char buffer[FL_SHAPE_TEXT])
{
	(void)row;
	return fl_explain_sentence(at->report, at->answer, buffer);
}

static bool fill_held(struct fl_shape_at *at, const void *source, uint32_t i, void *row)
{
	const struct fl_explain *x = source;

	(void)at;
	(void)i;
	*(struct fl_held *)row = (struct fl_held){ x->workload, x->placement, x->n_placement };
	return x->n_placement;
}
#undef ROW
#define ROW struct fl_held
static const struct fl_json_shape held_shape = FL_SHAPE_MADE(fl_held_podsets, fill_held,
							     sizeof(struct fl_explain), "held");
#undef ROW

#define ROW struct fl_explain

static const char *user_of(const struct fl_shape_at *at, const void *row,
			   char buffer[FL_SHAPE_TEXT])
{
	const struct fl_explain_report *e = at->answer;

	(void)row;
	(void)buffer;
	return e->user;
}

static const char *local_queue_of(const struct fl_shape_at *at, const void *row,
				  char buffer[FL_SHAPE_TEXT])
{
	const struct fl_explain_report *e = at->answer;
	const struct fl_workload_row *w = &at->model->workloads[e->x->workload.v];

	(void)row;
	if (e->user || w->queue.v == FL_NONE)
		return NULL;
	snprintf(buffer, FL_SHAPE_TEXT, "%s/%s", fl_model_text(at->model, w->namespace),
		 fl_model_text(at->model, at->model->queues[w->queue.v].name));
	return buffer;
}

#undef ROW
#define ROW struct fl_explain_own
static const struct fl_json_field own_fields[] = {
	FL_FIELD_TEXT("user", user_of, "of the job, on the daemon", .maybe = true),
	FL_FIELD_TEXT("localQueue", local_queue_of, "where no user is known", .maybe = true),
	FL_FIELD(FLAVOR, "flavor", flavor, NULL),
	FL_FIELD(RESOURCE, "resource", resource, NULL),
	FL_FIELD(AMOUNT, "holds", holds, "all workloads of that user or LocalQueue in the queue"),
	FL_FIELD(AMOUNT, "queueHolds", queue_holds, "all workloads of the queue"),
	FL_FIELD(COUNT, "workloads", n, "of that user or LocalQueue, that hold some"),
	FL_FIELD(COUNT, "queueWorkloads", n_queue, "all that hold some"),
};
static const struct fl_json_shape own_shape = FL_SHAPE(own_fields, "own");

static bool others_hold(const struct fl_shape_at *at, const void *row)
{
	const struct fl_explain *x = row;

	(void)at;
	return x->own.n < x->own.n_queue;
}
#undef ROW
#define ROW struct fl_explain

static const struct fl_json_field explain_fields[] = {
	FL_FIELD(WORKLOAD, "workload", workload, NULL),
	FL_FIELD(QUEUE, "clusterQueue", cluster_queue, NULL),
	FL_FIELD_ENUM("state", state, fl_explain_states, NULL),
	FL_FIELD(REASON, "reason", reason, NULL),
	FL_FIELD_TEXT("message", sentence, "the answer in a few sentences"),
	FL_FIELD_PUT(MAP, "requests", put_requests, NULL, .item = FL_AS_WHOLE),
	FL_FIELD_ALSO(held_shape, NULL, .maybe = true),
	FL_FIELD_IN(
		"own", own, own_shape,
		"what its user or LocalQueue holds of what its queue holds, of the resource that "
		"is short, or of one that it holds; where others hold some, too",
		.when = others_hold, .maybe = true),
	FL_FIELD_ALSO(waiting_shape, NULL, FL_IF(state, FL_EXPLAIN_IS_WAITING)),
};
static const struct fl_json_shape explain_shape = FL_SHAPE(explain_fields, "explain");
#undef ROW

#define ROW struct fl_explain_report
static const struct fl_json_field fields[] = {
	FL_FIELD_INLINE_TO(x, explain_shape, NULL),
	FL_FIELD_INLINE_TO(evicted, fl_evicted_shape, NULL, .maybe = true),
	FL_FIELD_TO("eta", eta, fl_eta_shape,
		    "with --eta: when it will start, from many simulated runs", .maybe = true),
};
static const struct fl_json_shape shape = FL_SHAPE(fields, "borrow");
#undef ROW

const struct fl_document fl_explain_document = { .kind = "Explanation",
						 .policy = "borrow",
						 .shape = &shape };
