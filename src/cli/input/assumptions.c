/* SPDX-License-Identifier: Apache-2.0 */
#include <stdarg.h>
#include <string.h>

#include "cli/input/snapshot.h"
#include "tell/face.h"

/* One more text in a list of at most @max. */
static void append(struct fl_snapshot *s, char **list, uint32_t *n, uint32_t max,
		   const char *format, va_list args)
{
	char *text = NULL;

	if (*n == max)
		return;
	if (vasprintf(&text, format, args) >= 0)
		list[(*n)++] = text;
	else
		s->out_of_memory = true;
}

static void assume(void *user, const char *format, ...) FL_PRINTF(2, 3);
static void assume(void *user, const char *format, ...)
{
	struct fl_snapshot *s = user;
	va_list args;

	va_start(args, format);
	append(s, s->assumptions, &s->n_assumptions, FL_MAX_ASSUMPTIONS, format, args);
	va_end(args);
}

static void warn(void *user, const char *format, ...) FL_PRINTF(2, 3);
static void warn(void *user, const char *format, ...)
{
	struct fl_snapshot *s = user;
	va_list args;

	va_start(args, format);
	append(s, s->warnings, &s->n_warnings, FL_MAX_WARNINGS, format, args);
	va_end(args);
}

/* A simulation says what its cluster is like; for a tree no workload needs to wait. */
static bool shares(const struct fl_snapshot *s)
{
	const struct fl_face *face = fl_face_of(s->ops);
	bool tree = strcmp(s->options->verb, "tree") == 0;

	return !s->simulated && face->shares &&
	       face->shares(s->model, s->policy, (struct fl_workload){ FL_NONE }, tree);
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
		.shares = shares(s),
		.say = assume,
		.warn = warn,
		.user = s,
	};

	fl_face_of(s->ops)->assume(&assuming);
	if (s->simulated)
		assume_simulated(s);
	for (uint32_t i = 0; i < m->n_notices; i++)
		if (m->notices[i].kind == FL_NOTICE_ASSUMED)
			assume(s, "%s", fl_model_text(m, m->notices[i].text));
}
