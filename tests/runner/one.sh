#!/bin/bash
# one.sh LOG COMMAND... - runs one test, keeps what it prints in LOG, and prints it when it ends.
# Exit status 77 says that a set-up did not come up: then the test is run once more, and what it
# printed at first stays in LOG.first. Nothing else is run twice.
out=$1; shift
once() {
	timeout -k 60 "${RN_TEST_TIMEOUT:-1500}" "$@" >"$out" 2>&1 </dev/null
	rc=$?
	[ $rc != 124 ] || echo "# out of time after ${RN_TEST_TIMEOUT:-1500} s" >>"$out"
	# cmocka 1.1 calls a test that is skipped `not ok 1 # SKIP NAME`.
	sed -i -E 's/^not ok ([0-9]+) # SKIP/ok \1 # SKIP/' "$out"
}
once "$@"
if [ $rc = 77 ]; then
	mv "$out" "$out.first"
	once "$@"
fi
cat "$out"
exit $rc
