#!/bin/bash
# names.sh [ROUNDS] - what the name of a file costs each call, by the depth of its path: ns that a
# query by `file` adds to one by `dev, ino`, which knows the file but not its name.
# RUNNEL_BEFORE=PROGRAM: beside another version. Medians of interleaved rounds (5).
set -u
B=${B:-build} rounds=${1:-5}
# shellcheck disable=SC2034 # read by name
now=$PWD/$B/runnel before=${RUNNEL_BEFORE:-} reads=$PWD/$B/tests/programs/preads
top=$(mktemp -d /tmp/bXXXXXX); trap 'rm -rf "$top"' EXIT
export RUNNEL_CATALOG=$top/catalog.db RUNNEL_HISTORY=
declare -A at=([1]=/b$$ [3]=$top/f [6]=$top/1/2/3/f) # components: /b, /tmp/bX/f, ...
at[3]=$top/f at[6]=$top/1/2/3/f
mkdir -p "$top/1/2/3"
trap 'rm -rf "$top" "/b$$"' EXIT
for f in "${at[@]}"; do echo x >"$f"; done
call() { # PROGRAM KEYS FILE: ns of a call while it is counted
	if [ "$1" = none ]; then
		"$reads" "$3"
	else
		"$1" -q -o csv -c "$reads $3" "count of pread64 by $2" 2>&1 >/dev/null | tail -1
	fi
}
versions="now ${before:+before}"
for ((r = 0; r < rounds; r++)); do
	for depth in 1 3 6; do
		echo "none none $depth $(call none - "${at[$depth]}")"
		for v in $versions; do
			for keys in 'dev, ino' file; do
				echo "$v ${keys/, /+} $depth $(call "${!v}" "$keys" "${at[$depth]}")"
			done
		done
	done
done >"$top/measured"
awk -v versions="$versions" '
	{ n[$1 " " $2 " " $3]++; v[$1 " " $2 " " $3, n[$1 " " $2 " " $3]] = $4 }
	function median(k,   i, j, t, a) {
		for (i = 1; i <= n[k]; i++) a[i] = v[k, i]
		for (i = 2; i <= n[k]; i++) for (j = i; j > 1 && a[j] < a[j - 1]; j--) { t = a[j]; a[j] = a[j - 1]; a[j - 1] = t }
		return n[k] % 2 ? a[(n[k] + 1) / 2] : (a[n[k] / 2] + a[n[k] / 2 + 1]) / 2
	}
	END {
		m = split(versions, ver, " ")
		print "added ns of a pread: depth, version, by dev and ino, by file, the name alone"
		for (d = 1; d <= 6; d += d == 1 ? 2 : 3) for (i = 1; i <= m; i++) {
			base = median("none none " d); id = median(ver[i] " dev+ino " d); name = median(ver[i] " file " d)
			printf "%5d  %-6s %8.0f %8.0f %8.0f\n", d, ver[i], id - base, name - base, name - id
		}
	}' "$top/measured"
