#!/bin/bash
# areas.sh - one call may end many writable mappings. Each is an operation of its own, up to a
# limit; what is beyond it is counted.
. tests/live/lib.sh
need_bpf; need jq
areas=$PWD/$B/tests/programs/areas tag=zqAREAS77
"$RN" doctor 2>/dev/null | grep -q 'tags in files written through memory *ok' ||
	skip_all 'this kernel does not tell of files written through memory'
for n in 1 2 15 16 17 20; do
	q -c "$areas $tmp/f $n $tag" "count of tag $tag where proc = areas and name = mmap_write"
	same "$n areas" "$(field .count) $(grep '"ledger"' "$tmp/err" |
		jq '.ledger.nodes[0].paths.mmap.uncovered')" \
		"$((n < 16 ? n : 16)) $((n > 16 ? n - 16 : 0))"
done
done_testing
