#!/bin/bash
# functions.sh [ROUNDS [CALLS]] - what a query costs a call of the function that it watches: added
# ns, and beside an empty program at the same place, and bpftrace. Medians of interleaved rounds
# (7). One function begins with a push, as most do, which the kernel emulates; the other one with an
# instruction that it single-steps.
set -u
B=${B:-build} rounds=${1:-7} calls=${2:-200000}
F=$PWD/$B/tests/programs/functions
top=$(mktemp -d); trap 'rm -rf "$top"' EXIT
export RUNNEL_CATALOG=$top/catalog.db RUNNEL_HISTORY=
# offset NAME: of that function in the file
offset() {
	local address at vaddr bytes
	address=0x$(nm "$F" | awk -v name="$1" '$3 == name { print $1 }')
	while read -r _ at vaddr _ bytes _; do
		((address >= vaddr && address < vaddr + bytes)) && echo $((address - vaddr + at))
	done < <(readelf -lW "$F" | grep '^ *LOAD')
}
# ways NAME: the programs that watch it
declare -A way
ways() {
	local f=$F:$1 off
	off=$(offset "$1")
	way=(
		[none]=true
		[empty]="$B/tests/bench_probe $F $off"
		[count]="$B/runnel -v -q|count of user \"$f\""
		[by-arg0-rejected]="$B/runnel -v -q|count of user \"$f\" where arg0 < 0"
		[by-func]="$B/runnel -v -q|count of user \"$f\" by func, proc"
		[latency]="$B/runnel -v -q|count, max(latency) of user \"$f\" by func"
		[latency-rejected]="$B/runnel -v -q|count, max(latency) of user \"$f\" where arg0 < 0"
		[bpftrace]="bpftrace -e|uprobe:$f { @ = count(); }"
		[bpftrace-latency]="bpftrace -e|uprobe:$f { @s[tid] = nsecs; } uretprobe:$f { @m = max(nsecs - @s[tid]); @ = count(); }"
	)
}
order='none empty count by-arg0-rejected by-func latency latency-rejected bpftrace bpftrace-latency'
measure() { # COMMAND of the program
	local r w program text pid i
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
			echo "$w $("$F" "$1" "$calls")"
			kill -TERM $pid 2>/dev/null; wait $pid 2>/dev/null
		done
	done
}
show() {
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
	}'
}
for f in framed do_step; do
	ways $f
	if [ $f = framed ]; then
		echo 'a function that begins with a push'
		measure cost-framed | show
	else
		echo 'one that begins with an instruction that is single-stepped'
		measure cost | show
	fi
done
