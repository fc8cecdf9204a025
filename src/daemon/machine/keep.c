/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/machine/keep.h"

#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/config/access.h"
#include "daemon/config/accounts.h"
#include "daemon/config/config_warn.h"
#include "daemon/machine/batch.h"
#include "daemon/machine/inside.h"

/* --- taken --- */

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

int fl_core_take_config(struct fl_core *c, const char *text, size_t len, fairlead_error *err)
{
	struct fl_config *config = NULL;
	struct fl_capacity capacity = { 0 };
	int r = fl_config_unspell(text, len, &config, &capacity, err);

	if (r < 0)
		return r;
	r = fl_core_copy_capacity(c, &capacity, err);
	free((void *)capacity.rows);
	if (r < 0) {
		fl_config_free(config);
		return r;
	}
	fl_config_free(c->config);
	c->config = config;
	return 0;
}

/* Adds a row CONFIGURED. */
static int note(struct fl_core *c, const struct fl_config *wanted,
		const struct fl_capacity *capacity, const struct fl_configuring *as,
		fairlead_error *err)
{
	char *text = fl_config_spell(wanted, capacity, as);
	const struct fl_journal_row row = { .kind = FL_JOURNAL_CONFIGURED,
					    .configured.config = text };
	int r = text ? fl_core_note(c, &row, err) : fl_fail_nomem(err);

	c->configuring = r == 0;
	free(text);
	return r;
}

int fl_core_want_config(struct fl_core *c, struct fl_config *wanted,
			const struct fl_capacity *capacity, const struct fl_configuring *as,
			bool *ret, fairlead_error *err)
{
	char *is = fl_config_spell(c->config, &c->capacity, /* as= */ NULL);
	char *want = fl_config_spell(wanted, capacity, /* as= */ NULL);
	int r = is && want ? 0 : fl_fail_nomem(err);

	*ret = r == 0 && strcmp(is, want) != 0;
	if (*ret)
		r = note(c, wanted, capacity, as, err);
	free(is);
	free(want);
	return r;
}

/* --- from outside --- */

bool fl_config_is_kept(const struct fl_config *config)
{
	return fl_config_settings(config)->configuration == FL_CONFIGURATION_API;
}

bool fl_core_is_configuring(const struct fl_core *c) { return c->configuring; }

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

int fl_core_warn(const struct fl_core *c, const struct fl_config *config,
		 const struct fl_capacity *capacity, fairlead_error *err)
{
	struct warning w = { .c = c };

	fl_access_warn(config, &fl_accounts_system, warn_of, &w);
	return fl_config_warn(config, capacity, warn_of, &w, err);
}

/* Logs the change, and which settings count at the next start only, or not at all. */
static void warn_of_change(struct warning *w, const struct fl_config *wanted)
{
	char fields[300], line[400];
	bool kept = fl_config_is_kept(w->c->config);
	fairlead_error err;

	fl_access_warn(wanted, &fl_accounts_system, warn_of, w);
	(void)fl_config_warn(wanted, &w->c->capacity, warn_of, w, &err);
	if (*fl_config_at_start(w->c->config, wanted, fields, sizeof fields)) {
		(void)snprintf(line, sizeof line, "these settings count from the next start on: %s",
			       fields);
		warn_of(w, line);
	}
	if (kept && *fl_config_of_file(w->c->config, wanted, fields, sizeof fields)) {
		(void)snprintf(line, sizeof line,
			       "these settings are read from the file at the start, and do not "
			       "count here: %s",
			       fields);
		warn_of(w, line);
	}
	fl_core_log(w->c,
		    kept ? "the configuration was replaced" : "the configuration was read again");
}

/* Takes over @wanted. */
static int change(struct fl_core *c, struct fl_config *wanted, const struct fl_configuring *as,
		  struct warning *warning, const struct fl_post *post, fairlead_error *err)
{
	const struct fl_reply same = { 0 };
	bool other = false;
	int r = fl_core_want_config(c, wanted, &c->capacity, as, &other, err);

	if (r == 0)
		warn_of_change(warning, wanted);
	if (r == 0 && other)
		r = fl_gather_post(c->gather, post, err);
	else if (r == 0 && post->done)
		post->done(post->user, &same);
	return r;
}

static int check_change(const struct fl_core *c, fairlead_error *err)
{
	int r = fl_core_check_open(c, err);

	return r == 0 && c->configuring ?
		       fl_fail(err, FAIRLEAD_ESTATE,
			       "another change of the configuration is under way") :
		       r;
}

