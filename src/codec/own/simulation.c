/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Simulation (fairlead.dev/v1alpha1): settings of a simulation, its jobs, and its changes and
 * failures.
 *
 * There is one at most; a second one may only be laid over it.
 */
#include "codec/own/simulation.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define SETTING(field, type, member) FL_IS(field, type, struct fl_simulation_settings, member)

static bool is_scalar(const struct fl_kube *k, uint32_t v)
{
	return k->doc.values[v].kind == FL_TOKEN_SCALAR;
}

static int read_seed(struct fl_kube *k, uint32_t v, const struct fl_field *f, void *to)
{
	const char *text = fl_doc_text(&k->doc, v);
	uint64_t value;

	(void)f;
	if (!is_scalar(k, v) || k->doc.values[v].type != FL_SCALAR_INT || text[0] == '-')
		return fl_kube_fail(k, v, FAIRLEAD_EINPUT, "expected a whole number of 0 or more");
	errno = 0;
	value = text[0] == '0' && text[1] == 'o' ? strtoull(text + 2, NULL, 8) :
						   strtoull(text, NULL, text[1] == 'x' ? 16 : 10);
	if (errno)
		return fl_kube_fail(k, v, FAIRLEAD_EINPUT, "%.40s does not fit 64 bits", text);
	*(uint64_t *)to = value;
	return 0;
}

static int read_checkpoint(struct fl_kube *k, uint32_t v, const struct fl_field *f, void *to)
{
	fl_time *ret = to;
	const char *text = is_scalar(k, v) ? fl_doc_text(&k->doc, v) : "";
	int r;

	(void)f;
	if (strcmp(text, "never") == 0 || strcmp(text, "always") == 0) {
		*ret = *text == 'n' ? FL_NEVER : 0;
		return 0;
	}
	r = fl_own_length(k, v, ret);
	if (r == FAIRLEAD_EINPUT)
		fl_fail_hint(k->err, "never, always, or a length of time such as 10m");
	return r;
}

#define FL_C_seed uint64_t
#define FL_C_checkpoint fl_time
static const struct fl_type fl_type_seed = {
	.read = read_seed,
	.schema = "\"type\": \"integer\", \"minimum\": 0, \"maximum\": 18446744073709551615",
};
static const struct fl_type fl_type_checkpoint = {
	.read = read_checkpoint,
	.schema = "\"oneOf\": [{ \"enum\": [\"never\", \"always\"] }, { " FL_PERIOD_SCHEMA " }]",
};

static int read_tree(struct fl_kube *k, uint32_t v, void *unused)
{
	struct fl_tree_row row = { .place = fl_kube_place_of(k, v) };
	int r = fl_own_file(k, v, &row.file);

	(void)unused;
	return r < 0 ? r : fl_model_push_trees(k->m, &row, /* ret_id= */ NULL, k->err);
}

static const struct fl_field cycles[] = {
	{ SETTING("interval", length, cycle_interval) },
	{ SETTING("period", length, period) },
	{ .name = NULL },
};

static const struct fl_field back_off[] = {
	{ SETTING("base", length, back_off_base) },
	{ SETTING("max", length, back_off_max) },
	{ .name = NULL },
};

static const struct fl_field eviction[] = {
	{ SETTING("grace", period, grace) },
	{ SETTING("checkpoint", checkpoint, checkpoint) },
	{ SETTING("restart", period, restart) },
	{ .name = "backOff",
	  .fields = back_off,
	  .doc = "An evicted workload is requeued after `base`, which doubles each time up to `max` (default 1h); without it, it is requeued at once." },
	{ .name = NULL },
};

static const struct fl_field report[] = {
	{ SETTING("top", uint32, top), .least = 1, .most = 1000,
	  .doc = "How many queues of one parent reports show singly; default 12." },
	{ .name = NULL },
};

#define LIST(field, table, function, of)                                                           \
	FL_IS_TABLE(field, table, function), .fields = of, .list = true

static const struct fl_field spec[] = {
	{ SETTING("seed", seed, seed), .doc = "Seed of random numbers; default 1." },
	/* the clock of a simulation does not count as the time of an object */
	{ SETTING("start", time_aside, start),
	  .doc = "The time at which it begins; default: the first arrival, else the newest time of the input." },
	{ SETTING("until", length, until),
	  .doc = "Simulated time after which it ends; default: when all workloads have ended." },
	{ FL_IS_TABLE("trees", trees, read_tree), .text = FL_TEXT_NAME,
	  .schema = FL_NOT_EMPTY_SCHEMA,
	  .doc = "Files, folders or patterns of the objects of the cluster, relative to this document." },
	{ LIST("sources", traces, fl_simulation_source, fl_fields_source),
	  .doc = "Files of jobs." },
	{ LIST("queueTemplates", templates, fl_simulation_template, fl_fields_template),
	  .doc = "Specs for queues that rules or classes name and the trees lack." },
	{ LIST("classes", classes, fl_simulation_class, fl_fields_class),
	  .doc = "Synthetic jobs." },
	{ .name = "cycles",
	  .fields = cycles,
	  .doc = "Scheduling cycles are at least `interval` apart (default 100ms), and at most `period` while a workload is pending (default: a cycle only when something has changed)." },
	{ .name = "eviction",
	  .fields = eviction,
	  .doc = "Quota is released `grace` after the eviction is decided (default 30s); work is saved every `checkpoint` (default never); each start after an eviction takes `restart` more." },
	{ LIST("changes", changes, fl_simulation_change, fl_fields_change),
	  .doc = "Numbers that change at a given time." },
	{ LIST("failures", failures, fl_simulation_failure, fl_fields_failure),
	  .doc = "Machines or parts of quotas that fail at random and come back; times are exponential with these means." },
	{ .name = "report", .fields = report },
	{ .name = NULL },
};

static const struct fl_field simulation_fields[] = {
	FL_HEAD,
	{ .name = "spec", .fields = spec },
	{ .name = NULL },
};

static int read_simulation(struct fl_kube *k)
{
	struct fl_simulation_settings *settings = &k->m->simulation;

	if (settings->present && !k->over)
		return fl_own_second(k, "Simulation", settings->place);
	if (!settings->present) {
		if (!k->over) /* a simulator's input counts only without this document */
			*settings = fl_simulation_default;
		settings->place = fl_kube_place_of(k, 0);
		settings->name = k->name;
	}
	settings->present = true;
	return fl_kube_map(k, 0, simulation_fields, settings);
}

const struct fl_kind fl_kind_simulation = { "fairlead.dev",    "Simulation",    false,
					    simulation_fields, read_simulation, FL_TEXT_NAME,
					    "v1alpha1" };
