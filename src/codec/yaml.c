/* SPDX-License-Identifier: Apache-2.0 */
/*
 * yaml - YAML 1.2 events as tokens: aliases expanded, merge keys applied
 *
 * Three layers.  next_event turns a parser event into an item.  next_item puts
 * the recorded items of an anchor in the place of an alias: while an anchor is
 * open every item goes on a tape, so what stands behind an anchor is flat, and
 * a budget ends a bomb.  fl_yaml_next tells keys from values, refuses equal keys
 * and gives the keys of a merge ("<<") at the end of the map, unless the map has
 * them itself.
 */
#include <libfyaml.h>
#include <stdio.h>
#include <string.h>

#include "base/limits.h"
#include "base/names.h"
#include "codec/keyset.h"
#include "codec/source.h"

/* The parser reads a line at a time into its lookahead; nobody writes longer ones by hand. */
enum { LONGEST_LINE = 1 << 20 };

struct item {
	enum fl_token_kind kind; /* never KEY */
	enum fl_scalar_type type;
	bool plain;
	uint32_t line, column;
	const char *text;    /* fresh items only */
	uint32_t start, len; /* on the tape: into bytes */
};

struct range {
	uint32_t at, end;
}; /* of the tape */

struct fl_yaml {
	const struct fl_mem *mem;
	const char *input;
	size_t len;
	struct fy_diag *diag;
	struct fy_parser *parser;
	struct fy_event *event; /* owns the text of the last item */

	/* where the last place stands; moves on with the events */
	size_t line_start;
	uint32_t line;

	struct item *tape;
	char *bytes;
	uint32_t n_tape, cap_tape, n_bytes, cap_bytes;
	bool recorded; /* the last item went on the tape */
	uint32_t budget;

	struct fl_names anchor_names;
	struct range *anchors; /* by symbol; end FL_NONE while open */
	uint32_t cap_anchors;
	uint32_t depth; /* of events */
	uint32_t n_open;
	struct {
		uint32_t anchor, depth;
	} open[FL_MAX_DEPTH + 2];

	uint32_t n_replays;
	struct range replay[FL_MAX_DEPTH + 2];

	struct fl_keyset keys;
	struct range *merges;
	uint32_t n_merges, cap_merges;
	uint32_t n_levels;
	struct level {
		bool map, at_key;
		bool ending; /* its own keys are done; the merged ones are being given */
		uint32_t first_merge, merge;
		uint32_t line, column; /* of its end */
	} level[FL_MAX_DEPTH + 2];
};

/* --- before parsing: bytes --- */

/* One pass for what the parser would report without a place, or late. */
static int check_bytes(const char *text, size_t len, fairlead_error *err)
{
	const char *end = text + len, *line_start = text;
	uint32_t line = 1;

	for (const char *at = text; at < end;) {
		unsigned char c = (unsigned char)*at;
		size_t size = c < 0x80 ? 1 : fl_utf8_sequence(at, end);
		uint32_t column = (uint32_t)(at - line_start) + 1;

		if (size == 0)
			return fl_source_fail(err, FAIRLEAD_EINPUT, line, column, "invalid UTF-8");
		if (c < 0x20 && c != '\n' && c != '\t' && c != '\r')
			return fl_source_fail(err, FAIRLEAD_EINPUT, line, column,
					      "a control character");
		if (at - line_start >= LONGEST_LINE)
			return fl_source_fail(err, FAIRLEAD_ELIMIT, line, 1,
					      "a line of more than %d bytes", LONGEST_LINE);
		at += size;
		if (c == '\n') {
			line++;
			line_start = at;
		}
	}
	return 0;
}

/* --- life --- */

