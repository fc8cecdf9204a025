/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/options/condition.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/nearest.h"
#include "cli/options/condition_words.h"
#include "codec/text/quantity.h"

static const struct name {
	const char *name;
	unsigned least, most; /* arguments */
	bool sets;            /* `.new` and `.gone` mean something */
	const char *form;
} names[] = {
	[FL_NAME_ADMITTED] = { "admitted", 0, 1, true, "admitted(QUEUE, COHORT or WORKLOAD)" },
	[FL_NAME_WAITING] = { "waiting", 0, 1, true, "waiting(QUEUE, COHORT or WORKLOAD)" },
	[FL_NAME_EVICTED] = { "evicted", 0, 1, true, "evicted(QUEUE, COHORT or WORKLOAD)" },
	[FL_NAME_LOOPS] = { "loops", 0, 0, true, "loops" },
	[FL_NAME_SHARE] = { "share", 1, 1, false, "share(QUEUE or COHORT)" },
	[FL_NAME_USAGE] = { "usage", 2, 2, false, "usage(QUEUE or COHORT, RESOURCE)" },
	[FL_NAME_BORROWED] = { "borrowed", 2, 2, false, "borrowed(QUEUE or COHORT, RESOURCE)" },
	[FL_NAME_QUOTA] = { "quota", 2, 2, false, "quota(QUEUE or COHORT, RESOURCE)" },
	[FL_NAME_FAIR_SHARE] = { "fairshare", 2, 2, false, "fairshare(QUEUE, RESOURCE)" },
};

static const char *const sides[] = { "after", "before", "new", "gone" };
static const char *const operators[] = { "<", "<=", ">", ">=", "==", "!=" };

enum { N_NAMES = sizeof(names) / sizeof(names[0]) };

struct parser {
	struct fl_condition *c;
	const char *at;
	unsigned depth;
	fairlead_error *err;
};

static unsigned column_of(const struct parser *p, const char *at)
{
	return (unsigned)(at - p->c->text) + 1;
}

static int fail(struct parser *p, const char *at, const char *format, ...) FL_PRINTF(3, 4);
static int fail(struct parser *p, const char *at, const char *format, ...)
{
	char text[512];
	va_list args;

	va_start(args, format);
	(void)vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	fl_fail(p->err, FAIRLEAD_EINPUT, "%s", text);
	p->err->column = column_of(p, at);
	return FAIRLEAD_EINPUT;
}

static void skip_blanks(struct parser *p) { p->at += strspn(p->at, " \t\n"); }

static size_t word_length(const char *at)
{
	size_t n = 0;

	while (isalpha((unsigned char)at[n]) || at[n] == '_')
		n++;
	return n;
}

static bool take_word(struct parser *p, const char *word)
{
	size_t len = strlen(word);

	skip_blanks(p);
	if (word_length(p->at) != len || strncmp(p->at, word, len) != 0)
		return false;
	p->at += len;
	return true;
}

static bool take(struct parser *p, char c)
{
	skip_blanks(p);
	if (*p->at != c)
		return false;
	p->at++;
	return true;
}

/* What stands there, for messages. */
static const char *found(const struct parser *p, char buffer[64])
{
	size_t n = word_length(p->at);

	if (!*p->at)
		return "the end";
	snprintf(buffer, 64, "'%.*s'", (int)(n > 40 ? 40 : n ? n : 1), p->at);
	return buffer;
}

/* --- values --- */

static int parse_side(struct parser *p, struct fl_condition_value *v)
{
	const char *at = p->at;
	size_t len;

	if (*p->at != '.')
		return 0;
	p->at++;
	len = word_length(p->at);
	for (unsigned i = FL_SIDE_BEFORE; i <= FL_SIDE_GONE; i++)
		if (strlen(sides[i]) == len && strncmp(p->at, sides[i], len) == 0)
			v->side = (enum fl_condition_side)i;
	if (v->side == FL_SIDE_AFTER)
		return fail(p, at, "after a name there may be .before, .new or .gone");
	if (v->side != FL_SIDE_BEFORE && !names[v->name].sets)
		return fail(p, at, "'%s' is one number and takes only .before",
			    names[v->name].name);
	p->at += len;
	return 0;
}

