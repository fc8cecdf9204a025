/* SPDX-License-Identifier: Apache-2.0 */
/*
 * lane - transfers of libcurl in a loop: one uv_poll a socket, one timer; private to src/kube
 *
 * Transfers share the connections of their lane and of no other.  Watches share one where the server has HTTP/2; what is
 * answered and over has HTTP/1.1, and a connection for each that goes on at the same time: some versions of libcurl
 * (it seems that 7.88 is one) may leave the last bytes of a stream unread, until another moves, when several share a connection.
 *
 * Transfers are never paused, since with HTTP/2 that makes some versions of libcurl stall (7.84 to 8.16, in
 * different ways): a callback takes all bytes or ends the transfer.  For the same reason a handle is used for
 * one transfer.
 */
#ifndef FL_KUBE_WIRE_LANE_H
#define FL_KUBE_WIRE_LANE_H

#include <stdbool.h>
#include <stdint.h>
#include <uv.h>

#include "net/loaded/curl.h"

struct fl_lane;

/* A transfer has ended and is no longer in the lane. Never called from add or remove. */
typedef void fl_lane_ended(void *user, CURL *easy, CURLcode code);

/* @curl outlives it. */
int fl_lane_new(uv_loop_t *loop, const struct fl_curl *curl, fl_lane_ended *ended, void *user,
		struct fl_lane **ret, fairlead_error *err);
/* After its transfers were removed; not from a callback of libcurl. Closes its connections. */
struct fl_lane *fl_lane_free(struct fl_lane *l);

/* A callback of libcurl is being called: nothing may be added or removed. */
bool fl_lane_inside(const struct fl_lane *l);
int fl_lane_add(struct fl_lane *l, CURL *easy, fairlead_error *err);
void fl_lane_remove(struct fl_lane *l, CURL *easy);
/* Closes all connections, so that the next transfer makes a new one; without transfers. */
int fl_lane_renew(struct fl_lane *l, fairlead_error *err);

#endif
