# SPDX-License-Identifier: Apache-2.0
"""The engine, by names, over binding.c."""
import ctypes
import json
import os
from collections import namedtuple

SECOND = 10 ** 9
BEGIN = 1767229200 * SECOND  # 2026-01-01T01:00:00Z: after all that a case says
UNLIMITED = 2 ** 63 - 1
NONE = 2 ** 32 - 1

Cell = namedtuple("Cell", "known nominal borrow lend subtree local potential usage available balance")
Decision = namedtuple("Decision", "cycle kind reason job preemptor queue already placement")
Settled = namedtuple("Settled", "cycles kept settled loop_first loop_period decisions")


class Refused(Exception):
	"""The engine answered with an error."""


def load():
	lib = ctypes.CDLL(os.environ["FAIRLEAD_PROP"])
	p, u32, i64 = ctypes.c_void_p, ctypes.c_uint32, ctypes.c_int64
	int_p, text = ctypes.POINTER(i64), ctypes.c_char_p
	for name, result, *arguments in (
			("prop_open", p, text, ctypes.c_size_t, i64, text),
			("prop_close", None, p),
			("prop_error", text, p),
			("prop_rows", int_p, p),
			("prop_placed", int_p, p, ctypes.POINTER(u32)),
			("prop_name", text, p, ctypes.c_int, u32),
			("prop_cells", ctypes.c_int, p),
			("prop_share", None, p, u32, ctypes.POINTER(ctypes.c_double)),
			("prop_standings", ctypes.POINTER(ctypes.c_double), p),
			("prop_machines", ctypes.POINTER(ctypes.c_double), p),
			("prop_tasks", ctypes.c_int, p),
			("prop_states", ctypes.c_int, p),
			("prop_held", ctypes.c_int, p),
			("prop_checks", i64, p, ctypes.c_int),
			("prop_decide", ctypes.c_int, p, i64, u32),
			("prop_event", ctypes.c_int, p, i64, ctypes.c_int, u32),
			("prop_change", ctypes.c_int, p, i64, ctypes.c_int, u32, u32, u32, i64, ctypes.c_double),
			("prop_mark", ctypes.c_int, p, ctypes.POINTER(u32)),
			("prop_rollback", None, p, u32),
			("prop_keep", None, p, u32),
			("prop_digest", None, p, i64, ctypes.POINTER(ctypes.c_uint64)),
			("prop_constant", ctypes.c_int, text),
			("prop_settle", ctypes.c_int, p, i64, i64, u32, int_p)):
		function = getattr(lib, name)
		function.restype, function.argtypes = result, arguments
	return lib


LIB = load()


def constants(*names):
	values = [LIB.prop_constant(name.encode()) for name in names]
	assert min(values) >= 0, names
	return values


ADMIT, RESERVE, EVICT, WAIT = constants("ADMIT", "RESERVE", "EVICT", "WAIT")
WAITING, PARKED, ADMITTED, EVICTING = constants("WAITING", "INADMISSIBLE", "ADMITTED", "EVICTING")
SUBMIT, CANCEL, EVICTED, FINISHED, REJECTED = constants("SUBMIT", "CANCEL", "EVICTED", "FINISHED", "REJECTED")
NOMINAL, BORROW, LEND, WEIGHT, PRIORITY = constants("NOMINAL", "BORROWING_LIMIT", "LENDING_LIMIT",
						    "WEIGHT", "PRIORITY")


