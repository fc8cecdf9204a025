/* SPDX-License-Identifier: Apache-2.0 */
/*
 * stray - runs that are not in the database, as it was lost, or replaced by an older one
 *
 * All get the order to stop first, then each is waited for, so that many take no longer than one
 * that does not stop.  This is done before any job is started, and blocks the loop.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <time.h>
#include <unistd.h>

#include "backend/local/life.h"
#include "backend/local/life_order.h"
#include "backend/process/process.h"

enum { PATIENCE_MS = 5000, LOOK_MS = 10 };

static enum fl_attempt_state state_of(int fd)
{
	struct fl_attempt_status s;

	return fl_attempt_get_status(fd, &s) == 0 ? (enum fl_attempt_state)s.state :
						    FL_ATTEMPT_DAMAGED;
}

/* Its runner, if there is one, has the lock of its file. */
static bool is_gone(int fd)
{
	if (flock(fd, LOCK_EX | LOCK_NB) != 0)
		return false;
	flock(fd, LOCK_UN);
	return true;
}

static void wait_until_gone(int fd, fl_time by)
{
	while (!is_gone(fd) && fl_boot_clock() < by)
		nanosleep(&(struct timespec){ .tv_nsec = LOOK_MS * 1000000L }, NULL);
}

static void tell_to_go(struct fl_local_run *r, int fd, struct fl_stray *stray)
{
	enum fl_attempt_state state = state_of(fd);

	stray->ran = state != FL_ATTEMPT_ENDED;
	if (stray->ran && state != FL_ATTEMPT_DAMAGED)
		(void)fl_life_order(r, FL_GO_DRAIN, fl_boot_clock(), NULL);
}

static void end_one(struct fl_local_run *r, int fd, fl_time by, struct fl_stray *stray)
{
	char kept[FL_RUN_PLACE];
	struct fl_spawned run = fl_life_spawned(r);
	bool found;

	if (stray->ran && state_of(fd) != FL_ATTEMPT_DAMAGED)
		wait_until_gone(fd, by);
	/* Processes of a run without token cannot be found: only its runner can. */
	if (stray->ran)
		stray->remains = *r->token ? !fl_spawner_end(r->h->spawner, &run, &found) :
					     !is_gone(fd);
	if (fl_folder_set_aside(&r->h->folder, r->job, r->attempt, kept) == 0)
		memcpy(stray->kept, kept, sizeof kept);
}

void fl_strays_end(struct fl_local_run *const *runs, struct fl_stray *strays, uint32_t n)
{
	int *files = malloc((n + 1) * sizeof *files);
	fl_time by = fl_sat_add(fl_boot_clock(), PATIENCE_MS * INT64_C(1000000));

	for (uint32_t i = 0; files && i < n; i++) {
		files[i] = runs[i] ? fl_life_open(runs[i], O_RDWR) : -1;
		if (files[i] >= 0)
			tell_to_go(runs[i], files[i], &strays[i]);
	}
	for (uint32_t i = 0; files && i < n; i++) {
		if (runs[i])
			end_one(runs[i], files[i], by, &strays[i]);
		if (files[i] >= 0)
			close(files[i]);
	}
	free(files);
}
