/* SPDX-License-Identifier: Apache-2.0 */
/*
 * SchedulingShard: the configuration of KAI's scheduler, as far as it changes decisions.
 *
 * Where a field and an argument of a plugin say the same thing, the arguments count, all
 * of them: arguments that are given replace those that the fields would make.
 */
#include <stdio.h>
#include <string.h>

#include "base/cron.h"
#include "base/time.h"
#include "codec/kai/kai.h"

enum { PLUGIN_PROPORTION, PLUGIN_MIN_RUN, PLUGINS };

struct reading {
	struct fl_entitle_settings s;
	bool has_arguments[PLUGINS];
	bool has_k;
	double k; /* of an argument */
	fl_time default_preempt, default_reclaim;
	uint32_t window_at; /* value; FL_NONE */
	bool has_window_start;
};

/* --- numbers --- */

static int read_k_of(struct fl_kube *k, uint32_t v, double *ret)
{
	int r = fl_kube_finite_text(k, v, ret);

	if (r == 0 && *ret < 0) {
		*ret = 0;
		r = fl_kube_notice(k, v, FL_NOTICE_K_BELOW_ZERO, /* hint= */ NULL,
				   "a kValue below 0 counts as 0: history does not count");
	}
	return r;
}

static int read_k(struct fl_kube *k, uint32_t v, void *row)
{
	return read_k_of(k, v, &((struct reading *)row)->s.k);
}

static int read_k_argument(struct fl_kube *k, uint32_t v, void *row)
{
	((struct reading *)row)->has_k = true;
	return read_k_of(k, v, &((struct reading *)row)->k);
}

static int read_multiplier(struct fl_kube *k, uint32_t v, void *row)
{
	double *multiplier = &((struct reading *)row)->s.multiplier;
	int r = fl_kube_finite_text(k, v, multiplier);

	if (r == 0 && *multiplier < 1) {
		*multiplier = 1;
		r = fl_kube_notice(k, v, FL_NOTICE_MULTIPLIER_BELOW_ONE, /* hint= */ NULL,
				   "a multiplier below 1 counts as 1");
	}
	return r;
}

/* The documented spelling. */
static int read_unread_multiplier(struct fl_kube *k, uint32_t v, void *row)
{
	double unused;
	int r = fl_kube_finite_text(k, v, &unused);

	(void)row;
	return r < 0 ? r :
		       fl_kube_notice(k, v, FL_NOTICE_MULTIPLIER_NOT_READ,
				      "write relcaimerSaturationMultiplier, spelled like that",
				      "the real program does not read this name, although its "
				      "documents have it; it does not count");
}

/* "true", true */
static int read_flag(struct fl_kube *k, uint32_t v, bool *ret)
{
	static const char *const names[] = { "false", "true", NULL };
	uint32_t i = 0;
	int r;

	if (k->doc.values[v].kind == FL_TOKEN_SCALAR && k->doc.values[v].type == FL_SCALAR_BOOL)
		return fl_kube_bool(k, v, ret);
	r = fl_kube_enum(k, v, names, &i);
	*ret = i == 1;
	return r;
}

/* --- lengths of time --- */

/* As Go writes them, or as Prometheus does: with days and weeks. */
static int read_long_duration(struct fl_kube *k, uint32_t v, fl_time *ret)
{
	const char *text = fl_doc_text(&k->doc, v);
	size_t digits = strspn(text, "0123456789");
	unsigned long long hours = 0;
	char go[48];

	if (digits == 0 || digits > 6 || (text[digits] != 'd' && text[digits] != 'w') ||
	    text[digits + 1] != '\0')
		return fl_kube_duration(k, v, ret);
	for (size_t i = 0; i < digits; i++)
		hours = hours * 10 + (unsigned long long)(text[i] - '0');
	hours *= text[digits] == 'd' ? 24 : 168;
	(void)snprintf(go, sizeof go, "%lluh", hours);
	if (fl_duration_parse(go, strlen(go), ret, k->err) < 0)
		return fl_kube_blame(k, v);
	return 0;
}

static int read_half_life(struct fl_kube *k, uint32_t v, void *row)
{
	return read_long_duration(k, v, &((struct reading *)row)->s.half_life);
}

