/* SPDX-License-Identifier: Apache-2.0 */
/*
 * error - what went wrong, for a program (code) and for a person (text)
 *
 * The caller owns the struct; a function fills it only when it returns a
 * negative code.  Nothing in it needs freeing.
 */
#ifndef FAIRLEAD_ERROR_H
#define FAIRLEAD_ERROR_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum {
	FAIRLEAD_OK = 0,
	FAIRLEAD_ENOMEM = -1, /* out of memory; nothing was changed */
	FAIRLEAD_EINPUT = -2, /* the input is malformed: file, line, column, subject say where */
	FAIRLEAD_ELIMIT = -3, /* a limit of base/limits.h was passed; text names it */
	FAIRLEAD_ENOENT = -4, /* no such object */
	FAIRLEAD_ESTATE = -5, /* the call is not allowed now (before seal, inside a mark, ...) */
	FAIRLEAD_EIO = -6     /* the environment failed: file, pipe, socket */
};

typedef struct fairlead_error {
	int code;          /* FAIRLEAD_E..., 0 when unused */
	uint32_t line;     /* 1-based; 0 when not known */
	uint32_t column;   /* 1-based, in bytes; 0 when not known */
	char file[256];    /* the name given with the input; "" when not known */
	char subject[320]; /* "ClusterQueue/team-a .spec.resourceGroups[0]"; "" when none */
	char text[512];    /* one line, lower case, no full stop */
	char hint[256];    /* what to do; "" when there is none */
} fairlead_error;

#ifdef __cplusplus
}
#endif
#endif
