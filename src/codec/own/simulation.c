/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Simulation (fairlead.dev/v1alpha1): how a simulation runs, what it is made of, and what
 * happens in it.
 *
 * There is one at most; a second one may only be laid over it.  doc/schema/simulation.schema.json.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/time.h"
#include "codec/own/simulation_parts.h"

int fl_simulation_each(struct fl_kube *k, uint32_t v, int (*item)(struct fl_kube *k, uint32_t item))
{
	uint32_t end = 0;
	int r = fl_kube_list(k, v, &end);

	for (uint32_t i = v + 1; r == 0 && i < end; i = fl_kube_next(k, i))
		r = item(k, i);
	return r;
}

static bool is_scalar(const struct fl_kube *k, uint32_t v)
{
	return k->doc.values[v].kind == FL_TOKEN_SCALAR;
}

/* --- settings --- */

#define PERIOD(function, member)                                                                   \
	static int function(struct fl_kube *k, uint32_t v, void *row)                              \
	{                                                                                          \
		return fl_own_period(k, v, &((struct fl_simulation_settings *)row)->member);       \
	}

#define LENGTH(function, member)                                                                   \
	static int function(struct fl_kube *k, uint32_t v, void *row)                              \
	{                                                                                          \
		return fl_own_length(k, v, &((struct fl_simulation_settings *)row)->member);       \
	}

LENGTH(read_until, until)
LENGTH(read_interval, cycle_interval)
LENGTH(read_period, period)
PERIOD(read_grace, grace)
PERIOD(read_restart, restart)
LENGTH(read_base, back_off_base)
LENGTH(read_max, back_off_max)

static int read_seed(struct fl_kube *k, uint32_t v, void *row)
{
	const char *text = fl_doc_text(&k->doc, v);
	uint64_t value;

	if (!is_scalar(k, v) || k->doc.values[v].type != FL_SCALAR_INT || text[0] == '-')
		return fl_kube_fail(k, v, FAIRLEAD_EINPUT, "expected a whole number of 0 or more");
	errno = 0;
	value = text[0] == '0' && text[1] == 'o' ? strtoull(text + 2, NULL, 8) :
						   strtoull(text, NULL, text[1] == 'x' ? 16 : 10);
	if (errno)
		return fl_kube_fail(k, v, FAIRLEAD_EINPUT, "%.40s does not fit 64 bits", text);
	((struct fl_simulation_settings *)row)->seed = value;
	return 0;
}

/* The clock of a simulation is no time of an object. */
static int read_start(struct fl_kube *k, uint32_t v, void *row)
{
	fl_time newest = k->m->newest;
	int r = fl_kube_time(k, v, &((struct fl_simulation_settings *)row)->start);

	k->m->newest = newest;
	return r;
}

static int read_checkpoint(struct fl_kube *k, uint32_t v, void *row)
{
	fl_time *ret = &((struct fl_simulation_settings *)row)->checkpoint;
	const char *text = is_scalar(k, v) ? fl_doc_text(&k->doc, v) : "";
	int r;

	if (strcmp(text, "never") == 0 || strcmp(text, "always") == 0) {
		*ret = *text == 'n' ? FL_NEVER : 0;
		return 0;
	}
	r = fl_own_length(k, v, ret);
	if (r == FAIRLEAD_EINPUT)
		fl_fail_hint(k->err, "never, always, or a length of time such as 10m");
	return r;
}

static int read_top(struct fl_kube *k, uint32_t v, void *row)
{
	int32_t top = 0;
	int r = fl_kube_int32(k, v, &top);

	if (r == 0 && (top < 1 || top > 1000))
		return fl_kube_fail(k, v, FAIRLEAD_EINPUT, "expected a number from 1 to 1000");
	((struct fl_simulation_settings *)row)->top = (uint32_t)top;
	return r;
}

static int read_tree(struct fl_kube *k, uint32_t v)
{
	struct fl_tree_row row = { .place = fl_kube_place(k, v) };
	int r = fl_kube_text(k, v, &row.file);

	if (r == 0 && k->doc.values[v].len == 0)
		return fl_kube_fail(k, v, FAIRLEAD_EINPUT, "expected the name of a file");
	return r < 0 ? r : fl_model_push_trees(k->m, &row, /* ret_id= */ NULL, k->err);
}

static int read_trees(struct fl_kube *k, uint32_t v, void *row)
{
	(void)row;
	k->m->n_trees = 0;
	return fl_simulation_each(k, v, read_tree);
}

static const struct fl_field cycles[] = {
	{ .name = "interval", .read = read_interval },
	{ .name = "period", .read = read_period },
	{ .name = NULL },
};

static const struct fl_field back_off[] = {
	{ .name = "base", .read = read_base },
	{ .name = "max", .read = read_max },
	{ .name = NULL },
};

static const struct fl_field eviction[] = {
	{ .name = "grace", .read = read_grace },
	{ .name = "checkpoint", .read = read_checkpoint },
	{ .name = "restart", .read = read_restart },
	{ .name = "backOff", .fields = back_off },
	{ .name = NULL },
};

static const struct fl_field report[] = {
	{ .name = "top", .read = read_top },
	{ .name = NULL },
};

static const struct fl_field spec[] = {
	{ .name = "seed", .read = read_seed },
	{ .name = "start", .read = read_start },
	{ .name = "until", .read = read_until },
	{ .name = "trees", .read = read_trees, .text = FL_TEXT_NAME },
	{ .name = "sources",
	  .read = fl_simulation_sources,
	  .fields = fl_fields_source,
	  .list = true },
	{ .name = "queueTemplates",
	  .read = fl_simulation_templates,
	  .fields = fl_fields_template,
	  .list = true },
	{ .name = "classes",
	  .read = fl_simulation_classes,
	  .fields = fl_fields_class,
	  .list = true },
	{ .name = "cycles", .fields = cycles },
	{ .name = "eviction", .fields = eviction },
	{ .name = "changes",
	  .read = fl_simulation_changes,
	  .fields = fl_fields_change,
	  .list = true },
	{ .name = "failures",
	  .read = fl_simulation_failures,
	  .fields = fl_fields_failure,
	  .list = true },
	{ .name = "report", .fields = report },
	{ .name = NULL },
};

static const struct fl_field simulation_fields[] = {
	FL_HEAD,
	{ .name = "spec", .fields = spec },
	{ .name = NULL },
};

static int refuse_second(struct fl_kube *k)
{
	const struct fl_place first = k->m->simulation.place;

	fl_kube_fail(k, 0, FAIRLEAD_EINPUT, "a second Simulation");
	fl_fail_hint(k->err, "the first is at %.200s:%u:%u",
		     fl_model_text(k->m, k->m->inputs[first.file]), first.line, first.column);
	return FAIRLEAD_EINPUT;
}

static int read_simulation(struct fl_kube *k)
{
	struct fl_simulation_settings *settings = &k->m->simulation;

	if (settings->present && !k->over)
		return refuse_second(k);
	if (!settings->present) {
		if (!k->over) /* what a simulator's input has set counts where there is none */
			*settings = fl_simulation_default;
		settings->place = fl_kube_place(k, 0);
		settings->name = k->name;
	}
	settings->present = true;
	return fl_kube_map(k, 0, simulation_fields, settings);
}

const struct fl_kind fl_kind_simulation = { "fairlead.dev",    "Simulation",    false,
					    simulation_fields, read_simulation, FL_TEXT_NAME,
					    "v1alpha1" };
