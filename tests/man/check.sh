#!/bin/sh
# check.sh PROGRAM PAGES DIR: mandoc finds nothing to complain about in the pages, as installed in DIR, and what --help says
# stands in them.
set -eu
program=$1 pages=$2 dir=$3
command -v mandoc >/dev/null || { echo "check-man: mandoc is not installed, left out"; exit 0; }
fail() { echo "check-man: $*"; exit 1; }

rm -rf "$dir"
mkdir -p "$dir/man1" "$dir/man5"
cp "$pages"/*.1 "$dir/man1"
cp "$pages"/*.5 "$dir/man5"
mandoc -T lint "$dir"/man?/* >"$dir/lint" 2>&1 || true
# mandoc looks for what a page refers to among the installed ones only.
grep -v 'referenced manual not found: Xr tuneaudit' "$dir/lint" && fail "see above"
printf '.Dd nonsense\n.Dt X 1\n.Os\n.Sh NAME\n.Nm x\n.Nd x\n' >"$dir/bad.1"
mandoc -T lint "$dir/bad.1" >/dev/null 2>&1 && fail "a bad page is not seen"
sed -n 's/^\.\(It \)*Xr \([^ ]*\) \([0-9]\).*/\2.\3/p' "$dir"/man?/* | sort -u | while read -r page; do
	[ -f "$dir/man${page##*.}/$page" ] || fail "there is no page $page to refer to"
done

shown() { mandoc -T ascii -O width=300 "$1" | sed "s,.$(printf "\\b"),,g" | tr -s ' \n' ' '; }
commands=$("$program" help | sed -n '/^Commands:/,/^$/s/^  \([a-z]*\) .*/\1/p')
[ -n "$commands" ]
whole=$(shown "$dir/man1/tuneaudit.1")
for c in $commands; do
	case $whole in *"tuneaudit-$c(1)"*) ;; *) fail "tuneaudit(1) does not name $c" ;; esac
	page=$(shown "$dir/man1/tuneaudit-$c.1")
	# Every text of --help, in its order and letter by letter, but for breaks.
	"$program" "$c" --help | sed -n 's/^ *\(-[a-z], \)*\(--[a-z-]*\).*/\2/p' | while read -r option; do
		case $page in *"$option"*) ;; *) fail "tuneaudit-$c(1) lacks $option" ;; esac
	done
	about=$(COLUMNS=100000 "$program" "$c" --help | sed -n '3p' | tr -s ' ')
	case $page in *"$about"*) ;; *) fail "tuneaudit-$c(1) does not say: $about" ;; esac
done
for c in 0 1 2 3 4 5 6 70 75; do
	case $whole in *" $c "*) ;; *) fail "tuneaudit(1) has no exit code $c" ;; esac
done
case $(shown "$dir/man5/tuneaudit.rules.5") in
*'rule net.somaxconn.example title "Listeners get the backlog that they ask for"'*) ;;
*) fail "tuneaudit.rules(5) lacks the first example" ;;
esac
echo "check-man: ok, $(ls "$dir"/man?/* | wc -l) pages"