static int read_window(struct fl_kube *k, uint32_t v, void *row)
{
	struct reading *c = row;
	int r = read_long_duration(k, v, &c->s.window);

	c->window_at = v;
	if (r == 0 && c->s.window == 0)
		return fl_kube_fail(k, v, FAIRLEAD_EINPUT, "a window of no length");
	return r;
}

static int read_fetch(struct fl_kube *k, uint32_t v, void *row)
{
	return read_long_duration(k, v, &((struct reading *)row)->s.fetch_interval);
}

static int read_staleness(struct fl_kube *k, uint32_t v, void *row)
{
	return read_long_duration(k, v, &((struct reading *)row)->s.staleness);
}

static int read_resolution(struct fl_kube *k, uint32_t v, void *row)
{
	return read_long_duration(k, v, &((struct reading *)row)->s.resolution);
}

/* --- usage --- */

static int read_window_type(struct fl_kube *k, uint32_t v, void *row)
{
	static const char *const names[] = { "sliding", "tumbling", "cron", NULL };
	uint32_t i = 0;
	int r = fl_kube_enum(k, v, names, &i);

	((struct reading *)row)->s.window_kind = (enum fl_window_kind)i;
	if (r < 0 || i == FL_WINDOW_SLIDING)
		return r;
	return fl_kube_notice(k, v, FL_NOTICE_WINDOW_FAILS, /* hint= */ NULL,
			      "'%s' windows fail in the real program, which then has no usage; "
			      "here they work",
			      names[i]);
}

static int read_window_start(struct fl_kube *k, uint32_t v, void *row)
{
	struct reading *c = row;

	c->has_window_start = true;
	return fl_kube_time(k, v, &c->s.window_start);
}

int fl_kube_cron(struct fl_kube *k, uint32_t v, struct fl_sym *ret)
{
	struct fl_cron unused;
	int r = fl_kube_text(k, v, ret);

	if (r == 0 &&
	    fl_cron_parse(fl_doc_text(&k->doc, v), k->doc.values[v].len, &unused, k->err) < 0)
		return fl_kube_blame(k, v);
	return r;
}

static int read_cron(struct fl_kube *k, uint32_t v, void *row)
{
	struct fl_sym text;
	int r = fl_kube_text(k, v, &text);

	if (r < 0 || k->doc.values[v].len == 0) /* as left out */
		return r;
	return fl_kube_cron(k, v, &((struct reading *)row)->s.cron);
}

static const struct fl_field extra_params[] = {
	{ .name = "queryResolution", .read = read_resolution },
	FL_IGNORED("cpuAllocationMetric"),
	FL_IGNORED("cpuCapacityMetric"),
	FL_IGNORED("gpuAllocationMetric"),
	FL_IGNORED("gpuCapacityMetric"),
	FL_IGNORED("memoryAllocationMetric"),
	FL_IGNORED("memoryCapacityMetric"),
	FL_IGNORED("usageQueryTimeout"),
	{ .name = NULL },
};

static const struct fl_field usage_params[] = {
	{ .name = "halfLifePeriod", .read = read_half_life },
	{ .name = "windowSize", .read = read_window },
	{ .name = "windowType", .read = read_window_type },
	{ .name = "tumblingWindowStartTime", .read = read_window_start },
	{ .name = "cronString", .read = read_cron },
	{ .name = "fetchInterval", .read = read_fetch },
	{ .name = "stalenessPeriod", .read = read_staleness },
	{ .name = "extraParams", .fields = extra_params },
	FL_IGNORED("waitTimeout"),
	{ .name = NULL },
};

