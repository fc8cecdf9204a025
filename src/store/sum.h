/* SPDX-License-Identifier: Apache-2.0 */
/* sum - the checksum of the values of a row, in their order */
#ifndef FL_STORE_SUM_H
#define FL_STORE_SUM_H

#include <sqlite3.h>
#include <stdint.h>

struct fl_sum {
	uint64_t lanes[2];
};
void fl_sum_int(struct fl_sum *s, int64_t v);
void fl_sum_null(struct fl_sum *s);
void fl_sum_text(struct fl_sum *s, const char *text); /* NULL too */
int64_t fl_sum_end(const struct fl_sum *s);
/* The same as fl_sum(value, ...) in statements. SQLite's code. */
int fl_sum_in_statements(sqlite3 *handle);

#endif
