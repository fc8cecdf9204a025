#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# check-layers - hold every #include under src against layers.txt
#
# usage: tools/check-layers.sh [ROOT]
#
# "module/file.h" must be of the file's own module or of one that layers.txt
# grants it; a module that has no line there may not exist.  Headers of the large
# libraries are named with the modules that may see them.
set -eu
root=${1:-$(dirname "$0")/..}
cd "$root"

find src -mindepth 2 -name '*.[ch]' | LC_ALL=C sort | xargs -r grep -nE '^[ 	]*#[ 	]*include' /dev/null |
awk '
BEGIN {
	while ((getline line < "layers.txt") > 0) {
		n = split(line, word, " ")
		if (n == 0 || word[1] ~ /^#/)
			continue
		known[word[1]] = 1
		for (i = 1; i <= n; i++)
			allowed[word[1] "/" word[i]] = 1
	}
	# header (up to the first slash), and where it may be seen
	only["sqlite3.h"] = " store "
	only["uv.h"] = " net backend daemon "
	only["microhttpd.h"] = " net "
	only["curl"] = " net "
	only["gnutls"] = " net "
	only["yaml.h"] = " codec "
	only["jansson.h"] = " codec report net kube cli daemon "
	only["zlib.h"] = " input "
	only["libsmartcols"] = " report cli "
}
function bad(text) {
	print text
	failed = 1
}
{
	split($0, part, ":")
	where = part[1] ":" part[2]
	split(part[1], folder, "/")
	module = folder[2]
	if (!(module in known))
		bad(where ": module \"" module "\" has no line in layers.txt")
	if (match($0, /"[^"]*"/)) {
		header = substr($0, RSTART + 1, RLENGTH - 2)
		if (split(header, path, "/") < 2 || path[1] == "..")
			bad(where ": \"" header "\" should be written \"module/file.h\"")
		else if (!((module "/" path[1]) in allowed))
			bad(where ": " module " may not include " header)
	} else if (match($0, /<[^>]*>/)) {
		header = substr($0, RSTART + 1, RLENGTH - 2)
		split(header, path, "/")
		if ((path[1] in only) && index(only[path[1]], " " module " ") == 0)
			bad(where ": " module " may not include <" header ">")
		if (path[1] == "fairlead" && header != "fairlead/error.h" && module != "api")
			bad(where ": only api includes <" header ">")
	}
}
END {
	if (!("base" in known))
		bad("layers.txt: not found, or without a line for base")
	exit failed
}'
