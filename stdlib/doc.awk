# doc.awk - docs/generated/stdlib.md from the modules: awk -f stdlib/doc.awk stdlib/*.rnl
#
# A module opens with `-- NAME.rnl - what it is about.`. Above a view stand a line `-- like: TOOL, TOOL; tutorial N, WHAT`
# if tools of others show the same, then its `--|` lines: a sentence, and a line for each parameter and column.
function cell(s) { gsub(/\|/, "\\|", s); return s }
# The parameters of a view's first line, as `name = default` each; n of them in p[], their names in of[].
function parameters(line, p, of,    s, k, n) {
	if (!match(line, /\([^)]*\)/) || RLENGTH < 3)
		return 0
	s = substr(line, RSTART + 1, RLENGTH - 2)
	n = split(s, p, /, */)
	for (k = 1; k <= n; k++) {
		of[k] = p[k]
		sub(/ *=.*/, "", of[k])
	}
	return n
}
function emit(line,    view, n, k, i, p, of, is, takes, shows, part, tools) {
	view = line
	sub(/^view /, "", view)
	sub(/\(.*/, "", view)
	n = parameters(line, p, of)
	for (k = 1; k <= n; k++)
		is[of[k]] = k
	for (i = 1; i <= docs; i++)
		if (name[i] in is)
			takes = takes (takes ? "<br>" : "") "`" p[is[name[i]]] "` " cell(text[i])
		else
			shows = shows (shows ? " " : "") "`" name[i] "`"
	row = "| `" view "` | " cell(sentence) " | " takes " | " shows " |"
	rows = rows row "\n"
	views++
	for (k = split(like, part, /; */); k > 0; k--)
		if (part[k] ~ /^tutorial /) {
			match(part[k], /[0-9]+/)
			i = substr(part[k], RSTART, RLENGTH)
			lesson[i + 0] = lesson[i + 0] (lesson[i + 0] ? ", " : "") "`" view "` of `" module "`"
			sub(/^[^,]*, */, "", part[k])
			about[i + 0] = part[k]
		} else if (part[k] != "") {
			for (i = split(part[k], tools, /, */); i > 0; i--)
				tool[tools[i]] = tool[tools[i]] (tool[tools[i]] ? ", " : "") "`" view "` of `" module "`"
		}
	like = sentence = ""
	docs = 0
}
function close_module() {
	if (module)
		tables = tables "## " module "\n\n" purpose "\n\n| view | shows | parameters | columns |\n|---|---|---|---|\n" rows "\n"
	rows = ""
}
FNR == 1 {
	close_module()
	module = FILENAME
	sub(/.*\//, "", module)
	sub(/\.rnl$/, "", module)
	purpose = $0
	sub(/^-- [a-z]*\.rnl - /, "", purpose)
	purpose = toupper(substr(purpose, 1, 1)) substr(purpose, 2)
	list = list (list ? " · " : "") "[" module "](#" module ")"
	next
}
/^-- like: / { like = substr($0, 10); next }
/^--\| / {
	s = substr($0, 5)
	if (sentence == "")
		sentence = s
	else if (match(s, /^[a-z0-9_]+: /)) {
		name[++docs] = substr(s, 1, RLENGTH - 2)
		text[docs] = substr(s, RLENGTH + 1)
	}
	next
}
/^view / { emit($0) }
function sorted(a, v,    k, n, i, j, t) {
	for (k in a)
		v[++n] = k
	for (i = 2; i <= n; i++)
		for (j = i; j > 1 && v[j] "" < v[j - 1] ""; j--) {
			t = v[j]
			v[j] = v[j - 1]
			v[j - 1] = t
		}
	return n
}
END {
	close_module()
	print "# The standard library\n"
	print "Views that come with `runnel`, written in its own language: the files `stdlib/*.rnl`. This page is made from them (`make docs/generated/stdlib.md`)."
	print views " views in " split(list, v, " · ") " modules: " list ".\n"
	print "    events of top_files for 5s"
	print "    events of slow_reads(2ms) for 1m"
	print "    time, proc, file of opensnoop where error = ENOENT\n"
	print "Each view is a source like an event class: with `where`, `limit`, `order by`, `for`, and aggregates of its columns. The"
	print "[cookbook](../cookbook.md) shows what some of them print. Values stand in"
	print "parentheses, in order or by name, as in `top_files(n = 5)`; what is left out has its default. `runnel list MODULE` lists the views of a"
	print "module. `runnel describe VIEW` says what each column is, and shows the query: to have it otherwise, copy it and change it. Views that"
	print "count answer when they end (Ctrl-C, or `for`).\n"
	print "A view of your own comes before one of the library with the same name. `use MODULE;` puts the views of a module first again.\n"
	print "`-c` and `-p` choose by the process that runs when an event happens. Of a wakeup that is the waker, of a switch who leaves the CPU, of a packet or a"
	print "request whoever was interrupted: views of `sched`, `net` and `io` about those have a parameter `who` instead, as `runqlat(\"nginx*\")`, or are of the whole machine.\n"
	printf "%s", tables
	print "## Coming from bpftrace and bcc\n"
	print "| one-liner of bpftrace's tutorial | here |\n|---|---|"
	print "| 1: listing probes | `runnel list`, `runnel list 'sched:*'`, `runnel describe NAME` |"
	for (i = 3; i <= 12; i++)
		if (i in lesson)
			print "| " i ": " about[i] " | " lesson[i] " |"
	print "\n| tool | view |\n|---|---|"
	n = sorted(tool, names)
	for (i = 1; i <= n; i++)
		print "| " names[i] " | " tool[names[i]] " |"
	print "\nThe numbers are those of bpftrace: `tests/peers/` runs both at once over the same program and compares. Where Runnel differs: events of system calls"
	print "are counted at their return, `proc` is the name of the process and not of the thread, the calls of `runnel` itself are left out."
}
