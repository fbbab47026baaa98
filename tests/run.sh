#!/bin/bash
# run.sh BUILD [SUITE...] - runs the suites, shows what failed, ends with the line of counts that .ci/run relies on.
#
# A suite is a command that prints `ok NAME`, `not ok NAME` or `skip NAME: reason` lines, a cmocka program (whose lines are
# counted), or anything else (then its exit status counts as one test). Exit 1 if a test failed.
set -u
B=$1; shift
export B
suites=${*:-lint golden unit cli diff live fuzz}
log=$B/tests/log; rm -rf "$log"; mkdir -p "$log"
pass=0 fail=0 skip=0

# Adds up what one program printed; $3 is its exit status.
account() { # NAME LOG STATUS
	local p f s
	p=$(grep -cE '^(ok |\[       OK \])' "$2"); f=$(grep -cE '^(not ok |\[  FAILED  \] [a-z0-9_]+$)' "$2")
	s=$(grep -cE '^(skip |\[  SKIPPED \] [a-z0-9_]+$)' "$2")
	if grep -qE '^golden: [0-9]+ passed' "$2"; then
		p=$(sed -n 's/^golden: \([0-9]*\) passed.*/\1/p' "$2"); f=$(sed -n 's/^golden: .* \([0-9]*\) failed$/\1/p' "$2")
	elif [ $((p + f + s)) = 0 ]; then
		if [ "$3" = 0 ]; then p=1; else f=1; fi
	fi
	[ "$3" != 0 ] && [ "$f" = 0 ] && f=1
	printf '%-28s %5d passed %4d failed %4d skipped\n' "$1" "$p" "$f" "$s"
	[ "$f" = 0 ] || { echo "--- $1 ($2)"; tail -n 80 "$2"; echo "---"; }
	grep -E '^skip ' "$2" | sed 's/^skip /    skipped: /'
	pass=$((pass + p)) fail=$((fail + f)) skip=$((skip + s))
}
try() { # NAME COMMAND...
	local name=$1 out status; shift
	out=$log/$(echo "$name" | tr '/ ' '__')
	timeout "${RN_TEST_TIMEOUT:-900}" "$@" >"$out" 2>&1 </dev/null; status=$?
	account "$name" "$out" $status
}
for suite in $suites; do
	case $suite in
	lint) try lint tests/layers.sh ;;
	golden) try golden "$B/tests/golden" tests/golden/*/*.t ;;
	unit) for t in "$B"/tests/unit/test_*; do [ -x "$t" ] && case $t in *.d | *.o) ;; *) try "unit/${t##*/}" "$t" ;; esac; done ;;
	live) for t in "$B"/tests/live/test_*; do [ -x "$t" ] && try "live/${t##*/}" "$t"; done
		for t in tests/live/*.sh; do [ -x "$t" ] && try "$t" "$t"; done ;;
	*) for t in tests/"$suite"/*.sh; do [ -x "$t" ] && try "$t" "$t"; done ;;
	esac
done
if [ $skip = 0 ]; then echo "$pass passed, $fail failed"; else echo "$pass passed, $fail failed, $skip skipped"; fi
[ $fail = 0 ]
