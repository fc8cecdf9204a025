/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/options/complete.h"

#include <jansson.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/client/daemon.h"
#include "cli/input/snapshot.h"
#include "cli/options/table.h"
#include "decide/policies.h"
#include "kube/config.h"
#include "record/job.h"

enum { PATIENCE = 2 }; /* seconds for reading files: after more the user has typed on */

/* A command line, as far as it is known. */
struct line {
	const struct fl_verb *verb;
	const struct fl_option *waits; /* for its value, which is the next word; or NULL */
	bool operands_only;            /* behind "--" */
	uint32_t n_operands;
	char **files; /* given with -f */
	uint32_t n_files;
	const char *typed, *prefix; /* the word being typed, without what must stand before it */
	uint32_t prefix_len;
	uint32_t offered;
};

static void offer(struct line *l, const char *word, const char *meaning)
{
	if (strncmp(word, l->typed, strlen(l->typed)) != 0)
		return;
	printf("%.*s%s\t%s\n", (int)l->prefix_len, l->prefix, word, meaning);
	l->offered++;
}

/* --- options --- */

static bool is_for(const struct fl_option *o, const struct fl_verb *verb)
{
	return o->sets & verb->option_sets;
}

static const struct fl_option *find_long(const struct fl_verb *verb, const char *name, size_t len)
{
	const struct fl_option *o;

	for (unsigned i = 0; (o = fl_option_at(i)); i++)
		if (is_for(o, verb) && strlen(o->name) == len && strncmp(o->name, name, len) == 0)
			return o;
	return NULL;
}

static const struct fl_option *find_short(const struct fl_verb *verb, char letter)
{
	const struct fl_option *o;

	for (unsigned i = 0; (o = fl_option_at(i)); i++)
		if (is_for(o, verb) && o->letter == letter)
			return o;
	return NULL;
}

static void offer_options(struct line *l)
{
	const struct fl_option *o;
	char word[64];

	for (unsigned i = 0; (o = fl_option_at(i)); i++) {
		if (!is_for(o, l->verb))
			continue;
		snprintf(word, sizeof(word), "--%s", o->name);
		offer(l, word, o->help);
	}
}

/* --- names from the files on the line --- */

static void give_up(int signal)
{
	(void)signal;
	_exit(FL_EXIT_YES);
}

/* Of letters, digits, '.', '_', '-' and '/': the same in every shell, quoted or not. */
static bool is_plain(const char *name)
{
	return *name && *name != '-' &&
	       name[strspn(name,
			   "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-/")] ==
		       '\0';
}

static void offer_name(struct line *l, const char *kind, const char *name, const char *meaning)
{
	char word[64 + FL_REPORT_NAME];

	snprintf(word, sizeof(word), "%s%s%s", kind, *kind ? "/" : "", name);
	if (is_plain(word))
		offer(l, word, is_plain(meaning) ? meaning : "");
}

static void offer_workloads(struct line *l, const struct fl_model *m, bool kinds)
{
	char name[FL_REPORT_NAME];

	for (uint32_t i = 0; i < m->n_workloads; i++) {
		const struct fl_workload_row *w = &m->workloads[i];
		struct fl_node queue = w->admitted_queue.v == FL_NONE ? w->cluster_queue :
									w->admitted_queue;

		if (!w->finished)
			offer_name(l,
				   kinds ? fl_report_workload_kind(m, (struct fl_workload){ i }) :
					   "",
				   fl_report_workload(m, (struct fl_workload){ i }, name),
				   fl_report_node(m, queue));
	}
}

static void offer_nodes(struct line *l, const struct fl_model *m, bool kinds)
{
	for (uint32_t i = 0; i < m->n_nodes; i++) {
		const char *kind = fl_report_kind(m, (struct fl_node){ i });

		offer_name(l, kinds ? kind : "", fl_report_node(m, (struct fl_node){ i }), kind);
	}
}

static void offer_names(struct line *l, const char *what)
{
	struct fl_options options = { .verb = "completion",
				      .files = l->files,
				      .n_files = l->n_files };
	struct sigaction action = { .sa_handler = give_up };
	struct fl_snapshot s;
	fairlead_error unused = { 0 };

	if (l->n_files == 0)
		return;
	sigaction(SIGALRM, &action, NULL);
	alarm(PATIENCE);
	if (fl_snapshot_read(&s, &options, &unused) == 0) {
		if (strcmp(what, "NODE") == 0 || strcmp(what, "QUEUE") == 0)
			offer_nodes(l, s.model, /* kinds= */ false);
		if (strcmp(what, "WORKLOAD") == 0)
			offer_workloads(l, s.model, /* kinds= */ false);
		if (strcmp(what, "OBJECT") == 0) {
			offer_nodes(l, s.model, /* kinds= */ true);
			offer_workloads(l, s.model, /* kinds= */ true);
		}
	}
	alarm(0);
	fl_snapshot_done(&s);
}

