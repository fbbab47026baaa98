#!/bin/bash
# threads.sh - two sessions in two threads and a third one that ends their queries, built with
# ThreadSanitizer: no report, and the same answers as alone. Nothing is suppressed.
. tests/cli/lib.bash
T=${TSAN_BUILD:-build/tsan}/tests/api_threads
[ -x "$T" ] || skip_all "no $T, run make test-tsan-build first"
"$B/tests/gen_trace" "$tmp/t.rnt" 20000 1 || { not_ok gen_trace; exit 1; }
TSAN_OPTIONS=exitcode=66 timeout 600 "$T" "$tmp/t.rnt" 5 >"$tmp/out" 2>"$tmp/err"; rc=$?
if [ $rc = 0 ]; then ok "$(cat "$tmp/out")"; else not_ok "exit $rc"; head -n 80 "$tmp/err"; fi
same 'reports' "$(grep -c 'WARNING: ThreadSanitizer' "$tmp/err")" 0
grep -q ' 0 live queries' "$tmp/out" && skip "this user may not trace here"
done_testing
