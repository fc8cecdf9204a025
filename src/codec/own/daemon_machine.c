/* SPDX-License-Identifier: Apache-2.0 */
/* .spec.machine of a Daemon: the capacity to share, in flavors. */
#include <string.h>

#include "base/limits.h"
#include "codec/own/daemon.h"
#include "record/job.h"

enum { MAX_DEVICE = 1 << 16 };

/* --- amounts --- */

/* "auto" is the detected amount. */
static int read_amount(struct fl_kube *k, uint32_t v, const char *resource, bool found,
		       fl_amount *ret)
{
	int r;

	if (found && k->doc.values[v].kind == FL_TOKEN_SCALAR &&
	    strcmp(fl_doc_text(&k->doc, v), "auto") == 0) {
		*ret = FL_NO_LIMIT;
		return 0;
	}
	r = fl_kube_quantity(k, v, resource, ret);
	if (r == FAIRLEAD_EINPUT && found)
		fl_fail_hint(k->err, "an amount, or auto for the detected amount");
	if (r == 0 && *ret == FL_UNLIMITED)
		return fl_kube_fail(k, v, FAIRLEAD_EINPUT, "the amount is too large");
	return r;
}

static int read_amounts(struct fl_kube *k, uint32_t v, struct fl_sym flavor, bool found,
			struct fl_span *ret)
{
	struct fl_span span = { k->m->n_daemon_resources, 0 };
	uint32_t end = 0;
	int r = fl_kube_pairs(k, v, &end);

	for (uint32_t key = v + 1; r == 0 && key < end; key = fl_kube_next(k, key)) {
		const char *name = fl_doc_text(&k->doc, key);
		struct fl_daemon_resource_row row = { .flavor_name = flavor,
						      .place = fl_kube_place_of(k, key + 1) };

		if (!*name || k->doc.values[key].len >= FL_JOB_RESOURCE)
			return fl_kube_fail(k, key + 1, FAIRLEAD_EINPUT,
					    "the name of a resource has 1 to %d bytes",
					    FL_JOB_RESOURCE - 1);
		if (key - v > 2 * FL_MAX_RESOURCES)
			return fl_kube_fail(k, v, FAIRLEAD_ELIMIT, "more than %d resources",
					    FL_MAX_RESOURCES);
		r = fl_kube_key(k, key, &row.resource_name);
		if (r == 0)
			r = read_amount(k, key + 1, name, found, &row.amount);
		if (r == 0)
			r = fl_model_push_daemon_resources(k->m, &row, /* ret_id= */ NULL, k->err);
	}
	span.n = k->m->n_daemon_resources - span.first;
	if (r == 0)
		*ret = span;
	return r;
}

/* --- devices --- */

static int read_number(struct fl_kube *k, uint32_t v, void *unused)
{
	int32_t n = 0;
	uint32_t number;
	int r = fl_kube_int32(k, v, &n);

	(void)unused;
	if (r == 0 && (n < 0 || n > MAX_DEVICE))
		return fl_kube_fail(k, v, FAIRLEAD_EINPUT, "expected a number from 0 to %d",
				    MAX_DEVICE);
	number = (uint32_t)n;
	return r < 0 ? r : fl_model_push_daemon_devices(k->m, &number, /* ret_id= */ NULL, k->err);
}

static const struct fl_field device_fields[] = {
	{ FL_IS("resource", word, struct fl_daemon_flavor_row, device), .most = FL_JOB_RESOURCE - 1,
	  .needed = true, .text = FL_TEXT_RESOURCE },
	{ FL_IS_LIST("numbers", struct fl_daemon_flavor_row, devices, daemon_devices, read_number),
	  .fail = "an empty list: remove it to use the detected devices",
	  .schema = "\"type\": \"integer\", \"minimum\": 0, \"maximum\": 65536",
	  .doc = "Numbers of the devices. Default: those that were detected." },
	{ .name = NULL },
};

static int read_devices(struct fl_kube *k, uint32_t v, void *row)
{
	return fl_kube_whole(k, v, device_fields, row);
}

/* --- flavors --- */

static int read_flavor_resources(struct fl_kube *k, uint32_t v, void *row)
{
	struct fl_daemon_flavor_row *flavor = row;
	int r = read_amounts(k, v, flavor->name, /* found= */ true, &flavor->resources);

	if (r == 0 && flavor->resources.n == 0)
		return fl_kube_fail(k, v, FAIRLEAD_EINPUT,
				    "an empty map: remove it to use all that is detected");
	return r;
}

