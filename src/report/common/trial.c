/* SPDX-License-Identifier: Apache-2.0 */
#include "report/common/trial.h"

#include <stdio.h>
#include <string.h>

enum { INDENT = 4 };

static const char plain[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._/-";

static bool is_plain(const char *name) { return *name && name[strspn(name, plain)] == '\0'; }

const char *fl_trial_field(char buffer[FL_TRIAL_SET], const char *kind, const char *name,
			   const char *field, const char *value)
{
	int n = snprintf(buffer, FL_TRIAL_SET, "%s/%s: %s=%s", kind, name, field, value);

	return is_plain(name) && n < FL_TRIAL_SET ? buffer : NULL;
}

const char *fl_trial_quota(char buffer[FL_TRIAL_SET], const char *kind, const char *name,
			   const char *field, const char *resource, const char *flavor,
			   const char *value)
{
	int n = snprintf(buffer, FL_TRIAL_SET, "%s/%s: %s[%s,%s]=%s", kind, name, field, resource,
			 flavor, value);

	return is_plain(name) && is_plain(resource) && is_plain(flavor) && n < FL_TRIAL_SET ?
		       buffer :
		       NULL;
}

/* --- for a shell --- */

/* One of more than these is quoted. */
static bool is_bare(const char *word)
{
	static const char also[] = ":,@%+=";

	for (const char *c = word; *c; c++)
		if (!strchr(plain, *c) && !strchr(also, *c))
			return false;
	return *word != '\0';
}

/* How long it is, and with @out it is written. */
static size_t put_word(FILE *out, const char *word)
{
	static const char quote[] = "'\\''";
	size_t len = strlen(word), columns = len + 2;

	if (is_bare(word) || strncmp(word, "<(", 2) == 0) {
		if (out)
			fl_report_put_clean(out, word, len);
		return len;
	}
	if (out)
		putc('\'', out);
	for (const char *at = word; *at;) {
		size_t part = strcspn(at, "'");

		if (out)
			fl_report_put_clean(out, at, part);
		at += part;
		if (*at != '\'')
			continue;
		at++;
		columns += sizeof(quote) - 2;
		if (out)
			fputs(quote, out);
	}
	if (out)
		putc('\'', out);
	return columns;
}

struct line {
	const struct fl_report *report;
	size_t at; /* columns that were written of this line */
};

/*
 * Two words that belong together, in the next line when this one has no room for them; @second NULL: one
 * word.
 */
static void put_pair(struct line *l, const char *first, const char *second)
{
	FILE *out = l->report->out;
	size_t columns = put_word(NULL, first) + (second ? 1 + put_word(NULL, second) : 0);
	unsigned width = l->report->width;

	/* Room for " \" behind it, too. */
	if (l->at && width && l->at + 1 + columns + 2 > width) {
		fprintf(out, " \\\n%*s", INDENT + 2, "");
		l->at = INDENT + 2;
	} else if (l->at) {
		putc(' ', out);
		l->at++;
	} else {
		fprintf(out, "%*s", INDENT, "");
		l->at = INDENT;
	}
	put_word(out, first);
	if (second) {
		putc(' ', out);
		put_word(out, second);
	}
	l->at += columns;
}

static bool can_say(const struct fl_report *r, fl_trial_set *set, const void *user, uint32_t n)
{
	char buffer[FL_TRIAL_SET];
	uint32_t i = 0;

	while (i < n && set(r, user, i, buffer))
		i++;
	return i == n;
}

void fl_trial_text(const struct fl_report *r, bool coming, const char *object, fl_trial_set *set,
		   const void *user, uint32_t n)
{
	const struct fl_report_trial *t = r->trial;
	struct line l = { .report = r };
	char buffer[FL_TRIAL_SET], echo[FL_TRIAL_SET];

	if (!t || !can_say(r, set, user, n))
		return;
	fputs(fl_style_start(r, FL_STYLE_DIM), r->out);
	for (uint32_t i = 0; i < t->n; i += 2)
		put_pair(&l, t->words[i], i + 1 < t->n ? t->words[i + 1] : NULL);
	if (coming)
		put_pair(&l, "--cycles", "1");
	(void)snprintf(echo, sizeof(echo), "<(echo '%s')", object ? object : "");
	if (object)
		put_pair(&l, "--change", echo);
	for (uint32_t i = 0; i < n; i++)
		put_pair(&l, "--set", set(r, user, i, buffer));
	fprintf(r->out, "%s\n", fl_style_end(r, FL_STYLE_DIM));
}

void fl_trial_json(const struct fl_report *r, struct fl_json *j, const char *key, fl_trial_set *set,
		   const void *user, uint32_t n)
{
	char buffer[FL_TRIAL_SET];

	if (!r->trial || !can_say(r, set, user, n))
		return;
	fl_json_list(j, key);
	for (uint32_t i = 0; i < n; i++)
		fl_json_text(j, NULL, set(r, user, i, buffer));
	fl_json_end_list(j);
}