int fl_yaml_new(const struct fl_mem *mem, const char *text, size_t len, struct fl_yaml **ret,
		fairlead_error *err)
{
	struct fy_diag_cfg diag_cfg;
	struct fy_parse_cfg cfg = { .flags = FYPCF_QUIET | FYPCF_JSON_NONE |
					     FYPCF_DEFAULT_VERSION_1_2 };
	struct fl_yaml *y;
	int r = check_bytes(text, len, err);

	if (r < 0)
		return r;
	y = mem->resize(mem->user, NULL, sizeof *y);
	if (!y)
		return fl_fail_nomem(err);
	memset(y, 0, sizeof *y);
	y->mem = mem;
	y->input = text;
	y->len = len;
	y->line = 1;
	y->budget = FL_MAX_ALIAS_TOKENS;
	fl_keyset_init(&y->keys, mem);
	r = fl_names_init(&y->anchor_names, mem, err);
	fy_diag_cfg_default(&diag_cfg);
	diag_cfg.fp = NULL;
	diag_cfg.output_fn = NULL;
	y->diag = r == 0 ? fy_diag_create(&diag_cfg) : NULL;
	if (y->diag) {
		fy_diag_set_collect_errors(y->diag, true);
		cfg.diag = y->diag;
		y->parser = fy_parser_create(&cfg);
	}
	/* An empty text is no input to the parser: it needs one byte. */
	if (!y->parser || fy_parser_set_string(y->parser, len ? text : "\n", len ? len : 1) != 0) {
		fl_yaml_free(y);
		return fl_fail_nomem(err);
	}
	*ret = y;
	return 0;
}

struct fl_yaml *fl_yaml_free(struct fl_yaml *y)
{
	if (!y)
		return NULL;
	if (y->event)
		fy_parser_event_free(y->parser, y->event);
	if (y->parser)
		fy_parser_destroy(y->parser);
	if (y->diag)
		fy_diag_destroy(y->diag);
	fl_keyset_done(&y->keys);
	fl_names_done(&y->anchor_names);
	fl_mem_free(y->mem, y->tape);
	fl_mem_free(y->mem, y->bytes);
	fl_mem_free(y->mem, y->anchors);
	fl_mem_free(y->mem, y->merges);
	return fl_mem_free(y->mem, y);
}

/* --- events to items --- */

/* The parser counts characters; people's editors and we count bytes. */
static void place(struct fl_yaml *y, size_t at, struct item *item)
{
	if (at > y->len)
		at = y->len;
	if (at < y->line_start) { /* an empty node may stand before what was read last */
		y->line_start = 0;
		y->line = 1;
	}
	for (;;) {
		const char *newline = memchr(y->input + y->line_start, '\n', at - y->line_start);

		if (!newline)
			break;
		y->line_start = (size_t)(newline - y->input) + 1;
		y->line++;
	}
	item->line = y->line;
	item->column = (uint32_t)(at - y->line_start) + 1;
}

/* The parser's mark of a quoted text or an alias stands behind the quote or the star. */
static size_t first_byte(const struct fl_yaml *y, size_t at)
{
	char before = at > 0 && at <= y->len ? y->input[at - 1] : ' ';
	bool behind = false;

	if (y->event->type == FYET_ALIAS) {
		behind = before == '*';
	} else if (y->event->type == FYET_SCALAR && y->event->scalar.value) {
		enum fy_scalar_style style = fy_token_scalar_style(y->event->scalar.value);

		behind = (style == FYSS_SINGLE_QUOTED && before == '\'') ||
			 (style == FYSS_DOUBLE_QUOTED && before == '"');
	}
	return at - behind;
}

static int parser_error(struct fl_yaml *y, fairlead_error *err)
{
	void *iter = NULL;
	struct fy_diag_error *e = fy_diag_errors_iterate(y->diag, &iter);
	char text[200];

	if (!e || !e->msg)
		return fl_source_fail(err, FAIRLEAD_EINPUT, y->line, 1, "invalid YAML");
	(void)snprintf(text, sizeof text, "%s", e->msg);
	text[strcspn(text, "\r\n")] = '\0';
	return fl_source_fail(err, FAIRLEAD_EINPUT, e->line > 0 ? (uint32_t)e->line : 1,
			      e->column > 0 ? (uint32_t)e->column : 1, "invalid YAML: %s", text);
}

