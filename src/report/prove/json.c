/* SPDX-License-Identifier: Apache-2.0 */
/* The shape of the answer as JSON. */
#include "ask/prove/proof.h"
#include "report/prove/prove_report.h"

static const struct fl_loop_moves *moves_of(const struct fl_shape_at *at)
{
	return ((const struct fl_prove_answer *)at->answer)->moves;
}

/* --- an eviction, and what allowed it --- */

static double value_of(const struct fl_number *n)
{
	bool whole = n->kind == FL_NUMBER_AMOUNT || n->kind == FL_NUMBER_TIME ||
		     n->kind == FL_NUMBER_DURATION;

	return whole ? (double)n->amount : n->share;
}

struct rule {
	struct fl_evidence of;
	double left, right;
};

static bool fill_rule(struct fl_shape_at *at, const void *source, uint32_t i, void *row)
{
	const struct fl_evidence *e = source;

	(void)at;
	(void)i;
	*(struct rule *)row = (struct rule){ *e, value_of(&e->lhs), value_of(&e->rhs) };
	return true;
}

#define ROW struct rule
static const struct fl_json_field rule_fields[] = {
	FL_FIELD(CHECK, "check", of.check, NULL),
	FL_FIELD(QUEUE, "node", of.node, NULL, .maybe = true),
	FL_FIELD(RESOURCE, "resource", of.resource, NULL, .maybe = true),
	FL_FIELD(RATIO, "left", left, NULL),
	FL_FIELD(RATIO, "right", right, NULL),
};
static const struct fl_json_shape rule_shape = FL_SHAPE_MADE(rule_fields, fill_rule,
							     sizeof(struct fl_evidence), "rule");
#undef ROW

#define ROW struct fl_loop_side
static const struct fl_json_field side_fields[] = {
	FL_FIELD(QUEUE, "node", node, NULL),
	FL_FIELD(RATIO, "before", before.precise, NULL),
	FL_FIELD(RATIO, "after", after.precise, NULL),
};
static const struct fl_json_shape side_shape = FL_SHAPE(side_fields, "side");
#undef ROW

static bool is_weighed(const struct fl_shape_at *at, const void *row)
{
	(void)at;
	return ((const struct fl_loop_act *)row)->sides[0].node.v != FL_NONE;
}

static bool fill_eviction(struct fl_shape_at *at, const void *source, uint32_t i, void *row)
{
	const struct fl_loop_act *act = source;

	(void)at;
	(void)i;
	*(struct fl_loop_act *)row = *act;
	return act->kind == FL_EVICT;
}

#define ROW struct fl_loop_act
static const struct fl_json_field sides_fields[] = {
	FL_FIELD_IN("preemptor", sides[0], side_shape, NULL),
	FL_FIELD_IN("victim", sides[1], side_shape, NULL),
};
static const struct fl_json_shape sides_shape = FL_SHAPE(sides_fields, "sides");

static const struct fl_json_field eviction_fields[] = {
	FL_FIELD(WORKLOAD, "workload", workload, NULL),
	FL_FIELD(QUEUE, "queue", queue, NULL),
	FL_FIELD(WORKLOAD, "preemptor", preemptor, NULL, .maybe = true),
	FL_FIELD(REASON, "reason", reason, NULL),
	FL_FIELD_IN("rule", proof, rule_shape,
		    "the inequality that allowed it; its name is that of explain's checks",
		    FL_IF_TRUE(has_proof)),
	FL_FIELD_SAME(
		"shares", sides_shape,
		"of the two nodes below the lowest one above both queues: before, and without "
		"the victims of the move and with the preemptor",
		.when = is_weighed),
};
static const struct fl_json_shape eviction_shape =
	FL_SHAPE_MADE(eviction_fields, fill_eviction, sizeof(struct fl_loop_act), "eviction");
#undef ROW

/* --- a move --- */

static void put_amounts(const struct fl_shape_at *at, const char *key, const void *row)
{
	const struct fl_loop_moves *moves = moves_of(at);
	const struct fl_loop_holding *h = row;

	fl_json_object(at->json, key);
	for (uint32_t k = 0; k < moves->n_resources; k++)
		fl_json_number(at->json, fl_report_resource(at->model, moves->resources[k]),
			       h->amount[k]);
	fl_json_end_object(at->json);
}

#define ROW struct fl_loop_holding
static const struct fl_json_field holding_fields[] = {
	FL_FIELD(WORKLOAD, "workload", workload, NULL),
	FL_FIELD(QUEUE, "queue", queue, NULL),
	FL_FIELD(BOOL, "going", going, "is being evicted"),
	FL_FIELD_PUT(MAP, "amounts", put_amounts, "by resource: milli-cores, bytes, else plain",
		     .item = FL_AS_NUMBER),
};
static const struct fl_json_shape holding_shape = FL_SHAPE(holding_fields, "holding");
#undef ROW

