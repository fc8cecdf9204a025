/* SPDX-License-Identifier: Apache-2.0 */
/* The fields of a volume in a pod template. */
#include "codec/schema/rows.h"

static const struct fl_schema aws_elastic_block_store[] = {
	FL_STRING("fsType"),    FL_INT32("partition"),
	FL_BOOLEAN("readOnly"), FL_STRING("volumeID", .needed = true),
	{ .name = NULL },
};

static const struct fl_schema azure_disk[] = {
	FL_STRING("cachingMode"),
	FL_STRING("diskName", .needed = true),
	FL_STRING("diskURI", .needed = true),
	FL_STRING("fsType", .given = "ext4"),
	FL_STRING("kind"),
	FL_BOOLEAN("readOnly", .given = "false"),
	{ .name = NULL },
};

static const struct fl_schema azure_file[] = {
	FL_BOOLEAN("readOnly"),
	FL_STRING("secretName", .needed = true),
	FL_STRING("shareName", .needed = true),
	{ .name = NULL },
};

static const struct fl_schema cephfs[] = {
	FL_LIST_OF_STRINGS("monitors", .needed = true),
	FL_STRING("path"),
	FL_BOOLEAN("readOnly"),
	FL_STRING("secretFile"),
	FL_OBJECT("secretRef", .fields = fl_schema_image_pull_secrets),
	FL_STRING("user"),
	{ .name = NULL },
};

static const struct fl_schema cinder[] = {
	FL_STRING("fsType"),
	FL_BOOLEAN("readOnly"),
	FL_OBJECT("secretRef", .fields = fl_schema_image_pull_secrets),
	FL_STRING("volumeID", .needed = true),
	{ .name = NULL },
};

static const struct fl_schema item[] = {
	FL_STRING("key", .needed = true),
	FL_INT32("mode"),
	FL_STRING("path", .needed = true),
	{ .name = NULL },
};

static const struct fl_schema config_map[] = {
	FL_INT32("defaultMode"),
	FL_LIST_OF_OBJECTS("items", .fields = item),
	FL_STRING("name", .given = ""),
	FL_BOOLEAN("optional"),
	{ .name = NULL },
};

static const struct fl_schema csi[] = {
	FL_STRING("driver", .needed = true),
	FL_STRING("fsType"),
	FL_OBJECT("nodePublishSecretRef", .fields = fl_schema_image_pull_secrets),
	FL_BOOLEAN("readOnly"),
	FL_MAP_OF_STRINGS("volumeAttributes"),
	{ .name = NULL },
};

static const struct fl_schema downward_api_item[] = {
	FL_OBJECT("fieldRef", .fields = fl_schema_field_ref),
	FL_INT32("mode"),
	FL_STRING("path", .needed = true),
	FL_OBJECT("resourceFieldRef", .fields = fl_schema_resource_field_ref),
	{ .name = NULL },
};

static const struct fl_schema downward_api[] = {
	FL_INT32("defaultMode"),
	FL_LIST_OF_OBJECTS("items", .fields = downward_api_item),
	{ .name = NULL },
};

static const struct fl_schema empty_dir[] = {
	FL_STRING("medium"),
	FL_QUANTITY("sizeLimit"),
	{ .name = NULL },
};

static const struct fl_schema data_source[] = {
	FL_STRING("apiGroup"),
	FL_STRING("kind", .needed = true),
	FL_STRING("name", .needed = true),
	{ .name = NULL },
};

static const struct fl_schema data_source_ref[] = {
	FL_STRING("apiGroup"),
	FL_STRING("kind", .needed = true),
	FL_STRING("name", .needed = true),
	FL_STRING("namespace"),
	{ .name = NULL },
};

static const struct fl_schema volume_claim_template_spec_resource_quota[] = {
	FL_MAP_OF_QUANTITIES("limits"),
	FL_MAP_OF_QUANTITIES("requests"),
	{ .name = NULL },
};

static const struct fl_schema volume_claim_template_spec[] = {
	FL_LIST_OF_STRINGS("accessModes"),
	FL_OBJECT("dataSource", .fields = data_source),
	FL_OBJECT("dataSourceRef", .fields = data_source_ref),
	FL_OBJECT("resources", .fields = volume_claim_template_spec_resource_quota),
	FL_OBJECT("selector", .fields = fl_schema_selector),
	FL_STRING("storageClassName"),
	FL_STRING("volumeAttributesClassName"),
	FL_STRING("volumeMode"),
	FL_STRING("volumeName"),
	{ .name = NULL },
};

static const struct fl_schema volume_claim_template[] = {
	FL_OBJECT("metadata", .fields = fl_schema_metadata),
	FL_OBJECT("spec", .needed = true, .fields = volume_claim_template_spec),
	{ .name = NULL },
};

static const struct fl_schema ephemeral[] = {
	FL_OBJECT("volumeClaimTemplate", .fields = volume_claim_template),
	{ .name = NULL },
};

