#!/bin/bash
# host.sh - a program is after the use of the library what it was before, and may do what programs
# do meanwhile.
. tests/cli/lib.bash
"$B/tests/gen_trace" "$tmp/t.rnt" 20000 1 || { not_ok gen_trace; exit 1; }
printf 'a local:\nb local:\n' >"$tmp/hosts"
RUNNEL_CATALOG=$tmp/c.db timeout 300 "$B/tests/api_host" "$B/librunnel.so" "$tmp/t.rnt" "$RN" \
	"$tmp/hosts" | results
rc=${PIPESTATUS[0]}
[ "$rc" -le 1 ] || not_ok "exit $rc"
done_testing
