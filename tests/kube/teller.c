/* SPDX-License-Identifier: Apache-2.0 */
#include "teller.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void teller_fail(const char *text)
{
	(void)fprintf(stderr, "%s: %s\n", program_invocation_short_name, text);
	exit(2);
}

void teller_say(const char *what, int64_t at, json_t *more)
{
	json_t *line = json_pack("{s:s, s:I}", "what", what, "at", (json_int_t)at);

	json_object_update(line, more);
	json_decref(more);
	json_dumpf(line, stdout, JSON_COMPACT);
	json_decref(line);
	(void)putchar('\n');
	(void)fflush(stdout);
}

void teller_read(const struct teller_number *names, size_t n, char *word)
{
	char *value = strchr(word, '=');

	if (!value)
		teller_fail("an option is NAME=NUMBER");
	*value++ = '\0';
	for (size_t i = 0; i < n; i++)
		if (strcmp(names[i].name, word) == 0) {
			*names[i].to = (uint32_t)strtoul(value, NULL, 10);
			return;
		}
	teller_fail("an unknown option");
}

void teller_listen(struct teller *t, uv_signal_t *handle, int number, uv_signal_cb told)
{
	(void)uv_signal_init(&t->loop, handle);
	(void)uv_signal_start(handle, told, number);
}

void teller_open(struct teller *t, const char *kubeconfig, const struct fl_kube_options *options)
{
	const struct fl_kube_choice choice = { .kubeconfig = kubeconfig };
	fairlead_error err = { 0 };

	if (fl_kube_config_load(&choice, &t->config, &err) < 0 ||
	    fl_kube_new(&t->loop, t->config, options, &t->client, &err) < 0)
		teller_fail(err.text);
}

void teller_close(struct teller *t)
{
	fl_kube_free(t->client);
	(void)uv_run(&t->loop, UV_RUN_DEFAULT);
	fl_kube_config_free(t->config);
	if (uv_loop_close(&t->loop) != 0)
		teller_fail("handles were left open");
}
