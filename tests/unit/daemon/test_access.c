/* SPDX-License-Identifier: Apache-2.0 */
/* Who may do what, with accounts made up, and once with those of this machine. */
#include <pwd.h>
#include <unistd.h>

#include "daemon/config/access.h"
#include "daemon/config/accounts.h"
#include "folder.h"

#define HEAD "apiVersion: fairlead.dev/v1alpha1\nkind: Daemon\nmetadata: {name: d}\nspec: "
#define QUEUES                                                                                     \
	"\n---\napiVersion: kueue.x-k8s.io/v1beta2\nkind: ClusterQueue\nmetadata: {name: a}\n"     \
	"---\napiVersion: kueue.x-k8s.io/v1beta2\nkind: ClusterQueue\nmetadata: {name: b}\n"       \
	"---\napiVersion: kueue.x-k8s.io/v1beta2\nkind: LocalQueue\nmetadata: {name: main, "       \
	"namespace: ns}\nspec: {clusterQueue: b}\n"

enum { ALICE = 100, BOB = 101, CAROL = 102, DAVE = 103, RED = 200, BLUE = 201, OWN = 300 };

/* --- accounts: alice is in red, bob in blue; carol comes into red later --- */

struct world {
	fl_time now;
	bool carol_is_red, broken;
	unsigned asked;
};

static int user_of(void *user, const char *name, uid_t *ret)
{
	static const char *const names[] = { "alice", "bob", "carol" };
	struct world *w = user;

	w->asked++;
	for (uint32_t i = 0; i < COUNT(names) && !w->broken; i++)
		if (strcmp(names[i], name) == 0) {
			*ret = ALICE + i;
			return 0;
		}
	return 1;
}

static int group_of(void *user, const char *name, gid_t *ret)
{
	struct world *w = user;

	w->asked++;
	if (w->broken || (strcmp(name, "red") != 0 && strcmp(name, "blue") != 0))
		return 1;
	*ret = *name == 'r' ? RED : BLUE;
	return 0;
}

static int name_of(void *user, uid_t uid, char *ret, size_t size)
{
	struct world *w = user;

	if (w->broken || uid < ALICE || uid > CAROL)
		return 1;
	(void)snprintf(ret, size, "%s", uid == ALICE ? "alice" : uid == BOB ? "bob" : "carol");
	return 0;
}

static int first_group_of(void *user, uid_t uid, gid_t *ret)
{
	*ret = uid == BOB ? BLUE : RED;
	return name_of(user, uid, (char[16]){ 0 }, 16);
}

static int groups_of(void *user, uid_t uid, gid_t gid, gid_t *ret, uint32_t room, uint32_t *ret_n)
{
	struct world *w = user;

	w->asked++;
	assert_true(room > 2);
	if (w->broken || uid < ALICE || uid > CAROL)
		return 1;
	ret[0] = gid;
	ret[1] = uid == BOB ? BLUE : RED;
	*ret_n = uid == CAROL && !w->carol_is_red ? 1 : 2;
	return 0;
}

/* The numbers from 1000 on are alice's, those from 2000 on root's. */
static int owner_of(void *user, uid_t uid, uid_t *ret)
{
	(void)user;
	*ret = uid < 2000 ? ALICE : 0;
	return uid < 1000 || uid >= 3000;
}

static fl_time now(void *user) { return ((struct world *)user)->now; }

static struct world world;
static const struct fl_accounts accounts = { user_of,   group_of, name_of, first_group_of,
					     groups_of, owner_of, now,     &world };

static struct folder here;

static int set_up(void **state)
{
	(void)state;
	folder_make(&here);
	world = (struct world){ .now = 0 };
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	folder_gone(&here);
	return 0;
}

static struct fl_config *config_of(const char *spec)
{
	struct fl_config *c = NULL;
	fairlead_error err;
	char text[2048];

	(void)snprintf(text, sizeof text, HEAD "%s" QUEUES, spec);
	folder_write(&here, "d.yaml", text);
	if (fl_config_read(folder_path(&here, "d.yaml"), &c, &err) < 0)
		fail_msg("%s: %s", err.subject, err.text);
	return c;
}

/* Of all tokens. */
static const char *token_queues;

