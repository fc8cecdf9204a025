/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/client/submit_sbatch.h"

#include <inttypes.h>
#include <jansson.h>
#include <pwd.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "codec/job/job_json.h"

enum { MAX_UNITS = 999999999 };

/* --- what it asks for --- */

static int ask(struct fl_submission *s, const char *resource, const char *amount)
{
	json_t *requests = fl_submit_member(s, "requests", json_object);

	s->as_sbatch = true;
	return requests ? fl_submit_put(requests, resource, json_string(amount)) :
			  fl_submit_no_memory();
}

static int take_whole(const struct fl_submission *s, const char *option, const char *text,
		      uint32_t *ret)
{
	if (fl_options_count(text, 1, MAX_UNITS, ret))
		return 0;
	return fl_usage_error(s->options->verb, "--%s: '%s' is not a number from 1 to %d", option,
			      text, MAX_UNITS);
}

int fl_sbatch_cpus(struct fl_submission *s, const char *option, const char *key, const char *text)
{
	uint32_t n;
	int code = take_whole(s, option, text, &n);

	return code ? code : ask(s, key, text);
}

/* "4G", "500M", "4096" MiB: powers of two, as there. */
static int take_size(const struct fl_submission *s, const char *option, const char *text,
		     fl_amount *ret)
{
	static const char units[] = "KMGT";
	size_t n = strspn(text, "0123456789");
	const char *unit = text[n] ? strchr(units, text[n] & ~0x20) : &units[1];
	char digits[16];
	uint32_t value;

	if (n == 0 || n > 9 || !unit || !*unit || (text[n] && text[n + 1]) || text[0] == '0')
		return fl_usage_error(s->options->verb,
				      "--%s: '%s' is not a size such as 4096 (MiB), 500M or 4G",
				      option, text);
	memcpy(digits, text, n);
	digits[n] = '\0';
	fl_options_count(digits, 1, MAX_UNITS, &value);
	if (__builtin_mul_overflow((fl_amount)value, (fl_amount)1 << (10 * (unit - units + 1)),
				   ret))
		return fl_usage_error(s->options->verb, "--%s: '%s' is too much", option, text);
	return 0;
}

int fl_sbatch_memory(struct fl_submission *s, const char *option, const char *key, const char *text)
{
	(void)key;
	s->as_sbatch = true;
	s->cpu_memory = 0;
	return take_size(s, option, text, &s->memory);
}

int fl_sbatch_cpu_memory(struct fl_submission *s, const char *option, const char *key,
			 const char *text)
{
	(void)key;
	s->as_sbatch = true;
	s->memory = 0;
	return take_size(s, option, text, &s->cpu_memory);
}

/* "2", or "TYPE:2", "TYPE" of one. */
static int take_gpus(struct fl_submission *s, const char *option, const char *text, uint32_t *ret)
{
	const char *count = strrchr(text, ':');

	count = count ? count + 1 : text;
	*ret = 1;
	if (strspn(count, "0123456789") == 0) /* a type alone */
		count = "";
	if (count > text || !*count)
		fl_submit_note(s,
			       "the type in '%s' does not count; --select KEY=VALUE chooses by a "
			       "label of a flavor",
			       text);
	return *count ? take_whole(s, option, count, ret) : 0;
}

int fl_sbatch_gpus(struct fl_submission *s, const char *option, const char *key, const char *text)
{
	(void)key;
	s->as_sbatch = true;
	return take_gpus(s, option, text, &s->gpus);
}

int fl_sbatch_task_gpus(struct fl_submission *s, const char *option, const char *key,
			const char *text)
{
	char number[16];
	uint32_t n;
	int code = take_gpus(s, option, text, &n);

	(void)key;
	if (code)
		return code;
	s->gpus = 0;
	snprintf(number, sizeof(number), "%" PRIu32, n);
	return ask(s, "gpu", number);
}

/* "gpu:2", "gpu:a100:2", "gpu"; others are left out. */
int fl_sbatch_gres(struct fl_submission *s, const char *option, const char *key, const char *text)
{
	char *copy = strdup(text), *at = copy, *word;
	int code = copy ? 0 : fl_submit_no_memory();

	while (code == 0 && (word = strsep(&at, ","))) {
		if (strcmp(word, "none") == 0)
			continue;
		if (strncmp(word, "gpu:", 4) == 0)
			code = fl_sbatch_gpus(s, option, key, word + 4);
		else if (strcmp(word, "gpu") == 0)
			code = fl_sbatch_gpus(s, option, key, "1");
		else
			fl_submit_note(s,
				       "--%s: '%s' is left out: of these only gpu is known; "
				       "--request asks for other resources",
				       option, word);
	}
	free(copy);
	return code;
}

/* --- all tasks to one --- */

