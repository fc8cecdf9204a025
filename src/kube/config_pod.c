/* SPDX-License-Identifier: Apache-2.0 */
#include "kube/config_pod.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/limits.h"

int fl_kube_read_pod(struct fl_kube_config *c, const char *host, const char *port,
		     const char *folder, fairlead_error *err)
{
	const char *ca = fl_kube_print(&c->arena, err, "%s/ca.crt", folder);
	const char *token = fl_kube_print(&c->arena, err, "%s/token", folder);
	const char *its = fl_kube_print(&c->arena, err, "%s/namespace", folder);
	char *namespace;
	size_t len;

	if (!ca || !token || !its)
		return FAIRLEAD_ENOMEM;
	if (!host || !*host || !port || !*port || access(token, R_OK) != 0)
		return 1;
	c->context = "";
	c->server = fl_kube_print(&c->arena, err,
				  strchr(host, ':') ? "https://[%s]:%s" : "https://%s:%s", host,
				  port);
	c->token_file = token;
	c->ca.file = access(ca, R_OK) == 0 ? ca : NULL;
	if (access(its, R_OK) == 0 &&
	    fl_kube_file_bytes(its, FL_MAX_NAME, &c->arena, &namespace, &len, NULL) == 0 &&
	    len > 0) {
		namespace[strcspn(namespace, " \r\n")] = '\0';
		c->namespace = namespace;
	}
	return c->server ? 0 : FAIRLEAD_ENOMEM;
}
