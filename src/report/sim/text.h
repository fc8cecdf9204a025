/* SPDX-License-Identifier: Apache-2.0 */
/* text - parts of the text of a simulation; private to this folder */
#ifndef FL_REPORT_SIM_TEXT_H
#define FL_REPORT_SIM_TEXT_H

#include <stdlib.h>

#include "report/sim/sim_report.h"

/* Numbers as people read them, "-" for what is not known: "3d4h", "250ms" */
const char *fl_sim_wait(double seconds, char buffer[32]);
/* "9999", "12.3k" */
const char *fl_sim_count(double n, char buffer[32]);
/* "0.25", "12.3", "1234", "5.4Gi" */
const char *fl_sim_amount(const struct fl_measured_resource *r, double n, char buffer[32]);
/* "71 %", "0.5 %" */
const char *fl_sim_percent(double part, char buffer[32]);
/* "0.93" */
const char *fl_sim_ratio(double ratio, char buffer[32]);

/* A line "label   words"; what does not fit stands below the words. */
void fl_sim_say_line(const struct fl_report *r, const char *label, const char *words);
/* Preemption loops, the worst first; nothing when there was none. */
void fl_sim_say_loops(const struct fl_report *r, const struct fl_sim *sim);

/* The scarcest resource: the one of which the largest part was held. */
uint32_t fl_sim_main_resource(const struct fl_measured *d);

/* @main: amounts are of this resource. */
int fl_sim_queue_table(const struct fl_report *r, const struct fl_sim_report *s, uint32_t main,
		       fairlead_error *err);
int fl_sim_class_table(const struct fl_report *r, const struct fl_sim_report *s,
		       fairlead_error *err);
int fl_sim_flow_table(const struct fl_report *r, const struct fl_sim_report *s, uint32_t main,
		      fairlead_error *err);

#endif
