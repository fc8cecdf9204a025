/* SPDX-License-Identifier: Apache-2.0 */
/*
 * log - checks the write-ahead log, as far as it was acknowledged
 *
 * SQLite takes a log up to the first frame that does not match its checksum, and ignores what
 * follows.  That is right for the end that a power cut leaves, and wrong for a flipped bit in the
 * middle.  The two can be told apart, as each commit is synced before the next one begins.
 *
 * A frame is a page with a head: number of the page, size of the database when it is the last of
 * its transaction (a commit), two salts that are those of the log until it begins anew, and a
 * checksum of all frames up to this one.  So if a frame with the log's salts has the checksum that
 * follows from the stored checksum of the frame before it, it was written directly after that one,
 * whatever happened later to the bytes of the latter, or of earlier ones.  Frames of the log before
 * have other salts; those of a transaction that was taken back, and then overwritten by a shorter
 * one, do not follow from the frame that is now before them.
 *
 * After the first frame that does not match, damage is proved by
 *
 *  - a frame that follows from a commit: when it was written all up to that commit was synced.  It
 *    must be sure that it is a commit: its own checksum matches; or it does from the bytes before
 *    it, and the next one follows from that; or it is the frame that does not match, and number,
 *    size and salts are in one sector, so that a power cut leaves all or nothing of them;
 *  - a frame with the page of `latest`, in which transactions are counted, if its count is higher
 *    by two or more than that of the part that SQLite takes: only one can have been under way.
 *
 * When the log's own head does not match its checksum SQLite ignores the log.  The head is synced
 * before the first frame is written, and written anew when all is in the database, so in that case
 * damage is proved by frames that follow from each other and count more transactions than the
 * database.
 *
 * All else may have been left by a power cut.
 */
#include "store/log.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/fd.h"
#include "store/read.h"

enum {
	HEAD = 32,
	FRAME_HEAD = 24,
	SECTOR = 512, /* the least that a disk writes whole */
	PAGE_LEAST = 512,
	PAGE_MOST = 65536,
	MAGIC = 0x377f0682, /* MAGIC + 1: checksums of words with the highest byte first */
	COMMITS = 9,        /* column of `latest` */
};

struct pair {
	uint32_t a, b;
};

static bool same(struct pair x, struct pair y) { return x.a == y.a && x.b == y.b; }

static uint32_t word_at(const unsigned char *p)
{
	return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
}

static uint32_t low_word_at(const unsigned char *p)
{
	return (uint32_t)p[3] << 24 | (uint32_t)p[2] << 16 | (uint32_t)p[1] << 8 | p[0];
}

static struct pair pair_at(const unsigned char *p)
{
	return (struct pair){ word_at(p), word_at(p + 4) };
}

/* SQLite's checksum of @n bytes, a multiple of 8, continued from @s. */
static struct pair add(struct pair s, const unsigned char *p, size_t n, bool high_first)
{
	for (const unsigned char *end = p + n; p < end; p += 8) {
		s.a += (high_first ? word_at(p) : low_word_at(p)) + s.b;
		s.b += (high_first ? word_at(p + 4) : low_word_at(p + 4)) + s.a;
	}
	return s;
}

/* --- the page of `latest` --- */

static const unsigned char *varint(const unsigned char *p, const unsigned char *end, uint64_t *ret)
{
	uint64_t v = 0;

	for (int i = 0; p && p < end && i < 8; i++) {
		v = v << 7 | (*p & 0x7f);
		if (!(*p++ & 0x80)) {
			*ret = v;
			return p;
		}
	}
	return NULL;
}

/* Bytes of a value of this serial type. */
static size_t bytes_of(uint64_t type)
{
	static const size_t ints[] = { 0, 1, 2, 3, 4, 6, 8, 8, 0, 0, 0, 0 };

	return type < 12 ? ints[type] : (size_t)(type - 12) / 2;
}

/* The count of transactions in the page, a leaf with one row; 0: it is not such a page. */
static uint64_t commits_of(const unsigned char *page, size_t size)
{
	const unsigned char *end = page + size, *p, *value, *types_end;
	uint64_t n, type = 0, count = 0;
	size_t at = (size_t)page[8] << 8 | page[9];

	if (page[0] != 0x0d || page[3] != 0 || page[4] != 1 || at >= size)
		return 0;
	p = varint(page + at, end, &n); /* bytes of it */
	p = varint(p, end, &n);         /* its rowid */
	value = p;                      /* the types come first, */
	p = varint(p, end, &n);
	if (!p || n > (uint64_t)(end - value))
		return 0;
	types_end = value + n; /* then the values */
	value = types_end;
	for (int column = 0; column <= COMMITS; column++) {
		value += bytes_of(type);
		p = varint(p, types_end, &type);
		if (!p || value > end || bytes_of(type) > (size_t)(end - value))
			return 0;
	}
	if (type == 9)
		return 1;
	if (type > 6)
		return 0;
	for (size_t i = 0; i < bytes_of(type); i++)
		count = count << 8 | value[i];
	return count;
}

