/* SPDX-License-Identifier: Apache-2.0 */
/* assume - what is taken for granted, since the input does not say it, in words */
#ifndef FL_TELL_ASSUME_H
#define FL_TELL_ASSUME_H

#include "model/model.h"

struct fl_assuming {
	const struct fl_model *model;
	fl_time now;
	bool has_now;    /* the clock was given */
	bool namespaces; /* those of the workloads were taken to exist */
	bool simulated;  /* time will pass: usage moves, jobs end */
	bool shares;     /* fl_face.shares: what is said of fair sharing decides */
	void (*say)(void *user, const char *format, ...) FL_PRINTF(2, 3);
	void (*warn)(void *user, const char *format, ...) FL_PRINTF(2, 3);
	void *user;
};

/* The assumption about the clock, unless it was given. */
void fl_assume_clock(const struct fl_assuming *a);

#endif
