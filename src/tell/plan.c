/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>

#include "ask/prove/follow.h"
#include "tell/face.h"

enum { TRIED_CYCLES = 10000 }; /* of a setting that could end a loop */

struct plan {
	const struct fl_question *q;
	const struct fl_tell_plan *options;
	struct fl_pending_list pending;
	const struct fl_face *face;
	struct fl_why *why;
	void *stand; /* of the face's reports */
	struct fl_plan_json out;
	struct fl_plan_log log;
	struct fl_prove_result proof; /* of a loop */
	struct fl_remedies remedies;
};

static int after_cycle(void *user, const struct fl_settle_cycle *cycle, fairlead_error *err)
{
	struct plan *p = user;
	const struct fl_question *q = p->q;
	struct fl_plan_cycle c = {
		.cycle = cycle,
		.pending = &p->pending,
		.why = p->why,
		.stand = p->stand,
	};

	if (p->why->out_of_memory)
		return fl_fail_nomem(err);
	if (p->options->progress)
		p->options->progress(p->options->user, cycle->number);
	p->why->cycle++;
	int rc = fl_pending_fill(&p->pending, q->ops, q->policy, q->model, cycle->decisions, err);
	if (rc == 0)
		rc = fl_plan_log_cycle(&p->log, q->model, &c, err);
	if (rc < 0 || !q->json)
		return rc;
	if (p->stand)
		p->face->report->stand_look(p->stand, q->ops, q->policy);
	return fl_plan_json_cycle(&p->out, &c, err);
}

static int end_json(struct plan *p, const struct fl_plan_end *end, fairlead_error *err)
{
	struct fl_workload *loop = calloc(((size_t)p->log.n_rows + 1) * 2, sizeof(*loop));
	uint32_t *scratch = calloc(((size_t)p->log.n_rows + 1) * 4, sizeof(*scratch));
	int rc = 0;

	if (loop && scratch) {
		uint32_t n = fl_plan_log_loop(&p->log, p->q->model, &end->result, loop, scratch);

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
	const struct fl_question *q = p->q;

	int rc = p->face->ask->why_new(&fl_mem_heap, q->model, &p->why, err);

	if (rc < 0)
		return rc;
	*ret = (struct fl_sink){ .row = p->why->kind->row, .user = p->why, .not_victims = true };
	return p->face->report->stand_new(q->report, q->arena, &p->stand, err);
}

/* --- a given order --- */

/* The move that could not be made is one of the input. */
static int blame_move(const struct fl_question *q, uint32_t failed, fairlead_error *err)
{
	const struct fl_move_row *row = &q->model->moves[failed];
	char name[FL_REPORT_NAME], text[sizeof(err->text)];

	snprintf(text, sizeof(text), "%s", err->text);
	fl_fail(err, FAIRLEAD_EINPUT, "move %u cannot be made here: %s %s", failed + 1,
		!fl_move_names(row->kind) ? "a cycle" :
					    fl_report_workload(q->model, row->workload, name),
		text);
	fl_fail_in(err, "Moves");
	fl_model_fail_at(q->model, row->place, err);
	return FAIRLEAD_EINPUT;
}

static int follow(struct plan *p, const struct fl_settle_options *settle,
		  struct fl_settle_result *ret, fairlead_error *err)
{
	const struct fl_question *q = p->q;
	uint32_t n = q->model->n_moves, failed = 0;
	struct fl_move *moves = calloc((size_t)n + 1, sizeof(*moves));
	struct fl_follow_options options = {
		.mem = settle->mem,
		.sink = settle->sink,
		.now = settle->now,
		.cycles = settle->cycles,
		.moves = moves,
		.n = n,
		.repeat = q->model->settings.moves_repeat,
	};

	if (!moves)
		return fl_fail_nomem(err);
	for (uint32_t i = 0; i < n; i++)
		moves[i] = (struct fl_move){ q->model->moves[i].kind, q->model->moves[i].workload };
	int rc = fl_follow(q->ops, q->policy, q->model, &options, after_cycle, p, ret, &failed,
			   err);
	free(moves);
	return rc == FAIRLEAD_ESTATE ? blame_move(q, failed, err) : rc;
}

/* --- a loop --- */

/* What other orders do, and which settings would end it, where that takes but a moment. */
static int look_closer(struct plan *p, struct fl_plan_end *end, fairlead_error *err)
{
	const struct fl_question *q = p->q;
	const struct fl_remedy_options options = {
		.mem = &fl_mem_heap,
		.arena = q->arena,
		.now = q->now,
		.interval = p->options->interval,
		.cycles = end->limit < TRIED_CYCLES ? end->limit : TRIED_CYCLES,
		.states = fl_remedy_states(q->model),
	};

	if (!options.states)
		return 0;
	int rc = fl_remedy_none(q->ops, q->model, &options, &p->proof, &end->whole, err);
	if (rc == 0)
		rc = fl_remedies_try(q->ops, q->model, &options, &p->remedies, err);
	end->proof = &p->proof;
	end->remedies = &p->remedies;
	return rc;
}

static int run(struct plan *p, bool *ret_ok, fairlead_error *err)
{
	const struct fl_question *q = p->q;
	const struct fl_tell_plan *o = p->options;
	struct fl_sink sink;
	struct fl_settle_options options = {
		.mem = &fl_mem_heap,
		.sink = &sink,
		.now = q->now,
		.interval = o->interval,
		.cycles = o->cycles,
		.to_the_end = o->settle,
	};
	struct fl_plan_end end = { .settle = o->settle,
				   .given = o->settle && q->model->settings.has_moves,
				   .limit = options.cycles };

	int rc = prepare(p, &sink, err);
	if (rc < 0)
		return rc;
	if (q->json)
		fl_plan_json_start(&p->out, q->report, p->face->report, q->ops->name);
	rc = end.given ? follow(p, &options, &end.result, err) :
			 fl_settle(q->ops, q->policy, q->model, &options, after_cycle, p,
				   &end.result, err);
	if (rc == 0 && o->settle && end.result.loop_first)
		rc = look_closer(p, &end, err);
	if (rc < 0)
		return rc;
	*ret_ok = !o->settle || (end.given ? !end.result.loop_first : end.result.settled);
	if (q->json)
		return end_json(p, &end, err);
	if (p->stand)
		p->face->report->stand_look(p->stand, q->ops, q->policy);
	struct fl_plan_answer answer = {
		.log = &p->log,
		.end = &end,
		.pending = &p->pending,
		.why = p->why,
		.face = p->face->report,
		.stand = p->stand,
	};
	return fl_plan_text(q->report, &answer, err);
}

int fl_tell_plan(const struct fl_question *q, const struct fl_tell_plan *options, bool *ret_ok,
		 fairlead_error *err)
{
	struct plan p = {
		.q = q,
		.face = fl_face_of(q->ops),
		.options = options,
		.pending = { .mem = &fl_mem_heap },
		.log = { .mem = &fl_mem_heap },
	};
	int rc = run(&p, ret_ok, err);

	fl_plan_json_done(&p.out);
	fl_plan_log_done(&p.log);
	fl_pending_done(&p.pending);
	if (p.why)
		p.why->kind->free(p.why);
	return rc;
}
