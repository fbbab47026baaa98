#!/bin/bash
# The same queries over the same work, put in several ways. One process asks the whole kernel.
# Others ask three nodes of a lab, each a network namespace with an agent of its own, over exec and
# over NATS, through relays and not. The answers are the same.
. tests/live/lib.sh
. tests/support/lab.bash
need_bpf; need jq nc
why=$(lab_possible) || skip_all "$why"
ways='local exec relay'
! "$RN" agent --help | grep -q -e --nats || { need nats-server; ways="$ways nats shared rack"; }
ways=${RN_WAYS:-$ways}
batch=${RN_BATCH:-5}
window_s=6

lab_up 3 || set_up_failed 'the lab'
WORK=w$$ IDLE=z$$ TAG=shape$$
t=$tmp/t; mkdir "$t"
cp "$CALLS" "$t/$WORK"; cp "$(readlink -f "$(command -v bash)")" "$t/$IDLE"
{
	head -c 5000 /dev/zero | tr '\0' x
	echo "$TAG"
	head -c 3000 /dev/zero | tr '\0' y
	echo "${TAG}b"
} >"$t/in"
for i in 1 2 3; do
	mkfifo "$t/wake$i"
	spawn $i "$t/$IDLE" -c "while read -r n; do echo \$n >$t/woken$i; done <>$t/wake$i"
done

for i in 1 2 3; do
	echo "node$i exec: nsenter -t $(lab_holder node$i) -n -m -u -- $RN agent --stdio --scope netns"
done >"$t/exec.hosts"
{ echo 'near relay: below.hosts'; tail -n 1 "$t/exec.hosts"; } >"$t/relay.hosts"
head -n 2 "$t/exec.hosts" >"$t/below.hosts"

# NATS, three times: its agents by their names; all that are found, with two relays that share them;
# and two nodes behind a relay of their own, which has a hosts file.
listening() { grep -qs 'listens on NATS' "$1"; }
nats_server() { # WAY PORT NAME...: a server, and a hosts file of these names
	local way=$1 port=$2 name; shift 2
	set -f
	for name; do echo "$name nats: nats://$lab_net.254:$port"; done >"$t/$way.hosts"
	set +f
	aside nats-server -a $lab_net.254 -p "$port" >"$t/$way.server" 2>&1 & disown
	lab_await 'nats-server' grep -qs 'Server is ready' "$t/$way.server"
}
member() { # WAY PORT NAME PREFIX... OPTIONS...: an agent or relay of that name
	local o=$t/$1.$3 port=$2 name=$3; shift 3
	"$@" --nats nats://$lab_net.254:"$port" --node "$name" >"$o" 2>&1 & disown
	lab_await "$name on NATS" listening "$o" || { cat "$o"; return 1; }
}
agent() { member "$1" "$2" "node$3" on "$3" "$RN" agent --scope netns; } # WAY PORT N
case " $ways " in *' nats '*)
	nats_server nats 4222 node1 node2 node3 && agent nats 4222 1 && agent nats 4222 2 &&
		agent nats 4222 3 || { not_ok 'agents on NATS'; exit 1; };;
esac
case " $ways " in *' shared '*)
	nats_server shared 4223 '*' && agent shared 4223 1 && agent shared 4223 2 &&
		agent shared 4223 3 &&
		member shared 4223 relay1 aside "$RN" relay &&
		member shared 4223 relay2 aside "$RN" relay ||
		{ not_ok 'relays that share agents'; exit 1; };;
esac
case " $ways " in *' rack '*)
	nats_server rack 4224 '*' && agent rack 4224 3 &&
		member rack 4224 near aside "$RN" relay -H "$t/below.hosts" ||
		{ not_ok 'a relay with nodes'; exit 1; };;
esac