static const struct fl_schema fc[] = {
	FL_STRING("fsType"),         FL_INT32("lun"),
	FL_BOOLEAN("readOnly"),      FL_LIST_OF_STRINGS("targetWWNs"),
	FL_LIST_OF_STRINGS("wwids"), { .name = NULL },
};

static const struct fl_schema flex_volume[] = {
	FL_STRING("driver", .needed = true),
	FL_STRING("fsType"),
	FL_MAP_OF_STRINGS("options"),
	FL_BOOLEAN("readOnly"),
	FL_OBJECT("secretRef", .fields = fl_schema_image_pull_secrets),
	{ .name = NULL },
};

static const struct fl_schema flocker[] = {
	FL_STRING("datasetName"),
	FL_STRING("datasetUUID"),
	{ .name = NULL },
};

static const struct fl_schema gce_persistent_disk[] = {
	FL_STRING("fsType"),    FL_INT32("partition"), FL_STRING("pdName", .needed = true),
	FL_BOOLEAN("readOnly"), { .name = NULL },
};

static const struct fl_schema git_repo[] = {
	FL_STRING("directory"),
	FL_STRING("repository", .needed = true),
	FL_STRING("revision"),
	{ .name = NULL },
};

static const struct fl_schema glusterfs[] = {
	FL_STRING("endpoints", .needed = true),
	FL_STRING("path", .needed = true),
	FL_BOOLEAN("readOnly"),
	{ .name = NULL },
};

static const struct fl_schema host_path[] = {
	FL_STRING("path", .needed = true),
	FL_STRING("type"),
	{ .name = NULL },
};

static const struct fl_schema image[] = {
	FL_STRING("pullPolicy"),
	FL_STRING("reference"),
	{ .name = NULL },
};

static const struct fl_schema iscsi[] = {
	FL_BOOLEAN("chapAuthDiscovery"),
	FL_BOOLEAN("chapAuthSession"),
	FL_STRING("fsType"),
	FL_STRING("initiatorName"),
	FL_STRING("iqn", .needed = true),
	FL_STRING("iscsiInterface", .given = "default"),
	FL_INT32("lun", .needed = true),
	FL_LIST_OF_STRINGS("portals"),
	FL_BOOLEAN("readOnly"),
	FL_OBJECT("secretRef", .fields = fl_schema_image_pull_secrets),
	FL_STRING("targetPortal", .needed = true),
	{ .name = NULL },
};

static const struct fl_schema nfs[] = {
	FL_STRING("path", .needed = true),
	FL_BOOLEAN("readOnly"),
	FL_STRING("server", .needed = true),
	{ .name = NULL },
};

static const struct fl_schema persistent_volume_claim[] = {
	FL_STRING("claimName", .needed = true),
	FL_BOOLEAN("readOnly"),
	{ .name = NULL },
};

static const struct fl_schema photon_persistent_disk[] = {
	FL_STRING("fsType"),
	FL_STRING("pdID", .needed = true),
	{ .name = NULL },
};

static const struct fl_schema portworx_volume[] = {
	FL_STRING("fsType"),
	FL_BOOLEAN("readOnly"),
	FL_STRING("volumeID", .needed = true),
	{ .name = NULL },
};

static const struct fl_schema cluster_trust_bundle[] = {
	FL_OBJECT("labelSelector", .fields = fl_schema_selector),
	FL_STRING("name"),
	FL_BOOLEAN("optional"),
	FL_STRING("path", .needed = true),
	FL_STRING("signerName"),
	{ .name = NULL },
};

static const struct fl_schema sources_config_map[] = {
	FL_LIST_OF_OBJECTS("items", .fields = item),
	FL_STRING("name", .given = ""),
	FL_BOOLEAN("optional"),
	{ .name = NULL },
};

static const struct fl_schema sources_downward_api[] = {
	FL_LIST_OF_OBJECTS("items", .fields = item),
	{ .name = NULL },
};

static const struct fl_schema pod_certificate[] = {
	FL_STRING("certificateChainPath"),
	FL_STRING("credentialBundlePath"),
	FL_STRING("keyPath"),
	FL_STRING("keyType", .needed = true),
	FL_INT32("maxExpirationSeconds"),
	FL_STRING("signerName", .needed = true),
	FL_MAP_OF_STRINGS("userAnnotations"),
	{ .name = NULL },
};

static const struct fl_schema service_account_token[] = {
	FL_STRING("audience"),
	FL_INTEGER("expirationSeconds"),
	FL_STRING("path", .needed = true),
	{ .name = NULL },
};

