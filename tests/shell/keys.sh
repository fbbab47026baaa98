#!/bin/bash
# keys.sh - random keys against the prompt of a build with sanitizers (main_shell_fuzz.c).
# SEQUENCES=N SEED=N for others; `make shell-fuzz` has ten times as many.
. tests/support/check.bash
B=${B:-build}
case $B in /*) ;; *) B=$PWD/$B ;; esac
program=
for p in "$B/fuzz/runnel" "$B/san/runnel"; do [ -x "$p" ] && program=$p && break; done
[ -n "$program" ] ||
	skip_all "no build with sanitizers ($B/fuzz/runnel; libclang-rt is not installed?)"
cp tests/demo/*.rnt "$tmp/"
seed=${SEED:-$(($(date +%s) % 100000))}
"$B/tests/shell_fuzz" "$program" "$tmp" "${SEQUENCES:-1000}" "$seed" | results
[ "${PIPESTATUS[0]}" = 0 ] || status=1
done_testing
