/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/page/pages.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct fl_pages *fl_pages_new(void) { return calloc(1, sizeof(struct fl_pages)); }

static void clear(struct fl_page *page)
{
	if (page->bearer)
		explicit_bzero(page->bearer, strlen(page->bearer));
	free(page->bearer);
	*page = (struct fl_page){ 0 };
}

struct fl_pages *fl_pages_free(struct fl_pages *p)
{
	for (uint32_t i = 0; p && i < FL_PAGES; i++)
		clear(&p->rows[i]);
	free(p);
	return NULL;
}

/* A free place, after what has ended is forgotten; NULL: there is none for this caller. */
static struct fl_page *find_place(struct fl_pages *p, const struct fl_principal *who, fl_time now,
				  fairlead_error *err)
{
	const struct fl_principal behind = fl_principal_behind(who);
	struct fl_page *place = NULL;
	uint32_t n = 0;

	for (uint32_t i = 0; i < FL_PAGES; i++) {
		struct fl_page *page = &p->rows[i];

		if (page->number && now >= page->until)
			clear(page);
		if (!page->number) {
			place = page;
			continue;
		}
		const struct fl_principal other = fl_principal_behind(&page->who);

		n += fl_principal_same(&other, &behind);
	}
	if (place && n < FL_PAGES_OF_ONE)
		return place;
	if (n < FL_PAGES_OF_ONE)
		fl_fail(err, FAIRLEAD_ELIMIT, "too many pages are open");
	else
		fl_fail(err, FAIRLEAD_ELIMIT, "you have %d pages open, which is the most",
			FL_PAGES_OF_ONE);
	fl_fail_hint(err, "end a 'fairlead page' that runs; a code that was not used ends by "
			  "itself after a minute");
	return NULL;
}

/* A new secret for the page; its id and hash are those of the page from then on. */
static int make_secret(struct fl_page *page, char ret[FL_TOKEN_TEXT], fairlead_error *err)
{
	char id[FL_TOKEN_ID], hash[FL_TOKEN_HASH];
	int r = fl_token_make_id(id, err);

	if (r < 0 || (r = fl_token_make(id, ret, hash, err)) < 0)
		return r;
	memcpy(page->id, id, sizeof id);
	memcpy(page->hash, hash, sizeof hash);
	return 0;
}

int fl_pages_open(struct fl_pages *p, const struct fl_page_wish *wish, fl_time now,
		  char ret[FL_TOKEN_TEXT], const struct fl_page **ret_page, fairlead_error *err)
{
	struct fl_page page = { .who = *wish->who, .until = now + FL_PAGE_CODE_LASTS };
	struct fl_page *place = find_place(p, wish->who, now, err);
	int r;

	if (!place)
		return FAIRLEAD_ELIMIT;
	r = make_secret(&page, ret, err);
	if (r < 0)
		return r;
	/* As of other tokens: what is for root alone stays with the socket. */
	if (page.who.role > FL_RANK_ADMIN)
		page.who.role = FL_RANK_ADMIN;
	page.ends = now + FL_PAGE_LASTS;
	if (wish->expires != FL_TIME_NONE && wish->expires < page.ends)
		page.ends = wish->expires;
	if (page.ends < page.until)
		page.until = page.ends;
	if (wish->parent)
		(void)snprintf(page.parent, sizeof page.parent, "%s", wish->parent);
	page.bearer = wish->bearer ? strdup(wish->bearer) : NULL;
	if (wish->bearer && !page.bearer)
		return fl_fail_nomem(err);
	if (++p->last == 0)
		p->last = 1;
	page.number = page.who.page = p->last;
	*place = page;
	*ret_page = place;
	return 0;
}

/* The place of the one with that code, or that token; FL_PAGES: none. */
static uint32_t find(const struct fl_pages *p, const char *text, bool opened, fl_time now)
{
	char id[FL_TOKEN_ID];
	uint32_t i = 0;

	if (!fl_token_id(text, id))
		return FL_PAGES;
	while (i < FL_PAGES && !(p->rows[i].number && p->rows[i].opened == opened &&
				 now < p->rows[i].until && strcmp(p->rows[i].id, id) == 0))
		i++;
	return i < FL_PAGES && fl_token_fits(text, p->rows[i].hash) ? i : FL_PAGES;
}

int fl_pages_exchange(struct fl_pages *p, const char *code, fl_time now, char ret[FL_TOKEN_TEXT],
		      const struct fl_page **ret_page, fairlead_error *err)
{
	uint32_t i = find(p, code, /* opened= */ false, now);
	struct fl_page *page = &p->rows[i < FL_PAGES ? i : 0];
	int r;

	if (i == FL_PAGES) {
		fl_fail(err, FAIRLEAD_ENOENT,
			"this address was used already, or is older than a minute");
		fl_fail_hint(err, "open the page anew: fairlead page");
		return FAIRLEAD_ENOENT;
	}
	r = make_secret(page, ret, err);
	if (r < 0)
		return r;
	page->opened = true;
	page->until = page->ends;
	*ret_page = page;
	return 0;
}

const struct fl_page *fl_pages_find(const struct fl_pages *p, const char *token, fl_time now)
{
	uint32_t i = find(p, token, /* opened= */ true, now);

	return i < FL_PAGES ? &p->rows[i] : NULL;
}

const struct fl_page *fl_pages_at(const struct fl_pages *p, uint32_t number, fl_time now)
{
	for (uint32_t i = 0; number && i < FL_PAGES; i++)
		if (p->rows[i].number == number)
			return now < p->rows[i].until ? &p->rows[i] : NULL;
	return NULL;
}

void fl_pages_end(struct fl_pages *p, uint32_t number)
{
	for (uint32_t i = 0; number && i < FL_PAGES; i++)
		if (p->rows[i].number == number)
			clear(&p->rows[i]);
}
