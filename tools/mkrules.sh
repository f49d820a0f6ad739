#!/bin/sh
# Prints the rule files given as C strings, so that the program needs no data files.
set -eu
echo '/* Made by tools/mkrules.sh. */'
echo '#include "rule/embedded.h"'
echo
echo 'const struct ta_embedded_rules ta_embedded_rules[] = {'
for f; do
	printf '\t{"%s",\n' "$f"
	sed -e 's/\\/\\\\/g' -e 's/"/\\"/g' -e 's/?/\\?/g' -e 's/^/"/' -e 's/$/\\n"/' "$f"
	printf '\t},\n'
done
echo '};'
echo "const size_t ta_n_embedded_rules = $#;"
