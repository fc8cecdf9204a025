/* SPDX-License-Identifier: Apache-2.0 */
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "base/nearest.h"
#include "base/time.h"
#include "cli/cli.h"
#include "codec/text/quantity.h"
#include "decide/policies.h"

/* What --seed, --top and --bound take at most. */
enum { MAX_SEED = 999999999, MAX_TOP = 1000, MAX_STATES = 999999999 };

enum {
	OPT_ALL = 256,
	OPT_BOUND,
	OPT_CHANGE,
	OPT_CHECK,
	OPT_CONTEXT,
	OPT_CYCLES,
	OPT_DELETE,
	OPT_ETA,
	OPT_FAIL_IF,
	OPT_FROM_SNAPSHOT,
	OPT_INTERVAL,
	OPT_MEMORY,
	OPT_NOW,
	OPT_POLICY,
	OPT_REDACT,
	OPT_RESUME,
	OPT_ROUNDS,
	OPT_SALT,
	OPT_SEED,
	OPT_SETTLE,
	OPT_STRICT,
	OPT_SVG,
	OPT_SWEEP,
	OPT_TOP,
	OPT_UNTIL,
	OPT_VARIANT,
	OPT_TUNE, /* and as many more as enum fl_tune_option has */
};

/* In the order --help shows them. */
static const struct fl_option rows[] = {
	{ "file", "FILE", 'f', FL_FOR_ALL | FL_FOR_TUNE,
	  "manifests: file, folder, glob, or - for standard input; repeats" },
	{ "queue", "QUEUE", FL_CLIENT_QUEUE, FL_FOR_SUBMIT,
	  "where it waits (default: $FAIRLEAD_QUEUE, or the only one you may use)" },
	{ "request", "RESOURCE=AMOUNT,...", FL_CLIENT_REQUEST, FL_FOR_SUBMIT,
	  "what one task needs: cpu=2,memory=4Gi,gpu=1; repeats" },
	{ "name", "NAME", FL_CLIENT_NAME, FL_FOR_SUBMIT,
	  "what people call it (default: the program)" },
	{ "tasks", "N", FL_CLIENT_TASKS, FL_FOR_SUBMIT,
	  "run it N times at once, all or none (default 1)" },
	{ "array", "N", FL_CLIENT_ARRAY, FL_FOR_SUBMIT,
	  "N jobs, each with its FAIRLEAD_ARRAY_INDEX from 0" },
	{ "after", "JOB[:WHEN],...", FL_CLIENT_AFTER, FL_FOR_SUBMIT,
	  "when these have ended ok (default), failed, or any; repeats" },
	{ "hold", NULL, FL_CLIENT_HOLD, FL_FOR_SUBMIT, "not before it is released" },
	{ "priority", "N", FL_CLIENT_PRIORITY, FL_FOR_SUBMIT,
	  "within its queue: more is sooner (default 0)" },
	{ "select", "KEY=VALUE", FL_CLIENT_SELECT, FL_FOR_SUBMIT,
	  "only in a flavor with this label; repeats" },
	{ "time", "TIME", FL_CLIENT_TIME, FL_FOR_SUBMIT, "stop it after so long, such as 1h30m" },
	{ "grace", "TIME", FL_CLIENT_GRACE, FL_FOR_SUBMIT, "from the signal to the kill" },
	{ "signal", "NAME", FL_CLIENT_SIGNAL, FL_FOR_SUBMIT, "that tells it to go (default TERM)" },
	{ "output", "PATH", FL_CLIENT_OUTPUT, FL_FOR_SUBMIT,
	  "write what it prints there (default: the daemon keeps it)" },
	{ "dir", "PATH", FL_CLIENT_DIR, FL_FOR_SUBMIT, "where it runs (default: here)" },
	{ "env", "NAME[=VALUE]", FL_CLIENT_ENV, FL_FOR_SUBMIT,
	  "set, or pass on, a variable; repeats" },
	{ "env-file", "FILE", FL_CLIENT_ENV_FILE, FL_FOR_SUBMIT, "the same, one a line" },
	{ "clean-env", NULL, FL_CLIENT_CLEAN_ENV, FL_FOR_SUBMIT,
	  "none of your variables but those named" },
	{ "wait", NULL, FL_CLIENT_WAIT, FL_FOR_SUBMIT, "until it has ended, and exit as it did" },
	{ "format", "FORMAT", 'o', FL_FOR_SUBMIT, "text (default) or json" },
	{ "all", NULL, FL_CLIENT_ALL, FL_FOR_JOBS, "those that are over, too" },
	{ "queue", "QUEUE", FL_CLIENT_QUEUE, FL_FOR_JOBS | FL_FOR_EVENTS, "of this queue" },
	{ "user", "USER", FL_CLIENT_USER, FL_FOR_JOBS, "of this user" },
	{ "state", "STATE,...", FL_CLIENT_STATE, FL_FOR_JOBS,
	  "in these states, such as waits,runs" },
	{ "limit", "N", FL_CLIENT_LIMIT, FL_FOR_JOBS | FL_FOR_EVENTS,
	  "at most N of them (default 1000)" },
	{ "follow", NULL, FL_CLIENT_FOLLOW, FL_FOR_LOGS | FL_FOR_EVENTS, "go on as more comes" },
	{ "err", NULL, FL_CLIENT_ERR, FL_FOR_LOGS, "standard error instead of output" },
	{ "task", "N", FL_CLIENT_TASK, FL_FOR_LOGS, "of this task (default 0)" },
	{ "attempt", "N", FL_CLIENT_ATTEMPT, FL_FOR_LOGS,
	  "of this attempt (default: the last one)" },
	{ "tail", "BYTES", FL_CLIENT_TAIL, FL_FOR_LOGS, "only the end, such as 4Ki" },
	{ "job", "JOB", FL_CLIENT_JOB, FL_FOR_EVENTS, "of this job" },
	{ "kind", "KIND", FL_CLIENT_KIND, FL_FOR_EVENTS, "of this kind, such as Preempted" },
	{ "since", "TIME", FL_CLIENT_SINCE, FL_FOR_EVENTS | FL_FOR_HISTORY,
	  "from then on: 2026-01-01T00:00:00Z, or 1h: an hour ago" },
	{ "once", NULL, FL_CLIENT_ONCE, FL_FOR_TOP, "print it once and end" },
	{ "for", "TIME", FL_CLIENT_FOR, FL_FOR_TOP,
	  "end after so long; the last picture stays where it is" },
	{ "output", "FORMAT", 'o', FL_FOR_ALL | FL_FOR_TUNE | FL_FOR_ANSWER,
	  "text (default) or json; check: sarif, too" },
	{ "socket", "PATH", FL_CLIENT_SOCKET, FL_FOR_DAEMON,
	  "the daemon's (default: $FAIRLEAD_SOCKET, or the usual places)" },
	{ "change", "FILE", OPT_CHANGE, FL_FOR_WHAT_IF,
	  "objects to add or to replace, as with kubectl apply; repeats" },
	{ "delete", "OBJECT", OPT_DELETE, FL_FOR_WHAT_IF,
	  "leave out KIND/NAME or KIND/NAMESPACE/NAME; repeats" },
	{ "fail-if", "EXPR", OPT_FAIL_IF, FL_FOR_WHAT_IF,
	  "exit 1 when this is true, such as 'evicted.new > 0'" },
	{ "cycles", "N", OPT_CYCLES, FL_FOR_PLAN, "run at most N scheduling cycles (default 1)" },
	{ "cycles", "N", OPT_CYCLES, FL_FOR_WHAT_IF, "run at most N scheduling cycles a side" },
	{ "cycle-interval", "TIME", OPT_INTERVAL, FL_FOR_PLAN | FL_FOR_WHAT_IF,
	  "time between two cycles (default 1s)" },
	{ "settle", NULL, OPT_SETTLE, FL_FOR_PLAN,
	  "go on until nothing changes; exit 1 if that never happens" },
	{ "gpus", "N", OPT_TUNE + FL_TUNE_GPUS, FL_FOR_TUNE,
	  "what is used (default: the whole cluster)" },
	{ "hours", "N", OPT_TUNE + FL_TUNE_HOURS, FL_FOR_TUNE, "how long (default 1)" },
	{ "cluster", "N", OPT_TUNE + FL_TUNE_CLUSTER, FL_FOR_TUNE, "GPUs of the cluster" },
	{ "weight", "N", OPT_TUNE + FL_TUNE_WEIGHT, FL_FOR_TUNE,
	  "over-quota weight of who uses them" },
	{ "weights", "N,...", OPT_TUNE + FL_TUNE_WEIGHTS, FL_FOR_TUNE,
	  "those of all that compete, its own among them (default 1,1)" },
	{ "penalty", "N%", OPT_TUNE + FL_TUNE_PENALTY, FL_FOR_TUNE,
	  "find what costs this part of its portion: k, half-life or window" },
	{ "others", "USE", OPT_TUNE + FL_TUNE_OTHERS, FL_FOR_TUNE,
	  "they use nothing: idle (default), or all the rest: busy" },
	{ "k", "N", OPT_TUNE + FL_TUNE_K_VALUE, FL_FOR_TUNE, "kValue (default 1)" },
	{ "half-life", "TIME", OPT_TUNE + FL_TUNE_HALVES, FL_FOR_TUNE,
	  "after which usage counts half, or none (default)" },
	{ "window", "TIME", OPT_TUNE + FL_TUNE_SPAN, FL_FOR_TUNE,
	  "that usage is counted in (default 7d)" },
	{ "bound", "N", OPT_BOUND, FL_FOR_PROVE,
	  "look at no more than N states (default 1000000)" },
	{ "memory", "SIZE", OPT_MEMORY, FL_FOR_PROVE,
	  "nor keep more than that, such as 4Gi (default 1Gi)" },
	{ "check", NULL, OPT_CHECK, FL_FOR_PROVE,
	  "explore also where a theorem says that it settles" },
	{ "resume", "FILE", OPT_RESUME, FL_FOR_PROVE,
	  "go on from FILE if it is there; save there what is not finished" },
	{ "out", "FILE", 'O', FL_FOR_PROVE, "the loop as input of 'plan --settle'" },
	{ "svg", "FILE", OPT_SVG, FL_FOR_TUNE | FL_FOR_PROVE, "draw the picture into FILE" },
	{ "rounds", NULL, OPT_ROUNDS, FL_FOR_DIVIDE, "show how each share came to be" },
	{ "out", "FILE", 'O', FL_FOR_RECORD, "write to FILE instead of standard output" },
	{ "out", "FILE", 'O', FL_FOR_SAVE, "the image" },
	{ "out", "DIR", 'O', FL_FOR_SIMULATE,
	  "write report.html, summary.json, series.csv, jobs.csv and events.jsonl" },
	{ "variant", "NAME=FILE", OPT_VARIANT, FL_FOR_COMPARE,
	  "the scenario with the objects of FILE laid over it; may repeat" },
	{ "sweep", "OPTION=VALUES", OPT_SWEEP, FL_FOR_COMPARE,
	  "a run for each value: half-life=1h..30d, k=0..2/5, load=0.8,1" },
	{ "out", "DIR", 'O', FL_FOR_COMPARE, "write report.html, summary.json and comparison.csv" },
	{ "until", "TIME", OPT_UNTIL, FL_FOR_SIMULATE | FL_FOR_COMPARE,
	  "end after so long, such as 30d" },
	{ "seed", "N", OPT_SEED, FL_FOR_SIMULATE | FL_FOR_COMPARE,
	  "of all that is random (default 1)" },
	{ "top", "N", OPT_TOP, FL_FOR_SIMULATE | FL_FOR_COMPARE,
	  "queues of a parent that are shown by themselves (default 12)" },
	{ "from-snapshot", NULL, OPT_FROM_SNAPSHOT, FL_FOR_SIMULATE,
	  "go on from the state as it is, with run times like those that have ended" },
	{ "eta", NULL, OPT_ETA, FL_FOR_EXPLAIN,
	  "say when it will start, as far as that can be known" },
	{ "redact", NULL, OPT_REDACT, FL_FOR_RECORD,
	  "names become others that tell nothing and sort alike" },
	{ "salt", "TEXT", OPT_SALT, FL_FOR_RECORD,
	  "the same names for the same TEXT (default: random)" },
	{ "all", NULL, OPT_ALL, FL_FOR_LISTS, "list everybody instead of counts" },
	{ "now", "TIME", OPT_NOW, FL_FOR_ALL,
	  "the clock, as 2026-01-01T00:00:00Z (default: newest time in the input)" },
	{ "policy", "POLICY", OPT_POLICY, FL_FOR_ALL,
	  "borrow (Kueue) or entitle (KAI); default: whose objects there are" },
	{ "strict", NULL, OPT_STRICT, FL_FOR_ALL,
	  "unknown fields are errors (check: all warnings are)" },
	{ "context", "NAME", OPT_CONTEXT, 0, "" },
	{ "help", NULL, 'h', FL_FOR_ALL | FL_FOR_HELP | FL_FOR_TUNE | FL_FOR_DAEMON,
	  "print this help" },
};

