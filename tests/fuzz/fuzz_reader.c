/* SPDX-License-Identifier: Apache-2.0 */
#include "fuzz/fuzz_reader.h"

#include <string.h>

#include "base/limits.h"
#include "codec/text/doc.h"
#include "codec/text/format.h"
#include "lib/fail_mem.h"

struct state {
	bool is_map[FL_MAX_DEPTH + 1]; /* by depth, 1-based */
	uint32_t depth;
	bool in_document, want_value; /* a key, or a document, was last */
	uint32_t line, column;        /* of the token before */
};

static void check_text(const struct fl_token *t)
{
	const char *at = t->text, *end = t->text + t->len;

	ENSURE(t->len <= FL_MAX_TEXT);
	while (at < end) {
		size_t n = fl_utf8_sequence(at, end);

		ENSURE(n > 0 && *at != '\0');
		at += n;
	}
}

static void value_begins(struct state *s)
{
	ENSURE(s->in_document);
	if (s->depth && s->is_map[s->depth])
		ENSURE(s->want_value);
	if (!s->depth)
		ENSURE(s->want_value); /* one value a document */
	s->want_value = false;
}

static void check_nesting(struct state *s, const struct fl_token *t)
{
	switch (t->kind) {
	case FL_TOKEN_END:
	case FL_TOKEN_DOCUMENT:
		ENSURE(s->depth == 0 && !(s->in_document && s->want_value));
		s->in_document = s->want_value = t->kind == FL_TOKEN_DOCUMENT;
		break;
	case FL_TOKEN_MAP:
	case FL_TOKEN_LIST:
		value_begins(s);
		ENSURE(s->depth < FL_MAX_DEPTH);
		s->is_map[++s->depth] = t->kind == FL_TOKEN_MAP;
		break;
	case FL_TOKEN_MAP_END:
	case FL_TOKEN_LIST_END:
		ENSURE(s->depth && s->is_map[s->depth] == (t->kind == FL_TOKEN_MAP_END));
		ENSURE(!s->want_value);
		s->depth--;
		break;
	case FL_TOKEN_KEY:
		ENSURE(s->depth && s->is_map[s->depth] && !s->want_value);
		s->want_value = true;
		check_text(t);
		break;
	case FL_TOKEN_SCALAR:
		value_begins(s);
		ENSURE(t->type <= FL_SCALAR_STRING);
		check_text(t);
		break;
	}
}

static void check_place(struct state *s, const struct fl_token *t, uint32_t lines, size_t size,
			bool forward)
{
	ENSURE(t->line >= 1 && t->line <= lines && t->column >= 1 && t->column <= size + 1);
	if (forward)
		ENSURE(t->line > s->line || (t->line == s->line && t->column >= s->column));
	s->line = t->line;
	s->column = t->column;
}

static void mix(struct fuzz_outcome *o, const void *bytes, size_t n)
{
	o->hash = (o->hash ^ fuzz_hash(bytes, n)) * UINT64_C(0x100000001b3);
}

/* The text in pieces of @most bytes at most. */
struct pieces {
	const char *at, *end;
	size_t most;
	bool over;
};

static int next_piece(void *user, char *buffer, size_t size, size_t *ret, fairlead_error *err)
{
	struct pieces *p = user;
	size_t left = (size_t)(p->end - p->at), n = size < p->most ? size : p->most;

	(void)err;
	ENSURE(size > 0 && !p->over); /* 0 is said once */
	*ret = left < n ? left : n;
	p->over = *ret == 0;
	memcpy(buffer, p->at, *ret);
	p->at += *ret;
	return 0;
}

/* @most 0: all at once. */
static int open_text(const struct fl_mem *mem, struct pieces *p, struct fl_reader **ret,
		     fairlead_error *err)
{
	struct fl_source source = { .read = next_piece, .user = p };

	return p->most ? fl_reader_open(mem, &source, ret, err) :
			 fl_reader_new(mem, p->at, (size_t)(p->end - p->at), ret, err);
}