static int read_usage_params(struct fl_kube *k, uint32_t v, void *row)
{
	struct reading *c = row;
	int r = fl_kube_map(k, v, usage_params, row);

	if (r < 0)
		return r;
	if (c->s.window_kind == FL_WINDOW_TUMBLING && !c->has_window_start)
		return fl_kube_fail(k, v, FAIRLEAD_EINPUT,
				    "tumbling windows need a tumblingWindowStartTime");
	if (c->s.window_kind == FL_WINDOW_CRON && c->s.cron.v == 0)
		return fl_kube_fail(k, v, FAIRLEAD_EINPUT, "cron windows need a cronString");
	if (c->s.staleness < c->s.fetch_interval)
		c->s.staleness = c->s.fetch_interval;
	if (c->s.window_kind != FL_WINDOW_CRON && c->s.window < c->s.fetch_interval)
		return fl_kube_notice(k, c->window_at == FL_NONE ? v : c->window_at,
				      FL_NOTICE_SHORT_WINDOW, /* hint= */ NULL,
				      "the window is shorter than fetchInterval: the real program "
				      "may look at it when it is over");
	return 0;
}

static const struct fl_field usage_db[] = {
	FL_IGNORED("clientType"),
	FL_IGNORED("connectionString"),
	FL_IGNORED("connectionStringEnvVar"),
	{ .name = "usageParams", .read = read_usage_params, .fields = usage_params },
	{ .name = NULL },
};

static int read_usage_db(struct fl_kube *k, uint32_t v, void *row)
{
	((struct reading *)row)->s.usage_on = true;
	return fl_kube_map(k, v, usage_db, row);
}

/* --- arguments --- */

static int read_consolidating(struct fl_kube *k, uint32_t v, void *row)
{
	return read_flag(k, v, &((struct reading *)row)->s.consolidating_reclaim);
}

/* Below 0 is for ever. */
static int read_grace(struct fl_kube *k, uint32_t v, void *row)
{
	const char *text = fl_doc_text(&k->doc, v);
	struct reading *c = row;

	if (*text != '-' || k->doc.values[v].kind != FL_TOKEN_SCALAR)
		return fl_kube_duration(k, v, &c->s.stale_grace);
	if (fl_duration_parse(text + 1, k->doc.values[v].len - 1, &c->s.stale_grace, k->err) < 0)
		return fl_kube_blame(k, v);
	c->s.stale_grace = FL_NEVER;
	return 0;
}

/* Flags of the scheduler that change nothing here may be there as well. */
static const struct fl_field args[] = {
	{ .name = "allow-consolidating-reclaim", .read = read_consolidating },
	{ .name = "default-staleness-grace-period", .read = read_grace },
	FL_NOTED("full-hierarchy-fairness", "shares go through the whole tree"),
	FL_NOTED("max-consolidation-preemptees", "as many move as it takes"),
	FL_NOTED("use-scheduling-signatures", "each workload is tried"),
	{ .name = NULL },
};

static int read_args(struct fl_kube *k, uint32_t v, void *row)
{
	return fl_kube_some(k, v, args, row);
}

/* --- placement, depth, minimum runtime --- */

static int read_strategy(struct fl_kube *k, uint32_t v, bool *spread)
{
	static const char *const names[] = { "binpack", "spread", NULL };
	uint32_t i = 0;
	int r = fl_kube_enum(k, v, names, &i);

	*spread = i == 1;
	return r;
}

static int read_gpu_strategy(struct fl_kube *k, uint32_t v, void *row)
{
	return read_strategy(k, v, &((struct reading *)row)->s.spread_gpu);
}

static int read_cpu_strategy(struct fl_kube *k, uint32_t v, void *row)
{
	return read_strategy(k, v, &((struct reading *)row)->s.spread_cpu);
}

static const struct fl_field placement[] = {
	{ .name = "gpu", .read = read_gpu_strategy },
	{ .name = "cpu", .read = read_cpu_strategy },
	{ .name = NULL },
};

static int read_preempt_min_run(struct fl_kube *k, uint32_t v, void *row)
{
	return fl_kube_duration(k, v, &((struct reading *)row)->s.default_preempt_min_run);
}

static int read_reclaim_min_run(struct fl_kube *k, uint32_t v, void *row)
{
	return fl_kube_duration(k, v, &((struct reading *)row)->s.default_reclaim_min_run);
}

static const struct fl_field min_run[] = {
	{ .name = "preemptMinRuntime", .read = read_preempt_min_run },
	{ .name = "reclaimMinRuntime", .read = read_reclaim_min_run },
	{ .name = NULL },
};

