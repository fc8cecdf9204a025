/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Configurations in tables: what kubectl would ask, and which messages people get.  Each secret of this
 * file has "SECRET" in it, and no message may.
 */
#include "kube/config.h"

#include "base/limits.h"
#include "kube/config_pod.h"
#include "lib/unit.h"
#include "unit/daemon/folder.h"

static struct folder folder;

static int begin(void **state)
{
	(void)state;
	folder_make(&folder);
	unsetenv("KUBERNETES_SERVICE_HOST");
	unsetenv("KUBECONFIG");
	setenv("HOME", folder.path, 1);
	return 0;
}

static int end(void **state)
{
	(void)state;
	unsetenv("KUBECONFIG");
	folder_gone(&folder);
	return 0;
}

/* A file of one context "prod" with these lines for its cluster, user and context. */
static const char *kubeconfig(const char *cluster, const char *user, const char *context)
{
	static char text[1 << 14];

	snprintf(text, sizeof text,
		 "apiVersion: v1\nkind: Config\ncurrent-context: prod\n"
		 "clusters:\n- name: c\n  cluster:\n%s"
		 "users:\n- name: u\n  user:\n%s"
		 "contexts:\n- name: prod\n  context: {cluster: c, user: u%s}\n",
		 cluster, user, context);
	return text;
}

static int load(const char *name, const char *context, struct fl_kube_config **ret,
		fairlead_error *err)
{
	const struct fl_kube_choice choice = { .kubeconfig = name ? folder_path(&folder, name) :
								    NULL,
					       .context = context };

	*err = (fairlead_error){ 0 };
	return fl_kube_config_load(&choice, ret, err);
}

static bool same(const char *a, const char *b) { return a && b ? strcmp(a, b) == 0 : a == b; }

#define TLS "    server: https://h:6443\n"
#define PEM "    certificate-authority-data: LS0tCg==\n"

