/* SPDX-License-Identifier: Apache-2.0 */
/*
 * logs: what a job prints, each stream to the one of ours that has its name.  As it was written, but
 * on a terminal only what cannot harm it.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/client/daemon.h"
#include "cli/terminal/terminal.h"
#include "report/out/sanitize.h"

enum { MAX_REFUSAL = 1 << 16 }; /* bytes of what the daemon says when there is no log */

/* Of what the daemon sends of both streams: which one, and how much of it follows. */
enum { HEAD = 8, STREAMS = 2 };

struct printing {
	unsigned status; /* there before the first piece */
	struct printed {
		FILE *file;
		bool terminal;
		struct fl_sanitize sanitize;
	} streams[STREAMS]; /* standard output and standard error */
	unsigned stream;    /* that the next bytes are of */
	bool framed;
	unsigned char head[HEAD];
	size_t n_head, left; /* bytes of the head; of the piece behind it */
	char *refusal;       /* the body of an answer from 300 on */
	size_t len;
	bool out_of_memory, odd; /* odd: the daemon says what it never does */
};

static bool keep_refusal(struct printing *p, const char *bytes, size_t len)
{
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

/* Writes output as it comes; false: its reader is not there any more. */
static bool put(struct printed *to, const char *bytes, size_t len)
{
	if (to->terminal)
		fl_sanitize_put(&to->sanitize, bytes, len);
	else
		fwrite(bytes, 1, len, to->file);
	return fflush(to->file) == 0 && !ferror(to->file);
}

/* A byte of a head. false: that is none. */
static bool take_head(struct printing *p, char byte)
{
	p->head[p->n_head++] = (unsigned char)byte;
	if (p->n_head < HEAD)
		return true;
	p->n_head = 0;
	p->stream = p->head[0] - 1U;
	for (int i = 4; i < HEAD; i++)
		p->left = p->left << 8 | p->head[i];
	p->odd = p->stream >= STREAMS;
	return !p->odd;
}

static bool print(void *user, const char *bytes, size_t len)
{
	struct printing *p = user;

	if (p->status >= 300)
		return keep_refusal(p, bytes, len);
	if (!p->framed)
		return put(&p->streams[p->stream], bytes, len);
	while (len > 0) {
		size_t n = p->left < len ? p->left : len;

		if (n == 0) {
			if (!take_head(p, *bytes))
				return false;
			bytes++;
			len--;
			continue;
		}
		if (!put(&p->streams[p->stream], bytes, n))
			return false;
		p->left -= n;
		bytes += n;
		len -= n;
	}
	return true;
}

static int follow(const struct fl_options *o, struct fl_path *path, bool both, fairlead_error *err)
{
	static const int fds[STREAMS] = { STDOUT_FILENO, STDERR_FILENO };
	struct fl_report report = { 0 };
	struct printing p = { .framed = both };
	struct fl_client *client = NULL;
	int rc = path->failed ? fl_fail_nomem(err) : fl_daemon_open(o, &client, err);

	fl_terminal(&report);
	for (int i = 0; i < STREAMS; i++) {
		struct printed *to = &p.streams[i];

		to->file = i == 0 ? stdout : stderr;
		to->terminal = isatty(fds[i]);
		to->sanitize = (struct fl_sanitize){ .out = to->file,
						     .color = report.color,
						     .returns = true };
	}
	if (rc == 0)
		rc = fl_client_follow(client, path->text, print, &p, &p.status, err);
	for (int i = 0; i < STREAMS; i++)
		if (p.streams[i].terminal)
			fl_sanitize_end(&p.streams[i].sanitize);
	if (rc == 0 && p.out_of_memory)
		rc = fl_fail_nomem(err);
	else if (rc == 0 && p.status >= 300)
		rc = fl_daemon_refused(client, p.status, p.refusal, p.len, err);
	else if (rc == 0 && p.odd)
		rc = fl_fail(err, FAIRLEAD_EIO, "the daemon's answer is not understood");
	free(p.refusal);
	fl_client_free(client);
	return rc;
}

int fl_cmd_logs(const struct fl_options *o)
{
	bool both = o->of_out == o->of_err;
	fairlead_error err = { 0 };
	struct fl_path path;
	uint64_t job;

	if (fl_daemon_one_job(o, o->operands[0], &job))
		return FL_EXIT_USAGE;
	fl_path_start(&path, "/v1/jobs/%" PRIu64 "/log", job);
	if (o->task != UINT32_MAX)
		fl_path_number(&path, "task", o->task);
	fl_path_add(&path, "stream", both ? "both" : o->of_err ? "err" : "out");
	if (both)
		fl_path_number(&path, "framed", 1);
	if (o->attempt)
		fl_path_number(&path, "attempt", o->attempt);
	if (o->tail >= 0)
		fl_path_number(&path, "tail", o->tail);
	if (o->follow)
		fl_path_number(&path, "follow", 1);
	int rc = follow(o, &path, both, &err);
	free(path.text);
	return rc < 0 ? fl_complain(&err) : FL_EXIT_YES;
}
