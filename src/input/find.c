/* SPDX-License-Identifier: Apache-2.0 */
#include <dirent.h>
#include <errno.h>
#include <glob.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/limits.h"
#include "input/input.h"

static int fail_at(fairlead_error *err, const char *name, int code, const char *text)
{
	fl_fail(err, code, "%s", text);
	snprintf(err->file, sizeof(err->file), "%s", name);
	return code;
}

static int add(struct fl_inputs *in, const char *name, fairlead_error *err)
{
	if (in->n == in->cap) {
		uint32_t cap = in->cap ? in->cap * 2 : 16;
		char **grown = realloc(in->names, cap * sizeof(*grown));

		if (!grown)
			return fl_fail_nomem(err);
		in->names = grown;
		in->cap = cap;
	}
	char *copy = strdup(name);
	if (!copy)
		return fl_fail_nomem(err);
	in->names[in->n++] = copy;
	return 0;
}

void fl_inputs_done(struct fl_inputs *in)
{
	for (uint32_t i = 0; i < in->n; i++)
		free(in->names[i]);
	free(in->names);
	*in = (struct fl_inputs){ 0 };
}

static bool is_manifest(const char *name)
{
	static const char *const endings[] = {
		".yaml", ".yml", ".json", ".yaml.gz", ".yml.gz", ".json.gz",
	};
	size_t len = strlen(name);

	for (unsigned i = 0; i < sizeof(endings) / sizeof(endings[0]); i++) {
		size_t n = strlen(endings[i]);

		if (len > n && strcmp(name + len - n, endings[i]) == 0)
			return true;
	}
	return false;
}

static int not_hidden(const struct dirent *entry) { return entry->d_name[0] != '.'; }

/* By bytes: alphasort would follow the locale. */
static int by_name(const struct dirent **a, const struct dirent **b)
{
	return strcmp((*a)->d_name, (*b)->d_name);
}

static int search(struct fl_inputs *in, const char *folder, unsigned depth, fairlead_error *err);

/*
 * One entry of a folder.  Links to files are followed, links to folders are not, as they may form a
 * loop.
 */
static int search_entry(struct fl_inputs *in, const char *folder, const char *entry, unsigned depth,
			fairlead_error *err)
{
	size_t size = strlen(folder) + strlen(entry) + 2;
	bool slash = folder[strlen(folder) - 1] == '/';
	struct stat st;
	char text[128];
	int rc = 0;

	char *path = malloc(size);
	if (!path)
		return fl_fail_nomem(err);
	snprintf(path, size, "%s%s%s", folder, slash ? "" : "/", entry);
	if (lstat(path, &st) < 0)
		rc = fail_at(err, path, FAIRLEAD_EINPUT, fl_system_text(errno, text));
	else if (S_ISDIR(st.st_mode))
		rc = search(in, path, depth + 1, err);
	else if (is_manifest(entry))
		rc = add(in, path, err);
	free(path);
	return rc;
}

static int search(struct fl_inputs *in, const char *folder, unsigned depth, fairlead_error *err)
{
	struct dirent **entries;
	char text[128];
	int rc = 0;

	if (depth > FL_MAX_DEPTH)
		return fail_at(err, folder, FAIRLEAD_ELIMIT, "folders are nested too deeply");
	int n = scandir(folder, &entries, not_hidden, by_name);
	if (n < 0 && errno == ENOMEM)
		return fl_fail_nomem(err);
	if (n < 0)
		return fail_at(err, folder, FAIRLEAD_EINPUT, fl_system_text(errno, text));
	for (int i = 0; i < n; i++) {
		if (rc == 0)
			rc = search_entry(in, folder, entries[i]->d_name, depth, err);
		free(entries[i]);
	}
	free(entries);
	return rc;
}

static int find_folder(struct fl_inputs *in, const char *folder, fairlead_error *err)
{
	uint32_t before = in->n;

	int rc = search(in, folder, 0, err);
	if (rc < 0 || in->n > before)
		return rc;
	fail_at(err, folder, FAIRLEAD_EINPUT, "no manifests in this folder");
	fl_fail_hint(err, "files named *.yaml, *.yml or *.json, also with .gz, are read");
	return FAIRLEAD_EINPUT;
}

static int find_glob(struct fl_inputs *in, const char *pattern, fairlead_error *err)
{
	glob_t found;
	int rc = 0;

	int failed = glob(pattern, GLOB_NOSORT, NULL, &found);
	if (failed == GLOB_NOMATCH)
		return fail_at(err, pattern, FAIRLEAD_EINPUT, "no file matches this pattern");
	if (failed)
		return failed == GLOB_NOSPACE ?
			       fl_fail_nomem(err) :
			       fail_at(err, pattern, FAIRLEAD_EINPUT, "cannot be searched");
	uint32_t first = in->n;
	for (size_t i = 0; i < found.gl_pathc && rc == 0; i++)
		rc = add(in, found.gl_pathv[i], err);
	globfree(&found);
	/*
	 * glob sorts by locale: sort by bytes.  There are few names, so an insertion sort is
	 * enough.
	 */
	for (uint32_t i = first; i < in->n; i++)
		for (uint32_t k = i; k > first && strcmp(in->names[k - 1], in->names[k]) > 0; k--) {
			char *swap = in->names[k];

			in->names[k] = in->names[k - 1];
			in->names[k - 1] = swap;
		}
	return rc;
}

static int find_one(struct fl_inputs *in, const char *name, fairlead_error *err)
{
	struct stat st;
	char text[128];

	if (fl_input_is_kept(name))
		return add(in, name, err);
	if (strcmp(name, "-") == 0) {
		for (uint32_t i = 0; i < in->n; i++)
			if (strcmp(in->names[i], "-") == 0)
				return fail_at(err, "standard input", FAIRLEAD_EINPUT,
					       "can be read only once");
		return add(in, name, err);
	}
	if (stat(name, &st) < 0) {
		int why = errno;

		if (why == ENOENT && strpbrk(name, "*?["))
			return find_glob(in, name, err);
		return fail_at(err, name, FAIRLEAD_EINPUT, fl_system_text(why, text));
	}
	if (S_ISDIR(st.st_mode))
		return find_folder(in, name, err);
	return add(in, name, err);
}

int fl_inputs_find(struct fl_inputs *in, char **arguments, uint32_t n, fairlead_error *err)
{
	int rc = 0;

	for (uint32_t i = 0; i < n && rc == 0; i++)
		rc = find_one(in, arguments[i], err);
	return rc;
}

char *fl_input_beside(const char *document, const char *name)
{
	const char *slash = strrchr(document, '/');
	char *path = NULL;

	if (name[0] == '/')
		return strdup(name);
	/* A file named in a document is never standard input. */
	if (asprintf(&path, "%.*s%s%s", slash ? (int)(slash - document + 1) : 0, document,
		     !slash && strcmp(name, "-") == 0 ? "./" : "", name) < 0)
		return NULL;
	return path;
}
