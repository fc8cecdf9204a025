/* SPDX-License-Identifier: Apache-2.0 */
/*
 * out_dir - a folder of files that appear together, each of them whole
 *
 * The folder is made when it is missing (its parent must exist), and removed again when it stays
 * empty.  Files that are there already are replaced, others left alone.
 */
#ifndef FL_CLI_TERMINAL_OUT_DIR_H
#define FL_CLI_TERMINAL_OUT_DIR_H

#include <stdbool.h>

#include "cli/terminal/out_file.h"

enum { FL_OUT_FILES = 8 };

struct fl_out_dir {
	char *path;
	struct fl_out_file files[FL_OUT_FILES];
	unsigned n;
	bool made;
};

/* FAIRLEAD_EIO: it cannot be made, or is no folder. Call fl_out_dir_done in any case. */
int fl_out_dir_open(struct fl_out_dir *d, const char *path, fairlead_error *err);
/* A file to be written; *ret is closed by commit or done. */
int fl_out_dir_add(struct fl_out_dir *d, const char *name, FILE **ret, fairlead_error *err);
/* What cannot be written any more, if anything: the first file whose stream failed. */
int fl_out_dir_check(const struct fl_out_dir *d, fairlead_error *err);
/* All files are on the disk, then all get their names. */
int fl_out_dir_commit(struct fl_out_dir *d, fairlead_error *err);
void fl_out_dir_done(struct fl_out_dir *d);

#endif