enum { N_ROWS = sizeof(rows) / sizeof(rows[0]) };

const char *const fl_formats[FL_OUTPUTS] = {
	[FL_OUTPUT_TEXT] = "text",
	[FL_OUTPUT_JSON] = "json",
	[FL_OUTPUT_SARIF] = "sarif",
};

const struct fl_option *fl_option_at(unsigned i) { return i < N_ROWS ? &rows[i] : NULL; }

unsigned fl_n_formats(const struct fl_verb *verb)
{
	return verb->option_sets & FL_FOR_CHECK ? FL_OUTPUTS : FL_OUTPUT_SARIF;
}

static bool reads_input(const struct fl_verb *verb) { return verb->option_sets & FL_FOR_ALL; }

/* Where there is no input. */
static bool asks_daemon(const struct fl_verb *verb)
{
	return reads_input(verb) && verb->option_sets & FL_FOR_DAEMON;
}

static bool is_client(const struct fl_verb *verb)
{
	return !reads_input(verb) && verb->option_sets & FL_FOR_DAEMON;
}

static void print_options(const struct fl_verb *verb)
{
	puts("\nOptions:");
	for (unsigned i = 0; i < N_ROWS; i++) {
		char left[64];
		const struct fl_option *row = &rows[i];

		if (!(row->sets & verb->option_sets))
			continue;
		if (row->id < 256)
			snprintf(left, sizeof(left), "-%c, --%s", row->id, row->name);
		else
			snprintf(left, sizeof(left), "    --%s", row->name);
		printf("  %s%s%-*s  %s\n", left, row->argument ? " " : "",
		       25 - (int)strlen(left) - (row->argument != NULL),
		       row->argument ? row->argument : "", row->help);
	}
}

