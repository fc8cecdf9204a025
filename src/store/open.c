/* SPDX-License-Identifier: Apache-2.0 */
#include "store/open.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "store/checkpoint.h"
#include "store/journal.h"
#include "store/log.h"

enum { LOG_PAGES = 1000 };

static const char new_database[] = FL_STORE_DATABASE ".new";

/*
 * A database appears complete under its name, or not at all: it is made under another name, and
 * renamed.
 */
static int make_database(struct fl_store *s, const struct fl_migrations *m, fairlead_error *err)
{
	char path[FL_STORE_PATH];
	struct fl_db db;
	int fd, r = fl_folder_join(path, s->folder, new_database, err);

	if (r == 0)
		r = fl_store_folder_make(s->folder_fd, s->folder, new_database, &fd, err);
	if (r < 0)
		return r;
	(void)close(fd);
	r = fl_db_open(&db, path, FL_DB_MAKE, s->vfs, err);
	if (r == 0) {
		r = fl_schema_migrate(&db, m, err);
		if (r == 0)
			r = fl_db_made(&db, err);
		fl_db_close(&db);
	}
	if (r == 0)
		r = fl_folder_rename(s->folder_fd, s->folder, new_database, FL_STORE_DATABASE, err);
	if (r < 0)
		(void)unlinkat(s->folder_fd, new_database, 0);
	return r;
}

static int without_database(void *user, const struct fl_checkpoint *c, fairlead_error *err)
{
	const struct fl_store *s = user;

	(void)c;
	return fl_db_damaged(err, s->folder,
			     "there are files of a state folder, but no " FL_STORE_DATABASE);
}

static int has_database(struct fl_store *s, bool create, const struct fl_migrations *m,
			fairlead_error *err)
{
	int r;

	if (fl_folder_has(s->folder_fd, FL_STORE_DATABASE))
		return 0;
	if (fl_folder_has(s->folder_fd, FL_STORE_DATABASE "-wal"))
		return without_database(s, NULL, err);
	r = fl_checkpoint_each(s->folder_fd, s->folder, without_database, s, err);
	if (r < 0)
		return r;
	if (create)
		return make_database(s, m, err);
	fl_fail(err, FAIRLEAD_ENOENT, "%s is not a state folder: there is no %s in it", s->folder,
		FL_STORE_DATABASE);
	return FAIRLEAD_ENOENT;
}

/* Copies the database to a file of its own before it is brought up to date. */
static int keep_copy(struct fl_store *s, struct fl_db *db, int version, fairlead_error *err)
{
	char name[64], made[64 + 4], path[FL_STORE_PATH];
	int fd, r;

	(void)snprintf(name, sizeof name, "before-v%d.db", version + 1);
	(void)snprintf(made, sizeof made, "%s.new", name);
	r = fl_folder_join(path, s->folder, made, err);
	if (r == 0)
		r = fl_store_folder_make(s->folder_fd, s->folder, made, &fd, err);
	if (r < 0)
		return r;
	(void)close(fd);
	r = fl_db_copy(db, path, s->vfs, err);
	if (r == 0)
		r = fl_folder_rename(s->folder_fd, s->folder, made, name, err);
	if (r < 0)
		(void)unlinkat(s->folder_fd, made, 0);
	return r;
}

/*
 * All checks that may refuse the database are made by a connection that does not write: a file that
 * is not ours is not changed by one byte.
 */
static int look(struct fl_store *s, const char *path, bool read_only, const struct fl_migrations *m,
		bool *ret_older, fairlead_error *err)
{
	struct fl_log_state log;
	struct fl_db db;
	int version = 0, r = fl_db_open(&db, path, FL_DB_READ, s->vfs, err);

	if (r < 0)
		return r;
	r = fl_log_check(&db, &log, err);
	if (r == 0) {
		s->damage.cut = log.cut;
		r = fl_schema_check(&db, m, &version, err);
	}
	*ret_older = r == 0 && version < m->n;
	if (*ret_older && read_only) {
		r = fl_fail(err, FAIRLEAD_EINPUT, "%s is of an older fairleadd, version %d", path,
			    version);
		fl_fail_hint(err, "start fairleadd once, which brings it up to date");
	} else if (*ret_older) {
		r = keep_copy(s, &db, version, err);
	}
	if (r == 0 && !*ret_older)
		r = fl_checkpoint_recover(s, &db, /* look: */ true, err);
	fl_db_close(&db);
	return r;
}

