/* SPDX-License-Identifier: Apache-2.0 */
/* What --help prints. */
#include <stdio.h>
#include <string.h>

#include "cli/options/table.h"

enum { WIDTH = 80, OPTION = 31, VERB = 24 };

/* Words from column @at on; further lines begin at @indent. */
static void fill(const char *text, size_t len, int at, int indent)
{
	const char *end = text + len;
	bool first = true;

	while (text < end) {
		size_t blanks = strspn(text, " \n"), n;

		text += blanks;
		n = strcspn(text, " \n");
		if (text >= end)
			break;
		if (!first && at + (int)blanks + (int)n > WIDTH) {
			printf("\n%*s", indent, "");
			at = indent;
		} else if (!first) {
			at += printf("%*s", (int)blanks, "");
		}
		at += printf("%.*s", (int)n, text);
		text += n;
		first = false;
	}
	putchar('\n');
}

/* Paragraphs are filled; lines that begin with blanks stay as they are. */
static void print_details(const char *text)
{
	while (*text) {
		size_t n = strcspn(text, "\n");

		if (n == 0 || *text == ' ') {
			printf("%.*s\n", (int)n, text);
			text += n + (text[n] == '\n');
			continue;
		}
		while (text[n] && text[n + 1] && text[n + 1] != '\n' && text[n + 1] != ' ')
			n += 1 + strcspn(text + n + 1, "\n");
		fill(text, n, 0, 0);
		text += n + (text[n] == '\n');
	}
}

static void print_option(const struct fl_option *row)
{
	int at;

	if (row->letter)
		at = printf("  -%c, --%s", row->letter, row->name);
	else
		at = printf("      --%s", row->name);
	if (row->argument)
		at += printf(" %s", row->argument);
	if (at + 2 > OPTION)
		printf("\n%*s", OPTION, "");
	else
		printf("%*s", OPTION - at, "");
	fill(row->help, strlen(row->help), OPTION, OPTION);
}

/* Of kubectl: the cluster of its current context is read where nothing else is named. */
static bool is_plugin(void) { return strcmp(fl_program_name(), "fairlead") != 0; }

static void print_verb_help(const struct fl_verb *verb)
{
	static const char statuses[] =
		"Exit status: 0 yes, 1 the answer is no or the input is not valid, 2 usage, 3 a "
		"failure of the environment.";
	const struct fl_option *row;
	bool reads = verb->option_sets & FL_FOR_ALL;
	bool asks = reads && verb->option_sets & FL_FOR_DAEMON;

	printf("Usage: %s %s [OPTION...]%s%s%s\n\n", fl_program_name(), verb->name,
	       !reads              ? "" :
	       asks || is_plugin() ? " [-f FILE... | --context CONTEXT]" :
				     " {-f FILE... | --context CONTEXT}",
	       *verb->operands ? " " : "", verb->operands);
	print_details(verb->details);
	puts("\nOptions:");
	for (unsigned i = 0; (row = fl_option_at(i)); i++)
		if (row->sets & verb->option_sets)
			print_option(row);
	putchar('\n');
	fill(statuses, strlen(statuses), 0, 0);
}

void fl_print_help(const struct fl_verb *verb)
{
	if (verb) {
		print_verb_help(verb);
		return;
	}
	printf("Usage: %s VERB [OPTION...] [-f FILE... | --context CONTEXT]\n\n",
	       fl_program_name());
	puts("Decides which workload a shared cluster admits next, as Kueue would, and says\n"
	     "why: for manifests (-f), for a cluster (--context), or for a machine that\n"
	     "fairleadd shares.\n\nVerbs:");
	for (unsigned i = 0; i < fl_n_verbs; i++) {
		printf("  %-20s  ", fl_verbs[i].name);
		fill(fl_verbs[i].summary, strlen(fl_verbs[i].summary), VERB, VERB);
	}
	puts("\nOptions:\n"
	     "  -h, --help            print this help; 'fairlead VERB --help' that of a verb\n"
	     "      --version         print the version");
}
