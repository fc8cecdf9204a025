/* SPDX-License-Identifier: Apache-2.0 */
/* The moves of a loop in words. */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "report/prove/prove_report.h"

enum { NAMED = 3 }; /* victims of one preemption that are called by name */

const char *const fl_loop_names[FL_LOOP_FORCED + 1] = {
	[FL_LOOP_NONE] = "none", [FL_LOOP_POSSIBLE] = "possible", [FL_LOOP_FORCED] = "forced"
};

const char *fl_loop_meaning(const struct fl_prove_result *result)
{
	if (result->loop == FL_LOOP_NONE)
		return "";
	if (result->always)
		return "whatever the order of decisions, preemption never settles";
	if (result->loop == FL_LOOP_FORCED)
		return "once in it, no order of decisions settles any more";
	return "some order of decisions loops for ever, and from there another one settles";
}

const char *fl_prove_doubt(const struct fl_prove_answer *a)
{
	static const char *const doubts[] = {
		[FL_DOUBT_LIFTED] =
			"minimum run times, delays or back-offs that end in another order than was "
			"looked at could let it go round, and whether they can end so is not known",
		[FL_DOUBT_TIME] = "minimum run times, and the patience with gangs short of their "
				  "minimum, end one by one, and only what follows when all have "
				  "ended was looked at",
		[FL_DOUBT_EVICTIONS] =
			"evictionTimeout may pass for one eviction and not yet for another, and "
			"only what follows when it has passed for all was looked at",
		[FL_DOUBT_LOCAL_USAGE] =
			"local queues of one ClusterQueue come in the order of their usage, and "
			"only those orders were looked at to which the decisions themselves lead",
		[FL_DOUBT_USAGE] =
			"usage over time or budgets say what is fair, and usage was left "
			"as it is in the input",
	};

	if (a->end == FL_PROVE_THEOREM || a->result->loop != FL_LOOP_NONE || !a->result->complete)
		return NULL;
	if (a->result->doubt == FL_DOUBT_NONE && fl_prove_own_goes_on(a))
		return "the scheduler's own order had not settled in the cycles that were tried "
		       "(plan --settle)";
	return doubts[a->result->doubt];
}

const char *fl_move_name(enum fl_move_kind kind)
{
	static const char *const names[] = {
		[FL_MOVE_SERVE] = "serve",
		[FL_MOVE_LET_GO] = "letGo",
		[FL_MOVE_CYCLE] = "cycle",
		[FL_MOVE_WAIT] = "wait",
	};

	return names[kind];
}

const char *fl_loop_share(double share, char buffer[32])
{
	if (isinf(share))
		snprintf(buffer, 32, "inf");
	else
		snprintf(buffer, 32, "%.6g", share);
	return buffer;
}

const char *fl_loop_amount(const struct fl_report *r, struct fl_resource resource, double amount,
			   char buffer[32])
{
	if (amount == FL_UNBOUNDED)
		snprintf(buffer, 32, "unlimited");
	else if (amount != floor(amount) || fabs(amount) >= 0x1p62)
		snprintf(buffer, 32, "%.4g", amount);
	else
		fl_report_amounts(r, resource, &(fl_amount){ (fl_amount)amount }, 1,
				  (char(*)[32])buffer);
	return buffer;
}

const char *fl_loop_cut(const char *text, unsigned longest, char buffer[FL_REPORT_NAME])
{
	size_t chars = 0, head = longest / 2, at = 0, used = 0;

	for (size_t i = 0; text[i]; chars++)
		i += fl_report_utf8(text + i) ? fl_report_utf8(text + i) : 1;
	if (!longest || chars <= longest)
		return text;
	for (size_t c = 0; c < chars; c++) {
		size_t n = fl_report_utf8(text + at) ? fl_report_utf8(text + at) : 1;

		if (c == head)
			used += (size_t)snprintf(buffer + used, FL_REPORT_NAME - used, "…");
		if ((c < head || c + longest > chars + head) && used + n < FL_REPORT_NAME) {
			memcpy(buffer + used, text + at, n);
			used += n;
		}
		at += n;
	}
	buffer[used] = '\0';
	return buffer;
}

/* --- text behind text --- */

struct out {
	char *text;
	size_t used;
	const struct fl_report *r;
	unsigned longest; /* of a name */
};

