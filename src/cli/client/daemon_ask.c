/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Questions that are put to manifests or to the daemon: here to the daemon.  It answers as the
 * verb itself prints it, and what it says is washed before it reaches a terminal.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cli/client/daemon.h"
#include "cli/terminal/terminal.h"
#include "input/input.h"
#include "report/out/sanitize.h"

/* Refuses options that say how an input is read: an exit code, or 0. */
static int check_options(const struct fl_options *o)
{
	const char *name = o->has_now               ? "--now" :
			   o->strict                ? "--strict" :
			   o->policy                ? "--policy" :
			   o->settle                ? "--settle" :
			   o->interval != FL_SECOND ? "--cycle-interval" :
			   o->fail_if               ? "--fail-if" :
						      NULL;

	if (!name)
		return 0;
	return fl_usage_error(o->verb,
			      "%s needs an input: give -f FILE, a folder, or - for standard "
			      "input; without -f the daemon is asked",
			      name);
}

static int ask(const struct fl_options *o, const char *method, struct fl_path *path,
	       const char *body, fairlead_error *err)
{
	struct fl_report report = { 0 };
	struct fl_client *client = NULL;
	struct fl_answer answer;
	char width[16];
	int rc = fl_daemon_open(o, &client, err);

	if (rc < 0) {
		free(path->text);
		return rc;
	}
	fl_terminal(&report);
	snprintf(width, sizeof(width), "%u", report.width);
	fl_path_add(path, "format", fl_formats[o->output]);
	fl_path_add(path, "width", width);
	fl_path_add(path, "color", report.color ? "1" : "0");
	if (o->all)
		fl_path_add(path, "all", "1");
	rc = fl_daemon_fetch(client, method, path, body, &answer, err);
	fl_client_free(client);
	if (rc < 0)
		return rc;
	if (o->output == FL_OUTPUT_TEXT) {
		struct fl_sanitize sanitize = { .out = stdout, .color = report.color };

		fl_sanitize_put(&sanitize, answer.body, answer.len);
		fl_sanitize_end(&sanitize);
	} else {
		fwrite(answer.body, 1, answer.len, stdout);
	}
	fl_answer_done(&answer);
	return 0;
}

/* The daemon is not there: the client says how to start it, this what to do without one. */
static int answer(const struct fl_options *o, const char *method, struct fl_path *path,
		  const char *body)
{
	fairlead_error err = { 0 };

	if (ask(o, method, path, body, &err) == 0)
		return FL_EXIT_YES;
	int code = fl_complain(&err);
	if (err.code == FAIRLEAD_EIO)
		fprintf(stderr,
			"hint: for manifests give -f FILE, a folder, or - for standard input\n");
	return code;
}

int fl_daemon_explain(const struct fl_options *o)
{
	struct fl_path path;
	uint64_t job;

	if (check_options(o) || fl_daemon_one_job(o, o->operands[0], &job))
		return FL_EXIT_USAGE;
	fl_path_start(&path, "/v1/jobs/%" PRIu64 "/explain", job);
	if (o->eta)
		fl_path_add(&path, "eta", "1");
	return answer(o, "GET", &path, NULL);
}

int fl_daemon_tree(const struct fl_options *o)
{
	struct fl_path path;

	if (check_options(o))
		return FL_EXIT_USAGE;
	fl_path_start(&path, "/v1/tree");
	fl_path_add(&path, "node", o->n_operands ? o->operands[0] : NULL);
	return answer(o, "GET", &path, NULL);
}

int fl_daemon_plan(const struct fl_options *o)
{
	struct fl_path path;

	if (check_options(o))
		return FL_EXIT_USAGE;
	fl_path_start(&path, "/v1/plan");
	if (o->has_cycles)
		fl_path_number(&path, "cycles", o->cycles);
	return answer(o, "GET", &path, NULL);
}

/* All files as one text of many documents, from malloc. */
static int read_changes(const struct fl_options *o, char **ret, fairlead_error *err)
{
	struct fl_inputs in = { 0 };
	char *all = NULL;
	size_t size = 0;
	int rc = fl_inputs_find(&in, o->changes, o->n_changes, err);
	FILE *out = rc == 0 ? open_memstream(&all, &size) : NULL;

	if (rc == 0 && !out)
		rc = fl_fail_nomem(err);
	for (uint32_t i = 0; i < in.n && rc == 0; i++) {
		struct fl_text text;

		rc = fl_input_read(in.names[i], &text, err);
		if (rc < 0)
			break;
		fputs(i ? "\n---\n" : "", out);
		fwrite(text.bytes, 1, text.len, out);
		fl_text_done(&text);
	}
	if (out && (ferror(out) | fclose(out)) && rc == 0)
		rc = fl_fail_nomem(err);
	fl_inputs_done(&in);
	if (rc == 0)
		*ret = all;
	else
		free(all);
	return rc;
}

/* "Cohort/a,ClusterQueue/b"; NULL: none. From malloc. */
static int join(char *const *texts, uint32_t n, char between, char **ret, fairlead_error *err)
{
	size_t size;
	FILE *out = n ? open_memstream(ret, &size) : NULL;

	*ret = out ? *ret : NULL;
	for (uint32_t i = 0; out && i < n; i++) {
		if (i)
			fputc(between, out);
		fputs(texts[i], out);
	}
	return (n && !out) || (out && fclose(out) != 0) ? fl_fail_nomem(err) : 0;
}

const char fl_no_change[] = "no change: give --set 'KIND/NAME: PATH=VALUE', --change FILE or "
			    "--delete KIND/NAME";

int fl_daemon_what_if(const struct fl_options *o)
{
	fairlead_error err = { 0 };
	struct fl_path path;
	char *body = NULL, *deletions, *sets;

	if (check_options(o))
		return FL_EXIT_USAGE;
	if (o->n_changes + o->n_deletions + o->n_sets == 0)
		return fl_usage_error("what-if", "%s", fl_no_change);
	if (o->n_changes && read_changes(o, &body, &err) < 0)
		return fl_complain(&err);
	if (join(o->deletions, o->n_deletions, ',', &deletions, &err) < 0 ||
	    join(o->sets, o->n_sets, '\n', &sets, &err) < 0) {
		free(deletions);
		free(body);
		return fl_complain(&err);
	}
	fl_path_start(&path, "/v1/what-if");
	fl_path_add(&path, "delete", deletions);
	fl_path_add(&path, "set", sets);
	free(deletions);
	free(sets);
	if (o->has_cycles)
		fl_path_number(&path, "cycles", o->cycles);
	int code = answer(o, "POST", &path, body);
	free(body);
	return code;
}
