/* SPDX-License-Identifier: Apache-2.0 */
/*
 * select - which jobs one request is about: by number, by what they are, or both
 *
 * All is looked at in one moment.  At most FL_API_SUBMIT jobs are found; of more the rest is told.
 */
#ifndef FL_DAEMON_API_SELECT_H
#define FL_DAEMON_API_SELECT_H

#include "daemon/api/call.h"
#include "daemon/machine/wish.h"

/* What became of a job that was named, or found. */
struct fl_selected {
	uint64_t job;
	char *refused; /* why nothing is done; NULL: it is to be done */
};

struct fl_selection {
	/* as asked; texts are of the request's body */
	const char *jobs, *queue, *user, *name; /* NULL: any */
	uint32_t states;                        /* 0: any */
	uint64_t after;                         /* only higher numbers */
	bool own; /* only jobs of the user that asks, as an admin is not */
	/* as found, by number */
	struct fl_selected *rows;
	uint32_t n, cap, n_refused;
	bool more;      /* there may be more, behind the last one that was looked at */
	uint64_t last;  /* that one */
	uint64_t bytes; /* of specs that were read, or will change */
};

/*
 * Takes its members out of @body, an object: "jobs", "queue", "user", "name", "state", "after".
 * FAIRLEAD_EINPUT: one of them is wrong, or there is none.
 */
int fl_selection_read(const struct fl_call *call, json_t *body, struct fl_selection *ret,
		      fairlead_error *err);
/* Finds the jobs, and checks whether the wish can be done of each. FAIRLEAD_ENOMEM, EIO. */
int fl_selection_find(const struct fl_call *call, struct fl_selection *s, struct fl_wishing *w,
		      fairlead_error *err);
void fl_selection_done(struct fl_selection *s);
/* "jobs 3, 5 and 8 more" for the audit log. */
const char *fl_selection_text(const struct fl_selection *s, char *buffer, size_t size);

#endif
