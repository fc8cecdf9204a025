/* SPDX-License-Identifier: Apache-2.0 */
/* tune_question - what is asked of `tune`, and what is known of it; private to it */
#ifndef FL_CLI_VERBS_TUNE_QUESTION_H
#define FL_CLI_VERBS_TUNE_QUESTION_H

#include "decide/share/window.h"
#include "report/tune/tune_report.h"

enum { FL_TUNE_MAX_NOTES = 12, FL_TUNE_NOTE = 320 };

struct fl_tune_question {
	struct fl_tune_report report;
	struct fl_tune_weight *weights; /* of the report; distinct, ascending */
	bool has_k, has_half_life, has_window, has_cost;
	double given_k; /* before it was cut at 0 */
	/* What only manifests say. */
	bool from_input, nested;
	enum fl_window_kind window_kind;
	fl_time fetch_interval;
	double multiplier;
	uint32_t deepest; /* levels of the tree of queues */
	struct fl_tune_note notes[FL_TUNE_MAX_NOTES];
	char texts[FL_TUNE_MAX_NOTES][FL_TUNE_NOTE];
};

#endif
