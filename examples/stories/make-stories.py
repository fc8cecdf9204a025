#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Write the manifests of this folder: make-stories.py [FOLDER] (default: where the script is).

The stories are those of Kueue's enhancement proposals 1714 (fair sharing) and 79
(hierarchical cohorts).  doc/guide/stories.md tells them; tests/stories asserts
how each ends.  The same bytes come out at every run.
"""
import datetime
import os
import sys

GPU = "nvidia.com/gpu"
START = datetime.datetime(2026, 1, 5, 9, 0, 0)


def stamp(seconds):
	return (START + datetime.timedelta(seconds=seconds)).strftime("%Y-%m-%dT%H:%M:%SZ")


class Story:
	"""One file: documents in the order they are added."""

	def __init__(self, comment):
		self.parts = ["".join(f"# {line}".rstrip() + "\n" for line in comment.strip("\n").split("\n"))]
		self.clock = 0

	def add(self, text):
		self.parts.append("---\n" + text.strip("\n") + "\n")

	def base(self, fair):
		if fair:
			self.add("apiVersion: config.kueue.x-k8s.io/v1beta2\nkind: Configuration\nfairSharing:\n"
				 "  preemptionStrategies: [LessThanOrEqualToFinalShare, LessThanInitialShare]")
		else:
			self.add("apiVersion: config.kueue.x-k8s.io/v1beta2\nkind: Configuration")
		self.add("apiVersion: v1\nkind: Namespace\nmetadata: {name: ns}")
		self.add("apiVersion: kueue.x-k8s.io/v1beta2\nkind: ResourceFlavor\nmetadata: {name: gpu}")

	def cohort(self, name, parent=None, quota=None, borrow=None, lend=None, weight=None):
		spec = []
		if parent:
			spec.append(f"  parentName: {parent}")
		if weight is not None:
			spec.append(f'  fairSharing: {{weight: "{weight}"}}')
		if quota is not None or borrow is not None or lend is not None:
			spec += self.groups(quota or 0, borrow, lend)
		text = f"apiVersion: kueue.x-k8s.io/v1beta2\nkind: Cohort\nmetadata: {{name: {name}}}\n"
		self.add(text + ("spec:\n" + "\n".join(spec) if spec else "spec: {}"))

	@staticmethod
	def groups(quota, borrow, lend):
		text = f'nominalQuota: "{quota}"'
		if borrow is not None:
			text += f', borrowingLimit: "{borrow}"'
		if lend is not None:
			text += f', lendingLimit: "{lend}"'
		return ["  resourceGroups:", f"  - coveredResources: [{GPU}]", "    flavors:", "    - name: gpu",
			"      resources:", f"      - {{name: {GPU}, {text}}}"]

	def queue(self, name, cohort, quota, borrow=None, lend=None, weight=None):
		"""A ClusterQueue, and a LocalQueue of the same name in namespace ns."""
		spec = [f"  cohortName: {cohort}", "  namespaceSelector: {}",
			"  preemption: {reclaimWithinCohort: Any, withinClusterQueue: LowerPriority}"]
		if weight is not None:
			spec.append(f'  fairSharing: {{weight: "{weight}"}}')
		spec += self.groups(quota, borrow, lend)
		self.add(f"apiVersion: kueue.x-k8s.io/v1beta2\nkind: ClusterQueue\nmetadata: {{name: {name}}}\nspec:\n"
			 + "\n".join(spec))
		self.add(f"apiVersion: kueue.x-k8s.io/v1beta2\nkind: LocalQueue\nmetadata: {{name: {name}, namespace: ns}}\n"
			 f"spec: {{clusterQueue: {name}}}")

	def workload(self, queue, name, gpus, priority=0, admitted=False):
		self.clock += 1
		text = (f"apiVersion: kueue.x-k8s.io/v1beta2\nkind: Workload\n"
			f'metadata: {{name: {name}, namespace: ns, uid: {name}, creationTimestamp: "{stamp(self.clock)}"}}\n'
			f"spec:\n  queueName: {queue}\n  priority: {priority}\n  podSets:\n  - name: main\n    count: 1\n"
			f"    template:\n      spec:\n        restartPolicy: Never\n        containers:\n"
			f'        - {{name: main, image: job, resources: {{requests: {{{GPU}: "{gpus}"}}}}}}')
		if admitted:
			at = stamp(self.clock + 30)
			text += (f"\nstatus:\n  admission:\n    clusterQueue: {queue}\n    podSetAssignments:\n"
				 f"    - name: main\n      count: 1\n      flavors: {{{GPU}: gpu}}\n"
				 f'      resourceUsage: {{{GPU}: "{gpus}"}}\n'
				 f"  conditions:\n"
				 f'  - {{type: QuotaReserved, status: "True", reason: QuotaReserved, lastTransitionTime: "{at}", message: ""}}\n'
				 f'  - {{type: Admitted, status: "True", reason: Admitted, lastTransitionTime: "{at}", message: ""}}')
		self.add(text)

	def workloads(self, queue, n, gpus, prefix="", **more):
		for i in range(n):
			self.workload(queue, f"{queue}-{prefix}{i:03d}", gpus, **more)

	def text(self):
		return "".join(self.parts)


def coasts(comment):
	s = Story(comment)
	s.base(fair=True)
	s.cohort("company", quota=60)
	s.queue("team-e", "company", 20)
	s.queue("team-w", "company", 10)
	return s


def coast_jobs(s, admitted):
	"""East's day: ten jobs that matter and eight notebooks, 5 GPUs each: all 90 GPUs."""
	s.workloads("team-e", 10, 5, prefix="train-", priority=100, admitted=admitted)
	s.workloads("team-e", 8, 5, prefix="notebook-", priority=0, admitted=admitted)


