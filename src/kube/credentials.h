/* SPDX-License-Identifier: Apache-2.0 */
/*
 * credentials - what a request proves its user by: a token, a certificate, or a name with a password, kept
 * until it ends or is refused
 *
 * A token in a file is read again each minute, as the tokens of pods change while they run.  What a plugin
 * gave is kept until a minute before it ends; then, or when the server has refused it (401), the plugin is
 * run again (exec.h), in the loop of the caller, which goes on turning meanwhile.
 *
 * Tested in tests/unit/kube/test_credentials.c, with plugins that hang, print rubbish and end.
 */
#ifndef FL_KUBE_CREDENTIALS_H
#define FL_KUBE_CREDENTIALS_H

#include "kube/config.h"

/* NULL: not so.  Texts are valid until the next call for the same configuration. */
struct fl_kube_credentials {
	unsigned generation; /* rises with each change; never 0 */
	const char *token;
	const char *user, *password;
	struct fl_kube_pem certificate, key;
};

enum { FL_KUBE_RUN_PLUGIN = 1 };

/*
 * What goes into requests now.  @refused: the generation that the server has answered with 401; 0: none.
 * 0; or FL_KUBE_RUN_PLUGIN, and nothing is known until fl_kube_plugin_run has ended with 0; or an error:
 * FAIRLEAD_EIO, a token file cannot be read.
 */
int fl_kube_credentials(struct fl_kube_config *c, unsigned refused, struct fl_kube_credentials *ret,
			fairlead_error *err);

#endif