static bool is_one_of(const char *text, size_t len, const char *words)
{
	for (const char *at = words; *at;) {
		size_t n = strcspn(at, " ");

		if (n == len && memcmp(at, text, n) == 0)
			return true;
		at += n + (at[n] == ' ');
	}
	return false;
}

static size_t span_digits(const char *text, size_t at, size_t len)
{
	while (at < len && text[at] >= '0' && text[at] <= '9')
		at++;
	return at;
}

static bool is_based(const char *text, size_t len)
{
	const char *digits = text[1] == 'x' ? "0123456789abcdefABCDEF" : "01234567";

	if (len < 3 || text[0] != '0' || (text[1] != 'x' && text[1] != 'o'))
		return false;
	for (size_t i = 2; i < len; i++)
		if (!strchr(digits, text[i]))
			return false;
	return true;
}

/* The core schema of YAML 1.2, section 10.3.2. */
static enum fl_scalar_type type_of_plain(const char *text, size_t len)
{
	size_t start = len && (text[0] == '-' || text[0] == '+'), at, digits;

	if (len == 0 || is_one_of(text, len, "null ~ Null NULL"))
		return FL_SCALAR_NULL;
	if (is_one_of(text, len, "true false True TRUE False FALSE"))
		return FL_SCALAR_BOOL;
	if (is_based(text, len))
		return FL_SCALAR_INT;
	at = span_digits(text, start, len);
	digits = at - start;
	if (at == len)
		return digits ? FL_SCALAR_INT : FL_SCALAR_STRING;
	if (is_one_of(text + start, len - start, ".inf .Inf .INF") ||
	    is_one_of(text, len, ".nan .NaN .NAN"))
		return FL_SCALAR_FLOAT;
	if (text[at] == '.') {
		size_t fraction = at + 1;

		at = span_digits(text, fraction, len);
		digits += at - fraction;
	}
	if (digits && at < len && (text[at] == 'e' || text[at] == 'E')) {
		size_t exponent = at + 1 +
				  (at + 1 < len && (text[at + 1] == '-' || text[at + 1] == '+'));

		at = span_digits(text, exponent, len);
		digits = at - exponent;
	}
	return digits && at == len ? FL_SCALAR_FLOAT : FL_SCALAR_STRING;
}

static bool tagged_string(struct fy_token *tag)
{
	static const char string[] = "tag:yaml.org,2002:str";
	size_t len = 0;
	const char *text = tag ? fy_token_get_text(tag, &len) : NULL;

	return text && len == sizeof string - 1 && memcmp(text, string, len) == 0;
}

static int scalar_item(struct fl_yaml *y, struct item *item, fairlead_error *err)
{
	struct fy_token *value = y->event->scalar.value;
	size_t len = 0;
	const char *text = value ? fy_token_get_text(value, &len) : "";

	if (value && !text)
		return fl_fail_nomem(err);
	if (len > FL_MAX_TEXT)
		return fl_source_fail(err, FAIRLEAD_ELIMIT, item->line, item->column,
				      "a text of more than %d bytes", FL_MAX_TEXT);
	if (memchr(text, '\0', len))
		return fl_source_fail(err, FAIRLEAD_EINPUT, item->line, item->column,
				      "a NUL character in a text");
	item->kind = FL_TOKEN_SCALAR;
	item->plain = !value || fy_token_scalar_style(value) == FYSS_PLAIN;
	item->type = item->plain ? type_of_plain(text, len) : FL_SCALAR_STRING;
	if (tagged_string(y->event->scalar.tag))
		item->type = FL_SCALAR_STRING;
	item->text = text;
	item->len = (uint32_t)len;
	return 0;
}

