# SPDX-License-Identifier: Apache-2.0
"""The entitle policy, by names, over binding.c."""
import ctypes
from collections import namedtuple

from engine import LIB, NONE, SECOND, Engine, Settled, constants

Standing = namedtuple("Standing", "deserved limit weight fair_share request allocated firm usage")
Told = namedtuple("Told", "cycle kind reason gang for_whom queue action count")

DESERVED, LIMIT, OVER_QUOTA_WEIGHT, QUEUE_PRIORITY, ALLOCATABLE = constants(
	"DESERVED", "LIMIT", "OVER_QUOTA_WEIGHT", "QUEUE_PRIORITY", "ALLOCATABLE")
WAITS, HOLDS, LEAVES = constants("WAITS", "HOLDS", "LEAVES")
GPU = 2  # of a bundle: cpu, memory, gpu


class Entitled(Engine):
	def __init__(self, case, objects=None):
		super().__init__(case, objects)
		self.machines, self.tasks = self.names(6), self.names(7)

	def decisions(self, n):
		return [Told(cycle, kind, self.reasons[reason], self.jobs[job],
			     None if preemptor < 0 else self.jobs[preemptor], self.nodes[queue], action, count)
			for cycle, kind, reason, job, preemptor, queue, _, _, _, action, count in self.rows(n, 11)]

	def whole_standings(self):
		"""Bundles of each queue, as they are."""
		flat = LIB.prop_standings(self.handle)[:len(self.nodes) * 24]
		return {name: tuple(tuple(flat[i * 24 + k * 3:][:3]) for k in range(8)) for i, name in enumerate(self.nodes)}

	def standings(self):
		"""GPUs of each queue, as of the last cycle."""
		return {name: Standing(*(b[GPU] for b in bundles)) for name, bundles in self.whole_standings().items()}

	def rooms(self):
		"""(allocatable, idle, leaving) GPUs by machine."""
		flat = LIB.prop_machines(self.handle)[:len(self.machines) * 9]
		return {name: tuple(flat[i * 9 + k * 3 + GPU] for k in range(3)) for i, name in enumerate(self.machines)}

	def placed(self):
		"""(gang, state, machine) by task."""
		return {self.tasks[i]: (self.jobs[w], state, None if m < 0 else self.machines[m])
			for i, (w, state, m) in enumerate(self.rows(LIB.prop_tasks(self.handle), 3))}

	def tasks_in(self, *states):
		"""How many tasks of each gang."""
		out = {name: 0 for name in self.jobs}
		for gang, state, _ in self.placed().values():
			out[gang] += state in states
		return out

	def set(self, kind, of, value):
		"""A cell of a queue or, ALLOCATABLE, of a machine."""
		ids = self.machines if kind == ALLOCATABLE else self.nodes
		self.want(LIB.prop_change(self.handle, self.now, kind, ids.index(of), NONE,
					  self.resources.index("nvidia.com/gpu"), 0, value))

	def settle(self, cycles=60):
		out = (ctypes.c_int64 * 5)()
		told = self.decisions(self.want(LIB.prop_settle(self.handle, self.now, SECOND, cycles, out)))
		self.now += (out[0] + 1) * SECOND
		return Settled(out[0], out[1], bool(out[2]), out[3], out[4], told)

	def everything(self):
		return (self.digest(), self.whole_standings(), self.rooms(), self.placed(), self.states(),
			self.shares(), self.now)
