/* SPDX-License-Identifier: Apache-2.0 */
/* fields - prints doc/guide/fields.md from the tables that the codec reads by */
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "codec/object/known.h"

static bool says_more(const struct fl_kube_field *f) { return f->note || f->doc; }

/* A field per line, to be found by the start of a line. */
static void put_supported(uint32_t kind)
{
	struct fl_kube_field field;
	bool begun = false;

	for (uint32_t i = 0; fl_kube_field(kind, i, &field); i++)
		if (field.support == FL_FIELD_SUPPORTED && !says_more(&field)) {
			if (!begun)
				puts("\n```");
			begun = true;
			puts(field.path);
		}
	if (begun)
		puts("```");
}

/* One paragraph, in lines of up to 100 columns. */
static void put_ignored(uint32_t kind)
{
	struct fl_kube_field field;
	size_t column = 0;

	for (uint32_t i = 0; fl_kube_field(kind, i, &field); i++) {
		size_t more = strlen(field.path) + strlen(" ``,");

		if (field.support != FL_FIELD_IGNORED || says_more(&field))
			continue;
		if (!column)
			column = (size_t)printf("\nIgnored: `%s`", field.path) - 1;
		else if (column + more > 100)
			column = (size_t)printf(",\n`%s`", field.path) - 2;
		else
			column += (size_t)printf(", `%s`", field.path);
	}
	if (column)
		puts(".");
}

static const char *word(enum fl_support support)
{
	switch (support) {
	case FL_FIELD_SUPPORTED:
		return "supported";
	case FL_FIELD_IGNORED:
		return "ignored";
	case FL_FIELD_NOTED:
		return "warning";
	case FL_FIELD_REFUSED:
		return "refused";
	}
	return "";
}

/* In a cell of a table. */
static void put_cell(const char *text)
{
	for (; *text; text++)
		printf(*text == '|' ? "\\|" : "%c", *text);
}

/* Those of which there is more to say than that they are supported or ignored. */
static void put_rest(uint32_t kind)
{
	struct fl_kube_field field;
	bool begun = false;

	for (uint32_t i = 0; fl_kube_field(kind, i, &field); i++) {
		if (!says_more(&field) &&
		    (field.support == FL_FIELD_SUPPORTED || field.support == FL_FIELD_IGNORED))
			continue;
		if (!begun)
			puts("\n| field | |\n|---|---|");
		begun = true;
		printf("| `%s` | %s", field.path, word(field.support));
		if (field.doc) {
			printf(": ");
			put_cell(field.doc);
		}
		if (field.note) {
			printf(field.doc ? "; " : ": ");
			put_cell(field.note);
		}
		puts(" |");
	}
}

int main(void)
{
	puts("# What fairlead reads of each kind\n\n"
	     "Of each kind: supported fields, one a line; fields that are ignored, because they decide\n"
	     "nothing; and in a table those with more to say: what a field is, or why it does not count, where\n"
	     "*warning* is for one that fairlead does not act on.\n"
	     "An unknown field is a warning (`unknown-field`, with the nearest name; an error with\n"
	     "`--strict`), an object of another kind, too (`ignored-object`). v1beta1 and v1beta2 of\n"
	     "`kueue.x-k8s.io` are read alike, with both spellings of a renamed field. Queue is of\n"
	     "`scheduling.run.ai/v2`, PodGroup of `scheduling.run.ai/v2alpha2`, SchedulingShard of\n"
	     "`kai.scheduler/v1`; labels, annotations and arguments that are not listed are ignored.\n"
	     "`.metadata.generateName` counts for objects without a name ([input.md](input.md)).\n\n"
	     "How they come together: [input.md](input.md#what-a-workload-asks-for),\n"
	     "[entitlement.md](entitlement.md#kais-objects). This page is printed from the tables of the code\n"
	     "and compared with them in the tests; another test holds the tables against Kueue's API.");
	for (uint32_t kind = 0; fl_kube_kind(kind); kind++) {
		printf("\n## %s\n", fl_kube_kind(kind));
		put_supported(kind);
		put_ignored(kind);
		put_rest(kind);
	}
	return 0;
}
