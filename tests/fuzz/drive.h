/* SPDX-License-Identifier: Apache-2.0 */
/*
 * drive - one input through the whole engine: read, seal, lint, policy, cycles,
 * events, explain, ledger, rollback, whatever it is
 *
 * Aborts when a question changes the state, a rollback is not exact, or what the
 * policy keeps does not add up (invariants.h).
 */
#ifndef FL_TESTS_FUZZ_DRIVE_H
#define FL_TESTS_FUZZ_DRIVE_H

#include <stddef.h>

#include "fuzz/words.h"

struct drive_counts {
	unsigned long read, decided, explained, admitted;
};

/* @r chooses what the input leaves open: who is explained, which events happen. */
void drive(const char *text, size_t len, struct random *r, struct drive_counts *counts);

#endif
