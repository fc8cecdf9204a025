/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/terminal/screen.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

/* The other screen, without a cursor; and back. */
static const char enter[] = "\033[?1049h\033[?25l\033[H\033[2J";
static const char leave[] = "\033[?25h\033[?1049l";

/* What a signal has to put back. */
static struct termios before;
static volatile sig_atomic_t keys_taken, begun;

/* Nothing here but what a signal handler may call. */
static void restore(void)
{
	ssize_t unused = 0;

	if (begun)
		unused = write(STDOUT_FILENO, leave, sizeof(leave) - 1);
	if (keys_taken)
		tcsetattr(STDIN_FILENO, TCSANOW, &before);
	begun = keys_taken = 0;
	(void)unused;
}

static void take_over(void)
{
	struct termios raw;
	ssize_t unused;

	if (tcgetattr(STDIN_FILENO, &before) == 0) {
		raw = before;
		raw.c_lflag &= ~(tcflag_t)(ICANON | ECHO);
		raw.c_cc[VMIN] = 1;
		raw.c_cc[VTIME] = 0;
		keys_taken = tcsetattr(STDIN_FILENO, TCSANOW, &raw) == 0;
	}
	unused = write(STDOUT_FILENO, enter, sizeof(enter) - 1);
	(void)unused;
	begun = 1;
}

/* Ctrl-C is the way to leave; other signals have their usual effect. */
static void end_by(int number)
{
	restore();
	if (number == SIGINT)
		_exit(0);
	signal(number, SIG_DFL);
	raise(number);
}

/* Ctrl-Z: the terminal is the shell's until the command goes on. */
static void stop(int number)
{
	int error = errno;

	(void)number;
	restore();
	raise(SIGSTOP);
	take_over();
	errno = error;
}

static void resized(int number) { (void)number; }

bool fl_screen_begin(void)
{
	static const int ends[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGABRT, SIGSEGV, SIGPIPE };
	struct sigaction end = { .sa_handler = end_by, .sa_flags = SA_NODEFER };
	struct sigaction pause = { .sa_handler = stop }, change = { .sa_handler = resized };

	if (!isatty(STDOUT_FILENO))
		return false;
	for (unsigned i = 0; i < sizeof ends / sizeof *ends; i++)
		sigaction(ends[i], &end, NULL);
	sigaction(SIGTSTP, &pause, NULL);
	sigaction(SIGWINCH, &change, NULL);
	atexit(restore);
	take_over();
	return true;
}

void fl_screen_end(void) { restore(); }

void fl_screen_size(unsigned *ret_lines, unsigned *ret_columns)
{
	struct winsize size;
	bool known = ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0;

	*ret_lines = known && size.ws_row >= 2 ? size.ws_row : 24;
	*ret_columns = known && size.ws_col >= 20 ? size.ws_col : 80;
}

void fl_screen_draw(const char *text)
{
	unsigned lines, columns;

	fl_screen_size(&lines, &columns);
	/* No wrapping: what is too long ends at the edge, and each line is one. */
	fputs("\033[?7l\033[H", stdout);
	for (; *text && lines > 0; lines--) {
		size_t len = strcspn(text, "\n");

		fwrite(text, 1, len, stdout);
		text += len + (text[len] == '\n');
		fputs(lines > 1 && *text ? "\033[0m\033[K\r\n" : "\033[0m\033[K", stdout);
	}
	fputs("\033[J\033[?7h", stdout);
	fflush(stdout);
}

char fl_screen_key(int milliseconds)
{
	struct pollfd in = { .fd = STDIN_FILENO, .events = POLLIN };
	char key = 'q';

	/* Input that is not a terminal has no keys: only wait. */
	if (!keys_taken)
		in.fd = -1;
	if (poll(&in, 1, milliseconds) <= 0 || in.revents == 0)
		return '\0';
	return read(STDIN_FILENO, &key, 1) == 1 ? key : 'q';
}
