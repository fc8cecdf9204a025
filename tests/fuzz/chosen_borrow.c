/* SPDX-License-Identifier: Apache-2.0 */
#include "fuzz/chosen_borrow.h"

#define KUEUE "kueue.x-k8s.io/v1beta2"

struct world {
	struct text *t;
	struct choices *c;
	const struct chosen_borrow *size;
};

static void say_configuration(struct text *t, struct choices *c, bool rich)
{
	say_object(t, "config.kueue.x-k8s.io/v1beta2", "Configuration", "");
	if (choose(c, 3))
		say(t, ",\"fairSharing\":{\"preemptionStrategies\":[%s]}",
		    ONE_OF(c, "\"LessThanOrEqualToFinalShare\",\"LessThanInitialShare\"",
			   "\"LessThanOrEqualToFinalShare\"", "\"LessThanInitialShare\""));
	if (choose(c, 2)) {
		unsigned half_life = choose(c, 30);

		say(t,
		    ",\"admissionFairSharing\":{\"usageHalfLifeTime\":\"%us\","
		    "\"usageSamplingInterval\":\"%us\"}",
		    half_life, 1 + choose(c, 5));
	}
	if (rich && choose(c, 3) == 0)
		say(t, ",\"featureGates\":{\"%s\":false}",
		    ONE_OF(c, "AdmissionFairSharing", "FairSharingPreemptWithinNominal",
			   "FairSharingPrioritizeNonBorrowing", "LendingLimit", "PartialAdmission",
			   "PrioritySortingWithinCohort", "ReclaimablePods",
			   "RecomputeAssignmentUponPreemptionTargetsOverlap",
			   "SchedulingEquivalenceHashing"));
	say(t, "}");
}

static void say_protection(struct text *t, struct choices *c, unsigned what)
{
	say(t, "\"holdFreedQuota\":%s", what & 1 ? "true" : "false");
	if (what & 2)
		say(t, ",\"minimumRunTime\":\"%us\"", choose(c, 60));
	if (what & 4)
		say(t, ",\"preemptionDelay\":\"%us\"", choose(c, 10));
	if (what & 8)
		say(t, ",\"reclaimBackOff\":{\"base\":\"%us\"}", 1 + choose(c, 10));
	if (what & 16)
		say(t, ",\"overrulingPriority\":%u", choose(c, 4));
}

static void say_policy(struct text *t, struct choices *c, bool rich)
{
	unsigned what = choose(c, 32);

	if (what == 0 || (rich && choose(c, 2)))
		return;
	say_object(t, "fairlead.dev/v1alpha1", "Policy", "\"name\":\"p\"");
	say(t, ",\"spec\":{\"defaults\":{");
	say_protection(t, c, what);
	say(t, "}");
	if (rich) {
		say(t, ",\"headsPerCycle\":\"%s\"", ONE_OF(c, "one", "all"));
		say(t,
		    ",\"admissionFairSharing\":{\"usage\":\"%s\"},\"clusterQueues\":[{\"name\":\"q1\",",
		    ONE_OF(c, "Sampled", "Exact"));
		say_protection(t, c, choose(c, 32));
		say(t, "}],\"cohorts\":[{\"name\":\"c0\",");
		say_protection(t, c, choose(c, 32));
		say(t, "}]");
	}
	say(t, "}}");
}

/* A resource of a flavor: its quota, and limits where it has any. */
static void say_quota(struct text *t, struct choices *c, unsigned r)
{
	unsigned limits = choose(c, 9);

	say(t, "{\"name\":\"%c\",\"nominalQuota\":%u", 'a' + r, choose(c, 9));
	if (limits % 3)
		say(t, ",\"borrowingLimit\":%u", choose(c, 9));
	if (limits / 3)
		say(t, ",\"lendingLimit\":%u", choose(c, 9));
	say(t, "}");
}

/* Flavors from @first to below @end, each with resources from @r to below @r_end. */
static void say_group(struct world *w, unsigned first, unsigned end, unsigned r, unsigned r_end)
{
	struct text *t = w->t;

	say(t, "{\"coveredResources\":[%s],\"flavors\":[",
	    r_end - r == 2 ? "\"a\",\"b\"" :
	    r              ? "\"b\"" :
			     "\"a\"");
	for (unsigned f = first; f < end; f++) {
		bool missing = w->size->rich && choose(w->c, 100) == 0;

		say(t, "%s{\"name\":\"%s%u\",\"resources\":[", f > first ? "," : "",
		    missing ? "missing" : "f", f);
		for (unsigned i = r; i < r_end; i++) {
			say(t, i > r ? "," : "");
			say_quota(t, w->c, i);
		}
		say(t, "]}");
	}
	say(t, "]}");
}

