# Reads symbols.txt, then `nm -u -A` of the objects, and tells which undefined symbols may not be there.
# glibc's other names for one function count as that function: __isoc23_strtol, __sprintf_chk, __open64_2.

FILENAME ~ /symbols\.txt$/ {
	if ($1 !~ /^#/)
		for (i = 2; i <= NF; i++)
			scope[$i] = scope[$i] " " $1
	next
}

function holds(where, part) {
	if (where == "everywhere")
		return 1
	if (where == "below-cli")
		return part != "cli"
	if (where == "outside-host")
		return part !~ /^(host|cli|probes|probe)$/
	if (where == "outside-host-load")
		return part !~ /^(host|cli|probes|probe|load)$/
	return part ~ /^(facts|derive|rule|audit|fix|report)$/
}

{
	file = $1
	sub(/:.*/, "", file)
	sub(/\.o$/, ".c", file)
	sub(/^.*\/(src|gen)\//, "src/", file)
	sub(/^.*\/probes\//, "probes/", file)
	symbol = plain = $NF
	sub(/@.*/, "", plain)
	sub(/^__isoc(99|23)_/, "", plain)
	if (plain ~ /^__.*_chk$/) {
		sub(/^__/, "", plain)
		sub(/_chk$/, "", plain)
	}
	if (plain ~ /^__open(at)?(64)?_2$/)
		plain = "open"
	if (plain == "__getdelim")
		plain = "getline"
	part = area(file)
	n = split(scope[plain], wheres, " ")
	for (i = 1; i <= n; i++)
		if (holds(wheres[i], part))
			complain(file, "uses " symbol " (" wheres[i] ")")
}

END {
	exit failed
}
