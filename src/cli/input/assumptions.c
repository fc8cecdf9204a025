/* SPDX-License-Identifier: Apache-2.0 */
#include <stdarg.h>

#include "cli/input/snapshot.h"
#include "tell/face.h"

static void assume(void *user, const char *format, ...) FL_PRINTF(2, 3);
static void assume(void *user, const char *format, ...)
{
	struct fl_snapshot *s = user;
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
	const struct fl_assuming assuming = {
		.model = m,
		.now = s->now,
		.has_now = s->options->has_now,
		.namespaces = s->assumed_namespaces,
		.simulated = s->simulated,
		.say = assume,
		.user = s,
	};

	fl_face_of(s->ops)->assume(&assuming);
	if (s->simulated)
		assume_simulated(s);
	for (uint32_t i = 0; i < m->n_notices; i++)
		if (m->notices[i].kind == FL_NOTICE_ASSUMED)
			assume(s, "%s", fl_model_text(m, m->notices[i].text));
}
