/* SPDX-License-Identifier: Apache-2.0 */
#include "api/face.h"

#define POLICY(kind, folder) extern const struct fl_api_face fl_##folder##_api_face;
#include "decide/policies.def"
#undef POLICY

static const struct {
	enum fl_policy_kind kind;
	const struct fl_api_face *face;
} faces[] = {
#define POLICY(kind, folder) { FL_POLICY_##kind, &fl_##folder##_api_face },
#include "decide/policies.def"
#undef POLICY
};

const struct fl_api_face *fl_api_face_of(const struct fl_policy_ops *ops)
{
	enum fl_policy_kind kind = fl_policy_kind(ops);
	size_t i = 0;

	while (faces[i].kind != kind)
		i++;
	return faces[i].face;
}
