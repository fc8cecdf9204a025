/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/terminal/pty.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/fd.h"

enum { DRAIN_MS = 2000, DRAINS = 1 << 16, END_OF_FILE = 4 /* Ctrl-D, at a new terminal */ };

void fl_pty_open_far(struct fl_pty *p)
{
	*p = (struct fl_pty){ .master = -1, .slave = -1 };
	p->is_terminal = tcgetattr(STDIN_FILENO, &p->before) == 0;
}

int fl_pty_open(struct fl_pty *p)
{
	fl_pty_open_far(p);
	p->master = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
	if (p->master < 0 || grantpt(p->master) != 0 || unlockpt(p->master) != 0)
		return -1;
	/* By its descriptor: its name may be another one in a container. */
	p->slave = ioctl(p->master, TIOCGPTPEER, O_RDWR | O_NOCTTY | O_CLOEXEC);
	if (p->slave < 0)
		return -1;
	if (p->is_terminal)
		(void)tcsetattr(p->slave, TCSANOW, &p->before);
	fl_pty_resize(p);
	return fcntl(p->master, F_SETFL, O_NONBLOCK);
}

void fl_pty_resize(const struct fl_pty *p)
{
	struct winsize size;

	if (ioctl(STDIN_FILENO, TIOCGWINSZ, &size) == 0 ||
	    ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0)
		(void)ioctl(p->master, TIOCSWINSZ, &size);
}

void fl_pty_on(struct fl_pty *p)
{
	struct termios raw = p->before;

	fl_fd_close(&p->slave);
	p->slave = -1;
	cfmakeraw(&raw);
	/* What was typed while the job waited is not lost. */
	if (p->is_terminal)
		(void)tcsetattr(STDIN_FILENO, TCSADRAIN, &raw);
	p->on = true;
}

void fl_pty_off(struct fl_pty *p)
{
	if (p->on && p->is_terminal)
		(void)tcsetattr(STDIN_FILENO, TCSADRAIN, &p->before);
	p->on = false;
}

void fl_pty_close(struct fl_pty *p)
{
	fl_pty_off(p);
	fl_fd_close(&p->master);
	fl_fd_close(&p->slave);
	p->master = p->slave = -1;
}

void fl_pty_type(struct fl_pty *p)
{
	if (p->at == p->n && !p->in_ended) {
		ssize_t n = read(STDIN_FILENO, p->typed, sizeof(p->typed));

		if (n < 0 && (errno == EINTR || errno == EAGAIN))
			return;
		p->in_ended = n <= 0;
		if (p->in_ended) {
			p->typed[0] = END_OF_FILE;
			n = 1;
		}
		p->at = 0;
		p->n = (size_t)n;
	}
	if (p->at == p->n)
		return;
	ssize_t done = write(p->master, p->typed + p->at, p->n - p->at);
	if (done > 0)
		p->at += (size_t)done;
	else if (errno != EAGAIN && errno != EINTR)
		p->at = p->n;
}

bool fl_pty_print(struct fl_pty *p)
{
	char bytes[16384];
	ssize_t n = p->out_ended ? 0 : read(p->master, bytes, sizeof(bytes));

	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return false;
	if (n <= 0 || fl_fd_write(STDOUT_FILENO, bytes, (size_t)n) != 0)
		p->out_ended = true;
	return n > 0;
}

void fl_pty_drain(struct fl_pty *p)
{
	struct pollfd master = { .fd = p->master, .events = POLLIN };

	/* Without it, and without the job, the kernel says where the output ends. */
	fl_fd_close(&p->slave);
	p->slave = -1;
	for (int i = 0; i < DRAINS && !p->out_ended; i++)
		if (!fl_pty_print(p) && poll(&master, 1, DRAIN_MS) != 1)
			break;
}
