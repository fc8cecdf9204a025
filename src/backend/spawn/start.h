/* SPDX-License-Identifier: Apache-2.0 */
/* start - from a request to the runner of a run, as its user */
#ifndef FL_BACKEND_SPAWN_START_H
#define FL_BACKEND_SPAWN_START_H

#include <sys/resource.h>

#include "backend/spawn/table.h"

/* What runners get beside what the request says. */
struct fl_spawn_for {
	const struct fl_spawn_table *table;
	struct rlimit files; /* their limit of open files */
};

/* What a child writes when it cannot become the runner; nothing when it did. */
struct fl_spawn_failure {
	uint32_t stage;
	int32_t why; /* errno */
};

/*
 * Makes the process. @files: n_files descriptors of the request; @group: files of its control group,
 * or NULL; @report: where a failure goes, closed when it is the runner.  Its number and its pidfd, or -1:
 * errno.
 */
pid_t fl_spawn_start(const struct fl_spawn_for *with, const struct fl_spawn_request *r,
		     const int *files, const struct fl_group_files *group, int report, int *pidfd);

#endif
