/* SPDX-License-Identifier: Apache-2.0 */
#include "fuzz/chosen_entitle.h"

struct world {
	struct text *t;
	struct choices *c;
	const struct chosen_entitle *size;
	unsigned inner, queues; /* queues that may have others below them; all */
};

static const char *flag(struct choices *c) { return choose(c, 2) ? "true" : "false"; }

static void say_usage_parameters(struct text *t, struct choices *c)
{
	say(t, ",\"usageDBConfig\":{\"usageParams\":{\"halfLifePeriod\":\"%us\"",
	    1 + choose(c, 100));
	say(t, ",\"windowSize\":\"%us\"", 1 + choose(c, 200));
	say(t, ",\"windowType\":\"%s\"", ONE_OF(c, "sliding", "tumbling", "cron"));
	say(t, ",\"cronString\":\"* * * * *\","
	       "\"tumblingWindowStartTime\":\"2026-01-01T00:00:00Z\"}}");
}

static void say_shard(struct text *t, struct choices *c)
{
	unsigned what = choose(c, 64);

	say_object(t, "kai.scheduler/v1", "SchedulingShard", "\"name\":\"s\"");
	say(t, ",\"spec\":{\"placementStrategy\":{\"gpu\":\"%s\",\"cpu\":\"binpack\"}",
	    ONE_OF(c, "binpack", "spread"));
	if (what & 1)
		say(t, ",\"kValue\":%u", choose(c, 4));
	if (what & 2) {
		say(t, ",\"minRuntime\":{\"preemptMinRuntime\":\"%us\"", choose(c, 30));
		say(t, ",\"reclaimMinRuntime\":\"%us\"}", choose(c, 30));
	}
	if (what & 4) {
		say(t, ",\"queueDepthPerAction\":{\"%s\"",
		    ONE_OF(c, "allocate", "reclaim", "preempt", "consolidation"));
		say(t, ":%u}", choose(c, 3));
	}
	if (what & 8) {
		say(t, ",\"actions\":{\"%s\"",
		    ONE_OF(c, "consolidation", "reclaim", "preempt", "stalegangeviction"));
		say(t, ":{\"enabled\":%s}}", flag(c));
	}
	if (what & 16)
		say_usage_parameters(t, c);
	if (what & 32) {
		say(t, ",\"plugins\":{\"minruntime\":{\"arguments\":{\"reclaimResolveMethod\":");
		say(t, "\"%s\"", ONE_OF(c, "lca", "queue"));
		say(t, ",\"defaultReclaimMinRuntime\":\"%us\"}}}", choose(c, 30));
	}
	say(t, "}}");
}

static void say_budgets(struct world *w)
{
	struct text *t = w->t;
	struct choices *c = w->c;
	say(t, ",\"budgets\":{\"period\":{\"every\":\"%us\",\"start\":\"2026-01-01T00:00:00Z\"},",
	    10 + choose(c, 200));
	say(t, "\"overcommitment\":\"%s\",", ONE_OF(c, "Proportional", "FirstCome"));
	say(t, "\"afterBudget\":\"%s\",\"queues\":[", ONE_OF(c, "Spare", "Stop"));
	for (unsigned q = 0; q < 2; q++) {
		say(t, "%s{\"name\":\"q%u\",\"gpuHours\":%u", q ? "," : "", w->inner + q,
		    choose(c, 2));
		say(t, ".%u}", choose(c, 10));
	}
	say(t, "]}");
}

static void say_policy(struct world *w)
{
	struct text *t = w->t;
	struct choices *c = w->c;
	unsigned what = choose(c, 32);

	if (what == 0)
		return;
	say_object(t, "fairlead.dev/v1alpha1", "Policy", "\"name\":\"p\"");
	say(t,
	    ",\"spec\":{\"entitlement\":{\"division\":\"%s\",\"turns\":%s,\"keepBelowQuota\":%s,"
	    "\"protectQuota\":%s}",
	    what & 1 ? "Bounded" : "Compatible", what & 2 ? "true" : "false",
	    what & 4 ? "true" : "false", what & 8 ? "true" : "false");
	if (what & 16)
		say_budgets(w);
	say(t, "}}");
}