int fl_core_reload(struct fl_core *c, const char *by, void (*warn)(void *user, const char *line),
		   fl_reply_fn *done, void *user, fairlead_error *err)
{
	struct warning warning = { c, warn, user };
	const struct fl_post post = { done, user, c->gather->all.rows.n_journal, 1 };
	const struct fl_configuring as = { .how = "reload", .by = by };
	struct fl_config *wanted = NULL;
	int r = check_change(c, err);

	if (r == 0 && fl_config_is_kept(c->config)) {
		fl_fail(err, FAIRLEAD_ESTATE,
			"the configuration is kept in the database, and not read from files "
			"(.spec.configuration: api)");
		return fl_fail_hint(err, "fairlead configuration set FILE replaces it; to go back "
					 "to files say `configuration: file` in the file that the "
					 "daemon is started with, and start it again");
	}
	if (r == 0)
		r = fl_config_read(c->options.config, &wanted, err);
	if (r == 0)
		r = change(c, wanted, &as, &warning, &post, err);
	fl_config_free(wanted);
	return r;
}

/* The same texts, whatever their files are called. */
static bool is_same(const struct fl_config *a, const struct fl_config *b)
{
	char of_a[FL_CONFIG_HASH], of_b[FL_CONFIG_HASH];

	fl_config_hash(a, of_a);
	fl_config_hash(b, of_b);
	return strcmp(of_a, of_b) == 0;
}

int fl_core_check_kept(const struct fl_core *c, fairlead_error *err)
{
	if (fl_config_is_kept(c->config))
		return 0;
	fl_fail(err, FAIRLEAD_ESTATE,
		"the configuration is that of the daemon's files (.spec.configuration: file)");
	return fl_fail_hint(err, "change the files and reload, or say `configuration: api` in the "
				 "Daemon document and reload");
}

int fl_core_configure(struct fl_core *c, struct fl_config *wanted, const struct fl_configuring *as,
		      void (*warn)(void *user, const char *line), fl_reply_fn *done, void *user,
		      fairlead_error *err)
{
	struct warning warning = { c, warn, user };
	const struct fl_post post = { done, user, c->gather->all.rows.n_journal, 1 };
	const struct fl_reply same = { 0 };
	int r = check_change(c, err);

	if (r == 0)
		r = fl_core_check_kept(c, err);
	if (r < 0)
		return r;
	if (!fl_config_is_kept(wanted)) {
		fl_fail(err, FAIRLEAD_EINPUT,
			"the Daemon document of this configuration does not say "
			"`configuration: api`");
		return fl_fail_hint(err,
				    "add it to its spec; to go back to files say `configuration: "
				    "file` in the file that the daemon is started with, and start "
				    "it again");
	}
	if (is_same(c->config, wanted)) {
		done(user, &same);
		return 0;
	}
	return change(c, wanted, as, &warning, &post, err);
}

/* --- versions --- */

enum { NAME = 64 };

/* "configured.00000000000000000017" */
static const char *name_of(char buffer[NAME], const char *prefix, uint64_t number)
{
	(void)snprintf(buffer, NAME, "%s%0*" PRIu64, prefix, FL_VERSION_DIGITS, number);
	return buffer;
}

const struct fl_version *fl_core_version(const struct fl_core *c) { return &c->version; }

/* --- a version as text: {"at", "how", "by", "why", "bytes", "capacity"} --- */

static void put(char *to, size_t size, const json_t *from)
{
	const char *text = json_string_value(from);

	(void)snprintf(to, size, "%s", text ? text : "");
}

/* How, by and why: members of a row CONFIGURED, and of what is kept of a version. */
static void take_made(const json_t *from, struct fl_version *ret)
{
	put(ret->how, sizeof ret->how, json_object_get(from, "how"));
	put(ret->by, sizeof ret->by, json_object_get(from, "by"));
	put(ret->why, sizeof ret->why, json_object_get(from, "why"));
}

static void take_capacity(const json_t *from, struct fl_version *ret)
{
	const char *name;
	json_t *amount;

	ret->has_capacity = from != NULL;
	json_object_foreach((json_t *)(uintptr_t)from, name, amount)
	{
		const uint32_t resource = fl_weighed_resource(name);

		if (resource < FL_WEIGHED_RESOURCES)
			ret->capacity[resource] = json_integer_value(amount);
	}
}

