/* SPDX-License-Identifier: Apache-2.0 */
#include "report/job/agreement.h"

#include <math.h>
#include <string.h>

#include "report/job/words.h"
#include "report/out/table.h"

enum { KIND, REASON, REAL, OF_REAL, ENGINE, OF_ENGINE, COLUMNS };

static const struct fl_column_head heads[COLUMNS] = {
	[KIND] = { "DECISION", 0, 0 },
	[REASON] = { "REASON", 0, 0 },
	[REAL] = { "SCHEDULER", FL_COL_RIGHT, 0 },
	[OF_REAL] = { "ENGINE TOO", FL_COL_RIGHT, 0 },
	[ENGINE] = { "ENGINE", FL_COL_RIGHT, 0 },
	[OF_ENGINE] = { "SCHEDULER TOO", FL_COL_RIGHT, 0 },
};

/* --- figures --- */

static const char *part(const json_t *row, const char *key, char text[32])
{
	const json_t *value = json_object_get(row, key);
	double of_100;

	if (!json_is_number(value))
		return "-";
	of_100 = floor(1e4 * json_number_value(value)) / 100; /* never 100 of what is not all */
	snprintf(text, 32, of_100 < 100 ? "%.2f %%" : "%.0f %%", of_100);
	return text;
}

static int put_row(struct fl_table *t, const json_t *row, fairlead_error *err)
{
	static const struct {
		unsigned column;
		const char *key;
		bool part;
	} numbers[] = { { REAL, "real", false },
			{ OF_REAL, "ofReal", true },
			{ ENGINE, "engine", false },
			{ OF_ENGINE, "ofEngine", true } };
	const char *reason = fl_json_word(row, "reason");
	bool evicts = strcmp(fl_json_word(row, "kind"), "evict") == 0;
	char text[32];
	int rc = fl_table_row(t, -1, err);

	if (rc >= 0)
		rc = fl_table_cell(t, KIND,
				   *reason ? "" :
				   evicts  ? "preemptions" :
					     "admissions",
				   err);
	if (rc == 0)
		rc = fl_table_cell(t, REASON, reason, err);
	for (size_t i = 0; i < sizeof numbers / sizeof *numbers && rc == 0; i++) {
		const char *shown = text;

		if (numbers[i].part)
			shown = part(row, numbers[i].key, text);
		else
			snprintf(text, sizeof text, "%lld",
				 (long long)fl_json_whole(row, numbers[i].key));
		rc = fl_table_cell(t, numbers[i].column, shown, err);
	}
	return rc;
}

/* All of a kind, then its reasons where it has several. */
static int put_kind(struct fl_table *t, const json_t *kind, const json_t *rows, fairlead_error *err)
{
	const char *name = fl_json_word(kind, "kind");
	size_t n = 0;
	const json_t *row;
	size_t i;
	int rc = put_row(t, kind, err);

	json_array_foreach(rows, i, row) n += strcmp(fl_json_word(row, "kind"), name) == 0;
	json_array_foreach(rows, i, row) if (rc == 0 && n > 1 &&
					     strcmp(fl_json_word(row, "kind"), name) == 0)
		rc = put_row(t, row, err);
	return rc;
}

static int put_figures(const struct fl_report *r, const json_t *answer, fairlead_error *err)
{
	const json_t *kinds = json_object_get(answer, "kinds");
	struct fl_table *t;
	const json_t *kind;
	size_t i;
	int rc = fl_table_begin(r, heads, COLUMNS, &t, err);

	json_array_foreach(kinds, i, kind) if (rc == 0)
		rc = put_kind(t, kind, json_object_get(answer, "reasons"), err);
	return fl_table_end(t, rc, err);
}

/* --- differences --- */

static void say_number(const json_t *of, const char *key, char text[64])
{
	const json_t *value = json_object_get(of, key);

	if (json_is_string(value))
		snprintf(text, 64, "%s", json_string_value(value));
	else if (json_is_integer(value))
		snprintf(text, 64, "%lld", (long long)json_integer_value(value));
	else
		snprintf(text, 64, "%.6g", json_number_value(value));
}

