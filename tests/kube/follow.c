/* SPDX-License-Identifier: Apache-2.0 */
/*
 * follow - tells what a listener sees, a line of JSON each
 *
 * usage: follow KUBECONFIG [OPTION=NUMBER]... SOURCE...
 *
 * SOURCE is GROUP/VERSION[,VERSION]/PLURAL[/NAMESPACE], with '+' before it: initial events.  Options are
 * those of struct fl_kube_options, and listed=1: ends when all kinds are listed; quiet=1: objects are
 * counted only; ask=N: N requests that create a TokenReview, the last one cancelled.  Ends at SIGTERM; its last line has what it took.
 */
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "kube/reflect.h"
#include "teller.h"

enum { SOURCES = 16 };

struct source {
	struct follow *all;
	struct fl_kube_source source;
	struct fl_kube_reflector *reflector;
	bool listed;
};

struct follow {
	struct teller t;
	uv_signal_t end;
	struct fl_kube_options options;
	struct source sources[SOURCES];
	uint32_t n, until_listed, quiet, ask;
	uint64_t objects;
};

/* --- lines --- */

static void print(struct source *s, const char *what, json_t *more)
{
	json_t *line = json_pack("{s:s}", "kind", s->source.plural);

	json_object_update(line, more);
	json_decref(more);
	teller_say(what, (int64_t)uv_now(&s->all->t.loop), line);
}

static void on_begun(void *user, const char *version)
{
	print(user, "begun", json_pack("{s:s?}", "version", version));
}

static int on_object(void *user, enum fl_kube_what what, const struct fl_kube_object *o)
{
	static const char *const words[] = { [FL_KUBE_SEEN] = "seen",
					     [FL_KUBE_ENDED] = "ended",
					     [FL_KUBE_TOO_LARGE] = "too large" };
	struct source *s = user;

	s->all->objects++;
	if (s->all->quiet)
		return 0;
	json_error_t error;
	json_t *object = o->json ? json_loadb(o->json, o->len,
					      JSON_REJECT_DUPLICATES | JSON_ALLOW_NUL, &error) :
				   NULL;
	if (o->json && !object) {
		(void)fprintf(stderr, "%s: %s\n", o->name, error.text);
		abort();
	}
	print(s, words[what],
	      json_pack("{s:s, s:s, s:s, s:s, s:o?}", "namespace", o->namespace, "name", o->name,
			"uid", o->uid, "resourceVersion", o->resource_version, "object", object));
	return 0;
}

static void on_remaining(void *user, uint64_t objects)
{
	print(user, "remaining", json_pack("{s:I}", "objects", (json_int_t)objects));
}

static void on_listed(void *user, const char *version)
{
	struct source *s = user;
	struct follow *f = s->all;
	bool all = true;

	s->listed = true;
	print(s, "listed", json_pack("{s:s}", "resourceVersion", version));
	for (uint32_t i = 0; i < f->n; i++)
		all &= f->sources[i].listed;
	if (all && f->until_listed)
		(void)raise(SIGTERM);
}

static void on_bookmark(void *user, const char *version)
{
	print(user, "bookmark", json_pack("{s:s}", "resourceVersion", version));
}

static void on_troubled(void *user, const struct fl_kube_trouble *t)
{
	struct source *s = user;
	struct fl_kube_standing standing;

	if (!t) {
		print(user, "fine", NULL);
		return;
	}
	fl_kube_reflector_standing(s->reflector, &standing);
	print(user, "trouble",
	      json_pack("{s:I, s:s, s:s, s:i, s:s, s:s, s:s, s:I}", "old",
			(json_int_t)(uv_now(&s->all->t.loop) - standing.heard), "of", t->kind,
			"verb", t->verb, "status", (int)t->status, "text", t->error.text, "hint",
			t->error.hint, "subject", t->error.subject, "since", (json_int_t)t->since));
}

static const struct fl_kube_listener listener = {
	.begun = on_begun,
	.object = on_object,
	.remaining = on_remaining,
	.listed = on_listed,
	.bookmark = on_bookmark,
	.troubled = on_troubled,
};

/* --- its words --- */

static void read_option(struct follow *f, char *word)
{
	const struct teller_number names[] = {
		{ "qps", &f->options.qps },
		{ "burst", &f->options.burst },
		{ "timeout", &f->options.timeout },
		{ "silence", &f->options.silence },
		{ "first", &f->options.first },
		{ "most", &f->options.most },
		{ "again", &f->options.again },
		{ "page", &f->options.page },
		{ "objects", &f->options.objects },
		{ "listed", &f->until_listed },
		{ "quiet", &f->quiet },
		{ "ask", &f->ask },
	};

	if (strncmp(word, "seed=", 5) == 0)
		f->options.seed = strtoull(word + 5, NULL, 10);
	else
		teller_read(names, sizeof names / sizeof *names, word);
}

