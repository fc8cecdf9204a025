/* SPDX-License-Identifier: Apache-2.0 */
/*
 * mirrored - what a cluster's mirror has, by pages or of one object, for the API
 *
 * Guarantee: what is there from the first page to the last is on one of them; a page takes some thousand slots of the
 * mirror's table, so the loop is not held up, whatever there is.  Texts are those of the mirror.
 * Cannot: give a state of one moment, as the cluster goes on between two pages.
 * Tested in tests/kube/test_verify.py.
 */
#ifndef FL_DAEMON_CLUSTER_MIRRORED_H
#define FL_DAEMON_CLUSTER_MIRRORED_H

#include "daemon/cluster/inside.h"
#include "report/job/mirrored.h"

int fl_cluster_mirrored(const struct fl_cluster *c, const struct fl_mirrored_question *q,
			struct fl_mirrored_answer *ret, fairlead_error *err);

#endif