/* Halves and quarters: sums of them are exact. */
static void say_amount(struct text *t, struct choices *c, const char *key, bool unbounded)
{
	unsigned amount = choose(c, 14);

	if (amount >= 11 && unbounded)
		say(t, ",\"%s\":-1", key);
	else
		say(t, ",\"%s\":%u%s", key, amount % 11, ONE_OF(c, "", "", "", ".5", ".25"));
}

static void say_queue(struct world *w, unsigned q)
{
	struct text *t = w->t;
	struct choices *c = w->c;
	char name[96];

	(void)snprintf(name, sizeof name,
		       "\"name\":\"q%u\",\"creationTimestamp\":\"2026-01-01T00:00:%02uZ\"", q,
		       choose(c, 4));
	say_object(t, "scheduling.run.ai/v2", "Queue", name);
	say(t, ",\"spec\":{\"priority\":%u", 99 + choose(c, 3));
	if (q >= w->inner && choose(c, 4))
		say(t, ",\"parentQueue\":\"q%u\"", choose(c, w->inner));
	else if (q >= w->size->tops && choose(c, 3))
		say(t, ",\"parentQueue\":\"q%u\"", choose(c, w->size->tops));
	if (choose(c, 4) == 0)
		say(t, ",\"preemptMinRuntime\":\"%us\"", choose(c, 30));
	if (choose(c, 4) == 0)
		say(t, ",\"reclaimMinRuntime\":\"%us\"", choose(c, 30));
	say(t, ",\"resources\":{\"gpu\":{\"overQuotaWeight\":%u", choose(c, 4));
	say_amount(t, c, "quota", true);
	say_amount(t, c, "limit", true);
	say(t, "},\"cpu\":{\"quota\":%d", choose(c, 4) ? -1 : (int)choose(c, 8) * 500);
	say(t, ",\"limit\":%d,\"overQuotaWeight\":1}",
	    choose(c, 4) ? -1 : (int)choose(c, 8) * 1000);
	say(t, ",\"memory\":{\"quota\":-1,\"limit\":-1,\"overQuotaWeight\":1}}}}");
}

static void say_machine(struct text *t, struct choices *c, unsigned i)
{
	char name[32];

	(void)snprintf(name, sizeof name, "\"name\":\"m%u\"", i);
	say_object(t, "v1", "Node", name);
	say(t, ",\"spec\":{\"unschedulable\":%s}", choose(c, 8) ? "false" : "true");
	say(t, ",\"status\":{\"allocatable\":{\"cpu\":\"%u\"", 1 + choose(c, 16));
	say(t, ",\"memory\":\"64Gi\",\"nvidia.com/gpu\":\"%u\"}", choose(c, 9));
	say(t, ",\"conditions\":[{\"type\":\"Ready\",\"status\":\"%s\"}]}}",
	    choose(c, 8) ? "True" : "False");
}

static void say_pod(struct world *w, unsigned job, unsigned i, unsigned queue)
{
	struct text *t = w->t;
	struct choices *c = w->c;
	static const char *const phases[] = { "Pending", "Running", "Running", "Succeeded" };
	unsigned phase = choose(c, 4), gpus = choose(c, 7);
	char name[256];

	(void)snprintf(name, sizeof name,
		       "\"name\":\"w%u-%u\",\"namespace\":\"ns\",\"labels\":{"
		       "\"kai.scheduler/queue\":\"q%u\"},\"annotations\":{\"pod-group-name\":"
		       "\"w%u\"%s}%s",
		       job, i, queue, job,
		       gpus < 5  ? "" :
		       gpus == 5 ? ",\"gpu-fraction\":\"0.5\"" :
				   ",\"gpu-fraction\":\"0.25\"",
		       choose(c, 16) || phase == 0 ?
			       "" :
			       ",\"deletionTimestamp\":\"2026-01-01T00:00:30Z\"");
	say_object(t, "v1", "Pod", name);
	say(t, ",\"spec\":{\"schedulerName\":\"kai-scheduler\"");
	if (phase == 1 || phase == 2)
		say(t, ",\"nodeName\":\"m%u\"", choose(c, w->size->machines));
	say(t,
	    ",\"containers\":[{\"name\":\"c\",\"resources\":{\"requests\":{\"cpu\":\"%u\"},"
	    "\"limits\":{\"nvidia.com/gpu\":\"%u\"}}}]},\"status\":{\"phase\":\"%s\"}}",
	    choose(c, 3), gpus < 5 ? gpus : 0, phases[phase]);
}