void fl_print_help(const struct fl_verb *verb)
{
	if (verb) {
		printf("Usage: fairlead %s [OPTION...]%s%s%s\n\n%s", verb->name,
		       asks_daemon(verb) ? " [-f FILE...]" :
		       reads_input(verb) ? " -f FILE..." :
					   "",
		       *verb->operands ? " " : "", verb->operands, verb->details);
		print_options(verb);
		puts("\nExit status: 0 yes, 1 the answer is no or the input is not valid, 2 usage, 3 a failure\n"
		     "of the environment.");
		return;
	}
	puts("Usage: fairlead VERB [OPTION...] [-f FILE...]\n\n"
	     "Decides who gets a shared cluster next, as Kueue would, and says why: of\n"
	     "manifests (-f), or of a machine that fairleadd shares out.\n\nVerbs:");
	for (unsigned i = 0; i < fl_n_verbs; i++)
		printf("  %-20s  %s\n", fl_verbs[i].name, fl_verbs[i].summary);
	puts("\nOptions:\n"
	     "  -h, --help            print this help; 'fairlead VERB --help' that of a verb\n"
	     "      --version         print the version");
}

static int add_text(char ***list, uint32_t *n, char *text)
{
	char **grown = realloc(*list, (*n + 1) * sizeof(**list));

	if (!grown)
		return -1;
	grown[(*n)++] = text;
	*list = grown;
	return 0;
}