/* --- frames --- */

struct frame {
	uint32_t page, size; /* size of the database, in pages; 0: not a commit */
	struct pair salts, stored;
	struct pair sum; /* what `stored` should be, from `stored` of the frame before */
	bool fits;       /* they are equal */
	const unsigned char *bytes;
};

struct log {
	int fd;
	unsigned char *buffer; /* of a frame */
	size_t page_size;
	bool high_first, has_head;
	struct pair salts, sum; /* of its head */
	uint64_t n;             /* frames, old ones included */
	uint32_t latest;        /* page of `latest`; 0: not known */
};

/* 1: all bytes were read. */
static int read_at(int fd, void *to, size_t n, uint64_t at)
{
	char *bytes = to;

	while (n) {
		ssize_t got = pread(fd, bytes, n, (off_t)at);

		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			return got < 0 ? -1 : 0;
		bytes += got;
		at += (uint64_t)got;
		n -= (size_t)got;
	}
	return 1;
}

static uint64_t offset_of(const struct log *log, uint64_t i)
{
	return HEAD + (i - 1) * (FRAME_HEAD + log->page_size);
}

/* Frame @i, from 1; the stored checksum of the frame before it is @before. */
static int read_frame(const struct log *log, uint64_t i, struct pair before, struct frame *ret)
{
	const unsigned char *p = log->buffer;
	int r = read_at(log->fd, log->buffer, FRAME_HEAD + log->page_size, offset_of(log, i));

	if (r <= 0)
		return r;
	ret->page = word_at(p);
	ret->size = word_at(p + 4);
	ret->salts = pair_at(p + 8);
	ret->stored = pair_at(p + 16);
	ret->bytes = p + FRAME_HEAD;
	ret->sum = add(add(before, p, 8, log->high_first), ret->bytes, log->page_size,
		       log->high_first);
	ret->fits = same(ret->sum, ret->stored);
	return 1;
}

/*
 * Are number, size and salts of a frame in one sector?  Then a power cut leaves all or nothing of
 * them.
 */
static bool is_in_one_sector(const struct log *log, uint64_t i)
{
	uint64_t at = offset_of(log, i);

	return at / SECTOR == (at + FRAME_HEAD - 1) / SECTOR;
}

/* --- the verdict --- */

static void note_commit(struct fl_log_state *ret, const struct log *log, const struct frame *f)
{
	uint64_t commits = f->page == log->latest ? commits_of(f->bytes, log->page_size) : 0;

	ret->behind++;
	ret->behind_commits += f->size != 0;
	if (commits > ret->counted)
		ret->counted = commits;
}

/* Checks the frames from @bad on, the first one that does not match. */
static int look_behind(const struct log *log, const struct frame *bad, struct fl_log_state *ret)
{
	bool own = same(bad->salts, log->salts);
	/* Is the frame before a commit for sure? */
	bool commit = bad->size && (bad->fits || (own && is_in_one_sector(log, ret->bad)));
	struct pair before = bad->stored;
	int r = 1;

	ret->cut += own;
	for (uint64_t i = ret->bad + 1; i <= log->n && r > 0; i++) {
		struct frame f;
		bool goes_on;

		r = read_frame(log, i, before, &f);
		if (r <= 0)
			break;
		before = f.stored;
		goes_on = same(f.salts, log->salts);
		ret->cut += goes_on;
		if (goes_on && !f.fits && i == ret->bad + 1 && own) {
			/* Was only the stored checksum of the bad one damaged? */
			struct frame again;

			r = read_frame(log, i, bad->sum, &again);
			f.fits = r > 0 && again.fits;
			commit = f.fits && bad->size;
		}
		goes_on &= f.fits;
		if (goes_on && commit)
			ret->is_damaged = true;
		if (goes_on)
			note_commit(ret, log, &f);
		commit = f.fits && f.size;
	}
	return r;
}

static int look_at_frames(const struct log *log, struct fl_log_state *ret)
{
	struct pair before = log->sum;
	uint64_t pending = 0;
	int r = 1;

	for (uint64_t i = 1; i <= log->n; i++) {
		struct frame f;

		r = read_frame(log, i, before, &f);
		if (r <= 0)
			break;
		if (!f.fits || !same(f.salts, log->salts)) {
			ret->bad = i;
			ret->cut = pending;
			return look_behind(log, &f, ret);
		}
		before = f.stored;
		pending++;
		if (f.size) {
			ret->commits++;
			ret->frames = i;
			pending = 0;
		}
	}
	ret->cut = pending;
	return r;
}

