/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "base/sort.h"
#include "report/common/face.h"
#include "report/prove/prove_report.h"

const char *fl_plan_message(const struct fl_report *r, const struct fl_report_face *face,
			    const struct fl_pending *p, const struct fl_why *why, bool people,
			    char *buffer, size_t size)
{
	int n = snprintf(buffer, size, "%s", fl_reason_sentence(p->reason));

	if (n >= 0 && (size_t)n < size)
		face->add_why(r, p, why, people, buffer + n, size - (size_t)n);
	return buffer;
}

struct by_name {
	const struct fl_model *model;
	const struct fl_decision *rows;
};

static int cmp_rows(const void *ctx, uint32_t a, uint32_t b)
{
	const struct by_name *o = ctx;

	return fl_workload_name_cmp(o->model, o->rows[a].workload.v, o->rows[b].workload.v);
}

/* Those of one kind, by workload, behind what @ret has. */
static void sort_kind(struct fl_plan_json *j, const struct fl_decisions *d,
		      enum fl_decision_kind kind, uint32_t *used, struct fl_plan_decided *ret)
{
	struct by_name o = { j->report->model, d->rows };

	*ret = (struct fl_plan_decided){ &j->order[*used], 0 };
	for (uint32_t i = 0; i < d->n; i++)
		if (d->rows[i].kind == kind && !(kind == FL_EVICT && d->rows[i].already_evicting))
			j->order[*used + ret->n++] = i;
	fl_sort(j->order + *used, ret->n, j->scratch, cmp_rows, &o);
	*used += ret->n;
}

static int sort_decisions(struct fl_plan_json *j, struct fl_plan_told *told, fairlead_error *err)
{
	const struct fl_decisions *d = told->decisions;
	uint32_t used = 0;

	int rc = fl_mem_grow(j->report->mem, &j->order, &j->cap_order, d->n + 1, sizeof(*j->order),
			     err);
	if (rc == 0)
		rc = fl_mem_grow(j->report->mem, &j->scratch, &j->cap_scratch, d->n + 1,
				 sizeof(*j->scratch), err);
	if (rc < 0)
		return rc;
	sort_kind(j, d, FL_ADMIT, &used, &told->admitted);
	sort_kind(j, d, FL_RESERVE, &used, &told->reserved);
	sort_kind(j, d, FL_EVICT, &used, &told->evicted);
	return 0;
}

bool fl_plan_decision_fill(struct fl_shape_at *at, const void *source, uint32_t i, void *row)
{
	const struct fl_plan_told *told = at->answer;
	const struct fl_decision *d = &told->decisions->rows[*(const uint32_t *)source];

	(void)i;
	*(struct fl_plan_decision *)row = (struct fl_plan_decision){
		.workload = d->workload,
		.preemptor = d->preemptor,
		.queue = d->cluster_queue,
		.reason = d->reason,
		.action = d->action,
		.count = d->count,
		.held = { d->workload, told->decisions->placements + d->placement.first,
			  d->placement.n },
	};
	return true;
}

static const char *message(const struct fl_shape_at *at, const void *row,
			   char buffer[FL_SHAPE_TEXT])
{
	const struct fl_plan_told *told = at->answer;

	return fl_plan_message(at->report, at->face, row, told->cycle->why, /* people= */ false,
			       buffer, 1024);
}

#define ROW struct fl_pending
static const struct fl_json_field pending_fields[] = {
	FL_FIELD(WORKLOAD, "workload", workload, NULL),
	FL_FIELD(QUEUE, NULL, cluster_queue, "empty when there is none",
		 FL_FACE_KEY(struct fl_report_face, queue_key)),
	FL_FIELD(BOOL, "head", head, "this cycle looked at it"),
	FL_FIELD(REASON, "reason", reason, NULL),
	FL_FIELD_TEXT("message", message, NULL),
};
static const struct fl_json_shape pending_shape = FL_SHAPE(pending_fields, "pending");
#undef ROW

static struct fl_shape_rows pending(const struct fl_shape_at *at, const void *row)
{
	const struct fl_plan_told *told = row;

	(void)at;
	return (struct fl_shape_rows){ told->cycle->pending->rows, told->cycle->pending->n };
}

#define ROW struct fl_plan_told
static const struct fl_json_field told_fields[] = {
	FL_FIELD_ROWS("pending", pending, pending_shape, "all workloads that wait after the cycle"),
};
const struct fl_json_shape fl_plan_pending_shape = FL_SHAPE(told_fields, "waiting");
#undef ROW

static int cmp_nodes(const void *model, uint32_t a, uint32_t b)
{
	const struct fl_model *m = model;
	const struct fl_node_row *x = &m->nodes[a], *y = &m->nodes[b];

	if (x->kind != y->kind)
		return x->kind < y->kind ? -1 : 1;
	return fl_names_cmp(&m->names, x->name, y->name);
}

