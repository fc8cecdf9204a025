/* SPDX-License-Identifier: Apache-2.0 */
#include "prop/objects.h"

#include <string.h>

/* So long is the object that begins here. */
static size_t object_at(const char *at)
{
	size_t n = 0;
	int depth = 0;

	do {
		depth += (at[n] == '{') - (at[n] == '}');
		n++;
	} while (depth);
	return n;
}

static bool has(const char *at, size_t n, const char *what)
{
	return memmem(at, n, what, strlen(what)) != NULL;
}

static int workload_of(const char *at, size_t n)
{
	static const char key[] = "\"metadata\":{\"name\":\"w";
	const char *name = memmem(at, n, key, sizeof key - 1);

	return name && (has(at, n, "\"kind\":\"Workload\"") ||
			has(at, n, "\"kind\":\"PodGroup\"") || has(at, n, "\"kind\":\"Pod\"")) ?
		       atoi(name + sizeof key - 1) :
		       -1;
}

/* Out of @s, of *@n bytes: from where @begin stands to behind the next @end. */
static void cut(char *s, size_t *n, const char *begin, const char *end)
{
	char *at = memmem(s, *n, begin, strlen(begin)), *to;

	if (!at)
		return;
	to = memmem(at + strlen(begin), *n - (size_t)(at - s) - strlen(begin), end, strlen(end));
	ENSURE(to);
	to += strlen(end);
	memmove(at, to, *n - (size_t)(to - s));
	*n -= (size_t)(to - at);
}

/* As it was before it ever ran: a Workload's status is its end. */
static size_t without_past(char *s, size_t n)
{
	static const char status[] = ",\"status\":{";
	char *at = memmem(s, n, status, sizeof status - 1);

	if (has(s, n, "\"kind\":\"Workload\"")) {
		if (at) {
			*at = '}';
			n = (size_t)(at - s) + 1;
		}
		return n;
	}
	cut(s, &n, ",\"deletionTimestamp\":\"", "\"");
	cut(s, &n, ",\"nodeName\":\"", "\"");
	cut(s, &n, ",\"status\":{\"phase\":\"", "\"}");
	return n;
}

void objects_split(struct objects *ret, struct text *text, bool keep_past)
{
	static const char begin[] = "\"items\":[";
	static struct text kept;
	char *at = strstr(text->bytes, begin) + sizeof begin - 1;

	ret->text = text;
	ret->n = 0;
	kept.n = (size_t)(at - text->bytes);
	memcpy(kept.bytes, text->bytes, kept.n);
	while (*at != ']') {
		size_t n = object_at(at);
		struct object *object = &ret->rows[ret->n];

		ENSURE(ret->n < MOST_OBJECTS && kept.n + n + 3 < sizeof kept.bytes);
		if (ret->n++)
			kept.bytes[kept.n++] = ',';
		memcpy(kept.bytes + kept.n, at, n);
		*object = (struct object){ .first = kept.n, .n = n, .of = workload_of(at, n) };
		if (object->of >= 0 && !keep_past)
			object->n = without_past(kept.bytes + kept.n, n);
		kept.n += object->n;
		at += n + (at[n] == ',');
	}
	memcpy(kept.bytes + kept.n, "]}", 3);
	kept.n += 2;
	memcpy(text->bytes, kept.bytes, kept.n + 1);
	text->n = kept.n;
}

void objects_begin(struct text *to)
{
	to->n = 0;
	say(to, "{\"apiVersion\":\"v1\",\"kind\":\"List\",\"items\":[");
}

void objects_add(struct text *to, const struct objects *from, unsigned at)
{
	say(to, "%s%.*s", to->bytes[to->n - 1] == '[' ? "" : ",", (int)from->rows[at].n,
	    from->text->bytes + from->rows[at].first);
}

void objects_end(struct text *to) { say(to, "]}"); }