/* Without a valid head: counts frames that follow from the one before. */
static int look_for_frames(struct log *log, struct fl_log_state *ret)
{
	int r = 1;

	for (int order = 0; order < 2 && r >= 0 && !ret->behind; order++) {
		struct pair before = { 0, 0 }, salts = { 0, 0 };

		log->high_first = order;
		for (uint64_t i = 1; i <= log->n && (r = 1); i++) {
			struct frame f;

			r = read_frame(log, i, before, &f);
			if (r <= 0)
				break;
			if (i > 1 && f.fits && same(f.salts, salts) && f.page)
				note_commit(ret, log, &f);
			before = f.stored;
			salts = f.salts;
		}
	}
	return r;
}

/* 0: the log is empty. */
static int read_head(struct log *log, const char *database)
{
	unsigned char head[HEAD], db[18];
	int r = read_at(log->fd, head, sizeof head, 0);
	off_t size;

	if (r <= 0)
		return r;
	log->high_first = head[3] & 1;
	log->salts = pair_at(head + 16);
	log->sum = pair_at(head + 24);
	log->page_size = word_at(head + 8);
	log->has_head = (word_at(head) | 1) == (MAGIC | 1) &&
			same(add((struct pair){ 0, 0 }, head, 24, log->high_first), log->sum);
	if (!log->has_head) {
		FL_FD fd = open(database, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
		r = fd < 0 ? -1 : read_at(fd, db, sizeof db, 0);
		log->page_size = r > 0 ? (size_t)db[16] << 8 | db[17] : 4096;
		log->page_size = log->page_size == 1 ? PAGE_MOST : log->page_size;
	}
	if (log->page_size < PAGE_LEAST || log->page_size > PAGE_MOST ||
	    (log->page_size & (log->page_size - 1)))
		return 0;
	size = lseek(log->fd, 0, SEEK_END);
	if (size < 0)
		return -1;
	log->n = ((uint64_t)size - HEAD) / (FRAME_HEAD + log->page_size);
	return 1;
}

int fl_log_read(const char *database, uint32_t latest, struct fl_log_state *ret,
		fairlead_error *err)
{
	char path[FL_STORE_PATH + 8];
	struct log log = { .latest = latest };
	int r;

	*ret = (struct fl_log_state){ 0 };
	(void)snprintf(path, sizeof path, "%s-wal", database);
	FL_FD fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
	log.fd = fd;
	if (fd < 0)
		return errno == ENOENT ? 0 : fl_folder_fail(path, NULL, "read", err);
	r = read_head(&log, database);
	log.buffer = r > 0 ? malloc(FRAME_HEAD + log.page_size) : NULL;
	if (r > 0 && !log.buffer)
		return fl_fail_nomem(err);
	if (r > 0)
		r = log.has_head ? look_at_frames(&log, ret) : look_for_frames(&log, ret);
	ret->salts = (uint64_t)log.salts.a << 32 | log.salts.b;
	if (r < 0)
		r = fl_folder_fail(path, NULL, "read", err);
	free(log.buffer);
	return r < 0 ? r : 0;
}

/* --- at the start --- */

static int log_damaged(const char *database, const struct fl_log_state *state, fairlead_error *err)
{
	char path[FL_STORE_PATH + 8], what[32] = "head";

	(void)snprintf(path, sizeof path, "%s-wal", database);
	if (state->bad)
		(void)snprintf(what, sizeof what, "page %" PRIu64, state->bad);
	return fl_db_damaged(err, path,
			     "its %s does not match its checksum, and after it come %" PRIu64
			     " %s, of %" PRIu64 " commits",
			     what, state->behind, state->bad ? "more" : "pages",
			     state->behind_commits);
}

/* The count of transactions in the part that SQLite takes; 0: it cannot be read. */
static void compare_counts(struct fl_db *db, struct fl_log_state *state)
{
	struct fl_latest latest;

	if (state->counted && fl_latest_read(db, &latest, NULL) == 0 &&
	    state->counted > latest.commits + (state->bad != 0))
		state->is_damaged = true;
}

int fl_log_check(struct fl_db *db, struct fl_log_state *ret, fairlead_error *err)
{
	struct fl_log_state before;
	int64_t latest = 0;
	int r;

	/* If the schema cannot be read, another check reports that. */
	(void)fl_db_number(db, FL_SQL_ROOT_OF_LATEST, &latest, NULL);
	r = fl_log_read(db->path, (uint32_t)latest, ret, err);
	if (r < 0)
		return r;
	compare_counts(db, ret);
	if (!ret->is_damaged)
		return 0;
	/*
	 * While a daemon writes, a frame that was half written is complete by now, as later ones
	 * were; or the log was begun anew.
	 */
	before = *ret;
	r = fl_log_read(db->path, (uint32_t)latest, ret, err);
	if (r < 0)
		return r;
	compare_counts(db, ret);
	if (!ret->is_damaged || ret->bad != before.bad || ret->salts != before.salts) {
		*ret = (struct fl_log_state){ 0 };
		return 0;
	}
	return log_damaged(db->path, ret, err);
}
