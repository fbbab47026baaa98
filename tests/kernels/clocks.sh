#!/bin/bash
# Three kernels that share no clock: this one, Linux 6.1 whose real-time clock is an hour behind,
# and Linux 6.12 whose real-time clock is an hour ahead and whose clocks all run 1 % fast. Half a
# minute of records over TCP between all of them: no message is received before it was sent, and the
# stated error of each clock holds against what this kernel saw.
. tests/live/lib.sh
. tests/support/lab.bash
. tests/vm/kernel.bash
. tests/kernels/guest.bash
RN_LAB_WAIT=${RN_LAB_WAIT:-240}
TRAFFIC=$PWD/$B/tests/programs/traffic
need_bpf; need jq sqlite3
why=$(lab_possible) || skip_all "$why"
why=$(guest_possible) || skip_all "$why"
at_exit 'guest_stop; lab_down'
failed() { not_ok "$*"; exit 1; }

# ---- three kernels ----
lab_up 1 >"$tmp/lab.log" || failed "the lab is up: $(tail -n 1 "$tmp/lab.log")"
guest_make old linux-image-cloud-amd64 11 : >"$tmp/make.log" 2>&1 ||
	failed "Linux 6.1 can be had: $(tail -n 1 "$tmp/make.log")"
guest_make new linux-image-6.12-cloud-amd64 12 'adjtimex -t 10100 >/dev/null; echo "tick: $?"' \
	>"$tmp/make.log" 2>&1 ||
	failed "Linux 6.12 can be had: $(tail -n 1 "$tmp/make.log")"
guest_start old -3600 && guest_start new 3600 || set_up_failed 'the guests are started'
for g in old new; do
	guest_await $g || failed "the guest $g comes up"
done
same 'the second one runs fast' "$(grep -a '^tick' "$tmp/guest/new/console" | tr -d '\r')" 'tick: 0'
for g in old new; do echo "exec $(guest_reach $g)" >"$tmp/reach.$g"; done
for g in old new; do echo "$g exec: sh $tmp/reach.$g agent --stdio"; done >"$tmp/rack.hosts"
{ echo 'here local:'; cat "$tmp/rack.hosts"; } >"$tmp/direct.hosts"
{ echo 'here local:'; echo 'rack relay: rack.hosts'; } >"$tmp/relay.hosts"
on 1 "$TRAFFIC" serve 7000 </dev/null >"$tmp/serve" 2>&1 & disown

# ---- traffic, while it is watched ----
at_exit '[ -z "${asked:-}" ] || kill "$asked" 2>/dev/null'
attached() { grep -q '^attached' "$tmp/err" || [ ! -e /proc/"$asked" ]; }
talked() { [ "$(cat "$tmp"/guest/*/console | grep -ac "^talked $tag")" = 4 ]; }
at() { echo "$lab_net.$1"; }
# HOW COUNT PROBES: a flow of so many records each way between any two, and from here to each
# guest's device
watch() {
	local how=$1 count=$2 probes=$3 own='' fine=0 p g a try
	tag=fixclock$how$$
	# On a busy machine a guest may need longer to load its programs than a node is given: then
	# it is asked again.
	for try in 1 2 3; do
		"$RN" -H "$tmp/$how.hosts" --lease 60 -v -o json \
			"flow of tag $tag where proc = traffic" >"$tmp/out" 2>"$tmp/err" \
			</dev/null &
		asked=$!
		lab_await 'the query to watch' attached &&
			grep -q '^attached: 3 of 3 nodes' "$tmp/err" && break
		kill -TERM $asked 2>/dev/null; wait $asked
		cat "$tmp/err"
	done
	same "$how: three nodes watch" "$(grep '^attached' "$tmp/err")" 'attached: 3 of 3 nodes'
	[ $status = 0 ] || exit 1
	for a in 1 12; do
		guest_run old "traffic talk $(at $a) 7000 $tag $count 100; echo \"talked $tag \$?\""
	done
	for a in 1 11; do
		guest_run new "traffic talk $(at $a) 7000 $tag $count 100; echo \"talked $tag \$?\""
	done
	for a in 11 12; do
		on 1 "$TRAFFIC" talk "$(at $a)" 7000 "$tag" "$count" 100 </dev/null >"$tmp/talk$a" \
			2>&1 &
		own="$own $!"
	done
	for g in old new; do
		"$TRAFFIC" probe "$tmp/guest/$g/echo" "$tag" "$probes" 250 </dev/null \
			>"$tmp/probe.$g" 2>"$tmp/probe.$g.err" &
		own="$own $!"
	done
	for p in $own; do wait "$p" && fine=$((fine + 1)); done
	same "$how: this kernel talks and probes" $fine 4
	lab_await 'the guests to have talked' talked || failed "$how: the guests talk"
	same "$how: the guests talk" "$(cat "$tmp"/guest/*/console | tr -d '\r' | grep -a "^talked $tag" | sort | uniq -c | tr -s ' ')" \
		" 4 talked $tag 0"
	kill -TERM "$asked"; wait "$asked"
	same "$how: the query ends well" $? 0
	same "$how: nothing lost" "$(lost)" 0
}

