#!/bin/bash
# The differential oracle over a generated recording of RN_DIFF_EVENTS events, 60,000 by default.
# The files run side by side, one for each CPU; what they print is shown file by file. Then, over a
# smaller one, windows with few events, and 500 random queries. The seed of these is new in each
# run, and printed: `diff TRACE --random 500 SEED` asks them again.
. tests/support/check.bash
B=${B:-build} trace=$tmp/t.rnt out=$tmp/out
mkdir "$out"
"$B/tests/gen_trace" "$trace" "${RN_DIFF_EVENTS:-60000}" 1 || set_up_failed 'a recording'
printf '%s\n' tests/diff/*.q |
	xargs -P "$(nproc)" -I{} sh -c '"$1" "$2" "$3" >"$4/${3##*/}" 2>&1' sh "$B/tests/diff" \
		"$trace" {} "$out"
status=$?
cat "$out"/*.q | results
"$B/tests/gen_trace" "$tmp/small.rnt" 5000 1 || set_up_failed 'a small recording'
"$B/tests/diff" "$tmp/small.rnt" tests/diff/over.q >"$out/few" 2>&1 || status=1
results <"$out/few"
"$B/tests/diff" "$tmp/small.rnt" --random 500 >"$out/random" 2>&1 || status=1
results <"$out/random"
done_testing