static void FL_PRINTF(2, 3) put(struct out *o, const char *format, ...)
{
	va_list args;
	int n;

	va_start(args, format);
	n = vsnprintf(o->text + o->used, FL_LOOP_MOVE_TEXT - o->used, format, args);
	va_end(args);
	if (n > 0)
		o->used += (size_t)n < FL_LOOP_MOVE_TEXT - o->used ?
				   (size_t)n :
				   FL_LOOP_MOVE_TEXT - o->used - 1;
}

static void put_name(struct out *o, struct fl_workload w)
{
	char name[FL_REPORT_NAME], buffer[FL_REPORT_NAME];

	put(o, "%s", fl_loop_cut(fl_report_workload(o->r->model, w, name), o->longest, buffer));
}

static void put_node(struct out *o, struct fl_node n)
{
	char buffer[FL_REPORT_NAME];

	put(o, "%s",
	    n.v == FL_NONE ? "its side" :
			     fl_loop_cut(fl_report_node(o->r->model, n), o->longest, buffer));
}

/* " (team-a)" */
static void put_queue(struct out *o, struct fl_node n)
{
	if (n.v == FL_NONE)
		return;
	put(o, " (");
	put_node(o, n);
	put(o, ")");
}

/* --- a move --- */

/* Does an earlier act of the step have this preemptor? Then it has been named. */
static bool was_told(const struct fl_loop_moves *moves, const struct fl_span *acts, uint32_t act)
{
	for (uint32_t i = acts->first; i < act; i++)
		if (moves->acts[i].kind == FL_EVICT &&
		    moves->acts[i].preemptor.v == moves->acts[act].preemptor.v)
			return true;
	return false;
}

/* Is the place reserved for the preemptor of an eviction of the step? Then it needs no words. */
static bool goes_without_saying(const struct fl_loop_moves *moves, const struct fl_span *acts,
				uint32_t act)
{
	for (uint32_t i = acts->first; i < acts->first + acts->n; i++)
		if (moves->acts[act].kind == FL_RESERVE && moves->acts[i].kind == FL_EVICT &&
		    moves->acts[i].preemptor.v == moves->acts[act].workload.v)
			return true;
	return moves->acts[act].kind == FL_EVICT && was_told(moves, acts, act);
}

static bool is_together(const struct fl_loop_act *a, const struct fl_loop_act *b)
{
	return b->kind == FL_EVICT && b->preemptor.v == a->preemptor.v;
}

/* "ns/a (q) preempts ns/b and ns/c (p)": all victims of one preemptor. */
static void put_taking(struct out *o, const struct fl_loop_moves *moves, const struct fl_span *acts,
		       uint32_t at)
{
	const struct fl_loop_act *first = &moves->acts[at];
	uint32_t n = 0, told = 0, end = acts->first + acts->n;

	for (uint32_t i = at; i < end; i++)
		n += is_together(first, &moves->acts[i]);
	if (first->preemptor.v == FL_NONE) {
		put_name(o, first->workload);
		put(o, " is evicted");
		return;
	}
	put_name(o, first->preemptor);
	put_queue(o, first->preemptor_queue);
	put(o, " preempts ");
	for (uint32_t i = at; i < end && told < NAMED; i++) {
		const struct fl_loop_act *act = &moves->acts[i];

		if (!is_together(first, act))
			continue;
		put(o, "%s", told == 0 ? "" : told + 1 == n ? " and " : ", ");
		put_name(o, act->workload);
		put_queue(o, act->queue);
		told++;
	}
	if (n > told)
		put(o, " and %u more", n - told);
}

static void put_act(struct out *o, const struct fl_loop_moves *moves, const struct fl_span *acts,
		    uint32_t at)
{
	const struct fl_loop_act *act = &moves->acts[at];

	if (act->kind == FL_EVICT) {
		put_taking(o, moves, acts, at);
		return;
	}
	put_name(o, act->workload);
	put_queue(o, act->queue);
	put(o, act->kind == FL_ADMIT ? " starts" : " has a place reserved");
}

