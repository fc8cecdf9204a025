/* SPDX-License-Identifier: Apache-2.0 */
/*
 * folder - where runs are kept: STATE/runs/JOB/ATTEMPT, STATE/ended/JOB/ATTEMPT once forgotten, and
 * STATE/stray/JOB.ATTEMPT when they are none of ours
 *
 * Paths are made of numbers only.  Each folder has the file of the run (attempt.h) and, as far as
 * there is any, the output of its tasks: "out.0", "err.0" and so on.  "runs" is read whole at
 * every start of the daemon, so what is only kept for its output is moved out of it.
 */
#ifndef FL_BACKEND_LOCAL_FOLDER_H
#define FL_BACKEND_LOCAL_FOLDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "backend/backend.h"

struct fl_folder {
	char path[4096]; /* STATE */
	int runs, ended; /* open */
};

int fl_folder_open(struct fl_folder *f, const char *state, fairlead_error *err);
void fl_folder_close(struct fl_folder *f);

/*
 * Make the folder of a run with its file, all of it on disk when this returns 0.  1: somebody has
 * made it already.  FAIRLEAD_EIO: it is not there.  May be called on any thread.
 */
int fl_folder_make(const struct fl_folder *f, uint64_t job, uint32_t attempt, const void *bytes,
		   size_t n, fairlead_error *err);
/* Open the folder of a run, wherever it is; -1 with errno. EPERM: somebody else could change it. */
int fl_folder_of(const struct fl_folder *f, uint64_t job, uint32_t attempt, bool *ret_ended);
/* STATE/runs/JOB/ATTEMPT, for people */
void fl_folder_path(const struct fl_folder *f, uint64_t job, uint32_t attempt, char *ret,
		    size_t size);

/* The highest number of a job in STATE/runs and STATE/ended. */
int fl_folder_last(const char *state, struct fl_last_run *ret, fairlead_error *err);
/*
 * Every run in "runs", in no order. FAIRLEAD_EIO, also for what somebody else could have made; or
 * what @fn returns but 0.  Of what a daemon was killed while it made it, a second name is removed.
 */
int fl_folder_each(const struct fl_folder *f, int (*fn)(void *user, uint64_t job, uint32_t attempt),
		   void *user, fairlead_error *err);
/* That of a run in the state folder @from becomes ours, as it is. 0; 1: it cannot be moved. */
int fl_folder_take(const struct fl_folder *f, int from, uint64_t job, uint32_t attempt);
/* The folder of a run in "runs" is gone, if a daemon was killed before it was made. */
void fl_folder_clear(const struct fl_folder *f, uint64_t job, uint32_t attempt);
/*
 * What there is under the number of a run, in "runs" or "ended", goes to STATE/stray, for a person to
 * look at; "" in @kept: there was nothing.  May be called on any thread.  0, or -1 with errno: it is
 * still there, or whether it is cannot be seen.
 */
int fl_folder_set_aside(const struct fl_folder *f, uint64_t job, uint32_t attempt,
			char kept[FL_RUN_PLACE]);
/* From "runs" to "ended". */
void fl_folder_retire(const struct fl_folder *f, uint64_t job, uint32_t attempt);
/* Gone with all that is in it. */
void fl_folder_drop(const struct fl_folder *f, uint64_t job, uint32_t attempt);
/* All attempts of a job. May be called on any thread. */
void fl_folder_remove(const struct fl_folder *f, uint64_t job);

#endif
