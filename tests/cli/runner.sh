#!/bin/bash
# runner.sh - the runner of the tests itself. A test that does not say all that it planned fails; an
# assertion that failed is not tried again, a set-up that did not come up is; the last line counts
# all of it.
. tests/cli/lib.bash
fake=$tmp/build; mkdir -p "$fake/tests/unit/lang"
# A suite of one program, which is the script on stdin. There $again is the number of its run.
suite() {
	{
		printf '#!/bin/bash\necho x >>%s/runs; again=$(wc -l <%s/runs)\n' "$tmp" "$tmp"
		cat
	} >"$fake/tests/unit/lang/test_arena"
	chmod +x "$fake/tests/unit/lang/test_arena"
	rm -f "$tmp/runs"
	tests/runner/run.sh "$fake" unit >"$tmp/out" 2>"$tmp/err" </dev/null; rc=$?
	runs=$(wc -l <"$tmp/runs")
	last=$(tail -n 1 "$tmp/out")
}
# judged NAME STATUS RUNS LAST-LINE
judged() { same "$1" "$rc, $runs run, $last" "$2, $3 run, $4"; }
# The suite has one more test, which passes: that of the history.
suite <<'END'
printf '1..4\nok 1 - one\nnot ok 2 - two\nok 3 # SKIP three\nnot ok 4 - four\n'
exit 1
END
judged 'each result counts once' 1 1 '2 passed, 1 skipped, 2 failed'
holds 'what failed is said at the end' 'unit/test_arena: not ok 2 - two' "$tmp/out"
holds 'what was skipped is said too' 'skipped: unit/test_arena: three' "$tmp/out"
suite <<'END'
printf 'ok 1 - one\nok 2 - two\n1..2\n'
END
judged 'a plan may come at the end' 0 1 '3 passed, 0 skipped, 0 failed'
suite <<'END'
printf 'ok 1 - one\n'
END
judged 'no plan fails' 1 1 '2 passed, 0 skipped, 1 failed'
suite <<'END'
printf '1..3\nok 1 - one\nok 2 - two\n'
END
judged 'fewer results than planned fail' 1 1 '3 passed, 0 skipped, 1 failed'
suite <<'END'
exit 0
END
judged 'nothing fails' 1 1 '1 passed, 0 skipped, 1 failed'
suite <<'END'
printf '1..1\nok 1 - one\n'
exit 3
END
judged 'an exit status fails' 1 1 '2 passed, 0 skipped, 1 failed'
suite <<'END'
printf '1..0 # SKIP no such machine\n'
END
judged 'a test that skips all of it' 0 1 '1 passed, 1 skipped, 0 failed'
suite <<'END'
printf '1..1\n'
[ $again = 1 ] && echo 'not ok 1 - one' || echo 'ok 1 - one'
END
judged 'a failed assertion is not tried again' 1 1 '1 passed, 0 skipped, 1 failed'
suite <<'END'
[ $again != 1 ] || { echo 'not ok - the server did not come up'; exit 77; }
printf '1..1\nok 1 - one\n'
END
judged 'a set-up that did not come up is' 0 2 '2 passed, 0 skipped, 0 failed, 1 set up twice'
suite <<'END'
echo 'not ok - the server did not come up'
exit 77
END
judged 'but only once' 1 2 '1 passed, 0 skipped, 1 failed, 1 set up twice'
suite <<'END'
. tests/support/check.bash
ok one
(not_ok two)
skip 'three: no such thing here'
done_testing
END
judged 'results of subshells count' 1 1 '2 passed, 1 skipped, 1 failed'
suite <<'END'
. tests/support/check.bash
ok one
exit 0
END
judged 'a script that does not reach its end fails' 1 1 '2 passed, 0 skipped, 1 failed'
suite <<END
. tests/support/check.bash
at_exit 'echo first >>$tmp/ends; rm -r \$mine'
at_exit "[ -d \$tmp ] && echo last >>$tmp/ends"
mine=\$(mktemp -d -p "$tmp" mine.XXXX)
exit 1
END
same 'clean-ups run however a test ends, the last given first' \
	"$(xargs <"$tmp/ends") $(find "$tmp" -name 'mine.*')" 'last first '
suite <<'END'
printf '1..1\nnot ok 1 # SKIP one\n'
END
judged "cmocka's line of a skipped test" 0 1 '1 passed, 1 skipped, 0 failed'
suite <<'END'
touch "$XDG_STATE_HOME/runnel/history"
printf '1..1\nok 1 - one\n'
END
judged "the history of the person who runs the tests" 1 1 '1 passed, 0 skipped, 1 failed'
tests/runner/run.sh "$tmp/nosuch" diff >"$tmp/out" 2>"$tmp/err" </dev/null; rc=$?
case_is 'what was not built is said before anything is run' 2 "" \
	"tests/runner/run.sh: there is no $tmp/nosuch/runnel: run \`make test-build\` first"
same 'and nothing is made' "$(ls "$tmp/nosuch" 2>&1 | grep -c 'No such')" 1
tests/runner/run.sh >"$tmp/out" 2>"$tmp/err" </dev/null; rc=$?
same usage "$rc $(cut -d";" -f1 "$tmp/err")" "2 usage: tests/runner/run.sh BUILD [SUITE...]"
done_testing