#define QUANTITIES(item, least)                                                                    \
	"\"type\": \"object\", \"minProperties\": " least ", \"maxProperties\": 64, "              \
	"\"additionalProperties\": { " item " }"

static const struct fl_field flavor_fields[] = {
	{ FL_IS("name", word, struct fl_daemon_flavor_row, name), .most = FL_JOB_RESOURCE - 1,
	  .needed = true, .text = FL_TEXT_FLAVOR },
	{ .name = "resources",
	  .read = read_flavor_resources,
	  .keys = FL_TEXT_RESOURCE,
	  .schema = QUANTITIES(FL_QUANTITY_SCHEMA, "1"),
	  .doc = "Its amount of each resource; auto: what is detected. Default: all that is detected." },
	{ .name = "devices",
	  .read = read_devices,
	  .fields = device_fields,
	  .doc = "A resource whose units are devices with numbers." },
	{ .name = NULL },
};

static int read_flavor(struct fl_kube *k, uint32_t v, void *unused)
{
	struct fl_daemon_flavor_row row = { .place = fl_kube_place_of(k, v) };
	uint32_t name;
	int r = fl_kube_need(k, v, "name", &name);

	(void)unused;
	if (r == 0) /* its resources know their flavor by this number */
		r = fl_kube_word(k, name, FL_JOB_RESOURCE - 1, &row.name);
	if (r == 0)
		r = fl_kube_whole(k, v, flavor_fields, &row);
	for (uint32_t i = 0; r == 0 && i < k->m->n_daemon_flavors; i++)
		if (k->m->daemon_flavors[i].name.v == row.name.v)
			return fl_kube_fail(k, name, FAIRLEAD_EINPUT,
					    "flavors[%u] has the name '%.100s', too", i,
					    fl_model_text(k->m, row.name));
	if (r == 0 && k->m->n_daemon_flavors == FL_MAX_FLAVORS)
		return fl_kube_fail(k, v, FAIRLEAD_ELIMIT, "more than %d flavors", FL_MAX_FLAVORS);
	return r < 0 ? r : fl_model_push_daemon_flavors(k->m, &row, /* ret_id= */ NULL, k->err);
}

/* --- the machine --- */

static int read_reserved(struct fl_kube *k, uint32_t v, void *row)
{
	return read_amounts(k, v, (struct fl_sym){ 0 }, /* found= */ false,
			    &((struct fl_daemon_settings *)row)->reserved);
}

const struct fl_field fl_fields_daemon_machine[] = {
	{ FL_IS("name", word, struct fl_daemon_settings, machine_name), .most = FL_MAX_NAME,
	  .text = FL_TEXT_MACHINE, .doc = "Name of the machine. Default: node." },
	{ FL_IS("cohort", word, struct fl_daemon_settings, cohort), .most = FL_MAX_NAME,
	  .text = FL_TEXT_COHORT,
	  .doc = "This cohort gets the capacity of the machine as quota, less the nominal quotas of queues." },
	{ FL_IS_LIST("flavors", struct fl_daemon_settings, flavors, daemon_flavors, read_flavor),
	  .fields = flavor_fields, .list = true, .schema = "\"maxItems\": 64",
	  .doc = "Flavors in the order in which they are tried; default: one, called default, with all that is detected." },
	{ .name = "reserved",
	  .read = read_reserved,
	  .keys = FL_TEXT_RESOURCE,
	  .schema = QUANTITIES(FL_QUANTITY_SCHEMA, "0"),
	  .doc = "Amounts that are not shared, but kept for the system." },
	{ FL_IS_ENUM("cgroup", struct fl_daemon_settings, cgroup, enum fl_cgroup_use, "auto", "off",
		     "required") },
	{ .name = NULL },
};

/* --- checks over all flavors --- */

static const struct fl_daemon_resource_row *find_resource(const struct fl_model *m,
							  const struct fl_daemon_flavor_row *f,
							  struct fl_sym name)
{
	for (uint32_t i = 0; i < f->resources.n; i++)
		if (m->daemon_resources[f->resources.first + i].resource_name.v == name.v)
			return &m->daemon_resources[f->resources.first + i];
	return NULL;
}

static int fail_flavor(struct fl_kube *k, uint32_t flavor, struct fl_place place)
{
	if (k->err) {
		fl_fail_in(k->err, "%s .spec.machine.flavors[%u]", k->subject, flavor);
		fl_model_fail_at(k->m, place, k->err);
	}
	return FAIRLEAD_EINPUT;
}

