/* SPDX-License-Identifier: Apache-2.0 */
/*
 * login, logout: which daemon is asked over the network, and with which token, kept for all verbs
 *
 * The server is trusted first, then it gets the token, and what it accepts is written.
 */
#include <errno.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <termios.h>
#include <unistd.h>

#include "base/time.h"
#include "cli/client/daemon.h"
#include "cli/client/login.h"
#include "cli/client/server.h"
#include "cli/terminal/out_file.h"

/* --- the name and the role --- */

/* "a, b"; nothing of an empty list. */
static void put_list(FILE *out, const json_t *list)
{
	for (size_t i = 0; i < json_array_size(list); i++) {
		const char *text = json_string_value(json_array_get(list, i));

		fputs(i ? ", " : "", out);
		fl_report_put_clean(out, text ? text : "", text ? strlen(text) : 0);
	}
}

static void put_line(const char *name, const char *text)
{
	if (!text)
		return;
	printf("%-8s", name);
	fl_report_put_clean(stdout, text, strlen(text));
	putchar('\n');
}

static void put_who(const json_t *who)
{
	const json_t *queues = json_object_get(who, "queues");

	put_line("user", json_string_value(json_object_get(who, "user")));
	put_line("token", json_string_value(json_object_get(who, "token")));
	put_line("role", json_string_value(json_object_get(who, "role")));
	if (json_array_size(queues)) {
		printf("%-8s", "queues");
		put_list(stdout, queues);
		putchar('\n');
	}
	put_line("expires", json_string_value(json_object_get(who, "expiresAt")));
}

static int ask_who(struct fl_client *c, json_t **ret, fairlead_error *err)
{
	struct fl_path path;

	fl_path_start(&path, "/v1/whoami");
	return fl_daemon_ask(c, "GET", &path, /* body= */ NULL, ret, err);
}

/* Without an address: what is asked now. */
static int show(const struct fl_options *o)
{
	struct fl_client *client = NULL;
	struct fl_server_choice server = { 0 };
	fairlead_error err = { 0 };
	json_t *who = NULL;
	int rc = fl_server_choose(o, &server, &err);

	if (rc == 0)
		rc = fl_daemon_open(o, &client, &err);
	if (rc == 0)
		rc = ask_who(client, &who, &err);
	if (rc == 0) {
		put_line("server", fl_client_place(client));
		if (*server.from)
			put_line("from", server.from);
		put_who(who);
	}
	json_decref(who);
	fl_client_free(client);
	fl_server_done(&server);
	return rc < 0 ? fl_complain(&err) : FL_EXIT_YES;
}

/* --- is it the right server? --- */

static void say_certificate(FILE *out, const char *url, const struct fl_shown *cert)
{
	char until[40];

	fprintf(out, "No authority that this machine trusts has signed the certificate of %s.\n",
		url);
	fputs("  names        ", out);
	fl_report_put_clean(out, cert->names, strlen(cert->names));
	fprintf(out, "\n  valid until  %s\n  fingerprint  %s\n",
		cert->until == FL_NEVER ? "for ever" : fl_time_format(until, cert->until),
		cert->fingerprint);
	fputs("Compare the fingerprint with that which the daemon's admin tells you: the daemon says it\n"
	      "at its start.  If it is another one, another machine between here and there can read your token.\n"
	      "Is it the same? Type yes: ",
	      out);
	fflush(out);
}

static int fail_unconfirmed(const char *url, const char *fingerprint, fairlead_error *err)
{
	fl_fail(err, FAIRLEAD_EINPUT, "it is not confirmed that this is the right server");
	fl_fail_hint(err,
		     "when its admin says that its fingerprint is this, give "
		     "--server-fingerprint %s",
		     fingerprint);
	return fl_fail_in(err, "%s", url);
}

/* The person at the terminal says it; standard input may be the token. */
static int confirm(struct fl_client *c, struct fl_remote *remote, fairlead_error *err)
{
	struct fl_shown cert;
	char answer[16] = "";
	int rc = fl_client_shown(c, &cert, err);
	FILE *terminal = rc == 0 ? fopen("/dev/tty", "r+e") : NULL;

	if (rc < 0)
		return rc;
	if (!terminal)
		return fail_unconfirmed(remote->url, cert.fingerprint, err);
	say_certificate(terminal, remote->url, &cert);
	bool yes = fgets(answer, sizeof(answer), terminal) && strcmp(answer, "yes\n") == 0;
	fclose(terminal);
	if (!yes)
		return fail_unconfirmed(remote->url, cert.fingerprint, err);
	memcpy(remote->key, cert.key, sizeof(cert.key));
	return 0;
}

/* *ret_distrusts: the server is there, and only its certificate is not trusted. */
static int ask_health(struct fl_client *c, bool *ret_distrusts, fairlead_error *err)
{
	struct fl_answer answer;
	int rc = fl_client_call(c, "GET", "/v1/health", /* body= */ NULL, 0, &answer, err);

	*ret_distrusts = rc < 0 && fl_client_distrusts(c);
	if (rc == 0)
		fl_answer_done(&answer);
	return rc;
}

/* remote->key becomes that of the server that was confirmed, where that is needed. */
static int trust(struct fl_remote *remote, fairlead_error *err)
{
	struct fl_client *client = NULL;
	bool distrusts;
	int rc = fl_client_new_remote(remote, &client, err);

	if (rc < 0)
		return rc;
	rc = ask_health(client, &distrusts, err);
	if (rc < 0 && distrusts && !remote->ca_file)
		rc = confirm(client, remote, err);
	else if (rc == 0)
		memcpy(remote->key, fl_client_key(client), sizeof(remote->key));
	fl_client_free(client);
	return rc;
}

