/* SPDX-License-Identifier: Apache-2.0 */
/*
 * notify - messages to a service manager (sd_notify's protocol): ready, stopping, still alive
 *
 * Without a service manager nothing happens.
 */
#ifndef FL_DAEMON_START_NOTIFY_H
#define FL_DAEMON_START_NOTIFY_H

#include <stdbool.h>
#include <stdint.h>
#include <uv.h>

/* Sends "READY=1" and the like to $NOTIFY_SOCKET. */
void fl_notify(const char *state);
/*
 * A long start must not look like one that hangs: from `begin` until `end` a thread asks for more
 * time every few seconds, for a limited time.
 */
enum { FL_STARTING_SECONDS = 1800 };
struct fl_starting {
	uv_thread_t thread;
	uv_mutex_t lock;
	uv_cond_t ends;
	bool runs, ended;
};
void fl_starting_begin(struct fl_starting *s);
void fl_starting_end(struct fl_starting *s);
/* How often "WATCHDOG=1" is to be sent, in milliseconds; 0: never. */
uint64_t fl_notify_watchdog_ms(void);
/* The listening socket that was handed over; -1: none. */
int fl_notify_socket(void);

#endif
