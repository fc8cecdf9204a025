/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <string.h>

#include "report/out/table.h"
#include "report/prove/prove_report.h"

enum {
	CELLS = 8, /* columns of what queues hold, at most */
	HEAD = 24, /* characters of a queue's name above one */
};

struct out {
	const struct fl_report *r;
	const struct fl_prove_answer *a;
};

static const char *plural(uint64_t n) { return n == 1 ? "" : "s"; }

/* "12 states, 30 moves" */
static const char *extent(const struct fl_prove_result *p, char buffer[96])
{
	snprintf(buffer, 96, "%llu state%s, %llu move%s", (unsigned long long)p->states,
		 plural(p->states), (unsigned long long)p->tried, plural(p->tried));
	return buffer;
}

/* How to look further. */
static void say_how_on(const struct out *o)
{
	static const char *const why[] = {
		[FL_PROVE_BOUND] = "That is the bound: --bound N explores more",
		[FL_PROVE_MEMORY] = "That is all the memory allowed: --memory SIZE allows more",
		[FL_PROVE_STOPPED] = "It was stopped",
	};

	if (o->a->end == FL_PROVE_ALL || o->a->end == FL_PROVE_THEOREM)
		return;
	if (o->a->resume)
		fl_report_say(o->r, FL_STYLE_WARN, 0, "%s, and --resume %s goes on from here.",
			      why[o->a->end], o->a->resume);
	else
		fl_report_say(o->r, FL_STYLE_WARN, 0, "%s.", why[o->a->end]);
	if (o->a->result->lifting)
		fl_report_say(o->r, FL_STYLE_PLAIN, 0,
			      "All states were explored in which minimum run times, delays and "
			      "back-offs end together; not yet all in which they end one by one: "
			      "that begins anew each time.");
}

static void say_own(const struct out *o);

static void say_theorem(const struct out *o)
{
	fl_report_say(o->r, FL_STYLE_GOOD, 0, "%s", o->a->theorem[0]);
	fl_report_say(o->r, FL_STYLE_PLAIN, 0, "%s Nothing was explored: --check explores as well.",
		      o->a->theorem[1]);
}

/* All states were explored. */
static void say_all(const struct out *o)
{
	const struct fl_prove_result *p = o->a->result;
	const char *doubt = fl_prove_doubt(o->a);
	char text[96];

	if (o->a->own && o->a->own->loop_first) {
		fl_report_say(o->r, FL_STYLE_BAD, 0,
			      "A preemption loop, in the scheduler's own order alone.");
		say_own(o);
		return;
	}
	if (doubt) {
		fl_report_say(o->r, FL_STYLE_WARN, 0,
			      "No preemption loop was found (%s), but this is not a proof: %s.",
			      extent(p, text), doubt);
		return;
	}
	fl_report_say(o->r, FL_STYLE_GOOD, 0,
		      "No preemption loop: %s, at most %u eviction%s in any order.",
		      extent(p, text), p->bound, plural(p->bound));
	fl_report_say(
		o->r, FL_STYLE_PLAIN, 0,
		"Whatever the order of decisions, preemption settles; %llu of the states "
		"%s settled. Any order means: workloads are considered one by one in any order, "
		"evictions complete at any time, and cycles of the first workload of each queue "
		"come between.",
		(unsigned long long)p->resting, p->resting == 1 ? "is" : "are");
	if (p->timed)
		fl_report_say(
			o->r, FL_STYLE_PLAIN, 0,
			"That holds however long minimum run times, delays and back-offs last: "
			"each was explored before and after its end.");
}

static void say_none(const struct out *o)
{
	char text[96];

	if (o->a->end == FL_PROVE_THEOREM) {
		say_theorem(o);
		return;
	}
	if (o->a->result->complete) {
		say_all(o);
		return;
	}
	fl_report_say(o->r, FL_STYLE_WARN, 0, "No preemption loop so far: %s, and there are more.",
		      extent(o->a->result, text));
	say_how_on(o);
}

/* --- a loop --- */

static void say_own(const struct out *o)
{
	const struct fl_settle_result *own = o->a->own;

	const char *too = o->a->result->loop != FL_LOOP_NONE ? ", too" : "";

	if (own->loop_first && own->loop_period == 1)
		fl_report_say(o->r, FL_STYLE_PLAIN, 0,
			      "The scheduler's own order loops%s: cycle %u repeats for ever "
			      "(plan --settle).",
			      too, own->loop_first);
	else if (own->loop_first)
		fl_report_say(o->r, FL_STYLE_PLAIN, 0,
			      "The scheduler's own order loops%s: cycles %u to %u repeat "
			      "for ever (plan --settle).",
			      too, own->loop_first, own->loop_first + own->loop_period - 1);
	else if (own->settled)
		fl_report_say(
			o->r, FL_STYLE_PLAIN, 0,
			"The scheduler's own order does not enter the loop: it settles after %u "
			"cycle%s. Another order of arrivals, evictions or retries may enter it.",
			own->kept, plural(own->kept));
	else
		fl_report_say(o->r, FL_STYLE_PLAIN, 0,
			      "The scheduler's own order has not settled after %u cycles.",
			      own->cycles);
}

