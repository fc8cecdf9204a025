/* SPDX-License-Identifier: Apache-2.0 */
#include "ask/prove/face.h"

#define POLICY(dialect, folder)                                                                    \
	extern const struct fl_policy_ops fl_##folder##_policy;                                    \
	extern const struct fl_prove_face fl_##folder##_proves;
#include "decide/policies.def"
#undef POLICY

static const struct {
	const struct fl_policy_ops *ops;
	const struct fl_prove_face *face;
} faces[] = {
#define POLICY(dialect, folder) { &fl_##folder##_policy, &fl_##folder##_proves },
#include "decide/policies.def"
#undef POLICY
};

const struct fl_prove_face *fl_prove_face_of(const struct fl_policy_ops *ops)
{
	size_t i = 0;

	while (faces[i].ops != ops)
		i++;
	return faces[i].face;
}