def kep1714_story1():
	a = coasts("KEP-1714, story 1: two coasts, nine o'clock in the East.\n"
		   "A company-wide pool of 60 GPUs; TeamE is guaranteed 20, TeamW 10.  TeamW sleeps.")
	coast_jobs(a, admitted=False)
	b = coasts("KEP-1714, story 1: two coasts, nine o'clock in the West.\n"
		   "TeamE holds all 90 GPUs; TeamW arrives with more work than the company has room for.")
	coast_jobs(b, admitted=True)
	b.clock += 3 * 3600
	b.workloads("team-w", 18, 5)
	return {"kep1714-story1-a": a, "kep1714-story1-b": b}


def departments(comment):
	s = Story(comment)
	s.base(fair=True)
	s.cohort("org")
	for d in "12":
		s.cohort("d" + d, parent="org")
	for q in ("1a", "1b", "1c", "2a", "2b", "2c"):
		s.queue(q, "d" + q[0], 12)
	return s


def kep1714_story2():
	a = departments("KEP-1714, story 2: two departments of three teams, 12 GPUs each team.\n"
			"1a sleeps.  Everybody else is full and wants more: 1a's quota is for 1b and 1c.")
	b = departments("KEP-1714, story 2: nobody else in department 1 wants 1a's quota,\n"
			"so the teams of department 2 get equal parts of it.")
	c = departments("KEP-1714, story 2: department 2 has borrowed 1a's quota, and then 1b wants it after all.")
	for s in (a, b, c):
		for q in ("1b", "1c", "2a", "2b", "2c"):
			s.workloads(q, 6, 2, prefix="own-", admitted=True)
	for q in ("2a", "2b", "2c"):
		c.workloads(q, 2, 2, prefix="lent-", admitted=True)
	for q in ("1b", "1c", "2a", "2b", "2c"):
		a.workloads(q, 6, 2, prefix="more-")
	for q in ("2a", "2b", "2c"):
		b.workloads(q, 6, 2, prefix="more-")
	c.workloads("1b", 3, 2, prefix="more-")
	return {"kep1714-story2-a": a, "kep1714-story2-b": b, "kep1714-story2-c": c}


def kep1714_story3():
	s = Story("KEP-1714, story 3: 300 GPUs of cohort cs for two equal cohorts,\n"
		  "and within c1 for 1a, 1b and 1c, of which 1c counts three times.  Jobs of 10 GPUs.")
	s.base(fair=True)
	s.cohort("root")
	for c in ("cs", "c1", "c2"):
		s.cohort(c, parent="root")
	s.queue("s", "cs", 300)
	s.queue("1a", "c1", 0)
	s.queue("1b", "c1", 0)
	s.queue("1c", "c1", 0, weight=3)
	s.queue("2a", "c2", 0)
	for i in range(32):
		for q in ("1a", "1b", "1c", "2a"):
			s.workload(q, f"{q}-{i:03d}", 10)
	return {"kep1714-story3": s}


def company(comment, research_borrows=None, production_lends=None):
	s = Story(comment)
	s.base(fair=False)
	s.cohort("company")
	s.cohort("research", parent="company", borrow=research_borrows)
	s.cohort("production", parent="company", lend=production_lends)
	for q in ("vision", "speech"):
		s.queue(q, "research", 10)
	for q in ("search", "ads"):
		s.queue(q, "production", 10)
	return s