/* Its devices are one of its resources, with as many numbers as its amount says. */
static int check_devices(struct fl_kube *k, uint32_t flavor)
{
	const struct fl_model *m = k->m;
	const struct fl_daemon_flavor_row *f = &m->daemon_flavors[flavor];
	const struct fl_daemon_resource_row *r = find_resource(m, f, f->device);
	const char *name = fl_model_text(m, f->device);

	if (f->device.v == 0 || (f->resources.n == 0 && f->devices.n == 0))
		return 0;
	if (f->resources.n && !r) {
		fl_fail(k->err, FAIRLEAD_EINPUT,
			"'devices' names '%.63s', which is not in its resources", name);
		fl_fail_hint(k->err, "add '%.63s: auto' to them", name);
		return fail_flavor(k, flavor, f->place);
	}
	if (r && r->amount != FL_NO_LIMIT && f->devices.n && r->amount != f->devices.n) {
		fl_fail(k->err, FAIRLEAD_EINPUT, "%lld of '%.63s', but %u numbers of devices",
			(long long)r->amount, name, f->devices.n);
		fl_fail_hint(k->err,
			     "write auto: the amount is then the number of devices in the list");
		return fail_flavor(k, flavor, r->place);
	}
	return 0;
}

/* Checks that device @number of flavor @flavor is listed once. */
static int check_device(struct fl_kube *k, uint32_t flavor, uint32_t at)
{
	const struct fl_model *m = k->m;
	const struct fl_daemon_flavor_row *f = &m->daemon_flavors[flavor];
	const uint32_t number = m->daemon_devices[f->devices.first + at];

	for (uint32_t o = 0; o <= flavor; o++) {
		const struct fl_daemon_flavor_row *other = &m->daemon_flavors[o];
		uint32_t n = o == flavor ? at : other->devices.n;

		for (uint32_t i = 0; i < n && other->device.v == f->device.v; i++) {
			if (m->daemon_devices[other->devices.first + i] != number)
				continue;
			fl_fail(k->err, FAIRLEAD_EINPUT, "device %u of '%.63s' is listed twice",
				number, fl_model_text(m, f->device));
			return fail_flavor(k, flavor, f->place);
		}
	}
	return 0;
}

/* The detected amount of a resource goes to one flavor; with numbers of devices it is not used. */
static bool takes_found(const struct fl_model *m, const struct fl_daemon_flavor_row *f,
			struct fl_sym resource)
{
	const struct fl_daemon_resource_row *r = find_resource(m, f, resource);

	if (f->devices.n && f->device.v == resource.v)
		return false;
	return f->resources.n == 0 || (r && r->amount == FL_NO_LIMIT);
}

static int check_found(struct fl_kube *k, uint32_t flavor)
{
	const struct fl_model *m = k->m;
	const struct fl_daemon_flavor_row *f = &m->daemon_flavors[flavor];

	if (f->resources.n == 0 && m->daemon.flavors.n > 1) {
		fl_fail(k->err, FAIRLEAD_EINPUT,
			"a flavor without resources, and there are other flavors");
		fl_fail_hint(k->err, "only a single flavor can have all that is detected");
		return fail_flavor(k, flavor, f->place);
	}
	for (uint32_t i = 0; i < f->resources.n; i++) {
		const struct fl_daemon_resource_row *r =
			&m->daemon_resources[f->resources.first + i];

		if (!takes_found(m, f, r->resource_name))
			continue;
		for (uint32_t o = 0; o < flavor; o++) {
			if (!takes_found(m, &m->daemon_flavors[o], r->resource_name))
				continue;
			fl_fail(k->err, FAIRLEAD_EINPUT,
				"'%.63s' is auto in flavors[%u], too, but only one flavor can have it",
				fl_model_text(m, r->resource_name), o);
			fl_fail_hint(k->err, "give an amount for each");
			return fail_flavor(k, flavor, r->place);
		}
	}
	return 0;
}

int fl_daemon_check_machine(struct fl_kube *k)
{
	int r = 0;

	for (uint32_t f = 0; r == 0 && f < k->m->n_daemon_flavors; f++) {
		r = check_devices(k, f);
		if (r == 0)
			r = check_found(k, f);
		for (uint32_t i = 0; r == 0 && i < k->m->daemon_flavors[f].devices.n; i++)
			r = check_device(k, f, i);
	}
	return r;
}
