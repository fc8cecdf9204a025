/* SPDX-License-Identifier: Apache-2.0 */
#include "record/record.h"

static const char *const reasons[] = {
#define FL_REASON(id, name, sentence) name,
#include "record/reason.def"
#undef FL_REASON
};

static const char *const sentences[] = {
#define FL_REASON(id, name, sentence) sentence,
#include "record/reason.def"
#undef FL_REASON
};

static const char *const checks[] = {
#define FL_CHECK(id, name, meaning) name,
#include "record/check.def"
#undef FL_CHECK
};

static const char *const meanings[] = {
#define FL_CHECK(id, name, meaning) meaning,
#include "record/check.def"
#undef FL_CHECK
};

const char *fl_reason_name(enum fl_reason reason)
{
	return (unsigned)reason < FL_REASONS ? reasons[reason] : "";
}

const char *fl_reason_sentence(enum fl_reason reason)
{
	return (unsigned)reason < FL_REASONS ? sentences[reason] : "";
}

const char *fl_check_name(enum fl_check check)
{
	return (unsigned)check < FL_CHECKS ? checks[check] : "";
}

const char *fl_check_meaning(enum fl_check check)
{
	return (unsigned)check < FL_CHECKS ? meanings[check] : "";
}
