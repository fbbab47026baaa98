#!/bin/bash
# An agent that somebody has taken over ends no other process: the kernel sends no signal for it.
. tests/hostile/lib.bash
sleep 600 & victim=$!
at_exit 'kill "$victim" 2>/dev/null'
"$B/tests/confined" $victim >"$tmp/out" 2>"$tmp/err"; rc=$?
refused='Operation not permitted'
case_is 'what is refused' 0 \
	"$(printf '%s: '"$refused"'\n' kill F_SETOWN F_SETSIG O_ASYNC FIOSETOWN FIOASYNC)" ''
same 'the other process lives on' \
	"$(sed -n 's/^State:[[:space:]]*\([RS]\).*/alive/p' /proc/$victim/status 2>&1)" alive
done_testing
