#!/bin/bash
# Every count of the ledger of a query for tags, driven to a known number. It counts calls and
# bytes: those beyond a limit, not in memory, left out by `where`, on a way that is not covered, not
# joined, cut, or by 32-bit code. test_ledger_kernel.c has groups, rows and latency; uring.sh,
# aio.sh, pages.sh and tls.sh have the ways themselves.
. tests/live/lib.sh
need_bpf; need jq
L=$PWD/$B/tests/programs/ledger PAGES=$PWD/$B/tests/programs/pages \
	CHAIN=$PWD/$B/tests/programs/chain
head -c 8192 /dev/urandom >"$tmp/file"
total() { grep '"ledger"' "$tmp/err" | jq -r ".ledger.$1"; }
path() {
	grep '"ledger"' "$tmp/err" |
		jq -r ".ledger.nodes[0].paths.$1 // {} | \"\\(.calls) \\(.bytes_seen) \\(.bytes_scanned) \\(.beyond_cap) \\(.faulted) \\(.uncovered) \\(.unjoined)\""
}
by_name() { q -c "$L $2" "count of tag nothere${3:-} where proc = ledger and name = $1"; }

# calls, bytes seen and scanned; the sums over paths are those of the node
by_name write 'writes 7 1000'
same 'calls and bytes' "$(path other)" '7 7000 7000 0 0 0 0'
same 'the whole is the sum of the paths' \
	"$(total bytes_seen) $(total bytes_scanned) $(total complete)" '7000 7000 true'
# skipped by where: calls of the same program that the query leaves out, whatever it does to begin
# with. Reads of nothing are not payload. of their events there are now more, now less
export RUNNEL_WITHOUT=mm_filemap_map_pages,mm_filemap_fault,mmap_lock_acquire_returned
by_name write 'writes 10 100'; few=$(total skipped) saw=$(total seen)
by_name write 'writes 60 100'
same 'events that `where` left out' "$(($(total skipped) - few)) of $(($(total seen) - saw))" \
	'50 of 100'
by_name read 'writes 10 100'; few=$(total skipped)
by_name read 'writes 60 100'
same 'and those that it asks for, without payload, are not among them' \
	"$(($(total skipped) - few))" 50
q -c "$L writes 10 100" 'count of tag nothere where proc = nosuch'
same 'all of them' "$(total 'skipped == .ledger.seen') $(path other)" \
	'true null null null null null null null'
# without `where` there are none, whatever the calls are: maps of no file, messages of FUSE without
# a body
q -c 'cat /etc/passwd >/dev/null' 'count of tag nothere'
same 'none of maps of no file' "$(total 'seen > 10') $(total skipped)" 'true 0'
unset RUNNEL_WITHOUT
for way in fuse_write fuse_splice; do
	q -c "$PWD/$B/tests/programs/ways $way --tag QWERTZ --size 8192 --at 5000 --chunk 4096" \
		'count of tag nothere'
	grep -q '"refused"' "$tmp/err" ||
		same "none of messages without a body: $way" \
			"$(total 'seen > 10') $(total skipped)" 'true 0'
done
# beyond the cap of a call, and of a second
by_name write 'writes 3 300000' ' scan 64KiB'
same 'beyond the limit of a call' "$(path other)" \
	"3 900000 $((3 * 65536)) $((3 * (300000 - 65536))) 0 0 0"
same 'then an answer is not complete' "$(total complete)" false
for _ in $(seq 20); do
	by_name write 'rate 6 1000000' ' scan 1MiB, 4MiB/s'
	[ $? = 3 ] || break
done
same 'beyond the limit of a second' "$(path other)" '6 6000000 4000000 2000000 0 0 0'
by_name write 'sizes 3' ' scan 64KiB, 1MiB/s'
same 'nothing beyond it' "$(path other)" '3 6 6 0 0 0 0'
# not in memory, in bytes: a page of a buffer, a page of a file that nobody has touched, a page that
# is not in the cache
by_name write 'hole 5'
same 'a page of the buffer that is not there' "$(path other)" '5 61440 40960 0 20480 0 0'
by_name write "mapped 5 $tmp/file"
same 'a mapped page that nobody touched' "$(path other)" '5 20480 0 0 20480 0 0'
by_name sendfile "direct 5 $tmp/file"
case $? in
77) skip "sendfile past the page cache: not on this file system" ;;
*) same 'a copy past the page cache' "$(path pages)" '5 20480 0 0 20480 0 0' ;;
esac
same 'the node has the sum' "$(total faulted)" 20480
q -c "$L names 5" 'count of open where proc = ledger and ret < 0 by file'
same 'names that cannot be read' "$(total faulted)" 5
# what a datagram has beyond its buffer is thrown away: it is no payload
by_name recvmsg 'short 7'
same 'datagrams longer than their buffers' "$(path socket)" '7 700 700 0 0 0 0'
# not joined: more ends that begin a tag than are remembered
places() {
	q -c "$L places $1 $tmp/places $2" \
		'count of tag begin123end456 where proc = ledger and name = pwrite64'
}
places 2000 begin123end456
same 'a tag across two calls, at two thousand places at once' "$(field .count) $(path file)" \
	'2000 4000 28000 28000 0 0 0 0'