static const char *move_name(unsigned kind) { return fl_move_name((enum fl_move_kind)kind); }

static const char *move(const struct fl_shape_at *at, const void *row, char buffer[FL_SHAPE_TEXT])
{
	(void)at;
	(void)buffer;
	return fl_move_name(((const struct fl_loop_step *)row)->move.kind);
}

static bool is_named(const struct fl_shape_at *at, const void *row)
{
	(void)at;
	return fl_move_names(((const struct fl_loop_step *)row)->move.kind);
}

static const char *move_text(const struct fl_shape_at *at, const void *row,
			     char buffer[FL_SHAPE_TEXT])
{
	const struct fl_loop_moves *moves = moves_of(at);
	const struct fl_loop_step *s = row;

	return fl_loop_move(at->report, moves, (uint32_t)(s - moves->steps), /* longest= */ 0,
			    buffer);
}

static struct fl_shape_rows acts(const struct fl_shape_at *at, const void *row)
{
	const struct fl_loop_step *s = row;

	return (struct fl_shape_rows){ &moves_of(at)->acts[s->acts.first], s->acts.n };
}

static struct fl_shape_rows holdings(const struct fl_shape_at *at, const void *row)
{
	const struct fl_loop_step *s = row;

	return (struct fl_shape_rows){ &moves_of(at)->holdings[s->holdings.first], s->holdings.n };
}

static void put_admitted(const struct fl_shape_at *at, const char *key, const void *row)
{
	struct fl_shape_rows all = acts(at, row);
	const struct fl_loop_act *act = all.rows;

	fl_json_list(at->json, key);
	for (uint32_t i = 0; i < all.n; i++)
		if (act[i].kind == FL_ADMIT)
			fl_shape_value(at, NULL, FL_AS_WORKLOAD, &act[i].workload);
	fl_json_end_list(at->json);
}

#define ROW struct fl_loop_step
static const struct fl_json_field step_fields[] = {
	FL_FIELD_TEXT("move", move, NULL, .name_of = move_name, .end_name = FL_MOVE_WAIT + 1),
	FL_FIELD(WORKLOAD, "workload", move.workload, NULL, .when = is_named),
	FL_FIELD_TEXT("text", move_text, "for people", .more = "{\"minLength\": 1}"),
	FL_FIELD_PUT(LIST, "admitted", put_admitted, NULL, .item = FL_AS_WORKLOAD),
	FL_FIELD_ROWS("preempted", acts, eviction_shape, NULL),
	FL_FIELD_ROWS("holds", holdings, holding_shape,
		      "what the workloads of the loop hold after the move"),
};
static const struct fl_json_shape step_shape = FL_SHAPE(step_fields, "step");
#undef ROW

static struct fl_shape_rows prefix(const struct fl_shape_at *at, const void *row)
{
	(void)row;
	return (struct fl_shape_rows){ moves_of(at)->steps, moves_of(at)->prefix };
}

static struct fl_shape_rows steps(const struct fl_shape_at *at, const void *row)
{
	const struct fl_loop_moves *moves = moves_of(at);

	(void)row;
	return (struct fl_shape_rows){ moves->steps + moves->prefix, moves->n };
}

/* --- a loop --- */

#define ROW struct fl_settle_result
static const struct fl_json_field own_fields[] = {
	FL_FIELD(BOOL, "settled", settled, NULL),
	FL_FIELD(COUNT, "cycles", kept, NULL),
	FL_FIELD(NTH, "firstCycle", loop_first, NULL, .maybe = true),
	FL_FIELD(NTH, "period", loop_period, NULL, .maybe = true),
};
static const struct fl_json_shape own_shape = FL_SHAPE(own_fields, "ownOrder");
#undef ROW

struct loop {
	enum fl_loop kind;
	bool always, race, only_races, knows_races;
	const struct fl_settle_result *own;
	uint32_t shortest;
	const struct fl_workload *cast;
	uint32_t n_cast;
};

static bool fill_loop(struct fl_shape_at *at, const void *source, uint32_t i, void *row)
{
	const struct fl_prove_answer *a = source;
	bool known = a->whole != FL_WHOLE_UNKNOWN, none = a->whole == FL_WHOLE_NONE;

	(void)at;
	(void)i;
	if (a->result->loop == FL_LOOP_NONE)
		return false;
	*(struct loop *)row = (struct loop){ .kind = a->result->loop,
					     .always = a->result->always,
					     .race = known ? none : a->moves->race,
					     .only_races = none,
					     .knows_races = known,
					     .own = a->own,
					     .shortest = a->shortest,
					     .cast = a->moves->cast,
					     .n_cast = a->moves->n_cast };
	return true;
}