/* --- the tape --- */

static int record(struct fl_yaml *y, const struct item *item, bool from_tape, fairlead_error *err)
{
	struct item copy = *item;
	int r = fl_mem_grow(y->mem, &y->tape, &y->cap_tape, y->n_tape + 1, sizeof *y->tape, err);

	if (r == 0 && !from_tape && item->kind == FL_TOKEN_SCALAR && item->len) {
		if (item->len > UINT32_MAX / 2 - y->n_bytes)
			return fl_source_fail(err, FAIRLEAD_ELIMIT, item->line, item->column,
					      "anchored values of more than 2 GiB");
		r = fl_mem_grow(y->mem, &y->bytes, &y->cap_bytes, y->n_bytes + item->len, 1, err);
		if (r == 0) {
			memcpy(y->bytes + y->n_bytes, item->text, item->len);
			copy.start = y->n_bytes;
			y->n_bytes += item->len;
		}
	}
	if (r < 0)
		return r;
	y->tape[y->n_tape++] = copy;
	y->recorded = true;
	return 0;
}

static int push_replay(struct fl_yaml *y, struct range range, const struct item *at,
		       fairlead_error *err)
{
	while (y->n_replays && y->replay[y->n_replays - 1].at == y->replay[y->n_replays - 1].end)
		y->n_replays--;
	if (y->n_replays == sizeof y->replay / sizeof *y->replay)
		return fl_source_fail(err, FAIRLEAD_ELIMIT, at->line, at->column,
				      "nested deeper than %d levels", FL_MAX_DEPTH);
	y->replay[y->n_replays++] = range;
	return 0;
}

static int open_anchor(struct fl_yaml *y, struct fy_token *token, const struct item *item,
		       fairlead_error *err)
{
	size_t len = 0;
	const char *name = fy_token_get_text(token, &len);
	struct fl_sym sym;
	int r;

	if (!name)
		return fl_fail_nomem(err);
	if (y->n_open == sizeof y->open / sizeof *y->open)
		return fl_source_fail(err, FAIRLEAD_ELIMIT, item->line, item->column,
				      "nested deeper than %d levels", FL_MAX_DEPTH);
	if ((r = fl_names_add(&y->anchor_names, name, len, &sym, err)) < 0 ||
	    (r = fl_mem_grow(y->mem, &y->anchors, &y->cap_anchors, sym.v + 1, sizeof *y->anchors,
			     err)) < 0)
		return r;
	y->anchors[sym.v] = (struct range){ y->n_tape, FL_NONE };
	y->open[y->n_open].anchor = sym.v;
	y->open[y->n_open++].depth = y->depth;
	return 0;
}

/* An item that ends at the present depth ends the anchors that were opened there. */
static void close_anchors(struct fl_yaml *y)
{
	while (y->n_open && y->open[y->n_open - 1].depth == y->depth)
		y->anchors[y->open[--y->n_open].anchor].end = y->n_tape;
}

static int follow_alias(struct fl_yaml *y, const struct item *at, fairlead_error *err)
{
	size_t len = 0;
	const char *name = fy_token_get_text(y->event->alias.anchor, &len);
	struct fl_sym sym = name ? fl_names_find(&y->anchor_names, name, len) :
				   (struct fl_sym){ FL_NONE };
	int shown = len < 60 ? (int)len : 60;

	if (!name)
		return fl_fail_nomem(err);
	if (sym.v == FL_NONE)
		return fl_source_fail(err, FAIRLEAD_EINPUT, at->line, at->column,
				      "no anchor '&%.*s' before", shown, name);
	if (y->anchors[sym.v].end == FL_NONE)
		return fl_source_fail(err, FAIRLEAD_EINPUT, at->line, at->column,
				      "'*%.*s' stands inside its own anchor", shown, name);
	return push_replay(y, y->anchors[sym.v], at, err);
}

