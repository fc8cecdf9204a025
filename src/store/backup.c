/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <unistd.h>

#include "store/store_parts.h"

static const char new_database[] = FL_STORE_DATABASE ".new";

/* --- backup --- */

/*
 * @db sees one moment from now on, and @ret_fd is the image that it names then: whatever is
 * committed, or removed, meanwhile.
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
		/* An image that has gone in this moment: there is a newer one. */
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

/* With a log, as a daemon wants it. */
static int make_ready(const char *path, fairlead_error *err)
{
	char copy[FL_STORE_PATH];
	struct fl_db db;
	int r = fl_folder_join(copy, path, new_database, err);

	if (r == 0)
		r = fl_db_open(&db, copy, FL_DB_MAKE, NULL, err);
	if (r < 0)
		return r;
	r = fl_db_made(&db, err);
	fl_db_close(&db);
	return r;
}

static int back_up(const struct fl_store *s, int folder, const char *path, bool to_run,
		   fairlead_error *err)
{
	struct fl_checkpoint c;
	struct fl_db db;
	int image = -1, r = fl_store_aside(s, &db, err);

	if (r < 0)
		return r;
	r = hold_still(s, &db, &c, &image, err);
	if (r == 0)
		r = copy_all(&db, image, &c, folder, path, err);
	if (image >= 0)
		(void)close(image);
	fl_db_close(&db);
	if (r == 0 && to_run)
		r = make_ready(path, err);
	/* Its name says that it is all there. */
	return r < 0 ? r : fl_folder_rename(folder, path, new_database, FL_STORE_DATABASE, err);
}

int fl_store_backup(struct fl_store *s, const char *folder, fairlead_error *err)
{
	char path[FL_STORE_PATH];
	int fd, r;

	r = fl_store_folder_open(folder, FL_FOLDER_NEW, &fd, path, err);
	if (r < 0)
		return r;
	r = back_up(s, fd, path, /* to_run: */ false, err);
	(void)close(fd);
	return r;
}

/* --- verify --- */

static int verify_journal(struct fl_db *db, fairlead_error *err)
{
	struct fl_query q;
	int r = fl_query_begin(&q, db, FL_SQL_JOURNAL_SPAN, err);

	if (r < 0)
		return r;
	r = fl_query_next(&q, err);
	if (r > 0) {
		int64_t n = fl_take_int(&q), first = fl_take_int(&q), last = fl_take_int(&q);

		if (n && last - first + 1 != n)
			r = fl_db_damaged(db->path, "rows of the journal are missing", err);
	}
	return fl_query_end(&q, r);
}

static int verify_image(struct fl_store *s, fairlead_error *err)
{
	struct fl_checkpoint c;
	uint64_t size;
	int64_t sum;
	int fd, r = fl_checkpoint_open(s, &s->reader, &c, &fd, err);

	if (r > 0)
		return fl_checkpoint_gone(s, &c, err);
	if (r < 0 || fd < 0)
		return r;
	if (fl_checkpoint_sum(fd, &size, &sum) < 0) {
		r = fl_folder_fail(s->folder, "checkpoint", "read", err);
	} else if (size != c.size || sum != c.sum) {
		char name[FL_CHECKPOINT_NAME], path[FL_STORE_PATH];

		fl_checkpoint_name(name, &c);
		r = fl_folder_join(path, s->folder, name, err);
		if (r == 0)
			r = fl_db_damaged(path, "its sum is not what it was", err);
	}
	(void)close(fd);
	return r;
}

int fl_store_verify(const char *folder, fairlead_error *err)
{
	struct fl_store_options options = { .folder = folder, .read_only = true };
	struct fl_store *s;
	int r = fl_store_open(&options, &s, err);

	if (r < 0)
		return r;
	r = fl_schema_verify(&s->reader, err);
	if (r == 0)
		r = verify_journal(&s->reader, err);
	if (r == 0)
		r = verify_image(s, err);
	(void)fl_store_close(s);
	return r;
}

/* --- restore --- */

static int restore_into(struct fl_store *from, int folder, const char *path, fairlead_error *err)
{
	if (fl_folder_has(folder, FL_STORE_DATABASE)) {
		fl_fail(err, FAIRLEAD_ESTATE, "%s is a state folder already", path);
		fl_fail_hint(err, "nothing was changed; choose another one");
		return FAIRLEAD_ESTATE;
	}
	return back_up(from, folder, path, /* to_run: */ true, err);
}

int fl_store_restore(const char *folder, const char *to, fairlead_error *err)
{
	struct fl_store_options options = { .folder = folder, .read_only = true };
	char path[FL_STORE_PATH];
	struct fl_store *from;
	int fd, lock, r = fl_store_verify(folder, err);

	if (r == 0)
		r = fl_store_open(&options, &from, err);
	if (r < 0)
		return r;
	r = fl_store_folder_open(to, FL_FOLDER_CREATED, &fd, path, err);
	if (r == 0) {
		r = fl_folder_lock(fd, path, &lock, err);
		if (r == 0) {
			r = restore_into(from, fd, path, err);
			(void)close(lock);
		}
		(void)close(fd);
	}
	(void)fl_store_close(from);
	return r;
}