def kep79_story1():
	a = company("KEP-79, story 1: production may borrow from research, not the other way round.\n"
		    "Research sleeps: production gets all 40 GPUs.", research_borrows=0)
	for q in ("search", "ads"):
		a.workloads(q, 6, 5)
	b = company("KEP-79, story 1: production sleeps, and research may still use only its own 20 GPUs:\n"
		    "its cohort has borrowingLimit 0.", research_borrows=0)
	c = company("KEP-79, story 1: the same with lendingLimit 0 at production instead.", production_lends=0)
	for q in ("vision", "speech"):
		b.workloads(q, 2, 5, prefix="runs-", admitted=True)
		b.workloads(q, 2, 5, prefix="waits-")
		c.workloads(q, 6, 5)
	d = company("KEP-79, story 1: production has borrowed all of research's quota, and research wakes up.",
		    research_borrows=0)
	for q in ("search", "ads"):
		d.workloads(q, 4, 5, admitted=True)
	for q in ("vision", "speech"):
		d.workloads(q, 4, 5)
	return {"kep79-story1-a": a, "kep79-story1-b": b, "kep79-story1-c": c, "kep79-story1-d": d}


def kep79_story2():
	files = {}
	for phase, comment in (
			("a", "the special queue fills what nobody uses, and red may not have what blue leaves."),
			("b", "blue's teams come back to their own quota.")):
		s = Story("KEP-79, story 2: organisations that never borrow from each other, and a special queue\n"
			  "of low priority that borrows from all of them.  Here " + comment)
		s.base(fair=False)
		s.cohort("top")
		for c in ("red", "green", "blue"):
			s.cohort(c, parent="top", borrow=0)
		s.queue("special", "top", 0)
		for c in ("red", "green", "blue"):
			for q in "12":
				s.queue(f"{c}-{q}", c, 8)
		for q in ("red-1", "red-2"):
			s.workloads(q, 2, 4, admitted=True)
		s.workloads("red-1", 1, 4, prefix="more-")
		if phase == "a":
			s.workloads("special", 10, 4, prefix="scavenge-", priority=-100)
		else:
			s.workloads("special", 8, 4, prefix="scavenge-", priority=-100, admitted=True)
			s.workloads("blue-1", 2, 4)
			s.workloads("blue-2", 1, 4)
		files["kep79-story2-" + phase] = s
	return files


def cohort_cycle():
	s = Story("Three cohorts in a ring (a below b below c below a) and an innocent tree beside them.\n"
		  "Nothing new is admitted below the ring; what was admitted stays; the other tree goes on.")
	s.base(fair=False)
	s.cohort("a", parent="b")
	s.cohort("b", parent="c")
	s.cohort("c", parent="a")
	s.cohort("below", parent="c")
	s.cohort("free")
	s.queue("ring-a", "a", 10)
	s.queue("ring-below", "below", 10)
	s.queue("free-1", "free", 10)
	s.queue("free-2", "free", 10)
	s.workloads("ring-a", 1, 4, prefix="old-", admitted=True)
	s.workloads("ring-a", 1, 4, prefix="new-")
	s.workloads("ring-below", 1, 4, prefix="new-")
	s.workloads("free-1", 4, 4, prefix="new-")
	return {"cohort-cycle": s}


def long_distance():
	files = {}
	for phase, limit, comment in (
			("a", 16, "East may borrow 16, and that is what stops team-x."),
			("b", 30, "East may borrow 30; now the 24 that West lends stop team-x."),
			("c", 16, "East may borrow 16 and has done so: team-x holds all it can get.")):
		s = Story("Borrowing through three levels: team-x in the East uses what team-y in the West does not.\n"
			  + comment)
		s.base(fair=False)
		s.cohort("company")
		s.cohort("east", parent="company", borrow=limit)
		s.cohort("west", parent="company", lend=24)
		s.cohort("east-lab", parent="east")
		s.cohort("west-lab", parent="west", lend=30)
		s.queue("team-x", "east-lab", 4)
		s.queue("team-y", "west-lab", 40)
		if phase == "c":
			s.workloads("team-x", 10, 2, prefix="runs-", admitted=True)
			s.workloads("team-x", 2, 2, prefix="waits-")
		else:
			s.workloads("team-x", 20, 2)
		files["long-distance-borrowing-" + phase] = s
	return files


def stories():
	files = {}
	for make in (kep1714_story1, kep1714_story2, kep1714_story3, kep79_story1, kep79_story2, cohort_cycle,
		     long_distance):
		files.update(make())
	return files


def main(argv):
	folder = argv[0] if argv else os.path.dirname(os.path.abspath(__file__))
	for name, story in sorted(stories().items()):
		with open(os.path.join(folder, name + ".yaml"), "w", encoding="utf-8") as f:
			f.write(story.text())


if __name__ == "__main__":
	main(sys.argv[1:])