static int sort_nodes(struct fl_plan_json *j, fairlead_error *err)
{
	const struct fl_model *m = j->report->model;

	if (j->nodes || !m->n_nodes)
		return 0;
	int rc = fl_mem_grow(j->report->mem, &j->scratch, &j->cap_scratch, m->n_nodes,
			     sizeof(*j->scratch), err);
	if (rc == 0)
		rc = fl_mem_grow(j->report->mem, &j->nodes, &j->cap_nodes, m->n_nodes,
				 sizeof(*j->nodes), err);
	if (rc < 0)
		return rc;
	for (uint32_t i = 0; i < m->n_nodes; i++)
		j->nodes[i] = i;
	fl_sort(j->nodes, m->n_nodes, j->scratch, cmp_nodes, m);
	return 0;
}

static struct fl_shape_at place(const struct fl_plan_json *j, struct fl_json *out,
				const void *answer)
{
	return (struct fl_shape_at){ .json = out,
				     .report = j->report,
				     .model = j->report->model,
				     .face = j->face,
				     .answer = answer };
}

static int put_cycle(struct fl_plan_json *j, struct fl_json *out, const struct fl_plan_cycle *c,
		     fairlead_error *err)
{
	struct fl_plan_told told = { .cycle = c, .decisions = c->cycle->decisions };
	struct fl_shape_at at = place(j, out, &told);

	int rc = sort_decisions(j, &told, err);
	if (rc == 0)
		rc = sort_nodes(j, err);
	told.nodes = j->nodes;
	if (rc == 0)
		fl_shape_json(&at, NULL, j->face->cycle_shape, &told);
	return rc;
}

/* --- the end --- */

struct ending {
	const struct fl_plan_end *end;
	const struct fl_plan_log *log;
	const struct fl_workload *loop;
	uint32_t n_loop;
	bool loops;
};

struct orders {
	struct fl_prove_result proof;
	bool race, knows_races;
};

static bool fill_orders(struct fl_shape_at *at, const void *source, uint32_t i, void *row)
{
	const struct fl_plan_end *end = source;

	(void)at;
	(void)i;
	if (!end->proof)
		return false;
	*(struct orders *)row = (struct orders){ *end->proof, end->whole == FL_WHOLE_NONE,
						 end->whole != FL_WHOLE_UNKNOWN };
	return true;
}

#define ROW struct orders
static const struct fl_json_field orders_fields[] = {
	FL_FIELD_ENUM("loop", proof.loop, fl_loop_names, NULL),
	FL_FIELD(BOOL, "always", proof.always, "no order settles"),
	FL_FIELD(BOOL, "race", race, "there is no loop in which each preemption is completed first",
		 FL_IF_TRUE(knows_races)),
	FL_FIELD(COUNT64, "states", proof.states, NULL),
	FL_FIELD(BOOL, "complete", proof.complete, NULL),
};
static const struct fl_json_shape orders_shape =
	FL_SHAPE_MADE(orders_fields, fill_orders, sizeof(struct fl_plan_end), "orders");
#undef ROW

static bool fill_preemption(struct fl_shape_at *at, const void *source, uint32_t i, void *row)
{
	const struct ending *e = at->answer;

	(void)i;
	*(struct fl_plan_row *)row = *(const struct fl_plan_row *)source;
	return fl_plan_log_in_loop(source, &e->end->result);
}

#define ROW struct fl_plan_row
static const struct fl_json_field preemption_fields[] = {
	FL_FIELD(NTH, "cycle", cycle, NULL),
	FL_FIELD(WORKLOAD, "workload", workload, NULL),
	FL_FIELD(WORKLOAD, "preemptor", preemptor, NULL, .maybe = true),
	FL_FIELD(EVICTION, "reason", reason, NULL),
};
static const struct fl_json_shape preemption_shape =
	FL_SHAPE_MADE(preemption_fields, fill_preemption, sizeof(struct fl_plan_row), "preemption");
#undef ROW

#define ROW struct fl_plan_log
static const struct fl_json_field log_fields[] = {
	FL_FIELD_LIST("preemptions", rows, n_rows, preemption_shape, "of one round"),
};
static const struct fl_json_shape log_shape = FL_SHAPE(log_fields, "log");
#undef ROW

static const char *const whose[] = { "own", "given" };

static const char *order(const struct fl_shape_at *at, const void *row, char buffer[FL_SHAPE_TEXT])
{
	(void)at;
	(void)buffer;
	return whose[((const struct fl_plan_end *)row)->given];
}

