/* SPDX-License-Identifier: Apache-2.0 */
/* The fields of a container in a pod template. */
#include "codec/schema/rows.h"

static const struct fl_schema config_map_key_ref[] = {
	FL_STRING("key", .needed = true),
	FL_STRING("name", .given = ""),
	FL_BOOLEAN("optional"),
	{ .name = NULL },
};

const struct fl_schema fl_schema_field_ref[] = {
	FL_STRING("apiVersion"),
	FL_STRING("fieldPath", .needed = true),
	{ .name = NULL },
};

static const struct fl_schema file_key_ref[] = {
	FL_STRING("key", .needed = true),
	FL_BOOLEAN("optional", .given = "false"),
	FL_STRING("path", .needed = true),
	FL_STRING("volumeName", .needed = true),
	{ .name = NULL },
};

const struct fl_schema fl_schema_resource_field_ref[] = {
	FL_STRING("containerName"),
	FL_QUANTITY("divisor"),
	FL_STRING("resource", .needed = true),
	{ .name = NULL },
};

static const struct fl_schema value_from[] = {
	FL_OBJECT("configMapKeyRef", .fields = config_map_key_ref),
	FL_OBJECT("fieldRef", .fields = fl_schema_field_ref),
	FL_OBJECT("fileKeyRef", .fields = file_key_ref),
	FL_OBJECT("resourceFieldRef", .fields = fl_schema_resource_field_ref),
	FL_OBJECT("secretKeyRef", .fields = config_map_key_ref),
	{ .name = NULL },
};

static const struct fl_schema env[] = {
	FL_STRING("name", .needed = true),
	FL_STRING("value"),
	FL_OBJECT("valueFrom", .fields = value_from),
	{ .name = NULL },
};

static const struct fl_schema config_map_ref[] = {
	FL_STRING("name", .given = ""),
	FL_BOOLEAN("optional"),
	{ .name = NULL },
};

static const struct fl_schema env_from[] = {
	FL_OBJECT("configMapRef", .fields = config_map_ref),
	FL_STRING("prefix"),
	FL_OBJECT("secretRef", .fields = config_map_ref),
	{ .name = NULL },
};

static const struct fl_schema exec[] = {
	FL_LIST_OF_STRINGS("command"),
	{ .name = NULL },
};

const struct fl_schema fl_schema_http_headers[] = {
	FL_STRING("name", .needed = true),
	FL_STRING("value", .needed = true),
	{ .name = NULL },
};

static const struct fl_schema http_get[] = {
	FL_STRING("host"),   FL_LIST_OF_OBJECTS("httpHeaders", .fields = fl_schema_http_headers),
	FL_STRING("path"),   FL_INT_OR_STRING("port", .needed = true),
	FL_STRING("scheme"), { .name = NULL },
};

static const struct fl_schema sleep[] = {
	FL_INTEGER("seconds", .needed = true),
	{ .name = NULL },
};

static const struct fl_schema tcp_socket[] = {
	FL_STRING("host"),
	FL_INT_OR_STRING("port", .needed = true),
	{ .name = NULL },
};

static const struct fl_schema post_start[] = {
	FL_OBJECT("exec", .fields = exec),
	FL_OBJECT("httpGet", .fields = http_get),
	FL_OBJECT("sleep", .fields = sleep),
	FL_OBJECT("tcpSocket", .fields = tcp_socket),
	{ .name = NULL },
};

static const struct fl_schema lifecycle[] = {
	FL_OBJECT("postStart", .fields = post_start),
	FL_OBJECT("preStop", .fields = post_start),
	FL_STRING("stopSignal"),
	{ .name = NULL },
};

static const struct fl_schema grpc[] = {
	FL_INT32("port", .needed = true),
	FL_STRING("service", .given = ""),
	{ .name = NULL },
};

static const struct fl_schema liveness_probe[] = {
	FL_OBJECT("exec", .fields = exec),
	FL_INT32("failureThreshold"),
	FL_OBJECT("grpc", .fields = grpc),
	FL_OBJECT("httpGet", .fields = http_get),
	FL_INT32("initialDelaySeconds"),
	FL_INT32("periodSeconds"),
	FL_INT32("successThreshold"),
	FL_OBJECT("tcpSocket", .fields = tcp_socket),
	FL_INTEGER("terminationGracePeriodSeconds"),
	FL_INT32("timeoutSeconds"),
	{ .name = NULL },
};

static const struct fl_schema ports[] = {
	FL_INT32("containerPort", .needed = true),
	FL_STRING("hostIP"),
	FL_INT32("hostPort"),
	FL_STRING("name"),
	FL_STRING("protocol", .given = "TCP"),
	{ .name = NULL },
};

static const struct fl_schema resize_policy[] = {
	FL_STRING("resourceName", .needed = true),
	FL_STRING("restartPolicy", .needed = true),
	{ .name = NULL },
};

static const struct fl_schema claims[] = {
	FL_STRING("name", .needed = true),
	FL_STRING("request"),
	{ .name = NULL },
};

const struct fl_schema fl_schema_container_resource_quota[] = {
	FL_LIST_OF_OBJECTS("claims", .unique = "name", .fields = claims),
	FL_MAP_OF_QUANTITIES("limits"),
	FL_MAP_OF_QUANTITIES("requests"),
	{ .name = NULL },
};

