/* SPDX-License-Identifier: Apache-2.0 */
#include "ask/prove/face.h"

#include "decide/policies.h"

#define POLICY(dialect, folder) extern const struct fl_prove_face fl_##folder##_proves;
#include "decide/policies.def"
#undef POLICY

static const struct fl_prove_face *const faces[] = {
#define POLICY(dialect, folder) &fl_##folder##_proves,
#include "decide/policies.def"
#undef POLICY
};

const struct fl_prove_face *fl_prove_face_of(const struct fl_policy_ops *ops)
{
	return faces[fl_policy_index(ops)];
}
