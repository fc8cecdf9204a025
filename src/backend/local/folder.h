/* SPDX-License-Identifier: Apache-2.0 */
/*
 * folder - where runs are kept: STATE/runs/JOB/ATTEMPT, STATE/ended/JOB/ATTEMPT once forgotten, and
 * STATE/stray/JOB.ATTEMPT when they are not in the database
 *
 * Paths are made of numbers only.  Each folder has the file of the run (attempt.h) and, if there is
 * any, the output of its tasks: "out.0", "err.0", in which order these two came, "order.0", and so
 * on. "runs" is read whole at every start of the daemon, so runs that are kept only for their
 * output are moved out of it.
 */
#ifndef FL_BACKEND_LOCAL_FOLDER_H
#define FL_BACKEND_LOCAL_FOLDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "backend/backend.h"

struct fl_folder {
	char path[4096]; /* STATE */
	int runs, ended; /* descriptors */
};

int fl_folder_open(struct fl_folder *f, const char *state, fairlead_error *err);
void fl_folder_close(struct fl_folder *f);

/*
 * Makes the folder of a run with its file, all on disk when this returns 0. 1: it exists already.
 * FAIRLEAD_EIO: it does not exist.  May be called on any thread.
 */
int fl_folder_make(const struct fl_folder *f, uint64_t job, uint32_t attempt, const void *bytes,
		   size_t n, fairlead_error *err);
/*
 * Opens the folder of a run, in "runs" or "ended"; -1 with errno.  EPERM: another user could change
 * it.
 */
int fl_folder_of(const struct fl_folder *f, uint64_t job, uint32_t attempt, bool *ret_ended);
/*
 * The file that keeps the output of a stream: "out.0", "err.0", "order.0", "out.1" and so on.
 */
enum { FL_OUTPUT_NAME = 24 };
void fl_folder_output_name(uint32_t stream, char ret[FL_OUTPUT_NAME]);
/* Makes or opens the first @n of them to be written at their ends. 0, or -1 with errno and none. */
int fl_folder_outputs(int folder, uint32_t n, int *ret);
/* STATE/runs/JOB/ATTEMPT, for people */
void fl_folder_path(const struct fl_folder *f, uint64_t job, uint32_t attempt, char *ret,
		    size_t size);

/* The highest number of a job in STATE/runs and STATE/ended. */
int fl_folder_last(const char *state, struct fl_last_run *ret, fairlead_error *err);
/*
 * Calls @fn for every run in "runs", in no order.  FAIRLEAD_EIO, also for a folder or file that
 * another user could have made; or what @fn returns but 0.  If a daemon was killed while it made
 * one, its second name is removed.
 */
int fl_folder_each(const struct fl_folder *f, int (*fn)(void *user, uint64_t job, uint32_t attempt),
		   void *user, fairlead_error *err);
/*
 * Moves the folder of a run from the state folder @from to ours, unchanged. 0; 1: it cannot be
 * moved.
 */
int fl_folder_take(const struct fl_folder *f, int from, uint64_t job, uint32_t attempt);
/* Removes the folder of a run in "runs", if a daemon was killed before it was finished. */
void fl_folder_clear(const struct fl_folder *f, uint64_t job, uint32_t attempt);
/*
 * Moves the folder with the number of a run, from "runs" or "ended", to STATE/stray, for a person
 * to look at; "" in @kept: there was none.  May be called on any thread. 0, or -1 with errno: it is
 * still there, or could not be checked.
 */
int fl_folder_set_aside(const struct fl_folder *f, uint64_t job, uint32_t attempt,
			char kept[FL_RUN_PLACE]);
/* Moves a run from "runs" to "ended". */
void fl_folder_retire(const struct fl_folder *f, uint64_t job, uint32_t attempt);
/* Removes the folder with its files. */
void fl_folder_drop(const struct fl_folder *f, uint64_t job, uint32_t attempt);
/* Removes all attempts of a job. May be called on any thread. */
void fl_folder_remove(const struct fl_folder *f, uint64_t job);

#endif
