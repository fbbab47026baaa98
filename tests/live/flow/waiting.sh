#!/bin/bash
# Calls that wait when the query begins: all kinds of them are hops and events, without a latency; a
# query that uses the latency leaves them out and says so. The truth is what
# tests/programs/events/waiting.c did, and the same over the recording.
. tests/live/lib.sh
need_bpf; need jq sqlite3
WAITING=$PWD/$B/tests/programs/waiting

# across: a hosts file, over whose nodes it is asked. Runs QUERY over a new `waiting` of the text
# TAG, lets it go when the query is attached, and ends the query when all have what they got. Into
# $tmp/out, $tmp/err, $rc; of -o FORMAT.
among_waiting() { # TAG FORMAT QUERY
	local w q who
	rm -rf "$tmp/w"; mkdir "$tmp/w"; : >"$tmp/err"
	"$WAITING" "$tmp/w" "$1" & w=$!
	await test -e "$tmp/w/ready"
	if [ -n "${across:-}" ]; then who=(-H "$across"); else who=(-p "$w"); fi
	"$RN" -v --strict -o "$2" "${who[@]}" "$3" >"$tmp/out" 2>"$tmp/err" & q=$!
	await watching $q
	touch "$tmp/w/go"; wait $w
	kill -TERM $q; wait $q; rc=$?
}
unpaired() { grep '"ledger"' "$tmp/err" | jq '[.ledger.nodes[].unpaired // 0] | add'; }

# ---- flow: one hop of each kind, from the one that sent it, to the one that wrote it
among_waiting zqwt01 json 'flow of tag zqwt01'
kinds=$(sort "$tmp/w/ready") n=$(wc -l <"$tmp/w/ready")
same 'flow: status' $rc 0
same 'flow: every kind of waiting call is a hop, without a latency' \
	"$(field 'select(.latency == null) | .name' | sort)" "$kinds"
same 'flow: nothing is left out' "$(unpaired)" 0
same 'flow: each hop comes from the one before it' \
	"$(field 'select(.from != .hop - 1 and (.name != "write" or (.object | test("/w/(?!source)")))) | "\(.hop) \(.name) \(.from)"')" \
	''
for k in $kinds; do
	same "flow: $k, from what was sent, to its file" \
		"$(jq -s -r --arg k "$k" '. as $h | map(select(.latency == null and .name == $k))[0] as $x |
		[$h[$x.from - 1].name, ($h | map(select((.object | endswith("/w/" + $k)) and .name == "write"))[0] | .hop > $x.hop)] | join(" ")' "$tmp/out")" 'write true'
done

if [ -n "${RN_TEST_SMALL:-}" ]; then
	among_waiting zqwt06 json 'count, max(latency) of tag zqwt06'
	same 'an aggregate: left out, and counted' "$(unpaired)" "$n"
	done_testing
fi

# ---- events, in each format
among_waiting zqwt02 json 'events of tag zqwt02'
same 'json: null, and begin too' \
	"$(field 'select(.latency == null and .begin == null) | .name' | sort)" "$kinds"
same 'json: the others have both' \
	"$(field 'select(.latency != null and .begin != null and .latency > 0) | .name' | wc -l)" \
	"$(field 'select(.latency != null) | .name' | wc -l)"
same 'events: nothing is left out' "$rc $(unpaired)" '0 0'
among_waiting zqwt03 csv 'name, latency, begin, bytes of tag zqwt03'
same 'csv: empty cells' "$(tr -d '\r' <"$tmp/out" | sed -n 's/,,,6$//p' | sort)" "$kinds"
among_waiting zqwt04 table 'name, latency, begin, bytes of tag zqwt04'
same 'table: empty cells' "$(awk 'NR > 1 && NF == 3 && $2 == 6 { print $1 }' "$tmp/out" | sort)" \
	"$kinds"
among_waiting zqwt05 json \
	'name, latency / 2 as half, latency > 1us as slow, begin - latency as before of tag zqwt05'
same 'what is computed from it is null' \
	"$(field 'select(.half == null and .slow == null and .before == null) | .name' | sort)" \
	"$kinds"
same 'what is computed from others is not' \
	"$(field 'select(.half == null or .slow == null or .before == null) | .name' | wc -l)" \
	"$n"

# ---- a query that uses it leaves them out, and says so
among_waiting zqwt06 json 'count of tag zqwt06'
all=$(field .count)
while read -r what query; do
	among_waiting zqwt06 json "$query"
	same "$what: left out, and counted" \
		"$(unpaired) $(jq -s 'if .[0] | has("count") then map(.count) | add else length end' "$tmp/out")" \
		"$n $((all - n))"
done <<'Q'
where count of tag zqwt06 where latency > 0
where-in-user-space count of tag zqwt06 where latency * 1.5 > 0
begin count of tag zqwt06 where begin > "2001-01-01 00:00:00"
by count of tag zqwt06 by bucket(latency, 1s)
aggregate count, max(latency) of tag zqwt06
aggregate-in-user-space count, set(latency) of tag zqwt06
order name, latency of tag zqwt06 order by latency
top name of tag zqwt06 top 1000 by latency
nested count of (name as n, latency / 2 as half of tag zqwt06) where half >= 0
Q

