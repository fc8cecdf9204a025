/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <string.h>

#include "cli/options/complete.h"

int fl_cmd_completion(const struct fl_options *options)
{
	static const struct {
		const char *shell, *script;
	} shells[] = {
		{ "bash", fl_script_bash },
		{ "zsh", fl_script_zsh },
		{ "fish", fl_script_fish },
	};
	const char *shell = options->operands[0];

	if (strcmp(shell, "words") == 0) { /* what the scripts ask */
		fl_complete(options->operands + 1, options->n_operands - 1);
		return FL_EXIT_YES;
	}
	if (options->n_operands > 1)
		return fl_usage_error("completion", "unexpected argument '%s'",
				      options->operands[1]);
	for (unsigned i = 0; i < sizeof(shells) / sizeof(shells[0]); i++)
		if (strcmp(shell, shells[i].shell) == 0) {
			fputs(shells[i].script, stdout);
			return FL_EXIT_YES;
		}
	return fl_usage_error("completion", "'%s' is none of bash, zsh and fish", shell);
}
