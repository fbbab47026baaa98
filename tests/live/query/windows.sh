#!/bin/bash
# The windows of a query add up to the whole: nothing counted twice, nothing lost between two
# halves.
. tests/live/lib.sh
need_bpf; need jq
(for _ in 1 2 3 4 5 6; do dd if=/dev/zero of=/dev/null bs=1 count=300000 2>/dev/null; done) &
noise=$!
for every in 1s 200ms 50ms; do
	# longer, if it was held up over so many windows that they became few
	for times in 30 100 300; do
		q -c "$CALLS threads=2 times=$times pause=100 getppid=10000" \
			"count of syscall where proc = calls and name = getppid by proc, name every $every"
		[ "$(wc -l <"$tmp/out")" -gt 2 ] && break
	done
	same "every $every: sum of windows" "$(jq -s 'map(.count) | add' "$tmp/out") lost $(lost)" \
		"$((20000 * times)) lost 0"
	same "every $every: more than one window" "$(jq -s 'length > 2' "$tmp/out")" true
done
kill $noise 2>/dev/null; wait $noise 2>/dev/null
"$CALLS" times=100000 pause=20 getppid=1000 & pid=$!
# Again, if it closed a window late, or the program stood still for the whole of one; where it
# always does, there are fewer.
for _ in 1 2 3 4 5 6 7 8; do
	q "count of syscall where pid = $pid and name = getppid by proc, name every 1s for 3s"
	rc=$?
	late=$(jq -s '.[-1].ledger.nodes[0].edge >= 500000000' "$tmp/err") rows=$(wc -l <"$tmp/out")
	[ "$late" = false ] && [ "$rows" -ge 3 ] && break
done
kill $pid; wait $pid 2>/dev/null
ran=$(jq -s '.[-1].ledger.nodes[0] | (.end - .begin) / 1000000000 | round' "$tmp/err")
same 'for 3s ends by itself' "$rc $((ran >= 3 && rows >= 1 && rows <= ran + 2))" '0 1'
# A query that is held up closes its window late: it says by how much.
"$CALLS" times=100000 pause=10 getppid=10 & pid=$!
timeout 400 "$RN" -o json "count of syscall where pid = $pid and name = getppid by proc every 1s" \
	>"$tmp/out" 2>"$tmp/err" &
query=$!
more() { [ "$(wc -l <"$tmp/out")" -gt "$1" ]; }
await more 0 # the first window has been shown
runnel=$(pgrep -P $query -x runnel)
kill -STOP "$runnel"; sleep 2.5; n=$(wc -l <"$tmp/out"); kill -CONT "$runnel"
await more "$n"; kill -INT "$runnel"
wait $query; kill $pid 2>/dev/null; wait $pid 2>/dev/null
same 'a window that was closed late is told' \
	"$(jq -s '.[-1].ledger.nodes[0].edge > 1000000000' "$tmp/err")" true
done_testing
