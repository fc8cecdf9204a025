/* SPDX-License-Identifier: Apache-2.0 */
#include "decide/image.h"

#include <string.h>

#include "decide/policies.h"
#include "model/image.h"

struct saved_state {
	fl_time now;
	uint64_t flags;
	char policy[24]; /* the policy's name, with a NUL behind it */
};

static const struct fl_image_kind state_kind = { "state", sizeof(struct saved_state), 0 };

int fl_state_save(const struct fl_state *s, const struct fl_image_output *sink, const char *maker,
		  fairlead_error *err)
{
	struct saved_state row = { .now = s->now, .flags = s->flags };
	struct fl_image_writer w;
	int r = fl_image_begin(&w, sink, maker, err);

	memcpy(row.policy, s->ops->name, strlen(s->ops->name));
	if (r == 0)
		r = fl_image_put(&w, &state_kind, &row, 1, err);
	if (r == 0)
		r = fl_model_save(s->model, &w, err);
	if (r == 0)
		r = s->ops->save(s->policy, &w, err);
	return r < 0 ? r : fl_image_end(&w, err);
}

static int find_policy(const struct fl_image *i, struct fl_state *ret, fairlead_error *err)
{
	const struct saved_state *row;
	const void *rows;
	uint32_t n;
	int r = fl_image_rows(i, &state_kind, &rows, &n, err);

	if (r < 0)
		return r;
	row = rows;
	ret->ops = n == 1 ? fl_policy_named(row->policy, sizeof row->policy) : NULL;
	if (!ret->ops)
		return fl_image_damaged(state_kind.name, err);
	ret->now = row->now;
	ret->flags = row->flags;
	return 0;
}

int fl_state_load(const struct fl_mem *mem, const struct fl_source *source, const char *maker,
		  struct fl_state *ret, fairlead_error *err)
{
	const struct fl_policy_options options = { .mem = mem };
	struct fl_state s = { 0 };
	struct fl_image i;
	int r = fl_image_read(&i, mem, source, maker, err);

	if (r < 0)
		return r;
	if ((r = find_policy(&i, &s, err)) == 0 && (r = fl_model_load(&i, &s.model, err)) == 0)
		r = s.ops->load(s.model, &options, &i, &s.policy, err);
	fl_image_done(&i);
	if (r < 0) {
		fl_state_done(&s);
		return r == FAIRLEAD_EINPUT ? fl_image_advise(err) : r;
	}
	*ret = s;
	return 0;
}

void fl_state_done(struct fl_state *s)
{
	if (s->policy)
		s->ops->free(s->policy);
	fl_model_free(s->model);
	*s = (struct fl_state){ 0 };
}
