/* SPDX-License-Identifier: Apache-2.0 */
#include "kube/config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/nearest.h"
#include "kube/config_exec.h"
#include "kube/config_pod.h"
#include "kube/config_user.h"
#include "kube/credentials_kept.h"
#include "net/remote.h"

#define TO(field) offsetof(struct fl_kube_config, field)

static const char pod_folder[] = "/var/run/secrets/kubernetes.io/serviceaccount";

/* --- the cluster --- */

static const struct fl_said_field cluster_fields[] = {
	{ "server", FL_SAID_TEXT, TO(server) },
	{ "tls-server-name", FL_SAID_TEXT, TO(tls_name) },
	{ "proxy-url", FL_SAID_TEXT, TO(proxy) },
	{ "insecure-skip-tls-verify", FL_SAID_FLAG, TO(insecure) },
	{ "certificate-authority", FL_SAID_PATH, TO(ca.file) },
	{ "certificate-authority-data", FL_SAID_BYTES, TO(ca) },
	{ 0 },
};

/* What is wrong with a URL of a scheme among @schemes, which NULL ends; NULL: nothing. */
static const char *check_url(const char *url, const char *const *schemes, bool may_name)
{
	const char *host = NULL, *end;

	for (; *schemes && !host; schemes++)
		if (strncasecmp(url, *schemes, strlen(*schemes)) == 0)
			host = url + strlen(*schemes);
	if (!host)
		return "is not the URL of a server: it has another scheme, or none";
	end = host + strcspn(host, "/?#");
	if (end == host)
		return "is not the URL of a server: it has no host";
	if (!may_name && memchr(host, '@', (size_t)(end - host)))
		return "has a user in the URL; that is the part of the user's token";
	if (strpbrk(host, "?# \"\\<>"))
		return "is not the URL of a server";
	return NULL;
}

static const char *const servers[] = { "https://", "http://", NULL };
static const char *const proxies[] = { "http://", "https://", "socks5://", "socks5h://", NULL };

static int check_server(struct fl_kube_config *c, struct fl_said cluster, fairlead_error *err)
{
	struct fl_said server = fl_said_get(cluster, "server");
	struct fl_said proxy = fl_said_get(cluster, "proxy-url");
	const char *wrong;
	size_t len;

	if (!c->server)
		return fl_said_wrong(cluster, FAIRLEAD_EINPUT, err, "it has no server");
	wrong = check_url(c->server, servers, /* may_name= */ false);
	if (wrong) {
		fl_said_wrong(server, FAIRLEAD_EINPUT, err, "%s", wrong);
		return fl_fail_hint(err, "such as https://host.example:6443");
	}
	wrong = c->proxy ? check_url(c->proxy, proxies, /* may_name= */ true) : NULL;
	if (wrong) {
		fl_said_wrong(proxy, FAIRLEAD_EINPUT, err, "%s", wrong);
		return fl_fail_hint(err,
				    "such as http://, https:// or socks5://proxy.example:1080");
	}
	for (len = strlen(c->server); c->server[len - 1] == '/';)
		len--;
	c->server = fl_kube_copy(&c->arena, c->server, len, err);
	return c->server ? 0 : FAIRLEAD_ENOMEM;
}

static int read_cluster(struct fl_kube_config *c, struct fl_said cluster, fairlead_error *err)
{
	int rc = fl_said_fields(cluster, cluster_fields, c, &c->arena, err);

	if (rc == 0)
		rc = check_server(c, cluster, err);
	if (rc == 0)
		rc = fl_kube_check_pem(cluster, "certificate-authority", &c->ca, err);
	if (rc == 0 && c->insecure && (c->ca.file || c->ca.bytes)) {
		fl_said_wrong(fl_said_get(cluster, "insecure-skip-tls-verify"), FAIRLEAD_EINPUT,
			      err, "takes any certificate, and certificate-authority says which");
		rc = fl_fail_hint(err, "leave one of them out");
	}
	return rc;
}