/* What is wrong, and where; %s of a hint. */
TEST_IN(begin, end, what_is_wrong)
{
	static const struct {
		const char *name, *cluster, *user, *context;
		int code;
		unsigned line;
		const char *subject, *text, *hint;
	} rows[] = {
		{ "no server", PEM, "    {}\n", "", FAIRLEAD_EINPUT, 7, ".clusters[0].cluster",
		  "it has no server", "" },
		{ "no scheme", "    server: h:6443\n", "    {}\n", "", FAIRLEAD_EINPUT, 7,
		  ".clusters[0].cluster.server",
		  "is not the URL of a server: it has another scheme, or none",
		  "such as https://host.example:6443" },
		{ "a password in the URL", "    server: https://me:SECRET@h\n", "    {}\n", "",
		  FAIRLEAD_EINPUT, 7, ".clusters[0].cluster.server",
		  "has a user in the URL; that is the part of the user's token",
		  "such as https://host.example:6443" },
		{ "a query", "    server: https://h/?token=SECRET\n", "    {}\n", "",
		  FAIRLEAD_EINPUT, 7, ".clusters[0].cluster.server", "is not the URL of a server",
		  "such as https://host.example:6443" },
		{ "a proxy of another kind", TLS "    proxy-url: ftp://me:SECRET@p\n", "    {}\n",
		  "", FAIRLEAD_EINPUT, 8, ".clusters[0].cluster.proxy-url",
		  "is not the URL of a server: it has another scheme, or none",
		  "such as http://, https:// or socks5://proxy.example:1080" },
		{ "not base64", TLS "    certificate-authority-data: SECRET.\n", "    {}\n", "",
		  FAIRLEAD_EINPUT, 8, ".clusters[0].cluster.certificate-authority-data",
		  "is not base64", "" },
		{ "no such file", TLS "    certificate-authority: ca.crt\n", "    {}\n", "",
		  FAIRLEAD_EIO, 8, ".clusters[0].cluster.certificate-authority",
		  "DIR/ca.crt cannot be read: No such file or directory", "" },
		{ "file and data", TLS PEM "    certificate-authority: ca.crt\n", "    {}\n", "",
		  FAIRLEAD_EINPUT, 9, ".clusters[0].cluster.certificate-authority",
		  "a file, and its data beside it",
		  "leave one of certificate-authority and certificate-authority-data out" },
		{ "trusted and insecure", TLS PEM "    insecure-skip-tls-verify: true\n",
		  "    {}\n", "", FAIRLEAD_EINPUT, 9,
		  ".clusters[0].cluster.insecure-skip-tls-verify",
		  "takes any certificate, and certificate-authority says which",
		  "leave one of them out" },
		{ "no flag", TLS "    insecure-skip-tls-verify: SECRET\n", "    {}\n", "",
		  FAIRLEAD_EINPUT, 8, ".clusters[0].cluster.insecure-skip-tls-verify",
		  "is neither true nor false", "" },
		{ "a list for a text", "    server: [SECRET]\n", "    {}\n", "", FAIRLEAD_EINPUT, 7,
		  ".clusters[0].cluster.server", "is not a text", "" },
		{ "two lines of a token", TLS, "    token: \"SECRET\\nX: y\"\n", "",
		  FAIRLEAD_EINPUT, 11, ".users[0].user.token", "has a control character", "" },
		{ "two words of a token", TLS, "    token: SECRET SECRET\n", "", FAIRLEAD_EINPUT,
		  11, ".users[0].user.token", "is not a token", "" },
		{ "token and password", TLS,
		  "    {token: SECRET, username: me, password: SECRET}\n", "", FAIRLEAD_EINPUT, 11,
		  ".users[0].user.username", "a token and a password: only one counts", "" },
		{ "a name with ':'", TLS, "    {username: 'me:SECRET', password: SECRET}\n", "",
		  FAIRLEAD_EINPUT, 11, ".users[0].user.username", "has a ':', which ends a name",
		  "" },
		{ "certificate alone", TLS, "    client-certificate-data: LS0tCg==\n", "",
		  FAIRLEAD_EINPUT, 11, ".users[0].user",
		  "client-certificate and client-key belong together: one is missing", "" },
		{ "auth-provider", TLS, "    auth-provider: {name: gcp, config: {token: SECRET}}\n",
		  "", FAIRLEAD_EINPUT, 11, ".users[0].user.auth-provider",
		  "plugins inside of kubectl were removed in Kubernetes 1.26",
		  "let your cloud's tool write the user again, with 'exec' in its place" },
		{ "groups of nobody", TLS, "    as-groups: [g]\n", "", FAIRLEAD_EINPUT, 11,
		  ".users[0].user.as-groups", "needs 'as', the name of a user", "" },
		{ "a token without TLS", "    server: http://h:8080\n", "    token: SECRET\n", "",
		  FAIRLEAD_EINPUT, 7, ".clusters[0].cluster.server",
		  "is without TLS, and a token or password is for it",
		  "use https://; 'kubectl proxy' makes it a server of this machine" },
		{ "a token for a proxy in clear",
		  "    server: http://127.0.0.1:8001\n    proxy-url: http://p:3128\n",
		  "    token: SECRET\n", "", FAIRLEAD_EINPUT, 8, ".clusters[0].cluster.proxy-url",
		  "would see a token or password, since the server is without TLS",
		  "use https:// for the server, or leave proxy-url out" },
		{ "exec without command", TLS,
		  "    exec: {apiVersion: client.authentication.k8s.io/v1, "
		  "interactiveMode: Never}\n",
		  "", FAIRLEAD_EINPUT, 11, ".users[0].user.exec", "it has no command", "" },
		{ "exec of the first version", TLS,
		  "    exec: {apiVersion: client.authentication.k8s.io/v1alpha1, command: x}\n", "",
		  FAIRLEAD_EINPUT, 11, ".users[0].user.exec.apiVersion",
		  "is a version of plugins that is not known here",
		  "client.authentication.k8s.io/v1 and client.authentication.k8s.io/v1beta1 are; a "
		  "newer plugin may have one of them" },
		{ "exec without a mode", TLS,
		  "    exec: {apiVersion: client.authentication.k8s.io/v1, command: x}\n", "",
		  FAIRLEAD_EINPUT, 11, ".users[0].user.exec",
		  "interactiveMode is missing: Never, IfAvailable or Always", "" },
		{ "exec with another mode", TLS,
		  "    exec: {apiVersion: client.authentication.k8s.io/v1, command: x, "
		  "interactiveMode: never}\n",
		  "", FAIRLEAD_EINPUT, 11, ".users[0].user.exec.interactiveMode",
		  "is none of Never, IfAvailable and Always", "" },
		{ "nobody to ask", TLS,
		  "    exec: {apiVersion: client.authentication.k8s.io/v1, command: x, "
		  "interactiveMode: Always}\n",
		  "", FAIRLEAD_EINPUT, 11, ".users[0].user.exec.interactiveMode",
		  "the plugin asks a person, and none is there",
		  "standard input has to be a terminal" },
		{ "exec beside a token", TLS,
		  "    {exec: {apiVersion: client.authentication.k8s.io/v1, command: x, "
		  "interactiveMode: Never}, token: SECRET}\n",
		  "", FAIRLEAD_EINPUT, 11, ".users[0].user.exec",
		  "beside a token or password: only one counts", "" },
		{ "a variable without a name", TLS,
		  "    exec: {apiVersion: client.authentication.k8s.io/v1, command: x, "
		  "interactiveMode: Never, env: [{value: SECRET}]}\n",
		  "", FAIRLEAD_EINPUT, 11, ".users[0].user.exec.env[0]",
		  "has no name of a variable", "" },
	};

	for (size_t i = 0; i < COUNT(rows); i++) {
		struct fl_kube_config *c = NULL;
		fairlead_error err;
		char text[sizeof err.text];
		const char *dir = strstr(rows[i].text, "DIR");

		folder_write(&folder, "config",
			     kubeconfig(rows[i].cluster, rows[i].user, rows[i].context));
		CHECK(load("config", NULL, &c, &err) == rows[i].code, rows[i].name);
		snprintf(text, sizeof text, "%s%s", dir ? folder.path : "",
			 rows[i].text + (dir ? 3 : 0));
		if (strcmp(err.text, text) != 0 || strcmp(err.hint, rows[i].hint) != 0 ||
		    strcmp(err.subject, rows[i].subject) != 0 || err.line != rows[i].line)
			fail_msg("row '%s': line %u: %s: %s (%s)", rows[i].name, err.line,
				 err.subject, err.text, err.hint);
		CHECK(strcmp(err.file, folder_path(&folder, "config")) == 0, rows[i].name);
		CHECK(!strstr(err.text, "SECRET") && !strstr(err.hint, "SECRET") &&
			      !strstr(err.subject, "SECRET"),
		      rows[i].name);
	}
}

