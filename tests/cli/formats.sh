#!/bin/bash
# formats.sh - table, JSON, CSV, ledger, -O, scripts and recordings over a recorded trace. The truth
# is what sqlite3 reads from the same file: a trace is a database.
. tests/cli/lib.bash
T=$tmp/t.rnt
"$B/tests/gen_trace" "$T" 5000 7 || { not_ok "no trace"; exit 1; }
sql() { sqlite3 "$@"; }
from="from \"$T\""

# ---- JSON
run -o json "count, sum(bytes), max(latency) of read by proc $from"
same json-rows "$(jq -r '[.proc, .count, .["sum(bytes)"], .["max(latency)"]] | map(tostring) | join("|")' "$tmp/out" | sort)" \
	"$(sql "$T" "select proc, count(*), sum(bytes), max(latency) from events where name in ('read','pread64','readv','preadv','preadv2') and latency is not null
		group by proc" | sort)"
unseen="from events where name in ('read','pread64','readv','preadv','preadv2') and latency is null"
same json-unpaired "$(jq -r '.ledger.unpaired' "$tmp/err")" "$(sql "$T" "select count(*) $unseen")"
run -o json "time, name, latency, begin of read $from"
same json-null "$(jq -c 'select(.latency == null and .begin == null) | .name' "$tmp/out" | wc -l)" \
	"$(sql "$T" "select count(*) $unseen")"
run -o csv "time, latency, begin, name of read $from"
same csv-empty "$(grep -c '^[^,]*,,,[a-z]' "$tmp/out")" "$(sql "$T" "select count(*) $unseen")"
run -o json "count, sum(bytes), max(latency) of read by proc $from"
same json-keys "$(head -n1 "$tmp/out" | jq -c 'keys_unsorted')" \
	'["proc","count","sum(bytes)","max(latency)"]'
same json-ledger \
	"$(jq -r '.ledger | [.seen, .lost, .complete] | map(tostring) | join(" ")' "$tmp/err")" \
	"$(sql "$T" "select count(*) from events where name in ('read','pread64','readv','preadv','preadv2')") 0 true"
run -o json "time, error, peer, file of syscall where error = ENOENT $from"
same json-values "$(sed 's/^{"time": \([0-9]*\), "error": "\([A-Z]*\)".*/\1|\2/' "$tmp/out" | sort | sha1sum)" \
	"$(sql "$T" "select time, 'ENOENT' from events where error = 2" | sort | sha1sum)"
run -o json "hist(latency) as h, count as n of syscall by name $from"
same json-hist \
	"$(jq -c 'select(([.h[][2]] | add) != .n)' "$tmp/out" | wc -l) $(wc -l <"$tmp/out")" \
	"0 $(sql "$T" "select count(distinct name) from events")"
run -o json "count of syscall every 1s $from"
same json-window "$(jq -r '[.window, .count] | map(tostring) | join("|")' "$tmp/out")" \
	"$(sql "$T" "select time / 1000000000 * 1000000000 w, count(*) from events group by w order by w")"

# ---- stacks for flame graphs
run -q -o folded "count of syscall by proc, name $from"
same folded "$(LC_ALL=C sort "$tmp/out" | sha1sum)" \
	"$(sql -separator ' ' "$T" "select proc || ';' || name, count(*) from events group by proc, name" | LC_ALL=C sort | sha1sum)"
run -q -o folded "time of syscall limit 3 $from"
same folded-without-a-number "$rc $(wc -c <"$tmp/out")" "0 0"

# ---- heat maps: each cell has the shade of its count
shades() { # the histogram `h` of JSON rows, in cells of two columns from bucket 128 ns on
	jq -r 'def shade: . as $n | " .:-=+*#%@" as $s | [1, 3, 10, 30, 100, 300, 1000, 3000, 10000]
			| map(select(. <= $n)) | length | $s[.:. + 1] | . + .;
		[.h[] | select(.[0] >= 128)] as $h
		| ([range(7; ($h[0][0] | log2))] | map("  ") | join("")) as $before
		| .proc + " " + $before + ($h | map(.[2] | shade) | join("") | sub(" +$"; ""))'
}
run -q -o json "hist(latency) as h of io where latency >= 128ns by proc order by proc $from"
shades <"$tmp/out" >"$tmp/shades"
run -q -o heat "hist(latency) as h of io where latency >= 128ns by proc order by proc $from"
same heat "$(tail -n +4 "$tmp/out" | sed 's/^\([a-z-]*\)  */\1 /')" \
	"$(sed 's/^\([a-z-]*\)  */\1 /' "$tmp/shades")"