static const char *queues_of(void *user, const struct fl_principal *token)
{
	(void)user;
	assert_int_equal(token->kind, FL_PRINCIPAL_TOKEN);
	return token_queues;
}

static struct fl_access *access_of(const struct fl_config *c, uid_t own)
{
	/* As if root had started it: for all users, as one that is not among them. */
	const struct fl_access_runs runs = { own, own == 0, 1, 9999999, true };
	struct fl_access *a = NULL;
	fairlead_error err;

	assert_int_equal(fl_access_new(c, &accounts, &runs, &a, &err), 0);
	fl_access_ask_tokens(a, queues_of, NULL);
	return a;
}

static bool may_submit(struct fl_access *a, uid_t uid, gid_t gid, const char *namespace,
		       const char *queue, fairlead_error *err)
{
	const struct fl_principal who = fl_principal_user(uid, gid);

	return fl_access_may_submit(a, &who, namespace, queue, err);
}

static const char *name_by(struct fl_access *a, uid_t uid)
{
	const struct fl_principal who = fl_principal_user(uid, 1);

	return fl_access_name(a, &who);
}

/* --- tables --- */

TEST_IN(set_up, tear_down, submits)
{
	static const struct {
		const char *spec;
		uid_t uid;
		gid_t gid;
		const char *queue; /* "default/a" */
		const char *why;   /* NULL: it may */
	} rows[] = {
		{ "{}", ALICE, 1, "default/a", NULL },
		{ "{access: {others: deny}}", ALICE, 1, "default/a",
		  "alice may not use queue 'a'" },
		{ "{access: {others: deny}}", 0, 0, "default/a", NULL },
		{ "{access: {others: deny}}", DAVE, 1, "default/a", "103 may not use queue 'a'" },
		{ "{access: {others: deny, queues: [{queue: a}]}}", BOB, 1, "default/a", NULL },
		{ "{access: {others: deny, queues: [{queue: a}]}}", BOB, 1, "ns/main",
		  "bob may not use queue 'main'" },
		{ "{access: {queues: [{queue: a, users: [bob]}]}}", BOB, 1, "default/a", NULL },
		{ "{access: {queues: [{queue: a, users: [bob]}]}}", ALICE, 1, "default/a",
		  "alice may not use queue 'a'" },
		{ "{access: {queues: [{queue: a, users: [bob]}]}}", ALICE, 1, "ns/main", NULL },
		{ "{access: {queues: [{queue: a, users: [101]}]}}", BOB, 1, "default/a", NULL },
		{ "{access: {queues: [{queue: a, users: [101]}]}}", ALICE, 1, "default/a",
		  "alice may not use queue 'a'" },
		/* the same queue by any of its names */
		{ "{access: {queues: [{queue: b, users: [bob]}]}}", ALICE, 1, "ns/main",
		  "alice may not use queue 'main'" },
		{ "{access: {queues: [{queue: ns/main, groups: [red]}]}}", ALICE, 1, "ns/main",
		  NULL },
		{ "{access: {queues: [{queue: main, groups: [red]}]}}", BOB, 1, "ns/main",
		  "bob may not use queue 'main'" },
		{ "{access: {queues: [{queue: main, groups: [red]}]}}", BOB, RED, "ns/main", NULL },
		{ "{access: {queues: [{queue: main, groups: [200]}]}}", ALICE, 1, "ns/main", NULL },
		{ "{access: {queues: [{queue: main, groups: [nobody-knows]}]}}", ALICE, 1,
		  "ns/main", "alice may not use queue 'main'" },
		{ "{access: {queues: [{queue: main, users: [4294967295]}]}}", UINT32_MAX, 1,
		  "ns/main", "4294967295 may do nothing here" },
		{ "{access: {queues: [{queue: main, users: [99999999999]}]}}", ALICE, 1, "ns/main",
		  "alice may not use queue 'main'" },
		/* who is in no file has the group that the kernel says, and no other */
		{ "{access: {queues: [{queue: main, groups: [red]}]}}", DAVE, RED, "ns/main",
		  NULL },
		{ "{access: {queues: [{queue: main, groups: [red]}]}}", DAVE, BLUE, "ns/main",
		  "103 may not use queue 'main'" },
		{ "{access: {admins: {groups: [blue]}, others: deny}}", BOB, 1, "default/a", NULL },
	};

	for (size_t i = 0; i < COUNT(rows); i++) {
		struct fl_config *c = config_of(rows[i].spec);
		struct fl_access *a = access_of(c, /* own= */ 0);
		char namespace[64] = "";
		const char *slash = strchr(rows[i].queue, '/');
		fairlead_error err = { 0 };
		bool may;

		(void)snprintf(namespace, sizeof namespace, "%.*s", (int)(slash - rows[i].queue),
			       rows[i].queue);
		may = may_submit(a, rows[i].uid, rows[i].gid, namespace, slash + 1, &err);
		if (may != !rows[i].why || (!may && strcmp(err.text, rows[i].why) != 0))
			fail_msg("row %zu '%s': '%s'", i, rows[i].spec, err.text);
		if (!may) {
			assert_int_equal(err.code, FAIRLEAD_ESTATE);
			assert_string_equal(
				err.hint,
				rows[i].uid == UINT32_MAX ?
					"" :
					".spec.access of the Daemon lists the users of each queue");
		}
		fl_access_free(a);
		fl_config_free(c);
	}
}

