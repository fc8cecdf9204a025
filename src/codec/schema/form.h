/* SPDX-License-Identifier: Apache-2.0 */
/*
 * form - the forms of single values: names, keys, quantities; private to codec/schema
 */
#ifndef FL_CODEC_SCHEMA_FORM_H
#define FL_CODEC_SCHEMA_FORM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/amount.h"
#include "codec/schema/rows.h"

/* Names are anchored at both ends and have no bound of length here. */
bool fl_form_matches(enum fl_pattern pattern, const char *text, size_t len);
/* What a pattern asks for, in words: "lower-case letters, digits and dashes, ...". */
const char *fl_form_words(enum fl_pattern pattern);

/* A key of a label: an optional prefix of 253 characters and a name of 63. */
bool fl_form_qualified(const char *text, size_t len);
bool fl_form_label_value(const char *text, size_t len);
/* "example.com/gate": a domain, and a path of URL characters. */
bool fl_form_domain_path(const char *text, size_t len);

/* Characters, of UTF-8. */
size_t fl_form_length(const char *text, size_t len);

/* Does the definition take it as a quantity; does the decoder behind it? */
bool fl_form_quantity(const char *text, size_t len);
bool fl_form_decodes(const char *text, size_t len);
/* What the decoder alone takes: blanks around it, a suffix without digits, "."; else FL_MEND_NONE. */
bool fl_form_mends(const char *text, size_t len);

/*
 * A quantity in billionths, rounded up, for comparisons: capped at 2^100 and -2^100; 0 for what is
 * none.
 */
fl_nanos fl_form_nanos(const char *text, size_t len);
/* A duration as Go reads it: "1h30m", "-5m", "0". */
bool fl_form_duration(const char *text, size_t len);
bool fl_form_time(const char *text, size_t len);

#endif
