/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "base/nearest.h"
#include "ask/explain.h"
#include "cli/snapshot.h"
#include "decide/borrow/borrow.h"
#include "report/entitle_explain_report.h"
#include "report/explain_report.h"

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

static int run_entitle(const struct fl_snapshot *s, struct fl_workload w, struct fl_arena *arena,
		       fairlead_error *err)
{
	struct fl_entitle_explain x;
	int rc = fl_entitle_explain(s->ops, s->policy, s->model, s->now, w, arena, &x, err);

	if (rc < 0)
		return rc;
	const struct fl_entitle_answer a = { .x = &x, .now = s->now, .policy = s->ops->name };
	return s->options->output == FL_OUTPUT_JSON ? fl_entitle_explain_json(&s->report, &a, err) :
						      fl_entitle_explain_text(&s->report, &a, err);
}

static int run(const struct fl_snapshot *s, struct fl_arena *arena, fairlead_error *err)
{
	struct fl_workload w;
	struct fl_explain x;

	int rc = find(s->model, s->options->operands[0], &w, err);
	if (rc == 0 && s->entitle)
		return run_entitle(s, w, arena, err);
	if (rc == 0)
		rc = fl_explain(s->ops, s->policy, s->model, s->now, w, arena, &x, err);
	if (rc < 0)
		return rc;
	struct fl_explain_report e = {
		.x = &x,
		.tree = fl_borrow_tree(s->policy),
		.usage = fl_borrow_usage(s->policy),
		.now = s->now,
		.policy = s->ops->name,
	};
	return s->options->output == FL_OUTPUT_JSON ? fl_explain_json(&s->report, &e, err) :
						      fl_explain_text(&s->report, &e, err);
}

int fl_cmd_explain(const struct fl_options *options) { return fl_snapshot_answer(options, run); }
