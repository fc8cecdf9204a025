# SPDX-License-Identifier: Apache-2.0
"""A small world as plain values, and as the Kubernetes objects that describe it.

A Case is what a property is tried on.  `objects` is what the engine reads,
`manifest` is the same as YAML for `fairlead plan -f`, and Case.load reads that
again.  Amounts are whole numbers of made-up resources; a limit is None when
there is none.
"""
from dataclasses import dataclass, field, replace
from typing import Optional

import yaml

RESOURCES = ("gpu", "net")
FLAVORS = ("f", "g")
START = "2026-01-01T00:{:02d}:{:02d}Z"
FINAL, INITIAL = "LessThanOrEqualToFinalShare", "LessThanInitialShare"
QUEUE, COHORT = "ClusterQueue", "Cohort"


@dataclass(frozen=True)
class Quota:
	nominal: int = 0
	borrow: Optional[int] = None
	lend: Optional[int] = None


@dataclass(frozen=True)
class Node:
	name: str
	kind: str
	parent: Optional[str] = None
	weight: str = "1"
	quota: tuple = ()  # of Quota: flavor by flavor, of each its resources
	# queues only
	strict: bool = False
	within: str = "Never"
	reclaim: str = "Any"
	borrow_within: Optional[str] = None
	fungibility: tuple = ()  # of (field, value)


@dataclass(frozen=True)
class Job:
	name: str
	queue: str
	ask: tuple  # an amount for each resource, of one pod
	priority: int = 0
	age: int = 0  # created that many seconds after the beginning
	held: Optional[str] = None  # the flavor it holds; None: it waits
	since: Optional[int] = None  # held since; None: since it was created
	count: int = 1
	least: Optional[int] = None  # minCount: partial admission