places 40000 begin123end456
forgotten=$(path file | cut -d' ' -f7)
same 'at forty thousand, those that are missed are counted' $(($(field .count) + forgotten)) 40000
if [ "$forgotten" -ge 7232 ]; then
	ok 'there is no room for more than 32,768'
else
	not_ok "only $forgotten of 40,000 were forgotten"
fi
places 40000 no-other-no-end
same 'ends in which no tag begins need no room' "$(path file)" '80000 600000 600000 0 0 0 0'
# several operations in a call: all of them, as far as the limit goes
if q -c "$L aio 300 $tmp/aio" \
	'count of tag nothere scan 2MiB where proc = ledger and name = io_submit'; then
	same 'three hundred operations in one call' "$(path aio)" \
		"1 $((300 * 4096)) $((300 * 4096)) 0 0 0 0"
else
	skip "no asynchronous I/O"
fi
# ways that are not covered, as on a kernel without these tracepoints: uring.sh has io_uring
if grep -q '^tags in files written through memory  *ok' "$tmp/doctor"; then
	none=mm_filemap_map_pages,mm_filemap_fault
	RUNNEL_WITHOUT=$none q -c "$L maps 10 $tmp/file" 'count of tag nothere'
	few=$(path mmap | cut -d' ' -f6)
	RUNNEL_WITHOUT=$none q -c "$L maps 70 $tmp/file" 'count of tag nothere'
	same 'maps that no tracepoint tells of' \
		"$(($(path mmap | cut -d' ' -f6) - few)) $(total complete)" '60 false'
	if grep -q '^tags in files read through memory  *ok' "$tmp/doctor"; then
		q -c "$L maps 70 $tmp/file" 'count of tag nothere'
		same 'are covered where there is one' "$(path mmap | cut -d' ' -f6)" 0
	fi
fi
if q -c "$L messages 6" \
	'count of tag nothere where proc = ledger and (name = msgrcv or name = mq_timedreceive)';
	then
	same 'messages of queues' "$(path other)" '12 0 0 0 0 12 0'
else
	skip "no queues of messages"
fi
RUNNEL_WITHOUT=sock_send_length q -c "$PAGES pipe-late 300000 1" \
	'count of tag fix283 where proc = pages and name = splice'
same 'a splice of what comes into a pipe later, not told' "$(field .count) $(path pages)" \
	'0 1 0 0 0 0 1 0'
# cut: paths longer than 920 bytes, of files and of two directories on the way; more tags in a
# payload than have a place; a stack too deep
q -c "$L long 5 $tmp" 'count of open where proc = ledger by file'; few=$(total truncated)
q -c "$L long 25 $tmp" 'count of open where proc = ledger by file'
same 'paths that are too long' "$(($(total truncated) - few))" 20
many=$(for i in $(seq 1000 1040); do printf '"t%d:", ' "$i"; done)
printf 't%d:' $(seq 1000 1020) >"$tmp/many"
q -c "dd if=$tmp/many of=/dev/null status=none" \
	"hits of tag ${many%, } where proc = dd and name = write"
same 'of 21 tags, 16 have a place' "$(total truncated)" 5
# stacks: each of 2^15 is another, and there are 4 times 4096 places
q -c "$CHAIN 0 100 15" 'ustack of getppid where proc = chain'
same 'stacks that find no place' "$(total lost_stack) $(wc -l <"$tmp/out")" \
	"$(grep -c '(stack lost)' "$tmp/out") 32768"
same 'as many as that at least' "$(($(total lost_stack) >= 32768 - 4 * 4096))" 1
# 32-bit code
if "$L" compat 1 2>/dev/null && q -c "$L compat 7" 'count of tag nothere where proc = ledger'; then
	same '32-bit calls' "$(total compat) $(total complete)" '7 false'
else
	skip "no 32-bit calls on this kernel"
fi
# Each count is explained.
for count in \
	$(grep '"ledger"' "$tmp/err" | jq -r '.ledger | del(.lost, .complete, .nodes) | keys[]');
	do
	grep -q "^| .*\`$count\`.* | " docs/language/ledger.md ||
		not_ok "docs/language/ledger.md does not explain $count"
done
done_testing
