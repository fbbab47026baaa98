#!/bin/bash
# quantiles.sh - quantiles that the kernel counts lie between the least and the greatest value.
# Those of the first and the last rank are these two. Several quantiles of one value share what the
# kernel keeps, and are what each is alone. All of it holds live, in windows, and over the
# recording.
. tests/live/lib.sh
need_bpf; need jq
every='[.least, .a, .b, .c, .d, .e, .most]'
of='min(X) as least, quantile(X, 0) as a, p50(X) as b, p90(X) as c, p99(X) as d, quantile(X, 1) as e, max(X) as most'
ordered="$every | . == sort and .[0] == .[1] and .[5] == .[6]"
held() { # WHAT VALUE CLAUSES
	q -c "$CALLS pread=700x10 pread=60x1000 pread=3x5001 sleep=30x300 getppid=200" \
		"${of//X/$2} of $3"
	same "$1" "$(field "$ordered" | sort | uniq -c | xargs | sed 's/^[1-9][0-9]* /some /')" \
		'some true'
}
held 'latency' latency 'syscall where proc = calls by name'
held 'of one group' latency 'syscall where proc = calls'
held 'bytes' bytes 'pread64 where proc = calls'
held 'negative' '0 - bytes' 'pread64 where proc = calls'
held 'fractions' 'bytes / 7B' 'pread64 where proc = calls'
held 'as rows of the kernel' bytes 'pread64 where proc = calls and file =~ "zero"'
held 'in windows' latency 'syscall where proc = calls by name every 100ms'
held 'of pairs' latency 'between tracepoint "syscalls:sys_enter_pread64" and tracepoint "syscalls:sys_exit_pread64" on tid where proc = calls'
# one value: its bucket is [1000, 1008)
q -c "$CALLS pread=60x1000" 'p50(bytes) as a, p999(bytes) as b, p50(-bytes) as c, p99(-bytes) as d of pread64 where proc = calls and bytes = 1000'
same 'of one value, itself' "$(field '[.a, .b, .c, .d] | tostring')" '[1000,1000,-1000,-1000]'
# what is shared is what each is alone
work="$CALLS pread=100x1000 pread=50x3000 pread=30x9000 getppid=40"
q -c "$work" 'p50(bytes) as a, p90(bytes) as b, p50(ret) as c, quantile(bytes, 0.6) as d, max(bytes) as e, hist(bytes) as f of pread64 where proc = calls and bytes >= 1000'
field '[.a, .b, .c, .d, .e, .f] | tostring' >"$tmp/all"
for x in 'p50(bytes)' 'p90(bytes)' 'p50(ret)' 'quantile(bytes, 0.6)' 'max(bytes)' 'hist(bytes)'; do
	q -c "$work" "$x as x of pread64 where proc = calls and bytes >= 1000"; field '.x'
done | jq -sc . >"$tmp/each"
same 'several, as each alone' "$(cat "$tmp/all")" "$(cat "$tmp/each")"
# the recording of a run
q -c "$work" "events of pread64 where proc = calls into \"$tmp/x.rnt\""
q "${of//X/latency} of pread64 where bytes >= 1000 by bytes from \"$tmp/x.rnt\""
same 'over a recording' "$(field "$ordered" | sort | uniq -c | xargs)" '3 true'
done_testing
