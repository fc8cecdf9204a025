/* SPDX-License-Identifier: Apache-2.0 */
/* view - a core as a daemon that answers (engine/daemon.h), and the machine's part beside it */
#ifndef FL_DAEMON_MACHINE_VIEW_H
#define FL_DAEMON_MACHINE_VIEW_H

#include "daemon/engine/daemon.h"
#include "daemon/machine/core.h"

struct fl_daemon *fl_core_daemon(struct fl_core *c);
void fl_core_begin_daemon(struct fl_core *c); /* before fl_core_daemon */
struct fl_living fl_core_living(const struct fl_core *c);
struct fl_store *fl_core_store(const struct fl_core *c);
struct fl_host *fl_core_host(const struct fl_core *c, const struct fl_backend_ops **ret);
const struct fl_job_row *fl_core_newer_spec(const struct fl_core *c, uint64_t id);

#endif