/* What goes into requests. */
TEST_IN(begin, end, what_is_read)
{
	static const struct {
		const char *name, *cluster, *user, *context;
		struct fl_kube_config is;
		const char *ca;
		const char *headers[6];
	} rows[] = {
		{ "all of a cluster",
		  "    server: https://h:6443/some/path/\n    tls-server-name: other.example\n"
		  "    proxy-url: http://me:SECRET@p:1\n" PEM,
		  "    {}\n",
		  ", namespace: team-a",
		  { .server = "https://h:6443/some/path",
		    .tls_name = "other.example",
		    .proxy = "http://me:SECRET@p:1",
		    .namespace = "team-a" },
		  "---\n",
		  { NULL } },
		{ "insecure",
		  TLS "    insecure-skip-tls-verify: true\n",
		  "    token: SECRET\n",
		  "",
		  { .server = "https://h:6443",
		    .namespace = "default",
		    .insecure = true,
		    .token = "SECRET" },
		  NULL,
		  { NULL } },
		{ "empty texts are none",
		  TLS "    proxy-url: ''\n    certificate-authority-data: ''\n",
		  "    {token: '', username: '', as: ''}\n",
		  ", namespace: ''",
		  { .server = "https://h:6443", .namespace = "default" },
		  NULL,
		  { NULL } },
		{ "a password",
		  TLS,
		  "    {username: me, password: 'SECRET: 1'}\n",
		  "",
		  { .server = "https://h:6443",
		    .namespace = "default",
		    .user = "me",
		    .password = "SECRET: 1" },
		  NULL,
		  { NULL } },
		{ "a server of this machine needs no TLS",
		  "    server: http://[::1]:8001\n",
		  "    token: SECRET\n",
		  "",
		  { .server = "http://[::1]:8001", .namespace = "default", .token = "SECRET" },
		  NULL,
		  { NULL } },
		{ "as somebody else",
		  TLS,
		  "    {as: alice, as-uid: '7', as-groups: [a, b], as-user-extra: "
		  "{example.org/Some thing%: [x]}}\n",
		  "",
		  { .server = "https://h:6443", .namespace = "default" },
		  NULL,
		  { "Impersonate-User: alice", "Impersonate-Uid: 7", "Impersonate-Group: a",
		    "Impersonate-Group: b",
		    "Impersonate-Extra-example.org%2FSome%20thing%25: x" } },
	};

	for (size_t i = 0; i < COUNT(rows); i++) {
		const struct fl_kube_config *is = &rows[i].is;
		struct fl_kube_config *c = NULL;
		fairlead_error err;

		folder_write(&folder, "config",
			     kubeconfig(rows[i].cluster, rows[i].user, rows[i].context));
		if (load("config", NULL, &c, &err) != 0)
			fail_msg("row '%s': %s: %s", rows[i].name, err.subject, err.text);
		CHECK(same(c->context, "prod"), rows[i].name);
		CHECK(same(c->server, is->server), rows[i].name);
		CHECK(same(c->tls_name, is->tls_name), rows[i].name);
		CHECK(same(c->proxy, is->proxy), rows[i].name);
		CHECK(same(c->namespace, is->namespace), rows[i].name);
		CHECK(same(c->token, is->token), rows[i].name);
		CHECK(same(c->user, is->user), rows[i].name);
		CHECK(same(c->password, is->password), rows[i].name);
		CHECK(c->insecure == is->insecure, rows[i].name);
		CHECK(same(c->ca.bytes, rows[i].ca), rows[i].name);
		for (uint32_t h = 0; h < c->n_headers; h++)
			CHECK(same(c->headers[h], rows[i].headers[h]), rows[i].name);
		CHECK(!rows[i].headers[c->n_headers], rows[i].name);
		fl_kube_config_free(c);
	}
}

