/* SPDX-License-Identifier: Apache-2.0 */
/*
 * clock - a library for LD_PRELOAD: the clock on the wall is off by so many seconds as the file
 * CLOCK_FILE says, whenever it is asked; and all clocks by those that TIME_FILE says, as if so much
 * time had gone by
 */
#include <fcntl.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static long offset(const char *variable)
{
	const char *file = getenv(variable);
	int fd = file ? open(file, O_RDONLY | O_CLOEXEC) : -1;
	char text[32] = { 0 };

	if (fd < 0)
		return 0;
	if (read(fd, text, sizeof text - 1) < 0)
		text[0] = '\0';
	(void)close(fd);
	return atol(text);
}

int clock_gettime(clockid_t id, struct timespec *ret)
{
	int r = (int)syscall(SYS_clock_gettime, id, ret);

	if (r != 0 || id == CLOCK_PROCESS_CPUTIME_ID || id == CLOCK_THREAD_CPUTIME_ID)
		return r;
	ret->tv_sec += offset("TIME_FILE");
	if (id == CLOCK_REALTIME || id == CLOCK_REALTIME_COARSE)
		ret->tv_sec += offset("CLOCK_FILE");
	return r;
}

time_t time(time_t *ret)
{
	struct timespec now;

	(void)clock_gettime(CLOCK_REALTIME, &now);
	if (ret)
		*ret = now.tv_sec;
	return now.tv_sec;
}

int gettimeofday(struct timeval *restrict ret, void *restrict zone)
{
	struct timespec now;

	(void)zone;
	(void)clock_gettime(CLOCK_REALTIME, &now);
	*ret = (struct timeval){ .tv_sec = now.tv_sec, .tv_usec = now.tv_nsec / 1000 };
	return 0;
}
