/* SPDX-License-Identifier: Apache-2.0 */
#include "report/entitle/divide_report.h"
#include "report/out/bundle_text.h"
#include "report/out/report_json.h"

const char *fl_divide_phase_name(enum fl_divide_phase phase)
{
	static const char *const names[] = {
		[FL_DIVIDE_DESERVED] = "deserved",
		[FL_DIVIDE_SHORT] = "short",
		[FL_DIVIDE_ROUND] = "round",
		[FL_DIVIDE_REMAINDERS] = "remainders",
	};

	return names[phase];
}

const char *fl_divide_stop_name(enum fl_divide_stop stop)
{
	static const char *const names[] = {
		[FL_DIVIDE_GOES_ON] = "goesOn",       [FL_DIVIDE_ALL_GIVEN] = "allGiven",
		[FL_DIVIDE_CONTENT] = "content",      [FL_DIVIDE_PENALISED] = "penalised",
		[FL_DIVIDE_ONLY_PARTS] = "onlyParts",
	};

	return names[stop];
}

static const char *name_of(const struct fl_report *r, uint32_t node)
{
	return fl_report_node(r->model, (struct fl_node){ node });
}

static void put_queue(struct fl_json *j, const struct fl_report *r, const struct fl_division *d,
		      uint32_t node)
{
	const struct fl_standing *q = &d->standings->rows[node];

	fl_json_object(j, NULL);
	fl_json_text(j, "name", name_of(r, node));
	if (q->parent.v != FL_NONE)
		fl_json_text(j, "parent", name_of(r, q->parent.v));
	fl_json_int(j, "priority", q->priority);
	fl_json_bundle(j, "deserved", &q->deserved);
	fl_json_bundle(j, "limit", &q->limit);
	fl_json_bundle(j, "overQuotaWeight", &q->weight);
	fl_json_bundle(j, "request", &q->request);
	fl_json_bundle(j, "usage", &d->standings->usage[node]);
	fl_json_bundle(j, "fairShare", &d->fair_share[node]);
	fl_json_end_object(j);
}

static bool is_round(const struct fl_divide_step *s)
{
	return s->phase == FL_DIVIDE_ROUND || s->phase == FL_DIVIDE_SHORT;
}

static void put_part(struct fl_json *j, const struct fl_report *r, const struct fl_divide_step *s,
		     const struct fl_divide_part *p)
{
	fl_json_object(j, NULL);
	fl_json_text(j, "queue", name_of(r, p->queue));
	fl_json_number(j, "wants", p->want);
	if (is_round(s)) {
		fl_json_number(j, "weight", p->weight);
		fl_json_number(j, "portion", p->portion);
		fl_json_number(j, "part", p->part);
	}
	if (s->phase != FL_DIVIDE_DESERVED)
		fl_json_number(j, "remainder", p->remainder);
	fl_json_number(j, "given", p->given);
	fl_json_end_object(j);
}

static void put_step(struct fl_json *j, const struct fl_report *r, const struct fl_divide_step *s)
{
	fl_json_object(j, NULL);
	if (s->parent != FL_NONE)
		fl_json_text(j, "parent", name_of(r, s->parent));
	fl_json_text(j, "resource", fl_bundle_name(s->resource));
	fl_json_text(j, "phase", fl_divide_phase_name(s->phase));
	if (s->phase != FL_DIVIDE_DESERVED)
		fl_json_int(j, "priority", s->priority);
	fl_json_number(j, "amount", s->amount);
	if (is_round(s)) {
		fl_json_int(j, "round", s->round);
		fl_json_number(j, "weights", s->weights);
		fl_json_number(j, "portions", s->portions);
	}
	fl_json_number(j, "left", s->left);
	fl_json_text(j, "stop", fl_divide_stop_name(s->stop));
	fl_json_list(j, "queues");
	for (uint32_t i = 0; i < s->n_parts; i++)
		put_part(j, r, s, &s->parts[i]);
	fl_json_end_list(j);
	fl_json_end_object(j);
}

int fl_divide_json(const struct fl_report *r, const struct fl_division *d, fairlead_error *err)
{
	const struct fl_standings *s = d->standings;
	uint32_t top = r->model->n_nodes;
	struct fl_json j;

	(void)err;
	fl_json_start(&j, r, "Division", "entitle");
	fl_json_bundle(&j, "total", &s->total);
	fl_json_number(&j, "kValue", d->k);
	fl_json_bool(&j, "bounded", d->bounded);
	fl_json_list(&j, "queues");
	for (uint32_t i = 0; i < s->n; i++)
		put_queue(&j, r, d, s->order[i]);
	fl_json_end_list(&j);
	if (d->steps) {
		fl_json_list(&j, "steps");
		for (uint32_t i = 0; i <= s->n; i++) {
			uint32_t group = i ? s->order[i - 1] : top;

			for (const struct fl_division_step *at = d->steps[group]; at; at = at->next)
				put_step(&j, r, &at->step);
		}
		fl_json_end_list(&j);
	}
	fl_json_finish(&j);
	return 0;
}

int fl_divide_simulator_json(const struct fl_report *r, const struct fl_division *d,
			     fairlead_error *err)
{
	struct fl_json j;

	(void)err;
	fl_json_init(&j, r->out);
	fl_json_object(&j, NULL);
	for (uint32_t i = 0; i < d->standings->n; i++)
		fl_json_bundle(&j, name_of(r, d->standings->order[i]),
			       &d->fair_share[d->standings->order[i]]);
	fl_json_end_object(&j);
	putc('\n', r->out);
	return 0;
}