/* A name, bare or in quotes. */
static int parse_argument(struct parser *p, struct fl_condition_argument *a)
{
	char quote;
	size_t len;

	skip_blanks(p);
	quote = *p->at == '"' || *p->at == '\'' ? *p->at : '\0';
	a->column = column_of(p, p->at);
	if (quote) {
		const char *end = strchr(p->at + 1, quote);

		if (!end)
			return fail(p, p->at, "the quote is not closed");
		p->at++;
		len = (size_t)(end - p->at);
	} else {
		len = strcspn(p->at, " \t\n,()<>=!\"'");
	}
	if (len == 0)
		return fail(p, p->at, "a name is missing");
	if (len >= sizeof(a->text))
		return fail(p, p->at, "the name is too long");
	memcpy(a->text, p->at, len);
	a->text[len] = '\0';
	p->at += len + (quote != '\0');
	return 0;
}

static int parse_arguments(struct parser *p, struct fl_condition_value *v)
{
	const struct name *name = &names[v->name];
	const char *at = p->at;

	if (take(p, '(')) {
		do {
			if (v->n_arguments == name->most)
				return fail(p, at, "too many names in the parentheses: it is %s",
					    name->form);
			int rc = parse_argument(p, &v->arguments[v->n_arguments]);
			if (rc < 0)
				return rc;
			v->n_arguments++;
		} while (take(p, ','));
		if (!take(p, ')'))
			return fail(p, p->at, "a ')' is missing");
	}
	if (v->n_arguments < name->least)
		return fail(p, at, "a name is missing: it is %s", name->form);
	return 0;
}

static int parse_name(struct parser *p, struct fl_condition_value *v)
{
	size_t len = word_length(p->at);
	char word[64] = "", text[1600];
	struct fl_nearest near = { .wanted = word };

	snprintf(word, sizeof(word), "%.*s", (int)len, p->at);
	v->name = -1;
	for (int i = 0; i < N_NAMES; i++) {
		if (strcmp(names[i].name, word) == 0)
			v->name = i;
		fl_nearest_offer(&near, names[i].name);
	}
	if (v->name < 0) {
		char all[256] = "";

		for (int i = 0; i < N_NAMES; i++)
			snprintf(all + strlen(all), sizeof(all) - strlen(all), "%s%s",
				 i ? ", " : "", names[i].name);
		if (near.n)
			return fail(p, p->at, "there is no '%s'; did you mean %s?", word,
				    fl_nearest_text(&near, text, sizeof(text)));
		return fail(p, p->at, "there is no '%s'; the names are: %s", word, all);
	}
	p->at += len;
	int rc = parse_side(p, v);
	return rc < 0 ? rc : parse_arguments(p, v);
}

static int parse_value(struct parser *p, struct fl_condition_value *v)
{
	char buffer[64];
	size_t len;

	skip_blanks(p);
	*v = (struct fl_condition_value){ .name = -1, .column = column_of(p, p->at) };
	if (word_length(p->at))
		return parse_name(p, v);
	len = strspn(p->at, "0123456789.");
	if (len == 0)
		return fail(p, p->at, "a number or a name is expected, not %s", found(p, buffer));
	while (isalnum((unsigned char)p->at[len]))
		len++;
	if (fl_quantity_parse_nanos(p->at, len, &v->number, /* err= */ NULL) < 0)
		return fail(p, p->at, "'%.*s' is not a number such as 4, 0.5 or 10Gi",
			    (int)(len > 100 ? 100 : len), p->at);
	p->at += len;
	return 0;
}

/* --- comparisons and what joins them --- */

static int parse_operator(struct parser *p, unsigned *ret)
{
	char buffer[64];
	size_t longest = 0;

	skip_blanks(p);
	for (unsigned i = 0; i < sizeof(operators) / sizeof(operators[0]); i++) {
		size_t len = strlen(operators[i]);

		if (strncmp(p->at, operators[i], len) == 0 && len > longest) {
			longest = len;
			*ret = i;
		}
	}
	if (!longest && *p->at == '=')
		return fail(p, p->at, "equality is written ==");
	if (!longest)
		return fail(p, p->at, "one of < <= > >= == != is expected, not %s",
			    found(p, buffer));
	p->at += longest;
	return 0;
}