static void say_job(struct world *w, unsigned job)
{
	struct text *t = w->t;
	struct choices *c = w->c;
	unsigned pods = 1 + choose(c, w->size->pods);
	unsigned queue = w->inner + choose(c, w->size->leaves), created;
	char name[256];

	if (choose(c, 16) == 0)
		queue = choose(c, w->queues);
	created = choose(c, 30);
	(void)snprintf(name, sizeof name,
		       "\"name\":\"w%u\",\"namespace\":\"ns\",\"creationTimestamp\":"
		       "\"2026-01-01T00:00:%02uZ\",\"annotations\":{"
		       "\"kai.scheduler/last-start-timestamp\":\"2026-01-01T00:00:%02uZ\"}",
		       job, created, choose(c, 30));
	say_object(t, "scheduling.run.ai/v2alpha2", "PodGroup", name);
	say(t, ",\"spec\":{\"queue\":\"q%u\",\"minMember\":%u", queue, 1 + choose(c, pods));
	say(t, "%s",
	    ONE_OF(c, "", ",\"preemptibility\":\"preemptible\"",
		   ",\"preemptibility\":\"non-preemptible\""));
	say(t, ",\"priorityClassName\":\"%s\"}}", ONE_OF(c, "low", "middle", "high"));
	for (unsigned i = 0; i < pods; i++)
		say_pod(w, job, i, queue);
}

static void say_usage(struct world *w)
{
	struct text *t = w->t;
	struct choices *c = w->c;
	if (choose(c, 3) == 0)
		return;
	say_object(t, "fairlead.dev/v1alpha1", "UsageHistory", "\"name\":\"h\"");
	say(t,
	    ",\"spec\":{\"samples\":[{\"from\":\"2026-01-01T00:00:00Z\",\"to\":"
	    "\"2026-01-01T00:00:%02uZ\"",
	    1 + choose(c, 29));
	say(t, ",\"capacity\":{\"gpu\":%u}", choose(c, 16));
	say(t, ",\"queues\":{\"q%u\":", choose(c, w->queues));
	say(t, "{\"gpu\":%u}}}]", choose(c, 8));
	if (choose(c, 3) == 0) {
		say(t, ",\"usage\":{\"q%u\":", choose(c, w->queues));
		say(t, "{\"gpu\":0.%u}}", choose(c, 10));
	}
	say(t, "}}");
}

static void say_other_pod(struct world *w)
{
	say_object(w->t, "v1", "Pod", "\"name\":\"other\",\"namespace\":\"ns\"");
	say(w->t, ",\"spec\":{\"nodeName\":\"m%u\"", choose(w->c, w->size->machines));
	say(w->t, ",\"containers\":[{\"name\":\"c\",\"resources\":{\"requests\":{\"cpu\":\"%u\"}",
	    choose(w->c, 3));
	say(w->t, ",\"limits\":{\"nvidia.com/gpu\":\"%u\"}}}]},\"status\":{\"phase\":\"Running\"}}",
	    choose(w->c, 3));
}

void chosen_entitle(struct text *t, struct choices *c, const struct chosen_entitle *size)
{
	static const char *const classes[] = { "\"name\":\"low\"", "\"name\":\"middle\"",
					       "\"name\":\"high\"" };
	unsigned inner = size->tops + size->middles;
	struct world w = { t, c, size, inner, inner + size->leaves };

	t->n = 0;
	say(t, "{\"apiVersion\":\"v1\",\"kind\":\"List\",\"items\":[");
	for (unsigned i = 0; i < 3; i++) {
		say_object(t, "scheduling.k8s.io/v1", "PriorityClass", classes[i]);
		say(t, ",\"value\":%u}", 50 + 30 * i);
	}
	say_shard(t, c);
	say_policy(&w);
	for (unsigned q = 0; q < w.queues; q++)
		say_queue(&w, q);
	for (unsigned i = 0; i < size->machines; i++)
		say_machine(t, c, i);
	for (unsigned i = 0; i < size->jobs; i++)
		say_job(&w, i);
	say_other_pod(&w);
	say_usage(&w);
	say(t, "]}");
}