static int share_memory(struct fl_submission *s, fl_amount tasks)
{
	json_t *requests = fl_submit_member(s, "requests", json_object);
	const char *cpu = json_string_value(json_object_get(requests, "cpu"));
	fl_amount bytes = s->memory / tasks + (s->memory % tasks != 0), milli = 1000;
	char text[32];

	if (s->cpu_memory) {
		if (cpu && fl_job_amount("cpu", cpu, &milli, NULL) < 0)
			milli = 1000;
		/* Of a part of a cpu as of a whole one. */
		milli = milli / 1000 + (milli % 1000 != 0);
		if (__builtin_mul_overflow(s->cpu_memory, milli, &bytes))
			return fl_usage_error(s->options->verb, "--mem-per-cpu: it is too much");
	}
	snprintf(text, sizeof(text), "%" PRId64, bytes);
	return ask(s, "memory", text);
}

static int share_gpus(struct fl_submission *s, uint32_t tasks)
{
	char text[16];

	if (s->gpus % tasks)
		return fl_usage_error(s->options->verb,
				      "%" PRIu32 " GPUs cannot be divided among %" PRIu32
				      " tasks; --gpus-per-task says how many each gets",
				      s->gpus, tasks);
	snprintf(text, sizeof(text), "%" PRIu32, s->gpus / tasks);
	return ask(s, "gpu", text);
}

int fl_sbatch_share(struct fl_submission *s)
{
	json_int_t given = json_integer_value(json_object_get(s->spec, "tasks"));
	uint32_t tasks = given > 0 ? (uint32_t)given : 1;
	int code = 0;

	if (!s->as_sbatch)
		return 0;
	if (!json_object_get(fl_submit_member(s, "requests", json_object), "cpu"))
		code = ask(s, "cpu", "1");
	if (code == 0 && (s->memory || s->cpu_memory))
		code = share_memory(s, tasks);
	return code || !s->gpus ? code : share_gpus(s, tasks);
}

/* --- its environment --- */

/* A variable that is not set here is left out, as there. */
static int export_one(struct fl_submission *s, const char *option, const char *word)
{
	if (!strchr(word, '=') && !getenv(word))
		return 0;
	return fl_submit_variable(s, option, NULL, word);
}

int fl_sbatch_export(struct fl_submission *s, const char *option, const char *key, const char *text)
{
	char *copy = strdup(text), *at = copy, *word;
	int code = copy ? 0 : fl_submit_no_memory();

	(void)key;
	s->clean = true;
	while (code == 0 && (word = strsep(&at, ",")))
		if (strcasecmp(word, "ALL") == 0)
			s->clean = false;
		else if (strcasecmp(word, "NONE") != 0 && strcasecmp(word, "NIL") != 0)
			code = export_one(s, option, word);
	free(copy);
	return code;
}

/* --- small ones --- */

/* The higher, the later: the other way round than priority. */
int fl_sbatch_nice(struct fl_submission *s, const char *option, const char *key, const char *text)
{
	bool sooner = *text == '-';
	uint32_t n;

	if (!fl_options_count(text + (sooner || *text == '+'), 0, MAX_UNITS, &n))
		return fl_usage_error(s->options->verb,
				      "--%s: '%s' is not a whole number of at most nine digits",
				      option, text);
	return fl_submit_put(s->spec, key, json_integer(sooner ? n : -(json_int_t)n));
}

/* "INT", "10", "B:INT@30": the signal and the seconds behind it, 60 unless given. */
int fl_sbatch_signal(struct fl_submission *s, const char *option, const char *key, const char *text)
{
	const char *at = strncmp(text, "B:", 2) == 0 ? text + 2 : text;
	size_t n = strcspn(at, "@");
	uint32_t number, seconds = 60;
	char name[16], grace[32];

	snprintf(name, sizeof(name), "%.*s", (int)(n < 15 ? n : 15), at);
	if (fl_options_count(name, 1, 64, &number) && fl_job_signal_name((int)number))
		snprintf(name, sizeof(name), "%s", fl_job_signal_name((int)number));
	if (!fl_job_signal(name))
		return fl_usage_error(s->options->verb,
				      "--%s: '%s' is none of HUP, INT, KILL, QUIT, TERM, USR1 and "
				      "USR2",
				      option, text);
	if (at[n] && !fl_options_count(at + n + 1, 0, 65535, &seconds))
		return fl_usage_error(s->options->verb,
				      "--%s: '%s': behind the @ there are seconds, up to 65535",
				      option, text);
	snprintf(grace, sizeof(grace), "%" PRIu32 "s", seconds);
	int code = fl_submit_put(s->spec, key, json_string(name));
	return code || !at[n] ? code : fl_submit_put(s->spec, "grace", json_string(grace));
}

int fl_sbatch_wrap(struct fl_submission *s, const char *option, const char *key, const char *text)
{
	json_t *command = json_pack("[s, s, s]", "/bin/sh", "-c", text);

	return command ? fl_submit_put(s->spec, key, command) : fl_submit_bad_text(s, option, text);
}

/* --- the path of its output --- */

