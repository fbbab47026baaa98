# coverage.awk - holds what a query saw against what a plan of `ways` planted.
#
# usage: awk -f tests/coverage/coverage.awk [-v check_places=1] PLAN RESULTS ROWS
#   RESULTS: lines of `ways run`; ROWS: name, tag, "tag@position ..." of each row, by tabs (position: "-" if the version has none)
# Prints a line for each cell, by tabs: cell, id, way, length of the tag, place, size, verdict, rows, seen by the paper's calls, reason, cuts.
# A row with a tag that is not of its batch prints as `stray`. The verdicts:
#   seen, missed, false (a tag that must not be there), other:NAME (seen in another operation as well), twice, place:GOT,WANT, none (the
#   way has no such cell), refused (by this machine), failed, unrun
BEGIN { FS = OFS = "\t" }
function relative(list, at,   c, k, i, out) { # where calls end, counted from the tag's first byte
	if (list == "-") return "-"
	k = split(list, c, ",")
	for (i = 1; i <= k; i++) out = out (i > 1 ? "|" : "") c[i] - at
	return out
}
FILENAME == ARGV[1] {
	ids[++n] = $1; batch[$1] = $2; way[$1] = $3; op[$1] = $4; len[$1] = $5; pos[$1] = $6; size[$1] = $8; expect[$1] = $11; paper[$1] = $12
	want[$1] = $13; cuts[$1] = relative($9, $7); none[$1] = $14; paged[$1] = $15
	roles = split($10, t, ",")
	for (i = 1; i <= roles && $2 >= 0; i++) { owner[$2 SUBSEP t[i]] = $1; role[$2 SUBSEP t[i]] = i }
	next
}
FILENAME == ARGV[2] { status[$1] = $2; why[$1] = $5; next }
{ # batch, name, tags, hits
	k = split($3, t, ",")
	for (i = 1; i <= k; i++) {
		key = $1 SUBSEP t[i]
		if (!(key in owner)) { print "stray", $0; continue }
		id = owner[key]
		if ($2 != op[id]) { other[key]++; example[id] = $2; continue }
		rows[key]++
		h = split($4, hit, " ")
		for (j = 1; j <= h; j++)
			if (index(hit[j], t[i] "@") == 1)
				place[key] = substr(hit[j], length(t[i]) + 2)
	}
}
END {
	for (c = 1; c <= n; c++) {
		id = ids[c]
		verdict = "seen"; total = 0
		if (batch[id] < 0) verdict = "none"
		else if (!(id in status)) verdict = "unrun"
		else if (status[id] != "ok") verdict = status[id]
		results[id] = verdict
	}
	for (key in owner) {
		id = owner[key]
		if (results[id] != "seen") continue
		e = substr(expect[id], role[key], 1)
		r = rows[key] + 0
		count[id] += r
		if (e == "1" && r == 0) bad[id] = "missed"
		else if (e == "0" && r + other[key] > 0) bad[id] = "false"
		else if (other[key] + 0 > 0 && bad[id] != "missed") bad[id] = "other:" example[id]
		else if (e == "1" && r > 1 && paged[id] != "paged" && bad[id] == "") bad[id] = "twice"
		else if (check_places && (key in place) && want[id] != "-" && place[key] != want[id] && bad[id] == "") bad[id] = "place:" place[key] "," want[id]
	}
	for (c = 1; c <= n; c++) {
		id = ids[c]
		v = results[id]
		if (v == "seen" && bad[id] != "") v = bad[id]
		if (v == "none" || v == "refused" || v == "failed") reason = v == "none" ? none[id] : why[id]
		else reason = "-"
		print "cell", id, way[id], len[id], pos[id], size[id], v, count[id] + 0, paper[id], reason, cuts[id]
	}
}
