/* SPDX-License-Identifier: Apache-2.0 */
/*
 * logs: what a job prints.  As it was written, but on a terminal only what cannot harm it.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/client/daemon.h"
#include "cli/terminal/terminal.h"
#include "report/out/sanitize.h"

enum { MAX_REFUSAL = 1 << 16 }; /* bytes of what the daemon says when there is no log */

struct printing {
	unsigned status; /* there before the first piece */
	bool terminal;
	struct fl_sanitize sanitize;
	char *refusal; /* the body of an answer from 400 on */
	size_t len;
	bool out_of_memory;
};

static bool print(void *user, const char *bytes, size_t len)
{
	struct printing *p = user;

	if (p->status >= 400) {
		if (p->len + len > MAX_REFUSAL)
			return false;
		char *longer = realloc(p->refusal, p->len + len + 1);
		p->out_of_memory = !longer;
		if (!longer)
			return false;
		memcpy(longer + p->len, bytes, len);
		p->refusal = longer;
		p->len += len;
		return true;
	}
	if (p->terminal)
		fl_sanitize_put(&p->sanitize, bytes, len);
	else
		fwrite(bytes, 1, len, stdout);
	/* Writes output as it comes; after standard output is closed nothing is written any more. */
	return fflush(stdout) == 0 && !ferror(stdout);
}

static int follow(const struct fl_options *o, struct fl_path *path, fairlead_error *err)
{
	struct fl_report report = { 0 };
	struct printing p = { .terminal = isatty(STDOUT_FILENO) };
	struct fl_client *client = NULL;
	int rc = path->failed ? fl_fail_nomem(err) : fl_daemon_open(o, &client, err);

	fl_terminal(&report);
	p.sanitize = (struct fl_sanitize){ .out = stdout, .color = report.color, .returns = true };
	if (rc == 0)
		rc = fl_client_follow(client, path->text, print, &p, &p.status, err);
	if (p.terminal)
		fl_sanitize_end(&p.sanitize);
	if (rc == 0 && p.out_of_memory)
		rc = fl_fail_nomem(err);
	else if (rc == 0 && p.status >= 400)
		rc = fl_daemon_refused(p.status, p.refusal, p.len, err);
	free(p.refusal);
	fl_client_free(client);
	return rc;
}

int fl_cmd_logs(const struct fl_options *o)
{
	fairlead_error err = { 0 };
	struct fl_path path;
	uint64_t job;

	if (fl_daemon_one_job(o, o->operands[0], &job))
		return FL_EXIT_USAGE;
	fl_path_start(&path, "/v1/jobs/%" PRIu64 "/log", job);
	if (o->task != UINT32_MAX)
		fl_path_number(&path, "task", o->task);
	fl_path_add(&path, "stream", o->of_err ? "err" : "out");
	if (o->attempt)
		fl_path_number(&path, "attempt", o->attempt);
	if (o->tail >= 0)
		fl_path_number(&path, "tail", o->tail);
	if (o->follow)
		fl_path_number(&path, "follow", 1);
	int rc = follow(o, &path, &err);
	free(path.text);
	return rc < 0 ? fl_complain(&err) : FL_EXIT_YES;
}
