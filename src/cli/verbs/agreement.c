/* SPDX-License-Identifier: Apache-2.0 */
/* agreement: how often the scheduler of a cluster decided as the engine would have */
#include "report/job/agreement.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cli/client/daemon.h"
#include "cli/cluster/verify.h"

static int agreement_text(const struct fl_report *r, const struct json_t *answer, const void *user,
			  fairlead_error *err)
{
	(void)user;
	return fl_agreement_text(r, answer, err);
}

/* Writes the state just before a window to standard output. */
static int write_state(const struct fl_options *o, const char *window)
{
	struct fl_client *client = NULL;
	struct fl_answer answer = { 0 };
	fairlead_error err = { 0 };
	struct fl_path path;
	int r;

	if (strspn(window, "0123456789") != strlen(window))
		return fl_usage_error(o->verb, "'%s' is not the number of a window", window);
	if (isatty(STDOUT_FILENO))
		return fl_usage_error(o->verb, "a state is no text: write it to a file, >FILE");
	fl_path_start(&path, "/v1/agreement/%s/state", window);
	r = fl_daemon_open(o, &client, &err);
	if (r == 0)
		r = fl_daemon_fetch(client, "GET", &path, /* body= */ NULL, &answer, &err);
	if (r == 0 &&
	    (fwrite(answer.body, 1, answer.len, stdout) != answer.len || fflush(stdout) != 0))
		r = fl_fail(&err, FAIRLEAD_EIO, "the state cannot be written");
	fl_answer_done(&answer);
	fl_client_free(client);
	return r < 0 ? fl_complain(&err) : FL_EXIT_YES;
}

int fl_cmd_agreement(const struct fl_options *o)
{
	struct fl_daemon_question q = { fl_agreement_document.kind, agreement_text, NULL, NULL,
					NULL };
	struct fl_path path;

	if (!o->verify && (o->context || o->kubeconfig))
		return fl_usage_error(o->verb, "--%s is for --verify",
				      o->context ? "context" : "kubeconfig");
	if (o->verify && (o->n_operands || *o->since || *o->up_to))
		return fl_usage_error(o->verb,
				      "--verify compares objects: it takes no window and no time");
	if (o->verify)
		return fl_verify(o);
	if (o->n_operands)
		return write_state(o, o->operands[0]);
	fl_path_start(&path, "/v1/agreement");
	fl_path_add(&path, "from", *o->since ? o->since : NULL);
	fl_path_add(&path, "to", *o->up_to ? o->up_to : NULL);
	return fl_daemon_answer(o, &path, &q);
}
