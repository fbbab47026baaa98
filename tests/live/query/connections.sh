#!/bin/bash
# connections.sh - views of connections over tests/programs/connects, of which it is known which
# came to be: attempts that were refused or given up are in those of attempts alone.
. tests/live/lib.sh
need_bpf; need jq
program=conns$$
cp "$B/tests/programs/connects" "$tmp/$program"
ask() { q -c "$tmp/$program; echo ended \$?" "use net; $1"; }
ask "count of tcpconnect where proc = $program by error"
same 'attempts, by what connect said' \
	"$(field '"\(if .error == "" then 0 else .error end)=\(.count)"' | sort | xargs)" \
	'0=19 ECONNREFUSED=8 EINPROGRESS=2'
grep -q '^ended 0' "$tmp/err" || not_ok "the program: $(head -n 3 "$tmp/err")"
ask "pid, proc, local, peer, life of clients"
same 'opened: those that came to be, closed or not' "$(field .proc | sort | uniq -c | xargs)" \
	"20 $program"
same 'two processes, three listeners less the one that refuses' \
	"$(field .pid | sort -u | wc -l) $(field .peer | sort -u | wc -l)" '2 2'
same 'each from a port of its own' \
	"$(field 'select(.local | test(":[1-9]")) | .local' | sort -u | wc -l)" 20
same 'one of the two to a full listener took a second to come to be' \
	"$(jq -cs 'group_by(.peer) | map(map(.life) | [length, max >= 1000000000])[] | select(.[0] == 2)' "$tmp/out")" \
	'[2,true]'
same 'nothing is said of a scope that does not fit' "$(grep -c W-SCOPE "$tmp/err")" 0
ask "pid, local, peer of served where proc = $program"
same 'accepted, and closed by who did' "$(field .pid | sort | uniq -c | awk '{ print $1 }')" 20
same 'each with both ends' \
	"$(field 'select((.local | test(":[1-9]")) and (.peer | test(":[1-9]"))) | .pid' | wc -l)" \
	20
ask "sum(connects) as n of connect_latency($program)"
same 'times of calls that waited for it' "$(field .n)" 19
done_testing