# ---- the recording, and the same over it
among_waiting zqwt07 json "events of tag zqwt07 into \"$tmp/x.rnt\""
same 'recording: NULL' "$(sqlite3 "$tmp/x.rnt" 'select name from events where latency is null and begin is null order by 1')" \
	"$kinds"
same 'recording: the others have both' \
	"$(sqlite3 "$tmp/x.rnt" 'select count(*) from events where (latency is null) != (begin is null)')" \
	0
over() { "$RN" -v --strict -o json "$1 from \"$tmp/x.rnt\"" >"$tmp/out" 2>"$tmp/err"; rc=$?; }
over 'events of tag zqwt07'
same 'over the recording: null' \
	"$rc $(field 'select(.latency == null) | .name' | sort | tr '\n' ' ')" \
	"0 $(tr '\n' ' ' <<<"$kinds")"
over 'flow of tag zqwt07'
same 'over the recording: the flow' \
	"$rc $(unpaired) $(field 'select(.latency == null) | .name' | sort | tr '\n' ' ')" \
	"0 0 $(tr '\n' ' ' <<<"$kinds")"
over 'count of tag zqwt07 where latency > 0'
same 'over the recording: where' "$rc $(unpaired) $(field .count)" "0 $n $((all - n))"
over 'count, max(latency) of tag zqwt07'
same 'over the recording: an aggregate' "$rc $(unpaired) $(field .count)" "0 $n $((all - n))"
over 'count of tag zqwt07'
same 'over the recording: all of them' "$rc $(unpaired) $(field .count)" "0 0 $all"

# ---- kept rows
cat >"$tmp/let.rnl" <<S
let kept := name, latency, begin of tag zqwt07 from "$tmp/x.rnt";
name, latency of kept;
count of kept where latency > 0;
name, latency of kept order by latency;
S
"$RN" -o json "$tmp/let.rnl" >"$tmp/out" 2>"$tmp/err"
same 'let: null' "$(jq -s -r 'map(select(has("latency") and .latency == null) | .name) | sort | .[]' "$tmp/out")" \
	"$kinds"
same 'let: where leaves them out' "$(field 'select(has("count")) | .count')" "$((all - n))"
same 'let: and says so' "$(grep -c '"unpaired": *'"$n" "$tmp/err")" 2

# ---- through frames: a node, and a relay above it
printf 'one exec: %s agent --stdio\n' "$RN" >"$tmp/node"
printf 'rack relay: %s\n' "$tmp/node" >"$tmp/relay"
for across in "$tmp/node" "$tmp/relay"; do
	among_waiting zqwt08 json \
		'name, latency, begin, latency / 2 as half of tag zqwt08 where proc = waiting'
	same "${across##*/}: null" "$(field 'select(.latency == null and .begin == null and .half == null) | .name' | sort)" \
		"$kinds"
	same "${across##*/}: nothing is left out" "$(unpaired) $(field .name | wc -l)" "0 $all"
	among_waiting zqwt09 json 'flow of tag zqwt09 where proc = waiting'
	same "${across##*/}: a flow" "$(unpaired) $(field 'select(.latency == null and .from > 0) | .name' | sort | tr '\n' ' ')" \
		"0 $(tr '\n' ' ' <<<"$kinds")"
	among_waiting zqwt10 json 'count, max(latency) of tag zqwt10 where proc = waiting'
	same "${across##*/}: an aggregate" "$(unpaired) $(field .count)" "$n $((all - n))"
	among_waiting zqwt11 json \
		'name, latency of tag zqwt11 where proc = waiting order by latency'
	same "${across##*/}: an order" "$(unpaired) $(field .name | wc -l)" "$n $((all - n))"
done
across=

# ---- as it was found: cat waits for a pipe that somebody holds open; a thread of python in recv
mkfifo "$tmp/ff"; exec 9<>"$tmp/ff"
cat "$tmp/ff" >"$tmp/blk" 9<&- & cat=$!
await grep -q '^0 ' "/proc/$cat/syscall"
send() { bash -c "echo 'zqblk' | sed 's/k/k1/' >'$tmp/ff'"; await grep -q zqblk1 "$tmp/blk"; }
during 'flow of tag zqblk1' send
kill $cat; wait $cat 2>/dev/null; exec 9>&-
same 'cat that waited is a hop' \
	"$(field 'select(.proc == "cat") | "\(.name) \(.dir) \(.latency != null)"')" \
	$'read in false\nwrite out true'
same 'and its links' "$(jq -s -r 'map(select(.proc == "cat")) | "\(.[0].from > 0) \(.[1].from == .[0].hop)"' "$tmp/out")" \
	'true true'
done_testing
