/* SPDX-License-Identifier: Apache-2.0 */
/*
 * table - the options of all verbs: what parsing, --help and completion go by
 *
 * A row says where its value goes and what it may be, so that none of these three, nor a verb, looks
 * at a value a second time.
 */
#ifndef FL_CLI_OPTIONS_TABLE_H
#define FL_CLI_OPTIONS_TABLE_H

#include "cli/cli.h"

enum { FL_OPTIONS_MAX = 200 }; /* rows */

/* What stands behind an option, and what its target in fl_options is. */
enum fl_takes {
	FL_TAKES_FLAG,   /* nothing: bool */
	FL_TAKES_TEXT,   /* const char *, the last one given */
	FL_TAKES_TEXTS,  /* char **, all of them; `has` is how many: uint32_t */
	FL_TAKES_COUNT,  /* a whole number from `min` to `max`: uint32_t */
	FL_TAKES_SIZE,   /* bytes, at least `min`: int64_t */
	FL_TAKES_TIME,   /* a length, at least `min` ns and at most `max` s (0: none): fl_time */
	FL_TAKES_CLOCK,  /* a time: fl_time */
	FL_TAKES_AGO,    /* a time, or how long ago: char[40] */
	FL_TAKES_FORMAT, /* `output` */
	FL_TAKES_POLICY, /* const struct fl_policy_ops * */
	FL_TAKES_GIVEN,  /* as the verb says: `given` */
	FL_TAKES_LEFT,   /* the same, but it is left out: `help` says why */
	FL_TAKES_HELP,   /* help is printed */
};

struct fl_option {
	/* argument: as --help shows it; NULL: none; "": it may have one, behind a '=' */
	const char *name, *argument;
	char letter;   /* 0: none */
	uint64_t sets; /* FL_FOR_... */
	const char *help;
	enum fl_takes takes;
	size_t target, has; /* in fl_options; has: a bool that it was given; 0: none */
	uint32_t min, max;  /* COUNT, SIZE, TIME */
	const char *such;   /* "12h or 30d": what a complaint gives for an example */
};
/* NULL behind the last one. */
const struct fl_option *fl_option_at(unsigned i);

/* The values of options that are not given. */
extern const struct fl_options fl_options_default;

#endif
