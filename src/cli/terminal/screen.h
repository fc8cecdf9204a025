/* SPDX-License-Identifier: Apache-2.0 */
/*
 * screen - the whole terminal for a while, redrawn in place
 *
 * Guarantee: however the command ends, by a key, an error, or any signal that can be caught, the
 * terminal is as it was: its text, its cursor, and how it takes keys.
 */
#ifndef FL_CLI_TERMINAL_SCREEN_H
#define FL_CLI_TERMINAL_SCREEN_H

#include <stdbool.h>

/* false: standard output is no terminal. */
bool fl_screen_begin(void);
void fl_screen_end(void);

/* Lines and columns as they are now. */
void fl_screen_size(unsigned *ret_lines, unsigned *ret_columns);
/* @text from the top, as many lines of it as there is room for. */
void fl_screen_draw(const char *text);
/* A key within @milliseconds; '\0': none. Standard input that has ended is 'q'. */
char fl_screen_key(int milliseconds);

#endif
