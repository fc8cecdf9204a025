/* SPDX-License-Identifier: Apache-2.0 */
/*
 * out_file - a file that is whole or is not there
 *
 * It is written beside its place under a name of its own, and gets its final one when all
 * of it is on the disk.  Until then the file of that name is as it was.  What is no regular
 * file (/dev/stdout, a pipe) is written to directly.
 */
#ifndef FL_CLI_TERMINAL_OUT_FILE_H
#define FL_CLI_TERMINAL_OUT_FILE_H

#include <stdio.h>

#include "base/error.h"

struct fl_out_file {
	char *name, *temporary; /* temporary NULL: written directly */
	FILE *out;              /* NULL once it is finished */
};

/* FAIRLEAD_EIO with the file's name, or FAIRLEAD_ENOMEM; nothing is left to free then. */
int fl_out_file_open(struct fl_out_file *f, const char *name, fairlead_error *err);
/* All that was written is on the disk, and out closed. */
int fl_out_file_finish(struct fl_out_file *f, fairlead_error *err);
/* It gets its name. */
int fl_out_file_place(struct fl_out_file *f, fairlead_error *err);
/* A file without its final name is removed. Also for a struct that is all 0. */
void fl_out_file_done(struct fl_out_file *f);

/* errno as an error about @name. */
int fl_out_fail(const char *name, fairlead_error *err);

#endif
