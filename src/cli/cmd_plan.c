/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>

#include "ask/follow.h"
#include "base/limits.h"
#include "cli/progress.h"
#include "cli/snapshot.h"
#include "report/plan_report.h"

enum { TRIED_CYCLES = 10000 }; /* of a setting that could end a loop */

struct plan {
	struct fl_snapshot *snapshot;
	bool json;
	struct fl_pending_list pending;
	struct fl_shortage_log shortages; /* borrow */
	struct fl_obstacle_log obstacles; /* entitle */
	struct fl_standings standings;
	struct fl_arena arena;
	struct fl_share *shares; /* by node; NULL when fair sharing is off */
	struct fl_plan_json out;
	struct fl_plan_log log;
	struct fl_ticker ticker;
	struct fl_prove_result proof; /* of a loop */
	struct fl_remedies remedies;
};

static struct fl_plan_why why(const struct plan *p)
{
	bool entitle = p->snapshot->entitle;

	return (struct fl_plan_why){ .shortages = entitle ? NULL : &p->shortages,
				     .obstacles = entitle ? &p->obstacles : NULL };
}

static int after_cycle(void *user, const struct fl_settle_cycle *cycle, fairlead_error *err)
{
	struct plan *p = user;
	const struct fl_snapshot *s = p->snapshot;
	struct fl_plan_cycle c = {
		.cycle = cycle,
		.pending = &p->pending,
		.why = why(p),
		.shares = p->shares,
		.standings = s->entitle ? &p->standings : NULL,
	};

	if (p->shortages.out_of_memory || p->obstacles.out_of_memory)
		return fl_fail_nomem(err);
	fl_ticker_show(&p->ticker, "%u cycles", cycle->number);
	fl_shortage_next_cycle(&p->shortages);
	fl_obstacle_next_cycle(&p->obstacles);
	if (s->entitle)
		fl_standings_look(&p->standings, s->policy);
	int rc = fl_pending_fill(&p->pending, s->ops, s->policy, s->model, cycle->decisions, err);
	if (rc == 0)
		rc = fl_plan_log_cycle(&p->log, s->model, &c, err);
	if (rc < 0 || !p->json)
		return rc;
	for (uint32_t n = 0; p->shares && n < s->model->n_nodes; n++)
		if (s->model->nodes[n].inactive == FL_ACTIVE)
			s->ops->share(s->policy, (struct fl_node){ n }, &p->shares[n]);
	return fl_plan_json_cycle(&p->out, &c, err);
}

static int end_json(struct plan *p, const struct fl_plan_end *end, fairlead_error *err)
{
	struct fl_workload *loop = calloc(((size_t)p->log.n_rows + 1) * 2, sizeof(*loop));
	uint32_t *scratch = calloc(((size_t)p->log.n_rows + 1) * 4, sizeof(*scratch));
	int rc = 0;

	if (loop && scratch) {
		uint32_t n = fl_plan_log_loop(&p->log, p->snapshot->model, &end->result, loop,
					      scratch);

		fl_plan_json_end(&p->out, end, &p->log, loop, n);
	} else {
		rc = fl_fail_nomem(err);
	}
	free(loop);
	free(scratch);
	return rc;
}

/* What is kept of every cycle. */
static int prepare(struct plan *p, struct fl_sink *ret, fairlead_error *err)
{
	const struct fl_snapshot *s = p->snapshot;

	if (s->entitle) {
		int rc = fl_standings_init(&p->standings, s->model, &p->arena, err);

		*ret = (struct fl_sink){ .row = fl_obstacle_row, .user = &p->obstacles };
		ret->not_victims = true;
		return rc < 0 ? rc : fl_obstacle_init(&p->obstacles, &fl_mem_heap, s->model, err);
	}
	*ret = (struct fl_sink){ .row = fl_shortage_row, .user = &p->shortages };
	ret->not_victims = true;
	if (s->report.fair) {
		p->shares = calloc((size_t)s->model->n_nodes + 1, sizeof(*p->shares));
		if (!p->shares)
			return fl_fail_nomem(err);
	}
	return fl_shortage_init(&p->shortages, &fl_mem_heap, s->model, err);
}

/* --- a given order --- */

/* The move that could not be made is one of the input. */
static int blame_move(const struct fl_snapshot *s, uint32_t failed, fairlead_error *err)
{
	const struct fl_move_row *row = &s->model->moves[failed];
	char name[FL_REPORT_NAME], text[sizeof(err->text)];

	snprintf(text, sizeof(text), "%s", err->text);
	fl_fail(err, FAIRLEAD_EINPUT, "move %u cannot be made here: %s %s", failed + 1,
		row->kind == FL_MOVE_CYCLE ? "a cycle" :
					     fl_report_workload(s->model, row->workload, name),
		text);
	fl_fail_in(err, "Moves");
	fl_model_fail_at(s->model, row->place, err);
	return FAIRLEAD_EINPUT;
}

