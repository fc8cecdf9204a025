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

int fl_plan_json_sort(struct fl_plan_json *j, const struct fl_decisions *d,
		      enum fl_decision_kind kind, uint32_t *ret_n, fairlead_error *err)
{
	struct by_name o = { j->report->model, d->rows };
	uint32_t n = 0;

	int rc = fl_mem_grow(j->report->mem, &j->order, &j->cap_order, d->n + 1, sizeof(*j->order),
			     err);
	if (rc == 0)
		rc = fl_mem_grow(j->report->mem, &j->scratch, &j->cap_scratch, d->n + 1,
				 sizeof(*j->scratch), err);
	if (rc < 0)
		return rc;
	for (uint32_t i = 0; i < d->n; i++)
		if (d->rows[i].kind == kind && !(kind == FL_EVICT && d->rows[i].already_evicting))
			j->order[n++] = i;
	fl_sort(j->order, n, j->scratch, cmp_rows, &o);
	*ret_n = n;
	return 0;
}

void fl_plan_json_pending(const struct fl_plan_json *j, struct fl_json *out,
			  const struct fl_plan_cycle *c)
{
	const struct fl_report *r = j->report;
	char name[FL_REPORT_NAME], text[1024];

	fl_json_list(out, "pending");
	for (uint32_t i = 0; i < c->pending->n; i++) {
		const struct fl_pending *p = &c->pending->rows[i];

		fl_json_object(out, NULL);
		fl_json_text(out, "workload", fl_report_workload(r->model, p->workload, name));
		fl_json_text(out, j->face->queue_key, fl_report_node(r->model, p->cluster_queue));
		fl_json_bool(out, "head", p->head);
		fl_json_text(out, "reason", fl_reason_name(p->reason));
		fl_json_text(out, "message",
			     fl_plan_message(r, j->face, p, c->why, /* people= */ false, text,
					     sizeof(text)));
		fl_json_end_object(out);
	}
	fl_json_end_list(out);
}

static int cmp_nodes(const void *model, uint32_t a, uint32_t b)
{
	const struct fl_model *m = model;
	const struct fl_node_row *x = &m->nodes[a], *y = &m->nodes[b];

	if (x->kind != y->kind)
		return x->kind < y->kind ? -1 : 1;
	return fl_names_cmp(&m->names, x->name, y->name);
}

int fl_plan_json_nodes(struct fl_plan_json *j, fairlead_error *err)
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

static int put_cycle(struct fl_plan_json *j, struct fl_json *out, const struct fl_plan_cycle *c,
		     fairlead_error *err)
{
	fl_json_object(out, NULL);
	int rc = j->face->cycle_json(j, out, c, err);
	fl_json_end_object(out);
	return rc;
}

void fl_plan_json_start(struct fl_plan_json *j, const struct fl_report *r,
			const struct fl_report_face *face, const char *policy)
{
	*j = (struct fl_plan_json){ .report = r, .face = face };
	fl_json_start(&j->json, r, "Plan", policy);
	fl_json_list(&j->json, "cycles");
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
	/* At the end it moves the text once more, and tells of no failure but by NULL. */
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

static void put_preemptions(struct fl_plan_json *j, const struct fl_plan_end *end,
			    const struct fl_plan_log *log)
{
	const struct fl_model *m = j->report->model;
	char name[FL_REPORT_NAME];

	fl_json_list(&j->json, "preemptions");
	for (uint32_t i = 0; i < log->n_rows; i++) {
		const struct fl_plan_row *row = &log->rows[i];

		if (!fl_plan_log_in_loop(row, &end->result))
			continue;
		fl_json_object(&j->json, NULL);
		fl_json_int(&j->json, "cycle", row->cycle);
		fl_json_text(&j->json, "workload", fl_report_workload(m, row->workload, name));
		if (row->preemptor.v != FL_NONE)
			fl_json_text(&j->json, "preemptor",
				     fl_report_workload(m, row->preemptor, name));
		fl_json_text(&j->json, "reason", fl_reason_name(row->reason));
		fl_json_end_object(&j->json);
	}
	fl_json_end_list(&j->json);
}

/* What other orders and other settings do. */
static void put_closer(struct fl_plan_json *j, const struct fl_plan_end *end)
{
	const struct fl_prove_result *p = end->proof;

	if (!p)
		return;
	fl_json_object(&j->json, "orders");
	fl_json_text(&j->json, "loop", fl_loop_name(p->loop));
	fl_json_bool(&j->json, "always", p->always);
	if (end->whole != FL_WHOLE_UNKNOWN)
		fl_json_bool(&j->json, "race", end->whole == FL_WHOLE_NONE);
	fl_json_int(&j->json, "states", (int64_t)p->states);
	fl_json_bool(&j->json, "complete", p->complete);
	fl_json_end_object(&j->json);
	fl_remedies_json(&j->json, j->report, end->remedies);
}

static void put_loop(struct fl_plan_json *j, const struct fl_plan_end *end,
		     const struct fl_plan_log *log, const struct fl_workload *loop, uint32_t n_loop)
{
	char name[FL_REPORT_NAME];

	fl_json_object(&j->json, "loop");
	fl_json_int(&j->json, "firstCycle", end->result.loop_first);
	fl_json_int(&j->json, "period", end->result.loop_period);
	fl_json_text(&j->json, "order", end->given ? "given" : "own");
	fl_json_list(&j->json, "workloads");
	for (uint32_t i = 0; i < n_loop; i++)
		fl_json_text(&j->json, NULL, fl_report_workload(j->report->model, loop[i], name));
	fl_json_end_list(&j->json);
	put_preemptions(j, end, log);
	put_closer(j, end);
	fl_json_end_object(&j->json);
}

void fl_plan_json_end(struct fl_plan_json *j, const struct fl_plan_end *end,
		      const struct fl_plan_log *log, const struct fl_workload *loop,
		      uint32_t n_loop)
{
	fl_json_end_list(&j->json);
	fl_json_bool(&j->json, "settled", end->result.settled);
	if (end->result.loop_first)
		put_loop(j, end, log, loop, n_loop);
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