/* --- the token --- */

/* A line of standard input; of a terminal what is typed is not shown. */
static int read_token(const char *url, char **ret, fairlead_error *err)
{
	bool terminal = isatty(STDIN_FILENO);
	struct termios before, hidden;
	char *text = calloc(1, FL_REMOTE_TOKEN + 2);

	if (!text)
		return fl_fail_nomem(err);
	if (terminal && tcgetattr(STDIN_FILENO, &before) == 0) {
		fprintf(stderr, "Token for %s: ", url);
		hidden = before;
		/* Ctrl-C comes as a byte, which no token has: the terminal is put back. */
		hidden.c_lflag &= (tcflag_t) ~(ECHO | ISIG);
		terminal = tcsetattr(STDIN_FILENO, TCSAFLUSH, &hidden) == 0;
	} else {
		terminal = false;
	}
	bool there = fgets(text, FL_REMOTE_TOKEN + 2, stdin);
	if (terminal) {
		tcsetattr(STDIN_FILENO, TCSAFLUSH, &before);
		putc('\n', stderr);
	}
	int rc = fl_remote_token(text, there ? strlen(text) : 0, err);
	if (rc == 0)
		*ret = text;
	else
		fl_secret_free(text);
	return rc;
}

/* --- login --- */

/* From the root, so that it is found from everywhere. */
static int make_absolute(const char *path, char **ret, fairlead_error *err)
{
	*ret = path ? realpath(path, NULL) : NULL;
	if (!path || *ret)
		return 0;
	int rc = errno == ENOMEM ? fl_fail_nomem(err) : fl_out_fail(path, err);
	return rc;
}

/* A pipe of the shell is read once: then it is the token that is kept, and not its file. */
static int take_token_file(const char *path, struct fl_login *l, char **ret, fairlead_error *err)
{
	struct stat st;
	int rc = fl_token_file_read(path, ret, err);

	if (rc < 0 || stat(path, &st) < 0 || !S_ISREG(st.st_mode))
		return rc;
	return make_absolute(path, &l->token_file, err);
}

static int check_token(const struct fl_remote *remote, json_t **ret, fairlead_error *err)
{
	struct fl_client *client = NULL;
	int rc = fl_client_new_remote(remote, &client, err);

	if (rc == 0)
		rc = ask_who(client, ret, err);
	fl_client_free(client);
	return rc;
}

static int log_in(const struct fl_options *o, struct fl_login *l, json_t **ret_who,
		  fairlead_error *err)
{
	struct fl_remote remote = { 0 };
	char *token = NULL;
	int rc = fl_remote_url(o->operands[0], remote.url, err);

	if (rc == 0 && o->fingerprint)
		rc = fl_remote_fingerprint(o->fingerprint, remote.fingerprint, err);
	if (rc == 0)
		rc = make_absolute(o->ca_file, &l->ca_file, err);
	if (rc == 0 && o->token_file)
		rc = take_token_file(o->token_file, l, &token, err);
	remote.ca_file = l->ca_file;
	if (rc == 0)
		rc = trust(&remote, err);
	if (rc == 0 && !o->token_file)
		rc = read_token(remote.url, &token, err);
	remote.token = token;
	if (rc == 0)
		rc = check_token(&remote, ret_who, err);
	memcpy(l->url, remote.url, sizeof(l->url));
	memcpy(l->key, remote.key, sizeof(l->key));
	if (l->token_file)
		fl_secret_free(token);
	else
		l->token = token;
	return rc == 0 ? fl_login_write(l, err) : rc;
}

/* What is there already does not matter: it is replaced, or removed. */
static void find_login(struct fl_login *l)
{
	fairlead_error unused = { 0 };

	(void)fl_login_read(l, &unused);
}

static void forget(struct fl_login *l)
{
	char *path = l->path;

	l->path = NULL;
	fl_login_done(l);
	l->path = path;
}

int fl_cmd_login(const struct fl_options *o)
{
	struct fl_login l = { 0 };
	fairlead_error err = { 0 };
	json_t *who = NULL;

	if (o->n_operands == 0)
		return show(o);
	if (o->server || o->socket)
		return fl_usage_error(o->verb,
				      "URL says already which daemon it is: --%s is too much",
				      o->server ? "server" : "socket");
	find_login(&l);
	forget(&l);
	int rc = log_in(o, &l, &who, &err);
	if (rc == 0) {
		put_line("server", l.url);
		put_who(who);
		put_line("written", l.path);
	}
	json_decref(who);
	fl_login_done(&l);
	return rc < 0 ? fl_complain(&err) : FL_EXIT_YES;
}

int fl_cmd_logout(const struct fl_options *o)
{
	struct fl_login l = { 0 };
	fairlead_error err = { 0 };
	int rc = 0;

	(void)o;
	find_login(&l);
	if (l.path && unlink(l.path) == 0)
		put_line("removed", l.path);
	else if (l.path && errno != ENOENT && errno != ENOTDIR)
		rc = fl_out_fail(l.path, &err);
	else
		puts("there is no login");
	fl_login_done(&l);
	return rc < 0 ? fl_complain(&err) : FL_EXIT_YES;
}
