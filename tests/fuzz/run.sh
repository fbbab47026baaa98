#!/bin/bash
# run.sh - replays each target's corpus and what once crashed it. With RN_FUZZ_SECONDS=N each is
# then fuzzed for so long.
. tests/support/check.bash
. tests/fuzz/lib.bash
seconds=${RN_FUZZ_SECONDS:-0}
[ -d "$B/fuzz" ] && mkdir -p "$B/fuzz/found"
for target in $(targets "$@"); do
	bin=$B/fuzz/$target log=$B/fuzz/$target.log
	if [ ! -x "$bin" ]; then
		skip "$target: no clang with libFuzzer here"
		continue
	fi
	mapfile -t dirs < <(inputs "$target")
	prefix=-artifact_prefix=$B/fuzz/found/$target-
	# shellcheck disable=SC2086
	if "$bin" -runs=0 $FUZZ_LIMITS "$prefix" "${dirs[@]}" >"$log" 2>&1; then
		ok "$target: $(find "${dirs[@]}" -type f | wc -l) inputs replayed"
	else
		not_ok "$target: an input of its corpus crashes"
		tail -30 "$log"
		continue
	fi
	[ "$seconds" -gt 0 ] || continue
	mapfile -t dirs < <(inputs "$target" grown)
	# shellcheck disable=SC2086
	if "$bin" -max_total_time="$seconds" -max_len="$(max_len "$target")" $FUZZ_LIMITS \
		"$prefix" "${dirs[@]}" >"$log" 2>&1; then
		ok "$target: $(sed -n 's/^Done \([0-9]*\) runs.*/\1/p' "$log") runs"
	else not_ok "$target"; tail -40 "$log"; fi
done
done_testing
