#!/bin/sh
# Holds the tree against its own laws: lint.sh [ROOT [BUILD]]
#
# Each check prints file:line: what is wrong. ROOT is the tree (default: this one), BUILD the folder with its
# objects, relative to ROOT (default: build).
set -u
export LC_ALL=C
here=$(cd "$(dirname "$0")" && pwd)
cd "${1:-$here/../..}" || exit 2
build=${2:-build}
failed=0

# The files of the tree, by name pattern; git knows them, else all but what was built.
files() {
	if [ -e .git ] && command -v git >/dev/null 2>&1; then
		git ls-files --cached --others --exclude-standard
	else
		find . -type f -not -path './build/*' -not -path './.git/*' | sed 's,^\./,,'
	fi | grep -E "$1" | while read -r f; do [ -f "$f" ] && echo "$f"; done
}

# run NAME COMMAND…: a check; its output, if any, is its complaints.
run() {
	name=$1
	shift
	if "$@"; then
		echo "lint: $name: ok"
	else
		echo "lint: $name: FAILED"
		failed=1
	fi
}

# awk_over PATTERN ARGUMENTS…: awk with the files that match behind its arguments.
awk_over() {
	list=$(files "$1")
	shift
	[ -n "$list" ] || return 0
	# shellcheck disable=SC2086 # no file of ours has a blank in its name
	awk "$@" $list
}

symbols() {
	objects=$(find "$build/src" "$build/probes" -name '*.o' 2>/dev/null)
	[ -n "$objects" ] || { echo "no objects in $build: build first"; return 1; }
	# shellcheck disable=SC2086
	nm -u -A $objects | awk -f "$here/c.awk" -f "$here/symbols.awk" "$here/symbols.txt" -
}

shell_scripts() {
	if ! command -v shellcheck >/dev/null 2>&1; then
		echo "lint: shell: skipped, shellcheck is not installed"
		return 0
	fi
	list=$(files '\.sh$|^quickstart$|^\.ci/run$')
	# shellcheck disable=SC2086
	[ -z "$list" ] || shellcheck -S warning $list
}

sources='^(src|probes)/.*\.[ch]$'
run 'who includes whom' awk_over "$sources" -f "$here/c.awk" -f "$here/includes.awk" "$here/layers.txt"
run 'sizes' awk_over "$sources" -f "$here/c.awk" -f "$here/sizes.awk"
run 'calls' awk_over '^(src|probes|tools)/.*\.[ch]$' -f "$here/c.awk" -f "$here/calls.awk" "$here/symbols.txt"
run 'symbols' symbols
run 'text' awk_over '\.([ch]|sh|mk|md|rules|bats|awk|py)$|^Makefile$|^quickstart$|^\.ci/run$' -f "$here/c.awk" -f "$here/text.awk"
run 'shell' shell_scripts
exit $failed
