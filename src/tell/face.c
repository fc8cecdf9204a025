/* SPDX-License-Identifier: Apache-2.0 */
#include "tell/face.h"

#include "decide/policies.h"

#define POLICY(dialect, folder) extern const struct fl_face fl_##folder##_face;
#include "decide/policies.def"
#undef POLICY

static const struct fl_face *const faces[] = {
#define POLICY(dialect, folder) &fl_##folder##_face,
#include "decide/policies.def"
#undef POLICY
};

const struct fl_face *fl_face_of(const struct fl_policy_ops *ops)
{
	return faces[fl_policy_index(ops)];
}

int fl_tell_explain(const struct fl_question *q, struct fl_workload w, const struct fl_eta *eta,
		    fairlead_error *err)
{
	return fl_face_of(q->ops)->explain(q, w, eta, err);
}
