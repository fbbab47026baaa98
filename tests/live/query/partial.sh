#!/bin/bash
# Windows that are covered in part: marked in every output, their rates divided by what was covered;
# and `for` as a multiple of `every`, which shows whole windows only. The truth is the log of
# tests/programs/events/beats.c, which says of each write when it was made, and arithmetic.
. tests/live/lib.sh
need_bpf; need jq sqlite3
"$B/tests/programs/beats" "$tmp/log" 100 2000 & pid=$!
tidy_up() { kill "$pid" 2>/dev/null; wait "$pid" 2>/dev/null; }
at_exit tidy_up
what="count, rate, sum(bytes) as moved, rate(bytes) as pace of write where pid = $pid"
node="$what and file =~ \"nul*\"" # groups that are formed at the node, by the events' own times
until [ -s "$tmp/log" ]; do sleep 0.05; done
beats() { od -An -v -td8 -w16 "$tmp/log" | awk '$1 == 0 || $2 == 0 { exit } { print $1, $2 }'; }
# The writes in the log that were wholly between two times, and those that may have been.
writes() { # FROM UNTIL
	beats |
		awk -v f="$1" -v u="$2" '$1 >= f && $2 < u { in_++ } $2 >= f && $1 < u { may++ } END { print in_ + 0, may + 0 }'
}
# Is each rate in $tmp/out what was counted, divided by what its row says was covered?
# (jq has times to 256 ns.)
divided() { # EVERY_NS
	jq -s --argjson e "$1" 'length > 0 and all((if .partial then .partial.until - .partial.from else $e end) as $ns |
		(1e-6 + 600 / ($ns + 1)) as $near |
		(.count * 1e9 / $ns - .rate | fabs) <= $near * .rate and (.moved * 1e9 / $ns - .pace | fabs) <= $near * .pace)' "$tmp/out"
}
# Which rows are marked, from 0 on.
marked() { jq -sc 'to_entries | map(select(.value.partial) | .key)' "$tmp/out"; }
aligned() {
	jq -s --argjson e "$1" 'all(.window % $e == 0) and ([.[1:], .[:-1]] | transpose | all(.[0].window - .[1].window == $e))' \
		"$tmp/out"
}
ends() { jq -c '[.ledger.nodes[0].begin, .ledger.nodes[0].end]' "$tmp/err"; }
whole_rows() { # EVERY_NS: does the log say the same of each window without a mark?
	local w n got="" want=""
	while read -r w n; do
		read -r least most < <(writes "$w" $((w + $1)))
		got+="$((n >= least && n <= most)) " want+="1 "
	done < <(jq -r 'select(.partial | not) | "\(.window) \(.count)"' "$tmp/out")
	same "$2" "${got:-none}" "${want:-some}"
}

for groups in "$what" "$node"; do
	kind=kernel; [ "$groups" = "$node" ] && kind=node
	q "$groups every 500ms for 1700ms"
	same "$kind: aligned, rates of what was covered" \
		"$(aligned 500000000) $(divided 500000000)" "true true"
	same "$kind: the first and the last are marked" "$(marked)" \
		"[0,$(($(wc -l <"$tmp/out") - 1))]"
	same "$kind: from and until are those of the ledger" \
		"$(jq -sc '[.[0].partial.from, .[-1].partial.until]' "$tmp/out")" "$(ends)"
	same "$kind: what is between is whole" \
		"$(jq -s '.[0].partial.until == .[0].window + 500000000 and .[-1].partial.from == .[-1].window' "$tmp/out")" \
		true
	[ $kind = node ] && whole_rows 500000000 "node: the log says the same of whole windows"
	before=$(date +%s%N); q "$groups every 500ms for 1s"
	same "$kind: whole windows only" \
		"$(wc -l <"$tmp/out") $(marked) $(aligned 500000000) $(divided 500000000)" \
		"2 [] true true"
	same "$kind: they begin after the query did" \
		"$(jq -s --argjson b "$before" '.[0].window > $b' "$tmp/out")" true
	same "$kind: the ledger has them" "$(ends)" \
		"$(jq -sc '[.[0].window, .[-1].window + 500000000]' "$tmp/out")"
	[ $kind = node ] && whole_rows 500000000 "node: the log says the same of them"
	same "$kind: what came before is not counted" "$(jq '.ledger.matched' "$tmp/err")" \
		"$(jq -s 'map(.count) | add' "$tmp/out")"
done
q "$what every 10s for 700ms"
same 'a window that is hardly covered' \
	"$(divided 10000000000) $(($(marked | jq length) == $(wc -l <"$tmp/out")))" "true 1"
