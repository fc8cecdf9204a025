/* SPDX-License-Identifier: Apache-2.0 */
/* routes - prints a page with the table of the API's paths as it is (routes.def): routes PAGE */
#include <stdio.h>
#include <string.h>

static const struct argument {
	const char *id, *name;
} arguments[] = {
#define ARGUMENT(id, name, type, text) { #id, name },
#include "daemon/api/routes.def"
};

static const struct route {
	const char *method, *path, *who, *arguments, *text;
} routes[] = {
#define TEXT_OF(...) #__VA_ARGS__
#define SPREAD(...) TEXT_OF(__VA_ARGS__)
#define ARGS(...) SPREAD(__VA_ARGS__)
#define NO_ARGUMENTS ""
#define ROUTE(method, path, handler, who, daemons, action, arguments, body, answer, text)          \
	{ #method, path, #who, arguments, text },
#include "daemon/api/routes.def"
};

/* "STATE, QUEUE" as "?state=&queue=". */
static void put_arguments(const char *ids)
{
	for (const char *at = ids; *at;) {
		size_t n = strcspn(at, ", ");

		for (size_t i = 0; i < sizeof arguments / sizeof *arguments; i++)
			if (strncmp(arguments[i].id, at, n) == 0 && !arguments[i].id[n])
				printf("%s%s=", at == ids ? "?" : "&", arguments[i].name);
		at += n;
		at += strspn(at, ", ");
	}
}

static void put_routes(void)
{
	puts("\n| request | allowed to | answer |\n|---|---|---|");
	for (size_t i = 0; i < sizeof routes / sizeof *routes; i++) {
		const struct route *r = &routes[i];

		printf("| `%s %s", r->method, r->path);
		put_arguments(r->arguments);
		printf("` | %s | %s |\n",
		       strcmp(r->who, "OWNER") == 0 ? "owner" :
		       strcmp(r->who, "ADMIN") == 0 ? "admins" :
						      "all",
		       r->text);
	}
	puts("");
}

int main(int argc, char **argv)
{
	char line[4096];
	int within = 0;
	FILE *page = argc == 2 ? fopen(argv[1], "r") : NULL;

	if (!page)
		return 2;
	while (fgets(line, sizeof line, page)) {
		if (strcmp(line, "<!-- end of routes -->\n") == 0)
			within = 0;
		if (!within)
			fputs(line, stdout);
		if (strcmp(line, "<!-- routes -->\n") == 0) {
			within = 1;
			put_routes();
		}
	}
	return fclose(page) != 0 || within;
}
