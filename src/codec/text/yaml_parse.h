/* SPDX-License-Identifier: Apache-2.0 */
/*
 * yaml_parse - libyaml's events with places in bytes; private to src/codec
 *
 * libyaml, of which Kubernetes' own reader is a translation, takes its input in
 * pieces and keeps one text of it.  It counts characters and lines in its own way,
 * so a place is found by walking the buffer from the last one.
 */
#ifndef FL_CODEC_TEXT_YAML_PARSE_H
#define FL_CODEC_TEXT_YAML_PARSE_H

#include "codec/text/buffer.h"

struct fl_yaml_item {
	enum fl_token_kind kind; /* never KEY */
	enum fl_scalar_type type;
	bool plain;
	uint32_t line, column;
	const char *text;    /* valid until the next event */
	uint32_t start, len; /* start: the caller's */
};

struct fl_yaml_event {
	struct fl_yaml_item item; /* an alias: only its place */
	bool alias;
	const char *anchor; /* anchor of the item, or the one that an alias names; NULL: none */
};

struct fl_yaml_parser;

/* The parser takes over what @buffer holds, also when it fails. */
int fl_yaml_parser_new(const struct fl_mem *mem, struct fl_input_buffer *buffer,
		       struct fl_yaml_parser **ret, fairlead_error *err);
struct fl_yaml_parser *fl_yaml_parser_free(struct fl_yaml_parser *p);

/* FAIRLEAD_EINPUT or ELIMIT with a place; after that it can only be freed. */
int fl_yaml_parser_next(struct fl_yaml_parser *p, struct fl_yaml_event *ret, fairlead_error *err);

#endif
