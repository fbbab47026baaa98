#!/bin/bash
# Agents die while flows are drawn: one whose hops were seen, and one that had none. Each format
# names both nodes and says that they are incomplete; the one without a hop has its place, too.
. tests/live/lib.sh
. tests/support/lab.bash
need_bpf; need jq nc
why=$(lab_possible) || skip_all "$why"
t=$tmp/t; mkdir "$t"
TAG=drawn$$
formats='timeline tree svg dot html'
lab_up 3 || set_up_failed 'the lab'
for i in 1 2 3; do
	echo "node$i exec: nsenter -t $(lab_holder node$i) -n -m -u -- $RN agent --stdio --scope netns"
done >"$t/hosts"
for f in $formats; do
	LC_ALL=C.UTF-8 "$RN" -v -H "$t/hosts" -o "$f" -O "$t/flow.$f" "flow of tag $TAG" \
		>"$t/$f.out" 2>"$t/$f.err" </dev/null &
	echo $! >"$t/$f.pid"
done
# shellcheck disable=SC2317 # called by lab_await
attached_all() {
	local f
	for f in $formats; do grep -qs '^attached' "$t/$f.err" || return; done
}
lab_await 'attached' attached_all || set_up_failed 'the queries'
on 2 nc -l -N $lab_net.2 7001 >"$t/got" & got=$!
echo "$TAG" >"$t/in"
lab_await 'a listener' on 1 sh -c "nc -N node2 7001 <$t/in" && wait $got || set_up_failed 'the work'
agents_of() { # N: agents of that node, which queries here have begun
	local p
	for p in $(node_pids "$1"); do
		grep -qszxF agent "/proc/$p/cmdline" && echo "$p"
	done
}
for i in 2 3; do
	agents_of $i >"$t/agents$i"
	same "agents of node$i, one for each query" "$(wc -l <"$t/agents$i")" 5
	# shellcheck disable=SC2046 # a list
	kill -9 $(cat "$t/agents$i")
done
for f in $formats; do kill -TERM "$(cat "$t/$f.pid")"; done
for f in $formats; do
	wait "$(cat "$t/$f.pid")"
	same "$f: the ledger names both" "$(grep -oE 'node node[23]( did not|:)' "$t/flow.$f" |
		cut -c6-10 | sort -u | paste -sd' ')" 'node2 node3'
done
count() { grep -cE "$1" "$t/flow.$2"; } # PATTERN FORMAT: lines that have it
same 'timeline: a column for each node' "$(count '^ +node1 +node2 +node3$' timeline)" 1
same 'timeline: two are incomplete' "$(count '^ +incomplete +incomplete$' timeline)" 1
same 'tree' "$(count '^╳ node[23] incomplete: ' tree)" 2
same 'svg: two nodes are hatched' "$(count '<rect class="lacks"' svg)" 2
same 'svg: their names' \
	"$(count '<text class="strong".*>node[23]( \(incomplete: .*)?</text>' svg)" 2
same 'dot' "$(count 'label="node[23]\\nincomplete: .*color=red' dot)" 2
sed -n '/<script type="application\/json"/,/<\/script>/p' "$t/flow.html" | sed '1d;$d' >"$t/data"
same 'html' "$(jq -c '[.complete, (.nodes[] | select(.[1]) | .[0])]' "$t/data")" \
	'[false,"node2","node3"]'
same 'html: a hop of another node' \
	"$(jq '[.boxes[] | select(.[0] == 0)] | length > 0' "$t/data")" true
done_testing
