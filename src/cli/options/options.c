/* SPDX-License-Identifier: Apache-2.0 */
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/nearest.h"
#include "base/time.h"
#include "cli/client/daemon.h"
#include "cli/options/table.h"
#include "codec/jobs/validate.h"
#include "codec/text/quantity.h"
#include "decide/policies.h"

const char *const fl_formats[FL_OUTPUTS] = {
	[FL_OUTPUT_TEXT] = "text",
	[FL_OUTPUT_JSON] = "json",
	[FL_OUTPUT_SARIF] = "sarif",
};

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

static int fail_nomem(void)
{
	fprintf(stderr, "fairlead: error: out of memory\n");
	return FL_EXIT_FAILED;
}

static void *at(struct fl_options *o, size_t offset) { return (char *)o + offset; }

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

/* "mail-type=END" is "mail-type" with a value. */
static bool is_named(const char *given, const char *name)
{
	size_t n = strcspn(given, "=");

	return strlen(name) == n && strncmp(given, name, n) == 0;
}

static int complain_unknown(const struct fl_verb *verb, const char *given)
{
	struct fl_nearest near = { .wanted = given + 2 };
	bool is_long = strncmp(given, "--", 2) == 0;
	const struct fl_option *row;

	for (unsigned i = 0; is_long && (row = fl_option_at(i)); i++) {
		if (row->sets & verb->option_sets)
			fl_nearest_offer(&near, row->name);
		else if (verb->option_sets & (FL_FOR_SUBMIT | FL_FOR_RUN) &&
			 row->takes == FL_TAKES_LEFT && is_named(given + 2, row->name))
			return fl_usage_error(verb->name, "there is no '--%s': %s", row->name,
					      row->help);
	}
	if (near.n)
		return fl_usage_error(verb->name, "unknown option '%s'; did you mean '--%s'?",
				      given, near.name[0]);
	return fl_usage_error(verb->name, "unknown option '%s'", given);
}

/* --- values --- */

/* The list and its length are where @row says. */
static int take_text(struct fl_options *o, const struct fl_option *row, char *text)
{
	char ***list = at(o, row->target);
	uint32_t *n = at(o, row->has);
	char **grown = realloc(*list, (*n + 1) * sizeof(**list));

	if (!grown)
		return fail_nomem();
	grown[(*n)++] = text;
	*list = grown;
	return 0;
}

static int take_given(struct fl_options *o, const struct fl_option *row, const char *text)
{
	struct fl_given *grown = realloc(o->given, (o->n_given + 1) * sizeof(*grown));

	if (!grown)
		return fail_nomem();
	grown[o->n_given++] = (struct fl_given){ row->name, text ? text : "",
						 row->takes == FL_TAKES_LEFT ? row->help : NULL };
	o->given = grown;
	return 0;
}

static int take_policy(const char *name, const struct fl_policy_ops **ret, const char *verb)
{
	char names[200];

	*ret = fl_policy_named(name, SIZE_MAX);
	if (*ret)
		return 0;
	return fl_usage_error(verb, "--policy: '%s' is neither %s", name,
			      fl_policy_names("", " nor ", names, sizeof(names)));
}

static int take_format(struct fl_options *o, const struct fl_verb *verb,
		       const struct fl_option *row, const char *text)
{
	for (unsigned i = 0; i < fl_n_formats(verb); i++)
		if (strcmp(text, fl_formats[i]) == 0) {
			o->output = (enum fl_format)i;
			return 0;
		}
	/* As squeue's -o. */
	if (verb->option_sets & FL_FOR_JOBS && strchr(text, '%')) {
		o->columns = text;
		return 0;
	}
	if (verb->option_sets & (FL_FOR_SUBMIT | FL_FOR_RUN))
		return fl_usage_error(verb->name,
				      "--%s: '%s' is neither text nor json; --output PATH is the "
				      "file for what the job prints",
				      row->name, text);
	return fl_usage_error(verb->name,
			      fl_n_formats(verb) == FL_OUTPUTS ?
				      "--%s: '%s' is none of text, json and sarif" :
				      "--%s: '%s' is neither text nor json",
			      row->name, text);
}

static int take_count(const struct fl_option *row, const char *text, uint32_t *ret,
		      const char *verb)
{
	if (fl_options_count(text, row->min, row->max, ret))
		return 0;
	if (row->such)
		return fl_usage_error(verb, "--%s: '%s' is not a number from %s", row->name, text,
				      row->such);
	return fl_usage_error(verb, "--%s: '%s' is not a number from %u to %u", row->name, text,
			      row->min, row->max);
}

