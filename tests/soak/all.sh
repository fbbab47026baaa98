#!/bin/bash
# Six kept views and a flow, over 20,000 files, two of them through NATS from two agents: what all
# of it holds stays flat, and it counts what the generators did. It is run by hand, because it takes
# long.
#
#     tests/soak/all.sh [SECONDS]           600 without it; `make soak-kept` likewise
#
# Flat: the most of the second half is at most 5 % above the most of the first half, after a warm-up
# of a tenth. That goes for each process, and for resident memory, descriptors, and memory of BPF
# maps and programs.
. tests/live/lib.sh
need_bpf; need jq awk nats-server
seconds=${1:-600} files=10000 rate=${RATE:-250} tag=SOAKTAG8
STEADY=$tmp/steady$$
cp "$B/tests/programs/steady" "$STEADY"
mkdir -p "$tmp/files/one" "$tmp/files/two"
declare -A pid
clean() { { kill -9 "${pid[@]}" "$server" "$gen1" "$gen2"; wait; } 2>/dev/null; }
at_exit clean

"$STEADY" "$seconds" "$tmp/files/one" $files "$rate" "$tmp/go" $tag >"$tmp/did.one" & gen1=$!
"$STEADY" "$seconds" "$tmp/files/two" $files "$rate" "$tmp/go" $tag >"$tmp/did.two" & gen2=$!
port=$((20000 + RANDOM % 12000))
nats-server -a 127.0.0.1 -p $port >"$tmp/nats.log" 2>&1 & server=$!
await grep -q 'Server is ready' "$tmp/nats.log" || {
	not_ok 'the NATS server'
	cat "$tmp/nats.log"
	exit 1
}
agent() { # NAME PID
	"$RN" agent --nats "127.0.0.1:$port" --node "$1" --scope "pid=$2" </dev/null >/dev/null \
		2>"$tmp/$1.err" &
	pid[$1]=$!
	await grep -q 'listens on NATS' "$tmp/$1.err"
}
agent one $gen1; agent two $gen2
echo "* nats: 127.0.0.1:$port" >"$tmp/hosts"

these="file ~ \"$tmp/files/*\" and proc = steady$$"
"$RN" -q \
	"view by_file := count as calls, sum(bytes) as moved of write where $these by file every 5s;
	view spread := count as calls, hist(latency), p99(latency), distinct(file) of write where $these by proc every 5s;
	view slowest := file, latency of write where $these order by latency desc limit 5 every 5s;
	view largest := pid, proc, rss of processes order by rss desc limit 20 every 5s;
	view by_node := count as calls, sum(bytes) as moved of write where $these by node every 5s;
	view top_files := count as calls of write where $these by node, file top 5 every 5s;
	view ways := flow of tag $tag where proc = steady$$ every 5s" || exit 1
# follow NAME KEY ARGUMENT...: the sum of the column KEY over all rows goes to $tmp/NAME.sum, how
# many rows there were with it.
follow() {
	local v=$1 key=$2; shift 2
	: >"$tmp/$v.err"
	"$RN" -v -o json "$@" watch "$v" 2>"$tmp/$v.err" > \
		>(awk -v key="\"$key\": " -v to="$tmp/$v.sum" '
		(at = index($0, key)) { sum += substr($0, at + length(key)) + 0 } { n++ } END { printf "%d %d\n", sum, n >to }') & pid[$v]=$!
}
follow by_file calls; follow spread calls; follow slowest latency; follow largest rss
follow ways depth
follow by_node calls -H "$tmp/hosts"; follow top_files calls -H "$tmp/hosts"
begun() { grep -q '^attached' "$tmp/$1.err" || [ "$1" = largest ]; }
for v in by_file spread slowest ways by_node top_files; do
	await begun $v || { not_ok "$v is attached"; cat "$tmp/$v.err"; exit 1; }
done

touch "$tmp/go"; begin=$SECONDS
while kill -0 $gen1 2>/dev/null || kill -0 $gen2 2>/dev/null; do
	for v in "${!pid[@]}"; do
		p=/proc/${pid[$v]}
		echo "$((SECONDS - begin)) $(awk '/^VmRSS/ { print $2 }' "$p"/status) $(find "$p"/fd -mindepth 1 2>/dev/null | wc -l)" \
			"$(cat "$p"/fdinfo/* 2>/dev/null | awk '/^memlock:/ { n += $2 } END { print int(n / 1024) }')" \
			>>"$tmp/use.$v"
	done
	sleep $((seconds > 300 ? 10 : 2))
done
sleep 6 # the last window
for v in by_file spread slowest largest ways by_node top_files; do
	kill -INT "${pid[$v]}"; wait "${pid[$v]}"; same "$v ended well" $? 0
	await test -s "$tmp/$v.sum"
done
writes=$(cat "$tmp/did.one" "$tmp/did.two" | awk '{ n += $1 } END { print n }')
tagged=$(cat "$tmp/did.one" "$tmp/did.two" | awk '{ n += $3 } END { print n }')
ledger() { local v=$1; shift; grep '"ledger"' "$tmp/$v.err" | tail -1 | jq "$@"; }
for v in by_file spread by_node; do
	same "$v: rows add up to what the generators wrote" "$(cut -d' ' -f1 "$tmp/$v.sum")" \
		"$writes"
	same "$v: the ledger matched it" "$(ledger $v '[.ledger.nodes[].matched] | add')" "$writes"
done
same "hops of the tag: written, read, sent, received" "$(cut -d' ' -f2 "$tmp/ways.sum")" \
	$((tagged * 4))
for v in by_file spread slowest ways by_node top_files; do
	same "$v: nothing lost" "$(ledger $v -c '[.ledger.nodes[] | {lost_ring, lost_map, lost_cell, lost_scratch, shed, late} | with_entries(select(.value > 0))] | add')" \
		'{}'
done
for v in "${!pid[@]}"; do
	i=1
	for what in 'resident KiB' descriptors 'BPF KiB'; do
		i=$((i + 1))
		read -r first second <<<"$(awk -v c=$i -v t="$seconds" '$1 >= t / 10 { h = $1 > t / 2; if ($c > m[h]) m[h] = $c } END { print m[0] + 0, m[1] + 0 }' "$tmp/use.$v")"
		same "$v: $what flat, $first then $second" $((second * 100 <= first * 105)) 1
	done
done
done_testing
