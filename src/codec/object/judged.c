/* SPDX-License-Identifier: Apache-2.0 */
#include "codec/object/judged.h"

#include <string.h>

#include "codec/schema/kinds.h"
#include "codec/schema/schema.h"

struct judging {
	struct fl_kube *k;
	bool configures;
	fairlead_error first; /* with code 0: none yet */
	int code;
};

int fl_kube_tell_wrong(struct fl_kube *k)
{
	k->m->spoiled = true;
	return k->m->wrong.tell(k->m->wrong.user, k->err);
}

int fl_kube_refuse(struct fl_kube *k, uint32_t v, bool configures)
{
	if (k->m->wrong.tell || !k->m->warns || !configures)
		return FAIRLEAD_EINPUT;
	return fl_kube_notice(k, v, FL_NOTICE_REFUSED, k->err->hint[0] ? k->err->hint : NULL,
			      "a server would refuse this: %s", k->err->text);
}

/* What no server accepts, and the scheduler decides: recorded decisions say how. */
static bool is_decided(const struct fl_finding *f)
{
	return f->rule && strcmp(f->rule, "WL3") == 0;
}

static void take_error(struct judging *g, const struct fl_finding *f)
{
	struct fl_kube *k = g->k;
	fairlead_error *kept = k->err, err = { 0 };
	int r;

	if (!k->m->judged || k->made || g->code < 0 || (!k->m->wrong.tell && g->first.code))
		return;
	k->err = &err;
	fl_kube_fail(k, f->v, FAIRLEAD_EINPUT, "%s", f->text);
	if (f->hint)
		fl_fail_hint(&err, "%s", f->hint);
	r = fl_kube_refuse(k, f->v, (g->configures && !f->meant) || is_decided(f));
	if (r == FAIRLEAD_EINPUT && !g->first.code)
		g->first = err;
	if (k->m->wrong.tell)
		r = fl_kube_tell_wrong(k);
	g->code = r == FAIRLEAD_EINPUT ? 0 : r;
	k->told = k->m->wrong.tell;
	k->err = kept;
}

/* The metadata of a pod stands in the template of its Workload, and most of it is dropped there. */
static bool is_of_template(const struct fl_kube *k, uint32_t v)
{
	char path[200];

	return strstr(fl_doc_path(&k->doc, v, path, sizeof path), ".template.metadata.");
}

static void take(void *user, const struct fl_finding *f)
{
	struct judging *g = user;

	if (f->kind == FL_FINDING_ERROR)
		take_error(g, f);
	else if (g->code == 0 && !(g->k->made && is_of_template(g->k, f->v)))
		g->code = fl_kube_notice(g->k, f->v,
					 f->kind == FL_FINDING_DROPPED ? FL_NOTICE_UNKNOWN_FIELD :
									 FL_NOTICE_MENDED,
					 f->hint && *f->hint ? f->hint : NULL, "%s%s%s",
					 f->field ? f->field : "", f->field ? ": " : "", f->text);
}

int fl_kube_judge(struct fl_kube *k, const char *api_version, const char *kind, bool configures)
{
	struct judging g = { .k = k, .configures = configures };
	const struct fl_schema_call call = {
		.kind = fl_schema_find(api_version, kind),
		.doc = &k->doc,
		.drops_only = !k->m->judged || k->made,
		.gates = k->m->webhook_gates,
		.was = k->m->former && !k->made ?
			       k->m->former_of(k->m->former, k->subject, api_version) :
			       NULL,
		.status = k->m->wrong.tell,
		.tell = take,
		.user = &g,
	};
	int n = call.kind ? fl_schema_judge(&call, k->err) : 0;

	if (n < 0 || g.code < 0)
		return n < 0 ? n : g.code;
	if (g.first.code == 0)
		return 0;
	if (k->err)
		*k->err = g.first;
	return FAIRLEAD_EINPUT;
}