TEST_IN(set_up, tear_down, admins)
{
	static const struct {
		const char *spec;
		uid_t uid, own;
		bool is;
	} rows[] = {
		{ "{}", 0, 0, true },
		{ "{}", ALICE, 0, false },
		{ "{}", ALICE, ALICE, true },
		{ "{}", 0, ALICE, true },
		{ "{access: {admins: {users: [alice]}}}", ALICE, 0, true },
		{ "{access: {admins: {users: [alice]}}}", BOB, 0, false },
		{ "{access: {admins: {users: [nobody-knows], groups: [red]}}}", ALICE, 0, true },
		{ "{access: {admins: {users: [nobody-knows], groups: [red]}}}", DAVE, 0, false },
		{ "{access: {queues: [{queue: a}]}}", BOB, 0, false }, /* everybody, but no admin */
	};

	for (size_t i = 0; i < COUNT(rows); i++) {
		struct fl_config *c = config_of(rows[i].spec);
		struct fl_access *a = access_of(c, rows[i].own);

		const struct fl_principal who = fl_principal_user(rows[i].uid, 1),
					  own = fl_principal_user(OWN, FL_NO_GROUP),
					  owner = fl_principal_user(rows[i].uid, FL_NO_GROUP);
		fairlead_error err = { 0 };

		CHECK(fl_access_may(a, &who, FL_RANK_ADMIN, &err) == rows[i].is, rows[i].spec);
		CHECK(rows[i].is || strcmp(err.text, "this is for admins") == 0, rows[i].spec);
		CHECK((fl_access_rank(a, &who) >= FL_RANK_ADMIN) == rows[i].is, rows[i].spec);
		CHECK(fl_access_may(a, &who, FL_RANK_USER, &err), rows[i].spec);
		CHECK(fl_access_may_touch(a, &who, &own, "default", "a") == rows[i].is,
		      rows[i].spec);
		CHECK(fl_access_may_touch(a, &who, &owner, "default", "a"), rows[i].spec);
		fl_access_free(a);
		fl_config_free(c);
	}
}

/* Jobs run as their user, which takes root. */
TEST_IN(set_up, tear_down, not_root)
{
	struct fl_config *c = config_of("{}");
	struct fl_access *a = access_of(c, ALICE);
	fairlead_error err;

	assert_true(may_submit(a, ALICE, 1, "default", "a", &err));
	assert_false(may_submit(a, BOB, 1, "default", "a", &err));
	assert_string_equal(err.text, "the daemon can run jobs of user alice only");
	assert_string_equal(
		err.hint,
		"a daemon that root has started can run each job as the user that submitted it");
	assert_false(may_submit(a, 0, 0, "default", "a", &err));
	assert_string_equal(name_by(a, BOB), "bob");
	assert_string_equal(name_by(a, 4000000000), "4000000000");
	fl_access_free(a);
	fl_config_free(c);
}