static int read_version(const struct fl_setting *row, struct fl_version *ret, fairlead_error *err)
{
	json_t *made = json_loads(row->value, 0, NULL);

	if (!made)
		return fl_fail(err, FAIRLEAD_EINPUT, "what is kept of %s is damaged", row->name);
	*ret = (struct fl_version){
		.number = strtoull(row->name + strlen(FL_STORE_VERSION), NULL, 10),
		.at = json_integer_value(json_object_get(made, "at")),
		.bytes = (uint64_t)json_integer_value(json_object_get(made, "bytes")),
	};
	take_made(made, ret);
	take_capacity(json_object_get(made, "capacity"), ret);
	json_decref(made);
	return 0;
}

static char *spell_version(const struct fl_version *v)
{
	json_t *has = json_object();
	json_t *made = json_pack("{s:I, s:s, s:s, s:s, s:I, s:O}", "at", (json_int_t)v->at, "how",
				 v->how, "by", v->by, "why", v->why, "bytes", (json_int_t)v->bytes,
				 "capacity", has);
	char *text = NULL;
	int r = 0;

	for (uint32_t i = 0; i < FL_WEIGHED_RESOURCES; i++)
		r |= json_object_set_new(has, fl_weighed_name(i), json_integer(v->capacity[i]));
	if (made && r == 0)
		text = json_dumps(made, JSON_COMPACT);
	json_decref(has);
	json_decref(made);
	return text;
}

static void count_capacity(const struct fl_capacity *from, struct fl_version *ret)
{
	ret->has_capacity = true;
	memset(ret->capacity, 0, sizeof ret->capacity);
	for (uint32_t i = 0; i < from->n; i++) {
		const uint32_t resource = fl_weighed_resource(from->rows[i].resource);

		if (resource < FL_WEIGHED_RESOURCES)
			ret->capacity[resource] = fl_sat_add(ret->capacity[resource],
							     from->rows[i].amount);
	}
}

static uint64_t bytes_of(const struct fl_config *config)
{
	const struct fl_config_text *texts;
	uint32_t n = fl_config_texts(config, &texts);
	uint64_t bytes = 0;

	for (uint32_t i = 0; i < n; i++)
		bytes += texts[i].len;
	return bytes;
}

/* --- made --- */

/* The version of the core is written with the next batch: its texts, then how it was made. */
static int write_version(struct fl_core *c, fairlead_error *err)
{
	const uint64_t number = c->version.number;
	char *texts = fl_config_spell(c->config, /* capacity= */ NULL, /* as= */ NULL),
	     *made = NULL, of_texts[NAME], of_made[NAME];
	int r = 0;

	c->version.bytes = bytes_of(c->config);
	count_capacity(&c->capacity, &c->version);
	c->has_version = true;
	made = spell_version(&c->version);
	if (texts && made) {
		const struct fl_setting rows[] = {
			{ name_of(of_texts, FL_STORE_VERSION_TEXT, number), texts },
			{ name_of(of_made, FL_STORE_VERSION, number), made },
		};

		r = fl_gather_row(c->gather, &rows[0], err);
		if (r == 0)
			r = fl_gather_row(c->gather, &rows[1], err);
	} else {
		r = fl_fail_nomem(err);
	}
	free(texts);
	free(made);
	return r;
}

/* What a row CONFIGURED says of the version that it is. */
static int read_made(const struct fl_journal_row *row, struct fl_version *ret, fairlead_error *err)
{
	json_t *made = json_loads(row->configured.config, 0, NULL);

	if (!made)
		return fl_fail_nomem(err); /* it was read a moment ago */
	*ret = (struct fl_version){ .number = row->seq, .at = row->at };
	take_made(made, ret);
	json_decref(made);
	return 0;
}

int fl_core_new_version(struct fl_core *c, const struct fl_journal_row *row, fairlead_error *err)
{
	int r = read_made(row, &c->version, err);

	return r < 0 ? r : write_version(c, err);
}

int fl_core_first_version(struct fl_core *c, fairlead_error *err)
{
	if (c->has_version && c->version.has_capacity)
		return 0;
	if (!c->has_version)
		c->version = (struct fl_version){ .at = fl_clock_now(&c->daemon.clock),
						  .how = "start" };
	return write_version(c, err);
}

/* --- found --- */

