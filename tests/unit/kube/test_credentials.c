/* SPDX-License-Identifier: Apache-2.0 */
/* Tokens of files, and real plugins: scripts that answer, hang, print too much, or ask somebody. */
#include "kube/credentials.h"

#include <signal.h>
#include <sys/wait.h>
#include <time.h>

#include "base/limits.h"
#include "kube/credentials_kept.h"
#include "kube/exec.h"
#include "lib/unit.h"
#include "unit/daemon/folder.h"

static struct folder folder;

static int begin(void **state)
{
	(void)state;
	folder_make(&folder);
	return 0;
}

static int end(void **state)
{
	(void)state;
	folder_gone(&folder);
	return 0;
}

static struct fl_kube_config *load(const char *user)
{
	struct fl_kube_config *c = NULL;
	fairlead_error err = { 0 };
	char text[4096];

	snprintf(text, sizeof text,
		 "current-context: p\nclusters:\n- {name: c, cluster: {server: 'https://h'}}\n"
		 "contexts:\n- {name: p, context: {cluster: c, user: u}}\n"
		 "users:\n- {name: u, user: %s}\n",
		 user);
	folder_write(&folder, "config", text);
	if (fl_kube_config_load(
		    &(struct fl_kube_choice){ .kubeconfig = folder_path(&folder, "config") }, &c,
		    &err) != 0)
		fail_msg("%s: %s: %s", user, err.subject, err.text);
	return c;
}

static const char *token_of(struct fl_kube_config *c, unsigned refused, unsigned *generation)
{
	struct fl_kube_credentials is;
	fairlead_error err = { 0 };

	if (fl_kube_credentials(c, refused, &is, &err) != 0)
		fail_msg("%s: %s", err.file, err.text);
	*generation = is.generation;
	return is.token;
}

/* --- a file --- */

TEST_IN(begin, end, a_token_is_read_again)
{
	struct fl_kube_config *c = load("{tokenFile: token}");
	struct fl_kube_credentials is;
	fairlead_error err = { 0 };
	unsigned first, then;

	assert_int_equal(fl_kube_credentials(c, 0, &is, &err), FAIRLEAD_EIO);
	assert_string_equal(err.file, folder_path(&folder, "token"));
	folder_write(&folder, "token", " \n");
	assert_int_equal(fl_kube_credentials(c, 0, &is, &err), FAIRLEAD_EINPUT);
	assert_string_equal(err.text, "has no token");
	folder_write(&folder, "token", "first\n");
	assert_string_equal(token_of(c, 0, &first), "first");
	folder_write(&folder, "token", "second");
	/* Not before a minute has passed, */
	assert_string_equal(token_of(c, 0, &then), "first");
	assert_int_equal(then, first);
	/* or the server has refused it. */
	assert_string_equal(token_of(c, first, &then), "second");
	assert_int_not_equal(then, first);
	/* One that is refused, and has not changed, is all there is. */
	assert_string_equal(token_of(c, then, &first), "second");
	assert_int_equal(first, then);
	folder_write(&folder, "token", "third");
	c->kept->due -= 61 * 1000;
	assert_string_equal(token_of(c, 0, &then), "third");
	/* What cannot be read now was read before. */
	assert_int_equal(unlink(folder_path(&folder, "token")), 0);
	assert_string_equal(token_of(c, then, &first), "third");
	fl_kube_config_free(c);
}

TEST_IN(begin, end, a_token_beside_its_file)
{
	struct fl_kube_config *c = load("{tokenFile: token, token: spare}");
	unsigned generation;

	assert_string_equal(token_of(c, 0, &generation), "spare");
	folder_write(&folder, "token", "better");
	assert_string_equal(token_of(c, generation, &generation), "better");
	fl_kube_config_free(c);
}

/* --- plugins --- */

struct answer {
	bool came;
	int rc;
	fairlead_error err;
};

static void on_done(void *user, int rc, const fairlead_error *err)
{
	struct answer *a = user;

	assert_false(a->came);
	*a = (struct answer){ true, rc, *err };
}

static void write_script(const char *text)
{
	char whole[4096];

	snprintf(whole, sizeof whole, "#!/bin/sh\n%s\n", text);
	folder_write(&folder, "plugin", whole);
	assert_int_equal(chmod(folder_path(&folder, "plugin"), 0700), 0);
}

