/* SPDX-License-Identifier: Apache-2.0 */
/* keep - configuration and capacity as JSON: {"texts": [{"name", "text"}], "capacity": [...]} */
#include "daemon/machine/keep.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/config/access.h"
#include "daemon/config/accounts.h"
#include "daemon/config/config_warn.h"
#include "daemon/machine/batch.h"
#include "daemon/machine/inside.h"

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

char *fl_core_spell_config(const struct fl_config *config, const struct fl_capacity *capacity)
{
	json_t *texts = json_array(), *rows = json_array();
	json_t *whole = json_pack("{s:o, s:o}", "texts", texts, "capacity", rows);
	char *text = NULL;

	if (whole && add_texts(texts, config) == 0 && add_capacity(rows, capacity) == 0)
		text = json_dumps(whole, JSON_COMPACT);
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

int fl_core_copy_capacity(struct fl_core *c, const struct fl_capacity *from, fairlead_error *err)
{
	struct fl_capacity_row *rows = malloc((from->n + 1) * sizeof *rows);

	if (!rows)
		return fl_fail_nomem(err);
	memcpy(rows, from->rows, from->n * sizeof *rows);
	free((void *)c->capacity.rows);
	c->capacity = (struct fl_capacity){ .rows = rows, .n = from->n };
	return 0;
}

static int take_capacity(struct fl_core *c, json_t *list, fairlead_error *err)
{
	struct fl_capacity found = { .n = (uint32_t)json_array_size(list) };
	struct fl_capacity_row *rows = calloc(found.n + 1, sizeof *rows);
	int r = rows ? read_rows(list, rows, err) : fl_fail_nomem(err);

	found.rows = rows;
	if (r == 0)
		r = fl_core_copy_capacity(c, &found, err);
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

int fl_core_take_config(struct fl_core *c, const char *text, size_t len, fairlead_error *err)
{
	json_t *whole = json_loadb(text, len, 0, NULL);
	struct fl_config *config = NULL;
	int r = whole ? read_texts(json_object_get(whole, "texts"), &config, err) : damaged(err);

	if (r == 0)
		r = take_capacity(c, json_object_get(whole, "capacity"), err);
	json_decref(whole);
	if (r < 0) {
		fl_config_free(config);
		return r;
	}
	fl_config_free(c->config);
	c->config = config;
	return 0;
}

int fl_core_want_config(struct fl_core *c, struct fl_config *wanted,
			const struct fl_capacity *capacity, bool *ret, fairlead_error *err)
{
	struct fl_journal_row row = { .kind = FL_JOURNAL_CONFIGURED };
	char *is = fl_core_spell_config(c->config, &c->capacity);
	char *want = fl_core_spell_config(wanted, capacity);
	int r = is && want ? 0 : fl_fail_nomem(err);

	*ret = r == 0 && strcmp(is, want) != 0;
	row.configured.config = want;
	if (*ret && (r = fl_core_note(c, &row, err)) == 0)
		c->configuring = true;
	free(is);
	free(want);
	return r;
}

/* Receives warnings: the log gets them, and the caller. */
struct warning {
	const struct fl_core *c;
	void (*warn)(void *user, const char *line);
	void *user;
};

static void warn_of(void *user, const char *line)
{
	const struct warning *w = user;

	fl_core_log(w->c, "%s", line);
	if (w->warn)
		w->warn(w->user, line);
}

/* Logs that the configuration was read, and which settings count at the next start only. */
static void warn_of_reload(struct warning *w, const struct fl_config *wanted)
{
	char fields[300], line[400];
	fairlead_error err;

	fl_access_warn(wanted, &fl_accounts_system, warn_of, w);
	(void)fl_config_warn(wanted, &w->c->capacity, warn_of, w, &err);
	if (*fl_config_at_start(w->c->config, wanted, fields, sizeof fields)) {
		(void)snprintf(line, sizeof line, "these settings count from the next start on: %s",
			       fields);
		warn_of(w, line);
	}
	fl_core_log(w->c, "the configuration was read again");
}

int fl_core_reload(struct fl_core *c, void (*warn)(void *user, const char *line), fl_reply_fn *done,
		   void *user, fairlead_error *err)
{
	struct warning warning = { c, warn, user };
	struct fl_post post = { done, user, c->gather->rows.n_journal, 1 };
	struct fl_reply same = { 0 };
	struct fl_config *wanted = NULL;
	bool other = false;
	int r = fl_core_check_open(c, err);

	if (r == 0 && c->configuring)
		r = fl_fail(err, FAIRLEAD_ESTATE, "another reload is under way");
	if (r == 0)
		r = fl_config_read(c->options.config, &wanted, err);
	if (r == 0)
		r = fl_core_want_config(c, wanted, &c->capacity, &other, err);
	if (r == 0)
		warn_of_reload(&warning, wanted);
	if (r == 0 && other)
		r = fl_gather_post(c->gather, &post, err);
	else if (r == 0 && done)
		done(user, &same);
	fl_config_free(wanted);
	return r;
}
