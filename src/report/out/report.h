/* SPDX-License-Identifier: Apache-2.0 */
/*
 * report - what all output shares: where to, how wide, in colour or not, and the words
 *
 * Text is for people and may change; JSON is for programs and is promised.
 * Nothing that came from the input reaches a terminal as a control character.
 */
#ifndef FL_REPORT_OUT_REPORT_H
#define FL_REPORT_OUT_REPORT_H

#include <stdio.h>

#include "model/model.h"
#include "record/record.h"

/* How amounts are spelled (the codec's; reports do not know codecs). */
typedef const char *fl_report_quantity(char buffer[32], fl_amount amount, bool cpu, bool binary);

/*
 * The command that asks what-if of the same input (common/trial.h): pairs of words, "fairlead" and
 * "what-if", then options with their values.
 */
struct fl_report_trial {
	const char *const *words;
	uint32_t n;
	bool of_queues; /* there are no objects of workloads and machines to be changed */
};
/* Stands for a file that cannot be opened again by its name; it is not quoted. */
#define FL_TRIAL_STREAM "<(...)"

struct fl_report {
	FILE *out;
	const struct fl_model *model;
	const struct fl_mem *mem;
	fl_report_quantity *quantity;
	unsigned width; /* of the terminal; 0: as wide as it gets */
	bool color;
	bool fair; /* shares mean something */
	bool all;  /* list each one instead of counts */
	bool jobs; /* workloads are the daemon's jobs: they are named by their numbers */
	const char *const *assumptions;
	uint32_t n_assumptions;
	const char *const *warnings; /* about the answer: what of it may be wrong */
	uint32_t n_warnings;
	const struct fl_report_trial *trial; /* NULL: no command is proposed */
};

enum { FL_REPORT_NAME = 2 * 253 + 2 }; /* "namespace/name" and its end */

/* "namespace/name" */
const char *fl_report_workload(const struct fl_model *m, struct fl_workload w,
			       char buffer[FL_REPORT_NAME]);
/* For people: the same, but of the daemon's jobs the number alone. */
const char *fl_report_who(const struct fl_report *r, const struct fl_model *m, struct fl_workload w,
			  char buffer[FL_REPORT_NAME]);
const char *fl_report_node(const struct fl_model *m, struct fl_node n);
/* The queue whose quota the workload holds, or would hold; FL_NONE. */
struct fl_node fl_report_queue(const struct fl_model *m, struct fl_workload w);
/* A pod may be on one that is not in the input. */
const char *fl_report_machine(const struct fl_model *m, struct fl_machine machine);
const char *fl_report_flavor(const struct fl_model *m, struct fl_flavor f);
const char *fl_report_resource(const struct fl_model *m, struct fl_resource r);
/* Without its domain where no other resource has that name: "gpu" for "nvidia.com/gpu". For people. */
const char *fl_report_short_resource(const struct fl_model *m, struct fl_resource r);
/* "ClusterQueue", "Cohort", "Queue" */
const char *fl_report_kind(const struct fl_model *m, struct fl_node n);
/* "Workload", "PodGroup", "Pod" */
const char *fl_report_workload_kind(const struct fl_model *m, struct fl_workload w);

/* As it would be written in a manifest, exactly: "1500m", "8Gi", "4G", "unlimited". */
const char *fl_report_exact(const struct fl_report *r, struct fl_resource resource,
			    fl_amount amount, char buffer[32]);
/*
 * For people, everywhere the same: exactly, unless that is long.  Then cores have a point, which is
 * exact, too ("878.514"), and bytes are rounded to two decimals or one ("5.42Ti").
 */
const char *fl_report_amount(const struct fl_report *r, struct fl_resource resource,
			     fl_amount amount, char buffer[32]);
/*
 * Amounts that are compared: the same, but where two that differ would look the same, more decimals
 * follow, and in the end all of them are exact.
 */
void fl_report_amounts(const struct fl_report *r, struct fl_resource resource,
		       const fl_amount *amounts, unsigned n, char (*ret)[32]);
/* What these do to an exact text of @amount, of milli-cores or @bytes; bytes that are no whole number. */
void fl_report_shorten(fl_amount amount, bool bytes, int more, char buffer[32]);
void fl_report_bytes(double value, int more, char buffer[32]);
/* Weighted share as published: its ceiling, or "inf". */
const char *fl_report_share(const struct fl_share *s, char buffer[32]);
/* The double in 17 significant digits, or "inf". */
const char *fl_report_precise(const struct fl_share *s, char buffer[32]);
/* "3d4h", "12m", "5s": the two largest units. */
const char *fl_report_age(fl_time age, char buffer[32]);
/* A duration in seconds, exactly: "12.000000005", "-3". */
const char *fl_report_seconds(fl_time time, char buffer[32]);

/* Styles of text on a terminal; without colour nothing is printed for them. */
enum fl_style {
	FL_STYLE_PLAIN,
	FL_STYLE_BOLD,
	FL_STYLE_DIM,
	FL_STYLE_GOOD,
	FL_STYLE_BAD,
	FL_STYLE_WARN
};
const char *fl_style_start(const struct fl_report *r, enum fl_style style);
const char *fl_style_end(const struct fl_report *r, enum fl_style style);

/* @text in lines as long as the terminal, after @indent blanks; control characters become '?'. */
void fl_report_paragraph(const struct fl_report *r, enum fl_style style, unsigned indent,
			 const char *text);
/* printf of one such paragraph. */
void fl_report_say(const struct fl_report *r, enum fl_style style, unsigned indent,
		   const char *format, ...) FL_PRINTF(4, 5);
/* Above the answer, with an empty line behind them. */
void fl_report_warnings(const struct fl_report *r);
/* "assumed:" and the list, dimmed. */
void fl_report_assumptions(const struct fl_report *r);
/* Above an answer: which objects are left out since they are wrong, and what is uncertain for that. */
void fl_report_left_out(const struct fl_report *r);
/* Bytes of the control character that @text begins with: of ASCII 1, U+0080 to U+009F 2; else 0. */
size_t fl_report_control(const char *text);
/* Bytes of the well-formed UTF-8 character that @text begins with; 0: none. */
size_t fl_report_utf8(const char *text);
/* Invisible characters (base/plain.h) and bytes that are not UTF-8 become '?': in place; and while
 * writing. */
char *fl_report_clean(char *text);
void fl_report_put_clean(FILE *out, const char *text, size_t len);

/* "stopped", "flavor 'x' does not exist", "below a cycle of cohorts"; "" when active. */
const char *fl_report_why_inactive(const struct fl_model *m, struct fl_node n, char buffer[320]);

#endif
