/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "base/nearest.h"
#include "base/time.h"
#include "cli/client/daemon_ask.h"
#include "cli/input/eta.h"
#include "cli/input/snapshot.h"
#include "input/input.h"
#include "tell/eta.h"
#include "tell/face.h"
#include "tell/tell.h"

static int fail_unknown(const struct fl_model *m, const char *given, fairlead_error *err)
{
	struct fl_nearest near = { .wanted = given };
	char name[FL_REPORT_NAME], text[1600];

	for (uint32_t w = 0; w < m->n_workloads; w++)
		fl_nearest_offer(&near, fl_report_workload(m, (struct fl_workload){ w }, name));
	fl_fail(err, FAIRLEAD_ENOENT, "there is no workload '%s'", given);
	if (near.n)
		fl_fail_hint(err, "did you mean %s?", fl_nearest_text(&near, text, sizeof(text)));
	else
		fl_fail_hint(err, "a workload is namespace/name; job/name and "
				  "namespace/job/name name a Job's");
	return FAIRLEAD_ENOENT;
}

/* namespace/name, job/name, namespace/job/name, or a name that only one
 * workload has. */
static int find(const struct fl_model *m, const char *given, struct fl_workload *ret,
		fairlead_error *err)
{
	char copy[1024];
	char *parts[3];
	unsigned n = 0;

	ret->v = FL_NONE;
	if (strlen(given) >= sizeof(copy))
		return fail_unknown(m, given, err);
	strcpy(copy, given);
	for (char *at = copy; at && n < 3; n++) {
		parts[n] = at;
		at = strchr(at, '/');
		if (at)
			*at++ = '\0';
	}
	if (n == 3 && strcmp(parts[1], "job") == 0)
		*ret = fl_model_find_job(m, parts[0], parts[2]);
	if (n == 2 && strcmp(parts[0], "job") == 0)
		*ret = fl_model_find_job(m, /* namespace= */ NULL, parts[1]);
	if (n == 2 && ret->v == FL_NONE)
		*ret = fl_model_find_workload(m, parts[0], parts[1]);
	for (uint32_t w = 0; n == 1 && w < m->n_workloads; w++) {
		if (strcmp(fl_model_text(m, m->workloads[w].name), given) != 0)
			continue;
		if (ret->v != FL_NONE)
			return fail_unknown(m, given, err);
		ret->v = w;
	}
	return ret->v == FL_NONE ? fail_unknown(m, given, err) : 0;
}

/* A pipe cannot be opened a second time, nor may another process have it under this name. */
static const char *name_again(const char *file)
{
	bool stream = strncmp(file, "/dev/fd/", 8) == 0 || strncmp(file, "/proc/", 6) == 0;

	return stream ? FL_TRIAL_STREAM : file;
}

/* The same input for what-if; in the arena. */
static int prepare_trial(const struct fl_snapshot *s, struct fl_arena *arena,
			 struct fl_report_trial *ret, fairlead_error *err)
{
	const struct fl_options *o = s->options;
	const char **words = fl_arena_alloc(arena, 2 * (size_t)o->n_files + 10, sizeof(*words),
					    err);
	char *now = fl_arena_alloc(arena, 40, 1, err);
	uint32_t n = 0;

	if (!words || !now)
		return FAIRLEAD_ENOMEM;
	if (strcmp(fl_program_name(), "fairlead") != 0)
		words[n++] = "kubectl";
	words[n++] = "fairlead";
	words[n++] = "what-if";
	if (o->kubeconfig) {
		words[n++] = "--kubeconfig";
		words[n++] = o->kubeconfig;
	}
	if (o->context) {
		words[n++] = "--context";
		words[n++] = o->context;
	}
	for (uint32_t i = 0; i < o->n_files; i++) {
		if (fl_input_is_kept(o->files[i]))
			continue;
		words[n++] = "-f";
		words[n++] = name_again(o->files[i]);
	}
	if (o->policy) {
		words[n++] = "--policy";
		words[n++] = o->policy->name;
	}
	if (o->has_now) {
		words[n++] = "--now";
		words[n++] = fl_time_format(now, o->now);
	}
	*ret = (struct fl_report_trial){ .words = words, .n = n, .of_queues = s->is_image };
	return 0;
}

/* Does what is warned of matter to @w? */
static bool concerns(const struct fl_snapshot *s, struct fl_workload w)
{
	const struct fl_face *face = fl_face_of(s->ops);

	return !face->shares || face->shares(s->model, s->policy, w, /* anyway= */ false);
}

/* @input NULL: without --eta. */
static int run(const struct fl_snapshot *s, const struct fl_eta_input *input,
	       struct fl_arena *arena, fairlead_error *err)
{
	struct fl_question q = fl_snapshot_question(s, arena);
	struct fl_report_trial trial;
	struct fl_report report = s->report;
	struct fl_workload w;
	struct fl_eta eta;

	int rc = find(s->model, s->options->operands[0], &w, err);
	if (rc == 0)
		rc = prepare_trial(s, arena, &trial, err);
	report.trial = &trial;
	if (rc == 0 && !concerns(s, w))
		report.n_warnings = 0;
	q.report = &report;
	if (rc == 0 && input)
		rc = fl_tell_eta(&q, &input->coming, w, &eta, err);
	return rc < 0 ? rc : fl_tell_explain(&q, w, input ? &eta : NULL, err);
}

static int run_alone(const struct fl_snapshot *s, struct fl_arena *arena, fairlead_error *err)
{
	return run(s, /* input= */ NULL, arena, err);
}

static int explain_with_eta(const struct fl_options *options)
{
	struct fl_snapshot snapshot;
	struct fl_eta_input input;
	struct fl_arena arena;
	fairlead_error err = { 0 };

	fl_arena_init(&arena, &fl_mem_heap);
	int code = fl_eta_open(&snapshot, options, &input);
	if (code == FL_EXIT_YES && run(&snapshot, &input, &arena, &err) < 0)
		code = fl_complain(&err);
	fl_arena_done(&arena);
	fl_eta_done(&input);
	fl_snapshot_done(&snapshot);
	return code;
}

int fl_cmd_explain(const struct fl_options *options)
{
	if (options->n_files == 0)
		return fl_daemon_explain(options);
	return options->eta ? explain_with_eta(options) : fl_snapshot_answer(options, run_alone);
}
