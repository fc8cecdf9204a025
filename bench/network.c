/* SPDX-License-Identifier: Apache-2.0 */
/*
 * network - what requests cost over TLS, beside the same over the Unix socket
 *
 * network [--pending N] [--connections N] [--rate N] [--seconds N] [--state NAME]
 *
 * Starts a fairleadd in a new folder named after NAME, which is removed again; two jobs run, --pending others
 * wait.  Then --connections connections, which are kept, send --rate requests a second in all, nine of ten of which
 * read: a job, a page of jobs, queues, the tree, an explanation; the others change a priority, which is durable
 * when it is answered.  For --seconds over the socket, over TLS with a token, and again.  A request's time
 * begins when it was due, so that what waits behind a slow one counts.
 *
 * One line of JSON, and a table.
 */
#include <jansson.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "load_daemon.h"
#include "load_http.h"
#include "measure.h"

enum { WAYS = 2, ROUNDS = 2, KINDS = 6, GREETING_MS = 8000 };

static struct {
	const char *state;
	unsigned pending, connections, rate, seconds;
} options = { "network", 100000, 200, 400, 20 };

static const char *const kinds[KINDS] = { "job", "jobs", "queues", "tree", "explain", "priority" };

struct figures {
	double *ms[KINDS];
	unsigned n[KINDS], room, failed;
	double cpu_us; /* of the daemon, a request */
};

static struct own daemon_;
static unsigned port;
static char token[200];

/* --- one connection --- */

struct client {
	pthread_t thread;
	unsigned number, n[KINDS], failed;
	double begin, *ms[KINDS];
	bool tls;
};

static void wait_until(double at)
{
	double ms = at - now_ms();
	struct timespec t = { .tv_sec = (time_t)(ms / 1e3) };

	if (ms <= 0)
		return;
	t.tv_nsec = (long)((ms - (double)t.tv_sec * 1e3) * 1e6);
	(void)nanosleep(&t, NULL);
}

static unsigned ask(struct door *d, unsigned kind, unsigned job, unsigned n)
{
	char path[200];

	switch (kind) {
	case 0:
		(void)snprintf(path, sizeof path, "/v1/jobs/%u", job);
		break;
	case 1:
		(void)snprintf(path, sizeof path, "/v1/jobs?limit=50&queue=team-%02u", n % QUEUES);
		break;
	case 2:
		(void)snprintf(path, sizeof path, "/v1/queues");
		break;
	case 3:
		(void)snprintf(path, sizeof path, "/v1/tree?format=json");
		break;
	case 4:
		(void)snprintf(path, sizeof path, "/v1/jobs/%u/explain?format=json", job);
		break;
	default:
		(void)snprintf(path, sizeof path, "/v1/jobs/%u/priority?value=%u", job, n % 5);
		return door_ask(d, "POST", path, "");
	}
	return door_ask(d, "GET", path, "");
}

static void *run(void *user)
{
	struct client *c = user;
	struct door d;
	double every = 1e3 * options.connections / options.rate;
	unsigned most = (unsigned)(options.seconds * 1e3 / every);
	unsigned seed = 12345 + c->number;

	if (c->tls)
		door_init_tls(&d, port, token);
	else
		door_init(&d, daemon_.socket);
	/* Fewer handshakes in a second than one address may have. */
	wait_until(c->begin - GREETING_MS + 25.0 * c->number);
	(void)door_ask(&d, "GET", "/v1/whoami", "");
	for (unsigned i = 0; i < most; i++) {
		double due = c->begin + every * (i + (double)c->number / options.connections);
		unsigned kind = (i * 7 + c->number) % 10;

		kind = kind == 9 ? KINDS - 1 : kind % (KINDS - 1);
		seed = seed * 1103515245 + 12345;
		wait_until(due);
		if (ask(&d, kind, 3 + (seed >> 8) % options.pending, i) != 200)
			c->failed++;
		else
			c->ms[kind][c->n[kind]++] = now_ms() - due;
	}
	door_done(&d);
	return NULL;
}

/* --- all of them --- */

static void *room_for(size_t n, size_t size)
{
	void *ret = calloc(n + 1, size);

	if (!ret)
		exit(3);
	return ret;
}

static void measure(bool tls, struct figures *f)
{
	struct client *clients = room_for(options.connections, sizeof *clients);
	unsigned each = options.seconds * options.rate / options.connections + 2, sent = 0;
	struct own_figures before, after;
	double begin = now_ms() + GREETING_MS + 100;

	for (unsigned i = 0; i < options.connections; i++) {
		clients[i] = (struct client){ .number = i, .begin = begin, .tls = tls };
		for (int k = 0; k < KINDS; k++)
			clients[i].ms[k] = room_for(each, sizeof(double));
		if (pthread_create(&clients[i].thread, NULL, run, &clients[i]) != 0)
			exit(3);
	}
	wait_until(begin);
	own_look(&daemon_, &before);
	for (unsigned i = 0; i < options.connections; i++) {
		(void)pthread_join(clients[i].thread, NULL);
		f->failed += clients[i].failed;
		for (int k = 0; k < KINDS; k++) {
			f->ms[k] = realloc(f->ms[k], (f->n[k] + each) * sizeof(double));
			if (!f->ms[k])
				exit(3);
			memcpy(f->ms[k] + f->n[k], clients[i].ms[k],
			       clients[i].n[k] * sizeof(double));
			f->n[k] += clients[i].n[k];
			sent += clients[i].n[k];
			free(clients[i].ms[k]);
		}
	}
	own_look(&daemon_, &after);
	f->cpu_us += (after.cpu_ms - before.cpu_ms) * 1e3 / (sent ? sent : 1) / ROUNDS;
	free(clients);
}

