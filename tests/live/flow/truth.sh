#!/bin/bash
# What was once found wrong on real systems, as it was typed, with what is true: names that change,
# calls that wait, links that the object of their own row contradicts, ways that were silent, calls
# of runnel itself. Each truth follows from what the commands do.
. tests/live/lib.sh
need_bpf; need jq python3
PEEKS=$PWD/$B/tests/programs/peeks LEDGER=$PWD/$B/tests/programs/ledger
mkdir "$tmp/dir"; cd "$tmp/dir" || exit 1
ledger() { grep '"ledger"' "$tmp/err" | jq -c ".ledger | $1"; }
rows() { jq -r "$1" "$tmp/out" | sed "s,$tmp/dir/,," | sort | paste -sd' '; }

# ---- a name is what the file has when the event happens ----
names() {
	q --strict -c 'echo hi > n.tmp; mv n.tmp n.conf; cat n.conf > /dev/null' \
		'count of io where file ~ "*/n.conf"'
	same 'both reads of a file that was renamed' "$? $(field .count)" '0 2'
	q -c 'echo hi > a3; cat a3 >/dev/null; mv a3 b3; for i in 1 2 3; do cat b3 >/dev/null; done' \
		'count, sum(bytes) of read where bytes = 3 by proc, file'
	same 'two names, two groups' \
		"$(rows '"\(.proc):\(.file):\(.count):\(."sum(bytes)")"' | sed "s,$tmp/dir/,,g")" \
		'cat:a3:1:3 cat:b3:3:9'
	q -c 'echo hi > a5; cat a5 >/dev/null; mv a5 b5; cat b5 >/dev/null' \
		'events of open where file ~ "*b5"'
	same 'the open of a new name' "$(field .proc)" cat
	echo hi >h1; ln h1 h2
	q -c 'cat h1 >/dev/null; cat h2 >/dev/null' 'time, file, bytes of read where bytes = 3'
	same 'a hard link is the name that was opened' "$(rows .file | sed "s,$tmp/dir/,,g")" \
		'h1 h2'
	echo hi >conf
	q -c 'for k in 1 2 3 4 5; do cat conf >/dev/null; mv conf conf.$k; sleep 1; cat conf.$k >/dev/null; mv conf.$k conf; done' \
		'count of read where bytes = 3 by proc, file every 1s'
	same 'in windows' "$(jq -r 'select(.proc == "cat") | "\(.file) \(.count)"' "$tmp/out" | sed "s,$tmp/dir/,," | awk '{ n[$1] += $2 } END { for (f in n) print f ":" n[f] }' | sort | paste -sd' ')" \
		'conf.1:1 conf.2:1 conf.3:1 conf.4:1 conf.5:1 conf:5'
	q -c 'exec 5>l9; echo one >&5; rm l9; echo two >&5' 'time, file of write where bytes = 4'
	same 'what was removed says so' "$(field .file | sed "s,$tmp/dir/,," | paste -sd';')" \
		'l9;l9 (deleted)'
}

