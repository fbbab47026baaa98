#!/bin/bash
# Full input and output on two threads under a tag query, on every road: memory stays flat, ours and
# the kernel's; nothing fails; the sums of answer and ledger are what the generator says it moved.
# Then payload made to defeat the search: limits hold, the ledger says so, nothing stalls.
#
#     tests/live/payload/soak.sh [SECONDS]           10 without it; `make soak-payload`: 600
. tests/live/lib.sh
need_bpf; need jq awk
seconds=${1:-10}; few=20; [ -n "${RN_TEST_SMALL:-}" ] && few=2
WAYS=$PWD/$B/tests/programs/ways
mkdir -p "$tmp/files"
ledger() { grep '"ledger"' "$tmp/err" | jq -r ".ledger.$1"; }
covered() { grep "^$1  *ok" "$tmp/doctor" >/dev/null; }

where="proc = ways and (file ~ \"$tmp/files/*\" or file ~ \"pipe:*\" or file ~ \"socket:*\" or file = \"\")"
: >"$tmp/err"
"$RN" -v -o json -c "$WAYS load $seconds 2 $tmp/files SOAKTAG7 10 131072 $tmp/load" \
	"count of tag SOAKTAG7 where $where by name" >"$tmp/out" 2>"$tmp/err" &
pid=$!
await watching $pid
sleep 1
while kill -0 $pid 2>/dev/null; do
	awk '/^VmRSS/ { print $2 }' /proc/$pid/status 2>/dev/null >>"$tmp/rss"
	# of maps and programs
	cat /proc/$pid/fdinfo/* 2>/dev/null |
		awk '/^memlock:/ { n += $2 } END { print int(n / 1024) }' >>"$tmp/maps"
	sleep $((seconds > 60 ? 5 : 1))
done
wait $pid; same 'the query ended well' $? 0
same 'without a word but the ledger' "$(grep -vc '^attached$\|"ledger"' "$tmp/err")" 0
# shellcheck disable=SC2034 # read by name
read -r _ bytes tagged <<<"$(tail -1 "$tmp/load")"
[ "${bytes:-0}" -gt 0 ] && ok "the generator moved $bytes bytes" ||
	not_ok 'the generator did nothing'
# What is found by the names of operations, against what was moved by road.
found() { jq -s "[.[] | select(.name | test(\"^($1)\$\")) | .count] | add // 0" "$tmp/out"; }
while read -r road moved want; do
	case $road in
	file) names='p(read|write)64';; pipe) names='read|write';; socket) names='(send|recv).*';;
		pages) names=copy_file_range;;
	io_uring) names='io_uring_.*'; covered 'completions of io_uring' || want=none ;;
	aio) names='io_(submit|getevents)' ;; process_vm) names='process_vm_.*' ;;
	mmap) names=mmap_write; covered 'tags in files written through memory' || want=none ;;
	tls) names='tls_.*'; covered 'plaintext of TLS' || want=none ;;
	all) continue ;;
	esac
	if [ "$want" = none ]; then
		skip "this kernel does not tell of $road"
		continue
	fi
	same "$road: every tagged call, and no other" "$(found "$names")" "$want"
	saw=$(grep '"ledger"' "$tmp/err" | jq "[.ledger.nodes[].paths.$road.bytes_seen] | add // 0")
	# pages that are mapped when they are first touched are there as well
	if [ "$road" = mmap ]; then
		same "$road: the ledger saw what the generator wrote" "$((saw >= moved))" 1
	else
		same "$road: the ledger saw what the generator moved" "$saw" "$moved"
	fi
done <"$tmp/load"
same 'no road but these' "$(jq -s '[.[] | .count] | add' "$tmp/out")" \
	"$(found 'p?(read|write)(64)?|(send|recv).*|copy_file_range|io_.*|process_vm_.*|mmap_.*|tls_.*')"
same 'all of it searched, or said not to be' \
	"$(grep '"ledger"' "$tmp/err" | jq '.ledger | .bytes_scanned + .beyond_cap + .faulted == .bytes_seen')" \
	true
same 'nothing beyond a limit or out of reach' \
	"$(ledger beyond_cap) $(ledger faulted) $(ledger truncated)" '0 0 0'
same 'nothing lost' "$(lost)" 0
# Flat: the second half of the run has at most 1 MiB more than the most of the first half.
flat() { # FILE WHAT
	same "$2 flat: $(sort -n "$1" | sed -n '1p;$p' | paste -sd-) KiB" \
		"$(awk '{ r[NR] = $1 } END { for (i = 1; i <= NR; i++) { h = i > NR / 2; if (r[i] > m[h]) m[h] = r[i] }
		print (NR > 1 && m[1] <= m[0] + 1024) + 0 }' "$1")" 1
}
flat "$tmp/rss" 'memory is'
flat "$tmp/maps" "the kernel's memory for it is"

hard() { # WHAT TAGS FILLING CALLS SIZE
	timeout 120 "$RN" -o json -c "$WAYS load fill $3 $4 $5 $tmp/files $tmp/load" \
		"count of tag $2 where proc = ways and file ~ \"$tmp/files/*\"" >"$tmp/out" \
		2>"$tmp/err"
	same "$1: no stall" $? 0
	# shellcheck disable=SC2034 # read by name
	read -r calls bytes took <"$tmp/load"
	echo "note: $1: $(awk -v b="$bytes" -v t="$took" 'BEGIN { printf "%.1f MiB/s", b / t / 1048576 }')"
	same "$1: no false hit" "$(field .count)" 0
	same "$1: the ledger saw it all" "$(ledger bytes_seen)" "$bytes"
	same "$1: searched, beyond the limit, or not read, is all of it" \
		"$(grep '"ledger"' "$tmp/err" | jq '.ledger | .bytes_scanned + .beyond_cap + .faulted == .bytes_seen')" \
		true
}
hard 'every gram a candidate' 'aaaaaaab, baaaaaaa, aaaabaaa' aaaa $few 1048576
hard 'every gram of a long tag' \
	'"abcdabcdabcdabcdabcdabcdabcdabcdabcdabcdabcdabcdabcdabcdabcdabcX"' abcd $few 1048576
many=$(awk 'BEGIN { for (i = 0; i < 30; i++) printf "%saaaaaa%c%c", i ? ", " : "", 98 + i / 10, 98 + i % 10 }')
hard 'thirty tags that begin alike' "$many" aaaaaa $few 1048576
hard 'calls longer than the limit' 'aaaaaaab' aaaa $few 4194304
same "what is beyond the limit is counted" "$(($(ledger beyond_cap) >= few * 3 * 1048576))" 1
done_testing
