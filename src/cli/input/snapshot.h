/* SPDX-License-Identifier: Apache-2.0 */
/*
 * snapshot - from what -f names to a policy that can be asked, with its
 * assumptions
 */
#ifndef FL_CLI_INPUT_SNAPSHOT_H
#define FL_CLI_INPUT_SNAPSHOT_H

#include "cli/cli.h"
#include "cli/terminal/terminal.h"
#include "codec/object/kube.h"
#include "decide/policy.h"
#include "report/out/report.h"
#include "tell/tell.h"

enum { FL_MAX_ASSUMPTIONS = 64, FL_MAX_WARNINGS = 4 };

struct fl_snapshot {
	const struct fl_options *options;
	struct fl_model *model;
	const struct fl_policy_ops *ops; /* by seal: of --policy, or of what the input has */
	struct fl_policy *policy;        /* NULL with fl_snapshot_read alone */
	fl_time now;
	char *assumptions[FL_MAX_ASSUMPTIONS];
	uint32_t n_assumptions;
	char *warnings[FL_MAX_WARNINGS]; /* about the answer */
	uint32_t n_warnings;
	bool out_of_memory; /* one is missing from these */
	struct fl_report report;
	bool assumed_namespaces;
	bool simulated; /* time will pass: usage moves, jobs end */
	bool images;    /* an image may be given instead of manifests */
	bool is_image;  /* and was: model and policy are there, `now` is when it was saved */
};

/*
 * Read and seal, or take an image; errors as they come.  Free with fl_snapshot_done, also
 * after an error.
 */
int fl_snapshot_read(struct fl_snapshot *s, const struct fl_options *o, fairlead_error *err);

/*
 * The same in its steps: an empty model; any number of files, of which @tap
 * sees the objects (NULL: no tap); the seal.  @assume: what namespaces the
 * workloads live in exist, though the input has some.
 */
int fl_snapshot_begin(struct fl_snapshot *s, const struct fl_options *o, fairlead_error *err);
int fl_snapshot_add(struct fl_snapshot *s, char **files, uint32_t n, const struct fl_kube_tap *tap,
		    fairlead_error *err);
/* One file or "-" into a model, as it comes. */
int fl_snapshot_load(struct fl_model *m, const char *name, const struct fl_kube_tap *tap,
		     fairlead_error *err);
int fl_snapshot_seal(struct fl_snapshot *s, bool assume, fairlead_error *err);

/* Model and policy of a started state as an image, into a file that is whole or as it was. */
int fl_snapshot_save(const struct fl_snapshot *s, const char *name, fairlead_error *err);

/*
 * Read, warn (20 lines at most), start the policy, fill the assumptions and the
 * report.  An exit code: FL_EXIT_YES, or what was wrong has been printed.
 */
int fl_snapshot_open(struct fl_snapshot *s, const struct fl_options *o);
/* Its parts: the warnings, and the rest. An exit code; 0 or an error. */
int fl_snapshot_warn(const struct fl_snapshot *s);
int fl_snapshot_start(struct fl_snapshot *s, fl_time now, fairlead_error *err);
/* A workload holds quota that cannot be read: nothing is known for sure. */
bool fl_snapshot_uncertain(const struct fl_snapshot *s);
/* The assumptions, in words; s->out_of_memory when one is missing. */
void fl_snapshot_assume(struct fl_snapshot *s);
/* --now, or the newest time in the input. */
fl_time fl_snapshot_clock(const struct fl_snapshot *s);
void fl_snapshot_done(struct fl_snapshot *s);

/* Open, answer with memory for it, complain of an error; the exit code. */
int fl_snapshot_answer(const struct fl_options *o,
		       int (*answer)(const struct fl_snapshot *s, struct fl_arena *arena,
				     fairlead_error *err));

/* The question. */
struct fl_question fl_snapshot_question(const struct fl_snapshot *s, struct fl_arena *arena);

/* Notices by place; the list is the caller's to free. NULL without memory. */
uint32_t *fl_snapshot_notices(const struct fl_model *m);
/* What is printed of a notice; valid until the model changes. */
struct fl_diagnostic fl_snapshot_diagnostic(const struct fl_model *m, const struct fl_notice *n,
					    const char *severity);

#endif
