# SPDX-License-Identifier: Apache-2.0
"""A small world of the entitle policy: queues, machines and gangs as plain values, and as objects.

Only GPUs are scarce; of cpu and memory every queue deserves all there is, and nobody asks for any.
"""
from dataclasses import dataclass, field, replace
from typing import Optional

from world import flow

START = "2026-01-01T00:{:02d}:{:02d}Z"
NOW = 3600  # seconds after the beginning: the first cycle
FREE = {"quota": -1, "limit": -1, "overQuotaWeight": 1}


@dataclass(frozen=True)
class Queue:
	name: str
	parent: Optional[str] = None
	deserved: float = 0  # -1: without bound, as of the limit
	limit: float = -1
	weight: float = 1
	priority: int = 100
	age: int = 0


@dataclass(frozen=True)
class Gang:
	name: str
	queue: str
	asks: tuple   # GPUs of each task
	least: int = 1
	priority: int = 50
	firm: bool = False  # it cannot be preempted
	age: int = 0
	on: tuple = ()      # machines of the first of its tasks; the others wait
	ran: int = 1800     # for so many seconds


@dataclass(frozen=True, repr=False)
class World:
	queues: tuple
	machines: tuple  # GPUs of each
	gangs: tuple
	shard: dict = field(default_factory=dict)
	policy: dict = field(default_factory=dict)  # .spec.entitlement
	usage: dict = field(default_factory=dict)   # part of the GPUs, by queue

	def queue(self, name):
		return next(q for q in self.queues if q.name == name)

	def gang(self, name):
		return next(g for g in self.gangs if g.name == name)

	def path(self, name):
		"""The queue and all above it."""
		while name is not None:
			yield name
			name = self.queue(name).parent

	def below(self, parent):
		return [q for q in self.queues if q.parent == parent]

	def objects(self):
		out = [thing("scheduling.k8s.io/v1", "PriorityClass", f"p{p}", value=p)
		       for p in sorted({g.priority for g in self.gangs})]
		if self.shard:
			out.append(thing("kai.scheduler/v1", "SchedulingShard", "shard", spec=self.shard))
		if self.policy:
			out.append(thing("fairlead.dev/v1alpha1", "Policy", "policy", spec={"entitlement": self.policy}))
		out += [self.queue_object(q) for q in self.queues]
		for i, gpus in enumerate(self.machines):
			out.append(thing("v1", "Node", f"m{i}", status={
				"allocatable": {"cpu": "64", "memory": "64Gi", "nvidia.com/gpu": str(gpus)},
				"conditions": [{"type": "Ready", "status": "True"}]}))
		for g in self.gangs:
			out += self.gang_objects(g)
		if self.usage:
			out.append(thing("fairlead.dev/v1alpha1", "UsageHistory", "history", spec={
				"usage": {name: {"gpu": part} for name, part in self.usage.items()}}))
		return out

	def queue_object(self, q):
		spec = {} if q.parent is None else {"parentQueue": q.parent}
		spec["priority"] = q.priority
		spec["resources"] = {"cpu": dict(FREE), "memory": dict(FREE), "gpu": {
			"quota": q.deserved, "limit": q.limit, "overQuotaWeight": q.weight}}
		return thing("scheduling.run.ai/v2", "Queue", q.name, q.age, spec=spec)

	def gang_objects(self, g):
		group = thing("scheduling.run.ai/v2alpha2", "PodGroup", g.name, g.age, "ns", spec={
			"queue": g.queue, "minMember": g.least, "priorityClassName": f"p{g.priority}",
			"preemptibility": "non-preemptible" if g.firm else "preemptible"})
		if g.on:
			group["metadata"]["annotations"] = {"kai.scheduler/last-start-timestamp": clock(NOW - g.ran)}
		out = [group]
		for i, gpus in enumerate(g.asks):
			runs = i < len(g.on)
			pod = thing("v1", "Pod", f"{g.name}-{i}", g.age, "ns",
				    spec={"schedulerName": "kai-scheduler", "containers": [{"name": "c", "resources": {}}]},
				    status={"phase": "Running" if runs else "Pending"})
			pod["metadata"]["annotations"] = {"pod-group-name": g.name}
			if gpus != int(gpus):
				pod["metadata"]["annotations"]["gpu-fraction"] = str(gpus)
			elif gpus:
				pod["spec"]["containers"][0]["resources"] = {"limits": {"nvidia.com/gpu": str(int(gpus))}}
			if runs:
				pod["spec"]["nodeName"] = f"m{g.on[i]}"
			out.append(pod)
		return out

	def manifest(self):
		"""YAML for people and for `fairlead plan -f`."""
		return "---\n".join("".join(f"{key}: {flow(value)}\n" for key, value in o.items())
				     for o in self.objects())

	def brief(self):
		out = [f"machines {self.machines}  shard {self.shard}  policy {self.policy}  usage {self.usage}"]
		for q in self.queues:
			out.append(f"{q.name}" + (f" below {q.parent}" if q.parent else "") + f" deserves {q.deserved} limit "
				   f"{q.limit} weight {q.weight} priority {q.priority} age {q.age}")
		for g in self.gangs:
			out.append(f"{g.name} in {g.queue} asks {g.asks} least {g.least} priority {g.priority}"
				   f"{' firm' if g.firm else ''} age {g.age}" + (f" on {g.on} for {g.ran} s" if g.on else ""))
		return "\n".join(out)

	def __repr__(self):
		return "\n" + self.brief()

	def smaller(self):
		"""Simpler worlds, for shrink.py."""
		for i in reversed(range(len(self.gangs))):
			yield replace(self, gangs=self.gangs[:i] + self.gangs[i + 1:])
		used = {g.queue for g in self.gangs} | {q.parent for q in self.queues}
		for i in reversed(range(len(self.queues))):
			if self.queues[i].name not in used:
				usage = {k: v for k, v in self.usage.items() if k != self.queues[i].name}
				yield replace(self, queues=self.queues[:i] + self.queues[i + 1:], usage=usage)
		on = {m for g in self.gangs for m in g.on}
		if len(self.machines) > 1 and len(self.machines) - 1 not in on:
			yield replace(self, machines=self.machines[:-1])
		for of in "shard", "policy", "usage":
			for key in getattr(self, of):
				yield replace(self, **{of: {k: v for k, v in getattr(self, of).items() if k != key}})
		for i, q in enumerate(self.queues):
			for name, plain in (("limit", -1), ("weight", 1), ("priority", 100), ("age", 0), ("deserved", 0)):
				if getattr(q, name) != plain:
					yield replace(self, queues=self.queues[:i] + (replace(q, **{name: plain}),) + self.queues[i + 1:])
		for i, g in enumerate(self.gangs):
			for less in plainer(g):
				yield replace(self, gangs=self.gangs[:i] + (less,) + self.gangs[i + 1:])


def plainer(g):
	if len(g.asks) > max(1, len(g.on)):
		yield replace(g, asks=g.asks[:-1], least=min(g.least, len(g.asks) - 1))
	for name, plain in (("least", 1), ("priority", 50), ("firm", False), ("age", 0), ("ran", 1800)):
		if getattr(g, name) != plain:
			yield replace(g, **{name: plain})


def clock(seconds):
	return START.format(seconds // 60, seconds % 60) if seconds < 3600 else "2026-01-01T01:00:00Z"


def thing(version, kind, name, age=None, namespace=None, **rest):
	metadata = {"name": name}
	if namespace:
		metadata["namespace"] = namespace
	if age is not None:
		metadata["creationTimestamp"] = clock(age)
	return {"apiVersion": version, "kind": kind, "metadata": metadata, **rest}
