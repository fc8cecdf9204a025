/* SPDX-License-Identifier: Apache-2.0 */
#include "codec/schema/form.h"

#include <string.h>

#include "base/time.h"
#include "codec/text/quantity.h"

static bool is_lower(char c) { return c >= 'a' && c <= 'z'; }
static bool is_letter(char c) { return is_lower(c) || (c >= 'A' && c <= 'Z'); }
static bool is_digit(char c) { return c >= '0' && c <= '9'; }
static bool is_alnum(char c) { return is_letter(c) || is_digit(c); }

/* [a-z0-9]([-a-z0-9]*[a-z0-9])? */
static bool is_label(const char *text, size_t len)
{
	for (size_t i = 0; i < len; i++)
		if (!is_lower(text[i]) && !is_digit(text[i]) &&
		    (text[i] != '-' || i == 0 || i == len - 1))
			return false;
	return len > 0;
}

static bool is_subdomain(const char *text, size_t len)
{
	size_t from = 0;

	for (size_t i = 0; i <= len; i++)
		if (i == len || text[i] == '.') {
			if (!is_label(text + from, i - from))
				return false;
			from = i + 1;
		}
	return true;
}

/* ([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9] */
static bool is_name_part(const char *text, size_t len)
{
	for (size_t i = 0; i < len; i++)
		if (!is_alnum(text[i]) && (i == 0 || i == len - 1 || !strchr("-_.", text[i])))
			return false;
	return len > 0;
}

static const char *slash_in(const char *text, size_t len) { return memchr(text, '/', len); }

static bool is_key(const char *text, size_t len)
{
	const char *slash = slash_in(text, len);
	size_t prefix = slash ? (size_t)(slash - text) : 0;

	if (!slash)
		return is_name_part(text, len);
	return is_subdomain(text, prefix) && is_name_part(slash + 1, len - prefix - 1);
}

/* [A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])? */
static bool is_reason(const char *text, size_t len)
{
	for (size_t i = 0; i < len; i++)
		if (!is_letter(text[i]) && (i == 0 || (!is_digit(text[i]) && text[i] != '_' &&
						       (i == len - 1 || !strchr(",:", text[i])))))
			return false;
	return len > 0;
}

/* [a-z]([-a-z0-9]*[a-z0-9])?, in any letter case */
static bool is_kind(const char *text, size_t len)
{
	for (size_t i = 0; i < len; i++)
		if (!is_letter(text[i]) &&
		    (i == 0 || (!is_digit(text[i]) && (i == len - 1 || text[i] != '-'))))
			return false;
	return len > 0;
}

bool fl_form_matches(enum fl_pattern pattern, const char *text, size_t len)
{
	switch (pattern) {
	case FL_PATTERN_LABEL:
		return is_label(text, len);
	case FL_PATTERN_SUBDOMAIN:
		return is_subdomain(text, len);
	case FL_PATTERN_KEY:
		return is_key(text, len);
	case FL_PATTERN_REASON:
		return is_reason(text, len);
	case FL_PATTERN_KIND:
		return is_kind(text, len);
	case FL_PATTERN_NONE:
		break;
	}
	return true;
}

const char *fl_form_words(enum fl_pattern pattern)
{
	static const char *const words[] = {
		[FL_PATTERN_NONE] = "",
		[FL_PATTERN_LABEL] = "lower-case letters, digits and '-', with a letter or digit "
				     "at both ends",
		[FL_PATTERN_SUBDOMAIN] = "lower-case letters, digits, '-' and '.', with a letter "
					 "or digit at both ends and beside each dot",
		[FL_PATTERN_KEY] = "letters, digits, '-', '_' and '.', with a letter or digit at "
				   "both ends; before it may stand a domain and '/'",
		[FL_PATTERN_REASON] = "one word of letters, digits and '_' that begins with a "
				      "letter",
		[FL_PATTERN_KIND] = "letters, digits and '-', a letter first",
	};

	return words[pattern];
}

bool fl_form_qualified(const char *text, size_t len)
{
	const char *slash = slash_in(text, len);
	size_t prefix = slash ? (size_t)(slash - text) : 0;
	const char *name = slash ? slash + 1 : text;
	size_t name_len = slash ? len - prefix - 1 : len;

	return (!slash || (prefix <= 253 && is_subdomain(text, prefix))) && name_len <= 63 &&
	       is_name_part(name, name_len);
}

