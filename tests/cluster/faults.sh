#!/bin/bash
# Something is killed, stopped or cut at seeded moments of queries over five nodes: agents, relays,
# the coordinator, the link of a node that is reached over TCP. Every answer is the truth over what
# its ledger says answered; nothing stays attached, nothing hangs.
#
# A node is a process (and its descendants) that writes beats
# (tests/programs/events/beats.c). The size of a write distinguishes it from all others, and the
# test knows when it was made. RN_SEED: another course of events; RN_MOMENTS: how many.
. tests/live/lib.sh
. tests/support/lab.bash
need_bpf; need jq socat
why=$(lab_possible) || skip_all "$why"
seed=${RN_SEED:-4242} moments=${RN_MOMENTS:-200}
lease=2 every=250 nodes='1 2 3 4 5'
BEATS=$PWD/$B/tests/programs/beats
t=$tmp/t; mkdir "$t"
pids=()
bye() {
	local p
	for p in "${pids[@]}"; do kill -9 "$p" 2>/dev/null; done
	for p in $(of_run "$mark"); do kill -9 "$p" 2>/dev/null; done
	lab_down
}
mark=RN_FAULTS=$$.
at_exit bye
# Processes of a run, by a variable that they inherit from their coordinator. A dead one has no
# environment.
of_run() {
	grep -lsaF "$1" /proc/[0-9]*/environ 2>/dev/null | while IFS=/ read -r _ _ p _; do
		[ "$p" = self ] || echo "$p"
	done
}

lab_up 2 || set_up_failed 'the lab'
for i in $nodes; do
	"$BEATS" "$t/beats$i" $((i * 100000)) 5000 & pids+=($!); beat[i]=$!; disown
done
agent() { echo "$RN agent --stdio --lease $lease --node n$1 --scope pid=${beat[$1]}"; }
# Node 5 is reached over TCP, from node 2 of the lab to node 1.
on 1 socat TCP-LISTEN:7001,fork,reuseaddr EXEC:"$(agent 5)" 2>/dev/null & pids+=($!); disown
far="exec: env X='agent --stdio' nsenter -t $(lab_holder node2) -n -- socat - TCP:$lab_net.1:7001"
for i in 1 2 3 4; do echo "n$i exec: env $(agent $i)"; done >"$t/flat.hosts"
echo "n5 $far" >>"$t/flat.hosts"
sed -n 1,2p "$t/flat.hosts" >"$t/r1.hosts"; sed -n 3,4p "$t/flat.hosts" >"$t/r2.hosts"
for i in 1 2; do
	echo "r$i relay: $RN relay --stdio --lease $lease -H $t/r$i.hosts"
done >"$t/tree.hosts"
echo "n5 $far" >>"$t/tree.hosts"

