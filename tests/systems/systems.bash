# systems.bash - for the tests of real systems: `. tests/systems/systems.bash` first. They are unmodified, run on the nodes of a
# lab, and are asked by a query that knows nothing of them.
. tests/live/lib.sh
. tests/lab.bash
RN_LAB_WAIT=${RN_LAB_WAIT:-240}
need_bpf; need jq
why=$(lab_possible) || skip_all "$why"
# The lab is up, and each node of it has an agent when it is asked.
cluster() {
	local i
	lab_up 3 || return
	for i in 1 2 3; do echo "node$i exec: nsenter -t $(lab_holder node$i) -n -m -u -- $RN agent --stdio --scope netns"; done >"$tmp/hosts"
}
tag=fix283
asked=

ask() { # QUERY...: they run until `answer`
	local n= q
	asked=
	for q; do
		"$RN" -v -o json -H "$tmp/hosts" "$q" >"$tmp/out$n" 2>"$tmp/err$n" </dev/null & asked="$asked $!"
		lab_await 'the query to watch' grep -q '^attached: 3 of 3 nodes' "$tmp/err$n" || { cat "$tmp/err$n"; failed 'the query watches'; }
		n=$((n + 1))
	done
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
# What node A does with a connection between it and node B, of which both ends are found.
ends() { echo ".node == \"node$1\" and .match == \"exact\" and (.object | test(\"^$lab_net.$1:.* -> $lab_net.$2:\"))"; }
at() { echo ".node == \"node$1\""; }
failed() { not_ok "$*"; exit 1; }
