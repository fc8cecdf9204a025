/* SPDX-License-Identifier: Apache-2.0 */
#include "codec/grouper/grouping.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

bool fl_grouper_pod_label(const struct fl_grouper_pod *pod, const char *key, const char **ret)
{
	struct fl_kjob_value v = fl_kjob_get(fl_kjob_get(pod->metadata, "labels"), key);

	for (uint32_t i = 0; pod->more && i < pod->more->n; i++)
		if (strcmp(pod->more->items[i].key, key) == 0) {
			*ret = pod->more->items[i].value;
			return true;
		}
	if (fl_kjob_has(v))
		*ret = fl_kjob_text(v);
	return fl_kjob_has(v);
}

static char *text_of(const struct fl_grouping *g, fairlead_error *err, const char *format,
		     va_list args)
{
	va_list again;
	char *text = NULL;
	int len;

	va_copy(again, args);
	len = vsnprintf(NULL, 0, format, again);
	va_end(again);
	if (len >= 0 && FL_NEW(g->run->arena, text, (size_t)len + 1, err))
		(void)vsnprintf(text, (size_t)len + 1, format, args);
	return text;
}

int fl_grouper_refuse(const struct fl_grouping *g, struct fl_made_group *ret, fairlead_error *err,
		      const char *format, ...)
{
	va_list args;

	va_start(args, format);
	ret->why = text_of(g, err, format, args);
	va_end(args);
	return ret->why ? 1 : FAIRLEAD_ENOMEM;
}

int fl_grouper_name(const struct fl_grouping *g, struct fl_made_group *ret, fairlead_error *err,
		    const char *format, ...)
{
	va_list args;

	va_start(args, format);
	ret->name = text_of(g, err, format, args);
	va_end(args);
	return ret->name ? 0 : FAIRLEAD_ENOMEM;
}

const char *fl_grouper_uid(const struct fl_grouping *g)
{
	/* What a TrainJob makes is a JobSet, which has an uid of its own. */
	return *g->top->uid && g->top->kind != FL_FRAMEWORK_TRAIN_JOB ? g->top->uid : g->kind->uid;
}
