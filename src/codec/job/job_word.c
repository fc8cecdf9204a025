/* SPDX-License-Identifier: Apache-2.0 */
#include "codec/job/job_word.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/nearest.h"
#include "codec/job/job_json.h"

/* --- jobs --- */

/* The number that @text begins with, and *ret_end behind it; 0: none. */
static uint64_t number(const char *text, const char **ret_end)
{
	size_t digits = strspn(text, "0123456789");

	*ret_end = text + digits;
	return digits > 0 && digits <= 18 ? strtoull(text, NULL, 10) : 0;
}

int fl_job_range_next(const char **at, struct fl_job_range *ret, fairlead_error *err)
{
	const char *text = *at, *end;
	int len = (int)strcspn(text, ",");
	struct fl_job_range r = { .first = number(text, &end) };

	if (!*text)
		return 0;
	r.last = r.first;
	if (*end == '-') {
		r.last = number(end + 1, &end);
	} else if (strncmp(end, "[]", 2) == 0) {
		r.array = true;
		end += 2;
	}
	if (r.first == 0 || r.last < r.first || end != text + len || (text[len] && !text[len + 1]))
		return fl_fail(err, FAIRLEAD_EINPUT,
			       "'%.*s' is not a job: 17, some: 3,5,10-20, or an array: 17[]",
			       len < 60 ? len : 60, text);
	if (r.last - r.first >= FL_JOB_ARRAY)
		return fl_fail(err, FAIRLEAD_EINPUT, "'%.*s' are more than %d jobs", len, text,
			       FL_JOB_ARRAY);
	*ret = r;
	*at = text + len + (text[len] == ',');
	return 1;
}

/* --- states --- */

enum {
	PENDING = 1 << FL_JOB_HELD | 1 << FL_JOB_DEPENDS | 1 << FL_JOB_WAITS,
	RUNNING = 1 << FL_JOB_STARTS | 1 << FL_JOB_RUNS | 1 << FL_JOB_STOPS,
};
static const struct {
	const char *word;
	uint32_t states;
} slurm[] = {
	{ "PENDING", PENDING },
	{ "PD", PENDING },
	{ "RUNNING", RUNNING },
	{ "R", RUNNING },
};

static uint32_t states_of(const char *word)
{
	for (int s = 0; s < FL_JOB_STATES; s++)
		if (strcmp(fl_job_state_name((enum fl_job_state)s), word) == 0)
			return 1U << s;
	for (size_t i = 0; i < sizeof slurm / sizeof *slurm; i++)
		if (strcasecmp(slurm[i].word, word) == 0)
			return slurm[i].states;
	return 0;
}

static int fail_state(const char *word, fairlead_error *err)
{
	struct fl_nearest near = { .wanted = word };
	char text[400];

	fl_fail(err, FAIRLEAD_EINPUT, "there is no state '%.30s'", word);
	for (int s = 0; s < FL_JOB_STATES; s++)
		fl_nearest_offer(&near, fl_job_state_name((enum fl_job_state)s));
	if (near.n)
		return fl_fail_hint(err, "did you mean %s?",
				    fl_nearest_text(&near, text, sizeof text));
	return fl_fail_hint(err, "the states are held, depends, waits, starts, runs, stops, done, "
				 "failed and cancelled; PENDING and RUNNING are some of these");
}

int fl_job_states_read(const char *text, uint32_t *ret, fairlead_error *err)
{
	uint32_t all = 0;

	for (size_t len;; text += len + 1) {
		char word[32];
		uint32_t states;

		len = strcspn(text, ",");
		(void)snprintf(word, sizeof word, "%.*s", (int)len, text);
		states = len < sizeof word ? states_of(word) : 0;
		if (!states)
			return fail_state(word, err);
		all |= states;
		if (!text[len])
			break;
	}
	*ret = all;
	return 0;
}

/* --- signals --- */

int fl_job_signal_read(const char *text, int *ret, fairlead_error *err)
{
	const char *name = strncmp(text, "SIG", 3) == 0 ? text + 3 : text;
	const char *end;
	int found = strcmp(name, "STOP") == 0 ? SIGSTOP :
		    strcmp(name, "CONT") == 0 ? SIGCONT :
						fl_job_signal(text);
	uint64_t n = number(text, &end);

	if (!found && n && !*end && n < 64 &&
	    (fl_job_signal_name((int)n) || n == SIGSTOP || n == SIGCONT))
		found = (int)n;
	if (!found)
		return fl_fail(
			err, FAIRLEAD_EINPUT,
			"'%.30s' is none of HUP, INT, KILL, QUIT, TERM, USR1, USR2, STOP and "
			"CONT",
			text);
	*ret = found;
	return 0;
}
