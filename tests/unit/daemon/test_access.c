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
static const struct fl_accounts accounts = { user_of,  group_of, name_of, groups_of,
					     owner_of, now,      &world };

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

static struct fl_access *access_of(const struct fl_config *c, uid_t own)
{
	struct fl_access *a = NULL;
	fairlead_error err;

	assert_int_equal(fl_access_new(c, &accounts, own, &a, &err), 0);
	return a;
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
		  "ns/main", "4294967295 may not use queue 'main'" },
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
		may = fl_access_may_submit(a, rows[i].uid, rows[i].gid, namespace, slash + 1, &err);
		if (may != !rows[i].why || (!may && strcmp(err.text, rows[i].why) != 0))
			fail_msg("row %zu '%s': '%s'", i, rows[i].spec, err.text);
		if (!may) {
			assert_int_equal(err.code, FAIRLEAD_ESTATE);
			assert_string_equal(
				err.hint,
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

		CHECK(fl_access_is_admin(a, rows[i].uid, 1) == rows[i].is, rows[i].spec);
		CHECK(fl_access_may_touch(a, rows[i].uid, 1, OWN) == rows[i].is, rows[i].spec);
		CHECK(fl_access_may_touch(a, rows[i].uid, 1, rows[i].uid), rows[i].spec);
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

	assert_true(fl_access_may_submit(a, ALICE, 1, "default", "a", &err));
	assert_false(fl_access_may_submit(a, BOB, 1, "default", "a", &err));
	assert_string_equal(err.text, "the daemon can run jobs of user alice only");
	assert_string_equal(
		err.hint, "a daemon that root runs can run each job as the user that submitted it");
	assert_false(fl_access_may_submit(a, 0, 0, "default", "a", &err));
	assert_string_equal(fl_access_user(a, BOB), "bob");
	assert_string_equal(fl_access_user(a, 4000000000), "4000000000");
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

	assert_false(fl_access_may_submit(a, CAROL, 1, "default", "a", &err));
	world.carol_is_red = true;
	asked = world.asked;
	assert_false(fl_access_may_submit(a, CAROL, 1, "default", "a", &err));
	assert_int_equal(world.asked, asked);
	world.now += 10 * FL_SECOND;
	assert_true(fl_access_may_submit(a, CAROL, 1, "default", "a", &err));
	world.broken = true;
	assert_true(fl_access_may_submit(a, CAROL, 1, "default", "a", &err));
	world.now += 10 * FL_SECOND;
	assert_false(fl_access_may_submit(a, CAROL, 1, "default", "a", &err));
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
		assert_true(fl_access_may_submit(a, ALICE, gid, "default", "a", &err));
		assert_false(fl_access_may_submit(a, BOB, gid, "default", "a", &err));
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
			fl_access_meet(a, rows[i].uid, 1, &guest);
			if (guest.payer != rows[i].payer || guest.rank != rows[i].rank)
				fail_msg("%s: %u is %u of rank %d", rows[i].spec, rows[i].uid,
					 guest.payer, (int)guest.rank);
		}
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
