# systems.bash - for the tests of real systems: `. tests/systems/systems.bash` first. They are unmodified, run on the nodes of a
# lab, and are asked by a query that knows nothing of them.
. tests/live/lib.sh
. tests/lab.bash
RN_LAB_WAIT=${RN_LAB_WAIT:-240}
need_bpf; need jq
why=$(lab_possible) || skip_all "$why"
# A tag of this run's own, that no file of ours holds: whatever else the machine does, and this script being read, is none of its hops.
tag=fix283n$$
asked=

# Probes of a process, and whether their number is above 0 and has been the same for a second: then the query watches.
links() { grep -ls link_type /proc/"$1"/fdinfo/* 2>/dev/null | wc -l; }
settled() {
	local n
	n=$(links "$1"); [ "$n" -gt 0 ] && sleep 1 && [ "$(links "$1")" = "$n" ]
}
ask() { # QUERY...: they run until `answer`
	local n= q
	asked=
	for q; do
		"$RN" -o json "$q" >"$tmp/out$n" 2>"$tmp/err$n" </dev/null & asked="$asked $!"
		n=$((n + 1))
	done
	for q in $asked; do lab_await 'the query to watch' settled "$q" || { not_ok 'the query does not watch'; cat "$tmp"/err*; exit 1; }; done
}
answer() { # ends the queries; rows of the first are in $tmp/out, those of the second in $tmp/out1
	local n= q
	kill -TERM $asked
	for q in $asked; do
		wait "$q"; same 'the query ends well' "$?" 0
		same 'nothing lost' "$(lost "$tmp/err$n")" 0
		n=$((n + 1))
	done
}
# Rows as one line each, for the log.
show() { jq -r '[.hop, .from, .match, .node, .proc, .pid, .name, .dir, .object, .bytes] | map(tostring) | join("  ")' "$tmp/out"; }
# The first hop that CONDITION is true of; 0 if there is none.
hop() { jq -s "[.[] | select($1) | .hop][0] // 0" "$tmp/out"; }
# There is a hop for each of the conditions, in this order.
hops_of() { # WHAT CONDITION...; leaves them in $hops
	local what=$1 c h; shift
	hops=
	for c; do
		h=$(hop "$c"); hops="$hops $h"
		[ "$h" -gt 0 ] || not_ok "$what: no hop with $c"
	done
	same "$what: in order" "$hops" " $(tr ' ' '\n' <<<"$hops" | grep . | sort -n | paste -sd' ')"
}
# The same, and each comes from the one before.
chain() { # WHAT CONDITION...
	local h was= from= want=
	hops_of "$@"
	for h in $hops; do
		[ -z "$was" ] || { from="$from $(jq "select(.hop == $h) | .from" "$tmp/out")"; want="$want $was"; }
		was=$h
	done
	same "$1: each from the one before" "$from" "$want"
}
# Every hop is one of these.
no_others() { # CONDITION...
	local c any=false
	for c; do any="$any or ($c)"; done
	same 'no other hops' "$(jq -c "select(($any) | not)" "$tmp/out")" ''
}
# Both ends of a connection between two nodes, as the first of them sees it.
ends() { echo "(.object | test(\"^$lab_net.$1:.* -> $lab_net.$2:\"))"; }
failed() { not_ok "$*"; exit 1; }
