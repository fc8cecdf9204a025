# SPDX-License-Identifier: Apache-2.0
"""usage - what local queues have used, for usage-based admission (Admission Fair Sharing)

Sampled, as Kueue counts it (without samples between cycles, which the recorder
did not take either): exact decimals, cut off behind the ninth digit.  Exact, as
a Policy can have it: the integral, written down as one sum over all that was
ever held.
"""
import math
from fractions import Fraction

from quantity import approximate, parse_time, quantity, seconds

NANO = 10 ** 9


class Clash(Exception):
	"""Two usages are too close to tell: a double decides, and two may be rounded differently."""


def alpha(time, half_life):
	return 0.0 if half_life == 0 else 1.0 - 0.5 ** (time / half_life)


def times(quantities, factor):
	"""Each times the shortest decimal that stands for the double, cut off behind nine digits."""
	factor = Fraction(repr(factor))
	return {r: Fraction(math.trunc(v * factor * NANO), NANO) for r, v in quantities.items()}


def total(*parts):
	out = {}
	for p in parts:
		for r, v in p.items():
			out[r] = out.get(r, 0) + v
	return out


def natural(resource, units):
	"""Cores, bytes, pieces."""
	return Fraction(units, 1000) if resource == "cpu" else Fraction(units)


class Settings:
	def __init__(self, config, exact):
		self.exact = exact
		self.half_life = float(seconds(config["usageHalfLifeTime"]))
		self.interval = float(seconds(config["usageSamplingInterval"]))
		self.weights = config.get("resourceWeights") or {}


class LocalQueue:
	def __init__(self, o, settings, now):
		spec = o.get("spec") or {}
		self.key = o["metadata"]["namespace"] + "/" + o["metadata"]["name"]
		self.settings = settings
		weight = (spec.get("fairSharing") or {}).get("weight")
		self.weight = 1.0 if weight is None else approximate(str(weight))
		status = (((o.get("status") or {}).get("fairSharing") or {})
			  .get("admissionFairSharingStatus") or {})
		self.consumed = {r: quantity(v) for r, v in (status.get("consumedResources") or {}).items()}
		self.updated = now
		# Exact: (from, until or None, amounts) of all that was ever held.
		self.counted = now if self.consumed else None
		if status.get("lastUpdate"):
			self.counted = min(parse_time(status["lastUpdate"]), now)
		self.since = self.counted or now
		self.spans = []

	def start(self, w, now):
		start = w.reserved_at or now
		if self.counted is not None:    # what came before is in what was consumed
			start = max(start, self.counted)
		self.spans.append([w, start, None, w.natural_usage()])

	def end(self, w, now):
		for span in self.spans:
			if span[0] is w and span[2] is None:
				span[2] = now

	def settle(self, now, admitted, entered):
		"""@admitted: what this queue holds now; @entered: requests of what was admitted a moment ago."""
		s = self.settings
		if s.exact:
			return
		if s.half_life != 0:
			a = alpha((now - self.updated).total_seconds(), s.half_life)
			penalty = times(entered, alpha(s.interval, s.half_life))
			self.consumed = total(times(self.consumed, 1 - a), times(admitted, a), penalty)
		self.updated = now

	def integral(self, now, ahead):
		"""resource -> what was used by @now, seen @ahead seconds later if nothing changes."""
		h = self.settings.half_life

		def halvings(since):
			return (max(0.0, (now - since).total_seconds()) + ahead) / h

		out = {r: float(v) * 0.5 ** halvings(self.since) if h else 0.0
		       for r, v in self.consumed.items()}
		for _, start, end, amounts in self.spans:
			if end is not None and end <= start or h == 0 and end is not None:
				continue
			share = 1.0
			if h:   # 2^-b - 2^-a, without losing digits
				a, b = halvings(start), 0.0 if end is None else halvings(end)
				share = -math.expm1(-(a - b) * math.log(2)) * 0.5 ** b
			for r, v in amounts.items():
				out[r] = out.get(r, 0.0) + float(v) * share
		return out

	def usage(self, now):
		if self.weight <= 0:
			return math.inf
		s = self.settings
		if s.exact:
			used = self.integral(now, s.interval)
		else:
			used = {r: float(v) for r, v in self.consumed.items()}
		return sum((s.weights.get(r, 1.0) * used[r] for r in sorted(used)), 0.0) / self.weight

	def published(self, now):
		s = self.settings
		used = self.integral(now, 0.0) if s.exact else self.consumed
		return {"consumed": {r: float(v) for r, v in sorted(used.items()) if v}, "usage": self.usage(now)}


def told_apart(a, b):
	"""-1, 0, 1; Clash when that is a matter of rounding."""
	if a == b:
		return 0
	if not math.isinf(a) and not math.isinf(b) and abs(a - b) <= 1e-11 * max(abs(a), abs(b)):
		raise Clash
	return -1 if a < b else 1
