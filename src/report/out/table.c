/* SPDX-License-Identifier: Apache-2.0 */
#include "report/out/table.h"

#include <libsmartcols.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_COLUMNS = 16, LEAST_WRAPPED = 20 };

struct column {
	const char *head;
	unsigned flags, give_up, width;
	bool gone;
};

struct cell {
	char **lines;
	uint32_t n, cap;
	enum fl_style style;
};

struct row {
	int parent;
	unsigned depth;
	struct cell cells[MAX_COLUMNS];
};

struct fl_table {
	const struct fl_report *report;
	struct fl_arena arena;
	struct column columns[MAX_COLUMNS];
	unsigned n_columns;
	struct row *rows;
	uint32_t n_rows, cap_rows;
	unsigned gap; /* blanks between columns */
	bool parts;   /* several tables rather than columns that are left out */
	bool no_json; /* no JSON has the same */
};

int fl_table_new(const struct fl_report *r, struct fl_table **ret, fairlead_error *err)
{
	struct fl_table *t = calloc(1, sizeof(*t));

	if (!t)
		return fl_fail_nomem(err);
	t->report = r;
	fl_arena_init(&t->arena, r->mem);
	*ret = t;
	return 0;
}

struct fl_table *fl_table_free(struct fl_table *t)
{
	if (!t)
		return NULL;
	for (uint32_t i = 0; i < t->n_rows; i++)
		for (unsigned c = 0; c < t->n_columns; c++)
			fl_mem_free(t->report->mem, t->rows[i].cells[c].lines);
	fl_mem_free(t->report->mem, t->rows);
	fl_arena_done(&t->arena);
	free(t);
	return NULL;
}

int fl_table_column(struct fl_table *t, const char *head, unsigned flags, unsigned give_up,
		    fairlead_error *err)
{
	if (t->n_columns == MAX_COLUMNS)
		return fl_fail(err, FAIRLEAD_ELIMIT, "too many columns in a table");
	t->columns[t->n_columns++] =
		(struct column){ .head = head, .flags = flags, .give_up = give_up };
	return 0;
}

int fl_table_row(struct fl_table *t, int parent, fairlead_error *err)
{
	int rc = fl_mem_grow(t->report->mem, &t->rows, &t->cap_rows, t->n_rows + 1,
			     sizeof(*t->rows), err);

	if (rc < 0)
		return rc;
	t->rows[t->n_rows] = (struct row){
		.parent = parent,
		.depth = parent < 0 ? 0 : t->rows[parent].depth + 1,
	};
	return (int)t->n_rows++;
}

int fl_table_line(struct fl_table *t, unsigned column, const char *text, fairlead_error *err)
{
	struct cell *cell = &t->rows[t->n_rows - 1].cells[column];
	size_t len = strlen(text);
	char *copy = fl_arena_alloc(&t->arena, len + 1, 1, err);

	if (!copy)
		return FAIRLEAD_ENOMEM;
	memcpy(copy, text, len + 1);
	int rc = fl_mem_grow(t->report->mem, &cell->lines, &cell->cap, cell->n + 1,
			     sizeof(*cell->lines), err);
	if (rc < 0)
		return rc;
	cell->lines[cell->n++] = fl_report_clean(copy);
	return 0;
}

int fl_table_cell(struct fl_table *t, unsigned column, const char *text, fairlead_error *err)
{
	t->rows[t->n_rows - 1].cells[column].n = 0;
	return fl_table_line(t, column, text, err);
}

void fl_table_style(struct fl_table *t, unsigned column, enum fl_style style)
{
	t->rows[t->n_rows - 1].cells[column].style = style;
}

static unsigned width_of(const char *text)
{
	unsigned n = 0;

	for (; *text; text++)
		n += ((unsigned char)*text & 0xc0) != 0x80;
	return n;
}

