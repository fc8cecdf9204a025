/* SPDX-License-Identifier: Apache-2.0 */
/*
 * pem_file - certificates and keys as files for libcurl; private to src/kube
 *
 * What came as bytes becomes a file in memory: libcurl with GnuTLS takes a client certificate (all versions)
 * and authorities (before 8.18) as files only, and a key is not written to a disk.  It has a path as long as
 * it is open; a new one never has the path of one that is still open.
 */
#ifndef FL_KUBE_WIRE_PEM_FILE_H
#define FL_KUBE_WIRE_PEM_FILE_H

#include "base/error.h"
#include "kube/config.h"

struct fl_pem_file {
	int fd;
	char *path; /* NULL: none */
};

#define FL_PEM_FILE_NONE                                                                           \
	{                                                                                          \
		.fd = -1                                                                           \
	}

/* What *f was stays when this fails. ENOMEM, EIO. */
int fl_pem_file_set(struct fl_pem_file *f, const struct fl_kube_pem *pem, fairlead_error *err);
void fl_pem_file_done(struct fl_pem_file *f);

#endif
