/* SPDX-License-Identifier: Apache-2.0 */
#include "fail_vfs.h"

#include <errno.h>
#include <sqlite3.h>
#include <stddef.h>

struct fail_plan fail_plan;

/* The real file stands behind ours. */
struct file {
	sqlite3_file base;
	sqlite3_file *real;
};

static sqlite3_vfs *system_vfs;
static int last_error;

static sqlite3_file *real_of(sqlite3_file *f) { return ((struct file *)f)->real; }

static bool fails(bool sync)
{
	struct fail_plan *p = &fail_plan;

	if (p->at == 0 || (p->how == FAIL_SYNC && !sync))
		return false;
	p->count++;
	if (p->count != p->at && !(p->for_good && p->count > p->at))
		return false;
	p->failed++;
	last_error = p->how == FAIL_FULL ? ENOSPC : EIO;
	return true;
}

static int on_write(sqlite3_file *f, const void *bytes, int n, sqlite3_int64 at)
{
	sqlite3_file *real = real_of(f);

	if (!fails(false))
		return real->pMethods->xWrite(real, bytes, n, at);
	if (fail_plan.how != FAIL_FULL)
		return SQLITE_IOERR_WRITE;
	(void)real->pMethods->xWrite(real, bytes, n / 2, at);
	return SQLITE_FULL;
}

static int on_sync(sqlite3_file *f, int flags)
{
	sqlite3_file *real = real_of(f);

	/* Where there is no room a sync may still succeed. */
	if (fail_plan.how != FAIL_FULL && fails(true))
		return SQLITE_IOERR_FSYNC;
	return real->pMethods->xSync(real, flags);
}

static int on_shm_map(sqlite3_file *f, int page, int size, int extend, void volatile **ret)
{
	sqlite3_file *real = real_of(f);
	void volatile *there = NULL;
	int rc = real->pMethods->xShmMap(real, page, size, 0, &there);

	if (rc != SQLITE_OK || there || !extend) {
		*ret = there;
		return rc;
	}
	return fails(false) ? SQLITE_IOERR_SHMSIZE :
			      real->pMethods->xShmMap(real, page, size, extend, ret);
}

/* --- the rest as it is --- */

static int on_close(sqlite3_file *f) { return real_of(f)->pMethods->xClose(real_of(f)); }

static int on_read(sqlite3_file *f, void *to, int n, sqlite3_int64 at)
{
	return real_of(f)->pMethods->xRead(real_of(f), to, n, at);
}

static int on_truncate(sqlite3_file *f, sqlite3_int64 size)
{
	return real_of(f)->pMethods->xTruncate(real_of(f), size);
}

static int on_size(sqlite3_file *f, sqlite3_int64 *ret)
{
	return real_of(f)->pMethods->xFileSize(real_of(f), ret);
}

static int on_lock(sqlite3_file *f, int how)
{
	return real_of(f)->pMethods->xLock(real_of(f), how);
}

static int on_unlock(sqlite3_file *f, int how)
{
	return real_of(f)->pMethods->xUnlock(real_of(f), how);
}

static int on_reserved(sqlite3_file *f, int *ret)
{
	return real_of(f)->pMethods->xCheckReservedLock(real_of(f), ret);
}

static int on_control(sqlite3_file *f, int op, void *arg)
{
	return real_of(f)->pMethods->xFileControl(real_of(f), op, arg);
}

static int on_sector(sqlite3_file *f) { return real_of(f)->pMethods->xSectorSize(real_of(f)); }

static int on_device(sqlite3_file *f)
{
	return real_of(f)->pMethods->xDeviceCharacteristics(real_of(f));
}

static int on_shm_lock(sqlite3_file *f, int offset, int n, int flags)
{
	return real_of(f)->pMethods->xShmLock(real_of(f), offset, n, flags);
}

static void on_shm_barrier(sqlite3_file *f) { real_of(f)->pMethods->xShmBarrier(real_of(f)); }

static int on_shm_unmap(sqlite3_file *f, int remove)
{
	return real_of(f)->pMethods->xShmUnmap(real_of(f), remove);
}

static const sqlite3_io_methods methods = {
	.iVersion = 2,
	.xClose = on_close,
	.xRead = on_read,
	.xWrite = on_write,
	.xTruncate = on_truncate,
	.xSync = on_sync,
	.xFileSize = on_size,
	.xLock = on_lock,
	.xUnlock = on_unlock,
	.xCheckReservedLock = on_reserved,
	.xFileControl = on_control,
	.xSectorSize = on_sector,
	.xDeviceCharacteristics = on_device,
	.xShmMap = on_shm_map,
	.xShmLock = on_shm_lock,
	.xShmBarrier = on_shm_barrier,
	.xShmUnmap = on_shm_unmap,
};

static int on_open(sqlite3_vfs *vfs, const char *name, sqlite3_file *f, int flags, int *ret_flags)
{
	struct file *file = (struct file *)f;
	int rc;

	(void)vfs;
	file->real = (sqlite3_file *)(file + 1);
	rc = system_vfs->xOpen(system_vfs, name, file->real, flags, ret_flags);
	file->base.pMethods = file->real->pMethods ? &methods : NULL;
	return rc;
}

static int on_last_error(sqlite3_vfs *vfs, int n, char *text)
{
	(void)vfs;
	(void)n;
	(void)text;
	return last_error;
}

const char *fail_vfs(void)
{
	static sqlite3_vfs ours;

	if (system_vfs)
		return ours.zName;
	system_vfs = sqlite3_vfs_find(NULL);
	ours = *system_vfs;
	ours.pNext = NULL;
	ours.zName = "failing";
	ours.szOsFile = (int)sizeof(struct file) + system_vfs->szOsFile;
	ours.xOpen = on_open;
	ours.xGetLastError = on_last_error;
	return sqlite3_vfs_register(&ours, 0) == SQLITE_OK ? ours.zName : NULL;
}
