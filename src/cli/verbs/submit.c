/* SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/client/server.h"
#include "cli/client/submit_make.h"
#include "report/job/answers.h"

/* "17", "17-26" of those that follow each other. */
static void print_numbers(const uint64_t *jobs, uint32_t n)
{
	for (uint32_t first = 0, last; first < n; first = last + 1) {
		last = first;
		while (last + 1 < n && jobs[last + 1] == jobs[last] + 1)
			last++;
		if (last > first)
			printf("%" PRIu64 "-%" PRIu64 "\n", jobs[first], jobs[last]);
		else
			printf("%" PRIu64 "\n", jobs[first]);
	}
}

static int report(struct fl_submission *s, json_t *answer)
{
	const json_t *list = json_object_get(answer, "jobs");
	uint32_t n = (uint32_t)json_array_size(list);
	uint64_t *jobs = calloc(n + 1, sizeof(*jobs));
	int code = FL_EXIT_YES;

	if (!jobs)
		return fl_submit_no_memory();
	for (uint32_t i = 0; i < n; i++)
		jobs[i] = (uint64_t)json_integer_value(json_array_get(list, i));
	if (s->options->output == FL_OUTPUT_JSON)
		fl_daemon_print_json(stdout, fl_submitted_document.kind, answer);
	else
		print_numbers(jobs, n);
	fflush(stdout);
	if (s->options->output != FL_OUTPUT_JSON)
		fl_submit_notes(answer);
	if (s->wait && n)
		code = fl_submit_wait(s->options, jobs, n);
	free(jobs);
	return code;
}

static int send(struct fl_submission *s)
{
	json_t *answer = NULL;
	int code = fl_submit_send(s, &answer);

	if (code == 0)
		code = report(s, answer);
	json_decref(answer);
	return code;
}

static bool has_wrap(const struct fl_options *o)
{
	for (uint32_t i = 0; i < o->n_given; i++)
		if (strcmp(o->given[i].option, "wrap") == 0)
			return true;
	return false;
}

static int fail_without_command(const struct fl_submission *s)
{
	return fl_usage_error(s->options->verb,
			      "a command is missing: fairlead submit -q QUEUE -- python "
			      "train.py, or a script");
}

/* A script on standard input: named by "-", or when nothing is named and it is no terminal. */
static int take_standard_input(struct fl_submission *s)
{
	const struct fl_options *o = s->options;
	uint32_t named = o->n_operands > 0;
	bool empty = false;
	int code;

	if (!named && isatty(STDIN_FILENO))
		return fail_without_command(s);
	code = fl_submit_standard_input(s, o->operands + named, o->n_operands - named, &empty);
	if (code == 0 && empty && named)
		return fl_usage_error(s->options->verb,
				      "standard input is empty; it is to be a script");
	return code == 0 && empty ? fail_without_command(s) : code;
}

/* What it runs: a command, that of --wrap, or a script with its options. */
static int take_work(struct fl_submission *s)
{
	const struct fl_options *o = s->options;

	if (has_wrap(o))
		return o->n_operands == 0 ? 0 :
					    fl_usage_error(s->options->verb,
							   "--wrap stands for a script; "
							   "there is '%s' as well",
							   o->operands[0]);
	if (o->dashes)
		return o->n_operands ? fl_submit_command(s, o->operands, o->n_operands) :
				       fail_without_command(s);
	if (o->n_operands == 0 || strcmp(o->operands[0], "-") == 0)
		return take_standard_input(s);
	return fl_submit_script(s, o->operands[0], o->operands + 1, o->n_operands - 1);
}

static int submit(struct fl_submission *s)
{
	const struct fl_options *o = s->options;
	int code = take_work(s);

	if (code == 0)
		code = fl_submit_options(s, o);
	if (code == 0)
		code = fl_submit_complete(s);
	return code == 0 ? send(s) : code;
}

int fl_cmd_submit(const struct fl_options *o)
{
	struct fl_submission s = {
		.options = o,
		.spec = json_object(),
		.environment = json_object(),
		.remote = fl_server_is_remote(o),
	};
	int code = s.spec && s.environment ? submit(&s) : fl_submit_no_memory();

	json_decref(s.spec);
	json_decref(s.environment);
	fl_client_free(s.client);
	free(s.user);
	return code;
}
