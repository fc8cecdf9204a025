/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/machine/view.h"

#include <stddef.h>
#include <stdlib.h>

#include "daemon/machine/adopt.h"
#include "daemon/machine/batch.h"
#include "daemon/machine/history/weighed.h"
#include "daemon/machine/inside.h"

struct fl_living fl_core_living(const struct fl_core *c)
{
	return (struct fl_living){ .config = c->config,
				   .capacity = &c->capacity,
				   .jobs = &c->jobs,
				   .generation = &c->generation };
}

struct fl_store *fl_core_store(const struct fl_core *c) { return c->daemon.store; }

struct fl_host *fl_core_host(const struct fl_core *c, const struct fl_backend_ops **ret)
{
	*ret = c->backend;
	return c->host;
}

static int cmp_number(const void *key, const void *row)
{
	uint64_t id = *(const uint64_t *)key, other = ((const struct fl_job_row *)row)->id;

	return (id > other) - (id < other);
}

const struct fl_job_row *fl_core_newer_spec(const struct fl_core *c, uint64_t id)
{
	const struct fl_gather *const both[] = { c->gather, c->writing };
	const struct fl_job_row *found = NULL;

	/* They were added by number (change.c). */
	for (int i = 0; i < 2 && !found; i++)
		if (both[i] && both[i]->all.rows.n_specs)
			found = bsearch(&id, both[i]->all.rows.specs, both[i]->all.rows.n_specs,
					sizeof *both[i]->all.rows.specs, cmp_number);
	return found;
}

/* --- as a daemon --- */

static struct fl_core *core_of(const struct fl_daemon *d)
{
	return (struct fl_core *)(void *)((char *)(uintptr_t)d - offsetof(struct fl_core, daemon));
}

static struct fl_living living(const struct fl_daemon *d) { return fl_core_living(core_of(d)); }
static struct fl_jobs *jobs(struct fl_daemon *d) { return &core_of(d)->jobs; }

static fl_time now(const struct fl_daemon *d)
{
	const struct fl_core *c = core_of(d);
	fl_time at = fl_clock_now(&c->daemon.clock);

	return at < c->at ? c->at : at;
}

static uint64_t version(const struct fl_daemon *d) { return core_of(d)->seq; }

static const struct fl_job_row *newer(const struct fl_daemon *d, uint64_t job)
{
	return fl_core_newer_spec(core_of(d), job);
}

static void unwritten(const struct fl_daemon *d,
		      void (*fn)(void *user, const struct fl_event_row *row), void *user)
{
	const struct fl_core *c = core_of(d);
	const struct fl_gather *const both[] = { c->writing, c->gather };

	for (int i = 0; i < 2; i++)
		for (uint32_t e = 0; both[i] && e < both[i]->all.rows.n_events; e++)
			fn(user, &both[i]->all.rows.events[e]);
}

static const char *problem(const struct fl_daemon *d) { return fl_core_problem(core_of(d)); }
static const char *warning(const struct fl_daemon *d) { return fl_core_warning(core_of(d)); }

static void audit(struct fl_daemon *d, const struct fl_audit_row *row)
{
	fl_core_audit(core_of(d), row);
}

static void log_line(const struct fl_daemon *d, const char *line)
{
	fl_core_log(core_of(d), "%s", line);
}

static int capacities(const struct fl_daemon *d, struct fl_weighed_capacity **ret, uint32_t *ret_n,
		      fairlead_error *err)
{
	return fl_core_capacities(core_of(d), ret, ret_n, err);
}

static const struct fl_daemon_ops ops = {
	.living = living,
	.jobs = jobs,
	.now = now,
	.version = version,
	.capacities = capacities,
	.newer = newer,
	.unwritten = unwritten,
	.problem = problem,
	.store_problem = problem, /* it has no other one */
	.warning = warning,
	.audit = audit,
	.log = log_line,
};

void fl_core_begin_daemon(struct fl_core *c) { c->daemon.ops = &ops; }
struct fl_daemon *fl_core_daemon(struct fl_core *c) { return &c->daemon; }
