/* SPDX-License-Identifier: Apache-2.0 */
/*
 * collect - the jobs of an input become Workloads, or pods and PodGroups
 *
 * A job depends on objects that may come after it: so jobs, and what their Workloads depend on, are
 * kept until all of the input is read (fl_model_complete).  Then each Workload that Kueue makes of
 * them is read like one of the input.  A Workload of the input that belongs to a job is the one that
 * counts.  With KAI's objects codec/grouper makes pods and PodGroups instead.  Tested in
 * tests/cli/test_jobs_input.py and test_kai_jobs.py.
 */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/limits.h"
#include "base/names.h"
#include "codec/grouper/grouper.h"
#include "codec/jobs/deployment.h"
#include "codec/jobs/jobs.h"
#include "codec/jobs/object/live.h"
#include "codec/jobs/workload_doc.h"
#include "codec/object/fields.h"

struct late {
	const struct fl_mem *mem;
	struct fl_kjobs *jobs;
	struct fl_kjob_live live;
	struct fl_doc configuration; /* empty: there is none */
	const struct fl_kube_tap *tap;
};

static void free_late(void *objects)
{
	struct late *late = objects;

	fl_kjobs_free(late->jobs);
	fl_kjob_live_done(&late->live);
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
	r = fl_kjob_live_init(&late->live, m->mem, err);
	if (r == 0)
		r = fl_kjobs_new(m->mem, &late->jobs, err);
	if (r < 0) {
		free_late(late);
		return r;
	}
	m->late = (struct fl_late){ late, make_late, free_late };
	*ret = late;
	return 0;
}

/* --- reading ------------------------------------------------------------------------------------ */

static int keep_as(struct fl_kube *k, const struct fl_kjobs_origin *origin)
{
	struct late *late;
	int r = late_of(k->m, &late, k->err);

	if (r == 0)
		r = fl_kjob_live_note(&late->live, fl_kjob_root(&k->doc), k->err);
	return r < 0 ? r : fl_kjobs_add(late->jobs, &k->doc, origin, k->err);
}

static int keep(struct fl_kube *k, bool context)
{
	const struct fl_kjobs_origin origin = { .input = k->input, .context = context };

	return keep_as(k, &origin);
}

int fl_kube_note_owners(struct fl_kube *k)
{
	struct fl_kjob_value root = fl_kjob_root(&k->doc);
	struct late *late;
	int r;

	if (!fl_kjob_has(fl_kjob_first(fl_kjob_at(root, "metadata.ownerReferences"))))
		return 0;
	r = late_of(k->m, &late, k->err);
	return r < 0 ? r : fl_kjob_live_note(&late->live, root, k->err);
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

static int keep_waiting(struct fl_kube *k)
{
	const struct fl_kjobs_origin origin = { .input = k->input,
						.context = true,
						.without_group = true };

	return keep_as(k, &origin);
}

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
	/* Jobs to KAI alone. */
	{ "batch", "CronJob", true, job_fields, keep_owner, FL_TEXT_JOB, "v1" },
	{ "kubeflow.org", "Notebook", true, job_fields, keep_owner, FL_TEXT_JOB, "v1beta1 v1" },
	{ "kubeflow.org", "MPIJob", true, job_fields, keep_owner, FL_TEXT_JOB, "v1" },
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

bool fl_job_waits(const struct fl_doc *pod) { return fl_grouper_waits(pod); }

const struct fl_kind fl_kind_job_pod = { "", "Pod", true, job_fields, keep_job, FL_TEXT_JOB, "v1" };
const struct fl_kind fl_kind_waiting_pod = { "",           "Pod",       true, job_fields,
					     keep_waiting, FL_TEXT_JOB, "v1" };

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
	struct fl_kjob_live before;             /* jobs that the Workloads of the input are of */
	struct fl_kjob_deployments deployments; /* whose pods are made at the end */
	struct fl_pairs there; /* (namespace, name of the Workload or of the Job that owns it) */
	uint32_t made, without_uid;
	struct fl_place at;   /* of the first job */
	struct fl_place last; /* of the job whose Workload was made last; line 0: none */
	struct fl_place deployed;
	struct {
		uint32_t n;
		char first[200];
		struct fl_place place;
	} left_out[FL_KJOB_REASONS];
};

static const char *namespace_of(const struct fl_kjob_object *o)
{
	const char *ns = fl_kjob_text(fl_kjob_at(o->object, "metadata.namespace"));

	return *ns ? ns : "default";
}

static const char *name_of(const struct fl_kjob_object *o, char *buffer, size_t size)
{
	(void)snprintf(buffer, size, "%s/%s/%s", o->framework->kind, namespace_of(o), o->name);
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
	return r < 0 ? r : fl_kjob_deployed_before(m, a->late->jobs, &a->before, err);
}

static bool has(const struct making *a, const char *namespace, const char *name)
{
	struct fl_sym ns = fl_names_find(&a->m->names, namespace, strlen(namespace));
	struct fl_sym sym = fl_names_find(&a->m->names, name, strlen(name));

	return ns.v != FL_NONE && sym.v != FL_NONE &&
	       fl_pairs_find(&a->there, ns.v, sym.v) != FL_NONE;
}