static void measure(struct fl_table *t)
{
	for (unsigned c = 0; c < t->n_columns; c++) {
		struct column *column = &t->columns[c];

		column->width = width_of(column->head);
		for (uint32_t i = 0; i < t->n_rows; i++) {
			const struct cell *cell = &t->rows[i].cells[c];
			unsigned indent = column->flags & FL_COL_TREE ? 2 * t->rows[i].depth : 0;

			for (uint32_t k = 0; k < cell->n; k++) {
				unsigned w = width_of(cell->lines[k]) + indent;

				column->width = w > column->width ? w : column->width;
			}
		}
	}
}

static unsigned least_width(const struct column *column)
{
	bool wraps = column->flags & FL_COL_WRAP;

	return wraps && column->width > LEAST_WRAPPED ? LEAST_WRAPPED : column->width;
}

/* Width of all columns at their narrowest; *ret_least the first to drop, NULL when none may be. */
static unsigned narrowest(struct fl_table *t, struct column **ret_least)
{
	unsigned total = 0;

	*ret_least = NULL;
	for (unsigned c = 0; c < t->n_columns; c++) {
		struct column *column = &t->columns[c];

		if (column->gone)
			continue;
		total += least_width(column) + (total ? t->gap : 0);
		if (column->give_up && (!*ret_least || column->give_up < (*ret_least)->give_up))
			*ret_least = column;
	}
	return total;
}

/*
 * What does not fit stands closer, then goes, the least important column first;
 * columns that wrap share what room there is then.
 */
static void lay_out(struct fl_table *t, unsigned indent)
{
	unsigned total, room = t->report->width > indent ? t->report->width - indent : 0;
	struct column *least;

	t->gap = 2;
	if (t->report->width == 0)
		return;
	if (narrowest(t, &least) > room)
		t->gap = 1;
	while ((total = narrowest(t, &least)) > room && least)
		least->gone = true;

	unsigned spare = room > total ? room - total : 0;
	for (unsigned c = 0; c < t->n_columns; c++) {
		struct column *column = &t->columns[c];
		unsigned width = least_width(column), want = column->width - width;

		if (column->gone || !(column->flags & FL_COL_WRAP))
			continue;
		column->width = width + (want < spare ? want : spare);
		spare -= want < spare ? want : spare;
	}
}

/* Where to break @text after at most @width columns: at a blank, else in a name. */
static size_t break_at(const char *text, unsigned width)
{
	size_t at = 0, blank = 0, joint = 0;
	unsigned columns = 0;

	while (text[at] && columns <= width) {
		if (text[at] == ' ')
			blank = at;
		if (columns < width && at &&
		    (text[at] == '-' || text[at] == '/' || text[at] == '.'))
			joint = at + 1;
		at++;
		while (((unsigned char)text[at] & 0xc0) == 0x80)
			at++;
		columns++;
	}
	if (columns <= width)
		return at;
	if (blank)
		return blank;
	if (joint)
		return joint;
	for (at = 0, columns = 0; columns < width; columns++) {
		at++;
		while (((unsigned char)text[at] & 0xc0) == 0x80)
			at++;
	}
	return at;
}

static int wrap_cell(struct fl_table *t, struct cell *cell, unsigned width, fairlead_error *err)
{
	const struct fl_mem *mem = t->report->mem;
	struct cell out = { .style = cell->style };
	int rc = 0;

	for (uint32_t k = 0; k < cell->n && rc == 0; k++) {
		char *text = cell->lines[k];

		do {
			size_t len = break_at(text, width);
			bool blank = text[len] == ' ';

			rc = fl_mem_grow(mem, &out.lines, &out.cap, out.n + 1, sizeof(*out.lines),
					 err);
			if (rc < 0)
				break;
			char *copy = fl_arena_alloc(&t->arena, len + 1, 1, err);
			if (!copy) {
				rc = FAIRLEAD_ENOMEM;
				break;
			}
			memcpy(copy, text, len);
			out.lines[out.n++] = copy;
			text += len + blank;
		} while (*text);
	}
	fl_mem_free(mem, cell->lines);
	*cell = out;
	return rc;
}

static int wrap_cells(struct fl_table *t, fairlead_error *err)
{
	int rc = 0;

	for (unsigned c = 0; c < t->n_columns; c++) {
		if (t->columns[c].gone || !(t->columns[c].flags & FL_COL_WRAP))
			continue;
		for (uint32_t i = 0; i < t->n_rows && rc == 0; i++)
			rc = wrap_cell(t, &t->rows[i].cells[c], t->columns[c].width, err);
	}
	return rc;
}

