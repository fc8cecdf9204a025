/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/client/attach.h"

#include <errno.h>
#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

/* HTTP 1.0: an answer without length comes as it is, up to the end of the connection. */
static int ask(const struct fl_attach *a, uint64_t job)
{
	char text[128];
	int n = snprintf(text, sizeof(text),
			 "POST /v1/jobs/%" PRIu64 "/attach HTTP/1.0\r\nContent-Length: 0\r\n\r\n",
			 job);

	return send(a->socket, text, (size_t)n, MSG_NOSIGNAL) == n ? 0 : -1;
}

/* --- over the network --- */

static int open_far(struct fl_attach *a, uint64_t job, fairlead_error *err)
{
	struct fl_answer refusal;
	char path[64];
	int rc;

	snprintf(path, sizeof(path), "/v1/jobs/%" PRIu64 "/attach", job);
	rc = fl_far_open(a->far, a->client, path, &refusal, err);
	if (rc == 0 && !a->far->stream) {
		a->status = refusal.status;
		rc = fl_daemon_refused(a->client, refusal.status, refusal.body, refusal.len, err);
		fl_answer_done(&refusal);
	}
	if (rc == 0)
		a->socket = fl_client_stream_descriptor(a->far->stream);
	return rc;
}

static int hear_far(struct fl_attach *a)
{
	if (fl_far_hear(a->far)) {
		a->state = a->far->state;
		return FL_HEARD_STATE;
	}
	return a->far->stream ? FL_HEARD_NOTHING : FL_HEARD_END;
}

/* --- on this machine --- */

int fl_attach_open(struct fl_attach *a, struct fl_client *c, uint64_t job, fairlead_error *err)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	const char *path = fl_client_place(c);

	*a = (struct fl_attach){ .client = c, .far = a->far, .socket = -1, .state = FL_JOB_STATES };
	if (a->far)
		return open_far(a, job, err);
	snprintf(address.sun_path, sizeof(address.sun_path), "%s", path);
	a->socket = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (a->socket >= 0 &&
	    connect(a->socket, (const struct sockaddr *)&address, sizeof(address)) == 0 &&
	    ask(a, job) == 0)
		return 0;
	int why = errno;
	fl_attach_close(a);
	fl_fail(err, FAIRLEAD_EIO, "cannot connect to the daemon: %s", strerror(why));
	return fl_fail_in(err, "%s", path);
}

void fl_attach_close(struct fl_attach *a)
{
	if (a->far)
		fl_far_close(a->far);
	else if (a->socket >= 0)
		close(a->socket);
	a->socket = -1;
}

/* --- what the daemon says --- */

/* The head of the answer, if it is whole. */
static void take_head(struct fl_attach *a)
{
	char *end = strstr(a->text, "\r\n\r\n");

	if (!end)
		return;
	if (sscanf(a->text, "HTTP/%*u.%*u %u", &a->status) != 1)
		a->status = 0;
	end += 4;
	a->len -= (size_t)(end - a->text);
	memmove(a->text, end, a->len + 1);
	a->has_head = true;
}

enum fl_job_state fl_attach_state(const char *line, size_t len)
{
	json_t *json = json_loadb(line, len, 0, NULL);
	const char *name = json_string_value(json_object_get(json, "state"));
	int state = 0;

	while (name && state < FL_JOB_STATES &&
	       strcmp(name, fl_job_state_name((enum fl_job_state)state)) != 0)
		state++;
	json_decref(json);
	return name ? (enum fl_job_state)state : FL_JOB_STATES;
}

/* A whole line, if there is one. */
static bool take_line(struct fl_attach *a)
{
	const char *end = memchr(a->text, '\n', a->len);
	size_t n = end ? (size_t)(end - a->text) : 0;

	if (!end)
		return false;
	enum fl_job_state state = fl_attach_state(a->text, n);
	if (state != FL_JOB_STATES)
		a->state = state;
	a->len -= n + 1;
	memmove(a->text, end + 1, a->len + 1);
	return true;
}

static int end(const struct fl_attach *a, fairlead_error *err)
{
	if (a->has_head && a->status != 200)
		return fl_daemon_refused(a->client, a->status, a->text, a->len, err);
	return FL_HEARD_END;
}

int fl_attach_hear(struct fl_attach *a, fairlead_error *err)
{
	if (a->far)
		return hear_far(a);
	for (;;) {
		if (!a->has_head)
			take_head(a);
		if (a->has_head && a->status == 200 && take_line(a))
			return FL_HEARD_STATE;
		size_t room = sizeof(a->text) - 1 - a->len;
		ssize_t n = room > 0 ? recv(a->socket, a->text + a->len, room, MSG_DONTWAIT) : 0;
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK))
			return FL_HEARD_NOTHING;
		if (n <= 0)
			return end(a, err);
		a->len += (size_t)n;
		a->text[a->len] = '\0';
	}
}

/* --- what it gets --- */

int fl_attach_send(const struct fl_attach *a, const int files[3])
{
	char byte = 0;
	struct iovec bytes = { &byte, 1 };
	union {
		char room[CMSG_SPACE(3 * sizeof(int))];
		struct cmsghdr head;
	} control = { .head = { .cmsg_len = CMSG_LEN(3 * sizeof(int)),
				.cmsg_level = SOL_SOCKET,
				.cmsg_type = SCM_RIGHTS } };
	struct msghdr m = { .msg_iov = &bytes,
			    .msg_iovlen = 1,
			    .msg_control = &control,
			    .msg_controllen = sizeof(control.room) };

	memcpy(CMSG_DATA(&control.head), files, 3 * sizeof(int));
	return sendmsg(a->socket, &m, MSG_NOSIGNAL | MSG_DONTWAIT) == 1 ? 0 : -1;
}
