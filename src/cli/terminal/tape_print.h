/* SPDX-License-Identifier: Apache-2.0 */
/* tape_print - what is on a tape as one JSON document: a List */
#ifndef FL_CLI_TERMINAL_TAPE_PRINT_H
#define FL_CLI_TERMINAL_TAPE_PRINT_H

#include <stdio.h>

#include "codec/edit/tape.h"
#include "report/out/shape.h"

extern const struct fl_document fl_record_document;

/*
 * One object a line, so that two records can be compared line by line; behind them @more, an
 * object in JSON, unless it is NULL.
 */
void fl_tape_print(FILE *out, const struct fl_tape *t, const char *more);

#endif
