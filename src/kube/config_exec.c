/* SPDX-License-Identifier: Apache-2.0 */
#include "kube/config_exec.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "base/base64.h"
#include "base/limits.h"

enum { TIMEOUT = 60 * 1000 }; /* ms */

#define GROUP "client.authentication.k8s.io/"

/* As the kubeconfig has it. */
struct said {
	const char *command, *version, *hint, *mode;
	bool cluster;
};

static const struct fl_said_field fields[] = {
	{ "command", FL_SAID_TEXT, offsetof(struct said, command) },
	{ "apiVersion", FL_SAID_TEXT, offsetof(struct said, version) },
	{ "installHint", FL_SAID_LINES, offsetof(struct said, hint) },
	{ "interactiveMode", FL_SAID_TEXT, offsetof(struct said, mode) },
	{ "provideClusterInfo", FL_SAID_FLAG, offsetof(struct said, cluster) },
	{ 0 },
};

static int wrong(struct fl_said exec, const char *field, fairlead_error *err, const char *text)
{
	struct fl_said at = fl_said_get(exec, field);

	return fl_said_wrong(fl_said_is(at) ? at : exec, FAIRLEAD_EINPUT, err, "%s", text);
}

/* --- what is told to it --- */

/* A value of a YAML document as JSON; NULL: no memory. */
static json_t *as_json(const struct fl_doc *doc, uint32_t v)
{
	const struct fl_value *value = &doc->values[v];
	const char *text = fl_doc_text(doc, v);
	json_t *ret;

	switch (value->kind) {
	case FL_TOKEN_MAP:
		ret = json_object();
		for (uint32_t key = v + 1; ret && key < value->next; key = doc->values[key].next)
			json_object_set_new(ret, fl_doc_text(doc, key), as_json(doc, key + 1));
		return ret;
	case FL_TOKEN_LIST:
		ret = json_array();
		for (uint32_t item = v + 1; ret && item < value->next;
		     item = doc->values[item].next)
			json_array_append_new(ret, as_json(doc, item));
		return ret;
	default:
		break;
	}
	switch (value->type) {
	case FL_SCALAR_NULL:
		return json_null();
	case FL_SCALAR_BOOL:
		return json_boolean(strchr("tT", *text) != NULL);
	case FL_SCALAR_INT:
		return json_integer(strtoll(text, NULL, 0));
	case FL_SCALAR_FLOAT:
		return json_real(strtod(text, NULL));
	default:
		return json_stringn(text, value->len);
	}
}

static json_t *as_base64(const char *bytes, size_t len)
{
	char *text = malloc(FL_BASE64_SIZE(len));
	json_t *ret;

	if (!text)
		return NULL;
	fl_base64(bytes, len, text);
	ret = json_string(text);
	free(text);
	return ret;
}

static void put(json_t *to, const char *key, const char *text)
{
	if (text)
		json_object_set_new(to, key, json_string(text));
}

/* The configuration that the cluster has for plugins, if it has one. */
static json_t *its_extension(struct fl_said cluster)
{
	struct fl_said all = fl_said_get(cluster, "extensions"), s = all;
	const struct fl_doc *doc = &cluster.file->doc;

	if (!fl_said_is(all) || doc->values[all.v].kind != FL_TOKEN_LIST)
		return NULL;
	for (s.v = all.v + 1; s.v < doc->values[all.v].next; s.v = doc->values[s.v].next) {
		struct fl_said its = fl_said_get(s, "extension");

		if (fl_said_is(its) &&
		    strcmp(fl_said_text(fl_said_get(s, "name")), GROUP "exec") == 0)
			return as_json(doc, its.v);
	}
	return NULL;
}

static int tell_cluster(struct fl_kube_config *c, struct fl_said cluster, json_t *to,
			fairlead_error *err)
{
	struct fl_kube_pem ca = c->ca;
	json_t *extension = its_extension(cluster);
	char *bytes;

	if (ca.file) {
		int rc = fl_kube_file_bytes(ca.file, FL_MAX_KUBECONFIG, &c->arena, &bytes, &ca.len,
					    err);
		if (rc < 0) {
			json_decref(extension);
			return rc;
		}
		ca.bytes = bytes;
	}
	put(to, "server", c->server);
	put(to, "tls-server-name", c->tls_name);
	put(to, "proxy-url", c->proxy);
	if (c->insecure)
		json_object_set_new(to, "insecure-skip-tls-verify", json_true());
	if (ca.bytes)
		json_object_set_new(to, "certificate-authority-data", as_base64(ca.bytes, ca.len));
	if (extension)
		json_object_set_new(to, "config", extension);
	return 0;
}

/* The value of KUBERNETES_EXEC_INFO. */
static int make_info(struct fl_kube_config *c, struct fl_kube_exec *exec, struct fl_said cluster,
		     bool with_cluster, fairlead_error *err)
{
	json_t *all = json_object(), *spec = json_object(), *its = json_object();
	int rc = with_cluster ? tell_cluster(c, cluster, its, err) : 0;
	char *text = NULL;

	put(all, "apiVersion", exec->api_version);
	put(all, "kind", "ExecCredential");
	json_object_set_new(spec, "interactive", json_boolean(exec->interactive));
	if (with_cluster)
		json_object_set(spec, "cluster", its);
	json_object_set(all, "spec", spec);
	if (rc == 0)
		text = json_dumps(all, JSON_COMPACT);
	if (text)
		exec->info = fl_kube_copy(&c->arena, text, strlen(text), err);
	if (rc == 0 && !exec->info)
		rc = fl_fail_nomem(err);
	free(text);
	json_decref(its);
	json_decref(spec);
	json_decref(all);
	return rc;
}