static int new_document(struct fl_yaml *y, fairlead_error *err)
{
	y->n_tape = y->n_bytes = 0;
	if (y->anchor_names.n <= 1)
		return 0;
	fl_names_done(&y->anchor_names);
	return fl_names_init(&y->anchor_names, y->mem, err);
}

/* 1 when the event gave no item. */
static int next_event(struct fl_yaml *y, struct item *item, fairlead_error *err)
{
	struct fy_token *anchor = NULL;
	const struct fy_mark *mark;
	bool opens = false;
	int r = 0;

	if (y->event)
		fy_parser_event_free(y->parser, y->event);
	y->event = fy_parser_parse(y->parser);
	if (!y->event)
		return parser_error(y, err);
	*item = (struct item){ .line = y->line, .column = 1 };
	mark = fy_event_start_mark(y->event);
	if (mark)
		place(y, first_byte(y, mark->input_pos), item);
	switch (y->event->type) {
	case FYET_STREAM_END:
		item->kind = FL_TOKEN_END;
		return fy_parser_get_stream_error(y->parser) ? parser_error(y, err) : 0;
	case FYET_DOCUMENT_START:
		item->kind = FL_TOKEN_DOCUMENT;
		return new_document(y, err);
	case FYET_MAPPING_START:
	case FYET_SEQUENCE_START:
		opens = true;
		item->kind = y->event->type == FYET_MAPPING_START ? FL_TOKEN_MAP : FL_TOKEN_LIST;
		anchor = y->event->type == FYET_MAPPING_START ? y->event->mapping_start.anchor :
								y->event->sequence_start.anchor;
		break;
	case FYET_MAPPING_END:
	case FYET_SEQUENCE_END:
		y->depth--;
		item->kind = y->event->type == FYET_MAPPING_END ? FL_TOKEN_MAP_END :
								  FL_TOKEN_LIST_END;
		break;
	case FYET_SCALAR:
		anchor = y->event->scalar.anchor;
		r = scalar_item(y, item, err);
		break;
	case FYET_ALIAS:
		r = follow_alias(y, item, err);
		return r < 0 ? r : 1;
	default:
		return 1;
	}
	if (r == 0 && anchor)
		r = open_anchor(y, anchor, item, err);
	if (r == 0 && y->n_open)
		r = record(y, item, /* from_tape= */ false, err);
	if (r < 0)
		return r;
	if (opens && ++y->depth > FL_MAX_DEPTH)
		return fl_source_fail(err, FAIRLEAD_ELIMIT, item->line, item->column,
				      "nested deeper than %d levels", FL_MAX_DEPTH);
	if (!opens)
		close_anchors(y);
	return 0;
}

/* An item from the tape or the parser; its text stays valid until the next one. */
static int next_item(struct fl_yaml *y, struct item *item, fairlead_error *err)
{
	int r;

	y->recorded = false;
	do {
		while (y->n_replays) {
			struct range *top = &y->replay[y->n_replays - 1];

			if (top->at == top->end) {
				y->n_replays--;
				continue;
			}
			*item = y->tape[top->at++];
			if (y->budget-- == 0)
				return fl_source_fail(err, FAIRLEAD_ELIMIT, item->line,
						      item->column,
						      "aliases expand to more than %d tokens",
						      FL_MAX_ALIAS_TOKENS);
			r = y->n_open ? record(y, item, /* from_tape= */ true, err) : 0;
			item->text = item->len ? y->bytes + item->start : "";
			return r;
		}
		r = next_event(y, item, err);
	} while (r > 0);
	return r;
}

/* --- merge keys --- */

static bool is_merge_key(const struct item *item, const char *text)
{
	return item->plain && item->len == 2 && memcmp(text, "<<", 2) == 0;
}

