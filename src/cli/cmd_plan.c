/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "base/limits.h"
#include "cli/snapshot.h"
#include "report/plan_report.h"

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
	bool progress; /* standard error is a terminal */
	time_t shown;
	bool drawn;
};

/* Long work on a terminal shows that it goes on, in one line that is taken back
 * at the end. */
static void show_progress(struct plan *p, uint32_t cycle)
{
	time_t now = time(NULL);

	if (!p->progress || now == p->shown)
		return;
	if (p->shown) {
		fprintf(stderr, "\rfairlead: %u cycles ", cycle);
		p->drawn = true;
	}
	p->shown = now;
}

static void end_progress(const struct plan *p)
{
	if (p->drawn)
		fputs("\r\033[K", stderr);
}

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
	show_progress(p, cycle->number);
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

		fl_plan_json_end(&p->out, end, loop, n);
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
	struct fl_plan_end end = { .settle = o->settle, .limit = options.cycles };

	int rc = prepare(p, &sink, err);
	if (rc < 0)
		return rc;
	if (p->json)
		fl_plan_json_start(&p->out, &s->report, s->ops->name);
	rc = fl_settle(s->ops, s->policy, s->model, &options, after_cycle, p, &end.result, err);
	end_progress(p);
	if (rc < 0)
		return rc;
	*ret_ok = !o->settle || end.result.settled;
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
		.progress = isatty(STDERR_FILENO),
		.pending = { .mem = &fl_mem_heap },
		.log = { .mem = &fl_mem_heap },
	};
	fairlead_error err = { 0 };
	bool ok = false;

	fl_arena_init(&p.arena, &fl_mem_heap);
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
