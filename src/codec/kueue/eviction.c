/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What Kueue says of a preemption in the message of a condition:
 *
 *     Preempted to accommodate a workload (UID: u, JobUID: j) due to reclamation within the cohort;
 *     preemptor path: /co/a; preemptee path: /co/b
 *
 * Versions before 0.10 write no paths, and earlier ones no JobUID.  UNKNOWN stands for what is not
 * known.  Once the workload is admitted again, "Previously: " stands before it.
 */
#include "codec/kueue/eviction.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

static const char previously[] = "Previously: ", preempted[] = "Preempted to accommodate ";
static const char unknown[] = "UNKNOWN";

/* In words, and as the reason of condition Preempted; one that begins another comes behind it. */
static const struct {
	const char *words, *rule;
} rules[] = {
	{ "prioritization in the ClusterQueue", "InClusterQueue" },
	{ "reclamation within the cohort while borrowing", "InCohortReclaimWhileBorrowing" },
	{ "reclamation within the cohort", "InCohortReclamation" },
	{ "Fair Sharing within the cohort", "InCohortFairSharing" },
};

/* What follows @key up to one of @ends; "" where it is not there, or is not known. */
static int part(struct fl_kube *k, const char *message, const char *key, const char *ends,
		struct fl_sym *ret)
{
	const char *at = strstr(message, key);
	size_t len;

	if (!at)
		return 0;
	at += strlen(key);
	len = strcspn(at, ends);
	if (len == strlen(unknown) && strncmp(at, unknown, len) == 0)
		return 0;
	return fl_model_sym(k->m, at, len, ret, k->err);
}

static int rule_in(struct fl_kube *k, const char *message, struct fl_sym *ret)
{
	static const char due[] = " due to ";
	const char *at = strstr(message, due);

	for (size_t i = 0; at && i < sizeof rules / sizeof *rules; i++)
		if (strncasecmp(at + strlen(due), rules[i].words, strlen(rules[i].words)) == 0)
			return fl_model_sym(k->m, rules[i].rule, strlen(rules[i].rule), ret,
					    k->err);
	return 0;
}

bool fl_kube_was_preempted(const char *message)
{
	size_t len = strlen(previously);

	return strncmp(message, previously, len) == 0 &&
	       strncmp(message + len, preempted, strlen(preempted)) == 0;
}

int fl_kube_preempted(struct fl_kube *k, const char *message, struct fl_sym rule,
		      struct fl_eviction_row *ret)
{
	int r = fl_model_sym(k->m, "Preempted", strlen("Preempted"), &ret->reason, k->err);

	if (r == 0 && rule.v != FL_NONE)
		ret->rule = rule;
	else if (r == 0 && ret->rule.v == 0)
		r = rule_in(k, message, &ret->rule);
	if (r == 0)
		r = part(k, message, "(UID: ", ",)", &ret->preemptor);
	if (r == 0)
		r = part(k, message, " JobUID: ", ",)", &ret->preemptor_job);
	if (r == 0)
		r = part(k, message, "preemptor path: ", ";", &ret->preemptor_path);
	return r;
}

static const char *words_of(const char *rule)
{
	for (size_t i = 0; rule && i < sizeof rules / sizeof *rules; i++)
		if (strcmp(rules[i].rule, rule) == 0)
			return rules[i].words;
	return unknown;
}

static const char *known(const char *text) { return text ? text : unknown; }

char *fl_kube_why_preempted(const char *uid, const char *job, const char *rule, const char *by,
			    const char *from)
{
	char *text;
	int n = asprintf(&text,
			 "%sa workload (UID: %s, JobUID: %s) due to %s; preemptor path: %s; "
			 "preemptee path: %s",
			 preempted, known(uid), known(job), words_of(rule), known(by), known(from));

	return n < 0 ? NULL : text;
}