/* Behind the value that starts at @at. */
static uint32_t past_value(const struct fl_yaml *y, uint32_t at)
{
	uint32_t depth = 0;

	do {
		enum fl_token_kind kind = y->tape[at++].kind;

		depth += kind == FL_TOKEN_MAP || kind == FL_TOKEN_LIST;
		depth -= kind == FL_TOKEN_MAP_END || kind == FL_TOKEN_LIST_END;
	} while (depth);
	return at;
}

static int push_merge(struct fl_yaml *y, uint32_t map, uint32_t end, fairlead_error *err)
{
	int r;

	if (y->tape[map].kind != FL_TOKEN_MAP)
		return fl_source_fail(err, FAIRLEAD_EINPUT, y->tape[map].line, y->tape[map].column,
				      "'<<' merges a map or a list of maps");
	r = fl_mem_grow(y->mem, &y->merges, &y->cap_merges, y->n_merges + 1, sizeof *y->merges,
			err);
	if (r == 0)
		y->merges[y->n_merges++] = (struct range){ map + 1, end - 1 };
	return r;
}

/* The value of '<<' stands on the tape: what it merges, first come first served. */
static int push_merges(struct fl_yaml *y, uint32_t at, uint32_t end, fairlead_error *err)
{
	int r = 0;

	if (y->tape[at].kind != FL_TOKEN_LIST)
		return push_merge(y, at, end, err);
	for (at++; r == 0 && at < end - 1;) {
		uint32_t next = past_value(y, at);

		r = push_merge(y, at, next, err);
		at = next;
	}
	return r;
}

/* Put the value of '<<' on the tape. */
static int take_merge(struct fl_yaml *y, fairlead_error *err)
{
	uint32_t start = y->n_tape, depth = 0;

	do {
		struct item item;
		int r = next_item(y, &item, err);
		bool on_tape = item.text && y->bytes && item.text >= y->bytes &&
			       item.text < y->bytes + y->n_bytes;

		if (r < 0)
			return r;
		if (!y->recorded && (r = record(y, &item, on_tape, err)) < 0)
			return r;
		depth += item.kind == FL_TOKEN_MAP || item.kind == FL_TOKEN_LIST;
		depth -= item.kind == FL_TOKEN_MAP_END || item.kind == FL_TOKEN_LIST_END;
		if (depth + y->n_levels > FL_MAX_DEPTH)
			return fl_source_fail(err, FAIRLEAD_ELIMIT, item.line, item.column,
					      "nested deeper than %d levels", FL_MAX_DEPTH);
	} while (depth);
	return push_merges(y, start, y->n_tape, err);
}

/* Line up the next merged key that the map lacks; 1 when there is none left. */
static int next_merged(struct fl_yaml *y, struct level *level, fairlead_error *err)
{
	while (level->merge < y->n_merges) {
		struct range *range = &y->merges[level->merge];
		const struct item *item = &y->tape[range->at];
		uint32_t start = range->at, end;

		if (range->at == range->end) {
			level->merge++;
			continue;
		}
		const char *text = item->len ? y->bytes + item->start : "";

		if (item->kind != FL_TOKEN_SCALAR)
			return fl_source_fail(err, FAIRLEAD_EINPUT, item->line, item->column,
					      "a key must be a text");
		end = past_value(y, start + 1);
		range->at = end;
		if (is_merge_key(item, text)) {
			int r = y->budget-- ?
					push_merges(y, start + 1, end, err) :
					fl_source_fail(err, FAIRLEAD_ELIMIT, item->line,
						       item->column,
						       "aliases expand to more than %d tokens",
						       FL_MAX_ALIAS_TOKENS);
			if (r < 0)
				return r;
		} else if (!fl_keyset_has(&y->keys, text, item->len)) {
			return push_replay(y, (struct range){ start, end }, item, err);
		}
	}
	return 1;
}

/* --- items to tokens --- */

static void token_of(const struct item *item, struct fl_token *ret)
{
	*ret = (struct fl_token){ .kind = item->kind,
				  .type = item->type,
				  .line = item->line,
				  .column = item->column,
				  .text = item->text,
				  .len = item->len };
}

