# Lines per file and per function. A function is what stands between a `{` and a `}` in the first column;
# its length counts from its first line (its name) to the `}`.

function file_limit(file) {
	if (file ~ /\.h$/)
		return 200
	return file ~ /\/(parse|lex)[a-z_]*\.c$/ ? 800 : 600
}

function file_end() {
	if (file != "" && lines > file_limit(file))
		complain(file, lines " lines, at most " file_limit(file))
}

FNR == 1 {
	file_end()
	file = FILENAME
	c_start()
	open_line = start = 0
}

{
	lines = FNR
	text = code($0)
}

# The head may go over several lines; it starts after the last line that ended something.
text ~ /^[A-Za-z_].*\(/ && !open_line {
	start = FNR
	head = text
}
text ~ /^[A-Za-z_].*\)[ \t]*\{/ {
	complain(FILENAME ":" FNR, "the brace of a function goes on a line of its own")
}
text ~ /^\{/ {
	open_line = 1
}
text ~ /^\}/ && open_line {
	name = head
	sub(/\(.*/, "", name)
	sub(/.*[ \t*]/, "", name)
	size = FNR - start + 1
	n++
	if (size > 45)
		long++
	if (size > 80)
		complain(FILENAME ":" start, name "() has " size " lines, at most 80")
	open_line = 0
}

END {
	file_end()
	if (n && long * 10 > n)
		complain("all files", long " of " n " functions have more than 45 lines, at most one in ten")
	exit failed
}
