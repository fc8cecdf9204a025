/* SPDX-License-Identifier: Apache-2.0 */
#include "decide/borrow/state/spans.h"

static void drop(struct fl_spans *s, uint32_t i) { s->free[i] = s->free[--s->n_free]; }

bool fl_spans_take(struct fl_spans *s, uint32_t n, uint32_t *ret_first)
{
	uint32_t best = FL_NONE;

	for (uint32_t i = 0; i < s->n_free; i++)
		if (s->free[i].n >= n && (best == FL_NONE || s->free[i].n < s->free[best].n))
			best = i;
	if (best == FL_NONE) {
		if (n > s->cap - s->end)
			return false;
		*ret_first = s->end;
		s->end += n;
		return true;
	}
	*ret_first = s->free[best].first;
	s->free[best].first += n;
	s->free[best].n -= n;
	if (s->free[best].n == 0)
		drop(s, best);
	return true;
}

void fl_spans_give(struct fl_spans *s, uint32_t first, uint32_t n)
{
	uint32_t least = 0;

	if (n == 0)
		return;
	for (uint32_t i = 0; i < s->n_free;) {
		struct fl_span f = s->free[i];

		if (f.first + f.n != first && first + n != f.first) {
			i++;
			continue;
		}
		first = f.first < first ? f.first : first;
		n += f.n;
		drop(s, i);
	}
	if (first + n == s->end) {
		s->end = first;
		return;
	}
	if (s->n_free < FL_SPANS_FREE) {
		s->free[s->n_free++] = (struct fl_span){ first, n };
		return;
	}
	for (uint32_t i = 1; i < s->n_free; i++)
		if (s->free[i].n < s->free[least].n)
			least = i;
	if (s->free[least].n < n)
		s->free[least] = (struct fl_span){ first, n };
}
