#!/bin/bash
# all_functions.sh - every function of the kernel that can be probed, at once, while much is going
# on: nearly all are attached to, the others are counted; the machine answers; a query that is
# killed leaves nothing. Prints how long it took: that is no result.
. tests/live/lib.sh
need jq
"$RN" --explain 'count of kernel "vfs_*"' >"$tmp/way" 2>&1 # the doctor takes far longer
grep -q 'hooks: kprobe\.' "$tmp/way" ||
	skip_all 'this kernel has no links that hold many functions'
now_ms() { date +%s%3N; }
traced() { # COMMAND...: with the tracing file system, in its directory
	unshare -m sh -c 'mount -t tracefs none /sys/kernel/tracing
		cd /sys/kernel/tracing && "$@"' traced "$@"
}
probed() { traced sh -c 'wc -l <enabled_functions'; }
is_clean() { [ "$(probed)" = 0 ]; }
ledger() { grep '"ledger"' "$tmp/err" | jq ".ledger.$1"; }
# Up to five minutes: the kernel is emulated in most places.
begin() { # QUERY; its pid is in $asked
	local from; from=$(now_ms)
	: >"$tmp/err"
	"$RN" -v -o json --max-functions 100000 "$1" >"$tmp/out" 2>"$tmp/err" </dev/null & asked=$!
	await watching $asked || await watching $asked || await watching $asked
	echo "attached after $(($(now_ms) - from)) ms: $(grep '^hooks' "$tmp/err")"
}
listed=$(traced grep -vc '^__ftrace_invalid_address_' available_filter_functions)
is_clean || skip_all 'others trace functions of the kernel'

# ---- killed ----
begin 'count of kernel "*" by func'
all=$(probed)
same 'at least 95 of 100 are attached to' "$((all * 100 >= listed * 95))" 1
from=$(now_ms)
kill -9 "$asked"; wait "$asked" 2>/dev/null
await is_clean
same 'nothing is left of a query that is killed' "$(probed)" 0
echo "detached after $(($(now_ms) - from)) ms"

# ---- counted ----
begin 'count of kernel "*" by func for 5s'
while kill -0 "$asked" 2>/dev/null; do ls -lR /usr/include; done >/dev/null 2>&1 & work=$!
wait "$asked"; rc=$?
from=$(now_ms)
kill $work; wait $work 2>/dev/null
same 'the query ends well' $rc 0
same 'the others are counted' "$((all + $(ledger unattached) >= listed))" 1
same 'it counts what is going on' \
	"$(jq -r 'select(.func == "iterate_dir") | .count > 0' "$tmp/out")" true
same 'each by its name' "$(jq -r 'select(.func) | .func' "$tmp/out" | sort | uniq -d)" ''
same 'no room was missing for a name' "$(ledger lost_map)" 0
echo "$listed functions, $all probed, $(ledger unattached) not; $(ledger seen) calls," \
	"$(ledger lost_scratch) not seen amid another one"

# ---- afterwards ----
await is_clean
same 'nothing is left of one that ends' "$(probed)" 0
q -c 'dd if=/dev/zero of=/dev/null bs=77 count=50' \
	'count of kernel "vfs_read" where proc = dd and arg2 = 77'
same 'the machine counts on' "$(jq -r 'select(.ledger | not) | .count' "$tmp/out")" 50
done_testing
