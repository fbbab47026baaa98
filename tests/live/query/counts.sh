#!/bin/bash
# Known numbers of calls made by a small program: counts, sums, errors, threads, forks, every shape
# of query.
. tests/live/lib.sh
need_bpf; need jq
known() { # WHAT QUERY JQ WANTED CALLS...
	local what=$1 query=$2 jq=$3 want=$4; shift 4
	q -c "$CALLS $*" "$query"; same "$what" "$(field "$jq" | paste -sd' ')" "$want"
}
known 'getppid' 'count of getppid where proc = calls' .count 12345 getppid=12345
known 'by name' 'count of syscall where proc = calls and name in (getppid, pwrite64) by name' \
	'"\(.name)=\(.count)"' 'getppid=700 pwrite64=300' getppid=700 pwrite=300x10
known 'four threads' 'count of getppid where proc = calls' .count 40000 threads=4 getppid=10000
known 'threads by tid' 'distinct(tid) of getppid where proc = calls' '."distinct(tid)"' 4 \
	threads=4 getppid=100
known 'sum min max avg' 'sum(bytes), min(bytes), max(bytes), avg(bytes) of pread64 where bytes >= 100 and bytes <= 200' \
	'[."sum(bytes)", ."min(bytes)", ."max(bytes)", ."avg(bytes)"] | map(tostring) | join(",")' \
	"25000,100,200,125" pread=150x100 pread=50x200
known 'stddev' 'stddev(bytes) of pread64 where proc = calls and (bytes = 100 or bytes = 300)' \
	'."stddev(bytes)"' 100 pread=50x100 pread=50x300
part='count(where bytes > 150) as c, min(bytes where bytes > 150) as m, p75(bytes) as p'
part+=', sum(bytes where bytes < 150) as s, max(bytes where bytes < 0) as n'
known 'of a part' "$part of pread64 where bytes in (100, 300)" \
	'[.c, .m, .s, .n, .p] | map(tostring) | join(",")' '50,300,5000,null,300' \
	pread=50x100 pread=50x300
known 'bits of a size' \
	'count of pread64 where bytes in (100, 300) and bytes & 96 = 96 by bytes >> 5 | 4 as b' \
	'"\(.b)=\(.count)"' '7=50' pread=50x100 pread=20x300
what='if(bytes > 200, "large", concat(name, "-", bytes)) as what'
known 'one of two words' \
	"count of pread64 where startswith(proc, \"cal\") and bytes in (100, 300) by $what" \
	'"\(.what)=\(.count)"' 'pread64-100=50 large=20' pread=50x100 pread=20x300
known 'histogram' 'hist(bytes) of pread64 where bytes in (4, 100, 5000)' \
	'[."hist(bytes)"[] | select(.[2] > 0) | "\(.[0])-\(.[1])=\(.[2])"] | join(",")' \
	'4-8=30,64-128=20,4096-8192=10' pread=30x4 pread=20x100 pread=10x5000
known 'linear histogram' 'lhist(bytes, 0, 1000, 100) of pread64 where bytes in (150, 950, 2000)' \
	'[."lhist(bytes, 0, 1000, 100)"[] | select(.[2] > 0) | .[2]] | join(",")' '7,8,9' \
	pread=7x150 pread=8x950 pread=9x2000
known 'quantile within one percent' 'p50(bytes) as p of pread64 where bytes in (1000, 3000)' \
	'(.p >= 990 and .p <= 1010)' true pread=60x1000 pread=40x3000
known 'a failing open' 'count of openat where error = ENOENT and file = "/nonexistent/file"' \
	.count 77 enoent=77
known 'errors by name' 'count of open where file ~ "/nonexistent/*" by error' \
	'"\(.error)=\(.count)"' 'ENOENT=9' enoent=9
known 'and in a set, as in a column' \
	'set(error), top(error, 1) of syscall where proc = calls and name in (openat, getppid) and (error = 0 or error = ENOENT)' \
	'[."set(error)", ."top(error, 1)"] | tostring' '[["","ENOENT"],[["ENOENT",99]]]' enoent=99