/* All lines of a cell as one text, numbers set to the right. NULL without memory. */
static char *join(struct fl_table *t, const struct cell *cell, const struct column *column,
		  fairlead_error *err)
{
	size_t need = 1;

	for (uint32_t k = 0; k < cell->n; k++)
		need += strlen(cell->lines[k]) + column->width + 2;
	char *text = fl_arena_alloc(&t->arena, need, 1, err);
	char *at = text;
	for (uint32_t k = 0; text && k < cell->n; k++) {
		const char *line = cell->lines[k];
		unsigned pad = column->flags & FL_COL_RIGHT ? column->width - width_of(line) : 0;

		/* An empty line is no line to libsmartcols. */
		if (*line == '\0')
			line = " ";
		at += sprintf(at, "%s%*s%s", k ? "\n" : "", (int)pad, "", line);
	}
	return text;
}

static int add_columns(struct fl_table *t, struct libscols_table *tb, fairlead_error *err)
{
	for (unsigned c = 0; c < t->n_columns; c++) {
		struct column *column = &t->columns[c];
		struct cell head = { .lines = (char *[]){ (char *)(uintptr_t)column->head },
				     .n = 1 };
		int flags = SCOLS_FL_WRAP;

		if (column->gone)
			continue;
		if (column->flags & FL_COL_TREE)
			flags |= SCOLS_FL_TREE;
		const char *name = join(t, &head, column, err);
		struct libscols_column *cl = name ? scols_table_new_column(tb, name, 0, flags) :
						    NULL;
		if (!cl)
			return fl_fail_nomem(err);
		scols_column_set_safechars(cl, "\n");
		scols_column_set_wrapfunc(cl, scols_wrapnl_chunksize, scols_wrapnl_nextchunk, NULL);
	}
	return 0;
}

static int add_rows(struct fl_table *t, struct libscols_table *tb, fairlead_error *err)
{
	struct libscols_line **lines = fl_arena_alloc(&t->arena, t->n_rows, sizeof(*lines), err);

	if (!lines)
		return FAIRLEAD_ENOMEM;
	for (uint32_t i = 0; i < t->n_rows; i++) {
		const struct row *row = &t->rows[i];
		size_t at = 0;

		lines[i] = scols_table_new_line(tb, row->parent < 0 ? NULL : lines[row->parent]);
		if (!lines[i])
			return fl_fail_nomem(err);
		for (unsigned c = 0; c < t->n_columns; c++) {
			const struct cell *cell = &row->cells[c];

			if (t->columns[c].gone)
				continue;
			char *text = join(t, cell, &t->columns[c], err);
			if (!text || scols_line_set_data(lines[i], at, text) < 0)
				return fl_fail_nomem(err);
			if (t->report->color && cell->style != FL_STYLE_PLAIN)
				scols_cell_set_color(scols_line_get_cell(lines[i], at),
						     fl_style_start(t->report, cell->style));
			at++;
		}
	}
	return 0;
}

/* Print with @indent, and without the blanks libsmartcols leaves at the end of lines. */
static void put_lines(FILE *out, const char *text, unsigned indent)
{
	while (*text) {
		size_t len = strcspn(text, "\n"), end = len;

		while (end > 0 && text[end - 1] == ' ')
			end--;
		if (end)
			fprintf(out, "%*s%.*s", (int)indent, "", (int)end, text);
		putc('\n', out);
		text += len + (text[len] == '\n');
	}
}