/* As a part of a path, in which % is none of a pattern. */
static void put_part(FILE *out, const char *text)
{
	for (; *text; text++)
		fputs(*text == '/' ? "_" : *text == '%' ? "%%" : (char[2]){ *text }, out);
}

/* On another machine the name is that of the token's user. */
static const char *user_name(struct fl_submission *s)
{
	const struct passwd *user = s->remote ? NULL : getpwuid(getuid());
	fairlead_error unused = { 0 };
	struct fl_path path;
	json_t *who;

	if (!s->remote)
		return user ? user->pw_name : NULL;
	if (s->user)
		return s->user;
	if (!s->client && fl_daemon_open(s->options, &s->client, &unused) < 0)
		return NULL;
	fl_path_start(&path, "/v1/whoami");
	if (fl_daemon_ask(s->client, "GET", &path, /* body= */ NULL, &who, &unused) < 0)
		return NULL;
	const char *name = json_string_value(json_object_get(who, "user"));
	s->user = name ? strdup(name) : NULL;
	json_decref(who);
	return s->user;
}

/* What stands for the letter behind a %; NULL: it is not known here. */
static const char *known_here(struct fl_submission *s, char letter, char host[256])
{
	switch (letter) {
	case 'x':
		return json_string_value(json_object_get(s->spec, "name"));
	case 'u':
		return user_name(s);
	case 'N':
		if (s->remote || gethostname(host, 255) < 0)
			return NULL;
		host[strcspn(host, ".")] = '\0';
		return host;
	default:
		return NULL;
	}
}

char *fl_sbatch_path(struct fl_submission *s, const char *path)
{
	char *ret = NULL, host[256] = "";
	size_t size;
	FILE *out = open_memstream(&ret, &size);

	if (!out)
		return NULL;
	for (; *path; path++) {
		const char *known = *path == '%' ? known_here(s, path[1], host) : NULL;

		if (known)
			put_part(out, known);
		else if (*path == '%' && path[1] == 'A')
			fputs("%j", out);
		else if (*path == '%' && path[1])
			fprintf(out, "%%%c", path[1]);
		else
			putc(*path, out);
		path += *path == '%' && path[1];
	}
	if (fclose(out) != 0) {
		free(ret);
		return NULL;
	}
	return ret;
}

/* --- dependencies --- */

static int refuse(const struct fl_submission *s, const char *option, const char *text,
		  const char *why)
{
	return fl_usage_error(s->options->verb, "--%s: '%s': %s", option, text, why);
}

static int depend_on(struct fl_submission *s, const char *option, const char *when, char *jobs)
{
	json_t *after = fl_submit_member(s, "after", json_array);
	char *number;

	while ((number = strsep(&jobs, ":"))) {
		struct fl_job_range job;

		if (strchr(number, '+'))
			return refuse(s, option, number,
				      "a delay behind a job is not supported; --begin is a time "
				      "before which it does not start");
		if (!fl_daemon_job(number, &job) || job.array || job.first != job.last)
			return refuse(s, option, number, "is not the number of a job, such as 17");
		if (json_array_append_new(after, json_pack("{s:I, s:s}", "job",
							   (json_int_t)job.first, "when", when)) <
		    0)
			return fl_submit_no_memory();
	}
	return 0;
}

/* One condition: "afterok:1:2", "singleton". */
static int take_condition(struct fl_submission *s, const char *option, char *text)
{
	static const struct {
		const char *name, *when;
	} types[] = {
		{ "after", "begun" },
		{ "afterany", "any" },
		{ "afterok", "ok" },
		{ "afternotok", "failed" },
	};
	size_t n = strcspn(text, ":");

	if (strcasecmp(text, "singleton") == 0)
		return fl_submit_put(s->spec, "singleton", json_true());
	for (unsigned i = 0; i < sizeof types / sizeof *types; i++)
		if (strlen(types[i].name) == n && strncasecmp(types[i].name, text, n) == 0)
			return text[n] ?
				       depend_on(s, option, types[i].when, text + n + 1) :
				       refuse(s, option, text, "names no job, such as afterok:17");
	if (strncasecmp(text, "aftercorr", 9) == 0)
		return refuse(s, option, text,
			      "arrays do not wait for each other index by index; "
			      "afterok with the numbers of its jobs waits for them");
	return refuse(s, option, text,
		      "is none of after, afterany, afterok, afternotok and singleton");
}

/* All of them must hold.  A later option stands for an earlier one, as there. */
int fl_sbatch_dependency(struct fl_submission *s, const char *option, const char *key,
			 const char *text)
{
	char *copy, *at, *word;
	int code = 0;

	json_object_del(s->spec, key);
	json_object_del(s->spec, "singleton");
	if (strchr(text, '?'))
		return refuse(s, option, text,
			      "conditions of which one is enough ('?') are not supported; of "
			      "those behind a comma all must hold");
	copy = at = strdup(text);
	if (!copy)
		return fl_submit_no_memory();
	while (code == 0 && (word = strsep(&at, ",")))
		code = take_condition(s, option, word);
	free(copy);
	return code;
}
