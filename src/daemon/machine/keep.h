/* SPDX-License-Identifier: Apache-2.0 */
/*
 * keep - configuration and capacity, from which a policy is made, as text; and their change
 *
 * The configuration is that of the files, or, with `configuration: api` of the Daemon document, the
 * one that is in the database: the first start takes it from the files, then it is replaced by
 * fl_core_configure alone.
 *
 * A version is a row CONFIGURED of the journal that came into force, and has its number; version 0
 * is the configuration that was in force before the first one.  How it was made and its texts are
 * written to the settings of the store with the batch behind that row, and again when it is replayed,
 * so that they stay when the journal has expired.
 */
#ifndef FL_DAEMON_MACHINE_KEEP_H
#define FL_DAEMON_MACHINE_KEEP_H

#include "daemon/config/spelled.h"
#include "daemon/engine/history/weighed.h"
#include "daemon/machine/core.h"

/* Replaces the present ones, which are freed; FAIRLEAD_EINPUT when the text is damaged. */
int fl_core_take_config(struct fl_core *c, const char *text, size_t len, fairlead_error *err);
/* A copy of its own. */
int fl_core_copy_capacity(struct fl_core *c, const struct fl_capacity *from, fairlead_error *err);
/*
 * Uses @wanted and @capacity from now on, which become the core's: when they differ from the
 * present ones, adds a row CONFIGURED. *ret: whether they differ.
 */
int fl_core_want_config(struct fl_core *c, struct fl_config *wanted,
			const struct fl_capacity *capacity, const struct fl_configuring *as,
			bool *ret, fairlead_error *err);

/* Is the configuration the one in the database? */
bool fl_config_is_kept(const struct fl_config *config);
/* FAIRLEAD_ESTATE: it is that of the files. */
int fl_core_check_kept(const struct fl_core *c, fairlead_error *err);
/* Is a change of the configuration on its way to the disk? */
bool fl_core_is_configuring(const struct fl_core *c);
/*
 * Reads the configuration again, whole or not at all: the next generation is made from it.  @warn
 * (or NULL) gets its warnings, a line each, before this returns; so does the log.
 * FAIRLEAD_ESTATE: it is not that of the files.
 */
int fl_core_reload(struct fl_core *c, const char *by, void (*warn)(void *user, const char *line),
		   fl_reply_fn *done, void *user, fairlead_error *err);
/*
 * Replaces the configuration by @wanted in the same way.  FAIRLEAD_ESTATE: as of check_kept.
 * FAIRLEAD_EINPUT: @wanted does not say that it is kept in the database.
 */
int fl_core_configure(struct fl_core *c, struct fl_config *wanted, const struct fl_configuring *as,
		      void (*warn)(void *user, const char *line), fl_reply_fn *done, void *user,
		      fairlead_error *err);
/* At the start, once the store is open: the configuration in the database, if that is what counts. */
int fl_core_take_kept(struct fl_core *c, fairlead_error *err);
/* Logs the warnings of a configuration. */
int fl_core_warn(const struct fl_core *c, const struct fl_config *config,
		 const struct fl_capacity *capacity, fairlead_error *err);
/*
 * Once the journal has been read: the settings are those of @config, which is what counts from now
 * on, and the log tells when it is that of the database, and which of them count at the next start only.
 */
void fl_core_begin_settings(struct fl_core *c, const struct fl_config *config);

/* --- versions --- */

enum { FL_VERSION_BY = 256, FL_VERSION_WHY = 1024 };

struct fl_version {
	uint64_t number, bytes; /* bytes of its texts */
	fl_time at;
	char how[16]; /* start, reload, put, restore; "": before versions were kept */
	char by[FL_VERSION_BY], why[FL_VERSION_WHY]; /* "": not known */
	bool has_capacity;                        /* it is known what there was of each resource */
	fl_amount capacity[FL_WEIGHED_RESOURCES]; /* of all flavors together */
};

/* The present one. */
const struct fl_version *fl_core_version(const struct fl_core *c);
/*
 * All of them, the newest first: the present one may be in the store later.  A negative value of @fn
 * ends it.
 */
int fl_core_versions(const struct fl_core *c,
		     int (*fn)(void *user, const struct fl_version *version, fairlead_error *err),
		     void *user, fairlead_error *err);
/* One of them.  FAIRLEAD_ENOENT. */
int fl_core_version_find(const struct fl_core *c, uint64_t number, struct fl_version *ret,
			 fairlead_error *err);
/* Its texts as fl_config_spell makes them, from malloc.  FAIRLEAD_ENOENT. */
int fl_core_version_texts(const struct fl_core *c, uint64_t number, char **ret,
			  fairlead_error *err);
/* Its texts read again.  FAIRLEAD_ENOENT; FAIRLEAD_EINPUT: this program does not take them. */
int fl_core_version_config(const struct fl_core *c, uint64_t number, struct fl_config **ret,
			   fairlead_error *err);

/* --- for the other files of machine --- */

/* At the start: the newest one of the store, if there is one. */
int fl_core_find_version(struct fl_core *c, fairlead_error *err);
/* The row has come into force. */
int fl_core_new_version(struct fl_core *c, const struct fl_journal_row *row, fairlead_error *err);
/*
 * At the start, where none is known: the present configuration is version 0.  One that does not say what
 * there was, as before it was kept, is written again.
 */
int fl_core_first_version(struct fl_core *c, fairlead_error *err);
/*
 * Without a checkpoint: a row CONFIGURED of the journal whose version is not in the store.  It is behind
 * the newest version and row @after, up to which all versions are written, and of the last batch, at
 * @at, as the next one would have written its version.  It may be one that was refused when it was
 * applied: that is known once a generation is made with it, so the core keeps its own until then.
 */
struct fl_behind {
	struct fl_config *config; /* NULL: there is none; fl_config_free */
	struct fl_version version;
};
int fl_core_find_behind(struct fl_core *c, uint64_t after, fl_time at, struct fl_behind *ret,
			fairlead_error *err);
/* It is the core's now. */
int fl_core_take_behind(struct fl_core *c, struct fl_behind *behind, fairlead_error *err);
/*
 * Then: where the texts of the newest version or what there was of a resource are not those that the
 * core has, as of a file that was changed meanwhile, adds a row CONFIGURED, so that they are a version.
 * With a checkpoint: the same, as it may be one of a start that ended before its row was written.
 */
int fl_core_note_start(struct fl_core *c, fairlead_error *err);

#endif
