/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cases - what is known to go round, and what does no more: files against verdicts
 *
 *   cases VERDICTS FILE...     compare: a line of VERDICTS for each file
 *   cases --print FILE...      print such lines
 *
 * A line is the name of the file and four verdicts: by the rules as they are, in any order; when
 * nobody takes what was freed for another; with freed quota held for whom it was freed (Policy
 * holdFreedQuota); and with preemptionGuarantee: settles, when none may go round.  A verdict is "none", or "possible" or "forced" with the moves of the shortest round
 * and the rules on it; "always" when no order at all comes to rest.
 */
#include <libgen.h>
#include <stdlib.h>
#include <string.h>

#include "codec/object/kube.h"
#include "decide/borrow/borrow.h"
#include "explore.h"

enum { MOST_STATES = 2000000, LINE = 512, MOST_BYTES = 1 << 20 };

static void read_file(const char *name, char *text, size_t *ret_len)
{
	FILE *f = fopen(name, "r");

	if (!f) {
		perror(name);
		exit(2);
	}
	*ret_len = fread(text, 1, MOST_BYTES, f);
	(void)fclose(f);
}

enum mode { AS_IS, PROMPT, HOLD, SETTLES, MODES };

/* For whom it was freed, unless the file has a Policy of its own. */
static void set_mode(struct fl_model *m, enum mode mode)
{
	struct fl_protection_row row = { .scope = FL_PROTECT_ALL, .says = fl_protection_default };

	row.says.hold_freed_quota = FL_SWITCH_ON;
	if (mode == HOLD && m->n_protections == 0 && fl_model_add_protection(m, &row, NULL) < 0)
		abort();
	m->settings.settles = mode == SETTLES;
}

static struct outcome outcome_of(struct explorer *const e[2], const char *name, enum mode mode)
{
	static char text[MOST_BYTES];
	struct fl_policy_options options = { .mem = &fl_mem_heap };
	struct outcome outcome;
	struct fl_model *m = NULL;
	struct fl_policy *p = NULL;
	fairlead_error err = { 0 };
	size_t len;

	read_file(name, text, &len);
	if (fl_model_new(&fl_mem_heap, &m, &err) < 0 ||
	    fl_kube_read(m, name, text, len, &err) < 0) {
		(void)fprintf(stderr, "%s:%u: %s: %s\n", name, err.line, err.subject, err.text);
		exit(2);
	}
	set_mode(m, mode);
	if (fl_model_seal(m, &err) < 0)
		exit(2);
	options.now = m->newest;
	if (fl_borrow_policy.new(m, &options, &p, &err) < 0)
		exit(2);
	explorer_run_policy(e[mode == PROMPT], m, p, options.now, &outcome);
	fl_borrow_policy.free(p);
	fl_model_free(m);
	return outcome;
}

static int say(const struct outcome *o, char *to, size_t room)
{
	static const char *const loops[] = { "none", "possible", "forced" };
	int n = snprintf(to, room, "; %s%s%s", o->passing ? "passing " : "", loops[o->loop],
			 o->complete ? "" : " incomplete");

	if (o->loop != FL_LOOP_NONE)
		n += snprintf(to + n, room - (size_t)n, " %u%s", o->round,
			      o->always ? " always" : "");
	for (unsigned i = 0; i < RULES; i++)
		if (o->rules & 1u << i)
			n += snprintf(to + n, room - (size_t)n, " %s", rule_names[i]);
	return n;
}

/* True: it does not go round with the guarantee. */
static bool judge(struct explorer *const e[2], const char *name, char line[LINE])
{
	char copy[LINE];
	bool settles = true;
	int n;

	(void)snprintf(copy, sizeof copy, "%s", name);
	n = snprintf(line, LINE / 2, "%s", basename(copy));
	for (int mode = 0; mode < MODES; mode++) {
		struct outcome o = outcome_of(e, name, (enum mode)mode);

		n += say(&o, line + n, (size_t)(LINE - n));
		settles = o.complete && o.loop == FL_LOOP_NONE; /* of the last one */
	}
	return settles;
}

/* Does it stand in @f?  Its lines are few. */
static bool stands_in(FILE *f, const char *line)
{
	char other[LINE];

	rewind(f);
	while (fgets(other, sizeof other, f)) {
		other[strcspn(other, "\n")] = '\0';
		if (strcmp(other, line) == 0)
			return true;
	}
	return false;
}

int main(int argc, char **argv)
{
	struct explorer *e[2] = { explorer_new(MOST_STATES, /* prompt= */ false),
				  explorer_new(MOST_STATES, /* prompt= */ true) };
	bool print = argc > 1 && strcmp(argv[1], "--print") == 0;
	FILE *verdicts = argc > 1 && !print ? fopen(argv[1], "r") : NULL;
	int wrong = 0;

	if (!print && !verdicts) {
		(void)fputs("usage: cases VERDICTS|--print FILE...\n", stderr);
		return 2;
	}
	for (int i = 2; i < argc; i++) {
		char line[LINE];
		bool settles = judge(e, argv[i], line);
		bool known = print || stands_in(verdicts, line);

		if (print)
			puts(line);
		else if (!known || !settles)
			(void)fprintf(stderr, "%s: %s\n", known ? "goes round" : "not so", line);
		wrong += !known || !settles;
	}
	if (verdicts)
		(void)fclose(verdicts);
	explorer_free(e[0]);
	explorer_free(e[1]);
	return wrong ? EXIT_FAILURE : EXIT_SUCCESS;
}