static void turn(uv_loop_t *loop)
{
	uv_run(loop, UV_RUN_DEFAULT);
	assert_int_equal(uv_loop_close(loop), 0);
	assert_int_equal(waitpid(-1, NULL, WNOHANG), -1); /* no child is left, also no zombie */
}

/* The loop turns until nothing is left in it. */
static void run(struct fl_kube_config *c, struct answer *ret)
{
	struct fl_kube_plugin *p;
	uv_loop_t loop;

	*ret = (struct answer){ 0 };
	assert_int_equal(uv_loop_init(&loop), 0);
	if (fl_kube_plugin_run(c, &loop, on_done, ret, &p, &ret->err) < 0) {
		ret->came = true;
		ret->rc = ret->err.code;
	}
	turn(&loop);
	assert_true(ret->came);
}

#define V1BETA1 "apiVersion: client.authentication.k8s.io/v1beta1"
#define EXEC "{exec: {" V1BETA1 ", command: ./plugin, installHint: get it}}"
#define CREDENTIAL(status)                                                                         \
	"echo '{\"apiVersion\": \"client.authentication.k8s.io/v1beta1\", "                        \
	"\"kind\": \"ExecCredential\", \"status\": " status "}'"

TEST_IN(begin, end, what_plugins_do)
{
	static const struct {
		const char *script;
		int code;
		const char *text, *hint;
	} rows[] = {
		{ CREDENTIAL("{\"token\": \"abc\"}"), 0, "", "" },
		{ CREDENTIAL("{\"clientCertificateData\": \"c\", \"clientKeyData\": \"SECRET\"}"),
		  0, "", "" },
		{ "sleep 1000 & " CREDENTIAL("{\"token\": \"abc\"}") "; exec >&-; kill $!", 0, "",
		  "" },
		{ "exit 7", FAIRLEAD_EIO, "failed with exit status 7",
		  "run it by hand; what it says is on standard error" },
		{ "kill -9 $$", FAIRLEAD_EIO, "was ended by signal 9",
		  "run it by hand; what it says is on standard error" },
		{ "echo SECRET", FAIRLEAD_EIO, "did not print an ExecCredential", "" },
		{ "printf '{\"token\": \"SECRET'", FAIRLEAD_EIO, "did not print an ExecCredential",
		  "" },
		{ "printf '\\377\\000'", FAIRLEAD_EIO, "did not print an ExecCredential", "" },
		{ "true", FAIRLEAD_EIO, "did not print an ExecCredential", "" },
		{ "echo '{\"apiVersion\": \"client.authentication.k8s.io/v1\", \"kind\": "
		  "\"ExecCredential\", \"status\": {\"token\": \"SECRET\"}}'",
		  FAIRLEAD_EIO,
		  "was asked for client.authentication.k8s.io/v1beta1, and printed another version",
		  "" },
		{ CREDENTIAL("{}"), FAIRLEAD_EIO,
		  "printed neither a token nor a certificate with its key", "" },
		{ CREDENTIAL("{\"clientCertificateData\": \"SECRET\"}"), FAIRLEAD_EIO,
		  "printed neither a token nor a certificate with its key", "" },
		{ CREDENTIAL("{\"token\": \"SECRET SECRET\"}"), FAIRLEAD_EIO,
		  "printed what is not a token", "" },
		{ "yes SECRET | head -c 3000000", FAIRLEAD_EIO, "printed more than 1048576 bytes",
		  "" },
		{ "yes SECRET", FAIRLEAD_EIO, "printed more than 1048576 bytes", "" },
		/* Nobody is there to answer: no terminal, and nothing on standard input. */
		{ "read -r password || exit 3", FAIRLEAD_EIO, "failed with exit status 3",
		  "run it by hand; what it says is on standard error" },
		{ "(read -r password </dev/tty) 2>/dev/null || exit 4", FAIRLEAD_EIO,
		  "failed with exit status 4",
		  "run it by hand; what it says is on standard error" },
	};

	for (size_t i = 0; i < COUNT(rows); i++) {
		struct fl_kube_config *c = load(EXEC);
		struct answer a;

		write_script(rows[i].script);
		run(c, &a);
		CHECK(a.rc == rows[i].code, rows[i].script);
		if (rows[i].code && (strcmp(a.err.text, rows[i].text) != 0 ||
				     strcmp(a.err.hint, rows[i].hint) != 0))
			fail_msg("row '%s': %s (%s)", rows[i].script, a.err.text, a.err.hint);
		CHECK(!strstr(a.err.text, "SECRET"), rows[i].script);
		if (rows[i].code)
			CHECK(strstr(a.err.subject, "plugin ") == a.err.subject, a.err.subject);
		fl_kube_config_free(c);
	}
}

