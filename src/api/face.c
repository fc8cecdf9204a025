/* SPDX-License-Identifier: Apache-2.0 */
#include "api/face.h"

#define POLICY(dialect, folder) extern const struct fl_api_face fl_##folder##_api_face;
#include "decide/policies.def"
#undef POLICY

static const struct fl_api_face *const faces[] = {
#define POLICY(dialect, folder) &fl_##folder##_api_face,
#include "decide/policies.def"
#undef POLICY
};

const struct fl_api_face *fl_api_face_of(const struct fl_policy_ops *ops)
{
	return faces[fl_policy_index(ops)];
}
