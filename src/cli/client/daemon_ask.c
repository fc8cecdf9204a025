/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Questions that are put to manifests or to the daemon: here to the daemon.  It answers as the
 * verb itself prints it, and what it says is washed before it reaches a terminal.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <jansson.h>

#include "cli/client/daemon.h"
#include "cli/client/daemon_ask.h"
#include "cli/terminal/interrupt.h"
#include "cli/terminal/progress.h"
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

static void print_answer(const struct fl_options *o, const struct fl_answer *answer, bool color)
{
	if (o->output == FL_OUTPUT_TEXT) {
		struct fl_sanitize sanitize = { .out = stdout, .color = color };

		fl_sanitize_put(&sanitize, answer->body, answer->len);
		fl_sanitize_end(&sanitize);
	} else {
		fwrite(answer->body, 1, answer->len, stdout);
	}
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
	print_answer(o, &answer, report.color);
	fl_answer_done(&answer);
	return 0;
}

/* The daemon is not there: the client says how to start it, this what to do without one. */
static int complain_without(const fairlead_error *err)
{
	int code = fl_complain(err);

	if (err->code == FAIRLEAD_EIO)
		fprintf(stderr,
			"hint: for manifests give -f FILE, a folder, or - for standard input\n");
	return code;
}

static int answer(const struct fl_options *o, const char *method, struct fl_path *path,
		  const char *body)
{
	fairlead_error err = { 0 };

	if (ask(o, method, path, body, &err) == 0)
		return FL_EXIT_YES;
	return complain_without(&err);
}

/* namespace/name of a Workload of a cluster; a daemon that runs jobs takes its name for a job's number. */
static bool is_workload(const char *text)
{
	static const char of_names[] = "abcdefghijklmnopqrstuvwxyz0123456789.-";
	const size_t namespace = strspn(text, of_names);
	const char *name = text + namespace + 1;

	return namespace > 0 && text[namespace] == '/' && *name && *name != '.' &&
	       !name[strspn(name, of_names)];
}

/* NAMESPACE/job/NAME, by the name of the Job that owns the Workload: without "job/" in @ret. */
static bool is_of_job(const char *text, char *ret, size_t size)
{
	const char *middle = strstr(text, "/job/");
	const int n = middle ? snprintf(ret, size, "%.*s/%s", (int)(middle - text), text,
					middle + strlen("/job/")) :
			       -1;

	return n > 0 && (size_t)n < size && is_workload(ret);
}

