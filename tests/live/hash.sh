#!/bin/bash
# hash is XXH64 of the whole payload, as libxxhash computes it: of every length up to 70, around pages, of 1 and 20 MiB, however the
# iovecs and messages cut it, and of copies inside the kernel.
. tests/live/lib.sh
need_bpf; need jq
P=$B/tests/programs/payloads
rows() { tail -n +2 "$tmp/out" | sed 's/,0x/ /; s/,/ /'; } # as "CALL RET HASH"
from() { "$RN" -o csv -c "$P $tmp/want $1" "name, ret, hash of io where proc = payloads and fd >= 100" >"$tmp/out" 2>"$tmp/err"; }
from all
rows >"$tmp/got"
same 'all sizes and calls were made' "$([ "$(wc -l <"$tmp/want")" -gt 1300 ] && echo yes)" yes
if diff "$tmp/want" "$tmp/got" >"$tmp/diff"; then ok 'every hash is that of libxxhash'; else
	not_ok "every hash is that of libxxhash: $(grep -c '^<' "$tmp/diff") differ, first: $(head -3 "$tmp/diff" | paste -sd' ')"; fi
# What cannot be hashed: one call has a page that is not in memory, one is longer than the limit; the one between has just that length.
"$RN" -o json -c "$P $tmp/want limits" "count of io where proc = payloads and fd >= 100 and hash = 0" >"$tmp/out" 2>"$tmp/err"
same 'no hash of what is too long or not there' "$(field .count)" 2
same 'and it is counted' "$(grep '"ledger"' "$tmp/err" | jq -c '[.ledger.faulted, .ledger.truncated]')" '[1,1]'
from limits
same 'the longest payload' "$(rows | sed -n 2p)" "$(cat "$tmp/want")"
# In the kernel: a predicate, a key, the argument of set and distinct.
head -c 50000 /dev/urandom >"$tmp/data"
Q="of io where proc = dd and bytes > 40000"
"$RN" -o csv -c "dd if=$tmp/data of=$tmp/copy bs=50000" "hash $Q" >"$tmp/out" 2>"$tmp/err"
hash=$(tr -d '"\r' <"$tmp/out" | sed -n 2p)
q -c "dd if=$tmp/data of=$tmp/copy bs=50000" "count, distinct(hash) as d $Q and hash = $hash by hash"
same 'as a predicate and a key' "$(field '"\(.count) \(.d)"')" '2 1'
same 'the kernel compares it' "$("$RN" "explain count $Q and hash = $hash by hash" | grep -c "hash = $hash .*in the kernel")" 1
q -c "sh -c 'dd if=$tmp/data of=$tmp/copy bs=50000; dd if=$tmp/copy of=/dev/null bs=50000; dd if=/dev/zero of=/dev/null bs=50000 count=1'" "set(hash) as s, distinct(hash) as d $Q"
same 'sets of hashes' "$(field '"\(.s | length) \(.d)"')" '2 2'
# What io_uring reads has the hash that read gives.
head -c 8192 "$tmp/data" >"$tmp/8k"
plain=$("$RN" -q -o csv -c "dd if=$tmp/8k of=/dev/null bs=8192" 'hash of read where proc = dd and bytes = 8192' 2>/dev/null | sed -n 2p)
for op in read readv readfixed; do
	"$RN" -q -o csv -c "$B/tests/programs/uring $op $tmp/8k fix283" 'hash of io where name = io_uring_read' >"$tmp/out" 2>"$tmp/err"
	if grep -q 0x "$tmp/out"; then same "io_uring $op" "$(sed -n 2p "$tmp/out")" "$plain"; else echo "skip $name: no io_uring $op here"; fi
done
# The sketch, for lengths that end in and around a chunk; what is alike is found by it.
"$RN" -o json -c "$P $tmp/want sketch" 'name, ret, sketch of io where proc = payloads and fd >= 100' >"$tmp/out" 2>"$tmp/err"
same 'sketches are those of the definition' "$(field '"\(.name) \(.ret) \(.sketch | ltrimstr("x\"") | rtrimstr("\""))"' | diff "$tmp/want" - && wc -l <"$tmp/want")" 10
text='It was the best of times, it was the worst of times, it was the age of wisdom, it was the age of foolishness'
q -c "sh -c 'echo \"$text\" >$tmp/a; echo something quite different, of about the same length as the other text is >$tmp/b'" \
	"file, similar(data, \"$text\") as s of write where proc = sh and file ~ \"$tmp/*\""
same 'similar data' "$(field '"\(.file | ltrimstr("'"$tmp"'/")) \(.s >= 0.8)"' | paste -sd' ')" 'a true b false'
# The first bytes, where the policy allows them.
printf 'payload = allow\n' >"$tmp/policy"
head -c 300 "$tmp/data" >"$tmp/short"
RUNNEL_POLICY=$tmp/policy "$RN" -o csv -c "dd if=$tmp/short of=/dev/null bs=300" 'data of read where proc = dd and bytes = 300' >"$tmp/out" 2>"$tmp/err"
same 'the first 256 bytes' "$(tail -1 "$tmp/out" | tr -dc 0-9a-f)" "$(head -c 256 "$tmp/short" | od -An -tx1 | tr -dc 0-9a-f)"
exit $status
