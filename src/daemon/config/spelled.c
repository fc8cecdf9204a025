/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/config/spelled.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- to text --- */

static int add_texts(json_t *list, const struct fl_config *config)
{
	const struct fl_config_text *texts;
	uint32_t n = fl_config_texts(config, &texts);
	int r = 0;

	for (uint32_t i = 0; i < n && r == 0; i++)
		r = json_array_append_new(list, json_pack("{s:s, s:s%}", "name", texts[i].name,
							  "text", texts[i].bytes, texts[i].len));
	return r;
}

static int add_capacity(json_t *list, const struct fl_capacity *capacity)
{
	int r = 0;

	for (uint32_t i = 0; i < capacity->n && r == 0; i++)
		r = json_array_append_new(list, json_pack("{s:s, s:s, s:I}", "flavor",
							  capacity->rows[i].flavor, "resource",
							  capacity->rows[i].resource, "amount",
							  (json_int_t)capacity->rows[i].amount));
	return r;
}

/* Adds a list under its key; @r: whether it is whole. */
static int put_list(json_t *whole, const char *key, json_t *list, int r)
{
	return json_object_set_new(whole, key, list) == 0 ? r : -1;
}

static int put_made(json_t *whole, const struct fl_configuring *as)
{
	json_t *made = json_pack("{s:s*, s:s*, s:s*}", "how", as->how, "by", as->by, "why",
				 as->why);
	int r = made ? json_object_update(whole, made) : -1;

	json_decref(made);
	return r;
}

char *fl_config_spell(const struct fl_config *config, const struct fl_capacity *capacity,
		      const struct fl_configuring *as)
{
	json_t *whole = json_object(), *texts = json_array(), *rows = json_array();
	int r = put_list(whole, "texts", json_incref(texts), add_texts(texts, config));
	char *text = NULL;

	if (r == 0 && capacity)
		r = put_list(whole, "capacity", json_incref(rows), add_capacity(rows, capacity));
	if (r == 0 && as)
		r = put_made(whole, as);
	if (r == 0)
		text = json_dumps(whole, JSON_COMPACT);
	json_decref(texts);
	json_decref(rows);
	json_decref(whole);
	return text;
}

/* --- and back --- */

static int damaged(fairlead_error *err)
{
	return fl_fail(err, FAIRLEAD_EINPUT, "the configuration that was kept is damaged");
}

static int read_rows(json_t *list, struct fl_capacity_row *rows, fairlead_error *err)
{
	size_t i;
	json_t *item;

	json_array_foreach(list, i, item)
	{
		const char *flavor, *resource;
		json_int_t amount;

		if (json_unpack(item, "{s:s, s:s, s:I}", "flavor", &flavor, "resource", &resource,
				"amount", &amount) != 0 ||
		    strlen(flavor) >= sizeof rows->flavor ||
		    strlen(resource) >= sizeof rows->resource)
			return damaged(err);
		(void)snprintf(rows[i].flavor, sizeof rows->flavor, "%s", flavor);
		(void)snprintf(rows[i].resource, sizeof rows->resource, "%s", resource);
		rows[i].amount = amount;
	}
	return 0;
}

static int read_capacity(json_t *list, struct fl_capacity *ret, fairlead_error *err)
{
	size_t n = json_array_size(list);
	struct fl_capacity_row *rows = calloc(n + 1, sizeof *rows);
	int r = rows ? read_rows(list, rows, err) : fl_fail_nomem(err);

	if (r == 0)
		*ret = (struct fl_capacity){ .rows = rows, .n = (uint32_t)n };
	else
		free(rows);
	return r;
}

static int read_texts(json_t *list, struct fl_config **ret, fairlead_error *err)
{
	size_t n = json_array_size(list), i;
	struct fl_config_text *texts = calloc(n + 1, sizeof *texts);
	json_t *item;
	int r = texts ? 0 : fl_fail_nomem(err);

	json_array_foreach(list, i, item)
	{
		const char *name = json_string_value(json_object_get(item, "name"));
		json_t *text = json_object_get(item, "text");

		if (r == 0 && (!name || !json_is_string(text)))
			r = damaged(err);
		if (r < 0)
			break;
		texts[i] = (struct fl_config_text){ (char *)name, (char *)json_string_value(text),
						    json_string_length(text) };
	}
	if (r == 0)
		r = fl_config_again(texts, (uint32_t)n, ret, err);
	free(texts);
	return r;
}

int fl_config_unspell(const char *text, size_t len, struct fl_config **ret,
		      struct fl_capacity *ret_capacity, fairlead_error *err)
{
	json_t *whole = json_loadb(text, len, 0, NULL);
	int r = whole ? read_texts(json_object_get(whole, "texts"), ret, err) : damaged(err);

	if (r == 0 && ret_capacity) {
		r = read_capacity(json_object_get(whole, "capacity"), ret_capacity, err);
		if (r < 0)
			*ret = fl_config_free(*ret);
	}
	json_decref(whole);
	return r;
}
