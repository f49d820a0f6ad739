#!/bin/sh
# Puts what a command prints into a text: screen.sh BUILD FILE CAPTURE. Between the lines `<!-- screen: ARGUMENTS -->`
# and `<!-- end -->` of FILE goes what `tuneaudit ARGUMENTS` says at 80 columns, without colour, of CAPTURE (a packed
# one), so that the same tree always prints the same screen. The new text goes to stdout.
set -eu
build=$1 file=$2 capture=$3
host=$build/screen-host
rm -rf "$host"
mkdir -p "$host"
tar -xzf "$capture" -C "$host"

awk '/^<!-- screen: / { gsub(/^<!-- screen: | -->$/, ""); print }' "$file" | while read -r arguments; do
	echo "<!-- screen: $arguments -->"
	echo '```text'
	echo "\$ tuneaudit $arguments"
	# shellcheck disable=SC2086 # words
	COLUMNS=80 NO_COLOR=1 "$build/tuneaudit" $arguments --capture "$host" 2>&1 |
		sed -e "s|$build/tuneaudit|tuneaudit|g" -e "s| --capture $host||g"
	echo '```'
	echo '<!-- end -->'
done >"$build/screens"

awk -v screens="$build/screens" '
	/^<!-- screen: / {
		inside = 1
		while ((getline line < screens) > 0) {
			print line
			if (line == "<!-- end -->")
				break
		}
	}
	!inside { print }
	/^<!-- end -->/ { inside = 0 }' "$file"
