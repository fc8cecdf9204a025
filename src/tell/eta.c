/* SPDX-License-Identifier: Apache-2.0 */
#include "sim/runtimes.h"
#include "tell/tell.h"

int fl_tell_eta(const struct fl_question *q, const struct fl_tell_coming *coming,
		struct fl_workload w, struct fl_eta *ret, fairlead_error *err)
{
	struct fl_runtimes times;
	struct fl_eta eta = { .forecast = { .workload = w }, .options = fl_forecast_default };
	int rc;

	eta.options.mem = &fl_mem_heap;
	eta.options.now = q->now;
	eta.options.told = true;
	eta.options.arrivals = coming->period;
	eta.options.original = coming->original;
	if (q->model->simulation.present)
		eta.options.seed = q->model->simulation.seed;
	rc = fl_runtimes_init(&times, &fl_mem_heap, q->model, err);
	if (rc == 0)
		rc = fl_runtimes_learn(&times, err);
	if (rc == 0)
		rc = fl_forecast(q->ops, q->policy, q->model, &times, &eta.options, &eta.forecast,
				 1, &eta.basis, err);
	fl_runtimes_done(&times);
	if (rc == 0)
		*ret = eta;
	return rc;
}
