/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/cluster/kept.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "input/input.h"

static int fail(fairlead_error *err)
{
	char text[128];

	fl_fail(err, FAIRLEAD_EIO, "what was read of the cluster cannot be kept: %s",
		fl_system_text(errno, text));
	return fl_fail_hint(err, "is there room in $TMPDIR, or /tmp?");
}

int fl_cluster_kept_open(struct fl_cluster_kept *k, fairlead_error *err)
{
	const char *folder = getenv("TMPDIR");
	int fd = open(folder && *folder ? folder : "/tmp", O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);

	*k = (struct fl_cluster_kept){ 0 };
	if (fd < 0)
		fd = memfd_create("fairlead", MFD_CLOEXEC);
	if (fd < 0)
		return fail(err);
	k->file = fdopen(fd, "w+");
	if (k->file)
		return 0;
	close(fd);
	return fail(err);
}

int fl_cluster_kept_begin(struct fl_cluster_kept *k, const char *group, const char *version,
			  const char *kind, fairlead_error *err)
{
	rewind(k->file);
	if (ftruncate(fileno(k->file), 0) < 0)
		return fail(err);
	k->n = 0;
	snprintf(k->said, sizeof k->said, "\"apiVersion\":\"%s%s%s\",\"kind\":\"%s\",", group,
		 *group ? "/" : "", version, kind);
	fputs("{\"apiVersion\":\"v1\",\"kind\":\"List\",\"items\":[", k->file);
	return 0;
}

/*
 * Has the object, which is JSON, a key "kind" of its own?  A server leaves it out in lists of what is built
 * in, and sends it in those of definitions.
 */
static bool has_kind(const char *json)
{
	unsigned depth = 0;

	for (const char *at = json; *at; at++) {
		if (*at == '{' || *at == '[') {
			depth++;
		} else if (*at == '}' || *at == ']') {
			depth--;
		} else if (*at == '"') {
			const char *text = ++at;

			while (*at != '"')
				at += *at == '\\' ? 2 : 1;
			if (depth == 1 && at - text == 4 && memcmp(text, "kind", 4) == 0 &&
			    at[1 + strspn(at + 1, " \t\r\n")] == ':')
				return true;
		}
	}
	return false;
}

int fl_cluster_kept_add(struct fl_cluster_kept *k, const struct fl_kube_object *object,
			fairlead_error *err)
{
	const char *json = object->json;

	if (k->n++)
		putc(',', k->file);
	putc('\n', k->file);
	if (!has_kind(json)) {
		putc(*json++, k->file); /* '{', and more than that: it has a name */
		fputs(k->said, k->file);
	}
	fwrite(json, 1, object->len - (size_t)(json - object->json), k->file);
	return ferror(k->file) ? fail(err) : 0;
}

int fl_cluster_kept_end(struct fl_cluster_kept *k, const char *title, fairlead_error *err)
{
	fputs("\n]}\n", k->file);
	if (fflush(k->file) != 0 || ferror(k->file))
		return fail(err);
	k->name = fl_input_kept(fileno(k->file), title);
	return k->name ? 0 : fl_fail_nomem(err);
}

void fl_cluster_kept_done(struct fl_cluster_kept *k)
{
	if (k->file)
		fclose(k->file);
	free(k->name);
	*k = (struct fl_cluster_kept){ 0 };
}