static int take_newest(void *user, const struct fl_setting *row, fairlead_error *err)
{
	struct fl_core *c = user;

	c->has_version = true;
	return read_version(row, &c->version, err);
}

static int each_version(const struct fl_core *c, uint64_t first, uint64_t last, uint32_t limit,
			fl_setting_fn *fn, void *user, fairlead_error *err)
{
	char from[NAME], to[NAME];

	return fl_store_settings(c->daemon.store, name_of(from, FL_STORE_VERSION, first),
				 name_of(to, FL_STORE_VERSION, last), limit, fn, user, err);
}

int fl_core_find_version(struct fl_core *c, fairlead_error *err)
{
	return each_version(c, 0, UINT64_MAX, 1, take_newest, c, err);
}

struct listing {
	const struct fl_core *c;
	int (*fn)(void *user, const struct fl_version *version, fairlead_error *err);
	void *user;
	uint32_t n;
};

static int list_one(struct listing *l, const struct fl_version *version, fairlead_error *err)
{
	return l->n++ < FL_STORE_VERSIONS ? l->fn(l->user, version, err) : 0;
}

static int list(void *user, const struct fl_setting *row, fairlead_error *err)
{
	struct listing *l = user;
	struct fl_version version;
	int r = read_version(row, &version, err);

	if (r == 0 && l->n == 0 && version.number != l->c->version.number)
		r = list_one(l, &l->c->version, err);
	return r < 0 ? r : list_one(l, &version, err);
}

int fl_core_versions(const struct fl_core *c,
		     int (*fn)(void *user, const struct fl_version *version, fairlead_error *err),
		     void *user, fairlead_error *err)
{
	struct listing l = { c, fn, user, 0 };
	int r = each_version(c, 0, UINT64_MAX, FL_STORE_VERSIONS, list, &l, err);

	return r < 0 || l.n ? r : fn(user, &c->version, err);
}

static int no_version(uint64_t number, fairlead_error *err)
{
	fl_fail(err, FAIRLEAD_ENOENT, "there is no version %" PRIu64 " of the configuration",
		number);
	return fl_fail_hint(err, "GET /v1/configuration/versions lists the last %d",
			    FL_STORE_VERSIONS);
}

struct found {
	struct fl_version *version;
	bool found;
};

static int take_version(void *user, const struct fl_setting *row, fairlead_error *err)
{
	struct found *f = user;

	f->found = true;
	return read_version(row, f->version, err);
}

int fl_core_version_find(const struct fl_core *c, uint64_t number, struct fl_version *ret,
			 fairlead_error *err)
{
	struct found f = { ret, false };
	int r;

	if (number == c->version.number) {
		*ret = c->version;
		return 0;
	}
	r = each_version(c, number, number, 1, take_version, &f, err);
	return r < 0 || f.found ? r : no_version(number, err);
}

static int copy_text(void *user, const struct fl_setting *row, fairlead_error *err)
{
	char **ret = user;

	*ret = strdup(row->value);
	return *ret ? 0 : fl_fail_nomem(err);
}

int fl_core_version_texts(const struct fl_core *c, uint64_t number, char **ret, fairlead_error *err)
{
	char name[NAME];
	int r;

	*ret = NULL;
	if (c->generation.policy && number == c->version.number) {
		*ret = fl_config_spell(c->config, /* capacity= */ NULL, /* as= */ NULL);
		return *ret ? 0 : fl_fail_nomem(err);
	}
	name_of(name, FL_STORE_VERSION_TEXT, number);
	r = fl_store_settings(c->daemon.store, name, name, 1, copy_text, ret, err);
	return r < 0 || *ret ? r : no_version(number, err);
}

int fl_core_version_config(const struct fl_core *c, uint64_t number, struct fl_config **ret,
			   fairlead_error *err)
{
	char *texts;
	int r = fl_core_version_texts(c, number, &texts, err);

	if (r == 0)
		r = fl_config_unspell(texts, strlen(texts), ret, /* ret_capacity= */ NULL, err);
	free(texts);
	return r;
}

/* --- behind the newest --- */

struct behind {
	fl_time at;
	struct fl_behind *ret;
};

