/* SPDX-License-Identifier: Apache-2.0 */
/* Codes and tokens of pages: once, for how long, how many, and with whose rights. */
#include <stdio.h>
#include <string.h>

#include "daemon/page/pages.h"
#include "lib/unit.h"

enum { ALICE = 4001, BOB = 4002 };

/* A code of this user, and its page; NULL: it was refused. */
static const struct fl_page *open_one(struct fl_pages *p, uid_t uid, fl_time now, fl_time expires,
				      char code[FL_TOKEN_TEXT], fairlead_error *err)
{
	const struct fl_principal who = fl_principal_user(uid, 1);
	const struct fl_page_wish wish = { .who = &who, .expires = expires };
	const struct fl_page *page = NULL;

	return fl_pages_open(p, &wish, now, code, &page, err) == 0 ? page : NULL;
}

TEST(a_code_is_used_once)
{
	struct fl_pages *p = fl_pages_new();
	char code[FL_TOKEN_TEXT], token[FL_TOKEN_TEXT], again[FL_TOKEN_TEXT];
	const struct fl_page *page = open_one(p, ALICE, 0, FL_TIME_NONE, code, NULL), *got = NULL;
	fairlead_error err = { 0 };

	assert_true(page && page->who.page == page->number && page->number != 0);
	assert_true(fl_pages_find(p, code, 1) == NULL);
	assert_true(fl_pages_exchange(p, code, 1, token, &got, &err) == 0 && got == page);
	assert_true(strcmp(code, token) != 0);
	assert_true(fl_pages_find(p, token, 1) == page);
	assert_true(fl_pages_find(p, code, 1) == NULL);
	assert_true(fl_pages_exchange(p, code, 1, again, &got, &err) == FAIRLEAD_ENOENT);
	assert_true(fl_pages_exchange(p, token, 1, again, &got, &err) == FAIRLEAD_ENOENT);
	assert_string_equal(err.text, "this address was used already, or is older than a minute");
	/* One bit of it is wrong. */
	token[FL_TOKEN_TEXT - 2] = token[FL_TOKEN_TEXT - 2] == 'a' ? 'b' : 'a';
	assert_true(fl_pages_find(p, token, 1) == NULL);
	fl_pages_free(p);
}

TEST(how_long)
{
	static const struct {
		fl_time expires, until; /* of the caller's token; of the page's */
	} rows[] = {
		{ FL_TIME_NONE, FL_PAGE_LASTS },
		{ 3600 * FL_SECOND, 3600 * FL_SECOND },
		{ 2 * FL_PAGE_LASTS, FL_PAGE_LASTS },
		{ 30 * FL_SECOND, 30 * FL_SECOND },
	};

	for (size_t i = 0; i < COUNT(rows); i++) {
		struct fl_pages *p = fl_pages_new();
		char code[FL_TOKEN_TEXT], late[FL_TOKEN_TEXT], token[FL_TOKEN_TEXT];
		const struct fl_page *page = open_one(p, ALICE, 0, rows[i].expires, code, NULL);
		fl_time least = rows[i].until < FL_PAGE_CODE_LASTS ? rows[i].until :
								     FL_PAGE_CODE_LASTS;

		assert_true(page && page->until == least);
		assert_true(open_one(p, ALICE, 0, rows[i].expires, late, NULL));
		assert_true(fl_pages_exchange(p, late, least, token, &page, NULL) ==
			    FAIRLEAD_ENOENT);
		assert_true(fl_pages_exchange(p, code, least - 1, token, &page, NULL) == 0);
		assert_true(page->until == rows[i].until);
		assert_true(fl_pages_find(p, token, rows[i].until - 1) == page);
		assert_true(fl_pages_at(p, page->number, rows[i].until - 1) == page);
		assert_true(fl_pages_find(p, token, rows[i].until) == NULL);
		assert_true(fl_pages_at(p, page->number, rows[i].until) == NULL);
		fl_pages_free(p);
	}
}

TEST(how_many)
{
	struct fl_pages *p = fl_pages_new();
	char code[FL_TOKEN_TEXT], text[64];
	const struct fl_page *page = NULL;
	fairlead_error err = { 0 };

	for (int i = 0; i < FL_PAGES_OF_ONE; i++)
		assert_true((page = open_one(p, ALICE, 0, FL_TIME_NONE, code, NULL)) != NULL);
	assert_true(!open_one(p, ALICE, 1, FL_TIME_NONE, code, &err) &&
		    err.code == FAIRLEAD_ELIMIT);
	(void)snprintf(text, sizeof text, "you have %d pages open, which is the most",
		       FL_PAGES_OF_ONE);
	assert_string_equal(err.text, text);
	assert_true(open_one(p, BOB, 1, FL_TIME_NONE, code, NULL) != NULL);
	fl_pages_end(p, page->number);
	assert_true(open_one(p, ALICE, 1, FL_TIME_NONE, code, NULL) != NULL);
	/* Codes that nobody has used give way when they are too old. */
	assert_true(open_one(p, ALICE, FL_PAGE_CODE_LASTS, FL_TIME_NONE, code, NULL) != NULL);
	fl_pages_free(p);

	p = fl_pages_new();
	for (uid_t i = 0; i < FL_PAGES; i++)
		assert_true(open_one(p, 5000 + i, 0, FL_TIME_NONE, code, NULL) != NULL);
	assert_true(!open_one(p, ALICE, 1, FL_TIME_NONE, code, &err) &&
		    err.code == FAIRLEAD_ELIMIT);
	assert_string_equal(err.text, "too many pages are open");
	fl_pages_free(p);
}

TEST(with_whose_rights)
{
	struct fl_pages *p = fl_pages_new();
	char code[FL_TOKEN_TEXT];
	const struct fl_page *page = open_one(p, 0, 0, FL_TIME_NONE, code, NULL);
	const struct fl_principal root = fl_principal_user(0, 1);

	assert_true(fl_principal_most(&root) == FL_RANK_ROOT);
	assert_true(page && fl_principal_most(&page->who) == FL_RANK_ADMIN);
	assert_true(fl_principal_same(&page->who, &root));
	/* An end that comes late is of no other page. */
	uint32_t number = page->number;

	fl_pages_end(p, number);
	assert_true(fl_pages_at(p, number, 1) == NULL);
	page = open_one(p, ALICE, 1, FL_TIME_NONE, code, NULL);
	fl_pages_end(p, number);
	assert_true(page && page->number != number && fl_pages_at(p, page->number, 1) == page);
	fl_pages_free(p);
}

UNIT_GROUP("pages")