static struct fuzz_outcome read_all(const struct fl_mem *mem, struct pieces pieces, uint32_t lines,
				    bool forward)
{
	size_t size = (size_t)(pieces.end - pieces.at);
	struct fuzz_outcome o = { 0 };
	struct state s = { 0 };
	struct fl_reader *r = NULL;
	struct fl_token t = { .kind = FL_TOKEN_DOCUMENT };
	fairlead_error err = { 0 };

	o.code = open_text(mem, &pieces, &r, &err);
	while (o.code == 0 && (o.code = fl_reader_next(r, &t, &err)) == 0) {
		check_nesting(&s, &t);
		check_place(&s, &t, lines, size, forward);
		o.documents += t.kind == FL_TOKEN_DOCUMENT;
		o.tokens++;
		mix(&o, &(uint32_t[]){ t.kind, t.line, t.column }, 3 * sizeof(uint32_t));
		if (t.kind == FL_TOKEN_KEY || t.kind == FL_TOKEN_SCALAR)
			mix(&o, t.text, t.len);
		if (t.kind == FL_TOKEN_END)
			break;
	}
	if (o.code < 0) {
		ENSURE(err.code == o.code && err.text[0]);
		ENSURE(o.code == FAIRLEAD_ENOMEM || err.line >= 1);
		/* The end of an input without a last newline may count as a line of its own. */
		ENSURE(err.line <= lines + 1 && err.column <= size + 1);
		o.line = err.line;
		o.column = err.column;
	}
	fl_reader_free(r);
	return o;
}

/* Documents kept whole, and documents passed over. */
static struct fuzz_outcome read_whole(const char *text, size_t size, bool skip)
{
	struct fuzz_outcome o = { 0 };
	struct fl_reader *r = NULL;
	struct fl_doc doc;
	struct fl_token t;
	fairlead_error err = { 0 };
	char path[200];

	fl_doc_init(&doc, &fl_mem_heap);
	o.code = fl_reader_new(&fl_mem_heap, text, size, &r, &err);
	while (o.code == 0 && (o.code = fl_reader_next(r, &t, &err)) == 0) {
		if (t.kind == FL_TOKEN_END)
			break;
		o.documents++;
		if (skip) {
			o.code = fl_reader_skip(r, &err);
			continue;
		}
		fl_doc_clear(&doc);
		o.code = fl_reader_next(r, &t, &err);
		if (o.code == 0)
			o.code = fl_doc_read(&doc, r, &t, &err);
		if (o.code == 0) {
			ENSURE(doc.n > 0 && doc.values[0].next == doc.n);
			(void)fl_doc_hash(&doc, 0);
			(void)fl_doc_path(&doc, doc.n - 1, path, sizeof path);
			(void)fl_doc_find(&doc, 0, "metadata");
		}
	}
	o.line = err.line;
	o.column = err.column;
	fl_doc_done(&doc);
	fl_reader_free(r);
	return o;
}

struct fuzz_outcome fuzz_reader(const char *text, size_t size, bool forward)
{
	uint32_t lines = 1;
	struct fail_mem f;

	/* YAML knows more line ends than one. */
	for (size_t i = 0; i < size; i++)
		lines += text[i] == '\n' || text[i] == '\r' || text[i] == '\x85' ||
			 text[i] == '\xa8' || text[i] == '\xa9';
	fail_mem_init(&f);
	struct pieces whole = { text, text + size, 0, false }, cut = whole;
	struct fuzz_outcome first = read_all(&f.mem, whole, lines, forward), o;

	ENSURE(f.live == 0);
	for (int skip = 0; skip < 2; skip++) {
		o = read_whole(text, size, skip);
		ENSURE(o.code == first.code && o.documents == first.documents);
		ENSURE(o.line == first.line && o.column == first.column);
	}
	uint64_t hash = fuzz_hash((const uint8_t *)text, size);

	cut.most = 1 + hash % 7;
	o = read_all(&fl_mem_heap, cut, lines, forward);
	ENSURE(memcmp(&o, &first, sizeof o) == 0);
	f.fail_at = 1 + hash / 7 % f.calls;
	ENSURE(read_all(&f.mem, whole, lines, forward).code == FAIRLEAD_ENOMEM);
	ENSURE(f.live == 0);
	return first;
}