static int take_size(const struct fl_option *row, const char *text, int64_t *ret, const char *verb)
{
	if (fl_quantity_parse(text, strlen(text), /* decimals= */ 0, /* negative= */ false, ret,
			      /* err= */ NULL) == 0 &&
	    *ret >= row->min)
		return 0;
	return fl_usage_error(verb, "--%s: '%s' is not a size such as %s", row->name, text,
			      row->such);
}

static int take_time(const struct fl_option *row, const char *text, fl_time *ret, const char *verb)
{
	if (fl_options_duration(text, ret) && *ret >= row->min &&
	    (row->max == 0 || *ret <= (fl_time)row->max * FL_SECOND))
		return 0;
	return fl_usage_error(verb, "--%s: '%s' is not a time such as %s", row->name, text,
			      row->such);
}

/* Reads the value of @row into its field; -1 after help. */
static int take(struct fl_options *o, const struct fl_verb *verb, const struct fl_option *row,
		char *text)
{
	void *to = at(o, row->target);

	switch (row->takes) {
	case FL_TAKES_FLAG:
		*(bool *)to = true;
		return 0;
	case FL_TAKES_TEXT:
		*(const char **)to = text;
		return 0;
	case FL_TAKES_TEXTS:
		return take_text(o, row, text);
	case FL_TAKES_COUNT:
		return take_count(row, text, to, o->verb);
	case FL_TAKES_SIZE:
		return take_size(row, text, to, o->verb);
	case FL_TAKES_TIME:
		return take_time(row, text, to, o->verb);
	case FL_TAKES_CLOCK:
		return fl_time_parse(text, strlen(text), to, NULL) == 0 ?
			       0 :
			       fl_usage_error(
				       o->verb,
				       "--%s: '%s' is not a time such as 2026-01-01T00:00:00Z",
				       row->name, text);
	case FL_TAKES_AGO:
		return fl_daemon_since(text, to) ?
			       0 :
			       fl_usage_error(
				       o->verb,
				       "--%s: '%s' is neither a time such as 2026-01-01T00:00:00Z nor "
				       "how long ago, such as 1h",
				       row->name, text);
	case FL_TAKES_FORMAT:
		return take_format(o, verb, row, text);
	case FL_TAKES_POLICY:
		return take_policy(text, to, o->verb);
	case FL_TAKES_GIVEN:
	case FL_TAKES_LEFT:
		return take_given(o, row, text);
	default: /* FL_TAKES_HELP */
		fl_print_help(verb);
		return -1;
	}
}

/* --- the line --- */

/* The cluster that is read in place of files, if any is. */
static int check_cluster(const struct fl_verb *verb, struct fl_options *o)
{
	bool plugin = strcmp(fl_program_name(), "fairlead") != 0;

	/* A cluster and a daemon; one that is changed. */
	if (verb->option_sets & (FL_FOR_AGREEMENT | FL_FOR_HANDOVER))
		return 0;
	o->of_cluster = o->context || o->kubeconfig ||
			(plugin && reads_input(verb) && o->n_files == 0 && !o->server &&
			 !o->socket);
	if ((o->context || o->kubeconfig) && (o->server || o->socket))
		return fl_usage_error(verb->name, "--context names a cluster, and --%s a daemon",
				      o->server ? "server" : "socket");
	if (o->namespace && o->all_namespaces)
		return fl_usage_error(verb->name, "--namespace and --all-namespaces exclude each "
						  "other");
	if ((o->namespace || o->all_namespaces) && !o->of_cluster)
		return fl_usage_error(verb->name, "--%s is of a cluster: give --context CONTEXT",
				      o->namespace ? "namespace" : "all-namespaces");
	if (o->namespace && !fl_kjob_is_label(o->namespace))
		return fl_usage_error(verb->name,
				      "--namespace '%s' is not the name of a namespace: at most 63 "
				      "lower case letters, digits and '-'",
				      o->namespace);
	return 0;
}

