/* SPDX-License-Identifier: Apache-2.0 */
#include "case.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "base/amount.h"
#include "base/time.h"
#include "codec/object/kube.h"
#include "codec/text/reader.h"

static void *grow(void *old, size_t size)
{
	void *ptr = realloc(old, size);

	if (!ptr) {
		fputs("out of memory\n", stderr);
		exit(3);
	}
	return ptr;
}

int case_open(struct case_file *f, const char *name, fairlead_error *err)
{
	*f = (struct case_file){ .name = name };
	f->gz = gzopen(name, "rb"); /* reads plain files as they are */
	if (!f->gz)
		return fl_fail(err, FAIRLEAD_EIO, "cannot open '%s'", name);
	gzbuffer(f->gz, 1 << 18);
	return 0;
}

void case_close(struct case_file *f)
{
	if (f->gz)
		gzclose(f->gz);
	free(f->line);
	*f = (struct case_file){ .gz = NULL };
}

/* One line however long; false at the end of the file. */
static bool read_line(struct case_file *f)
{
	f->len = 0;
	for (;;) {
		if (f->cap - f->len < 1 << 16) {
			f->cap = f->cap ? f->cap * 2 : 1 << 18;
			f->line = grow(f->line, f->cap);
		}
		if (!gzgets(f->gz, f->line + f->len, 1 << 16))
			break;
		f->len += strlen(f->line + f->len);
		if (f->len && f->line[f->len - 1] == '\n') {
			f->line[--f->len] = '\0';
			return true;
		}
	}
	return f->len > 0;
}

int case_next(struct case_file *f, fairlead_error *err)
{
	while (read_line(f)) {
		f->number++;
		if (f->len && strspn(f->line, " \t\r") < f->len)
			return 1;
	}
	int code = Z_OK;
	const char *text = gzerror(f->gz, &code);

	if (code != Z_OK && code != Z_STREAM_END)
		return fl_fail(err, FAIRLEAD_EIO, "cannot read '%s': %s", f->name, text);
	return 0;
}

/* Pass over one value; a container's bytes are [start, end) of the line. */
static int take_value(struct fl_reader *r, const char *line, struct case_text *ret,
		      fairlead_error *err)
{
	struct fl_token t;
	unsigned depth = 0;
	size_t start = 0;
	int rc;

	for (;;) {
		rc = fl_reader_next(r, &t, err);
		if (rc < 0)
			return rc;
		if (!start)
			start = t.column;
		if (t.kind == FL_TOKEN_MAP || t.kind == FL_TOKEN_LIST)
			depth++;
		else if (t.kind == FL_TOKEN_MAP_END || t.kind == FL_TOKEN_LIST_END)
			depth--;
		if (!depth)
			break;
	}
	if (t.kind == FL_TOKEN_SCALAR)
		*ret = (struct case_text){ .text = NULL };
	else
		*ret = (struct case_text){ line + start - 1, t.column - start + 1 };
	return 0;
}

static int take_scalar(struct fl_reader *r, struct fl_token *t, fairlead_error *err)
{
	int rc = fl_reader_next(r, t, err);

	if (rc < 0)
		return rc;
	if (t->kind != FL_TOKEN_SCALAR)
		return fl_fail(err, FAIRLEAD_EINPUT, "a scalar is wanted");
	return 0;
}

static int take_text(struct fl_reader *r, char *ret, size_t size, fairlead_error *err)
{
	struct fl_token t;
	int rc = take_scalar(r, &t, err);

	if (rc < 0)
		return rc;
	if (t.len >= size)
		return fl_fail(err, FAIRLEAD_EINPUT, "'%.*s' is too long", (int)t.len, t.text);
	memcpy(ret, t.text, t.len);
	ret[t.len] = '\0';
	return 0;
}

static int take_number(struct fl_reader *r, long *ret, fairlead_error *err)
{
	char text[32];
	int rc = take_text(r, text, sizeof text, err);

	if (rc == 0)
		*ret = strtol(text, NULL, 10);
	return rc;
}

static int take_time(struct fl_reader *r, fl_time *ret, fairlead_error *err)
{
	char text[40];
	int rc = take_text(r, text, sizeof text, err);

	return rc < 0 ? rc : fl_time_parse(text, strlen(text), ret, err);
}

typedef int take_key(struct fl_reader *r, const char *key, void *to, fairlead_error *err);

/* A map: @take is called after each key and must consume its value. */
static int take_map(struct fl_reader *r, take_key *take, void *to, fairlead_error *err)
{
	struct fl_token t;
	int rc = fl_reader_next(r, &t, err);

	if (rc < 0)
		return rc;
	if (t.kind == FL_TOKEN_SCALAR && t.type == FL_SCALAR_NULL)
		return 0;
	if (t.kind != FL_TOKEN_MAP)
		return fl_fail(err, FAIRLEAD_EINPUT, "an object is wanted");
	while ((rc = fl_reader_next(r, &t, err)) == 0 && t.kind == FL_TOKEN_KEY) {
		char key[64];

		if (t.len >= sizeof key)
			return fl_fail(err, FAIRLEAD_EINPUT, "unknown key");
		memcpy(key, t.text, t.len);
		key[t.len] = '\0';
		rc = take(r, key, to, err);
		if (rc < 0)
			return rc;
	}
	return rc;
}

struct row_target {
	struct case_row *row;
	const char *line;
};

