/* SPDX-License-Identifier: Apache-2.0 */
/* folder - the files beside each other */
#ifndef FL_STORE_FOLDER_H
#define FL_STORE_FOLDER_H

#include <dirent.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

#define FL_STORE_DATABASE "fairlead.db"

enum { FL_STORE_PATH = 4096 };

enum fl_folder_how {
	FL_FOLDER_THERE,   /* FAIRLEAD_ENOENT when it is not */
	FL_FOLDER_CREATED, /* when it is not there */
	FL_FOLDER_NEW,     /* it must not be there */
};
/* @ret_fd of the folder; @ret_path as the kernel sees it, of FL_STORE_PATH bytes. */
int fl_store_folder_open(const char *path, enum fl_folder_how how, int *ret_fd, char *ret_path,
			 fairlead_error *err);
/* FAIRLEAD_ESTATE: another process has it. The lock goes when @ret_fd is closed. */
int fl_folder_lock(int folder, const char *path, int *ret_fd, fairlead_error *err);
int fl_folder_has(int folder, const char *name); /* 1, 0 */
int fl_folder_sync(int folder, const char *path, fairlead_error *err);
/* A new file for this user only; one that is there is removed first. */
int fl_store_folder_make(int folder, const char *path, const char *name, int *ret_fd,
			 fairlead_error *err);
/* @name is @from from now on, durably. */
int fl_folder_rename(int folder, const char *path, const char *from, const char *name,
		     fairlead_error *err);
/*
 * A folder @part that is made beside @path, which must not be there, and gets its name when it is
 * whole.  It is nobody else's until @ret_fd is closed (FAIRLEAD_ESTATE: it is somebody's); one that
 * was left by a kill is removed.  @ret_path: where it is, in full.
 */
int fl_folder_begin(const char *path, char part[FL_STORE_PATH], int *ret_fd, char *ret_path,
		    fairlead_error *err);
int fl_folder_finish(const char *part, const char *path, fairlead_error *err);
/* To be read and closed; NULL with errno. */
DIR *fl_folder_entries(int at, const char *name);
/* With what a backup has in it; nothing else is touched. */
void fl_store_folder_remove(const char *path);
int fl_folder_join(char ret[FL_STORE_PATH], const char *path, const char *name,
		   fairlead_error *err);
/* From an open file to a new one, durably. */
int fl_folder_copy(int from, int folder, const char *path, const char *name, fairlead_error *err);
/* What errno says about @name in @path. FAIRLEAD_EIO. */
int fl_folder_fail(const char *path, const char *name, const char *doing, fairlead_error *err);
int fl_folder_no_path(const char *path, fairlead_error *err);

#endif
