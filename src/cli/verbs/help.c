/* SPDX-License-Identifier: Apache-2.0 */
/* help and version: what --help and --version print, typed as verbs */
#include <stdio.h>
#include <string.h>

#include "base/nearest.h"
#include "cli/cli.h"

int fl_cmd_help(const struct fl_options *options)
{
	const char *name = options->n_operands ? options->operands[0] : NULL;
	struct fl_nearest near = { .wanted = name ? name : "" };

	if (!name) {
		fl_print_help(/* verb= */ NULL);
		return FL_EXIT_YES;
	}
	for (unsigned i = 0; i < fl_n_verbs; i++) {
		if (strcmp(fl_verbs[i].name, name) == 0) {
			fl_print_help(&fl_verbs[i]);
			return FL_EXIT_YES;
		}
		fl_nearest_offer(&near, fl_verbs[i].name);
	}
	return near.n ? fl_usage_error(NULL, "unknown verb '%s'; did you mean '%s'?", name,
				       near.name[0]) :
			fl_usage_error(NULL, "unknown verb '%s'", name);
}

int fl_cmd_version(const struct fl_options *options)
{
	(void)options;
	puts("fairlead " FAIRLEAD_VERSION);
	return FL_EXIT_YES;
}