children() { cat /proc/"$1"/task/*/children 2>/dev/null; }
descendants() { local p; for p in $(children "$1"); do echo "$p"; descendants "$p"; done; }
is_runnel() { [[ $(readlink "/proc/$1/exe") == */runnel ]]; }
pid_of() { # ARGUMENT, as in 'n3': the agent or relay of this run that was started with it
	local f
	# shellcheck disable=SC2013 # a word a line
	for f in $(grep -lszxF -- "$1" /proc/[0-9]*/cmdline); do
		f=${f%/cmdline}
		is_runnel "${f#/proc/}" &&
			{ [ "$1" = n5 ] || grep -qsaF "$mark$number=" "$f/environ"; } &&
			echo "${f#/proc/}" && return
	done
	return 1
}
# Both leave what they have chosen in a variable: a subshell would draw numbers of its own.
# OF
choose() { chosen=$((RANDOM % $1)); }
# MS MS
between() {
	local n=$(($1 + RANDOM % ($2 - $1)))
	printf -v span '%d.%03d' $((n / 1000)) $((n % 1000))
}
# Stops a process, and later lets it go on.
pause() { # PID FROM TO (ms)
	local for_s; between "$2" "$3"; for_s=$span
	kill -STOP "$1" 2>/dev/null || return
	(sleep "$for_s"; kill -CONT "$1" 2>/dev/null) & waits+=($!)
}
cut() { # FROM TO
	local for_s br; between "$1" "$2"; for_s=$span br=$(lab_holder bridge)
	nsenter -t "$br" -n ip link set v1 down || return
	(sleep "$for_s"; nsenter -t "$br" -n ip link set v1 up) & waits+=($!)
}
touched() { local i; for i; do echo "F n$i 1"; done >>"$run.faults"; }
below() { case $1 in 1) echo 1 2 ;; 2) echo 3 4 ;; esac; } # RELAY
# One moment: something happens to something. What it was is written to $run.log.
strike() {
	local i r kind p what
	choose 5; i=$((chosen + 1)); choose 2; r=$((chosen + 1)); choose 12; kind=$chosen
	# shellcheck disable=SC2046,SC2086 # lists
	case $kind in
	[0-3]) what="kill of n$i"; p=$(pid_of "n$i") && kill -9 "$p" && touched $i ;;
	4 | 5) what="pause of n$i"; p=$(pid_of "n$i") && pause "$p" 50 1000 && touched $i ;;
	6) what="long pause of n$i"; p=$(pid_of "n$i") &&
		pause "$p" $((lease * 1000 + 500)) $((lease * 1000 + 1500)) && touched $i;;
	7) what="kill of r$r"; p=$(pid_of "$t/r$r.hosts") && kill -9 "$p" && touched $(below $r) ;;
	8) what="pause of r$r"; p=$(pid_of "$t/r$r.hosts") && pause "$p" 50 1000 &&
		touched $(below $r);;
	9) what='pause of the coordinator'; pause "$coordinator" 50 800 && touched $nodes ;;
	10) what='cut for a while'; cut 100 1000 && touched 5 ;;
	11) what='cut for longer than the lease'; cut $((lease * 1000 + 500)) \
		$((lease * 1000 + 1500)) && touched 5;;
	esac || return
	echo "$(($(date +%s%3N) - launched)) ms: $what" >>"$run.log"
}
held() { # programs and links of the agents of this run, by number
	local p
	for p in $(descendants "$coordinator") $(lab_pids node1); do
		sed -n 's/^\(prog\|link\)_id:[[:space:]]*/\1 /p' "/proc/$p"/fdinfo/* 2>/dev/null
	done | sort -u
}
alive() { "$B/tests/programs/bpf_alive" <"$1"; }
far_agents() { local p; for p in $(lab_pids node1); do is_runnel "$p" && echo "$p"; done; }
none_of() { [ -z "$(of_run "$mark$number")$(far_agents)" ]; }
all_freed() { [ -z "$(alive "$run.held")" ]; }

number=0 struck=0
launch() { # HOSTS QUERY
	number=$((number + 1)) run=$t/run$number waits=()
	: >"$run.faults"; : >"$run.log"; : >"$run.held"
	launched=$(date +%s%3N)
	env "$mark$number=1" "$RN" -H "$t/$1.hosts" --lease $lease -o json "$2" >"$run.out" \
		2>"$run.err" </dev/null &
	coordinator=$!
	echo "$2, $1" >>"$run.log"
}
# Everything is over: pauses, processes, what they had attached.
over() { # NAME
	[ ${#waits[@]} = 0 ] || wait "${waits[@]}"
	lab_await "the processes of $1" none_of || {
		not_ok "$1: processes are left"
		ps -fp "$(of_run "$mark$number" | paste -sd,)"
		cat "$run.log"
		return 1
	}
	lab_await "what $1 had attached" all_freed || {
		not_ok "$1: something is left attached"
		alive "$run.held"
		cat "$run.log"
		return 1
	}
}
ended() {
	[ ! -e "/proc/$coordinator" ] ||
		[ "$(sed 's/.*) //; s/ .*//' "/proc/$coordinator/stat" 2>/dev/null)" = Z ]
}

