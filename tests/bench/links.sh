#!/bin/bash
# links.sh [ROUNDS] - what a flow pays for the fields that it is linked by. It measures the ns that
# a query adds to a write to a pipe and the read of it. Both carry a tag with 64 other bytes on each
# side. RUNNEL_BEFORE=PROGRAM: beside another version. Medians of interleaved rounds (5), with the
# least and the most.
set -u
B=${B:-build} rounds=${1:-5}
now=$PWD/$B/runnel before=${RUNNEL_BEFORE:-} reads=$PWD/$B/tests/programs/reads
top=$(mktemp -d); trap 'rm -rf "$top"' EXIT
export RUNNEL_CATALOG=$top/catalog.db RUNNEL_HISTORY=
side=abcdefghijklmnopqrstuvwxyz0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_- text=${side}zqbn01$side
queries=('flow of tag zqbn01' 'events of tag zqbn01' 'hits of tag zqbn01'
	'hits, fuse_dev of tag zqbn01'
	'hits, around of tag zqbn01' 'hits, source_dev, source_ino of tag zqbn01' \
		'hits, fuse_dev, fuse_node, fuse_tid of tag zqbn01')
both=4 # so many of them the version before has
measure() { # PROGRAM QUERY: ns of a pair while it is watched
	"$1" -q -o csv -O /dev/null -c "$reads $text 8000" "$2" 2>&1 | grep -x '[0-9]*'
}
for ((r = 0; r < rounds; r++)); do
	echo "- none $("$reads" "$text" 8000)"
	for q in "${!queries[@]}"; do
		echo "$q now $(measure "$now" "${queries[q]}")"
		[ -z "$before" ] || [ "$q" -ge $both ] ||
			echo "$q before $(measure "$before" "${queries[q]}")"
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
		[ "$v" = now ] || [ "$q" -lt $both ] || continue
		read -r m l h <<<"$(of "$q" "$v")"
		printf '%-56s %-6s %6d (%d to %d)\n' "${queries[q]}" "$v" $((m - bare)) \
			$((l - bare)) $((h - bare))
	done
done
