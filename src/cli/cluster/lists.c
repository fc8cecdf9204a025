/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/cluster/lists.h"

#include <inttypes.h>
#include <stdio.h>

enum {
	PAGE = 500, /* objects */
	MANY = 10000, /* more than that are told before they are read: they cost the server a second */
};

static void fail(struct fl_lists *all, const fairlead_error *err)
{
	if (!all->failed)
		all->error = *err;
	all->failed = true;
	uv_stop(&all->reach->loop);
}

static void end(struct fl_list *l, enum fl_list_end how)
{
	fairlead_error err = { 0 };

	if (l->ended(l->user, how, &err) < 0)
		fail(l->all, &err);
	if (--l->all->left == 0)
		uv_stop(&l->all->reach->loop);
}

static void on_begun(void *user, const char *version)
{
	struct fl_list *l = user;
	fairlead_error err = { 0 };

	l->all->objects -= l->objects;
	l->objects = 0;
	if (l->begun(l->user, version, &err) < 0)
		fail(l->all, &err);
}

static void on_remaining(void *user, uint64_t n)
{
	struct fl_list *l = user;
	const struct fl_kube_source *source = &l->source;

	if (n + l->objects <= MANY)
		return;
	fl_ticker_end(&l->all->ticker);
	fprintf(stderr, "fairlead: reads %" PRIu64 " %s%s%s of %s\n", n + l->objects,
		source->plural, *source->group ? "." : "", source->group, l->all->reach->title);
}

static int on_object(void *user, const struct fl_kube_object *object, fairlead_error *err)
{
	struct fl_list *l = user;

	l->objects++;
	l->all->objects++;
	fl_ticker_show(&l->all->ticker, "reads %s: %" PRIu64 " objects", l->all->reach->title,
		       l->all->objects);
	return l->object(l->user, object, err);
}

static void on_discovered(void *user, const char *version, const struct fl_kube_answer *refusal)
{
	struct fl_list *l = user;

	l->discovery = NULL;
	end(l, version || refusal ? FL_LIST_FORBIDDEN : FL_LIST_ABSENT);
}

static void on_ended(void *user, int rc, unsigned status, const fairlead_error *err)
{
	struct fl_list *l = user;
	fairlead_error own = { 0 };

	l->listing = NULL;
	if (rc == 0 || rc == FAIRLEAD_ENOENT) {
		end(l, rc == 0 ? FL_LIST_WHOLE : FL_LIST_ABSENT);
		return;
	}
	if (status == 403) { /* also told of a kind that the server does not have */
		err = &own;
		if (fl_kube_discover(l->all->reach->client, &l->source, on_discovered, l,
				     &l->discovery, &own) == 0)
			return;
	}
	fail(l->all, err);
}

static const struct fl_kube_lister lister = { on_begun, on_remaining, on_object, on_ended };

int fl_list_begin(struct fl_lists *all, struct fl_list *l, fairlead_error *err)
{
	int rc;

	l->all = all;
	l->objects = 0;
	rc = fl_kube_list_all(all->reach->client, &l->source, PAGE, &lister, l, &l->listing, err);
	all->left += rc == 0;
	return rc;
}

int fl_lists_turn(struct fl_lists *all, fairlead_error *err)
{
	fl_ticker_begin(&all->ticker);
	if (all->left > 0 && !all->failed)
		uv_run(&all->reach->loop, UV_RUN_DEFAULT);
	fl_ticker_end(&all->ticker);
	if (!all->failed)
		return 0;
	*err = all->error;
	return err->code;
}

void fl_list_done(struct fl_list *l)
{
	l->listing = fl_kube_listing_free(l->listing);
	l->discovery = fl_kube_discovery_free(l->discovery);
}
