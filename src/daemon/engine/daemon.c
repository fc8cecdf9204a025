/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/engine/daemon.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "daemon/config/config.h"
#include "daemon/engine/placement.h"

void fl_daemon_view(const struct fl_daemon *d, struct fl_live_view *ret)
{
	struct fl_living living = d->ops->living(d);

	fl_live_view_of(&living, d->ops->now(d), ret);
}

int fl_daemon_try(struct fl_daemon *d, const struct fl_config *config, struct fl_live_view *ret,
		  fairlead_error *err)
{
	struct fl_live_view is;

	fl_daemon_view(d, &is);
	return fl_live_view_try(&is, d->ops->jobs(d), config, ret, err);
}

const struct fl_config *fl_daemon_config(const struct fl_daemon *d)
{
	return d->ops->living(d).config;
}

const struct fl_daemon_settings *fl_daemon_settings_of(const struct fl_daemon *d)
{
	return fl_config_settings(fl_daemon_config(d));
}

const struct fl_live *fl_daemon_job(const struct fl_daemon *d, uint64_t id)
{
	return fl_jobs_find(d->ops->living(d).jobs, id);
}

struct fl_sym fl_daemon_find_word(const struct fl_daemon *d, const char *text)
{
	return text ? fl_names_find(&d->ops->living(d).jobs->names, text, strlen(text)) :
		      (struct fl_sym){ FL_NONE };
}

const char *fl_daemon_word(const struct fl_daemon *d, struct fl_sym word)
{
	return fl_names_text(&d->ops->living(d).jobs->names, word);
}

const char *fl_daemon_queue(const struct fl_daemon *d, const struct fl_live *job)
{
	struct fl_living living = d->ops->living(d);

	return fl_live_queue(&living, job);
}

const char *fl_daemon_reason(const struct fl_daemon *d, const struct fl_live *job, char *buffer,
			     size_t size)
{
	struct fl_living living = d->ops->living(d);

	return fl_live_reason(&living, job, buffer, size);
}

void fl_daemon_follow(struct fl_daemon *d, struct fl_follower *f)
{
	fl_followers_join(&d->followers, f);
}

void fl_daemon_unfollow(struct fl_daemon *d, struct fl_follower *f)
{
	fl_followers_leave(&d->followers, f);
}

void fl_daemon_log(const struct fl_daemon *d, const char *format, ...)
{
	char line[1024];
	va_list args;

	va_start(args, format);
	(void)vsnprintf(line, sizeof line, format, args);
	va_end(args);
	d->ops->log(d, line);
}