static const struct fl_schema exit_codes[] = {
	FL_STRING("operator", .needed = true),
	FL_LIST("values", .set = true, .item = FL_ITEM(.form = FL_FORM_INT32)),
	{ .name = NULL },
};

static const struct fl_schema restart_policy_rules[] = {
	FL_STRING("action", .needed = true),
	FL_OBJECT("exitCodes", .fields = exit_codes),
	{ .name = NULL },
};

const struct fl_schema fl_schema_app_armor_profile[] = {
	FL_STRING("localhostProfile"),
	FL_STRING("type", .needed = true),
	{ .name = NULL },
};

static const struct fl_schema capabilities[] = {
	FL_LIST_OF_STRINGS("add"),
	FL_LIST_OF_STRINGS("drop"),
	{ .name = NULL },
};

const struct fl_schema fl_schema_se_linux_options[] = {
	FL_STRING("level"), FL_STRING("role"), FL_STRING("type"),
	FL_STRING("user"),  { .name = NULL },
};

const struct fl_schema fl_schema_windows_options[] = {
	FL_STRING("gmsaCredentialSpec"),
	FL_STRING("gmsaCredentialSpecName"),
	FL_BOOLEAN("hostProcess"),
	FL_STRING("runAsUserName"),
	{ .name = NULL },
};

static const struct fl_schema security_context[] = {
	FL_BOOLEAN("allowPrivilegeEscalation"),
	FL_OBJECT("appArmorProfile", .fields = fl_schema_app_armor_profile),
	FL_OBJECT("capabilities", .fields = capabilities),
	FL_BOOLEAN("privileged"),
	FL_STRING("procMount"),
	FL_BOOLEAN("readOnlyRootFilesystem"),
	FL_INTEGER("runAsGroup"),
	FL_BOOLEAN("runAsNonRoot"),
	FL_INTEGER("runAsUser"),
	FL_OBJECT("seLinuxOptions", .fields = fl_schema_se_linux_options),
	FL_OBJECT("seccompProfile", .fields = fl_schema_app_armor_profile),
	FL_OBJECT("windowsOptions", .fields = fl_schema_windows_options),
	{ .name = NULL },
};

static const struct fl_schema volume_devices[] = {
	FL_STRING("devicePath", .needed = true),
	FL_STRING("name", .needed = true),
	{ .name = NULL },
};

static const struct fl_schema volume_mounts[] = {
	FL_STRING("mountPath", .needed = true),
	FL_STRING("mountPropagation"),
	FL_STRING("name", .needed = true),
	FL_BOOLEAN("readOnly"),
	FL_STRING("recursiveReadOnly"),
	FL_STRING("subPath"),
	FL_STRING("subPathExpr"),
	{ .name = NULL },
};

/* Fields are in the order of their names: an ephemeral container has one more among them. */
#define BEFORE_TARGET                                                                              \
	FL_LIST_OF_STRINGS("args"), FL_LIST_OF_STRINGS("command"),                                 \
		FL_LIST_OF_OBJECTS("env", .unique = "name", .fields = env),                        \
		FL_LIST_OF_OBJECTS("envFrom", .fields = env_from), FL_STRING("image"),             \
		FL_STRING("imagePullPolicy"), FL_OBJECT("lifecycle", .fields = lifecycle),         \
		FL_OBJECT("livenessProbe", .fields = liveness_probe),                              \
		FL_STRING("name", .needed = true),                                                 \
		FL_LIST_OF_OBJECTS("ports", .unique = "containerPort+protocol", .fields = ports),  \
		FL_OBJECT("readinessProbe", .fields = liveness_probe),                             \
		FL_LIST_OF_OBJECTS("resizePolicy", .fields = resize_policy),                       \
		FL_OBJECT("resources", .fields = fl_schema_container_resource_quota),              \
		FL_STRING("restartPolicy"),                                                        \
		FL_LIST_OF_OBJECTS("restartPolicyRules", .fields = restart_policy_rules),          \
		FL_OBJECT("securityContext", .fields = security_context),                          \
		FL_OBJECT("startupProbe", .fields = liveness_probe), FL_BOOLEAN("stdin"),          \
		FL_BOOLEAN("stdinOnce")

#define AFTER_TARGET                                                                               \
	FL_STRING("terminationMessagePath"), FL_STRING("terminationMessagePolicy"),                \
		FL_BOOLEAN("tty"),                                                                 \
		FL_LIST_OF_OBJECTS("volumeDevices", .unique = "devicePath",                        \
				   .fields = volume_devices),                                      \
		FL_LIST_OF_OBJECTS("volumeMounts", .unique = "mountPath",                          \
				   .fields = volume_mounts),                                       \
		FL_STRING("workingDir")

const struct fl_schema fl_schema_container[] = {
	BEFORE_TARGET,
	AFTER_TARGET,
	{ .name = NULL },
};

const struct fl_schema fl_schema_ephemeral_container[] = {
	BEFORE_TARGET,
	FL_STRING("targetContainerName"),
	AFTER_TARGET,
	{ .name = NULL },
};
