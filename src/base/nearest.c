/* SPDX-License-Identifier: Apache-2.0 */
#include "base/nearest.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

enum { LONGEST = 511 };

static unsigned least_of(unsigned a, unsigned b) { return a < b ? a : b; }

/* Edits from a to b (insert, delete, replace, exchange two neighbours); anything above @limit is limit + 1. */
static unsigned edits(const char *a, const char *b, unsigned limit)
{
	size_t n = strlen(a), m = strlen(b);
	unsigned rows[3][LONGEST + 1], least_before = 0;

	if (n > LONGEST || m > LONGEST || (n > m ? n - m : m - n) > limit)
		return limit + 1;
	for (size_t k = 0; k <= m; k++)
		rows[0][k] = (unsigned)k;
	for (size_t i = 1; i <= n; i++) {
		const unsigned *before = rows[(i - 1) % 3], *first = rows[(i + 1) % 3];
		unsigned *row = rows[i % 3], least = row[0] = (unsigned)i;

		for (size_t k = 1; k <= m; k++) {
			row[k] = least_of(before[k - 1] + (a[i - 1] != b[k - 1]),
					  least_of(before[k], row[k - 1]) + 1);
			if (i > 1 && k > 1 && a[i - 1] == b[k - 2] && a[i - 2] == b[k - 1])
				row[k] = least_of(row[k], first[k - 2] + 1);
			least = least_of(least, row[k]);
		}
		if (least > limit && least_before > limit)
			return limit + 1;
		least_before = least;
	}
	return least_of(rows[n % 3][m], limit + 1);
}

static const char *last_part(const char *name)
{
	const char *slash = strrchr(name, '/');

	return slash ? slash + 1 : name;
}

/* Than the one at @i; equals by name, so that the order of the input does not show. */
static bool nearer(const struct fl_nearest *n, unsigned i, unsigned d, const char *name)
{
	return d != n->distance[i] ? d < n->distance[i] : strcmp(name, n->name[i]) < 0;
}

void fl_nearest_offer(struct fl_nearest *n, const char *name)
{
	size_t len = strlen(n->wanted);
	unsigned limit = len < 6 ? 2 : len < 20 ? 3 : 5;
	unsigned d = edits(n->wanted, name, limit);

	/* The right name in another namespace is a likely slip, too; and a made name that was cut. */
	if (d > limit && (strcmp(last_part(n->wanted), last_part(name)) == 0 ||
			  (len > 3 && strncmp(n->wanted, name, len) == 0)))
		d = limit;
	if (d > limit || (n->n == FL_NEAREST && !nearer(n, FL_NEAREST - 1, d, name)))
		return;
	for (unsigned i = 0; i < n->n; i++)
		if (strcmp(n->name[i], name) == 0)
			return;
	unsigned at = n->n < FL_NEAREST ? n->n++ : FL_NEAREST - 1;
	while (at > 0 && nearer(n, at - 1, d, name)) {
		n->distance[at] = n->distance[at - 1];
		memcpy(n->name[at], n->name[at - 1], sizeof(n->name[at]));
		at--;
	}
	n->distance[at] = d;
	snprintf(n->name[at], sizeof(n->name[at]), "%s", name);
}

const char *fl_nearest_text(const struct fl_nearest *n, char *buffer, size_t size)
{
	size_t at = 0;

	buffer[0] = '\0';
	for (unsigned i = 0; i < n->n && at < size; i++)
		at += (size_t)snprintf(buffer + at, size - at, "%s'%s'",
				       i == 0        ? "" :
				       i + 1 == n->n ? " or " :
						       ", ",
				       n->name[i]);
	return buffer;
}
