#!/bin/bash
# functions.sh - a query of a few system calls has programs on their functions, where the kernel
# takes them. It answers as with the tracepoints that all calls pass: calls that are refused, done
# by a tracer, begun a second time, 32-bit ones, and ones that began before the query.
. tests/live/lib.sh
need_bpf; need jq
STOPPED=$PWD/$B/tests/programs/stopped
hooks() { sed -n 's/^hooks: //p' "$tmp/err"; }
compat() { grep '"ledger"' "$tmp/err" | jq .ledger.compat; }
"$RN" --explain 'count of getsid' >"$tmp/explained" 2>&1
holds 'explain says how calls are hooked' 'hooks: ' "$tmp/explained"
RUNNEL_WITHOUT=fexit "$RN" --explain 'count of getsid' >"$tmp/without" 2>&1
holds 'and that all calls pay for a tracepoint' \
	'hooks: tracepoint sys_exit; each call of the machine passes it: this kernel has no programs on functions' \
	"$tmp/without"
"$RN" --explain 'count of execve' >"$tmp/exec" 2>&1
holds 'not on calls that begin a program' 'hooks: tracepoint sys_exit; ' "$tmp/exec"
if ! grep -q '^hooks: function __x64_sys_getsid (fexit); other calls are not' "$tmp/explained"; then
	skip "$(sed -n 's/^hooks: .*passes it: //p' "$tmp/explained")"
	done_testing
fi
both() { # WHAT PROGRAM QUERY JQ [WANTED]
	local with without
	RUNNEL_WITHOUT=fexit q -v -c "$2" "$3"
	without="$(field "$4" | sort | paste -sd' '), $(compat) of 32 bits"
	same "$1: without" "$(hooks | grep -c '^tracepoint')" 1
	q -v -c "$2" "$3"
	with="$(field "$4" | sort | paste -sd' '), $(compat) of 32 bits"
	same "$1: hooks" "$(hooks | grep -c '^function.*; other calls are not touched, except under seccomp$')" 1
	same "$1" "$with" "${5-$without}"
	[ $# -lt 5 ] || same "$1: as by tracepoints" "$without" "$5"
}
both 'a call without arguments' "$CALLS getppid=1234" 'count of getppid where proc = calls' \
	.count '1234, 0 of 32 bits'
both 'several, of several threads' "$CALLS threads=3 getppid=300 pwrite=40x10" \
	'count, sum(bytes) of syscall where proc = calls and (name = "getppid" or name in (pwrite64, preadv2)) by name, file' \
	'"\(.name) \(.file) \(.count) \(."sum(bytes)")"'
both 'errors and files' "$CALLS enoent=70" 'count of openat where proc = calls by file, error' \
	'"\(.file) \(.error) \(.count)"'
both 'rows, with arguments' "$CALLS pwrite=20x9" \
	'file, fd, ret, bytes, (latency > 0) as known of pwrite64 where proc = calls' \
	'"\(.file) \(.fd) \(.ret) \(.bytes) \(.known)"'
both 'what a closed descriptor was' "$CALLS getppid=1" \
	'count of close where proc = calls by file, fd' \
	'"\(.file) \(.fd) \(.count)"'
both 'latency' "$CALLS sleep=20x5000" \
	'min(latency) as m, count of syscall where name in (nanosleep, clock_nanosleep) and proc = calls' \
	'.m >= 5000000 and .count == 20' 'true, 0 of 32 bits'
both 'begun a second time' "$CALLS restart=5" \
	'count of read where proc = calls and file ~ "pipe:*" by error' '"\(.error)=\(.count)"' \
	'=5 ERESTARTSYS=5, 0 of 32 bits'
both 'stacks of programs' "$CALLS getppid=30" \
	'count of getppid where proc = calls by ustack' '"\(.ustack | test("do_getppid")) \(.count)"'
both 'latencies and closed files of several' "$CALLS enoent=9 pwrite=5x3" \
	'count, min(latency) as least of syscall where proc = calls and name in (close, openat, pwrite64, mmap, getpid) by name, file' \
	'"\(.name) \(.file) \(.count) \(.least > 0)"'
both 'a class of several calls' "$CALLS read0=20x5 pread=30x6" \
	'count, sum(bytes) of read where file = "/dev/zero" and proc = calls by name' \
	'"\(.name) \(.count) \(."sum(bytes)")"'
for how in refused trapped emulated changed skipped traced; do
	both "$how" "$STOPPED $how=25" \
		'count, sum(ret) as ret of syscall where proc = stopped and name in (getsid, uname) by name, error' \
		'"\(.name) \(.error) \(.count) \(if .error == "" and .ret < 2000 then .ret else 0 end)"'
	both "$how, changed to getppid" "$STOPPED $how=25" \
		'count of getppid where proc = stopped' .count
	both "$how, latency" "$STOPPED $how=25" \
		'(latency > 0) as known, name of getsid where proc = stopped' '"\(.name) \(.known)"'
done
both 'all refused' "$STOPPED refused=40" 'count of getsid where error = E2BIG' .count \
	'40, 0 of 32 bits'
if "$CALLS" int80=1 2>/dev/null; then
	both '32-bit calls' "$CALLS int80=25" 'count of semget where proc = calls' .count \
		'0, 25 of 32 bits'
	both 'are not taken for others' "$CALLS int80=25" \
		'count of syscall where proc = calls and name in (semget, getppid) by name' \
		'"\(.name)=\(.count)"'
fi
# A task that sleeps in the call when the query begins: its return is seen.
waits() { # QUERY: about a shell that waits for a line; the query is over when all has been read
	mkfifo "$tmp/go"
	sh -c 'read -r go; read -r go; read -r go' <"$tmp/go" & pid=$!
	exec 9>"$tmp/go"
	await sleeps $pid
	: >"$tmp/err"; "$RN" -v -o json -p $pid "$1" >"$tmp/out" 2>"$tmp/err" & query=$!
	await watching $query
	printf 'a\nb\nc\n' >&9; exec 9>&-
	wait $query; wait $pid
	rm "$tmp/go"
}
sleeps() { grep -q '^State:.S' "/proc/$1/status"; }
waits 'count of read'
begun=$(hooks)
same 'a call that began before' "$(field .count)" 6
same 'is seen at the tracepoint' "$begun" \
	'tracepoint sys_exit; each call of the machine passes it: tasks were in such calls when the query began'
waits 'count of wait4'
same 'one that is not asked for' "$(hooks)" \
	'function __x64_sys_wait4 (fexit); other calls are not touched, except under seccomp'
waits 'count of read where proc = nobody'
same 'nor of that process' "$(hooks | grep -c '^functions __x64_sys_read, ')" 1
same 'which has made none' "$(field .count)" 0
done_testing
