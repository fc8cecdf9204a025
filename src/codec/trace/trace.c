/* SPDX-License-Identifier: Apache-2.0 */
#include "codec/trace/trace.h"

#include "base/time.h"
#include "codec/object/kube.h"
#include "codec/trace/jobs.h"
#include "codec/trace/openb.h"
#include "codec/trace/swf.h"
#include "codec/trace/tracer.h"

fl_time fl_trace_times(fl_time time, double factor)
{
	double v = (double)time * factor;

	if (time == FL_NEVER || time == FL_TIME_NONE || factor == 1)
		return time;
	return v >= (double)FL_NEVER ? FL_NEVER - 1 : (fl_time)v;
}

/* Scales the arrivals after the first one by the same factor for all. */
static void stretch_lives(struct fl_model *m, uint32_t from, const struct fl_trace_row *row)
{
	fl_time first = FL_NEVER;

	for (uint32_t i = from; i < m->n_lives; i++)
		if (m->lives[i].arrives != FL_TIME_NONE && m->lives[i].arrives < first)
			first = m->lives[i].arrives;
	for (uint32_t i = from; i < m->n_lives; i++) {
		struct fl_life_row *life = &m->lives[i];
		fl_time since, stays;

		life->runs = fl_trace_times(life->runs, row->runtime);
		life->asked = fl_trace_times(life->asked, row->runtime);
		if (life->arrives == FL_TIME_NONE)
			continue;
		stays = life->leaves == FL_NEVER ? FL_NEVER :
						   fl_time_minus(life->leaves, life->arrives);
		since = fl_time_minus(life->arrives, first);
		life->arrives = fl_sat_add(first, fl_trace_times(since, 1 / row->load));
		life->leaves = stays == FL_NEVER ? FL_NEVER : fl_sat_add(life->arrives, stays);
	}
}

/* Objects, with their lives or classes. */
static int read_objects(struct fl_model *m, uint32_t trace, const char *name,
			const struct fl_source *source, fairlead_error *err)
{
	uint32_t lives = m->n_lives, classes = m->n_classes;
	int r = fl_kube_read_from(m, name, source, /* tap= */ NULL, err);
	const struct fl_trace_row *row = &m->traces[trace];

	if (r < 0)
		return r;
	stretch_lives(m, lives, row);
	for (uint32_t i = classes; i < m->n_classes; i++) {
		fl_distribution_scale(&m->classes[i].between, 1 / row->load);
		m->classes[i].begins = fl_trace_times(m->classes[i].begins, 1 / row->load);
		fl_distribution_scale(&m->classes[i].runs, row->runtime);
	}
	return 0;
}

int fl_trace_read(struct fl_model *m, uint32_t trace, const char *name,
		  const struct fl_source *source, fairlead_error *err)
{
	fairlead_error unused;
	struct fl_tracer t;
	int r;

	if (!err)
		err = &unused;
	*err = (fairlead_error){ 0 };
	if (m->traces[trace].kind == FL_TRACE_GENERATOR ||
	    m->traces[trace].kind == FL_TRACE_OBJECTS)
		return read_objects(m, trace, name, source, err);
	r = fl_tracer_begin(&t, m, trace, name, source, err);
	if (r == 0)
		r = m->traces[trace].kind == FL_TRACE_SWF ? fl_swf_read(&t) :
							    fl_openb_read_pods(&t);
	return fl_tracer_end(&t, r);
}
