/* SPDX-License-Identifier: Apache-2.0 */
#include "kube/config_said.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/base64.h"
#include "base/limits.h"

static const struct fl_value *value(struct fl_said s) { return &s.file->doc.values[s.v]; }

static bool is_scalar(struct fl_said s) { return value(s)->kind == FL_TOKEN_SCALAR; }

static bool is_null(struct fl_said s) { return is_scalar(s) && value(s)->type == FL_SCALAR_NULL; }

struct fl_said fl_said_get(struct fl_said map, const char *key)
{
	struct fl_said s = { map.file, FL_NONE };

	if (map.v != FL_NONE && map.file->doc.n > 0)
		s.v = fl_doc_find(&map.file->doc, map.v, key);
	if (s.v != FL_NONE && is_null(s))
		s.v = FL_NONE;
	return s;
}

const char *fl_said_text(struct fl_said s)
{
	return fl_said_is(s) && is_scalar(s) ? fl_doc_text(&s.file->doc, s.v) : "";
}

int fl_said_wrong(struct fl_said s, int code, fairlead_error *err, const char *format, ...)
{
	char text[sizeof err->text], path[160];
	va_list args;

	va_start(args, format);
	(void)vsnprintf(text, sizeof text, format, args);
	va_end(args);
	fl_fail(err, code, "%s", text);
	if (!err || !s.file)
		return code;
	(void)snprintf(err->file, sizeof err->file, "%s", s.file->path);
	if (!fl_said_is(s))
		return code;
	err->line = value(s)->line;
	err->column = value(s)->column;
	return fl_fail_in(err, "%s", fl_doc_path(&s.file->doc, s.v, path, sizeof path));
}

/* --- lists of things with names --- */

/* The items of list @key of a file: from *at on, while they are below the end that is returned. */
static uint32_t items(struct fl_said list, uint32_t *at)
{
	if (!fl_said_is(list) || value(list)->kind != FL_TOKEN_LIST)
		return *at = 0;
	*at = list.v + 1;
	return value(list)->next;
}

/* That of the first @file which has it; a second one in the same file is an error. */
static int named_in(const struct fl_kube_file *file, const char *list, const char *name,
		    struct fl_said *ret, fairlead_error *err)
{
	struct fl_said all = fl_said_get((struct fl_said){ file, 0 }, list);
	struct fl_said s = { file, 0 };

	if (fl_said_is(all) && value(all)->kind != FL_TOKEN_LIST)
		return fl_said_wrong(all, FAIRLEAD_EINPUT, err, "is not a list");
	for (uint32_t end = items(all, &s.v); s.v < end; s.v = value(s)->next) {
		struct fl_said its = fl_said_get(s, "name");

		if (strcmp(fl_said_text(its), name) != 0 || !fl_said_is(its))
			continue;
		if (fl_said_is(*ret))
			return fl_said_wrong(its, FAIRLEAD_EINPUT, err,
					     "a second one of this name in one file; the first is "
					     "in line %u",
					     value(*ret)->line);
		*ret = s;
	}
	return 0;
}

int fl_said_named(const struct fl_kube_files *f, const char *list, const char *key,
		  const char *name, struct fl_said *ret, fairlead_error *err)
{
	struct fl_said item = { NULL, FL_NONE };
	int rc = 0;

	for (uint32_t i = 0; i < f->n && rc == 0 && !fl_said_is(item); i++)
		if (f->items[i].doc.n > 0)
			rc = named_in(&f->items[i], list, name, &item, err);
	if (rc < 0)
		return rc;
	*ret = fl_said_is(item) ? fl_said_get(item, key) : item;
	if (fl_said_is(item) && !fl_said_is(*ret))
		return fl_said_wrong(item, FAIRLEAD_EINPUT, err, "it has no %s", key);
	return 0;
}

void fl_said_names(const struct fl_kube_files *f, const char *list,
		   void (*each)(void *user, const char *name), void *user)
{
	for (uint32_t i = 0; i < f->n; i++) {
		struct fl_said s = { &f->items[i], 0 };
		struct fl_said all = fl_said_get(s, list);

		for (uint32_t end = items(all, &s.v); s.v < end; s.v = value(s)->next)
			each(user, fl_said_text(fl_said_get(s, "name")));
	}
}

/* --- forms --- */

