# SPDX-License-Identifier: Apache-2.0
"""protect - the settings of a Policy, and what they mean for one question at a time"""
import datetime

from quantity import seconds

REASONS = ("InClusterQueue", "InCohortReclamation", "InCohortFairSharing",
	   "InCohortReclaimWhileBorrowing")


def above(node):
	while node is not None:
		yield node
		node = node.parent


class Policy:
	def __init__(self, objects):
		spec = {}
		for o in objects:
			if o["kind"] == "Policy":
				spec = o.get("spec") or {}
		self.exact_usage = (spec.get("admissionFairSharing") or {}).get("usage") == "Exact"
		self.said = {("ClusterQueue", e["name"]): e for e in spec.get("clusterQueues") or []}
		self.said.update({("Cohort", e["name"]): e for e in spec.get("cohorts") or []})
		self.defaults = spec.get("defaults") or {}

	def setting(self, queue, name, reason=None):
		"""The nearest word on it, or None."""
		if not self.said and not self.defaults:
			return None
		places = [] if queue.cyclic else list(above(queue))
		for entry in [self.said.get((n.kind, n.name), {}) for n in places] + [self.defaults]:
			value = entry.get(name)
			if reason is not None and isinstance(value, dict):
				value = value.get(reason)
			if value is not None:
				return value
		return None

	def time(self, queue, name, reason):
		text = self.setting(queue, name, reason)
		return datetime.timedelta(seconds=float(seconds(text)) if text else 0.0)

	def overrules(self, queue, priority):
		line = self.setting(queue, "overrulingPriority")
		return line is not None and priority > line

	def holds(self, queue):
		return bool(self.setting(queue, "holdFreedQuota"))

	def back_off(self, queue):
		"""(base, max) or None."""
		b = self.setting(queue, "reclaimBackOff")
		if b is None:
			return None
		return [datetime.timedelta(seconds=float(seconds(t))) for t in (b["base"], b.get("max", "1h"))]
