/* SPDX-License-Identifier: Apache-2.0 */
#include "report/job/failed.h"

#include <signal.h>
#include <string.h>

#include "record/job.h"

enum { ANY = -1, AT_LEAST = 1 << 16 /* and a status: that or more */ };

/* From the way in which it ended to an advice; the first row that fits counts. */
static const struct advice {
	enum fl_outcome_kind kind;
	int status;
	const char *words; /* of the reason; "": any */
	const char *text; /* %M: the memory that it used; %S: the signal that the status tells of */
} advices[] = {
	{ FL_RUN_SIGNALLED, ANY, "out of memory",
	  "ask for more memory: it used %M, which is all that it asked for" },
	{ FL_RUN_EXITED, ANY, "out of memory",
	  "ask for more memory: it used %M, which is all that it asked for" },
	{ FL_RUN_SIGNALLED, ANY, "time limit",
	  "give it more time with --time, or let it save its state at the signal and go on from there" },
	{ FL_RUN_EXITED, ANY, "time limit",
	  "give it more time with --time, or let it save its state at the signal and go on from there" },
	{ FL_RUN_SIGNALLED, SIGKILL, "",
	  "killed by a person, or by the kernel as the machine ran out of memory; it used %M" },
	{ FL_RUN_SIGNALLED, SIGSEGV, "",
	  "the program used memory that it does not have, which is a mistake in it" },
	{ FL_RUN_SIGNALLED, SIGBUS, "",
	  "the program used memory that is not there: a mistake in it, or a full /dev/shm" },
	{ FL_RUN_SIGNALLED, SIGABRT, "",
	  "the program gave up by itself, and mostly says why on standard error" },
	{ FL_RUN_SIGNALLED, SIGILL, "", "the program was built for another processor" },
	{ FL_RUN_SIGNALLED, SIGXFSZ, "", "a file became larger than its limit (ulimit -f)" },
	{ FL_RUN_EXITED, 127, "",
	  "status 127 is that of a shell that did not find a command: is it spelled right, and in the "
	  "PATH of the job (--env PATH)?" },
	{ FL_RUN_EXITED, 126, "",
	  "status 126 is that of a shell that may not run a command: chmod +x, and does its first line "
	  "name a program that is there?" },
	{ FL_RUN_EXITED, 128 + SIGKILL, "",
	  "status 137 is that of a shell whose program was killed by signal 9, mostly as there was no "
	  "memory left; it used %M" },
	{ FL_RUN_EXITED, 129 + AT_LEAST, "",
	  "a status above 128 is that of a shell whose program was ended by signal %S" },
	{ FL_RUN_IMPOSSIBLE, ANY, "cannot go to the directory",
	  "make that folder, let the job enter it, or name another one with --dir" },
	{ FL_RUN_IMPOSSIBLE, ANY, "cannot run '",
	  "is the command spelled right, in the PATH of the job (--env PATH), and may it be run?" },
	{ FL_RUN_IMPOSSIBLE, ANY, "cannot write output",
	  "name another file with --output, or leave it out: the daemon keeps the output then" },
	{ FL_RUN_IMPOSSIBLE, ANY, "cannot run jobs of user",
	  "ask an admin: only a daemon that runs as root can run jobs of other users" },
	{ FL_RUN_LOST, ANY, "",
	  "what stood beside the job was ended too often; its events say when: fairlead events --job %J" },
	{ FL_RUN_NOT_STARTED, ANY, "",
	  "it could not be started too often; its events say when: fairlead events --job %J" },
};

static bool has_status(int want, int64_t is)
{
	return want == ANY || is == want || (want >= AT_LEAST && is >= want - AT_LEAST);
}

static const struct advice *advice_for(const json_t *job)
{
	const json_t *ended = json_object_get(job, "exit");
	const char *kind = fl_json_word(ended, "kind"), *reason = fl_json_word(job, "reason");

	for (size_t i = 0; i < sizeof advices / sizeof *advices; i++)
		if (strcmp(fl_outcome_name(advices[i].kind), kind) == 0 &&
		    has_status(advices[i].status, fl_json_whole(ended, "status")) &&
		    strstr(reason, advices[i].words))
			return &advices[i];
	return NULL;
}

static void put_memory(const json_t *job, char ret[64])
{
	double bytes = json_number_value(json_object_get(job, "peakMemoryBytes"));

	if (bytes > 0) {
		fl_report_bytes(bytes, 0, ret);
		return;
	}
	strcpy(ret, "an unknown amount");
}

/* "": nothing better than to look at its output */
static const char *advice_text(const json_t *job, char buffer[FL_JOB_WORDS])
{
	const struct advice *a = advice_for(job);
	int64_t status = fl_json_whole(json_object_get(job, "exit"), "status");
	size_t n = 0;
	char word[64];

	buffer[0] = '\0';
	for (const char *at = a ? a->text : ""; *at && n + sizeof word < FL_JOB_WORDS; at++) {
		if (*at != '%') {
			buffer[n++] = *at;
			continue;
		}
		at++;
		if (*at == 'M')
			put_memory(job, word);
		else if (*at == 'S')
			snprintf(word, sizeof word, "%d", (int)(status - 128));
		else
			snprintf(word, sizeof word, "%lld", (long long)fl_json_whole(job, "id"));
		n += (size_t)snprintf(buffer + n, sizeof word, "%s", word);
	}
	buffer[n] = '\0';
	return buffer;
}

/* Where the last @most lines of @text begin, which has @len bytes. */
static const char *last_lines(const char *text, size_t len, unsigned most)
{
	const char *at = text + len;

	if (at > text && at[-1] == '\n')
		at--;
	while (at > text) {
		if (at[-1] == '\n' && --most == 0)
			break;
		at--;
	}
	return at;
}

static void say_lines(const struct fl_report *r, const struct fl_job_tail *tail)
{
	const char *end = tail->text + tail->len;

	for (const char *at = last_lines(tail->text, tail->len, FL_JOB_LAST_LINES); at < end;) {
		const char *line_end = memchr(at, '\n', (size_t)(end - at));
		size_t len = (size_t)((line_end ? line_end : end) - at);

		fputs("  ", r->out);
		fl_report_put_clean(r->out, at, len);
		putc('\n', r->out);
		at += len + 1;
	}
}

void fl_job_failed_text(const struct fl_report *r, const json_t *job,
			const struct fl_job_tail *tail)
{
	long long id = (long long)fl_json_whole(job, "id");
	const char *output = fl_json_word(job, "output");
	char text[FL_JOB_WORDS];
	bool has = tail && tail->len > 0;

	putc('\n', r->out);
	if (has && tail->of_task)
		fl_report_say(r, FL_STYLE_BOLD, 0, "The last lines of standard error of task %u",
			      tail->task);
	else if (has)
		fl_report_say(r, FL_STYLE_BOLD, 0, "The last lines of standard error");
	if (has) {
		say_lines(r, tail);
		putc('\n', r->out);
	}
	if (*advice_text(job, text))
		fl_report_say(r, FL_STYLE_PLAIN, 0, "What to try: %s%s", text,
			      text[strlen(text) - 1] == '?' ? "" : ".");
	if (*output)
		fl_report_say(r, FL_STYLE_DIM, 0, "Its output is in %s.", output);
	else if (tail)
		fl_report_say(r, FL_STYLE_DIM, 0, "'fairlead logs %lld' shows its output.", id);
}
