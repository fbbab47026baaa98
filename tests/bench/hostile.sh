#!/bin/bash
# hostile.sh [ROUNDS] - how much longer a query for TLS takes, from its text to its end, if a user
# without privileges works against it. That user makes 32,500 mappings of 130 files that look like
# libssl, and a mount namespace with 150,000 such names. RUNNEL_BEFORE=PROGRAM: beside another
# version. Medians of interleaved rounds (5), in ms, with the least and the most.
set -u
B=${B:-build} rounds=${1:-5}
# shellcheck disable=SC2034 # read by name
now=$PWD/$B/runnel before=${RUNNEL_BEFORE:-}
top=$(mktemp -d); chmod 755 "$top"
pids=()
stop() { local p; for p in "${pids[@]}"; do kill -KILL "$p"; wait "$p"; done 2>/dev/null; pids=(); }
trap 'stop; rm -rf "$top"' EXIT
export RUNNEL_CATALOG=$top/catalog.db RUNNEL_HISTORY=
as_nobody() {
	exec setpriv --reuid=65534 --regid=65534 --clear-groups --inh-caps=-all \
		--bounding-set=-all "$@"
}
cp "$B/tests/programs/crowd" "$top/run"
mkdir "$top/lib"; chown 65534 "$top/lib"; (as_nobody "$top/run" make 130 "$top/lib" 554889e5c3)
crowd() {
	: >"$top/ready"
	as_nobody "$top/run" "$@" >"$top/ready" & pids+=($!)
	until [ -s "$top/ready" ] || ! kill -0 "${pids[-1]}" 2>/dev/null; do sleep 0.05; done
	grep -q ready "$top/ready" || { echo "hostile.sh: crowd $1 failed" >&2; exit 1; }
}
ms() { # WHAT: of one query, by each version
	local v from
	for v in now ${before:+before}; do
		from=$(date +%s%N)
		"${!v}" -q -o csv 'count of tls for 10ms' >/dev/null 2>&1
		echo "$1 $v $((($(date +%s%N) - from) / 1000000))" >>"$top/measured"
	done
}
for ((r = 0; r < rounds; r++)); do
	ms nothing
	crowd map 250 "$top"/lib/*/libssl.so.3; ms mappings; stop
	crowd place 150000 "$top/lib/1/libssl.so.3"; ms names
	crowd map 250 "$top"/lib/*/libssl.so.3; ms both; stop
done
echo "ms of a query for 10 ms of tls: beside what, version, median (least to most) of $rounds rounds"
for what in nothing mappings names both; do
	for v in now ${before:+before}; do
		awk -v w=$what -v v="$v" '$1 == w && $2 == v { print $3 }' "$top/measured" |
			sort -n |
			awk -v w=$what -v v="$v" '{ a[NR] = $1 } END { printf "%-10s %-6s %6d (%d to %d)\n", w, v, a[int((NR + 1) / 2)], a[1], a[NR] }'
	done
done
