# Holds every #include "…" against layers.txt (given first).

FNR == 1 {
	c_start()
}

FILENAME ~ /layers\.txt$/ {
	if ($1 !~ /^#/ && NF) {
		known[$1] = 1
		for (i = 2; i <= NF; i++)
			may[$1, $i] = 1
	}
	next
}

/^[ \t]*#[ \t]*include[ \t]*"/ {
	to = $0
	sub(/^[^"]*"/, "", to)
	sub(/".*/, "", to)
	from = area(FILENAME)
	if (!(from in known))
		complain(FILENAME ":" FNR, "folder " from " is not in tests/lint/layers.txt")
	else if (to !~ /\//)
		complain(FILENAME ":" FNR, "include \"" to "\": write it with its folder")
	else if (!((from, area("src/" to)) in may))
		complain(FILENAME ":" FNR, from " may not include " to)
}

# The netlink library is the door's; only what reads replies may see libmnl.
/^[ \t]*#[ \t]*include[ \t]*<netlink\// && area(FILENAME) != "host" {
	complain(FILENAME ":" FNR, "libnl is for src/host alone")
}
/^[ \t]*#[ \t]*include[ \t]*<libmnl\// && area(FILENAME) !~ /^(host|nic|probe|probes)$/ {
	complain(FILENAME ":" FNR, "libmnl is for src/host, src/nic and probes alone")
}

END {
	exit failed
}
