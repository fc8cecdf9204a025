/* SPDX-License-Identifier: Apache-2.0 */
/*
 * agreement - how often the scheduler of a cluster decided as the engine would have, as JSON and text
 *
 * The daemon fills in the rows; the command prints them.  Tested in tests/cli/test_agreement.py.
 */
#ifndef FL_REPORT_JOB_AGREEMENT_H
#define FL_REPORT_JOB_AGREEMENT_H

#include <jansson.h>

#include "record/record.h"
#include "report/out/shape.h"

/* Of one kind and reason; with reason NULL of all of the kind. */
struct fl_agreement_row {
	const char *kind, *reason;
	uint64_t real, real_too, engine, engine_too;
	double of_real, of_engine; /* NAN: there were none */
};

struct fl_agreement_inequality {
	const char *check, *meaning;
	const char *node, *flavor, *resource; /* NULL: it is of none */
	struct fl_number lhs, rhs;
	bool holds;
};

struct fl_agreement_difference {
	uint64_t number, window;
	const char *kind, *side, *cause;
	const char *workload, *queue; /* NULL: the caller may not see it */
	const char *real, *engine;    /* reasons; NULL: it did not decide so, and says no reason */
	const char *said;             /* NULL */
	fl_time at, later;            /* later: FL_TIME_NONE */
	const struct fl_agreement_inequality *by; /* NULL */
	bool kept;
};

struct fl_agreement_answer {
	fl_time from, to, began;
	double window; /* seconds */
	uint64_t windows, unjudged;
	const struct fl_agreement_row *kinds, *rows;
	uint32_t n_kinds, n_rows;
	const struct fl_agreement_difference *differences;
	uint32_t n_differences;
};

extern const struct fl_json_shape fl_agreement_shape;
extern const struct fl_document fl_agreement_document;

int fl_agreement_text(const struct fl_report *r, const json_t *answer, fairlead_error *err);

#endif