/* One handler an action, for what is said of it by name. */
#define ACTION(suffix, action)                                                                     \
	static int read_depth_##suffix(struct fl_kube *k, uint32_t v, void *row)                   \
	{                                                                                          \
		int32_t n = 0;                                                                     \
		int r = fl_kube_count(k, v, &n);                                                   \
                                                                                                   \
		((struct reading *)row)->s.queue_depth[action] = (uint32_t)n;                      \
		return r;                                                                          \
	}                                                                                          \
	static int read_on_##suffix(struct fl_kube *k, uint32_t v, void *row)                      \
	{                                                                                          \
		return fl_kube_bool(k, v, &((struct reading *)row)->s.actions[action]);            \
	}                                                                                          \
	static const struct fl_field action_##suffix[] = {                                         \
		{ .name = "enabled", .read = read_on_##suffix },                                   \
		FL_NOTED("priority", "actions go in their usual order"),                           \
		{ .name = NULL },                                                                  \
	};

ACTION(allocate, FL_ACTION_ALLOCATE)
ACTION(consolidation, FL_ACTION_CONSOLIDATION)
ACTION(reclaim, FL_ACTION_RECLAIM)
ACTION(preempt, FL_ACTION_PREEMPT)
ACTION(stale, FL_ACTION_STALE_GANG)

static const struct fl_field depths[] = {
	{ .name = "allocate", .read = read_depth_allocate },
	{ .name = "consolidation", .read = read_depth_consolidation },
	{ .name = "reclaim", .read = read_depth_reclaim },
	{ .name = "preempt", .read = read_depth_preempt },
	{ .name = "stalegangeviction", .read = read_depth_stale },
	{ .name = NULL },
};

static const struct fl_field actions[] = {
	{ .name = "allocate", .fields = action_allocate },
	{ .name = "consolidation", .fields = action_consolidation },
	{ .name = "reclaim", .fields = action_reclaim },
	{ .name = "preempt", .fields = action_preempt },
	{ .name = "stalegangeviction", .fields = action_stale },
	{ .name = NULL },
};

/* --- plugins --- */

static int read_enabled(struct fl_kube *k, uint32_t v, void *row)
{
	bool on = true;
	int r = fl_kube_bool(k, v, &on);

	(void)row;
	if (r < 0 || on)
		return r;
	return fl_kube_notice(k, v, FL_NOTICE_IGNORED_FIELD, /* hint= */ NULL,
			      "'enabled: false' is ignored: the plugin's rules hold here");
}

#define PLUGIN_SWITCHES                                                                            \
	{ .name = "enabled", .read = read_enabled },                                               \
		FL_NOTED("priority", "plugins go in their usual order")

static const struct fl_field proportion_arguments[] = {
	{ .name = "kValue", .read = read_k_argument },
	{ .name = "reclaimerUtilizationMultiplier", .read = read_unread_multiplier },
	{ .name = "relcaimerSaturationMultiplier", .read = read_multiplier },
	{ .name = NULL },
};

static int read_proportion_arguments(struct fl_kube *k, uint32_t v, void *row)
{
	((struct reading *)row)->has_arguments[PLUGIN_PROPORTION] = true;
	return fl_kube_map(k, v, proportion_arguments, row);
}

static const struct fl_field proportion[] = {
	PLUGIN_SWITCHES,
	{ .name = "arguments", .read = read_proportion_arguments, .fields = proportion_arguments },
	{ .name = NULL },
};

static int read_default_preempt(struct fl_kube *k, uint32_t v, void *row)
{
	return fl_kube_duration(k, v, &((struct reading *)row)->default_preempt);
}

static int read_default_reclaim(struct fl_kube *k, uint32_t v, void *row)
{
	return fl_kube_duration(k, v, &((struct reading *)row)->default_reclaim);
}

static int read_method(struct fl_kube *k, uint32_t v, void *row)
{
	static const char *const names[] = { "lca", "queue", NULL };
	uint32_t i = 0;
	int r = fl_kube_enum(k, v, names, &i);

	((struct reading *)row)->s.min_run_method = i == 1 ? FL_MIN_RUN_QUEUE : FL_MIN_RUN_LCA;
	return r;
}

