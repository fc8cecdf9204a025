/* SPDX-License-Identifier: Apache-2.0 */
/*
 * manual - prints a manual page anew: what the tables of verbs and options say, from these
 *
 * usage: guide_manual PAGE
 *
 * PAGE is fairlead.1 or fairlead-VERB.1, with its folder.  Between a line `.\" printed: WHAT` and
 * `.\" end of WHAT` stands what is printed:
 *
 *   name      the verb and its summary
 *   synopsis  how it is called, but of verbs that are called in several ways, or never without some
 *             option, which no table says
 *   options   those of the verb that are not in fairlead.1; there, those of every verb with an input
 *   verbs     in fairlead.1: all of them
 *   pages     in fairlead.1: the page of each
 *
 * All other lines stay.  So do, among the options, lines from `.\" more` to the next option: what is
 * to be said beyond the line of --help.  It is an error when a page has not what it must have, or
 * when more is said of an option that there is not.
 */
#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/options/table.h"
#include "decide/policies.h"

/* The table of verbs stands beside main. */
int fairlead_main(int argc, char **argv);
#define main fairlead_main
#include "cli/main.c"
#undef main

enum { WIDTH = 84, LINES = 1000, LINE = 512, TEXT = 1024 };

static struct {
	const char *path;
	char line[LINES][LINE];
	unsigned n, at;
	const struct fl_verb *verb; /* NULL: of the command as a whole */
} page;

static void fail(const char *what, const char *of)
{
	(void)fprintf(stderr, "%s: %s%s\n", page.path, what, of);
	exit(1);
}

static void read_page(const char *path)
{
	FILE *f = fopen(path, "r");

	page.path = path;
	if (!f)
		fail("cannot be read", "");
	while (page.n < LINES && fgets(page.line[page.n], LINE, f)) {
		size_t n = strcspn(page.line[page.n], "\n");

		if (page.line[page.n][n] == '\0')
			fail("a line is too long, or the last one has no end", "");
		page.line[page.n++][n] = '\0';
	}
	if (page.n == LINES)
		fail("too many lines", "");
	(void)fclose(f);
}

/* --- what macros take --- */

/* "NAME=FILE" as " Ar name Ns = Ns Ar file". */
static void put_argument(const char *text)
{
	for (const char *before = " "; *text; before = " Ns ") {
		size_t n = 0;

		while (isupper((unsigned char)text[n]))
			n++;
		if (n) {
			printf("%sAr ", before);
			for (size_t i = 0; i < n; i++)
				putchar(tolower((unsigned char)text[i]));
		} else {
			while (text[n] && !isupper((unsigned char)text[n]))
				n++;
			/* A delimiter alone joins what is before it by itself. */
			printf("%s%.*s", n == 1 && strchr(",)]", *text) ? " " : before, (int)n,
			       text);
		}
		text += n;
	}
}

static void put_value(const struct fl_option *row)
{
	char names[200];

	if (row->takes == FL_TAKES_FORMAT) {
		printf(" Cm %s | %s", fl_formats[FL_OUTPUT_TEXT], fl_formats[FL_OUTPUT_JSON]);
		if (page.verb && page.verb->option_sets & FL_FOR_CHECK)
			printf(" | %s", fl_formats[FL_OUTPUT_SARIF]);
	} else if (row->takes == FL_TAKES_POLICY) {
		printf(" Cm %s", fl_policy_names("", " | ", names, sizeof(names)));
	} else if (row->argument) {
		put_argument(row->argument);
	}
}

/* Operands that a macro can show: "JOB...", "[NODE]"; not those of a verb that has several ways. */
static bool is_simple(const struct fl_verb *v)
{
	return strcspn(v->operands, "{| ") == strlen(v->operands);
}

static void put_operands(const struct fl_verb *v)
{
	const char *text = v->operands;
	bool may = *text == '[';
	size_t n = strcspn(text + may, ".]");

	printf("%sAr ", may ? "Op " : "");
	for (size_t i = 0; i < n; i++)
		putchar(tolower((unsigned char)text[may + i]));
	if (strstr(text, "..."))
		printf(" ...");
}

/* --- text --- */

static char shown[TEXT];
static size_t column;

static void end_line(void)
{
	if (column)
		putchar('\n');
	column = 0;
}

/* A word of a paragraph; one that macros would take for theirs is kept from them. */
static void put_word(const char *word, size_t n)
{
	if (column && column + 1 + n > WIDTH)
		end_line();
	if (column)
		column += (size_t)printf(" ");
	else if (*word == '.' || *word == '\'')
		column += (size_t)printf("\\&");
	column += (size_t)printf("%.*s", (int)n, word);
}

/* Is it a word of what stands behind the option? */
static bool is_argument(const char *argument, const char *word, size_t n)
{
	for (const char *at = argument; n && at && *at;) {
		size_t length = 0;

		while (isupper((unsigned char)at[length]))
			length++;
		if (length == n && strncmp(at, word, n) == 0)
			return true;
		at += length ? length : 1;
	}
	return false;
}

