/* SPDX-License-Identifier: Apache-2.0 */
/*
 * decay_case - recorded arithmetic of Admission Fair Sharing, without any cluster
 *
 * Kind `decay` goes through steps of time: what was consumed, what a local queue
 * holds meanwhile, and perhaps an entry penalty; kind `entryPenalty` is one admission.
 * README.md has the form.
 *
 * Test code: allocates from the heap and exits with status 3 when it cannot.
 */
#ifndef CONFORMANCE_DECAY_CASE_H
#define CONFORMANCE_DECAY_CASE_H

#include <stdio.h>

#include "base/error.h"

/* What comes out of one line, as JSON on @out; or an error. */
int decay_case(const char *line, size_t len, FILE *out, fairlead_error *err);

#endif
