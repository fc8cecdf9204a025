/* SPDX-License-Identifier: Apache-2.0 */
/*
 * lease - one that would lead, and says when it does, a line of JSON each
 *
 * usage: lease KUBECONFIG IDENTITY [OPTION=NUMBER]...
 *
 * Of the Lease default/leader.  Each line has the milliseconds of CLOCK_BOOTTIME.  Options are those of struct fl_kube_lease_spec.  SIGUSR1: it says whether it leads.
 * SIGTERM: it gives the Lease back, and ends.
 */
#include <signal.h>

#include "kube/credentials_kept.h"
#include "kube/lease.h"
#include "teller.h"

struct one {
	struct teller t;
	uv_signal_t end, question;
	struct fl_kube_lease *lease;
};

static void print(const char *what, json_t *more)
{
	teller_say(what, fl_kube_ms(CLOCK_BOOTTIME), more);
}

static void on_leads(void *user, const char *version)
{
	(void)user;
	print("leads", json_pack("{s:s}", "version", version));
}

static void on_lost(void *user, const fairlead_error *why)
{
	(void)user;
	print("lost", json_pack("{s:s}", "text", why->text));
}

static void on_released(void *user, const fairlead_error *why)
{
	struct one *o = user;

	print("released", json_pack("{s:s}", "text", why ? why->text : ""));
	uv_close((uv_handle_t *)&o->end, NULL);
	uv_close((uv_handle_t *)&o->question, NULL);
}

static const struct fl_kube_lease_listener listener = { on_leads, on_lost, on_released };

static void on_end(uv_signal_t *signal, int number)
{
	struct one *o = signal->data;

	(void)number;
	(void)uv_signal_stop(signal);
	fl_kube_lease_release(o->lease);
}

static void on_question(uv_signal_t *signal, int number)
{
	const struct one *o = signal->data;
	const fairlead_error *problem = fl_kube_lease_problem(o->lease);

	(void)number;
	print("asked",
	      json_pack("{s:b, s:s, s:s}", "leads", (int)fl_kube_lease_leads(o->lease), "holder",
			fl_kube_lease_holder(o->lease), "problem", problem ? problem->text : ""));
}

static void read_option(struct fl_kube_lease_spec *spec, char *word)
{
	const struct teller_number names[] = {
		{ "lasts", &spec->lasts },
		{ "every", &spec->every },
		{ "most", &spec->most },
		{ "look", &spec->look },
	};

	teller_read(names, sizeof names / sizeof *names, word);
}

int main(int argc, char **argv)
{
	static struct one o;
	struct fl_kube_lease_spec spec = { .namespace = "default", .name = "leader" };
	struct fl_kube_options options = { .seed = 1, .first = 50, .most = 400, .agent = "lease" };
	fairlead_error err = { 0 };

	if (argc < 3)
		teller_fail("KUBECONFIG IDENTITY [OPTION=NUMBER]...");
	spec.identity = argv[2];
	for (int i = 3; i < argc; i++)
		read_option(&spec, argv[i]);
	(void)uv_loop_init(&o.t.loop);
	o.end.data = o.question.data = &o;
	teller_listen(&o.t, &o.end, SIGTERM, on_end);
	teller_listen(&o.t, &o.question, SIGUSR1, on_question);
	teller_open(&o.t, argv[1], &options);
	if (fl_kube_lease_new(o.t.client, &spec, &listener, &o, &o.lease, &err) < 0)
		teller_fail(err.text);
	print("start", NULL);
	(void)uv_run(&o.t.loop, UV_RUN_DEFAULT);
	fl_kube_lease_free(o.lease);
	teller_close(&o.t);
	return 0;
}
