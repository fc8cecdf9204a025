/* SPDX-License-Identifier: Apache-2.0 */
/*
 * notify - what a service manager is told (sd_notify's protocol): ready, stopping, still alive
 *
 * Where there is none to tell, nothing happens.
 */
#ifndef FL_DAEMON_NOTIFY_H
#define FL_DAEMON_NOTIFY_H

#include <stdint.h>

/* "READY=1" and such, to $NOTIFY_SOCKET. */
void fl_notify(const char *state);
/* How often it wants to hear "WATCHDOG=1", in milliseconds; 0: never. */
uint64_t fl_notify_watchdog_ms(void);
/* The listening socket that was handed over; -1: none. */
int fl_notify_socket(void);

#endif
