/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>

#include "ask/prove/proof.h"
#include "report/common/explain_words.h"
#include "report/prove/prove_report.h"

struct out {
	const struct fl_report *r;
	const struct fl_round *round;
	struct fl_json json;
};

/* A number, or "inf". */
static void put_number(struct fl_json *j, const char *key, double value)
{
	if (isinf(value))
		fl_json_text(j, key, "inf");
	else
		fl_json_number(j, key, value);
}

static void put_workload(struct out *o, const char *key, struct fl_workload w)
{
	char name[FL_REPORT_NAME];

	fl_json_text(&o->json, key, fl_report_workload(o->r->model, w, name));
}

static void put_side(struct out *o, const char *key, const struct fl_round_side *side)
{
	fl_json_object(&o->json, key);
	fl_json_text(&o->json, "node", fl_report_node(o->r->model, side->node));
	put_number(&o->json, "before", side->before.precise);
	put_number(&o->json, "after", side->after.precise);
	fl_json_end_object(&o->json);
}

static double value_of(const struct fl_number *n)
{
	bool whole = n->kind == FL_NUMBER_AMOUNT || n->kind == FL_NUMBER_TIME ||
		     n->kind == FL_NUMBER_DURATION;

	return whole ? (double)n->amount : n->share;
}

static void put_proof(struct out *o, const struct fl_round_act *act)
{
	const struct fl_evidence *e = &act->proof;

	if (!act->has_proof)
		return;
	fl_json_object(&o->json, "rule");
	fl_json_text(&o->json, "check", fl_check_name(e->check));
	if (e->node.v != FL_NONE)
		fl_json_text(&o->json, "node", fl_report_node(o->r->model, e->node));
	if (e->resource.v != FL_NONE)
		fl_json_text(&o->json, "resource", fl_report_resource(o->r->model, e->resource));
	put_number(&o->json, "left", value_of(&e->lhs));
	put_number(&o->json, "right", value_of(&e->rhs));
	fl_json_end_object(&o->json);
}

static void put_eviction(struct out *o, const struct fl_round_act *act)
{
	fl_json_object(&o->json, NULL);
	put_workload(o, "workload", act->workload);
	fl_json_text(&o->json, "queue", fl_report_node(o->r->model, act->queue));
	if (act->preemptor.v != FL_NONE)
		put_workload(o, "preemptor", act->preemptor);
	fl_json_text(&o->json, "reason", fl_reason_name(act->reason));
	put_proof(o, act);
	if (act->sides[0].node.v != FL_NONE) {
		fl_json_object(&o->json, "shares");
		put_side(o, "preemptor", &act->sides[0]);
		put_side(o, "victim", &act->sides[1]);
		fl_json_end_object(&o->json);
	}
	fl_json_end_object(&o->json);
}

static void put_holdings(struct out *o, const struct fl_span *state)
{
	fl_json_list(&o->json, "holds");
	for (uint32_t i = state->first; i < state->first + state->n; i++) {
		const struct fl_round_holding *h = &o->round->holdings[i];

		fl_json_object(&o->json, NULL);
		put_workload(o, "workload", h->workload);
		fl_json_text(&o->json, "queue", fl_report_node(o->r->model, h->queue));
		fl_json_bool(&o->json, "going", h->going);
		fl_json_object(&o->json, "amounts");
		for (uint32_t k = 0; k < o->round->n_resources; k++)
			fl_json_number(&o->json,
				       fl_report_resource(o->r->model, o->round->resources[k]),
				       h->amount[k]);
		fl_json_end_object(&o->json);
		fl_json_end_object(&o->json);
	}
	fl_json_end_list(&o->json);
}

