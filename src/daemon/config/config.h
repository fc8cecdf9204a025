/* SPDX-License-Identifier: Apache-2.0 */
/*
 * config - the configuration of the daemon: its document, and the trees of objects that it names
 *
 * Guarantees: a configuration is read whole or not at all.  A model can be made of each
 * configuration that was read, unless memory is missing or the capacity of the machine does not
 * suit it.  It does not change once it is read, even when the files change.
 *
 * Left out of the trees: workloads, pods and machines, for the daemon has its own, and what is
 * only for other verbs (Simulation, Moves).
 *
 * How queues and the machine come together: doc/guide/daemon.md.
 */
#ifndef FL_DAEMON_CONFIG_CONFIG_H
#define FL_DAEMON_CONFIG_CONFIG_H

#include "codec/edit/change.h"
#include "model/model.h"
#include "record/capacity.h"

struct fl_config;

/* One of the files as it was read, unpacked. */
struct fl_config_text {
	char *name;  /* as messages call it */
	char *bytes; /* followed by a NUL that is not counted */
	size_t len;
};

/* @file NULL: no file, all defaults.  FAIRLEAD_EINPUT, ELIMIT, EIO, ENOMEM. */
int fl_config_read(const char *file, struct fl_config **ret, fairlead_error *err);
struct fl_config *fl_config_free(struct fl_config *c);
/* A configuration from texts that were kept, which are copied. Reads no file. */
int fl_config_again(const struct fl_config_text *texts, uint32_t n, struct fl_config **ret,
		    fairlead_error *err);

/*
 * The same of the objects of a cluster, which has machines of its own: no queue is added, and quotas are as
 * they are written.  @dialect: whose objects decide there; those of the other are left out.
 */
int fl_config_of_cluster(const struct fl_config_text *texts, uint32_t n, enum fl_dialect dialect,
			 struct fl_config **ret, fairlead_error *err);

/*
 * @was with @changes laid over its objects, which are those of @edit (codec/edit/change.h); it has
 * no texts.  Afterwards `met` says which of them are in @was.  Errors as of reading.
 */
int fl_config_changed(const struct fl_config *was, struct fl_changes *changes,
		      const struct fl_model *edit, struct fl_config **ret, fairlead_error *err);
/* Are objects of this kind left out? @cluster: where nodes are not what this machine has. */
bool fl_config_leaves_out(const char *kind, bool cluster);
bool fl_config_is_of_cluster(const struct fl_config *c);

/* Its symbols and spans are those of the objects below. */
const struct fl_daemon_settings *fl_config_settings(const struct fl_config *c);
/* All that was read, with defaults; not sealed, without the capacity of the machine. */
const struct fl_model *fl_config_objects(const struct fl_config *c);
const char *fl_config_word(const struct fl_config *c, struct fl_sym sym);

/* The document first, then the trees in order. */
uint32_t fl_config_texts(const struct fl_config *c, const struct fl_config_text **ret);
/* A hash of the texts in their order, without the names of files: 32 hexadecimal digits. */
enum { FL_CONFIG_HASH = 33 };
void fl_config_hash(const struct fl_config *c, char ret[FL_CONFIG_HASH]);

/*
 * A new model of all objects with the capacity of the machine, not sealed: workloads are added
 * before that.
 *
 * Borrow: the quota of the machine's cohort is the capacity less the nominal quotas of queues and
 * cohorts, so that all quotas together are the capacity.  A ClusterQueue below it without
 * resourceGroups may borrow all of it.  Entitle: one machine, the last row of `machines`.
 *
 * Quotas beyond the capacity of the machine are a notice in the model, like all that seal finds.
 * Cost: a copy of the tables.
 */
int fl_config_model(const struct fl_config *c, const struct fl_capacity *capacity,
		    const struct fl_mem *mem, struct fl_model **ret, fairlead_error *err);

/* A symbol of a text that ends in NUL. For the other files of configurations. */
int fl_config_sym(struct fl_model *m, const char *text, struct fl_sym *ret, fairlead_error *err);

#endif
