/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The JSON reader, against what is true of any input (fuzz_reader.h) and against
 * jansson: both accept the same texts.
 */
#include <jansson.h>
#include <string.h>

#include "fuzz/fuzz_reader.h"

/*
 * jansson has none of our limits and passes over NUL bytes; numbers it refuses
 * when they do not fit its types, which is no question of form.
 */
static void compare(const char *text, size_t size, const struct fuzz_outcome *ours)
{
	json_error_t error;

	if (memchr(text, '\0', size))
		return;
	json_t *root = json_loadb(text, size, JSON_REJECT_DUPLICATES, &error);

	if (root) {
		ENSURE((ours->code == 0 && ours->documents == 1) || ours->code == FAIRLEAD_ELIMIT);
	} else if (ours->code == 0 && ours->documents == 1) {
		ENSURE(json_error_code(&error) == json_error_numeric_overflow ||
		       json_error_code(&error) == json_error_stack_overflow);
	}
	json_decref(root);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	bool is_json = size && (data[0] == '{' || data[0] == '[');
	size_t len = size + !is_json;
	char *text = malloc(len);

	ENSURE(text);
	text[0] = '[';
	if (size)
		memcpy(text + !is_json, data, size);
	struct fuzz_outcome o = fuzz_reader(text, len, /* forward= */ true);

	compare(text, len, &o);
	free(text);
	return 0;
}
