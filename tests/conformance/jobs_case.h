/* SPDX-License-Identifier: Apache-2.0 */
/*
 * jobs_case - recorded cases of suite "jobs": what Kueue makes of people's jobs
 *
 * {"workloads":[...],"ignored":...,"objects":[...]} in the form of the case's `expected`: `ignored`
 * stands there when a subject has no Workload.
 */
#ifndef CONFORMANCE_JOBS_CASE_H
#define CONFORMANCE_JOBS_CASE_H

#include <stdio.h>

#include "base/error.h"
#include "codec/text/doc.h"

int jobs_case(const struct fl_doc *d, FILE *out, fairlead_error *err);

#endif