# ---- what it says: all numbers as integers of 64 bits ----
db() { sqlite3 -batch "$tmp/db" "$@"; }
ledger() { grep '^{"ledger"' "$tmp/err" | jq -c ".ledger.nodes[] | select(.node == \"$1\") | .$2"; }
load() {
	local g
	rm -f "$tmp/db"
	db <<-SQL >"$tmp/db.log" 2>&1 || failed "the answer can be read: $(cat "$tmp/db.log")"
		create table line(t);
		.mode ascii
		.separator "\036" "\n"
		.import "$tmp/out" line
		create table hop as select json_extract(t, '\$.hop') hop, json_extract(t, '\$.time') time, json_extract(t, '\$.node') node,
			json_extract(t, '\$.dir') dir, json_extract(t, '\$.object') object, json_extract(t, '\$.latency') latency,
			json_extract(t, '\$.from') came, json_extract(t, '\$.match') how from line;
		create unique index hops on hop(hop);
		create table message as select r.hop, r.time received, s.time - s.latency sent, s.hop from_hop from hop r, hop s
			where s.hop = r.came and r.node <> s.node and r.dir = 'in' and r.how = 'exact';
		create table probe(node, i integer, sent integer, back integer);
	SQL
	for g in old new; do
		awk -v g=$g '{ printf "insert into probe values (\"%s\", %d, %s, %s);\n", g, NR, $1, $2 }' \
			"$tmp/probe.$g" | sed "s/\"/'/g"
	done | db
}
judge() { # HOW COUNT PROBES
	local how=$1 count=$2 probes=$3 g offset bound hour
	load
	same "$how: every message is matched" "$(db 'select count(*) from message')" $((12 * count))
	same "$how: no message is received before it was sent" \
		"$(db 'select count(*) from message where received < sent')" 0
	same "$how: every hop stands behind its cause" \
		"$(db 'select count(*) from hop where came >= hop')" 0
	same "$how: hops of a node are in order" \
		"$(db "select count(*) from hop a, hop b where b.hop = a.hop + 1 and a.node = b.node
		and a.time - case a.dir when 'out' then a.latency else 0 end > b.time - case b.dir when 'out' then b.latency else 0 end")" 0
	for g in old new; do
		offset=$(ledger $g clock_offset) bound=$(ledger $g clock_bound)
		echo "$how, $g: ahead by $offset ns, wrong by $bound ns at most"
		hour=-3600; [ $g = old ] || hour=3600
		same "$how, $g: its clock is an hour off" "$(((offset / 1000000000 - hour) / 60))" 0
		same "$how, $g: the bound is one" "$((bound > 0 && bound < 60000000000))" 1
		db "create table got_$g as select row_number() over (order by time) i, time from hop
			where node = '$g' and dir = 'in' and object like '/dev/vport%'"
		same "$how, $g: every probe is seen" "$(db "select count(*) from got_$g")" "$probes"
		# When a record was there: after it was sent from here, before it was back. Clocks
		# are read in between, not at once: 10 us.
		same "$how, $g: its times are as right as is said" \
			"$(db "select count(*) from got_$g join probe using (i)
			where node = '$g' and (time + $bound + 10000 < sent or time - $bound - 10000 > back)")" 0
	done
	same "$how: this node has our clock" \
		"$(ledger here clock_offset) $(ledger here clock_bound)" '0 0'
}
watch direct 250 100
judge direct 250 100
# The same through a relay, which has a clock of its own: here that of this kernel.
watch relay 40 16
judge relay 40 16

# ---- the table of clocks ----
# The agents are started again, and what was known is not: some seconds of a query come first, again
# if there were few trips in them.
ask_clocks() {
	q -H "$tmp/direct.hosts" --lease 60 \
		'count of fork by node for 5s; node, rate, offset, bound, trips of clocks'
	[ "$(jq -s 'map(select(has("trips") and .node != "here" and .trips > 5)) | length' "$tmp/out")" \
		= 2 ]
}
await ask_clocks
sed 's/^/clock: /' "$tmp/out"
of() { jq -c "select(.node == \"$1\" and has(\"trips\")) | $2" "$tmp/out"; }
same 'clock: a row for each node' \
	"$(jq -r 'select(has("trips")) | .node' "$tmp/out" | paste -sd' ')" 'here old new'
same 'clock: this node' "$(of here '[.rate, .offset, .bound]')" '[0,0,0]'
same 'clock: an hour behind' "$(of old '[.rate > -5000 and .rate < 5000, .offset < -3500e9 and .offset > -3700e9, .bound > 0, .trips > 5]')" \
	'[true,true,true,true]'
same 'clock: an hour ahead, and 1 % fast' \
	"$(of new '[.rate > 5000 and .rate < 15000, .offset > 3500e9 and .offset < 3700e9, .bound > 0, .trips > 5]')" \
	'[true,true,true,true]'
same 'clock: on one node' \
	"$("$RN" -H "$tmp/direct.hosts" -o csv 'node of clocks on new' 2>/dev/null | paste -sd' ')" \
	'node new'
done_testing