/* Believed for some seconds, then asked for again; and what cannot be found out is a no. */
TEST_IN(set_up, tear_down, believed)
{
	struct fl_config *c = config_of("{access: {queues: [{queue: a, groups: [red]}]}}");
	struct fl_access *a = access_of(c, 0);
	fairlead_error err;
	unsigned asked;

	assert_false(may_submit(a, CAROL, 1, "default", "a", &err));
	world.carol_is_red = true;
	asked = world.asked;
	assert_false(may_submit(a, CAROL, 1, "default", "a", &err));
	assert_int_equal(world.asked, asked);
	world.now += 10 * FL_SECOND;
	assert_true(may_submit(a, CAROL, 1, "default", "a", &err));
	world.broken = true;
	assert_true(may_submit(a, CAROL, 1, "default", "a", &err));
	world.now += 10 * FL_SECOND;
	assert_false(may_submit(a, CAROL, 1, "default", "a", &err));
	fl_access_free(a);
	fl_config_free(c);
}

/* More callers than are remembered. */
TEST_IN(set_up, tear_down, many)
{
	struct fl_config *c = config_of("{access: {queues: [{queue: a, groups: [red]}]}}");
	struct fl_access *a = access_of(c, 0);
	fairlead_error err;

	for (gid_t gid = 1000; gid < 1200; gid++) {
		assert_true(may_submit(a, ALICE, gid, "default", "a", &err));
		assert_false(may_submit(a, BOB, gid, "default", "a", &err));
	}
	fl_access_free(a);
	fl_config_free(c);
}

static void hear(void *user, const char *line)
{
	const char **expected = user;

	assert_non_null(*expected);
	assert_non_null(strstr(line, *expected));
	expected[0] = expected[1];
	expected[1] = NULL;
}

TEST_IN(set_up, tear_down, nobody_of_that_name)
{
	const char *expected[2] = {
		": warning: there is no user 'alise' on this machine, so no user gets rights by that name",
		": warning: there is no group 'rad' on this machine",
	};
	struct fl_config *c = config_of(
		"{access: {admins: {users: [bob, alise, \"4711\"]}, queues: "
		"[{queue: a, users: [alice], groups: [red, rad]}]}}");

	fl_access_warn(c, &accounts, hear, expected);
	assert_null(expected[0]);
	fl_config_free(c);
}

/* The accounts of this machine: who runs the test is found by name and number. */
TEST(of_this_machine)
{
	const struct fl_accounts *s = &fl_accounts_system;
	gid_t groups[1024], gid;
	char name[256];
	uint32_t n = 0;
	uid_t uid;

	assert_int_equal(s->name_of(NULL, 0, name, sizeof name), 0);
	assert_int_equal(s->user_of(NULL, name, &uid), 0);
	assert_int_equal(uid, 0);
	assert_int_equal(s->group_of(NULL, "root", &gid), 0);
	assert_int_equal(gid, 0);
	assert_int_equal(s->groups_of(NULL, 0, 0, groups, COUNT(groups), &n), 0);
	assert_true(n >= 1);
	assert_int_equal(s->user_of(NULL, "no such user, surely", &uid), 1);
	assert_int_equal(s->group_of(NULL, "no such group, surely", &gid), 1);
	assert_int_equal(s->name_of(NULL, 4123456789, name, sizeof name), 1);
	assert_int_equal(s->groups_of(NULL, 4123456789, 1, groups, COUNT(groups), &n), 1);
	assert_true(s->now(NULL) > 0);
}

/* --- at the door --- */

