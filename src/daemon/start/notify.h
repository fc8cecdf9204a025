/* SPDX-License-Identifier: Apache-2.0 */
/*
 * notify - what a service manager is told (sd_notify's protocol): ready, stopping, still alive
 *
 * Where there is none to tell, nothing happens.
 */
#ifndef FL_DAEMON_START_NOTIFY_H
#define FL_DAEMON_START_NOTIFY_H

#include <stdbool.h>
#include <stdint.h>
#include <uv.h>

/* "READY=1" and such, to $NOTIFY_SOCKET. */
void fl_notify(const char *state);
/*
 * A start that takes long is no start that hangs: from `begin` on it is said every few seconds, by a
 * thread, for so many seconds at most, until `end`.
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
/* How often it wants to hear "WATCHDOG=1", in milliseconds; 0: never. */
uint64_t fl_notify_watchdog_ms(void);
/* The listening socket that was handed over; -1: none. */
int fl_notify_socket(void);

#endif
