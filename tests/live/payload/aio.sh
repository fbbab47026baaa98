#!/bin/bash
# Tags in what io_submit was given to write and io_getevents tells was read, with file and process;
# what no call tells is counted.
. tests/live/lib.sh
need_bpf; need jq
AIO=$PWD/$B/tests/programs/aio
{ printf '%100sfix283%990s' '' ''; head -c 7096 /dev/zero; } >"$tmp/in"
"$AIO" read "$tmp/in" "$tmp/copy" fix283 2>"$tmp/why" ||
	skip_all "no asynchronous I/O on this machine: $(cat "$tmp/why")"
covered() {
	grep '"ledger"' "$tmp/err" |
		jq -r '.ledger.nodes[0].paths.aio | "\(.calls) \(.bytes_seen) \(.bytes_seen - .bytes_scanned) \(.faulted) \(.uncovered)"'
}
try() { # HOW OP CALL FILE BYTES COVERED
	# shellcheck disable=SC2086
	q -c "$AIO $1 $2 $tmp/in $tmp/copy fix283" 'events of tag fix283, nothere where proc = aio'
	[ $? != 77 ] || {
		skip "$1 $2: $(grep -v '"ledger"' "$tmp/err" | head -1)"
		return
	}
	same "$1 $2: found once" "$(field '"\(.name) \(.proc) \(.tags) \(.file) \(.bytes)"')" \
		"$3 aio fix283 $4 $5"
	same "$1 $2: all of it was searched" "$(covered)" "$6"
}
try '' write io_submit "$tmp/copy" 4096 '2 4096 0 0 0'
if [ -n "${RN_TEST_SMALL:-}" ]; then
	try '' readv io_getevents "$tmp/in" 4096 '2 4096 0 0 0'
	done_testing
fi
try '' writev io_submit "$tmp/copy" 4096 '2 4096 0 0 0'
try '' read io_getevents "$tmp/in" 4096 '2 4096 0 0 0'
try '' readv io_getevents "$tmp/in" 4096 '2 4096 0 0 0'
try '' pread io_pgetevents "$tmp/in" 4096 '2 4096 0 0 0'
try direct write io_submit "$tmp/copy" 4096 '2 4096 0 0 0'
try direct read io_getevents "$tmp/in" 4096 '2 4096 0 0 0'
try '' split io_submit "$tmp/copy" 4096 '2 4096 0 0 0'
q -c "$AIO both $tmp/in $tmp/copy fix283" 'events of tag fix283 where proc = aio'
same 'a write and a read in one call' "$(field '"\(.name) \(.file) \(.bytes)"' | paste -sd' ')" \
	"io_submit $tmp/copy 4096 io_getevents $tmp/in 4096"
q -c "$AIO ring $tmp/in $tmp/copy fix283" 'count of tag fix283 where proc = aio'
same 'a completion that no call told is counted' "$(field .count) $(covered)" '0 1 0 0 0 1'
q -c "$AIO both $tmp/in $tmp/copy fix283" \
	'count, sum(bytes) of io where proc = aio and (name = io_submit or name = io_getevents) by name'
same 'a part of io' "$(field '"\(.name) \(.count) \(."sum(bytes)")"' | sort | paste -sd' ')" \
	'io_getevents 1 4096 io_submit 1 4096'
q -c "$AIO read $tmp/in $tmp/copy fix283" 'count of tag nothere where proc = aio'
same 'no false hit' "$(field .count)" 0
done_testing