# ---- a call that waits when the query begins is an event ----
waits() {
	local waiter='
import os, socket, sys, threading, time
a, b = socket.socketpair()
def receive():
    data = b.recv(100)
    open("in.out", "wb").write(data)
t = threading.Thread(target=receive)
t.start()
while not os.path.exists("go"): time.sleep(0.05)
a.send(bytes(x ^ 0x5a for x in open("in.tag", "rb").read()))
t.join()
time.sleep(0.5)'
	python3 -c 'open("in.tag", "wb").write(bytes(x ^ 0x5a for x in b"a zqin01 b"))'
	waiting() { # QUERY: to $tmp/out
		local pid query
		rm -f go; python3 -S -c "$waiter" & pid=$!
		await in_recv "$pid"
		: >"$tmp/err"
		"$RN" -v -o json --strict -p "$pid" "$1" >"$tmp/out" 2>"$tmp/err" & query=$!
		await watching "$query"
		touch go; wait "$pid"; kill -TERM "$query"; wait "$query"
	}
	in_recv() { grep -qs '^45 ' /proc/"$1"/task/*/syscall; } # __NR_recvfrom
	waiting 'flow of tag zqin01'
	same 'its flow is whole' \
		"$? $(jq -r '"\(.name):\(.dir):\(.from)"' "$tmp/out" | paste -sd' ')" \
		'0 sendto:out:0 recvfrom:in:1 write:out:2'
	waiting 'events of tag zqin01'
	same 'when it began is not known' \
		"$(jq -r '"\(.name):\(.latency == null)"' "$tmp/out" | paste -sd' ')" \
		'sendto:false recvfrom:true write:false'
	waiting 'time, proc, name, bytes, tags of tag zqin01'
	same 'what asks for no latency has it anyway' "$(field .name | paste -sd' ')" \
		'sendto recvfrom write'
}

# ---- links ----
links() {
	printf 'zqlk01 A\n' >A; printf 'zqlk01 B\n' >B
	q -c "python3 -S -c 'import os
os.read(os.open(\"A\", 0), 100)
o = os.open(\"D\", os.O_CREAT | os.O_WRONLY | os.O_TRUNC)
os.sendfile(o, os.open(\"B\", 0), 0, 100)'" 'flow of tag zqlk01'
	same 'a copy is not linked to what it did not copy' \
		"$(jq -r '"\(.name):\(.from)"' "$tmp/out" | paste -sd' ')" 'read:0 sendfile:0'
	printf 'zqtwo1 A\n' >A; printf 'zqtwo2 C\n' >C
	q -c "python3 -S -c 'import os
a = os.read(os.open(\"A\", 0), 100); c = os.read(os.open(\"C\", 0), 100)
o = os.open(\"E\", os.O_CREAT | os.O_WRONLY | os.O_TRUNC)
os.write(o, a + c)'" 'flow of tag zqtwo1, zqtwo2'
	same 'two tags have two origins' \
		"$(jq -r 'select(.name == "write") | "\(.hop):\(.from):\(.tags)"' "$tmp/out" | sort | paste -sd' ')" \
		'3:1:zqtwo1 3:2:zqtwo2'
}

# ---- no way is silent ----
ways() {
	printf '%s' 'hello zqmq01 z' >tagged
	q --strict -c "$PEEKS ptrace 1 peek" 'flow of tag zqmq01'
	same 'ptrace' "$? $(ledger '[.nodes[0].paths.process_vm.uncovered, .complete]')" \
		'3 [1,false]'
	q --strict -c "$PEEKS memory read zqmq01" 'flow of tag zqmq01 where proc = peeks'
	same '/proc/PID/mem' "$? $(field .name)" '0 pread64'
	if "$PEEKS" zerocopy 65536 20000 zqmq01 65536 >/dev/null 2>&1; then
		q -c "$PEEKS zerocopy 65536 20000 zqmq01 65536" 'flow of tag zqmq01'
		same 'TCP_ZEROCOPY_RECEIVE' "$(jq -r 'select(.proc == "peeks") | "\(.name):\(.match):\(.from > 0)"' "$tmp/out")" \
			'getsockopt:exact:true'
	else
		skip "no TCP_ZEROCOPY_RECEIVE"
	fi
	if command -v tcpdump >/dev/null; then
		q --strict -c "timeout 5 tcpdump -i lo -c 1 -w pcap 2>/dev/null & until [ -s pcap ]; do echo zqmq01 >/dev/udp/127.0.0.1/9; sleep 0.1; done 2>/dev/null; wait" \
			'flow of tag zqmq01'
		same 'tcpdump' "$? $(ledger .nodes[0].paths.socket.uncovered)" '3 1'
	else
		skip "no tcpdump on this machine"
	fi
	if "$LEDGER" messages 1 2>/dev/null; then
		q --strict -c "$LEDGER messages 3" 'count of tag zqmq01 where proc = ledger'
		same 'queues of messages' "$? $(ledger .nodes[0].paths.other.uncovered)" '3 6'
	else
		skip "no queues of messages"
	fi
}

# ---- none of runnel's own calls ----
own() {
	for _ in 1 2 3 4 5; do
		q -c /bin/true 'count of syscall by name, proc'
		field 'select(.proc == "runnel") | .name'
	done >"$tmp/own"
	same 'no call of runnel is in an answer' "$(paste -sd' ' "$tmp/own")" ''
}

# shellcheck disable=SC2048 # a list
for part in ${*:-names waits links ways own}; do $part; done
done_testing
