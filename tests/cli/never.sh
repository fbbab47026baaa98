#!/bin/bash
# never.sh - conditions that can never hold, as this machine and its catalogue know them: which
# queries get a note, which get none, and how it looks. What each note says is in
# tests/golden/errors/never.t; that it says the truth is in tests/live/query/never.sh.
. tests/cli/lib.bash
notes() { # QUERY: places and codes of the notes before it runs
	run --explain "$@"
	grep -oE '^[a-z ]+:[0-9]+:[0-9]+: note: .*\]$' "$tmp/err" |
		sed -E 's/^([^ ]*|view [^ ]*): note: .* \[(.*)\]$/\1 \2/' | paste -sd' '
}
tell() { same "$1" "$(notes "$2")" "$3"; }
tell file 'count of read where file ~ "passwd*"' 'query:1:28 N-NEVER'
tell exe 'count of fork where exe ~ "bash"' 'query:1:27 N-NEVER'
tell source 'count of io where source ~ "x*"' 'query:1:28 N-NEVER'
tell cwd 'count of processes where cwd ~ "home*"' 'query:1:32 N-NEVER'
tell no-wildcard 'count of exec where file ~ "/usr/bin"' 'query:1:28 N-NEVER'
for class in unlink stat open syscall exec rename mkdir; do
	tell "as-given-$class" "count of $class where file ~ \"passwd*\"" ''
done
tell as-given-but-exe 'count of open where exe ~ "bash*"' 'query:1:27 N-NEVER'
tell paths-that-may-be 'count of read where file ~ "/etc/*" and file ~ "*x" and exe ~ "?x" and source ~ "[/]x" and file ~ "socket:*" and file ~ "net:*"' \
	''
tell comm 'count of fork where proc = "more-than-15-bytes" or thread in ("more-than-15-bytes")' \
	'query:1:28 N-NEVER query:1:63 N-NEVER'
tell fifteen 'count of fork where proc = "just-15-bytes--"' ''
tell error 'count of read where error = -2 or error < 0' 'query:1:29 N-NEVER query:1:43 N-NEVER'
tell ret 'count of read where ret = -2 and offset > -5' ''
tell fd 'count of read where fd = -2 and fd != -1' 'query:1:26 N-NEVER'
tell star 'count of read where cgroup = "/system.slice/*" or container in ("web?")' \
	'query:1:30 N-NEVER query:1:65 N-NEVER'
tell command-lines-may-have-any-text 'count of processes where cmdline = "ls *"' ''
tell user 'count of read where user = "no such user" or user != root' 'query:1:28 N-NEVER'
tell user-by-number 'count of processes where user = "4294967294"' ''
tell pair 'count of between (events of open where error = -2) and close on pid where exe ~ "x*"' \
	'query:1:48 N-NEVER query:1:81 N-NEVER'
cp "$(command -v sleep)" "$tmp/nEvEr$$"; "$tmp/nEvEr$$" 600 & stay=$!
tell capitals "count of fork where proc = nEVER$$" 'query:1:28 N-NEVER'
holds capitals-way-out "capitals count: proc = \"nEvEr$$\"" "$tmp/err"
tell capitals-that-run "count of fork where proc = nEvEr$$" ''
kill $stay; wait $stay 2>/dev/null

# saved views: when one is defined this machine is not asked, since it may be run elsewhere; when it
# is asked, it is
run 'view mine := count of read where file ~ "passwd*" and user = "no such user"'
same defined "$rc $(grep -c N-NEVER "$tmp/err")" '0 1'
tell saved 'events of mine' 'view mine:1:41 N-NEVER view mine:1:62 N-NEVER'
# a recording is of other machines and other times
run --explain 'count of io where proc = "more-than-15-bytes" and file ~ "x*" and user = "no such user" and proc = SYSTEMD from "tests/demo/io.rnt"'
same recording "$(grep -c N-NEVER "$tmp/err")" 2
# and so is a fleet: what its nodes do not have, their ledgers say
printf 'one exec: %s agent --stdio\n' "$RN" >"$tmp/hosts"
tell fleet 'count of read where user = "no such user"' 'query:1:28 N-NEVER'
run -H "$tmp/hosts" --explain 'count of read where user = "no such user" and file ~ "x*"'
same fleet-is-not-this-machine "$(grep -o '^query:1:[0-9]*' "$tmp/err" | paste -sd' ')" query:1:54
# where notes go, and that the query runs all the same
run 'count of processes where user = "no such user"'
same runs "$rc $(paste -sd' ' "$tmp/out" | tr -s ' ') $(grep -c N-NEVER "$tmp/err")" '0 count 0 1'
holds ledger '1 comparison with a user whom the node does not have' "$tmp/err"
run -q 'count of processes where user = "no such user"'; same quiet "$rc $(cat "$tmp/err")" '0 '
run -o json 'count of processes where user = "no such user"'
same json "$rc $(grep -c N-NEVER "$tmp/err") $(grep '^{' "$tmp/err" | jq -c '[.ledger.no_user, .ledger.complete]')" \
	'0 1 [1,true]'
run -o json -H "$tmp/hosts" 'count of processes where user = "no such user"'
same node-says-it "$rc $(grep -c N-NEVER "$tmp/err") $(grep '^{' "$tmp/err" | jq -c '[.ledger.nodes[] | [.node, .no_user]]')" \
	'0 0 [["one",1]]'
run -o json -H "$tmp/hosts" 'count of processes where user = root'
same node-has-it "$rc $(grep '^{' "$tmp/err" | jq -c '.ledger.no_user')" '0 0'
run 'let x := pid, user of processes where user = "no such user"; assert count = 0 of x where user = "no such user"'
same let-and-assert "$rc $(grep -c N-NEVER "$tmp/err")" '0 1'
# over the result of a let, as over what it was made of: a name of events is cut, one of a snapshot
# is not
for of in 'io from "tests/demo/io.rnt"' 'processes'; do
	run --explain "let a := pid, proc of $of; let b := proc as p of a; count of b where p = \"sixteen_bytes_xx\""
	grep -c "has at most 15 bytes.*N-NEVER" "$tmp/err"
done >"$tmp/got"
same let-too-long "$(paste -sd' ' "$tmp/got")" '1 0'
for class in read unlink; do
	run --explain "let a := file of $class for 1s; count of a where file ~ \"log*\""
	grep -c 'begins in its middle.*N-NEVER' "$tmp/err"
done >"$tmp/got"
same let-path "$(paste -sd' ' "$tmp/got")" '1 0'
done_testing
