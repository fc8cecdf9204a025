/* SPDX-License-Identifier: Apache-2.0 */
#include "tell/eta.h"

#include "sim/runtimes.h"

int fl_tell_etas(const struct fl_question *q, const struct fl_tell_coming *coming,
		 struct fl_forecast *rows, uint32_t n, struct fl_forecast_options *ret_options,
		 struct fl_forecast_basis *ret_basis, fairlead_error *err)
{
	struct fl_forecast_options options = fl_forecast_default;
	struct fl_runtimes times;
	int rc;

	options.mem = &fl_mem_heap;
	options.now = q->now;
	options.told = true;
	options.arrivals = coming->period;
	options.original = coming->original;
	if (q->model->simulation.present)
		options.seed = q->model->simulation.seed;
	rc = fl_runtimes_init(&times, &fl_mem_heap, q->model, err);
	if (rc == 0)
		rc = fl_runtimes_learn(&times, err);
	if (rc == 0)
		rc = fl_forecast(q->ops, q->policy, q->model, &times, &options, rows, n, ret_basis,
				 err);
	fl_runtimes_done(&times);
	*ret_options = options;
	return rc;
}

int fl_tell_eta(const struct fl_question *q, const struct fl_tell_coming *coming,
		struct fl_workload w, struct fl_eta *ret, fairlead_error *err)
{
	struct fl_eta eta = { .forecast = { .workload = w } };
	int rc = fl_tell_etas(q, coming, &eta.forecast, 1, &eta.options, &eta.basis, err);

	if (rc == 0)
		*ret = eta;
	return rc;
}