/* The parts stay in @word. */
static void read_source(struct follow *f, char *word)
{
	struct source *s = &f->sources[f->n];
	uint32_t n = 0;

	if (f->n++ == SOURCES)
		teller_fail("too many sources");
	s->all = f;
	s->source.initial_events = *word == '+';
	word += *word == '+';
	s->source.group = strsep(&word, "/");
	char *versions = strsep(&word, "/");
	while (versions && n < FL_KUBE_VERSIONS)
		s->source.versions[n++] = strsep(&versions, ",");
	s->source.plural = strsep(&word, "/");
	s->source.namespace = word;
	if (!s->source.plural)
		teller_fail("a source is GROUP/VERSION/PLURAL");
}

/* --- requests --- */

static void on_answer(void *user, const struct fl_kube_answer *a)
{
	struct source *s = user;

	print(s, "answer",
	      json_pack("{s:i, s:s, s:i, s:s, s:s}", "status", (int)a->status, "body", a->bytes,
			"later", (int)a->retry_after, "text", a->problem ? a->problem->text : "",
			"subject", a->problem ? a->problem->subject : ""));
}

static void ask(struct follow *f, uint32_t n)
{
	struct fl_kube_call *call;
	fairlead_error err;
	char body[64];
	int len = snprintf(body, sizeof body, "{\"spec\": {\"token\": \"%u\"}}", n);

	if (fl_kube_ask(f->t.client,
			&(struct fl_kube_request){
				.method = "POST",
				.path = "/apis/authentication.k8s.io/v1/tokenreviews",
				.body = body,
				.len = (size_t)len,
				.type = "application/json",
				.lane = n % 2 ? FL_KUBE_LEASE : FL_KUBE_ASK,
				.most = 4096,
				.done = on_answer,
				.user = &f->sources[0] },
			&call, &err) < 0)
		teller_fail(err.text);
	if (n + 1 == f->ask)
		fl_kube_cancel(call);
}

/* --- the loop --- */

static void on_signal(uv_signal_t *signal, int number)
{
	struct follow *f = signal->data;

	(void)number;
	for (uint32_t i = 0; i < f->n; i++)
		f->sources[i].reflector = fl_kube_reflector_free(f->sources[i].reflector);
	uv_close((uv_handle_t *)signal, NULL);
}

static void start(struct follow *f, const char *kubeconfig)
{
	fairlead_error err = { 0 };

	teller_open(&f->t, kubeconfig, &f->options);
	for (uint32_t i = 0; i < f->n; i++)
		if (fl_kube_reflect(f->t.client, &f->sources[i].source, &listener, &f->sources[i],
				    &f->sources[i].reflector, &err) < 0)
			teller_fail(err.text);
	for (uint32_t i = 0; i < f->ask; i++)
		ask(f, i);
}

static double seconds(struct timeval t) { return (double)t.tv_sec + (double)t.tv_usec / 1e6; }

/* Most of memory that was in use: getrusage has that of the process that started this one, too. */
static long most_memory(void)
{
	FILE *status = fopen("/proc/self/status", "r");
	char line[256];
	long ret = 0;

	while (status && fgets(line, sizeof line, status))
		if (sscanf(line, "VmHWM: %ld", &ret) == 1)
			break;
	if (status)
		(void)fclose(status);
	return ret;
}

static void print_end(const struct follow *f)
{
	const struct fl_kube_counts *counts = fl_kube_counts(f->t.client);
	struct rusage usage;

	(void)getrusage(RUSAGE_SELF, &usage);
	(void)printf("{\"what\": \"end\", \"objects\": %" PRIu64 ", \"requests\": %" PRIu64
		     ", \"retries\": %" PRIu64 ", \"failures\": %" PRIu64
		     ", \"connections\": %" PRIu64 ", \"bytes\": %" PRIu64
		     ", \"user\": %.3f, \"system\": %.3f, \"KiB\": %ld}\n",
		     f->objects, counts->requests, counts->retries, counts->failures,
		     counts->connections, counts->bytes, seconds(usage.ru_utime),
		     seconds(usage.ru_stime), most_memory());
}

int main(int argc, char **argv)
{
	static struct follow f;

	if (argc < 3)
		teller_fail("KUBECONFIG [OPTION=NUMBER]... SOURCE...");
	for (int i = 2; i < argc; i++)
		if (strchr(argv[i], '='))
			read_option(&f, argv[i]);
		else
			read_source(&f, argv[i]);
	(void)uv_loop_init(&f.t.loop);
	f.end.data = &f;
	teller_listen(&f.t, &f.end, SIGTERM, on_signal);
	start(&f, argv[1]);
	teller_say("start", (int64_t)uv_now(&f.t.loop), NULL);
	(void)uv_run(&f.t.loop, UV_RUN_DEFAULT);
	print_end(&f);
	teller_close(&f.t);
	return 0;
}
