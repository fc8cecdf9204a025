/* SPDX-License-Identifier: Apache-2.0 */
#include "decide/policies.h"

#include <stdio.h>
#include <string.h>

#define POLICY(dialect, folder) extern const struct fl_policy_ops fl_##folder##_policy;
#include "decide/policies.def"
#undef POLICY

static const struct {
	enum fl_dialect dialect;
	const struct fl_policy_ops *ops;
} policies[] = {
#define POLICY(dialect, folder) { FL_DIALECT_##dialect, &fl_##folder##_policy },
#include "decide/policies.def"
#undef POLICY
};

enum { N_POLICIES = sizeof policies / sizeof *policies };

const struct fl_policy_ops *fl_policy_at(unsigned i)
{
	return i < N_POLICIES ? policies[i].ops : NULL;
}

const struct fl_policy_ops *fl_policy_of(enum fl_dialect dialect)
{
	for (int i = 0; i < N_POLICIES; i++)
		if (policies[i].dialect == dialect)
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

unsigned fl_policy_index(const struct fl_policy_ops *ops)
{
	for (unsigned i = 0; i < N_POLICIES; i++)
		if (policies[i].ops == ops)
			return i;
	return 0;
}

enum fl_dialect fl_policy_dialect(const struct fl_policy_ops *ops)
{
	for (int i = 0; i < N_POLICIES; i++)
		if (policies[i].ops == ops)
			return policies[i].dialect;
	return FL_DIALECT_ANY;
}

const char *fl_policy_names(const char *before, const char *between, char *buffer, size_t size)
{
	size_t n = 0;

	for (int i = 0; i < N_POLICIES && n < size; i++)
		n += (size_t)snprintf(buffer + n, size - n, "%s%s%s", i ? between : "", before,
				      policies[i].ops->name);
	return buffer;
}
