/* SPDX-License-Identifier: Apache-2.0 */
/*
 * error - filled once, where it is raised; upper levels only prepend to the subject
 */
#ifndef FL_BASE_ERROR_H
#define FL_BASE_ERROR_H

#include <fairlead/error.h>
#include <stdint.h>

#define FL_PRINTF(fmt, args) __attribute__((format(printf, fmt, args)))
#define FL_MUST_CHECK __attribute__((warn_unused_result))

/* Where something stands in the input. file is an index into the model's list of inputs. */
struct fl_place {
	uint32_t file, line, column; /* line and column 1-based; 0: not known */
};

/* Fill *err (NULL is allowed) and return @code, so that `return fl_fail(...)` is one line. */
int fl_fail(fairlead_error *err, int code, const char *format, ...) FL_PRINTF(3, 4);
int fl_fail_nomem(fairlead_error *err);

/* Put @format, the outer object of what failed, before the subject. Returns err's code. */
int fl_fail_in(fairlead_error *err, const char *format, ...) FL_PRINTF(2, 3);
int fl_fail_hint(fairlead_error *err, const char *format, ...) FL_PRINTF(2, 3);

#endif