int fl_daemon_explain(const struct fl_options *o)
{
	const char *what = o->operands[0];
	const bool by_number = strncmp(what, "job/", 4) == 0; /* as policies name it: "job/17" */
	struct fl_job_range number;
	struct fl_path path;
	char owned[1024];
	uint64_t job;

	if (check_options(o))
		return FL_EXIT_USAGE;
	if (is_of_job(what, owned, sizeof owned)) {
		fl_path_start(&path, "/v1/workloads/%s/explain", owned);
		fl_path_add(&path, "job", "1");
	} else if (is_workload(what) && !(by_number && fl_daemon_job(what + 4, &number))) {
		fl_path_start(&path, "/v1/workloads/%s/explain", what);
	} else if (fl_daemon_one_job(o, what, &job)) {
		return FL_EXIT_USAGE;
	} else {
		fl_path_start(&path, "/v1/jobs/%" PRIu64 "/explain", job);
	}
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

/* @name with the changes that the options name; *ret_body from malloc, NULL: none. */
static int start_changes(const struct fl_options *o, const char *name, struct fl_path *path,
			 char **ret_body, fairlead_error *err)
{
	char *deletions = NULL, *sets = NULL;
	int rc = 0;

	*ret_body = NULL;
	if (o->n_changes)
		rc = read_changes(o, ret_body, err);
	if (rc == 0)
		rc = join(o->deletions, o->n_deletions, ',', &deletions, err);
	if (rc == 0)
		rc = join(o->sets, o->n_sets, '\n', &sets, err);
	if (rc == 0) {
		fl_path_start(path, "%s", name);
		fl_path_add(path, "delete", deletions);
		fl_path_add(path, "set", sets);
	} else {
		free(*ret_body);
	}
	free(deletions);
	free(sets);
	return rc;
}

const char fl_no_change[] = "no change: give --set 'KIND/NAME: PATH=VALUE', --change FILE or "
			    "--delete KIND/NAME";

int fl_daemon_what_if(const struct fl_options *o)
{
	fairlead_error err = { 0 };
	struct fl_path path;
	char *body = NULL;

	if (check_options(o))
		return FL_EXIT_USAGE;
	if (o->n_changes + o->n_deletions + o->n_sets == 0)
		return fl_usage_error("what-if", "%s", fl_no_change);
	if (start_changes(o, "/v1/what-if", &path, &body, &err) < 0)
		return fl_complain(&err);
	if (o->has_cycles)
		fl_path_number(&path, "cycles", o->cycles);
	int code = answer(o, "POST", &path, body);
	free(body);
	return code;
}

int fl_daemon_difference(const struct fl_options *o, const char *configuration)
{
	struct fl_path path;

	fairlead_error err = { 0 };

	fl_path_start(&path, "/v1/configuration/difference");
	return ask(o, "POST", &path, configuration, &err) < 0 ? fl_complain(&err) : FL_EXIT_YES;
}

/*
 * --- simulate: it is begun, asked for until it has ended, and its report is fetched ---
 */

static int refuse_of_simulate(const struct fl_options *o)
{
	const char *name = o->out           ? "--out" :
			   o->top           ? "--top" :
			   o->from_snapshot ? "--from-snapshot" :
					      NULL;

	if (!name)
		return check_options(o);
	return fl_usage_error(o->verb,
			      "%s needs an input: give -f FILE, a folder, or - for standard "
			      "input; without -f the daemon simulates",
			      name);
}

static int begin_simulation(const struct fl_options *o, struct fl_client *client,
			    const struct fl_report *report, uint64_t *ret, fairlead_error *err)
{
	struct fl_path path;
	json_t *answer = NULL;
	char *body;
	int rc = start_changes(o, "/v1/simulations", &path, &body, err);

	if (rc < 0)
		return rc;
	if (o->until != FL_TIME_NONE) {
		char horizon[64];

		snprintf(horizon, sizeof horizon, "%" PRId64 "ms", o->until / (FL_SECOND / 1000));
		fl_path_add(&path, "horizon", horizon);
	}
	if (o->has_seed)
		fl_path_number(&path, "seed", o->seed);
	if (o->no_arrivals)
		fl_path_add(&path, "arrivals", "0");
	if (o->all)
		fl_path_add(&path, "all", "1");
	fl_path_number(&path, "width", report->width);
	fl_path_add(&path, "color", report->color ? "1" : "0");
	rc = fl_daemon_ask(client, "POST", &path, body, &answer, err);
	free(body);
	if (rc == 0)
		*ret = (uint64_t)json_integer_value(json_object_get(answer, "id"));
	json_decref(answer);
	return rc;
}

static int ask_simulation(struct fl_client *client, const char *method, uint64_t id, json_t **ret,
			  fairlead_error *err)
{
	struct fl_path path;

	fl_path_start(&path, "/v1/simulations/%" PRIu64, id);
	return fl_daemon_ask(client, method, &path, /* body= */ NULL, ret, err);
}

/* Until it has ended, or Ctrl-C: then it is cancelled. */
static int await_simulation(struct fl_client *client, uint64_t id, fairlead_error *err)
{
	static const struct timespec pause = { .tv_nsec = 100000000 };
	struct fl_ticker ticker;
	bool runs = true;
	int rc = 0;

	fl_interrupt_listen();
	fl_ticker_begin(&ticker);
	while (rc == 0 && runs && !fl_interrupted()) {
		json_t *answer = NULL;

		rc = ask_simulation(client, "GET", id, &answer, err);
		if (rc == 0) {
			const char *state = json_string_value(json_object_get(answer, "state"));

			runs = state && strcmp(state, "running") == 0;
			fl_ticker_show(
				&ticker, "simulation %" PRIu64 ": %.0f %%", id,
				100 * json_number_value(json_object_get(answer, "progress")));
		}
		json_decref(answer);
		if (rc == 0 && runs)
			(void)nanosleep(&pause, NULL);
	}
	fl_ticker_end(&ticker);
	return rc;
}

static int print_report(const struct fl_options *o, struct fl_client *client, uint64_t id,
			bool color, fairlead_error *err)
{
	struct fl_path path;
	struct fl_answer answer;
	int rc;

	fl_path_start(&path, "/v1/simulations/%" PRIu64 "/report", id);
	fl_path_add(&path, "format", fl_formats[o->output]);
	rc = fl_daemon_fetch(client, "GET", &path, /* body= */ NULL, &answer, err);
	if (rc < 0)
		return rc;
	print_answer(o, &answer, color);
	fl_answer_done(&answer);
	return 0;
}

/* Its report is here, or not wanted: it need not stay for an hour. */
static void forget_simulation(struct fl_client *client, uint64_t id)
{
	fairlead_error unused = { 0 };
	json_t *answer = NULL;

	(void)ask_simulation(client, "DELETE", id, &answer, &unused);
	json_decref(answer);
}

int fl_daemon_simulate(const struct fl_options *o)
{
	struct fl_report report = { 0 };
	struct fl_client *client = NULL;
	fairlead_error err = { 0 };
	uint64_t id;
	int rc;

	if (refuse_of_simulate(o))
		return FL_EXIT_USAGE;
	rc = fl_daemon_open(o, &client, &err);
	if (rc < 0)
		return complain_without(&err);
	fl_terminal(&report);
	rc = begin_simulation(o, client, &report, &id, &err);
	if (rc == 0) {
		rc = await_simulation(client, id, &err);
		if (fl_interrupted())
			forget_simulation(client, id);
		else if (rc == 0)
			rc = print_report(o, client, id, report.color, &err);
		forget_simulation(client, id);
	}
	fl_client_free(client);
	if (rc < 0)
		return complain_without(&err);
	return fl_interrupted() ? FL_EXIT_NO : FL_EXIT_YES;
}