q "time, bytes of write where pid = $pid every 500ms for 1s"
read -r least most < <(
	jq -s '.[0].window, .[0].window + 1000000000' "$tmp/out" | paste -sd' ' |
		{ read -r f u; writes "$f" "$u"; }
)
same 'rows: those of two windows' \
	"$(marked) $(jq -s 'map(.window) | unique | length' "$tmp/out") $(jq -s --argjson l "$least" --argjson m "$most" 'length >= $l and length <= $m' "$tmp/out")" \
	"[] 2 true"
q "top 1 of (count as n of write where pid = $pid by fd) every 500ms for 1200ms"
same 'top of each window' "$(marked)" "[0,$(($(wc -l <"$tmp/out") - 1))]"
q "time, bytes of write where pid = $pid order by bytes desc limit 1 every 500ms for 1200ms"
same 'the greatest of each window' "$(marked)" "[0,$(($(wc -l <"$tmp/out") - 1))]"
q "count as n, rate(calls) as r of (count as calls of write where pid = $pid every 500ms) for 1200ms"
same 'a rate over windows is of the whole' \
	"$(jq -sc 'length == 1 and .[0].r > 0 and (.[0].partial | not)' "$tmp/out")" true
q "window, calls of (count as calls of write where pid = $pid every 500ms) for 1200ms"
same 'windows of a nested query are marked' "$(marked)" "[0,$(($(wc -l <"$tmp/out") - 1))]"
"$RN" -o json -p $pid "$what every 500ms for 1s" >"$tmp/out" 2>"$tmp/err"
same '-p begins at once' "$(marked | jq -c 'index(0)') $(divided 500000000)" "0 true"
"$RN" -o json -c 'sleep 1' "count of syscall every 300ms for 600ms" >"$tmp/out" 2>"$tmp/err"
same '-c begins at once' "$(marked | jq -c 'index(0)')" 0

# other outputs
"$RN" -q -o csv "$what every 500ms for 1300ms" >"$tmp/csv"
same 'CSV: a last column' "$(head -n1 "$tmp/csv")" window,count,rate,moved,pace,partial
same 'CSV: times if it is not whole' \
	"$(sed 1d "$tmp/csv" | awk -F, -v e=500000000 '{ split($6, p, "/"); ok = $6 == "" || (p[1] >= $1 && p[2] <= $1 + e && p[1] < p[2]); n += !ok; empty += ($6 == "") } END { print n + 0, (empty > 0) }')" \
	"0 1"
"$RN" -q "$what every 500ms for 1300ms" >"$tmp/table"
same 'table: how much of it' "$(sed 1d "$tmp/table" | sed -nE '1p;$p' | grep -cE '^[0-9-]+ [0-9:.]+ \([0-9.]+ of 500 ms\) ')" \
	2
same 'table: not of whole ones' "$(sed '1,2d;$d' "$tmp/table" | grep -c ' of 500 ms')" 0
q "let x := $what every 500ms for 1300ms; window, count, rate, moved, pace of x"
same 'a result keeps its marks' "$(marked) $(divided 500000000)" \
	"[0,$(($(wc -l <"$tmp/out") - 1))] true"
q "let x := $what every 500ms for 1300ms; max(count) as n of x by window order by window"
same 'so does what is made of it' "$(marked)" "[0,$(($(wc -l <"$tmp/out") - 1))]"
"$RN" "assert count < 0 of write where pid = $pid every 500ms for 1300ms" 2>"$tmp/err"
same 'an assertion tells it' "$(grep -cE 'window = [^,]*\([0-9.]+ of 500 ms\)' "$tmp/err")" 1
if command -v script >/dev/null; then
	TERM=xterm script -qec "$RN 'count of write where pid = $pid every 3s for 3s' >/dev/null" \
		/dev/null >"$tmp/tty" </dev/null
	same 'a terminal says when it begins' \
		"$(grep -cE 'first window begins [0-9]{2}:[0-9]{2}:[0-9]{2}' "$tmp/tty")" 1
fi

# two nodes begin together, and their rates are added
printf 'one local:\ntwo exec: %s agent --stdio\n' "$RN" >"$tmp/hosts"
"$RN" -o json -H "$tmp/hosts" "$what every 1s for 2s" >"$tmp/out" 2>"$tmp/err"
same 'nodes: whole windows' \
	"$(wc -l <"$tmp/out") $(marked) $(divided 1000000000) $(jq -c .ledger.complete "$tmp/err")" \
	"2 [] true true"