static void say_quotas(struct world *w)
{
	unsigned flavors = w->size->flavors;

	say(w->t, "\"resourceGroups\":[");
	if (w->size->rich && flavors > 1 && choose(w->c, 3) == 0) {
		say_group(w, 0, flavors - 1, 0, 1);
		say(w->t, ",");
		say_group(w, flavors - 1, flavors, 1, 2);
	} else {
		say_group(w, 0, flavors, 0, 2);
	}
	say(w->t, "]");
}

static void say_local_queue(struct world *w, unsigned q, const char *suffix)
{
	char name[48];

	(void)snprintf(name, sizeof name, "\"name\":\"lq%u%s\",\"namespace\":\"ns\"", q, suffix);
	say_object(w->t, KUEUE, "LocalQueue", name);
	say(w->t, ",\"spec\":{\"clusterQueue\":\"q%u\"", q);
	if (w->size->rich) {
		say(w->t, ",\"fairSharing\":{\"weight\":%u}", choose(w->c, 3));
		if (choose(w->c, 24) == 0)
			say(w->t, ",\"stopPolicy\":\"%s\"", ONE_OF(w->c, "Hold", "HoldAndDrain"));
	}
	say(w->t, "}}");
}

/* What few queues say. */
static void say_odd_queue(struct text *t, struct choices *c)
{
	if (choose(c, 16) == 0)
		say(t, "\"stopPolicy\":\"%s\",", ONE_OF(c, "Hold", "HoldAndDrain"));
	if (choose(c, 20) == 0)
		say(t, "\"namespaceSelector\":{\"matchLabels\":{\"team\":\"x\"}},");
	else
		say(t, "\"namespaceSelector\":{},");
}

static void say_queue(struct world *w, unsigned q)
{
	struct text *t = w->t;
	struct choices *c = w->c;
	char name[32];
	unsigned cohort = choose(c, w->size->cohorts + 1), weight = choose(c, 4);

	(void)snprintf(name, sizeof name, "\"name\":\"q%u\"", q);
	say_object(t, KUEUE, "ClusterQueue", name);
	say(t, ",\"spec\":{");
	if (w->size->rich)
		say_odd_queue(t, c);
	else
		say(t, "\"namespaceSelector\":{},");
	say(t, "\"queueingStrategy\":\"%s\",\"preemption\":",
	    ONE_OF(c, "BestEffortFIFO", "StrictFIFO"));
	say(t, "{\"withinClusterQueue\":\"%s\",",
	    ONE_OF(c, "Never", "LowerPriority", "LowerOrNewerEqualPriority"));
	say(t, "\"reclaimWithinCohort\":\"%s\",", ONE_OF(c, "Any", "LowerPriority", "Never"));
	say(t, "\"borrowWithinCohort\":{\"policy\":\"%s\"}},", ONE_OF(c, "Never", "LowerPriority"));
	say(t, "\"flavorFungibility\":{\"whenCanBorrow\":\"%s\",",
	    ONE_OF(c, "MayStopSearch", "TryNextFlavor"));
	say(t, "\"whenCanPreempt\":\"%s\"},\"fairSharing\":{\"weight\":%u},",
	    ONE_OF(c, "MayStopSearch", "TryNextFlavor"), weight);
	if (cohort)
		say(t, "\"cohortName\":\"c%u\",", cohort - 1);
	if (choose(c, 2))
		say(t,
		    "\"admissionScope\":{\"admissionMode\":\"UsageBasedAdmissionFairSharing\"},");
	say_quotas(w);
	say(t, "}}");
	say_local_queue(w, q, "");
	if (w->size->rich)
		say_local_queue(w, q, "-2");
}

static void say_cohort(struct world *w, unsigned i)
{
	struct text *t = w->t;
	struct choices *c = w->c;
	char name[32];
	unsigned parent = choose(c, 4);

	(void)snprintf(name, sizeof name, "\"name\":\"c%u\"", i);
	say_object(t, KUEUE, "Cohort", name);
	say(t, ",\"spec\":{\"fairSharing\":{\"weight\":%u},", choose(c, 4));
	if (parent && i)
		say(t, "\"parentName\":\"c%u\",", choose(c, i));
	say_quotas(w);
	say(t, "}}");
}

