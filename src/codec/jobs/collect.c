/* SPDX-License-Identifier: Apache-2.0 */
/*
 * collect - the jobs of an input become Workloads
 *
 * A job depends on objects that may come after it: so jobs, and what their Workloads depend on, are
 * kept until all of the input is read (fl_model_complete).  Then each Workload that Kueue makes of
 * them is read like one of the input.  A Workload of the input that belongs to a job is the one that
 * counts.  Tested in tests/cli/test_jobs_input.py.
 */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/names.h"
#include "codec/jobs/jobs.h"
#include "codec/jobs/workload_doc.h"
#include "codec/object/fields.h"

struct late {
	const struct fl_mem *mem;
	struct fl_kjobs *jobs;
	struct fl_doc configuration; /* empty: there is none */
	const struct fl_kube_tap *tap;
};

static void free_late(void *objects)
{
	struct late *late = objects;

	fl_kjobs_free(late->jobs);
	fl_doc_done(&late->configuration);
	fl_mem_free(late->mem, late);
}

static int make_late(struct fl_model *m, void *objects, fairlead_error *err);

static int late_of(struct fl_model *m, struct late **ret, fairlead_error *err)
{
	struct late *late = m->late.objects;
	int r;

	*ret = late;
	if (late)
		return 0;
	late = m->mem->resize(m->mem->user, NULL, sizeof *late);
	if (!late)
		return fl_fail_nomem(err);
	*late = (struct late){ .mem = m->mem };
	fl_doc_init(&late->configuration, m->mem);
	r = fl_kjobs_new(m->mem, &late->jobs, err);
	if (r < 0) {
		fl_mem_free(m->mem, late);
		return r;
	}
	m->late = (struct fl_late){ late, make_late, free_late };
	*ret = late;
	return 0;
}

/* --- reading ------------------------------------------------------------------------------------ */

static int keep(struct fl_kube *k, bool context)
{
	const struct fl_kjobs_origin origin = { .input = k->input, .context = context };
	struct late *late;
	int r = late_of(k->m, &late, k->err);

	return r < 0 ? r : fl_kjobs_add(late->jobs, &k->doc, &origin, k->err);
}

int fl_kube_keep_context(struct fl_kube *k) { return keep(k, /* context= */ true); }

int fl_kube_keep_configuration(struct fl_kube *k)
{
	struct late *late;
	int r = late_of(k->m, &late, k->err);

	if (r < 0)
		return r;
	fl_doc_done(&late->configuration);
	fl_doc_init(&late->configuration, late->mem);
	return fl_doc_copy(&k->doc, &late->configuration, k->err);
}

/* The parts that have no effect here are not looked at. */
static int keep_job(struct fl_kube *k) { return keep(k, /* context= */ false); }
static int keep_owner(struct fl_kube *k) { return keep(k, /* context= */ true); }

static const struct fl_field job_fields[] = {
	FL_HEAD,
	{ .name = NULL },
};

static const struct fl_kind kinds[] = {
#define FL_FRAMEWORK(id, kind, group, version, name, suspend, finished, active)                    \
	{ group, kind, true, job_fields, keep_job, FL_TEXT_JOB, version },
#include "codec/jobs/object/framework.def"
#undef FL_FRAMEWORK
	{ "apps", "ReplicaSet", true, job_fields, keep_owner, FL_TEXT_NAME, "v1" },
	{ "trainer.kubeflow.org", "ClusterTrainingRuntime", false, job_fields, keep_owner,
	  FL_TEXT_NAME, "v1alpha1" },
	{ "trainer.kubeflow.org", "TrainingRuntime", true, job_fields, keep_owner, FL_TEXT_NAME,
	  "v1alpha1" },
};

const struct fl_kind *fl_job_kind(uint32_t i)
{
	return i < sizeof kinds / sizeof *kinds ? &kinds[i] : NULL;
}

bool fl_kind_is_job(const struct fl_kind *kind) { return kind->fields == job_fields; }

bool fl_job_is_pod(const struct fl_doc *doc)
{
	static const char *const keys[] = { "kueue.x-k8s.io/queue-name", "kueue.x-k8s.io/managed",
					    "kueue.x-k8s.io/pod-group-name" };
	struct fl_kjob_value metadata = fl_kjob_get(fl_kjob_root(doc), "metadata");

	for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
		if (fl_kjob_has(fl_kjob_get(fl_kjob_get(metadata, "labels"), keys[i])) ||
		    fl_kjob_has(fl_kjob_get(fl_kjob_get(metadata, "annotations"), keys[i])))
			return true;
	return false;
}

