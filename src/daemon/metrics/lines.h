/* SPDX-License-Identifier: Apache-2.0 */
/* lines - one line of Prometheus' text format, version 0.0.4; private to the files of metrics */
#ifndef FL_DAEMON_METRICS_LINES_H
#define FL_DAEMON_METRICS_LINES_H

#include "daemon/metrics/rendering.h"

/* Label names are those of the row, in its order; @values as many; @le NULL: no bucket. */
void fl_metrics_put(const struct fl_rendering *r, enum fl_metric id, const char *suffix,
		    const char *const *values, const char *le, double v);
void fl_metrics_put_plain(const struct fl_rendering *r, enum fl_metric id, double v);
void fl_metrics_put_histogram(const struct fl_rendering *r, enum fl_metric id,
			      const char *const *values, const struct fl_histogram *h);

#endif
