/* SPDX-License-Identifier: Apache-2.0 */
/*
 * failing - preloaded into a program, makes one call to the C library fail
 *
 *	FAIL_ALLOCATION=n	the n-th malloc, calloc or realloc that asks for memory
 *	FAIL_READ=n		the n-th read: EIO
 *
 * Without them it only counts.  With FAIL_REACHED=FILE it leaves FILE behind when the call came
 * to be made, so that whoever tries n = 1, 2, ... knows when to stop.  glibc only.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t n, size_t size);
void *__libc_realloc(void *old, size_t size);

static unsigned long allocation, reading; /* that fails; 0: none */
static unsigned long allocations, readings;

__attribute__((constructor)) static void start(void)
{
	const char *a = getenv("FAIL_ALLOCATION"), *r = getenv("FAIL_READ");

	allocation = a ? strtoul(a, NULL, 10) : 0;
	reading = r ? strtoul(r, NULL, 10) : 0;
	allocations = readings = 0; /* what the loader did does not count */
}

static void reached(void)
{
	const char *name = getenv("FAIL_REACHED");

	if (name)
		(void)close(open(name, O_WRONLY | O_CREAT, 0600));
}

/* errno is set, as the C library does. */
static int fails(unsigned long *count, unsigned long at, int code)
{
	if (++*count != at || at == 0)
		return 0;
	reached();
	errno = code;
	return 1;
}

void *malloc(size_t size)
{
	return fails(&allocations, allocation, ENOMEM) ? NULL : __libc_malloc(size);
}

void *calloc(size_t n, size_t size)
{
	return fails(&allocations, allocation, ENOMEM) ? NULL : __libc_calloc(n, size);
}

void *realloc(void *old, size_t size)
{
	return size && fails(&allocations, allocation, ENOMEM) ? NULL : __libc_realloc(old, size);
}

ssize_t read(int fd, void *buffer, size_t size)
{
	return fails(&readings, reading, EIO) ? -1 : syscall(SYS_read, fd, buffer, size);
}
