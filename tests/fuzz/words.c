/* SPDX-License-Identifier: Apache-2.0 */
#include "fuzz/words.h"

#include <string.h>

uint32_t pick(struct random *r, size_t below)
{
	r->state = r->state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return below ? (uint32_t)((r->state >> 33) % below) : 0;
}

void input_insert(struct input *in, size_t at, const char *text, size_t len)
{
	if (len > MAX_INPUT - in->len)
		return;
	memmove(in->bytes + at + len, in->bytes + at, in->len - at);
	memcpy(in->bytes + at, text, len);
	in->len += len;
}

static void erase(struct input *in, size_t at, size_t len)
{
	if (len > in->len - at)
		len = in->len - at;
	memmove(in->bytes + at, in->bytes + at + len, in->len - at - len);
	in->len -= len;
}

static const char *const tokens[] = {
	"0",
	"1",
	"-1",
	"2",
	"8",
	"9223372036854775807",
	"9223372036854775806",
	"8Ei",
	"7Ei",
	"4Ei",
	"1e18",
	"1e400",
	"-9223372036854775808",
	"2147483647",
	"4294967295",
	"0.5",
	"1m",
	"1n",
	"\"\"",
	"null",
	"~",
	"true",
	"false",
	"[]",
	"{}",
	"\"1\"",
	"Any",
	"Never",
	"LowerPriority",
	"LowerOrNewerEqualPriority",
	"StrictFIFO",
	"BestEffortFIFO",
	"Hold",
	"HoldAndDrain",
	"TryNextFlavor",
	"MayStopSearch",
	"pods",
	"cpu",
	"memory",
	"gpu",
	"default",
	"main",
	"Evicted",
	"Finished",
	"QuotaReserved",
	"Admitted",
	"True",
	"False",
	"cohortName",
	"parentName",
	"minCount",
	"count",
	"weight",
	"lendingLimit",
	"borrowingLimit",
	"nominalQuota",
	"priority",
	"queueName",
	"clusterQueue",
	"resourceUsage",
	"flavors",
	"podSets",
	"stopPolicy",
	"active",
	"&a ",
	"*a",
	"<<: *a",
	"!!int ",
	"|\n",
	">\n",
	"---\n",
	"...\n",
	"- ",
	": ",
	"\t",
	"#",
	"'",
	"\"",
	"%",
	"@",
	"\xff",
	"\xc3\x28",
	"\xef\xbb\xbf",
	"1970-01-01T00:00:00Z",
	"9999-12-31T23:59:59Z",
	"0000-00-00T00:00:00Z",
};

static bool in_word(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
	       c == '.' || c == '-' || c == '_' || c == '/';
}

/* The word at or behind @at. */
static size_t word(const struct input *in, size_t *at)
{
	size_t end;

	while (*at < in->len && !in_word(in->bytes[*at]))
		++*at;
	while (*at > 0 && in_word(in->bytes[*at - 1]))
		--*at;
	for (end = *at; end < in->len && in_word(in->bytes[end]);)
		end++;
	return end - *at;
}

/* Like @word, but one with a digit first, where there is one not far away. */
static size_t number(const struct input *in, size_t *at)
{
	for (int i = 0; i < 200 && *at + 1 < in->len; i++, ++*at)
		if (in->bytes[*at] >= '0' && in->bytes[*at] <= '9')
			break;
	return word(in, at);
}

static void replace(struct input *in, size_t at, size_t len, const char *text, size_t n)
{
	char copy[64];

	if (n > sizeof copy)
		n = sizeof copy;
	memcpy(copy, text, n);
	erase(in, at, len);
	input_insert(in, at, copy, n);
}

void words_change(struct input *in, struct random *r, bool gently)
{
	const char *token = tokens[pick(r, sizeof tokens / sizeof *tokens)];
	size_t at = pick(r, in->len), other = pick(r, in->len), len, n;
	char *line, copy[4096];

	if (in->len == 0)
		return;
	switch (gently ? 3 + pick(r, 5) : pick(r, 10)) {
	case 0:
		in->bytes[at] = (char)pick(r, 256);
		break;
	case 1:
		erase(in, at, 1 + pick(r, 16));
		break;
	case 2:
		input_insert(in, at, token, strlen(token));
		break;
	case 3:
	case 4: /* a word becomes a token */
		len = word(in, &at);
		replace(in, at, len, token, strlen(token));
		break;
	case 5: /* a word becomes another of the input: names meet */
		len = word(in, &at);
		n = word(in, &other);
		replace(in, at, len, in->bytes + other, n);
		break;
	case 6:
	case 7: /* a number becomes an odd one */
		len = number(in, &at);
		token = tokens[pick(r, 18)];
		replace(in, at, len, token, strlen(token));
		break;
	case 8: /* a stretch stands twice */
		len = 1 + pick(r, sizeof copy);
		len = len < in->len - at ? len : in->len - at;
		memcpy(copy, in->bytes + at, len);
		input_insert(in, other, copy, len);
		break;
	case 9: /* a line is gone */
		line = memchr(in->bytes + at, '\n', in->len - at);
		if (line)
			erase(in, (size_t)(line - in->bytes), 1 + strcspn(line + 1, "\n"));
		break;
	}
}
