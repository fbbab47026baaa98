#!/bin/bash
# run.sh - replays the seed corpora and tests/bogons through the fuzz targets, then fuzzes for RN_FUZZ_SECONDS (default 10) each.
set -u
B=${B:-build} seconds=${RN_FUZZ_SECONDS:-10} status=0
for target in parse frame link; do
	bin=$B/fuzz/$target
	if [ ! -x "$bin" ]; then echo "skip fuzz $target: no clang with libFuzzer here"; continue; fi
	work=$(mktemp -d)
	seeds="tests/fuzz/corpus/$target"; [ -d "tests/bogons/$target" ] && seeds="$seeds tests/bogons/$target"
	if "$bin" -runs=0 $seeds >"$work.log" 2>&1; then echo "ok fuzz $target: $(cat $seeds/* 2>/dev/null | wc -c) bytes of seeds replayed"
	else echo "not ok fuzz $target: a seed crashes"; tail -30 "$work.log"; status=1; fi
	if (cd "$work" && "$OLDPWD/$bin" -max_total_time=$seconds -rss_limit_mb=2048 -timeout=100 -max_len=4096 "$work" $(for s in $seeds; do echo "$OLDPWD/$s"; done)) >"$work.log" 2>&1; then
		echo "ok fuzz $target: $(sed -n 's/^Done \([0-9]*\) runs.*/\1/p' "$work.log") runs"
	else
		echo "not ok fuzz $target"; tail -40 "$work.log"; ls "$work"/crash-* "$work"/timeout-* "$work"/oom-* 2>/dev/null; status=1
	fi
	rm -rf "$work" "$work.log"
done
exit $status
