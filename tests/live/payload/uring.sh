#!/bin/bash
# Tags in what io_uring moves: each kind of operation, each way of running it, found once, with its
# file and process.
. tests/live/lib.sh
need_bpf; need jq
URING=$PWD/$B/tests/programs/uring
grep -q '^completions of io_uring  *ok' "$tmp/doctor" ||
	skip_all 'completions of io_uring cannot be traced here'
printf '%100sfix283%2000s' '' '' >"$tmp/data"
"$URING" read "$tmp/data" fix283 2>"$tmp/why" ||
	skip_all "no io_uring on this machine: $(cat "$tmp/why")"
covered() {
	grep '"ledger"' "$tmp/err" |
		jq -r '.ledger.nodes[0].paths.io_uring | "\(.calls) \(.bytes_seen - .bytes_scanned) \(.faulted) \(.uncovered)"'
}
# once HOW OP NAME FILE-PATTERN HITS: of the operations of that kind
once() {
	local how=$1 op=$2 want=$3 on=$4 n=$5 file=$tmp/data
	case $op in write*) file=$tmp/copy ;; esac
	# shellcheck disable=SC2086
	q -c "$URING $how $op $file fix283" 'events of tag fix283, nothere where proc = uring'
	case $? in
	0) ;;
	77) skip "$how $op: $(grep -v '"ledger"' "$tmp/err" | head -1)"; return ;;
	esac
	same "$how $op: found $n times" \
		"$(field "select(.name | startswith(\"io_uring\")) | \"\(.name) \(.proc) \(.tags) \(.latency > 0)\"" | sort | uniq -c | awk '{ $1 = $1 } 1')" \
		"$n $want uring fix283 true"
	same "$how $op: in what" "$(field 'select(.name | startswith("io_uring")) | .file' | sort -u | sed 's/\[.*//')" \
		"$on"
	same "$how $op: all of it was searched" "$(covered)" "$n 0 0 0"
}
if [ -n "${RN_TEST_SMALL:-}" ]; then
	once '' readfixed io_uring_read "$tmp/data" 1
	once async writev io_uring_write "$tmp/copy" 1
	once sqpoll sendmsg io_uring_send socket: 1
	once '' recvmulti io_uring_recv socket: 2
	done_testing
fi
for op in read readfixed readv readvfixed readring readold; do
	once '' $op io_uring_read "$tmp/data" 1
done
for op in write writefixed writev writevfixed; do once '' $op io_uring_write "$tmp/copy" 1; done
for op in send sendmsg; do once '' $op io_uring_send socket: 1; done
for op in recv recvmsg recvring recvmsgring; do once '' $op io_uring_recv socket: 1; done
for how in sqpoll async; do
	once $how readv io_uring_read "$tmp/data" 1
	once $how readfixed io_uring_read "$tmp/data" 1
	once $how write io_uring_write "$tmp/copy" 1
	once $how sendmsg io_uring_send socket: 1
	once $how recv io_uring_recv socket: 1
done
for op in sendzc sendmsgzc; do once '' $op io_uring_send socket: 1; done
once '' recvmulti io_uring_recv socket: 2
once '' readmulti io_uring_read pipe: 2
once deep recvmsg io_uring_recv socket: 1

q -c "$URING read $tmp/data fix283" \
	'count, sum(bytes), max(offset) of io_uring_read where proc = uring by file'
same 'a class of its own' "$(field '"\(.file) \(.count) \(."sum(bytes)") \(."max(offset)")"')" \
	"$tmp/data 1 2106 0"
q -c "$URING write $tmp/copy fix283" \
	'count of io where proc = uring and name = io_uring_write by name'
same 'a part of io' "$(field '"\(.name) \(.count)"')" 'io_uring_write 1'
q -c "$URING read $tmp/data fix283" 'count of tag nothere where proc = uring'
same 'no false hit' "$(field .count)" 0
for op in splice tee recvold; do
	q -c "$URING $op $tmp/data fix283" \
		'count of tag fix283 where proc = uring and name ~ "io_uring_*"'
	same "$op is counted as uncovered" "$(field .count) $(covered)" '0 1 0 0 1'
done
q -c "$URING command /dev/null fix283" \
	'count of tag fix283 where proc = uring and name ~ "io_uring_*"'
[ $? = 77 ] || same 'a command for a driver is counted as uncovered' "$(covered)" '0 0 0 1'
# Requests that want no completion are not told if they move all they were to; those that move a
# part are.
head -c 8192 /dev/zero >"$tmp/full"
q -c "$URING silent read $tmp/full fix283" \
	'count of tag fix283 where proc = uring and name ~ "io_uring_*"'
same 'a request without completion is counted as uncovered' "$(field .count) $(covered)" '0 0 0 0 1'
q -c "$URING silent read $tmp/data fix283" \
	'count of tag fix283 where proc = uring and name ~ "io_uring_*"'
same 'not if it has one after all' "$(field .count) $(covered)" '1 1 0 0 0'
q -c "$URING none $tmp/data fix283" 'count of tag fix283 where proc = uring and name ~ "io_uring_*"'
same 'what moves nothing counts nowhere' \
	"$(field .count) $(grep '"ledger"' "$tmp/err" | jq '.ledger.nodes[0].paths.io_uring')" \
	'0 null'
# Where nothing tells of completions, the calls that ask for them are what is counted.
RUNNEL_WITHOUT=io_uring_complete q -c "$URING read $tmp/data fix283" \
	'count of tag fix283 where proc = uring and name = io_uring_enter'
same 'a kernel without completions: its use is counted' "$(field .count) $(covered)" '0 1 0 0 1'
done_testing
