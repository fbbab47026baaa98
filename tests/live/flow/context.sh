#!/bin/bash
# Each hit carries who did what to what: the process with its start and program, the user, the
# control group, the network namespace, both ends of a socket, and the identity of a pipe. That
# holds for descriptors that were open long before the query, too.
. tests/live/lib.sh
need_bpf; need jq
P=$PWD/$B/tests/programs/context
# Starts the program, asks QUERY about it, lets it go on when that is attached; rows in $tmp/out,
# what it said in $tmp/told.
ask() {
	rm -f "$tmp/go"; mkfifo "$tmp/go"
	"$P" <"$tmp/go" >"$tmp/told" 2>&1 & local pid=$!
	exec 9>"$tmp/go"
	until grep -q ready "$tmp/told" || ! kill -0 $pid 2>/dev/null; do sleep 0.05; done
	cgroup=$(sed -n 's/^0:://p' /proc/$pid/cgroup) \
		netns=$(readlink /proc/$pid/ns/net | tr -dc 0-9)
	"$RN" -o csv "pid, start of processes where pid = $pid" 2>/dev/null >"$tmp/table"
	: >"$tmp/err"
	"$RN" -v -o json -p $pid "$1" >"$tmp/out" 2>"$tmp/err" & local query=$!
	await watching $query
	echo >&9
	exec 9>&-
	wait $pid
	wait $query # which ends with the last process it is about
}
told() { awk -v k="$1" -v n="$2" '$1 == k { print $(n + 1) }' "$tmp/told"; }
row() { jq -r "select($1) | $2" "$tmp/out" | paste -sd' '; }

ask 'events of tag fix283'
pid=$(told pids 1)
same 'one row for each call' \
	"$(jq -r .name "$tmp/out" | sort | uniq -c | awk '{ print $1 $2 }' | paste -sd' ')" \
	'1process_vm_readv 6read 6write'
for k in tcp mapped tcp6 udp; do
	proto=tcp; [ $k != udp ] || proto=udp
	same "$k: what goes out" "$(row ".name == \"write\" and .local == \"$(told $k 1)\"" '"\(.local) \(.peer) \(.proto)"')" \
		"$(told $k 1) $(told $k 2) $proto"
	same "$k: what comes in" "$(row ".name == \"read\" and .local == \"$(told $k 2)\"" '"\(.local) \(.peer) \(.proto)"')" \
		"$(told $k 2) $(told $k 1) $proto"
done
same 'unix: what goes out' \
	"$(row '.name == "write" and .proto == "unix"' '"\(.file) \(.ino) \(.local)\(.peer)"')" \
	"socket:[$(told unix 1)] $(told unix 1) "
same 'unix: what comes in' "$(row '.name == "read" and .proto == "unix"' '"\(.file) \(.ino)"')" \
	"socket:[$(told unix 2)] $(told unix 2)"
same 'a pipe is the same on both sides' \
	"$(row '.file | startswith("pipe:")' '"\(.name) \(.file) \(.proto)"')" \
	"write pipe:[$(told pipe 1)]  read pipe:[$(told pipe 1)] "
same 'whose memory was read' \
	"$(row '.name == "process_vm_readv"' '"\(.peer_pid) \(.fd) \(.bytes)"')" \
	"$(told pids 2) -1 23"
same 'elsewhere there is no such process' \
	"$(row '.name != "process_vm_readv" and .peer_pid != 0' .name)" ''
who='"\(.node) \(.proc) \(.thread) \(.pid) \(.tid) \(.user) \(.uid) \(.exe | split("/")[-3:] | join("/")) \(.cgroup) \(.netns) \(.tags)"'
same 'who it was' "$(jq -r "$who" "$tmp/out" | sort -u)" \
	"$(uname -n) context context $pid $pid $(id -un) $(id -u) tests/programs/context $cgroup $netns fix283"
same 'every column of the context is there' \
	"$(jq -r 'select(.name == "process_vm_readv") | keys[]' "$tmp/out" | grep -cxE 'time|begin|latency|pid|tid|start|proc|thread|exe|user|cgroup|container|netns|node|name|file|dev|ino|offset|local|peer|proto|bytes|tags')" \
	24
# jq counts in doubles
same 'it begins where time less latency is' \
	"$(jq -s 'map(.time - .latency - .begin | fabs < 1024) | all' "$tmp/out")" true
start=$(tail -1 "$tmp/table" | cut -d, -f2)
same 'the process began when the table says, to a tick' \
	"$(jq -s "map(.start - $start | fabs < 30000000) | all" "$tmp/out")" true

ask 'count, distinct(exe) as e, distinct(proto) as p of tag fix283 where exe ~ "*/programs/context" and proto in ("tcp", "udp", "unix") by proto order by proto'
same 'counted in the kernel by protocol' \
	"$(field '"\(.proto) \(.count) \(.e) \(.p)"' | paste -sd' ')" \
	'tcp 6 1 1 udp 2 1 1 unix 2 1 1'
ask 'count, distinct(proto) as p of tag fix283 where proto != "tcp" and not proto ~ "u*" by exe, start'
same 'and by program' "$(field '"\(.exe | endswith("/tests/programs/context")) \(.count) \(.p)"')" \
	"true 3 1"
same 'all of it in the kernel' "$("$RN" 'explain count of tag fix283 where proto = tcp and exe = "/x" and start > 0 and peer_pid = 0 by exe, start, proto' | grep -c 'in the kernel')" \
	5
q -c "sh -c 'exec cat /dev/null'" 'proc, exe, file of exec where error = 0 and file ~ "*/cat"'
same 'after exec, exe is the new program' "$(field '.exe == .file')" true
q -c "sh -c 'sleep 0.2'" 'proc, begin, time, start of exit where proc = sleep'
same 'an exit begins with the process' \
	"$(jq -s 'map((.begin - .start | fabs < 30000000) and .time - .begin > 190000000) | all and length == 1' "$tmp/out")" \
	true
done_testing
