/* SPDX-License-Identifier: Apache-2.0 */
#include "tell/face.h"

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
	const struct fl_face *face = faces[0];

	for (size_t i = 1; i < sizeof faces / sizeof *faces; i++)
		if (faces[i]->ops == ops)
			face = faces[i];
	return face;
}

int fl_tell_explain(const struct fl_question *q, struct fl_workload w, const struct fl_eta *eta,
		    fairlead_error *err)
{
	return fl_face_of(q->ops)->explain(q, w, eta, err);
}
