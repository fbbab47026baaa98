#!/bin/bash
# run.sh BUILD [SUITE...] - runs the suites, says what failed, and ends with a line of counts.
#
# A test prints TAP (testanything.org): scripts by tests/support/check.bash, programs by cmocka. The
# harness is that of prove (tap.pl). Nothing is run twice but a test whose set-up did not come up
# (one.sh); the line of counts says how many did not.
#
# RN_TEST_JOBS=N: so many tests at a time, 2 by default. tests/runner/alone names those that
# share the machine with no other.
set -u
[ $# -gt 0 ] || {
	echo "usage: tests/runner/run.sh BUILD [SUITE...]; BUILD is the build directory, as in: tests/runner/run.sh build diff live" \
		>&2
	exit 2
}
B=$1; shift
export B
suites=${*:-lint golden unit cli api docs shell diff live hostile peers fuzz cluster systems kernels}
log=$B/tests/log
# What a suite runs must have been built: else every case of it would fail, each in its own strange
# way.
built() { # PROGRAM...
	local f
	for f; do
		[ -x "$f" ] || {
			echo "tests/runner/run.sh: there is no $f: run \`make test-build\` first" >&2
			exit 2
		}
	done
}
programs() { find "$B/tests/$1" -name 'test_*' -type f -perm -u+x | sort; } # FOLDER
for suite in $suites; do
	case $suite in
	lint) ;;
	golden) built "$B/tests/golden" ;;
	unit) built "$B"/tests/unit/lang/test_arena ;;
	live) built "$B/runnel" "$B"/tests/live/kernel/test_scan "$B/tests/programs/calls" ;;
	*) built "$B/runnel" "$B/tests/gen_trace" "$B/tests/diff" ;;
	esac
done
rm -rf "$log"; mkdir -p "$log/home/runnel"
# What somebody who runs the tests has saved and entered is not theirs to read or to write. One that
# says no catalogue of its own finds a file here that is none, and fails; what it would have entered
# into the history is found at the end.
unset RUNNEL_CATALOG RUNNEL_HISTORY
XDG_DATA_HOME=$(cd "$log/home" && pwd); export XDG_DATA_HOME XDG_STATE_HOME=$XDG_DATA_HOME
echo 'the saved views of whoever runs the tests: no test opens this' \
	>"$XDG_DATA_HOME/runnel/catalog.db"
mapfile -t alone < <(sed 's/[[:space:]]*#.*//; /^$/d' tests/runner/alone)
# try NAME COMMAND...: a line of the list of tests
try() {
	local name=$1 how=with pattern; shift
	for pattern in "${alone[@]}"; do
		# shellcheck disable=SC2053 # a glob
		[[ $name == ${pattern#!} ]] || continue
		how=alone
		[ "$pattern" = "${pattern#!}" ] || how=with
	done
	line "$name" $how "$@"
}
line() { (IFS=$'\t'; printf '%s\n' "$*"); } # its fields
list() {
	local suite t
	for suite in $suites; do
		case $suite in
		lint)
			try lint tests/lint/layers.sh
			try lint/format tests/lint/format.sh
			try lint/planted tests/lint/planted.sh
			;;
		golden) try golden "$B/tests/golden" tests/golden/*/*.t ;;
		unit) for t in $(programs unit); do try "unit/${t##*/}" "$t"; done ;;
		live)
			for t in $(programs live); do try "live/${t##*/}" "$t"; done
			for t in tests/live/*/*.sh tests/coverage/coverage.sh; do
				try "$t" "$t"
			done
			;;
		san) try san tests/san/run.sh ;;
		*) for t in tests/"$suite"/*.sh; do try "$t" "$t"; done ;;
		esac
	done
	line history last tests/runner/history.sh
}
export CMOCKA_MESSAGE_OUTPUT=TAP
list | tests/runner/tap.pl "${RN_TEST_JOBS:-2}" "$log"
