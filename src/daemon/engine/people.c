/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/engine/people.h"

#include <stdio.h>
#include <string.h>

static bool lists(const struct fl_sees *s, const char *namespace, size_t len)
{
	for (uint32_t i = 0; i < s->n; i++)
		if (strncmp(s->namespaces[i], namespace, len) == 0 && !s->namespaces[i][len])
			return true;
	return false;
}

bool fl_sees_namespace(const struct fl_sees *s, const char *namespace)
{
	size_t len = strlen(namespace);

	return !s || (len < FL_PEOPLE_NAMESPACE && lists(s, namespace, len));
}

bool fl_sees_inside(const struct fl_sees *s, const char *name)
{
	size_t len = strcspn(name, "/");

	return !s || (name[len] == '/' && len < FL_PEOPLE_NAMESPACE && lists(s, name, len));
}

bool fl_sees_queues(const struct fl_sees *s) { return !s || s->queues; }

const char *fl_sees_text(const struct fl_sees *s, const char *text, char buffer[FL_PEOPLE_TEXT])
{
	bool inside = false;
	size_t n = 0;

	if (!text || fl_sees_queues(s))
		return text;
	for (; *text && n < FL_PEOPLE_TEXT - sizeof "'hidden"; text++) {
		if (*text == '\'') {
			inside = !inside;
			n += (size_t)sprintf(buffer + n, "%s", inside ? "'hidden" : "'");
		} else if (!inside) {
			buffer[n++] = *text;
		}
	}
	buffer[n] = '\0';
	return buffer;
}
