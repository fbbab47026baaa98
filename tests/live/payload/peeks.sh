#!/bin/bash
# Payload that moves without a call that has it in a buffer: what a TCP connection maps, and
# /proc/PID/mem, are searched; rings of packet sockets and ptrace are counted as uncovered, once
# each, if `where` admits the process. The program checks what it received by itself.
. tests/live/lib.sh
need_bpf; need jq
PEEKS=$PWD/$B/tests/programs/peeks
covers() {
	grep '"ledger"' "$tmp/err" |
		jq -c ".ledger.nodes[0].paths.$1 // {} | [.uncovered // 0, .bytes_seen // 0, .bytes_scanned // 0]"
}
can() { grep -q "^$1  *ok" "$tmp/doctor"; }
strict() { # QUERY COMMAND: its status
	"$RN" -q --strict -c "$2" "$1" >/dev/null 2>&1
	echo $?
}

# ---- TCP_ZEROCOPY_RECEIVE ----
bytes=300000
if ! "$PEEKS" zerocopy $bytes 65533 fix283 >"$tmp/alone" 2>&1; then
	skip "$(tail -1 "$tmp/alone")"
elif grep -q '^mapped 0 ' "$tmp/alone"; then
	skip "this machine maps nothing of a connection: $(cat "$tmp/alone")"
else
	for copy in 0 65536; do
		for at in 0 65533 131069 $((bytes - 6)); do
			q -c "$PEEKS zerocopy $bytes $at fix283 $copy" \
				"events of tag fix283 where proc = peeks into \"$tmp/z.rnt\" replace"
			read -r _ mapped _ copied _ rest same \
				<<<"$(grep '^mapped' "$tmp/out" "$tmp/err" -h)"
			same "the program received what was sent ($at)" \
				"$((mapped + copied + rest)) $same" "$bytes same"
			"$RN" -q -o json \
				"name, bytes, hits, ret of tag fix283 from \"$tmp/z.rnt\"" \
				>"$tmp/rows"
			same "the tag at $at is in one receive" \
				"$(jq -r '"\(.ret == 0) \(.name == "getsockopt")"' "$tmp/rows" | paste -sd' ')" \
				"$([ $at -lt $((mapped + copied)) ] && echo true true || echo false false)"
			rm -f "$tmp/z.rnt"
		done
	done
	# As a hop: linked to its sender by the number of its bytes, live and over the recording.
	q -c "$PEEKS zerocopy $bytes 65533 fix283" "events of tag fix283 into \"$tmp/f.rnt\""
	"$RN" -q -o json "flow of tag fix283 from \"$tmp/f.rnt\"" >"$tmp/recorded"
	q -c "$PEEKS zerocopy $bytes 65533 fix283" 'flow of tag fix283'
	shape() { jq -r '[.hop, .proc, .name, .dir, .from, .match] | @tsv' "$1" | sed 's/\t/ /g'; }
	same 'a hop from the send, known by its number' "$(shape "$tmp/out" | tail -1)" \
		'3 peeks getsockopt in 2 exact'
	same 'and so over its recording' "$(shape "$tmp/recorded")" "$(shape "$tmp/out")"
	q -c "$PEEKS zerocopy $bytes 0 fix283 65536" \
		'count, sum(bytes) of tag x"2e2e2e2e" where proc = peeks by name'
	read -r _ mapped _ copied _ <<<"$(grep '^mapped' "$tmp/out" "$tmp/err" -h)"
	same 'its bytes are those mapped and copied' \
		"$(field 'select(.name == "getsockopt") | ."sum(bytes)"')" $((mapped + copied))
	same 'and all of them were searched' \
		"$(covers socket | jq -c "[.[0], .[1] >= $((mapped + copied)), .[1] - .[2]]")" \
		'[0,true,0]'
	can 'tags in files read through memory' &&
		same 'an answer that is whole' \
			"$(strict 'flow of tag fix283' "$PEEKS zerocopy $bytes 0 fix283")" 0
fi
q -c "$PEEKS options 50" 'count of tag nothere where name = getsockopt'
same 'other options of sockets are nothing to a search' "$(covers socket)" '[0,0,0]'
q -c "$PEEKS options 50" 'count, sum(bytes) of getsockopt where proc = peeks'
same 'they are calls without bytes' "$(field '"\(.count) \(."sum(bytes)")"')" '50 0'

# ---- /proc/PID/mem ----
q -c "$PEEKS memory read fix283" 'flow of tag fix283 where proc = peeks'
same 'what is read of /proc/PID/mem is searched, in two calls' \
	"$(field '"\(.name) \(.dir) \(.object)"' | sed 's,[^ ]*/proc/[0-9]*/,/proc/PID/,')" \
	'pread64 in /proc/PID/mem'
