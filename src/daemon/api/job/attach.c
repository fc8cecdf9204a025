/* SPDX-License-Identifier: Apache-2.0 */
/*
 * attach - the client of an interactive job
 *
 * On this machine the answer is a stream: a line with the state of the job, and one for each change of it,
 * until it has ended.  After the first line the client sends one byte with three descriptors on its
 * connection, the standard files of the job; and again when the job is pending once more.  This process
 * does not read them (machine/attach.h).
 *
 * Over the network descriptors cannot be passed: the connection becomes a stream of frames
 * (record/frame.h) in both directions.  The run gets one end of a pair of sockets instead of the
 * connection; between the other one and the client the bytes are passed on (pump.h).
 *
 * A client that leaves is noticed by its connection.
 */
#include "daemon/api/job/attach.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "base/fd.h"
#include "daemon/api/job/pump.h"
#include "daemon/engine/daemon.h"
#include "daemon/machine/attach.h"
#include "daemon/machine/view.h"
#include "net/stream/upgrade.h"

static const char protocol[] = "fairlead-run";

enum { HELD = 2 /* descriptors of a client elsewhere, beside its connection */ };

struct attached {
	struct fl_api *api;
	struct fl_exchange *x;
	uint64_t job;
	enum fl_job_state told; /* FL_JOB_STATES: none */
	struct fl_follower follower;
	uv_timer_t turn; /* the state is read when the row that changes it is applied whole */

	/* of a client that is elsewhere */
	bool far;
	bool is_client;       /* of a job that is not over */
	int inside, given;    /* of the pair: ours; the run's, until the job is over; -1 */
	struct fl_pump *pump; /* NULL: not begun */
};

static void free_attached(struct attached *a)
{
	fl_pump_free(a->pump);
	fl_fd_close(&a->inside);
	fl_fd_close(&a->given);
	free(a);
}

static void closed(uv_handle_t *handle) { free_attached(handle->data); }

/* The exchange has ended, or will. */
static void leave(struct attached *a, bool leaves)
{
	a->pump = fl_pump_free(a->pump);
	/* Copies of this process may have it, too. */
	if (a->inside >= 0)
		(void)shutdown(a->inside, SHUT_RDWR);
	fl_daemon_unfollow(a->api->daemon, &a->follower);
	if (a->is_client)
		fl_core_detach(a->api->core, a->job, leaves);
	uv_close((uv_handle_t *)&a->turn, closed);
}

static void gone(void *user)
{
	struct attached *a = user;

	leave(a, !a->api->closing);
}

static void tell(struct attached *a, enum fl_job_state state)
{
	char line[64];
	int n = snprintf(line, sizeof line, "{\"state\":\"%s\"}\n", fl_job_state_name(state));

	a->told = state;
	if (a->far)
		fl_pump_tell(a->pump, state);
	else
		/* A client that does not read so few bytes is told the next state, or the end. */
		(void)fl_exchange_write(a->x, line, (size_t)n);
}

/* --- its state --- */

/* The run has begun under an earlier daemon: it listens elsewhere. */
static void find_runner(struct attached *a, const struct fl_live *live)
{
	const struct fl_backend_ops *ops;
	struct fl_host *host = fl_core_host(a->api->core, &ops);
	int inside;

	if (live->state != FL_JOB_RUNS || a->given < 0 || fl_core_has_given(a->api->core, a->job))
		return;
	inside = ops->reach(host, a->job, live->attempt);
	if (inside < 0)
		return;
	if (!fl_pump_turn_to(a->pump, inside)) {
		fl_fd_close(&inside);
		return;
	}
	fl_fd_close(&a->inside);
	a->inside = inside;
}

/* The rest of what it has printed comes before its last state. */
static void finish(struct attached *a, enum fl_job_state state)
{
	a->told = state;
	/* It is not started any more; the runner has it now. */
	if (a->is_client)
		fl_core_detach(a->api->core, a->job, /* leaves= */ false);
	a->is_client = false;
	fl_fd_close(&a->given);
	a->given = -1;
	fl_pump_finish(a->pump, state);
}

static void look(uv_timer_t *turn)
{
	struct attached *a = turn->data;
	const struct fl_live *live = fl_daemon_job(a->api->daemon, a->job);
	bool over = !live || fl_job_is_over(live->state);

	if (a->far) {
		if (!a->pump || (a->told != FL_JOB_STATES && fl_job_is_over(a->told)))
			return;
		if (over) {
			finish(a, live ? live->state : FL_JOB_DONE);
			return;
		}
		find_runner(a, live);
	}
	if (live && live->state != a->told)
		tell(a, live->state);
	if (!over)
		return;
	fl_exchange_end(a->x);
	leave(a, /* leaves= */ false);
}

static void happened(void *user, const struct fl_event_row *row)
{
	struct attached *a = user;

	if (row->job == a->job)
		(void)uv_timer_start(&a->turn, look, 0, /* repeat= */ 0);
}

/* --- a client elsewhere --- */

static void pumped(void *user, bool left)
{
	struct attached *a = user;
	struct fl_exchange *x = a->x;

	leave(a, left);
	fl_exchange_downgrade(x);
}

