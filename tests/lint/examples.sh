#!/bin/sh
# Builds the examples of CONTRIBUTING.md: examples.sh DIR BUILD. A fenced block "```LANG FILE" is written to FILE
# in a copy of the tree, which then has to build, to show the new fact and to judge it by the new rule.
set -eu
dir=$1 build=$2
top=$(cd "$(dirname "$0")/../.." && pwd)
make=${MAKE:-make}
cd "$top"
rm -rf "$dir"
mkdir -p "$dir"
# B is said anew: who calls may build elsewhere. With the objects that are there already, dates kept: only what is new is compiled.
cp -Rp Makefile src probes rules tools tests "$dir"
mkdir "$dir/build"
for part in src probes gen; do [ ! -d "$build/$part" ] || cp -Rp "$build/$part" "$dir/build/"; done
awk -v dir="$dir" '
	/^```[a-z]+ [a-z]+\// { file = dir "/" $2; print $2; next }
	/^```/ { file = "" }
	file { print > file }' CONTRIBUTING.md >"$dir/examples"
cd "$dir"
[ "$(wc -l <examples)" = 2 ] || { echo "examples: CONTRIBUTING.md should have a probe and a rule"; exit 1; }
$make B=build DEVELOPER=1 >make.log 2>&1 || { cat make.log; echo "examples: the probe does not build"; exit 1; }
expect() {
	want=$1
	shift
	"$@" >out 2>&1 || { cat out; echo "examples: $* failed"; exit 1; }
	grep -q "$want" out || { cat out; echo "examples: $* does not say $want"; exit 1; }
}
expect available_bits build/tuneaudit facts entropy
expect '1 rule, 3 cases' build/tuneaudit rules check rules/entropy.rules
expect entropy.available_bits build/tuneaudit explain entropy.available --profile example
echo "check-examples: ok"
