# lib.bash - for the tests of the command line: `. tests/cli/lib.bash` first. A case compares the
# whole of what a command gives back: exit status, stdout and stderr. Nothing here needs the right
# to trace.
. tests/support/check.bash
B=${B:-build}
case $B in /*) ;; *) B=$PWD/$B ;; esac
RN=$B/runnel
[ -x "$RN" ] || { not_ok "there is no $RN: run \`make test-build\` first"; exit 1; }
export RUNNEL_CATALOG=$tmp/catalog.db RUNNEL_HISTORY= LC_ALL=C TZ=UTC NO_COLOR=1
# run ARGUMENT...: leaves $rc, $tmp/out, $tmp/err
run() { "$RN" "$@" >"$tmp/out" 2>"$tmp/err" </dev/null; rc=$?; }
# case NAME STATUS OUT ERR: what `run` left, against the expected text
case_is() {
	local out err
	out=$(cat "$tmp/out"; echo .); err=$(cat "$tmp/err"; echo .)
	out=${out%.} err=${err%.}; out=${out%$'\n'} err=${err%$'\n'}
	if [ "$rc" != "$2" ]; then not_ok "$1: exit $rc, want $2"; cat "$tmp/err"
	elif [ "$out" != "$3" ]; then not_ok "$1: stdout"; diff <(echo "$3") <(echo "$out")
	elif [ "$err" != "$4" ]; then not_ok "$1: stderr"; diff <(echo "$4") <(echo "$err")
	else ok "$1"; fi
}
# begin ARGUMENT...: what `run` does, in the background; its process is $pid. The files are empty
# when this returns: the process that becomes the program empties them too, but only when it gets to
# it, and until then who waits for a row would find those of the query before.
begin() { : >"$tmp/out"; : >"$tmp/err"; "$RN" "$@" >"$tmp/out" 2>"$tmp/err" </dev/null & pid=$!; }
attached() { grep -q '^attached' "$tmp/err"; } # it is: with -v it says so
# end SIGNAL: to the program that runs in the background, which has its handler; leaves $rc. One
# that does not end is killed.
end() { kill "-$1" "$pid"; has_ended; }
is_over() { ! kill -0 "$pid" 2>/dev/null; }
has_ended() { await is_over || kill -KILL "$pid"; wait "$pid"; rc=$?; }