same heat-has-rows $(($(grep -c '[=+*#]' "$tmp/shades") > 5)) 1
same heat-bounds "$(sed -n 3p "$tmp/out" | grep -oE '[0-9.]+ [num]?s' | head -n2 | paste -sd,)" \
	'128 ns,2.05 us'
run -q -o heat "count of io by proc top 1 $from"
same heat-without-a-histogram "$(head -n1 "$tmp/out")" 'proc  count'

# ---- what has more than 64 bits
run -o json "name, sum(latency) * 9223372036854775807 as x, avg(latency) > 0 as y of fsync by name $from"
same json-overflow "$(cat "$tmp/out") $(jq -c '.ledger | [.overflow, .complete]' "$tmp/err")" \
	'{"name": "fsync", "x": null, "y": true} [1,false]'
run "count of fsync where latency * 9223372036854775807 > 0s $from"
same overflow-told "$(grep -o '[^ ].*too great.*' "$tmp/err" | sed 's/^[0-9,]*/N/')" \
	'N results and values too great for 64 bits: null, or left out of an aggregate; divide before you multiply or add up, or calculate with fractions: `x * 1.0`'

# ---- CSV
run -q -o csv "count, sum(bytes) as moved of io by proc, file order by proc, file $from"
same csv "$(cat "$tmp/out")" "$(sql -csv -header "$T" "select proc, file, count(*) as count, sum(bytes) as moved from events
	where name in ('read','pread64','write','pwrite64','readv','writev','sendto','recvfrom','sendmsg','recvmsg','sendfile','preadv','pwritev',
	'preadv2','pwritev2','sendmmsg','recvmmsg','splice','tee','vmsplice','copy_file_range','process_vm_readv','process_vm_writev')
	group by proc, file order by proc, file" | tr -d '\r')"
same quiet "$(cat "$tmp/err")" ""
run -q -o csv "count of syscall where proc = nosuch by proc $from"
case_is csv-empty 0 "proc,count" ""

# ---- table
run "count of syscall by proc $from"
same table "$(tail -n +2 "$tmp/out" | awk '{print $1 "|" $2}')" \
	"$(sql "$T" "select proc, count(*) n from events group by proc order by n desc, proc")"
same table-aligned "$(awk '{print length($0)}' "$tmp/out" | sort -u | wc -l)" 1
same text-ledger "$(cat "$tmp/err")" \
	"ledger: 5,000 seen, 5,000 matched, 0 lost; from the recording $T"
run "count of syscall where file =~ 'zzzz' $from"
same matched-after-all-predicates "$(tail -n1 "$tmp/out" | tr -d " ") $(cut -d, -f1-3 "$tmp/err")" \
	"0 ledger: 5,000 seen, 0 matched"
run -v "count of syscall $from"
same verbose-ledger "$(grep -c 'rows lost because the ring buffer was full' "$tmp/err")" 1
run "sum(bytes), avg(latency) of read $from"
same units "$(tail -n1 "$tmp/out" | grep -cE '[0-9] [KM]iB +[0-9.]+ [um]s')" 1

# ---- where rows go, and what an incomplete answer costs
run -q -O "$tmp/rows" -o json "count of syscall $from"
same output-file "$rc $(cat "$tmp/out") $(cat "$tmp/rows")" '0  {"count": 5000}'
run -O /dev/full "count of syscall $from"
same full-disk "$rc" 4
run -O /nonexistent/rows "count of syscall $from"
case_is no-directory 4 "" "error: cannot write /nonexistent/rows: No such file or directory"
run -q --strict "count of syscall $from"; same strict-complete "$rc" 0
cp "$T" "$tmp/lost.rnt"
sql "$tmp/lost.rnt" "insert or replace into ledger select node, 'lost_ring', 17 from nodes limit 1"
run --strict "count of syscall from \"$tmp/lost.rnt\""
same strict-incomplete "$rc $(head -n1 "$tmp/err" | cut -d';' -f1)" \
	"3 ledger: 5,000 seen, 5,000 matched, 17 lost"