bool fl_options_duration(const char *text, fl_time *ret)
{
	static const struct {
		const char *unit;
		int64_t ns;
	} units[] = {
		{ "ns", 1 },
		{ "us", 1000 },
		{ "ms", 1000000 },
		{ "s", FL_SECOND },
		{ "m", 60 * FL_SECOND },
		{ "h", 3600 * FL_SECOND },
		{ "d", 86400 * FL_SECOND },
	};
	int64_t total = 0;

	if (*text == '\0')
		return false;
	while (*text) {
		int64_t value = 0, part;
		size_t digits = strspn(text, "0123456789"), len, u;

		if (digits == 0 || digits > 15)
			return false;
		for (size_t i = 0; i < digits; i++)
			value = value * 10 + (text[i] - '0');
		text += digits;
		len = strspn(text, "abcdefghijklmnopqrstuvwxyz");
		for (u = 0; u < sizeof(units) / sizeof(units[0]); u++)
			if (strlen(units[u].unit) == len && strncmp(text, units[u].unit, len) == 0)
				break;
		if (u == sizeof(units) / sizeof(units[0]) ||
		    __builtin_mul_overflow(value, units[u].ns, &part) ||
		    __builtin_add_overflow(total, part, &total))
			return false;
		text += len;
	}
	*ret = total;
	return true;
}

