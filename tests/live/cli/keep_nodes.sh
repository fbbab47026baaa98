#!/bin/bash
# keep_nodes.sh - a view is kept running over two nodes, one of which dies and comes back. The
# windows say so as they come, as text, as JSON and to Prometheus. Counters go on, and at the end
# the ledger agrees with them.
. tests/cli/lib.bash
need_bpf
# The second node says which process it is; it does not begin while there is a file `closed`.
printf '#!/bin/sh\n[ ! -e %s ] || { echo "out of order" >&2; exit 1; }\necho $$ >%s\nexec %s agent --stdio\n' \
	"$tmp/closed" "$tmp/agent" "$RN" >"$tmp/two"
chmod +x "$tmp/two"
printf 'one local:\ntwo exec: %s\n' "$tmp/two" >"$tmp/hosts"
me=nodedd$$ # nobody else on this machine is called so
cp "$(command -v dd)" "$tmp/$me"
run -q 'view moved := count as calls of write where proc = '$me' by node; view mine := count as processes of processes by node'
same views "$rc" 0
(while :; do "$tmp/$me" if=/dev/zero of=/dev/null bs=1 count=10 2>/dev/null; sleep 0.02; done) &
busy=$!

nodes() { grep -cE "^window before [0-9:.]*: $1" "$tmp/err"; }
says() { [ "$(nodes "$1")" -ge "$2" ]; }
kill_two() { touch "$tmp/closed"; kill -9 "$(cat "$tmp/agent")"; }
# Why it is missing: how it ended, if that is known by then, or what it said when it was tried
# again. On a machine under load the other node may have been behind for a while: then the windows
# say that too.
why='(.*Killed|.*the other side has gone|.*out of order)'
without() { sed -n 's/^window before [0-9:.]*: without //p' "$tmp/err"; }

# as text
begin -v -H "$tmp/hosts" watch moved --every 200ms
await says '[0-9,]* seen, [0-9,]* matched, 2 of 2 nodes$' 3; same both $? 0
kill_two
await says "without 1 of 2 nodes: two: $why" 1; same one-dies $? 0
await says '.* 1 of 2 nodes$' 3; same told-once "$? $(without | uniq -d)" "0 "
rm "$tmp/closed"
await says 'with all 2 nodes again$' 1; same comes-back $? 0
end INT; same ended $rc 0
same ledger "$(grep -c '^  node two did not answer to the end: .*; its windows before .* are whole; it is in the answer from ' "$tmp/err")" \
	1

# the same two below a relay: that they are two, the relay says, and which of them is missing
printf 'rack relay: %s\n' "$tmp/hosts" >"$tmp/racks"
begin -v -H "$tmp/racks" watch moved --every 200ms
await says '[0-9,]* seen, [0-9,]* matched, 2 of 2 nodes$' 3; same relay-both $? 0
kill_two
await says 'without 1 of 2 nodes: rack \(1 of 2 nodes\): not all nodes below it answer: two \(' 1
same relay-one-dies "$?" 0
rm "$tmp/closed"
end INT; same relay-ended $rc 0

# as JSON: a line for each window that is not whole; what they count together is in the ledger
begin -v -o json -H "$tmp/hosts" watch moved --every 200ms
windows() { [ "$(grep '"before"' "$tmp/err" | jq -c "select($1)" | wc -l)" -ge "$2" ]; }
await windows '.whole == 2 and .seen > 0' 3; kill_two
await windows '.whole == 1 and .nodes == 2 and (.missing.two | test("'"$why"'"))' 3
same json-missing $? 0
rm "$tmp/closed"; await windows '.whole == 2 and .missing == {}' 10; same json-whole $? 0
end INT
same json-counts "$(jq -s '[.[] | .seen // empty] | add' <(grep '"before"' "$tmp/err") | jq --slurpfile l <(grep '"ledger"' "$tmp/err") \
	'. > 0 and . <= $l[0].ledger.seen and $l[0].ledger.matched > 0')" true

# a table, read again each time: also while no node is there
begin -o json -H "$tmp/hosts" watch mine --every 200ms
reads() {
	[ "$(jq -r "select(.node == \"$1\") | .window" "$tmp/out" 2>/dev/null | sort -u | wc -l)" \
		-ge "$2" ]
}
await reads two 2; kill_two
await windows '.whole == 1 and .missing.two' 2; same table-missing $? 0
rm "$tmp/closed"; before=$(grep -c two "$tmp/out")
again() { [ "$(grep -c two "$tmp/out")" -gt "$before" ]; }
await again; same table-comes-back $? 0
end INT
printf 'two exec: %s\n' "$tmp/two" >"$tmp/only"
begin -o json -H "$tmp/only" watch mine --every 200ms
await reads two 2; kill_two
await windows '.whole == 0 and .nodes == 1' 2; same table-of-nobody $? 0
rm "$tmp/closed"; before=$(grep -c two "$tmp/out"); await again; same table-goes-on $? 0
end INT; same table-ended $rc 0

# served
command -v curl >/dev/null || {
	kill $busy
	wait $busy 2>/dev/null
	skip "curl is not installed"
	done_testing
}
begin -H "$tmp/hosts" export moved --prometheus :0 --every 200ms
metric() {
	url=$(sed -n 's/^serving //p' "$tmp/err")
	[ -n "$url" ] && curl -s "$url" >"$tmp/metrics" && grep -qE "$1" "$tmp/metrics"
}
# both of one window
whole() { metric "$1" && grep -qF "runnel_window_nodes{state=\"whole\"} $2" "$tmp/metrics"; }
await whole '^runnel_moved_calls\{node="two"\} [1-9]' 2; same served $? 0
same all-whole "$(grep -E '^runnel_(window_nodes|node_in_window)\{' "$tmp/metrics" | tr '\n' ';')" \
	'runnel_window_nodes{state="whole"} 2;runnel_window_nodes{state="missing"} 0;runnel_node_in_window{node="one"} 1;runnel_node_in_window{node="two"} 1;'
seen=$(sed -n 's/^runnel_events_seen_total //p' "$tmp/metrics"); kill_two
await whole '^runnel_node_in_window\{node="two"\} 0' 1
same dead-node "$? $(grep -E '^runnel_window_nodes\{' "$tmp/metrics" | tr '\n' ';')" \
	'0 runnel_window_nodes{state="whole"} 1;runnel_window_nodes{state="missing"} 1;'
await metric '^runnel_moved_calls\{node="one"\}'
same the-other-goes-on "$? $(grep -c '^runnel_moved_calls{node="two"}' "$tmp/metrics")" "0 0"
same counters-go-on \
	"$(($(sed -n 's/^runnel_events_seen_total //p' "$tmp/metrics") >= seen)) $((seen > 0))" \
	"1 1"
# (what came too late for its window is the machine's doing: it was busy)
same losses "$(grep '^runnel_incomplete_total{cause=' "$tmp/metrics" | grep -v '"late"' | grep -c ' 0$') $(grep '^runnel_incomplete_total' "$tmp/metrics" | grep -v '"late"' | grep -vc ' 0$')" \
	"$(($(grep -c '^runnel_incomplete_total' "$tmp/metrics") - 1)) 0"
if command -v promtool >/dev/null; then
	promtool check metrics <"$tmp/metrics" >"$tmp/lint" 2>&1
	same promtool "$? $(cat "$tmp/lint")" "0 "
else skip "promtool is not installed (package prometheus)"; fi
rm "$tmp/closed"
await metric '^runnel_window_nodes\{state="missing"\} 0'
same back-in-metrics $? 0
end TERM; same export-ended $rc 0
kill $busy; wait $busy 2>/dev/null
done_testing
