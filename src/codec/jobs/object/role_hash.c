/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The role of a pod in its group: eight digits of the SHA-256 of what Kueue compares pods by, as JSON:
 * maps in the order of their keys, structures in the order of the API's fields, quantities in their
 * canonical form.  Pods of the same role are one set of pods.
 */
#include "codec/jobs/object/role_hash.h"

#include <string.h>

#include "base/limits.h"
#include "codec/jobs/object/digest.h"
#include "codec/jobs/object/index.h"
#include "codec/text/quantity.h"

enum { ROLE_DIGITS = 8 };

/* Fields of the API's structures, each before those that follow it in any structure. */
static const char *const fields[] = { "nodeAffinity",
				      "podAffinity",
				      "podAntiAffinity",
				      "requiredDuringSchedulingIgnoredDuringExecution",
				      "preferredDuringSchedulingIgnoredDuringExecution",
				      "nodeSelectorTerms",
				      "weight",
				      "preference",
				      "podAffinityTerm",
				      "maxSkew",
				      "whenUnsatisfiable",
				      "labelSelector",
				      "namespaces",
				      "topologyKey",
				      "namespaceSelector",
				      "minDomains",
				      "nodeAffinityPolicy",
				      "nodeTaintsPolicy",
				      "matchLabelKeys",
				      "mismatchLabelKeys",
				      "matchLabels",
				      "matchExpressions",
				      "matchFields",
				      "key",
				      "operator",
				      "value",
				      "values",
				      "effect",
				      "tolerationSeconds",
				      "name",
				      "resourceClaimName",
				      "resourceClaimTemplateName",
				      "hostPort",
				      "containerPort",
				      "protocol",
				      "hostIP",
				      NULL };

/* The one structure where the key comes before the selector. */
static const char *const spread_fields[] = { "maxSkew",
					     "topologyKey",
					     "whenUnsatisfiable",
					     "labelSelector",
					     "matchLabels",
					     "matchExpressions",
					     "key",
					     "operator",
					     "values",
					     "minDomains",
					     "nodeAffinityPolicy",
					     "nodeTaintsPolicy",
					     "matchLabelKeys",
					     NULL };

struct writer {
	struct fl_digest digest;
	fairlead_error *err;
};

static void put(struct writer *w, const char *text)
{
	fl_digest_add(&w->digest, text, strlen(text));
}

/* As Go writes it. */
static void put_string(struct writer *w, const char *text)
{
	static const char hex[] = "0123456789abcdef";

	put(w, "\"");
	for (; *text; text++) {
		unsigned char c = (unsigned char)*text;
		char escape[] = { '\\', 'u', '0', '0', hex[c >> 4], hex[c & 15], '\0' };

		if (c == '"' || c == '\\') {
			put(w, "\\");
			fl_digest_add(&w->digest, text, 1);
		} else if (c == '\n' || c == '\r' || c == '\t') {
			put(w, c == '\n' ? "\\n" : c == '\r' ? "\\r" : "\\t");
		} else if (c < 0x20 || c == '<' || c == '>' || c == '&') {
			put(w, escape);
		} else {
			fl_digest_add(&w->digest, text, 1);
		}
	}
	put(w, "\"");
}

/* --- quantities ----------------------------------------------------------------------------------- */

static void put_number(struct writer *w, fl_nanos n, const char *suffix)
{
	char text[48];
	size_t at = sizeof text - 1;

	text[at] = '\0';
	do
		text[--at] = (char)('0' + (int)(n % 10));
	while (n /= 10);
	put(w, text + at);
	put(w, suffix);
}

static void put_decimal(struct writer *w, fl_nanos n, bool exponents)
{
	static const char *const suffixes[] = { "n", "u", "m", "", "k", "M", "G", "T", "P", "E" };
	static const char *const powers[] = { "e-9", "e-6", "e-3", "",    "e3",
					      "e6",  "e9",  "e12", "e15", "e18" };
	unsigned step = n ? 0 : 3;

	while (n && n % 1000 == 0 && step < 9) {
		n /= 1000;
		step++;
	}
	put_number(w, n, exponents ? powers[step] : suffixes[step]);
}

