/* SPDX-License-Identifier: Apache-2.0 */
#include "input/input.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/image.h"
#include "base/limits.h"
#include "input/unpack.h"

/* No shell gives a file such a name: MARK, number, blank, title. */
enum { MARK = '\037' };

char *fl_input_kept(int fd, const char *title)
{
	char *name = NULL;

	return asprintf(&name, "%c%d %s", MARK, fd, title) < 0 ? NULL : name;
}

bool fl_input_is_kept(const char *name) { return *name == MARK; }

const char *fl_input_title(const char *name)
{
	if (fl_input_is_kept(name))
		return name + strcspn(name, " ") + 1;
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

enum { HEAD = 1 << 12 };

struct fl_input {
	const char *title;
	int fd;
	struct fl_source source;
	size_t at, len; /* bytes in `head`, read to see whether it is packed */
	char head[HEAD];
	bool packed, blank; /* blank: only blanks so far */
	char first
		[FL_IMAGE_MAGIC]; /* the first unpacked bytes, which were read to know the format */
	size_t first_at, first_len;
	struct fl_unpack unpack;
};

static int too_large(fairlead_error *err)
{
	fl_fail(err, FAIRLEAD_ELIMIT, "larger than %lld GiB, the limit of one input",
		(long long)(FL_MAX_INPUT >> 30));
	fl_fail_hint(err, "give the objects in several files");
	return FAIRLEAD_ELIMIT;
}

/* --- reading: bytes of the file, then unpacked, then not only blanks --- */

static int read_fd(int fd, char *buffer, size_t size, size_t *ret, fairlead_error *err)
{
	char text[128];
	ssize_t n;

	do
		n = read(fd, buffer, size);
	while (n < 0 && errno == EINTR);
	if (n < 0)
		return fl_fail(err, FAIRLEAD_EIO, "cannot be read: %s",
			       fl_system_text(errno, text));
	*ret = (size_t)n;
	return 0;
}

static int read_raw(void *user, char *buffer, size_t size, size_t *ret, fairlead_error *err)
{
	struct fl_input *in = user;
	size_t left = in->len - in->at;

	if (left == 0)
		return read_fd(in->fd, buffer, size, ret, err);
	*ret = left < size ? left : size;
	memcpy(buffer, in->head + in->at, *ret);
	in->at += *ret;
	return 0;
}

int fl_input_descriptor(const char *name)
{
	static const char *const folders[] = { "/dev/fd/", "/proc/self/fd/" };

	for (size_t i = 0; i < sizeof(folders) / sizeof(*folders); i++) {
		size_t len = strlen(folders[i]), digits;

		if (strncmp(name, folders[i], len) != 0)
			continue;
		digits = strspn(name + len, "0123456789");
		if (digits > 0 && digits < 8 && !name[len + digits])
			return (int)strtol(name + len, NULL, 10);
	}
	return -1;
}

static bool is_blank(const char *bytes, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (!strchr(" \t\r\n", bytes[i]) || bytes[i] == '\0')
			return false;
	return true;
}

static int read_unpacked(struct fl_input *in, char *buffer, size_t size, size_t *ret,
			 fairlead_error *err)
{
	size_t left = in->first_len - in->first_at;

	if (left == 0)
		return in->packed ? in->unpack.source.read(&in->unpack, buffer, size, ret, err) :
				    read_raw(in, buffer, size, ret, err);
	*ret = left < size ? left : size;
	memcpy(buffer, in->first + in->first_at, *ret);
	in->first_at += *ret;
	return 0;
}

static int read_input(void *user, char *buffer, size_t size, size_t *ret, fairlead_error *err)
{
	struct fl_input *in = user;
	int rc = read_unpacked(in, buffer, size, ret, err);

	if (rc == 0 && in->blank) {
		in->blank = is_blank(buffer, *ret);
		if (*ret == 0)
			rc = fl_fail(err, FAIRLEAD_EINPUT, "is empty");
	}
	if (rc < 0)
		snprintf(err->file, sizeof(err->file), "%s", in->title);
	return rc;
}

/* --- life --- */

/* With an offset of its own where /proc is there, since a copy of this process may read it, too. */
static int open_kept(const char *name, int *ret_fd, fairlead_error *err)
{
	int fd = (int)strtol(name + 1, NULL, 10);
	char path[40], text[128];

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	*ret_fd = open(path, O_RDONLY | O_CLOEXEC);
	if (*ret_fd < 0)
		*ret_fd = fcntl(fd, F_DUPFD_CLOEXEC, 0);
	if (*ret_fd < 0 || lseek(*ret_fd, 0, SEEK_SET) < 0)
		return fl_fail(err, FAIRLEAD_EIO, "cannot be read again: %s",
			       fl_system_text(errno, text));
	return 0;
}

static int open_file(const char *name, int *ret_fd, fairlead_error *err)
{
	struct stat st;
	char text[128];

	if (fl_input_is_kept(name))
		return open_kept(name, ret_fd, err);

	if (strcmp(name, "-") == 0) {
		*ret_fd = STDIN_FILENO;
		if (fstat(STDIN_FILENO, &st) == 0 && S_ISDIR(st.st_mode))
			return fl_fail(err, FAIRLEAD_EINPUT, "is a folder");
		return 0;
	}
	/* A FIFO without a writer would block for ever in open. */
	if (stat(name, &st) < 0)
		return fl_fail(err, FAIRLEAD_EINPUT, "%s", fl_system_text(errno, text));
	if (S_ISFIFO(st.st_mode) && (*ret_fd = fl_input_descriptor(name)) >= 0) {
		/* Opening it would wait for a writer, and that may have ended. */
		*ret_fd = fcntl(*ret_fd, F_DUPFD_CLOEXEC, 0);
		return *ret_fd < 0 ?
			       fl_fail(err, FAIRLEAD_EINPUT, "%s", fl_system_text(errno, text)) :
			       0;
	}
	if (S_ISFIFO(st.st_mode)) {
		fl_fail(err, FAIRLEAD_EINPUT, "is a pipe, not a file");
		return fl_fail_hint(err, "give - for standard input and redirect the pipe there");
	}
	if (!S_ISREG(st.st_mode))
		return fl_fail(err, FAIRLEAD_EINPUT, "is not a regular file");
	if (st.st_size > FL_MAX_INPUT)
		return too_large(err);
	*ret_fd = open(name, O_RDONLY | O_CLOEXEC);
	return *ret_fd < 0 ? fl_fail(err, FAIRLEAD_EINPUT, "%s", fl_system_text(errno, text)) : 0;
}

/* Reads enough of it to see whether it is packed. */
static int read_head(struct fl_input *in, fairlead_error *err)
{
	int rc = 0;

	for (size_t n = 1; rc == 0 && n > 0 && in->len < 2; in->len += n)
		rc = read_fd(in->fd, in->head + in->len, HEAD - in->len, &n, err);
	if (rc < 0 || in->len < 2 || memcmp(in->head, "\x1f\x8b", 2) != 0)
		return rc;
	rc = fl_unpack_init(&in->unpack, &(struct fl_source){ read_raw, in }, err);
	in->packed = rc == 0;
	return rc;
}

int fl_input_open(const char *name, struct fl_input **ret, fairlead_error *err)
{
	struct fl_input *in = malloc(sizeof(*in));

	if (!in)
		return fl_fail_nomem(err);
	in->title = fl_input_title(name);
	in->fd = -1;
	in->source = (struct fl_source){ read_input, in };
	in->at = in->len = in->first_at = in->first_len = 0;
	in->packed = false;
	in->blank = true;
	int rc = open_file(name, &in->fd, err);
	if (rc == 0)
		rc = read_head(in, err);
	if (rc < 0) {
		fl_input_close(in);
		snprintf(err->file, sizeof(err->file), "%s", fl_input_title(name));
		return rc;
	}
	*ret = in;
	return 0;
}

int fl_input_is_image(struct fl_input *in, bool *ret, fairlead_error *err)
{
	size_t len = 0;
	int rc = 0;

	for (size_t n = 1; rc == 0 && n > 0 && len < sizeof(in->first); len += n)
		rc = read_unpacked(in, in->first + len, sizeof(in->first) - len, &n, err);
	if (rc < 0) {
		snprintf(err->file, sizeof(err->file), "%s", in->title);
		return rc;
	}
	in->first_len = len;
	*ret = len == sizeof(in->first) && fl_image_is(in->first);
	return 0;
}

const struct fl_source *fl_input_source(const struct fl_input *in) { return &in->source; }

struct fl_input *fl_input_close(struct fl_input *in)
{
	if (!in)
		return NULL;
	if (in->packed)
		fl_unpack_done(&in->unpack);
	if (in->fd >= 0 && in->fd != STDIN_FILENO)
		close(in->fd);
	free(in);
	return NULL;
}

/* --- whole files --- */

static int read_all(const struct fl_source *source, int64_t limit, struct fl_text *ret,
		    fairlead_error *err)
{
	struct fl_text t = { 0 };
	size_t cap = 0, n = 1;
	int rc = 0;

	while (rc == 0 && n > 0) {
		if (cap - t.len < 2) {
			size_t want = cap ? cap * 2 : 1 << 16;
			char *grown = realloc(t.bytes, want);

			if (!grown) {
				rc = fl_fail_nomem(err);
				break;
			}
			t.bytes = grown;
			cap = want;
		}
		rc = source->read(source->user, t.bytes + t.len, cap - 1 - t.len, &n, err);
		t.len += rc == 0 ? n : 0;
		if (rc == 0 && (int64_t)t.len > limit)
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

int fl_input_read(const char *name, struct fl_text *ret, fairlead_error *err)
{
	struct fl_input *in = NULL;
	int rc = fl_input_open(name, &in, err);

	if (rc == 0)
		rc = read_all(&in->source, FL_MAX_INPUT, ret, err);
	fl_input_close(in);
	return rc;
}

static int read_text(void *user, char *buffer, size_t size, size_t *ret, fairlead_error *err)
{
	struct fl_text *left = user;

	(void)err;
	*ret = left->len < size ? left->len : size;
	if (*ret)
		memcpy(buffer, left->bytes, *ret);
	left->bytes += *ret;
	left->len -= *ret;
	return 0;
}

int fl_gunzip(const struct fl_text *packed, int64_t limit, struct fl_text *ret, fairlead_error *err)
{
	struct fl_text left = *packed;
	struct fl_unpack u;
	int rc = fl_unpack_init(&u, &(struct fl_source){ read_text, &left }, err);

	if (rc < 0)
		return rc;
	rc = read_all(&u.source, limit, ret, err);
	fl_unpack_done(&u);
	return rc;
}