TEST_IN(begin, end, a_plugin_that_is_not_there)
{
	struct fl_kube_config *c = load("{exec: {" V1BETA1 ", command: fairlead-no-such-plugin, "
					"installHint: 'get it at https://example.org'}}");
	struct answer a;

	run(c, &a);
	assert_int_equal(a.rc, FAIRLEAD_EIO);
	assert_string_equal(a.err.text, "is not installed here: it is not in $PATH");
	assert_string_equal(a.err.hint, "get it at https://example.org");
	fl_kube_config_free(c);
}

/* Words are as they stand: nothing in them is for a shell. */
TEST_IN(begin, end, words_and_variables)
{
	struct fl_kube_config *c = load("{exec: {" V1BETA1
					", command: ./plugin, args: ['$(touch x)', '*'], env: "
					"[{name: A, value: '1 2'}, {name: HOME, value: there}]}}");
	struct fl_kube_credentials is;
	struct answer a;

	setenv("KUBERNETES_EXEC_INFO", "old", 1);
	write_script("[ \"$#\" = 2 ] && [ \"$1\" = '$(touch x)' ] && [ \"$2\" = '*' ] || exit 1\n"
		     "[ \"$A\" = '1 2' ] && [ \"$HOME\" = there ] || exit 2\n"
		     "[ \"$(env | grep -c ^KUBERNETES_EXEC_INFO=)\" = 1 ] || exit 3\n"
		     "case $KUBERNETES_EXEC_INFO in '{\"apiVersion\"'*) ;; *) exit 4;; "
		     "esac\n" CREDENTIAL("{\"token\": \"abc\"}"));
	run(c, &a);
	unsetenv("KUBERNETES_EXEC_INFO");
	assert_int_equal(a.rc, 0);
	assert_int_equal(fl_kube_credentials(c, 0, &is, &a.err), 0);
	assert_string_equal(is.token, "abc");
	fl_kube_config_free(c);
}

static void ends_in(int64_t seconds, char text[256])
{
	char time_text[40];
	struct timespec now;
	time_t then;
	struct tm parts;

	clock_gettime(CLOCK_REALTIME, &now);
	then = now.tv_sec + seconds;
	gmtime_r(&then, &parts);
	strftime(time_text, sizeof time_text, "%Y-%m-%dT%H:%M:%SZ", &parts);
	snprintf(text, 256, CREDENTIAL("{\"token\": \"t\", \"expirationTimestamp\": \"%s\"}"),
		 time_text);
}

/* Kept until a minute before its end, or a tenth of its life; run again when the server refuses it. */
TEST_IN(begin, end, what_ends)
{
	static const struct {
		int64_t ends, least, most; /* s: said, and when it is run again */
	} rows[] = {
		{ 3600, 3530, 3541 },
		{ 100, 85, 91 },
		{ -3600, 55, 61 }, /* a clock an hour off: the server decides */
	};

	for (size_t i = 0; i < COUNT(rows); i++) {
		struct fl_kube_config *c = load(EXEC);
		struct fl_kube_credentials is;
		struct timespec now;
		struct answer a;
		char script[256], name[40];
		int64_t left;

		snprintf(name, sizeof name, "%lld s", (long long)rows[i].ends);
		ends_in(rows[i].ends, script);
		write_script(script);
		CHECK(fl_kube_credentials(c, 0, &is, &a.err) == FL_KUBE_RUN_PLUGIN, name);
		run(c, &a);
		CHECK(a.rc == 0, name);
		CHECK(fl_kube_credentials(c, 0, &is, &a.err) == 0, name);
		clock_gettime(CLOCK_MONOTONIC, &now);
		left = (int64_t)c->kept->due / 1000 - now.tv_sec;
		CHECK(left >= rows[i].least && left <= rows[i].most, name);
		CHECK(fl_kube_credentials(c, is.generation, &is, &a.err) == FL_KUBE_RUN_PLUGIN,
		      name);
		c->kept->due = 0;
		CHECK(fl_kube_credentials(c, 0, &is, &a.err) == FL_KUBE_RUN_PLUGIN, name);
		run(c, &a);
		CHECK(fl_kube_credentials(c, is.generation, &is, &a.err) == 0, name);
		fl_kube_config_free(c);
	}
}

