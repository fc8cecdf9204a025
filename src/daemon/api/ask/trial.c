/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/api/ask/trial.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/source.h"
#include "daemon/engine/daemon.h"
#include "tell/side.h"

/* One on each line. */
static int name_sets(struct fl_api_trial *t, const char *texts, fairlead_error *err)
{
	int code = 0;

	for (const char *end; *texts && code == 0; texts = end + (*end == '\n')) {
		char *text;

		end = strchrnul(texts, '\n');
		text = strndup(texts, (size_t)(end - texts));
		if (!text)
			return fl_fail_nomem(err);
		code = fl_changes_set(&t->changes, text, err);
		free(text);
	}
	return code == FAIRLEAD_ENOENT ? (err->code = FAIRLEAD_EINPUT) : code;
}

static int name_deletions(struct fl_api_trial *t, const char *names, fairlead_error *err)
{
	int code = 0;

	for (const char *end; *names && code == 0; names = end + (*end == ',')) {
		char name[640];

		end = strchrnul(names, ',');
		(void)snprintf(name, sizeof name, "%.*s", (int)(end - names), names);
		code = fl_changes_delete(&t->changes, name, err);
	}
	return code == FAIRLEAD_ENOENT ? (err->code = FAIRLEAD_EINPUT) : code;
}

static int check_kinds(const struct fl_api_trial *t, bool cluster, fairlead_error *err)
{
	for (uint32_t i = 0; i < t->changes.n; i++) {
		const char *kind = t->changes.rows[i].kind;

		if (!fl_config_leaves_out(kind, cluster) && strcmp(kind, "Daemon") != 0)
			continue;
		fl_fail(err, FAIRLEAD_EINPUT,
			"%s: what-if of a running daemon changes objects of its trees only",
			fl_change_name(&t->changes, i));
		fl_fail_hint(err, "for other kinds use manifests: fairlead what-if -f FILE");
		return FAIRLEAD_EINPUT;
	}
	return t->changes.n ? 0 : fl_fail(err, FAIRLEAD_EINPUT, "there are no changes in it");
}

int fl_api_trial_read(struct fl_api_trial *t, const struct fl_call *call, fairlead_error *err)
{
	const char *deletions = fl_request_argument(call->r, "delete");
	const char *sets = fl_request_argument(call->r, "set");
	struct fl_text_source text = { call->r->body, call->r->body_len };
	const struct fl_daemon *d = call->api->daemon;
	const struct fl_living living = d->ops->living(d);
	int code = fl_changes_init(&t->changes, &fl_mem_heap, err);

	if (code == 0)
		code = fl_model_new(&fl_mem_heap, &t->edit, err);
	t->changes.merges = true;
	if (code == 0 && deletions)
		code = name_deletions(t, deletions, err);
	if (code == 0 && sets)
		code = name_sets(t, sets, err);
	if (code == 0 && call->r->body_len && !fl_request_argument(call->r, "trace"))
		code = fl_kube_read_from(t->edit, "change",
					 &(struct fl_source){ fl_text_read, &text },
					 &t->changes.collect, err);
	if (code == 0)
		code = fl_changes_collected(&t->changes, t->edit, err);
	return code < 0 ? code : check_kinds(t, fl_config_is_of_cluster(living.config), err);
}

void fl_api_trial_done(struct fl_api_trial *t)
{
	fl_changes_done(&t->changes);
	fl_model_free(t->edit);
	fl_config_free(t->config);
}

int fl_api_trial_config(struct fl_api_trial *t, const struct fl_daemon *daemon, fairlead_error *err)
{
	const struct fl_config *config = fl_daemon_config(daemon);
	int code;

	fl_changes_forget(&t->changes);
	code = fl_config_changed(config, &t->changes, t->edit, &t->config, err);
	return code < 0 ? code :
			  fl_tell_check_named(&t->changes, fl_config_objects(config),
					      /* options= */ false, err);
}
