/* SPDX-License-Identifier: Apache-2.0 */
/*
 * folder - where runs are kept: STATE/runs/JOB/ATTEMPT, and STATE/ended/JOB/ATTEMPT once forgotten
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

#include "base/error.h"

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
/* Open the folder of a run, wherever it is; -1 with errno. */
int fl_folder_of(const struct fl_folder *f, uint64_t job, uint32_t attempt, bool *ret_ended);
/* STATE/runs/JOB/ATTEMPT */
void fl_folder_path(const struct fl_folder *f, uint64_t job, uint32_t attempt, char *ret,
		    size_t size);

/* Every run in "runs", in no order. FAIRLEAD_EIO, or what @fn returns but 0. */
int fl_folder_each(const struct fl_folder *f, int (*fn)(void *user, uint64_t job, uint32_t attempt),
		   void *user, fairlead_error *err);
/* From "runs" to "ended". */
void fl_folder_retire(const struct fl_folder *f, uint64_t job, uint32_t attempt);
/* Gone with all that is in it. */
void fl_folder_drop(const struct fl_folder *f, uint64_t job, uint32_t attempt);
/* All attempts of a job. May be called on any thread. */
void fl_folder_remove(const struct fl_folder *f, uint64_t job);

#endif