/* --- names from the daemon --- */

/* Members of a list in an answer: what is typed, and what it means. */
static void offer_answers(struct line *l, const char *path_text, const char *list, const char *key,
			  const char *meaning)
{
	struct fl_options options = { .verb = "completion" };
	struct sigaction action = { .sa_handler = give_up };
	struct fl_client *client = NULL;
	fairlead_error unused = { 0 };
	json_t *answer = NULL;
	struct fl_path path;

	sigaction(SIGALRM, &action, NULL);
	alarm(PATIENCE);
	if (fl_daemon_open(&options, &client, &unused) == 0) {
		fl_path_start(&path, "%s", path_text);
		(void)fl_daemon_ask(client, "GET", &path, NULL, &answer, &unused);
	}
	alarm(0);
	const json_t *all = json_object_get(answer, list);
	for (size_t i = 0; i < json_array_size(all); i++) {
		const json_t *one = json_array_get(all, i), *value = json_object_get(one, key);
		const char *text = json_string_value(value);
		const char *says = json_string_value(json_object_get(one, meaning));
		char number[32];

		snprintf(number, sizeof(number), "%lld", (long long)json_integer_value(value));
		offer_name(l, "", text ? text : number, says ? says : "");
	}
	json_decref(answer);
	fl_client_free(client);
}

static void offer_of_daemon(struct line *l, const char *what)
{
	if (!(l->verb->option_sets & FL_FOR_DAEMON) || l->n_files)
		return;
	if (strcmp(what, "JOB") == 0 || strcmp(what, "JOB...") == 0 ||
	    strcmp(what, "JOB[:WHEN],...") == 0 || strcmp(what, "WORKLOAD") == 0)
		offer_answers(l, "/v1/jobs?limit=200", "jobs", "id", "name");
	if (strcmp(what, "TOKEN") == 0)
		offer_answers(l, "/v1/tokens", "tokens", "name", "role");
	if (strcmp(what, "QUEUE") == 0)
		offer_answers(l, "/v1/queues", "queues", "name", "kind");
}

/* --- values --- */

static void offer_context(void *user, const char *name) { offer(user, name, ""); }

/* What can stand for @what, a word of --help such as FILE or [NODE]. */
static void offer_values(struct line *l, const char *what)
{
	static const struct {
		const char *what, *verb, *word, *meaning; /* verb NULL: of all */
	} fixed[] = {
		{ "SHELL", NULL, "bash", "" },
		{ "SHELL", NULL, "zsh", "" },
		{ "SHELL", NULL, "fish", "" },
		{ "USE", NULL, "idle", "" },
		{ "USE", NULL, "busy", "" },
		{ "ROLE", NULL, "read", "" },
		{ "ROLE", NULL, "submit", "" },
		{ "ROLE", NULL, "admin", "" },
		{ "ACTION", "token", "create", "print a new one" },
		{ "ACTION", "token", "list", "without their secrets" },
		{ "ACTION", "token", "revoke", "end one" },
		{ "ACTION", "configuration", "get", "print it, or an earlier one" },
		{ "ACTION", "configuration", "check", "is a file valid?" },
		{ "ACTION", "configuration", "diff", "what would a file change?" },
		{ "ACTION", "configuration", "set", "replace it by a file" },
		{ "ACTION", "configuration", "versions", "list the last ones" },
		{ "ACTION", "configuration", "restore", "replace it by an earlier one" },
	};
	static const char *const whose[] = {
		[FL_DIALECT_KUEUE] = "Kueue's", [FL_DIALECT_KAI] = "KAI's"
	};
	char bare[32];

	snprintf(bare, sizeof(bare), "%.*s", (int)strcspn(what + (*what == '['), "] "),
		 what + (*what == '['));
	if (strcmp(bare, "FILE") == 0 || strcmp(bare, "DIR") == 0 || strcmp(bare, "PATH") == 0 ||
	    *bare == '{') {
		printf(":file\t%.*s\n", (int)l->prefix_len, l->prefix);
		l->offered++;
	}
	if (strcmp(bare, "FORMAT") == 0)
		for (unsigned i = 0; i < fl_n_formats(l->verb); i++)
			offer(l, fl_formats[i], "");
	for (unsigned i = 0; i < fl_n_verbs && strcmp(bare, "VERB") == 0; i++)
		offer(l, fl_verbs[i].name, fl_verbs[i].summary);
	for (unsigned i = 0; strcmp(bare, "POLICY") == 0 && fl_policy_at(i); i++)
		offer(l, fl_policy_at(i)->name, whose[fl_policy_dialect(fl_policy_at(i))]);
	for (unsigned i = 0; i < sizeof(fixed) / sizeof(fixed[0]); i++)
		if (strcmp(bare, fixed[i].what) == 0 &&
		    (!fixed[i].verb || strcmp(fixed[i].verb, l->verb->name) == 0))
			offer(l, fixed[i].word, fixed[i].meaning);
	if (strcmp(bare, "CONTEXT") == 0)
		fl_kube_config_contexts(&(struct fl_kube_choice){ 0 }, offer_context, l);
	for (int s = 0; s < FL_JOB_STATES && strcmp(bare, "STATE,...") == 0; s++)
		offer(l, fl_job_state_name((enum fl_job_state)s), "");
	offer_names(l, bare);
	offer_of_daemon(l, bare);
}

