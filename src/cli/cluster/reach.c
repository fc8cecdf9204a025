/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/cluster/reach.h"

#include <time.h>
#include <unistd.h>

int fl_reach_open(const struct fl_options *o, struct fl_reach *ret, fairlead_error *err)
{
	const struct fl_kube_choice choice = { .kubeconfig = o->kubeconfig,
					       .context = o->context,
					       .in_cluster = true,
					       .interactive = isatty(STDIN_FILENO) };
	const struct fl_kube_options options = { .seed = (uint64_t)time(NULL) };
	int rc;

	*ret = (struct fl_reach){ 0 };
	rc = fl_kube_config_load(&choice, &ret->config, err);
	if (rc < 0)
		return rc;
	ret->title = *ret->config->context ? ret->config->context : "the cluster";
	if (uv_loop_init(&ret->loop) < 0)
		return fl_fail_nomem(err);
	ret->begun = true;
	return fl_kube_new(&ret->loop, ret->config, &options, &ret->client, err);
}

/* Whatever is left in the loop ends. */
void fl_reach_close(struct fl_reach *r)
{
	r->client = r->client ? fl_kube_free(r->client) : NULL;
	if (r->begun) {
		uv_run(&r->loop, UV_RUN_DEFAULT);
		(void)uv_loop_close(&r->loop);
		r->begun = false;
	}
	if (r->config)
		fl_kube_config_free(r->config);
	r->config = NULL;
}
