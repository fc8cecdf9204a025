/* SPDX-License-Identifier: Apache-2.0 */
#include "backend/runner/environment.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Variables that we set; those of the user with these names are left out. */
static const char *const ours[] = {
	"FAIRLEAD_RUN",         "FAIRLEAD_JOB_ID",  "FAIRLEAD_JOB_NAME", "FAIRLEAD_ATTEMPT",
	"FAIRLEAD_TASK",        "FAIRLEAD_TASKS",   "FAIRLEAD_QUEUE",    "FAIRLEAD_ARRAY_ID",
	"FAIRLEAD_ARRAY_INDEX", "FAIRLEAD_DEVICES",
};
enum { OURS = sizeof ours / sizeof *ours, MORE = OURS + 3 };

static bool is_name(const char *text, const char *name)
{
	size_t n = strlen(name);

	return strncmp(text, name, n) == 0 && text[n] == '=';
}

static bool is_taken(const struct fl_attempt_spec *spec, const char *text)
{
	for (size_t i = 0; i < OURS; i++)
		if (is_name(text, ours[i]))
			return true;
	return spec->numbered && is_name(text, "CUDA_VISIBLE_DEVICES");
}

char **fl_task_texts(const char *texts, uint32_t len, uint32_t more, uint32_t *ret_n)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < len; i++)
		n += texts[i] == 0;
	char **list = calloc((size_t)n + more + 1, sizeof *list);
	if (!list)
		return NULL;
	n = 0;
	for (uint32_t at = 0; at < len; at += (uint32_t)strlen(texts + at) + 1)
		list[n++] = (char *)(uintptr_t)(texts + at);
	*ret_n = n;
	return list;
}

/* Numbers of the devices of @task: the devices are divided among the tasks. */
static char *devices_of(const struct fl_attempt_spec *spec, uint32_t task)
{
	uint32_t each = spec->n_devices / spec->tasks;
	char *text = calloc(each + 1, 12), *at = text;

	for (uint32_t i = 0; text && i < each; i++)
		at += sprintf(at, "%s%u", i ? "," : "", spec->devices[task * each + i]);
	return text;
}

static const char *name_of(const struct fl_attempt_spec *spec)
{
	const char *last = strrchr(spec->command, '/');

	if (*spec->name)
		return spec->name;
	return last ? last + 1 : spec->command;
}

__attribute__((format(printf, 3, 4))) static bool add(char **list, uint32_t *n, const char *format,
						      ...)
{
	va_list args;

	va_start(args, format);
	bool done = vasprintf(&list[*n], format, args) >= 0;
	va_end(args);
	if (done)
		++*n;
	return done;
}

char **fl_task_environment(const struct fl_attempt_spec *spec, uint32_t task, uint32_t more)
{
	char *devices = devices_of(spec, task);
	uint32_t n, kept = 0;
	char **list = fl_task_texts(spec->environment, spec->environment_len, MORE + more, &n);
	bool ordered = false;

	if (!list || !devices)
		return NULL;
	for (uint32_t i = 0; i < n; i++) {
		ordered = ordered || is_name(list[i], "CUDA_DEVICE_ORDER");
		if (!is_taken(spec, list[i]))
			list[kept++] = list[i];
	}
	n = kept;
	bool done = add(list, &n, "FAIRLEAD_RUN=%s", spec->token) &&
		    add(list, &n, "FAIRLEAD_JOB_ID=%llu", (unsigned long long)spec->job) &&
		    add(list, &n, "FAIRLEAD_JOB_NAME=%s", name_of(spec)) &&
		    add(list, &n, "FAIRLEAD_ATTEMPT=%u", spec->attempt) &&
		    add(list, &n, "FAIRLEAD_TASK=%u", task) &&
		    add(list, &n, "FAIRLEAD_TASKS=%u", spec->tasks) &&
		    add(list, &n, "FAIRLEAD_QUEUE=%s", spec->queue) &&
		    add(list, &n, "FAIRLEAD_DEVICES=%s", devices);
	if (done && spec->array != 0)
		done = add(list, &n, "FAIRLEAD_ARRAY_ID=%llu", (unsigned long long)spec->array) &&
		       add(list, &n, "FAIRLEAD_ARRAY_INDEX=%u", spec->array_index);
	if (done && spec->numbered)
		done = add(list, &n, "CUDA_VISIBLE_DEVICES=%s", devices) &&
		       (ordered || add(list, &n, "CUDA_DEVICE_ORDER=PCI_BUS_ID"));
	list[n] = NULL;
	return done ? list : NULL;
}