static int follow(struct plan *p, const struct fl_settle_options *settle,
		  struct fl_settle_result *ret, fairlead_error *err)
{
	const struct fl_snapshot *s = p->snapshot;
	uint32_t n = s->model->n_moves, failed = 0;
	struct fl_move *moves = calloc((size_t)n + 1, sizeof(*moves));
	struct fl_follow_options options = {
		.mem = settle->mem,
		.sink = settle->sink,
		.now = settle->now,
		.cycles = settle->cycles,
		.moves = moves,
		.n = n,
		.repeat = s->model->settings.moves_repeat,
	};

	if (!moves)
		return fl_fail_nomem(err);
	for (uint32_t i = 0; i < n; i++)
		moves[i] = (struct fl_move){ s->model->moves[i].kind, s->model->moves[i].workload };
	int rc = fl_follow(s->ops, s->policy, s->model, &options, after_cycle, p, ret, &failed,
			   err);
	free(moves);
	return rc == FAIRLEAD_ESTATE ? blame_move(s, failed, err) : rc;
}

/* --- a loop --- */

/* What other orders do, and which settings would end it, where that takes but a moment. */
static int look_closer(struct plan *p, struct fl_plan_end *end, fairlead_error *err)
{
	const struct fl_snapshot *s = p->snapshot;
	const struct fl_remedy_options options = {
		.mem = &fl_mem_heap,
		.arena = &p->arena,
		.now = s->now,
		.interval = s->options->interval,
		.cycles = end->limit < TRIED_CYCLES ? end->limit : TRIED_CYCLES,
		.states = fl_remedy_states(s->model),
	};

	if (!options.states)
		return 0;
	int rc = fl_remedy_none(s->ops, s->model, &options, &p->proof, &end->whole, err);
	if (rc == 0)
		rc = fl_remedies_try(s->ops, s->model, &options, &p->remedies, err);
	end->proof = &p->proof;
	end->remedies = &p->remedies;
	return rc;
}

static int run(struct plan *p, bool *ret_ok, fairlead_error *err)
{
	const struct fl_snapshot *s = p->snapshot;
	const struct fl_options *o = s->options;
	struct fl_sink sink;
	struct fl_settle_options options = {
		.mem = &fl_mem_heap,
		.sink = &sink,
		.now = s->now,
		.interval = o->interval,
		.cycles = o->settle && !o->has_cycles ? FL_MAX_CYCLES : o->cycles,
		.to_the_end = o->settle,
	};
	struct fl_plan_end end = { .settle = o->settle,
				   .given = o->settle && s->model->settings.has_moves,
				   .limit = options.cycles };

	int rc = prepare(p, &sink, err);
	if (rc < 0)
		return rc;
	if (p->json)
		fl_plan_json_start(&p->out, &s->report, s->ops->name);
	rc = end.given ? follow(p, &options, &end.result, err) :
			 fl_settle(s->ops, s->policy, s->model, &options, after_cycle, p,
				   &end.result, err);
	fl_ticker_end(&p->ticker);
	if (rc == 0 && o->settle && end.result.loop_first)
		rc = look_closer(p, &end, err);
	if (rc < 0)
		return rc;
	*ret_ok = !o->settle || (end.given ? !end.result.loop_first : end.result.settled);
	if (p->json)
		return end_json(p, &end, err);
	struct fl_plan_answer answer = {
		.log = &p->log,
		.end = &end,
		.pending = &p->pending,
		.why = why(p),
		.standings = s->entitle ? &p->standings : NULL,
	};
	return fl_plan_text(&s->report, &answer, err);
}

int fl_cmd_plan(const struct fl_options *options)
{
	struct fl_snapshot snapshot;
	struct plan p = {
		.snapshot = &snapshot,
		.json = options->output == FL_OUTPUT_JSON,
		.pending = { .mem = &fl_mem_heap },
		.log = { .mem = &fl_mem_heap },
	};
	fairlead_error err = { 0 };
	bool ok = false;

	fl_arena_init(&p.arena, &fl_mem_heap);
	fl_ticker_begin(&p.ticker);
	int code = fl_snapshot_open(&snapshot, options);
	if (code == FL_EXIT_YES) {
		int rc = run(&p, &ok, &err);

		code = rc < 0 ? fl_complain(&err) : ok ? FL_EXIT_YES : FL_EXIT_NO;
	}
	fl_plan_json_done(&p.out);
	fl_plan_log_done(&p.log);
	fl_pending_done(&p.pending);
	fl_shortage_done(&p.shortages);
	fl_obstacle_done(&p.obstacles);
	fl_arena_done(&p.arena);
	free(p.shares);
	fl_snapshot_done(&snapshot);
	return code;
}