static const struct fl_field min_run_arguments[] = {
	{ .name = "defaultPreemptMinRuntime", .read = read_default_preempt },
	{ .name = "defaultReclaimMinRuntime", .read = read_default_reclaim },
	{ .name = "reclaimResolveMethod", .read = read_method },
	{ .name = NULL },
};

static int read_min_run_arguments(struct fl_kube *k, uint32_t v, void *row)
{
	((struct reading *)row)->has_arguments[PLUGIN_MIN_RUN] = true;
	return fl_kube_map(k, v, min_run_arguments, row);
}

static const struct fl_field min_run_plugin[] = {
	PLUGIN_SWITCHES,
	{ .name = "arguments", .read = read_min_run_arguments, .fields = min_run_arguments },
	{ .name = NULL },
};

/* Whose arguments change nothing here, or nothing that is known. */
static const struct fl_field other_plugin[] = {
	PLUGIN_SWITCHES,
	FL_NOTED("arguments", "what this plugin can be told does not count"),
	{ .name = NULL },
};

#define OTHER(plugin)                                                                              \
	{                                                                                          \
		.name = plugin, .fields = other_plugin                                             \
	}

static const struct fl_field plugins[] = {
	{ .name = "proportion", .fields = proportion },
	{ .name = "minruntime", .fields = min_run_plugin },
	OTHER("dynamicresources"),
	OTHER("elastic"),
	OTHER("gpupack"),
	OTHER("gpusharingorder"),
	OTHER("gpuspread"),
	OTHER("kubeflow"),
	OTHER("nodeavailability"),
	OTHER("nodeplacement"),
	OTHER("nominatednode"),
	OTHER("podaffinity"),
	OTHER("predicates"),
	OTHER("priority"),
	OTHER("ray"),
	OTHER("resourcetype"),
	OTHER("snapshot"),
	OTHER("subgrouporder"),
	OTHER("taskorder"),
	OTHER("topology"),
	{ .name = NULL },
};

/* --- the whole --- */

static const struct fl_field spec[] = {
	{ .name = "args", .read = read_args, .fields = args },
	{ .name = "placementStrategy", .fields = placement },
	FL_NOTED("partitionLabelValue", "all queues, pods and nodes of the input count"),
	{ .name = "queueDepthPerAction", .fields = depths },
	{ .name = "minRuntime", .fields = min_run },
	{ .name = "kValue", .read = read_k },
	{ .name = "usageDBConfig", .read = read_usage_db, .fields = usage_db },
	{ .name = "plugins", .fields = plugins },
	{ .name = "actions", .fields = actions },
	{ .name = NULL },
};

static const struct fl_field shard_fields[] = {
	FL_HEAD,
	{ .name = "spec", .fields = spec },
	FL_IGNORED("status"),
	{ .name = NULL },
};

/* Arguments that are given replace all that the fields say. */
static void apply_arguments(struct reading *c)
{
	if (c->has_arguments[PLUGIN_PROPORTION])
		c->s.k = c->has_k ? c->k : fl_entitle_settings_default.k;
	if (c->has_arguments[PLUGIN_MIN_RUN]) {
		c->s.default_preempt_min_run = c->default_preempt;
		c->s.default_reclaim_min_run = c->default_reclaim;
	}
}

static int read_shard(struct fl_kube *k)
{
	struct fl_entitle_settings *old = &k->m->entitle;
	struct reading c = { .s = *old, .window_at = FL_NONE };
	int r;

	if (old->present) {
		fl_kube_fail(k, 0, FAIRLEAD_EINPUT, "a second SchedulingShard");
		fl_fail_hint(k->err,
			     "give the objects of one shard at a time; the first is at "
			     "%.200s:%u:%u",
			     fl_model_text(k->m, k->m->inputs[old->place.file]), old->place.line,
			     old->place.column);
		return FAIRLEAD_EINPUT;
	}
	r = fl_kube_map(k, 0, shard_fields, &c);
	if (r < 0)
		return r;
	apply_arguments(&c);
	c.s.present = true;
	c.s.place = fl_kube_place(k, 0);
	*old = c.s;
	return 0;
}

const struct fl_kind fl_kind_shard = { "kai.scheduler", "SchedulingShard", false, shard_fields,
				       read_shard,      FL_TEXT_NAME,      "v1" };