TEST_IN(set_up, tear_down, meets)
{
	static const struct {
		const char *spec;
		uid_t uid, payer;
		enum fl_rank rank;
	} rows[] = {
		{ "{}", 0, 0, FL_RANK_ROOT },
		{ "{}", OWN, OWN, FL_RANK_ROOT },
		{ "{}", ALICE, ALICE, FL_RANK_USER },
		{ "{access: {admins: {groups: [blue]}}}", BOB, BOB, FL_RANK_ADMIN },
		{ "{access: {admins: {groups: [blue]}}}", ALICE, ALICE, FL_RANK_USER },
		/* Of a range: who was given it, with all others of it. */
		{ "{}", 1000, ALICE, FL_RANK_STRANGER },
		{ "{access: {withoutAccount: allow}}", 1000, ALICE, FL_RANK_USER },
		{ "{access: {withoutAccount: allow}}", 1999, ALICE, FL_RANK_USER },
		{ "{access: {withoutAccount: allow}}", 2000, 0, FL_RANK_USER },
		/* Of none: all of them are one. */
		{ "{}", DAVE, (uid_t)-1, FL_RANK_STRANGER },
		{ "{access: {withoutAccount: allow}}", DAVE, (uid_t)-1, FL_RANK_USER },
		{ "{access: {withoutAccount: allow}}", 3000, (uid_t)-1, FL_RANK_USER },
		{ "{access: {admins: {users: [103]}}}", DAVE, (uid_t)-1, FL_RANK_ADMIN },
	};

	for (size_t i = 0; i < COUNT(rows); i++) {
		struct fl_config *c = config_of(rows[i].spec);
		struct fl_access *a = access_of(c, OWN);
		struct fl_guest guest;

		/* The second time of what is remembered. */
		for (int again = 0; again < 2; again++) {
			const struct fl_principal who = fl_principal_user(rows[i].uid, 1),
						  payer = fl_principal_user(rows[i].payer, 1);

			fl_access_meet(a, &who, &guest);
			if (!fl_principal_same(&guest.payer, &payer) || guest.rank != rows[i].rank)
				fail_msg("%s: %u is %u of rank %d", rows[i].spec, rows[i].uid,
					 guest.payer.uid, (int)guest.rank);
		}
		fl_access_free(a);
		fl_config_free(c);
	}
}

/* --- all kinds of principals --- */

#define SERVICE "system:serviceaccount:ns:name"
#define BOB_IS_ADMIN "{access: {admins: {users: [bob]}}}"

enum {
	TOUCHES = 1, /* a job of the user of its account, */
	OTHERS = 2,  /* of another user */
	SUBMITS = 4,
};

