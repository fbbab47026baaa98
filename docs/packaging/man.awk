# man.awk - docs/language.md and the pages behind it as the manual page runnel(7):
#
#     awk -v version=0.1.0 -f docs/packaging/man.awk docs/language.md docs/language/shape.md ...
#
# The title of each page after the first is a section. It knows what these pages are written in: headings, paragraphs, lists, code by four blanks, tables, `code`, **bold**, *italics*, links. A row of a table
# becomes a tagged paragraph: the first cell, then the others, each behind the name of its column where there are more than two.

function plain(s) { gsub(/\\/, "\\e", s); gsub(/-/, "\\-", s); return s }
# A link is its text; code is bold, with its blanks and hyphens as they are.
function inline(s,   out, at, end, word) {
	while (match(s, /\[[^][]*\]\([^()]*\)/)) {
		word = substr(s, RSTART, RLENGTH); sub(/^\[/, "", word); sub(/\]\([^()]*\)$/, "", word)
		s = substr(s, 1, RSTART - 1) word substr(s, RSTART + RLENGTH)
	}
	gsub(/\\\|/, "|", s)
	out = ""
	while ((at = index(s, "`")) > 0) {
		out = out emphasis(substr(s, 1, at - 1))
		s = substr(s, at + 1)
		end = index(s, "`")
		if (!end) { out = out "`"; break }
		out = out "\\fB" plain(substr(s, 1, end - 1)) "\\fR"
		s = substr(s, end + 1)
	}
	return out emphasis(s)
}
function emphasis(s,   word) {
	s = plain(s)
	while (match(s, /\*\*[^*]+\*\*/)) {
		word = substr(s, RSTART + 2, RLENGTH - 4)
		s = substr(s, 1, RSTART - 1) "\\fB" word "\\fR" substr(s, RSTART + RLENGTH)
	}
	while (match(s, /\*[^* ][^*]*\*/)) {
		word = substr(s, RSTART + 1, RLENGTH - 2)
		s = substr(s, 1, RSTART - 1) "\\fI" word "\\fR" substr(s, RSTART + RLENGTH)
	}
	return s
}
# A line that is text, whatever it begins with.
function say(s) { if (s ~ /^[.']/) s = "\\&" s; print s }
# A paragraph is gathered first: code and emphasis may go over the end of a line.
function gather(s) { para = para (para == "" ? "" : "\n") s }
function flush(   v, n, i) {
	if (para == "") return
	n = split(inline(para), v, "\n")
	para = ""
	for (i = 1; i <= n; i++) say(v[i])
}
function cells(line, c,   n, i, at, code, out) {
	gsub(/\\\|/, "\001", line)
	while ((at = index(line, "`")) > 0) { # a bar in code is no border
		code = substr(line, 1, at)
		if (inside) gsub(/\|/, "\001", code)
		out = out code; inside = !inside
		line = substr(line, at + 1)
	}
	inside = 0
	line = out line
	sub(/^\|/, "", line); sub(/\|[ \t]*$/, "", line)
	n = split(line, c, "|")
	for (i = 1; i <= n; i++) { gsub(/\001/, "|", c[i]); sub(/^[ \t]+/, "", c[i]); sub(/[ \t]+$/, "", c[i]) }
	return n
}
function row(line,   c, n, i) {
	n = cells(line, c)
	if (c[1] != "") { print ".TP"; say(inline(c[1])) }
	else if (n > 2) print ".IP"
	else print ".IP"
	for (i = 2; i <= n; i++) {
		if (c[i] == "") continue
		if (i > 2) print ".br"
		say((n > 2 && head[i] != "" ? "\\fI" inline(head[i]) "\\fR: " : "") inline(c[i]))
		said = 1
	}
	if (!said) print "\\&"
	said = 0
}
function close_code() { if (code) { print ".fi"; print ".RE"; print ".PP"; code = 0 } }
function close_list() { if (list) { list = 0; print ".PP" } }

NR == 1 {
	print ".\\\" Made from docs/language.md and docs/language/*.md by docs/packaging/man.awk: change it there."
	print ".TH RUNNEL 7 2026\\-11\\-22 \"runnel " version "\" \"Miscellaneous Information\""
	print ".SH NAME"
	print "runnel \\- the query language of Runnel"
	print ".SH DESCRIPTION"
	next
}
FNR == 1 { flush(); close_code(); close_list(); table = 0; sub(/^# */, ""); print ".SH " toupper(plain($0)); next }
/^    / && !list {
	flush()
	if (!code) { print ".PP"; print ".RS 4"; print ".nf"; code = 1 }
	say(plain(substr($0, 5))); blank = 0; next
}
code && /^$/ { blank++; next }
code { close_code(); blank = 0 }
/^```/ { flush(); fence = !fence; if (fence) { print ".PP"; print ".RS 4"; print ".nf" } else { print ".fi"; print ".RE" } next }
fence { say(plain($0)); next }
/^\* .*\]\(#/ { contents = 1; next } # the page's own list of contents
contents && /^  / { next }
{ contents = 0 }
/^(#|\||[*-] |[0-9]+\. |$)/ { flush() }
/^##/ { close_list(); sub(/^#+ */, ""); print ".SS " inline($0); table = 0; next }
/^\|/ {
	if (!table) { delete head; cells($0, head); table = 1; close_list(); next }
	if ($0 ~ /^\|[-:| ]+\|?$/) next
	row($0); next
}
table { table = 0; print ".PP" }
/^[*-] / { sub(/^[*-] /, ""); print ".IP \\(bu 2"; list = 1; gather($0); next }
/^[0-9]+\. / { match($0, /^[0-9]+\./); n = substr($0, 1, RLENGTH); sub(/^[0-9]+\. */, ""); print ".IP " n " 4"; list = 1; gather($0); next }
/^$/ { if (list) ended = 1; else if (!gap) print ".PP"; gap = 1; next }
{ if (list && ended && !/^ /) close_list(); ended = 0; gap = 0; sub(/^ +/, ""); gather($0) }
END {
	flush()
	close_code()
	print ".SH SEE ALSO"
	print ".BR runnel (1),"
	print ".BR runnel\\-agent (8),"
	print ".BR librunnel (3)"
}
