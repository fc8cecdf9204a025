/* SPDX-License-Identifier: Apache-2.0 */
#include "store/damage.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "store/open.h"

static bool is_known(const struct fl_store_damage *d, uint64_t job, const char *text)
{
	for (uint32_t i = 0; i < d->n; i++)
		if (d->rows[i].job == job && strcmp(d->rows[i].text, text) == 0)
			return true;
	return false;
}

void fl_store_note(struct fl_store *s, uint64_t job, const char *format, ...)
{
	struct fl_store_damage *d = &s->damage;
	char text[sizeof d->rows->text];
	va_list args;

	va_start(args, format);
	(void)vsnprintf(text, sizeof text, format, args);
	va_end(args);
	(void)pthread_mutex_lock(&s->noting);
	/* Damage that is not in the list may be counted twice. */
	if (!is_known(d, job, text)) {
		d->total++;
		if (d->n < FL_STORE_DAMAGED) {
			d->rows[d->n].job = job;
			memcpy(d->rows[d->n++].text, text, sizeof text);
		}
	}
	(void)pthread_mutex_unlock(&s->noting);
}

void fl_store_damaged(struct fl_store *s, struct fl_store_damage *ret)
{
	(void)pthread_mutex_lock(&s->noting);
	*ret = s->damage;
	(void)pthread_mutex_unlock(&s->noting);
}
