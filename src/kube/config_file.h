/* SPDX-License-Identifier: Apache-2.0 */
/*
 * config_file - the files that a configuration is merged from; private to kube
 *
 * Tested with config.h.
 */
#ifndef FL_KUBE_CONFIG_FILE_H
#define FL_KUBE_CONFIG_FILE_H

#include "codec/text/doc.h"
#include "kube/config.h"

struct fl_kube_file {
	const char *path, *folder; /* folder: with '/' at its end; "": the current one */
	struct fl_doc doc;         /* n == 0: the file is empty */
};

struct fl_kube_files {
	struct fl_arena *arena; /* of all texts */
	struct fl_kube_file *items;
	uint32_t n;
	const char *looked_at; /* "$KUBECONFIG (a:b)", for the message that there is none */
};

/*
 * Those that @choice names, in order; files of a list that do not exist are left out, so n may be 0.
 * FAIRLEAD_EINPUT with file, line and column; EIO.
 */
int fl_kube_files_read(struct fl_kube_files *f, const struct fl_kube_choice *choice,
		       struct fl_arena *arena, fairlead_error *err);
void fl_kube_files_done(struct fl_kube_files *f);

/* Bytes of a file, at most @limit, in the arena, with a NUL behind them.  FAIRLEAD_EIO, ELIMIT. */
int fl_kube_file_bytes(const char *path, size_t limit, struct fl_arena *arena, char **ret,
		       size_t *ret_len, fairlead_error *err);

/* A text in the arena.  NULL: no memory. */
const char *fl_kube_copy(struct fl_arena *arena, const char *text, size_t len, fairlead_error *err);
/* The same, as printf. */
const char *fl_kube_print(struct fl_arena *arena, fairlead_error *err, const char *format, ...)
	FL_PRINTF(3, 4);

#endif
