/* SPDX-License-Identifier: Apache-2.0 */
/*
 * verify - is what a daemon has of a cluster what the cluster has, object by object?  (compare.h)
 *
 * Guarantee: exit status 0 is only after all that the daemon follows was compared, and was the same.
 * Cannot: see a difference in what decides nothing; or that both were wrong alike, as they read by the same code.
 * Tested in tests/kube/test_verify.py.
 */
#ifndef FL_CLI_CLUSTER_VERIFY_H
#define FL_CLI_CLUSTER_VERIFY_H

#include "cli/cli.h"

/* An exit code: YES; NO: something differs; UNKNOWN: nothing does, but not all was compared; FAILED. */
int fl_verify(const struct fl_options *o);

#endif
