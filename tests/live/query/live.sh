#!/bin/bash
# live.sh - `in live`: processes that begin a program while the query runs, their children, and
# those that run already.
. tests/live/lib.sh
need_bpf; need jq

# Shells by a name of their own, and what they start; getppid is called nowhere else.
shell=$(readlink -f /bin/sh) mine=lv$$
cp "$shell" "$tmp/$mine"; cp "$shell" "$tmp/sub$$"; cp "$CALLS" "$tmp/ca$$"
calls() { echo "$tmp/ca$$ getppid=$1"; }
cat >"$tmp/work" <<END
$(calls 5)
$tmp/$mine -c '$(calls 7); $tmp/sub$$ -c "$(calls 6); :"'
$tmp/sub$$ -c '$(calls 11); :'
exec $(calls 13)
END
work="sh $tmp/work"
rows() { jq -r "select(.ledger | not) | $1" "$tmp/out" | sort | paste -sd' '; }
set="pid in live (pid of exec where file ~ \"*/$mine\")"
ours="proc = ca$$"

q -c "$work" "count of getppid where $ours and $set"
same 'a program, its children, and theirs' "$(rows .count)" 13
q -c "$work" "count of getppid where $ours and not ($set)"
same 'all others' "$(rows .count)" 29
q -c "$work" "count of getppid where $ours and pid not in live (${set#*(}"
same 'not in' "$(rows .count)" 29
q -c "$work" "count of getppid where $ours and ppid in live (pid of exec where proc = sub$$)"
same 'children alone' "$(rows .count)" 17
q -c "$work" "count, count(where $set) as inside of getppid where $ours by $set as mine"
same 'as a key, and in an aggregate' "$(rows '"\(.mine)=\(.count),\(.inside)"')" \
	'false=29,0 true=13,13'
q -c "$work" "$set as mine of getppid where $ours and ($set or lower(proc) = ca$$)"
same 'rows' "$(jq -r 'select(.ledger | not) | .mine' "$tmp/out" | sort | uniq -c |
	awk '{ print $2 "=" $1 }' | paste -sd' ')" 'false=29 true=13'
q -c "$work" "count of getppid where $ours and $set and lower(proc) = ca$$"
same 'beside a condition of the node' "$(rows .count)" 13
q -c "$work" "count of getppid where $ours and pid in live (pid of exec where file = \"/none\")"
same 'nobody' "$(rows .count)" 0
second="pid in live (pid of exec where proc = sub$$)"
q -c "$work" "count of getppid where $ours and $set and $second"
same 'two sets' "$(rows .count)" 6
q -c "$work" "count of getppid, exit, tracepoint \"task:task_newtask\" where $set by name"
# a shell asks for its parent once
same 'a list of classes' "$(rows '"\(.name)=\(.count)"')" 'exit=4 getppid=15 task:task_newtask=3'
q -c "$work" "count of exec where $set"
same 'the exec that makes a member is of the member' "$(rows .count)" 4
q -c "$work" "use fs; count of opensnoop where $set and file = \"/dev/zero\""
same 'a column of a view' "$(rows .count)" 2
q -c "$work" "count of getppid where $ours and pid in live (pid of exec where file ~ \"*/$mine\" and uid = 1)"
same 'two conditions' "$(rows .count)" 0
q -c "$work" "sum(n) as n of (count as n of getppid where $ours and $set by pid every 100ms)"
same 'windows' "$(rows .n)" 13

# What runs already: a shell that waits, and its child.
mkfifo "$tmp/go"
begin() {
	"$tmp/$mine" -c "sh -c 'read -r go <$tmp/go; $(calls 17); :'; :" & old=$!
	await pgrep -P "$old" >/dev/null
}
begin; at_exit "kill $old 2>/dev/null"
(sleep 1; echo >"$tmp/go") &
q "count of getppid where $ours and pid in live (pid of processes where proc = $mine) for 2s"
same 'what runs already, and its children' "$(rows .count)" 17
begin
(sleep 1; echo >"$tmp/go") &
q "count of getppid where $ours and pid in live (pid of exec where proc = $mine) for 2s"
same 'which exec does not ask for' "$(rows .count)" 0
(sleep 1; "$tmp/$mine" -c "$(calls 19); :") &
q "count of getppid where $ours and pid in live (pid of processes where proc = $mine) for 2s"
same 'what begins later' "$(rows .count)" 19
# An agent's queries share what is attached at system calls, and a set is such a query.
echo "node exec: $RN agent --stdio" >"$tmp/hosts"
(sleep 1; sh "$tmp/work") &
q -H "$tmp/hosts" "count of getppid where $ours and $set for 3s"
same 'at an agent' "$(rows .count)" 13
(sleep 1; sh "$tmp/work") &
q -H "$tmp/hosts" "count of getppid where $ours and pid in live (pid of processes where exe ~ \"*/$mine\") and $set and $second for 3s"
same 'three sets at an agent' "$(rows .count)" 6

# In a PID namespace `processes` has other ids than events.
unshare -pf --mount-proc "$RN" "count of getppid where pid in live (pid of processes) for 100ms" \
	>"$tmp/out" 2>"$tmp/err"
same 'a namespace of ids: refused' "$?" 4
holds 'and why' 'this node has a PID namespace of its own' "$tmp/err"
(sleep 1; sh "$tmp/work") &
unshare -pf --mount-proc "$RN" "count of getppid where $ours and $set for 2s" >"$tmp/out" 2>&1
same 'there exec works' "$(sed -n 2p "$tmp/out" | tr -d ' ')" 13
unshare -pf --mount-proc "$RN" -c true 'count of read' >"$tmp/out" 2>"$tmp/err"
same 'a command there: refused' "$?" 4
holds 'and why, too' 'so no query can be about some of them' "$tmp/err"
done_testing