/* --- the context --- */

struct names {
	char text[160];
	unsigned n;
	struct fl_nearest near;
};

static void offer(void *user, const char *name)
{
	struct names *n = user;
	size_t len = strlen(n->text);

	fl_nearest_offer(&n->near, name);
	if (n->n++ < 6)
		(void)snprintf(n->text + len, sizeof n->text - len, "%s%.40s", len ? ", " : "",
			       name);
}

/* There are some, and not this one. */
static int no_context(const struct fl_kube_files *f, const char *name, fairlead_error *err)
{
	struct names names = { .near = { .wanted = name ? name : "" } };
	char text[200];

	fl_said_names(f, "contexts", offer, &names);
	if (name)
		fl_fail(err, FAIRLEAD_ENOENT, "there is no context '%.200s'", name);
	else
		fl_fail(err, FAIRLEAD_ENOENT, "no context is chosen: current-context is missing");
	if (err)
		snprintf(err->file, sizeof err->file, "%s", f->items[0].path);
	if (name && names.near.n)
		return fl_fail_hint(err, "did you mean %s?",
				    fl_nearest_text(&names.near, text, sizeof text));
	if (names.n)
		return fl_fail_hint(err, "%s: %s%s", name ? "there are" : "give --context, one of",
				    names.text, names.n > 6 ? ", ..." : "");
	return fl_fail_hint(err, "the file has no contexts");
}

static int no_files(const struct fl_kube_files *f, fairlead_error *err)
{
	fl_fail(err, FAIRLEAD_ENOENT, "there is no kubeconfig: looked at %.300s", f->looked_at);
	return fl_fail_hint(err, "give --kubeconfig FILE, or set KUBECONFIG");
}

static int no_such(struct fl_said named, const char *what, fairlead_error *err)
{
	return fl_said_wrong(named, FAIRLEAD_EINPUT, err, "there is no %s of this name", what);
}

/* The first current-context that is not empty. */
static const char *current(const struct fl_kube_files *f)
{
	for (uint32_t i = 0; i < f->n; i++) {
		const char *name = fl_said_text(
			fl_said_get((struct fl_said){ &f->items[i], 0 }, "current-context"));

		if (*name)
			return name;
	}
	return NULL;
}

static const struct fl_said_field context_fields[] = {
	{ "namespace", FL_SAID_TEXT, TO(namespace) },
	{ 0 },
};

/* A secret goes over TLS, or to this machine itself. */
static int check_secrets(const struct fl_kube_config *c, struct fl_said cluster,
			 fairlead_error *err)
{
	bool secret = c->token || c->token_file || c->password || c->exec;
	char host[FL_REMOTE_HOST + 1];

	if (!secret || strncasecmp(c->server, "http://", 7) != 0)
		return 0;
	if (c->proxy) {
		fl_said_wrong(fl_said_get(cluster, "proxy-url"), FAIRLEAD_EINPUT, err,
			      "would see a token or password, since the server is without TLS");
		return fl_fail_hint(err, "use https:// for the server, or leave proxy-url out");
	}
	fl_remote_host(c->server, host);
	if (fl_remote_is_this_machine(host))
		return 0;
	fl_said_wrong(fl_said_get(cluster, "server"), FAIRLEAD_EINPUT, err,
		      "is without TLS, and a token or password is for it");
	return fl_fail_hint(err, "use https://; 'kubectl proxy' makes it a server of this machine");
}

static int read_context(struct fl_kube_config *c, const struct fl_kube_files *f,
			struct fl_said context, bool interactive, fairlead_error *err)
{
	struct fl_said its_cluster = fl_said_get(context, "cluster");
	struct fl_said its_user = fl_said_get(context, "user");
	struct fl_said cluster = { NULL, FL_NONE }, user = { NULL, FL_NONE };
	int rc = fl_said_fields(context, context_fields, c, &c->arena, err);

