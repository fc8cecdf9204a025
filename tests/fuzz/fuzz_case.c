/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One line of a recorded case (tests/conformance): read or refused; what is read
 * lies within the line, and makes a document that the engine reads or refuses.
 */
#include <string.h>

#include "conformance/case.h"
#include "fuzz/fuzz.h"

static void check_part(const char *line, size_t len, const struct case_text *part)
{
	if (!part->text)
		return;
	ENSURE(part->text >= line && part->len >= 2 && part->text + part->len <= line + len);
	ENSURE(strchr("[{", part->text[0]) && strchr("]}", part->text[part->len - 1]));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct case_row row;
	fairlead_error err = { 0 };
	const uint8_t *end = size ? memchr(data, '\n', size) : NULL;

	if (end) /* a case is one line */
		size = (size_t)(end - data);
	char *line = malloc(size + 1);

	ENSURE(line);
	if (size)
		memcpy(line, data, size);
	line[size] = '\0';
	int r = case_parse(line, size, &row, &err);

	if (r < 0) {
		ENSURE(err.code == r && err.text[0]);
	} else {
		struct fl_model *m = NULL;
		size_t len = 0;

		if (!row.kind[0]) /* a case of arithmetic has none */
			check_part(line, size, &row.objects);
		check_part(line, size, &row.expected);
		check_part(line, size, &row.fair_sharing);
		check_part(line, size, &row.admission_fair_sharing);
		char *list = case_list(&row, &row.objects, &len);

		ENSURE(strlen(list) == len);
		if (case_model(&row, &fl_mem_heap, list, len, &m, &err) < 0)
			ENSURE(err.text[0]);
		fl_model_free(m);
		free(list);
	}
	free(line);
	return 0;
}