/* After a renewal that has failed it goes on being used, until it ends. */
TEST_IN(begin, end, what_has_not_ended_lasts)
{
	struct fl_kube_config *c = load(EXEC);
	struct fl_kube_credentials is;
	struct answer a;
	char script[256];

	ends_in(3600, script);
	write_script(script);
	assert_false(fl_kube_kept_lasts(c->kept));
	run(c, &a);
	assert_int_equal(a.rc, 0);
	write_script("exit 1");
	c->kept->due = 0;
	run(c, &a);
	assert_int_equal(a.rc, FAIRLEAD_EIO);
	assert_int_equal(fl_kube_credentials(c, 0, &is, &a.err), FL_KUBE_RUN_PLUGIN);
	assert_true(fl_kube_kept_lasts(c->kept));
	assert_int_equal(fl_kube_credentials(c, 0, &is, &a.err), 0);
	assert_string_equal(is.token, "t");
	assert_true(c->kept->due > (uint64_t)fl_kube_ms(CLOCK_MONOTONIC) + 8000);
	assert_true(c->kept->due <= (uint64_t)fl_kube_ms(CLOCK_MONOTONIC) + 10000);
	c->kept->ends = (uint64_t)fl_kube_ms(CLOCK_MONOTONIC) + 1000;
	assert_true(fl_kube_kept_lasts(c->kept));
	assert_true(c->kept->due == c->kept->ends);
	c->kept->ends = 0;
	assert_false(fl_kube_kept_lasts(c->kept));
	fl_kube_config_free(c);
}

/* The loop goes on turning while it hangs; stopped, it and what it has started are gone. */
struct beat {
	uv_timer_t timer;
	struct fl_kube_plugin *plugin;
	int beats;
};

static void on_beat(uv_timer_t *timer)
{
	struct beat *b = timer->data;

	if (++b->beats < 20 || access(folder_path(&folder, "child"), F_OK) != 0)
		return;
	b->plugin = fl_kube_plugin_stop(b->plugin);
	uv_close((uv_handle_t *)timer, NULL);
}

static bool is_gone(pid_t pid)
{
	for (int i = 0; i < 500; i++) {
		if (kill(pid, 0) != 0)
			return true;
		usleep(10000);
	}
	return false;
}

TEST_IN(begin, end, one_that_hangs_is_stopped)
{
	struct fl_kube_config *c = load(EXEC);
	struct answer a = { 0 };
	struct beat b = { 0 };
	uv_loop_t loop;
	FILE *file;
	int child = 0;

	write_script(
		"cd \"$(dirname \"$0\")\"; sleep 1000 & echo $! >child.new; mv child.new child; "
		"wait");
	assert_int_equal(uv_loop_init(&loop), 0);
	assert_int_equal(fl_kube_plugin_run(c, &loop, on_done, &a, &b.plugin, &a.err), 0);
	uv_timer_init(&loop, &b.timer);
	b.timer.data = &b;
	uv_timer_start(&b.timer, on_beat, 10, 10);
	turn(&loop);
	assert_false(a.came);
	file = fopen(folder_path(&folder, "child"), "r");
	assert_non_null(file);
	assert_int_equal(fscanf(file, "%d", &child), 1);
	fclose(file);
	assert_true(is_gone(child));
	fl_kube_config_free(c);
}

/* Also one that has ended, while a child of it still has its output. */
TEST_IN(begin, end, one_that_hangs_is_ended)
{
	static const char *const rows[] = { "sleep 1000", "sleep 1000 & exit 0" };

	for (size_t i = 0; i < COUNT(rows); i++) {
		struct fl_kube_config *c = load(EXEC);
		struct fl_kube_exec soon = *c->exec;
		struct answer a;

		soon.timeout = 1000;
		c->exec = &soon;
		write_script(rows[i]);
		run(c, &a);
		CHECK(a.rc == FAIRLEAD_EIO, rows[i]);
		CHECK(strcmp(a.err.text, "gave no credentials within 1 s, and was ended") == 0,
		      a.err.text);
		fl_kube_config_free(c);
	}
}

UNIT_GROUP("credentials")
