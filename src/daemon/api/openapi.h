/* SPDX-License-Identifier: Apache-2.0 */
/* openapi - the description of the API for programs, made of its routes (routes.def) */
#ifndef FL_DAEMON_API_OPENAPI_H
#define FL_DAEMON_API_OPENAPI_H

#include "daemon/api/call.h"

/* What a request may have as its body, and what answers it: rows of the description. */
enum fl_api_body {
#define BODY(id, types, schema) FL_BODY_##id,
#include "daemon/api/routes.def"
};
enum fl_api_answer_id {
#define ANSWER(id, status, types, form, of) FL_ANSWER_##id,
#include "daemon/api/routes.def"
};

/* OpenAPI 3.1 of the routes that one of these daemons has, from malloc. NULL: no memory, or a text of the table is not JSON. */
char *fl_api_describe(enum fl_daemons of);
/* GET /v1/openapi.json. Made at the first request, and kept. */
void fl_api_openapi(struct fl_call *call);

#endif