#define ROW struct fl_plan_end
static const struct fl_json_field begin_fields[] = {
	FL_FIELD(NTH, "firstCycle", result.loop_first, NULL),
	FL_FIELD(NTH, "period", result.loop_period, NULL),
	FL_FIELD_TEXT("order", order, "given: that of a Moves document", FL_NAMES(whose)),
};
static const struct fl_json_shape begin_shape = FL_SHAPE(begin_fields, "begin");
static const struct fl_json_field closer_fields[] = {
	FL_FIELD_SAME("orders", orders_shape,
		      "what all orders of decisions do, if that is quickly explored",
		      .maybe = true),
	FL_FIELD_INLINE_TO(remedies, fl_remedies_shape, NULL, .maybe = true),
};
static const struct fl_json_shape closer_shape = FL_SHAPE(closer_fields, "closer");
static const struct fl_json_field settled_fields[] = {
	FL_FIELD(BOOL, "settled", result.settled,
		 "nothing would change any more, however many cycles followed"),
};
static const struct fl_json_shape settled_shape = FL_SHAPE(settled_fields, "settled");
#undef ROW

#define ROW struct ending
static const struct fl_json_field loop_fields[] = {
	FL_FIELD_INLINE_TO(end, begin_shape, NULL),
	FL_FIELD_ITEMS(WORKLOAD, "workloads", loop, n_loop, NULL),
	FL_FIELD_INLINE_TO(log, log_shape, NULL),
	FL_FIELD_INLINE_TO(end, closer_shape, NULL),
};
static const struct fl_json_shape loop_shape = FL_SHAPE(loop_fields, "loop");

static const struct fl_json_field plan_fields[] = {
	{ .key = "cycles",
	  .type = FL_AS_STREAM,
	  .more = "{\"minItems\": 1}",
	  FL_FACE_SHAPE(struct fl_report_face, cycle_shape) },
	FL_FIELD_INLINE_TO(end, settled_shape, NULL),
	FL_FIELD_SAME("loop", loop_shape,
		      "cycles firstCycle to firstCycle+period-1 repeat for ever",
		      FL_IF_TRUE(loops)),
};
const struct fl_json_shape fl_plan_shape = FL_SHAPE(plan_fields, "plan");
#undef ROW

/* --- cycle by cycle --- */

void fl_plan_json_start(struct fl_plan_json *j, const struct fl_report *r,
			const struct fl_report_face *face, const char *policy)
{
	*j = (struct fl_plan_json){ .report = r, .face = face };
	struct fl_shape_at at = place(j, &j->json, NULL);

	fl_json_start(&j->json, r, face->plan->kind, policy);
	fl_shape_begin(&at, &fl_plan_shape, NULL);
}

/* A cycle without decisions: into memory. */
static int hold_cycle(struct fl_plan_json *j, const struct fl_plan_cycle *c, fairlead_error *err)
{
	const struct fl_mem *mem = j->report->mem;
	struct fl_json out;
	uint32_t i = j->n_held;

	int rc = fl_mem_grow(mem, &j->held, &j->cap_held, i + 1, sizeof(*j->held), err);
	if (rc == 0)
		rc = fl_mem_grow(mem, &j->held_len, &j->cap_held_len, i + 1, sizeof(*j->held_len),
				 err);
	if (rc < 0)
		return rc;
	j->held[i] = NULL;
	FILE *f = open_memstream(&j->held[i], &j->held_len[i]);
	if (!f)
		return fl_fail_nomem(err);
	fl_json_init(&out, f);
	rc = put_cycle(j, &out, c, err);
	bool failed = ferror(f) || out.failed;
	/* Closing moves the text once more; NULL when that fails. */
	failed |= fclose(f) != 0 || !j->held[i];
	if (failed && rc == 0)
		rc = fl_fail_nomem(err);
	j->n_held++;
	return rc;
}

static void drop_held(struct fl_plan_json *j, bool write)
{
	for (uint32_t i = 0; i < j->n_held; i++) {
		if (write)
			fl_json_raw(&j->json, NULL, j->held[i], j->held_len[i]);
		free(j->held[i]);
	}
	j->n_held = 0;
}

int fl_plan_json_cycle(struct fl_plan_json *j, const struct fl_plan_cycle *c, fairlead_error *err)
{
	if (!c->cycle->decided && c->cycle->number > 1)
		return hold_cycle(j, c, err);
	drop_held(j, /* write= */ true);
	return put_cycle(j, &j->json, c, err);
}

void fl_plan_json_end(struct fl_plan_json *j, const struct fl_plan_end *end,
		      const struct fl_plan_log *log, const struct fl_workload *loop,
		      uint32_t n_loop)
{
	const struct ending e = { end, log, loop, n_loop, end->result.loop_first != 0 };
	struct fl_shape_at at = place(j, &j->json, &e);

	fl_shape_rest(&at, &fl_plan_shape, &e);
	fl_json_finish(&j->json);
}

void fl_plan_json_done(struct fl_plan_json *j)
{
	if (!j->report)
		return;
	drop_held(j, /* write= */ false);
	fl_mem_free(j->report->mem, j->held);
	fl_mem_free(j->report->mem, j->held_len);
	fl_mem_free(j->report->mem, j->order);
	fl_mem_free(j->report->mem, j->scratch);
	fl_mem_free(j->report->mem, j->nodes);
}