/* --- several files --- */

static void write_parts(void)
{
	mkdir(folder_path(&folder, "one"), 0700);
	mkdir(folder_path(&folder, "two"), 0700);
	folder_write(&folder, "one/ca.crt", "one\n");
	folder_write(&folder, "two/ca.crt", "two\n");
	folder_write(&folder, "one/config",
		     "clusters:\n- {name: c, cluster: {server: 'https://one', "
		     "certificate-authority: ca.crt}}\n"
		     "contexts:\n- {name: a, context: {cluster: c, user: u}}\n"
		     "- {name: b, context: {cluster: d, user: u}}\n");
	folder_write(
		&folder, "two/config",
		"current-context: a\n"
		"clusters:\n- {name: c, cluster: {server: 'https://two'}}\n"
		"- {name: d, cluster: {server: 'https://d', certificate-authority: ./ca.crt}}\n"
		"users:\n- {name: u, user: {token: SECRET}}\n"
		"contexts:\n- {name: a, context: {cluster: d, user: u}}\n");
	folder_write(&folder, "empty", "");
	folder_write(&folder, "other", "current-context: b\n");
	folder_write(&folder, "prod", "contexts:\n- {name: prod, context: {cluster: c}}\n");
}

/* Names of files in the folder, as $KUBECONFIG has them. */
static void set_list(const char *names)
{
	char list[1024] = "";

	for (const char *at = names; *at; at += strcspn(at, " "), at += *at == ' ') {
		size_t len = strlen(list);

		snprintf(list + len, sizeof list - len, ":%s/%.*s", folder.path,
			 (int)strcspn(at, " "), at);
	}
	setenv("KUBECONFIG", list, 1);
}

