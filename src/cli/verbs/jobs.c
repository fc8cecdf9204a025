/* SPDX-License-Identifier: Apache-2.0 */
/*
 * jobs, job and queues: what the daemon has, as a table, a page or JSON; and acknowledge
 */
#include <jansson.h>
#include <string.h>

#include "base/nearest.h"
#include "cli/client/daemon.h"
#include "record/job.h"
#include "report/job/answers.h"
#include "report/job/job_report.h"

enum { LIMIT = 1000 };

/* Of jobs that are over the newest are wanted. */
static bool has_over(const char *states)
{
	for (int s = FL_JOB_DONE; states && s < FL_JOB_STATES; s++)
		if (strstr(states, fl_job_state_name((enum fl_job_state)s)))
			return true;
	return false;
}

static int jobs_text(const struct fl_report *r, const json_t *answer, const void *user,
		     fairlead_error *err)
{
	return fl_jobs_text(r, answer, fl_daemon_now(answer), *(const bool *)user, err);
}

/* Names with commas between; the exit code after a complaint, or 0. */
static int check_states(const char *states)
{
	char word[32], text[1600];

	while (true) {
		size_t len = strcspn(states, ",");
		struct fl_nearest near = { .wanted = word };
		int s = 0;

		snprintf(word, sizeof(word), "%.*s", (int)len, states);
		while (s < FL_JOB_STATES &&
		       strcmp(fl_job_state_name((enum fl_job_state)s), word) != 0)
			fl_nearest_offer(&near, fl_job_state_name((enum fl_job_state)s++));
		if (s == FL_JOB_STATES && near.n)
			return fl_usage_error("jobs",
					      "--state: '%s' is not a state; did you mean %s?",
					      word, fl_nearest_text(&near, text, sizeof(text)));
		if (s == FL_JOB_STATES)
			return fl_usage_error("jobs",
					      "--state: '%s' is none of held, depends, waits, "
					      "starts, runs, stops, done, failed and cancelled",
					      word);
		if (states[len] == '\0')
			return 0;
		states += len + 1;
	}
}

int fl_cmd_jobs(const struct fl_options *o)
{
	static const char all[] = "held,depends,waits,starts,runs,stops,done,failed,cancelled";
	const char *states = o->all ? all : o->states;
	bool live = !states;
	struct fl_daemon_question q = { fl_jobs_document.kind, jobs_text, &live, NULL };
	struct fl_path path;

	if (o->all && o->states)
		return fl_usage_error("jobs", "give either --all or --state, not both");
	if (o->states && check_states(o->states))
		return FL_EXIT_USAGE;
	fl_path_start(&path, "/v1/jobs");
	fl_path_add(&path, "state", states);
	fl_path_add(&path, "queue", o->queue);
	fl_path_add(&path, "user", o->user);
	fl_path_number(&path, "limit", o->limit ? o->limit : LIMIT);
	if (has_over(states))
		fl_path_number(&path, "last", 1);
	return fl_daemon_answer(o, &path, &q);
}

static int job_text(const struct fl_report *r, const json_t *answer, const void *user,
		    fairlead_error *err)
{
	(void)user;
	return fl_job_page(r, answer, fl_daemon_now(answer), err);
}

int fl_cmd_job(const struct fl_options *o)
{
	struct fl_daemon_question q = { fl_job_document.kind, job_text, NULL, NULL };
	struct fl_path path;
	uint64_t job;

	if (fl_daemon_one_job(o, o->operands[0], &job))
		return FL_EXIT_USAGE;
	fl_path_start(&path, "/v1/jobs/%llu", (unsigned long long)job);
	return fl_daemon_answer(o, &path, &q);
}

static int queues_text(const struct fl_report *r, const json_t *answer, const void *user,
		       fairlead_error *err)
{
	(void)user;
	return fl_queues_text(r, answer, err);
}

int fl_cmd_queues(const struct fl_options *o)
{
	struct fl_daemon_question q = { fl_queues_document.kind, queues_text, NULL, NULL };
	struct fl_path path;

	fl_path_start(&path, "/v1/queues");
	return fl_daemon_answer(o, &path, &q);
}

static int acknowledge_text(const struct fl_report *r, const json_t *answer, const void *user,
			    fairlead_error *err)
{
	(void)answer;
	(void)user;
	(void)err;
	fputs("acknowledged\n", r->out);
	return 0;
}

int fl_cmd_acknowledge(const struct fl_options *o)
{
	struct fl_daemon_question q = { "Acknowledgement", acknowledge_text, NULL, "POST" };
	struct fl_path path;

	fl_path_start(&path, "/v1/acknowledge");
	return fl_daemon_answer(o, &path, &q);
}