const char *fl_loop_move(const struct fl_report *r, const struct fl_loop_moves *moves,
			 uint32_t step, unsigned longest, char buffer[FL_LOOP_MOVE_TEXT])
{
	const struct fl_loop_step *s = &moves->steps[step];
	struct out o = { .text = buffer, .r = r, .longest = longest };
	bool any = false;

	*buffer = '\0';
	if (s->move.kind == FL_MOVE_LET_GO) {
		put_name(&o, s->move.workload);
		put_queue(&o, s->queue);
		put(&o, " has stopped");
		any = true;
	}
	for (uint32_t i = s->acts.first; i < s->acts.first + s->acts.n; i++) {
		if (goes_without_saying(moves, &s->acts, i))
			continue;
		put(&o, "%s", any ? "; " : "");
		put_act(&o, moves, &s->acts, i);
		any = true;
	}
	if (!any && s->move.kind == FL_MOVE_SERVE) {
		put_name(&o, s->move.workload);
		put(&o, " is considered");
	} else if (s->move.kind == FL_MOVE_WAIT) {
		put(&o, "time passes until no refusal is temporary any more");
	} else if (!any) {
		put(&o, "a cycle decides nothing");
	}
	return buffer;
}

/* --- by which rule --- */

static const char *number(const struct fl_report *r, const struct fl_evidence *e,
			  const struct fl_number *n, char buffer[32])
{
	switch (n->kind) {
	case FL_NUMBER_SHARE:
	case FL_NUMBER_RATIO:
		return fl_loop_share(n->share, buffer);
	case FL_NUMBER_BUNDLE:
		return fl_loop_amount(r, e->resource, n->share, buffer);
	case FL_NUMBER_TIME:
	case FL_NUMBER_DURATION:
		return fl_report_seconds(n->amount, buffer);
	case FL_NUMBER_AMOUNT:
		if (e->resource.v != FL_NONE)
			return fl_report_amount(r, e->resource, n->amount, buffer);
		snprintf(buffer, 32, "%lld", (long long)n->amount);
		return buffer;
	}
	return "";
}

static void put_shares(struct out *o, const struct fl_loop_act *act, const char *lhs,
		       const char *rhs)
{
	bool final = act->proof.check == FL_CHECK_S2A;

	put(o, "%s: share of ", fl_check_name(act->proof.check));
	put_node(o, act->sides[0].node);
	put(o, " with ");
	put_name(o, act->preemptor);
	put(o, ", %s, %s share of ", lhs, final ? "<=" : "<");
	put_node(o, act->sides[1].node);
	if (final) {
		put(o, " without ");
		put_name(o, act->workload);
	}
	put(o, ", %s", rhs);
}

const char *fl_loop_proof(const struct fl_report *r, const struct fl_loop_act *act,
			  unsigned longest, char buffer[FL_LOOP_MOVE_TEXT])
{
	const struct fl_evidence *e = &act->proof;
	struct out o = { .text = buffer, .r = r, .longest = longest };
	const char *resource = act->has_proof && e->resource.v != FL_NONE ?
				       fl_report_short_resource(r->model, e->resource) :
				       "";
	char lhs[32], rhs[32];

	*buffer = '\0';
	if (!act->has_proof)
		return buffer;
	number(r, e, &e->lhs, lhs);
	number(r, e, &e->rhs, rhs);
	switch (e->check) {
	case FL_CHECK_S2A:
	case FL_CHECK_S2B:
		put_shares(&o, act, lhs, rhs);
		break;
	case FL_CHECK_WITHIN_NOMINAL:
		put(&o, "S1: with it ");
		put_node(&o, e->node);
		put(&o, " uses %s %s of its quota of %s", lhs, resource, rhs);
		break;
	case FL_CHECK_CAN_RECLAIM:
		put(&o, "with it ");
		put_node(&o, e->node);
		put(&o, " holds %s %s of its fair share of %s", lhs, resource, rhs);
		break;
	case FL_CHECK_VICTIM_PRIORITY:
		put(&o, "its priority %s < %s", lhs, rhs);
		break;
	case FL_CHECK_VICTIM_AGE:
		put(&o, "of equal priority, and came later");
		break;
	case FL_CHECK_MAINTAIN_FAIR_SHARE:
	case FL_CHECK_GUARANTEE_DESERVED:
		put(&o, "%s: %s %s < %s %s that ", fl_check_name(e->check), lhs, resource, rhs,
		    resource);
		put_node(&o, e->node);
		put(&o, " still holds");
		break;
	default:
		put(&o, "%s: %s, %s", fl_check_name(e->check), lhs, rhs);
	}
	return buffer;
}