TEST_IN(begin, end, merged_as_kubectl_does)
{
	static const struct {
		const char *files, *context, *server, *ca;
	} rows[] = {
		/* Of each name the first one, whole; of current-context the first one that is said. */
		{ "one/config two/config", NULL, "https://one", "one/ca.crt" },
		{ "two/config one/config", NULL, "https://d", "two/./ca.crt" },
		{ "one/config two/config", "b", "https://d", "two/./ca.crt" },
		{ "missing empty one/config empty/no two/config", NULL, "https://one",
		  "one/ca.crt" },
		{ "other two/config one/config", NULL, "https://d", "two/./ca.crt" },
		{ "other one/config two/config", "a", "https://one", "one/ca.crt" },
	};

	write_parts();
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct fl_kube_config *c = NULL;
		fairlead_error err;

		set_list(rows[i].files);
		if (load(NULL, rows[i].context, &c, &err) != 0)
			fail_msg("row '%s': %s: %s", rows[i].files, err.subject, err.text);
		CHECK(same(c->server, rows[i].server), rows[i].files);
		CHECK(same(c->ca.file, folder_path(&folder, rows[i].ca)), rows[i].files);
		CHECK(same(c->token, "SECRET"), rows[i].files);
		fl_kube_config_free(c);
	}
}

TEST_IN(begin, end, none_is_chosen)
{
	static const struct {
		const char *files, *context, *text, *hint;
	} rows[] = {
		{ "one/config two/config", "prod", "there is no context 'prod'",
		  "there are: a, b, a" },
		{ "one/config", NULL, "no context is chosen: current-context is missing",
		  "give --context, one of: a, b" },
		{ "empty", NULL, "no context is chosen: current-context is missing",
		  "the file has no contexts" },
		{ "other prod", "prdo", "there is no context 'prdo'", "did you mean 'prod'?" },
	};
	struct fl_kube_config *c = NULL;
	fairlead_error err;

	write_parts();
	for (size_t i = 0; i < COUNT(rows); i++) {
		set_list(rows[i].files);
		CHECK(load(NULL, rows[i].context, &c, &err) == FAIRLEAD_ENOENT, rows[i].files);
		CHECK(same(err.text, rows[i].text), err.text);
		CHECK(same(err.hint, rows[i].hint), err.hint);
	}
	unsetenv("KUBECONFIG");
	assert_int_equal(load(NULL, NULL, &c, &err), FAIRLEAD_ENOENT);
	assert_non_null(strstr(err.text, "there is no kubeconfig: looked at "));
	assert_non_null(strstr(err.text, "/.kube/config"));
	assert_int_equal(load("missing", NULL, &c, &err), FAIRLEAD_EIO);
	assert_string_equal(err.text, "cannot be opened: No such file or directory");
}

TEST_IN(begin, end, wrong_files)
{
	static const struct {
		const char *text, *message;
		unsigned line;
	} rows[] = {
		{ "- a\n", "this is not a kubeconfig: it is no map", 0 },
		{ "SECRET\n", "this is not a kubeconfig: it is no map", 0 },
		{ "clusters: 1\ncurrent-context: a\ncontexts: {}\n", "is not a list", 3 },
		{ "current-context: a\ncontexts:\n- {name: a, context: {cluster: c}}\n",
		  "there is no cluster of this name", 3 },
		{ "current-context: a\ncontexts:\n- {name: a, context: {user: u}}\n",
		  "it names no cluster", 3 },
		{ "current-context: a\ncontexts:\n- name: a\n", "it has no context", 3 },
		{ "current-context: a\ncontexts:\n- {name: a, context: {cluster: c, user: u}}\n"
		  "clusters:\n- {name: c, cluster: {server: 'https://h'}}\n",
		  "there is no user of this name", 3 },
		{ "current-context: a\ncontexts:\n- {name: a, context: {cluster: c}}\n"
		  "- {name: a, context: {cluster: c}}\n",
		  "a second one of this name in one file; the first is in line 3", 4 },
		{ "users:\n- SECRET: a\n  SECRET: b\n", "duplicate key", 3 },
		{ "{\"SECRET\": 1, \"SECRET\": 2}", "duplicate key", 1 },
		{ "token: *SECRET\n", "no anchor", 1 },
		{ "token: &SECRET [*SECRET]\n", "the YAML is wrong here", 1 },
		{ "{\"a\": x}", "expected a value, not 'x'", 1 },
	};

	for (size_t i = 0; i < COUNT(rows); i++) {
		struct fl_kube_config *c = NULL;
		fairlead_error err;

		folder_write(&folder, "config", rows[i].text);
		CHECK(load("config", NULL, &c, &err) == FAIRLEAD_EINPUT, rows[i].text);
		CHECK(same(err.text, rows[i].message), err.text);
		CHECK(err.line == rows[i].line, rows[i].text);
	}
}

