/* SPDX-License-Identifier: Apache-2.0 */
#include "kube/failure.h"

#include <stdlib.h>
#include <string.h>

#include "kube/frames.h"
#include "net/remote.h"

/* --- no answer --- */

static const char see_proxy[] = "see proxy-url of the kubeconfig, and the variable HTTPS_PROXY";

static const struct {
	int code;
	const char *text, *hint;
} failures[] = {
	{ CURLE_COULDNT_RESOLVE_HOST, "there is no machine of this name",
	  "is `server` of the kubeconfig right, and is this machine in the network?" },
	{ CURLE_COULDNT_RESOLVE_PROXY, "there is no machine of the proxy's name", see_proxy },
	{ CURLE_COULDNT_CONNECT, "no API server answers there",
	  "is `server` of the kubeconfig right, with its port?" },
	{ CURLE_PEER_FAILED_VERIFICATION, "the server's certificate is not trusted",
	  "certificate-authority and tls-server-name of the kubeconfig say what is; or the clock of "
	  "this machine is wrong" },
	{ CURLE_SSL_CACERT_BADFILE, "the certificates of the authority cannot be read",
	  "certificate-authority of the kubeconfig has to name a file of certificates as PEM" },
	{ CURLE_SSL_CERTPROBLEM, "the client certificate or its key cannot be used",
	  "client-certificate and client-key of the kubeconfig have to be a pair, as PEM, without a "
	  "password" },
	{ CURLE_SSL_CONNECT_ERROR, "no connection with TLS could be made",
	  "does an API server serve TLS there, of version 1.2 or 1.3?" },
	{ CURLE_OPERATION_TIMEDOUT, "the API server does not answer in time", NULL },
	{ CURLE_UNSUPPORTED_PROTOCOL, "the address is neither http:// nor https://",
	  "see `server` of the kubeconfig" },
	{ CURLE_URL_MALFORMAT, "the address is not a URL", "see `server` of the kubeconfig" },
};

/* Does the environment name a proxy, which NO_PROXY may except this server from? */
static bool may_have_proxy(const struct fl_kube_call *call)
{
	static const char *const names[] = { "https_proxy", "HTTPS_PROXY", "all_proxy",
					     "ALL_PROXY" };
	char host[FL_REMOTE_HOST + 1];

	fl_remote_host(call->client->config->server, host);
	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		const char *proxy = getenv(names[i]);

		if (proxy && *proxy && !fl_remote_is_this_machine(host))
			return true;
	}
	return false;
}

/* 0: it is not the proxy that has failed. */
static int fail_of_proxy(const struct fl_kube_call *call, CURLcode code, fairlead_error *err)
{
	long status = 0;

	call->client->curl.easy_getinfo(call->easy, CURLINFO_HTTP_CONNECTCODE, &status);
	if (status != 0 && status / 100 != 2)
		(void)fl_fail(err, FAIRLEAD_EIO, "the proxy refuses the connection (%ld)", status);
	else if (code == CURLE_PROXY)
		(void)fl_fail(err, FAIRLEAD_EIO, "the proxy makes no connection");
	else if (code == CURLE_COULDNT_CONNECT && call->client->config->proxy)
		(void)fl_fail(err, FAIRLEAD_EIO, "the proxy does not answer");
	else if (code == CURLE_COULDNT_CONNECT && may_have_proxy(call))
		(void)fl_fail(err, FAIRLEAD_EIO, "neither an API server nor a proxy answers there");
	else
		return 0;
	return fl_fail_hint(err, "%s", see_proxy);
}

static int fail_unanswered(const struct fl_kube_call *call, CURLcode code, fairlead_error *err)
{
	int rc = fail_of_proxy(call, code, err);

	if (rc < 0)
		return rc;
	for (size_t i = 0; i < sizeof failures / sizeof *failures; i++)
		if (failures[i].code == (int)code) {
			rc = fl_fail(err, FAIRLEAD_EIO, "%s", failures[i].text);

			if (failures[i].hint)
				fl_fail_hint(err, "%s", failures[i].hint);
			return rc;
		}
	return fl_fail(err, FAIRLEAD_EIO, "the API server closed the connection%s (%s)",
		       call->status ? " in the middle of an answer" : " before it answered",
		       call->client->curl.easy_strerror(code));
}

int fl_kube_failed(const struct fl_kube_call *call, CURLcode code, fairlead_error *err)
{
	int rc;

	if (code == CURLE_OUT_OF_MEMORY)
		return fl_fail_nomem(err);
	if (call->ended_by_piece)
		rc = fl_fail(err, FAIRLEAD_ESTATE, "the answer was not wanted any more");
	else if (call->too_long)
		rc = fl_fail(err, FAIRLEAD_ELIMIT, "the answer is longer than %zu bytes",
			     call->request.most);
	else if (code == CURLE_OPERATION_TIMEDOUT && call->status)
		rc = fl_fail(err, FAIRLEAD_EIO, "the answer does not end in time");
	else
		rc = fail_unanswered(call, code, err);
	(void)fl_fail_in(err, "%s", fl_kube_server(call->client));
	return rc;
}

/* --- refusals --- */

struct said {
	char reason[64], message[400];
};

static int take_status(void *user, const struct fl_kube_frame *frame)
{
	struct said *s = user;

	memcpy(s->reason, frame->reason, strlen(frame->reason) + 1);
	memcpy(s->message, frame->message, strlen(frame->message) + 1);
	return 0;
}

static const struct {
	unsigned status;
	const char *text, *hint;
} refusals[] = {
	{ 401, "the API server does not accept the credentials",
	  "they have expired, or are those of another cluster: see the user of the kubeconfig" },
	{ 403, "the API server does not permit it", "a ClusterRole has to grant it" },
	{ 404, "the API server does not have it", NULL },
	{ 410, "what was asked for is too old", NULL },
	{ 429, "the API server asks for fewer requests", NULL },
	{ 503, "the API server, or what it asks for this kind, is not available", NULL },
};

int fl_kube_refused(const struct fl_kube_call *call, fairlead_error *err)
{
	int rc = call->status == 404 ? FAIRLEAD_ENOENT : FAIRLEAD_EIO;
	const char *text = call->status < 400 ? "the API server's answer has an odd status" :
						"the API server refuses";
	const char *hint = NULL;
	struct fl_kube_frames frames;
	struct said said = { "", "" };

	fl_kube_frames_init(&frames, FL_KUBE_STATUS, take_status, &said);
	(void)fl_kube_frames_take(&frames, call->bytes ? call->bytes : "", call->len, NULL);
	fl_kube_frames_done(&frames);
	for (size_t i = 0; i < sizeof refusals / sizeof *refusals; i++)
		if (refusals[i].status == call->status) {
			text = refusals[i].text;
			hint = refusals[i].hint;
		}
	if (said.message[0])
		rc = fl_fail(err, rc, "%s (%u): %s", text, call->status, said.message);
	else
		rc = fl_fail(err, rc, "%s (%u)", text, call->status);
	if (hint)
		(void)fl_fail_hint(err, "%s", hint);
	(void)fl_fail_in(err, "%s", fl_kube_server(call->client));
	return rc;
}