TEST_IN(set_up, tear_down, kinds)
{
	static const struct {
		const char *spec;
		struct fl_principal who;
		enum fl_rank rank; /* what it may, and at the door */
		enum fl_rank door;
		uid_t payer; /* FL_NO_ACCOUNT: itself */
		int may;
		const char *name;
		const char *why_not_submit; /* NULL: it may */
	} rows[] = {
		{ "{}",
		  { FL_PRINCIPAL_USER, FL_RANK_ROOT, ALICE, 1, 0, "" },
		  FL_RANK_USER,
		  FL_RANK_USER,
		  ALICE,
		  TOUCHES | SUBMITS,
		  "alice",
		  NULL },
		{ "{}",
		  { FL_PRINCIPAL_TOKEN, FL_RANK_USER, ALICE, 1, 0, "ci-runner" },
		  FL_RANK_USER,
		  FL_RANK_USER,
		  ALICE,
		  TOUCHES | SUBMITS,
		  "alice/ci-runner",
		  NULL },
		{ "{}",
		  { FL_PRINCIPAL_TOKEN, FL_RANK_READER, ALICE, 1, 0, "board" },
		  FL_RANK_READER,
		  FL_RANK_READER,
		  ALICE,
		  TOUCHES,
		  "alice/board",
		  "alice/board may read only" },
		{ "{}",
		  { FL_PRINCIPAL_TOKEN, FL_RANK_PROBE, ALICE, 1, 0, "alive" },
		  FL_RANK_PROBE,
		  FL_RANK_PROBE,
		  ALICE,
		  0,
		  "alice/alive",
		  "alice/alive may ask for the daemon's health only" },
		/* A token is an admin's only if its user is, too, and never root. */
		{ "{}",
		  { FL_PRINCIPAL_TOKEN, FL_RANK_ADMIN, ALICE, 1, 0, "big" },
		  FL_RANK_USER,
		  FL_RANK_USER,
		  ALICE,
		  TOUCHES | SUBMITS,
		  "alice/big",
		  NULL },
		{ BOB_IS_ADMIN,
		  { FL_PRINCIPAL_TOKEN, FL_RANK_ADMIN, BOB, 1, 0, "big" },
		  FL_RANK_ADMIN,
		  FL_RANK_ADMIN,
		  BOB,
		  TOUCHES | OTHERS | SUBMITS,
		  "bob/big",
		  NULL },
		{ BOB_IS_ADMIN,
		  { FL_PRINCIPAL_TOKEN, FL_RANK_USER, BOB, 1, 0, "small" },
		  FL_RANK_USER,
		  FL_RANK_USER,
		  BOB,
		  TOUCHES | SUBMITS,
		  "bob/small",
		  NULL },
		{ "{access: {others: deny}}",
		  { FL_PRINCIPAL_TOKEN, FL_RANK_USER, 0, 0, 0, "small" },
		  FL_RANK_USER,
		  FL_RANK_USER,
		  0,
		  TOUCHES,
		  "0/small",
		  "0/small may not use queue 'a'" },
		{ "{}",
		  { FL_PRINCIPAL_TOKEN, FL_RANK_ROOT, 0, 0, 0, "big" },
		  FL_RANK_ADMIN,
		  FL_RANK_ADMIN,
		  0,
		  TOUCHES | OTHERS | SUBMITS,
		  "0/big",
		  NULL },
		/* What its user may not, it may not; and it is let in as its user is. */
		{ "{access: {queues: [{queue: a, users: [bob]}]}}",
		  { FL_PRINCIPAL_TOKEN, FL_RANK_USER, ALICE, 1, 0, "ci-runner" },
		  FL_RANK_USER,
		  FL_RANK_USER,
		  ALICE,
		  TOUCHES,
		  "alice/ci-runner",
		  "alice/ci-runner may not use queue 'a'" },
		{ "{}",
		  { FL_PRINCIPAL_TOKEN, FL_RANK_USER, 1000, 1, 0, "x" },
		  FL_RANK_USER,
		  FL_RANK_STRANGER,
		  ALICE,
		  TOUCHES | SUBMITS,
		  "1000/x",
		  NULL },
		/* A uid that it happens to have is not its account. */
		{ "{access: {queues: [{queue: a, users: [bob]}]}}",
		  { FL_PRINCIPAL_KUBE, FL_RANK_USER, BOB, 1, 0, SERVICE },
		  FL_RANK_USER,
		  FL_RANK_USER,
		  FL_NO_ACCOUNT,
		  0,
		  SERVICE,
		  SERVICE " has no account on this machine to run jobs" },
		{ "{access: {admins: {users: [bob]}}}",
		  { FL_PRINCIPAL_KUBE, FL_RANK_READER, BOB, 1, 0, SERVICE },
		  FL_RANK_READER,
		  FL_RANK_READER,
		  FL_NO_ACCOUNT,
		  0,
		  SERVICE,
		  SERVICE " may read only" },
		{ "{access: {withoutAccount: allow}}",
		  { FL_PRINCIPAL_PROBE, FL_RANK_PROBE, 0, 0, 0, "192.0.2.1" },
		  FL_RANK_PROBE,
		  FL_RANK_PROBE,
		  FL_NO_ACCOUNT,
		  0,
		  "-",
		  "- may ask for the daemon's health only" },
		{ "{access: {withoutAccount: allow}}",
		  { 0 },
		  FL_RANK_STRANGER,
		  FL_RANK_STRANGER,
		  FL_NO_ACCOUNT,
		  0,
		  "-",
		  "- may do nothing here" },
	};

	for (size_t i = 0; i < COUNT(rows); i++) {
		const struct fl_principal *who = &rows[i].who,
					  owner = fl_principal_user(who->uid, FL_NO_GROUP),
					  other = fl_principal_user(CAROL, FL_NO_GROUP),
					  payer = rows[i].payer == FL_NO_ACCOUNT ?
							  *who :
							  fl_principal_user(rows[i].payer, 1);
		struct fl_config *c = config_of(rows[i].spec);
		struct fl_access *a = access_of(c, /* own= */ 0);
		struct fl_guest guest;
		fairlead_error err = { 0 };
		int may = 0;

		fl_access_meet(a, who, &guest);
		may |= fl_access_may_touch(a, who, &owner, "default", "a") ? TOUCHES : 0;
		may |= fl_access_may_touch(a, who, &other, "default", "a") ? OTHERS : 0;
		may |= fl_access_may_submit(a, who, "default", "a", &err) ? SUBMITS : 0;
		if (fl_access_rank(a, who) != rows[i].rank || guest.rank != rows[i].door ||
		    !fl_principal_same(&guest.payer, &payer) || may != rows[i].may)
			fail_msg("row %zu: rank %d, at the door %d, payer %u, may %d", i,
				 (int)fl_access_rank(a, who), (int)guest.rank, guest.payer.uid,
				 may);
		assert_string_equal(fl_access_name(a, who), rows[i].name);
		assert_string_equal(err.text, rows[i].why_not_submit ? rows[i].why_not_submit : "");
		for (int least = 0; least <= FL_RANK_ADMIN; least++)
			assert_true(fl_access_may(a, who, (enum fl_rank)least, &err) ==
				    ((int)rows[i].rank >= least));
		fl_access_free(a);
		fl_config_free(c);
	}
}

