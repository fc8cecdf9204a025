/* SPDX-License-Identifier: Apache-2.0 */
#include "kube/config_file.h"

#include <errno.h>
#include <fcntl.h>
#include <pwd.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fd.h"
#include "base/limits.h"

/* --- texts --- */

const char *fl_kube_copy(struct fl_arena *arena, const char *text, size_t len, fairlead_error *err)
{
	char *ret = fl_arena_alloc(arena, len + 1, 1, err);

	if (ret)
		memcpy(ret, text, len);
	return ret;
}

const char *fl_kube_print(struct fl_arena *arena, fairlead_error *err, const char *format, ...)
{
	va_list args, again;
	char *ret;
	int n;

	va_start(args, format);
	va_copy(again, args);
	n = vsnprintf(NULL, 0, format, args);
	ret = fl_arena_alloc(arena, (size_t)n + 1, 1, err);
	if (ret)
		vsnprintf(ret, (size_t)n + 1, format, again);
	va_end(again);
	va_end(args);
	return ret;
}

/* --- bytes --- */

static int fail_file(const char *path, const char *what, fairlead_error *err)
{
	int why = errno;

	fl_fail(err, FAIRLEAD_EIO, "%s: %s", what, strerror(why));
	if (err)
		snprintf(err->file, sizeof err->file, "%s", path);
	errno = why;
	return FAIRLEAD_EIO;
}

static int too_long(const char *path, size_t limit, fairlead_error *err)
{
	fl_fail(err, FAIRLEAD_ELIMIT, "has more than %zu bytes", limit);
	if (err)
		snprintf(err->file, sizeof err->file, "%s", path);
	return FAIRLEAD_ELIMIT;
}

int fl_kube_file_bytes(const char *path, size_t limit, struct fl_arena *arena, char **ret,
		       size_t *ret_len, fairlead_error *err)
{
	FL_FD fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
	char *bytes = NULL;
	uint32_t cap = 0;
	size_t len = 0;
	ssize_t n = 1;
	int rc = fd < 0 ? fail_file(path, "cannot be opened", err) : 0;

	while (rc == 0 && n > 0) {
		rc = fl_mem_grow(&fl_mem_heap, &bytes, &cap, (uint32_t)len + 4096, 1, err);
		if (rc < 0)
			break;
		n = read(fd, bytes + len, cap - len);
		if (n < 0 && errno == EINTR)
			n = 1;
		else if (n < 0)
			rc = fail_file(path, "cannot be read", err);
		else
			len += (size_t)n;
		if (rc == 0 && len > limit)
			rc = too_long(path, limit, err);
	}
	if (rc == 0) {
		*ret = (char *)fl_kube_copy(arena, bytes, len, err);
		*ret_len = len;
		rc = *ret ? 0 : FAIRLEAD_ENOMEM;
	}
	fl_mem_free(&fl_mem_heap, bytes);
	return rc;
}

/* --- files --- */

/* What the reader quotes of a file may be a secret, where a line is written wrongly; one character is none. */
static void leave_out_quoted(char *text, size_t size)
{
	char *at = strchr(text, '\'');
	const char *until = at ? strrchr(at + 1, '\'') : NULL;

	if (!at || (until && until - at <= 3))
		return;
	while (at > text && at[-1] == ' ')
		at--;
	*at = '\0';
	if (at == text)
		(void)snprintf(text, size, "the YAML is wrong here");
}

