/* SPDX-License-Identifier: Apache-2.0 */
/*
 * verified - is what a daemon has of a cluster what the cluster has? The answer of `agreement --verify`
 *
 * The command fills in the rows.  Tested in tests/kube/test_verify.py.
 */
#ifndef FL_REPORT_JOB_VERIFIED_H
#define FL_REPORT_JOB_VERIFIED_H

#include "report/out/shape.h"

struct fl_verified_kind {
	const char *kind, *group, *plural;
	uint32_t objects; /* that the cluster has */
	uint32_t same, only_cluster, only_daemon, differ;
	uint32_t unreadable;  /* of `objects` */
	const char *left_out; /* why it was not compared; NULL: it was */
};

struct fl_verified_object {
	const char *uid; /* NULL: none */
	uint64_t version;
	bool readable;
};

struct fl_verified_difference {
	const char *kind, *namespace, *name;               /* namespace NULL: none */
	const struct fl_verified_object *cluster, *daemon; /* NULL: it is not there */
};

struct fl_verified_answer {
	bool same, whole;    /* nothing differs; all was compared */
	const char *problem; /* what the daemon says of itself; NULL */
	const struct fl_verified_kind *kinds;
	uint32_t n_kinds;
	const struct fl_verified_difference *differences;
	uint32_t n_differences;
};

extern const struct fl_document fl_verified_document;

void fl_verified_text(const struct fl_report *r, const struct fl_verified_answer *a);

#endif
