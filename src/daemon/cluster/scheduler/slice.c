/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/cluster/scheduler/slice.h"

#include <string.h>

static const char *skip_text(const char *at, const char *end)
{
	for (at++; at < end && *at != '"'; at++)
		if (*at == '\\')
			at++;
	return at < end ? at + 1 : end;
}

static bool is_between(char c)
{
	return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == ',' || c == ':';
}

static bool ends(char c) { return c == '}' || c == ']'; }

/* @at is before @end. */
static const char *skip_value(const char *at, const char *end)
{
	size_t depth = 0;

	if (*at != '"' && *at != '{' && *at != '[') { /* a number, or a word */
		while (at < end && !is_between(*at) && !ends(*at))
			at++;
		return at;
	}
	do {
		if (*at == '"') {
			at = skip_text(at, end);
			continue;
		}
		depth += *at == '{' || *at == '[';
		depth -= ends(*at);
		at++;
	} while (depth && at < end);
	return at;
}

static struct fl_slice take(struct fl_slices *s)
{
	struct fl_slice ret = { NULL, 0 };

	while (s->at < s->end && is_between(*s->at))
		s->at++;
	if (s->at < s->end && !ends(*s->at)) {
		ret.at = s->at;
		s->at = skip_value(s->at, s->end);
		ret.n = (size_t)(s->at - ret.at);
	}
	return ret;
}

struct fl_slices fl_slices_in(struct fl_slice value)
{
	struct fl_slices ret = { .at = value.at, .end = value.at };

	while (value.n && is_between(*value.at)) {
		value.at++;
		value.n--;
	}
	if (value.n && (*value.at == '{' || *value.at == '['))
		ret = (struct fl_slices){ .at = value.at + 1,
					  .end = value.at + value.n,
					  .is_map = *value.at == '{' };
	return ret;
}

bool fl_slices_next(struct fl_slices *s, struct fl_slice *ret_key, struct fl_slice *ret)
{
	*ret_key = s->is_map ? take(s) : (struct fl_slice){ NULL, 0 };
	*ret = take(s);
	return ret->at != NULL;
}

struct fl_slice fl_slice_of(struct fl_slice map, const char *key)
{
	struct fl_slices members = fl_slices_in(map);
	struct fl_slice k, value;

	while (fl_slices_next(&members, &k, &value))
		if (members.is_map && fl_slice_is(k, key))
			return value;
	return (struct fl_slice){ NULL, 0 };
}

bool fl_slice_is(struct fl_slice s, const char *text)
{
	const size_t n = strlen(text);

	return s.n == n + 2 && *s.at == '"' && memcmp(s.at + 1, text, n) == 0;
}