static void say_inequality(const struct fl_report *r, const json_t *by)
{
	const char *node = fl_json_word(by, "node"), *resource = fl_json_word(by, "resource");
	const char *flavor = fl_json_word(by, "flavor");
	char lhs[64], rhs[64];

	if (!by)
		return;
	say_number(by, "lhs", lhs);
	say_number(by, "rhs", rhs);
	fl_report_say(r, FL_STYLE_PLAIN, 4, "%s%s%s%s%s%s%s: %s, with %s and %s",
		      fl_json_word(by, "check"), *node ? " of " : "", node, *resource ? ", " : "",
		      resource, *flavor ? " in " : "", flavor,
		      json_is_true(json_object_get(by, "holds")) ? "holds" : "does not hold", lhs,
		      rhs);
	fl_report_say(r, FL_STYLE_DIM, 4, "%s", fl_json_word(by, "meaning"));
}

static void say_cause(const struct fl_report *r, const char *cause)
{
	static const char *const causes[][2] = {
		{ "time", "the cause: time" },
		{ "order", "the cause: the order of what was heard and decided before" },
		{ "rule",
		  "the cause: another rule, or what the scheduler has in its memory alone" },
		{ "unknown", "the cause is not known: to find it took too long" },
	};

	for (size_t i = 0; i < sizeof causes / sizeof *causes; i++)
		if (strcmp(causes[i][0], cause) == 0)
			fl_report_say(r, FL_STYLE_DIM, 4, "%s", causes[i][1]);
}

static void say_difference(const struct fl_report *r, const json_t *d)
{
	static const struct {
		const char *side, *admit, *evict;
	} words[] = {
		{ "real", "admitted, not by the engine", "preempted, not by the engine" },
		{ "engine", "admitted only by the engine", "preempted only by the engine" },
		{ "placed", "admitted by both, otherwise placed", "" },
	};
	const char *side = fl_json_word(d, "side"), *workload = fl_json_word(d, "workload");
	bool admits = strcmp(fl_json_word(d, "kind"), "admit") == 0;
	const char *real = fl_json_word(d, "real"), *engine = fl_json_word(d, "engine");
	char at[40], later[40];
	size_t i = 0;

	while (i + 1 < sizeof words / sizeof *words && strcmp(words[i].side, side) != 0)
		i++;
	fl_report_say(r, FL_STYLE_PLAIN, 0, "%s %s of %s: %s",
		      fl_job_clock(fl_json_instant(d, "at"), at),
		      *workload ? workload : "a workload", fl_json_word(d, "queue"),
		      admits ? words[i].admit : words[i].evict);
	if (*real)
		fl_report_say(r, FL_STYLE_PLAIN, 4, "the scheduler: %s", real);
	if (*engine)
		fl_report_say(r, FL_STYLE_PLAIN, 4, "the engine: %s", engine);
	if (*fl_json_word(d, "said"))
		fl_report_say(r, FL_STYLE_PLAIN, 4, "the cluster says: %s",
			      fl_json_word(d, "said"));
	say_inequality(r, json_object_get(d, "inequality"));
	say_cause(r, fl_json_word(d, "cause"));
	if (json_is_string(json_object_get(d, "later")))
		fl_report_say(r, FL_STYLE_DIM, 4, "the scheduler decided so at %s",
			      fl_job_clock(fl_json_instant(d, "later"), later));
	if (json_is_true(json_object_get(d, "kept")))
		fl_report_say(
			r, FL_STYLE_DIM, 4,
			"the state just before: fairlead agreement %lld >FILE, for plan -f FILE",
			(long long)fl_json_whole(d, "window"));
}

int fl_agreement_text(const struct fl_report *r, const json_t *answer, fairlead_error *err)
{
	const json_t *differences = json_object_get(answer, "differences"), *d;
	char from[40], to[40];
	size_t i;
	int rc;

	fl_report_say(r, FL_STYLE_BOLD, 0, "Decisions from %s to %s UTC, in %lld windows",
		      fl_job_clock(fl_json_instant(answer, "from"), from),
		      fl_job_clock(fl_json_instant(answer, "to"), to),
		      (long long)fl_json_whole(answer, "windows"));
	putc('\n', r->out);
	if ((rc = put_figures(r, answer, err)) < 0)
		return rc;
	if (fl_json_whole(answer, "unjudged"))
		fl_report_say(r, FL_STYLE_DIM, 0, "%lld decisions could not be compared.",
			      (long long)fl_json_whole(answer, "unjudged"));
	json_array_foreach(differences, i, d)
	{
		if (i == 0) {
			putc('\n', r->out);
			fl_report_say(r, FL_STYLE_BOLD, 0, "Differences");
		}
		say_difference(r, d);
	}
	return 0;
}
