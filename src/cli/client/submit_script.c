/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/client/submit.h"
#include "input/input.h"
#include "record/job.h"

enum {
	MAX_LINES = 1000, /* of comments at the top that are looked at */
	MAX_WORDS = 256,  /* of one #FAIRLEAD line */
};

/* Lines with options, in the order in which they are read: later ones are laid over earlier ones. */
static const struct mark {
	const char *text;
	bool sbatch;
} marks[] = {
	{ "#SBATCH", true },
	{ "#FAIRLEAD", false },
};

/* Options of #SBATCH lines. */
static const struct fl_verb sbatch_verb = {
	.name = "submit",
	.operands = "",
	.max_operands = UINT32_MAX,
	.option_sets = FL_FOR_SBATCH,
};

static const struct fl_verb *submit_verb(void)
{
	for (unsigned i = 0; i < fl_n_verbs; i++)
		if (fl_verbs[i].run == fl_cmd_submit)
			return &fl_verbs[i];
	return NULL;
}

/* After a complaint about an option: its file and line. */
static void say_where(const char *name, uint32_t line)
{
	struct fl_diagnostic d = {
		.file = name, .line = line, .severity = "note", .text = "the option is here"
	};

	fl_print_diagnostic(&d);
}

static int complain(const char *name, uint32_t line, const char *text, const char *hint)
{
	struct fl_diagnostic d = {
		.file = name, .line = line, .severity = "error", .text = text, .hint = hint
	};

	fl_print_diagnostic(&d);
	return FL_EXIT_NO;
}

/*
 * Words as in a shell, in place: blanks between them, quotes, backslashes, and a comment at the
 * end.  How many; -1: a quote does not end, or there are too many.
 */
static int split(char *line, char **words, int room)
{
	char *at = line, quote = '\0';
	int n = 0;

	while (true) {
		at += strspn(at, " \t");
		if (*at == '\0' || *at == '#')
			return n;
		if (n == room)
			return -1;
		char *to = words[n++] = at;
		for (; *at && (quote || !strchr(" \t", *at)); at++) {
			if (quote ? *at == quote : *at == '\'' || *at == '"') {
				quote = quote ? '\0' : *at;
				continue;
			}
			if (*at == '\\' && quote != '\'' && at[1])
				at++;
			*to++ = *at;
		}
		if (quote)
			return -1;
		if (*at)
			at++;
		*to = '\0';
	}
}

/* What is wrong with a line that has an option not for scripts, or an operand; NULL: nothing. */
static const char *misplaced(const struct fl_options *o)
{
	if (o->socket)
		return "--socket belongs on the command line, not in a script";
	if (o->server || o->token_file || o->ca_file || o->fingerprint)
		return "which server is asked belongs on the command line, not in a script";
	if (o->has_output)
		return "--format belongs on the command line, not in a script";
	return o->n_operands ?
		       "only options may follow #FAIRLEAD; the command is the script itself" :
		       NULL;
}

/* A word that is no option; of one that is not known it may be the value. */
static void note_operands(const struct fl_submission *s, const struct fl_options *o)
{
	for (uint32_t i = 0; i < o->n_given; i++)
		if (o->given[i].left)
			return;
	for (uint32_t i = 0; i < o->n_operands; i++)
		fl_submit_note(s, "#SBATCH '%s' is left out: it is no option", o->operands[i]);
}

static int take_line(struct fl_submission *s, const struct mark *mark, char *line)
{
	char *words[MAX_WORDS] = { (char[]){ "submit" } };
	struct fl_options o;
	int n = split(line, words + 1, MAX_WORDS - 1);

	if (n < 0)
		return complain(s->script, s->line, "a quote does not end here", "");
	int rc = fl_options_parse(mark->sbatch ? &sbatch_verb : submit_verb(), n + 1, words, &o);
	if (rc > 0)
		say_where(s->script, s->line);
	if (rc != 0)
		return rc < 0 ? FL_EXIT_USAGE : rc;
	const char *wrong = mark->sbatch ? NULL : misplaced(&o);
	if (mark->sbatch)
		note_operands(s, &o);
	s->sbatch_lines = mark->sbatch;
	int code = wrong ? complain(s->script, s->line, wrong, "") : fl_submit_options(s, &o);
	s->sbatch_lines = false;
	if (code == FL_EXIT_USAGE)
		say_where(s->script, s->line);
	fl_options_done(&o);
	return code;
}

/* --- the head of a script: its first comments --- */

struct head {
	char **lines; /* without their ends */
	uint32_t n;
};

static void head_done(struct head *h)
{
	for (uint32_t i = 0; i < h->n; i++)
		free(h->lines[i]);
	free(h->lines);
}

