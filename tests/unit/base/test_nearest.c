/* SPDX-License-Identifier: Apache-2.0 */
#include "base/nearest.h"

#include "lib/unit.h"

TEST(what_is_offered)
{
	static const struct {
		const char *wanted, *names[4], *text;
	} rows[] = {
		{ "dfault", { "default", "spot" }, "'default'" },
		{ "gpu", { "cpu", "gpus", "memory" }, "'cpu' or 'gpus'" },
		{ "paln", { "page", "plan" }, "'plan' or 'page'" }, /* two letters are exchanged */
		{ "lpna", { "plan" }, "'plan'" },
		{ "xlpna", { "plan" }, "" },
		{ "home/main",
		  { "lab/main", "lab/other" },
		  "'lab/main'" }, /* of another namespace */
		{ "lab/rayjob-x",
		  { "lab/rayjob-x-bc512", "lab/job-x-bc512" },
		  "'lab/rayjob-x-bc512'" },
		{ "a", { "abcdefgh" }, "" }, /* too short to be the beginning of a name */
		{ "abc", { "abcdefgh" }, "" },
		{ "abcd", { "abcdefghijkl" }, "'abcdefghijkl'" },
		{ "team-a", { "something-else" }, "" },
	};

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct fl_nearest near = { .wanted = rows[i].wanted };
		char text[200];

		for (size_t k = 0; k < 4 && rows[i].names[k]; k++)
			fl_nearest_offer(&near, rows[i].names[k]);
		CHECK(strcmp(fl_nearest_text(&near, text, sizeof text), rows[i].text) == 0, text);
	}
}

UNIT_GROUP("nearest")
