/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/api/ask/traced.h"

#include <string.h>

#include "base/source.h"
#include "codec/trace/trace.h"
#include "daemon/engine/generation.h"

static const char name[] = "trace";

/* One source, of which each job goes to one queue. */
static int push_source(struct fl_model *m, const char *queue, fairlead_error *err)
{
	struct fl_trace_rule rule = { .to = { FL_NONE } };
	struct fl_trace_row row = { .kind = FL_TRACE_SWF,
				    .nodes_file = { FL_NONE },
				    .length = FL_NEVER,
				    .load = 1,
				    .runtime = 1,
				    .rules = { m->n_trace_rules, 1 } };
	int r = fl_model_sym(m, queue, strlen(queue), &rule.to, err);

	if (r == 0)
		r = fl_model_sym(m, name, sizeof name - 1, &row.file, err);
	if (r == 0)
		r = fl_model_sym(m, name, sizeof name - 1, &m->simulation.name, err);
	if (r == 0)
		r = fl_model_push_trace_rules(m, &rule, /* ret_id= */ NULL, err);
	return r < 0 ? r : fl_model_push_traces(m, &row, /* ret_id= */ NULL, err);
}

/* A name that nothing is filled in has to be that of a queue; others are known when a job comes. */
static int check_queue(const struct fl_model *m, const char *queue, fairlead_error *err)
{
	bool known = strpbrk(queue, "{/") != NULL;

	for (uint32_t i = 0; i < m->n_queues && !known; i++)
		known = strcmp(fl_model_text(m, m->queues[i].name), queue) == 0;
	for (uint32_t i = 0; i < m->n_nodes && !known; i++)
		known = m->nodes[i].kind != FL_COHORT &&
			strcmp(fl_model_text(m, m->nodes[i].name), queue) == 0;
	return known ? 0 : fl_fail(err, FAIRLEAD_EINPUT, "there is no queue '%.253s'", queue);
}

static int read_jobs(struct fl_model *m, const struct fl_traced *traced, fairlead_error *err)
{
	struct fl_text_source text = { traced->text, traced->len };
	int r = check_queue(m, traced->queue, err);

	if (r == 0)
		r = push_source(m, traced->queue, err);
	if (r == 0)
		r = fl_trace_read(m, m->n_traces - 1, name,
				  &(struct fl_source){ fl_text_read, &text }, err);
	m->simulation.whole = true;
	if (r == 0)
		r = fl_simulation_fix_times(m, err);
	return r < 0 ? r : fl_model_seal(m, err);
}

int fl_traced_read(const struct fl_config *config, const struct fl_capacity *capacity,
		   const struct fl_traced *traced, struct fl_live_view *view, fairlead_error *err)
{
	struct fl_model *m = NULL;
	int r = fl_config_model(config, capacity, &fl_mem_heap, &m, err);

	if (r == 0)
		r = fl_generation_policy(m, &view->ops, err);
	if (r == 0)
		r = read_jobs(m, traced, err);
	if (r < 0)
		return r; /* the process ends */

	const struct fl_policy_options options = { .mem = &fl_mem_heap,
						   .now = m->simulation.start -
							  m->simulation.before,
						   .moving_usage = true };

	view->model = m;
	view->now = m->simulation.start;
	return view->ops->new (m, &options, &view->policy, err);
}
