# A page of docs/ in mdoc(7), for the manual: awk -f mdman.awk PAGE. What docs/ uses of Markdown and no more: headings, paragraphs,
# lists, tables, blocks of code, `code`, **bold**, links (their text stays), comments.
#
# Text of docs/ is not written for roff: every word that could mean something there is made harmless.

function safe(s) {
	gsub(/\\/, "\\e", s)
	gsub(/&#124;/, "|", s)
	return s
}

# Code in a line of text: fonts by escapes, so that blanks and punctuation around it stay as they are.
function inline(s,    out, i, n, parts) {
	gsub(/<!--[^>]*-->/, "", s)
	n = split(s, parts, "`")
	out = ""
	for (i = 1; i <= n; i++) {
		if (i % 2) {
			gsub(/\\[][|*_]/, "&\001", parts[i])
			gsub(/\\/, "", parts[i])
			while (match(parts[i], /\[[^][]*\]\([^()]*\)/)) {
				link = substr(parts[i], RSTART + 1, RLENGTH - 2)
				sub(/\]\(.*/, "", link)
				parts[i] = substr(parts[i], 1, RSTART - 1) link substr(parts[i], RSTART + RLENGTH)
			}
			while (match(parts[i], /\*\*[^*]+\*\*/))
				parts[i] = substr(parts[i], 1, RSTART - 1) "\\fB" substr(parts[i], RSTART + 2, RLENGTH - 4) "\\fP" \
					substr(parts[i], RSTART + RLENGTH)
			gsub(/\*\*/, "", parts[i])
			# A code span may stand between the brackets of a link: then its ends are in different parts.
			gsub(/\]\([^()]*\)/, "", parts[i])
			if (i < n)
				sub(/\[$/, "", parts[i])
			gsub(/\001/, "", parts[i])
			out = out parts[i]
		} else {
			gsub(/\\\|/, "|", parts[i])
			out = out "\\fB" safe(parts[i]) "\\fP"
		}
	}
	return out
}

# Words to lines of at most 72 columns; a sentence begins a line. A blank that belongs to a font stays.
function filled(s,    n, words, i, out, line) {
	s = inline(s)
	n = split(s, words, / +/)
	out = line = ""
	for (i = 1; i <= n; i++) {
		if (words[i] == "")
			continue
		if (line != "" && (length(line) + length(words[i]) > 71 || line ~ /[^.A-Z0-9][)`"]?(\\fP)?[.?!]$/)) {
			out = out harmless(line) "\n"
			line = ""
		}
		line = line (line == "" ? "" : " ") words[i]
	}
	return line == "" ? substr(out, 1, length(out) - 1) : out harmless(line)
}

function harmless(line) {
	return line ~ /^[.']/ ? "\\&" line : line
}

function flush(    s) {
	if (text == "")
		return
	s = filled(text)
	if (s != "") {
		if (para)
			print ".Pp"
		print s
		para = 1
	}
	text = ""
}

function end_list() {
	flush()
	if (list)
		print ".El"
	list = 0
}

# Rows of a table: what stands in the first column is the term, the others follow, each with its heading if there is more than one.
function row(line,    n, cells, i, s) {
	gsub(/^\| *| *\|$/, "", line)
	gsub(/\\\|/, "\001", line)
	n = split(line, cells, / *\| */)
	for (i = 1; i <= n; i++)
		gsub(/\001/, "|", cells[i])
	if (!table) {
		for (i = 1; i <= n; i++)
			heads[i] = cells[i]
		table = 1
		return
	}
	if (table == 1) {
		table = 2
		print ".Bl -tag -width Ds"
		return
	}
	s = inline(cells[1])
	gsub(/"/, "\\(dq", s)
	print ".It \"" s "\""
	for (i = 2; i <= n; i++) {
		if (cells[i] == "")
			continue
		if (i > 2)
			print ".br"
		print filled(n > 2 && heads[i] != "" && heads[i] != "meaning" ? heads[i] ": " cells[i] : cells[i])
	}
}

/^```/ {
	if (code) {
		print ".Ed"
		code = 0
		para = 1
	} else {
		flush()
		print ".Bd -literal -offset indent"
		code = 1
	}
	next
}
code {
	s = safe($0)
	print s == "" ? "\\&" : harmless(s)
	next
}
/^\|/ {
	flush()
	row($0)
	next
}
table {
	if (table == 2)
		print ".El"
	table = 0
	para = 1
}
/^<!--/ { next }
/^# / { next }
/^## / {
	end_list()
	print ".Ss " heading(substr($0, 4))
	para = 0
	next
}
/^###+ / {
	end_list()
	sub(/^#+ /, "")
	print ".Pp\n.Sy " heading($0)
	para = 1
	next
}
/^([-*]|[0-9]+\.) / {
	flush()
	if (!list)
		print (/^[0-9]/ ? ".Bl -enum" : ".Bl -bullet")
	list = 1
	print ".It"
	para = 0
	sub(/^([-*]|[0-9]+\.) /, "")
	text = $0
	next
}
/^[ \t]*$/ {
	flush()
	if (list)
		blank = 1
	next
}
list && blank && !/^ / {
	end_list()
	para = 1
}
{
	blank = 0
	if (/^> /)
		sub(/^> /, "")
	text = text (text == "" ? "" : " ") $0
}
END {
	end_list()
	if (table == 2)
		print ".El"
}

function heading(s) {
	gsub(/[`*]/, "", s)
	return safe(s)
}
