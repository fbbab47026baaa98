#!/bin/bash
# describe.sh - list and describe: classes, fields with units, and what is not there.
. tests/cli/lib.bash
row() { jq -c "select($1) | [.kind, .name, .type, .unit, .where]" "$tmp/out" | head -n1; }
run -o json describe latency
same field "$rc $(row '.kind == "field"')" '0 ["field","latency","duration","ns","kernel"]'
same field-of "$(row '.name == "read"') $(row '.name == "proc"')" '["class","read","","",""] '
same folded "$(jq -r '.name' "$tmp/out" | grep -m1 -oE '[0-9]+ names' | sed 's/.* //') $(jq -r '.name' "$tmp/out" | grep -c getdents)" "names 0"
run -o json describe rss
same field-of-table "$(row '.kind == "table"')" '["table","proc","","",""]'
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
same later-last "$rc $(jq -r '(.doc | test("\\(later: ")) | if . then "later" else "now" end' "$tmp/out" | uniq | paste -sd' ')" "0 now later"
run -o json describe sched:sched_switch
if [ "$rc" = 0 ]; then
	same array-of-bytes "$(jq -r 'select(.name == "prev_comm") | .type + " " + .doc' "$tmp/out")" "string char[16]"
else
	echo "skip describe array-of-bytes: no tracepoint of the kernel can be read here"
fi
run -o json describe 'between (events of openat where fd > 2) and fork on pid'
same pair "$rc $(row '.kind == "pair"') $(row '.name == "latency"') $(row '.name == "file"') $(row '.name == "child"')" \
	"0 [\"pair\",\"between (events of openat where fd > 2) and fork on pid\",\"\",\"\",\"\"] [\"field\",\"latency\",\"duration\",\"ns\",\"kernel\"]"\
' ["field","file","string","","kernel"] ["field","child","integer","","kernel"]'
same pair-ends "$(jq -r 'select(.name == "child" or .name == "fd") | .doc' "$tmp/out" | sed 's/.*; //' | xargs)" 'of the first event of the second event'
run describe 'between openat and fork on file'
same no-pair "$rc $(grep -c E-NAME-FIELD "$tmp/err")" '1 1'
"$B/tests/gen_trace" "$tmp/rec.rnt" 2000 1
run -o json describe "$tmp/rec.rnt"
same recording "$rc $(jq -r 'select(.kind != "field") | .kind' "$tmp/out" | uniq | paste -sd' ') $(row '.name == "bytes"')" \
	'0 recording node class ["field","bytes","size","bytes","node"]'
holds recording-rows '2,000 rows, ' "$tmp/out"
same recording-fields "$(jq -r 'select(.kind == "field") | .name' "$tmp/out" | sort | paste -sd' ')" \
	"$(sqlite3 "$tmp/rec.rnt" 'SELECT name FROM fields ORDER BY 1' | paste -sd' ')"
run "count of syscall by nosuch from \"$tmp/rec.rnt\""
holds recording-told "\`runnel describe $tmp/rec.rnt\` lists what it holds" "$tmp/err"
run "sum(bytes) of open from \"$tmp/rec.rnt\""
same not-of-the-call "$rc $(grep -c 'error: `bytes` is not a field of `open`' "$tmp/err")" '1 1'
head -c 5000 "$tmp/rec.rnt" >"$tmp/cut.rnt"
run describe "$tmp/cut.rnt"
same recording-cut "$rc $(grep -c 'is cut short' "$tmp/err")" '2 1'
exit $status
