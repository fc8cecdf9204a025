/* SPDX-License-Identifier: Apache-2.0 */
/* condition_words - steps, operators and names of a condition, as it was read; private to condition */
#ifndef FL_CLI_OPTIONS_CONDITION_WORDS_H
#define FL_CLI_OPTIONS_CONDITION_WORDS_H

enum { FL_STEP_AND = -1, FL_STEP_OR = -2, FL_STEP_NOT = -3 };
enum { FL_OP_LESS, FL_OP_LESS_EQUAL, FL_OP_MORE, FL_OP_MORE_EQUAL, FL_OP_EQUAL, FL_OP_UNEQUAL };
enum {
	FL_NAME_ADMITTED,
	FL_NAME_WAITING,
	FL_NAME_EVICTED,
	FL_NAME_LOOPS,
	FL_NAME_SHARE,
	FL_NAME_USAGE,
	FL_NAME_BORROWED,
	FL_NAME_QUOTA,
	FL_NAME_FAIR_SHARE
};

#endif
