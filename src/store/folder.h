/* SPDX-License-Identifier: Apache-2.0 */
/* folder - the state folder and its files */
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
	FL_FOLDER_THERE,   /* it must exist: FAIRLEAD_ENOENT */
	FL_FOLDER_CREATED, /* made if it does not exist */
	FL_FOLDER_NEW,     /* it must not exist */
};
/* Opens the folder: @ret_fd; @ret_path: its real path, in FL_STORE_PATH bytes. */
int fl_store_folder_open(const char *path, enum fl_folder_how how, int *ret_fd, char *ret_path,
			 fairlead_error *err);
/* Locks the folder until @ret_fd is closed. FAIRLEAD_ESTATE: another process has it. */
int fl_folder_lock(int folder, const char *path, int *ret_fd, fairlead_error *err);
int fl_folder_has(int folder, const char *name); /* 1, 0 */
int fl_folder_sync(int folder, const char *path, fairlead_error *err);
/* Makes a new file for this user only; an existing one is removed first. */
int fl_store_folder_make(int folder, const char *path, const char *name, int *ret_fd,
			 fairlead_error *err);
/* Renames @from to @name, durably. */
int fl_folder_rename(int folder, const char *path, const char *from, const char *name,
		     fairlead_error *err);
/*
 * Makes a folder @part beside @path, which must not exist; it gets that name when it is complete.
 * It is locked until @ret_fd is closed (FAIRLEAD_ESTATE: another process has it locked); one that a
 * kill has left is removed.  @ret_path: its full path.
 */
int fl_folder_begin(const char *path, char part[FL_STORE_PATH], int *ret_fd, char *ret_path,
		    fairlead_error *err);
int fl_folder_finish(const char *part, const char *path, fairlead_error *err);
/* The entries, to be read and closed by the caller; NULL with errno. */
DIR *fl_folder_entries(int at, const char *name);
/* Removes a folder with the files of a backup; other files stay. */
void fl_store_folder_remove(const char *path);
int fl_folder_join(char ret[FL_STORE_PATH], const char *path, const char *name,
		   fairlead_error *err);
/* Copies an open file to a new one, durably. */
int fl_folder_copy(int from, int folder, const char *path, const char *name, fairlead_error *err);
/* The error of errno for @name in @path. FAIRLEAD_EIO. */
int fl_folder_fail(const char *path, const char *name, const char *doing, fairlead_error *err);
int fl_folder_no_path(const char *path, fairlead_error *err);

#endif
