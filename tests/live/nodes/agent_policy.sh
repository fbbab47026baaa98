#!/bin/bash
# An agent ends a query that takes more than its node's policy allows, and says why; the answer so
# far is there. The policy also decides which clients may ask, and how many.
. tests/live/lib.sh
need_bpf; need jq
export RUNNEL_POLICY=$tmp/policy
printf 'n1 local:\n' >"$tmp/hosts"
load=
tidy_up() { [ -z "$load" ] || { kill "$load"; wait "$load"; } 2>/dev/null; }
at_exit tidy_up
why() { grep '"ledger"' "$tmp/err" | jq -r '.ledger.nodes[0] | "\(.answered) \(.why)"'; }
# Again where the load stood still meanwhile.
ask() {
	local _
	for _ in 1 2 3 4 5; do
		timeout 120 "$RN" -H "$tmp/hosts" -o json "$@" >"$tmp/out" 2>"$tmp/err"; rc=$?
		[ "$(grep '"ledger"' "$tmp/err" | jq .ledger.seen)" = 0 ] || return
	done
}
ended() { # WHAT KEY LIMIT QUERY TEXT
	printf '# the owner\n%s = %s\n' "$2" "$3" >"$tmp/policy"
	ask "$4"
	local said; said=$(why)
	if [[ $said == "false ended by the policy of this node: "$5*"$tmp/policy:2 [E-POLICY]" ]];
		then ok "$1"; else not_ok "$1: $said $(cat "$tmp/err")"; fi
}
"$CALLS" times=1000000 pause=1 getppid=200 >/dev/null 2>&1 & load=$!
ended 'too long' max_seconds 1 'count of getppid for 100s' \
	'the query has run * s, and 1 s is allowed'
same 'what there was until then is answered' "$(field '.count > 0')" true
ended 'too many events, grouped in the kernel' max_events 20 'count of getppid for 100s' \
	'the query sees '
ended 'too many events, rows' max_events 20 'time, pid of getppid for 100s' 'the query sees '
# Opening the query takes more than 1 MiB: if the watch looks before all nodes have begun, it is an
# error, else the end of the answer.
printf '# the owner\nmax_memory = 1\n' >"$tmp/policy"; ask 'count of getppid by pid for 100s'
grep -qE "ended by the policy of this node: the query holds [0-9]+ MiB, and 1 MiB is allowed: $tmp/policy:2 \[E-POLICY\]" \
	"$tmp/err" && ok 'too much memory' ||
	not_ok "too much memory: $(cat "$tmp/err")"
ended 'too much CPU' max_cpu 1 \
	'pid, time of syscall where user = "nobody" or name =~ "^getpp" for 100s' \
	'the query takes '
printf 'max_events = 100000000\nmax_seconds = 3600\nmax_cpu = 100000\nmax_memory = 100000\n' \
	>"$tmp/policy"
ask 'count of getppid for 1s'
same 'within all limits' "$rc $(why)" '0 true null'
printf 'max_groups = 2\n' >"$tmp/policy"
ask 'count of getppid by arg0, tid, time for 1s'
same 'more groups than the node allows are (other)' \
	"$(jq -s 'length <= 3' "$tmp/out") $(grep '"ledger"' "$tmp/err" | jq '.ledger.lost_map > 0')" \
	'true true'
printf 'ask = nobody@nowhere\n' >"$tmp/policy"
ask 'count of getppid for 1s'
same 'who may ask' "$rc $(grep -c "^error: node n1: the policy of this node does not let [^ ]*@[^ ]* ask: $tmp/policy:1 \[E-POLICY\]" "$tmp/err")" \
	'4 1'
printf 'ask = *@*\nclasses = write\n' >"$tmp/policy"
ask 'count of getppid for 1s'
same 'what may be asked for' "$rc $(grep -c "^query:1:10: error: node n1: .* of the class getppid: $tmp/policy:2 \[E-POLICY\]" "$tmp/err")" \
	'4 1'
same 'and where' "$(sed -n '2,3p' "$tmp/err")" $'  count of getppid for 1s\n           ^~~~~~~'
printf 'r relay:%s/hosts\n' "$tmp" >"$tmp/relay"
timeout 120 "$RN" -H "$tmp/relay" 'count of getppid for 1s' >"$tmp/out" 2>"$tmp/err"
same 'and behind a relay' "$? $(sed -n '1s/ error: .*//p; 3p' "$tmp/err")" \
	$'4 query:1:10:\n           ^~~~~~~'
ask 'count of between write and getppid on tid for 1s'
same 'so of each end of a pair' \
	"$rc $(grep -c "of the class getppid: $tmp/policy:2 \[E-POLICY\]" "$tmp/err")" '4 1'
ask 'count of between getppid and write on tid for 1s'
same 'whichever it is' \
	"$rc $(grep -c "of the class getppid: $tmp/policy:2 \[E-POLICY\]" "$tmp/err")" '4 1'
done_testing
