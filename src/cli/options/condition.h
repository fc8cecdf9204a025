/* SPDX-License-Identifier: Apache-2.0 */
/*
 * condition - the small language of --fail-if: comparisons over a difference
 *
 *	condition   = and { "or" and }
 *	and         = part { "and" part }
 *	part        = "not" part | "(" condition ")" | comparison
 *	comparison  = value ("<" | "<=" | ">" | ">=" | "==" | "!=") value
 *	value       = quantity | name [ ".before" | ".new" | ".gone" ] [ "(" argument { "," argument } ")" ]
 *
 * Every expression that parses has a value: all comparisons are made, exactly, in
 * units of 10^-9; nothing can be divided, overflow, or be of the wrong type.
 * doc/man/fairlead-what-if.1 has the names.
 */
#ifndef FL_CLI_OPTIONS_CONDITION_H
#define FL_CLI_OPTIONS_CONDITION_H

#include "ask/common/difference.h"

enum {
	FL_CONDITION_LENGTH = 4096,
	FL_CONDITION_PARTS = 64, /* comparisons */
	FL_CONDITION_DEPTH = 32, /* of parentheses and nots */
};

enum fl_condition_side { FL_SIDE_AFTER, FL_SIDE_BEFORE, FL_SIDE_NEW, FL_SIDE_GONE };

struct fl_condition_argument {
	char text[2 * 253 + 8]; /* "" : none */
	unsigned column;
};

struct fl_condition_value {
	unsigned column;
	int name; /* of the table of names; -1: a number */
	enum fl_condition_side side;
	fl_nanos number;
	struct fl_condition_argument arguments[2];
	unsigned n_arguments;
};

struct fl_condition_part {
	unsigned start, len; /* in the text */
	unsigned op;
	struct fl_condition_value left, right;
};

struct fl_condition {
	char text[FL_CONDITION_LENGTH];
	struct fl_condition_part parts[FL_CONDITION_PARTS];
	unsigned n_parts;
	int steps[4 * FL_CONDITION_PARTS + FL_CONDITION_DEPTH]; /* part number, or an operator */
	unsigned n_steps;
};

/* FAIRLEAD_EINPUT with the column of the mistake, 1-based, in err->column. */
int fl_condition_parse(const char *text, struct fl_condition *ret, fairlead_error *err);

struct fl_condition_result {
	bool holds;                    /* the whole */
	bool part[FL_CONDITION_PARTS]; /* each comparison */
	fl_nanos left[FL_CONDITION_PARTS], right[FL_CONDITION_PARTS];
};

/* FAIRLEAD_ENOENT with a column when an argument is the name of nothing on either side. */
int fl_condition_evaluate(const struct fl_condition *c, const struct fl_difference *d,
			  struct fl_condition_result *ret, fairlead_error *err);

/* "<=" */
const char *fl_condition_operator(const struct fl_condition_part *part);
/* "3", "0.5", "inf" */
const char *fl_condition_number(fl_nanos n, char buffer[64]);

#endif