# What the nodes do, one after another: sizes are such that no node alone knows which are the
# greatest. pass_on: data goes through all three.
work() { # NUMBER
	local i k list
	rm -f "$t"/woken?
	for i in 1 2 3; do
		list=
		for k in $(seq 40); do
			list="$list pread=$((k * i * 7 % 11 + 1))x$((100 * k + 1))"
		done
		# shellcheck disable=SC2086 # a list
		on $i "$t/$WORK" $list getppid=$((10 * i)) pwrite=$((5 * i))x4096 \
			pipe=$((4 * i))x$((30 * i)) enoent=$i fork=$((4 - i)) read0=1x$((i + $1)) ||
			return
		echo "$1" >"$t/wake$i"
	done
	for i in 1 2 3; do lab_await 'a line taken' grep -qsx "$1" "$t/woken$i" || return; done
}
pass_on() {
	local i k
	on 3 nc -l -N $lab_net.3 7001 >"$t/out" & k=$!
	on 2 sh -c "nc -l -N $lab_net.2 7001 | cat >$t/mid"  & i=$!
	lab_await 'a listener' on 1 sh -c "nc -N node2 7001 <$t/in" && wait $i || return
	lab_await 'a listener' on 2 sh -c "nc -N node3 7001 <$t/mid" && wait $k &&
		cmp -s "$t/in" "$t/out"
}
# In the middle of a window; what is done there is checked to have ended before the window does.
phase_ms() { local n; n=$(date +%s%3N); echo $((n % (window_s * 1000))); }
in_middle() {
	local p; p=$(phase_ms)
	[ "$p" -ge 500 ] && [ "$p" -le 2000 ]
}
window_now() { echo $(($(date +%s%3N) / (window_s * 1000))); }
is_later() { [ "$(window_now)" -gt "$1" ]; } # WINDOW
# Both windows are whole for everybody: they begin when all have attached, and end before anybody is
# stopped.
work_in_windows() {
	local n before
	lab_await 'a window from its beginning' is_later "$(window_now)" || return
	for n in 1 2; do
		lab_await 'the middle of a window' in_middle || return
		before=$(window_now)
		work $n || return
		[ "$(window_now)" = "$before" ] &&
			[ "$(phase_ms)" -lt $((window_s * 1000 - 500)) ] ||
			return 2
		lab_await 'the end of a window' is_later "$before" || return
	done
}