const struct fl_kind fl_kind_job_pod = { "", "Pod", true, job_fields, keep_job, FL_TEXT_JOB, "v1" };

void fl_kube_tap_made(struct fl_model *m, const struct fl_kube_tap *tap)
{
	struct late *late = m->late.objects;

	if (late)
		late->tap = tap;
}

/* --- the Configuration ---------------------------------------------------------------------------- */

static const struct {
	const char *name;
	uint32_t gate;
} gates[] = {
	{ "PartialAdmission", FL_KJOBS_PARTIAL_ADMISSION },
	{ "ElasticJobsViaWorkloadSlices", FL_KJOBS_ELASTIC },
	{ "WorkloadPriorityClassDefaulting", FL_KJOBS_DEFAULT_CLASS },
	{ "ShortWorkloadNames", FL_KJOBS_SHORT_NAMES },
};

enum { LABEL_KEYS = 64 };

struct settings {
	struct fl_kjobs_config config;
	const char *label_keys[LABEL_KEYS];
};

/* Those that are listed; by default jobs of batch/v1 alone. */
static uint32_t frameworks_of(struct fl_kjob_value list)
{
	uint32_t bits = 0;

	if (!fl_kjob_is_list(list))
		return 1u << FL_FRAMEWORK_JOB;
	for (struct fl_kjob_value i = fl_kjob_first(list); fl_kjob_has(i);
	     i = fl_kjob_next(list, i))
		for (uint32_t f = 0; f < FL_FRAMEWORKS; f++)
			if (fl_kjob_is(i, fl_frameworks[f].name))
				bits |= 1u << f;
	return bits;
}

static void read_settings(const struct late *late, struct settings *ret)
{
	struct fl_kjobs_config *c = &ret->config;
	struct fl_kjob_value root, keys;

	*ret = (struct settings){ .config = { .frameworks = (1u << FL_FRAMEWORKS) - 1,
					      .namespace_selector = FL_KJOB_NO_VALUE,
					      .label_keys = ret->label_keys,
					      .gates = FL_KJOBS_DEFAULT_GATES } };
	if (late->configuration.n == 0)
		return;
	root = fl_kjob_root(&late->configuration);
	c->frameworks = frameworks_of(fl_kjob_at(root, "integrations.frameworks"));
	c->manage_without_queue = fl_kjob_true(fl_kjob_get(root, "manageJobsWithoutQueueName"));
	c->namespace_selector = fl_kjob_get(root, "managedJobsNamespaceSelector");
	keys = fl_kjob_at(root, "integrations.labelKeysToCopy");
	for (struct fl_kjob_value i = fl_kjob_first(keys);
	     fl_kjob_has(i) && c->n_label_keys < LABEL_KEYS; i = fl_kjob_next(keys, i))
		ret->label_keys[c->n_label_keys++] = fl_kjob_text(i);
	for (size_t i = 0; i < sizeof gates / sizeof *gates; i++) {
		struct fl_kjob_value gate = fl_kjob_get(fl_kjob_get(root, "featureGates"),
							gates[i].name);

		if (fl_kjob_has(gate))
			c->gates = fl_kjob_true(gate) ? c->gates | gates[i].gate :
							c->gates & ~gates[i].gate;
	}
}

/* --- making --------------------------------------------------------------------------------------- */

struct making {
	struct fl_model *m;
	const struct late *late;
	struct fl_pairs there; /* (namespace, name of the Workload or of the Job that owns it) */
	uint32_t made, without_uid;
	struct fl_place at; /* of the first job */
	struct {
		uint32_t n;
		char first[200];
		struct fl_place place;
	} left_out[FL_KJOB_REASONS];
};

static const char *name_of(const struct fl_kjob_object *o, char *buffer, size_t size)
{
	const char *ns = fl_kjob_text(fl_kjob_at(o->object, "metadata.namespace"));

	(void)snprintf(buffer, size, "%s/%s/%s", o->framework->kind, *ns ? ns : "default", o->name);
	return buffer;
}

static struct fl_place place_of(const struct fl_kjob_object *o)
{
	const struct fl_value *v = &o->object.doc->values[o->object.v];

	return (struct fl_place){ .file = fl_kjobs_input(o->object.doc),
				  .line = v->line,
				  .column = v->column };
}

static int there_is(struct making *a, struct fl_sym namespace, struct fl_sym name,
		    fairlead_error *err)
{
	int r = fl_pairs_add(&a->there, namespace.v, name.v, 0, /* ret_old= */ NULL, err);

	return r < 0 ? r : 0;
}