static int remember_log(void *user, sqlite3 *handle, const char *name, int pages)
{
	struct fl_store *s = user;

	(void)handle;
	(void)name;
	s->log_pages = pages;
	return SQLITE_OK;
}

static int open_writer(struct fl_store *s, const char *path, bool older,
		       const struct fl_migrations *m, fairlead_error *err)
{
	struct fl_journal_end end;
	int r = fl_db_open(&s->writer, path, FL_DB_WRITE, s->vfs, err);

	if (r < 0)
		return r;
	(void)sqlite3_wal_hook(s->writer.handle, remember_log, s);
	if (older)
		r = fl_schema_migrate(&s->writer, m, err);
	if (r == 0)
		r = fl_journal_end(&s->writer, &end, err);
	if (r == 0) {
		s->last_seq = end.seq;
		s->last_sum = end.sum;
		/* The cut pages were reported once, so they are removed. */
		if (s->damage.cut)
			(void)sqlite3_wal_checkpoint_v2(s->writer.handle, NULL,
							SQLITE_CHECKPOINT_TRUNCATE, NULL, NULL);
		r = fl_checkpoint_recover(s, &s->writer, /* look: */ false, err);
	}
	return r;
}

static int open_all(struct fl_store *s, const struct fl_store_options *o,
		    const struct fl_migrations *m, fairlead_error *err)
{
	char path[FL_STORE_PATH];
	bool older;
	bool create = o->create && !o->read_only;
	int r = fl_store_folder_open(o->folder, create ? FL_FOLDER_CREATED : FL_FOLDER_THERE,
				     &s->folder_fd, s->folder, err);

	if (r == 0 && !o->read_only)
		r = fl_folder_lock(s->folder_fd, s->folder, &s->lock_fd, err);
	if (r == 0)
		r = has_database(s, create, m, err);
	if (r == 0)
		r = fl_folder_join(path, s->folder, FL_STORE_DATABASE, err);
	if (r == 0)
		r = look(s, path, o->read_only, m, &older, err);
	if (r == 0 && !o->read_only)
		r = open_writer(s, path, older, m, err);
	if (r == 0)
		r = fl_db_open(&s->reader, path, FL_DB_READ, s->vfs, err);
	return r;
}

int fl_store_open_as(const struct fl_store_options *options, const struct fl_migrations *m,
		     struct fl_store **ret, fairlead_error *err)
{
	struct fl_store *s = calloc(1, sizeof *s);
	int r;

	if (!s)
		return fl_fail_nomem(err);
	s->folder_fd = s->lock_fd = -1;
	s->vfs = options->vfs;
	s->log_limit = LOG_PAGES;
	(void)pthread_mutex_init(&s->writing, NULL);
	(void)pthread_mutex_init(&s->noting, NULL);
	r = open_all(s, options, m, err);
	if (r < 0)
		(void)fl_store_close(s);
	else
		*ret = s;
	return r;
}

int fl_store_open(const struct fl_store_options *options, struct fl_store **ret,
		  fairlead_error *err)
{
	return fl_store_open_as(options, &fl_store_migrations, ret, err);
}

struct fl_store *fl_store_close(struct fl_store *s)
{
	if (!s)
		return NULL;
	fl_db_close(&s->reader);
	fl_db_close(&s->writer);
	(void)pthread_mutex_destroy(&s->writing);
	(void)pthread_mutex_destroy(&s->noting);
	if (s->folder_fd >= 0)
		(void)close(s->folder_fd);
	if (s->lock_fd >= 0)
		(void)close(s->lock_fd);
	free(s);
	return NULL;
}

int fl_store_aside(const struct fl_store *s, struct fl_db *ret, fairlead_error *err)
{
	char path[FL_STORE_PATH];
	int r = fl_folder_join(path, s->folder, FL_STORE_DATABASE, err);

	return r < 0 ? r : fl_db_open(ret, path, FL_DB_READ, s->vfs, err);
}
