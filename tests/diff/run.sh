#!/bin/bash
# The differential oracle over a generated recording of RN_DIFF_EVENTS events, 60,000 by default.
# The files run side by side, one for each CPU; what they print is shown file by file.
. tests/support/check.bash
B=${B:-build} trace=$tmp/t.rnt out=$tmp/out
mkdir "$out"
"$B/tests/gen_trace" "$trace" "${RN_DIFF_EVENTS:-60000}" 1 || set_up_failed 'a recording'
printf '%s\n' tests/diff/*.q |
	xargs -P "$(nproc)" -I{} sh -c '"$1" "$2" "$3" >"$4/${3##*/}" 2>&1' sh "$B/tests/diff" \
		"$trace" {} "$out"
status=$?
cat "$out"/*.q | results
done_testing
