/* SPDX-License-Identifier: Apache-2.0 */
#include "base/principal.h"

#include <string.h>

#include "lib/unit.h"

#define SERVICE "system:serviceaccount:team-a:trainer"

enum { ALICE = 100, BOB = 101 };

static const struct fl_principal alice = { FL_PRINCIPAL_USER, FL_RANK_ROOT, ALICE, 1, 0, "" },
				 runner = { FL_PRINCIPAL_TOKEN, FL_RANK_USER, ALICE, 1, 0,
					    "ci-runner" },
				 service = { FL_PRINCIPAL_KUBE, FL_RANK_USER, 0, 0, 0, SERVICE },
				 probe = {
					 FL_PRINCIPAL_PROBE, FL_RANK_PROBE, 0, 0, 0, "192.0.2.1"
				 };

/* What each kind is: whose account, for whom it acts, its name, the most that it may. */
TEST(kinds)
{
	static const struct {
		const struct fl_principal *p, *behind;
		uid_t account;
		enum fl_rank most;
		const char *text;
	} rows[] = {
		{ &alice, &alice, ALICE, FL_RANK_ROOT, "alice" },
		{ &runner, &alice, ALICE, FL_RANK_USER, "alice/ci-runner" },
		{ &service, &service, FL_NO_ACCOUNT, FL_RANK_USER, SERVICE },
		{ &probe, &probe, FL_NO_ACCOUNT, FL_RANK_PROBE, "-" },
	};
	char text[FL_PRINCIPAL_TEXT];

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		const struct fl_principal behind = fl_principal_behind(rows[i].p);

		assert_true(fl_principal_same(&behind, rows[i].behind));
		assert_int_equal(fl_principal_account(rows[i].p), rows[i].account);
		assert_int_equal(fl_principal_most(rows[i].p), rows[i].most);
		assert_string_equal(fl_principal_text(rows[i].p, "alice", text), rows[i].text);
	}
}

/* A role gives no more than the kind may have. */
TEST(roles)
{
	static const struct {
		enum fl_principal_kind kind;
		enum fl_rank role, most;
	} rows[] = {
		{ FL_PRINCIPAL_TOKEN, FL_RANK_READER, FL_RANK_READER },
		{ FL_PRINCIPAL_TOKEN, FL_RANK_ADMIN, FL_RANK_ADMIN },
		{ FL_PRINCIPAL_TOKEN, FL_RANK_ROOT, FL_RANK_ADMIN },
		{ FL_PRINCIPAL_KUBE, FL_RANK_READER, FL_RANK_READER },
		{ FL_PRINCIPAL_KUBE, FL_RANK_ROOT, FL_RANK_ADMIN },
		{ FL_PRINCIPAL_PROBE, FL_RANK_ROOT, FL_RANK_PROBE },
		{ FL_PRINCIPAL_PROBE, FL_RANK_STRANGER, FL_RANK_STRANGER },
	};
	const struct fl_principal nothing = { 0 }, nobody = fl_principal_user(FL_NO_ACCOUNT, 1);

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		const struct fl_principal p = { .kind = rows[i].kind, .role = rows[i].role };

		assert_int_equal(fl_principal_most(&p), rows[i].most);
	}
	assert_int_equal(fl_principal_most(&nothing), FL_RANK_STRANGER);
	assert_int_equal(fl_principal_account(&nothing), FL_NO_ACCOUNT);
	assert_int_equal(fl_principal_most(&nobody), FL_RANK_STRANGER);
}

TEST(same)
{
	static const struct fl_principal others[] = {
		{ FL_PRINCIPAL_USER, FL_RANK_ROOT, BOB, 1, 0, "" },
		{ FL_PRINCIPAL_TOKEN, FL_RANK_USER, BOB, 1, 0, "ci-runner" },
		{ FL_PRINCIPAL_TOKEN, FL_RANK_USER, ALICE, 1, 0, "ci-runner2" },
		{ FL_PRINCIPAL_KUBE, FL_RANK_USER, 0, 0, 0, SERVICE "2" },
		{ FL_PRINCIPAL_KUBE, FL_RANK_USER, 0, 0, 0, "192.0.2.1" },
		{ FL_PRINCIPAL_PROBE, FL_RANK_PROBE, 0, 0, 0, SERVICE },
	};
	const struct fl_principal *const each[] = { &alice, &runner, &service, &probe };

	for (size_t i = 0; i < 4; i++) {
		struct fl_principal again = *each[i];

		again.gid = 77;
		again.role = FL_RANK_READER;
		assert_true(fl_principal_same(&again, each[i]));
		for (size_t k = 0; k < 4; k++)
			assert_true(fl_principal_same(each[i], each[k]) == (i == k));
		for (size_t k = 0; k < sizeof others / sizeof *others; k++)
			assert_false(fl_principal_same(each[i], &others[k]));
	}
}

/* Root has no limits; not what was made for root, nor what merely has its number. */
TEST(root)
{
	for (int kind = 0; kind < FL_PRINCIPAL_KINDS; kind++) {
		const struct fl_principal p = { .kind = (enum fl_principal_kind)kind,
						.role = FL_RANK_ROOT };

		assert_true(fl_principal_is_root(&p) == (kind == FL_PRINCIPAL_USER));
	}
	assert_false(fl_principal_is_root(&alice));
}

/* The longest names fit. */
TEST(long_names)
{
	struct fl_principal p = { .kind = FL_PRINCIPAL_TOKEN };
	char account[FL_ACCOUNT_NAME], text[FL_PRINCIPAL_TEXT];

	memset(account, 'a', sizeof account - 1);
	account[sizeof account - 1] = '\0';
	memset(p.name, 'n', sizeof p.name - 1);
	assert_int_equal(strlen(fl_principal_text(&p, account, text)), 255 + 1 + 339);
	p.kind = FL_PRINCIPAL_KUBE;
	assert_string_equal(fl_principal_text(&p, account, text), p.name);
}

UNIT_GROUP("principal")
