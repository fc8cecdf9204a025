/* SPDX-License-Identifier: Apache-2.0 */
#include "codec/jobs/object/live.h"

#include <stdio.h>
#include <string.h>

#include "base/limits.h"

/* Labels of a pod that name its job; NULL: the kind is what another label says. */
static const struct {
	const char *label, *kind;
} labels[] = {
	{ "jobset.sigs.k8s.io/jobset-name", "JobSet" },
	{ "jobset.sigs.k8s.io/jobset-name", "TrainJob" }, /* its JobSet has its name */
	{ "leaderworkerset.sigs.k8s.io/name", "LeaderWorkerSet" },
	{ "ray.io/originated-from-cr-name", NULL },
};

static const char kind_label[] = "ray.io/originated-from-crd";

enum { KEY = 2 * FL_MAX_NAME };

int fl_kjob_live_init(struct fl_kjob_live *live, const struct fl_mem *mem, fairlead_error *err)
{
	fl_pairs_init(&live->jobs, mem);
	return fl_names_init(&live->names, mem, err);
}

void fl_kjob_live_done(struct fl_kjob_live *live)
{
	fl_pairs_done(&live->jobs);
	fl_names_done(&live->names);
}

/* "Kind/name"; 0: too long for a name. */
static size_t key_of(const char *kind, const char *name, size_t len, char key[KEY])
{
	int n = len > FL_MAX_NAME ? 0 : snprintf(key, KEY, "%.64s/%.*s", kind, (int)len, name);

	return n > 0 && n < KEY ? (size_t)n : 0;
}

static int note(struct fl_kjob_live *live, struct fl_sym namespace, const char *kind,
		const char *name, size_t len, fairlead_error *err)
{
	struct fl_sym job;
	char key[KEY];
	size_t n = key_of(kind, name, len, key);
	int r = n && len ? fl_names_add(&live->names, key, n, &job, err) : 1;

	if (r == 0)
		r = fl_pairs_add(&live->jobs, namespace.v, job.v, 0, /* ret_old= */ NULL, err);
	return r < 0 ? r : 0;
}

/* A ReplicaSet has the name of its Deployment and a hash. */
static int note_owner(struct fl_kjob_live *live, struct fl_sym namespace,
		      struct fl_kjob_value owner, fairlead_error *err)
{
	const char *kind = fl_kjob_text(fl_kjob_get(owner, "kind"));
	const char *name = fl_kjob_text(fl_kjob_get(owner, "name"));
	const char *dash = strrchr(name, '-');
	int r = note(live, namespace, kind, name, strlen(name), err);

	if (r == 0 && dash && strcmp(kind, "ReplicaSet") == 0)
		r = note(live, namespace, "Deployment", name, (size_t)(dash - name), err);
	return r;
}

int fl_kjob_live_note(struct fl_kjob_live *live, struct fl_kjob_value object, fairlead_error *err)
{
	struct fl_kjob_value metadata = fl_kjob_get(object, "metadata");
	struct fl_kjob_value owners = fl_kjob_get(metadata, "ownerReferences");
	struct fl_kjob_value has = fl_kjob_get(metadata, "labels");
	const char *ns = fl_kjob_text(fl_kjob_get(metadata, "namespace"));
	struct fl_sym namespace;
	int r;

	if (!fl_kjob_has(fl_kjob_first(owners)))
		return 0;
	if (!*ns)
		ns = "default";
	r = fl_names_add(&live->names, ns, strlen(ns), &namespace, err);
	for (struct fl_kjob_value i = fl_kjob_first(owners); fl_kjob_has(i) && r == 0;
	     i = fl_kjob_next(owners, i))
		r = note_owner(live, namespace, i, err);
	for (size_t i = 0; i < sizeof labels / sizeof *labels && r == 0; i++) {
		const char *name = fl_kjob_text(fl_kjob_get(has, labels[i].label));
		const char *kind = labels[i].kind ? labels[i].kind :
						    fl_kjob_text(fl_kjob_get(has, kind_label));

		if (*name)
			r = note(live, namespace, kind, name, strlen(name), err);
	}
	return r;
}

int fl_kjob_live_add(struct fl_kjob_live *live, const char *namespace, const char *kind,
		     const char *name, size_t len, fairlead_error *err)
{
	struct fl_sym ns;
	int r = fl_names_add(&live->names, namespace, strlen(namespace), &ns, err);

	return r < 0 ? r : note(live, ns, kind, name, len, err);
}

bool fl_kjob_is_live(const struct fl_kjob_live *live, const char *namespace, const char *kind,
		     const char *name)
{
	char key[KEY];
	size_t n = key_of(kind, name, strlen(name), key);
	struct fl_sym ns = fl_names_find(&live->names, namespace, strlen(namespace));
	struct fl_sym job = fl_names_find(&live->names, key, n);

	return n && ns.v != FL_NONE && job.v != FL_NONE &&
	       fl_pairs_find(&live->jobs, ns.v, job.v) != FL_NONE;
}