static int put_quantity(struct writer *w, struct fl_kjob_value value)
{
	static const char *const suffixes[] = { "", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei" };
	const fl_nanos one = 1000000000;
	const char *text = fl_doc_text(value.doc, value.v);
	size_t len = value.doc->values[value.v].len, digits = strspn(text, "+-.0123456789");
	bool binary = text[digits] && text[digits + 1] == 'i';
	bool exponent = (text[digits] == 'e' || text[digits] == 'E') && text[digits + 1];
	unsigned step = 0;
	fl_nanos n;
	int r = fl_quantity_parse_nanos(text, len, &n, w->err);

	if (r < 0)
		return r;
	put(w, "\"");
	if (!binary || n < 1024 * one || n % one) {
		put_decimal(w, n, exponent && !binary);
	} else {
		for (n /= one; n % 1024 == 0 && step < 6; step++)
			n /= 1024;
		put_number(w, n, suffixes[step]);
	}
	put(w, "\"");
	return 0;
}

/* --- values ------------------------------------------------------------------------------------------- */

static unsigned rank(const char *const *order, const char *key)
{
	unsigned i = 0;

	while (order && order[i] && strcmp(order[i], key) != 0)
		i++;
	return i;
}

/* The key of @map that comes next after @last; "order" NULL: by text. */
static struct fl_kjob_value next_key(struct fl_kjob_value map, const char *const *order,
				     const char *last)
{
	struct fl_kjob_value best = FL_KJOB_NO_VALUE;

	for (struct fl_kjob_value i = fl_kjob_first(map); fl_kjob_has(i);
	     i = fl_kjob_next(map, i)) {
		const char *key = fl_kjob_key(i),
			   *old = fl_kjob_has(best) ? fl_kjob_key(best) : NULL;
		unsigned at = rank(order, key);

		if (last &&
		    (at < rank(order, last) || (at == rank(order, last) && strcmp(key, last) <= 0)))
			continue;
		if (!old || at < rank(order, old) ||
		    (at == rank(order, old) && strcmp(key, old) < 0))
			best = i;
	}
	return best;
}

static bool is_empty(struct fl_kjob_value v)
{
	return !fl_kjob_has(v) ||
	       ((fl_kjob_is_list(v) || fl_kjob_is_map(v)) && !fl_kjob_has(fl_kjob_first(v))) ||
	       fl_kjob_is(v, "");
}

/* As deep as an object is (FL_MAX_DEPTH). */
static int put_value(struct writer *w, struct fl_kjob_value v, const char *const *order,
		     bool quantities)
{
	const char *comma = "";
	int r = 0;

	if (fl_kjob_is_map(v)) {
		if (fl_kjob_count(v) > FL_MAX_COLUMNS) /* each next key is looked for */
			return fl_fail(w->err, FAIRLEAD_ELIMIT, "more than %d keys",
				       FL_MAX_COLUMNS);
		put(w, "{");
		for (struct fl_kjob_value i = next_key(v, order, NULL); fl_kjob_has(i) && r == 0;
		     i = next_key(v, order, fl_kjob_key(i))) {
			bool labels = strcmp(fl_kjob_key(i), "matchLabels") == 0;

			if (order && is_empty(fl_kjob_of_key(i)))
				continue;
			put(w, comma);
			comma = ",";
			put_string(w, fl_kjob_key(i));
			put(w, ":");
			r = put_value(w, fl_kjob_of_key(i), labels ? NULL : order, quantities);
		}
		put(w, "}");
	} else if (fl_kjob_is_list(v)) {
		put(w, "[");
		for (struct fl_kjob_value i = fl_kjob_first(v); fl_kjob_has(i) && r == 0;
		     i = fl_kjob_next(v, i)) {
			put(w, comma);
			comma = ",";
			r = put_value(w, i, order, quantities);
		}
		put(w, "]");
	} else if (!fl_kjob_has(v)) {
		put(w, "null");
	} else if (quantities) {
		r = put_quantity(w, v);
	} else if (v.doc->values[v.v].type == FL_SCALAR_STRING) {
		put_string(w, fl_kjob_text(v));
	} else {
		put(w, fl_doc_text(v.doc, v.v));
	}
	return r;
}

/* ,"key":value; null where there is none. */
static int put_field(struct writer *w, struct fl_kjob_value spec, const char *key,
		     const char *const *order, bool quantities)
{
	struct fl_kjob_value v = fl_kjob_get(spec, key);

	put_string(w, key);
	put(w, ":");
	return put_value(w, fl_kjob_is_list(v) && is_empty(v) ? FL_KJOB_NO_VALUE : v, order,
			 quantities);
}

static int put_containers(struct writer *w, struct fl_kjob_value spec, const char *key)
{
	struct fl_kjob_value list = fl_kjob_get(spec, key);
	const char *comma = "";
	int r = 0;

	put_string(w, key);
	if (!fl_kjob_is_list(list) || is_empty(list)) {
		put(w, ":null");
		return 0;
	}
	put(w, ":[");
	for (struct fl_kjob_value i = fl_kjob_first(list); fl_kjob_has(i) && r == 0;
	     i = fl_kjob_next(list, i)) {
		put(w, comma);
		comma = ",";
		put(w, "{");
		r = put_field(w, i, "ports", fields, /* quantities= */ false);
		put(w, ",\"resources\":{");
		if (r == 0)
			r = put_field(w, fl_kjob_get(i, "resources"), "requests", NULL,
				      /* quantities= */ true);
		put(w, "}}");
	}
	put(w, "]");
	return r;
}

static int put_spec(struct writer *w, struct fl_kjob_value spec)
{
	static const struct {
		const char *key;
		const char *const *order;
		bool containers, quantities;
	} parts[] = {
		{ "affinity", fields, false, false },
		{ "containers", NULL, true, false },
		{ "initContainers", NULL, true, false },
		{ "nodeSelector", NULL, false, false },
		{ "overhead", NULL, false, true },
		{ "priority", NULL, false, false },
		{ "resourceClaims", fields, false, false },
		{ "resources", NULL, false, true },
		{ "runtimeClassName", NULL, false, false },
		{ "tolerations", fields, false, false },
		{ "topologySpreadConstraints", spread_fields, false, false },
	};
	int r = 0;

	for (size_t i = 0; i < sizeof parts / sizeof *parts && r == 0; i++) {
		struct fl_kjob_value resources = fl_kjob_get(spec, "resources");
		bool pod_level = strcmp(parts[i].key, "resources") == 0;

		if (pod_level && !fl_kjob_has(resources))
			continue; /* only a pod that has them has the key */
		put(w, i ? "," : "{\"spec\":{");
		if (parts[i].containers) {
			r = put_containers(w, spec, parts[i].key);
		} else if (pod_level) {
			put(w, "\"resources\":");
			r = put_value(w, fl_kjob_get(resources, "requests"), NULL, true);
		} else {
			r = put_field(w, spec, parts[i].key, parts[i].order, parts[i].quantities);
		}
	}
	put(w, "}}");
	return r;
}

int fl_kjob_role(const struct fl_kjob *job, const char **ret, fairlead_error *err)
{
	const char *given = fl_kjob_text(fl_kjob_get(job->annotations, FL_KJOB_ROLE_HASH));
	struct writer w = { .err = err };
	char digits[FL_DIGEST_HEX];
	int r;

	if (*given) {
		*ret = given;
		return 0;
	}
	fl_digest_begin(&w.digest, FL_SHA256);
	r = put_spec(&w, job->spec);
	if (r < 0)
		return r;
	fl_digest_hex(&w.digest, digits);
	digits[ROLE_DIGITS] = '\0';
	*ret = fl_kjobs_format(job->run, err, "%s", digits);
	return *ret ? 0 : FAIRLEAD_ENOMEM;
}