/* The columns that there is room for, laid out before. */
static int print_columns(struct fl_table *t, unsigned indent, fairlead_error *err)
{
	struct libscols_table *tb = scols_new_table();
	char *text = NULL;
	int rc;

	if (!tb)
		return fl_fail_nomem(err);
	bool ready = scols_table_set_column_separator(tb, t->gap == 2 ? "  " : " ") == 0;
	scols_table_enable_colors(tb, t->report->color);
	scols_table_enable_noencoding(tb, 1);
	/* All is laid out already. */
	scols_table_set_termforce(tb, SCOLS_TERMFORCE_NEVER);
	rc = ready ? wrap_cells(t, err) : fl_fail_nomem(err);
	if (rc == 0)
		rc = add_columns(t, tb, err);
	if (rc == 0)
		rc = add_rows(t, tb, err);
	/* 0 and no text: its stream got no memory when it was closed. */
	if (rc == 0 && (scols_print_table_to_string(tb, &text) < 0 || !text))
		rc = fl_fail_nomem(err);
	if (rc == 0) {
		put_lines(t->report->out, text, indent);
		/* libsmartcols leaves the last line open. */
		size_t n = strlen(text);
		if (n && text[n - 1] != '\n' && t->n_rows == 0)
			putc('\n', t->report->out);
	}
	free(text);
	scols_unref_table(tb);
	return rc;
}

/* Which columns are not there, and where they are. */
static void say_gone(const struct fl_table *t, unsigned indent)
{
	char names[512] = "";
	size_t n = 0;

	for (unsigned c = 0; c < t->n_columns && n < sizeof names; c++)
		if (t->columns[c].gone && *t->columns[c].head)
			n += (size_t)snprintf(names + n, sizeof names - n, "%s%s", n ? ", " : "",
					      t->columns[c].head);
	if (n)
		fl_report_say(
			t->report, FL_STYLE_DIM, indent,
			"Left out, for want of width: %s (a wider terminal or a pipe shows %s%s)",
			names, strchr(names, ',') ? "them" : "it",
			t->no_json ? "" : ", and -o json has all");
}

/* From @first on as many columns as there is room for beside the first one, but one at least. */
static unsigned fit(struct fl_table *t, unsigned first, unsigned room)
{
	unsigned width = t->columns[0].width, end = first;

	do
		width += t->gap + t->columns[end++].width;
	while (end < t->n_columns && width + t->gap + t->columns[end].width <= room);
	return end;
}

/* Each with the first column; none of their columns wraps. */
static int print_parts(struct fl_table *t, unsigned indent, fairlead_error *err)
{
	unsigned room = t->report->width > indent ? t->report->width - indent : 0;
	int rc = 0;

	t->gap = 2;
	for (unsigned first = 1, end; first < t->n_columns && rc == 0; first = end) {
		end = t->report->width ? fit(t, first, room) : t->n_columns;
		for (unsigned c = 1; c < t->n_columns; c++)
			t->columns[c].gone = c < first || c >= end;
		if (first > 1)
			putc('\n', t->report->out);
		rc = print_columns(t, indent, err);
	}
	return rc;
}

int fl_table_print(struct fl_table *t, unsigned indent, fairlead_error *err)
{
	measure(t);
	if (t->parts)
		return print_parts(t, indent, err);
	lay_out(t, indent);

	int rc = print_columns(t, indent, err);

	if (rc == 0)
		say_gone(t, indent);
	return rc;
}

void fl_table_in_parts(struct fl_table *t) { t->parts = true; }

void fl_table_without_json(struct fl_table *t) { t->no_json = true; }

int fl_table_begin(const struct fl_report *r, const struct fl_column_head *columns, unsigned n,
		   struct fl_table **ret, fairlead_error *err)
{
	int rc = fl_table_new(r, ret, err);

	for (unsigned c = 0; c < n && rc == 0; c++)
		rc = fl_table_column(*ret, columns[c].head, columns[c].flags, columns[c].give_up,
				     err);
	return rc;
}

int fl_table_texts(struct fl_table *t, const char *const *texts, unsigned n, fairlead_error *err)
{
	int rc = fl_table_row(t, -1, err);

	for (unsigned c = 0; c < n && rc >= 0; c++)
		rc = fl_table_cell(t, c, texts[c], err);
	return rc < 0 ? rc : 0;
}

int fl_table_end(struct fl_table *t, int rc, fairlead_error *err)
{
	if (rc == 0)
		rc = fl_table_print(t, /* indent= */ 2, err);
	fl_table_free(t);
	return rc;
}
