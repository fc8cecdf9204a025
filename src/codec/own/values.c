/* SPDX-License-Identifier: Apache-2.0 */
#include "codec/own/values.h"

#include <string.h>

#include "base/time.h"

static bool is_scalar(const struct fl_kube *k, uint32_t v)
{
	return k->doc.values[v].kind == FL_TOKEN_SCALAR;
}

int fl_own_period(struct fl_kube *k, uint32_t v, fl_time *ret)
{
	if (is_scalar(k, v) && k->doc.values[v].type != FL_SCALAR_STRING &&
	    strcmp(fl_doc_text(&k->doc, v), "0") != 0) {
		fl_kube_fail(k, v, FAIRLEAD_EINPUT, "'%.60s' is not a length of time",
			     fl_doc_text(&k->doc, v));
		fl_fail_hint(k->err, "write it with a unit, for example 10s, 5m or 30d");
		return FAIRLEAD_EINPUT;
	}
	if (!is_scalar(k, v))
		return fl_kube_duration(k, v, ret); /* reports what is wrong */
	if (fl_period_parse(fl_doc_text(&k->doc, v), k->doc.values[v].len, ret, k->err) < 0)
		return fl_kube_blame(k, v);
	return 0;
}

int fl_own_length(struct fl_kube *k, uint32_t v, fl_time *ret)
{
	fl_time value = 0;
	int r = fl_own_period(k, v, &value);

	if (r == 0 && value == 0)
		return fl_kube_fail(k, v, FAIRLEAD_EINPUT, "expected more than 0");
	if (r == 0)
		*ret = value;
	return r;
}

int fl_own_positive(struct fl_kube *k, uint32_t v, double *ret)
{
	double value = 0;
	int r = fl_kube_finite(k, v, &value);

	if (r == 0 && value <= 0)
		return fl_kube_fail(k, v, FAIRLEAD_EINPUT, "expected a number above 0");
	if (r == 0)
		*ret = value;
	return r;
}

int fl_own_file(struct fl_kube *k, uint32_t v, struct fl_sym *ret)
{
	int r = fl_kube_text(k, v, ret);

	if (r == 0 && k->doc.values[v].len == 0)
		return fl_kube_fail(k, v, FAIRLEAD_EINPUT, "expected the name of a file");
	return r;
}

int fl_own_name(struct fl_kube *k, uint32_t v, struct fl_sym *ret)
{
	if (is_scalar(k, v) && k->doc.values[v].type == FL_SCALAR_INT)
		return fl_kube_key(k, v, ret);
	return fl_kube_text(k, v, ret);
}

#define TYPE(type, says)                                                                           \
	static int read_##type(struct fl_kube *k, uint32_t v, const struct fl_field *f, void *to)  \
	{                                                                                          \
		(void)f;                                                                           \
		return fl_own_##type(k, v, to);                                                    \
	}                                                                                          \
	const struct fl_type fl_type_##type = { .read = read_##type, .schema = says };

TYPE(period, FL_PERIOD_SCHEMA)
TYPE(length, FL_PERIOD_SCHEMA)
TYPE(positive, "\"type\": \"number\", \"exclusiveMinimum\": 0")
TYPE(file, FL_NOT_EMPTY_SCHEMA)

int fl_own_second(struct fl_kube *k, const char *kind, struct fl_place first)
{
	fl_kube_fail(k, 0, FAIRLEAD_EINPUT, "a second %s", kind);
	fl_fail_hint(k->err, "the first is at %.200s:%u:%u",
		     fl_model_text(k->m, k->m->inputs[first.file]), first.line, first.column);
	return FAIRLEAD_EINPUT;
}
