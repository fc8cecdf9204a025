/* SPDX-License-Identifier: Apache-2.0 */
/*
 * trace - preloaded, it writes down what a program does to the files below a folder
 *
 * DISK_ROOT is the folder, DISK_TRACE the file; both from the root. A record is
 *
 *   u64 MARK, u32 length of what follows, u8 what, u64 x 4, two texts each with a u32 length before it
 *
 * in the byte order of the machine, and one write, so that several programs may share a file.  A
 * program that is killed may leave a record cut short: the next mark is where another one begins.
 * disk.py reads it, and knows what a disk may have of it after a power cut.
 *
 *   'C' a new file, 'M' a folder: object, of folder; name       'U' removed: of folder; name
 *   'R' renamed, 'L' linked: object, of folder, to folder; name, name
 *   'W' written: object, offset; bytes      'T' cut or grown: object, size      'S' synced: object
 *
 * Objects are inode numbers.  What is written into memory (mmap) is not seen: SQLite's index of its
 * log, which does not outlive a power cut.
 */
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

/* Bytes that no text and hardly a page has. */
static const uint64_t mark = 0xfdf1a3e5c7b9d8ebu;

static const char *root;
static size_t root_length;
static int trace = -1;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void lock(void) { (void)pthread_mutex_lock(&mutex); }
static void unlock(void) { (void)pthread_mutex_unlock(&mutex); }

