# document.awk - docs/generated/coverage.md from the verdicts of coverage.awk; -v set=, kernel=, date=, and brief=1 for one of another kernel's.
# Before them, lines may say what the kernel does not cover, by tabs: uncovered, way, reason.
BEGIN { FS = "\t" }
$1 == "stray" { stray++ }
$1 == "uncovered" { uncovered[$2] = $3 }
$1 != "cell" { next }
{
	w = $3
	if (!(w in at)) { at[w] = ++n; name[n] = w }
	if ($7 == "none") { none[w, $10]++; if (!((w, $10) in listed)) { listed[w, $10]; reasons[w] = reasons[w] (reasons[w] ? SUBSEP : "") $10 } next }
	if ($5 == "control") { controls++; if ($7 == "false") wrong[w]++; next }
	if ($7 == "refused") { refused[w]++; why[w] = $10; next }
	m = split("length " $4 "," $5 "," "size " $6, c, ",")
	hit = $7 == "seen" # in one row, of the right operation, at the right place; whatever else is listed at the end
	for (i = 1; i <= m; i++) { all[w, c[i]]++; if (hit) got[w, c[i]]++ }
	if (w in uncovered) { untold++; next }
	cells[w]++; total++
	if (hit) { found[w]++; seen++ }
	if ($7 ~ /^(false|other)/) wrong[w]++
	if ($9 == 1) { paper[w]++; papers++ }
	if ($7 != "seen") odd[++odds] = w ", tag of " $4 " bytes, " $5 ", size " $6 ": " $7
}
function percent(n) { return total ? int(1000 * n / total) / 10 : 0 } # 100 only if it is all
function explain() {
	print "A cell is one payload with one tag in it, moved through one way by one quiet process: it does nothing else with that payload, and moves no other"
	print "([tests/programs/ways/ways.c](../../tests/programs/ways/ways.c)). Tags have 4, 6, 16 or 64 bytes; payloads have 64, 4,096, 65,536 or 1,048,576; the tag lies at"
	print "the start, in the middle, at the end, or over two calls (straddle). Payload is noise, sown with near misses: tags with one byte"
	print "changed. Vectored calls have 8 buffers (`-iov1024`: 1024), and the middle of the payload is where two of them meet; the same for"
	print "the messages of sendmmsg and recvmmsg on a stream. Each tag must come in exactly one row, with the right name of the operation (of mapped"
	print "files, at least one: their pages may be looked at again); any other row with a tag is a false one. Numbers are seen/cells.\n"
	print "No cell changes a page that is known to hold no tag without a trace in its file. A write to the device beneath a file system, a call of"
	print "XFS that keeps the time of change, or DMA into a mapping that is gone would be missed ([tags.md](../language/tags.md#pages-that-are-known)).\n"
	print "**Paper**: how many cells the set of calls of the published tool, LAASER-ttag, would have seen: the system calls read, write, sendmsg and"
	print "recvmsg, one buffer at a time, with nothing kept from call to call. This is derived, not measured: a cell counts if the way's call is one"
	print "of the four and the whole tag lies in one buffer of one call, which the plan of the cells knows. It is the most that set could see: any depth"
	print "into a buffer and any number of buffers are granted, and read and write count on pipes and sockets too.\n"
}
function cell(w, k) { return all[w, k] ? got[w, k] + 0 "/" all[w, k] : "" }
END {
	for (i = 1; i <= n; i++) wrongs += wrong[name[i]]
	print brief ? "# Coverage on Linux " kernel "\n" : "# Coverage: every way that payload moves\n"
	print "<!-- made by `make coverage" (brief ? "-vm" : "") "`: do not edit -->\n"
	print "Linux " kernel (date ? ", run on " date : "") ". " seen " of " total " cells seen (" percent(seen) " %), " wrongs + stray + 0 " false. " controls " controls without a tag."
	print "The paper's calls would have seen " papers " of the same cells (" percent(papers) " %)."
	if (untold) print untold " cells more are of ways that this kernel does not tell: no query for tags sees them, `runnel doctor` says so, and the ledger counts them as uncovered."
	print brief ? "In a virtual machine of emulated processors. What a cell is: [coverage.md](coverage.md).\n" : ""
	if (!brief) explain()
	print "| way | cells | 4 B | 6 B | 16 B | 64 B | 64 | 4 Ki | 64 Ki | 1 Mi | start | middle | end | straddle | false | paper |"
	print "|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|"
	for (i = 1; i <= n; i++) {
		w = name[i]
		if (w in uncovered) { print "| " w " | not covered: " uncovered[w] " | | | | | | | | | | | | | | |"; continue }
		if (!cells[w] && !refused[w]) { print "| " w " | not searched: " reasons[w] " | | | | | | | | | | | | | | |"; unsearched[w]; continue }
		if (refused[w] && !cells[w]) { print "| " w " | not done by this machine: " why[w] " | | | | | | | | | | | | | | |"; continue }
		print "| " w " | " found[w] + 0 "/" cells[w] + 0 " | " cell(w, "length 4") " | " cell(w, "length 6") " | " cell(w, "length 16") " | " cell(w, "length 64") " | " cell(w, "size 64") " | " cell(w, "size 4096") " | " cell(w, "size 65536") " | " cell(w, "size 1048576") " | " cell(w, "start") " | " \
			cell(w, "middle") " | " cell(w, "end") " | " cell(w, "straddle") " | " wrong[w] + 0 " | " paper[w] + 0 " |"
	}
	print "\n## Cells that there are not\n"
	print "| way | cells | why |\n|---|---|---|"
	for (i = 1; i <= n; i++) {
		if (name[i] in unsearched) continue
		m = split(reasons[name[i]], r, SUBSEP)
		for (j = 1; j <= m; j++) print "| " name[i] " | " none[name[i], r[j]] " | " r[j] " |"
	}
	if (odds) {
		print "\n## Cells that were not as they should be\n"
		for (i = 1; i <= odds && i <= 200; i++) print "* " odd[i]
		if (odds > 200) print "* and " odds - 200 " more"
	}
}
