#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""bigdump.py json|yaml|documents MEGABYTES - a large dump on standard output, as kubectl prints it.

A List (or documents) of one ClusterQueue, one LocalQueue and as many Workloads as it takes, each with
what real ones carry: managedFields, annotations, owners, environment, conditions with messages.
"""
import json
import sys

from dump import emit

API = "kueue.x-k8s.io/v1beta2"
WORKLOADS_AT_A_TIME = 50


def fields(*paths):
	"""managedFields name each field by a path of maps."""
	root = {}
	for path in paths:
		at = root
		for step in path.split("/"):
			at = at.setdefault(step, {})
	return root


def queues():
	return [
		{"apiVersion": API, "kind": "ResourceFlavor", "metadata": {"name": "a100"}},
		{"apiVersion": API, "kind": "ClusterQueue", "metadata": {"name": "lab"}, "spec": {
			"namespaceSelector": {}, "resourceGroups": [{"coveredResources": ["cpu", "memory"], "flavors": [
				{"name": "a100", "resources": [{"name": "cpu", "nominalQuota": "1000"},
				                               {"name": "memory", "nominalQuota": "4Ti"}]}]}]}},
		{"apiVersion": API, "kind": "LocalQueue", "metadata": {"name": "lab", "namespace": "team"},
		 "spec": {"clusterQueue": "lab"}},
	]


def condition(kind, status, reason, message):
	return {"type": kind, "status": status, "reason": reason, "message": message,
	        "lastTransitionTime": "2026-01-01T00:00:00Z", "observedGeneration": 1}


def workload():
	"""One waiting Workload, with NUMBER where its number goes."""
	command = ["python", "-m", "train", "--config=/etc/run/config.yaml", "--out=s3://runs/NUMBER"]
	environment = [{"name": f"SETTING_{i}", "value": f"value {i} of run NUMBER: \"quoted\", with a\ttab"}
	               for i in range(12)]
	container = {
		"name": "main", "image": "registry.example.org/team/train@sha256:" + "0123456789abcdef" * 4,
		"imagePullPolicy": "IfNotPresent", "command": command, "env": environment,
		"resources": {"requests": {"cpu": "4", "memory": "16Gi"}, "limits": {"cpu": "4", "memory": "16Gi"}},
		"terminationMessagePath": "/dev/termination-log", "terminationMessagePolicy": "File",
		"volumeMounts": [{"mountPath": "/data", "name": "data"}, {"mountPath": "/dev/shm", "name": "shm"}],
	}
	managed = [
		{"apiVersion": API, "fieldsType": "FieldsV1", "manager": "kueue", "operation": operation,
		 "time": "2026-01-01T00:00:00Z", "fieldsV1": fields(
			 "f:metadata/f:finalizers/.", "f:metadata/f:finalizers/v:\"kueue.x-k8s.io/resource-in-use\"",
			 "f:metadata/f:labels/f:kueue.x-k8s.io~1job-uid", "f:metadata/f:ownerReferences/.",
			 "f:metadata/f:ownerReferences/k:{\"uid\":\"uid-NUMBER\"}", "f:spec/f:active", "f:spec/f:priority",
			 "f:spec/f:podSets/k:{\"name\":\"main\"}/f:count", "f:spec/f:podSets/k:{\"name\":\"main\"}/f:template",
			 "f:status/f:conditions/k:{\"type\":\"QuotaReserved\"}/f:message",
			 "f:status/f:conditions/k:{\"type\":\"QuotaReserved\"}/f:reason")}
		for operation in ("Apply", "Update")]
	return {
		"apiVersion": API, "kind": "Workload",
		"metadata": {
			"annotations": {"kubectl.kubernetes.io/last-applied-configuration":
			                json.dumps({"kind": "Job", "metadata": {"name": "run-NUMBER"}, "spec": {"command": command}})},
			"creationTimestamp": "2026-01-01T00:00:00Z", "generation": 1, "name": "run-NUMBER", "namespace": "team",
			"finalizers": ["kueue.x-k8s.io/resource-in-use"], "labels": {"kueue.x-k8s.io/job-uid": "job-NUMBER"},
			"managedFields": managed, "resourceVersion": "1000NUMBER", "uid": "uid-NUMBER",
			"ownerReferences": [{"apiVersion": "batch/v1", "blockOwnerDeletion": True, "controller": True, "kind": "Job",
			                     "name": "run-NUMBER", "uid": "job-NUMBER"}]},
		"spec": {"active": True, "priority": 0, "queueName": "lab", "podSets": [
			{"name": "main", "count": 1, "template": {"metadata": {}, "spec": {
				"containers": [container], "dnsPolicy": "ClusterFirst", "restartPolicy": "Never", "schedulerName":
				"default-scheduler", "securityContext": {}, "terminationGracePeriodSeconds": 30,
				"tolerations": [{"key": "gpu", "operator": "Exists", "effect": "NoSchedule"}],
				"volumes": [{"name": "data", "emptyDir": {}}, {"name": "shm", "emptyDir": {"medium": "Memory"}}]}}}]},
		"status": {"conditions": [
			condition("QuotaReserved", "False", "Pending",
			          "couldn't assign flavors to pod set main: insufficient unused quota for cpu in flavor a100, "
			          "4 more needed, for run NUMBER")]},
	}


def as_json(value, indent):
	pad = " " * indent
	return ("\n" + pad).join(json.dumps(value, indent=4).split("\n"))


def as_yaml(value):
	lines = []
	emit(value, 0, lines)
	return lines


def chunks(form, megabytes):
	"""The dump in pieces of bytes."""
	if form == "json":
		head, between, tail = "{\n    \"apiVersion\": \"v1\",\n    \"items\": [\n        ", ",\n        ", \
			"\n    ],\n    \"kind\": \"List\",\n    \"metadata\": {\n        \"resourceVersion\": \"\"\n    }\n}\n"
		show = lambda o: as_json(o, 8)
	elif form == "yaml":
		head, between, tail = "apiVersion: v1\nitems:\n", "", "kind: List\nmetadata:\n  resourceVersion: \"\"\n"
		show = lambda o: "- " + "\n  ".join(as_yaml(o)) + "\n"
	else:
		head, between, tail = "", "---\n", ""
		show = lambda o: "\n".join(as_yaml(o)) + "\n"
	yield (head + between.join(show(o) for o in queues())).encode()
	pattern, size, number = (between + show(workload())).encode(), 0, 0
	while size < megabytes * 1_000_000:
		piece = b"".join(pattern.replace(b"NUMBER", b"%d" % i) for i in range(number, number + WORKLOADS_AT_A_TIME))
		number += WORKLOADS_AT_A_TIME
		size += len(piece)
		yield piece
	yield tail.encode()


def main(argv):
	for piece in chunks(argv[0], float(argv[1])):
		sys.stdout.buffer.write(piece)


if __name__ == "__main__":
	main(sys.argv[1:])