bool fl_options_count(const char *text, uint32_t min, uint32_t max, uint32_t *ret)
{
	size_t digits = strspn(text, "0123456789");
	uint64_t value = 0;

	if (digits == 0 || digits > 9 || text[digits] != '\0')
		return false;
	for (size_t i = 0; i < digits; i++)
		value = value * 10 + (uint64_t)(text[i] - '0');
	if (value < min || value > max)
		return false;
	*ret = (uint32_t)value;
	return true;
}

static int complain_unknown(const char *verb, unsigned sets, const char *given)
{
	struct fl_nearest near = { .wanted = given + 2 };
	char text[1600];

	if (strncmp(given, "--", 2) != 0) {
		fl_usage_error(verb, "unknown option '%s'", given);
		return FAIRLEAD_EINPUT;
	}
	for (unsigned i = 0; i < N_ROWS; i++)
		if (rows[i].sets & sets)
			fl_nearest_offer(&near, rows[i].name);
	if (near.n)
		snprintf(text, sizeof(text), "; did you mean '--%s'?", near.name[0]);
	fl_usage_error(verb, "unknown option '%s'%s", given, near.n ? text : "");
	return FAIRLEAD_EINPUT;
}

static int take_now(struct fl_options *o, const char *text)
{
	fairlead_error err;

	if (fl_time_parse(text, strlen(text), &o->now, &err) < 0) {
		fl_usage_error(o->verb, "--now: '%s' is not a time such as 2026-01-01T00:00:00Z",
			       text);
		return FAIRLEAD_EINPUT;
	}
	o->has_now = true;
	return 0;
}

static int take_policy(struct fl_options *o, const char *name)
{
	const struct fl_policy_ops *ops = fl_policy_named(name, SIZE_MAX);
	char names[200];

	if (!ops) {
		fl_usage_error(o->verb, "--policy: '%s' is neither %s", name,
			       fl_policy_names("", " nor ", names, sizeof(names)));
		return FAIRLEAD_EINPUT;
	}
	o->policy = ops;
	return 0;
}

static int take_text(char ***list, uint32_t *n, char *arg)
{
	if (add_text(list, n, arg) == 0)
		return 0;
	fprintf(stderr, "fairlead: error: out of memory\n");
	return FAIRLEAD_ENOMEM;
}

static int take_format(struct fl_options *o, const struct fl_verb *verb, const char *arg)
{
	for (unsigned i = 0; i < fl_n_formats(verb); i++)
		if (strcmp(arg, fl_formats[i]) == 0) {
			o->output = (enum fl_format)i;
			o->has_output = true;
			return 0;
		}
	if (fl_n_formats(verb) == FL_OUTPUTS)
		fl_usage_error(verb->name, "--output: '%s' is none of text, json and sarif", arg);
	else
		fl_usage_error(verb->name, "--%s: '%s' is neither text nor json",
			       verb->option_sets & FL_FOR_SUBMIT ? "format" : "output", arg);
	return FAIRLEAD_EINPUT;
}

static int take_until(struct fl_options *o, const char *arg)
{
	if (fl_options_duration(arg, &o->until) && o->until > 0)
		return 0;
	fl_usage_error(o->verb, "--until: '%s' is not a time such as 12h or 30d", arg);
	return FAIRLEAD_EINPUT;
}

static int take_seed(struct fl_options *o, const char *arg)
{
	if (!fl_options_count(arg, 0, MAX_SEED, &o->seed)) {
		fl_usage_error(o->verb, "--seed: '%s' is not a number from 0 to %d", arg, MAX_SEED);
		return FAIRLEAD_EINPUT;
	}
	o->has_seed = true;
	return 0;
}

