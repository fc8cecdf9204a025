/* SPDX-License-Identifier: Apache-2.0 */
/*
 * SchedulingShard: the configuration of KAI's scheduler, as far as it changes decisions.
 *
 * Where a field and an argument of a plugin set the same thing, the arguments count: given
 * arguments replace all those that the fields would make.
 */
#include <stdio.h>
#include <string.h>

#include "base/cron.h"
#include "base/time.h"
#include "codec/kai/kai.h"

enum { PLUGIN_PROPORTION, PLUGIN_MIN_RUN, PLUGINS };

struct reading {
	struct fl_entitle_settings s;
	struct fl_documented_multiplier documented;
	bool has_arguments[PLUGINS];
	bool has_k;
	double k; /* key of an argument */
	fl_time default_preempt, default_reclaim;
	uint32_t window_at; /* value; FL_NONE */
	bool has_window_start;
};

/* --- numbers --- */

static int read_k(struct fl_kube *k, uint32_t v, const struct fl_field *f, void *to)
{
	double *ret = to;
	int r = fl_kube_finite_text(k, v, ret);

	(void)f;
	if (r == 0 && *ret < 0) {
		*ret = 0;
		r = fl_kube_notice(k, v, FL_NOTICE_K_BELOW_ZERO, /* hint= */ NULL,
				   "a kValue below 0 counts as 0: history does not count");
	}
	return r;
}

static int read_multiplier(struct fl_kube *k, uint32_t v, const struct fl_field *f, void *to)
{
	double *multiplier = to;
	int r = fl_kube_finite_text(k, v, multiplier);

	(void)f;
	if (r == 0 && *multiplier < 1) {
		*multiplier = 1;
		r = fl_kube_notice(k, v, FL_NOTICE_MULTIPLIER_BELOW_ONE, /* hint= */ NULL,
				   "a multiplier below 1 counts as 1");
	}
	return r;
}

/* The documented spelling: seal says what becomes of it, since a Policy may follow. */
static int read_documented(struct fl_kube *k, uint32_t v, void *row)
{
	struct reading *c = row;
	char path[256], subject[sizeof k->subject + sizeof path + 1];
	int len, r = fl_kube_finite_text(k, v, &c->documented.value);

	if (r < 0)
		return r;
	len = snprintf(subject, sizeof subject, "%s %s", k->subject,
		       fl_doc_path(&k->doc, v, path, sizeof path));
	c->documented.place = fl_kube_place_of(k, v);
	return fl_model_sym(k->m, subject, (size_t)len, &c->documented.subject, k->err);
}

/* "true", true */
static int read_switch(struct fl_kube *k, uint32_t v, const struct fl_field *f, void *to)
{
	static const char *const names[] = { "false", "true", NULL };
	uint32_t i = 0;
	int r;

	(void)f;
	if (k->doc.values[v].kind == FL_TOKEN_SCALAR && k->doc.values[v].type == FL_SCALAR_BOOL)
		return fl_kube_bool(k, v, to);
	r = fl_kube_enum(k, v, names, &i);
	*(bool *)to = i == 1;
	return r;
}

/* --- durations --- */

/* As Go writes them, or as Prometheus does, with days and weeks. */
static int read_long(struct fl_kube *k, uint32_t v, const struct fl_field *f, void *to)
{
	const char *text = fl_doc_text(&k->doc, v);
	size_t digits = strspn(text, "0123456789");
	unsigned long long hours = 0;
	char go[48];

	(void)f;
	if (digits == 0 || digits > 6 || (text[digits] != 'd' && text[digits] != 'w') ||
	    text[digits + 1] != '\0')
		return fl_kube_duration(k, v, to);
	for (size_t i = 0; i < digits; i++)
		hours = hours * 10 + (unsigned long long)(text[i] - '0');
	hours *= text[digits] == 'd' ? 24 : 168;
	(void)snprintf(go, sizeof go, "%lluh", hours);
	if (fl_duration_parse(go, strlen(go), to, k->err) < 0)
		return fl_kube_blame(k, v);
	return 0;
}

static int read_window(struct fl_kube *k, uint32_t v, void *row)
{
	struct reading *c = row;
	int r = read_long(k, v, /* f= */ NULL, &c->s.window);

	c->window_at = v;
	if (r == 0 && c->s.window == 0)
		return fl_kube_fail(k, v, FAIRLEAD_EINPUT, "a window must be longer than 0");
	return r;
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
			      "'%s' windows fail in KAI, which then has no usage; "
			      "here they work",
			      names[i]);
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

