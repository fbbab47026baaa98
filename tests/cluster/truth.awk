# truth.awk - holds an answer about beats (tests/programs/events/beats.c) against what was done and what the ledger says. Prints what is wrong.
#
# Variables: every (ms; 0: no windows), base (ms, taken off all times), exact. With exact=1 each event is in the window of
# its time. With exact=0 windows end when the agent comes to it, so an event may be in an earlier one.
# Lines have times in ns:
#   L NODE ANSWERED BEGIN END UNTIL JOINED LATE    of the ledger; F NODE TIMES: how often it, or what it hangs on, was touched
#   B NODE NUMBER BEFORE AFTER                a beat
#   R WINDOW NODE NUMBER COUNT                a row of the answer
#
# If a node answered, all beats while it was attached are in the answer, once. If it was lost, those before `until` and
# those from `joined` on are. What else is there must be what some connection to it brought: runs without gaps that
# begin anywhere and end with a window. What came too late is counted.
function ms(ns) { return ns / 1e6 - base }
function wrong(text) { if (++errors <= 20) print "node " node ": " text }
function whole(from, to, k) { return from + tol < before[k] && after[k] < to - tol }
BEGIN { tol = 5; far = 1e18 }
$1 == "F" { touched[$2] += $3 }
$1 == "L" { told[$2] = 1; answered[$2] = $3 == "true"; begin[$2] = ms($4); end[$2] = ms($5); until[$2] = $6 > 0 ? ms($6) : -far; joined[$2] = $7 > 0 ? ms($7) : far; late[$2] = $8; any_late += $8 }
$1 == "B" { k = $2 SUBSEP $3; before[k] = ms($4); after[k] = ms($5); if ($3 > last[$2]) last[$2] = $3; nodes[$2] = 1 }
$1 == "R" {
	k = $3 SUBSEP $4; node = $3; rows++
	if (k in count) wrong("beat " $4 " is in two rows")
	count[k] += $5; window[k] = ms($2)
	if (!(k in before)) { wrong("a beat that was never: " $4); next }
	if ($5 != 1) wrong("beat " $4 " is counted " $5 " times")
	if (every && after[k] + tol < window[k]) wrong("beat " $4 " is in a window that begins after it")
	if (every && exact && before[k] - tol >= window[k] + every) wrong("beat " $4 " is in a window that ended before it")
}
END {
	for (node in nodes) {
		if (!told[node]) { wrong("the ledger does not name it"); continue }
		if (!exact && any_late && joined[node] < far) { # of a window that came late: it also held what was before the agent came to end it
			for (i = 1; i <= last[node] && !(before[node, i] >= joined[node] && (node SUBSEP i) in count); i++)
				;
			if (i <= last[node]) joined[node] = before[node, i] - tol
		}
		ended = answered[node] || joined[node] < far
		runs = 0; in_run = 0
		for (i = 1; i <= last[node]; i++) {
			k = node SUBSEP i
			covered = whole(begin[node], answered[node] ? end[node] : until[node], k) || whole(joined[node], end[node], k)
			if (covered && !(k in count)) { wrong("beat " i " is missing"); if (++missing == 5) break }
			if (covered) sure++
			if (k in count && !in_run) runs++
			if (in_run && !(k in count) && every && !any_late && after[k] + tol < w + every && !(ended && after[k] + tol >= end[node]))
				wrong("a window is not whole: it ends before beat " i)
			in_run = k in count
			if (in_run) w = window[k]
		}
		if (runs > (answered[node] ? 1 : 2 + touched[node]))
			wrong(runs " runs of beats, after it was touched " touched[node] " times")
		whole_nodes += answered[node]
	}
	if (errors) print errors " errors"
	printf "%d %d %d\n", rows, sure, whole_nodes >totals
}
