/* SPDX-License-Identifier: Apache-2.0 */
/* drf - what a proof needs to know of plain DRF: nothing depends on time, and no workload is evicted */
#include "ask/prove/face.h"

static fl_time longest(const struct fl_model *m, fl_time now)
{
	(void)m;
	(void)now;
	return 0;
}

static enum fl_doubt doubt(const struct fl_model *m)
{
	(void)m;
	return FL_DOUBT_NONE;
}

extern const struct fl_prove_face fl_drf_proves;
const struct fl_prove_face fl_drf_proves = {
	.longest = longest,
	.doubt = doubt,
	.theorem = { "No preemption loop: this policy preempts no workload.",
		     "A workload that holds quota holds it until it is done." },
};
