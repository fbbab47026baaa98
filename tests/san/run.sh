#!/bin/bash
# run.sh - the sanitizer build over the goldens, the unit tests and the differential oracle on a
# small recording. With the build missing or unable to run here it is skipped, and said.
S=${SAN_BUILD:-build/san}
[ -x "$S/tests/golden" ] || { echo "skip san: no $S, run make SAN=1 test-build first"; exit 0; }
out=$(mktemp); trace=$(mktemp -u).rnt; trap 'rm -f "$out" "$trace"' EXIT
status=0
try() { # NAME COMMAND...
	local name=$1; shift
	if timeout 300 "$@" >"$out" 2>&1 </dev/null &&
		! grep -qE 'Sanitizer|runtime error:' "$out"; then echo "ok san: $name"
	else echo "not ok san: $name"; tail -n 40 "$out"; status=1; fi
}
try golden "$S/tests/golden" tests/golden/*/*.t
for t in $(find "$S/tests/unit" -name 'test_*' -type f -perm -u+x | sort); do
	B=$S try "unit ${t##*/}" "$t"
done
try gen_trace "$S/tests/gen_trace" "$trace" 5000 1
try diff "$S/tests/diff" "$trace" tests/diff/*.q
exit $status