static void say_podset(struct world *w, unsigned s)
{
	struct choices *c = w->c;
	unsigned count = 1 + choose(c, 3), a;

	say(w->t, "%s{\"name\":\"s%u\",\"count\":%u", s ? "," : "", s, count);
	if (count > 1 && choose(c, 3) == 0)
		say(w->t, ",\"minCount\":1");
	say(w->t, ",\"template\":{\"spec\":{");
	if (w->size->rich && choose(c, 10) == 0)
		say(w->t, "\"nodeSelector\":{\"flavor\":\"f%u\"},", choose(c, w->size->flavors));
	say(w->t, "\"containers\":[{\"name\":\"c\",\"resources\":{\"requests\":");
	a = choose(c, 4);
	say(w->t, "{\"a\":%u,\"b\":%u}}}]}}}", a, choose(c, 4));
}

/* Beside QuotaReserved. */
static void say_conditions(struct text *t, struct choices *c)
{
	const char *reason;

	if (choose(c, 4))
		return;
	reason = ONE_OF(c, "Preempted", "PodsReadyTimeout");
	say(t,
	    ",{\"type\":\"Evicted\",\"status\":\"True\",\"reason\":\"%s\","
	    "\"lastTransitionTime\":\"2026-01-01T00:00:%02uZ\"}",
	    reason, choose(c, 30));
}

static void say_admission(struct world *w)
{
	struct text *t = w->t;
	struct choices *c = w->c;
	unsigned queue, flavors[2], used[2];

	say(t, ",\"status\":{\"conditions\":[{\"type\":\"QuotaReserved\",\"status\":\"True\"");
	if (w->size->rich)
		say(t, ",\"lastTransitionTime\":\"2026-01-01T00:00:%02uZ\"", choose(c, 30));
	say(t, "}");
	if (w->size->rich)
		say_conditions(t, c);
	queue = choose(c, w->size->queues);
	for (int r = 0; r < 2; r++)
		flavors[r] = choose(c, w->size->flavors);
	for (int r = 0; r < 2; r++)
		used[r] = choose(c, 5);
	say(t,
	    "],\"admission\":{\"clusterQueue\":\"q%u\",\"podSetAssignments\":[{\"name\":\"s0\","
	    "\"count\":1,\"flavors\":{\"a\":\"f%u\",\"b\":\"f%u\"},\"resourceUsage\":"
	    "{\"a\":%u,\"b\":%u}}]}}",
	    queue, flavors[0], flavors[1], used[0], used[1]);
}

static void say_job(struct world *w, unsigned number)
{
	char name[96];
	struct text *t = w->t;
	struct choices *c = w->c;
	unsigned podsets = 1 + choose(c, 2), admitted = choose(c, 3);

	(void)snprintf(name, sizeof name,
		       "\"name\":\"w%u\",\"namespace\":\"ns\",\"creationTimestamp\":"
		       "\"2026-01-01T00:00:%02uZ\"",
		       number, choose(c, 30));
	say_object(t, KUEUE, "Workload", name);
	say(t, ",\"spec\":{\"queueName\":\"lq%u", choose(c, w->size->queues));
	say(t, "%s\"", w->size->rich && choose(c, 2) ? "-2" : "");
	say(t, ",\"priority\":%u,\"podSets\":[", choose(c, 4));
	for (unsigned s = 0; s < podsets; s++)
		say_podset(w, s);
	say(t, "]}");
	if (admitted == 1)
		say_admission(w);
	else if (w->size->rich && choose(c, 8) == 0)
		say(t, ",\"status\":{\"requeueState\":{\"requeueAt\":\"2026-01-01T00:0%u:00Z\"}}",
		    choose(c, 4));
	say(t, "}");
}

static void say_flavor(struct world *w, unsigned f)
{
	char name[32];

	(void)snprintf(name, sizeof name, "\"name\":\"f%u\"", f);
	say_object(w->t, KUEUE, "ResourceFlavor", name);
	if (w->size->rich)
		say(w->t, ",\"spec\":{\"nodeLabels\":{\"flavor\":\"f%u\"}}", f);
	say(w->t, "}");
}

void chosen_borrow(struct text *t, struct choices *c, const struct chosen_borrow *size)
{
	struct world w = { t, c, size };

	t->n = 0;
	say(t, "{\"apiVersion\":\"v1\",\"kind\":\"List\",\"items\":[");
	say_object(t, "v1", "Namespace", "\"name\":\"ns\"");
	say(t, "}");
	say_configuration(t, c, size->rich);
	say_policy(t, c, size->rich);
	for (unsigned f = 0; f < size->flavors; f++)
		say_flavor(&w, f);
	for (unsigned i = 0; i < size->cohorts; i++)
		say_cohort(&w, i);
	for (unsigned q = 0; q < size->queues; q++)
		say_queue(&w, q);
	for (unsigned i = 0; i < size->jobs; i++)
		say_job(&w, i);
	say(t, "]}");
}