static int note_workloads(struct making *a, fairlead_error *err)
{
	const struct fl_model *m = a->m;
	int r = 0;

	for (uint32_t w = 0; w < m->n_workloads && r == 0; w++) {
		const struct fl_workload_row *row = &m->workloads[w];

		r = there_is(a, row->namespace, row->name, err);
		if (r == 0 && row->owner_job.v != FL_NONE)
			r = there_is(a, row->namespace, row->owner_job, err);
	}
	return r;
}

static bool has(const struct making *a, const char *namespace, const char *name)
{
	struct fl_sym ns = fl_names_find(&a->m->names, namespace, strlen(namespace));
	struct fl_sym sym = fl_names_find(&a->m->names, name, strlen(name));

	return ns.v != FL_NONE && sym.v != FL_NONE &&
	       fl_pairs_find(&a->there, ns.v, sym.v) != FL_NONE;
}

static int read_made(struct making *a, const struct fl_kjob_answer *answer,
		     const struct fl_kjob_workload *w, fairlead_error *err)
{
	const struct fl_kjob_object *o = &answer->objects[0];
	struct fl_kjob_value metadata = fl_kjob_get(o->object, "metadata");
	struct fl_doc doc;
	int r;

	fl_doc_init(&doc, a->m->mem);
	r = fl_kjob_workload_doc(
		w, o->object, fl_kjob_text(fl_kjob_get(metadata, "creationTimestamp")), &doc, err);
	if (r == 0)
		r = fl_kube_read_made(a->m, fl_kjobs_input(o->object.doc), &doc, a->late->tap, err);
	fl_doc_done(&doc);
	if (a->made++ == 0)
		a->at = place_of(o);
	a->without_uid += !*fl_kjob_text(fl_kjob_get(metadata, "uid"));
	return r;
}

/* Of these there may be many, and nothing is wrong with them. */
static bool is_usual(enum fl_kjob_reason reason)
{
	switch (reason) {
	case FL_KJOB_REJECTED:
	case FL_KJOB_OWNER_NOT_FOUND:
	case FL_KJOB_ON_HOLD:
	case FL_KJOB_PREBUILT_MISSING:
	case FL_KJOB_RUNTIME_NOT_FOUND:
	case FL_KJOB_PRIORITY_CLASS_NOT_FOUND:
	case FL_KJOB_INVALID_WORKLOAD:
	case FL_KJOB_GROUP_INCOMPLETE:
	case FL_KJOB_GROUP_INCONSISTENT:
	case FL_KJOB_UNREADABLE:
		return false;
	default:
		return true;
	}
}

static bool has_queue(struct fl_kjob_value pairs)
{
	return fl_kjob_has(fl_kjob_get(pairs, "kueue.x-k8s.io/queue-name"));
}

/* A queue that Kueue does not see, as its label is in the wrong place; NULL: there is none. */
static const char *misplaced_queue(const struct fl_kjob_object *o)
{
	if (has_queue(fl_kjob_at(o->object, "metadata.annotations")))
		return "it is an annotation here";
	if (has_queue(fl_kjob_at(o->object, "spec.template.metadata.labels")))
		return "only the template of its pods has it";
	return NULL;
}

static int leave_out(struct making *a, const struct fl_kjob_answer *answer, fairlead_error *err)
{
	const struct fl_kjob_object *o = &answer->objects[0];
	const char *misplaced = answer->reason == FL_KJOB_NO_QUEUE_NAME ? misplaced_queue(o) : NULL;
	char name[200];

	(void)name_of(o, name, sizeof name);
	if (misplaced)
		return fl_model_notice(
			a->m, FL_NOTICE_JOB_WITHOUT_WORKLOAD, place_of(o), name,
			"write the label kueue.x-k8s.io/queue-name into the job's own metadata.labels",
			err, "no Workload is made of it: %s: %s",
			fl_kjob_reason_sentence(answer->reason), misplaced);
	if (!is_usual(answer->reason))
		return fl_model_notice(a->m, FL_NOTICE_JOB_WITHOUT_WORKLOAD, place_of(o), name,
				       /* hint= */ NULL, err, "no Workload is made of it: %s%s%s",
				       fl_kjob_reason_sentence(answer->reason),
				       answer->detail ? ": " : "",
				       answer->detail ? answer->detail : "");
	if (a->left_out[answer->reason].n++ == 0) {
		memcpy(a->left_out[answer->reason].first, name, sizeof name);
		a->left_out[answer->reason].place = place_of(o);
	}
	return 0;
}

