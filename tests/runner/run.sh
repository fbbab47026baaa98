#!/bin/bash
# run.sh BUILD [SUITE...] - runs the suites, shows what failed, ends with the line of counts that
# .ci/run relies on.
#
# A suite is a command that prints `ok NAME`, `not ok NAME` or `skip NAME: reason` lines, a cmocka
# program (whose lines are counted), or anything else (then its exit status counts as one test).
# Exit 1 if a test failed.
#
# Suites that watch a kernel at work share the machine with whatever else runs on it. A script of
# theirs that fails is run once more as a whole, two of a run at most (RN_TEST_AGAIN=N; 0: none, for
# the hunt). What passed only then stands before the counts, with what failed at first: it is
# something to be found, not something to be forgotten. Suites whose results depend on their input
# alone have no second go.
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
again=${RN_TEST_AGAIN:-2}
pass=0 fail=0 skip=0 failed='' unsteady=

# How many lines say that: those of ours, and the names that cmocka marks, which it repeats in its
# summary.
names() { # WORD MARK LOG
	echo $(($(grep -c "^$1 " "$3") + $(grep -E "^\[$2\] [A-Za-z0-9_]+$" "$3" | sort -u | wc -l)))
}
# The failures of a program, a line each, because a person sees the end of a long output first.
which_failed() { # NAME LOG STATUS
	{
		grep -E '^not ok ' "$2"
		sed -nE 's/^\[  FAILED  \] ([A-Za-z0-9_]+)$/not ok \1/p' "$2" | sort -u
	} | sed "s|^|$1: |" | cut -c -300 | grep . ||
		echo "$1: $([ "$3" = 124 ] && echo 'out of time' || echo "exit status $3") after: $(tail -n 1 "$2" | cut -c -300)"
}
# Adds up what one program printed; $3 is its exit status.
account() { # NAME LOG STATUS
	local p f s
	p=$(grep -cE '^(ok |\[       OK \])' "$2")
	f=$(names 'not ok' '  FAILED  ' "$2")
	s=$(names 'skip' '  SKIPPED ' "$2")
	if grep -qE '^golden: [0-9]+ passed' "$2"; then
		p=$(sed -n 's/^golden: \([0-9]*\) passed.*/\1/p' "$2")
		f=$(sed -n 's/^golden: .* \([0-9]*\) failed$/\1/p' "$2")
	elif [ $((p + f + s)) = 0 ]; then
		if [ "$3" = 0 ]; then p=1; else f=1; fi
	fi
	[ "$3" != 0 ] && [ "$f" = 0 ] && f=1
	printf '%-28s %5d passed %4d failed %4d skipped\n' "$1" "$p" "$f" "$s"
	[ "$f" = 0 ] || {
		echo "--- $1 ($2)"
		tail -n 80 "$2"
		echo "---"
		failed+=$(which_failed "$1" "$2" "$3")$'\n'
	}
	grep -E '^skip ' "$2" | sed 's/^skip /    skipped: /'
	pass=$((pass + p)) fail=$((fail + f)) skip=$((skip + s))
}
try() { # NAME COMMAND...
	local name=$1 out status first; shift
	out=$log/$(echo "$name" | tr '/ ' '__')
	once "$out" "$@"; status=$?
	if { [ $status != 0 ] || grep -q '^not ok ' "$out"; } && [ "$again" -gt 0 ] &&
		shares_the_machine; then
		again=$((again - 1))
		mv "$out" "$out.first"
		first=$(which_failed "$name" "$out.first" $status)
		echo "--- $name failed and is run again ($out.first)"
		tail -n 80 "$out.first"
		echo "---"
		once "$out" "$@"; status=$?
		# shellcheck disable=SC2001 # each line
		[ $status != 0 ] ||
			unsteady+=$(sed 's/^/passed only when run again: /' <<<"$first")$'\n'
	fi
	account "$name" "$out" $status
}
once() { # LOG COMMAND...
	local out=$1; shift
	timeout -k 60 "${RN_TEST_TIMEOUT:-900}" "$@" >"$out" 2>&1 </dev/null
}
shares_the_machine() {
	case $suite in
	cli | api | shell | live | peers | cluster | systems | kernels) ;;
	*) false ;;
	esac
}
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
for suite in $suites; do
	case $suite in
	lint)
		try lint tests/lint/layers.sh
		try lint/format tests/lint/format.sh
		try lint/planted tests/lint/planted.sh
		;;
	golden) try golden "$B/tests/golden" tests/golden/*/*.t ;;
	unit)
		for t in $(programs unit); do try "unit/${t##*/}" "$t"; done
		;;
	live)
		for t in $(programs live); do try "live/${t##*/}" "$t"; done
		for t in tests/live/*/*.sh tests/coverage/coverage.sh; do try "$t" "$t"; done
		;;
	san) try san tests/san/run.sh ;;
	*) for t in tests/"$suite"/*.sh; do [ -x "$t" ] && try "$t" "$t"; done ;;
	esac
done
[ ! -e "$XDG_STATE_HOME/runnel/history" ] || {
	failed+="history: not ok a test enters statements into that of who runs it"$'\n'
	fail=$((fail + 1))
}
printf %s "$unsteady$failed"
if [ $skip = 0 ]; then
	echo "$pass passed, $fail failed"
else
	echo "$pass passed, $fail failed, $skip skipped"
fi
[ $fail = 0 ]
