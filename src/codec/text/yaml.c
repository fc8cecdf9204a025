/* SPDX-License-Identifier: Apache-2.0 */
/*
 * yaml - YAML events as tokens: aliases expanded, merge keys applied
 *
 * Three layers.  yaml_parse.h gives events with places.  next_item puts the recorded items of an
 * anchor in the place of an alias: while an anchor is open every item is recorded on a tape, so the
 * value of an anchor has no aliases itself, and a limit of tokens ends a bomb. fl_yaml_next tells
 * keys from values, refuses duplicate keys and gives the keys of a merge ("<<") at the end of the
 * map, unless the map has them itself.
 */
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/limits.h"
#include "base/names.h"
#include "codec/text/format.h"
#include "codec/text/keyset.h"
#include "codec/text/yaml_parse.h"

struct range {
	uint32_t at, end;
}; /* a range of the tape */

struct fl_yaml {
	const struct fl_mem *mem;
	struct fl_yaml_parser *parser;

	struct fl_yaml_item *tape;
	char *bytes;
	uint32_t n_tape, cap_tape, n_bytes, cap_bytes;
	bool recorded; /* the last item was recorded on the tape */
	uint32_t budget;

	struct fl_names anchor_names;
	struct range *anchors; /* by symbol; end FL_NONE while open */
	uint32_t cap_anchors;
	uint32_t depth; /* depth of events */
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
		bool ending; /* its own keys have ended; the merged ones are given now */
		uint32_t first_merge, merge;
		uint32_t line, column; /* place of its end */
	} level[FL_MAX_DEPTH + 2];
};

int fl_yaml_new(const struct fl_mem *mem, struct fl_input_buffer *buffer, struct fl_yaml **ret,
		fairlead_error *err)
{
	struct fl_yaml_parser *parser = NULL;
	struct fl_yaml *y;
	int r = fl_yaml_parser_new(mem, buffer, &parser, err);

	if (r < 0)
		return r;
	y = mem->resize(mem->user, NULL, sizeof *y);
	if (!y) {
		fl_yaml_parser_free(parser);
		return fl_fail_nomem(err);
	}
	memset(y, 0, sizeof *y);
	y->mem = mem;
	y->parser = parser;
	y->budget = FL_MAX_ALIAS_TOKENS;
	fl_keyset_init(&y->keys, mem);
	r = fl_names_init(&y->anchor_names, mem, err);
	if (r < 0)
		fl_yaml_free(y);
	else
		*ret = y;
	return r;
}

struct fl_yaml *fl_yaml_free(struct fl_yaml *y)
{
	if (!y)
		return NULL;
	fl_yaml_parser_free(y->parser);
	fl_keyset_done(&y->keys);
	fl_names_done(&y->anchor_names);
	fl_mem_free(y->mem, y->tape);
	fl_mem_free(y->mem, y->bytes);
	fl_mem_free(y->mem, y->anchors);
	fl_mem_free(y->mem, y->merges);
	return fl_mem_free(y->mem, y);
}

/* --- the tape --- */

static int record(struct fl_yaml *y, const struct fl_yaml_item *item, bool from_tape,
		  fairlead_error *err)
{
	struct fl_yaml_item copy = *item;
	bool text = !from_tape && item->kind == FL_TOKEN_SCALAR && item->len;
	size_t size = (size_t)y->n_tape * sizeof *y->tape + y->n_bytes + (text ? item->len : 0);
	int r;

	if (size > FL_MAX_ANCHORED)
		return fl_format_fail(
			err, FAIRLEAD_ELIMIT, item->line, item->column,
			"anchors and merge keys of one document hold more than %d bytes",
			FL_MAX_ANCHORED);
	r = fl_mem_grow(y->mem, &y->tape, &y->cap_tape, y->n_tape + 1, sizeof *y->tape, err);
	if (r == 0 && text)
		r = fl_mem_grow(y->mem, &y->bytes, &y->cap_bytes, y->n_bytes + item->len, 1, err);
	if (r < 0)
		return r;
	if (text) {
		memcpy(y->bytes + y->n_bytes, item->text, item->len);
		copy.start = y->n_bytes;
		y->n_bytes += item->len;
	}
	y->tape[y->n_tape++] = copy;
	y->recorded = true;
	return 0;
}

