#!/bin/bash
# functions.sh [ROUNDS] - what a query costs a call of the function that it watches: added ns, and
# beside an empty program at the same place, and bpftrace. Medians of interleaved rounds (7).
set -u
B=${B:-build} rounds=${1:-7} calls=${2:-200000}
F=$PWD/$B/tests/programs/functions
top=$(mktemp -d); trap 'rm -rf "$top"' EXIT
export RUNNEL_CATALOG=$top/catalog.db RUNNEL_HISTORY=
address=0x$(nm "$F" | awk '$3 == "do_step" { print $1 }')
# of the segment that holds it: where it lies in the file, and in memory
while read -r _ at vaddr _ bytes _; do
	((address >= vaddr && address < vaddr + bytes)) && off=$((address - vaddr + at))
done < <(readelf -lW "$F" | grep '^ *LOAD')
declare -A way=(
	[none]=true
	[empty]="$B/tests/bench_probe $F $off"
	[count]="$B/runnel -v -q|count of user \"$F:do_step\""
	[by-arg0-rejected]="$B/runnel -v -q|count of user \"$F:do_step\" where arg0 < 0"
	[by-func]="$B/runnel -v -q|count of user \"$F:do_step\" by func, proc"
	[latency]="$B/runnel -v -q|count, max(latency) of user \"$F:do_step\" by func"
	[latency-rejected]="$B/runnel -v -q|count, max(latency) of user \"$F:do_step\" where arg0 < 0"
	[bpftrace]="bpftrace -e|uprobe:$F:do_step { @ = count(); }"
	[bpftrace-latency]="bpftrace -e|uprobe:$F:do_step { @s[tid] = nsecs; } uretprobe:$F:do_step { @m = max(nsecs - @s[tid]); @ = count(); }"
)
order='none empty count by-arg0-rejected by-func latency latency-rejected bpftrace bpftrace-latency'
for ((r = 0; r < rounds; r++)); do
	for w in $order; do
		IFS='|' read -r program text <<<"${way[$w]}"
		# shellcheck disable=SC2086 # words of the command
		$program ${text:+"$text"} >"$top/out" 2>&1 &
		pid=$!
		[ "$w" = none ] || for ((i = 0; i < 400; i++)); do
			grep -qi 'attach' "$top/out" && break
			sleep 0.05
		done
		[[ $w = bpftrace* ]] && sleep 1
		echo "$w $("$F" cost "$calls")"
		kill -TERM $pid 2>/dev/null; wait $pid 2>/dev/null
	done
done >"$top/measured"
awk '
	{ n[$1]++; v[$1, n[$1]] = $2; if (!($1 in at)) { at[$1] = ++m; name[m] = $1 } }
	function median(k,   i, j, t, a) {
		for (i = 1; i <= n[k]; i++) a[i] = v[k, i]
		for (i = 2; i <= n[k]; i++) for (j = i; j > 1 && a[j] < a[j - 1]; j--) { t = a[j]; a[j] = a[j - 1]; a[j - 1] = t }
		return n[k] % 2 ? a[(n[k] + 1) / 2] : (a[n[k] / 2] + a[n[k] / 2 + 1]) / 2
	}
	END {
		base = median("none"); empty = median("empty") - base
		printf "added ns of a call (alone: %.0f), beside an empty program at its entry\n", base
		for (i = 2; i <= m; i++) printf "%-18s %8.0f  %5.2f\n", name[i], median(name[i]) - base, (median(name[i]) - base) / empty
	}' "$top/measured"
