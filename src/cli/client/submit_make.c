/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/client/submit_make.h"

#include <errno.h>
#include <inttypes.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/client/submit_sbatch.h"
#include "codec/job/job_json.h"

extern char **environ;

/* --- what the job runs, where, and with what environment --- */

int fl_submit_command(struct fl_submission *s, char **words, uint32_t n)
{
	json_t *command = json_array();
	int code = 0;

	for (uint32_t i = 0; i < n && code == 0; i++) {
		json_t *word = json_string(words[i]);

		if (!word)
			code = fl_submit_bad_text(s, NULL, words[i]);
		else if (json_array_append_new(command, word) < 0)
			code = fl_submit_no_memory();
	}
	if (code == 0 && json_object_set(s->spec, "command", command) < 0)
		code = fl_submit_no_memory();
	json_decref(command);
	return code;
}

/* @path from @base, which is absolute; NULL: no memory. */
static char *below(const char *base, const char *path)
{
	char *whole = NULL;

	if (*path == '/')
		return strdup(path);
	if (asprintf(&whole, "%s/%s", strcmp(base, "/") == 0 ? "" : base, path) < 0)
		return NULL;
	return whole;
}

/* The directory: here, or from here; and the output, from there. */
static int take_places(struct fl_submission *s)
{
	const char *dir = json_string_value(json_object_get(s->spec, "directory"));
	const char *output = json_string_value(json_object_get(s->spec, "output"));
	char *here = getcwd(NULL, 0), *place = NULL, *file = NULL;
	char *known = output ? fl_sbatch_path(s, output) : NULL;
	int code = output && !known ? fl_submit_no_memory() : 0;

	if (code == 0 && !here && errno == ENOMEM)
		code = fl_submit_no_memory();
	else if (code == 0 && !here && (!dir || *dir != '/'))
		code = fl_usage_error(s->options->verb,
				      "there is no current directory; give --dir");
	if (code == 0)
		place = dir ? below(here ? here : "/", dir) : strdup(here);
	if (code == 0 && output)
		file = below(place ? place : "/", known);
	if (code == 0 && (!place || (output && !file)))
		code = fl_submit_no_memory();
	if (code == 0 && json_object_set_new(s->spec, "directory", json_string(place)) < 0)
		code = fl_submit_bad_text(s, "dir", place);
	if (code == 0 && file && json_object_set_new(s->spec, "output", json_string(file)) < 0)
		code = fl_submit_bad_text(s, "output", file);
	free(known);
	free(here);
	free(place);
	free(file);
	return code;
}

static void say_left_out(const char *variable, size_t len)
{
	char name[128];
	struct fl_diagnostic d = { .severity = "warning",
				   .subject = name,
				   .text = "left out of the environment: it is not UTF-8" };

	snprintf(name, sizeof(name), "%.*s", (int)len, variable);
	fl_print_diagnostic(&d);
}

/* How the daemon is reached from here: there it is another way, and the token not for its jobs. */
static bool says_server(const char *variable, size_t len)
{
	static const char *const names[] = { "FAIRLEAD_SERVER", "FAIRLEAD_SERVER_FINGERPRINT",
					     "FAIRLEAD_TOKEN_FILE", "FAIRLEAD_CA_FILE",
					     "FAIRLEAD_SOCKET" };

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (strlen(names[i]) == len && strncmp(variable, names[i], len) == 0)
			return true;
	return false;
}

/* All variables of this process, and over them those that were named. */
static int take_environment(struct fl_submission *s)
{
	json_t *all = json_object();
	int code = all ? 0 : fl_submit_no_memory();

	for (char **at = environ; !s->clean && at && *at && code == 0; at++) {
		size_t len = strcspn(*at, "=");

		if (len == 0 || (*at)[len] == '\0')
			continue; /* not a variable that programs could read */
		if (s->remote && says_server(*at, len))
			continue;
		if (!fl_submit_is_utf8(*at))
			say_left_out(*at, len);
		else if (json_object_setn_new(all, *at, len, json_string(*at + len + 1)) < 0)
			code = fl_submit_no_memory();
	}
	if (code == 0 && (json_object_update(all, s->environment) < 0 ||
			  json_object_set(s->spec, "environment", all) < 0))
		code = fl_submit_no_memory();
	json_decref(all);
	return code;
}

/* --- what only the daemon knows --- */

/* "gpu" is short for the only resource that ends in "/gpu", where none is called so itself. */
static int name_gpu(struct fl_submission *s, const json_t *queues)
{
	json_t *requests = json_object_get(s->spec, "requests"), *resources, *value;
	const char *found = NULL, *name;

	if (!json_object_get(requests, "gpu"))
		return 0;
	for (size_t i = 0; i < json_array_size(queues); i++) {
		resources = json_object_get(json_array_get(queues, i), "resources");
		json_object_foreach(resources, name, value)
		{
			if (strcmp(name, "gpu") == 0)
				return 0;
			if (!fl_job_is_gpu(name) || (found && strcmp(found, name) == 0))
				continue;
			if (found)
				return fl_usage_error(s->options->verb,
						      "--request: gpu may mean %s or %s here; "
						      "name one of them",
						      found, name);
			found = name;
		}
	}
	if (!found)
		return 0;
	if (json_object_set(requests, found, json_object_get(requests, "gpu")) < 0)
		return fl_submit_no_memory();
	json_object_del(requests, "gpu");
	return 0;
}