same 'nodes: the same ones' "$(jq -c '[.ledger.nodes[] | .end - .begin] | unique' "$tmp/err")" \
	'[2000000000]'
"$RN" -o json -H "$tmp/hosts" "$what by node every 500ms for 1200ms" >"$tmp/out" 2>"$tmp/err"
same 'nodes: each divides by its own time' \
	"$(jq -sc --slurpfile l "$tmp/err" 'all(. as $r | ($l[0].ledger.nodes[] | select(.node == $r.node)) as $n |
	([.window + 500000000, $n.end] | min) - ([.window, $n.begin] | max) | ($r.count * 1e9 / . - $r.rate | fabs) <= (1e-6 + 600 / .) * $r.rate)' "$tmp/out")" true

# what a node recorded is not later than what it says that it covered
"$RN" -q -H "$tmp/hosts" "events of write where pid = $pid for 700ms into \"$tmp/two.rnt\""
same 'nodes: no row behind its own coverage' \
	"$(sqlite3 "$tmp/two.rnt" 'select count(distinct node), (select count(*) from events as e where not exists
	(select 1 from coverage as c where c.node = e.node and e.time < c."end")) from events')" '2|0'

# a recording has the same windows, marks and rates as the live query beside it
"$RN" -q "events of write where pid = $pid for 2200ms into \"$tmp/x.rnt\"" & recording=$!
q "$node every 500ms for 1600ms"; cp "$tmp/out" "$tmp/live"
wait $recording
from="from \"$tmp/x.rnt\""
q "$node every 500ms $from"; cp "$tmp/out" "$tmp/recorded"
read -r begin end < <(sqlite3 -separator ' ' "$tmp/x.rnt" 'select begin, "end" from nodes')
edge=$((end - end % 500000000)) rows=$(wc -l <"$tmp/out")
read -r least most < <(writes "$edge" "$end")
# if no write fell between the last edge and the end, that window has no row
last=$(jq -s --argjson w "$edge" 'any(.window == $w)' "$tmp/out")
same 'recorded: the last window has a row if there was a write in it' \
	"$([ "$last" = true ] && echo $((most > 0)) || echo $((least == 0)))" 1
marks="[0,$((rows - 1))]" until=$end
[ "$last" = true ] || marks='[0]' until=null
same 'recorded: rates, marks, windows' "$(divided 500000000) $(marked) $(aligned 500000000)" \
	"true $marks true"
same 'recorded: from and until are those of the node' \
	"$(jq -sc '[.[0].partial.from, .[-1].partial.until]' "$tmp/out")" \
	"$(jq -nc "[$begin, $until]")"
both() {
	jq -sc --slurpfile o "$1" '($o | map(select(.partial | not)) | map(.window)) as $w | map(select((.partial | not) and (.window | IN($w[]))))' \
		"$2"
}
same 'recorded: whole windows are those of the live query' "$(both "$tmp/live" "$tmp/recorded")" \
	"$(both "$tmp/recorded" "$tmp/live")"
same 'recorded: there are some' "$(both "$tmp/live" "$tmp/recorded" | jq 'length > 0')" true
sqlite3 "$tmp/x.rnt" 'drop table coverage'
q "$node every 500ms $from"
same 'a recording of 0.1.0 answers the same' "$(cat "$tmp/out")" "$(cat "$tmp/recorded")"
q "count, rate of io every 500ms from \"tests/demo/io.rnt\""
same 'one that was made by it is marked' \
	"$(marked) $(jq -s 'all((.count * 1e9 / (.partial.until - .partial.from) - .rate | fabs) < 1e-3)' "$tmp/out")" \
	"[0,1] true"

# Prometheus gets whole windows: none that began before the program did
if command -v curl >/dev/null; then
	"$RN" -q "view paced := count as calls, rate as pace of write where pid = $pid by fd"
	before=$(date +%s.%N)
	: >"$tmp/serving"
	"$RN" export paced --prometheus 127.0.0.1:0 --every 1s 2>"$tmp/serving" & exported=$!
	served() {
		url=$(sed -n 's/^serving //p' "$tmp/serving")
		[ -n "$url" ] && [ "$(curl -s -o "$tmp/metrics" -w '%{http_code}' "$url")" = 200 ]
	}
	await served
	start=$(awk '/^runnel_window_start_timestamp_seconds / { print $2 }' "$tmp/metrics")
	same 'Prometheus: the first window that is served is whole' \
		"$(awk -v s="$start" -v b="$before" 'BEGIN { print (s != "" && s + 0 > b + 0) }')" \
		1
	kill -INT $exported; wait $exported
fi
done_testing
