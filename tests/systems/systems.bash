# systems.bash - for the tests of real systems: `. tests/systems/systems.bash` first. They are
# unmodified, run on the nodes of a lab, and are asked by a query that knows nothing of them.
. tests/live/lib.sh
. tests/support/lab.bash
RN_LAB_WAIT=${RN_LAB_WAIT:-240}
need_bpf; need jq
why=$(lab_possible) || skip_all "$why"
# The lab is up, and each node of it has an agent when it is asked.
cluster() {
	local i
	lab_up 3 || return
	for i in 1 2 3; do
		echo "node$i exec: nsenter -t $(lab_holder node$i) -n -m -u -- $RN agent --stdio --scope netns"
	done >"$tmp/hosts"
}
tag=fix283
asked=

ask() { # QUERY...: they run until `answer`, or until this shell ends, however it ends
	local n= q
	asked=
	for q; do
		: >"$tmp/err$n"
		setpriv --pdeathsig TERM "$RN" -v -o json -H "$tmp/hosts" "$q" \
			>"$tmp/out$n" 2>"$tmp/err$n" </dev/null &
		asked="$asked $!"
		lab_await 'the query to watch' grep -q '^attached: 3 of 3 nodes' "$tmp/err$n" || {
			cat "$tmp/err$n"
			failed 'the query watches'
		}
		n=$((n + 1))
	done
}
answer() { # ends the queries; rows of the first are in $tmp/out, those of the second in $tmp/out1
	local n= q
	kill -TERM $asked
	for q in $asked; do
		wait "$q"; same 'the query ends well' "$?" 0
		same 'nothing lost' "$(lost "$tmp/err$n")" 0
		same 'three nodes answer' "$(grep '"ledger"' "$tmp/err$n" | jq '[.ledger.nodes[] | select(.answered)] | length')" \
			3
		n=$((n + 1))
	done
}
# Rows as one line each, for the log.
show() {
	jq -r '[.hop, .from, .match, .node, .proc, .pid, .name, .dir, .object, .bytes] | map(tostring) | join("  ")' \
		"$tmp/out"
}
# There is a hop that the last CONDITION is true of, and from it backwards, each comes from an
# earlier hop that the one before is true of.
chain() { # WHAT CONDITION...
	local what=$1 way=empty found i; shift
	for ((i = $#; i > 0; i--)); do
		if [ $i = $# ]; then
			way="\$all[]"
		else
			way="$way | .hop as \$h | .from as \$f | \$all[] | select(.hop == \$f and .hop < \$h)"
		fi
		way="$way | select(${!i})"
		found=$(jq -s ". as \$all | [$way] | length" "$tmp/out")
		[ "${found:-0}" -gt 0 ] || {
			not_ok "$what: of $# hops, the one with ${!i} does not lead to the next"
			return
		}
	done
	ok "$what: $# hops"
}
# Every hop is one of these.
no_others() { # CONDITION...
	local c any=false
	for c; do any="$any or ($c)"; done
	same 'no other hops' "$(jq -c "select(($any) | not)" "$tmp/out")" ''
}
# What node A does with a connection between it and node B, of which both ends are found.
ends() {
	echo ".node == \"node$1\" and .match == \"exact\" and (.object | test(\"^$lab_net.$1:.* -> $lab_net.$2:\"))"
}
at() { echo ".node == \"node$1\""; }
failed() { not_ok "$*"; exit 1; }
