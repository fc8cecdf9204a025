/* SPDX-License-Identifier: Apache-2.0 */
#include "decide/policies.h"

#include <string.h>

#define POLICY(kind, folder) extern const struct fl_policy_ops fl_##folder##_policy;
#include "decide/policies.def"
#undef POLICY

static const struct {
	enum fl_policy_kind kind;
	const struct fl_policy_ops *ops;
} policies[] = {
#define POLICY(kind, folder) { FL_POLICY_##kind, &fl_##folder##_policy },
#include "decide/policies.def"
#undef POLICY
};

enum { N_POLICIES = sizeof policies / sizeof *policies };

const struct fl_policy_ops *fl_policy_of(enum fl_policy_kind kind)
{
	for (int i = 0; i < N_POLICIES; i++)
		if (policies[i].kind == kind)
			return policies[i].ops;
	return NULL;
}

const struct fl_policy_ops *fl_policy_named(const char *name, size_t size)
{
	for (int i = 0; i < N_POLICIES; i++)
		if (strncmp(policies[i].ops->name, name, size) == 0)
			return policies[i].ops;
	return NULL;
}

enum fl_policy_kind fl_policy_kind(const struct fl_policy_ops *ops)
{
	for (int i = 0; i < N_POLICIES; i++)
		if (policies[i].ops == ops)
			return policies[i].kind;
	return FL_POLICY_ANY;
}
