#!/bin/bash
# The two ends of connections between network namespaces find each other. TCP does so by position:
# several connections have the same tag at once, receives are not of the sends' size, and a tag lies
# across two of either. The others are IPv4 in a socket of IPv6, NAT, UDP, Unix sockets, and
# loopback, which each namespace has.
. tests/live/lib.sh
. tests/support/lab.bash
need_bpf; need jq
why=$(lab_possible) || skip_all "$why"
at_exit 'lab_down'
ENDS=$PWD/$B/tests/programs/ends
lab_up 2 >"$tmp/lab.log" 2>&1 || \
	set_up_failed "the lab: $(tail -n 1 "$tmp/lab.log")"

pairs=''
pair() { # PROTO ADDRESS PORT COUNT [FROM [RECEIVER SENDER [PORT-OF-SENDER]]]: adds to the scenario
	local ready=$tmp/ready.$((pairs_n++))
	pairs+="on ${6:-2} $ENDS recv $1 $2 $3 $4 $ready & jobs+=\" \$!\"
on ${7:-1} $ENDS send $1 $2 ${8:-$3} $4 $ready ${5:-} & jobs+=\" \$!\"
"
}
pairs_n=0
scenario() { # runs what was added, under a flow
	{
		declare -f on lab_holder
		echo "tmp=$tmp; jobs=; $pairs"
		echo 'for j in $jobs; do wait $j || exit 1; done'
	} >"$tmp/scenario"
	pairs=''
	ask 'flow of tag fix283 where proc = ends' || { cat "$tmp/err"; not_ok 'the scenario ran'; }
	same 'nothing lost' "$(lost)" 0
}
hosts='' # of a cluster to ask
ask() { # QUERY
	local asked r
	[ -n "$hosts" ] || { q -c "bash $tmp/scenario" "$1"; return; }
	"$RN" -v -o json -H "$hosts" "$1" >"$tmp/out" 2>"$tmp/err" </dev/null & asked=$!
	lab_await 'nodes that watch' grep -q '^attached: 2 of 2 nodes' "$tmp/err" &&
		bash "$tmp/scenario"
	r=$?
	kill -TERM $asked
	wait $asked && return $r
}
# For each receive: its size, the size of the send that it came from, how they were matched, and
# whether that is the other end of the connection.
links='. as $h | .[] | select(.dir == "in") | . as $r | ($h[] | select(.hop == $r.from)) // {} | . as $s |
	"\($r.bytes)<\($s.bytes) \($r.match) \(if $r.object | contains("->") then ($r.object | split(" -> ") | reverse | join(" -> ")) == $s.object else $s.pid != null end)"'
got() {
	jq -rs "$links" "$tmp/out" | sort | uniq -c | awk '{ print $1 "x", $2, $3, $4 }' |
		paste -sd,
}
stream() { # COUNT HOW
	echo "$1x 350<1000 $2 true,$1x 645<800 $2 true,$1x 655<800 $2 true"
}
before() { jq -rs 'map(select(.from >= .hop)) | length' "$tmp/out"; }

pair tcp 10.77.0.2 4000 3
scenario
same 'TCP: position' "$(got)" "$(stream 3 exact)"
same 'TCP: no hop before its cause' "$(before)" 0
same 'TCP: sends' "$(jq -r 'select(.dir == "out") | "\(.bytes) \(.match)"' "$tmp/out" | sort | uniq -c | awk '{ print $1, $2, $3 }' | paste -sd,)" \
	'3 1000 exact,3 800 exact'

if [ -e /proc/net/if_inet6 ]; then
	pair tcp6 10.77.0.2 4001 2
	scenario
	same 'IPv4 in a socket of IPv6' "$(got)" "$(stream 2 exact)"
fi

# Addresses that are rewritten on the way: the receiver's; the sender's, whose port is another one
# then.
if nft --version >/dev/null 2>&1 &&
	on 2 nft "add table ip t; add chain ip t in { type nat hook prerouting priority -100; }
		add rule ip t in tcp dport 4105 redirect to :4005" 2>"$tmp/nft" &&
	on 1 ip addr add 10.77.0.99/24 dev eth0 &&
	on 1 nft "add table ip t; add chain ip t out { type nat hook postrouting priority 100; }
		add rule ip t out tcp dport 4006 snat to 10.77.0.99:7000-7999" 2>>"$tmp/nft"; then
	for how in '4005 4105' '4006 4006'; do
		# shellcheck disable=SC2086 # a list
		pair tcp 10.77.0.2 ${how% *} 2 '' 2 1 ${how#* }
		scenario
		same "NAT, $how" "$(got | sed 's/false/true/g')" "$(stream 2 nat)"
	done
else
	skip "NAT: no nft here, or the kernel lets it do nothing: $(tail -n 1 "$tmp/nft" 2>/dev/null)"
fi

pair udp 10.77.0.2 4002 2
scenario
same 'UDP' "$(jq -rs "$links" "$tmp/out" | sort | uniq -c | awk '{ print $1 "x", $2, $3 }' | paste -sd,)" \
	'2x 1000<1000 order,2x 700<700 order'
same 'UDP: what nobody of these received' \
	"$(jq -r 'select(.match == "outside") | "\(.dir) \(.bytes)"' "$tmp/out" | paste -sd,)" \
	'out 800,out 800'

for how in unix early; do
	pair $how "$tmp/$how" 0 2
	scenario
	same "Unix sockets: $how" "$(jq -rs "$links" "$tmp/out" | awk '{ print $1, $2 }' | sort | uniq -c | awk '{ print $1 "x", $2, $3 }' | paste -sd,)" \
		'2x 350<1000 order,2x 645<800 order,2x 655<800 order'
done

# The same four numbers in two namespaces at once.
pair tcp 127.0.0.1 4003 1 5003 1 1
pair tcp 127.0.0.1 4003 1 5003 2 2
scenario
same 'loopback' "$(got)" "$(stream 2 exact)"
same 'loopback: each namespace its own' \
	"$(jq -rs '. as $h | [.[] | select(.dir == "in") | . as $r | $h[] | select(.hop == $r.from) | "\(.pid) \($r.pid)"] | unique | length' "$tmp/out")" \
	2

# The namespaces as nodes of a cluster.
hosts=$tmp/hosts
for i in 1 2; do
	echo "node$i exec: nsenter -t $(lab_holder node$i) -n $RN agent --stdio --scope netns"
done >"$hosts"
pair tcp 10.77.0.2 4004 3
pair tcp 127.0.0.1 4003 1 5004 1 1
pair tcp 127.0.0.1 4003 1 5004 2 2
scenario
same 'nodes' "$(got)" "$(stream 5 exact)"
same 'nodes: who' "$(jq -r 'select(.object | contains("10.77")) | "\(.node) \(.dir)"' "$tmp/out" | sort | uniq -c | awk '{ print $1, $2, $3 }' | paste -sd,)" \
	'6 node1 out,9 node2 in'
same 'nodes: no hop before its cause' "$(before)" 0
done_testing
