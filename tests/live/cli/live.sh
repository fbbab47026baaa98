#!/bin/bash
# live.sh - the command line over the live kernel: -c, -p, signals, refreshing. Counts are tested in
# tests/live.
. tests/cli/lib.bash
need_bpf

# stdout holds rows and nothing else: the command's output goes to stderr; its exit status is ours
run -q -o json -c 'echo from the command; exit 7' 'count of write where proc = sh'
same command-output "$rc $(cat "$tmp/out") $(cat "$tmp/err")" '7 {"count": 1} from the command'
run -c /nonexistent/command 'count of syscall'
holds command-not-found "runnel: the command of -c ended with status 127" "$tmp/err"
run -q -o json -c 'exec sleep 1000' 'count of exit for 200ms'
same query-ends-first "$rc $(cat "$tmp/out")" '0 {"count": 0}'

run -p 2147483647 'count of syscall for 1s'
same no-such-process "$rc" 4
sh -c 'exit 0' & gone=$!; wait $gone
run -p $gone 'count of syscall for 1s'
same process-has-ended "$rc $(head -n1 "$tmp/err")" "4 error: there is no process $gone"
# The query of -p ends with the last of its processes, like that of -c with its command.
# (they wait for somebody to open what they read, and end when it is closed)
mkfifo "$tmp/one" "$tmp/two"; cat "$tmp/one" & one=$!; cat "$tmp/two" & two=$!
begin -v -o json -p $one,$two 'count of exit'
await attached; : >"$tmp/one"; : >"$tmp/two"; has_ended
same processes-end "$rc $(cat "$tmp/out")" '0 {"count": 2}'

# A reader that leaves ends the query and all that -c has started; a full disk ends it too. (It is
# known that nobody reads when there is more to write.)
mark=313.$$
timeout 300 "$RN" -c "sleep $mark & (while [ \$((i += 1)) -lt 3000 ]; do sleep 0.05; done) & sleep $mark; sleep $mark" \
	'events of syscall' 2>"$tmp/err" | head -n1 >/dev/null
same reader-leaves "${PIPESTATUS[0]} $(cat "$tmp/err")" "141 "
# shellcheck disable=SC2009 # its arguments count
gone() { ! ps -eo args | grep -qE "^(sh -c )?sleep $mark( |$)"; }
await gone; same nothing-left-running $? 0
# what it starts at the very moment that it is ended goes with it
run -q -c "while [ \$((i += 1)) -lt 1000 ]; do sleep $mark & done; wait" 'count of syscall for 50ms'
await gone; same nothing-left-of-what-begins "$rc $?" "0 0"
# (a machine at rest has windows without an event, and those print nothing: something must happen
# meanwhile)
(while :; do sleep 0.02; done) & busy=$!
timeout 300 "$RN" 'count of syscall every 100ms' 2>"$tmp/err" >/dev/full </dev/null
rc=$?
kill $busy
wait $busy 2>/dev/null
same disk-full "$rc $(grep -c 'No space left' "$tmp/err")" "4 1"

# Ctrl-C and SIGTERM: what there is, status 0
for sig in INT TERM; do
	begin -v -o json 'count of syscall'
	await attached; end $sig
	same "signal-$sig" "$rc $(jq 'keys[0]' "$tmp/out") $(grep -c ledger "$tmp/err")" \
		'0 "count" 1'
done

# On a terminal a table of groups is drawn again in place; in a pipe there is one answer.
if command -v script >/dev/null; then
	esc=$(printf '\033')
	# until_shown TEXT TIMES ARGUMENT...: on a terminal, until so many lines have the text; then
	# Ctrl-C. What the terminal got is in $tmp/tty.
	until_shown() {
		local text=$1 times=$2 query; shift 2
		shown() { [ "$(grep -c -- "$text" "$tmp/tty")" -ge "$times" ]; }
		: >"$tmp/tty"
		TERM=xterm script -qec "echo \$\$ >$tmp/pid; exec $RN$(printf ' %q' "$@")" \
			/dev/null </dev/null >"$tmp/tty" &
		pid=$!
		await shown; query=$(cat "$tmp/pid"); kill -INT "$query"; has_ended
		tr -d '\r' <"$tmp/tty" >"$tmp/o"; mv "$tmp/o" "$tmp/tty"
	}
	until_shown "$esc\[J" 2 -q 'count of syscall by proc'
	same refreshed-in-place "$(($(grep -c "$esc\[J" "$tmp/tty") >= 2))" 1
	last=$(awk -v RS="$esc\\\\[J" '{ last = $0 } END { print last }' "$tmp/tty")
	same ends-with-the-answer "$(echo "$last" | head -n1 | grep -c '^proc  *count$') $(echo "$last" | grep -c "$esc")" \
		"1 0"
	# rows that do not come: the line of progress, erased before the header; none with -q, none
	# in a pipe
	until_shown 'waiting: ' 1 'time of read where proc = no_such_proc'
	same progress "$(grep -c "waiting: .*$esc\[K$esc\[K.*no rows: " "$tmp/tty")" 1
	TERM=xterm script -qec "$RN -q 'time of read where proc = no_such_proc for 1200ms'" \
		/dev/null </dev/null >"$tmp/tty"
	same no-progress-when-quiet "$(grep -c waiting "$tmp/tty")" 0
fi
run 'time of read where proc = no_such_proc for 1200ms'
same no-progress-in-a-pipe "$(grep -c waiting "$tmp/err") $(grep -c ledger "$tmp/err")" "0 1"
run -q 'count of syscall by proc for 1200ms'
same once-in-a-pipe "$(grep -c '^proc' "$tmp/out")" 1

# Without rights: which capability is missing; a recording is still read.
if command -v setpriv >/dev/null && [ "$(id -u)" = 0 ]; then
	nobody() {
		setpriv --reuid=65534 --regid=65534 --clear-groups "$tmp/runnel" "$@" >"$tmp/out" \
			2>"$tmp/err" </dev/null
		rc=$?
	}
	chmod 755 "$tmp"
	cp "$RN" "$tmp/runnel"
	"$B/tests/gen_trace" "$tmp/t.rnt" 1000 1
	chmod 644 "$tmp/t.rnt"
	nobody 'count of read for 1s'
	same no-right "$rc $(cat "$tmp/out") $(grep -c CAP_BPF "$tmp/err")" "4  1"
	nobody -q -o json "count of syscall from \"$tmp/t.rnt\""
	same no-right-recording "$rc $(cat "$tmp/out")" '0 {"count": 1000}'
	nobody 'count of tracepoint "sched:sched_switch"'
	same no-right-tracepoint "$rc $(grep -c E-SYSTEM "$tmp/err") $(grep -c 'run as root, or have /sys/kernel/tracing' "$tmp/err")" \
		"4 1 1"
	nobody doctor
	same no-right-doctor "$rc $(grep -c CAP_BPF "$tmp/out")" "4 1"
	nobody --stop-after=plan 'count of read'
	same no-right-check "$rc" 0
fi
done_testing
