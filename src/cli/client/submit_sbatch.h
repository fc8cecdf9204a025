/* SPDX-License-Identifier: Apache-2.0 */
/*
 * submit_sbatch - options whose values are written as sbatch writes them
 *
 * Of the functions below each reads one value of @option into the job; exit code, after a complaint
 * that names the option.
 *
 * Memory and GPUs are of one task here, and of the node there, which this machine is: of --mem and
 * --gres each task gets its part.
 */
#ifndef FL_CLI_CLIENT_SUBMIT_SBATCH_H
#define FL_CLI_CLIENT_SUBMIT_SBATCH_H

#include "cli/client/submit.h"

typedef int fl_submit_take(struct fl_submission *s, const char *option, const char *key,
			   const char *text);

fl_submit_take fl_sbatch_cpus, fl_sbatch_memory, fl_sbatch_cpu_memory, fl_sbatch_gres,
	fl_sbatch_gpus, fl_sbatch_task_gpus, fl_sbatch_export, fl_sbatch_nice, fl_sbatch_signal,
	fl_sbatch_dependency, fl_sbatch_wrap;

/*
 * The path of an output with what is known here filled in: %x its name, %u the user, %N the machine;
 * %A is %j.  From malloc; NULL: no memory.
 */
char *fl_sbatch_path(struct fl_submission *s, const char *path);
/* Once all options are read: what was asked for all tasks becomes what one asks for. */
int fl_sbatch_share(struct fl_submission *s);

#endif