/* One of several Workloads of the same job, or of the pods of a Deployment. */
static bool same_place(struct fl_place a, struct fl_place b)
{
	return a.line > 0 && a.file == b.file && a.line == b.line && a.column == b.column;
}

static int read_made(struct making *a, const struct fl_kjob_answer *answer,
		     const struct fl_kjob_workload *w, fairlead_error *err)
{
	const struct fl_kjob_object *o = &answer->objects[0];
	struct fl_kjob_value metadata = fl_kjob_get(o->object, "metadata");
	struct fl_place at = place_of(o);
	struct fl_doc doc;
	int r;

	fl_doc_init(&doc, a->m->mem);
	r = fl_kjob_workload_doc(
		w, o->object, fl_kjob_text(fl_kjob_get(metadata, "creationTimestamp")), &doc, err);
	if (r == 0)
		r = (same_place(a->last, at) ? fl_kube_read_alike : fl_kube_read_made)(
			a->m, at.file, &doc, a->late->tap, err);
	fl_doc_done(&doc);
	a->last = at;
	if (a->made++ == 0)
		a->at = at;
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

/* Are pods made of it? Of a Deployment they are, once all jobs have been looked at. */
static int deploy(struct making *a, const struct fl_kjob_answer *answer, fairlead_error *err)
{
	const struct fl_kjob_object *o = &answer->objects[0];
	char name[200];
	int r = 0;

	if (answer->framework != &fl_frameworks[FL_FRAMEWORK_DEPLOYMENT])
		return 0;
	if (!fl_kjob_is_live(&a->late->live, namespace_of(o), "Deployment", o->name))
		r = fl_kjob_deploy(&a->deployments, a->late->jobs, &a->before, answer, err);
	if (r == 1 && a->deployments.n == 1)
		a->deployed = place_of(o);
	if (r != 2)
		return r;
	r = fl_model_notice(a->m, FL_NOTICE_JOB_WITHOUT_WORKLOAD, place_of(o),
			    name_of(o, name, sizeof name), /* hint= */ NULL, err,
			    "it is left out: with its replicas, more than %d pods would be made of "
			    "the jobs of the input",
			    FL_MAX_MADE_PODS);
	return r < 0 ? r : 1;
}

static int take(void *user, const struct fl_kjob_answer *answer, fairlead_error *err)
{
	struct making *a = user;
	int r = deploy(a, answer, err);

	if (r || has_one(a, answer))
		return r < 0 ? r : 0;
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
	if (r == 0 && a->deployments.pods)
		r = say(a, a->deployed, err,
			"%" PRId64 " pod%s of Deployments %s made, as their controllers would "
			"create %s",
			a->deployments.pods, plural((uint32_t)a->deployments.pods),
			a->deployments.pods == 1 ? "is" : "are",
			a->deployments.pods == 1 ? "it" : "them");
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

/* Whose objects there are; pods that wait are not in the model yet. */
static bool is_kais(const struct fl_model *m, const struct late *late)
{
	bool bare = !m->n_nodes && !m->n_queues && !m->n_flavors && !m->n_workloads;

	if (m->wanted != FL_DIALECT_ANY)
		return m->wanted == FL_DIALECT_KAI;
	return fl_model_dialect(m) == FL_DIALECT_KAI || (bare && fl_grouper_any_pod(late->jobs));
}

static int make_workloads(struct fl_model *m, const struct late *late, fairlead_error *err)
{
	struct making a = { .m = m, .late = late };
	struct settings s;
	int r;

	if (!fl_kjobs_any(late->jobs))
		return 0;
	read_settings(late, &s);
	fl_pairs_init(&a.there, m->mem);
	fl_kjob_deployments_init(&a.deployments, m->mem);
	r = fl_kjob_live_init(&a.before, m->mem, err);
	if (r == 0)
		r = note_workloads(&a, err);
	/* A job that is only a manifest would be created now; others have been. */
	for (int fresh = 0; fresh < 2 && r == 0; fresh++) {
		s.config.creating = fresh == 1;
		s.config.only = fresh == 1 ? FL_KJOBS_FRESH : FL_KJOBS_CREATED;
		r = fl_kjobs_make(late->jobs, &s.config, take, &a, err);
	}
	if (r == 0)
		r = fl_kjob_make_deployed(late->jobs, &a.deployments, &a.before, &s.config, take,
					  &a, err);
	if (r == 0)
		r = say_all(&a, err);
	fl_kjob_deployments_done(&a.deployments);
	fl_kjob_live_done(&a.before);
	fl_pairs_done(&a.there);
	return r;
}

static int make_late(struct fl_model *m, void *objects, fairlead_error *err)
{
	const struct late *late = objects;
	const struct fl_grouper_input in = { late->jobs, &late->live, late->tap };
	int r;

	if (is_kais(m, late))
		return fl_grouper_make(m, &in, err);
	r = fl_grouper_decline(m, &in, err);
	return r < 0 ? r : make_workloads(m, late, err);
}
