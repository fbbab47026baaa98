# fill.awk - fills the prose of a generated page to 118 columns: awk -f docs/packaging/fill.awk PAGE
#
# A paragraph with a line of more than 120 columns is filled again. Tables, headings, lists,
# comments and blocks of code stay as they are.
function put(    words, n, i, line) {
	if (wide) {
		n = split(text, words, / +/)
		line = words[1]
		for (i = 2; i <= n; i++)
			if (length(line) + 1 + length(words[i]) <= 118) {
				line = line " " words[i]
			} else {
				print line
				line = words[i]
			}
		print line
	} else if (text != "") {
		print as_is
	}
	text = as_is = ""
	wide = 0
}
/^$/ || /^[|#<]/ || /^[*-] / || /^    / {
	put()
	print
	next
}
{
	as_is = as_is (as_is == "" ? "" : "\n") $0
	text = text (text == "" ? "" : " ") $0
	wide = wide || length($0) > 120
}
END { put() }
