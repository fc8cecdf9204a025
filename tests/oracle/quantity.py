# SPDX-License-Identifier: Apache-2.0
"""quantity - numbers as Kubernetes writes them, amounts that saturate, and time"""
import datetime
import functools
import pickle
import re
from fractions import Fraction

MAX = 2 ** 63 - 1  # also "unlimited"
MIN = -2 ** 63

SUFFIXES = {"": Fraction(1), "n": Fraction(1, 10 ** 9), "u": Fraction(1, 10 ** 6),
	    "m": Fraction(1, 1000), "k": Fraction(10 ** 3), "M": Fraction(10 ** 6),
	    "G": Fraction(10 ** 9), "T": Fraction(10 ** 12), "P": Fraction(10 ** 15),
	    "E": Fraction(10 ** 18), "Ki": Fraction(2 ** 10), "Mi": Fraction(2 ** 20),
	    "Gi": Fraction(2 ** 30), "Ti": Fraction(2 ** 40), "Pi": Fraction(2 ** 50),
	    "Ei": Fraction(2 ** 60)}


@functools.lru_cache(maxsize=1 << 16)
def quantity(text):
	"""The exact value of a Kubernetes quantity."""
	m = re.fullmatch(r"([+-]?[0-9.]+)([eE][+-]?[0-9]+)?([a-zA-Z]*)", str(text))
	number = Fraction(m.group(1))
	if m.group(2):
		number *= Fraction(10) ** int(m.group(2)[1:])
	return number * SUFFIXES[m.group(3)]


def approximate(text):
	"""As a double: the digits without the point, times a power of ten that is rounded itself."""
	m = re.fullmatch(r"([+-]?[0-9]*)\.?([0-9]*)([eE][+-]?[0-9]+)?(n|u|m|k|M|G|T|P|E)?", text)
	if m is None:
		return float(quantity(text))
	scale = {"n": -9, "u": -6, "m": -3, None: 0, "k": 3, "M": 6, "G": 9, "T": 12, "P": 15, "E": 18}
	exponent = scale[m.group(4)] - len(m.group(2)) + int((m.group(3) or "e0")[1:])
	return float(int(m.group(1) + m.group(2))) * float(f"1e{exponent}")


def amount(resource, exact):
	"""cpu in milli-units, the rest in whole units, rounded up; MAX is unlimited."""
	if resource == "cpu":
		exact = exact * 1000
	return min(MAX, -((-exact.numerator) // exact.denominator))


def add(a, b):
	if a == MAX or b == MAX:
		return MAX
	c = a + b
	return c if MIN <= c <= MAX else MIN if c < 0 else MAX


def sub(a, b):
	if a == MAX:
		return MAX
	c = a - b
	return c if MIN <= c <= MAX else MIN if c < 0 else MAX


def copied(data):
	"""What was read from JSON, whole; much sooner than copy.deepcopy."""
	return pickle.loads(pickle.dumps(data, pickle.HIGHEST_PROTOCOL))


def parse_time(text):
	return datetime.datetime.fromisoformat(text.replace("Z", "+00:00"))


UNITS = {"ns": Fraction(1, 10 ** 9), "us": Fraction(1, 10 ** 6), "ms": Fraction(1, 1000), "s": 1,
	 "m": 60, "h": 3600}


def seconds(text):
	"""A length of time such as 1h30m, in seconds."""
	return sum(Fraction(n) * UNITS[u] for n, u in re.findall(r"([0-9.]+)(ns|us|ms|s|m|h)", text))
