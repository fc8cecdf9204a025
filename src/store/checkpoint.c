/* SPDX-License-Identifier: Apache-2.0 */
#include "store/checkpoint.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/mix.h"
#include "store/commit.h"
#include "store/damage.h"
#include "store/journal.h"
#include "store/open.h"
#include "store/table.h"

static const char new_image[] = "checkpoint.new";

void fl_checkpoint_name(char ret[FL_CHECKPOINT_NAME], const struct fl_checkpoint *c)
{
	(void)snprintf(ret, FL_CHECKPOINT_NAME, "checkpoint-%" PRIu64 "-%" PRIu64 ".image", c->seq,
		       c->number);
}

/* Is it the name of an image? */
static bool parse(const char *name, struct fl_checkpoint *ret)
{
	char again[FL_CHECKPOINT_NAME];

	*ret = (struct fl_checkpoint){ 0 };
	if (sscanf(name, "checkpoint-%" SCNu64 "-%" SCNu64, &ret->seq, &ret->number) != 2)
		return false;
	fl_checkpoint_name(again, ret);
	return strcmp(name, again) == 0;
}

int fl_checkpoint_read(struct fl_db *db, struct fl_checkpoint *ret, fairlead_error *err)
{
	struct fl_query q = fl_query(db, FL_SQL_CHECKPOINT);
	int r = fl_query_next(&q, err);

	*ret = (struct fl_checkpoint){ 0 };
	if (r > 0) {
		fl_take_row(&q, FL_TABLE_CHECKPOINT, ret);
		if (!fl_take_int(&q))
			r = fl_db_damaged(
				err, db->path,
				"the row that names the checkpoint does not match its checksum");
	}
	return fl_query_end(&q, r);
}

int fl_checkpoint_sum(int fd, uint64_t *ret_size, int64_t *ret_sum)
{
	uint64_t words[1 << 13], lanes[2] = { 0, 0 };
	uint64_t size = 0;
	size_t have = 0;
	ssize_t n;

	/* Adds whole words; the last one is filled with zeros. */
	while ((n = read(fd, (char *)words + have, sizeof words - have)) != 0) {
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -1;
		size += (uint64_t)n;
		have += (size_t)n;
		for (size_t i = 0; i < have / sizeof *words; i++)
			fl_mix(lanes, words[i]);
		memmove(words, (char *)words + have / sizeof *words * sizeof *words,
			have % sizeof *words);
		have %= sizeof *words;
	}
	memset((char *)words + have, 0, sizeof *words - have);
	fl_mix(lanes, words[0]);
	fl_mix(lanes, size);
	*ret_size = size;
	memcpy(ret_sum, &lanes[1], sizeof *ret_sum);
	return 0;
}

/* --- images in the folder --- */

int fl_checkpoint_each(int folder, const char *path,
		       int (*fn)(void *user, const struct fl_checkpoint *c, fairlead_error *err),
		       void *user, fairlead_error *err)
{
	FL_DIR entries = fl_folder_entries(folder, ".");
	const struct dirent *entry;
	struct fl_checkpoint c;
	int r = 0;

	if (!entries)
		return fl_folder_fail(path, NULL, "read", err);
	while (r == 0 && (entry = readdir(entries)))
		if (parse(entry->d_name, &c))
			r = fn(user, &c, err);
	return r;
}

struct settling {
	struct fl_store *s;
	struct fl_checkpoint has; /* named by the database */
	uint64_t last;            /* last row of the journal */
	bool look;
};

static int settle(void *user, const struct fl_checkpoint *c, fairlead_error *err)
{
	const struct settling *all = user;
	char name[FL_CHECKPOINT_NAME];

	fl_checkpoint_name(name, c);
	if (c->seq > all->last)
		return fl_db_damaged(err, all->s->folder,
				     "there is %s, but the journal ends at row %" PRIu64, name,
				     all->last);
	if (!all->look && (c->seq != all->has.seq || c->number != all->has.number))
		(void)unlinkat(all->s->folder_fd, name, 0);
	return 0;
}

/*
 * The image that the database names exists, and the journal begins with the row after it, or
 * before.
 */
static int check_image(const struct settling *all, uint64_t first, fairlead_error *err)
{
	char name[FL_CHECKPOINT_NAME];
	const char *path = all->s->folder;
	struct stat st;

	if (all->has.number == 0)
		return first <= 1 ?
			       0 :
			       fl_db_damaged(err, path, "the journal does not begin with row 1");
	fl_checkpoint_name(name, &all->has);
	if (fstatat(all->s->folder_fd, name, &st, AT_SYMLINK_NOFOLLOW) < 0)
		return fl_db_damaged(err, path, "%s is missing", name);
	if (!S_ISREG(st.st_mode) || (uint64_t)st.st_size != all->has.size)
		return fl_db_damaged(err, path, "%s has another size than when it was written",
				     name);
	if (all->has.seq > all->last || first > all->has.seq + 1)
		return fl_db_damaged(err, path, "the journal does not go on from %s", name);
	return 0;
}

int fl_checkpoint_recover(struct fl_store *s, struct fl_db *db, bool look, fairlead_error *err)
{
	struct settling all = { .s = s, .look = look };
	struct fl_journal_end end;
	int64_t first;
	int r = fl_checkpoint_read(db, &all.has, err);

	if (r == 0)
		r = fl_db_number(db, FL_SQL_FIRST, &first, err);
	if (r == 0)
		r = fl_journal_end(db, &end, err);
	if (r < 0)
		return r;
	all.last = end.seq;
	r = check_image(&all, (uint64_t)first, err);
	if (r == 0 && look)
		r = fl_journal_check(s, db, all.has.seq, err);
	if (r == 0)
		r = fl_checkpoint_each(s->folder_fd, s->folder, settle, &all, err);
	if (r == 0 && !look)
		(void)unlinkat(s->folder_fd, new_image, 0);
	return r;
}

