/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/engine/face.h"

#include <string.h>

#include "codec/text/quantity.h"
#include "decide/policies.h"

#define POLICY(dialect, folder) extern const struct fl_daemon_face fl_##folder##_daemon;
#include "decide/policies.def"
#undef POLICY

static const struct fl_daemon_face *const faces[] = {
#define POLICY(dialect, folder) &fl_##folder##_daemon,
#include "decide/policies.def"
#undef POLICY
};

const struct fl_daemon_face *fl_daemon_face_of(const struct fl_policy_ops *ops)
{
	return faces[fl_policy_index(ops)];
}

void fl_daemon_amount(const char *name, fl_amount v, char ret[FL_AMOUNT_TEXT])
{
	if (v == FL_UNLIMITED || v == FL_NO_LIMIT)
		(void)strcpy(ret, "unlimited");
	else
		fl_quantity_format(ret, v, strcmp(name, "cpu") == 0, strcmp(name, "memory") == 0);
}
