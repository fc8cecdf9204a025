/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/client/browser.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

enum { FILE_SECONDS = 60 };

static bool is_set(const char *name)
{
	const char *value = getenv(name);

	return value && *value;
}

/* What an address of a page has, and nothing that HTML would take for its own. */
static bool is_plain(const char *url)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
				    "-._:/[]#=";

	return strspn(url, plain) == strlen(url);
}

/* mkstemps makes it for its owner alone. */
static bool write_file(const char *url, char *path, size_t room)
{
	const char *folder = is_set("XDG_RUNTIME_DIR") ? getenv("XDG_RUNTIME_DIR") :
			     is_set("TMPDIR")          ? getenv("TMPDIR") :
							 "/tmp";
	int fd = -1, n;

	if ((size_t)snprintf(path, room, "%s/fairlead-page-XXXXXX.html", folder) < room)
		fd = mkstemps(path, 5);
	if (fd < 0)
		return false;
	n = dprintf(fd,
		    "<!doctype html>\n<meta charset=\"utf-8\">\n"
		    "<meta name=\"referrer\" content=\"no-referrer\">\n"
		    "<meta http-equiv=\"refresh\" content=\"0; url=%s\">\n"
		    "<title>fairlead</title>\n<a href=\"%s\">fairlead</a>\n",
		    url, url);
	close(fd);
	if (n < 0)
		unlink(path);
	return n >= 0;
}

/* A session of its own: Ctrl-C ends the command, and not a browser that was started here. */
static void start(const char *path, const sigset_t *mask)
{
	int nothing;

	if (fork() != 0)
		return;
	setsid();
	sigprocmask(SIG_SETMASK, mask, NULL);
	nothing = open("/dev/null", O_RDWR);
	for (int fd = 0; fd <= 2 && nothing >= 0; fd++)
		dup2(nothing, fd);
	execlp("xdg-open", "xdg-open", path, (char *)NULL);
	_exit(127);
}

/* In a process of its own: removes the file when it is time, or when the command has ended. */
static void stay(const char *path, pid_t command, const sigset_t *signals, const sigset_t *mask)
{
	const struct timespec time = { .tv_sec = FILE_SECONDS };

	setsid();
	prctl(PR_SET_PDEATHSIG, SIGTERM);
	start(path, mask);
	/* It must not keep what reads the command's output waiting. */
	for (int fd = 0; fd <= 2; fd++)
		close(fd);
	if (getppid() == command)
		(void)sigtimedwait(signals, NULL, &time);
	unlink(path);
	_exit(0);
}

bool fl_browser_open(const char *url)
{
	pid_t command = getpid(), child;
	sigset_t signals, mask;
	char path[4096];

	if (!(is_set("DISPLAY") || is_set("WAYLAND_DISPLAY")) || !is_plain(url) ||
	    !write_file(url, path, sizeof path))
		return false;
	sigemptyset(&signals);
	sigaddset(&signals, SIGTERM);
	sigaddset(&signals, SIGINT);
	sigaddset(&signals, SIGHUP);
	sigprocmask(SIG_BLOCK, &signals, &mask);
	child = fork();
	if (child == 0)
		stay(path, command, &signals, &mask);
	sigprocmask(SIG_SETMASK, &mask, NULL);
	if (child < 0)
		unlink(path);
	return child > 0;
}
