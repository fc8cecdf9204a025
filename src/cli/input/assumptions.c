/* SPDX-License-Identifier: Apache-2.0 */
#include <stdarg.h>

#include "base/time.h"
#include "cli/input/snapshot.h"
#include "decide/policies.h"

static void assume(struct fl_snapshot *s, const char *format, ...) FL_PRINTF(2, 3);
static void assume(struct fl_snapshot *s, const char *format, ...)
{
	va_list args;
	char *text = NULL;

	if (s->n_assumptions == FL_MAX_ASSUMPTIONS)
		return;
	va_start(args, format);
	int n = vasprintf(&text, format, args);
	va_end(args);
	if (n >= 0)
		s->assumptions[s->n_assumptions++] = text;
	else
		s->out_of_memory = true;
}

static void assume_clock(struct fl_snapshot *s)
{
	char time[40];

	if (!s->options->has_now && s->model->newest == FL_TIME_NONE)
		assume(s, "the clock is 1970-01-01T00:00:00Z: no time in the input");
	else if (!s->options->has_now)
		assume(s, "the clock is %s, the newest time in the input",
		       fl_time_format(time, s->now));
}

static void assume_borrow(struct fl_snapshot *s)
{
	const struct fl_model *m = s->model;

	if (!m->settings.present)
		assume(s, "fair sharing is off: no Configuration in the input");
	if (s->assumed_namespaces)
		assume(s, "every namespace exists, with its name as only label: no "
			  "Namespaces in the input");
	assume_clock(s);
	assume(s, "no workload is parked and no flavor search is under way: objects "
		  "do not tell");
	if (m->n_limit_ranges == 0)
		assume(s, "containers take what they state: no LimitRange in the input");
	for (uint32_t i = 0; i < m->n_nodes; i++)
		if (m->nodes[i].usage_based && !m->settings.exact_usage) {
			assume(s, "entry penalties of admission fair sharing are zero: objects "
				  "do not tell");
			break;
		}
}

static void assume_entitle(struct fl_snapshot *s)
{
	const struct fl_model *m = s->model;
	bool history = m->n_samples || m->n_usages;
	uint32_t foreign = 0;

	for (uint32_t i = 0; i < m->n_tasks; i++)
		foreign += m->tasks[i].foreign && m->tasks[i].machine.v != FL_NONE;
	if (!m->entitle.present && !m->entitle.fairshare_body)
		assume(s, "k is 1, nobody has a minimum run time, and all actions are on: "
			  "no SchedulingShard "
			  "in the input");
	if (m->entitle.k > 0 && !history)
		assume(s, "nobody has used anything so far: no history of usage in the input");
	else if (m->entitle.k > 0 && !s->simulated)
		assume(s, "usage over time stays as it is: what is decided here does not "
			  "add to it");
	assume_clock(s);
	if (m->n_machines == 0)
		assume(s, "there is nothing to run on: no Node in the input");
	if (foreign)
		assume(s, "%u pod%s of other schedulers stay%s where %s", foreign,
		       foreign == 1 ? "" : "s", foreign == 1 ? "s" : "",
		       foreign == 1 ? "it is" : "they are");
	if (!s->simulated)
		assume(s, "nothing finishes, and who is evicted is gone by the next cycle");
	if (m->entitle.has_budgets && m->n_samples == 0)
		assume(s, "no budget is used yet: no samples of usage in the input");
	else if (m->entitle.has_budgets && !s->simulated)
		assume(s, "what is used of budgets stays as it is: what is decided here does not "
			  "add to it");
}

static void assume_simulated(struct fl_snapshot *s)
{
	const struct fl_model *m = s->model;
	uint32_t endless = 0;

	for (uint32_t i = 0; i < m->n_workloads; i++)
		endless += !m->workloads[i].finished;
	for (uint32_t i = 0; i < m->n_lives; i++)
		endless -= m->lives[i].runs != FL_NEVER &&
			   !m->workloads[m->lives[i].workload.v].finished;
	if (endless && !s->options->from_snapshot)
		assume(s, "%u workload%s never end%s: nothing says how long %s", endless,
		       endless == 1 ? "" : "s", endless == 1 ? "s" : "",
		       endless == 1 ? "it runs" : "they run");
	assume(s,
	       "who is admitted runs at once, and nobody submits differently because of waiting");
}

void fl_snapshot_assume(struct fl_snapshot *s)
{
	const struct fl_model *m = s->model;

	if (fl_policy_dialect(s->ops) == FL_DIALECT_KAI)
		assume_entitle(s);
	else
		assume_borrow(s);
	if (s->simulated)
		assume_simulated(s);
	for (uint32_t i = 0; i < m->n_notices; i++)
		if (m->notices[i].kind == FL_NOTICE_ASSUMED)
			assume(s, "%s", fl_model_text(m, m->notices[i].text));
}
