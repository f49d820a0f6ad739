# Every text file: nothing left open, no path of somebody's machine, no blanks at the end, a final newline is git's.

/(^|[^A-Za-z_])(TODO|FIXME|XXX|HACK)([^A-Za-z_]|$)/ && FILENAME !~ /tests\/lint\// {
	complain(FILENAME ":" FNR, "left open: finish it or say it elsewhere")
}
/(^|[^A-Za-z0-9_.\/])\/(work|home\/[a-z]+|Users)\// && FILENAME !~ /tests\/lint\// {
	complain(FILENAME ":" FNR, "a path of one person's machine")
}
/[ \t]+$/ && FILENAME !~ /\.md$|tests\/lint\/selftest/ {
	complain(FILENAME ":" FNR, "blanks at the end of the line")
}
/^    / && FILENAME ~ /\.[ch]$/ {
	complain(FILENAME ":" FNR, "indent with tabs")
}
# The story of a module stands at the head of its header, else of its .c file.
FNR == 1 && FILENAME ~ /^(src|probes|tools)\/.*\.[ch]$/ {
	stem = FILENAME
	sub(/\.[ch]$/, "", stem)
	untold[FILENAME] = stem
	if (/^\/\*/)
		told[stem] = 1
}
FILENAME ~ /\.h$/ {
	if (FNR == 1)
		headers[FILENAME] = 1
	if (/^#pragma once/)
		once[FILENAME] = 1
}

END {
	for (f in untold)
		if (!(untold[f] in told))
			complain(f, "starts without saying what it is for")
	for (h in headers)
		if (!(h in once))
			complain(h, "no #pragma once")
	exit failed
}
