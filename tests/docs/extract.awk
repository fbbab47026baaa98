# extract.awk DIR=... - the commands of a document: in a block that is indented by four blanks, `$ COMMAND`, `> ` for what goes on, and
# what it is shown to print. N.cmd, N.out, N.line in DIR. A comment <!-- not run: WHY --> before the block leaves it out: N.why.
function close_command() {
	if (n && open) { close(cmd); close(out) }
	open = 0
}
/^<!-- not run: / { why = $0; sub(/^<!-- not run: /, "", why); sub(/ *-->.*/, "", why); next }
/^    / {
	text = substr($0, 5)
	if (text ~ /^\$ /) {
		close_command()
		n++
		open = 1
		cmd = DIR "/" n ".cmd"; out = DIR "/" n ".out"
		print substr(text, 3) >cmd
		printf "" >out
		print FILENAME ":" FNR >(DIR "/" n ".line")
		close(DIR "/" n ".line")
		if (why) { print why >(DIR "/" n ".why"); close(DIR "/" n ".why") }
	} else if (open && text ~ /^> /) {
		print substr(text, 3) >cmd
	} else if (open) {
		print text >out
	}
	next
}
/^$/ { next } # a block may have blank lines
{ close_command(); why = "" }
END { close_command() }