#define ROW struct loop
static const struct fl_json_field loop_fields[] = {
	FL_FIELD_ENUM("kind", kind, fl_loop_names, NULL, .first_name = FL_LOOP_POSSIBLE),
	FL_FIELD(BOOL, "always", always, "no order settles from the input"),
	FL_FIELD_TO("ownOrder", own, own_shape, "the scheduler's own cycles"),
	FL_FIELD(NTH, "shortest", shortest,
		 "moves of the shortest round; the one that is shown may be longer, and then takes "
		 "no race"),
	FL_FIELD(BOOL, "race", race,
		 "the loop that is shown takes one: other workloads start between an eviction and "
		 "its preemptor"),
	FL_FIELD(BOOL, "onlyRaces", only_races,
		 "there is no loop in which each preemption is completed first; absent: not "
		 "known",
		 FL_IF_TRUE(knows_races)),
	FL_FIELD_ITEMS(WORKLOAD, "workloads", cast, n_cast, NULL),
	FL_FIELD_ROWS("prefix", prefix, step_shape, NULL),
	FL_FIELD_ROWS("round", steps, step_shape, NULL, .more = "{\"minItems\": 1}"),
};
static const struct fl_json_shape loop_shape =
	FL_SHAPE_MADE(loop_fields, fill_loop, sizeof(struct fl_prove_answer), "loop");
#undef ROW

/* --- the whole --- */

/* The proof that there is no loop. */
static bool is_proof(const struct fl_prove_answer *a)
{
	if (a->end == FL_PROVE_THEOREM)
		return true;
	return fl_proof_is_one(a->result) && !fl_prove_own_goes_on(a);
}

static const char *const ends[] = { [FL_PROVE_ALL] = "all",
				    [FL_PROVE_BOUND] = "bound",
				    [FL_PROVE_MEMORY] = "memory",
				    [FL_PROVE_STOPPED] = "stopped",
				    [FL_PROVE_THEOREM] = "theorem" };

struct whole {
	struct fl_prove_result result;
	enum fl_prove_end end;
	bool proof, bounded;
	const char *doubt;
	struct fl_prove_answer answer;
	const struct fl_remedies *remedies; /* of a loop */
	const struct fl_settle_result *own; /* where there is neither a loop nor a proof */
};

static bool fill_whole(struct fl_shape_at *at, const void *source, uint32_t i, void *row)
{
	const struct fl_prove_answer *a = source;
	bool loop = a->result->loop != FL_LOOP_NONE, proof = is_proof(a);
	bool bounded = !loop && proof && a->end == FL_PROVE_ALL;

	(void)at;
	(void)i;
	*(struct whole *)row = (struct whole){
		.result = *a->result,
		.end = a->end,
		.proof = proof,
		.bounded = bounded,
		.doubt = fl_prove_doubt(a),
		.answer = *a,
		.remedies = loop ? a->remedies : NULL,
		.own = !loop && !bounded && a->result->complete ? a->own : NULL,
	};
	return true;
}

#define ROW struct whole
static const struct fl_json_field fields[] = {
	FL_FIELD(COUNT64, "states", result.states, "explored"),
	FL_FIELD(COUNT64, "moves", result.tried, "tried from them"),
	FL_FIELD(COUNT64, "resting", result.resting, "states from which no move leads on"),
	FL_FIELD(BOOL, "complete", result.complete, "every state that can be reached was explored"),
	FL_FIELD_ENUM(
		"end", end, ends,
		"why it ended; theorem: nothing was explored, it is proved of all such inputs"),
	FL_FIELD(BOOL, "proof", proof, "that there is no loop, whatever the order"),
	FL_FIELD(TEXT, "doubt", doubt,
		 "why it is not a proof, though all was explored and no loop was found",
		 .maybe = true, .more = "{\"minLength\": 1}"),
	FL_FIELD_IN("loop", answer, loop_shape, NULL, .maybe = true),
	FL_FIELD_INLINE_TO(remedies, fl_remedies_shape, NULL, .maybe = true),
	FL_FIELD(COUNT, "mostEvictions", result.bound,
		 "in any order; without a loop, and if complete", FL_IF_TRUE(bounded)),
	FL_FIELD_TO("ownOrder", own, own_shape,
		    "the scheduler's own cycles, if all was explored, no loop found, and there "
		    "is no proof",
		    .maybe = true),
};
static const struct fl_json_shape shape = FL_SHAPE_MADE(fields, fill_whole,
							sizeof(struct fl_prove_answer), "proof");
#undef ROW

const struct fl_document fl_prove_document = { .kind = "Proof",
					       .shape = &shape,
					       .any_policy = true };

void fl_prove_json(const struct fl_report *r, const char *policy, const struct fl_prove_answer *a)
{
	struct fl_document d = fl_prove_document;

	d.policy = policy;
	fl_document_json(r, &d, a);
}
