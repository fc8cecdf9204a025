/* SPDX-License-Identifier: Apache-2.0 */
#include "store/sum.h"

#include <string.h>

#include "base/mix.h"
#include "store/database.h"

/* Mixed in before a value, so that NULL, 0 and "" differ. */
enum { IS_NULL = 1, IS_INT, IS_TEXT, IS_OTHER };

void fl_sum_int(struct fl_sum *s, int64_t v)
{
	fl_mix(s->lanes, IS_INT);
	fl_mix(s->lanes, (uint64_t)v);
}

void fl_sum_null(struct fl_sum *s) { fl_mix(s->lanes, IS_NULL); }

static void add_text(struct fl_sum *s, const char *text, size_t n)
{
	uint64_t word;

	fl_mix(s->lanes, IS_TEXT);
	fl_mix(s->lanes, n);
	for (; n >= sizeof word; text += sizeof word, n -= sizeof word) {
		memcpy(&word, text, sizeof word);
		fl_mix(s->lanes, word);
	}
	word = 0;
	memcpy(&word, text, n);
	fl_mix(s->lanes, word);
}

void fl_sum_text(struct fl_sum *s, const char *text)
{
	if (text)
		add_text(s, text, strlen(text));
	else
		fl_sum_null(s);
}

int64_t fl_sum_end(const struct fl_sum *s)
{
	int64_t ret;

	memcpy(&ret, &s->lanes[1], sizeof ret);
	return ret;
}

/* The function fl_sum(value, ...) of statements. Rows have no other types. */
static void sum_of_values(sqlite3_context *context, int n, sqlite3_value **values)
{
	struct fl_sum s = { { 0, 0 } };

	for (int i = 0; i < n; i++) {
		const void *text;

		switch (sqlite3_value_type(values[i])) {
		case SQLITE_INTEGER:
			fl_sum_int(&s, sqlite3_value_int64(values[i]));
			break;
		case SQLITE_NULL:
			fl_sum_null(&s);
			break;
		case SQLITE_TEXT:
			text = sqlite3_value_text(values[i]);
			if (!text) {
				sqlite3_result_error_nomem(context);
				return;
			}
			add_text(&s, text, (size_t)sqlite3_value_bytes(values[i]));
			break;
		default: /* a flipped bit can make a text a blob of the same length */
			fl_mix(s.lanes, IS_OTHER);
		}
	}
	sqlite3_result_int64(context, fl_sum_end(&s));
}

int fl_sum_in_statements(sqlite3 *handle)
{
	return sqlite3_create_function_v2(handle, "fl_sum", -1,
					  SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_DIRECTONLY,
					  NULL, sum_of_values, NULL, NULL, NULL);
}