static int take_behind(void *user, const struct fl_journal_row *row, fairlead_error *err)
{
	const struct behind *b = user;
	struct fl_config *config = NULL;
	int r;

	if (row->kind != FL_JOURNAL_CONFIGURED || row->at != b->at)
		return 0;
	r = fl_config_unspell(row->configured.config, strlen(row->configured.config), &config,
			      /* ret_capacity= */ NULL, err);
	if (r < 0)
		return r == FAIRLEAD_ENOMEM ? r : 0; /* it was refused then, too */
	fl_config_free(b->ret->config);
	b->ret->config = config;
	return read_made(row, &b->ret->version, err);
}

int fl_core_find_behind(struct fl_core *c, uint64_t after, fl_time at, struct fl_behind *ret,
			fairlead_error *err)
{
	struct behind b = { at, ret };

	*ret = (struct fl_behind){ 0 };
	if (!fl_config_is_kept(c->config) || !c->has_version)
		return 0;
	if (after < c->version.number)
		after = c->version.number;
	return fl_store_journal(c->daemon.store, after, take_behind, &b, err);
}

int fl_core_take_behind(struct fl_core *c, struct fl_behind *behind, fairlead_error *err)
{
	fl_config_free(c->config);
	c->config = behind->config;
	c->version = behind->version;
	behind->config = NULL;
	return write_version(c, err);
}

/* --- at the start --- */

int fl_core_note_start(struct fl_core *c, fairlead_error *err)
{
	const struct fl_configuring as = { .how = "start" };
	struct fl_version now = { 0 };
	char *is = fl_config_spell(c->config, /* capacity= */ NULL, /* as= */ NULL), *was = NULL,
	     name[NAME];
	bool other = false;
	int r = is ? 0 : fl_fail_nomem(err);

	name_of(name, FL_STORE_VERSION_TEXT, c->version.number);
	if (r == 0 && c->has_version)
		r = fl_store_settings(c->daemon.store, name, name, 1, copy_text, &was, err);
	if (r == 0 && was) {
		count_capacity(&c->capacity, &now);
		other = strcmp(is, was) != 0 ||
			(c->version.has_capacity &&
			 memcmp(now.capacity, c->version.capacity, sizeof now.capacity) != 0);
	}
	free(is);
	free(was);
	return other ? note(c, c->config, &c->capacity, &as, err) : r;
}

int fl_core_take_kept(struct fl_core *c, fairlead_error *err)
{
	struct fl_config *file = c->config, *kept = NULL;
	int r = fl_core_find_version(c, err);

	if (r < 0 || !c->has_version || !fl_config_is_kept(file))
		return r;
	r = fl_core_version_config(c, c->version.number, &kept, err);
	if (r < 0) {
		if (!err->hint[0])
			fl_fail_hint(
				err,
				"it is version %llu of the configuration in the database; with "
				"`configuration: file` the daemon starts with its files",
				(unsigned long long)c->version.number);
		return r;
	}
	if (!fl_config_is_kept(kept)) { /* the files counted until now */
		fl_config_free(kept);
		return 0;
	}
	fl_config_hash(file, c->of_file);
	c->config = kept;
	fl_config_free(file);
	return 0;
}

void fl_core_begin_settings(struct fl_core *c, const struct fl_config *config)
{
	const struct fl_daemon_settings before = c->daemon.start_settings;
	char kept[FL_CONFIG_HASH];
	bool cgroup, output;

	c->daemon.start_settings = *fl_config_settings(config);
	c->daemon.start_settings.socket_mode = before.socket_mode; /* the file's counts */
	cgroup = c->daemon.start_settings.cgroup != before.cgroup;
	output = c->daemon.start_settings.output_limit != before.output_limit;
	if (cgroup || output)
		fl_core_log(c,
			    "these settings of the newest version count from the next start on: "
			    "%s%s%s",
			    cgroup ? ".spec.machine.cgroup" : "", cgroup && output ? ", " : "",
			    output ? ".spec.jobs.outputLimit" : "");
	/* With these the host is open, and the metrics are made. */
	c->daemon.start_settings.cgroup = before.cgroup;
	c->daemon.start_settings.output_limit = before.output_limit;
	c->daemon.start_settings.metrics_queues = before.metrics_queues;
	fl_config_hash(config, kept);
	if (c->of_file[0] && fl_config_is_kept(config) && strcmp(kept, c->of_file) != 0)
		fl_core_log(
			c,
			"the configuration is version %llu of the database, and its file is "
			"another one, of which only state, socket, listen and configuration count "
			"(.spec.configuration: api)",
			(unsigned long long)c->version.number);
}