bool fl_form_label_value(const char *text, size_t len)
{
	return len == 0 || (len <= 63 && is_name_part(text, len));
}

bool fl_form_domain_path(const char *text, size_t len)
{
	const char *slash = slash_in(text, len);
	size_t prefix = slash ? (size_t)(slash - text) : 0;

	if (!slash || prefix + 1 == len || !is_subdomain(text, prefix))
		return false;
	for (size_t i = prefix + 1; i < len; i++)
		if (!is_alnum(text[i]) && !strchr("/-._~%!$&'()*+,;=:", text[i]))
			return false;
	return true;
}

size_t fl_form_length(const char *text, size_t len)
{
	size_t n = 0;

	for (size_t i = 0; i < len; i++)
		n += ((unsigned char)text[i] & 0xc0) != 0x80;
	return n;
}

/* --- quantities --- */

/* The parts of a quantity, as far as it is one. */
struct parts {
	size_t digits, fraction; /* before and behind the point */
	bool point, negative, nonzero;
	const char *suffix;
	size_t suffix_len;
};

static struct parts parts_of(const char *text, size_t len)
{
	struct parts p = { 0 };
	size_t i = 0;

	if (i < len && (text[i] == '+' || text[i] == '-'))
		p.negative = text[i++] == '-';
	for (; i < len && (is_digit(text[i]) || (text[i] == '.' && !p.point)); i++) {
		p.nonzero |= is_digit(text[i]) && text[i] != '0';
		if (text[i] == '.')
			p.point = true;
		else
			*(p.point ? &p.fraction : &p.digits) += 1;
	}
	p.suffix = text + i;
	p.suffix_len = len - i;
	return p;
}

/* e or E, a sign, and digits; with @point digits may have one. */
static bool is_exponent(const char *text, size_t len, bool point)
{
	struct parts p;
	size_t sign = len > 1 && (text[1] == '+' || text[1] == '-');

	if (len < 2 || (text[0] != 'e' && text[0] != 'E'))
		return false;
	if (len > 1 + sign && (text[1 + sign] == '+' || text[1 + sign] == '-'))
		return false;
	p = parts_of(text + 1 + sign, len - 1 - sign);
	return p.suffix_len == 0 && p.digits + p.fraction > 0 && (point || !p.point);
}

static bool is_suffix(const char *text, size_t len)
{
	return len == 0 || (len == 1 && strchr("numkMGTPE", text[0])) ||
	       (len == 2 && strchr("KMGTPE", text[0]) && text[1] == 'i');
}

bool fl_form_quantity(const char *text, size_t len)
{
	const struct parts p = parts_of(text, len);

	return p.digits + p.fraction > 0 &&
	       (is_suffix(p.suffix, p.suffix_len) ||
		is_exponent(p.suffix, p.suffix_len, /* point= */ true));
}

bool fl_form_decodes(const char *text, size_t len)
{
	const struct parts p = parts_of(text, len);

	return p.digits + p.fraction > 0 &&
	       (is_suffix(p.suffix, p.suffix_len) ||
		is_exponent(p.suffix, p.suffix_len, /* point= */ false));
}

bool fl_form_mends(const char *text, size_t len)
{
	struct parts p;

	while (len > 0 && strchr(" \t", text[0])) {
		text++;
		len--;
	}
	while (len > 0 && strchr(" \t", text[len - 1]))
		len--;
	p = parts_of(text, len);
	return len > 0 && (is_suffix(p.suffix, p.suffix_len) ||
			   is_exponent(p.suffix, p.suffix_len, /* point= */ false));
}

fl_nanos fl_form_nanos(const char *text, size_t len)
{
	const struct parts p = parts_of(text, len);
	const size_t sign = len > 0 && (text[0] == '+' || text[0] == '-');
	fl_nanos n = 0;

	if (!fl_form_decodes(text, len) || !p.nonzero)
		return 0;
	if (fl_quantity_parse_nanos(text + sign, len - sign, &n, /* err= */ NULL) < 0)
		return 0;
	return p.negative ? -n : n;
}

bool fl_form_duration(const char *text, size_t len)
{
	const size_t sign = len > 0 && (text[0] == '+' || text[0] == '-');
	fl_time t;

	return fl_duration_parse(text + sign, len - sign, &t, /* err= */ NULL) == 0;
}

bool fl_form_time(const char *text, size_t len)
{
	fl_time t;

	return fl_time_parse(text, len, &t, /* err= */ NULL) == 0;
}
