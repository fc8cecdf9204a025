# SPDX-License-Identifier: Apache-2.0
"""pods - what a pod asks for, and which flavors suit it"""
from fractions import Fraction

from quantity import copied, quantity


# -- which flavors suit it ----------------------------------------------------

def tolerates(toleration, taint):
	if toleration.get("effect") and toleration["effect"] != taint.get("effect"):
		return False
	if toleration.get("key") and toleration["key"] != taint.get("key"):
		return False
	if toleration.get("operator") == "Exists":
		return True
	return bool(toleration.get("key")) and toleration.get("value", "") == taint.get("value", "")


def expression_matches(e, labels):
	key, op, values = e["key"], e["operator"], e.get("values") or []
	if op == "In":
		return key in labels and labels[key] in values
	if op == "NotIn":
		return key not in labels or labels[key] not in values
	if op == "Exists":
		return key in labels
	if op == "DoesNotExist":
		return key not in labels
	try:
		have, want = int(labels[key]), int(values[0])
	except (KeyError, ValueError, IndexError):
		return False
	return have > want if op == "Gt" else have < want


def label_selector_matches(selector, labels):
	if selector is None:
		return False
	return (all(labels.get(k) == v for k, v in (selector.get("matchLabels") or {}).items())
		and all(expression_matches(e, labels) for e in selector.get("matchExpressions") or []))


def flavor_suits(flavor, pod):
	"""Taints and labels."""
	spec = flavor.get("spec") or {}
	tolerations = (pod.get("tolerations") or []) + (spec.get("tolerations") or [])
	for taint in spec.get("nodeTaints") or []:
		if taint.get("effect") not in ("NoSchedule", "NoExecute"):
			continue
		if not any(tolerates(t, taint) for t in tolerations):
			return False
	labels = spec.get("nodeLabels") or {}
	for k, v in (pod.get("nodeSelector") or {}).items():
		if k in labels and labels[k] != v:
			return False
	required = (((pod.get("affinity") or {}).get("nodeAffinity") or {})
		    .get("requiredDuringSchedulingIgnoredDuringExecution"))
	if required is None:
		return True
	for term in required["nodeSelectorTerms"]:
		known = [e for e in term.get("matchExpressions") or [] if e["key"] in labels]
		if all(expression_matches(e, labels) for e in known):
			return True
	return False


# -- what it asks for ---------------------------------------------------------

def numbers(quantities):
	return {r: quantity(v) for r, v in (quantities or {}).items()}


def plus(a, b):
	return {k: a.get(k, 0) + b.get(k, 0) for k in {**a, **b}}


def most(a, b):
	return {k: max(a.get(k, Fraction(0)), b.get(k, Fraction(0))) for k in {**a, **b}}


def requests_of(container):
	return numbers((container.get("resources") or {}).get("requests"))


def containers_of(pod):
	return (pod.get("containers") or []) + (pod.get("initContainers") or [])


def at_any_time(pod):
	"""Containers together, or an init container if that is more; then what the pod as a whole says."""
	total, side, peak = {}, {}, {}
	for c in pod.get("containers") or []:
		total = plus(total, requests_of(c))
	for c in pod.get("initContainers") or []:
		if c.get("restartPolicy") == "Always":
			side = plus(side, requests_of(c))
			total = plus(total, requests_of(c))
			peak = most(peak, side)
		else:
			peak = most(peak, plus(requests_of(c), side))
	return {**most(total, peak), **requests_of(pod)}


class PodRules:
	"""What other objects say about the pods of a namespace."""

	def __init__(self, objects):
		self.ranges = {}        # namespace -> items of its LimitRanges, by name
		self.overheads = {}     # RuntimeClass -> overhead
		self.excluded, self.transformations = [], []
		for o in sorted(objects, key=lambda o: (o.get("metadata") or {}).get("name", "")):
			if o["kind"] == "LimitRange":
				self.ranges.setdefault(o["metadata"]["namespace"], []).extend(o["spec"]["limits"])
			elif o["kind"] == "RuntimeClass":
				self.overheads[o["metadata"]["name"]] = (o.get("overhead") or {}).get("podFixed")
			elif o["kind"] == "Configuration":
				resources = o.get("resources") or {}
				self.excluded += resources.get("excludeResourcePrefixes") or []
				self.transformations += resources.get("transformations") or []

	def defaults(self, namespace):
		"""(limits, requests) of a container that says nothing."""
		limits, requests = {}, {}
		for item in self.ranges.get(namespace, []):
			if item["type"] != "Container":
				continue
			limit = {**(item.get("max") or {}), **(item.get("default") or {})}
			request = {**(item.get("min") or {}), **limit, **(item.get("defaultRequest") or {})}
			limits, requests = {**limit, **limits}, {**request, **requests}
		return limits, requests

	def bounds(self, namespace, kind):
		"""(least, most) of each resource, the narrowest."""
		low, high = {}, {}
		for item in self.ranges.get(namespace, []):
			if item["type"] != kind:
				continue
			low = most(low, numbers(item.get("min")))
			for r, v in numbers(item.get("max")).items():
				high[r] = min(v, high.get(r, v))
		return low, high

	def complete(self, namespace, pod):
		"""@pod with everything filled in."""
		if not self.ranges and not self.overheads and not any(
			(c.get("resources") or {}).get("limits") for c in containers_of(pod)):
			return pod
		pod = copied(pod)
		if not pod.get("overhead") and self.overheads.get(pod.get("runtimeClassName")):
			pod["overhead"] = self.overheads[pod["runtimeClassName"]]
		limits, requests = self.defaults(namespace)
		for c in containers_of(pod):
			resources = c.setdefault("resources", {})
			own = resources.get("limits") or {}
			asked = {**own, **(resources.get("requests") or {})}
			resources["limits"] = {**limits, **own}
			resources["requests"] = {**requests, **asked}
		return pod

	def requests(self, namespace, pod):
		"""resource -> how much one pod counts as, exactly."""
		pod = self.complete(namespace, pod)
		asked = plus(at_any_time(pod), numbers(pod.get("overhead")))
		asked = {r: v for r, v in asked.items() if not any(r.startswith(p) for p in self.excluded)}
		out = dict(asked)
		for t in self.transformations:
			if t["input"] in asked and t.get("strategy") == "Replace":
				del out[t["input"]]
		for t in self.transformations:
			if t["input"] not in asked:
				continue
			times = -(-asked[t["input"]] // 1)
			if t.get("multiplyBy"):
				times *= -(-asked.get(t["multiplyBy"], Fraction(0)) // 1)
			out = plus(out, {r: v * times for r, v in numbers(t.get("outputs")).items()})
		return out

	def can_never_run(self, namespace, pod):
		"""A container, or the pod, asks for what it must not."""
		pod = self.complete(namespace, pod)
		low, high = self.bounds(namespace, "Container")
		for c in containers_of(pod):
			limits = numbers((c.get("resources") or {}).get("limits"))
			requests = requests_of(c)
			if any(requests[r] > limits[r] for r in requests if r in limits):
				return True
			if any(v < low.get(r, v) or v > high.get(r, v)
			       for said in (limits, requests) for r, v in said.items()):
				return True
		low, high = self.bounds(namespace, "Pod")
		total = plus(at_any_time(pod), numbers(pod.get("overhead")))
		return any(v < low.get(r, v) or v > high.get(r, v) for r, v in total.items())
