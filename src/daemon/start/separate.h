/* SPDX-License-Identifier: Apache-2.0 */
/*
 * separate - a daemon that root has started gives up root, before it reads anything
 *
 * In this order: a copy of the process becomes the account, reads the configuration and says which
 * folder and socket are meant; root makes both for the account, starts fairlead-spawn, and becomes the
 * account for good.  So not even the configuration is read with the rights of root.
 */
#ifndef FL_DAEMON_START_SEPARATE_H
#define FL_DAEMON_START_SEPARATE_H

#include "backend/spawn/table.h"
#include "daemon/config/listen.h"
#include "daemon/start/account.h"

struct fl_places {
	char state[4096], socket[4096]; /* absolute */
	unsigned socket_mode;
	struct fl_listen_places listens;
};

struct fl_separation {
	const char *account;         /* its name; NULL: the usual one */
	const char *program;         /* path of fairlead-spawn; NULL: it runs no jobs */
	struct fl_spawn_table table; /* its account is filled in here */
	bool listens;                /* a socket was handed over: none is made */
	/*
	 * Called in the copy. 0: @ret is filled in; else the exit code of the daemon, whose reason it has
	 * told.
	 */
	int (*look)(void *user, struct fl_places *ret);
	void *user;
};

struct fl_separated {
	struct fl_account account;
	int spawner;                   /* for fl_host_options */
	int end;                       /* the same, to be kept for fl_separate_end */
	pid_t pid;                     /* of it; 0: there is none */
	int socket;                    /* it listens; -1: one was handed over */
	struct fl_listening listening; /* on TCP: ports that only root may take are possible */
	bool confined;                 /* by seccomp; one that runs no jobs is later (watching.h) */
};

/*
 * fairlead-spawn ends, and the socket that root has made is removed.  Without it the server removes it where the
 * folder is the account's; else the next start replaces it.
 */
void fl_separate_end(const struct fl_separated *s);

/* 0; an exit code that `look` gave; or an error. */
int fl_separate(const struct fl_separation *s, struct fl_separated *ret, fairlead_error *err);

#endif