ledger() { # of a run, in short
	grep '"ledger"' "$run.err" |
		jq -r '.ledger.nodes[] | [.node, .answered, .why // "-", .begin, .end, .until // 0, .joined // 0, .seen, .matched, .lost, .late] | @tsv' ||
		cat "$run.err"
}
check() { # NAME EXACT EVERY
	local base i bad; base=$((launched - 60000))
	{
		cat "$run.faults"
		grep '"ledger"' "$run.err" |
			jq -r \
			'.ledger.nodes[] | [.node, .answered, .begin, .end, .until // 0, .joined // 0, .late] | @tsv' \
			| sed 's/^/L /' | while IFS= read -r l; do
			# what a relay that did not come back is said to have missed, its nodes have
			case $l in
			'L r1'*) echo "L n1 ${l#L r1}"; echo "L n2 ${l#L r1}" ;;
			'L r2'*) echo "L n3 ${l#L r2}"; echo "L n4 ${l#L r2}" ;;
			*) echo "$l" ;;
			esac
		done
		for i in $nodes; do od -An -v -td8 -w16 "$t/beats$i" |
			awk -v n="n$i" \
			'$1 == 0 { exit } { print "B", n, NR, $1, $2 == 0 ? $1 + 6e10 : $2 }';
			done
		jq -r '[.window // 0, .bytes, .count // 1] | @tsv' "$run.out" |
			awk '{ print "R", $1, "n" int($2 / 100000), $2 % 100000, $3 }'
	} >"$run.facts"
	bad=$(awk -v every="$3" -v exact="$2" -v base="$base" -v totals="$run.totals" -f tests/cluster/truth.awk "$run.facts")
	if [ -z "$bad" ] && [ -s "$run.totals" ]; then
		read -r rows sure whole <"$run.totals"
		ok "$1: $rows rows, $sure of them due, $whole of 5 nodes answered all the time"
	else
		not_ok "$1"; echo "$bad"; cat "$run.log"; ledger
		[ -z "${RN_KEEP:-}" ] || cp -r "$run".* "$RN_KEEP"
	fi
}
# A query with moments all the way: from its launch on, to its end and beyond.
ask() { # HOSTS EXACT EVERY QUERY
	local label="$1: $4" rc
	launch "$1" "$4"
	while ! ended; do
		between 10 450; sleep "$span"
		strike && struck=$((struck + 1))
		[ -s "$run.held" ] || held >"$run.held"
		[ $(($(date +%s%3N) - launched)) -lt 120000 ] || {
			not_ok "$label: it hangs"
			cat "$run.log"
			kill -9 "$coordinator"
			break
		}
	done
	wait "$coordinator"; rc=$?
	over "$label" || return
	case $rc in
	0) check "$label" "$2" "$3" ;;
	4) if grep -q 'none of' "$run.err"; then ok "$label: no node was left"; else not_ok \
		"$label: exit 4"; cat "$run.log" "$run.err"; fi;;
	*) not_ok "$label: exit $rc"; cat "$run.log" "$run.err" ;;
	esac
}
# The coordinator itself ends, or falls silent, at some moment.
kill_coordinator() { # HOSTS SIGNAL
	local label="$1: the coordinator gets SIG$2" s
	launch "$1" "count of write where proc = beats by node, bytes every ${every}ms"
	between 10 1500; s=$span
	sleep "$s"; held >"$run.held"
	kill -"$2" "$coordinator"; struck=$((struck + 1))
	if [ "$2" = STOP ]; then # all agents go, although it is there
		lab_await 'the end of the lease' lease_over || {
			not_ok "$label: agents outlive the lease"
			ps -fp "$(of_run "$mark$number" | paste -sd,)"
		}
		lab_await 'what was attached to be freed' all_freed ||
			not_ok "$label: something is left attached"
		kill -9 "$coordinator"
	fi
	wait "$coordinator" 2>/dev/null
	over "$label" && ok "$label after $s s, $(wc -l <"$run.held") objects were attached"
}
lease_over() { # agents are gone, or unread by who started them
	local p
	for p in $(descendants "$coordinator") $(lab_pids node1); do
		is_runnel "$p" && return 1
	done
	return 0
}