static int push_replay(struct fl_yaml *y, struct range range, const struct fl_yaml_item *at,
		       fairlead_error *err)
{
	while (y->n_replays && y->replay[y->n_replays - 1].at == y->replay[y->n_replays - 1].end)
		y->n_replays--;
	if (y->n_replays == sizeof y->replay / sizeof *y->replay)
		return fl_format_fail(err, FAIRLEAD_ELIMIT, at->line, at->column,
				      "nested deeper than %d levels", FL_MAX_DEPTH);
	y->replay[y->n_replays++] = range;
	return 0;
}

static int open_anchor(struct fl_yaml *y, const char *name, const struct fl_yaml_item *item,
		       fairlead_error *err)
{
	struct fl_sym sym;
	int r;

	if (y->n_open == sizeof y->open / sizeof *y->open)
		return fl_format_fail(err, FAIRLEAD_ELIMIT, item->line, item->column,
				      "nested deeper than %d levels", FL_MAX_DEPTH);
	if ((r = fl_names_add(&y->anchor_names, name, strlen(name), &sym, err)) < 0 ||
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

static int follow_alias(struct fl_yaml *y, const char *name, const struct fl_yaml_item *at,
			fairlead_error *err)
{
	struct fl_sym sym = fl_names_find(&y->anchor_names, name, strlen(name));

	if (sym.v == FL_NONE)
		return fl_format_fail(err, FAIRLEAD_EINPUT, at->line, at->column,
				      "no anchor '&%.60s' before this alias", name);
	if (y->anchors[sym.v].end == FL_NONE)
		return fl_format_fail(err, FAIRLEAD_EINPUT, at->line, at->column,
				      "'*%.60s' is inside its own anchor", name);
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

/* 1 when the event has no item. */
static int next_event(struct fl_yaml *y, struct fl_yaml_item *item, fairlead_error *err)
{
	struct fl_yaml_event event;
	bool opens, closes;
	int r = fl_yaml_parser_next(y->parser, &event, err);

	if (r < 0)
		return r;
	*item = event.item;
	if (event.alias) {
		r = follow_alias(y, event.anchor, item, err);
		return r < 0 ? r : 1;
	}
	if (item->kind == FL_TOKEN_END)
		return 0;
	if (item->kind == FL_TOKEN_DOCUMENT)
		return new_document(y, err);
	opens = item->kind == FL_TOKEN_MAP || item->kind == FL_TOKEN_LIST;
	closes = item->kind == FL_TOKEN_MAP_END || item->kind == FL_TOKEN_LIST_END;
	y->depth -= closes;
	if (event.anchor)
		r = open_anchor(y, event.anchor, item, err);
	if (r == 0 && y->n_open)
		r = record(y, item, /* from_tape= */ false, err);
	if (r < 0)
		return r;
	if (opens && ++y->depth > FL_MAX_DEPTH)
		return fl_format_fail(err, FAIRLEAD_ELIMIT, item->line, item->column,
				      "nested deeper than %d levels", FL_MAX_DEPTH);
	if (!opens)
		close_anchors(y);
	return 0;
}

/* An item from the tape or the parser; its text stays valid until the next one. */
static int next_item(struct fl_yaml *y, struct fl_yaml_item *item, fairlead_error *err)
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
				return fl_format_fail(err, FAIRLEAD_ELIMIT, item->line,
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

static bool is_merge_key(const struct fl_yaml_item *item, const char *text)
{
	return item->plain && item->len == 2 && memcmp(text, "<<", 2) == 0;
}

/* The place after the value that starts at @at. */
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
		return fl_format_fail(err, FAIRLEAD_EINPUT, y->tape[map].line, y->tape[map].column,
				      "'<<' merges a map or a list of maps");
	r = fl_mem_grow(y->mem, &y->merges, &y->cap_merges, y->n_merges + 1, sizeof *y->merges,
			err);
	if (r == 0)
		y->merges[y->n_merges++] = (struct range){ map + 1, end - 1 };
	return r;
}

/* The value of '<<' is on the tape: adds its maps, of which the first with a key counts. */
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

/* Records the value of '<<' on the tape. */
static int take_merge(struct fl_yaml *y, fairlead_error *err)
{
	uint32_t start = y->n_tape, depth = 0;

	do {
		struct fl_yaml_item item;
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
			return fl_format_fail(err, FAIRLEAD_ELIMIT, item.line, item.column,
					      "nested deeper than %d levels", FL_MAX_DEPTH);
	} while (depth);
	return push_merges(y, start, y->n_tape, err);
}

/* Prepares the next merged key that the map lacks; 1 when there is none left. */
static int next_merged(struct fl_yaml *y, struct level *level, fairlead_error *err)
{
	while (level->merge < y->n_merges) {
		struct range *range = &y->merges[level->merge];
		const struct fl_yaml_item *item = &y->tape[range->at];
		uint32_t start = range->at, end;

		if (range->at == range->end) {
			level->merge++;
			continue;
		}
		const char *text = item->len ? y->bytes + item->start : "";

		if (item->kind != FL_TOKEN_SCALAR)
			return fl_format_fail(err, FAIRLEAD_EINPUT, item->line, item->column,
					      "a key must be a text");
		end = past_value(y, start + 1);
		range->at = end;
		if (is_merge_key(item, text)) {
			int r = y->budget-- ?
					push_merges(y, start + 1, end, err) :
					fl_format_fail(err, FAIRLEAD_ELIMIT, item->line,
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

static void token_of(const struct fl_yaml_item *item, struct fl_token *ret)
{
	*ret = (struct fl_token){ .kind = item->kind,
				  .type = item->type,
				  .line = item->line,
				  .column = item->column,
				  .text = item->text,
				  .len = item->len };
}

static int enter(struct fl_yaml *y, const struct fl_yaml_item *item, fairlead_error *err)
{
	if (y->n_levels && y->level[y->n_levels - 1].map)
		y->level[y->n_levels - 1].at_key = true;
	if (y->n_levels == FL_MAX_DEPTH)
		return fl_format_fail(err, FAIRLEAD_ELIMIT, item->line, item->column,
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

/* A map as a key is most often "{{ .Values.name }}". */
static int odd_key(const struct fl_yaml_item *item, fairlead_error *err)
{
	int r = fl_format_fail(err, FAIRLEAD_EINPUT, item->line, item->column,
			       "a key must be a text");

	if (item->kind == FL_TOKEN_MAP)
		fl_fail_hint(err, "a template with {{ }} has to be filled in first, such as by "
				  "'helm template'");
	return r;
}

/* A second apiVersion is most often a second object. */
static int twice(const struct fl_yaml_item *item, fairlead_error *err)
{
	int r = fl_format_fail(err, FAIRLEAD_EINPUT, item->line, item->column,
			       "duplicate key '%.*s%s'", item->len < 60 ? (int)item->len : 60,
			       item->text, item->len > 60 ? "..." : "");

	if (item->len == 10 && memcmp(item->text, "apiVersion", 10) == 0)
		fl_fail_hint(err, "between two objects of a file stands a line '---'");
	return r;
}

/* A key: 0 with the token, 1 when it was a merge key. */
static int key_token(struct fl_yaml *y, struct level *level, const struct fl_yaml_item *item,
		     struct fl_token *ret, fairlead_error *err)
{
	int r;

	if (item->kind != FL_TOKEN_SCALAR)
		return odd_key(item, err);
	if (is_merge_key(item, item->text)) {
		r = take_merge(y, err);
		return r < 0 ? r : 1;
	}
	r = fl_keyset_add(&y->keys, item->text, item->len, err);
	if (r < 0)
		return r;
	if (r > 0)
		return twice(item, err);
	level->at_key = false;
	token_of(item, ret);
	ret->kind = FL_TOKEN_KEY;
	return 0;
}

/*
 * The map's own keys have ended: the merged ones follow, then its end. 0 with the end, 1 to read
 * on.
 */
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
		struct fl_yaml_item item;
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
