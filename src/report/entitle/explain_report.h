/* SPDX-License-Identifier: Apache-2.0 */
/*
 * explain_report - the answer to "why is my PodGroup pending?"
 */
#ifndef FL_REPORT_ENTITLE_EXPLAIN_REPORT_H
#define FL_REPORT_ENTITLE_EXPLAIN_REPORT_H

#include "ask/entitle/explain.h"
#include "report/common/eta_report.h"
#include "report/common/evicted.h"
#include "report/common/explain_words.h"
#include "report/out/report.h"
#include "report/out/shape.h"

struct fl_entitle_answer {
	const struct fl_entitle_explain *x;
	fl_time now;
	const struct fl_eta *eta;         /* NULL: without --eta */
	const struct fl_evicted *evicted; /* NULL: nothing is known of an eviction */
};

/* The whole answer in a few sentences, with the numbers. */
const char *fl_entitle_sentence(const struct fl_report *r, const struct fl_entitle_answer *a,
				char buffer[FL_SENTENCE]);
/* "4 pods, 8 gpu, 4 cpu" of a workload that waits or runs. */
const char *fl_gang_text(const struct fl_report *r, uint32_t n_tasks, const struct fl_bundle *b,
			 char *buffer, size_t size);
/* Both numbers of what ruled a victim out; empty when it has none. */
const char *fl_entitle_numbers(const struct fl_report *r, const struct fl_explain_refusal *row,
			       char buffer[FL_NUMBERS]);
/* "limit of queue 'a', gpu: from 4 to 5; then it starts" */
const char *fl_entitle_change_text(const struct fl_report *r, const struct fl_entitle_answer *a,
				   const struct fl_entitle_change *c, char buffer[FL_SENTENCE]);
int fl_entitle_explain_text(const struct fl_report *r, const struct fl_entitle_answer *a,
			    fairlead_error *err);
/* Of a struct fl_entitle_answer. */
extern const struct fl_document fl_entitle_explain_document;

#endif
