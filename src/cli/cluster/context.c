/* SPDX-License-Identifier: Apache-2.0 */
/*
 * context - --context: the objects of a cluster in place of files
 *
 * They are read before the verb begins, and are files for it then (kept.h), so that an answer is that for a
 * dump of the same objects.
 */
#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "cli/cli.h"
#include "cli/cluster/fetch.h"
#include "cli/cluster/rbac.h"
#include "cli/cluster/reach.h"
#include "decide/policies.h"
#include "input/input.h"

struct fl_context {
	char *title;   /* the name of the context */
	char *operand; /* with its namespace; NULL: as it was given */
	struct fl_fetch fetch;
};

/* --- what could not be read --- */

static struct fl_diagnostic diagnostic_of(const struct fl_context *c, const struct fl_fetched *k,
					  char name[160])
{
	return (struct fl_diagnostic){ .file = c->title,
				       .severity = "warning",
				       .subject = fl_cluster_kind_name(k->row, name) };
}

/* False: without it there is no right answer. */
static bool tell_forbidden(const struct fl_context *c, const struct fl_fetched *k, bool check)
{
	struct fl_diagnostic d;
	char name[160], hint[300];
	bool needed = k->row->needed && !check;

	d = diagnostic_of(c, k, name);
	snprintf(hint, sizeof hint, "'%s check --rbac' prints the ClusterRole that grants it",
		 fl_program_name());
	d.hint = hint;
	d.severity = needed ? "error" : "warning";
	d.text = needed ? "you may not list them, and without them the answer would be wrong" :
			  "you may not list them: they are left out";
	fl_print_diagnostic(&d);
	return !needed;
}

static void tell_too_large(const struct fl_context *c, const struct fl_fetched *k)
{
	struct fl_diagnostic d;
	char name[160], text[120];

	d = diagnostic_of(c, k, name);
	snprintf(text, sizeof text, "%llu with more than %d bytes: they are left out",
		 (unsigned long long)k->too_large, FL_MAX_KUBE_OBJECT);
	d.text = text;
	fl_print_diagnostic(&d);
}

static int tell(const struct fl_context *c, const struct fl_options *o)
{
	bool check = strcmp(o->verb, "check") == 0, answer = true;

	for (unsigned i = 0; i < c->fetch.n; i++) {
		if (c->fetch.kinds[i].forbidden)
			answer &= tell_forbidden(c, &c->fetch.kinds[i], check);
		if (c->fetch.kinds[i].too_large)
			tell_too_large(c, &c->fetch.kinds[i]);
	}
	return answer ? FL_EXIT_YES : FL_EXIT_FAILED;
}

/* --- from a cluster to files --- */

/* Those of the cluster come first, as a change is laid over them. */
static int add_files(struct fl_context *c, struct fl_options *o, fairlead_error *err)
{
	char **files = calloc((size_t)o->n_files + c->fetch.n, sizeof *files);
	uint32_t n = 0;

	if (!files)
		return fl_fail_nomem(err);
	for (unsigned i = 0; i < c->fetch.n; i++)
		if (c->fetch.kinds[i].kept.name && c->fetch.kinds[i].kept.n > 0)
			files[n++] = c->fetch.kinds[i].kept.name;
	if (n == 0) {
		free(files);
		fl_fail(err, FAIRLEAD_ENOENT,
			"there are no queues, and nothing that waits for one");
		return fl_fail_in(err, "%s", c->title);
	}
	if (o->n_files)
		memcpy(files + n, o->files, o->n_files * sizeof *files);
	free(o->files);
	o->files = files;
	o->n_files += n;
	return 0;
}

/* With -n a name without a namespace is of that one. */
static int take_operand(struct fl_context *c, struct fl_options *o, fairlead_error *err)
{
	const char *given = o->n_operands ? o->operands[0] : NULL;
	const char *rest = given && strncmp(given, "job/", 4) == 0 ? given + 4 : given;

	if (!o->namespace || !given || strcmp(o->verb, "explain") != 0 || strchr(rest, '/'))
		return 0;
	if (asprintf(&c->operand, "%s/%s", o->namespace, given) < 0)
		return fl_fail_nomem(err);
	o->operands[0] = c->operand;
	return 0;
}

static int read_all(struct fl_context *c, struct fl_options *o, fairlead_error *err)
{
	struct fl_reach reach;
	int rc = fl_reach_open(o, &reach, err);

	if (rc == 0) {
		c->title = strdup(reach.title);
		rc = c->title ? 0 : fl_fail_nomem(err);
	}
	if (rc == 0) {
		c->fetch.lists.reach = &reach;
		c->fetch.wanted = o->policy ? fl_policy_dialect(o->policy) : FL_DIALECT_ANY;
		c->fetch.namespace = strcmp(o->verb, "check") == 0 ? o->namespace : NULL;
		rc = fl_fetch_all(&c->fetch, err);
		c->fetch.lists.reach = NULL;
	}
	fl_reach_close(&reach);
	if (rc == 0)
		rc = take_operand(c, o, err);
	return rc;
}

int fl_context_open(struct fl_options *o)
{
	fairlead_error err = { 0 };
	int code;

	if (o->rbac) {
		fl_cluster_print_role();
		return -1;
	}
	if (!o->of_cluster)
		return FL_EXIT_YES;
	o->cluster = calloc(1, sizeof *o->cluster);
	if (!o->cluster)
		fl_fail_nomem(&err);
	if (err.code < 0 || read_all(o->cluster, o, &err) < 0)
		return fl_complain(&err);
	code = tell(o->cluster, o);
	if (code == FL_EXIT_YES && add_files(o->cluster, o, &err) < 0)
		code = fl_complain(&err);
	return code;
}

void fl_context_close(struct fl_options *o)
{
	if (!o->cluster)
		return;
	fl_fetch_done(&o->cluster->fetch);
	free(o->cluster->title);
	free(o->cluster->operand);
	free(o->cluster);
	o->cluster = NULL;
}
