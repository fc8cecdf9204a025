/* SPDX-License-Identifier: Apache-2.0 */
/*
 * explain_report - the answer to "why is my workload pending?"
 */
#ifndef FL_REPORT_BORROW_EXPLAIN_REPORT_H
#define FL_REPORT_BORROW_EXPLAIN_REPORT_H

#include "ask/borrow/explain.h"
#include "report/common/eta_report.h"
#include "report/common/evicted.h"
#include "report/common/explain_words.h"
#include "report/out/report.h"
#include "report/out/shape.h"

struct fl_explain_report {
	const struct fl_explain *x;
	const struct fl_tree *tree;
	const struct fl_usage *usage;
	fl_time now;
	const struct fl_eta *eta;         /* NULL: without --eta */
	const struct fl_evicted *evicted; /* NULL: nothing is known of an eviction */
	const char *user;                 /* whose workload it is; NULL: not known */
};

/* The whole answer in a few sentences, with the numbers. */
const char *fl_explain_sentence(const struct fl_report *r, const struct fl_explain_report *e,
				char buffer[FL_SENTENCE]);
/* Both numbers of a check in words, and else as "3m / 10m"; empty when it has none. */
const char *fl_explain_numbers(const struct fl_report *r, const struct fl_explain_refusal *row,
			       char buffer[FL_NUMBERS]);
/* "from 4 to 5" of a change, and what happens then. */
const char *fl_explain_change_text(const struct fl_report *r, const struct fl_explain_report *e,
				   const struct fl_explain_change *c, char buffer[FL_SENTENCE]);
const char *fl_explain_outcome(const struct fl_explain_proposal *p, char buffer[160]);
extern const char *const fl_explain_verdicts[FL_NEED_NO_MATCH + 1];

int fl_explain_text(const struct fl_report *r, const struct fl_explain_report *e,
		    fairlead_error *err);
/* Of a struct fl_explain_report. */
extern const struct fl_document fl_explain_document;

#endif
