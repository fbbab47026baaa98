#!/bin/bash
# runner.sh - tests/runner/run.sh itself: a failure counts once, and what was not built is said
# before anything is run.
. tests/cli/lib.bash
fake=$tmp/build; mkdir -p "$fake/tests/unit/lang"
cat >"$fake/tests/unit/lang/test_arena" <<'END'
#!/bin/sh
cat <<'LOG'
[==========] Running 4 test(s).
[ RUN      ] one
[       OK ] one
[ RUN      ] two
[  FAILED  ] two
[ RUN      ] three
[  FAILED  ] three
[ RUN      ] four
[  SKIPPED ] four
[==========] 4 test(s) run.
[  PASSED  ] 1 test(s).
[  SKIPPED ] 1 test(s), listed below:
[  SKIPPED ] four
[  FAILED  ] 2 test(s), listed below:
[  FAILED  ] two
[  FAILED  ] three
LOG
exit 2
END
chmod +x "$fake/tests/unit/lang/test_arena"
runner() { tests/runner/run.sh "$@" >"$tmp/out" 2>"$tmp/err" </dev/null; rc=$?; }
runner "$fake" unit
same counts-once "$rc $(tail -n1 "$tmp/out")" "1 1 passed, 2 failed, 1 skipped"
runner "$tmp/nosuch" diff
case_is not-built 2 "" \
	"tests/runner/run.sh: there is no $tmp/nosuch/runnel: run \`make test-build\` first"
same nothing-made "$(ls "$tmp/nosuch" 2>&1 | grep -c 'No such')" 1
runner
same usage "$rc $(cut -d";" -f1 "$tmp/err")" "2 usage: tests/runner/run.sh BUILD [SUITE...]"
exit $status
