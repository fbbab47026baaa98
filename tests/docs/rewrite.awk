# rewrite.awk DIR=... - a document with what its commands print now: as extract.awk numbers them, N.new in DIR takes the place of what is
# shown after command N. A command without N.new keeps what is shown.
function begin_output() {
	state = "output"
	old = DIR "/" n ".new"
	replaced = (getline text <old) > 0
	if (!replaced) return
	do print (text == "" ? "" : "    " text); while ((getline text <old) > 0)
	close(old)
}
function flush_blanks() { for (; blanks; blanks--) print "" }
/^$/ { blanks++; next }
/^    \$ / {
	if (state == "command") begin_output()
	flush_blanks()
	n++
	state = "command"
	print
	next
}
/^    > / && state == "command" { flush_blanks(); print; next }
/^    / && state != "" {
	if (state == "command") begin_output()
	if (replaced) { blanks = 0; next }
	flush_blanks()
	print
	next
}
{
	if (state == "command") begin_output()
	state = ""
	flush_blanks()
	print
}
END { if (state == "command") begin_output(); flush_blanks() }
