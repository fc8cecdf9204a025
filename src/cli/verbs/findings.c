/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/verbs/findings.h"

const struct fl_error_words fl_error_kinds[] = {
	[FL_ERROR_MALFORMED] = { "malformed", "the input is not what a cluster would accept",
				 "correct what the message names" },
	[FL_ERROR_UNREADABLE] = { "unreadable", "a file does not exist or cannot be read",
				  "correct the name, or what the message names" },
	[FL_ERROR_LIMIT] = { "above-limit", "the input is larger than what is read",
			     "split the input, or leave out what the question does not need" },
	[FL_ERROR_FAILED] = { "failed", "the environment failed", "try again" },
};

enum fl_error_kind fl_error_kind_of(const fairlead_error *err)
{
	if (err->code == FAIRLEAD_ELIMIT)
		return FL_ERROR_LIMIT;
	if (err->code != FAIRLEAD_EINPUT && err->code != FAIRLEAD_ENOENT)
		return FL_ERROR_FAILED;
	return err->line ? FL_ERROR_MALFORMED : FL_ERROR_UNREADABLE;
}