/* The line of --help as a sentence. */
static void put_sentence(const struct fl_option *row)
{
	const char *at = shown;

	(void)snprintf(shown, sizeof(shown), "%s.", row->help);
	/* Not of "kValue", which is a name. */
	if (strspn(shown, "abcdefghijklmnopqrstuvwxyz-") == strcspn(shown, " .,:;'"))
		shown[0] = (char)toupper((unsigned char)shown[0]);
	while (*at) {
		size_t n = strcspn(at, " "), letters = 0;

		while (letters < n && isupper((unsigned char)at[letters]))
			letters++;
		if (is_argument(row->argument, at, letters) && n - letters <= 1 &&
		    (n == letters || strchr(".,;:", at[letters]))) {
			end_line();
			printf(".Ar ");
			for (size_t i = 0; i < letters; i++)
				putchar(tolower((unsigned char)at[i]));
			printf("%s%.*s\n", n > letters ? " " : "", (int)(n - letters),
			       at + letters);
		} else {
			put_word(at, n);
		}
		at += n + strspn(at + n, " ");
	}
	end_line();
}

/* --- options --- */

static bool reads(const struct fl_verb *v) { return v->option_sets & FL_FOR_ALL; }

/* Is it told on this page? */
static bool is_here(const struct fl_option *row)
{
	if (!page.verb)
		return row->sets & FL_FOR_ALL;
	return row->sets & page.verb->option_sets && !(reads(page.verb) && row->sets & FL_FOR_ALL);
}

static void put_option(const struct fl_option *row)
{
	printf(".It Fl ");
	if (row->letter)
		printf("%c , ", row->letter);
	printf("-%s", row->name);
	put_value(row);
	putchar('\n');
}

static bool is(const char *line, const char *start)
{
	return strncmp(line, start, strlen(start)) == 0;
}

/* ".It Fl f , -file Ar file": is it that of @row? */
static bool is_item(const char *line, const struct fl_option *row)
{
	size_t n = strlen(row->name);
	const char *name = is(line, ".It Fl ") ? strchr(line, '-') : NULL;

	return name && strncmp(name + 1, row->name, n) == 0 && strchr(" ", name[1 + n]);
}

/* What more the page says of @row, between @begin and @end; how many lines. */
static unsigned put_more(const struct fl_option *row, unsigned begin, unsigned end)
{
	bool here = false, more = false;
	unsigned n = 0;

	for (unsigned i = begin; i < end; i++) {
		const char *line = page.line[i];

		if (is(line, ".It Fl ") || strcmp(line, ".El") == 0) {
			here = is_item(line, row);
			more = false;
		}
		more |= here && strcmp(line, ".\\\" more") == 0;
		if (more) {
			puts(line);
			n++;
		}
	}
	return n;
}

static void put_options(unsigned begin, unsigned end)
{
	const struct fl_option *row;
	unsigned there = 0, put = 0;
	bool more = false;

	puts(".Bl -tag -width Ds");
	for (unsigned i = 0; (row = fl_option_at(i)); i++) {
		if (!is_here(row))
			continue;
		put_option(row);
		put_sentence(row);
		put += put_more(row, begin, end);
	}
	puts(".El");
	for (unsigned i = begin; i < end; i++) {
		if (is(page.line[i], ".It Fl ") || strcmp(page.line[i], ".El") == 0)
			more = false;
		more |= strcmp(page.line[i], ".\\\" more") == 0;
		there += more;
	}
	if (there != put)
		fail("says more of an option that this verb does not have", "");
}

static void put_name(void)
{
	printf(".Nm fairlead-%s\n.Nd %s\n", page.verb->name, page.verb->summary);
}

static void put_synopsis_of_verb(void)
{
	const struct fl_verb *v = page.verb;
	const struct fl_option *row;

	printf(".Nm fairlead %s\n", v->name);
	for (unsigned i = 0; (row = fl_option_at(i)); i++) {
		if (!(row->sets & v->option_sets) || row->takes == FL_TAKES_HELP ||
		    strcmp(row->name, "file") == 0)
			continue;
		if (row->letter)
			printf(".Op Fl %c", row->letter);
		else
			printf(".Op Fl -%s", row->name);
		put_value(row);
		puts(row->takes == FL_TAKES_TEXTS ? " ..." : "");
	}
	if (v->option_sets & FL_FOR_TUNE || (reads(v) && v->option_sets & FL_FOR_DAEMON))
		puts(".Op Fl f Ar file ...");
	else if (reads(v))
		puts(".Fl f Ar file ...");
	if (!*v->operands)
		return;
	putchar('.');
	put_operands(v);
	putchar('\n');
}

/* --- the page of the command --- */

enum way { READS, READS_OR_ASKS, ASKS, NEITHER, WAYS };

static enum way way_of(const struct fl_verb *v)
{
	if (v->option_sets & FL_FOR_TUNE)
		return READS_OR_ASKS;
	if (reads(v))
		return v->option_sets & FL_FOR_DAEMON ? READS_OR_ASKS : READS;
	return v->option_sets & FL_FOR_DAEMON ? ASKS : NEITHER;
}