/* --- a plugin, as it is told --- */

#define EXEC_V1                                                                                    \
	"    exec:\n      apiVersion: client.authentication.k8s.io/v1\n"                           \
	"      interactiveMode: IfAvailable\n"

TEST_IN(begin, end, what_a_plugin_is_told)
{
	static const struct {
		const char *cluster, *user, *command, *info;
	} rows[] = {
		{ TLS, EXEC_V1 "      command: tool\n", "tool",
		  "{\"apiVersion\":\"client.authentication.k8s.io/v1\",\"kind\":\"ExecCredential\","
		  "\"spec\":{\"interactive\":false}}" },
		{ TLS PEM "    extensions:\n    - name: client.authentication.k8s.io/exec\n"
			  "      extension: {audience: x, n: [1, 2.5, true, null, '3']}\n",
		  EXEC_V1 "      command: bin/tool\n      provideClusterInfo: true\n",
		  "DIR/bin/tool",
		  "{\"apiVersion\":\"client.authentication.k8s.io/v1\",\"kind\":\"ExecCredential\","
		  "\"spec\":{\"interactive\":false,\"cluster\":{\"server\":\"https://h:6443\","
		  "\"certificate-authority-data\":\"LS0tCg==\",\"config\":{\"audience\":\"x\","
		  "\"n\":[1,2.5,true,null,\"3\"]}}}}" },
		{ TLS "    insecure-skip-tls-verify: true\n    tls-server-name: t\n",
		  "    exec: {apiVersion: client.authentication.k8s.io/v1beta1, command: /bin/x, "
		  "provideClusterInfo: true}\n",
		  "/bin/x",
		  "{\"apiVersion\":\"client.authentication.k8s.io/v1beta1\","
		  "\"kind\":\"ExecCredential\",\"spec\":{\"interactive\":false,\"cluster\":{"
		  "\"server\":\"https://h:6443\",\"tls-server-name\":\"t\","
		  "\"insecure-skip-tls-verify\":true}}}" },
	};

	for (size_t i = 0; i < COUNT(rows); i++) {
		struct fl_kube_config *c = NULL;
		fairlead_error err;
		const char *dir = strstr(rows[i].command, "DIR/");

		folder_write(&folder, "config", kubeconfig(rows[i].cluster, rows[i].user, ""));
		if (load("config", NULL, &c, &err) != 0)
			fail_msg("row '%s': %s: %s", rows[i].command, err.subject, err.text);
		CHECK(same(c->exec->command,
			   dir ? folder_path(&folder, rows[i].command + 4) : rows[i].command),
		      c->exec->command);
		CHECK(same(c->exec->info, rows[i].info), c->exec->info);
		fl_kube_config_free(c);
	}
}

/* --- a pod --- */

TEST_IN(begin, end, in_a_pod)
{
	static const struct {
		const char *host, *port, *server;
	} rows[] = {
		{ "10.0.0.1", "443", "https://10.0.0.1:443" },
		{ "fd00::1", "6443", "https://[fd00::1]:6443" },
		{ NULL, "443", NULL },
		{ "", "443", NULL },
	};

	folder_write(&folder, "token", "SECRET\n");
	folder_write(&folder, "ca.crt", "---\n");
	folder_write(&folder, "namespace", "fairlead\n");
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct fl_kube_config c = { .namespace = "default" };

		fl_arena_init(&c.arena, &fl_mem_heap);
		assert_int_equal(fl_kube_read_pod(&c, rows[i].host, rows[i].port, folder.path,
						  NULL),
				 rows[i].server ? 0 : 1);
		if (rows[i].server) {
			assert_string_equal(c.server, rows[i].server);
			assert_string_equal(c.namespace, "fairlead");
			assert_string_equal(c.ca.file, folder_path(&folder, "ca.crt"));
			assert_string_equal(c.token_file, folder_path(&folder, "token"));
		}
		fl_arena_done(&c.arena);
	}
}

UNIT_GROUP("config")