static int push_step(struct parser *p, int step)
{
	if (p->c->n_steps == sizeof(p->c->steps) / sizeof(p->c->steps[0]))
		return fail(p, p->at, "the condition is too long");
	p->c->steps[p->c->n_steps++] = step;
	return 0;
}

static int parse_comparison(struct parser *p)
{
	struct fl_condition_part *part = &p->c->parts[p->c->n_parts];
	int rc;

	skip_blanks(p);
	if (p->c->n_parts == FL_CONDITION_PARTS)
		return fail(p, p->at, "more than %d comparisons", FL_CONDITION_PARTS);
	part->start = column_of(p, p->at) - 1;
	rc = parse_value(p, &part->left);
	if (rc == 0)
		rc = parse_operator(p, &part->op);
	if (rc == 0)
		rc = parse_value(p, &part->right);
	if (rc < 0)
		return rc;
	part->len = column_of(p, p->at) - 1 - part->start;
	return push_step(p, (int)p->c->n_parts++);
}

static int parse_or(struct parser *p);

static int parse_part(struct parser *p)
{
	const char *at = p->at;
	int rc;

	if (p->depth == FL_CONDITION_DEPTH)
		return fail(p, p->at, "nested more than %d deep", FL_CONDITION_DEPTH);
	p->depth++;
	if (take_word(p, "not")) {
		rc = parse_part(p);
		if (rc == 0)
			rc = push_step(p, FL_STEP_NOT);
	} else if (take(p, '(')) {
		rc = parse_or(p);
		if (rc == 0 && !take(p, ')'))
			rc = fail(p, p->at, "a ')' is missing");
	} else {
		p->at = at;
		rc = parse_comparison(p);
	}
	p->depth--;
	return rc;
}

static int parse_and(struct parser *p)
{
	int rc = parse_part(p);

	while (rc == 0 && take_word(p, "and")) {
		rc = parse_part(p);
		if (rc == 0)
			rc = push_step(p, FL_STEP_AND);
	}
	return rc;
}

static int parse_or(struct parser *p)
{
	int rc = parse_and(p);

	while (rc == 0 && take_word(p, "or")) {
		rc = parse_and(p);
		if (rc == 0)
			rc = push_step(p, FL_STEP_OR);
	}
	return rc;
}

int fl_condition_parse(const char *text, struct fl_condition *ret, fairlead_error *err)
{
	fairlead_error unused;
	struct parser p = { .c = ret, .err = err ? err : &unused };
	char buffer[64];

	*ret = (struct fl_condition){ 0 };
	p.at = ret->text;
	if (strlen(text) >= sizeof(ret->text))
		return fail(&p, p.at, "longer than %d characters", FL_CONDITION_LENGTH - 1);
	strcpy(ret->text, text);
	int rc = parse_or(&p);
	skip_blanks(&p);
	if (rc == 0 && *p.at)
		rc = fail(&p, p.at, "'and', 'or' or the end is expected, not %s",
			  found(&p, buffer));
	return rc;
}

const char *fl_condition_operator(const struct fl_condition_part *part)
{
	return operators[part->op];
}

const char *fl_condition_number(fl_nanos n, char buffer[64])
{
	const fl_nanos unit = 1000000000;
	char digits[48];
	int at = 0, used = 0;
	fl_nanos whole = n / unit;
	unsigned rest = (unsigned)(n % unit);

	if (n >= FL_NANOS_INFINITE) {
		strcpy(buffer, "inf");
		return buffer;
	}
	do {
		digits[at++] = (char)('0' + (int)(whole % 10));
		whole /= 10;
	} while (whole);
	while (at)
		buffer[used++] = digits[--at];
	buffer[used] = '\0';
	if (rest) {
		used += snprintf(buffer + used, 16, ".%09u", rest);
		while (buffer[used - 1] == '0')
			buffer[--used] = '\0';
	}
	return buffer;
}
