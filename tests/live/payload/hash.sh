#!/bin/bash
# hash is XXH64 of the whole payload, as libxxhash computes it: of every length up to 70, around
# pages, of 1 and 20 MiB, however the iovecs and messages cut it, and of copies inside the kernel.
. tests/live/lib.sh
need_bpf; need jq
P=$B/tests/programs/payloads
rows() { tail -n +2 "$tmp/out" | sed 's/,0x/ /; s/,/ /'; } # as "CALL RET HASH"
from() {
	"$RN" -o csv -c "$P $tmp/want $1" \
		"name, ret, hash of io where proc = payloads and fd >= 100" >"$tmp/out" \
		2>"$tmp/err"
}
from all
rows >"$tmp/got"
same 'all sizes and calls were made' "$([ "$(wc -l <"$tmp/want")" -gt 1300 ] && echo yes)" yes
if diff "$tmp/want" "$tmp/got" >"$tmp/diff"; then ok 'every hash is that of libxxhash'; else
	not_ok "every hash is that of libxxhash: $(grep -c '^<' "$tmp/diff") differ, first: $(head -3 "$tmp/diff" | paste -sd' ')";
		fi
# What cannot be hashed: one call has a page that is not in memory, one is longer than the limit;
# the one between has just that length.
"$RN" -o json -c "$P $tmp/want limits" \
	"count of io where proc = payloads and fd >= 100 and hash = 0" >"$tmp/out" 2>"$tmp/err"
same 'no hash of what is too long or not there' "$(field .count)" 2
same 'and it is counted' \
	"$(grep '"ledger"' "$tmp/err" | jq -c '[.ledger.faulted, .ledger.truncated]')" '[1,1]'
from limits
same 'the longest payload' "$(rows | sed -n 2p)" "$(cat "$tmp/want")"
# In the kernel: a predicate, a key, the argument of set and distinct.
head -c 50000 /dev/urandom >"$tmp/data"
Q="of io where proc = dd and bytes > 40000"
"$RN" -o csv -c "dd if=$tmp/data of=$tmp/copy bs=50000" "hash $Q" >"$tmp/out" 2>"$tmp/err"
hash=$(tr -d '"\r' <"$tmp/out" | sed -n 2p)
q -c "dd if=$tmp/data of=$tmp/copy bs=50000" \
	"count, distinct(hash) as d $Q and hash = $hash by hash"
same 'as a predicate and a key' "$(field '"\(.count) \(.d)"')" '2 1'
same 'the kernel compares it' "$("$RN" "explain count $Q and hash = $hash by hash" | grep -c "hash = $hash .*in the kernel")" \
	1
q -c "sh -c 'dd if=$tmp/data of=$tmp/copy bs=50000; dd if=$tmp/copy of=/dev/null bs=50000; dd if=/dev/zero of=/dev/null bs=50000 count=1'" \
	"set(hash) as s, distinct(hash) as d $Q"
same 'sets of hashes' "$(field '"\(.s | length) \(.d)"')" '2 2'
# What io_uring reads has the hash that read gives.
head -c 8192 "$tmp/data" >"$tmp/8k"
plain=$("$RN" -q -o csv -c "dd if=$tmp/8k of=/dev/null bs=8192" 'hash of read where proc = dd and bytes = 8192' 2>/dev/null | sed -n 2p)
for op in read readv readfixed; do
	"$RN" -q -o csv -c "$B/tests/programs/uring $op $tmp/8k fix283" \
		'hash of io where name = io_uring_read' >"$tmp/out" 2>"$tmp/err"
	if grep -q 0x "$tmp/out"; then
		same "io_uring $op" "$(sed -n 2p "$tmp/out")" "$plain"
	else
		skip "no io_uring $op here"
	fi
done
# Asynchronous I/O: what the operations of a call moved, one after the other. Files in memory have
# the hash of their pages.
of() { "$P" "$1" of; }
AIO=$PWD/$B/tests/programs/aio PAGES=$PWD/$B/tests/programs/pages
head -c 4096 "$tmp/data" >"$tmp/4k"
if "$AIO" read "$tmp/4k" "$tmp/copy" fix283 2>/dev/null; then
	for op in write writev split both read readv; do
		"$RN" -o csv -c "$AIO $op $tmp/4k $tmp/copy fix283" \
			'hash of io where name ~ "io_*" and bytes > 0' >"$tmp/out" 2>"$tmp/err"
		want=$(case $op in read*) of "$tmp/4k";; both) of "$tmp/copy"; of "$tmp/4k";; *) \
			of "$tmp/copy";; esac)
		same "aio $op" "$(tail -n +2 "$tmp/out" | tr -d '\r')" "$want"
	done
	q -c "$AIO write $tmp/4k $tmp/copy fix283" 'hash of io where name = io_getevents'
	same 'a call that moved nothing has none' "$(field .hash)" 0x0000000000000000
