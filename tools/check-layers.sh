#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# check-layers - hold every #include under src against layers.txt
#
# usage: tools/check-layers.sh [ROOT]
#
# "folder/file.h" must be of the file's own folder, or of one that layers.txt grants to that folder
# or to a folder that it is in.  A grant is for that one folder, "folder/*" for all below it, too.
# A folder with sources has a line there, and a line has a folder with sources in or below it; no
# folder has more than 40.  Headers of the large libraries are named with the modules that may see them.
set -eu
root=${1:-$(dirname "$0")/..}
cd "$root"

sources=$(find src -mindepth 2 -name '*.[ch]' | LC_ALL=C sort)

# Each source once more as a line of its own: a folder may have files that include nothing.
{
	printf '%s\n' "$sources" | sed 's/$/:0:/'
	printf '%s\n' "$sources" | xargs -r grep -nE '^[ 	]*#[ 	]*include' /dev/null
} |
awk '
BEGIN {
	while ((getline line < "layers.txt") > 0) {
		n = split(line, word, " ")
		if (n == 0 || word[1] ~ /^#/)
			continue
		if (word[1] in known)
			bad("layers.txt: \"" word[1] "\" has two lines")
		known[word[1]] = 1
		for (i = 2; i <= n; i++)
			allowed[word[1] " " word[i]] = 1
	}
	# header (up to the first slash), and where it may be seen
	only["sqlite3.h"] = " store "
	only["uv.h"] = " net kube backend daemon "
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
function above(folder) {
	return match(folder, /\/[^\/]*$/) ? substr(folder, 1, RSTART - 1) : ""
}
# By a line of this very folder: itself, the other one, or all below one that the other is in.
function granted_here(folder, other,    up) {
	if (folder == other || (folder " " other) in allowed)
		return 1
	for (up = other; up != ""; up = above(up))
		if ((folder " " up "/*") in allowed)
			return 1
	return 0
}
function granted(folder, other) {
	for (; folder != ""; folder = above(folder))
		if (granted_here(folder, other))
			return 1
	return 0
}
{
	split($0, part, ":")
	where = part[1] ":" part[2]
	folder = above(substr(part[1], 5))
	module = folder
	sub(/\/.*/, "", module)
	if (part[2] == 0) {
		for (up = folder; up != ""; up = above(up))
			holds[up] = 1
		if (++sources[folder] == 41)
			bad("src/" folder ": more than 40 sources in one folder")
		if (!(folder in known) && sources[folder] == 1)
			bad(part[1] ": \"" folder "\" has no line in layers.txt")
		next
	}
	if (match($0, /"[^"]*"/)) {
		header = substr($0, RSTART + 1, RLENGTH - 2)
		if (above(header) == "" || header ~ /^\.\.\//)
			bad(where ": \"" header "\" should be written \"folder/file.h\"")
		else if (!granted(folder, above(header)))
			bad(where ": " folder " may not include " header)
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
	for (folder in known)
		if (!(folder in holds))
			bad("layers.txt: \"" folder "\" has no sources")
	exit failed
}'