static int read_cron(struct fl_kube *k, uint32_t v, const struct fl_field *f, void *to)
{
	struct fl_sym text;
	int r = fl_kube_text(k, v, &text);

	(void)f;
	if (r < 0 || k->doc.values[v].len == 0) /* as left out */
		return r;
	return fl_kube_cron(k, v, to);
}

#define FL_C_k double
#define FL_C_multiplier double
#define FL_C_switch bool
#define FL_C_long fl_time
#define FL_C_cron struct fl_sym
static const struct fl_type fl_type_k = { .read = read_k };
static const struct fl_type fl_type_multiplier = { .read = read_multiplier };
static const struct fl_type fl_type_switch = { .read = read_switch };
static const struct fl_type fl_type_long = { .read = read_long };
static const struct fl_type fl_type_cron = { .read = read_cron };

#define SHARD(field, type, member) FL_IS(field, type, struct reading, member)

static const struct fl_field extra_params[] = {
	{ SHARD("queryResolution", long, s.resolution) },
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
	{ SHARD("halfLifePeriod", long, s.half_life) },
	{ .name = "windowSize", .read = read_window },
	{ .name = "windowType", .read = read_window_type },
	{ SHARD("tumblingWindowStartTime", time, s.window_start),
	  FL_SAID(struct reading, has_window_start) },
	{ SHARD("cronString", cron, s.cron) },
	{ SHARD("fetchInterval", long, s.fetch_interval) },
	{ SHARD("stalenessPeriod", long, s.staleness) },
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
				      "the window is shorter than fetchInterval: KAI "
				      "may read it when it has ended");
	return 0;
}

static const struct fl_field usage_db[] = {
	FL_RECORDED("clientType", .text = FL_TEXT_WORD),
	FL_IGNORED("connectionString"),
	FL_IGNORED("connectionStringEnvVar"),
	{ .name = "usageParams", .read = read_usage_params, .fields = usage_params },
	{ .name = NULL },
};

/* --- arguments --- */

/* Below 0 means for ever. */
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

/* Flags of the scheduler that have no effect here may be given as well. */
static const struct fl_field args[] = {
	{ SHARD("allow-consolidating-reclaim", switch, s.consolidating_reclaim) },
	{ .name = "default-staleness-grace-period", .read = read_grace },
	FL_NOTED("full-hierarchy-fairness", "shares are computed for the whole tree"),
	FL_NOTED("max-consolidation-preemptees", "as many as needed are moved"),
	FL_NOTED("use-scheduling-signatures", "each workload is tried"),
	{ .name = NULL },
};

/* --- placement, depth, minimum runtime --- */

#define STRATEGY(field, member)                                                                    \
	{                                                                                          \
		FL_IS_EITHER(field, struct reading, member, "binpack", "spread")                   \
	}

static const struct fl_field placement[] = {
	STRATEGY("gpu", s.spread_gpu),
	STRATEGY("cpu", s.spread_cpu),
	{ .name = NULL },
};

static const struct fl_field min_run[] = {
	{ SHARD("preemptMinRuntime", duration, s.default_preempt_min_run) },
	{ SHARD("reclaimMinRuntime", duration, s.default_reclaim_min_run) },
	{ .name = NULL },
};

/* A number of jobs: not negative, and kept as such. */
static int read_depth(struct fl_kube *k, uint32_t v, const struct fl_field *f, void *to)
{
	int32_t n = 0;
	int r = fl_kube_count(k, v, &n);

	(void)f;
	*(uint32_t *)to = (uint32_t)n;
	return r;
}

#define FL_C_depth uint32_t
static const struct fl_type fl_type_depth = { .read = read_depth };

static const struct fl_field depths[] = {
	{ SHARD("allocate", depth, s.queue_depth[FL_ACTION_ALLOCATE]) },
	{ SHARD("consolidation", depth, s.queue_depth[FL_ACTION_CONSOLIDATION]) },
	{ SHARD("reclaim", depth, s.queue_depth[FL_ACTION_RECLAIM]) },
	{ SHARD("preempt", depth, s.queue_depth[FL_ACTION_PREEMPT]) },
	{ SHARD("stalegangeviction", depth, s.queue_depth[FL_ACTION_STALE_GANG]) },
	{ .name = NULL },
};

