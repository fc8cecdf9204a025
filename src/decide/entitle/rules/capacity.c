/* SPDX-License-Identifier: Apache-2.0 */
#include "decide/entitle/rules/capacity.h"

/* Is held + request <= bound at every queue from @leaf up?  The three are members of a standing. */
static bool fits_below(const struct fl_standing *queues, struct fl_node leaf,
		       const struct fl_bundle *request, enum fl_reason reason,
		       const struct fl_witness *witness, struct fl_refusal *ret)
{
	bool limits = reason == FL_REASON_OVER_LIMIT;
	struct fl_rule_compared compared = {
		.check = limits ? FL_CHECK_QUEUE_LIMIT : FL_CHECK_NON_PREEMPTIBLE_QUOTA,
		.victim = { FL_NONE },
		.kind = FL_NUMBER_BUNDLE,
	};

	for (struct fl_node n = leaf; n.v != FL_NONE; n = queues[n.v].parent) {
		const struct fl_standing *q = &queues[n.v];
		const struct fl_bundle *bound = limits ? &q->limit : &q->deserved;
		const struct fl_bundle *held = limits ? &q->allocated : &q->non_preemptible;

		compared.node = n;
		for (int r = 0; r < FL_BUNDLE; r++) {
			double after = held->of[r] + request->of[r];
			bool holds = after <= bound->of[r];

			if (bound->of[r] == FL_UNBOUNDED || request->of[r] == 0)
				continue;
			fl_witness_hears(witness, &compared, r, after, bound->of[r], holds);
			if (holds)
				continue;
			if (ret)
				*ret = (struct fl_refusal){
					reason, n, r, held->of[r], request->of[r], bound->of[r]
				};
			return false;
		}
	}
	return true;
}

bool fl_capacity_within_limits(const struct fl_standing *queues, struct fl_node leaf,
			       const struct fl_bundle *request, const struct fl_witness *witness,
			       struct fl_refusal *ret)
{
	return fits_below(queues, leaf, request, FL_REASON_OVER_LIMIT, witness, ret);
}

bool fl_capacity_within_quota(const struct fl_standing *queues, struct fl_node leaf,
			      const struct fl_bundle *request, const struct fl_witness *witness,
			      struct fl_refusal *ret)
{
	return fits_below(queues, leaf, request, FL_REASON_NON_PREEMPTIBLE_OVER_QUOTA, witness,
			  ret);
}

bool fl_capacity_fits(const struct fl_standing *queues, struct fl_node leaf, bool preemptible,
		      const struct fl_bundle *request, const struct fl_witness *witness,
		      struct fl_refusal *ret)
{
	return fl_capacity_within_limits(queues, leaf, request, witness, ret) &&
	       (preemptible || fl_capacity_within_quota(queues, leaf, request, witness, ret));
}