__attribute__((constructor)) static void begin(void)
{
	const char *path = getenv("DISK_TRACE");

	root = getenv("DISK_ROOT");
	if (!root || !path)
		return;
	root_length = strlen(root);
	trace = (int)syscall(SYS_open, path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
	(void)pthread_atfork(lock, unlock, unlock);
}

static void put(char what, uint64_t a, uint64_t b, uint64_t c, const void *x, size_t nx,
		const void *y, size_t ny)
{
	uint64_t numbers[4] = { a, b, c, 0 };
	uint32_t lx = (uint32_t)nx, ly = (uint32_t)ny;
	uint32_t length = (uint32_t)(1 + sizeof numbers + 4 + nx + 4 + ny);
	struct iovec parts[] = { { (void *)&mark, sizeof mark },
				 { &length, 4 },
				 { &what, 1 },
				 { numbers, sizeof numbers },
				 { &lx, 4 },
				 { (void *)x, nx },
				 { &ly, 4 },
				 { (void *)y, ny } };

	(void)syscall(SYS_writev, trace, parts, 8);
}

/* --- who is who --- */

static int is_below(const char *path)
{
	return strncmp(path, root, root_length) == 0 &&
	       (path[root_length] == '/' || path[root_length] == 0);
}

/* The object behind a descriptor, when it is one of ours. */
static uint64_t object_of(int fd)
{
	char link[64], path[PATH_MAX];
	struct stat st;
	ssize_t n;

	if (trace < 0)
		return 0;
	(void)snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
	n = readlink(link, path, sizeof path - 1);
	if (n <= 0)
		return 0;
	path[n] = 0;
	return is_below(path) && fstat(fd, &st) == 0 ? st.st_ino : 0;
}

/* The folder of @path, when it is one of ours, and the last name. */
static uint64_t folder_of(int at, const char *path, char name[NAME_MAX + 1])
{
	char whole[2 * PATH_MAX], link[64], *slash;
	struct stat st;
	ssize_t n = 0;

	if (trace < 0)
		return 0;
	if (*path != '/' && at == AT_FDCWD) {
		if (!getcwd(whole, PATH_MAX))
			return 0;
		n = (ssize_t)strlen(whole);
	} else if (*path != '/') {
		(void)snprintf(link, sizeof link, "/proc/self/fd/%d", at);
		n = readlink(link, whole, PATH_MAX - 1);
		if (n <= 0)
			return 0;
	}
	(void)snprintf(whole + n, sizeof whole - (size_t)n, "/%s", path);
	slash = strrchr(whole, '/');
	(void)snprintf(name, NAME_MAX + 1, "%s", slash + 1);
	*slash = 0;
	if (!is_below(*path == '/' ? whole + 1 : whole) ||
	    stat(*path == '/' ? whole + 1 : whole, &st) != 0)
		return 0;
	return st.st_ino;
}

static uint64_t object_at(int at, const char *path)
{
	struct stat st;

	return fstatat(at, path, &st, AT_SYMLINK_NOFOLLOW) == 0 ? st.st_ino : 0;
}

/* --- what changes names --- */

static void opened(int fd, int at, const char *path, int flags, int was_there)
{
	char name[NAME_MAX + 1];
	uint64_t folder;

	if (fd < 0 || !(flags & (O_CREAT | O_TRUNC)))
		return;
	folder = folder_of(at, path, name);
	if (folder && !was_there)
		put('C', object_of(fd), folder, 0, name, strlen(name), NULL, 0);
	else if (folder && flags & O_TRUNC)
		put('T', object_of(fd), 0, 0, NULL, 0, NULL, 0);
}

static int open_at(int at, const char *path, int flags, mode_t mode)
{
	int was_there, fd;

	lock();
	was_there = !(flags & O_CREAT) || object_at(at, path) != 0;
	fd = (int)syscall(SYS_openat, at, path, flags, mode);
	opened(fd, at, path, flags, was_there);
	unlock();
	return fd;
}

static mode_t mode_of(int flags, va_list more)
{
	return flags & (O_CREAT | O_TMPFILE) ? va_arg(more, mode_t) : 0;
}

#define OPEN(name, at, ...)                                                                        \
	int name(__VA_ARGS__, int flags, ...)                                                      \
	{                                                                                          \
		va_list more;                                                                      \
		mode_t mode;                                                                       \
		va_start(more, flags);                                                             \
		mode = mode_of(flags, more);                                                       \
		va_end(more);                                                                      \
		return open_at(at, path, flags, mode);                                             \
	}
OPEN(open, AT_FDCWD, const char *path)
OPEN(open64, AT_FDCWD, const char *path)
OPEN(openat, folder, int folder, const char *path)
OPEN(openat64, folder, int folder, const char *path)

int mkdirat(int at, const char *path, mode_t mode)
{
	char name[NAME_MAX + 1];
	uint64_t folder = folder_of(at, path, name);
	int r;

	lock();
	r = (int)syscall(SYS_mkdirat, at, path, mode);
	if (r == 0 && folder)
		put('M', object_at(at, path), folder, 0, name, strlen(name), NULL, 0);
	unlock();
	return r;
}

int mkdir(const char *path, mode_t mode) { return mkdirat(AT_FDCWD, path, mode); }

int unlinkat(int at, const char *path, int flags)
{
	char name[NAME_MAX + 1];
	uint64_t folder = folder_of(at, path, name);
	int r;

	lock();
	r = (int)syscall(SYS_unlinkat, at, path, flags);
	if (r == 0 && folder)
		put('U', 0, folder, 0, name, strlen(name), NULL, 0);
	unlock();
	return r;
}

int unlink(const char *path) { return unlinkat(AT_FDCWD, path, 0); }
int rmdir(const char *path) { return unlinkat(AT_FDCWD, path, AT_REMOVEDIR); }

int renameat2(int at, const char *from, int at_to, const char *to, unsigned flags)
{
	char name[NAME_MAX + 1], name_to[NAME_MAX + 1];
	uint64_t folder = folder_of(at, from, name), folder_to = folder_of(at_to, to, name_to);
	uint64_t object = object_at(at, from);
	int r;

	lock();
	r = (int)syscall(SYS_renameat2, at, from, at_to, to, flags);
	if (r == 0 && folder && folder_to)
		put('R', object, folder, folder_to, name, strlen(name), name_to, strlen(name_to));
	unlock();
	return r;
}

int renameat(int at, const char *from, int at_to, const char *to)
{
	return renameat2(at, from, at_to, to, 0);
}

int rename(const char *from, const char *to) { return renameat2(AT_FDCWD, from, AT_FDCWD, to, 0); }

int linkat(int at, const char *from, int at_to, const char *to, int flags)
{
	char name[NAME_MAX + 1];
	uint64_t folder = folder_of(at_to, to, name), object = object_at(at, from);
	int r;

	lock();
	r = (int)syscall(SYS_linkat, at, from, at_to, to, flags);
	if (r == 0 && folder)
		put('L', object, folder, folder, name, strlen(name), name, strlen(name));
	unlock();
	return r;
}

/* --- what changes files --- */

/*
 * Before it is done: of a program that is killed in between, nothing may be in the file that the
 * trace does not know.  What it knows beyond that was never synced.
 */
static void writes(int fd, const void *bytes, size_t n, off_t at)
{
	uint64_t object = n > 0 ? object_of(fd) : 0;

	if (object)
		put('W', object, (uint64_t)at, 0, bytes, n, NULL, 0);
}

#define PWRITE(name)                                                                               \
	ssize_t name(int fd, const void *bytes, size_t n, off_t at)                                \
	{                                                                                          \
		ssize_t r;                                                                         \
		lock();                                                                            \
		writes(fd, bytes, n, at);                                                          \
		r = syscall(SYS_pwrite64, fd, bytes, n, at);                                       \
		unlock();                                                                          \
		return r;                                                                          \
	}
PWRITE(pwrite)
PWRITE(pwrite64)

/* Of sockets and pipes, too, which may take long: no mutex for those. */
ssize_t write(int fd, const void *bytes, size_t n)
{
	ssize_t r;

	if (!object_of(fd))
		return syscall(SYS_write, fd, bytes, n);
	lock();
	if (fcntl(fd, F_GETFL) & O_APPEND)
		(void)lseek(fd, 0, SEEK_END);
	writes(fd, bytes, n, lseek(fd, 0, SEEK_CUR));
	r = syscall(SYS_write, fd, bytes, n);
	unlock();
	return r;
}

#define TRUNCATE(name)                                                                             \
	int name(int fd, off_t size)                                                               \
	{                                                                                          \
		uint64_t object = object_of(fd);                                                   \
		int r;                                                                             \
		lock();                                                                            \
		r = (int)syscall(SYS_ftruncate, fd, size);                                         \
		if (r == 0 && object)                                                              \
			put('T', object, (uint64_t)size, 0, NULL, 0, NULL, 0);                     \
		unlock();                                                                          \
		return r;                                                                          \
	}
TRUNCATE(ftruncate)
TRUNCATE(ftruncate64)

/* What others write meanwhile may not be counted as synced, so they wait. */
static int sync_as(long call, int fd)
{
	uint64_t object = object_of(fd);
	int r;

	lock();
	r = (int)syscall(call, fd);
	if (r == 0 && object)
		put('S', object, 0, 0, NULL, 0, NULL, 0);
	unlock();
	return r;
}

int fsync(int fd) { return sync_as(SYS_fsync, fd); }
int fdatasync(int fd) { return sync_as(SYS_fdatasync, fd); }
