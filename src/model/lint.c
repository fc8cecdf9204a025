/* SPDX-License-Identifier: Apache-2.0 */
#include "model/lint.h"

int fl_model_lint(struct fl_model *m, fairlead_error *err)
{
	(void)m;
	(void)err;
	return 0;
}
