/* SPDX-License-Identifier: Apache-2.0 */
#include "backend/process/inside.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "backend/process/text.h"

bool fl_group_end(const struct fl_group_files *f)
{
	return f->kill >= 0 && write(f->kill, "1", 1) == 1;
}

bool fl_group_is_empty(const struct fl_group_files *f)
{
	char text[256];

	return f->folder < 0 || fl_text_at(f->folder, "cgroup.events", text, sizeof text) < 0 ||
	       !strstr(text, "populated 1");
}

/* The number behind @key in a file of the group; without a key all that is in it. */
static bool number_in(const struct fl_group_files *f, const char *name, const char *key,
		      uint64_t *ret)
{
	char text[2048] = "\n";
	size_t n = strlen(key);

	if (f->folder < 0 || fl_text_at(f->folder, name, text + 1, sizeof text - 1) < 0)
		return false;
	for (const char *line = text; line; line = strchr(line + 1, '\n'))
		if (strncmp(line + 1, key, n) == 0 && line[1 + n] >= '0' && line[1 + n] <= '9') {
			*ret = strtoull(line + 1 + n, NULL, 10);
			return true;
		}
	return false;
}

bool fl_group_out_of_memory(const struct fl_group_files *f)
{
	uint64_t kills;

	return number_in(f, "memory.events", "oom_kill ", &kills) && kills > 0;
}

void fl_group_used(const struct fl_group_files *f, uint64_t *cpu, uint64_t *memory)
{
	uint64_t us;

	if (number_in(f, "cpu.stat", "usage_usec ", &us))
		*cpu = us * 1000;
	(void)number_in(f, "memory.peak", "", memory);
}