else
	skip "no asynchronous I/O here"
fi
for w in map-read/mmap_read map-msync/mmap_write; do
	[ "${w#*/}" = mmap_write ] && what='tags in files written through memory' ||
		what='tags in files read through memory'
	if grep -q "^$what  *ok" "$tmp/doctor"; then
		"$RN" -o csv -c "$PAGES ${w%/*} 4096 100 $tmp/map" \
			"hash of tag fix283 where proc = pages and name = ${w#*/} and bytes = 4096 and file = \"$tmp/map\"" \
			>"$tmp/out" 2>"$tmp/err"
		same "${w#*/}" "$(tail -n +2 "$tmp/out" | sort -u | tr -d '\r')" "$(of "$tmp/map")"
	else
		skip "no ${w#*/} here"
	fi
done
# What came out of a pipe is gone when a splice to a socket returns: no hash, and the ledger says
# so; of what goes to a file there is one.
q -c "$PAGES pipe-unix 300000 0" 'hash of splice where proc = pages'
same 'splice from a pipe to a socket: none, and counted' \
	"$(field .hash | sort -u) $(grep '"ledger"' "$tmp/err" | jq --argjson n "$(wc -l <"$tmp/out")" '.ledger.faulted == $n and $n > 0')" \
	'0x0000000000000000 true'
q -c "$PAGES pipe-file 300000 0 $tmp/map" 'hash of splice where proc = pages'
same 'splice from a pipe to a file' "$(field .hash)" "$(of "$tmp/map")"
# Replicas: two hold the same, a third differs in one byte.
for r in r1 r2 r3; do mkdir -p "$tmp/$r"; done
cp "$tmp/data" "$tmp/odd"; printf X | dd of="$tmp/odd" bs=1 seek=31007 conv=notrunc status=none
q -c "sh -c 'for r in r1 r2 r3; do f=$tmp/data; [ \$r = r2 ] && f=$tmp/odd; dd if=\$f of=$tmp/\$r/chunk bs=50000 status=none; done'" \
	"file, set(hash) of write where proc = dd and file ~ \"$tmp/*\" by node, file"
for r in r1 r2 r3; do
	same "replica $r" "$(field "select(.file == \"$tmp/$r/chunk\") | \"\(.node) \(.\"set(hash)\" | if type == \"array\" then join(\",\") else . end)\"")" \
		"$(hostname) $(of "$tmp/$r/chunk")"
done
same 'which differs' "$(field '."set(hash)" | tostring' | sort | uniq -c | awk '{ print $1 }' | sort | paste -sd' ')" \
	'1 2'
# The sketch, for lengths that end in and around a chunk; what is alike is found by it.
"$RN" -o json -c "$P $tmp/want sketch" \
	'name, ret, sketch of io where proc = payloads and fd >= 100' >"$tmp/out" 2>"$tmp/err"
same 'sketches are those of the definition' \
	"$(field '"\(.name) \(.ret) \(.sketch | ltrimstr("x\"") | rtrimstr("\""))"' | diff "$tmp/want" - && wc -l <"$tmp/want")" \
	10
text='It was the best of times, it was the worst of times, it was the age of wisdom, it was the age of foolishness'
q -c "sh -c 'echo \"$text\" >$tmp/a; echo something quite different, of about the same length as the other text is >$tmp/b'" \
	"file, similar(data, \"$text\") as s of write where proc = sh and file ~ \"$tmp/*\""
same 'similar data' "$(field '"\(.file | ltrimstr("'"$tmp"'/")) \(.s >= 0.8)"' | paste -sd' ')" \
	'a true b false'
# The first bytes, where the policy allows them.
printf 'payload = allow\n' >"$tmp/policy"
head -c 300 "$tmp/data" >"$tmp/short"
RUNNEL_POLICY=$tmp/policy "$RN" -o csv -c "dd if=$tmp/short of=/dev/null bs=300" \
	'data of read where proc = dd and bytes = 300' >"$tmp/out" 2>"$tmp/err"
same 'the first 256 bytes' "$(tail -1 "$tmp/out" | tr -dc 0-9a-f)" \
	"$(head -c 256 "$tmp/short" | od -An -tx1 | tr -dc 0-9a-f)"
done_testing