static int check_operands(const struct fl_verb *verb, struct fl_options *o)
{
	bool files = verb->max_operands == 0 && reads_input(verb);

	if (o->n_operands < verb->min_operands)
		return fl_usage_error(verb->name, "%s is missing", verb->operands);
	if (o->n_operands > verb->max_operands)
		return fl_usage_error(verb->name, "unexpected argument '%s'%s",
				      o->operands[verb->max_operands],
				      files ? "; files are given with -f" : "");
	if (o->socket && o->server)
		return fl_usage_error(verb->name, "--socket and --server name two daemons");
	int rc = check_cluster(verb, o);
	if (rc == 0 && o->n_files == 0 && !o->of_cluster && !o->rbac && reads_input(verb) &&
	    !asks_daemon(verb))
		return fl_usage_error(verb->name,
				      "no input: give -f FILE, a folder, or - for "
				      "standard input; or --context CONTEXT for a cluster");
	return rc;
}

/* What getopt_long calls a row: its letter, or its place behind all letters. */
static int id_of(const struct fl_option *row, unsigned i)
{
	return row->letter ? row->letter : 256 + (int)i;
}

static bool is_for(const struct fl_option *row, const struct fl_verb *verb)
{
	return row->sets & verb->option_sets;
}

static const struct fl_option *row_of(const struct fl_verb *verb, int id)
{
	const struct fl_option *row;

	for (unsigned i = 0; (row = fl_option_at(i)); i++)
		if (is_for(row, verb) && id_of(row, i) == id)
			return row;
	return NULL;
}

/* What getopt_long wants to know; letters stand in @shorts, too. */
static void list_options(const struct fl_verb *verb, struct option longs[FL_OPTIONS_MAX + 1],
			 char shorts[2 * FL_OPTIONS_MAX + 3])
{
	const struct fl_option *row;

	if (verb->option_sets & (FL_FOR_SUBMIT | FL_FOR_RUN))
		*shorts++ = '+';
	*shorts++ = ':';
	for (unsigned i = 0; (row = fl_option_at(i)); i++) {
		if (!is_for(row, verb))
			continue;
		*longs++ = (struct option){ row->name,
					    !row->argument ? no_argument :
					    *row->argument ? required_argument :
							     optional_argument,
					    NULL, id_of(row, i) };
		if (!row->letter)
			continue;
		*shorts++ = row->letter;
		if (row->argument && *row->argument)
			*shorts++ = ':';
	}
	*shorts = '\0';
}

/* An error of getopt_long: @id is ':' or '?'. */
static int complain(struct fl_options *o, const struct fl_verb *verb, int id, char **argv)
{
	const struct fl_option unknown = { .name = argv[optind - 1],
					   .takes = FL_TAKES_LEFT,
					   .help = id == ':' ? "it needs a value" :
							       "it is not known here" };
	const char *given = argv[optind - 1];
	char letter[3] = { '-', (char)optopt, '\0' };

	if (verb->option_sets & FL_FOR_SBATCH)
		return take_given(o, &unknown, "");

	if (id == ':')
		return fl_usage_error(verb->name, "option '%s' needs a value", given);
	if (optopt != 0 && strncmp(given, "--", 2) == 0)
		return fl_usage_error(verb->name, "option '%.*s' takes no value",
				      (int)strcspn(given, "="), given);
	/* Of a letter beyond ASCII only the first byte was looked at. */
	return complain_unknown(verb, optopt > 0 ? letter : optopt < 0 ? argv[optind] : given);
}

int fl_options_parse(const struct fl_verb *verb, int argc, char **argv, struct fl_options *ret)
{
	struct option longs[FL_OPTIONS_MAX + 1] = { 0 };
	char shorts[2 * FL_OPTIONS_MAX + 3];
	struct fl_options o = fl_options_default;
	int rc = 0, id;

	o.verb = verb->name;
	list_options(verb, longs, shorts);
	optind = 0; /* from the start, whatever was parsed before */
	opterr = 0;
	while (rc == 0 && (id = getopt_long(argc, argv, shorts, longs, NULL)) != -1) {
		const struct fl_option *row = row_of(verb, id);

		rc = row ? take(&o, verb, row, optarg) : complain(&o, verb, id, argv);
		if (rc == 0 && row && row->has && row->takes != FL_TAKES_TEXTS)
			*(bool *)at(&o, row->has) = true;
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
	free(o->was);
	free(o->variants);
	free(o->deletions);
	free(o->sets);
	free(o->queues);
	free(o->given);
	o->files = o->was = o->changes = o->deletions = o->sets = o->variants = NULL;
	o->queues = NULL;
	o->given = NULL;
}