	if (rc == 0 && !*fl_said_text(its_cluster))
		rc = fl_said_wrong(context, FAIRLEAD_EINPUT, err, "it names no cluster");
	if (rc == 0)
		rc = fl_said_named(f, "clusters", "cluster", fl_said_text(its_cluster), &cluster,
				   err);
	if (rc == 0 && !fl_said_is(cluster))
		rc = no_such(its_cluster, "cluster", err);
	if (rc == 0)
		rc = read_cluster(c, cluster, err);
	if (rc == 0 && *fl_said_text(its_user))
		rc = fl_said_named(f, "users", "user", fl_said_text(its_user), &user, err);
	if (rc == 0 && *fl_said_text(its_user) && !fl_said_is(user))
		rc = no_such(its_user, "user", err);
	if (rc == 0 && fl_said_is(user))
		rc = fl_kube_read_user(c, user, err);
	if (rc == 0 && fl_said_is(fl_said_get(user, "exec")))
		rc = fl_kube_read_exec(c, fl_said_get(user, "exec"), cluster, interactive, err);
	return rc == 0 ? check_secrets(c, cluster, err) : rc;
}

/* --- all --- */

static int resolve(struct fl_kube_config *c, const struct fl_kube_files *f,
		   const struct fl_kube_choice *choice, fairlead_error *err)
{
	const char *name = choice->context ? choice->context : current(f);
	struct fl_said context = { NULL, FL_NONE };
	int rc = 0;

	if (f->n == 0 && choice->in_cluster && !choice->context)
		rc = fl_kube_read_pod(c, getenv("KUBERNETES_SERVICE_HOST"),
				      getenv("KUBERNETES_SERVICE_PORT"), pod_folder, err);
	else if (f->n == 0)
		rc = no_files(f, err);
	if (f->n == 0)
		return rc == 1 ? no_files(f, err) : rc;
	if (name)
		rc = fl_said_named(f, "contexts", "context", name, &context, err);
	if (rc == 0 && !fl_said_is(context))
		return no_context(f, name, err);
	c->context = rc == 0 ? fl_kube_copy(&c->arena, name, strlen(name), err) : NULL;
	if (rc == 0 && !c->context)
		return FAIRLEAD_ENOMEM;
	return rc < 0 ? rc : read_context(c, f, context, choice->interactive, err);
}

int fl_kube_config_load(const struct fl_kube_choice *choice, struct fl_kube_config **ret,
			fairlead_error *err)
{
	struct fl_kube_config *c = calloc(1, sizeof *c);
	struct fl_kube_files files = { 0 };

	if (!c)
		return fl_fail_nomem(err);
	c->namespace = "default";
	fl_arena_init(&c->arena, &fl_mem_heap);
	int rc = fl_kube_files_read(&files, choice, &c->arena, err);
	if (rc == 0)
		rc = resolve(c, &files, choice, err);
	if (rc == 0)
		rc = fl_kube_kept_new(&c->kept, err);
	fl_kube_files_done(&files);
	if (rc < 0)
		fl_kube_config_free(c);
	else
		*ret = c;
	return rc;
}

void fl_kube_config_contexts(const struct fl_kube_choice *choice,
			     void (*each)(void *user, const char *name), void *user)
{
	struct fl_kube_files files = { 0 };
	struct fl_arena arena;

	fl_arena_init(&arena, &fl_mem_heap);
	if (fl_kube_files_read(&files, choice, &arena, NULL) == 0)
		fl_said_names(&files, "contexts", each, user);
	fl_kube_files_done(&files);
	fl_arena_done(&arena);
}

struct fl_kube_config *fl_kube_config_free(struct fl_kube_config *c)
{
	if (!c)
		return NULL;
	fl_kube_kept_free(c->kept);
	fl_arena_done(&c->arena);
	free(c);
	return NULL;
}
