#!/bin/sh
# Prints the rule files given as C strings, so that the program needs no data files. The cases, a third of the text,
# stay behind: they are there to test the rules, which is done from the files. Lines keep their numbers.
set -eu
echo '/* Made by tools/mkrules.sh. */'
echo '#include "rule/embedded.h"'
echo
without_cases() {
	awk '
		# Braces opened and not closed in the line, those in strings and comments aside.
		function braces(line,    i, c, n, quoted) {
			for (i = 1; i <= length(line); i++) {
				c = substr(line, i, 1)
				if (quoted && c == "\\")
					i++
				else if (c == "\"")
					quoted = !quoted
				else if (!quoted && c == "#")
					break
				else if (!quoted)
					n += (c == "{") - (c == "}")
			}
			return n
		}
		depth == 0 && /^[ \t]+case[ \t]/ { in_case = 1 }
		in_case {
			depth += braces($0)
			in_case = depth > 0 || !/}/
			print ""
			next
		}
		{ print }' "$1"
}

n=0
for f; do
	printf 'extern const char ta_embedded_text_%d[];\nconst char ta_embedded_text_%d[] =\n' $n $n
	without_cases "$f" | sed -e 's/\\/\\\\/g' -e 's/"/\\"/g' -e 's/?/\\?/g' -e 's/^/"/' -e 's/$/\\n"/'
	printf '"";\n\n'
	n=$((n + 1))
done
echo 'const struct ta_embedded_rules ta_embedded_rules[] = {'
n=0
for f; do
	printf '\t{"%s", ta_embedded_text_%d},\n' "$f" $n
	n=$((n + 1))
done
echo '};'
echo "const size_t ta_n_embedded_rules = $#;"