/* Up to the first line that is no comment. */
static int head_read(struct head *h, FILE *file)
{
	size_t size = 0;
	char *line = NULL;
	ssize_t len;

	h->lines = calloc(MAX_LINES, sizeof(*h->lines));
	if (!h->lines)
		return fl_submit_no_memory();
	while (h->n < MAX_LINES && (len = getline(&line, &size, file)) >= 0) {
		while (len > 0 && strchr("\r\n", line[len - 1]))
			line[--len] = '\0';
		if (h->n > 0 && line[strspn(line, " \t")] && line[0] != '#')
			break;
		h->lines[h->n++] = line;
		line = NULL;
		size = 0;
	}
	free(line);
	return 0;
}

/* As the kernel takes "#!": the interpreter, and all that follows as one argument; "" none. */
static void find_interpreter(char *line, char **ret_path, char **ret_argument)
{
	char *path = line + 2 + strspn(line + 2, " \t"), *rest = path + strcspn(path, " \t");
	char *end = rest + strlen(rest);

	while (end > rest && strchr(" \t\r", end[-1]))
		*--end = '\0';
	if (*rest)
		*rest++ = '\0';
	*ret_path = path;
	*ret_argument = rest + strspn(rest, " \t");
}

/* Of #SBATCH lines first, as others count more. */
static int take_lines(struct fl_submission *s, const struct head *h)
{
	int code = 0;

	for (unsigned m = 0; m < sizeof marks / sizeof *marks; m++)
		for (uint32_t i = 1; i < h->n && code == 0; i++) {
			size_t n = strlen(marks[m].text);

			s->line = i + 1;
			if (strncmp(h->lines[i], marks[m].text, n) == 0 &&
			    strchr(" \t", h->lines[i][n]))
				code = take_line(s, &marks[m], h->lines[i] + n);
		}
	return code;
}

static int take_head(struct fl_submission *s, const char *name, const struct head *h)
{
	int code = 0;

	if (h->n == 0)
		return complain(name, 0, "is empty", "");
	if (strncmp(h->lines[0], "#!", 2) != 0)
		return complain(name, 0, "does not begin with #!, as a script does",
				"begin it with #!/bin/sh; a program comes after --: "
				"fairlead submit ... -- PROGRAM");
	s->script = name;
	code = take_lines(s, h);
	s->script = NULL;
	s->line = 0;
	return code;
}

/* --- its command --- */

static int add_word(const struct fl_submission *s, json_t *command, const char *word)
{
	json_t *text = json_string(word);

	if (!text)
		return fl_submit_bad_text(s, NULL, word);
	return json_array_append_new(command, text) < 0 ? fl_submit_no_memory() : 0;
}

static int add_words(const struct fl_submission *s, json_t *command, char **words, uint32_t n)
{
	int code = 0;

	for (uint32_t i = 0; i < n && code == 0; i++)
		code = add_word(s, command, words[i]);
	return code;
}

/* From the root, without following links: the job runs it from its own folder. */
static char *absolute(const char *name)
{
	char *path = NULL, *here = *name == '/' ? strdup("") : getcwd(NULL, 0);

	if (here && asprintf(&path, "%s%s%s", here, *here ? "/" : "", name) < 0)
		path = NULL;
	free(here);
	return path;
}

static int add_file(const struct fl_submission *s, json_t *command, const char *name,
		    char *first_line)
{
	char *interpreter, *argument, *path = absolute(name);
	int code = path ? 0 : fl_submit_no_memory();

	find_interpreter(first_line, &interpreter, &argument);
	if (code == 0)
		code = add_word(s, command, interpreter);
	if (code == 0 && *argument)
		code = add_word(s, command, argument);
	if (code == 0)
		code = add_word(s, command, path);
	free(path);
	return code;
}

/* @code: what came of it so far. */
static int put_command(struct fl_submission *s, json_t *command, char **arguments, uint32_t n,
		       int code)
{
	if (code == 0)
		code = add_words(s, command, arguments, n);
	if (code == 0 && json_object_set(s->spec, "command", command) < 0)
		code = fl_submit_no_memory();
	json_decref(command);
	return code;
}

/* --- a script whose text is kept --- */

/* All of it, with a line end at its end; in *ret, to be freed. */
static int read_all(FILE *file, const char *name, char **ret, size_t *ret_len)
{
	char why[128], *text = malloc(FL_JOB_ARGUMENTS + 3);
	size_t len = text ? fread(text, 1, FL_JOB_ARGUMENTS + 1, file) : 0;
	int code = 0;

	if (!text)
		return fl_submit_no_memory();
	if (ferror(file))
		code = complain(name, 0, fl_system_text(errno, why), "");
	else if (len > FL_JOB_ARGUMENTS)
		code = complain(name, 0,
				"is longer than 131072 bytes, which is what is kept of a job",
				file == stdin ? "put the script into a file, and submit that" :
						"submit a short one that begins a file of the "
						"daemon's machine");
	else if (memchr(text, '\0', len))
		code = complain(name, 0, "is not a script: it has bytes that are 0", "");
	if (code != 0) {
		free(text);
		return code;
	}
	if (len && text[len - 1] != '\n')
		text[len++] = '\n';
	text[len] = '\0';
	*ret = text;
	*ret_len = len;
	return 0;
}