static int enter(struct fl_yaml *y, const struct item *item, fairlead_error *err)
{
	if (y->n_levels && y->level[y->n_levels - 1].map)
		y->level[y->n_levels - 1].at_key = true;
	if (y->n_levels == FL_MAX_DEPTH)
		return fl_source_fail(err, FAIRLEAD_ELIMIT, item->line, item->column,
				      "nested deeper than %d levels", FL_MAX_DEPTH);
	y->level[y->n_levels++] = (struct level){ .map = item->kind == FL_TOKEN_MAP,
						  .at_key = item->kind == FL_TOKEN_MAP,
						  .first_merge = y->n_merges,
						  .merge = y->n_merges };
	if (item->kind == FL_TOKEN_MAP)
		fl_keyset_open(&y->keys);
	return 0;
}

static void leave(struct fl_yaml *y)
{
	const struct level *level = &y->level[--y->n_levels];

	y->n_merges = level->first_merge;
	if (level->map)
		fl_keyset_close(&y->keys);
}

/* A key: 0 with the token, 1 when it was a merge key. */
static int key_token(struct fl_yaml *y, struct level *level, const struct item *item,
		     struct fl_token *ret, fairlead_error *err)
{
	int r;

	if (item->kind != FL_TOKEN_SCALAR)
		return fl_source_fail(err, FAIRLEAD_EINPUT, item->line, item->column,
				      "a key must be a text");
	if (is_merge_key(item, item->text)) {
		r = take_merge(y, err);
		return r < 0 ? r : 1;
	}
	r = fl_keyset_add(&y->keys, item->text, item->len, err);
	if (r < 0)
		return r;
	if (r > 0)
		return fl_source_fail(err, FAIRLEAD_EINPUT, item->line, item->column,
				      "duplicate key '%.*s%s'",
				      item->len < 60 ? (int)item->len : 60, item->text,
				      item->len > 60 ? "..." : "");
	level->at_key = false;
	token_of(item, ret);
	ret->kind = FL_TOKEN_KEY;
	return 0;
}

/* The map's own keys are done: the merged ones follow, then its end. 0 with the end, 1 to read on. */
static int end_map(struct fl_yaml *y, struct level *level, struct fl_token *ret,
		   fairlead_error *err)
{
	int r = next_merged(y, level, err);

	if (r <= 0)
		return r < 0 ? r : 1;
	*ret = (struct fl_token){ .kind = FL_TOKEN_MAP_END,
				  .line = level->line,
				  .column = level->column };
	leave(y);
	return 0;
}

int fl_yaml_next(struct fl_yaml *y, struct fl_token *ret, fairlead_error *err)
{
	for (;;) {
		struct level *level = y->n_levels ? &y->level[y->n_levels - 1] : NULL;
		struct item item;
		int r;

		if (level && level->ending && level->at_key) {
			r = end_map(y, level, ret, err);
			if (r <= 0)
				return r;
		}
		r = next_item(y, &item, err);
		if (r < 0)
			return r;
		if (item.kind == FL_TOKEN_MAP_END && level && level->first_merge < y->n_merges) {
			level->ending = true;
			level->line = item.line;
			level->column = item.column;
			continue;
		}
		if (level && level->at_key && item.kind != FL_TOKEN_MAP_END) {
			r = key_token(y, level, &item, ret, err);
			if (r <= 0)
				return r;
			continue;
		}
		token_of(&item, ret);
		if (item.kind == FL_TOKEN_MAP || item.kind == FL_TOKEN_LIST)
			return enter(y, &item, err);
		if (item.kind == FL_TOKEN_MAP_END || item.kind == FL_TOKEN_LIST_END)
			leave(y);
		else if (item.kind == FL_TOKEN_SCALAR && level && level->map)
			level->at_key = true;
		return 0;
	}
}