/* A token with queues: to these alone, and of its user's jobs those in these. */
TEST_IN(set_up, tear_down, queues_of_tokens)
{
	static const struct {
		const char *queues;
		bool a, main, none; /* default/a, ns/main, one that is not there any more */
	} rows[] = {
		{ NULL, true, true, true },
		{ "default/a", true, false, false },
		{ "ns/main", false, true, false },
		{ "ns/main default/a", true, true, false },
		{ "default/b", false, false, false },
		{ "default/ab xdefault/a default/ efault/a", false, false, false },
		{ "", false, false, false },
	};
	const struct fl_principal who = { FL_PRINCIPAL_TOKEN, FL_RANK_USER, ALICE, 1, 0, "ci" },
				  owner = fl_principal_user(ALICE, FL_NO_GROUP),
				  other = fl_principal_user(BOB, FL_NO_GROUP);

	for (size_t i = 0; i < COUNT(rows); i++) {
		const char *name = rows[i].queues ? rows[i].queues : "all";
		struct fl_config *c = config_of("{}");
		struct fl_access *a = access_of(c, /* own= */ 0);
		fairlead_error err;

		token_queues = rows[i].queues;
		CHECK(fl_access_may_submit(a, &who, "default", "a", &err) == rows[i].a, name);
		CHECK(fl_access_may_submit(a, &who, "ns", "main", &err) == rows[i].main, name);
		CHECK(fl_access_may_touch(a, &who, &owner, "default", "a") == rows[i].a, name);
		CHECK(fl_access_may_touch(a, &who, &owner, "ns", "main") == rows[i].main, name);
		CHECK(fl_access_may_touch(a, &who, &owner, NULL, NULL) == rows[i].none, name);
		CHECK(!fl_access_may_touch(a, &who, &other, "default", "a"), name);
		fl_access_free(a);
		fl_config_free(c);
	}
	token_queues = NULL;
}

/* An account that is not there any more, has another name, or is not for this daemon. */
TEST_IN(set_up, tear_down, accounts_of_tokens)
{
	static const struct {
		uid_t uid;
		const char *name;
		uid_t own; /* 0: root's daemon */
		bool fits;
		gid_t gid;
	} rows[] = {
		{ ALICE, "alice", 0, true, RED },  { BOB, "bob", 0, true, BLUE },
		{ ALICE, "bob", 0, false, 0 },     { DAVE, "dave", 0, false, 0 },
		{ DAVE, "103", 0, false, 0 },      { ALICE, "alice", ALICE, true, RED },
		{ BOB, "bob", ALICE, false, 0 },   { OWN, "300", OWN, true, FL_NO_GROUP },
		{ OWN, "another", OWN, false, 0 },
	};

	for (size_t i = 0; i < COUNT(rows); i++) {
		struct fl_principal token = {
			FL_PRINCIPAL_TOKEN, FL_RANK_USER, rows[i].uid, FL_NO_GROUP, 0, "ci"
		};
		struct fl_config *c = config_of("{}");
		struct fl_access *a = access_of(c, rows[i].own);

		CHECK(fl_access_find_account(a, &token, rows[i].name) == rows[i].fits,
		      rows[i].name);
		CHECK(token.gid == (rows[i].fits ? rows[i].gid : FL_NO_GROUP), rows[i].name);
		world.broken = true;
		world.now += 10 * FL_SECOND;
		CHECK(fl_access_find_account(a, &token, rows[i].name) ==
			      (rows[i].uid == OWN && rows[i].fits),
		      rows[i].name);
		world.broken = false;
		fl_access_free(a);
		fl_config_free(c);
	}
}

