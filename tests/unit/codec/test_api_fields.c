/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The tables of fields against the fields of Kueue's API (api-fields.txt): each is known, or
 * stands below one that is passed over as a whole; and none is known that the API does not have.
 */
#include "codec/object/known.h"
#include "lib/unit.h"

enum { MAX_FIELDS = 2000, MAX_LINE = 256 };

struct api {
	struct {
		char kind[32], path[MAX_LINE];
	} row[MAX_FIELDS];
	size_t n;
};

static const struct api *api(void)
{
	static struct api a;
	char name[1024], line[MAX_LINE], kind[32] = "", version[32];
	FILE *f;

	if (a.n)
		return &a;
	(void)snprintf(name, sizeof name, "%s/tests/unit/codec/api-fields.txt",
		       getenv("FAIRLEAD_SOURCE") ? getenv("FAIRLEAD_SOURCE") : ".");
	f = fopen(name, "r");
	if (!f)
		fail_msg("%s cannot be read", name);
	while (fgets(line, sizeof line, f)) {
		line[strcspn(line, "\n")] = '\0';
		if (line[0] == '.') {
			assert_true(a.n < MAX_FIELDS);
			(void)snprintf(a.row[a.n].kind, sizeof a.row[a.n].kind, "%s", kind);
			(void)snprintf(a.row[a.n].path, sizeof a.row[a.n].path, "%s", line);
			a.n++;
		} else if (line[0] && line[0] != '#') {
			assert_int_equal(sscanf(line, "%31s %31s", kind, version), 2);
		}
	}
	(void)fclose(f);
	return &a;
}

static uint32_t kind_of(const char *name)
{
	uint32_t k = 0;

	while (fl_kube_kind(k) && strcmp(fl_kube_kind(k), name) != 0)
		k++;
	return k;
}

static bool find(const char *kind, const char *path, struct fl_kube_field *ret)
{
	uint32_t k = kind_of(kind);

	for (uint32_t f = 0; fl_kube_field(k, f, ret); f++)
		if (strcmp(ret->path, path) == 0)
			return true;
	return false;
}

/* A list that the table reads as a whole has no brackets there. */
static bool find_either(const char *kind, const char *path, struct fl_kube_field *ret)
{
	char bare[MAX_LINE];
	size_t len = strlen(path);

	if (find(kind, path, ret))
		return true;
	(void)snprintf(bare, sizeof bare, "%s", path);
	if (len > 2 && strcmp(path + len - 2, "[]") == 0)
		bare[len - 2] = '\0';
	else if (len + 2 < sizeof bare)
		memcpy(bare + len, "[]", 3);
	return find(kind, bare, ret);
}

static bool is_known(const char *kind, const char *path)
{
	struct fl_kube_field field;
	char above[MAX_LINE], *dot;

	if (find_either(kind, path, &field))
		return true;
	(void)snprintf(above, sizeof above, "%s", path);
	while ((dot = strrchr(above, '.')) != NULL && dot != above) {
		*dot = '\0';
		if (find_either(kind, above, &field))
			return field.support != FL_FIELD_SUPPORTED;
	}
	return false;
}

TEST(every_field_is_known)
{
	const struct api *a = api();

	assert_true(a->n > 1000);
	for (size_t i = 0; i < a->n; i++) {
		char text[MAX_LINE + 40];

		(void)snprintf(text, sizeof text, "%s %s", a->row[i].kind, a->row[i].path);
		CHECK(is_known(a->row[i].kind, a->row[i].path), text);
	}
}

/* The search itself can fail. */
TEST(others_are_not)
{
	assert_false(is_known("ClusterQueue", ".spec.nope"));
	assert_false(is_known("ClusterQueue", ".spec.resourceGroups[].flavors[].nope"));
	assert_false(is_known("Workload", ".spec.podSets[].template.spec.nope"));
	assert_false(is_known("Nobody", ".spec"));
	assert_true(is_known("ClusterQueue", ".status.anything"));
}

/* What the API server took in earlier versions, and people still write. */
static bool is_older(const char *kind, const char *path)
{
	return strcmp(kind, "Cohort") == 0 && strcmp(path, ".spec.parent") == 0;
}

static bool is_in_api(const char *kind, const char *path)
{
	const struct api *a = api();
	size_t len = strlen(path);

	if (len > 2 && strcmp(path + len - 2, "[]") == 0)
		len -= 2;
	for (size_t i = 0; i < a->n; i++)
		if (strcmp(a->row[i].kind, kind) == 0 && strncmp(a->row[i].path, path, len) == 0 &&
		    strchr(".[", a->row[i].path[len])) /* or the end */
			return true;
	return false;
}

TEST(none_is_made_up)
{
	static const char *const kinds[] = {
		"ResourceFlavor", "ClusterQueue",          "Cohort", "LocalQueue", "Workload",
		"Configuration",  "WorkloadPriorityClass",
	};
	static const char *const unlisted[] = { ".metadata", ".spec.podSets[].template.spec" };

	for (size_t i = 0; i < COUNT(kinds); i++) {
		struct fl_kube_field field;

		for (uint32_t f = 0; fl_kube_field(kind_of(kinds[i]), f, &field); f++) {
			bool skip = is_older(kinds[i], field.path);

			for (size_t u = 0; u < COUNT(unlisted); u++)
				skip |= strncmp(field.path, unlisted[u], strlen(unlisted[u])) == 0;
			CHECK(skip || is_in_api(kinds[i], field.path), field.path);
		}
	}
}

UNIT_GROUP("api-fields")
