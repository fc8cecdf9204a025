/* SPDX-License-Identifier: Apache-2.0 */
#include "kube/wire/lane.h"

#include <stdlib.h>

struct fl_lane {
	uv_loop_t *loop;
	const struct fl_curl *curl;
	CURLM *multi;
	uv_timer_t *timer;      /* freed when it is closed */
	struct socket *sockets; /* those that libcurl waits for */
	fl_lane_ended *ended;
	void *user;
	bool inside;
};

struct socket {
	uv_poll_t poll; /* first */
	curl_socket_t fd;
	struct fl_lane *lane;
	struct socket *next, **here;
};

static void free_handle(uv_handle_t *handle) { free(handle); }

/* --- what libcurl says --- */

static void close_socket(struct socket *s)
{
	if (s->next)
		s->next->here = s->here;
	*s->here = s->next;
	(void)uv_poll_stop(&s->poll);
	uv_close((uv_handle_t *)&s->poll, free_handle);
}

static void act(struct fl_lane *l, curl_socket_t fd, int events)
{
	const CURLMsg *m;
	int running, left;

	l->inside = true;
	(void)l->curl->multi_socket_action(l->multi, fd, events, &running);
	l->inside = false;
	while ((m = l->curl->multi_info_read(l->multi, &left))) {
		CURL *easy = m->easy_handle;
		CURLcode code = m->data.result;

		if (m->msg != CURLMSG_DONE)
			continue;
		(void)l->curl->multi_remove_handle(l->multi, easy);
		l->ended(l->user, easy, code);
	}
}

static void on_poll(uv_poll_t *poll, int status, int events)
{
	struct socket *s = (struct socket *)poll;

	act(s->lane, s->fd,
	    (status < 0 ? CURL_CSELECT_ERR : 0) | (events & UV_READABLE ? CURL_CSELECT_IN : 0) |
		    (events & UV_WRITABLE ? CURL_CSELECT_OUT : 0));
}

static void on_timer(uv_timer_t *timer) { act(timer->data, CURL_SOCKET_TIMEOUT, 0); }

static struct socket *open_socket(struct fl_lane *l, curl_socket_t fd)
{
	struct socket *s = calloc(1, sizeof *s);

	if (!s)
		return NULL;
	if (uv_poll_init(l->loop, &s->poll, fd) < 0) {
		free(s);
		return NULL;
	}
	s->fd = fd;
	s->lane = l;
	s->next = l->sockets;
	s->here = &l->sockets;
	if (s->next)
		s->next->here = &s->next;
	l->sockets = s;
	(void)l->curl->multi_assign(l->multi, fd, s);
	return s;
}

static int on_socket(CURL *easy, curl_socket_t fd, int what, void *user, void *assigned)
{
	struct fl_lane *l = user;
	struct socket *s = assigned;

	(void)easy;
	if (what == CURL_POLL_REMOVE) {
		if (s)
			close_socket(s);
		(void)l->curl->multi_assign(l->multi, fd, NULL);
		return 0;
	}
	if (!s)
		s = open_socket(l, fd);
	if (!s)
		return -1; /* the transfers fail */
	return uv_poll_start(&s->poll,
			     (what & CURL_POLL_IN ? UV_READABLE : 0) |
				     (what & CURL_POLL_OUT ? UV_WRITABLE : 0),
			     on_poll) < 0 ?
		       -1 :
		       0;
}

/*
 * Libcurl does not say the same time twice, so its timer must not end before that: the loop's clock is
 * cut to milliseconds, and what some versions say is.
 */
static int on_time(CURLM *multi, long ms, void *user)
{
	struct fl_lane *l = user;

	(void)multi;
	uv_update_time(l->loop);
	if (ms < 0)
		return uv_timer_stop(l->timer);
	return uv_timer_start(l->timer, on_timer, ms > 0 ? (uint64_t)ms + 2 : 0, /* repeat= */ 0) <
			       0 ?
		       -1 :
		       0;
}

/* --- lanes --- */

enum { KEPT = 64 /* connections without a request */ };

static int make_multi(struct fl_lane *l, fairlead_error *err)
{
	l->multi = l->curl->multi_init();
	if (!l->multi)
		return fl_fail_nomem(err);
	l->curl->multi_setopt(l->multi, CURLMOPT_SOCKETFUNCTION, on_socket);
	l->curl->multi_setopt(l->multi, CURLMOPT_SOCKETDATA, l);
	l->curl->multi_setopt(l->multi, CURLMOPT_TIMERFUNCTION, on_time);
	l->curl->multi_setopt(l->multi, CURLMOPT_TIMERDATA, l);
	l->curl->multi_setopt(l->multi, CURLMOPT_PIPELINING, (long)CURLPIPE_MULTIPLEX);
	/* Left alone it keeps four for each request that goes on at the moment, and writes come in bursts. */
	l->curl->multi_setopt(l->multi, CURLMOPT_MAXCONNECTS, (long)KEPT);
	return 0;
}

static void end_multi(struct fl_lane *l)
{
	if (l->multi)
		(void)l->curl->multi_cleanup(l->multi);
	l->multi = NULL;
	while (l->sockets)
		close_socket(l->sockets);
	(void)uv_timer_stop(l->timer);
}

int fl_lane_new(uv_loop_t *loop, const struct fl_curl *curl, fl_lane_ended *ended, void *user,
		struct fl_lane **ret, fairlead_error *err)
{
	struct fl_lane *l = calloc(1, sizeof *l);
	uv_timer_t *timer = malloc(sizeof *timer);

	if (!l || !timer) {
		free(l);
		free(timer);
		return fl_fail_nomem(err);
	}
	*l = (struct fl_lane){
		.loop = loop, .curl = curl, .timer = timer, .ended = ended, .user = user
	};
	(void)uv_timer_init(loop, timer);
	timer->data = l;
	int rc = make_multi(l, err);
	if (rc < 0)
		fl_lane_free(l);
	else
		*ret = l;
	return rc;
}

struct fl_lane *fl_lane_free(struct fl_lane *l)
{
	if (!l)
		return NULL;
	end_multi(l);
	uv_close((uv_handle_t *)l->timer, free_handle);
	free(l);
	return NULL;
}

bool fl_lane_inside(const struct fl_lane *l) { return l->inside; }

int fl_lane_add(struct fl_lane *l, CURL *easy, fairlead_error *err)
{
	int rc = l->multi ? 0 : make_multi(l, err);

	if (rc == 0 && l->curl->multi_add_handle(l->multi, easy) != CURLM_OK)
		rc = fl_fail_nomem(err);
	return rc;
}

void fl_lane_remove(struct fl_lane *l, CURL *easy)
{
	(void)l->curl->multi_remove_handle(l->multi, easy);
}

int fl_lane_renew(struct fl_lane *l, fairlead_error *err)
{
	end_multi(l);
	return make_multi(l, err);
}