/* The Workload of the input that it has; one that is prebuilt is named by a label. */
static bool has_one(const struct making *a, const struct fl_kjob_answer *answer)
{
	static const char prebuilt[] = "kueue.x-k8s.io/prebuilt-workload-name";
	struct fl_kjob_value metadata = fl_kjob_get(answer->objects[0].object, "metadata");
	const char *ns = fl_kjob_text(fl_kjob_get(metadata, "namespace"));
	const char *name = fl_kjob_text(fl_kjob_get(fl_kjob_get(metadata, "labels"), prebuilt));

	if (!*ns)
		ns = "default";
	if (!*name)
		name = fl_kjob_text(fl_kjob_get(fl_kjob_get(metadata, "annotations"), prebuilt));
	if (*name && has(a, ns, name))
		return true;
	if (answer->framework == &fl_frameworks[FL_FRAMEWORK_JOB] &&
	    has(a, ns, answer->objects[0].name))
		return true;
	for (uint32_t i = 0; i < answer->n_workloads; i++)
		if (has(a, ns, answer->workloads[i].name))
			return true;
	return false;
}

static int take(void *user, const struct fl_kjob_answer *answer, fairlead_error *err)
{
	struct making *a = user;
	int r = 0;

	if (has_one(a, answer))
		return 0;
	if (answer->reason != FL_KJOB_MADE)
		return leave_out(a, answer, err);
	for (uint32_t i = 0; i < answer->n_workloads && r == 0; i++)
		if (!answer->workloads[i].finished)
			r = read_made(a, answer, &answer->workloads[i], err);
	return r;
}

/* --- what is said of all of them ------------------------------------------------------------------- */

static int say(const struct making *a, struct fl_place place, fairlead_error *err,
	       const char *format, ...) FL_PRINTF(4, 5);
static int say(const struct making *a, struct fl_place place, fairlead_error *err,
	       const char *format, ...)
{
	char text[600];
	va_list args;

	va_start(args, format);
	(void)vsnprintf(text, sizeof text, format, args);
	va_end(args);
	return fl_model_notice(a->m, FL_NOTICE_ASSUMED, place, /* subject= */ NULL,
			       /* hint= */ NULL, err, "%s", text);
}

static const char *plural(uint32_t n) { return n == 1 ? "" : "s"; }

static int say_all(const struct making *a, fairlead_error *err)
{
	int r = 0;

	if (a->made)
		r = say(a, a->at, err, "%u workload%s made of jobs, as Kueue makes %s", a->made,
			a->made == 1 ? " is" : "s are", a->made == 1 ? "it" : "them");
	if (r == 0 && a->without_uid)
		r = say(a, a->at, err,
			"%u of their names differ%s from those on a cluster in the last five digits: "
			"the job has no uid yet",
			a->without_uid, a->without_uid == 1 ? "s" : "");
	if (r == 0 && a->made && a->late->configuration.n == 0)
		r = say(a, a->at, err,
			"Kueue manages jobs of all kinds that it knows: there is no Configuration");
	for (int i = 0; i < FL_KJOB_REASONS && r == 0; i++)
		if (a->left_out[i].n)
			r = say(a, a->left_out[i].place, err,
				"%u object%s %s no Workload, such as %s: %s", a->left_out[i].n,
				plural(a->left_out[i].n), a->left_out[i].n == 1 ? "has" : "have",
				a->left_out[i].first,
				fl_kjob_reason_sentence((enum fl_kjob_reason)i));
	return r;
}

static int make_late(struct fl_model *m, void *objects, fairlead_error *err)
{
	const struct late *late = objects;
	struct making a = { .m = m, .late = late };
	struct settings s;
	int r;

	if (!fl_kjobs_any(late->jobs) || m->wanted == FL_DIALECT_KAI)
		return 0;
	read_settings(late, &s);
	fl_pairs_init(&a.there, m->mem);
	r = note_workloads(&a, err);
	/* A job that is only a manifest would be created now; others have been. */
	for (int fresh = 0; fresh < 2 && r == 0; fresh++) {
		s.config.creating = fresh == 1;
		s.config.only = fresh == 1 ? FL_KJOBS_FRESH : FL_KJOBS_CREATED;
		r = fl_kjobs_make(late->jobs, &s.config, take, &a, err);
	}
	fl_pairs_done(&a.there);
	return r < 0 ? r : say_all(&a, err);
}