start() { # WAY NUMBER: asks query NUMBER that way; pid in $t/WAY.NUMBER.pid
	local o=$t/$1.$2 hosts='' where=env
	[ "$1" = local ] || hosts="-H $t/$1.hosts"
	# no function: its pid is that of runnel
	! grep -qs nats: "$t/$1.hosts" || where="nsenter -t $(lab_holder bridge) -n --"
	# shellcheck disable=SC2086 # a list
	$where "$RN" -v -o json $hosts "$t/q$2.rnl" >"$o.out" 2>"$o.err" </dev/null &
	echo $! >"$o.pid"
}
# A node that discovery finds, and that answers too late, joins late: then the query starts again.
found_all() { # WAY.NUMBER
	case $1 in shared.* | rack.*) ;; *) return 0 ;; esac
	grep -qs '^attached: 3 of 3 nodes' "$t/$1.err" && return
	kill "$(cat "$t/$1.pid")" 2>/dev/null; wait "$(cat "$t/$1.pid")"
	start "${1%.*}" "${1#*.}"
	return 1
}
# Attached everywhere; or it was no live query, and has ended.
watching() { # WAY.NUMBER...
	local o
	for o; do
		grep -qs '^attached' "$t/$o.err" || ! kill -0 "$(cat "$t/$o.pid")" 2>/dev/null ||
			return
		found_all "$o" || return
	done
}
ways_of() { # NUMBER: a set is asked before the query: whether all were found then, nothing says
	if grep -q ' in (pid of' "$t/q$1.rnl"; then
		sed 's/shared//; s/rack//' <<<"$ways"
	else
		echo "$ways"
	fi
}
# What is compared of an answer: all but times and names of nodes; in order, where the query has
# one. Windows in which nothing happened are left out: those before and behind the work are as many
# as a query runs, which each of them does from a time of its own on.
answer() { # FILE NUMBER
	jq -cS 'del(.time, .begin, .start, .latency, .lag, .node, .from_node) | select((has("window") | not) or any(del(.window, .partial)[]; . != 0 and . != null))' \
		"$1" |
		{ if grep -qE 'order by| top [0-9]|^top' "$t/q$2.rnl"; then cat; else sort; fi; }
}
# Nobody closed a window so late that it holds some of the work of the next one.
in_time() { # LEDGER...
	[ "$(grep -h '^{"ledger"' "$@" | jq -s '[.[].ledger.nodes[].edge // 0] | max')" \
		-lt 400000000 ]
}
ask_batch() { # NUMBER...: 0; 2: the work did not fit into its windows
	local n w r=0
	for n; do for w in $(ways_of "$n"); do start "$w" "$n"; done; done
	# shellcheck disable=SC2046 # a list
	lab_await "queries $*" watching $(for n; do printf "%s.$n " $(ways_of "$n"); done) ||
		return 1
	# shellcheck disable=SC2046 # a list
	if grep -q every $(printf "$t/q%s.rnl " "$@"); then
		work_in_windows
		r=$?
	else
		work 1 && pass_on
		r=$?
	fi
	for n; do
		for w in $(ways_of "$n"); do kill -TERM "$(cat "$t/$w.$n.pid")" 2>/dev/null; done
	done
	for n; do
		for w in $(ways_of "$n"); do
			wait "$(cat "$t/$w.$n.pid")"
			echo $? >"$t/$w.$n.rc"
		done
	done
	[ $r = 0 ] || return $r
	for n; do
		# shellcheck disable=SC2046 # a list
		! grep -q every "$t/q$n.rnl" ||
			in_time $(for w in $(ways_of "$n"); do echo "$t/$w.$n.err"; done) ||
			return 2
	done
}
compare() { # NUMBER
	local n=$1 w truth=${ways%% *} label
	label=$(cat "$t/q$n.name")
	answer "$t/$truth.$n.out" "$n" >"$t/want"
	[ -s "$t/want" ] || [ "$label" = 'no flow' ] ||
		{ not_ok "$label: no answer"; cat "$t/$truth.$n.err"; return; }
	for w in $(ways_of "$n"); do
		answer "$t/$w.$n.out" "$n" >"$t/got"
		if [ "$(cat "$t/$w.$n.rc")" != 0 ]; then
			not_ok "$label, $w: exit $(cat "$t/$w.$n.rc")"
			cat "$t/$w.$n.err"
		elif [ "$w" = "$truth" ]; then :
		elif cmp -s "$t/want" "$t/got"; then ok "$label, $w: $(wc -l <"$t/got") rows"
		else
			not_ok "$label, $w: other rows than $truth"
			cat "$t/q$n.rnl"
			diff "$t/want" "$t/got" | head -n 20
			cat "$t/$w.$n.err"
		fi
	done
}

awk -v dir="$t" '/^== / { n++; name = substr($0, 4); print name >(dir "/q" n ".name"); next } n && NF { print >(dir "/q" n ".rnl") }' \
	tests/cluster/shapes.q
sed -i "s/WORK/$WORK/g; s/IDLE/$IDLE/g; s/TAG/$TAG/g" "$t"/q*.rnl
total=$(ls "$t"/q*.rnl | wc -l)
# Those with windows together: only for them the work waits for the clock.
plain=$(for n in $(seq "$total"); do grep -q every "$t/q$n.rnl" || echo "$n"; done)
windows=$(for n in $(seq "$total"); do ! grep -q every "$t/q$n.rnl" || echo "$n"; done)
for set in "$plain" "$windows"; do
	# shellcheck disable=SC2086 # a list
	set -- $set
	while [ $# -gt 0 ]; do
		part=("${@:1:batch}"); shift ${#part[@]}
		for _ in $(seq 12); do
			ask_batch "${part[@]}"; r=$?
			[ $r = 2 ] || break
		done
		# shellcheck disable=SC2002,SC2046 # a pipe is meant
		[ "$r" = 0 ] || {
			not_ok "the work of $(cat $(printf "$t/q%s.name " "${part[@]}") | paste -sd,)"
			continue
		}
		for n in "${part[@]}"; do compare "$n"; done
	done
done
done_testing
