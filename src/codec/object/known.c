/* SPDX-License-Identifier: Apache-2.0 */
#include "codec/object/known.h"

#include <stdio.h>
#include <string.h>

static const struct fl_kind *const kinds[] = {
	&fl_kind_flavor,         &fl_kind_cluster_queue,
	&fl_kind_cohort,         &fl_kind_queue,
	&fl_kind_workload,       &fl_kind_workload_priority_class,
	&fl_kind_priority_class, &fl_kind_namespace,
	&fl_kind_configuration,  &fl_kind_config_map,
	&fl_kind_limit_range,    &fl_kind_runtime_class,
	&fl_kind_policy,         &fl_kind_entitled,
	&fl_kind_pod_group,      &fl_kind_pod,
	&fl_kind_machine,        &fl_kind_bind_request,
	&fl_kind_shard,          &fl_kind_usage_history,
	&fl_kind_simulation,     &fl_kind_moves,
	&fl_kind_daemon,
};

enum { N_KINDS = sizeof kinds / sizeof *kinds };

bool fl_known_group(const char *api_version, const char *group)
{
	const char *slash = strchr(api_version, '/');
	size_t len = slash ? (size_t)(slash - api_version) : 0;

	return len == strlen(group) && memcmp(api_version, group, len) == 0;
}

bool fl_known_version(const char *api_version, const struct fl_kind *kind)
{
	const char *slash = strchr(api_version, '/');
	const char *version = slash ? slash + 1 : api_version, *at = kind->versions;
	size_t len = strlen(version);

	while (*at && (strcspn(at, " ") != len || memcmp(at, version, len) != 0)) {
		at += strcspn(at, " ");
		at += *at == ' ';
	}
	return *at;
}

/* Of the kinds of jobs the one of that version, else the first. */
static const struct fl_kind *find_job(const char *api_version, const char *name)
{
	const struct fl_kind *job, *first = NULL;

	for (uint32_t i = 0; (job = fl_job_kind(i)); i++) {
		if (strcmp(job->name, name) != 0 || !fl_known_group(api_version, job->group))
			continue;
		if (fl_known_version(api_version, job))
			return job;
		first = first ? first : job;
	}
	return first;
}

const struct fl_kind *fl_known_find(const char *api_version, const char *name)
{
	for (uint32_t i = 0; i < N_KINDS; i++)
		if (strcmp(kinds[i]->name, name) == 0 &&
		    fl_known_group(api_version, kinds[i]->group))
			return kinds[i];
	return find_job(api_version, name);
}

/* --- the tables, for people --- */

const struct fl_kind *fl_kube_kind_row(uint32_t kind)
{
	return kind < N_KINDS ? kinds[kind] : NULL;
}

const char *fl_kind_name(const struct fl_kind *kind) { return kind->name; }

const char *fl_kube_kind(uint32_t kind) { return kind < N_KINDS ? kinds[kind]->name : NULL; }

/* The field number *@left from here in reading order; decreases *left on the way. */
static const struct fl_field *nth(const struct fl_field *fields, uint32_t *left, char *path,
				  size_t size)
{
	size_t used = strlen(path);

	for (const struct fl_field *f = fields; f->name; f++) {
		const struct fl_field *found;

		(void)snprintf(path + used, size - used, ".%s%s%s", f->name, f->list ? "[]" : "",
			       f->fields && f->keys != FL_TEXT_VALUE ? ".*" : "");
		if ((*left)-- == 0)
			return f;
		found = f->fields ? nth(f->fields, left, path, size) : NULL;
		if (found)
			return found;
		path[used] = '\0';
	}
	return NULL;
}

bool fl_kube_field(uint32_t kind, uint32_t field, struct fl_kube_field *ret)
{
	const struct fl_field *f;

	if (kind >= N_KINDS)
		return false;
	*ret = (struct fl_kube_field){ 0 };
	f = nth(kinds[kind]->fields, &field, ret->path, sizeof ret->path);
	if (!f)
		return false;
	ret->support = f->support;
	ret->doc = f->doc;
	ret->note = f->note;
	ret->text = f->text;
	ret->keys = f->keys;
	ret->leaf = !f->fields;
	return true;
}