@dataclass(frozen=True, repr=False)
class Case:
	nodes: tuple
	jobs: tuple
	n_resources: int = 1
	n_flavors: int = 1
	fair: Optional[tuple] = (FINAL, INITIAL)  # strategies; None: fair sharing is off
	policy: dict = field(default_factory=dict)  # defaults of a fairlead Policy

	@property
	def resources(self):
		return RESOURCES[:self.n_resources]

	@property
	def flavors(self):
		return FLAVORS[:self.n_flavors]

	@property
	def columns(self):
		return [(f, r) for f in self.flavors for r in self.resources]

	@property
	def queues(self):
		return [n for n in self.nodes if n.kind == QUEUE]

	def node(self, name):
		return next(n for n in self.nodes if n.name == name)

	def job(self, name):
		return next(j for j in self.jobs if j.name == name)

	def quota(self, node, flavor, resource):
		at = self.flavors.index(flavor) * self.n_resources + self.resources.index(resource)
		return node.quota[at] if node.quota else Quota()

	def usage(self):
		"""What each queue holds, by (queue, flavor, resource)."""
		out = {}
		for j in self.jobs:
			for r, amount in zip(self.resources, j.ask):
				if j.held is not None:
					at = (j.queue, j.held, r)
					out[at] = out.get(at, 0) + amount * j.count
		return out

	def scaled(self, k):
		"""The same world with every amount k times as large."""
		def times(q):
			return Quota(q.nominal * k, None if q.borrow is None else q.borrow * k,
				     None if q.lend is None else q.lend * k)
		return replace(self,
			       nodes=tuple(replace(n, quota=tuple(map(times, n.quota))) for n in self.nodes),
			       jobs=tuple(replace(j, ask=tuple(a * k for a in j.ask)) for j in self.jobs))

	def policy_spec(self):
		"""What is not for single queues stands beside the defaults."""
		whole = {k: v for k, v in self.policy.items() if k == "preemptionGuarantee"}
		return {**whole, "defaults": {k: v for k, v in self.policy.items() if k not in whole}}

	def objects(self):
		out = [{"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "ns"}}]
		if self.fair is not None:
			out.append({"apiVersion": "config.kueue.x-k8s.io/v1beta2", "kind": "Configuration",
				    "fairSharing": {"preemptionStrategies": list(self.fair)}})
		if self.policy:
			out.append({"apiVersion": "fairlead.dev/v1alpha1", "kind": "Policy",
				    "metadata": {"name": "policy"}, "spec": self.policy_spec()})
		for f in self.flavors:
			out.append(kueue("ResourceFlavor", f))
		for n in self.nodes:
			out.append(self.node_object(n))
			if n.kind == QUEUE:
				out.append(kueue("LocalQueue", n.name, {"clusterQueue": n.name}, "ns"))
		out += [self.job_object(j) for j in self.jobs]
		return out

	def node_object(self, n):
		spec = {}
		if n.parent is not None:
			spec["cohortName" if n.kind == QUEUE else "parentName"] = n.parent
		if n.weight != "1":
			spec["fairSharing"] = {"weight": n.weight}
		if n.quota:
			flavors = []
			for f in self.flavors:
				flavors.append({"name": f, "resources": [self.quota_object(n, f, r)
									 for r in self.resources]})
			spec["resourceGroups"] = [{"coveredResources": list(self.resources), "flavors": flavors}]
		if n.kind == QUEUE:
			spec["namespaceSelector"] = {}
			spec["queueingStrategy"] = "StrictFIFO" if n.strict else "BestEffortFIFO"
			spec["preemption"] = {"withinClusterQueue": n.within, "reclaimWithinCohort": n.reclaim}
			if n.borrow_within:
				spec["preemption"]["borrowWithinCohort"] = {"policy": n.borrow_within}
			if n.fungibility:
				spec["flavorFungibility"] = dict(n.fungibility)
		return kueue(n.kind, n.name, spec)

	def quota_object(self, n, flavor, resource):
		q = self.quota(n, flavor, resource)
		out = {"name": resource, "nominalQuota": str(q.nominal)}
		if q.borrow is not None and n.parent is not None:
			out["borrowingLimit"] = str(q.borrow)
		if q.lend is not None and n.parent is not None:
			out["lendingLimit"] = str(q.lend)
		return out

	def job_object(self, j):
		requests = {r: str(a) for r, a in zip(self.resources, j.ask)}
		podset = {"name": "main", "count": j.count, "template": {"spec": {"containers": [
			{"name": "c", "image": "pause", "resources": {"requests": requests}}], "restartPolicy": "Never"}}}
		if j.least is not None:
			podset["minCount"] = j.least
		o = kueue("Workload", j.name, {"queueName": j.queue, "priority": j.priority, "podSets": [podset]}, "ns")
		o["metadata"].update(uid=j.name, creationTimestamp=START.format(j.age // 60, j.age % 60))
		if j.held is not None:
			since = j.age if j.since is None else j.since
			o["status"] = {
				"admission": {"clusterQueue": j.queue, "podSetAssignments": [{
					"name": "main", "count": j.count, "flavors": {r: j.held for r in self.resources},
					"resourceUsage": {r: str(a * j.count) for r, a in zip(self.resources, j.ask)}}]},
				"conditions": [condition("QuotaReserved", since), condition("Admitted", since)]}
		return o

	def manifest(self):
		"""YAML for people and for `fairlead plan -f`: a few lines an object."""
		return "---\n".join("".join(f"{key}: {flow(value)}\n" for key, value in o.items())
				     for o in self.objects())

	def brief(self):
		"""One line a node and job."""
		def number(n):
			return "-" if n is None else str(n)
		out = [f"fair: {self.fair}  columns: {self.columns}" + (f"  policy: {self.policy}" if self.policy else "")]
		for n in self.nodes:
			line = f"{n.name} below {n.parent}" if n.parent else n.name
			if n.weight != "1":
				line += f" weight {n.weight}"
			line += "".join(f" {number(q.nominal)}/{number(q.borrow)}/{number(q.lend)}" for q in n.quota)
			if n.kind == QUEUE:
				line += f" {'Strict ' if n.strict else ''}within {n.within} reclaim {n.reclaim}"
				line += f" borrow {n.borrow_within} {n.fungibility}" if n.borrow_within or n.fungibility else ""
			out.append(line)
		for j in self.jobs:
			out.append(f"{j.name} in {j.queue} asks {j.ask}" + (f" x{j.count}" if j.count > 1 else "") +
				   (f" least {j.least}" if j.least else "") + f" prio {j.priority} age {j.age}" +
				   (f" holds {j.held}" if j.held else ""))
		return "\n".join(out)

	def __repr__(self):
		return "\n" + self.brief()

	@staticmethod
	def load(path):
		"""The case of a file that `manifest` wrote; other objects than it writes are not understood."""
		with open(path, encoding="utf-8") as f:
			objects = list(yaml.safe_load_all(f))
		of = {}
		for o in objects:
			of.setdefault(o["kind"], []).append(o)
		flavors = [o["metadata"]["name"] for o in of["ResourceFlavor"]]
		covered = [g["coveredResources"] for o in of[QUEUE] for g in o["spec"]["resourceGroups"]][0]
		fair = [tuple(o["fairSharing"]["preemptionStrategies"]) for o in of.get("Configuration", [])]
		case = Case(tuple(load_node(o) for o in objects if o["kind"] in (QUEUE, COHORT)),
			    tuple(load_job(o, covered) for o in of.get("Workload", [])),
			    len(covered), len(flavors), fair[0] if fair else None,
			    of["Policy"][0]["spec"]["defaults"] if "Policy" in of else {})
		assert case.objects() == objects, f"{path} is not in the form of Case.manifest"
		return case


def flow(value):
	return yaml.safe_dump(value, default_flow_style=True, sort_keys=False, width=96).removesuffix("...\n").rstrip()


def kueue(kind, name, spec=None, namespace=None):
	metadata = {"name": name} if namespace is None else {"namespace": namespace, "name": name}
	o = {"apiVersion": "kueue.x-k8s.io/v1beta2", "kind": kind, "metadata": metadata}
	if spec:
		o["spec"] = spec
	return o


def condition(kind, second):
	return {"type": kind, "status": "True", "reason": kind, "message": "",
		"lastTransitionTime": START.format(second // 60, second % 60)}


def load_node(o):
	spec = o.get("spec", {})
	quota = []
	for f in (spec.get("resourceGroups") or [{"flavors": []}])[0]["flavors"]:
		for q in f["resources"]:
			quota.append(Quota(*(None if q.get(k) is None else int(q[k])
					     for k in ("nominalQuota", "borrowingLimit", "lendingLimit"))))
	p = spec.get("preemption", {})
	return Node(o["metadata"]["name"], o["kind"], spec.get("cohortName", spec.get("parentName")),
		    spec.get("fairSharing", {}).get("weight", "1"), tuple(quota),
		    spec.get("queueingStrategy") == "StrictFIFO", p.get("withinClusterQueue", "Never"),
		    p.get("reclaimWithinCohort", "Any"), p.get("borrowWithinCohort", {}).get("policy"),
		    tuple(spec.get("flavorFungibility", {}).items()))


def load_job(o, resources):
	podset, admission = o["spec"]["podSets"][0], o.get("status", {}).get("admission")
	requests = podset["template"]["spec"]["containers"][0]["resources"]["requests"]
	age, held, since = seconds(o["metadata"]["creationTimestamp"]), None, None
	if admission:
		held = next(iter(admission["podSetAssignments"][0]["flavors"].values()))
		since = seconds(o["status"]["conditions"][0]["lastTransitionTime"])
	return Job(o["metadata"]["name"], o["spec"]["queueName"], tuple(int(requests[r]) for r in resources),
		   o["spec"]["priority"], age, held, None if since == age else since, podset["count"],
		   podset.get("minCount"))


def seconds(text):
	return int(text[14:16]) * 60 + int(text[17:19])
