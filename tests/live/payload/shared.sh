#!/bin/bash
# shared.sh - memory that processes share without a file is searched once a second for all of them,
# and when the last one ends. The ledger counts a search as uncovered if it was put off and none
# followed.
. tests/live/lib.sh
need_bpf; need jq
sharers=$PWD/$B/tests/programs/sharers tag=zqSHARED77
mmap() { grep '"ledger"' "$tmp/err" | jq -c "[.ledger.nodes[0].paths.mmap | $1]"; }
"$RN" doctor 2>/dev/null | grep -q 'tags in files written through memory *ok' ||
	skip_all 'this kernel does not tell of files written through memory'
ask="count of tag $tag where proc = sharers and name = mmap_write"
q -c "$sharers 20 20 $tag" "$ask"
same 'twenty children end one after the other: the memory is not searched for each' \
	"$(mmap '.postponed > 0, .uncovered')" '[true,0]'
same 'each end is a search or was put off' \
	"$(($(field .count) + $(mmap .postponed | tr -d '[]')))" 21
q -c "$sharers 3 1300 $tag" "$ask"
same 'children that end after more than a second are searched each' \
	"$(field .count) $(mmap '.postponed, .uncovered')" '4 [0,0]'
"$sharers" 100 30 $tag & pid=$!
q -p $pid "$ask for 800ms"
same 'what was put off and not searched before the end is uncovered' \
	"$(mmap '.postponed > 0, .uncovered')" '[true,1]'
same 'and the answer is not complete' "$(grep '"ledger"' "$tmp/err" | jq .ledger.complete)" false
kill $pid
done_testing