holds loss-and-advice \
	"  17 rows lost because the ring buffer was full; ask for aggregates instead of rows" \
	"$tmp/err"
run "count of syscall from \"$tmp/lost.rnt\""; same keep-going "$rc" 0
sql "$tmp/lost.rnt" "insert or replace into ledger select node, 'unpaired', 1 from nodes limit 1"
run -v "count of syscall from \"$tmp/lost.rnt\""
holds singular "  1 call was already running when the query began" "$tmp/err"
run "count of syscall from \"$tmp/lost.rnt\""
same few-unpaired "$(grep -c running "$tmp/err")" 0
sql "$tmp/lost.rnt" "insert or replace into ledger select node, 'unpaired', 60 from nodes limit 1"
run "count of syscall from \"$tmp/lost.rnt\""
holds many-unpaired "  60 calls were already running when the query began" "$tmp/err"

# ---- scripts
printf '#!/usr/bin/env runnel\nuse io;\ncount of syscall where proc = $who from "%s";\nevents of top_files(2) %s;\n' \
	"$T" "$from" >"$tmp/s.rnl"
run -q -o json "$tmp/s.rnl" who=java
same script "$rc $(head -n1 "$tmp/out") $(wc -l <"$tmp/out")" \
	"0 {\"count\": $(sql "$T" "select count(*) from events where proc = 'java'")} 3"
out=$(echo "count of syscall $from; count of read $from" | "$RN" -q -o json)
same stdin-statements "$(echo "$out" | head -n1) $(echo "$out" | wc -l)" '{"count": 5000} 2'
run -q --explain "count of syscall $from"
same explain "$rc $(wc -c <"$tmp/err") $(($(wc -l <"$tmp/out") > 2))" "0 0 1"
for s in tokens ast types plan split sql; do
	run --dump=$s "count of read where file =~ \"log\" by proc $from"
	same "dump-$s" "$rc $(($(wc -c <"$tmp/out") > 10)) $(cat "$tmp/err")" "0 1 "
done

# ---- recordings: a text may read what it has written itself
run -o json "events of open $from into \"$tmp/o.rnt\"; count of open from \"$tmp/o.rnt\""
same record-and-read "$rc $(cat "$tmp/out")" \
	"0 {\"count\": $(sql "$T" "select count(*) from events where name in ('open','openat','openat2','creat')")}"
# what is recorded can be asked for windows, pairs and single calls, whatever the list names
run -q "ret, pid of read $from into \"$tmp/i.rnt\""
run -q -o csv "count of read every 1s from \"$tmp/i.rnt\""
mv "$tmp/out" "$tmp/few"
run -q -o csv "count of read every 1s $from"
same record-keeps-time "$rc $(wc -l <"$tmp/few") $(cksum <"$tmp/few")" "0 6 $(cksum <"$tmp/out")"
run -q -o csv "count of pread64 from \"$tmp/i.rnt\""
same record-keeps-name "$rc $(sed -n 2p "$tmp/out")" \
	"0 $(sql "$T" "select count(*) from events where name = 'pread64'")"
run -q -o csv "count, max(latency) of between read and read on pid by node from \"$tmp/i.rnt\""
mv "$tmp/out" "$tmp/few"
run -q -o csv "count, max(latency) of between read and read on pid by node $from"
same record-keeps-node "$rc $(wc -l <"$tmp/few") $(cksum <"$tmp/few")" \
	"0 $(sql "$T" 'select 1 + count(distinct node) from events') $(cksum <"$tmp/out")"
