/* SPDX-License-Identifier: Apache-2.0 */
/*
 * table - rows and columns for a terminal, over libsmartcols
 *
 * What libsmartcols does not do is done here: a column may be given up when the
 * terminal is too narrow (the least important first; a line below says which), and a
 * cell may hold several lines that stand beside those of the other cells of its row.
 * Numbers are aligned by this file, so that both work together.
 *
 * Memory: one arena a table, freed with it.
 */
#ifndef FL_REPORT_OUT_TABLE_H
#define FL_REPORT_OUT_TABLE_H

#include "report/out/report.h"

enum {
	FL_COL_RIGHT = 1, /* numbers */
	FL_COL_TREE = 2,  /* holds the tree; the first column only */
	FL_COL_WRAP = 4,  /* may be broken into lines where the terminal is too narrow */
};

struct fl_table;

int fl_table_new(const struct fl_report *r, struct fl_table **ret, fairlead_error *err);
struct fl_table *fl_table_free(struct fl_table *t);

/*
 * Columns first, then rows.  @give_up: 0 never, else the lower goes earlier when
 * the table is wider than the terminal.
 */
int fl_table_column(struct fl_table *t, const char *head, unsigned flags, unsigned give_up,
		    fairlead_error *err);

/* A new row below row @parent (-1: none); its index, or a negative error. */
int fl_table_row(struct fl_table *t, int parent, fairlead_error *err);

/* Text of a cell of the newest row, copied. */
int fl_table_cell(struct fl_table *t, unsigned column, const char *text, fairlead_error *err);
/* One more line to a cell of the newest row. */
int fl_table_line(struct fl_table *t, unsigned column, const char *text, fairlead_error *err);
void fl_table_style(struct fl_table *t, unsigned column, enum fl_style style);

/* Where the terminal is too narrow, several tables one below the other, each with the first column. */
void fl_table_in_parts(struct fl_table *t);
/* There is no JSON of the same, to which the line below a table could point. */
void fl_table_without_json(struct fl_table *t);

/* @indent blanks before every line. */
int fl_table_print(struct fl_table *t, unsigned indent, fairlead_error *err);

/* The same in three steps: all columns at once, rows of texts, and print unless @rc, and free. */
struct fl_column_head {
	const char *head;
	unsigned flags, give_up;
};
int fl_table_begin(const struct fl_report *r, const struct fl_column_head *columns, unsigned n,
		   struct fl_table **ret, fairlead_error *err);
int fl_table_texts(struct fl_table *t, const char *const *texts, unsigned n, fairlead_error *err);
int fl_table_end(struct fl_table *t, int rc, fairlead_error *err);

#endif
