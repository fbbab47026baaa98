#!/bin/bash
# memory.sh - the library in processes that may have little memory, from none to enough: none of
# them dies, each answer is right or an error.
. tests/cli/lib.bash
"$B/tests/gen_trace" "$tmp/t.rnt" 5000 1 || { not_ok gen_trace; exit 1; }
timeout 600 "$B/tests/api_memory" "$tmp/t.rnt" >"$tmp/out" 2>"$tmp/err"; rc=$?
if [ $rc = 0 ]; then
	ok "$(cat "$tmp/out")"
else
	not_ok "exit $rc"
	cat "$tmp/out"
	head -n 40 "$tmp/err"
fi
done_testing