run "ret as time of read $from into \"$tmp/j.rnt\""
same record-no-other-time \
	"$rc $(grep -c E-NAME-DUP "$tmp/err") $(ls "$tmp/j.rnt" 2>&1 | grep -c cannot)" "1 1 1"
# older recordings had them only where they were named: then such questions are refused, not
# answered by 0
sql "$tmp/i.rnt" "delete from fields where name = 'name'"
run "count of pread64 from \"$tmp/i.rnt\""
same recorded-without-name \
	"$rc $(cut -d: -f2- "$tmp/err" | head -n1 | grep -c 'recorded without .name')" "1 1"
run -q "count of read from \"$tmp/i.rnt\""; same recorded-without-name-whole "$rc" 0
sql "$tmp/i.rnt" "delete from fields where name = 'node'"
run "count of between read and read on pid from \"$tmp/i.rnt\""
same recorded-without-node "$rc $(grep -c 'recorded without .node.*nodes' "$tmp/err")" "1 2"
sql "$tmp/i.rnt" "delete from fields where name = 'time'"
run "count of between read and read on pid from \"$tmp/i.rnt\""
same recorded-without-time "$rc $(grep -c 'recorded without .time' "$tmp/err")" "1 2"
run "count of (ret of read from \"$tmp/i.rnt\") every 1s"
same recorded-without-time-windows "$rc $(sed -n 1p "$tmp/err")" \
	"1 query:1:$((38 + ${#tmp})): error: \"$tmp/i.rnt\" was recorded without \`time\`: it has no windows [E-TRACE]"
cp "$T" "$tmp/other.rnt"
run "count of (events of syscall $from) from \"$tmp/other.rnt\""
same over-one-recording "$rc $(grep -c E-CLAUSE "$tmp/err")" "1 1"
run -q -o csv "count of syscall where proc in (proc of (count of syscall by proc from \"$tmp/other.rnt\")) $from"
same set-over-another-recording "$rc $(tail -n1 "$tmp/out")" "0 5000"
run -q "view over_one := events of syscall $from; count of over_one from \"$tmp/other.rnt\""
same view-over-one-recording "$rc $(grep -c E-CLAUSE "$tmp/err")" "1 1"
run -q -o csv "count of (events of syscall $from) $from"
same over-the-same-recording "$rc $(tail -n1 "$tmp/out")" "0 5000"
run -q -o csv "events of (proc, count as n of syscall by proc top 3 $from) order by proc"
same top-in-another-order "$(cat "$tmp/out")" \
	"$(sql "$T" -csv -header "select proc, n from (select proc, count(*) as n from events group by proc order by n desc limit 3) order by proc")"
# -v: numbers beside names, for people alone
few="count of syscall where error in (ENOENT, 0) by error order by error $from"
truth() { sql "$T" "select count(*) from events where error in (0, 2) group by error"; }
run -q "$few"; same names "$(sed 1d "$tmp/out" | awk '{print $1, $NF}')" \
	"$(truth | paste -sd' ' | awk '{print "- " $1 "\nENOENT " $2}')"
run -v "$few"; same names-and-numbers "$(sed 1d "$tmp/out" | sed 's/  */ /g')" \
	"$(truth | paste -sd' ' | awk '{print "- " $1 "\nENOENT (2) " $2}')"
for format in json csv; do
	run -q -o $format "$few"; cp "$tmp/out" "$tmp/plain"
	run -v -o $format "$few"
	same "no-numbers-in-$format" "$(cat "$tmp/out")" "$(cat "$tmp/plain")"
done
run "count of syscall on node1 $from"
same recording-asks-no-nodes "$rc $(grep -c E-CLAUSE "$tmp/err")" "1 1"
run "count of (events of syscall $from) on local"
same recording-inside-asks-no-nodes "$rc $(grep -c E-CLAUSE "$tmp/err")" "1 1"
run "count of syscall where pid in (pid of syscall on node1) $from"
same recording-asks-no-nodes-for-a-set "$rc $(grep -c E-CLAUSE "$tmp/err")" "1 1"
run "count of syscall from \"$tmp/s.rnl\""; same no-trace "$rc $(grep -c E-TRACE "$tmp/err")" "1 1"
done_testing