TEST_IN(set_up, tear_down, makers_of_tokens)
{
	static const char rights[] = "{access: {admins: {users: [bob, carol]}}}";
	static const struct {
		uid_t who, owner, own;
		enum fl_rank role;
		const char *why; /* NULL: it may */
	} rows[] = {
		{ ALICE, ALICE, 0, FL_RANK_READER, NULL },
		{ ALICE, ALICE, 0, FL_RANK_USER, NULL },
		{ ALICE, ALICE, 0, FL_RANK_ADMIN,
		  "user alice is not an admin, so no token of that user is" },
		{ ALICE, CAROL, 0, FL_RANK_READER, "this is for admins" },
		{ ALICE, 0, 0, FL_RANK_READER, "this is for admins" },
		{ BOB, BOB, 0, FL_RANK_ADMIN, NULL },
		{ BOB, ALICE, 0, FL_RANK_READER, NULL },
		{ BOB, ALICE, 0, FL_RANK_USER,
		  "only that user and root make a token that runs jobs of alice" },
		{ BOB, CAROL, 0, FL_RANK_ADMIN,
		  "only that user and root make a token that runs jobs of carol" },
		{ BOB, 0, 0, FL_RANK_USER,
		  "only that user and root make a token that runs jobs of 0" },
		{ 0, ALICE, 0, FL_RANK_USER, NULL },
		{ 0, ALICE, 0, FL_RANK_ADMIN,
		  "user alice is not an admin, so no token of that user is" },
		{ 0, BOB, 0, FL_RANK_ADMIN, NULL },
		{ 0, 0, 0, FL_RANK_ADMIN, NULL },
		{ ALICE, ALICE, ALICE, FL_RANK_ADMIN, NULL },
		{ 0, BOB, ALICE, FL_RANK_READER, "this daemon has tokens of user alice only" },
		{ BOB, BOB, ALICE, FL_RANK_READER, "this daemon has tokens of user alice only" },
	};

	for (size_t i = 0; i < COUNT(rows); i++) {
		const struct fl_principal who = fl_principal_user(rows[i].who, 1),
					  owner = fl_principal_user(rows[i].owner, FL_NO_GROUP);
		struct fl_principal token = {
			FL_PRINCIPAL_TOKEN, FL_RANK_ADMIN, rows[i].who, 1, 0, "big"
		};
		struct fl_config *c = config_of(rights);
		struct fl_access *a = access_of(c, rows[i].own);
		fairlead_error err = { 0 };
		bool may = fl_access_may_make_token(a, &who, &owner, rows[i].role, &err);

		if (may != !rows[i].why || strcmp(err.text, rows[i].why ? rows[i].why : "") != 0)
			fail_msg("row %zu: %d, '%s'", i, may, err.text);
		assert_false(fl_access_may_make_token(a, &token, &owner, FL_RANK_READER, &err));
		assert_string_equal(err.text, "tokens cannot make, list or revoke tokens");
		fl_access_free(a);
		fl_config_free(c);
	}
}

TEST_IN(set_up, tear_down, ranges)
{
	static const struct {
		uid_t uid, owner; /* (uid_t)-1: nobody's */
	} rows[] = {
		{ 99999, (uid_t)-1 },  { 100000, 7 },
		{ 165535, 7 },         { 165536, 0 },
		{ 165537, (uid_t)-1 }, { 200000, (uid_t)-1 },
		{ 300000, (uid_t)-1 }, { 400000, (uid_t)-1 },
		{ 500001, 12 },        { UINT32_MAX - 1, (uid_t)-1 },
	};
	uid_t owner;

	folder_write(&here, "subuid",
		     "7:100000:65536\nroot:165536:1\nnobody-there:200000:10\n300000:5\n"
		     "\n:::\n8:400000:5x\n9:-1:10\n10:x:5\n11:500000:0\n12:500001:1");
	for (size_t i = 0; i < COUNT(rows); i++) {
		int r = fl_accounts_owner(folder_path(&here, "subuid"), rows[i].uid, &owner);

		if (r != (rows[i].owner == (uid_t)-1) || (r == 0 && owner != rows[i].owner))
			fail_msg("%u: %d, %u", rows[i].uid, r, owner);
	}
	assert_int_equal(fl_accounts_owner(folder_path(&here, "none"), 1, &owner), 1);
}

UNIT_GROUP("access")
