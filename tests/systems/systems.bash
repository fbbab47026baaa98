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
ask() { # QUERY: runs until `answer`
	"$RN" -o json "$1" >"$tmp/out" 2>"$tmp/err" </dev/null & asked=$!
	lab_await "the query to watch" settled $asked || { not_ok "the query does not watch"; cat "$tmp/err"; exit 1; }
}
answer() { # ends the query; its rows are in $tmp/out
	kill -TERM $asked; wait $asked
	same 'the query ends well' "$?" 0
	same 'nothing lost' "$(lost)" 0
}
# Rows as one line each, for the log.
show() { jq -r '[.hop, .from, .node, .proc, .pid, .name, .dir, .object, .bytes] | map(tostring) | join("  ")' "$tmp/out"; }
# The first hop that CONDITION is true of; 0 if there is none.
hop() { jq -s "[.[] | select($1) | .hop][0] // 0" "$tmp/out"; }
# There is a hop for each of the conditions, in this order of hops, and each comes from the one before.
chain() { # WHAT CONDITION...
	local what=$1 c h was= list= from= want=; shift
	for c; do
		h=$(hop "$c"); list="$list $h"
		[ "$h" -gt 0 ] || not_ok "$what: no hop with $c"
		[ -z "$was" ] || { from="$from $(jq "select(.hop == $h) | .from" "$tmp/out")"; want="$want $was"; }
		was=$h
	done
	same "$what: in order" "$list" " $(tr ' ' '\n' <<<"$list" | grep . | sort -n | paste -sd' ')"
	same "$what: each from the one before" "$from" "$want"
}
failed() { not_ok "$*"; exit 1; }
