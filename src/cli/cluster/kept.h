/* SPDX-License-Identifier: Apache-2.0 */
/*
 * kept - objects of one kind, kept to be read like a file: one List as JSON in a file without a name
 *
 * So each verb reads a cluster as it reads a file, a second time where it has to, and memory is that of one
 * object.  Where no file can be made, it is in memory.
 */
#ifndef FL_CLI_CLUSTER_KEPT_H
#define FL_CLI_CLUSTER_KEPT_H

#include <stdint.h>
#include <stdio.h>

#include "base/error.h"
#include "kube/reflect.h"

struct fl_cluster_kept {
	FILE *file;     /* NULL: none */
	uint64_t n;     /* objects */
	char *name;     /* for input/input.h; set by fl_cluster_kept_end */
	char said[200]; /* what an object without them gets: "apiVersion":"v1","kind":"Pod", */
};

int fl_cluster_kept_open(struct fl_cluster_kept *k, fairlead_error *err);
/* From the start: objects of a @group, @version and @kind follow. */
int fl_cluster_kept_begin(struct fl_cluster_kept *k, const char *group, const char *version,
			  const char *kind, fairlead_error *err);
int fl_cluster_kept_add(struct fl_cluster_kept *k, const struct fl_kube_object *object,
			fairlead_error *err);
/* @title: what messages call it. */
int fl_cluster_kept_end(struct fl_cluster_kept *k, const char *title, fairlead_error *err);
void fl_cluster_kept_done(struct fl_cluster_kept *k);

#endif
