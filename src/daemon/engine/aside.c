/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/engine/aside.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

/* The copy closes all files of the daemon, so that none stays open or is written to here. */
void fl_aside_begin(int fd, pid_t parent, unsigned seconds)
{
	const struct rlimit most = { seconds, seconds };
	sigset_t none;

	if (dup2(fd, 3) < 0)
		_exit(1);
	for (int i = 0; i < 3; i++) {
		int null = open("/dev/null", O_RDWR);

		if (null >= 0 && null != i)
			(void)dup2(null, i);
	}
	if (close_range(4, ~0U, 0) != 0)
		_exit(1);
	for (int number = 1; number < NSIG; number++)
		(void)signal(number, SIG_DFL);
	sigemptyset(&none);
	(void)sigprocmask(SIG_SETMASK, &none, NULL);
	(void)setrlimit(RLIMIT_CPU, &most);
	(void)prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(1);
}
