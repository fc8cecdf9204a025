/* SPDX-License-Identifier: Apache-2.0 */
#include "kube/wire/pem_file.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/fd.h"

void fl_pem_file_done(struct fl_pem_file *f)
{
	fl_fd_close(&f->fd);
	free(f->path);
	*f = (struct fl_pem_file)FL_PEM_FILE_NONE;
}

int fl_pem_file_set(struct fl_pem_file *f, const struct fl_kube_pem *pem, fairlead_error *err)
{
	struct fl_pem_file made = FL_PEM_FILE_NONE;
	char memory[32];

	if (pem->bytes) {
		made.fd = memfd_create("pem", MFD_CLOEXEC);
		if (made.fd < 0 || fl_fd_write(made.fd, pem->bytes, pem->len) < 0) {
			fl_fail(err, FAIRLEAD_EIO, "certificates cannot be held in memory: %s",
				strerror(errno));
			fl_pem_file_done(&made);
			return FAIRLEAD_EIO;
		}
		(void)snprintf(memory, sizeof memory, "/proc/self/fd/%d", made.fd);
	}
	if (pem->bytes || pem->file) {
		made.path = strdup(pem->bytes ? memory : pem->file);
		if (!made.path) {
			fl_pem_file_done(&made);
			return fl_fail_nomem(err);
		}
	}
	fl_pem_file_done(f);
	*f = made;
	return 0;
}
