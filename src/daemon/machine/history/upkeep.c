/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/machine/history/upkeep.h"

#include "daemon/machine/checkpoint.h"
#include "daemon/machine/inside.h"
#include "daemon/machine/tokens.h"

static fl_time applied(void *core) { return ((const struct fl_core *)core)->at; }
static uint64_t configuration(void *core) { return ((const struct fl_core *)core)->version.number; }

static void expiring(void *core, fl_time jobs_before)
{
	fl_core_age(core);
	fl_core_tokens_forget(core, jobs_before);
}

static void gone(void *core, uint64_t job)
{
	const struct fl_core *c = core;

	c->backend->remove(c->host, job);
}

int fl_core_begin_upkeep(struct fl_core *c, fairlead_error *err)
{
	const struct fl_upkeep_options o = { .loop = c->loop,
					     .daemon = &c->daemon,
					     .applied = applied,
					     .configuration = configuration,
					     .expiring = expiring,
					     .gone = gone,
					     .user = c };

	return fl_upkeep_new(&o, &c->upkeep, err);
}

void fl_core_end_upkeep(struct fl_core *c, void (*closed)(void *user), void *user)
{
	struct fl_upkeep *u = c->upkeep;

	c->upkeep = NULL;
	fl_upkeep_close(u, closed, user);
}
