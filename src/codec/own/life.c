/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Annotations that give a workload its times: when it arrives, how long it runs, when it gives up;
 * and its class and user.
 */
#include <string.h>

#include "base/time.h"
#include "codec/own/life.h"
#include "codec/own/values.h"

/* A time, or a duration after the start. */
int fl_life_read_arrives(struct fl_kube *k, uint32_t v, void *row)
{
	struct fl_noted_life *life = &k->life;
	const char *text = fl_doc_text(&k->doc, v);
	struct fl_sym unused;
	int r = fl_kube_text(k, v, &unused);

	(void)row;
	if (r < 0)
		return r;
	life->noted = true;
	life->from_start = !strchr(text, '-') && !strchr(text, ':');
	if (life->from_start)
		return fl_own_period(k, v, &life->arrives);
	r = fl_time_parse(text, k->doc.values[v].len, &life->arrives, k->err);
	return r < 0 ? fl_kube_blame(k, v) : 0;
}

int fl_life_read_runs(struct fl_kube *k, uint32_t v, void *row)
{
	int r;

	(void)row;
	k->life.noted = true;
	if (k->doc.values[v].kind == FL_TOKEN_SCALAR &&
	    strcmp(fl_doc_text(&k->doc, v), "forever") == 0) {
		k->life.runs = FL_NEVER;
		return 0;
	}
	r = fl_own_length(k, v, &k->life.runs);
	if (r == FAIRLEAD_EINPUT)
		fl_fail_hint(k->err, "a length of time such as 90m, or forever");
	return r;
}

int fl_life_read_gives_up(struct fl_kube *k, uint32_t v, void *row)
{
	(void)row;
	k->life.noted = true;
	return fl_own_period(k, v, &k->life.stays);
}

int fl_life_read_class(struct fl_kube *k, uint32_t v, void *row)
{
	(void)row;
	k->life.noted = true;
	return fl_kube_name(k, v, &k->life.class_name);
}

int fl_life_read_user(struct fl_kube *k, uint32_t v, void *row)
{
	(void)row;
	k->life.noted = true;
	return fl_kube_name(k, v, &k->life.user);
}

const struct fl_noted_life fl_no_life = {
	.arrives = FL_TIME_NONE,
	.runs = FL_NEVER,
	.stays = FL_NEVER,
	.asked = FL_TIME_NONE,
	.waited = FL_TIME_NONE,
	.class_name = { FL_NONE },
	.user = { FL_NONE },
};

int fl_life_push(struct fl_kube *k, uint32_t workload, uint32_t *ret_id)
{
	const struct fl_noted_life *noted = &k->life;
	struct fl_life_row row = { .workload = { workload },
				   .arrives = noted->arrives,
				   .runs = noted->runs,
				   .asked = noted->asked,
				   .leaves = noted->stays,
				   .waited = noted->waited,
				   .from_start = noted->from_start,
				   .class_name = noted->class_name,
				   .user = noted->user };

	*ret_id = FL_NONE;
	if (!noted->noted)
		return 0;
	if (noted->arrives == FL_TIME_NONE)
		row.from_start = true;
	else if (noted->stays != FL_NEVER)
		row.leaves = fl_sat_add(noted->arrives, noted->stays);
	return fl_model_push_lives(k->m, &row, ret_id, k->err);
}
