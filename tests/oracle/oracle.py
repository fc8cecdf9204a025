#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""oracle - the borrowing policy once more, slow and obvious

Written from the description of the rules alone, never from the engine, so that
the two can be held against each other.  Everything is recomputed each time it
is wanted, a trial is a copy, an order is a sorted list.  Where the rules leave
an order open: child cohorts are visited in name order and the later of two
equal ones wins, and full ties between heads go by uid.

Reads recorded cases (one JSON object a line) and prints {"id","got"} a line.
Usage of local queues is in usage.py, a Policy in protect.py, pods in pods.py.
"""
import datetime
import functools
import gzip
import json
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

from pods import PodRules, flavor_suits, label_selector_matches  # noqa: E402
from protect import Policy  # noqa: E402
from quantity import MAX, add, amount, approximate, copied, parse_time, quantity, sub  # noqa: E402
from usage import LocalQueue, Settings, natural, told_apart, total  # noqa: E402

# -- objects ------------------------------------------------------------------

class Node:
	"""A ClusterQueue or a Cohort."""

	def __init__(self, kind, name):
		self.kind, self.name = kind, name
		self.parent = None
		self.children = []
		self.quota = {}         # FR -> (nominal, borrowingLimit or None, lendingLimit or None)
		self.weight = 1.0
		self.spec = {}
		self.active = True      # ClusterQueue: may its workloads do anything
		self.cyclic = False
		# ClusterQueue: the queue
		self.heap = []          # workloads that may become head
		self.inadmissible = []
		self.marked_shapes = set()
		self.sticky = None
		self.held_for = None    # whose quota is being freed (holdFreedQuota)
		self.generation = 0

	def __repr__(self):
		return f"{self.kind} {self.name}"

	def child_queues(self):
		return [c for c in self.children if c.kind == "ClusterQueue"]

	def child_cohorts(self):
		return [c for c in self.children if c.kind == "Cohort"]


class Workload:
	def __init__(self, o):
		self.key = o["metadata"]["namespace"] + "/" + o["metadata"]["name"]
		self.namespace = o["metadata"]["namespace"]
		self.uid = o["metadata"].get("uid", "")
		spec, status = o.get("spec", {}), o.get("status", {})
		self.local_queue = spec.get("queueName")
		self.priority = spec.get("priority", 0)
		self.podsets = spec["podSets"]
		self.order_time = self.waits_since = parse_time(o["metadata"]["creationTimestamp"])
		self.admission = status.get("admission")
		self.evicted = False
		self.reserved_at = None
		self.admitted = self.over = self.unwanted = False
		self.gone = spec.get("active") is False
		checks = [c["state"] for c in status.get("admissionChecks") or []]
		self.retried, self.rejected = "Retry" in checks, "Rejected" in checks
		requeue_at = (status.get("requeueState") or {}).get("requeueAt")
		self.requeue_at = parse_time(requeue_at) if requeue_at else None
		self.not_requeued = None        # the reason
		done = {p["name"]: p["count"] for p in status.get("reclaimablePods") or []}
		self.done = [done.get(p["name"], 0) for p in self.podsets]
		for c in status.get("conditions", []):
			if c["type"] == "Requeued" and c["status"] == "False":
				self.not_requeued = c["reason"]
			if c["status"] != "True":
				continue
			if c["type"] == "Admitted":
				self.admitted = True
			if c["type"] in ("Finished", "DeactivationTarget"):
				self.gone = True
			if c["type"] == "QuotaReserved":
				self.reserved_at = parse_time(c["lastTransitionTime"])
			if c["type"] == "Evicted":
				self.evicted = True
				if c["reason"] in ("PodsReadyTimeout", "AdmissionCheck"):
					self.order_time = parse_time(c["lastTransitionTime"])
		self.queue = None       # the ClusterQueue it waits in
		self.holder = None      # the ClusterQueue whose quota it uses
		self.usage = {}         # FR -> amount, while it holds quota
		self.asks = []          # one pod of each podset: resource -> how much
		self.can_never_run = False
		self.scan = None        # (cycle, generation, {(podset, resource): index})

	def __repr__(self):
		return self.key

	def shape(self):
		return json.dumps([self.podsets, self.done, self.priority], sort_keys=True)

	def counts(self):
		return [max(0, p["count"] - d) for p, d in zip(self.podsets, self.done)]

	def natural_usage(self):
		return total(*({r: natural(r, v)} for (_, r), v in self.usage.items()))


def quotas_of(spec):
	quota = {}
	for group in spec.get("resourceGroups") or []:
		for flavor in group["flavors"]:
			for r in flavor["resources"]:
				limits = [amount(r["name"], quantity(r[k])) if r.get(k) is not None else None
					  for k in ("nominalQuota", "borrowingLimit", "lendingLimit")]
				quota[(flavor["name"], r["name"])] = tuple(limits)
	return quota


def weight_of(spec):
	weight = (spec.get("fairSharing") or {}).get("weight")
	return 1.0 if weight is None else approximate(str(weight))


# -- the quota tree -----------------------------------------------------------

def nominal(node, fr):
	return node.quota[fr][0] if fr in node.quota else 0


def borrowing_limit(node, fr):
	return node.quota[fr][1] if fr in node.quota else None


# Quotas do not change within a case: these are functions of the tree alone.

@functools.lru_cache(maxsize=None)
def known_frs(node):
	"""The keys of subtreeQuota."""
	frs = set(node.quota)
	for child in node.children:
		frs |= known_frs(child)
	return frozenset(frs)


@functools.lru_cache(maxsize=None)
def subtree_quota(node, fr):
	total = nominal(node, fr)
	for child in node.children:
		total = add(total, sub(subtree_quota(child, fr), local_quota(child, fr)))
	return total


@functools.lru_cache(maxsize=None)
def local_quota(node, fr):
	lending = node.quota[fr][2] if fr in node.quota else None
	if lending is None:
		return 0
	return max(0, sub(subtree_quota(node, fr), lending))


@functools.lru_cache(maxsize=None)
def potential_available(node, fr):
	if node.parent is None:
		return subtree_quota(node, fr)
	a = add(local_quota(node, fr), potential_available(node.parent, fr))
	if borrowing_limit(node, fr) is not None:
		a = min(a, add(subtree_quota(node, fr), borrowing_limit(node, fr)))
	return a


@functools.lru_cache(maxsize=None)
def lendable(parent, resource):
	"""What a child of @parent could borrow at most, all flavors together."""
	total = 0
	for fr in known_frs(root_of(parent)):
		if fr[1] == resource:
			total = add(total, potential_available(parent, fr))
	return total


def ancestors(node):
	"""From the parent to the root."""
	out = []
	while node.parent is not None:
		node = node.parent
		out.append(node)
	return out


def root_of(node):
	return ([node] + ancestors(node))[-1]


def queues_below(node):
	if node.kind == "ClusterQueue":
		return [node]
	return [q for c in node.children for q in queues_below(c)]


def height(node):
	if node.kind == "ClusterQueue" or not node.children:
		return 0
	return 1 + max([0] + [height(c) for c in node.child_cohorts()])


def lowest_common_ancestor(a, b):
	above_b = ancestors(b)
	for node in ancestors(a):
		if node in above_b:
			return node
	return None


def child_towards(ancestor, node):
	"""The child of @ancestor that is @node or above it."""
	while node.parent is not ancestor:
		node = node.parent
	return node


class Snapshot:
	"""Who uses what.  Nodes are shared between copies, usage is not."""

	def __init__(self):
		self.used = {}          # (node, FR) -> amount
		self.holders = {}       # ClusterQueue -> [workloads that hold its quota]
		self.grounded = set()   # (ClusterQueue, FR) that may not borrow for a while

	def copy(self):
		s = Snapshot()
		s.grounded = self.grounded
		s.used = dict(self.used)
		s.holders = {q: list(ws) for q, ws in self.holders.items()}
		return s

	def usage(self, node, fr):
		return self.used.get((node, fr), 0)

	def local_available(self, node, fr):
		return max(0, sub(local_quota(node, fr), self.usage(node, fr)))

	def raw_available(self, node, fr):
		if node.parent is None:
			return sub(subtree_quota(node, fr), self.usage(node, fr))
		p = self.raw_available(node.parent, fr)
		limit = borrowing_limit(node, fr)
		if limit is not None:
			own = sub(subtree_quota(node, fr), local_quota(node, fr))
			lent_use = max(0, sub(self.usage(node, fr), local_quota(node, fr)))
			p = min(p, add(sub(own, lent_use), limit))
		return add(self.local_available(node, fr), p)

	def available(self, queue, fr):
		most = self.raw_available(queue, fr)
		if (queue, fr) in self.grounded:
			most = min(most, sub(nominal(queue, fr), self.usage(queue, fr)))
		return max(0, most)

	def add_usage(self, node, fr, v):
		la = self.local_available(node, fr)
		self.used[(node, fr)] = add(self.usage(node, fr), v)
		if node.parent is not None and v > la:
			self.add_usage(node.parent, fr, sub(v, la))

	def remove_usage(self, node, fr, v):
		s = sub(self.usage(node, fr), local_quota(node, fr))
		self.used[(node, fr)] = sub(self.usage(node, fr), v)
		if s > 0 and node.parent is not None:
			self.remove_usage(node.parent, fr, min(v, s))

	def add_all(self, queue, amounts):
		for fr, v in amounts.items():
			self.add_usage(queue, fr, v)

	def remove_all(self, queue, amounts):
		for fr, v in amounts.items():
			self.remove_usage(queue, fr, v)

	def put(self, w):
		self.holders.setdefault(w.holder, []).append(w)
		self.add_all(w.holder, w.usage)

	def take(self, w):
		self.holders[w.holder].remove(w)
		self.remove_all(w.holder, w.usage)

	def borrowing_with(self, node, fr, v):
		return subtree_quota(node, fr) < add(self.usage(node, fr), v)

	def within_nominal(self, node, frs):
		return all(subtree_quota(node, fr) >= self.usage(node, fr) for fr in frs)

	def lowest_subtree(self, queue, fr, v):
		if queue.parent is None or not self.borrowing_with(queue, fr, v):
			return 0, queue.parent is not None
		rem = sub(v, self.local_available(queue, fr))
		for node in ancestors(queue):
			if not self.borrowing_with(node, fr, rem):
				return height(node), node.parent is not None
			rem = sub(rem, self.local_available(node, fr))
		return height(root_of(queue)), False

	def share(self, node):
		return Share(self, node)


class Share:
	"""The dominant resource share of a node."""

	def __init__(self, s, node):
		self.borrowing, self.unweighted, self.weight = False, 0.0, node.weight
		if node.parent is None:
			return
		borrowed = {}
		for fr in known_frs(node):
			used, quota = s.usage(node, fr), subtree_quota(node, fr)
			if used > quota:
				borrowed[fr[1]] = add(borrowed.get(fr[1], 0), sub(used, quota))
		self.borrowing = bool(borrowed)
		for resource, b in borrowed.items():
			most = lendable(node.parent, resource)
			if most > 0:
				ratio = float(b) * 1000.0 / float(most)
				self.unweighted = max(self.unweighted, ratio)

	def infinite(self):
		return self.unweighted != 0 and self.weight == 0

	def precise(self):
		if self.unweighted == 0:
			return 0.0
		if self.weight == 0:
			return float("inf")
		return self.unweighted / self.weight

	def compare(self, other):
		"""-1, 0, 1"""
		if self.infinite() and other.infinite():
			a, b = self.unweighted, other.unweighted
		else:
			a, b = self.precise(), other.precise()
		return (a > b) - (a < b)

	def published(self):
		p = self.precise()
		if p == float("inf"):
			return {"weightedShare": "inf", "precise": "inf"}
		whole = int(p)
		return {"weightedShare": str(whole + (p > whole)), "precise": "%.17g" % p}


# -- flavor assignment --------------------------------------------------------

RANK = {"noCandidates": 0, "preempt": 1, "reclaim": 2, "fit": 3}


def preferred(a, b, preference):
	"""Is (mode, level) a strictly preferred over b?"""
	if a[0] == "noFit":
		return False
	if b[0] == "noFit":
		return True
	if (a[0] == "noCandidates") != (b[0] == "noCandidates"):
		return b[0] == "noCandidates"
	if preference == "PreemptionOverBorrowing":
		return (a[1], -RANK[a[0]]) < (b[1], -RANK[b[0]])
	return (-RANK[a[0]], a[1]) < (-RANK[b[0]], b[1])


def group_of(queue, resource):
	for i, g in enumerate(queue.spec.get("resourceGroups") or []):
		if resource in g["coveredResources"]:
			return i
	return None


def total_requests(w, index, count):
	"""resource -> amount of a podset when it has @count pods."""
	full = w.counts()[index]
	out = {}
	for resource, exact in w.asks[index].items():
		out[resource] = min(MAX, amount(resource, exact) * full)
	if group_of(w.queue, "pods") is not None:
		out["pods"] = full
	if count != full:
		out = {r: v // full * count for r, v in out.items()}
	return out


# Why a candidate goes, by how it was found.
VARIANTS = {"WithinCQ": "InClusterQueue", "HierarchicalReclaim": "InCohortReclamation",
	    "ReclaimWithoutBorrowing": "InCohortReclamation",
	    "ReclaimWhileBorrowing": "InCohortReclaimWhileBorrowing"}

# Why somebody was held back, when that shows in other fields, too.
OVER = ("PodsReadyTimeout", "AdmissionCheck", "ClusterQueueStopped", "LocalQueueStopped",
	"Deactivated")


class Assignment:
	def __init__(self, counts):
		self.counts = counts
		self.flavors = [{} for _ in counts]  # per podset: resource -> flavor
		self.usage = {}                      # FR -> amount
		self.mode = "Fit"
		self.level = 0
		self.need = set()                    # FRs that need preemption
		self.positions = {}                  # (podset, resource) -> last index looked at
		self.targets = []                    # [(workload, reason)]


class Engine:
	def __init__(self, case):
		self.config = case["config"]
		self.now = parse_time(self.config["now"])
		self.fair = self.config.get("fairSharing") is not None
		strategies = (self.config.get("fairSharing") or {}).get("preemptionStrategies")
		self.strategies = strategies or ["LessThanOrEqualToFinalShare", "LessThanInitialShare"]
		self.namespaces, self.flavors = {}, {}
		self.queues, self.cohorts, self.local_queues = {}, {}, {}
		self.workloads = []
		self.cycle = 0
		self.rules = PodRules(case["objects"])
		self.protect = Policy(case["objects"])
		self.usage_settings = None
		if "admissionFairSharing" in self.config:
			self.usage_settings = Settings(self.config["admissionFairSharing"],
						       self.protect.exact_usage)
		self.back_offs = {}     # (ClusterQueue, FR) -> (length of the last one, its end)
		self.wakes = {}         # root -> when to look again
		self.delayed = set()    # heads for which somebody was spared when last looked at
		self.circles = 0        # orders of candidates that were none
		self.load(case["objects"])

	# -- reading --

	def cohort(self, name):
		if name not in self.cohorts:
			self.cohorts[name] = Node("Cohort", name)
		return self.cohorts[name]

	def load(self, objects):
		for o in objects:
			name, spec = o["metadata"]["name"], o.get("spec") or {}
			if o["kind"] == "Namespace":
				labels = dict(o["metadata"].get("labels") or {})
				self.namespaces[name] = labels
			elif o["kind"] == "ResourceFlavor":
				self.flavors[name] = o
			elif o["kind"] == "LocalQueue":
				lq = LocalQueue(o, self.usage_settings, self.now)
				lq.queue, lq.stop = spec["clusterQueue"], spec.get("stopPolicy", "None")
				self.local_queues[(o["metadata"]["namespace"], name)] = lq
			elif o["kind"] in ("ClusterQueue", "Cohort"):
				self.load_node(o["kind"], name, spec)
			elif o["kind"] == "Workload":
				self.workloads.append(Workload(o))
		for node in self.nodes():
			if node.parent is not None:
				node.parent.children.append(node)
		for node in self.nodes():
			node.children.sort(key=lambda c: c.name)
			node.cyclic = self.below_a_loop(node)
			if node.kind == "ClusterQueue":
				stopped = node.spec.get("stopPolicy", "None") != "None"
				missing = any(fr[0] not in self.flavors for fr in self.flavor_names(node))
				node.active = not (stopped or missing or node.cyclic)
		for lq in self.local_queues.values():
			lq.queue = self.queues.get(lq.queue)
		for w in self.workloads:
			pods = [p["template"]["spec"] for p in w.podsets]
			w.asks = [self.rules.requests(w.namespace, p) for p in pods]
			w.can_never_run = any(self.rules.can_never_run(w.namespace, p) for p in pods)
			self.place(w)

	def load_node(self, kind, name, spec):
		if kind == "Cohort":
			node, up = self.cohort(name), spec.get("parentName")
		else:
			node, up = Node(kind, name), spec.get("cohortName")
			self.queues[name] = node
		node.spec, node.quota, node.weight = spec, quotas_of(spec), weight_of(spec)
		if up:
			node.parent = self.cohort(up)

	@staticmethod
	def flavor_names(queue):
		return {(f["name"],) for g in queue.spec.get("resourceGroups") or [] for f in g["flavors"]}

	def nodes(self):
		return ([self.queues[n] for n in sorted(self.queues)]
			+ [self.cohorts[n] for n in sorted(self.cohorts)])

	@staticmethod
	def below_a_loop(node):
		seen = set()
		while node is not None:
			if node in seen:
				return True
			seen.add(node)
			node = node.parent
		return False

	def local_queue(self, w):
		return self.local_queues.get((w.namespace, w.local_queue))

	def place(self, w):
		"""Into the cache when it holds quota, else into its queue."""
		if w.gone:
			return
		if w.reserved_at is None or not w.admission:
			self.enqueue(w)
			return
		if w.rejected:
			return
		w.holder = self.queues.get(w.admission["clusterQueue"])
		lq = self.local_queue(w)
		stops = {lq.stop if lq else "None",
			 w.holder.spec.get("stopPolicy", "None") if w.holder else "None"}
		if "HoldAndDrain" in stops or ("Hold" in stops and not w.admitted) or w.retried:
			w.evicted = True
		done = {p["name"]: d for p, d in zip(w.podsets, w.done)}
		for a in w.admission.get("podSetAssignments") or []:
			for r, flavor in (a.get("flavors") or {}).items():
				v = amount(r, quantity(a["resourceUsage"][r]))
				if done.get(a["name"]):
					v = v // a["count"] * max(0, a["count"] - done[a["name"]])
				w.usage[(flavor, r)] = add(w.usage.get((flavor, r), 0), v)
		if lq is not None and self.by_usage(lq.queue):
			lq.start(w, self.now)

	def enqueue(self, w):
		lq = self.local_queue(w)
		w.queue = lq.queue if lq else None
		if w.queue is None or lq.stop != "None":
			return
		if w.requeue_at is not None and w.requeue_at > self.now:
			return
		if w.not_requeued is not None and w.not_requeued not in OVER:
			return
		if w.shape() in w.queue.marked_shapes:
			w.queue.inadmissible.append(w)
		else:
			w.queue.heap.append(w)

	def snapshot(self):
		s = Snapshot()
		for w in self.workloads:
			if w.holder is not None and not w.holder.cyclic:
				s.put(w)
		s.grounded = {where for where, (_, end) in self.back_offs.items() if self.now < end}
		return s

	# -- nomination --

	def nominate(self, s, w, scan, only):
		"""Flavors and targets of head @w.  @only: None, or flavors to be restricted to."""
		self.delayed.discard(w)
		if w.queue.held_for is w:
			promised = self.try_counts(s, w, w.promise.counts, None, w.promise.flavors)
			if promised.mode == "Fit" or promised.targets:
				return promised
		full = w.counts()
		first = self.try_counts(s, w, full, scan, only)
		if first.mode == "Fit" or first.targets:
			return first
		least = [min(c, p["minCount"]) if p.get("minCount") is not None else c
			 for c, p in zip(full, w.podsets)]
		depth = sum(c - m for c, m in zip(full, least))
		if depth <= 0:
			return first
		lo, hi, found = 0, depth + 1, None
		while lo < hi:
			mid = (lo + hi) // 2
			counts = [c - (c - m) * mid // depth for c, m in zip(full, least)]
			a = self.try_counts(s, w, counts, scan, only)
			if a.mode == "Fit" or (a.mode == "Preempt" and a.targets):
				found, hi = (mid, a), mid
			else:
				lo = mid + 1
		if found is not None and found[0] == lo:
			return found[1]
		return first

	def try_counts(self, s, w, counts, scan, only):
		a = Assignment(counts)
		for i in range(len(w.podsets)):
			if not self.assign_podset(s, w, a, i, scan, only):
				a.mode = "NoFit"
				return a
		if a.mode == "Preempt":
			a.targets = self.find_targets(s, w, a.usage, a.need)
		return a

	def assign_podset(self, s, w, a, index, scan, only):
		"""False: no flavor.  Then nothing of this podset is in @a."""
		q = w.queue
		requests = total_requests(w, index, a.counts[index])
		groups = {}
		for resource in sorted(requests):
			g = group_of(q, resource)
			if g is None:
				if requests[resource] != 0:
					return False
				continue
			groups.setdefault(g, []).append(resource)
		chosen = []
		for g, resources in sorted(groups.items()):
			best = self.choose_flavor(s, w, a, (index, g), resources, requests, scan, only)
			if best is None:
				return False
			chosen.append((resources, best))
		all_fit = all(best["combined"][0] == "fit" for _, best in chosen)
		for resources, best in chosen:
			for r in resources:
				fr = (best["flavor"], r)
				mode, level = best["each"][r]
				a.flavors[index][r] = best["flavor"]
				a.usage[fr] = add(a.usage.get(fr, 0), requests[r])
				a.level = max(a.level, level)
				a.positions[(index, r)] = best["position"]
				if mode != "fit":
					a.need.add(fr)
					if not all_fit:
						a.mode = "Preempt"
		return True

	def choose_flavor(self, s, w, a, where, resources, requests, scan, only):
		q = w.queue
		index, g = where
		flavors = [f["name"] for f in q.spec["resourceGroups"][g]["flavors"]]
		start = 0
		for r in resources:
			if scan is not None and scan.get((index, r), -1) != -1:
				start = scan[(index, r)] + 1
		fungibility = q.spec.get("flavorFungibility") or {}
		preference = fungibility.get("preference")
		pod = w.podsets[index]["template"]["spec"]
		best = None
		looked = -1
		for i in range(start, len(flavors)):
			looked = i
			name = flavors[i]
			if only is not None and only[index].get(resources[0]) != name:
				continue
			if name not in self.flavors or not flavor_suits(self.flavors[name], pod):
				continue
			combined, each = ("fit", 0), {}
			for r in resources:
				fr = (name, r)
				val = add(a.usage.get(fr, 0), requests[r])
				each[r] = self.mode_of(s, w, fr, val)
				if each[r][0] == "noFit":
					combined = ("noFit", 0)
					break
				if preferred(combined, each[r], preference):
					combined = each[r]
			option = {"flavor": name, "combined": combined, "each": each}
			if not self.search_past(combined, fungibility):
				best = option
				break
			if preferred(combined, best["combined"] if best else ("noFit", 0), preference):
				best = option
		if best is not None:
			best["position"] = -1 if looked == len(flavors) - 1 else looked
		return best

	@staticmethod
	def search_past(combined, fungibility):
		mode, level = combined
		if mode in ("noFit", "noCandidates"):
			return True
		if (mode in ("preempt", "reclaim")
		    and fungibility.get("whenCanPreempt", "TryNextFlavor") == "TryNextFlavor"):
			return True
		return level > 0 and fungibility.get("whenCanBorrow") == "TryNextFlavor"

	def policy(self, q, name):
		return (q.spec.get("preemption") or {}).get(name) or "Never"

	def borrow_within_cohort(self, q):
		"""None when forbidden."""
		b = (q.spec.get("preemption") or {}).get("borrowWithinCohort")
		if not b or (b.get("policy") or "Never") == "Never":
			return None
		return b

	def mode_of(self, s, w, fr, val):
		q = w.queue
		if val > potential_available(q, fr):
			return "noFit", 0
		if (q, fr) in s.grounded and s.borrowing_with(q, fr, val):
			self.wake(q, self.back_offs[(q, fr)][1])
			if val > nominal(q, fr):
				return "noFit", 0
		level, smaller = s.lowest_subtree(q, fr, val)
		if val <= s.available(q, fr):
			return "fit", level
		while_borrowing = (self.borrow_within_cohort(q) is not None
				   or (self.fair and self.policy(q, "reclaimWithinCohort") != "Never"))
		if not (nominal(q, fr) >= val or smaller or while_borrowing):
			return "noFit", 0
		targets = self.find_targets(s, w, {fr: val}, {fr})
		if not targets:
			return "noCandidates", level
		t = s.copy()
		for victim, _ in targets:
			t.take(victim)
		level, _ = t.lowest_subtree(q, fr, val)
		own = any(victim.holder is q for victim, _ in targets)
		return ("preempt" if own else "reclaim"), level

	# -- preemption targets --

	def candidate_key(self, q):
		def key(c):
			reserved = c.reserved_at if c.reserved_at is not None else self.now
			return (not c.evicted, c.holder is q, c.priority, -reserved.timestamp(), c.uid)
		return key

	def by_usage(self, queue):
		return (self.usage_settings is not None and queue is not None and (queue.spec.get("admissionScope") or {})
			.get("admissionMode") == "UsageBasedAdmissionFairSharing")

	def usage_of(self, w):
		lq = self.local_queue(w)
		return None if lq is None else lq.usage(self.now)

	def in_order(self, q, candidates):
		"""The candidate order: usage of local queues counts within a queue only."""
		key = self.candidate_key(q)
		out = sorted(candidates, key=key)
		if not any(self.by_usage(c.holder) for c in out):
			return out

		usage = {c: self.usage_of(c) for c in out}
		first = {c: key(c) for c in out}

		def before(a, b):
			if (first[a][:2] == first[b][:2] and a.holder is b.holder and self.by_usage(a.holder)
			    and (a.namespace, a.local_queue) != (b.namespace, b.local_queue)
			    and None not in (usage[a], usage[b])):
				order = told_apart(usage[a], usage[b])
				if order != 0:
					return order > 0
			return first[a] < first[b]

		place = {c: sum(before(o, c) for o in out if o is not c) for c in out}
		if len(set(place.values())) < len(out):
			self.circles += 1
		return sorted(out, key=lambda c: (place[c], first[c][2:]))

	# A Policy: who is spared, or who has to wait

	def wake(self, q, when):
		root = root_of(q)
		self.wakes[root] = min(when, self.wakes.get(root, when))

	def spared(self, w, c, reason):
		if c.evicted:
			return False
		p, q = self.protect, w.queue
		if reason == "InCohortFairSharing" and self.fair and p.overrules(c.holder, c.priority):
			return True
		ends = [since + time for since, time in (
			(c.reserved_at or self.now, p.time(c.holder, "minimumRunTime", reason)),
			(w.waits_since, p.time(q, "preemptionDelay", reason))) if time]
		ends = [end for end in ends if end > self.now]
		if ends:        # looked at again when the first is over, be it for nothing
			self.wake(q, ends[0])
			self.delayed.add(w)
		return bool(ends)

	@staticmethod
	def policy_allows(policy, w, c):
		if policy == "Any":
			return True
		if policy == "LowerPriority":
			return w.priority > c.priority
		if policy == "LowerOrNewerEqualPriority":
			return (w.priority > c.priority
				or (w.priority == c.priority and w.order_time < c.order_time))
		return False

	@staticmethod
	def uses(c, need):
		return any(fr in need for fr in c.usage)

	def candidates_in(self, s, holder, w, need, policy, reason):
		"""@reason: why each would go, a function of the candidate."""
		if not holder.active:
			return []
		return [c for c in s.holders.get(holder, [])
			if self.uses(c, need) and self.policy_allows(policy, w, c)
			and not self.spared(w, c, reason(c))]

	@staticmethod
	def fits(s, q, amounts, allow_borrow):
		return all((allow_borrow or not s.borrowing_with(q, fr, v)) and v <= s.available(q, fr)
			   for fr, v in amounts.items())

	def find_targets(self, s, w, amounts, need):
		q = w.queue
		if not self.fair:
			return self.classical_targets(s, w, amounts, need, self.borrow_within_cohort(q))
		if self.protect.overrules(q, w.priority):
			b = {**((q.spec.get("preemption") or {}).get("borrowWithinCohort") or {}),
			     "policy": "LowerPriority"}
			return self.classical_targets(s, w, amounts, need, b)
		return self.fair_targets(s.copy(), w, amounts, need)

	def fill_back(self, s, q, amounts, targets, allow_borrow):
		"""@s is without all @targets.  Those still needed."""
		keep = list(targets)
		for t in reversed(targets[:-1]):
			s.put(t[0])
			if self.fits(s, q, amounts, allow_borrow):
				keep.remove(t)
			else:
				s.take(t[0])
		return keep

	def classical_targets(self, s, w, amounts, need, bwc):
		q = w.queue
		same, hierarchy, priority = [], [], []
		for c in self.candidates_in(s, q, w, need, self.policy(q, "withinClusterQueue"),
					    lambda c: VARIANTS["WithinCQ"]):
			same.append((c, None, "WithinCQ"))
		reclaim = self.policy(q, "reclaimWithinCohort")
		if q.parent is not None and reclaim != "Never":
			adv = all(subtree_quota(q, fr) >= add(s.usage(q, fr), v) for fr, v in amounts.items())
			rem = {fr: max(0, sub(v, s.local_available(q, fr))) for fr, v in amounts.items()}
			came_from = q
			for above in ancestors(q):
				for holder in self.over_nominal_queues(s, above, came_from, need):
					def variant(c, adv=adv):
						return "HierarchicalReclaim" if adv else self.variant(bwc, w, c)
					for c in self.candidates_in(s, holder, w, need, reclaim,
								    lambda c: VARIANTS[variant(c)]):
						(hierarchy if adv else priority).append((c, above, variant(c)))
				fits_here = all(subtree_quota(above, fr) >= add(s.usage(above, fr), v)
						for fr, v in rem.items())
				rem = {fr: max(0, sub(v, s.local_available(above, fr))) for fr, v in rem.items()}
				adv = adv or fits_here
				came_from = above
		lists = []
		for x in (hierarchy, priority, same):
			of = {e[0]: e for e in x}
			lists.append([of[c] for c in self.in_order(q, list(of))])
		sequence = ([e for x in lists for e in x if e[0].evicted]
			    + [e for x in lists for e in x if not e[0].evicted])
		below_nominal = all(s.usage(q, fr) < nominal(q, fr) for fr in need)
		if not (hierarchy or priority) or (bwc is None and not below_nominal):
			attempts = [True]
		elif bwc is None and not hierarchy:
			attempts = [False, True]
		else:
			attempts = [True, False]
		for allow_borrow in attempts:
			targets = self.attempt(s.copy(), q, amounts, need, sequence, allow_borrow)
			if targets:
				return targets
		return []

	def over_nominal_queues(self, s, node, came_from, need):
		out = []
		for child in node.children:
			if child is came_from or s.within_nominal(child, need):
				continue
			if child.kind == "ClusterQueue":
				out.append(child)
			else:
				out += self.over_nominal_queues(s, child, None, need)
		return out

	@staticmethod
	def variant(bwc, w, c):
		if bwc is None or c.priority >= w.priority:
			return "ReclaimWithoutBorrowing"
		threshold = bwc.get("maxPriorityThreshold")
		if threshold is not None and c.priority > threshold:
			return "ReclaimWithoutBorrowing"
		return "ReclaimWhileBorrowing"

	def attempt(self, s, q, amounts, need, sequence, allow_borrow):
		targets = []
		for c, above, variant in sequence:
			if c.holder is not q:
				if allow_borrow and variant == "ReclaimWithoutBorrowing":
					continue
				path = [c.holder] + ancestors(c.holder)
				path = path[:path.index(above)]
				if any(s.within_nominal(node, need) for node in path):
					continue
			s.take(c)
			targets.append((c, VARIANTS[variant]))
			if self.fits(s, q, amounts, allow_borrow):
				return self.fill_back(s, q, amounts, targets, allow_borrow)
		return []

	# fair sharing: @s is a copy, to be spoilt

	def fair_targets(self, s, w, amounts, need):
		q = w.queue
		candidates = self.candidates_in(s, q, w, need, self.policy(q, "withinClusterQueue"),
						lambda c: "InClusterQueue")
		within = all(add(s.usage(q, fr), amounts[fr]) <= nominal(q, fr) for fr in need)
		reclaim = self.policy(q, "reclaimWithinCohort")
		if q.parent is not None and reclaim != "Never":
			for holder in queues_below(root_of(q)):
				if holder is not q and any(s.usage(holder, fr) > nominal(holder, fr)
							   for fr in need):
					candidates += self.candidates_in(
						s, holder, w, need, reclaim,
						lambda c: "InCohortReclamation" if within else "InCohortFairSharing")
		if not candidates:
			return []
		# Only the order within a queue counts from here on, and that never goes in a circle.
		candidates = [c for holder in sorted({c.holder for c in candidates}, key=lambda h: h.name)
			      for c in self.in_order(q, [c for c in candidates if c.holder is holder])]
		s.add_all(q, amounts)
		targets, retry = [], []

		def fits():
			s.remove_all(q, amounts)
			ok = self.fits(s, q, amounts, True)
			s.add_all(q, amounts)
			return ok

		def remove(c, reason):
			s.take(c)
			targets.append((c, reason))
			return fits()

		done = self.first_pass(s, q, within, candidates, retry, remove)
		if not done and len(self.strategies) > 1:
			done = self.second_pass(s, q, retry, remove)
		if not done:
			return []
		s.remove_all(q, amounts)
		return self.fill_back(s, q, amounts, targets, True)

	def shares_at_meeting(self, s, q, c):
		a = lowest_common_ancestor(q, c)
		return s.share(child_towards(a, q)), s.share(child_towards(a, c))

	def first_pass(self, s, q, within, candidates, retry, remove):
		order = TargetOrder(s, q, candidates, self.candidate_key(q))
		while True:
			c = order.next()
			if c is None:
				return False
			mine = order.lists[c]
			if c is q:
				if remove(mine.pop(0), "InClusterQueue"):
					return True
				continue
			if within:
				if remove(mine.pop(0), "InCohortReclamation"):
					return True
				continue
			p_new, t_old = self.shares_at_meeting(s, q, c)
			if p_new.infinite() and not t_old.infinite():
				retry += mine
				mine.clear()
				continue
			while mine:
				victim = mine.pop(0)
				trial = s.copy()
				trial.take(victim)
				_, t_new = self.shares_at_meeting(trial, q, c)
				if self.strategies[0] == "LessThanOrEqualToFinalShare":
					passes = p_new.compare(t_new) <= 0
				else:
					passes = p_new.compare(t_old) < 0
				if not passes:
					retry.append(victim)
					continue
				if remove(victim, "InCohortFairSharing"):
					return True
				break

	def second_pass(self, s, q, retry, remove):
		order = TargetOrder(s, q, retry, self.candidate_key(q))
		while True:
			c = order.next()
			if c is None:
				return False
			p_new, t_old = self.shares_at_meeting(s, q, c)
			victim = order.lists[c].pop(0)
			if p_new.compare(t_old) < 0 and remove(victim, "InCohortFairSharing"):
				return True
			order.lists[c].clear()

	# -- a cycle --

	def heap_key(self, q):
		def usage(w):
			return self.usage_of(w) if self.by_usage(q) else 0.0

		self.sure([usage(w) for w in q.heap])
		return lambda w: (w is not q.held_for, usage(w), w is not q.sticky, -w.priority,
				  w.order_time, w.uid)

	@staticmethod
	def sure(numbers):
		numbers = sorted(numbers)
		for a, b in zip(numbers, numbers[1:]):
			told_apart(a, b)

	def pop_heads(self):
		heads = []
		for q in self.nodes():
			if q.kind == "ClusterQueue" and q.active and q.heap:
				q.heap.sort(key=self.heap_key(q))
				heads.append(q.heap.pop(0))
		return heads

	def set_aside(self, w):
		"""None, or why the head is not considered."""
		if w.namespace not in self.namespaces:
			return "NoNamespace"
		labels = dict(self.namespaces[w.namespace])
		labels.setdefault("kubernetes.io/metadata.name", w.namespace)
		if not label_selector_matches(w.queue.spec.get("namespaceSelector"), labels):
			return "NamespaceMismatch"
		if w.can_never_run:
			return "Misconfigured"
		return None

	def scan_start(self, w):
		"""Positions to go on from, or None."""
		if w.scan is None:
			return None
		cycle, generation, positions = w.scan
		if self.cycle - cycle > 1 and w.queue.generation > generation:
			return None
		return positions

	def run_cycle(self):
		"""(heads, admitted, preempted) of one cycle; None when nobody is head."""
		self.cycle += 1
		heads = self.pop_heads()
		s = self.snapshot()
		entries, outcome = {}, {}
		for w in heads:
			why = self.set_aside(w)
			if why is not None:
				outcome[w] = why
				continue
			entries[w] = self.nominate(s, w, self.scan_start(w), None)
		chosen = {}             # P: workload -> (reason, preemptor)
		admitted = []
		remaining = list(entries)
		while remaining:
			w = self.pick(s, remaining, entries)
			remaining.remove(w)
			outcome[w] = self.process(s, w, entries, chosen)
			if outcome[w] == "Admitted":
				admitted.append(w)
		preempted = [(v, reason, w) for v, (reason, w) in chosen.items() if not v.evicted]
		for w in heads:
			self.requeue(w, outcome[w], entries.get(w))
		return heads, [(w, entries[w]) for w in admitted], preempted, entries

	def rank(self, w):
		if w.queue.held_for is w:
			return 0
		return 1 if self.fair and self.protect.overrules(w.queue, w.priority) else 2

	def pick(self, s, remaining, entries):
		rank = min(self.rank(w) for w in remaining)
		remaining = [w for w in remaining if self.rank(w) == rank]
		if rank == 1 or not self.fair:
			return min(remaining, key=lambda w: (entries[w].level, -w.priority,
							     w.order_time, w.uid))
		first = remaining[0]
		if first.queue.parent is None:
			return first
		root = root_of(first.queue)
		heads = {w.queue: w for w in remaining if root_of(w.queue) is root}
		return self.tournament(s, root, heads, entries)

	def tournament(self, s, cohort, heads, entries):
		candidates = []         # (head, child node it came through)
		for child in cohort.children:
			if child.kind == "Cohort":
				winner = self.tournament(s, child, heads, entries)
			else:
				winner = heads.get(child)
			if winner is not None:
				candidates.append((winner, child))
		best = None
		for one in candidates:
			if best is None or self.beats(s, one, best, entries):
				best = one
		return best[0] if best else None

	def beats(self, s, a, b, entries):
		def value(w, node):
			t = s.copy()
			usage = entries[w].usage
			t.add_all(w.queue, usage)
			borrows = any(v > 0 and t.usage(node, fr) > subtree_quota(node, fr)
				      for fr, v in usage.items())
			return borrows, t.share(node)
		a_borrows, a_share = value(*a)
		b_borrows, b_share = value(*b)
		if a_borrows != b_borrows:
			return b_borrows
		c = a_share.compare(b_share)
		if c != 0:
			return c < 0
		a, b = a[0], b[0]
		return (-a.priority, a.order_time, a.uid) < (-b.priority, b.order_time, b.uid)

	def fits_without(self, s, w, a, chosen):
		t = s.copy()
		victims = set(chosen) | {v for v, _ in a.targets}
		for v in victims:
			t.take(v)
		return self.fits(t, w.queue, a.usage, True)

	def process(self, s, w, entries, chosen):
		a, q = entries[w], w.queue
		deferred = False
		fits = self.fits_without(s, w, a, chosen)
		if any(v in chosen for v, _ in a.targets):
			t = s.copy()
			for v in chosen:
				t.take(v)
			a = entries[w] = self.nominate(t, w, None, a.flavors)
			deferred = a.mode == "Fit"
			fits = self.fits_without(s, w, a, chosen)
		if a.mode == "NoFit":
			return "NoFit"
		if a.mode == "Preempt" and not a.targets:
			if self.policy(q, "reclaimWithinCohort") != "Any":
				s.add_all(q, self.reservation(s, q, a))
			return "PreemptionNoCandidates"
		if deferred:
			s.add_all(q, a.usage)
			return "PendingPreemption"
		if any(v in chosen for v, _ in a.targets) or not fits:
			return "Skipped"
		for v, reason in a.targets:
			chosen[v] = (reason, w)
		s.add_all(q, a.usage)
		return "Admitted" if a.mode == "Fit" else "PendingPreemption"

	@staticmethod
	def reservation(s, q, a):
		out = {}
		for fr, v in a.usage.items():
			if a.level > 0:
				out[fr] = v
				if borrowing_limit(q, fr) is not None:
					most = add(nominal(q, fr), borrowing_limit(q, fr))
					out[fr] = min(v, sub(most, s.usage(q, fr)))
			else:
				out[fr] = max(0, min(v, sub(nominal(q, fr), s.usage(q, fr))))
		return out

	# -- between cycles --

	def requeue(self, w, outcome, a):
		q = w.queue
		if outcome == "PendingPreemption" and self.protect.holds(q):
			q.held_for, w.promise = w, a
		elif q.held_for is w and outcome != "Skipped":
			q.held_for = None
		if outcome == "Admitted":
			w.scan = None
			if q.sticky is w:
				q.sticky = None
			return
		if a is not None:
			if outcome == "PendingPreemption":
				w.scan = None
			else:
				w.scan = (self.cycle, q.generation, a.positions)
		if (q.spec.get("queueingStrategy") or "BestEffortFIFO") == "StrictFIFO":
			stay = outcome != "NamespaceMismatch"
		else:
			left = w.scan is not None and a is not None and any(
				p != -1 for p in a.positions.values())
			stay = outcome in ("PendingPreemption", "Skipped") or left
			if outcome == "PendingPreemption":
				q.sticky = w
		if stay:
			q.heap.append(w)
			return
		q.inadmissible.append(w)
		# A delay is counted from when each began to wait, so it says nothing of those alike.
		if outcome in ("NoFit", "PreemptionNoCandidates") and w not in self.delayed:
			q.marked_shapes.add(w.shape())
			alike = [o for o in q.heap if o.shape() == w.shape()]
			q.heap = [o for o in q.heap if o not in alike]
			q.inadmissible += alike

	def flush(self, q):
		queues = [q]
		if q.cyclic:
			queues = [o for o in self.queues.values() if o.parent is q.parent]
		elif q.parent is not None:
			queues = queues_below(root_of(q))
		for o in queues:
			o.heap += o.inadmissible
			o.inadmissible = []
			o.marked_shapes = set()

	def settle_admissions(self, admitted):
		for w, a in admitted:
			w.holder, w.usage, w.reserved_at = w.queue, dict(a.usage), self.now
			w.evicted = False
			w.queue.generation += 1
			if self.by_usage(w.queue):
				lq = self.local_queue(w)
				lq.start(w, self.now)
				held = [o.natural_usage() for o in self.workloads
					if o.holder is not None and self.local_queue(o) is lq]
				lq.settle(self.now, total(*held), w.natural_usage())

	def set_back(self, preempted, entries):
		"""Those whose borrowing was taken back may not borrow that again for a while."""
		s = self.snapshot()
		reclaims = ("InCohortReclamation", "InCohortReclaimWhileBorrowing")
		struck = {(v.holder, fr) for v, reason, w in preempted if reason in reclaims
			  for fr in entries[w].need if fr in v.usage
			  and s.usage(v.holder, fr) > nominal(v.holder, fr)}
		for queue, fr in struck:
			times = self.protect.back_off(queue)
			if times is None:
				continue
			base, most = times
			length, end = self.back_offs.get((queue, fr), (None, None))
			if length is None or self.now >= end + most:
				length = min(base, most)
			else:
				length = min(length * 2, most)
			self.back_offs[(queue, fr)] = (length, self.now + length)

	def release_evicted(self, preempted):
		for v, _, _ in preempted:
			v.evicted = True
		released = [w for w in self.workloads if w.evicted and w.holder is not None]
		for w in released:
			w.holder.generation += 1
			lq = self.local_queue(w)
			if lq:
				lq.end(w, self.now)
			holder, w.holder, w.usage, w.reserved_at = w.holder, None, {}, None
			w.evicted, w.scan = False, None
			w.waits_since = self.now
			self.enqueue(w)
			self.flush(holder)

	def shares(self):
		s = self.snapshot()
		out = {"clusterQueues": {}, "cohorts": {}}
		for node in self.nodes():
			if node.cyclic or not node.active:
				continue
			kind = "clusterQueues" if node.kind == "ClusterQueue" else "cohorts"
			out[kind][node.name] = s.share(node).published()
		return out

	def report(self, heads, admitted, preempted):
		row = {
			"heads": sorted(({"workload": w.key, "clusterQueue": w.queue.name} for w in heads),
					key=lambda r: r["workload"]),
			"admitted": sorted(({
				"workload": w.key, "clusterQueue": w.queue.name,
				"podSets": [{"name": p["name"], "count": a.counts[i], "flavors": a.flavors[i]}
					    for i, p in enumerate(w.podsets)],
			} for w, a in admitted), key=lambda r: r["workload"]),
			"preempted": sorted(({
				"workload": v.key, "clusterQueue": v.holder.name, "preemptor": w.key,
				"reason": reason,
			} for v, reason, w in preempted), key=lambda r: r["workload"]),
		}
		if self.fair:
			row["shares"] = self.shares()
		if self.usage_settings:
			row["localQueueUsage"] = {lq.key: lq.published(self.now)
						  for lq in self.local_queues.values()
						  if self.by_usage(lq.queue) or not self.protect.exact_usage}
		return row

	def look_again(self):
		"""What only waited for a time that has come."""
		for root in [r for r, when in self.wakes.items() if when <= self.now]:
			del self.wakes[root]
			self.flush(queues_below(root)[0])
		for w in self.workloads:
			if w.requeue_at is not None and w.requeue_at <= self.now:
				w.requeue_at = None
				if w.holder is None and not w.gone:
					self.enqueue(w)

	def something_ends(self):
		"""Nobody is head, but somebody will be when a time has come."""
		return bool(self.wakes) or any(w.requeue_at is not None for w in self.workloads)

	def run(self):
		cycles, keep = [], 1
		interval = datetime.timedelta(seconds=self.config.get("cycleIntervalSeconds", 1))
		for w in self.workloads:        # what is over is over
			if w.requeue_at is not None and w.requeue_at <= self.now:
				w.requeue_at = None
		for _ in range(self.config.get("maxCycles", 1)):
			self.look_again()
			heads, admitted, preempted, entries = self.run_cycle()
			if not heads and cycles and not self.something_ends():
				break
			self.settle_admissions(admitted)
			cycles.append(self.report(heads, admitted, preempted))
			if admitted or preempted:
				keep = len(cycles)
			self.set_back(preempted, entries)
			if not heads and not self.something_ends():
				break
			self.now += interval
			self.release_evicted(preempted)
		return {"cycles": cycles[:keep], "circles": self.circles}


class TargetOrder:
	"""Which queue gives the next target under fair sharing: a descent from the root."""

	def __init__(self, s, q, candidates, key):
		self.s, self.q, self.key = s, q, key
		self.lists = {}
		for c in candidates:
			self.lists.setdefault(c.holder, []).append(c)
		self.pruned = set()
		self.on_path = set(ancestors(q))

	def next(self):
		if self.q.parent is None:
			return self.q if self.lists.get(self.q) else None
		root = root_of(self.q)
		while root not in self.pruned:
			found = self.descend(root)
			if found is not None:
				return found
		return None

	def descend(self, cohort):
		queue, queue_share = None, None
		for c in cohort.child_queues():
			if c in self.pruned:
				continue
			share = self.s.share(c)
			if (not share.borrowing and c is not self.q) or not self.lists.get(c):
				self.pruned.add(c)
				continue
			order = 1 if queue is None else share.compare(queue_share)
			if order > 0 or (order == 0 and self.key(self.lists[c][0])
					 < self.key(self.lists[queue][0])):
				queue, queue_share = c, share
		below, below_share = None, None
		for c in cohort.child_cohorts():
			if c in self.pruned:
				continue
			share = self.s.share(c)
			if not share.borrowing and c not in self.on_path:
				self.pruned.add(c)
				continue
			if below is None or share.compare(below_share) >= 0:
				below, below_share = c, share
		if queue is None and below is None:
			self.pruned.add(cohort)
			return None
		if below is not None and (queue is None or below_share.compare(queue_share) >= 0):
			return self.descend(below)
		return queue


def decide(case):
	"""What comes out of a case, in the form of its `expected`."""
	case = copied(case)
	for f in (known_frs, subtree_quota, local_quota, potential_available, lendable):
		f.cache_clear()
	return Engine(case).run()


def main(argv):
	sys.setrecursionlimit(10000)
	for name in argv:
		opener = gzip.open if name.endswith(".gz") else open
		with opener(name, "rt", encoding="utf-8") as f:
			for line in f:
				case = json.loads(line)
				print(json.dumps({"id": case["id"], "got": decide(case)}))
	return 0


if __name__ == "__main__":
	sys.exit(main(sys.argv[1:]))
