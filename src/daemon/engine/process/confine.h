/* SPDX-License-Identifier: Apache-2.0 */
/*
 * confine - which calls of the kernel are left to this process (seccomp)
 *
 * All others fail with EPERM, so that a library does without.  Once set it stays, also for copies, and
 * nothing can be added.  On a kernel without seccomp, and in builds with sanitizers, which call what
 * they like, nothing is confined.
 */
#ifndef FL_DAEMON_ENGINE_PROCESS_CONFINE_H
#define FL_DAEMON_ENGINE_PROCESS_CONFINE_H

#include <stdbool.h>

/*
 * A daemon that is not root: files, Unix sockets, threads and copies of itself.  Not: another program, a
 * namespace, another user, tracing, the network.  false: it is not confined.
 */
bool fl_confine_daemon(void);
/*
 * The same for one that asks an API server: the network, too.  @programs: it runs programs for its credentials,
 * which get the same filter and may need any usual call; so all is left to it but what is
 * for an admin of the machine, for looking into other processes, and for making namespaces.
 */
bool fl_confine_watcher(bool programs);
/* A copy that computes: memory, and writing to descriptor 3. */
bool fl_confine_copy(void);

#endif
