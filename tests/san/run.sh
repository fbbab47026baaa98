#!/bin/bash
# run.sh - the sanitizer build over the goldens, the unit tests and the differential oracle on a
# small recording. If there is no such build, it is skipped.
. tests/support/check.bash
S=${SAN_BUILD:-build/san}
[ -x "$S/tests/golden" ] || skip_all "no $S, run make SAN=1 test-build first"
out=$tmp/out trace=$tmp/t.rnt
try() { # NAME COMMAND...
	local name=$1; shift
	if timeout 300 "$@" >"$out" 2>&1 </dev/null &&
		! grep -qE 'Sanitizer|runtime error:' "$out"; then ok "$name"
	else not_ok "$name"; tail -n 40 "$out"; fi
}
try golden "$S/tests/golden" tests/golden/*/*.t
for t in $(find "$S/tests/unit" -name 'test_*' -type f -perm -u+x | sort); do
	B=$S try "unit ${t##*/}" "$t"
done
try gen_trace "$S/tests/gen_trace" "$trace" 5000 1
try diff "$S/tests/diff" "$trace" tests/diff/*.q
done_testing
