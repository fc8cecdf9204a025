/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/cluster/handover/refuse.h"

#include <stdio.h>
#include <string.h>

enum { CHECKS = 8 /* of a Workload, at most: the API's own limit */ };

struct refusing {
	struct fl_handing *t;
	fairlead_error *err;
	struct fl_handover_refusal *rows; /* heap, until they are in the arena */
	uint32_t n, cap;
};

static int add(struct refusing *r, const struct fl_handover_refusal *row)
{
	if (!row->subject || !row->text || !row->advice)
		return FAIRLEAD_ENOMEM;
	int rc = fl_mem_grow(&fl_mem_heap, &r->rows, &r->cap, r->n + 1, sizeof *row, r->err);

	if (rc == 0)
		r->rows[r->n++] = *row;
	return rc;
}

/* --- queues of the tree --- */

static int refuse_queue(struct refusing *r, const struct fl_handing_queue *q, const char *rule,
			const char *text, const char *advice)
{
	return add(r, &(struct fl_handover_refusal){
			      fl_handing_text(r->t, r->err, "ClusterQueue/%s", q->name), rule, text,
			      advice });
}

static int check_unreadable(struct refusing *r, const struct fl_handing_queue *q)
{
	if (q->node.v != FL_NONE)
		return 0;
	return refuse_queue(r, q, "what can be read",
			    "cannot be read, so it is not known which tree it is in",
			    "'fairlead check --context' says what is wrong with it");
}

static int check_cycle(struct refusing *r, const struct fl_handing_queue *q)
{
	if (!fl_handing_has(r->t, q->node) ||
	    r->t->snapshot.model->nodes[q->node.v].inactive != FL_INACTIVE_COHORT_CYCLE)
		return 0;
	return refuse_queue(r, q, "cycles of cohorts",
			    "is in a cycle of cohorts, or below one: nothing is admitted there",
			    "correct parentName of one cohort of the cycle");
}

static int check_mark(struct refusing *r, const struct fl_handing_queue *q)
{
	if (!fl_handing_has(r->t, q->node) || q->now.mark != FL_HANDED_OTHER)
		return 0;
	return refuse_queue(r, q, "annotation",
			    fl_handing_text(r->t, r->err, "has the annotation %s: \"%s\"",
					    FL_HANDED_ANNOTATION, q->mark),
			    "its values are true, hold and drain: correct it, or remove it");
}

static int check_going(struct refusing *r, const struct fl_handing_queue *q)
{
	if (!fl_handing_has(r->t, q->node) || !q->going)
		return 0;
	return refuse_queue(r, q, "deletion", "is being deleted",
			    "wait until it is not there any more, or make it anew");
}

static int check_usage_based(struct refusing *r, const struct fl_handing_queue *q)
{
	const struct fl_model *m = r->t->snapshot.model;

	if (!fl_handing_has(r->t, q->node) || !m->nodes[q->node.v].usage_based ||
	    !m->settings.admission_fair_sharing || m->settings.off[FL_GATE_ADMISSION_FAIR_SHARING])
		return 0;
	return refuse_queue(
		r, q, "Admission Fair Sharing",
		"orders local queues by their usage, which Kueue does not sample in a queue on Hold",
		"remove admissionScope from the queue, or leave its tree with Kueue");
}

/* --- admission checks of a queue of the tree --- */

static const char *const leave_checks =
	"remove the check from the queue, or leave its tree with Kueue";

static int refuse_check(struct refusing *r, const struct fl_handing_queue *q, const char *rule,
			const char *name, int len, const char *text, const char *advice)
{
	return refuse_queue(r, q, rule,
			    fl_handing_text(r->t, r->err, "has the admission check %.*s, %s", len,
					    name, text),
			    advice);
}

/* One of a queue that is not that of fairlead. */
static int check_one(struct refusing *r, const struct fl_handing_queue *q, const char *name,
		     int len)
{
	static const struct {
		const char *controller, *rule, *text;
	} rows[] = {
		{ "kueue.x-k8s.io/provisioning-request", "ProvisioningRequest",
		  "for which ProvisioningRequests are made: that fairlead decides well beside them was never "
		  "tried" },
		{ "kueue.x-k8s.io/multikueue", "MultiKueue",
		  "for which workloads run in another cluster: the quota there is not known here" },
	};
	const char *controller = fl_handing_controller(r->t, name, (size_t)len);

	if (!controller)
		return refuse_check(r, q, "admission checks", name, len,
				    "and there is no such AdmissionCheck, or none that may be read",
				    "make it, let AdmissionChecks be listed, or remove it from the "
				    "queue");
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
		if (strcmp(controller, rows[i].controller) == 0)
			return refuse_check(r, q, rows[i].rule, name, len, rows[i].text,
					    leave_checks);
	return 0;
}

static int check_checks(struct refusing *r, const struct fl_handing_queue *q)
{
	const char *ours = fl_handing_controller(r->t, FL_CHECK_NAME, strlen(FL_CHECK_NAME));
	uint32_t n = 0;
	int rc = 0;

	if (!fl_handing_has(r->t, q->node) || q->now.checks == FL_CHECKS_NONE)
		return 0;
	for (const char *at = q->checks; *at && rc == 0; n++) {
		const size_t len = strcspn(at, ",");

		rc = check_one(r, q, at, (int)len);
		at += len + (at[len] == ',');
	}
	if (rc == 0 && n >= CHECKS)
		rc = refuse_queue(
			r, q, "admission checks",
			"has as many admission checks as a Workload may have, and that of fairlead "
			"would be one more",
			leave_checks);
	if (rc == 0 && ours && strcmp(ours, FL_CHECK_CONTROLLER) != 0)
		rc = refuse_queue(
			r, q, "admission checks",
			fl_handing_text(r->t, r->err,
					"has admission checks, and the AdmissionCheck %s is of %s",
					FL_CHECK_NAME, ours),
			"give that AdmissionCheck another name, for fairlead makes one of this");
	return rc;
}