known 'a call that the kernel begins anew' \
	'count of read where proc = calls and file ~ "pipe:*" by error order by error' \
	'"\(.error)=\(.count)"' '=5 ERESTARTSYS=5' restart=5
known 'and by that name' 'count of read where error = ERESTARTSYS and file ~ "pipe:*"' .count 5 \
	restart=5
known 'regex in user space' 'count of pwrite64 where file =~ "^/dev/nu" and proc = calls' .count \
	31 pwrite=31x5
known 'file by glob in the kernel' 'count, sum(bytes) of pwrite64 where file ~ "/dev/nu*"' \
	'"\(.count) \(."sum(bytes)")"' '31 155' pwrite=31x5
known 'file as key' 'sum(bytes) of io where proc = calls and file ~ "/dev/*" by file' \
	'"\(.file)=\(."sum(bytes)")"' '/dev/zero=4000 /dev/null=600' pread=4x1000 pwrite=3x200
known 'pipes' 'count, sum(bytes) of write where file ~ "pipe:*" and proc = calls' \
	'"\(.count) \(."sum(bytes)")"' '50 350' pipe=50x7
known 'messages, of calls that return how many there were' \
	'sum(bytes) of io where proc = calls and name ~ "*mmsg" by name' \
	'"\(.name)=\(."sum(bytes)")"' 'recvmmsg=4200 sendmmsg=4200' mmsg=7x100
known 'and a condition on them' 'count of sendmmsg where proc = calls and bytes = 600' .count 3 \
	mmsg=3x100 mmsg=5x7
known 'of a datagram that was cut, what there was room for' \
	'count, sum(bytes), max(ret) as r of recv where proc = calls by name' \
	'"\(.name) \(.count) \(."sum(bytes)") \(.r)"' \
	'recvfrom 4 40 900 recvmmsg 4 40 1 recvmsg 4 40 900' cut=4x900
known 'forks' 'count of fork where proc = calls' .count 12 fork=12
known 'exits' 'count of exit where ret = 7 and proc = calls' .count 12 fork=12
q -c "$CALLS sleep=20x5000" 'min(latency) as m, count of syscall where name in (nanosleep, clock_nanosleep) and proc = calls'
same 'latency of sleeps' "$(field '(.m >= 5000000 and .m < 500000000) and .count == 20')" true
q -c "$CALLS getppid=5" 'events of getppid where proc = calls'
same 'rows through the ring' \
	"$(field 'select(.name == "getppid" and .proc == "calls") | .ret' | wc -l)" 5
q -c "$CALLS read0=200000x1" \
	'count, max(bytes) of (proc, bytes of read where proc = calls and bytes = 1)'
same 'rows into a nested query' "$(field '"\(.count) \(."max(bytes)")"') lost $(lost)" \
	'200000 1 lost 0'
q -c "$CALLS getppid=3000" \
	'count of tracepoint "raw_syscalls:sys_enter" where id = 110 and proc = calls'
same 'a tracepoint with its own fields' "$(field .count)" 3000
q -c "sh -c '$CALLS getppid=100; exec $CALLS getppid=11'" \
	'count of getppid where proc = calls by pid'
same 'descendants are followed' "$(field .count | sort -n | paste -sd' ')" '11 100'
mkfifo "$tmp/go"
sh -c "read -r go; exec $CALLS getppid=100" <"$tmp/go" & pid=$!
exec 9>"$tmp/go"
: >"$tmp/err"; "$RN" -v -o json -p $pid 'count of getppid' >"$tmp/out" 2>"$tmp/err" & query=$!
await watching $query
echo >&9; exec 9>&-
wait $query # which ends with the process
same 'a running process' "$? $(field .count)" '0 100'
if "$CALLS" int80=1 2>/dev/null; then
	q -c "$CALLS int80=25" 'count of semget where proc = calls'
	same '32-bit calls are left out and counted' \
		"$(field .count) $(grep '"ledger"' "$tmp/err" | jq '.ledger.compat')" '0 25'
	q -c "$CALLS int80=25" \
		'count of syscall where proc = calls and name in (semget, getppid) by name'
	same 'and are not taken for others' "$(field '"\(.name)=\(.count)"')" 'getppid=25'
else
	skip "this kernel has no 32-bit system calls"
fi
done_testing