/* Row: the bool of one action. */
struct action {
	bool on;
};

static const struct fl_field action[] = {
	{ FL_IS("enabled", flag, struct action, on) },
	FL_NOTED("priority", "actions run in their usual order"),
	{ .name = NULL },
};

#define ACTION(field, which)                                                                       \
	{                                                                                          \
		.name = field, .fields = action,                                                   \
		.offset = FL_MEMBER(struct reading, s.actions[which], bool)                        \
	}

static const struct fl_field actions[] = {
	ACTION("allocate", FL_ACTION_ALLOCATE),
	ACTION("consolidation", FL_ACTION_CONSOLIDATION),
	ACTION("reclaim", FL_ACTION_RECLAIM),
	ACTION("preempt", FL_ACTION_PREEMPT),
	ACTION("stalegangeviction", FL_ACTION_STALE_GANG),
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
			      "'enabled: false' is ignored: the plugin's rules apply here");
}

#define PLUGIN_SWITCHES                                                                            \
	{ .name = "enabled", .read = read_enabled },                                               \
		FL_NOTED("priority", "plugins run in their usual order")

static const struct fl_field proportion_arguments[] = {
	{ SHARD("kValue", k, k), FL_SAID(struct reading, has_k) },
	{ .name = "reclaimerUtilizationMultiplier", .read = read_documented },
	{ SHARD("relcaimerSaturationMultiplier", multiplier, s.multiplier) },
	{ .name = NULL },
};

#define ARGUMENTS(plugin, table)                                                                   \
	{                                                                                          \
		.name = "arguments", FL_SAID(struct reading, has_arguments[plugin]),               \
		.fields = table                                                                    \
	}

static const struct fl_field proportion[] = {
	PLUGIN_SWITCHES,
	ARGUMENTS(PLUGIN_PROPORTION, proportion_arguments),
	{ .name = NULL },
};

static int read_method(struct fl_kube *k, uint32_t v, void *row)
{
	static const char *const names[] = { "lca", "queue", NULL };
	uint32_t i = 0;
	int r = fl_kube_enum(k, v, names, &i);

	((struct reading *)row)->s.min_run_method = i == 1 ? FL_MIN_RUN_QUEUE : FL_MIN_RUN_LCA;
	return r;
}

static const struct fl_field min_run_arguments[] = {
	{ SHARD("defaultPreemptMinRuntime", duration, default_preempt) },
	{ SHARD("defaultReclaimMinRuntime", duration, default_reclaim) },
	{ .name = "reclaimResolveMethod", .read = read_method },
	{ .name = NULL },
};

static const struct fl_field min_run_plugin[] = {
	PLUGIN_SWITCHES,
	ARGUMENTS(PLUGIN_MIN_RUN, min_run_arguments),
	{ .name = NULL },
};

/* Plugins whose arguments have no effect here, or no known effect. */
static const struct fl_field other_plugin[] = {
	PLUGIN_SWITCHES,
	FL_NOTED("arguments", "the arguments of this plugin have no effect"),
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
	{ .name = "args", .type = &fl_type_some, .fields = args },
	{ .name = "placementStrategy", .fields = placement },
	FL_NOTED("partitionLabelValue", "all queues, pods and nodes of the input count"),
	{ .name = "queueDepthPerAction", .fields = depths },
	{ .name = "minRuntime", .fields = min_run },
	{ SHARD("kValue", k, s.k) },
	{ .name = "usageDBConfig", FL_SAID(struct reading, s.usage_on), .fields = usage_db },
	{ .name = "plugins", .fields = plugins },
	FL_NOTED("pluginArguments", "KAI's API has no such field, although its documents name it; "
				    "write plugins.proportion.arguments"),
	{ .name = "actions", .fields = actions },
	{ .name = NULL },
};

static const struct fl_field shard_fields[] = {
	FL_HEAD,
	{ .name = "spec", .fields = spec },
	FL_IGNORED("status"),
	{ .name = NULL },
};

/* Given arguments replace all that the fields would set. */
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
	c.s.place = fl_kube_place_of(k, 0);
	*old = c.s;
	k->m->documented = c.documented;
	return 0;
}

const struct fl_kind fl_kind_shard = { "kai.scheduler", "SchedulingShard", false, shard_fields,
				       read_shard,      FL_TEXT_NAME,      "v1" };