/* --- making one --- */

static int put_checkpoint(struct fl_db *db, const void *arg, fairlead_error *err)
{
	return fl_row_write(db, FL_SQL_PUT_CHECKPOINT, FL_TABLE_CHECKPOINT, arg, err);
}

/* Writes the image, whole and durable, under a new name. */
static int write_image(struct fl_store *s, struct fl_checkpoint *c,
		       int (*write)(void *user, int fd, fairlead_error *err), void *user,
		       fairlead_error *err)
{
	char name[FL_CHECKPOINT_NAME];
	int fd, r = fl_store_folder_make(s->folder_fd, s->folder, new_image, &fd, err);

	if (r < 0)
		return r;
	r = write(user, fd, err);
	if (r >= 0 && (fsync(fd) < 0 || lseek(fd, 0, SEEK_SET) < 0 ||
		       fl_checkpoint_sum(fd, &c->size, &c->sum) < 0))
		r = fl_folder_fail(s->folder, new_image, "written", err);
	(void)close(fd);
	fl_checkpoint_name(name, c);
	if (r >= 0)
		r = fl_folder_rename(s->folder_fd, s->folder, new_image, name, err);
	if (r < 0)
		(void)unlinkat(s->folder_fd, new_image, 0);
	return r < 0 ? r : 0;
}

/*
 * Between any two steps there is a database and the image that it names: the new one has another
 * name, then the database names it, then the old one is removed.
 */
int fl_store_checkpoint(struct fl_store *s, uint64_t seq,
			int (*write)(void *user, int fd, fairlead_error *err), void *user,
			fairlead_error *err)
{
	struct fl_checkpoint old, c = { .seq = seq };
	char name[FL_CHECKPOINT_NAME];
	uint64_t last;
	int r = 0;

	(void)pthread_mutex_lock(&s->writing);
	last = s->last_seq;
	if (s->writer.handle)
		r = fl_checkpoint_read(&s->writer, &old, err);
	else
		r = fl_store_read_only(s, err);
	(void)pthread_mutex_unlock(&s->writing);
	if (r < 0)
		return r;
	if (seq > last || seq < old.seq)
		return fl_fail(err, FAIRLEAD_ESTATE,
			       "an image of row %" PRIu64
			       " of the journal, which goes from %" PRIu64 " to %" PRIu64,
			       seq, old.seq, last);
	c.number = old.number + 1;
	r = write_image(s, &c, write, user, err);
	if (r < 0)
		return r;
	r = fl_store_write(s, put_checkpoint, &c, err);
	fl_checkpoint_name(name, r < 0 ? &c : &old);
	if (r < 0 || old.number)
		(void)unlinkat(s->folder_fd, name, 0);
	return r;
}

int fl_checkpoint_gone(const struct fl_store *s, const struct fl_checkpoint *c, fairlead_error *err)
{
	char name[FL_CHECKPOINT_NAME];

	fl_checkpoint_name(name, c);
	return fl_db_damaged(err, s->folder, "%s is missing", name);
}

int fl_checkpoint_open(const struct fl_store *s, struct fl_db *db, struct fl_checkpoint *ret,
		       int *ret_fd, fairlead_error *err)
{
	char name[FL_CHECKPOINT_NAME];
	int r = fl_checkpoint_read(db, ret, err);

	*ret_fd = -1;
	if (r < 0 || ret->number == 0)
		return r;
	fl_checkpoint_name(name, ret);
	*ret_fd = openat(s->folder_fd, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
	if (*ret_fd >= 0)
		return 0;
	return errno == ENOENT ? 1 : fl_folder_fail(s->folder, name, "opened", err);
}

/* Does it match its checksum? Then @fd is set back to its beginning. */
static int check_bytes(struct fl_store *s, const struct fl_checkpoint *c, int fd,
		       fairlead_error *err)
{
	char name[FL_CHECKPOINT_NAME], path[FL_STORE_PATH];
	uint64_t size;
	int64_t sum;
	int r;

	fl_checkpoint_name(name, c);
	if (fl_checkpoint_sum(fd, &size, &sum) < 0 || lseek(fd, 0, SEEK_SET) < 0)
		return fl_folder_fail(s->folder, name, "read", err);
	if (size == c->size && sum == c->sum)
		return 0;
	fl_store_note(s, /* job= */ 0, "%s does not match its checksum", name);
	r = fl_folder_join(path, s->folder, name, err);
	return r < 0 ? r : fl_db_damaged(err, path, "its checksum is wrong");
}

int fl_store_checkpointed(struct fl_store *s, uint64_t *ret_seq, int *ret_fd, fairlead_error *err)
{
	struct fl_checkpoint c = { 0 };
	int fd, r;

	/* An image that was removed at this moment was replaced by a new one. */
	for (int tries = 0; tries < FL_CHECKPOINT_TRIES; tries++) {
		r = fl_checkpoint_open(s, &s->reader, &c, &fd, err);
		if (r <= 0)
			break;
	}
	if (r > 0)
		r = fl_checkpoint_gone(s, &c, err);
	if (r == 0 && fd >= 0 && (r = check_bytes(s, &c, fd, err)) < 0)
		(void)close(fd);
	*ret_seq = c.seq;
	if (r == 0)
		*ret_fd = fd;
	return r;
}
