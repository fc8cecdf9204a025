/* SPDX-License-Identifier: Apache-2.0 */
#include "backend/local/specify.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backend/local/host.h"
#include "backend/process/process.h"

enum { MOST_PROCESSES = 32768 }; /* of a run in its control group */

int fl_specify_keep(struct fl_local_run *r, const struct fl_attempt_spec *spec, fairlead_error *err)
{
	free(r->devices);
	r->uid = spec->uid;
	r->gid = spec->gid;
	r->limits = spec->limits;
	r->time_limit = spec->time_limit;
	r->grace = spec->grace;
	r->hooks = spec->hooks_len > 0;
	r->n_outputs = *spec->output || spec->interactive ? 0 : FL_ATTEMPT_STREAMS * spec->tasks;
	r->interactive = spec->interactive != FL_INTERACTIVE_NOT;
	snprintf(r->token, sizeof r->token, "%s", spec->token);
	r->devices = malloc((spec->n_devices + 1) * sizeof *r->devices);
	if (!r->devices)
		return fl_fail_nomem(err);
	if (spec->n_devices > 0)
		memcpy(r->devices, spec->devices, spec->n_devices * sizeof *r->devices);
	r->n_devices = spec->n_devices;
	return 0;
}

int fl_specify_check(const struct fl_run *run, fairlead_error *err)
{
	const struct fl_job_spec *s = run->spec;

	if (run->job == 0 || run->attempt == 0)
		return fl_fail(err, FAIRLEAD_EINPUT, "jobs and attempts are numbered from 1");
	if (strlen(run->token) != FL_RUN_TOKEN - 1)
		return fl_fail(err, FAIRLEAD_EINPUT, "a token has %d digits", FL_RUN_TOKEN - 1);
	if (s->command_len == 0 || s->command[0] == 0 || s->command[s->command_len - 1] != 0)
		return fl_fail(err, FAIRLEAD_EINPUT, "the job has no command");
	if (s->environment_len > 0 && s->environment[s->environment_len - 1] != 0)
		return fl_fail(err, FAIRLEAD_EINPUT, "the environment of the job is incomplete");
	if (s->directory[0] != '/' || (s->output[0] && s->output[0] != '/'))
		return fl_fail(err, FAIRLEAD_EINPUT,
			       "directory and output of a job must be absolute paths");
	if (s->tasks == 0 || s->tasks > FL_JOB_TASKS)
		return fl_fail(err, FAIRLEAD_ELIMIT, "a job has 1 to %d tasks", FL_JOB_TASKS);
	return 0;
}

/* The limits of its control group. */
static struct fl_group_limits limits_of(const struct fl_host *h, const struct fl_run *run)
{
	struct fl_group_limits l = { 0 };

	for (uint32_t i = 0; i < run->n_grants; i++)
		if (h->place.group.cpu && strcmp(run->grants[i].resource, "cpu") == 0)
			l.cpu = fl_sat_add(l.cpu, run->grants[i].amount);
		else if (h->place.group.memory && strcmp(run->grants[i].resource, "memory") == 0)
			l.memory = fl_sat_add(l.memory, run->grants[i].amount);
	if (h->place.group.processes)
		l.processes = MOST_PROCESSES;
	return l;
}

static uint32_t events_of(const struct fl_job_spec *s)
{
	uint32_t events = 0;

	for (uint32_t i = 0; i < s->n_hooks; i++)
		events |= (s->hook_events[i] & FL_HOOK_ALL) << (4 * i);
	return events;
}

/* As fl_attempt_spec has them; NULL: there is no memory. */
static char *resources_of(const struct fl_taken *devices, uint32_t *ret_len)
{
	char *ret = calloc(devices->n + 1, FL_JOB_RESOURCE), *at = ret;

	for (uint32_t i = 0; ret && i < devices->n; i++) {
		if (i == 0 || strcmp(devices->resources[i], devices->resources[i - 1]) != 0)
			at = stpcpy(at, devices->resources[i]);
		at++;
	}
	*ret_len = (uint32_t)(at - ret);
	return ret;
}

int fl_specify(struct fl_local_run *r, const struct fl_run *run, const struct fl_taken *devices,
	       fairlead_error *err)
{
	const struct fl_job_spec *s = run->spec;
	struct fl_host *h = r->h;
	char group[FL_GROUP_PATH];

	fl_group_path(&h->place.group, s->uid, run->job, run->attempt, run->token, group);
	struct fl_attempt_spec spec = {
		.job = run->job,
		.attempt = run->attempt,
		.tasks = s->tasks,
		.uid = s->uid,
		.gid = s->gid,
		.array = s->array,
		.array_index = s->array_index,
		.signal = s->signal > 0                             ? s->signal :
			  s->interactive == FL_INTERACTIVE_TERMINAL ? SIGHUP :
								      SIGTERM,
		.time_limit = run->time_limit,
		.grace = run->grace,
		.output_limit = h->output_limit,
		.limits = limits_of(h, run),
		.alone = h->alone,
		.interactive = s->interactive,
		.numbered = h->machine.n_devices > 0,
		.token = run->token,
		.name = s->name,
		.queue = s->queue,
		.directory = s->directory,
		.output = s->output,
		.group = group,
		.devices = devices->numbers,
		.n_devices = devices->n,
		.command = s->command,
		.command_len = s->command_len,
		.environment = s->environment,
		.environment_len = s->environment_len,
		.hooks = s->hooks,
		.hooks_len = s->hooks_len,
		.hook_events = events_of(s),
		.once = s->once,
	};
	char *resources = resources_of(devices, &spec.resources_len);
	int rc = resources ? fl_specify_keep(r, &spec, err) : fl_fail_nomem(err);

	spec.resources = resources;
	if (rc == 0)
		rc = fl_attempt_encode(&spec, &r->bytes, &r->n_bytes, err);
	free(resources);
	return rc;
}
