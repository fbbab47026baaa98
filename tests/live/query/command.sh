#!/bin/bash
# command.sh - the command of -c: which calls are its own (strace says), and whose exit status the
# program ends with.
. tests/live/lib.sh
need_bpf; need jq strace
# ---- calls ----
# Every call that returned, by name, as strace logs them: a call that was interrupted by another
# process's line is in two parts.
truth() { # CMD
	strace -f -qq -o "$tmp/strace" sh -c "$1" >"$tmp/sink" 2>&1 </dev/null
	awk '{ sub(/^[0-9]+ +/, "") } /^(---|\+\+\+)/ || /unfinished/ || / = \?$/ { next }
		/^<\.\.\. / { n[$2]++; next } { sub(/\(.*/, ""); n[$0]++ } END { for (c in n) print c, n[c] }' "$tmp/strace" | sort
}
calls_of() { # WHAT CMD
	truth "$2" >"$tmp/want"
	q -c "$2" 'count of syscall by name'
	field '"\(.name) \(.count)"' | sort >"$tmp/got"
	if [ -s "$tmp/want" ] && cmp -s "$tmp/want" "$tmp/got"; then
		ok "calls of $1: as many as strace sees"
	else not_ok "calls of $1"; diff "$tmp/want" "$tmp/got"; fi
}
mkdir "$tmp/tree"; for i in 1 2 3; do seq $i >"$tmp/tree/f$i"; done
calls_of 'nothing' ':'
calls_of 'one program' /bin/true
calls_of 'a program in place of the shell' "exec ls -l $tmp/tree"
calls_of 'several programs' "ls $tmp/tree; cat $tmp/tree/f1; grep -c 1 $tmp/tree/f2 $tmp/tree/f3"
calls_of 'a search along PATH' "PATH=/nonexistent:$tmp:/usr/bin:/bin; env true; env nosuchprogram"
calls_of 'a program that is not found' 'nosuchprogram'
calls_of 'known calls' "exec $CALLS getppid=100 pread=30x10"
q -c /bin/true 'name, proc of syscall limit 1'
same 'the first call is the execve of the shell' "$(field '"\(.name) \(.proc)"')" 'execve sh'
q -c 'exec /bin/true' 'count of syscall where proc = runnel'
same 'none is of runnel' "$(field .count)" 0
(ulimit -Sn 300; q -c 'ulimit -n' 'count of syscall')
same 'it has the limits of who calls' "$(head -n1 "$tmp/err")" 300

# ---- exit status ----
status_of() { # WHAT CMD QUERY WANTED [OPTION...]
	local what=$1 cmd=$2 query=$3 want=$4; shift 4
	q "$@" -c "$cmd" "$query"; same "$what" $? "$want"
}
: >"$tmp/plain"; printf '#!/nonexistent/interpreter\n' >"$tmp/bad"; chmod +x "$tmp/bad"
status_of 'a command that ends well' 'exit 0' 'count of read' 0
status_of 'its status' 'exit 7' 'count of read' 7
same 'is told' "$(head -n1 "$tmp/err")" 'runnel: the command of -c ended with status 7'
status_of 'not with -q' 'exit 7' 'count of read' 7 -q
same 'there nothing is told' "$(cat "$tmp/err")" ''
status_of 'a signal' 'kill -TERM $$' 'count of read' 143
same 'and its name' "$(head -n1 "$tmp/err")" \
	'runnel: the command of -c was ended by signal 15 (Terminated)'
status_of 'one that cannot be caught' 'kill -KILL $$' 'count of read' 137
status_of 'a program that is not found' nosuchprogram 'count of read' 127
status_of 'nor by its path' /nonexistent/program 'count of read' 127
status_of 'a file that is not executable' "$tmp/plain" 'count of read' 126
status_of 'a directory' "$tmp" 'count of read' 126
status_of 'the last of a pipeline' 'exit 3 | true' 'count of read' 0
same 'time has the same' "$(for c in 'exit 7' nosuchprogram "$tmp/plain"; do sh -c "$c" 2>/dev/null; echo $?; done | xargs)" \
	'7 127 126'
# runnel's own goes before it
status_of 'an answer that is not complete' "exec $PWD/$B/tests/programs/ledger writes 3 300000" \
	'count of tag nothere scan 64KiB' 3 --strict
q --strict -c "$PWD/$B/tests/programs/ledger writes 3 300000; exit 9" \
	'count of tag nothere scan 64KiB'
same 'also of a command that fails' $? 3
status_of 'an assertion that does not hold' 'exit 9' 'assert count = 0 of syscall' 1
status_of 'one that holds' 'exit 9' 'assert count > 0 of syscall' 9
status_of 'a wrong query' 'exit 9' 'count of no_such_class' 1
# a command that fails ends no text
q -c 'cat /nonexistent/file 2>/dev/null; exit 5' \
	"let errors := count as n of syscall by error; n of errors where error = ENOENT"
same 'what follows is run' "$? $(field '.n > 0')" '5 true'
"$RN" -q -o json -c 'exit 6' - >"$tmp/out" 2>"$tmp/err" \
	<<<"events of exec into \"$tmp/x.rnt\"; count of exec from \"$tmp/x.rnt\";"
same 'and so with a recording' "$?" 6
# the query ends first: the command has no status
status_of 'a limit' 'trap "exit 5" TERM; while :; do /bin/true; done' 'events of exec limit 2' 0
status_of 'a time' 'exec sleep 1000' 'count of exit for 100ms' 0
for sig in INT TERM; do
	: >"$tmp/err"
	"$RN" -v -o json -c 'exec sleep 1000' 'count of syscall' >"$tmp/out" 2>"$tmp/err" &
	pid=$!
	await watching $pid; kill -$sig $pid; wait $pid
	same "interrupted by SIG$sig: what there is, and 130" "$? $(field '.count >= 0')" '130 true'
done
cat >"$tmp/v.rnl" <<'V'
view of_command := count of syscall by proc
V
"$RN" -q import "$tmp/v.rnl"
q watch of_command --every 100ms -c 'exit 4'
same 'a view that is kept running' $? 4
done_testing