/* A document may be followed by others, which do not count. */
static int parse(struct fl_kube_file *file, const char *text, size_t len, fairlead_error *err)
{
	struct fl_reader *reader = NULL;
	struct fl_token t;
	int rc = fl_reader_new(&fl_mem_heap, text, len, &reader, err);

	if (rc == 0)
		rc = fl_reader_next(reader, &t, err);
	if (rc == 0 && t.kind == FL_TOKEN_DOCUMENT)
		rc = fl_reader_next(reader, &t, err);
	if (rc == 0 && t.kind == FL_TOKEN_MAP)
		rc = fl_doc_read(&file->doc, reader, &t, err);
	else if (rc == 0 && t.kind != FL_TOKEN_END &&
		 !(t.kind == FL_TOKEN_SCALAR && t.type == FL_SCALAR_NULL))
		rc = fl_fail(err, FAIRLEAD_EINPUT, "this is not a kubeconfig: it is no map");
	fl_reader_free(reader);
	if (rc < 0 && err)
		leave_out_quoted(err->text, sizeof err->text);
	if (rc < 0 && err)
		snprintf(err->file, sizeof err->file, "%s", file->path);
	return rc;
}

/* @may_lack: one that does not exist is left out. */
static int read_file(struct fl_kube_files *f, const char *path, size_t path_len, bool may_lack,
		     fairlead_error *err)
{
	struct fl_kube_file *file = &f->items[f->n];
	const char *slash;
	char *text;
	size_t len;

	file->path = fl_kube_copy(f->arena, path, path_len, err);
	if (!file->path)
		return FAIRLEAD_ENOMEM;
	slash = strrchr(file->path, '/');
	file->folder = fl_kube_copy(f->arena, file->path,
				    slash ? (size_t)(slash + 1 - file->path) : 0, err);
	if (!file->folder)
		return FAIRLEAD_ENOMEM;
	int rc = fl_kube_file_bytes(file->path, FL_MAX_KUBECONFIG, f->arena, &text, &len, err);

	if (rc == FAIRLEAD_EIO && may_lack && (errno == ENOENT || errno == ENOTDIR))
		return 0;
	if (rc < 0)
		return rc;
	fl_doc_init(&file->doc, &fl_mem_heap);
	f->n++;
	return parse(file, text, len, err);
}

/* Names between colons; empty ones are left out. */
static int read_list(struct fl_kube_files *f, const char *list, fairlead_error *err)
{
	int rc = 0;

	for (const char *at = list; rc == 0 && *at;) {
		size_t len = strcspn(at, ":");

		if (len && f->n == FL_MAX_KUBECONFIGS)
			return fl_fail(err, FAIRLEAD_ELIMIT, "$KUBECONFIG names more than %d files",
				       FL_MAX_KUBECONFIGS);
		if (len)
			rc = read_file(f, at, len, /* may_lack= */ true, err);
		at += len;
		at += *at == ':';
	}
	return rc;
}

static const char *home(void)
{
	const char *said = getenv("HOME");
	const struct passwd *user = said && *said ? NULL : getpwuid(getuid());

	return said && *said ? said : user ? user->pw_dir : "";
}

int fl_kube_files_read(struct fl_kube_files *f, const struct fl_kube_choice *choice,
		       struct fl_arena *arena, fairlead_error *err)
{
	const char *list = getenv("KUBECONFIG"), *usual;

	*f = (struct fl_kube_files){ .arena = arena };
	if (!FL_NEW(arena, f->items, FL_MAX_KUBECONFIGS, err))
		return FAIRLEAD_ENOMEM;
	if (choice->kubeconfig) {
		f->looked_at = choice->kubeconfig;
		return read_file(f, choice->kubeconfig, strlen(choice->kubeconfig),
				 /* may_lack= */ false, err);
	}
	if (list && *list) {
		f->looked_at = fl_kube_print(arena, err, "$KUBECONFIG, which is %.200s", list);
		return f->looked_at ? read_list(f, list, err) : FAIRLEAD_ENOMEM;
	}
	usual = f->looked_at = fl_kube_print(arena, err, "%s/.kube/config", home());
	return usual ? read_file(f, usual, strlen(usual), /* may_lack= */ true, err) :
		       FAIRLEAD_ENOMEM;
}

void fl_kube_files_done(struct fl_kube_files *f)
{
	for (uint32_t i = 0; i < f->n; i++)
		fl_doc_done(&f->items[i].doc);
	f->n = 0;
}
