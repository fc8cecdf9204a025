#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# check-commit - commits as they should not be, in a repository of their own, and as they may
#
# usage: tests/tools/check-commit.sh ROOT     (TAP on standard output)
set -u
check=$(cd "$1" && pwd)/tools/check-commit || exit 1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
unset GIT_DIR GIT_WORK_TREE GIT_INDEX_FILE
export GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_NOSYSTEM=1 LC_ALL=C.UTF-8
export GIT_AUTHOR_NAME=t GIT_AUTHOR_EMAIL=t@localhost GIT_COMMITTER_NAME=t GIT_COMMITTER_EMAIL=t@localhost
n=0
why='It was another way, and that was wrong.'

if ! command -v git >/dev/null; then
	echo '1..0 # SKIP no git'
	exit 0
fi

report() { # good?, name, what was seen
	n=$((n + 1))
	if [ "$1" = yes ]; then
		echo "ok $n - $2"
	else
		echo "not ok $n - $2"
		printf '%s\n' "$3" | sed 's/^/# /'
	fi
}

verdict() { # name, what the output must say ('': it passes), status, output
	if [ -z "$2" ] && [ "$3" -eq 0 ] && [ -z "$4" ]; then
		report yes "$1" ''
	elif [ -n "$2" ] && [ "$3" -eq 1 ] && [[ $4 == *"$2"* ]]; then
		report yes "$1" ''
	else
		report no "$1" "status $3, wanted '$2': $4"
	fi
}

# The last commit: what is staged, with this message; by hook and by range.
says() { # name, what must be said, message
	local out rc=0
	printf '%s\n' "$3" >message
	out=$("$check" message 2>&1) || rc=$?
	verdict "hook: $1" "$2" $rc "$out"
	git commit -q --allow-empty --no-verify --cleanup=verbatim -F message
	rc=0
	out=$("$check" HEAD^..HEAD 2>&1) || rc=$?
	verdict "range: $1" "$2" $rc "$out"
}

lines() { # count, file
	mkdir -p "$(dirname "$2")"
	seq "$1" >"$2"
	git add "$2"
}

git init -q .
echo message >.gitignore
git add .gitignore
git commit -q -m 'first'

lines 1999 a.c
says 'as it should be' '' "tools: what changes

$why"
says 'two modules' '' "src/base, model: what changes

$why"
says 'why behind a list' '' "tools: what changes

- a
- $why"
says 'no module' 'not word[, word]: text' "What changes

$why"
says 'two words' 'not word[, word]: text' "report page: what changes

$why"
says 'nothing behind it' 'not word[, word]: text' "tools:

$why"
says 'a long subject' '101 characters' "tools: $(printf 'x%.0s' {1..94})

$why"
says 'a subject just short enough' '' "tools: $(printf 'x%.0s' {1..93})

$why"
says 'a period' 'ends with a period' "tools: what changes.

$why"
says 'no empty line' 'second line is not empty' "tools: what changes
so

$why"
says 'no text' 'no text says why' 'tools: what changes'
says 'a text that says nothing' 'no text says why' "tools: what changes

fix"
says 'only a trailer' 'no text says why' "tools: what changes

Signed-off-by: Somebody Else <s@localhost>"

good="tools: what changes

$why"
lines 2000 b.c
says 'many lines' '2000 changed lines' "$good"
lines 3000 tests/x/data.jsonl
lines 3000 tests/x/recorded/data.json
lines 3000 bench/results/figures.json
lines 3000 a.json.gz
lines 10 c.c
says 'data' '' "$good"
lines 3000 tests/x/data.json
says 'what is no data' '3000 changed lines' "$good"
mkdir moved && git mv tests/x/data.json moved/other.json && echo 1 >>moved/other.json && git add moved
says 'a move' '' "$good"
head -c 100000 /dev/zero >zeros && git add zeros
says 'a binary file' '' "$good"
git rm -q moved/other.json
says 'what goes' '3001 changed lines' "$good"

lines 3000 d.c
printf '%s\n\n# %s\n' 'tools: what changes' "$why" >message
out=$("$check" message 2>&1)
verdict 'hook: comments are no text' 'no text says why' $? "$out"
printf 'fixup! anything.\n' >message
git reset -q --hard
out=$("$check" message 2>&1)
verdict 'hook: what is on its way into another' '' $? "$out"
git commit -q --allow-empty -F message
out=$("$check" HEAD^..HEAD 2>&1)
verdict 'range: what never got there' 'no text says why' $? "$out"

ln -s "$check" .git/hooks/commit-msg
out=$(git commit --allow-empty -m 'What changes' 2>&1)
verdict 'git calls it: no' 'not word[, word]: text' $? "$out"
git commit -q --allow-empty -m 'tools: what changes' -m "$why" >out 2>&1
verdict 'git calls it: yes' '' $? "$(cat out)"

git checkout -q -b side HEAD^ && git commit -q --no-verify --allow-empty -m side
git checkout -q - && git merge -q --no-verify --no-ff side -m 'Merge' && git tag merged
out=$("$check" merged^..merged 2>&1)
verdict 'range: those behind a merge are looked at' 'side' $? "$out"
out=$("$check" nowhere..HEAD 2>&1)
verdict 'range: no such revision' 'check-commit: git rev-list' $? "$out"
out=$("$check" nowhere 2>&1)
verdict 'neither a file nor a range' 'neither a file' $? "$out"

echo "1..$n"