/* The names under which a queue is submitted to. */
static const json_t *doors(const json_t *queue)
{
	static const char *const kinds[] = { "ClusterQueue", "LocalQueue", "Queue" };
	const json_t *submit = json_object_get(queue, "submit");
	const char *kind = json_string_value(json_object_get(queue, "kind"));

	if (json_is_false(json_object_get(queue, "mayUse")))
		return NULL;
	for (unsigned i = 0; i < 3 && !submit && kind; i++)
		if (strcmp(kind, kinds[i]) == 0)
			return json_object_get(queue, "name");
	return submit;
}

/* Names of queues, once each, as keys of an object. */
static int collect_doors(json_t *names, const json_t *queues)
{
	int rc = 0;

	for (size_t i = 0; i < json_array_size(queues); i++) {
		const json_t *door = doors(json_array_get(queues, i));
		size_t n = json_is_array(door) ? json_array_size(door) : door ? 1 : 0;

		for (size_t k = 0; k < n; k++) {
			const json_t *name = json_is_array(door) ? json_array_get(door, k) : door;

			if (json_is_string(name))
				rc |= json_object_set_new(names, json_string_value(name),
							  json_true());
		}
	}
	return rc;
}

static int fail_many(const struct fl_submission *s, json_t *names)
{
	char text[512] = "";
	const char *name;
	json_t *unused;

	json_object_foreach(names, name, unused)
	{
		size_t len = strlen(text);

		snprintf(text + len, sizeof(text) - len, "%s%s", len ? ", " : "", name);
	}
	return fl_usage_error(
		s->options->verb,
		"no queue is named: give -q QUEUE, or set FAIRLEAD_QUEUE, to one of %s", text);
}

/* The only one there is for this user. */
static int choose_queue(struct fl_submission *s, const json_t *queues)
{
	json_t *names = json_object();
	int code = 0;

	if (!names || collect_doors(names, queues) < 0)
		code = fl_submit_no_memory();
	else if (json_object_size(names) == 0 && json_array_size(queues) == 0)
		code = fl_usage_error(s->options->verb,
				      "there is no queue; an admin has to create one");
	else if (json_object_size(names) == 0)
		code = fl_usage_error(s->options->verb,
				      "you may use none of the queues; an admin can change "
				      "that in .spec.access of the Daemon");
	else if (json_object_size(names) > 1)
		code = fail_many(s, names);
	else if (json_object_set_new(s->spec, "queue",
				     json_string(json_object_iter_key(json_object_iter(names)))) <
		 0)
		code = fl_submit_no_memory();
	json_decref(names);
	return code;
}

/* The queue that was not named, and the name that "gpu" is short for. */
static int ask_queues(struct fl_submission *s)
{
	const char *queue = getenv("FAIRLEAD_QUEUE");
	bool named = json_object_get(s->spec, "queue"), gpu;
	fairlead_error err = { 0 };
	struct fl_path path;
	json_t *answer;
	int code = 0;

	if (!named && queue && *queue) {
		if (json_object_set_new(s->spec, "queue", json_string(queue)) < 0)
			return fl_submit_bad_text(s, "queue", queue);
		named = true;
	}
	gpu = json_object_get(json_object_get(s->spec, "requests"), "gpu");
	if (named && !gpu)
		return 0;
	if (!s->client && fl_daemon_open(s->options, &s->client, &err) < 0)
		return fl_complain(&err);
	fl_path_start(&path, "/v1/queues");
	if (fl_daemon_ask(s->client, "GET", &path, NULL, &answer, &err) < 0)
		return fl_complain(&err);
	const json_t *queues = json_object_get(answer, "queues");
	if (!named)
		code = choose_queue(s, queues);
	if (code == 0 && gpu)
		code = name_gpu(s, queues);
	json_decref(answer);
	return code;
}

/* --- off it goes --- */

/* What the daemon would refuse in any case is refused without it, with the same message. */
static int check(struct fl_submission *s)
{
	struct fl_job_document d;
	fairlead_error err = { 0 };
	int rc = fl_job_from_json(s->spec, FL_JOB_SUBMITTED, &d, &err);

	if (rc < 0)
		return fl_complain(&err);
	fl_job_document_done(&d);
	return 0;
}

int fl_submit_complete(struct fl_submission *s)
{
	int code = fl_sbatch_share(s);

	if (code == 0)
		code = take_places(s);
	if (code == 0)
		code = take_environment(s);
	if (code == 0)
		code = ask_queues(s);
	return code == 0 ? check(s) : code;
}

int fl_submit_send(struct fl_submission *s, json_t **ret)
{
	char *body = json_dumps(s->spec, JSON_COMPACT);
	fairlead_error err = { 0 };
	struct fl_path path;

	if (!body)
		return fl_submit_no_memory();
	int rc = s->client ? 0 : fl_daemon_open(s->options, &s->client, &err);
	if (rc == 0) {
		fl_path_start(&path, "/v1/jobs");
		rc = fl_daemon_ask(s->client, "POST", &path, body, ret, &err);
	}
	free(body);
	return rc < 0 ? fl_complain(&err) : 0;
}

void fl_submit_notes(const json_t *answer)
{
	const json_t *notes = json_object_get(answer, "notes");

	for (size_t i = 0; i < json_array_size(notes); i++) {
		const char *text = json_string_value(json_array_get(notes, i));

		fl_print_diagnostic(
			&(struct fl_diagnostic){ .severity = "warning", .text = text ? text : "" });
	}
}
