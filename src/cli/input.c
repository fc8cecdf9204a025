/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/input.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include "base/limits.h"

const char *fl_input_title(const char *name)
{
	return strcmp(name, "-") == 0 ? "standard input" : name;
}

const char *fl_system_text(int code, char buffer[128])
{
	snprintf(buffer, 128, "%s", strerror(code));
	if (buffer[0] >= 'A' && buffer[0] <= 'Z')
		buffer[0] = (char)(buffer[0] - 'A' + 'a');
	return buffer;
}

void fl_text_done(struct fl_text *t)
{
	free(t->bytes);
	*t = (struct fl_text){ 0 };
}

/* Room for @need bytes and a NUL. */
static int reserve(struct fl_text *t, size_t *cap, size_t need, fairlead_error *err)
{
	size_t want = *cap ? *cap : 1 << 16;

	if (need < *cap)
		return 0;
	while (want <= need)
		want += want / 2;
	char *grown = realloc(t->bytes, want);
	if (!grown)
		return fl_fail_nomem(err);
	t->bytes = grown;
	*cap = want;
	return 0;
}

static int too_large(fairlead_error *err)
{
	fl_fail(err, FAIRLEAD_ELIMIT, "larger than %lld GiB, the limit of one input",
		(long long)(FL_MAX_INPUT >> 30));
	return fl_fail_hint(err, "give the objects in several files");
}

static int read_all(int fd, size_t expected, struct fl_text *ret, fairlead_error *err)
{
	struct fl_text t = { 0 };
	char text[128];
	size_t cap = 0;
	int rc = reserve(&t, &cap, expected, err);

	while (rc == 0) {
		rc = reserve(&t, &cap, t.len + 1, err);
		if (rc < 0)
			break;
		ssize_t n = read(fd, t.bytes + t.len, cap - 1 - t.len);
		if (n == 0)
			break;
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0) {
			rc = fl_fail(err, FAIRLEAD_EIO, "cannot be read: %s",
				     fl_system_text(errno, text));
			break;
		}
		t.len += (size_t)n;
		if ((int64_t)t.len > FL_MAX_INPUT)
			rc = too_large(err);
	}
	if (rc < 0) {
		fl_text_done(&t);
		return rc;
	}
	t.bytes[t.len] = '\0';
	*ret = t;
	return 0;
}

/* Next part of the packed bytes: zlib counts in 32 bits. */
static void feed(z_stream *z, const struct fl_text *packed, size_t *fed)
{
	size_t left = packed->len - *fed, part = left < (1U << 30) ? left : 1U << 30;

	z->next_in = (Bytef *)packed->bytes + *fed;
	z->avail_in = (uInt)part;
	*fed += part;
}

static int unpack(z_stream *z, const struct fl_text *packed, int64_t limit, struct fl_text *t,
		  fairlead_error *err)
{
	size_t cap = 0, fed = 0;

	for (;;) {
		if (z->avail_in == 0 && fed < packed->len)
			feed(z, packed, &fed);
		int rc = reserve(t, &cap, t->len + (1 << 15), err);
		if (rc < 0)
			return rc;
		size_t room = cap - 1 - t->len;
		z->avail_out = (uInt)(room < (1U << 30) ? room : 1U << 30);
		uInt before = z->avail_out;
		z->next_out = (Bytef *)t->bytes + t->len;
		int did = inflate(z, Z_NO_FLUSH);
		t->len += before - z->avail_out;
		if ((int64_t)t->len > limit)
			return too_large(err);
		if (did == Z_STREAM_END) {
			if (z->avail_in == 0 && fed == packed->len)
				return 0;
			/* gzip files may be written one after another. */
			if (inflateReset(z) != Z_OK)
				return fl_fail_nomem(err);
			continue;
		}
		if (did == Z_MEM_ERROR)
			return fl_fail_nomem(err);
		if (did == Z_BUF_ERROR ||
		    (did == Z_OK && z->avail_in == 0 && fed == packed->len && z->avail_out))
			return fl_fail(err, FAIRLEAD_EINPUT, "the gzip data ends too early");
		if (did != Z_OK)
			return fl_fail(err, FAIRLEAD_EINPUT, "the gzip data is damaged");
	}
}

int fl_gunzip(const struct fl_text *packed, int64_t limit, struct fl_text *ret, fairlead_error *err)
{
	struct fl_text t = { 0 };
	z_stream z = { 0 };

	if (inflateInit2(&z, 16 + MAX_WBITS) != Z_OK)
		return fl_fail_nomem(err);
	int rc = unpack(&z, packed, limit, &t, err);
	inflateEnd(&z);
	if (rc < 0) {
		fl_text_done(&t);
		return rc;
	}
	t.bytes[t.len] = '\0';
	*ret = t;
	return 0;
}

static int open_file(const char *name, int *ret_fd, size_t *ret_size, fairlead_error *err)
{
	struct stat st;
	char text[128];

	if (strcmp(name, "-") == 0) {
		*ret_fd = STDIN_FILENO;
		if (fstat(STDIN_FILENO, &st) == 0 && S_ISDIR(st.st_mode))
			return fl_fail(err, FAIRLEAD_EINPUT, "is a folder");
		return 0;
	}
	/* A FIFO without a writer would block for ever in open. */
	if (stat(name, &st) < 0)
		return fl_fail(err, FAIRLEAD_EINPUT, "%s", fl_system_text(errno, text));
	if (S_ISFIFO(st.st_mode)) {
		fl_fail(err, FAIRLEAD_EINPUT, "is a pipe, not a file");
		return fl_fail_hint(err, "give - for standard input and redirect the pipe there");
	}
	if (!S_ISREG(st.st_mode))
		return fl_fail(err, FAIRLEAD_EINPUT, "is not a regular file");
	if (st.st_size > FL_MAX_INPUT)
		return too_large(err);
	*ret_size = (size_t)st.st_size;
	*ret_fd = open(name, O_RDONLY | O_CLOEXEC);
	return *ret_fd < 0 ? fl_fail(err, FAIRLEAD_EINPUT, "%s", fl_system_text(errno, text)) : 0;
}

static bool is_gzip(const struct fl_text *t)
{
	return t->len >= 2 && (unsigned char)t->bytes[0] == 0x1f &&
	       (unsigned char)t->bytes[1] == 0x8b;
}

static int read_and_unpack(const char *name, struct fl_text *ret, fairlead_error *err)
{
	size_t size = 0;
	struct fl_text t = { 0 };
	int fd = -1;

	int rc = open_file(name, &fd, &size, err);
	if (rc < 0)
		return rc;
	rc = read_all(fd, size, &t, err);
	if (fd != STDIN_FILENO)
		close(fd);
	if (rc == 0 && is_gzip(&t)) {
		struct fl_text packed = t;

		t = (struct fl_text){ 0 };
		rc = fl_gunzip(&packed, FL_MAX_INPUT, &t, err);
		fl_text_done(&packed);
	}
	if (rc == 0 && t.len == strspn(t.bytes, " \t\r\n")) {
		fl_text_done(&t);
		return fl_fail(err, FAIRLEAD_EINPUT, "is empty");
	}
	if (rc == 0)
		*ret = t;
	return rc;
}

int fl_input_read(const char *name, struct fl_text *ret, fairlead_error *err)
{
	int rc = read_and_unpack(name, ret, err);

	if (rc < 0)
		snprintf(err->file, sizeof(err->file), "%s", fl_input_title(name));
	return rc;
}
