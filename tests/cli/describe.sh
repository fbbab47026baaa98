#!/bin/bash
# describe.sh - list and describe: classes, fields with units, and what is not there.
. tests/cli/lib.bash
row() { jq -c "select($1) | [.kind, .name, .type, .unit, .where]" "$tmp/out" | head -n1; }
run -o json describe latency
same field "$rc $(row '.kind == "field"')" '0 ["field","latency","duration","ns","kernel"]'
same field-of "$(row '.name == "read"') $(row '.name == "proc"')" '["class","read","","",""] '
same folded "$(jq -r '.name' "$tmp/out" | grep -m1 -oE '[0-9]+ names' | sed 's/.* //') $(jq -r '.name' "$tmp/out" | grep -c getdents)" \
	"names 0"
run -o json describe rss
same field-of-table "$(row '.kind == "table"')" '["table","processes","","",""]'
run -o json describe read
same units "$(row '.name == "bytes"') $(row '.name == "time"') $(row '.name == "file"')" \
	'["field","bytes","size","bytes","kernel"] ["field","time","time","ns since 1970","kernel"] ["field","file","string","","kernel"]'
run describe nosuch
case_is nothing 1 "" "runnel: nothing is named \`nosuch\`; \`runnel list\` shows all"
run -o csv list 'nosuch*'
case_is nothing-listed 1 "" "runnel: nothing is named like \`nosuch*\`; \`runnel list\` shows all"
run list opensnop
case_is near-listed 1 "" "runnel: nothing is named like \`opensnop\`; did you mean \`opensnoop\`; \`runnel list\` shows all"
run describe opensnop
case_is near-described 1 "" "runnel: nothing is named \`opensnop\`; did you mean \`opensnoop\`; \`runnel list\` shows all"
run -o json list
same later-not-listed "$rc $(jq -r '(.doc | test("later")) | if . then "later" else "now" end' "$tmp/out" | uniq | paste -sd' ')" \
	"0 now"
run -o json describe sched:sched_switch
if [ "$rc" = 0 ]; then
	same array-of-bytes \
		"$(jq -r 'select(.name == "prev_comm") | .type + " " + .doc' "$tmp/out")" \
		"string char[16]"
else
	skip "no tracepoint of the kernel can be read here"
fi
run -o json describe 'between (events of openat where fd > 2) and fork on pid'
same pair "$rc $(row '.kind == "pair"') $(row '.name == "latency"') $(row '.name == "file"') $(row '.name == "child"')" \
	"0 [\"pair\",\"between (events of openat where fd > 2) and fork on pid\",\"\",\"\",\"\"] [\"field\",\"latency\",\"duration\",\"ns\",\"kernel\"]"\
' ["field","file","string","","kernel"] ["field","child","integer","","kernel"]'
same pair-ends "$(jq -r 'select(.name == "child" or .name == "fd") | .doc' "$tmp/out" | sed 's/.*; //' | xargs)" \
	'of the first event of the second event'
run describe 'between openat and fork on file'
same no-pair "$rc $(grep -c E-NAME-FIELD "$tmp/err")" '1 1'
"$B/tests/gen_trace" "$tmp/rec.rnt" 2000 1
run -o json describe "$tmp/rec.rnt"
same recording "$rc $(jq -r 'select(.kind != "field") | .kind' "$tmp/out" | uniq | paste -sd' ') $(row '.name == "bytes"')" \
	'0 recording node class ["field","bytes","size","bytes","node"]'
holds recording-rows '2,000 rows, ' "$tmp/out"
same recording-fields \
	"$(jq -r 'select(.kind == "field") | .name' "$tmp/out" | sort | paste -sd' ')" \
	"$(sqlite3 "$tmp/rec.rnt" 'SELECT name FROM fields ORDER BY 1' | paste -sd' ')"
run "count of syscall by nosuch from \"$tmp/rec.rnt\""
holds recording-told "\`runnel describe $tmp/rec.rnt\` lists what it holds" "$tmp/err"
run "sum(bytes) of open from \"$tmp/rec.rnt\""
same not-of-the-call "$rc $(grep -c 'error: `bytes` is not a field of `open`' "$tmp/err")" '1 1'
# However many there are, the text on one does not depend on how much came before.
run -q list
same parameters-of-all "$rc $(grep -c '(who = ' "$tmp/out")" \
	"0 $(grep -c '^view .*(.*who = ' stdlib/*.rnl | awk -F: '{ n += $2 } END { print n }')"
{
	for k in $(seq 2000); do
		echo "view v$k(t = ${k}ms) := count as c$k, max(latency) as longest_of_$k of read where latency > \$t by proc, file;"
	done
	printf 'view bv := count of open where proc in ("a0"'
	printf ', "n%d"' $(seq 600)
	echo ');'
} >"$tmp/many.rnl"
run -q import "$tmp/many.rnl"
run -q list 'v*[0-9]'
same parameters-of-many "$rc $(grep -c '(t = ' "$tmp/out")" "0 2000"
run -q describe v7; same columns-of-many "$rc $(grep -cE '^(parameter|column) ' "$tmp/out")" "0 5"
run describe bv; same column-of-long "$rc $(grep -c '^column ' "$tmp/out") $(cat "$tmp/err")" "0 1 "
for k in $(seq 400); do
	echo "assert count < $k, max(latency) < ${k}ms of read from \"recording_$k.rnt\" where proc = \"abc$k\";"
done >"$tmp/dn.rnl"
run describe "$tmp/dn.rnl"
same statements-of-long "$rc $(grep -c '^statement ' "$tmp/out")" "0 400"
# The summary is what is about the view, not about a parameter or a column.
cat >"$tmp/sum.rnl" <<'END'
--| t: how slow
--| count: how many
view s1(t = 3ms) := count of read where latency > $t;
--| note: this is one
--| count: how many
view s2 := count of read;
--| file: the file
view s3 := events of read;
--| sum(bytes): the sum
--| The second is about it.
view s4 := sum(bytes) of read;
view s5 := count of s1;
END
run -q import "$tmp/sum.rnl"; run -q -o csv list 's[0-9]'
case_is summaries 0 $'kind,name,doc\nview,s1,(t = 3ms)\nview,s2,note: this is one\nview,s3,""\nview,s4,The second is about it.\nview,s5,""' \
	""
run -q -o json describe s1
same no-summary "$(jq -r 'select(.kind == "view" or .kind == "parameter" or .kind == "used by") | .doc' "$tmp/out" | paste -sd/)" \
	"/how slow/"
head -c 5000 "$tmp/rec.rnt" >"$tmp/cut.rnt"
run describe "$tmp/cut.rnt"
same recording-cut "$rc $(grep -c 'is cut short' "$tmp/err")" '2 1'
: >"$tmp/zero.rnt"
run describe "$tmp/zero.rnt"
same recording-empty "$rc $(grep -c 'is empty' "$tmp/err")" '2 1'
head -c 3000 /dev/urandom >"$tmp/noise.rnt"; run describe "$tmp/noise.rnt"
same recording-of-noise "$rc $(wc -l <"$tmp/err") $(grep -c 'is no trace' "$tmp/err")" '2 1 1'
done_testing