static int take_memory(struct fl_options *o, const char *arg)
{
	if (fl_quantity_parse(arg, strlen(arg), /* decimals= */ 0, /* negative= */ false,
			      &o->memory, /* err= */ NULL) == 0 &&
	    o->memory > 0)
		return 0;
	fl_usage_error(o->verb, "--memory: '%s' is not a size such as 512Mi or 4Gi", arg);
	return FAIRLEAD_EINPUT;
}

static int take_top(struct fl_options *o, const char *arg)
{
	if (fl_options_count(arg, 1, MAX_TOP, &o->top))
		return 0;
	fl_usage_error(o->verb, "--top: '%s' is not a number from 1 to %d", arg, MAX_TOP);
	return FAIRLEAD_EINPUT;
}

static int take_given(struct fl_options *o, int id, const char *arg)
{
	struct fl_given *grown = realloc(o->given, (o->n_given + 1) * sizeof(*grown));

	if (!grown) {
		fprintf(stderr, "fairlead: error: out of memory\n");
		return FAIRLEAD_ENOMEM;
	}
	grown[o->n_given++] = (struct fl_given){ (enum fl_client_option)id, arg ? arg : "" };
	o->given = grown;
	return 0;
}

const char *fl_option_given(const struct fl_options *o, enum fl_client_option option)
{
	const char *value = NULL;

	for (uint32_t i = 0; i < o->n_given; i++)
		if (o->given[i].option == option)
			value = o->given[i].value;
	return value;
}

static int take(struct fl_options *o, const struct fl_verb *verb, int id, char *arg)
{
	if (id == FL_CLIENT_SOCKET || (is_client(verb) && id != 'o'))
		return take_given(o, id, arg);
	switch (id) {
	case 'f':
		return take_text(&o->files, &o->n_files, arg);
	case 'o':
		return take_format(o, verb, arg);
	case OPT_CYCLES:
		if (!fl_options_count(arg, 1, FL_MAX_CYCLES, &o->cycles)) {
			fl_usage_error(o->verb, "--cycles: '%s' is not a number from 1 to %d", arg,
				       FL_MAX_CYCLES);
			return FAIRLEAD_EINPUT;
		}
		o->has_cycles = true;
		return 0;
	case OPT_INTERVAL:
		if (!fl_options_duration(arg, &o->interval)) {
			fl_usage_error(o->verb,
				       "--cycle-interval: '%s' is not a time such as 1s or 500ms",
				       arg);
			return FAIRLEAD_EINPUT;
		}
		return 0;
	case OPT_NOW:
		return take_now(o, arg);
	case OPT_POLICY:
		return take_policy(o, arg);
	case OPT_CONTEXT:
		fl_usage_error(o->verb, "--context is not in this version; give -f FILE");
		return FAIRLEAD_EINPUT;
	case OPT_BOUND:
		if (fl_options_count(arg, 1, MAX_STATES, &o->bound))
			return 0;
		fl_usage_error(o->verb, "--bound: '%s' is not a number from 1 to %d", arg,
			       MAX_STATES);
		return FAIRLEAD_EINPUT;
	case OPT_MEMORY:
		return take_memory(o, arg);
	case OPT_CHECK:
		o->check = true;
		return 0;
	case OPT_RESUME:
		o->resume = arg;
		return 0;
	case OPT_SVG:
		o->svg = arg;
		return 0;
	case OPT_CHANGE:
		return take_text(&o->changes, &o->n_changes, arg);
	case OPT_DELETE:
		return take_text(&o->deletions, &o->n_deletions, arg);
	case OPT_ETA:
		o->eta = true;
		return 0;
	case OPT_FROM_SNAPSHOT:
		o->from_snapshot = true;
		return 0;
	case OPT_FAIL_IF:
		o->fail_if = arg;
		return 0;
	case 'O':
		o->out = arg;
		return 0;
	case OPT_REDACT:
		o->redact = true;
		return 0;
	case OPT_ROUNDS:
		o->rounds = true;
		return 0;
	case OPT_SALT:
		o->salt = arg;
		return 0;
	case OPT_SEED:
		return take_seed(o, arg);
	case OPT_TOP:
		return take_top(o, arg);
	case OPT_SWEEP:
		o->sweep = arg;
		return 0;
	case OPT_VARIANT:
		return take_text(&o->variants, &o->n_variants, arg);
	case OPT_UNTIL:
		return take_until(o, arg);
	case OPT_SETTLE:
		o->settle = true;
		return 0;
	case OPT_ALL:
		o->all = true;
		return 0;
	case OPT_STRICT:
		o->strict = true;
		return 0;
	default:
		o->tune[id - OPT_TUNE] = arg;
		return 0;
	}
}

