#!/bin/bash
# Full input and output on two threads under a tag query: memory stays flat, nothing fails, and the sums of answer and ledger are what the
# generator says it wrote. Then payload made to defeat the search: the limits hold, the ledger says so, nothing stalls.
#
#     tests/live/soak.sh [SECONDS]           10 without it; `make soak`: 600
. tests/live/lib.sh
need_bpf; need jq awk
seconds=${1:-10}; few=20; [ -n "${RN_TEST_SMALL:-}" ] && few=2
WAYS=$PWD/$B/tests/programs/ways
mkdir -p "$tmp/files"
ledger() { grep '"ledger"' "$tmp/err" | jq -r ".ledger.$1"; }

where="proc = ways and (file ~ \"$tmp/files/*\" or file ~ \"pipe:*\")"
"$RN" -o json -c "$WAYS load $seconds 2 $tmp/files SOAKTAG7 10 131072 $tmp/load" "count, sum(bytes) of tag SOAKTAG7 where $where" >"$tmp/out" 2>"$tmp/err" & pid=$!
sleep 2
while kill -0 $pid 2>/dev/null; do
	awk '/^VmRSS/ { print $2 }' /proc/$pid/status 2>/dev/null >>"$tmp/rss"
	sleep $((seconds > 60 ? 5 : 1))
done
wait $pid; same 'the query ended well' $? 0
read -r calls bytes tagged <"$tmp/load"
[ "${calls:-0}" -gt 0 ] && ok "the generator made $calls calls of $bytes bytes" || not_ok 'the generator did nothing'
same 'every tagged call, and no other' "$(field .count)" "$tagged"
same 'the ledger saw what the generator wrote' "$(ledger bytes_seen)" "$bytes"
same 'all of it searched, or said not to be' "$(grep '"ledger"' "$tmp/err" | jq '.ledger | .bytes_scanned + .beyond_cap + .faulted == .bytes_seen')" true
same 'nothing lost' "$(lost)" 0
# Flat: the second half of the run has at most 1 MiB more than the most of the first half.
same "memory is flat: $(sort -n "$tmp/rss" | sed -n '1p;$p' | paste -sd-) KiB" "$(awk '{ r[NR] = $1 } END { for (i = 1; i <= NR; i++) { h = i > NR / 2; if (r[i] > m[h]) m[h] = r[i] }
	print (NR > 1 && m[1] <= m[0] + 1024) + 0 }' "$tmp/rss")" 1

hard() { # WHAT TAGS FILLING CALLS SIZE
	timeout 120 "$RN" -o json -c "$WAYS load fill $3 $4 $5 $tmp/files $tmp/load" "count of tag $2 where proc = ways and file ~ \"$tmp/files/*\"" >"$tmp/out" 2>"$tmp/err"
	same "$1: no stall" $? 0
	read -r calls bytes took <"$tmp/load"
	echo "note: $1: $(awk -v b="$bytes" -v t="$took" 'BEGIN { printf "%.1f MiB/s", b / t / 1048576 }')"
	same "$1: no false hit" "$(field .count)" 0
	same "$1: the ledger saw it all" "$(ledger bytes_seen)" "$bytes"
	same "$1: searched, beyond the limit, or not read, is all of it" "$(grep '"ledger"' "$tmp/err" | jq '.ledger | .bytes_scanned + .beyond_cap + .faulted == .bytes_seen')" true
}
hard 'every gram a candidate' 'aaaaaaab, baaaaaaa, aaaabaaa' aaaa $few 1048576
hard 'every gram of a long tag' '"abcdabcdabcdabcdabcdabcdabcdabcdabcdabcdabcdabcdabcdabcdabcdabcX"' abcd $few 1048576
many=$(awk 'BEGIN { for (i = 0; i < 30; i++) printf "%saaaaaa%c%c", i ? ", " : "", 98 + i / 10, 98 + i % 10 }')
hard 'thirty tags that begin alike' "$many" aaaaaa $few 1048576
hard 'calls longer than the limit' 'aaaaaaab' aaaa $few 4194304
same "what is beyond the limit is counted" "$(($(ledger beyond_cap) >= few * 3 * 1048576))" 1
exit $status