/* --- the line --- */

/* The second operand of a verb that has two different ones. */
static const char *operand_of(const struct line *l)
{
	const char *next = strchr(l->verb->operands, ' ');

	return l->n_operands && next ? next + 1 : l->verb->operands;
}

static void take_value(struct line *l, const struct fl_option *o, const char *value)
{
	const char *home = strncmp(value, "~/", 2) == 0 ? getenv("HOME") : NULL;
	char *path = NULL;

	/* Standard input is the person's, not ours. */
	if (o->letter != 'f' || strcmp(value, "-") == 0)
		return;
	if (asprintf(&path, "%s%s", home ? home : "", home ? value + 1 : value) >= 0)
		l->files[l->n_files++] = path;
}

/* One word that stands there already. */
static void pass(struct line *l, const char *word)
{
	const struct fl_option *o = l->waits;

	if (o) {
		if (strcmp(word, "=") == 0) /* bash takes "--output=json" apart */
			return;
		l->waits = NULL;
		take_value(l, o, word);
	} else if (l->operands_only || word[0] != '-' || word[1] == '\0') {
		l->n_operands++;
	} else if (strcmp(word, "--") == 0) {
		l->operands_only = true;
	} else if (word[1] == '-') {
		size_t len = strcspn(word + 2, "=");

		o = find_long(l->verb, word + 2, len);
		if (o && o->argument && word[2 + len])
			take_value(l, o, word + 2 + len + 1);
		else if (o && o->argument)
			l->waits = o;
	} else {
		for (const char *letter = word + 1; *letter; letter++) {
			o = find_short(l->verb, *letter);
			if (!o || !o->argument)
				continue;
			if (letter[1])
				take_value(l, o, letter + 1);
			else
				l->waits = o;
			break;
		}
	}
}

/* The value of an option that stands in the same word: "--output=j", "-oj". */
static const struct fl_option *split(struct line *l, const char *word)
{
	const struct fl_option *o = NULL;
	size_t len = strcspn(word, "=");

	if (strncmp(word, "--", 2) == 0 && word[len]) {
		o = find_long(l->verb, word + 2, len - 2);
		l->prefix_len = (uint32_t)len + 1;
	} else if (word[0] == '-' && word[1] && word[1] != '-' && word[2]) {
		o = find_short(l->verb, word[1]);
		l->prefix_len = 2;
	}
	if (!o || !o->argument) {
		l->prefix_len = 0;
		return NULL;
	}
	l->prefix = word;
	l->typed = word + l->prefix_len;
	return o;
}

static void complete_word(struct line *l, const char *word)
{
	const struct fl_option *o = l->waits;

	l->typed = o && strcmp(word, "=") == 0 ? "" : word;
	if (!o && !l->operands_only)
		o = split(l, word);
	if (o) {
		offer_values(l, o->argument);
		return;
	}
	if (word[0] != '-' && l->n_operands < l->verb->max_operands)
		offer_values(l, operand_of(l));
	if (l->offered == 0 && !l->operands_only)
		offer_options(l);
}

static void offer_verbs(struct line *l)
{
	for (unsigned i = 0; i < fl_n_verbs; i++)
		offer(l, fl_verbs[i].name, fl_verbs[i].summary);
	offer(l, "--help", "print help");
	offer(l, "--version", "print the version");
}

void fl_complete(char **words, uint32_t n)
{
	struct line l = { .typed = n ? words[n - 1] : "", .prefix = "" };

	if (n <= 1) {
		offer_verbs(&l);
		return;
	}
	for (unsigned i = 0; i < fl_n_verbs; i++)
		if (strcmp(words[0], fl_verbs[i].name) == 0)
			l.verb = &fl_verbs[i];
	l.files = calloc(n, sizeof(*l.files));
	if (l.verb && l.files) {
		for (uint32_t i = 1; i + 1 < n; i++)
			pass(&l, words[i]);
		complete_word(&l, words[n - 1]);
	}
	for (uint32_t i = 0; i < l.n_files; i++)
		free(l.files[i]);
	free(l.files);
}
