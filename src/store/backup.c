/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <unistd.h>

#include "base/fd.h"
#include "store/checkpoint.h"
#include "store/open.h"
#include "store/read.h"

static const char new_database[] = FL_STORE_DATABASE ".new";

/* --- backup --- */

/*
 * From now on @db reads the state of one moment, and @ret_fd is the image that it names then,
 * whatever is committed or removed meanwhile.
 */
static int hold_still(const struct fl_store *s, struct fl_db *db, struct fl_checkpoint *ret,
		      int *ret_fd, fairlead_error *err)
{
	int r = 1;

	for (int tries = 0; tries < FL_CHECKPOINT_TRIES && r > 0; tries++) {
		r = fl_db_run(db, FL_SQL_BEGIN_READING, err);
		if (r < 0)
			return r;
		r = fl_checkpoint_open(s, db, ret, ret_fd, err);
		/* The image was removed at this moment: there is a newer one. */
		if (r != 0)
			(void)fl_db_run(db, FL_SQL_ROLLBACK, NULL);
	}
	return r > 0 ? fl_checkpoint_gone(s, ret, err) : r;
}

static int copy_all(struct fl_db *db, int image, const struct fl_checkpoint *c, int folder,
		    const char *path, fairlead_error *err)
{
	char copy[FL_STORE_PATH], name[FL_CHECKPOINT_NAME];
	int fd, r = fl_folder_join(copy, path, new_database, err);

	if (r == 0)
		r = fl_store_folder_make(folder, path, new_database, &fd, err);
	if (r < 0)
		return r;
	(void)close(fd);
	r = fl_db_copy(db, copy, NULL, err);
	fl_checkpoint_name(name, c);
	if (r == 0 && image >= 0)
		r = fl_folder_copy(image, folder, path, name, err);
	return r;
}

/* Applies @how to a restored one; then gives it a write-ahead log, which a daemon needs. */
static int make_ready(const char *path, const struct fl_restore *how, fairlead_error *err)
{
	char copy[FL_STORE_PATH];
	struct fl_db db;
	int r = fl_folder_join(copy, path, new_database, err);

	if (r == 0)
		r = fl_db_open(&db, copy, FL_DB_MAKE, NULL, err);
	if (r < 0)
		return r;
	r = fl_db_number_above(&db, how->number_above, err);
	if (r == 0 && how->name)
		r = fl_setting_put(&db, how->name, how->value, err);
	if (r == 0)
		r = fl_db_made(&db, err);
	fl_db_close(&db);
	return r;
}

/* @how: of a restore; NULL: it is a backup. */
static int back_up(const struct fl_store *s, int folder, const char *path,
		   const struct fl_restore *how, fairlead_error *err)
{
	struct fl_checkpoint c;
	struct fl_db db;
	FL_FD image = -1;
	int r = fl_store_aside(s, &db, err);

	if (r < 0)
		return r;
	r = hold_still(s, &db, &c, &image, err);
	if (r == 0)
		r = copy_all(&db, image, &c, folder, path, err);
	fl_db_close(&db);
	if (r == 0 && how)
		r = make_ready(path, how, err);
	/* It gets its name when it is complete. */
	return r < 0 ? r : fl_folder_rename(folder, path, new_database, FL_STORE_DATABASE, err);
}

/* The folder gets its name when it is complete and synced: a kill before leaves none. */
int fl_store_backup(struct fl_store *s, const char *folder, fairlead_error *err)
{
	char path[FL_STORE_PATH], part[FL_STORE_PATH];
	FL_FD fd = -1;
	int r;

	r = fl_folder_begin(folder, part, &fd, path, err);
	if (r < 0)
		return r;
	r = back_up(s, fd, path, /* how= */ NULL, err);
	if (r == 0)
		r = fl_folder_finish(part, folder, err);
	if (r < 0)
		fl_store_folder_remove(part);
	return r;
}

/* --- restore --- */

static int restore_into(struct fl_store *from, int folder, const char *path,
			const struct fl_restore *how, fairlead_error *err)
{
	if (fl_folder_has(folder, FL_STORE_DATABASE)) {
		fl_fail(err, FAIRLEAD_ESTATE, "%s is a state folder already", path);
		fl_fail_hint(err, "nothing was changed; choose another one");
		return FAIRLEAD_ESTATE;
	}
	return back_up(from, folder, path, how, err);
}

int fl_store_restore(const char *folder, const char *to, const struct fl_restore *how,
		     fairlead_error *err)
{
	struct fl_store_options options = { .folder = folder, .read_only = true };
	char path[FL_STORE_PATH];
	struct fl_store *from;
	FL_FD fd = -1, lock = -1;
	int r = fl_store_verify(folder, err);

	if (r >= 0)
		r = fl_store_open(&options, &from, err);
	if (r < 0)
		return r;
	r = fl_store_folder_open(to, FL_FOLDER_CREATED, &fd, path, err);
	if (r == 0)
		r = fl_folder_lock(fd, path, &lock, err);
	if (r == 0)
		r = restore_into(from, fd, path, how, err);
	(void)fl_store_close(from);
	return r;
}