static const struct fl_schema sources[] = {
	FL_OBJECT("clusterTrustBundle", .fields = cluster_trust_bundle),
	FL_OBJECT("configMap", .fields = sources_config_map),
	FL_OBJECT("downwardAPI", .fields = sources_downward_api),
	FL_OBJECT("podCertificate", .fields = pod_certificate),
	FL_OBJECT("secret", .fields = sources_config_map),
	FL_OBJECT("serviceAccountToken", .fields = service_account_token),
	{ .name = NULL },
};

static const struct fl_schema projected[] = {
	FL_INT32("defaultMode"),
	FL_LIST_OF_OBJECTS("sources", .fields = sources),
	{ .name = NULL },
};

static const struct fl_schema quobyte[] = {
	FL_STRING("group"),  FL_BOOLEAN("readOnly"), FL_STRING("registry", .needed = true),
	FL_STRING("tenant"), FL_STRING("user"),      FL_STRING("volume", .needed = true),
	{ .name = NULL },
};

static const struct fl_schema rbd[] = {
	FL_STRING("fsType"),
	FL_STRING("image", .needed = true),
	FL_STRING("keyring", .given = "/etc/ceph/keyring"),
	FL_LIST_OF_STRINGS("monitors", .needed = true),
	FL_STRING("pool", .given = "rbd"),
	FL_BOOLEAN("readOnly"),
	FL_OBJECT("secretRef", .fields = fl_schema_image_pull_secrets),
	FL_STRING("user", .given = "admin"),
	{ .name = NULL },
};

static const struct fl_schema scale_io[] = {
	FL_STRING("fsType", .given = "xfs"),
	FL_STRING("gateway", .needed = true),
	FL_STRING("protectionDomain"),
	FL_BOOLEAN("readOnly"),
	FL_OBJECT("secretRef", .needed = true, .fields = fl_schema_image_pull_secrets),
	FL_BOOLEAN("sslEnabled"),
	FL_STRING("storageMode", .given = "ThinProvisioned"),
	FL_STRING("storagePool"),
	FL_STRING("system", .needed = true),
	FL_STRING("volumeName"),
	{ .name = NULL },
};

static const struct fl_schema secret[] = {
	FL_INT32("defaultMode"), FL_LIST_OF_OBJECTS("items", .fields = item),
	FL_BOOLEAN("optional"),  FL_STRING("secretName"),
	{ .name = NULL },
};

static const struct fl_schema storageos[] = {
	FL_STRING("fsType"),
	FL_BOOLEAN("readOnly"),
	FL_OBJECT("secretRef", .fields = fl_schema_image_pull_secrets),
	FL_STRING("volumeName"),
	FL_STRING("volumeNamespace"),
	{ .name = NULL },
};

static const struct fl_schema vsphere_volume[] = {
	FL_STRING("fsType"),
	FL_STRING("storagePolicyID"),
	FL_STRING("storagePolicyName"),
	FL_STRING("volumePath", .needed = true),
	{ .name = NULL },
};

const struct fl_schema fl_schema_volume[] = {
	FL_OBJECT("awsElasticBlockStore", .fields = aws_elastic_block_store),
	FL_OBJECT("azureDisk", .fields = azure_disk),
	FL_OBJECT("azureFile", .fields = azure_file),
	FL_OBJECT("cephfs", .fields = cephfs),
	FL_OBJECT("cinder", .fields = cinder),
	FL_OBJECT("configMap", .fields = config_map),
	FL_OBJECT("csi", .fields = csi),
	FL_OBJECT("downwardAPI", .fields = downward_api),
	FL_OBJECT("emptyDir", .fields = empty_dir),
	FL_OBJECT("ephemeral", .fields = ephemeral),
	FL_OBJECT("fc", .fields = fc),
	FL_OBJECT("flexVolume", .fields = flex_volume),
	FL_OBJECT("flocker", .fields = flocker),
	FL_OBJECT("gcePersistentDisk", .fields = gce_persistent_disk),
	FL_OBJECT("gitRepo", .fields = git_repo),
	FL_OBJECT("glusterfs", .fields = glusterfs),
	FL_OBJECT("hostPath", .fields = host_path),
	FL_OBJECT("image", .fields = image),
	FL_OBJECT("iscsi", .fields = iscsi),
	FL_STRING("name", .needed = true),
	FL_OBJECT("nfs", .fields = nfs),
	FL_OBJECT("persistentVolumeClaim", .fields = persistent_volume_claim),
	FL_OBJECT("photonPersistentDisk", .fields = photon_persistent_disk),
	FL_OBJECT("portworxVolume", .fields = portworx_volume),
	FL_OBJECT("projected", .fields = projected),
	FL_OBJECT("quobyte", .fields = quobyte),
	FL_OBJECT("rbd", .fields = rbd),
	FL_OBJECT("scaleIO", .fields = scale_io),
	FL_OBJECT("secret", .fields = secret),
	FL_OBJECT("storageos", .fields = storageos),
	FL_OBJECT("vsphereVolume", .fields = vsphere_volume),
	{ .name = NULL },
};
