/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/cluster/rbac.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "cli/cluster/kinds.h"

/* One that is asked for by its name alone has a rule of its own. */
static bool is_alone(const struct fl_cluster_kind *row) { return row->source.fields; }

static void print_rule(const char *group, const char *resources, const char *names)
{
	printf("- apiGroups: [\"%s\"]\n  resources: [%s]\n", group, resources);
	if (names)
		printf("  resourceNames: [%s]\n", names);
	puts("  verbs: [list]");
}

/* All kinds of the group of row @first, which is the first of its group. */
static void print_group(const struct fl_cluster_kind *first)
{
	const struct fl_cluster_kind *row;
	char list[600] = "";

	for (unsigned i = 0; (row = fl_cluster_kind(i)); i++) {
		size_t len = strlen(list);

		if (strcmp(row->source.group, first->source.group) == 0 && !is_alone(row))
			snprintf(list + len, sizeof list - len, "%s%s", len ? ", " : "",
				 row->source.plural);
	}
	print_rule(first->source.group, list, NULL);
}

static bool is_first(unsigned at)
{
	const struct fl_cluster_kind *row = fl_cluster_kind(at);

	for (unsigned i = 0; i < at; i++)
		if (strcmp(fl_cluster_kind(i)->source.group, row->source.group) == 0 &&
		    !is_alone(fl_cluster_kind(i)))
			return false;
	return !is_alone(row);
}

void fl_cluster_print_role(void)
{
	const struct fl_cluster_kind *row;

	puts("# What 'fairlead --context' reads, and nothing else.  For a user:\n"
	     "#   kubectl create clusterrolebinding fairlead-read --clusterrole=fairlead-read "
	     "--user=NAME\n"
	     "apiVersion: rbac.authorization.k8s.io/v1\n"
	     "kind: ClusterRole\n"
	     "metadata:\n"
	     "  name: fairlead-read\n"
	     "rules:");
	for (unsigned i = 0; (row = fl_cluster_kind(i)); i++) {
		if (is_first(i))
			print_group(row);
		else if (is_alone(row))
			print_rule(row->source.group, row->source.plural,
				   strchr(row->source.fields, '=') + 1);
	}
}