/* Does the loop that is shown take a race? */
static bool takes_race(const struct fl_prove_answer *a)
{
	return a->whole == FL_WHOLE_NONE || (a->whole == FL_WHOLE_UNKNOWN && a->moves->race);
}

/* Shares of both sides, once for each pair of them that a step weighs. */
static void say_shares(const struct out *o, const struct fl_loop_step *s)
{
	const struct fl_loop_moves *moves = o->a->moves;

	for (uint32_t i = s->acts.first; i < s->acts.first + s->acts.n; i++) {
		const struct fl_loop_side *sides = moves->acts[i].sides;
		bool told = sides[0].node.v == FL_NONE;
		char text[4][32];

		for (uint32_t k = s->acts.first; k < i && !told; k++)
			told = moves->acts[k].sides[0].node.v == sides[0].node.v &&
			       moves->acts[k].sides[1].node.v == sides[1].node.v;
		if (told)
			continue;
		for (int n = 0; n < 2; n++) {
			fl_loop_share(sides[n].before.precise, text[2 * n]);
			fl_loop_share(sides[n].after.precise, text[2 * n + 1]);
		}
		fl_report_say(o->r, FL_STYLE_DIM, 3,
			      "%s once that is done: %s %s -> %s, %s %s -> %s",
			      o->r->model->nodes[sides[0].node.v].kind == FL_QUEUE ? "saturation" :
										     "shares",
			      fl_report_node(o->r->model, sides[0].node), text[0], text[1],
			      fl_report_node(o->r->model, sides[1].node), text[2], text[3]);
	}
}

static void say_step(const struct out *o, uint32_t i)
{
	const struct fl_loop_moves *moves = o->a->moves;
	const struct fl_loop_step *s = &moves->steps[i];
	char text[FL_LOOP_MOVE_TEXT], name[FL_REPORT_NAME];

	fl_report_say(o->r, FL_STYLE_PLAIN, 0, "%u. %s", i + 1,
		      fl_loop_move(o->r, moves, i, /* longest= */ 0, text));
	for (uint32_t k = s->acts.first; k < s->acts.first + s->acts.n; k++) {
		const struct fl_loop_act *act = &moves->acts[k];

		if (act->kind != FL_EVICT)
			continue;
		fl_loop_proof(o->r, act, /* longest= */ 0, text);
		fl_report_say(o->r, FL_STYLE_PLAIN, 3, "%s: %s%s%s",
			      fl_report_workload(o->r->model, act->workload, name),
			      fl_reason_name(act->reason), *text ? "; " : "", text);
	}
	say_shares(o, s);
}

/* Whether the loop takes a race, and whether other loops do. */
static void say_race(const struct out *o)
{
	static const char *const all[] = {
		[FL_WHOLE_UNKNOWN] =
			"This loop takes a race: other workloads use freed quota before the "
			"preemptor is admitted. Whether there is a loop without a race is "
			"not known.",
		[FL_WHOLE_NONE] =
			"It takes a race: other workloads use freed quota before the "
			"preemptor is admitted. If each preemption is completed first, there "
			"is no loop.",
	};
	char shorter[96] = "";

	if (takes_race(o->a)) {
		fl_report_say(o->r, FL_STYLE_PLAIN, 0, "%s", all[o->a->whole]);
		return;
	}
	if (o->a->shortest < o->a->moves->n)
		snprintf(shorter, sizeof(shorter), " With races, %u move%s.", o->a->shortest,
			 o->a->shortest == 1 ? " is enough" : "s are enough");
	fl_report_say(
		o->r, FL_STYLE_PLAIN, 0,
		"It takes no race: each preemption is completed before another workload %s.%s",
		o->a->whole == FL_WHOLE_LOOP ? "is considered" : "starts", shorter);
}

static void say_steps(const struct out *o)
{
	const struct fl_loop_moves *moves = o->a->moves;

	if (moves->prefix)
		fl_report_say(o->r, FL_STYLE_BOLD, 0,
			      "The way into the loop, %u move%s:", moves->prefix,
			      plural(moves->prefix));
	for (uint32_t i = 0; i < moves->prefix; i++)
		say_step(o, i);
	if (moves->prefix)
		putc('\n', o->r->out);
	fl_report_say(o->r, FL_STYLE_BOLD, 0, "The round, %u move%s:", moves->n, plural(moves->n));
	for (uint32_t i = moves->prefix; i < moves->prefix + moves->n; i++)
		say_step(o, i);
	if (moves->closes)
		fl_report_say(o->r, FL_STYLE_BAD, 0, "The state is again that before move %u.",
			      moves->prefix + 1);
	say_race(o);
}

/* --- what workloads hold --- */

