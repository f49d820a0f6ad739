# The one door, in the sources of probes: what opens or asks the machine stands only in functions named
# try_… or call_…, which go through ta_host_try() and ta_host_call(). And the banned functions, by name,
# since a compiler may turn a call into another before the linker sees it.

FNR == 1 {
	c_start()
	inside = 0
	name = ""
}

FILENAME ~ /symbols\.txt$/ {
	for (i = 2; i <= NF; i++) {
		if ($1 == "everywhere")
			banned[$i] = 1
		else if ($1 ~ /^outside-host/)
			door[$i] = 1
	}
	next
}

{
	text = code($0)
}

text ~ /^[A-Za-z_].*\(/ && !inside {
	name = text
	sub(/\(.*/, "", name)
	sub(/.*[ \t*]/, "", name)
}
text ~ /^\{/ {
	inside = 1
}
text ~ /^\}/ {
	inside = 0
}

{
	rest = text
	while (match(rest, /[A-Za-z_][A-Za-z0-9_]*[ \t]*\(/)) {
		before = substr(rest, RSTART - 1, 1)
		word = substr(rest, RSTART, RLENGTH)
		sub(/[ \t]*\($/, "", word)
		rest = substr(rest, RSTART + RLENGTH)
		if (before == "." || before == ">")
			continue
		if (word in banned)
			complain(FILENAME ":" FNR, word "() is banned")
		if (inside && word in door && area(FILENAME) == "probes" && name !~ /^(try|call)_/)
			complain(FILENAME ":" FNR, word "() in " name "(): only functions named try_* or call_* ask the machine")
	}
}

END {
	exit failed
}