same 'and nothing is out of reach' "$(covers file | jq '.[0]')" 0
q -c "$PEEKS memory write fix283" 'flow of tag fix283 where proc = peeks'
same 'and what is written to it' \
	"$(field '"\(.name) \(.dir) \(.object)"' | sed 's,[^ ]*/proc/[0-9]*/,/proc/PID/,')" \
	'pwrite64 out /proc/PID/mem'

# ---- ptrace ----
ptraced() { q -c "$PEEKS ptrace $1 $2" "count of tag nothere $3"; covers process_vm | jq '.[0]'; }
same 'a process whose memory is peeked is counted once' "$(ptraced 3 peek 'where proc = peeks')" 3
same 'and one whose memory is poked' "$(ptraced 2 poke 'where proc = peeks')" 2
same 'its registers are no payload' "$(ptraced 2 registers '')" 0
same 'nor is what a tracer does otherwise' "$(ptraced 2 none '')" 0
same 'not if `where` leaves the tracer out' "$(ptraced 2 peek 'where proc = tracee')" 0
same 'but if it asks for some of its events' "$(ptraced 2 peek 'where name = read and bytes > 5')" 2
same 'nor if the program is another one' "$(ptraced 2 peek 'where exe ~ "*/nosuch"')" 0
same 'the program by its path' "$(ptraced 2 peek 'where exe ~ "*/peeks"')" 2
same 'such an answer is not whole' \
	"$(strict 'count of tag nothere where proc = peeks' "$PEEKS ptrace 1 peek")" 3

# ---- rings of packet sockets ----
"$PEEKS" ring 1 >"$tmp/alone" 2>&1
case $? in
0) ;;
77) skip "no network namespaces on this machine"; done_testing ;;
*) not_ok "a ring: $(cat "$tmp/alone")"; done_testing ;;
esac
same 'a ring carries payload' "$(cat "$tmp/alone")" '2 frames'
ring() { q -c "$PEEKS ring $1 $2" "count of tag nothere $3"; covers socket | jq '.[0]'; }
same 'each ring is counted once' "$(ring 3 rx 'where proc = peeks')" 3
same 'also one to send' "$(ring 2 tx 'where proc = peeks')" 2
same 'not if `where` leaves its process out' "$(ring 1 rx 'where proc = nosuch')" 0
same 'but if it asks for some of its events' \
	"$(ring 1 rx 'where bytes > 100 and file ~ "/nosuch/*"')" 1
same 'such an answer is not whole' "$(strict 'flow of tag nothere' "$PEEKS ring 1")" 3
# One that was there before: found when the query begins, if its process is admitted and in scope.
if can 'iterators over open files'; then
	rm -f "$tmp/ready" "$tmp/go"
	"$PEEKS" use-ring "$tmp/ready" "$tmp/go" >"$tmp/used" 2>&1 & old=$!
	await test -e "$tmp/ready"
	before() { # CONDITION [OPTION...]
		local where=$1; shift
		q "$@" "count of tag nothere $where for 0.2s"
		covers socket | jq '.[0]'
	}
	same 'a ring from before the query' "$(before 'where proc = peeks')" 1
	same 'not if `where` leaves its process out' "$(before "where pid = $$")" 0
	same 'but if it asks for some of its events' \
		"$(before "where pid = $old and bytes > 100")" 1
	same 'in scope' "$(before '' -p $old)" 1
	sleep 30 & other=$!
	same 'of another process' "$(before '' -p $other)" 0
	kill $other; wait $other 2>/dev/null
	export RUNNEL_WITHOUT=task_file
	same 'as on a kernel without the iterator' "$(before 'where proc = peeks')" 0
	unset RUNNEL_WITHOUT
	during 'count of tag nothere where proc = peeks' touch "$tmp/go"
	wait $old
	same 'and it carries payload' "$(cat "$tmp/used") $(covers socket | jq '.[0]')" '2 frames 1'
else
	skip "this kernel has no iterator over open files"
fi
# As people use it.
if command -v tcpdump >/dev/null; then
	q -c "timeout 5 tcpdump -i lo -c 1 -w $tmp/pcap & until ping -c1 -W1 127.0.0.1 >/dev/null 2>&1 || printf x >/dev/udp/127.0.0.1/9; [ -s $tmp/pcap ]; do sleep 0.1; done; wait" \
		'count of tag nothere where proc = tcpdump'
	same 'tcpdump' "$(covers socket | jq '.[0]') $([ -s "$tmp/pcap" ] && echo written)" \
		'1 written'
else
	skip "no tcpdump on this machine"
fi
same 'a query that searches nothing does not care' \
	"$(strict 'count of io' "$PEEKS ring 1") $(strict 'count of io' "$PEEKS ptrace 1 peek")" \
	'0 0'
done_testing
