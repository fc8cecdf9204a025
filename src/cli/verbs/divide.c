/* SPDX-License-Identifier: Apache-2.0 */
#include "ask/entitle/division.h"
#include "cli/input/snapshot.h"
#include "report/entitle/divide_report.h"
#include "tell/face.h"

/* To the body of a request the answer is the simulator's, unless something else was asked for. */
static bool as_simulator(const struct fl_snapshot *s)
{
	const struct fl_options *o = s->options;

	return s->model->entitle.fairshare_body && !o->rounds &&
	       (o->output == FL_OUTPUT_JSON || !o->has_output);
}

static int run(const struct fl_snapshot *s, struct fl_arena *arena, fairlead_error *err)
{
	struct fl_standings standings;
	struct fl_division division;
	int rc;

	if (!fl_face_of(s->ops)->divides) {
		fl_fail(err, FAIRLEAD_EINPUT, "there is no Queue of scheduling.run.ai");
		return fl_fail_hint(err, "'fairlead tree' has the shares of cohorts");
	}
	if ((rc = fl_standings_init(&standings, s->model, arena, err)) < 0)
		return rc;
	fl_standings_look(&standings, s->policy);
	if ((rc = fl_division_init(&division, &standings, s->options->rounds, arena, err)) < 0)
		return rc;
	if (as_simulator(s))
		return fl_divide_simulator_json(&s->report, &division, err);
	return s->options->output == FL_OUTPUT_JSON ? fl_divide_json(&s->report, &division, err) :
						      fl_divide_text(&s->report, &division, err);
}

int fl_cmd_divide(const struct fl_options *options) { return fl_snapshot_answer(options, run); }