class Engine:
	"""One model and its policy.  The clock goes a second a step."""

	def __init__(self, case, objects=None):
		self.handle = None
		self.case = case
		self.now = BEGIN
		items = case.objects() if objects is None else objects
		text = json.dumps({"apiVersion": "v1", "kind": "List", "items": items}).encode()
		why = ctypes.create_string_buffer(1200)
		self.handle = LIB.prop_open(text, len(text), self.now, why)
		if not self.handle:
			raise Refused(why.value.decode())
		self.nodes, self.jobs, self.resources, self.flavors, self.reasons, self.checks = (
			self.names(kind) for kind in range(6))
		self.node_id = {name: i for i, name in enumerate(self.nodes)}
		self.job_id = {name: i for i, name in enumerate(self.jobs)}

	def __enter__(self):
		return self

	def __exit__(self, *_):
		self.close()

	def close(self):
		if self.handle:
			LIB.prop_close(self.handle)
		self.handle = None

	__del__ = close

	def names(self, kind):
		out, i = [], 0
		while (name := LIB.prop_name(self.handle, kind, i)) is not None:
			out.append(name.decode())
			i += 1
		return out

	def want(self, result):
		if result < 0:
			raise Refused(LIB.prop_error(self.handle).decode())
		return result

	def rows(self, n, width):
		flat = LIB.prop_rows(self.handle)[:n * width] if n else []
		return [flat[i:i + width] for i in range(0, n * width, width)]

	# -- looking -------------------------------------------------------------

	def cells(self):
		"""Cell by (node, flavor, resource)."""
		return {(self.nodes[row[0]], self.flavors[row[1]], self.resources[row[2]]): Cell(*row[3:])
			for row in self.rows(LIB.prop_cells(self.handle), 13)}

	def share(self, node):
		"""(precise, ratio, weight, borrowing)"""
		out = (ctypes.c_double * 4)()
		LIB.prop_share(self.handle, self.node_id[node], out)
		return out[0], out[1], out[2], bool(out[3])

	def shares(self):
		return {name: self.share(name)[0] for name in self.nodes}

	def states(self):
		"""(state, reason) by job."""
		return {name: (state, self.reasons[reason]) for name, (state, reason)
			in zip(self.jobs, self.rows(LIB.prop_states(self.handle), 2))}

	def held(self):
		"""Amount by (flavor, resource), by job; those that hold nothing are not there."""
		out = {}
		for w, flavor, resource, amount, _ in self.rows(LIB.prop_held(self.handle), 5):
			mine = out.setdefault(self.jobs[w], {})
			if flavor >= 0:
				mine[self.flavors[flavor], self.resources[resource]] = amount
		return out

	def usage(self, without=()):
		"""What queues hold, by (queue, flavor, resource), some jobs left out."""
		out = {}
		for job, amounts in self.held().items():
			for (f, r), amount in amounts.items():
				if job not in without:
					at = (self.case.job(job).queue, f, r)
					out[at] = out.get(at, 0) + amount
		return out

	def in_state(self, *wanted):
		return [j for j, (state, _) in self.states().items() if state in wanted]

	def evicting(self):
		return self.in_state(EVICTING)

	def digest(self):
		out = (ctypes.c_uint64 * 2)()
		LIB.prop_digest(self.handle, self.now, out)
		return out[0], out[1]

	def evidence(self):
		"""How many rows of evidence of each check the last call gave."""
		return {name: LIB.prop_checks(self.handle, i) for i, name in enumerate(self.checks)}

	# -- deciding ------------------------------------------------------------

	def decisions(self, n):
		rows = self.rows(n, 11)
		count = ctypes.c_uint32()
		flat = LIB.prop_placed(self.handle, count)
		placed = flat[:count.value] if count.value else []
		out = []
		for cycle, kind, reason, job, preemptor, queue, already, first, n_placed, _, _ in rows:
			placement = {}
			for i in range(first * 5, (first + n_placed) * 5, 5):
				if placed[i + 1] >= 0:
					placement[self.flavors[placed[i + 1]], self.resources[placed[i + 2]]] = placed[i + 3]
			out.append(Decision(cycle, kind, self.reasons[reason], self.jobs[job],
					    None if preemptor < 0 else self.jobs[preemptor], self.nodes[queue],
					    bool(already), placement))
		return out

	def step(self):
		out = self.decisions(self.want(LIB.prop_decide(self.handle, self.now, NONE)))
		self.now += SECOND
		return out

	def attempt(self, job):
		"""What a cycle with this job as its only head would decide; nothing changes."""
		return self.decisions(self.want(LIB.prop_decide(self.handle, self.now, self.job_id[job])))

	def settle(self, cycles=400):
		out = (ctypes.c_int64 * 5)()
		decisions = self.decisions(self.want(
			LIB.prop_settle(self.handle, self.now, SECOND, cycles, out)))
		self.now += (out[0] + 1) * SECOND
		return Settled(out[0], out[1], bool(out[2]), out[3], out[4], decisions)

	# -- changing ------------------------------------------------------------

	def event(self, kind, job):
		self.want(LIB.prop_event(self.handle, self.now, kind, self.job_id[job]))

	def complete(self):
		"""Everybody who must go goes."""
		gone = self.evicting()
		for job in gone:
			self.event(EVICTED, job)
		return gone

	def change(self, kind, node, flavor, resource, amount):
		amount = -1 if amount is None else amount
		self.want(LIB.prop_change(self.handle, self.now, kind, self.node_id[node],
					  self.flavors.index(flavor), self.resources.index(resource), amount, 0.0))

	def weigh(self, node, weight):
		self.want(LIB.prop_change(self.handle, self.now, WEIGHT, self.node_id[node], 0, 0, 0, weight))

	def prioritise(self, job, priority):
		self.want(LIB.prop_change(self.handle, self.now, PRIORITY, self.job_id[job], 0, 0, priority, 0.0))

	def mark(self):
		out = ctypes.c_uint32()
		self.want(LIB.prop_mark(self.handle, out))
		return out.value, self.now

	def rollback(self, mark):
		LIB.prop_rollback(self.handle, mark[0])
		self.now = mark[1]

	def keep(self, mark):
		LIB.prop_keep(self.handle, mark[0])


def decided(decisions):
	"""Those that change something."""
	return [d for d in decisions if d.kind == ADMIT or (d.kind == EVICT and not d.already)]