static void begun(void *user, int fd)
{
	struct attached *a = user;
	const struct fl_pump_ends ends = {
		.x = a->x, .outside = fd, .inside = a->inside, .ended = pumped, .user = a
	};

	a->pump = fl_pump_new(a->api->options.loop, &ends);
	if (a->pump)
		(void)uv_timer_start(&a->turn, look, 0, /* repeat= */ 0);
	else
		pumped(a, /* left= */ true);
}

/*
 * A pair, or the way to a run that goes on, or whose runner still has what it printed.  -1: an error was
 * answered.
 */
static int make_way(const struct fl_call *call, const struct fl_live *live, struct attached *a)
{
	const struct fl_backend_ops *ops;
	struct fl_host *host = fl_core_host(call->api->core, &ops);
	bool began = live->state >= FL_JOB_RUNS;
	int ends[2];

	a->inside = began || live->state == FL_JOB_STARTS ?
			    ops->reach(host, call->job, live->attempt) :
			    -1;
	if (a->inside >= 0)
		return 0;
	if (began && !fl_job_is_over(live->state)) {
		fl_api_fail(call, 409, "the files of this job are those of a client on its machine",
			    NULL);
		return -1;
	}
	if (began)
		return 0;
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, ends) != 0) {
		fl_api_fail(call, 503, "no descriptor is left", "try again in a second");
		return -1;
	}
	a->inside = ends[0];
	a->given = ends[1];
	return 0;
}

/* --- both --- */

/* Also admins have no say here: it would be their files. */
static bool is_owner(const struct fl_call *call, const struct fl_live *live)
{
	const struct fl_principal who = fl_principal_behind(&call->r->who);

	return who.kind == FL_PRINCIPAL_USER && who.uid == live->uid;
}

/* False: it was answered. */
static bool may_attach(const struct fl_call *call, const struct fl_live *live, bool far)
{
	if (call->r->is_far && !far) {
		fl_exchange_header(call->x, "Upgrade", protocol);
		fl_api_fail(call, 426, "descriptors cannot be passed over the network",
			    "ask with the headers Connection: Upgrade, Upgrade: fairlead-run");
		return false;
	}
	if (!is_owner(call, live)) {
		fl_api_fail(call, 403, "only its owner can attach to a job", NULL);
		return false;
	}
	return true;
}

/* What the job has printed is there, though it is over. */
static bool has_rest(const struct attached *a, const struct fl_live *live)
{
	return a->inside >= 0 && fl_job_is_over(live->state);
}

static void begin(const struct fl_call *call, struct attached *a, const struct fl_live *live)
{
	const struct fl_stream_callbacks stream = { .gone = gone, .user = a };
	const struct fl_upgrade_callbacks upgrade = { .begun = begun, .gone = gone, .user = a };

	a->follower = (struct fl_follower){ .event = happened, .user = a };
	(void)uv_timer_init(call->api->options.loop, &a->turn);
	a->turn.data = a;
	fl_daemon_follow(call->api->daemon, &a->follower);
	if (a->far) {
		fl_api_audit(call, NULL, 101);
		fl_exchange_upgrade(call->x, protocol, &upgrade);
		return;
	}
	fl_api_audit(call, NULL, 200);
	fl_exchange_begin(call->x, 200, "application/x-ndjson", &stream);
	tell(a, live->state);
}

/* False: it was answered. */
static bool attach(const struct fl_call *call, const struct fl_live *live, struct attached *a)
{
	struct fl_core *core = call->api->core;
	fairlead_error err = { 0 };
	int socket, rc;

	if (!may_attach(call, live, a->far))
		return false;
	rc = fl_core_check_attach(core, call->job, &err);
	if (a->far && (rc == 0 || fl_job_is_over(live->state)) &&
	    (!fl_exchange_holds(call->x, HELD) || make_way(call, live, a) < 0))
		return false;
	if (has_rest(a, live))
		return true;
	socket = !a->far ? fl_exchange_descriptor(call->x) : a->given >= 0 ? a->given : a->inside;
	if (rc == 0)
		rc = fl_core_attach(core, call->job, socket, &err);
	a->is_client = rc == 0;
	if (rc < 0)
		fl_api_error(call, &err);
	return rc == 0;
}

void fl_api_attach(struct fl_call *call)
{
	const struct fl_live *live = fl_daemon_job(call->api->daemon, call->job);
	struct attached *a = live ? calloc(1, sizeof *a) : NULL;
	fairlead_error err = { 0 };

	if (!a) {
		(void)(live ? fl_fail_nomem(&err) :
			      fl_core_attach(call->api->core, call->job, /* socket= */ -1, &err));
		fl_api_error(call, &err);
		return;
	}
	*a = (struct attached){ .api = call->api,
				.x = call->x,
				.job = call->job,
				.told = FL_JOB_STATES,
				.far = fl_request_upgrades(call->r, protocol),
				.inside = -1,
				.given = -1 };
	if (attach(call, live, a))
		begin(call, a, live);
	else
		free_attached(a);
}
