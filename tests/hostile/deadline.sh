#!/bin/bash
# Nodes that keep to the protocol except for its end: they send on and on, whatever the coordinator
# says. The query ends by itself, with the rows of the good node; the ledger names the bad one. No
# time is measured: `timeout` only ends what would never end.
. tests/hostile/lib.bash
need jq
BAD=$B/tests/badagent
cd "$tmp" || exit 1
pids=
clean() {
	local p
	[ "$BASHPID" = $$ ] || return
	for p in $pids; do kill -9 "$p" 2>/dev/null; done
}
at_exit clean
# NAME MODE [LINE]: a good node and a bad one, which makes the file NAME.stop when it is to end
hosts() {
	printf '%s\ngood local:\nbad exec: %s %s %s # agent --stdio\n' "${3:-}" "$BAD" "$2" \
		"$tmp/$1.stop" >"$1.hosts"
}
# The first process of this shell's: a row that the good node must have. Its own status is no news.
mine=$$
ask() { # NAME QUERY: begins to ask, at most so long that nothing hangs
	timeout -k 5 240 "$RN" -H "$1.hosts" -v -o json "$2" >"$1.out" 2>"$1.err" </dev/null &
	pids="$pids $!"
	eval "pid_$1=$!"
}
# the program below timeout
asker() { local p; eval "p=\$pid_$1"; cut -d' ' -f1 "/proc/$p/task/$p/children"; }
over() { local p; eval "p=\$pid_$1"; wait "$p"; rc=$?; }
ledger() { grep '"ledger"' "$1.err" | jq -r ".ledger.nodes[] | select(.node == \"$2\") | $3"; }
# NAME WHAT REASON [interrupted]: it has ended well, and says of the bad node so; the good one may
# have been too slow for a signal
ends() {
	over "$1"
	same "$2: the query ends" "$rc" 0
	[ "${4:-}" ] || same "$2: the good node has answered" "$(ledger "$1" good '.answered')" true
	same "$2: the ledger names the bad one" \
		"$(ledger "$1" bad '.answered, .why' | paste -sd' ' | sed 's/ for [0-9]* s$//')" \
		"false $3"
}
late='its agent lives, but has not ended the query'
has() { # NAME WHAT FILTER: the good node's row is in the answer
	if [ "$(jq -c "select($3)" "$1.out" | wc -l)" -gt 0 ]; then
		ok "$2"
	else
		not_ok "$2"
		head -5 "$1.out" "$1.err"
	fi
}

# ---- hosts files ----
one() { # NAME LINE TEXT
	printf '%s\na local:\n' "$2" >h; "$RN" -H h 'count of processes' >out 2>err; rc=$?
	same "hosts file: $1" "$rc $(head -n 1 err)" "2 error: h:1: $3 [E-HOSTS]"
}
one 'no time' 'deadline' "\`deadline\` takes a time from 1s to 1h, as in: deadline 30s; not \`\`"
one 'no unit' 'deadline 30' \
	"\`deadline\` takes a time from 1s to 1h, as in: deadline 30s; not \`30\`"
one 'no time, but a size' 'deadline 30MB' \
	"\`deadline\` takes a time from 1s to 1h, as in: deadline 30s; not \`30MB\`"
one 'too short' 'deadline 10ms' \
	"\`deadline\` takes a time from 1s to 1h, as in: deadline 30s; not \`10ms\`"
one 'too long' 'deadline 2h' \
	"\`deadline\` takes a time from 1s to 1h, as in: deadline 30s; not \`2h\`"
one 'two words' 'deadline 3s 4s' \
	"\`deadline\` takes a time from 1s to 1h, as in: deadline 30s; not \`3s 4s\`"
printf 'deadline 1s\n[lab]\na local:\ndeadline 2s\n' >h; "$RN" -H h 'count of processes' >out 2>err
same 'hosts file: two of them' "$(head -n 1 err)" \
	"error: h:4: \`deadline\` stands in line 1 already [E-HOSTS]"
printf 'deadline local:\n' >h; "$RN" -H h 'count of processes' >out 2>err
same 'hosts file: a node may be called so' "$? $(grep -c count out)" '0 1'

# ---- ends that never come ----
hosts table drip 'deadline 1s'; ask table 'node, pid of processes'
hosts rows drip 'deadline 2s'; ask rows 'pid of processes every 500ms for 1s'
hosts groups drip 'deadline 2s'; ask groups 'count of processes by node every 500ms for 1s'
# with what holds without a line
hosts ordered drip
ask ordered 'pid, proc of processes order by proc, pid limit 2 every 500ms for 1s'
hosts scatter scatter 'deadline 2s'; ask scatter 'pid of processes order by pid every 1s for 1s'
# A relay has less time than its coordinator, so that what is below it is not lost.
printf 'below local:\nbad exec: %s drip # agent --stdio\n' "$BAD" >rack.file
printf 'deadline 12s\ngood local:\nrack relay: rack.file\n' >relay.hosts
ask relay 'count of processes by node every 500ms for 1s'
ends table 'a table' "$late"; has table 'a table: the row of this shell' ".pid == $mine"
ends rows 'rows' "$late"; has rows 'rows: the row of this shell' ".pid == $mine"
has rows 'rows: what came from the bad node in time' '.pid == 7'
ends groups 'groups' "$late"; has groups 'groups: a window of the good node' '.node == "good"'
ends ordered 'rows in order' "$late"
has ordered 'rows in order: rows of the good node' '.proc != "zz bad"'
ends scatter 'rows of thousands of windows' "$late"
has scatter 'rows of thousands of windows: the row of this shell' ".pid == $mine"
ends relay 'below a relay' "$late"
has relay 'below a relay: the good node there' '.node == "below"'
same 'below a relay: the relay is not lost' "$(ledger relay rack '.why' | wc -l)" 0

# ---- somebody does not want to wait ----
made() { [ -e "$1" ]; }
interrupted='it had not ended the query when the end was interrupted'
hosts term drip 'deadline 1h'; ask term 'pid of processes every 500ms for 1s'
await made term.stop; kill -TERM "$(asker term)"
ends term 'SIGTERM at the end' "$interrupted" interrupted
has term 'SIGTERM at the end: the row of this shell' ".pid == $mine"
hosts int drip 'deadline 1h'; ask int 'pid of processes every 500ms'
# the first one ends the query,
await grep -q "\"pid\": *$mine\b" int.out; runnel=$(asker int); kill -INT "$runnel"
# the second one the end
await made int.stop; kill -INT "$runnel"
ends int 'Ctrl-C, and again at the end' "$interrupted" interrupted
has int 'Ctrl-C at the end: the row of this shell' ".pid == $mine"
done_testing
