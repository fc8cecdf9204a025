/* SPDX-License-Identifier: Apache-2.0 */
/* Beside libFuzzer's own changes, which mostly break the form, half of them are of words. */
#include <string.h>

#include "fuzz/fuzz.h"
#include "fuzz/words.h"

size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max, unsigned seed);

__attribute__((weak)) size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max)
{
	(void)data; /* libFuzzer has the real one */
	(void)max;
	return size;
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max, unsigned seed)
{
	static struct input in;
	struct random r = { seed };

	(void)pick(&r, 2);
	if (size == 0 || size > MAX_INPUT || pick(&r, 2))
		return LLVMFuzzerMutate(data, size, max);
	memcpy(in.bytes, data, size);
	in.len = size;
	for (uint32_t n = 1 + pick(&r, 4); n-- > 0;)
		words_change(&in, &r, pick(&r, 4) != 0);
	in.len = in.len < max ? in.len : max;
	memcpy(data, in.bytes, in.len);
	return in.len;
}