/* --- how it is called --- */

/* Of "dir/program" the file beside the kubeconfig; a name alone is looked for in $PATH. */
static int take_command(struct fl_kube_config *c, struct fl_kube_exec *exec, struct fl_said at,
			const char *command, fairlead_error *err)
{
	struct fl_said list = fl_said_get(at, "args");
	const char **args = NULL, **words;
	uint32_t n = 0;
	int rc = fl_said_texts(list, &c->arena, &args, &n, err);

	if (rc < 0)
		return rc;
	if (strchr(command, '/') && *command != '/')
		command = fl_kube_print(&c->arena, err, "%s%s", at.file->folder, command);
	if (!command || !FL_NEW(&c->arena, words, (size_t)n + 2, err))
		return FAIRLEAD_ENOMEM;
	words[0] = exec->command = command;
	memcpy(words + 1, args, n * sizeof *args);
	exec->words = words;
	return 0;
}

struct variable {
	const char *name, *value;
};

static const struct fl_said_field variable_fields[] = {
	{ "name", FL_SAID_TEXT, offsetof(struct variable, name) },
	{ "value", FL_SAID_LINES, offsetof(struct variable, value) },
	{ 0 },
};

static int take_environment(struct fl_kube_config *c, struct fl_kube_exec *exec, struct fl_said at,
			    fairlead_error *err)
{
	struct fl_said list = fl_said_get(at, "env"), s = list;
	const struct fl_doc *doc = &at.file->doc;
	const char **env;
	uint32_t n = 0;
	int rc = 0;

	if (fl_said_is(list) && doc->values[list.v].kind != FL_TOKEN_LIST)
		return wrong(at, "env", err, "is not a list");
	if (!FL_NEW(&c->arena, env, fl_said_is(list) ? doc->values[list.v].next - list.v : 1, err))
		return FAIRLEAD_ENOMEM;
	exec->env = env;
	if (!fl_said_is(list))
		return 0;
	for (s.v = list.v + 1; s.v < doc->values[list.v].next && rc == 0;
	     s.v = doc->values[s.v].next) {
		struct variable v = { .value = "" };

		rc = fl_said_fields(s, variable_fields, &v, &c->arena, err);
		if (rc == 0 && (!v.name || strchr(v.name, '=')))
			return fl_said_wrong(s, FAIRLEAD_EINPUT, err, "has no name of a variable");
		env[n] = rc == 0 ? fl_kube_print(&c->arena, err, "%s=%s", v.name, v.value) : NULL;
		if (rc == 0 && !env[n++])
			rc = FAIRLEAD_ENOMEM;
	}
	return rc;
}

static int check(const struct said *said, struct fl_said at, bool interactive, fairlead_error *err)
{
	bool newest = said->version && strcmp(said->version, GROUP "v1") == 0;

	if (!said->command)
		return wrong(at, "command", err, "it has no command");
	if (!newest && !(said->version && strcmp(said->version, GROUP "v1beta1") == 0)) {
		wrong(at, "apiVersion", err, "is a version of plugins that is not known here");
		return fl_fail_hint(err,
				    "%sv1 and %sv1beta1 are; a newer plugin may have one of them",
				    GROUP, GROUP);
	}
	if (newest && !said->mode)
		return wrong(at, "interactiveMode", err,
			     "interactiveMode is missing: Never, IfAvailable or Always");
	if (said->mode && strcmp(said->mode, "Never") != 0 &&
	    strcmp(said->mode, "IfAvailable") != 0 && strcmp(said->mode, "Always") != 0)
		return wrong(at, "interactiveMode", err,
			     "is none of Never, IfAvailable and Always");
	if (said->mode && strcmp(said->mode, "Always") == 0 && !interactive) {
		wrong(at, "interactiveMode", err, "the plugin asks a person, and none is there");
		return fl_fail_hint(err, "standard input has to be a terminal");
	}
	return 0;
}

int fl_kube_read_exec(struct fl_kube_config *c, struct fl_said at, struct fl_said cluster,
		      bool interactive, fairlead_error *err)
{
	struct said said = { 0 };
	struct fl_kube_exec *exec = NULL;
	int rc = fl_said_fields(at, fields, &said, &c->arena, err);

	if (rc == 0)
		rc = check(&said, at, interactive, err);
	if (rc == 0 && !FL_NEW(&c->arena, exec, 1, err))
		rc = FAIRLEAD_ENOMEM;
	if (rc < 0)
		return rc;
	exec->api_version = said.version;
	exec->hint = said.hint;
	exec->timeout = TIMEOUT;
	exec->interactive = interactive && !(said.mode && strcmp(said.mode, "Never") == 0);
	c->exec = exec;
	rc = take_command(c, exec, at, said.command, err);
	if (rc == 0)
		rc = take_environment(c, exec, at, err);
	return rc < 0 ? rc : make_info(c, exec, cluster, said.cluster, err);
}