static void put_step(struct out *o, uint32_t i)
{
	const struct fl_round_step *s = &o->round->steps[i];
	char text[FL_ROUND_TEXT];

	fl_json_object(&o->json, NULL);
	fl_json_text(&o->json, "move", fl_move_name(s->move.kind));
	if (fl_move_names(s->move.kind))
		put_workload(o, "workload", s->move.workload);
	fl_json_text(&o->json, "text", fl_round_move(o->r, o->round, i, /* longest= */ 0, text));
	fl_json_list(&o->json, "admitted");
	for (uint32_t k = s->acts.first; k < s->acts.first + s->acts.n; k++)
		if (o->round->acts[k].kind == FL_ADMIT)
			put_workload(o, NULL, o->round->acts[k].workload);
	fl_json_end_list(&o->json);
	fl_json_list(&o->json, "preempted");
	for (uint32_t k = s->acts.first; k < s->acts.first + s->acts.n; k++)
		if (o->round->acts[k].kind == FL_EVICT)
			put_eviction(o, &o->round->acts[k]);
	fl_json_end_list(&o->json);
	put_holdings(o, &s->holdings);
	fl_json_end_object(&o->json);
}

static void put_own(struct fl_json *j, const struct fl_settle_result *own)
{
	fl_json_object(j, "ownOrder");
	fl_json_bool(j, "settled", own->settled);
	fl_json_int(j, "cycles", own->kept);
	if (own->loop_first) {
		fl_json_int(j, "firstCycle", own->loop_first);
		fl_json_int(j, "period", own->loop_period);
	}
	fl_json_end_object(j);
}

/* That nothing goes round. */
static bool is_proof(const struct fl_prove_answer *a)
{
	if (a->end == FL_PROVE_THEOREM)
		return true;
	return fl_proof_is_one(a->result) && !fl_prove_own_goes_on(a);
}

static void put_loop(struct out *o, const struct fl_prove_answer *a)
{
	const struct fl_round *round = a->round;
	struct fl_json *j = &o->json;

	fl_json_object(j, "loop");
	fl_json_text(j, "kind", fl_loop_name(a->result->loop));
	fl_json_bool(j, "always", a->result->always);
	put_own(j, a->own);
	fl_json_int(j, "shortest", a->shortest);
	fl_json_bool(j, "race",
		     a->whole == FL_WHOLE_UNKNOWN ? round->race : a->whole == FL_WHOLE_NONE);
	if (a->whole != FL_WHOLE_UNKNOWN)
		fl_json_bool(j, "onlyRaces", a->whole == FL_WHOLE_NONE);
	fl_json_list(j, "workloads");
	for (uint32_t i = 0; i < round->n_cast; i++)
		put_workload(o, NULL, round->cast[i]);
	fl_json_end_list(j);
	fl_json_list(j, "prefix");
	for (uint32_t i = 0; i < round->prefix; i++)
		put_step(o, i);
	fl_json_end_list(j);
	fl_json_list(j, "round");
	for (uint32_t i = round->prefix; i < round->prefix + round->n; i++)
		put_step(o, i);
	fl_json_end_list(j);
	fl_json_end_object(j);
	fl_remedies_json(j, o->r, a->remedies);
}

void fl_prove_json(const struct fl_report *r, const char *policy, const struct fl_prove_answer *a)
{
	static const char *const ends[] = { [FL_PROVE_ALL] = "all",
					    [FL_PROVE_BOUND] = "bound",
					    [FL_PROVE_MEMORY] = "memory",
					    [FL_PROVE_STOPPED] = "stopped",
					    [FL_PROVE_THEOREM] = "theorem" };
	struct out o = { .r = r, .round = a->round };
	const char *doubt = fl_prove_doubt(a);
	struct fl_json *j = &o.json;

	fl_json_start(j, r, "Proof", policy);
	fl_json_int(j, "states", (int64_t)a->result->states);
	fl_json_int(j, "moves", (int64_t)a->result->tried);
	fl_json_int(j, "resting", (int64_t)a->result->resting);
	fl_json_bool(j, "complete", a->result->complete);
	fl_json_text(j, "end", ends[a->end]);
	fl_json_bool(j, "proof", is_proof(a));
	if (doubt)
		fl_json_text(j, "doubt", doubt);
	if (a->result->loop != FL_LOOP_NONE)
		put_loop(&o, a);
	else if (is_proof(a) && a->end == FL_PROVE_ALL)
		fl_json_int(j, "mostEvictions", a->result->bound);
	else if (a->own && a->result->complete)
		put_own(j, a->own);
	fl_json_finish(j);
}