static int take_config_key(struct fl_reader *r, const char *key, void *to, fairlead_error *err)
{
	const struct row_target *target = to;
	struct case_row *c = target->row;
	long number = 0;
	int rc;

	if (strcmp(key, "now") == 0)
		return take_time(r, &c->now, err);
	if (strcmp(key, "fairSharing") == 0)
		return take_value(r, target->line, &c->fair_sharing, err);
	if (strcmp(key, "admissionFairSharing") == 0)
		return take_value(r, target->line, &c->admission_fair_sharing, err);
	if (strcmp(key, "maxCycles") == 0) {
		rc = take_number(r, &number, err);
		c->max_cycles = (uint32_t)number;
		return rc;
	}
	if (strcmp(key, "cycleIntervalSeconds") == 0) {
		rc = take_number(r, &number, err);
		c->interval = fl_sat_mul(number, FL_SECOND);
		return rc;
	}
	return fl_reader_skip(r, err);
}

static int take_row_key(struct fl_reader *r, const char *key, void *to, fairlead_error *err)
{
	struct row_target *target = to;
	struct case_row *c = target->row;

	if (strcmp(key, "id") == 0)
		return take_text(r, c->id, sizeof c->id, err);
	if (strcmp(key, "suite") == 0)
		return take_text(r, c->suite, sizeof c->suite, err);
	if (strcmp(key, "kind") == 0)
		return take_text(r, c->kind, sizeof c->kind, err);
	if (strcmp(key, "config") == 0)
		return take_map(r, take_config_key, target, err);
	if (strcmp(key, "objects") == 0)
		return take_value(r, target->line, &c->objects, err);
	if (strcmp(key, "early") == 0)
		return take_value(r, target->line, &c->early, err);
	if (strcmp(key, "late") == 0)
		return take_value(r, target->line, &c->late, err);
	if (strcmp(key, "queues") == 0)
		return take_value(r, target->line, &c->queues, err);
	if (strcmp(key, "expected") == 0)
		return take_value(r, target->line, &c->expected, err);
	return fl_reader_skip(r, err);
}

static int parse_row(struct fl_reader *r, struct row_target *to, fairlead_error *err)
{
	struct fl_token t;
	int rc = fl_reader_next(r, &t, err);

	if (rc < 0)
		return rc;
	if (t.kind != FL_TOKEN_DOCUMENT)
		return fl_fail(err, FAIRLEAD_EINPUT, "an object is wanted");
	rc = take_map(r, take_row_key, to, err);
	if (rc < 0)
		return rc;
	if ((!to->row->objects.text && !to->row->kind[0] && !to->row->queues.text) ||
	    !to->row->id[0])
		return fl_fail(err, FAIRLEAD_EINPUT, "a case needs 'id' and 'objects'");
	if (!to->row->objects.text)
		to->row->objects = (struct case_text){ "[]", 2 };
	return 0;
}

int case_parse(const char *line, size_t len, struct case_row *ret, fairlead_error *err)
{
	struct case_row row = { .max_cycles = 1, .interval = FL_SECOND, .now = FL_TIME_NONE };
	/* Places do not count byte order marks, but the bytes of the line do. */
	size_t mark = 0;

	while (len - mark >= 3 && memcmp(line + mark, "\xef\xbb\xbf", 3) == 0)
		mark += 3;
	struct row_target to = { &row, line + mark };
	struct fl_reader *r;
	int rc = fl_reader_new(&fl_mem_heap, line + mark, len - mark, &r, err);

	if (rc < 0)
		return rc;
	rc = parse_row(r, &to, err);
	fl_reader_free(r);
	if (rc == 0)
		*ret = row;
	return rc;
}

static char *append(char *to, const char *text, size_t len)
{
	memcpy(to, text, len);
	return to + len;
}

/* One part of the Configuration, as it stands in the case. */
static char *append_part(char *to, const char *key, const struct case_text *part)
{
	if (!part->text)
		return to;
	to = append(to, key, strlen(key));
	return append(to, part->text, part->len);
}

char *case_list(const struct case_row *c, const struct case_text *objects, size_t *ret_len)
{
	static const char head[] = "{\"apiVersion\":\"v1\",\"kind\":\"List\",\"items\":["
				   "{\"apiVersion\":\"config.kueue.x-k8s.io/v1beta2\","
				   "\"kind\":\"Configuration\"";
	static const char fair[] = ",\"fairSharing\":", afs[] = ",\"admissionFairSharing\":";
	const char *rest = objects->text + 1; /* behind the bracket */
	char *list, *at;

	list = grow(NULL, sizeof head + sizeof fair + sizeof afs + c->fair_sharing.len +
				  c->admission_fair_sharing.len + objects->len + 4);
	at = append(list, head, sizeof head - 1);
	at = append_part(at, fair, &c->fair_sharing);
	at = append_part(at, afs, &c->admission_fair_sharing);
	*at++ = '}';
	if (rest[strspn(rest, " \t\r\n")] != ']')
		*at++ = ',';
	at = append(at, rest, objects->len - 1);
	*at++ = '}';
	*at = '\0';
	*ret_len = (size_t)(at - list);
	return list;
}

int case_model(const struct case_row *c, const struct fl_mem *mem, const char *list, size_t len,
	       struct fl_model **ret, fairlead_error *err)
{
	struct fl_model *m;
	int rc = fl_model_new(mem, &m, err);

	if (rc < 0)
		return rc;
	rc = fl_kube_read(m, c->id, list, len, err);
	if (rc < 0) {
		fl_model_free(m);
		return rc;
	}
	*ret = m;
	return 0;
}

void case_complain(const struct case_file *f, const fairlead_error *err)
{
	fprintf(stderr, "%s:%lu: error: %s%s%s\n", f->name, f->number, err->subject,
		err->subject[0] ? ": " : "", err->text);
}
