#!/bin/bash
# waiting.sh [ROUNDS] - what rows of calls cost: the ns that a query adds to a write to a pipe and
# the read of it, both of which carry a tag. RUNNEL_BEFORE=PROGRAM: beside another version. Medians
# of interleaved rounds (5), with the least and the most.
set -u
B=${B:-build} rounds=${1:-5}
# shellcheck disable=SC2034 # read by name
now=$PWD/$B/runnel before=${RUNNEL_BEFORE:-} reads=$PWD/$B/tests/programs/reads
top=$(mktemp -d); trap 'rm -rf "$top"' EXIT
export RUNNEL_CATALOG=$top/catalog.db RUNNEL_HISTORY=
queries=('events of tag zqbn01' 'flow of tag zqbn01' 'events of read'
	'time, latency of read' 'count, p99(latency) of read')
measure() { # PROGRAM QUERY: ns of a pair while it is watched
	# what a command prints goes to stderr
	"$1" -q -o csv -O /dev/null -c "$reads zqbn01 8000" "$2" 2>&1 | grep -x '[0-9]*'
}
for ((r = 0; r < rounds; r++)); do
	echo "- none $("$reads" zqbn01 8000)"
	for q in "${!queries[@]}"; do
		for v in now ${before:+before}; do
			echo "$q $v $(measure "${!v}" "${queries[q]}")"
		done
	done
done >"$top/measured"
of() { # QUERY VERSION: median, least, most
	awk -v q="$1" -v v="$2" '$1 == q && $2 == v { print $3 }' "$top/measured" | sort -n |
		awk '{ a[NR] = $1 } END { print a[int((NR + 1) / 2)], a[1], a[NR] }'
}
read -r bare _ _ <<<"$(of - none)"
echo "added ns to a write and a read of a pipe, which take $bare ns: median (least to most) of $rounds rounds"
for q in "${!queries[@]}"; do
	for v in now ${before:+before}; do
		read -r m l h <<<"$(of "$q" "$v")"
		printf '%-36s %-6s %6d (%d to %d)\n' "${queries[q]}" "$v" $((m - bare)) \
			$((l - bare)) $((h - bare))
	done
done