static json_t *summary(const struct figures *f, const char *way)
{
	json_t *ret = json_pack("{s:s, s:f, s:I}", "way", way, "cpuMicroseconds", f->cpu_us,
				"failed", (json_int_t)f->failed);

	for (int k = 0; k < KINDS; k++) {
		double p50 = median(f->ms[k], f->n[k]); /* sorts them */
		double p99 = f->n[k] ? f->ms[k][f->n[k] * 99 / 100] : 0;
		double most = f->n[k] ? f->ms[k][f->n[k] - 1] : 0;

		json_object_set_new(ret, kinds[k],
				    json_pack("{s:I, s:f, s:f, s:f}", "n", (json_int_t)f->n[k],
					      "p50", p50, "p99", p99, "most", most));
		fprintf(stderr, "%-7s %-9s %7u %9.2f %9.2f %9.2f\n", way, kinds[k], f->n[k], p50,
			p99, most);
	}
	fprintf(stderr, "%-7s %u failed; %.0f us of the daemon's processor a request\n", way,
		f->failed, f->cpu_us);
	return ret;
}

/* --- a daemon with jobs, a port and a token --- */

static void give_up(const char *what, const struct door *d)
{
	fprintf(stderr, "network: %s: %s\n", what, d->fd < 0 ? "no answer" : door_body(d));
	own_end(&daemon_);
	exit(3);
}

static void fill(struct door *d)
{
	unsigned part = options.pending / QUEUES + 1;

	for (unsigned i = 0; i < QUEUES; i++) {
		char body[400];

		(void)snprintf(
			body, sizeof body,
			"{\"name\":\"n\",\"queue\":\"team-%02u\",\"requests\":{\"cpu\":\"1\"},"
			"\"command\":[\"sleep\",\"100000\"],\"directory\":\"/\",\"array\":%u}",
			i, part < 10000 ? part : 10000);
		if (door_ask(d, "POST", "/v1/jobs", body) != 201)
			give_up("a job", d);
	}
}

static void ask_for_token(struct door *d)
{
	json_t *made, *health;
	const char *text;

	if (door_ask(d, "POST", "/v1/tokens", "{\"name\":\"bench\",\"role\":\"admin\"}") != 201)
		give_up("a token", d);
	made = json_loads(door_body(d), 0, NULL);
	text = json_string_value(json_object_get(made, "token"));
	(void)snprintf(token, sizeof token, "%s", text ? text : "");
	json_decref(made);
	if (door_ask(d, "GET", "/v1/health", "") != 200)
		give_up("health", d);
	health = json_loads(door_body(d), 0, NULL);
	text = json_string_value(json_array_get(json_object_get(health, "listens"), 0));
	port = text && strrchr(text, ':') ? (unsigned)strtoul(strrchr(text, ':') + 1, NULL, 10) : 0;
	json_decref(health);
	if (!*token || !port)
		give_up("no token or port", d);
}

static bool take(const char *name, const char *value)
{
	static const struct {
		const char *name;
		unsigned *value;
	} numbers[] = { { "--pending", &options.pending },
			{ "--connections", &options.connections },
			{ "--rate", &options.rate },
			{ "--seconds", &options.seconds } };

	for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
		if (strcmp(name, numbers[i].name) == 0)
			return (*numbers[i].value = (unsigned)strtoul(value, NULL, 10)) > 0;
	options.state = value;
	return strcmp(name, "--state") == 0;
}

int main(int argc, char **argv)
{
	static const char *const ways[WAYS] = { "socket", "tls" };
	struct figures f[WAYS] = { 0 };
	struct door d;
	json_t *all = json_array();
	unsigned failed = 0;

	for (int i = 1; i < argc; i += 2)
		if (i + 1 == argc || !take(argv[i], argv[i + 1])) {
			fputs("usage: network [--pending N] [--connections N] [--rate N] [--seconds N] [--state NAME]\n",
			      stderr);
			return 2;
		}
	daemon_.network = true;
	own_make(&daemon_, options.state);
	if (own_start(&daemon_) < 0) {
		fputs("network: the daemon did not start\n", stderr);
		return 3;
	}
	door_init(&d, daemon_.socket);
	fill(&d);
	ask_for_token(&d);
	door_done(&d);
	wait_until(now_ms() + 2000);
	for (int round = 0; round < ROUNDS; round++)
		for (int way = 0; way < WAYS; way++)
			measure(way == 1, &f[way]);
	fprintf(stderr, "%-7s %-9s %7s %9s %9s %9s\n", "", "", "", "p50 ms", "p99 ms", "most ms");
	for (int way = 0; way < WAYS; way++) {
		failed += f[way].failed;
		json_array_append_new(all, summary(&f[way], ways[way]));
		for (int k = 0; k < KINDS; k++)
			free(f[way].ms[k]);
	}
	json_dumpf(all, stdout, JSON_COMPACT);
	putchar('\n');
	json_decref(all);
	own_end(&daemon_);
	return failed > 0;
}