static int check_operands(const struct fl_verb *verb, struct fl_options *o)
{
	if (o->n_operands < verb->min_operands) {
		fl_usage_error(verb->name, "%s is missing", verb->operands);
		return FAIRLEAD_EINPUT;
	}
	if (o->n_operands > verb->max_operands) {
		const char *extra = o->operands[verb->max_operands];

		if (verb->max_operands == 0 && reads_input(verb))
			fl_usage_error(verb->name,
				       "unexpected argument '%s'; files are given with -f", extra);
		else
			fl_usage_error(verb->name, "unexpected argument '%s'", extra);
		return FAIRLEAD_EINPUT;
	}
	if (o->n_files == 0 && reads_input(verb) && !asks_daemon(verb)) {
		fl_usage_error(verb->name,
			       "no input: give -f FILE, a folder, or - for standard input");
		return FAIRLEAD_EINPUT;
	}
	return 0;
}

/* What getopt_long wants to know; letters stand in @shorts, too, with room for two characters a row and three more. */
static void list_options(const struct fl_verb *verb, struct option *longs, char *shorts)
{
	if (verb->option_sets & FL_FOR_SUBMIT)
		*shorts++ = '+';
	*shorts++ = ':';
	for (unsigned i = 0; i < N_ROWS; i++) {
		const struct fl_option *o = &rows[i];

		if (!(o->sets & verb->option_sets) && !(o->sets == 0 && reads_input(verb)))
			continue;
		*longs++ = (struct option){ o->name, o->argument ? required_argument : no_argument,
					    NULL, o->id };
		if (o->id > 255)
			continue;
		*shorts++ = (char)o->id;
		if (o->argument)
			*shorts++ = ':';
	}
	*shorts = '\0';
}

int fl_options_parse(const struct fl_verb *verb, int argc, char **argv, struct fl_options *ret)
{
	struct option longs[N_ROWS + 1] = { 0 };
	char shorts[2 * N_ROWS + 3];
	struct fl_options o = {
		.verb = verb->name, .interval = FL_SECOND, .cycles = 1, .until = FL_TIME_NONE
	};
	unsigned sets = verb->option_sets;
	int rc = 0, id;

	list_options(verb, longs, shorts);
	optind = 0; /* from the start, whatever was parsed before */
	opterr = 0;
	while (rc == 0 && (id = getopt_long(argc, argv, shorts, longs, NULL)) != -1) {
		const char *given = argv[optind - 1];

		if (id == 'h') {
			fl_print_help(verb);
			rc = 1;
		} else if (id == ':') {
			fl_usage_error(verb->name, "option '%s' needs a value", given);
			rc = FAIRLEAD_EINPUT;
		} else if (id == '?' && optopt != 0 && strncmp(given, "--", 2) == 0) {
			fl_usage_error(verb->name, "option '%.*s' takes no value",
				       (int)strcspn(given, "="), given);
			rc = FAIRLEAD_EINPUT;
		} else if (id == '?') {
			char letter[3] = { '-', (char)optopt, '\0' };

			/* Of a letter beyond ASCII only the first byte was looked at. */
			rc = complain_unknown(verb->name, sets,
					      optopt > 0 ? letter :
					      optopt < 0 ? argv[optind] :
							   given);
		} else {
			rc = take(&o, verb, id, optarg);
		}
	}
	o.operands = argv + optind;
	o.n_operands = (uint32_t)(argc - optind);
	o.dashes = optind > 1 && strcmp(argv[optind - 1], "--") == 0;
	if (rc == 0)
		rc = check_operands(verb, &o);
	if (rc == 0)
		*ret = o;
	else
		fl_options_done(&o);
	return rc;
}

void fl_options_done(struct fl_options *o)
{
	free(o->files);
	free(o->changes);
	free(o->variants);
	free(o->deletions);
	free(o->given);
	o->files = o->changes = o->deletions = o->variants = NULL;
	o->given = NULL;
}
