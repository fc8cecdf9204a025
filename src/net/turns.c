/* SPDX-License-Identifier: Apache-2.0 */
#include "net/turns.h"

#include "base/error.h"
#include "net/server_state.h"

enum { TURNS = 4, HANDSHAKE_MS = 5 };

static void again(uv_timer_t *timer) { fl_net_turns_take(timer->data); }

static void soon(uv_idle_t *idle) { fl_net_turns_take(idle->data); }

/* Other handles of the loop get their turn in between: a timer of 0 would not let them. */
void fl_net_turns_take(struct fl_net_turns *t)
{
	MHD_UNSIGNED_LONG_LONG wait = 0;
	bool waits = true;

	for (int i = 0; i < (t->handshakes ? 1 : TURNS) && waits && wait == 0; i++) {
		MHD_run(t->mhd);
		waits = MHD_get_timeout(t->mhd, &wait) == MHD_YES;
	}
	if (waits && wait == 0 && t->handshakes)
		wait = HANDSHAKE_MS;
	uv_idle_stop(&t->soon);
	uv_timer_stop(&t->again);
	if (waits && wait == 0)
		uv_idle_start(&t->soon, soon);
	else if (waits)
		uv_timer_start(&t->again, again, wait, 0);
}

static void work(uv_poll_t *poll, int status, int events)
{
	(void)status;
	(void)events;
	fl_net_turns_take(poll->data);
}

void fl_net_turns_wake(struct fl_net_turns *t)
{
	if (t->mhd)
		uv_idle_start(&t->soon, soon);
}

int fl_net_turns_begin(struct fl_net_turns *t, struct fl_server *s, struct MHD_Daemon *mhd)
{
	const union MHD_DaemonInfo *info =
		mhd ? MHD_get_daemon_info(mhd, MHD_DAEMON_INFO_EPOLL_FD) : NULL;

	if (!info || uv_poll_init(s->options.loop, &t->work, info->epoll_fd) != 0) {
		if (mhd)
			MHD_stop_daemon(mhd);
		return FAIRLEAD_EIO;
	}
	t->mhd = mhd;
	t->server = s;
	uv_timer_init(s->options.loop, &t->again);
	uv_idle_init(s->options.loop, &t->soon);
	t->work.data = t->soon.data = t->again.data = t;
	s->n_handles += FL_NET_TURNS_HANDLES;
	uv_poll_start(&t->work, UV_READABLE, work);
	return 0;
}

static void handle_closed(uv_handle_t *handle)
{
	struct fl_net_turns *t = handle->data;

	handle->data = t->server;
	t->closed(handle);
}

void fl_net_turns_close(struct fl_net_turns *t, uv_close_cb closed)
{
	if (!t->mhd)
		return;
	t->closed = closed;
	uv_close((uv_handle_t *)&t->work, handle_closed);
	uv_close((uv_handle_t *)&t->soon, handle_closed);
	uv_close((uv_handle_t *)&t->again, handle_closed);
}
