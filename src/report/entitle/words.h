/* SPDX-License-Identifier: Apache-2.0 */
/*
 * words - the inequalities of the entitle policy in words
 */
#ifndef FL_REPORT_ENTITLE_WORDS_H
#define FL_REPORT_ENTITLE_WORDS_H

#include "report/out/report.h"

/*
 * @lead and both numbers: "'team-a' would hold 5 gpu, its limit is 4".  Empty when @row is
 * NULL.
 */
const char *fl_entitle_obstacle_text(const struct fl_report *r, const struct fl_evidence *row,
				     const char *lead, char *buffer, size_t size);

#endif
