#!/bin/bash
# all_functions.sh - how long it takes to attach to many functions of the kernel, up to all of them,
# and to let go of them. If this kernel has no links that hold many, Linux 6.12 in a virtual machine
# is measured. Under `ls -lR /usr/include`, which begins when all is attached, and goes on for 5 s.
# The last line is a query of the ends of calls.
set -u
B=${B:-build} package=linux-image-6.12-cloud-amd64
RN=$B/runnel
many='^kernel functions, many at once  *ok'
if ! "$RN" doctor 2>/dev/null | grep -q "$many"; then
	[ -z "${1:-}" ] || { echo 'this kernel has no links that hold many functions'; exit 1; }
	mkdir -p "$B/vm"
	exec tests/vm/boot.sh "$PWD/$B/vm" "$package" "B=$B bash tests/bench/all_functions.sh there"
fi
top=$(mktemp -d); trap 'rm -rf "$top"' EXIT
export RUNNEL_CATALOG=$top/catalog.db RUNNEL_HISTORY=
now_ms() { date +%s%3N; }
of() { grep '^{"ledger"' "$top/err" | jq ".ledger.$1"; }
row() { printf '%-8s %-22s %9s %10s %9s %7s %6s %10s %11s\n' "$@"; }
echo "Linux $(uname -r), $(nproc) CPUs"
row of way functions unattached attach_ms end_ms MiB calls amid_others
measure() { # GLOB LIST
	local from began until pid work way n mib
	from=$(now_ms)
	"$RN" -v -o json --max-functions 100000 "$2 of kernel \"$1\" by func" >"$top/out" \
		2>"$top/err" </dev/null & pid=$!
	until grep -q '^attached' "$top/err" || ! kill -0 $pid 2>/dev/null; do sleep 0.1; done
	began=$(now_ms)
	(while :; do ls -lR /usr/include; done) >/dev/null 2>&1 & work=$!
	sleep 5
	kill $work; wait $work 2>/dev/null
	mib=$(awk '/VmHWM/ { print int($2 / 1024) }' "/proc/$pid/status")
	until=$(now_ms)
	kill -TERM $pid; wait $pid
	way=$(sed -n 's/^hooks: \([a-z.]*\), .* of [a-z ]*\([0-9]*\) functions*.*/\1 \2/p' "$top/err")
	n=${way#* } way=${way% *}
	row "$1" "$way" "$n" "$(of unattached)" $((began - from)) $(($(now_ms) - until)) "$mib" \
		"$(of seen)" "$(of lost_scratch)"
}
for glob in vfs_read 'vfs_*' '[b-d]*' '*'; do measure "$glob" count; done
measure '*' 'count, max(latency)'