/* "5: ns/a, ns/b" */
static void put_cell(const struct out *o, const struct fl_span *state, uint32_t queue,
		     uint32_t resource, char *text, size_t size)
{
	const struct fl_loop_moves *moves = o->a->moves;
	const struct fl_loop_queue *q = &moves->queues[queue];
	double sum = q->others[resource];
	char name[FL_REPORT_NAME], amount[32], names[512] = "";
	size_t used = 0;

	for (uint32_t i = state->first; i < state->first + state->n; i++) {
		const struct fl_loop_holding *h = &moves->holdings[i];

		if (h->queue.v != q->node.v || h->amount[resource] <= 0)
			continue;
		sum += h->amount[resource];
		if (used < sizeof(names))
			used += (size_t)snprintf(names + used, sizeof(names) - used, "%s%s%s",
						 used ? ", " : ": ",
						 fl_report_workload(o->r->model, h->workload, name),
						 h->going ? " (leaving)" : "");
	}
	snprintf(text, size, "%s%s", fl_loop_amount(o->r, moves->resources[resource], sum, amount),
		 names);
}

static int add_state(const struct out *o, struct fl_table *t, const char *label,
		     const struct fl_span *state, fairlead_error *err)
{
	const struct fl_loop_moves *moves = o->a->moves;
	char text[1024];
	unsigned column = 1;
	int rc = fl_table_row(t, -1, err);

	if (rc >= 0)
		rc = fl_table_cell(t, 0, label, err);
	for (uint32_t q = 0; q < moves->n_queues; q++)
		for (uint32_t k = 0; k < moves->n_resources && rc == 0; k++) {
			put_cell(o, state, q, k, text, sizeof(text));
			rc = fl_table_cell(t, column++, text, err);
		}
	return rc;
}

static int print_states(const struct out *o, fairlead_error *err)
{
	const struct fl_loop_moves *moves = o->a->moves;
	struct fl_table *t = NULL;
	char heads[CELLS][FL_REPORT_NAME], text[32], amount[32];
	unsigned n = 0;

	if (moves->n_queues * moves->n_resources > CELLS)
		return 0;
	putc('\n', o->r->out);
	fl_report_say(o->r, FL_STYLE_BOLD, 0, "What workloads hold, by queue (quota):");
	int rc = fl_table_new(o->r, &t, err);
	if (rc == 0)
		rc = fl_table_column(t, "AFTER", 0, 0, err);
	for (uint32_t q = 0; q < moves->n_queues; q++)
		for (uint32_t k = 0; k < moves->n_resources && rc == 0; k++) {
			const char *name = fl_report_node(o->r->model, moves->queues[q].node);
			char cut[FL_REPORT_NAME];

			snprintf(heads[n], sizeof(heads[n]), "%.250s (%s %.200s)",
				 fl_loop_cut(name, HEAD, cut),
				 fl_loop_amount(o->r, moves->resources[k],
						moves->queues[q].quota[k], amount),
				 fl_report_short_resource(o->r->model, moves->resources[k]));
			rc = fl_table_column(t, heads[n++], FL_COL_WRAP, moves->n_queues - q + 1,
					     err);
		}
	for (uint32_t i = moves->prefix; i <= moves->prefix + moves->n && rc == 0; i++) {
		if (i)
			snprintf(text, sizeof(text), "%u.", i);
		rc = add_state(o, t, i ? text : "",
			       i ? &moves->steps[i - 1].holdings : &moves->start, err);
	}
	return fl_table_end(t, rc, err);
}

static int say_loop(const struct out *o, fairlead_error *err)
{
	const struct fl_prove_result *p = o->a->result;
	const struct fl_settings *settings = &o->r->model->settings;
	char text[96];

	fl_report_say(o->r, FL_STYLE_BAD, 0, "A preemption loop, %s%s: %s.", fl_loop_names[p->loop],
		      takes_race(o->a) ? ", by a race" : "", fl_loop_meaning(p));
	say_own(o);
	fl_report_say(o->r, FL_STYLE_PLAIN, 0, "Explored: %s%s.", extent(p, text),
		      p->complete ? ", all there are" : "");
	say_how_on(o);
	if (settings->settles && settings->eviction_timeout > 0)
		fl_report_say(o->r, FL_STYLE_PLAIN, 0,
			      "preemptionGuarantee: settles holds only while no eviction takes "
			      "longer than evictionTimeout.");
	putc('\n', o->r->out);
	say_steps(o);
	int rc = print_states(o, err);
	if (rc < 0)
		return rc;
	putc('\n', o->r->out);
	return fl_remedies_text(o->r, o->a->remedies, err);
}

int fl_prove_text(const struct fl_report *r, const struct fl_prove_answer *a, fairlead_error *err)
{
	const struct out o = { r, a };
	int rc = 0;

	fl_report_warnings(r);
	if (a->result->loop == FL_LOOP_NONE)
		say_none(&o);
	else
		rc = say_loop(&o, err);
	if (r->n_assumptions)
		putc('\n', r->out);
	fl_report_assumptions(r);
	return rc;
}
