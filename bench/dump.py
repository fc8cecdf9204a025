#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""dump.py CASE.jsonl[.gz] OUT.json OUT.yaml - a recorded case's objects as kubectl would print them."""
import gzip
import json
import re
import sys

PLAIN = re.compile(r"[A-Za-z_/][A-Za-z0-9_./-]*\Z")
WORDS = {"true", "false", "null", "yes", "no", "on", "off", "y", "n"}


def scalar(value):
	if isinstance(value, str):
		if PLAIN.match(value) and value.lower() not in WORDS:
			return value
		return json.dumps(value)
	return json.dumps(value)


def emit(value, indent, out):
	"""Block style, lists not indented below their key, as kubectl does."""
	pad = "  " * indent
	if isinstance(value, dict):
		for key in sorted(value):
			emit_item(pad + scalar(key) + ":", value[key], indent, out)
	else:
		for item in value:
			if isinstance(item, (dict, list)) and item:
				lines = []
				emit(item, indent + 1, lines)
				lines[0] = pad + "- " + lines[0].lstrip()
				out.extend(lines)
			else:
				out.append(pad + "- " + (scalar(item) if not isinstance(item, (dict, list)) else json.dumps(item)))


def emit_item(head, value, indent, out):
	if isinstance(value, (dict, list)) and value:
		out.append(head)
		emit(value, indent + (1 if isinstance(value, dict) else 0), out)
	else:
		out.append(head + " " + (json.dumps(value) if isinstance(value, (dict, list)) else scalar(value)))


def objects_of(path):
	with (gzip.open if path.endswith(".gz") else open)(path, "rt", encoding="utf-8") as f:
		case = json.loads(f.readline())
	objects = list(case["objects"])
	if "fairSharing" in case["config"]:
		objects.insert(0, {"apiVersion": "config.kueue.x-k8s.io/v1beta2", "kind": "Configuration",
				   "fairSharing": case["config"]["fairSharing"]})
	return objects


def main(argv):
	objects = objects_of(argv[0])
	document = {"apiVersion": "v1", "kind": "List", "items": objects}
	with open(argv[1], "w", encoding="utf-8") as f:
		json.dump(document, f, indent=4)
		f.write("\n")
	lines = []
	emit(document, 0, lines)
	with open(argv[2], "w", encoding="utf-8") as f:
		f.write("\n".join(lines) + "\n")


if __name__ == "__main__":
	main(sys.argv[1:])
