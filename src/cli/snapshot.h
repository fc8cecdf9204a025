/* SPDX-License-Identifier: Apache-2.0 */
/*
 * snapshot - from what -f names to a policy that can be asked, with its assumptions
 */
#ifndef FL_CLI_SNAPSHOT_H
#define FL_CLI_SNAPSHOT_H

#include "cli/cli.h"
#include "decide/policy.h"
#include "report/report.h"

enum { FL_MAX_ASSUMPTIONS = 64 };

struct fl_snapshot {
	const struct fl_options *options;
	struct fl_model *model;
	const struct fl_policy_ops *ops;
	struct fl_policy *policy; /* NULL with fl_snapshot_read alone */
	fl_time now;
	char *assumptions[FL_MAX_ASSUMPTIONS];
	uint32_t n_assumptions;
	struct fl_report report;
	bool assumed_namespaces;
};

/* Read and seal; errors as they come.  Free with fl_snapshot_done, also after an error. */
int fl_snapshot_read(struct fl_snapshot *s, const struct fl_options *o, fairlead_error *err);

/*
 * Read, warn (20 lines at most), start the policy, fill the assumptions and the
 * report.  An exit code: FL_EXIT_YES, or what was wrong has been printed.
 */
int fl_snapshot_open(struct fl_snapshot *s, const struct fl_options *o);
void fl_snapshot_done(struct fl_snapshot *s);

/* Open, answer with memory for it, complain of an error; the exit code. */
int fl_snapshot_answer(const struct fl_options *o,
		       int (*answer)(const struct fl_snapshot *s, struct fl_arena *arena,
				     fairlead_error *err));

/* Notices by place; the list is the caller's to free. NULL without memory. */
uint32_t *fl_snapshot_notices(const struct fl_model *m);
void fl_snapshot_print_notice(const struct fl_model *m, const struct fl_notice *n,
			      const char *severity);

/* Where output goes and how it looks. */
void fl_terminal(struct fl_report *r);

#endif
