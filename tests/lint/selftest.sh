#!/bin/sh
# Does the lint see what it is there to see? selftest.sh DIR: makes a small tree in DIR that breaks every law
# once, and expects each complaint, and none about the file that keeps them all.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
dir=$1
rm -rf "$dir"
mkdir -p "$dir/src/base" "$dir/src/rule" "$dir/src/report" "$dir/src/facts" "$dir/src/cli" "$dir/probes" "$dir/docs"
cd "$dir"

cat >src/base/good.c <<'C'
/* Keeps the laws. */
int good(int a);
int good(int a)
{
	/* strcpy( in a comment, "strcpy(" in a string, TODOS: none of them counts. */
	const char *s = "strcpy(x) open(y)";

	return a + s[0];
}
C
echo '/* A header. */' >src/base/bare.h
cat >src/base/untold.c <<'C'
#include <string.h>
#include <stdio.h>
char *untold(char *a, const char *b);
char *untold(char *a, const char *b)
{
    // TODO: finish
	fprintf(stderr, "x"); 
	return strcpy(a, b);
}
C
cat >src/rule/law.c <<'C'
/* Reads the clock, the environment and a file. */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include "host/host.h"
#include "law.h"
long law(void);
long law(void) {
	FILE *f = fopen("/etc/passwd", "r");
	unsigned v = 0;

	sscanf(getenv("X"), "%u", &v);
	if (!f)
		exit(1);
	return time(NULL) + strtol("1", NULL, 10) + v;
}
C
cat >src/report/law.c <<'C'
/* Includes what it may not. */
#include "probe/probe.h"
#include <libmnl/libmnl.h>
#include <netlink/netlink.h>
C
cat >probes/law.c <<'C'
/* Opens a socket outside of a call_ function. */
#include <sys/socket.h>
int try_it(void);
int it(void);
int try_it(void)
{
	return socket(AF_INET, SOCK_STREAM, 0);
}
int it(void)
{
	return socket(AF_INET, SOCK_STREAM, 0);
}
C
awk 'BEGIN { print "/* Long. */\nint longer(void);\nint longer(void)\n{"; for (i = 0; i < 90; i++) print "\t;"; print "\treturn 0;\n}" }' >src/facts/long.c
awk 'BEGIN { print "/* Longer. */"; for (i = 0; i < 600; i++) print "/* " i " */" }' >src/facts/lines.c
echo "See /home/somebody/tuneaudit and /usr/home/x." >docs/path.md
printf '/* Speaks and exits: it may. */\n#include <stdio.h>\nvoid say(void);\nvoid say(void)\n{\n\tfprintf(stderr, "x");\n}\n' >src/cli/say.c

mkdir -p build/src/base build/src/rule build/src/facts build/src/cli build/probes
touch src/law.h
mkdir -p inc/host && touch inc/host/host.h inc/law.h
for f in src/base/good src/base/untold src/rule/law src/facts/long src/cli/say probes/law; do
	${CC:-cc} -O1 -w -Iinc -c -o "build/$f.o" "$f.c"
done

out=$(sh "$here/lint.sh" "$dir" build 2>&1) && { echo "$out"; echo "selftest: lint passed a tree that breaks its laws"; exit 1; }
failed=0
expect() {
	printf '%s\n' "$out" | grep -qF "$1" || { echo "selftest: lint did not say: $1"; failed=1; }
}
expect 'src/rule/law.c:5: rule may not include host/host.h'
expect 'src/rule/law.c:6: include "law.h": write it with its folder'
expect 'src/report/law.c:2: report may not include probe/probe.h'
expect 'src/report/law.c:3: libmnl is for'
expect 'src/report/law.c:4: libnl is for'
expect 'src/rule/law.c:8: the brace of a function'
expect 'src/facts/long.c:3: longer() has 94 lines, at most 80'
expect 'src/facts/lines.c: 601 lines, at most 600'
expect 'functions have more than 45 lines'
expect 'src/base/untold.c:8: strcpy() is banned'
expect 'probes/law.c:11: socket() in it():'
expect 'src/base/untold.c: uses strcpy (everywhere)'
expect 'src/base/untold.c: uses stderr (below-cli)'
expect 'src/rule/law.c: uses exit (below-cli)'
expect 'src/rule/law.c: uses fopen'
expect 'src/rule/law.c: uses getenv (pure)'
expect 'src/rule/law.c: uses time (pure)'
expect 'strtol (everywhere)'
expect 'sscanf (everywhere)'
expect 'src/base/untold.c:6: left open'
expect 'src/base/untold.c:6: indent with tabs'
expect 'src/base/untold.c:7: blanks at the end'
expect 'src/base/untold.c: starts without saying'
expect 'src/base/bare.h: no #pragma once'
expect "docs/path.md:1: a path of one person's machine"
if printf '%s\n' "$out" | grep -E 'good\.c|cli/say\.c|probes/law\.c:7'; then
	echo "selftest: the above is not wrong"
	failed=1
fi
[ $failed = 0 ] && echo "lint selftest: every law is seen"
exit $failed
