/* SPDX-License-Identifier: Apache-2.0 */
/*
 * placement_text - what a workload holds or asks for, in one short line
 */
#ifndef FL_REPORT_OUT_PLACEMENT_TEXT_H
#define FL_REPORT_OUT_PLACEMENT_TEXT_H

#include "report/out/report.h"

/*
 * "cpu, memory: on-demand" and the number of pods, "3/4" when partially
 * admitted.  With several podsets that differ: "workers cpu: spot; ...".
 */
void fl_placement_text(const struct fl_report *r, struct fl_workload w,
		       const struct fl_placement *rows, uint32_t n, char pods[32], char *text,
		       size_t size);

/* What it asks for, all pods together: "8 cpu, 64Gi memory". */
void fl_request_text(const struct fl_report *r, struct fl_workload w, char *text, size_t size);

#endif
