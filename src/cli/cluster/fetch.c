/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/cluster/fetch.h"

/* --- one kind --- */

static int on_begun(void *user, const char *version, fairlead_error *err)
{
	struct fl_fetched *k = user;

	k->too_large = 0;
	return fl_cluster_kept_begin(&k->kept, k->list.source.group, version, k->row->kind, err);
}

static int on_object(void *user, const struct fl_kube_object *object, fairlead_error *err)
{
	struct fl_fetched *k = user;

	if (object->json)
		return fl_cluster_kept_add(&k->kept, object, err);
	k->too_large++;
	return 0;
}

static int on_ended(void *user, enum fl_list_end how, fairlead_error *err)
{
	struct fl_fetched *k = user;

	k->absent = how == FL_LIST_ABSENT;
	k->forbidden = how == FL_LIST_FORBIDDEN;
	return how != FL_LIST_WHOLE ?
		       0 :
		       fl_cluster_kept_end(&k->kept, k->all->lists.reach->title, err);
}

static int begin(struct fl_fetch *f, struct fl_fetched *k, fairlead_error *err)
{
	int rc = fl_cluster_kept_open(&k->kept, err);

	k->list = (struct fl_list){ k->row->source, on_begun, on_object, on_ended, .user = k };
	if (k->row->spread && f->namespace)
		k->list.source.namespace = f->namespace;
	if (rc == 0)
		rc = fl_list_begin(&f->lists, &k->list, err);
	k->begun = rc == 0;
	return rc;
}

/* --- all --- */

static bool is_wanted(const struct fl_fetch *f, const struct fl_cluster_kind *row)
{
	return f->wanted == FL_DIALECT_ANY || row->dialect == FL_DIALECT_ANY ||
	       row->dialect == f->wanted;
}

/* Asks for all rows of which `late` is @late, and turns until they have ended. */
static int turn(struct fl_fetch *f, bool late, fairlead_error *err)
{
	int rc = 0;

	for (unsigned i = 0; i < f->n && rc == 0; i++)
		if (f->kinds[i].row->late == late && is_wanted(f, f->kinds[i].row))
			rc = begin(f, &f->kinds[i], err);
	return rc < 0 ? rc : fl_lists_turn(&f->lists, err);
}

static bool has_queues_of_kai(const struct fl_fetch *f)
{
	for (unsigned i = 0; i < f->n; i++)
		if (f->kinds[i].row->marks && f->kinds[i].row->dialect == FL_DIALECT_KAI)
			return f->kinds[i].kept.n > 0;
	return false;
}

/* Nothing that was asked for is there. */
static int check_installed(const struct fl_fetch *f, fairlead_error *err)
{
	for (unsigned i = 0; i < f->n; i++)
		if (f->kinds[i].row->marks && f->kinds[i].begun && !f->kinds[i].absent)
			return 0;
	fl_fail(err, FAIRLEAD_ENOENT, "%s in this cluster",
		f->wanted == FL_DIALECT_KUEUE ? "Kueue is not installed" :
		f->wanted == FL_DIALECT_KAI   ? "KAI is not installed" :
						"neither Kueue nor KAI is installed");
	fl_fail_hint(err,
		     "is this the right context? 'kubectl get crd clusterqueues.kueue.x-k8s.io "
		     "queues.scheduling.run.ai' shows whether they are there");
	return fl_fail_in(err, "%s", fl_kube_server(f->lists.reach->client));
}

int fl_fetch_all(struct fl_fetch *f, fairlead_error *err)
{
	const struct fl_cluster_kind *row;

	for (f->n = 0; (row = fl_cluster_kind(f->n)); f->n++)
		f->kinds[f->n] = (struct fl_fetched){ .row = row, .all = f };
	int rc = turn(f, /* late= */ false, err);
	if (rc == 0)
		rc = check_installed(f, err);
	if (rc == 0 && has_queues_of_kai(f))
		rc = turn(f, /* late= */ true, err);
	for (unsigned i = 0; i < f->n; i++)
		fl_list_done(&f->kinds[i].list);
	return rc;
}

void fl_fetch_done(struct fl_fetch *f)
{
	for (unsigned i = 0; i < f->n; i++)
		fl_cluster_kept_done(&f->kinds[i].kept);
	f->n = 0;
}
