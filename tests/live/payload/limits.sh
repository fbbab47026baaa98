#!/bin/bash
# The limits of the tag search: nothing within them is missed, and what is beyond them is counted.
. tests/live/lib.sh
need_bpf; need jq
SEG=$PWD/$B/tests/programs/segments
paths() { grep '"ledger"' "$tmp/err" | jq -c "[.ledger.nodes[].paths | $1] | add"; }
for at in 0 6 4090 8180 8186; do # the 1,024 iovecs that the kernel takes, a tag across some of them
	q -c "$SEG iovecs 1024 $at" 'hits of tag fix283 where proc = segments and name = writev'
	same "1024 iovecs, at $at" "$(field .hits)" "fix283@$at"
done
q -c "$SEG iovecs 1024 8184" 'count of tag fix283 where proc = segments and name = readv'
same 'scattered to 1024 iovecs' "$(field .count)" 1
for at in 0 500 1023; do
	q -c "$SEG messages 1024 $at" \
		'name, hits of tag fix283 where proc = segments and name = sendmmsg'
	same "1024 messages, in number $at" "$(field .hits)" "fix283@$((at * 16 + 5))"
done
# 1000 tags, and more found than have a place.
many=$(for i in $(seq 1000 1999); do printf '"t%d:", ' "$i"; done)
printf 't%d:' $(seq 1100 7 1240) >"$tmp/many"
q -c "dd if=$tmp/many of=/dev/null status=none" \
	"tags, hits of tag ${many%, } where proc = dd and name = write"
same '1000 tags: which' "$(field '.tags | split(",") | length')" 21
same '1000 tags: places of 16' "$(field .hits | tr ' ' '\n' | sed -n '1p;2p;16p' | paste -sd' ')" \
	't1100:@0 t1107:@6 t1205:@90'
same 'more than 16 are counted' \
	"$(grep '"ledger"' "$tmp/err" | jq '[.ledger.nodes[].truncated] | add >= 5')" true
# Data full of candidates: the rest of the call is counted as beyond the cap, and all bytes are
# accounted for.
q -c "$SEG adverse 1048576" 'count of tag "aaaaab", "aaaaac" where proc = segments and name = write'
same 'candidates everywhere: all is accounted for' \
	"$(paths '.other | .bytes_seen == .bytes_scanned + .beyond_cap')" true
same 'candidates everywhere: what was not searched is counted' \
	"$(paths '.other.beyond_cap > 500000')" true
q -c "$SEG adverse 4096" 'count of tag "aaaaab", "aaaaac" where proc = segments and name = write'
same 'a small call is searched all the same' "$(paths '.other.bytes_scanned > 0')" true
# Limits of the query.
q -c "$SEG writes 300000 3" 'count of tag fix283 scan 64KiB where proc = segments and name = write'
same 'scan 64KiB' "$(field .count) $(paths '[.other.bytes_scanned, .other.beyond_cap]')" \
	"3 [$((3 * 65536)),$((3 * (300000 - 65536)))]"
q -c "$SEG writes 1000000 100" \
	'count of tag fix283 scan 1MiB, 4MiB/s where proc = segments and name = write'
same 'scan 4MiB/s: the rest is counted' \
	"$(field '.count >= 4 and .count < 50') $(paths '.other | .bytes_seen == .bytes_scanned + .beyond_cap')" \
	'true true'
q -c "$SEG writes 8000000 1" 'count of tag fix283 scan 8MB where proc = segments and name = write'
same 'scan 8MB' "$(paths '[.other.bytes_scanned, .other.beyond_cap]')" '[8000000,0]'
done_testing