/* --- what is undecided --- */

static bool is_of_tree(const struct fl_handing *t, const struct fl_handing_finding *f)
{
	const struct fl_model *m = t->snapshot.model;
	const char *name = fl_model_text(m, f->name);

	if (strcmp(f->row->kind, "ClusterQueue") == 0)
		return fl_handing_has(t, fl_model_find_node(m, FL_CLUSTER_QUEUE, name));
	if (strcmp(f->row->kind, "Workload") == 0) {
		struct fl_workload w = fl_model_find_workload(m, fl_model_text(m, f->namespace),
							      name);
		const struct fl_workload_row *row = w.v == FL_NONE ? NULL : &m->workloads[w.v];

		return row && !row->finished &&
		       (fl_handing_has(t, row->cluster_queue) ||
			(row->reserved && fl_handing_has(t, row->admitted_queue)));
	}
	if (strcmp(f->row->kind, "ResourceFlavor") == 0) {
		for (uint32_t n = 0; n < m->n_nodes; n++) {
			struct fl_quota_walk walk = { 0 };
			const struct fl_quota *quota;

			while (t->has[n] &&
			       (quota = fl_model_next_quota(m, (struct fl_node){ n }, &walk)))
				if (quota->flavor_name.v == f->name.v)
					return true;
		}
		return false;
	}
	return true; /* Configuration */
}

static int check_findings(struct refusing *r)
{
	int rc = 0;

	for (uint32_t i = 0; i < r->t->n_findings && rc == 0; i++) {
		const struct fl_handing_finding *f = &r->t->findings[i];

		if (r->t->off[fl_undecided_number(f->row)] || !is_of_tree(r->t, f))
			continue;
		rc = add(r, &(struct fl_handover_refusal){
				    .subject = f->subject,
				    .rule = f->row->name,
				    .text = *f->detail ? fl_handing_text(r->t, r->err, "%s (%s)",
									 f->row->what, f->detail) :
							 f->row->what,
				    .advice = f->row->advice });
	}
	return rc;
}

/* --- the whole --- */

static int check_configuration(struct refusing *r)
{
	if (r->t->snapshot.model->settings.present)
		return 0;
	return add(
		r,
		&(struct fl_handover_refusal){
			"ConfigMap/kueue-system/kueue-manager-config", "what can be read",
			"Kueue's Configuration cannot be read: the rules of this cluster are not "
			"known",
			"let the ConfigMap be listed: 'fairlead check --rbac' prints the "
			"ClusterRole that does" });
}

/* The notice is about a Workload of which it is known that it holds quota of another tree. */
static bool is_of_another(const struct fl_handing *t, const char *subject)
{
	const struct fl_model *m = t->snapshot.model;
	char name[2 * FL_MAX_NAME + 16];

	for (uint32_t i = 0; i < m->n_uncertain; i++) {
		const struct fl_uncertain_row *row = &m->uncertain[i];

		(void)snprintf(name, sizeof name, "Workload/%s/%s",
			       fl_model_text(m, row->namespace), fl_model_text(m, row->name));
		if (strcmp(name, subject) == 0)
			return row->node.v != FL_NONE && !fl_handing_has(t, row->node);
	}
	return false;
}

/* What decides, and was left out. */
static int check_notices(struct refusing *r)
{
	const struct fl_model *m = r->t->snapshot.model;
	int rc = 0;

	for (uint32_t i = 0; i < m->n_notices && rc == 0; i++) {
		const struct fl_notice *n = &m->notices[i];
		const char *subject = fl_model_text(m, n->subject);
		bool left_out = n->kind == FL_NOTICE_LEFT_OUT &&
				strncmp(subject, "Workload/", 9) != 0;

		if (left_out || (n->kind == FL_NOTICE_UNCERTAIN && !is_of_another(r->t, subject)))
			rc = add(r, &(struct fl_handover_refusal){
					    fl_handing_text(r->t, r->err, "%s", subject),
					    "what can be read",
					    fl_handing_text(r->t, r->err, "%s",
							    fl_model_text(m, n->text)),
					    "correct it: without it the sums of the tree are not "
					    "known" });
	}
	return rc;
}

static int (*const of_queues[])(struct refusing *r, const struct fl_handing_queue *q) = {
	check_unreadable, check_cycle, check_going, check_mark, check_usage_based, check_checks,
};
static int (*const of_all[])(struct refusing *r) = { check_configuration, check_notices,
						     check_findings };

int fl_handing_refuse(struct fl_handing *t, fairlead_error *err)
{
	struct refusing r = { .t = t, .err = err };
	struct fl_handover_refusal *rows = NULL;
	int rc = 0;

	for (size_t c = 0; c < sizeof of_queues / sizeof *of_queues; c++)
		for (uint32_t i = 0; i < t->n_queues && rc == 0; i++)
			rc = of_queues[c](&r, &t->queues[i]);
	for (size_t c = 0; c < sizeof of_all / sizeof *of_all && rc == 0; c++)
		rc = of_all[c](&r);
	if (rc == 0 && r.n && !FL_NEW(&t->arena, rows, r.n, err))
		rc = FAIRLEAD_ENOMEM;
	if (rows)
		memcpy(rows, r.rows, r.n * sizeof *rows);
	(void)fl_mem_free(&fl_mem_heap, r.rows);
	t->answer.refusals = rows;
	t->answer.n_refusals = rows ? r.n : 0;
	return rc;
}