static void put_synopsis(void)
{
	static const char *const files[WAYS] = {
		[READS] = ".Fl f Ar file ...\n",
		[READS_OR_ASKS] = ".Op Fl f Ar file ...\n",
	};

	for (unsigned way = 0; way < WAYS; way++) {
		const char *before = ".Nm\n.Cm ";
		bool operands = false;

		for (unsigned i = 0; i < fl_n_verbs; i++)
			if (way_of(&fl_verbs[i]) == (enum way)way) {
				printf("%s%s", before, fl_verbs[i].name);
				before = " | ";
				operands |= fl_verbs[i].max_operands > 0;
			}
		printf("\n.Op Ar option ...\n%s%s", files[way] ? files[way] : "",
		       operands ? ".Op Ar argument ...\n" : "");
	}
	puts(".Nm\n.Fl -help | -version");
}

static void put_verbs(void)
{
	puts(".Bl -tag -width \"explain WORKLOAD\"");
	for (unsigned i = 0; i < fl_n_verbs; i++) {
		const struct fl_verb *v = &fl_verbs[i];

		printf(".It Cm %s", v->name);
		if (*v->operands && is_simple(v)) {
			putchar(' ');
			put_operands(v);
		}
		printf("\n%s; see\n.Xr fairlead-%s 1\n", v->summary, v->name);
	}
	puts(".El");
}

static int by_name(const void *a, const void *b)
{
	return strcmp((*(const struct fl_verb *const *)a)->name,
		      (*(const struct fl_verb *const *)b)->name);
}

static void put_pages(void)
{
	const struct fl_verb *sorted[64];

	if (fl_n_verbs > sizeof(sorted) / sizeof(*sorted))
		fail("too many verbs", "");
	for (unsigned i = 0; i < fl_n_verbs; i++)
		sorted[i] = &fl_verbs[i];
	qsort(sorted, fl_n_verbs, sizeof(*sorted), by_name);
	for (unsigned i = 0; i < fl_n_verbs; i++)
		printf(".Xr fairlead-%s 1 ,\n", sorted[i]->name);
}

/* --- all of it --- */

static bool has_options(void)
{
	const struct fl_option *row;

	for (unsigned i = 0; (row = fl_option_at(i)); i++)
		if (is_here(row) && row->takes != FL_TAKES_HELP)
			return true;
	return false;
}

/* What stands between lines @begin and @end; which of the parts it was. */
enum part { NAME = 1, SYNOPSIS = 2, OPTIONS = 4, VERBS = 8, PAGES = 16 };

static unsigned put_part(const char *what, unsigned begin, unsigned end)
{
	if (page.verb && strcmp(what, "name") == 0)
		return put_name(), NAME;
	if (strcmp(what, "synopsis") == 0)
		return page.verb ? put_synopsis_of_verb() : put_synopsis(), SYNOPSIS;
	if (strcmp(what, "options") == 0)
		return put_options(begin, end), OPTIONS;
	if (!page.verb && strcmp(what, "verbs") == 0)
		return put_verbs(), VERBS;
	if (!page.verb && strcmp(what, "pages") == 0)
		return put_pages(), PAGES;
	fail("cannot be printed: ", what);
	return 0;
}

static unsigned parts_wanted(void)
{
	unsigned ret = page.verb ? NAME : SYNOPSIS | VERBS | PAGES;

	if (page.verb && is_simple(page.verb) &&
	    (way_of(page.verb) != NEITHER || page.verb->option_sets & FL_FOR_HANDOVER) &&
	    !(page.verb->option_sets & FL_FOR_SAVE))
		ret |= SYNOPSIS;
	if (has_options())
		ret |= OPTIONS;
	return ret;
}

static const struct fl_verb *verb_of(const char *path)
{
	const char *name = strrchr(path, '/');
	size_t n;

	name = name ? name + 1 : path;
	if (strcmp(name, "fairlead.1") == 0)
		return NULL;
	if (!is(name, "fairlead-"))
		fail("is not a page of a verb", "");
	name += strlen("fairlead-");
	n = strcspn(name, ".");
	for (unsigned i = 0; i < fl_n_verbs; i++)
		if (strlen(fl_verbs[i].name) == n && strncmp(fl_verbs[i].name, name, n) == 0)
			return &fl_verbs[i];
	fail("there is no such verb", "");
	return NULL;
}

int main(int argc, char **argv)
{
	unsigned had = 0;

	if (argc != 2)
		return 2;
	read_page(argv[1]);
	page.verb = verb_of(argv[1]);
	for (unsigned i = 0; i < page.n; i++) {
		static const char begins[] = ".\\\" printed: ", ends[] = ".\\\" end of ";
		const char *what = page.line[i] + strlen(begins);
		unsigned end = i + 1;

		puts(page.line[i]);
		if (!is(page.line[i], begins))
			continue;
		while (end < page.n && !is(page.line[end], ends))
			end++;
		if (end == page.n || strcmp(page.line[end] + strlen(ends), what) != 0)
			fail("has no end: ", what);
		had |= put_part(what, i + 1, end);
		i = end - 1;
	}
	if (had != parts_wanted())
		fail("a part that is printed is missing, or there is one too many", "");
	return fflush(stdout) != 0 || ferror(stdout);
}