/* In single quotes, for a shell. */
static void put_quoted(FILE *out, const char *word)
{
	putc('\'', out);
	for (; *word; word++)
		fputs(*word == '\'' ? "'\\''" : (char[2]){ *word }, out);
	putc('\'', out);
}

/* Is there a line of the text that is @word and @n? */
static bool has_line(const char *text, const char *word, unsigned n)
{
	char line[64];
	const char *at = text;

	snprintf(line, sizeof(line), "\n%s%u\n", word, n);
	return strstr(at, line);
}

/* exec '/bin/bash' '-e' /dev/fd/3 "$@" 3<<'END0', the text, and END0. */
static char *shell_text(const char *text, const char *interpreter, const char *argument)
{
	static const char end[] = "END_OF_SCRIPT_";
	char *ret = NULL;
	size_t size;
	FILE *out = open_memstream(&ret, &size);
	unsigned n = 0;

	if (!out)
		return NULL;
	while (has_line(text, end, n))
		n++;
	fputs("exec ", out);
	put_quoted(out, interpreter);
	if (*argument) {
		putc(' ', out);
		put_quoted(out, argument);
	}
	fprintf(out, " /dev/fd/3 \"$@\" 3<<'%s%u'\n%s%s%u\n", end, n, text, end, n);
	if (fclose(out) != 0) {
		free(ret);
		return NULL;
	}
	return ret;
}

static int add_text(const struct fl_submission *s, json_t *command, const char *name,
		    const char *text, char *first_line)
{
	char *interpreter, *argument, *whole;

	find_interpreter(first_line, &interpreter, &argument);
	if (!*interpreter)
		return complain(name, 1, "names no program behind #!", "");
	whole = shell_text(text, interpreter, argument);
	char *words[] = { (char[]){ "/bin/sh" }, (char[]){ "-c" }, whole, (char[]){ "stdin" } };
	int code = whole ? add_words(s, command, words, 4) : fl_submit_no_memory();
	free(whole);
	return code;
}

/* @name: in messages; @job: how the job is called unless the script says it. */
static int take_text(struct fl_submission *s, const char *name, const char *job, const char *text,
		     size_t len, json_t *command)
{
	FILE *file = fmemopen((char *)(uintptr_t)text, len, "r");
	struct head head = { 0 };
	int code = file ? head_read(&head, file) : fl_submit_no_memory();

	if (code == 0)
		code = fl_submit_put(s->spec, "name", json_string(job));
	if (code == 0)
		code = take_head(s, name, &head);
	if (code == 0)
		code = add_text(s, command, name, text, head.lines[0]);
	head_done(&head);
	if (file)
		fclose(file);
	return code;
}

/* --- where it comes from --- */

/* It is read when the job starts. */
static int take_file(struct fl_submission *s, const char *name, FILE *file, json_t *command)
{
	struct head head = { 0 };
	int code = head_read(&head, file);

	if (code == 0)
		code = take_head(s, name, &head);
	if (code == 0)
		code = add_file(s, command, name, head.lines[0]);
	head_done(&head);
	return code;
}

/* It is not there when the job starts. */
static int take_file_text(struct fl_submission *s, const char *name, FILE *file, json_t *command)
{
	const char *slash = strrchr(name, '/');
	char *text = NULL;
	size_t len = 0;
	int code = read_all(file, name, &text, &len);

	if (code == 0 && len == 0)
		code = complain(name, 0, "is empty", "");
	else if (code == 0)
		code = take_text(s, name, slash ? slash + 1 : name, text, len, command);
	free(text);
	return code;
}

int fl_submit_script(struct fl_submission *s, const char *name, char **arguments, uint32_t n)
{
	json_t *command = json_array();
	FILE *file = fopen(name, "re");
	struct stat st;
	char why[128];
	int code = 0;

	if (!file)
		code = complain(name, 0, fl_system_text(errno, why),
				"a command comes after --: fairlead submit ... -- PROGRAM; without "
				"-- it is a script");
	else if (fstat(fileno(file), &st) < 0 || !S_ISREG(st.st_mode))
		code = complain(name, 0, "is not a file", "");
	if (code == 0 && s->remote)
		code = take_file_text(s, name, file, command);
	else if (code == 0)
		code = take_file(s, name, file, command);
	code = put_command(s, command, arguments, n, code);
	if (file)
		fclose(file);
	return code;
}

int fl_submit_standard_input(struct fl_submission *s, char **arguments, uint32_t n, bool *ret_empty)
{
	json_t *command = json_array();
	char *text = NULL;
	size_t len = 0;
	int code = read_all(stdin, "standard input", &text, &len);

	*ret_empty = code == 0 && len == 0;
	if (code == 0 && len)
		code = take_text(s, "standard input", "stdin", text, len, command);
	code = put_command(s, command, arguments, len ? n : 0, code);
	free(text);
	return code;
}