# The reader of the rows stops reading, for longer than the lease. The coordinator goes on to speak
# to its nodes, and none is lost.
slow_reader() { # HOSTS SECONDS
	local label="$1: nobody reads the rows for $2 s" reader rc
	# one that stands still for longer than the lease is lost for another reason
	for _ in 1 2 3; do
		slow_read "$1" "$2" || return
		[ -n "$(lost_nodes)" ] || break
	done
	if [ "$rc" = 0 ]; then
		check "$label" 0 0
	else
		not_ok "$label: exit $rc"
		cat "$run.err"
	fi
	same "$label: nodes that were lost" "$(lost_nodes)" ""
}
lost_nodes() {
	grep -h '^{"ledger"' "$run.err" |
		jq -r '.ledger.nodes[] | select(.answered | not) | "\(.node): \(.why)"'
}
slow_read() { # HOSTS SECONDS: leaves $rc
	rm -f "$t/rows"; mkfifo "$t/rows"
	number=$((number + 1)) run=$t/run$number waits=()
	: >"$run.faults"; : >"$run.held"; echo "$label" >"$run.log"; launched=$(date +%s%3N)
	{ sleep "$2"; cat; } <"$t/rows" >"$run.out" & reader=$!
	env "$mark$number=1" "$RN" -H "$t/$1.hosts" --lease $lease -o json \
		"time, node, bytes, file, proc of write where proc = beats for 4s" >"$t/rows" \
		2>"$run.err" </dev/null &
	coordinator=$!
	# shellcheck disable=SC2086 # a list
	touched $nodes
	wait "$coordinator"; rc=$?
	wait $reader
	over "$label"
}
# An agent does not come to read its ring for more calls than that holds: what is lost is counted,
# to the last one.
full_ring() {
	local calls=1500000 load agent rows
	mkfifo "$t/go"
	bash -c "read -r x <$t/go; '$CALLS' pwrite=${calls}x10; echo done >$t/done; read -r x <$t/go" &
	load=$!
	# shellcheck disable=SC2206 # a list
	pids+=($load)
	disown
	echo "n1 exec: env $RN agent --stdio --lease 100 --node n1 --scope pid=$load" \
		>"$t/ring.hosts"
	number=$((number + 1)) run=$t/run$number waits=()
	: >"$run.held"; echo 'a full ring' >"$run.log"
	env "$mark$number=1" "$RN" -v -H "$t/ring.hosts" --lease 100 -o csv \
		'bytes of write where proc = calls and bytes = 10' >"$run.out" 2>"$run.err" \
		</dev/null &
	coordinator=$!
	lab_await 'the query runs' grep -q '^attached: 1 of 1' "$run.err"
	agent=$(pid_of n1)
	kill -STOP "$agent"; echo >"$t/go"
	lab_await 'all calls are made' test -s "$t/done"
	kill -CONT "$agent"; kill -INT "$coordinator"
	wait "$coordinator"; rc=$?
	over 'a full ring' || return
	rows=$(($(wc -l <"$run.out") - 1))
	lost=$(sed -n 's/^ *\([0-9,]*\)  rows lost because the ring buffer was full$/\1/p' "$run.err" | tr -d ,)
	same 'a full ring: rows and what was lost' "$rc $((rows + ${lost:-0}))" "0 $calls"
	same 'a full ring: some were lost' "$((${lost:-0} > 0))" 1
}

RANDOM=$seed
full_ring
slow_reader flat 1; slow_reader tree $((lease + 3))
for i in 1 2 3 4; do kill_coordinator flat KILL; kill_coordinator tree KILL; done
kill_coordinator flat STOP; kill_coordinator tree STOP
where='of write where proc = beats'
while [ $struck -lt "$moments" ]; do
	case $((number % 6)) in
	0) ask flat 1 $every \
		"count $where and file =~ \"nul+\$\" by node, bytes every ${every}ms for 4s";;
	1) ask tree 1 $every \
		"count $where and file =~ \"nul+\$\" by bytes every ${every}ms for 4s";;
	2) ask flat 0 $every "count $where by node, bytes every ${every}ms for 4s" ;;
	3) ask tree 0 $every "count $where by bytes every ${every}ms for 4s" ;;
	4) ask tree 0 0 "time, node, bytes $where for 4s" ;;
	5) ask flat 0 0 "count $where by node, bytes for 4s" ;;
	esac
done
same 'moments' "$((struck >= moments))" 1
done_testing
