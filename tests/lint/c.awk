# Shared by the source checks: code(line) is the line without comments and the insides of strings.
# State lives over the lines of one file; c_start() begins a file.

function c_start() {
	in_comment = 0
}

function code(line,    out, i, n, c, two) {
	out = ""
	n = length(line)
	for (i = 1; i <= n; i++) {
		two = substr(line, i, 2)
		c = substr(line, i, 1)
		if (in_comment) {
			if (two == "*/") {
				in_comment = 0
				i++
			}
		} else if (two == "/*") {
			in_comment = 1
			i++
		} else if (two == "//") {
			break
		} else if (c == "\"" || c == "'") {
			out = out c
			for (i++; i <= n && substr(line, i, 1) != c; i++)
				if (substr(line, i, 1) == "\\")
					i++
			out = out c
		} else {
			out = out c
		}
	}
	return out
}

# The part of the tree that a file belongs to: "base" of src/base/buf.c, else the first folder.
function area(file,    part) {
	sub(/^\.\//, "", file)
	split(file, part, "/")
	return part[1] == "src" ? part[2] : part[1]
}

function complain(where, text) {
	print where ": " text
	failed = 1
}
