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

enum {
	MAX_LINES = 1000, /* of comments at the top that are looked at */
	MAX_WORDS = 256,  /* of one #FAIRLEAD line */
};

static const char mark[] = "#FAIRLEAD";

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
	if (o->has_output)
		return "--format belongs on the command line, not in a script";
	return o->n_operands ?
		       "only options may follow #FAIRLEAD; the command is the script itself" :
		       NULL;
}

static int take_line(struct fl_submission *s, const char *name, uint32_t number, char *line)
{
	char *words[MAX_WORDS] = { (char[]){ "submit" } };
	struct fl_options o;
	int n = split(line, words + 1, MAX_WORDS - 1);

	if (n < 0)
		return complain(name, number, "a quote does not end here", "");
	int rc = fl_options_parse(submit_verb(), n + 1, words, &o);
	if (rc > 0)
		say_where(name, number);
	if (rc != 0)
		return rc < 0 ? FL_EXIT_USAGE : rc;
	const char *wrong = misplaced(&o);
	int code = wrong ? complain(name, number, wrong, "") : fl_submit_options(s, &o);
	if (code == FL_EXIT_USAGE)
		say_where(name, number);
	fl_options_done(&o);
	return code;
}

/* As the kernel takes "#!": the interpreter, and all that follows as one argument. */
static int add_interpreter(json_t *command, char *line)
{
	char *path = line + 2 + strspn(line + 2, " \t"), *rest = path + strcspn(path, " \t");
	char *end = rest + strlen(rest);

	while (end > rest && strchr(" \t\r", end[-1]))
		*--end = '\0';
	if (*rest)
		*rest++ = '\0';
	rest += strspn(rest, " \t");
	return json_array_append_new(command, json_string(path)) < 0 ||
	       (*rest && json_array_append_new(command, json_string(rest)) < 0);
}

/* The first comments of the file. */
static int take_lines(struct fl_submission *s, const char *name, FILE *file, json_t *command)
{
	size_t size = 0;
	char *line = NULL;
	ssize_t len;
	int code = 0;

	for (uint32_t n = 1; n <= MAX_LINES && code == 0; n++) {
		len = getline(&line, &size, file);
		if (len < 0)
			break;
		while (len > 0 && strchr("\r\n", line[len - 1]))
			line[--len] = '\0';
		if (n == 1 && strncmp(line, "#!", 2) != 0)
			code = complain(name, 0, "does not begin with #!, as a script does",
					"begin it with #!/bin/sh; a program comes after --: "
					"fairlead submit ... -- PROGRAM");
		else if (n == 1)
			code = add_interpreter(command, line) ? fl_submit_bad_text(NULL, line) : 0;
		else if (line[strspn(line, " \t")] && line[0] != '#')
			break;
		else if (strncmp(line, mark, strlen(mark)) == 0 &&
			 strchr(" \t", line[strlen(mark)]))
			code = take_line(s, name, n, line + strlen(mark));
	}
	if (code == 0 && ftell(file) == 0)
		code = complain(name, 0, "is empty", "");
	free(line);
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
	if (code == 0)
		code = take_lines(s, name, file, command);
	char *path = absolute(name);
	if (code == 0 && (!path || json_array_append_new(command, json_string(path)) < 0))
		code = path ? fl_submit_bad_text(NULL, path) : fl_submit_no_memory();
	for (uint32_t i = 0; i < n && code == 0; i++)
		if (json_array_append_new(command, json_string(arguments[i])) < 0)
			code = fl_submit_bad_text(NULL, arguments[i]);
	if (code == 0 && json_object_set(s->spec, "command", command) < 0)
		code = fl_submit_no_memory();
	json_decref(command);
	free(path);
	if (file)
		fclose(file);
	return code;
}
