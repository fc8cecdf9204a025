/* SPDX-License-Identifier: Apache-2.0 */
/*
 * replay - a fuzzer without libFuzzer: feeds it inputs that were found before
 *
 *   replay FILE|FOLDER...
 *
 * A FILE named *.tar.gz is a corpus: each of its files is one input.  Any other
 * FILE is itself one, and so is each file of a FOLDER.  Every input is copied to the end of a heap object of its
 * own, so that the sanitizers and valgrind see a read beyond it.
 */
#include <dirent.h>
#include <stdbool.h>
#include <string.h>
#include <sys/stat.h>
#include <zlib.h>

#include "fuzz/fuzz.h"

enum { TAR_BLOCK = 512 };

static _Noreturn void give_up(const char *name, const char *text)
{
	fprintf(stderr, "replay: %s: %s\n", name, text);
	exit(3);
}

static void *must(void *ptr, const char *name)
{
	if (!ptr)
		give_up(name, "cannot be read");
	return ptr;
}

static void feed(gzFile f, const char *name, size_t size)
{
	uint8_t *bytes = must(malloc(size ? size : 1), name);

	if (gzread(f, bytes, (unsigned)size) != (int)size)
		give_up(name, "ends too early");
	(void)LLVMFuzzerTestOneInput(bytes, size);
	free(bytes);
}

static unsigned long feed_corpus(gzFile f, const char *name)
{
	char head[TAR_BLOCK];
	unsigned long n = 0;

	while (gzread(f, head, TAR_BLOCK) == TAR_BLOCK && head[0]) {
		size_t size = strtoul(head + 124, NULL, 8);
		size_t padding = (TAR_BLOCK - size % TAR_BLOCK) % TAR_BLOCK;

		if (memcmp(head + 257, "ustar", 5) != 0)
			give_up(name, "not a tar file");
		if (head[156] == '0') {
			feed(f, name, size);
			n++;
		}
		gzread(f, head, (unsigned)padding);
	}
	if (n == 0)
		give_up(name, "holds no inputs");
	return n;
}

static unsigned long feed_file(gzFile f, const char *name)
{
	static char bytes[1 << 22];
	int n = gzread(f, bytes, sizeof bytes);
	uint8_t *copy;

	if (n < 0)
		give_up(name, "cannot be read");
	copy = must(malloc(n ? (size_t)n : 1), name);
	memcpy(copy, bytes, (size_t)n);
	(void)LLVMFuzzerTestOneInput(copy, (size_t)n);
	free(copy);
	return 1;
}

static bool ends_with(const char *text, const char *end)
{
	size_t n = strlen(text), k = strlen(end);

	return n >= k && strcmp(text + n - k, end) == 0;
}

static unsigned long feed_path(const char *name)
{
	gzFile f = must(gzopen(name, "rb"), name);
	unsigned long n = ends_with(name, ".tar.gz") ? feed_corpus(f, name) : feed_file(f, name);

	gzclose(f);
	return n;
}

static unsigned long feed_folder(const char *name)
{
	struct dirent **entries;
	int found = scandir(name, &entries, /* filter= */ NULL, alphasort);
	unsigned long n = 0;

	for (int i = 0; i < found; i++) {
		char path[4096];

		(void)snprintf(path, sizeof path, "%s/%s", name, entries[i]->d_name);
		if (entries[i]->d_name[0] != '.')
			n += feed_path(path);
		free(entries[i]);
	}
	if (found < 0 || n == 0)
		give_up(name, "holds no inputs");
	free(entries);
	return n;
}

int main(int argc, char **argv)
{
	unsigned long n = 0;
	struct stat st;

	for (int i = 1; i < argc; i++) {
		bool folder = stat(argv[i], &st) == 0 && S_ISDIR(st.st_mode);

		n += folder ? feed_folder(argv[i]) : feed_path(argv[i]);
	}
	printf("%lu inputs\n", n);
	return n ? 0 : 2;
}
