#!/bin/sh
# Prints the style and the script of the page as C strings: ta_page_css, ta_page_js.
set -eu
echo '/* Made by tools/mkpage.sh. */'
echo '#include "report/page/parts.h"'
for f; do
	printf '\nconst char ta_page_%s[] =\n' "${f##*.}"
	sed -e 's/\\/\\\\/g' -e 's/"/\\"/g' -e 's/?/\\?/g' -e 's/^\t*//' -e 's/^/"/' -e 's/$/\\n"/' "$f"
	printf '"";\n'
done
