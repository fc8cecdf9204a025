/* SPDX-License-Identifier: Apache-2.0 */
/*
 * config - which cluster is asked, and how it is reached: one context of a kubeconfig, resolved, or the
 * account of the pod that this process is in
 *
 * Guarantees: files are merged as kubectl does (of each name, and of current-context, the first one
 * counts); relative paths begin at the folder of the file that has them; what is wrong has file, line and
 * column; no error has a secret in it.  Nothing is sent here, and no program is run.
 *
 * Cannot: auth-provider, which was replaced by exec and is refused.  Unknown fields are ignored, as kubectl
 * ignores them.
 *
 * Tested in tests/unit/kube/test_config.c.  For people: doc/guide/kubernetes.md.
 */
#ifndef FL_KUBE_CONFIG_H
#define FL_KUBE_CONFIG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/mem.h"

struct fl_kube_choice {
	const char *kubeconfig; /* a file; NULL: those of $KUBECONFIG, else ~/.kube/config */
	const char *context;    /* NULL: current-context */
	bool in_cluster;        /* the account of the pod, where no kubeconfig has been found */
	bool interactive;       /* a plugin may ask the person at standard input */
};

/* Certificates or a key as PEM: a file, or its bytes; both NULL: none. */
struct fl_kube_pem {
	const char *file;
	const char *bytes; /* followed by a NUL that len does not count */
	size_t len;
};

/* A program that gives credentials (client.authentication.k8s.io). */
struct fl_kube_exec {
	const char *api_version;  /* "client.authentication.k8s.io/v1" */
	const char *command;      /* a path, or a name that is looked for in $PATH */
	const char *const *words; /* the command and its arguments; NULL after the last */
	const char *const *env;   /* "NAME=VALUE", beside the environment; NULL after the last */
	const char *hint;         /* how it is installed; NULL: not said */
	const char *info;         /* value of KUBERNETES_EXEC_INFO */
	bool interactive;         /* it gets standard input */
	uint32_t timeout;         /* ms: 60 s */
};

struct fl_kube_kept; /* credentials.c: what was read of files, and what the plugin gave */

/* Texts live as long as the configuration. */
struct fl_kube_config {
	const char *context; /* its name; "": in the cluster */
	const char *server;  /* "https://host:6443", perhaps with a path; without '/' at its end */
	const char
		*tls_name; /* that the server's certificate must have; NULL: the host of the URL */
	const char *proxy; /* its URL, which may have a password; NULL: what the environment says */
	bool insecure;     /* any certificate is taken */
	struct fl_kube_pem
		ca; /* by which authorities it may be signed; none: the authorities of the system */
	const char *namespace; /* "default" where nothing is said */
	/* Headers of a request that is made as another user: "Impersonate-User: alice". */
	const char *const *headers;
	uint32_t n_headers;

	/* Private to kube/credentials.c, and not for requests: those come from fl_kube_credentials. */
	struct fl_kube_pem certificate, key;
	const char *token, *token_file; /* NULL: none */
	const char *user, *password;
	const struct fl_kube_exec *exec;
	struct fl_kube_kept *kept;

	struct fl_arena arena;
};

/* Does it run a program, a plugin, for its credentials? */
static inline bool fl_kube_config_has_plugin(const struct fl_kube_config *c) { return c->exec; }

/*
 * FAIRLEAD_ENOENT: there is no such context, or no configuration at all; EINPUT: it is wrong; EIO: a file
 * cannot be read.
 */
int fl_kube_config_load(const struct fl_kube_choice *choice, struct fl_kube_config **ret,
			fairlead_error *err);
/* Calls @each with the name of each context of @choice, as far as files can be read. */
void fl_kube_config_contexts(const struct fl_kube_choice *choice,
			     void (*each)(void *user, const char *name), void *user);
struct fl_kube_config *fl_kube_config_free(struct fl_kube_config *c);

#endif