/* No control characters: the text goes into a header, a URL or a message. */
static int read_text(struct fl_said s, const char **ret, struct fl_arena *arena,
		     fairlead_error *err)
{
	const char *text = fl_said_text(s);

	if (!is_scalar(s))
		return fl_said_wrong(s, FAIRLEAD_EINPUT, err, "is not a text");
	for (const char *at = text; *at; at++)
		if ((unsigned char)*at < ' ' || *at == 0x7f)
			return fl_said_wrong(s, FAIRLEAD_EINPUT, err, "has a control character");
	*ret = fl_kube_copy(arena, text, strlen(text), err);
	return *ret ? 0 : FAIRLEAD_ENOMEM;
}

static int read_lines(struct fl_said s, const char **ret, struct fl_arena *arena,
		      fairlead_error *err)
{
	if (!is_scalar(s))
		return fl_said_wrong(s, FAIRLEAD_EINPUT, err, "is not a text");
	*ret = fl_kube_copy(arena, fl_said_text(s), value(s)->len, err);
	return *ret ? 0 : FAIRLEAD_ENOMEM;
}

static int read_path(struct fl_said s, const char **ret, struct fl_arena *arena,
		     fairlead_error *err)
{
	const char *path = NULL;
	int rc = read_text(s, &path, arena, err);

	if (rc < 0)
		return rc;
	*ret = *path == '/' ? path : fl_kube_print(arena, err, "%s%s", s.file->folder, path);
	return *ret ? 0 : FAIRLEAD_ENOMEM;
}

static int read_bytes(struct fl_said s, struct fl_kube_pem *ret, struct fl_arena *arena,
		      fairlead_error *err)
{
	const char *text = fl_said_text(s);
	char *bytes = fl_arena_alloc(arena, strlen(text) + 1, 1, err);

	if (!bytes)
		return FAIRLEAD_ENOMEM;
	if (!is_scalar(s) || !fl_base64_read(text, bytes, &ret->len))
		return fl_said_wrong(s, FAIRLEAD_EINPUT, err, "is not base64");
	ret->bytes = bytes;
	return 0;
}

static int read_flag(struct fl_said s, bool *ret, fairlead_error *err)
{
	if (!is_scalar(s) || value(s)->type != FL_SCALAR_BOOL)
		return fl_said_wrong(s, FAIRLEAD_EINPUT, err, "is neither true nor false");
	*ret = strchr("tT", *fl_said_text(s)) != NULL;
	return 0;
}

static int read_field(struct fl_said s, enum fl_said_form form, void *to, struct fl_arena *arena,
		      fairlead_error *err)
{
	switch (form) {
	case FL_SAID_TEXT:
		return read_text(s, to, arena, err);
	case FL_SAID_LINES:
		return read_lines(s, to, arena, err);
	case FL_SAID_PATH:
		return read_path(s, to, arena, err);
	case FL_SAID_BYTES:
		return read_bytes(s, to, arena, err);
	default:
		return read_flag(s, to, err);
	}
}

int fl_said_fields(struct fl_said map, const struct fl_said_field *fields, void *row,
		   struct fl_arena *arena, fairlead_error *err)
{
	int rc = 0;

	if (value(map)->kind != FL_TOKEN_MAP)
		return fl_said_wrong(map, FAIRLEAD_EINPUT, err, "is not a map");
	for (const struct fl_said_field *f = fields; f->name && rc == 0; f++) {
		struct fl_said s = fl_said_get(map, f->name);

		if (fl_said_is(s) && !(is_scalar(s) && value(s)->len == 0))
			rc = read_field(s, f->form, (char *)row + f->to, arena, err);
	}
	return rc;
}

int fl_said_texts(struct fl_said list, struct fl_arena *arena, const char ***ret, uint32_t *ret_n,
		  fairlead_error *err)
{
	struct fl_said s = { list.file, 0 };
	uint32_t n = 0, end;
	int rc = 0;

	*ret_n = 0;
	if (fl_said_is(list) && value(list)->kind != FL_TOKEN_LIST)
		return fl_said_wrong(list, FAIRLEAD_EINPUT, err, "is not a list");
	for (end = items(list, &s.v); s.v < end; s.v = value(s)->next)
		n++;
	if (!FL_NEW(arena, *ret, n + 1, err))
		return FAIRLEAD_ENOMEM;
	for (end = items(list, &s.v); s.v < end && rc == 0; s.v = value(s)->next)
		rc = read_text(s, &(*ret)[(*ret_n)++], arena, err);
	return rc;
}
