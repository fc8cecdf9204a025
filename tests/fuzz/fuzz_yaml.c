/* SPDX-License-Identifier: Apache-2.0 */
/* The YAML reader, against what is true of any input (fuzz_reader.h). */
#include <string.h>

#include "fuzz/fuzz_reader.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	/* An empty comment makes it YAML, whatever it begins with. */
	char *text = malloc(size + 2);

	ENSURE(text);
	memcpy(text, "#\n", 2);
	if (size)
		memcpy(text + 2, data, size);
	(void)fuzz_reader(text, size + 2, /* forward= */ false);
	free(text);
	return 0;
}
