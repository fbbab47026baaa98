#!/bin/bash
# pictures.sh - flows drawn in each format, from recordings that lack parts and have names that
# would break out. The pictures are goldens: BLESS=1 writes them.
. tests/cli/lib.bash
here=tests/cli/pictures
# recording NAME: made of here/NAME.sql; answers name the same file each time
recording() {
	cp tests/demo/flow.rnt "$tmp/$1.rnt" && sqlite3 "$tmp/$1.rnt" <"$here/$1.sql"
}
# golden FILE: is $tmp/out what that file has?
golden() {
	sed "s#$tmp#TMP#g" "$tmp/out" >"$tmp/got"
	[ -z "${BLESS:-}" ] || cp "$tmp/got" "$here/$1"
	same "$1" "$(diff "$here/$1" "$tmp/got" 2>&1)" ''
}
recording story; recording wide
flow="flow of tag fix283 from \"$tmp/story.rnt\""
export LC_ALL=C.UTF-8
# narrow NAME FLOW: on a terminal of 80 columns
narrow() {
	script -qec "stty cols 80; $RN -o timeline '$2'" /dev/null </dev/null |
		tr -d '\r' >"$tmp/out"
	golden "$1"
}
for format in timeline tree dot svg; do
	run -o $format "$flow"
	golden story.$format
	same "$format: no byte of a terminal's commands" "$(tr -d '\n\t' <"$tmp/out" |
		LC_ALL=C grep -c '[[:cntrl:]]')" 0
done
LC_ALL=C run -o timeline "$flow"
golden story.ascii
run -o timeline "* of ($flow) where depth > 1"
golden story.part
run -o timeline "flow of tag fix283 starting where proc = tail from \"$tmp/story.rnt\""
golden story.starting
cp "$tmp/story.rnt" "$tmp/lost.rnt"
sqlite3 "$tmp/lost.rnt" "INSERT INTO ledger VALUES ('db1', 'lost_ring', 3)"
run -o timeline "flow of tag fix283 from \"$tmp/lost.rnt\""
golden story.lost
same 'with losses nothing is certain' "$(grep -c '─' "$tmp/out")" 0
run -o timeline "* of ($flow) where depth > 99"
golden story.none
for format in tree dot svg html; do
	run -o $format "* of ($flow) where depth > 99"
	same "$format: no hop at all, and what the ledger says" \
		"$rc $(grep -c 'no hop was seen' "$tmp/out") $(grep -c 'db2 did not answer' "$tmp/out")" \
		'0 1 1'
done
run -o tree '* of (flow of tag fix283 from "tests/demo/flow.rnt") where depth > 99'
same 'also if nothing is lacking' "$(grep -c 'ledger: 8 seen' "$tmp/out")" 1

if command -v script >/dev/null; then
	narrow story.80 "$flow"
	narrow demo.80 'flow of tag fix283 from "tests/demo/flow.rnt"'
	narrow wide.80 "flow of tag fix283 from \"$tmp/wide.rnt\""
else
	skip 'on a narrow terminal: there is no script'
fi
run -q -o svg 'flow of tag fix283 from "tests/demo/flow.rnt"'
same 'docs/pictures/demo.svg is current' "$(cmp "$tmp/out" docs/pictures/demo.svg 2>&1)" ''

# ---- what is refused ----
run -o svg 'count of read from "tests/demo/io.rnt"'
same 'rows that are no flow' "$rc $(sed -n 1,2p "$tmp/err" | paste -sd' ')" \
	'4 error: a picture shows a flow: the rows have no column `hop`   ask `flow of tag T`, or `* of (flow of tag T) where ...`'
run -o svg -c "touch $tmp/ran" 'count of read'
same 'before anything runs' "$rc $(ls "$tmp/ran" 2>&1 | grep -c 'No such')" '4 1'
run -o svg list
same 'lists' "$rc $(head -n1 "$tmp/err")" \
	"2 runnel: format \`svg\` draws a flow, and \`runnel list\` shows none: runnel -o svg 'flow of tag T'"
on_terminal() { script -qec "$RN -o $1 '$flow'" /dev/null </dev/null | tr -d '\r'; }
if command -v script >/dev/null; then
	same 'a picture for a file, on a terminal' "$(on_terminal svg | head -n1)" \
		'error: svg is for a file, not for a terminal'
	wide() { script -qec "stty cols $1; $RN -q '$flow'" /dev/null </dev/null | tr -d '\r'; }
	wide 100 >"$tmp/out"
	golden story.table
	LC_ALL=C wide 100 >"$tmp/out"
	golden story.table.ascii
	for width in 60 80 200; do
		wide $width >"$tmp/out"
		same "all fits into $width columns, beside the margin" \
			"$(grep -c '^○' "$tmp/out") $(($(wc -L <"$tmp/out") <= width))" '1 1'
	done
	wide 40 >"$tmp/out"
	same 'no margin if a row has no room beside it' "$(grep -c '●' "$tmp/out")" 0
	run -q "$flow"
	same 'a pipe has the columns alone' "$(awk '{ print $1 }' "$tmp/out" | paste -sd' ')" \
		'hop 1 2 3 4 5 6 7 8 9 10 11'
	same 'colours, on one' \
		"$(NO_COLOR='' TERM=xterm on_terminal timeline | grep -c $'\033\[3')" 13
else
	skip 'on a terminal: there is no script'
fi
run -O "$tmp/flow.svg" "$flow"
run -o svg -O "$tmp/flow.svg" 'count of read from "tests/demo/io.rnt"'
same 'a query that is refused leaves the file' "$rc $(grep -c '</svg>' "$tmp/flow.svg")" '4 1'
run -O "$tmp/flow.svg" "$flow"
same 'its address' "$(head -n1 "$tmp/err")" "file://$tmp/flow.svg"
run "$flow format dot to \"$tmp/flow.dot\""
same 'also of one that the query names' "$(head -n1 "$tmp/err")" "file://$tmp/flow.dot"

# ---- the rows themselves, for other programs ----
cat >"$tmp/valid.py" <<'END'
import json, jsonschema, sys
schema = json.load(open(sys.argv[1]))
jsonschema.Draft7Validator.check_schema(schema)
print(sum(1 for line in open(sys.argv[2]) if jsonschema.validate(json.loads(line), schema) is None))
END
if python3 -c 'import jsonschema' 2>/dev/null; then
	run -o json "$flow"
	same 'rows as docs/json-schema says' \
		"$(python3 "$tmp/valid.py" docs/json-schema/flow.json "$tmp/out" 2>&1 | tail -n1)" 11
	same 'so the ledger' \
		"$(python3 "$tmp/valid.py" docs/json-schema/ledger.json "$tmp/err" 2>&1 | tail -n1)" 1
	sed -i 's/"from": 1/"from": -1/' "$tmp/out"
	same 'another row is refused' "$(python3 "$tmp/valid.py" docs/json-schema/flow.json \
		"$tmp/out" 2>&1 | grep -c '^jsonschema.*ValidationError: -1 is less than')" 1
else
	skip 'there is no jsonschema of Python'
fi

# ---- other programs read them ----
if command -v dot >/dev/null; then
	same 'Graphviz draws it' "$(dot -Tplain "$tmp/flow.dot" | grep -c '^edge')" \
		"$(grep -c '^	v[0-9]* -> ' "$tmp/flow.dot")"
	run -o dot "flow of tag fix283 from \"$tmp/wide.rnt\""
	same 'and the wide one' "$(dot -Tplain "$tmp/out" | grep -c '^edge')" \
		"$(grep -c '^	v[0-9]* -> ' "$tmp/out")"
else
	skip 'there is no Graphviz'
fi
run -o svg "flow of tag fix283 from \"$tmp/wide.rnt\""
cp "$tmp/out" "$tmp/wide.svg"
if command -v xmllint >/dev/null; then
	same 'XML' "$(xmllint --noout "$tmp/flow.svg" "$tmp/wide.svg" 2>&1)" ''
else
	skip 'there is no xmllint'
fi
# In a browser: how high are letters, and do two texts meet?
cat >"$tmp/measure.html" <<END
<!DOCTYPE html><meta charset="utf-8"><style>body{margin:0}</style>
$(cat "$tmp/wide.svg")
<pre id="told"></pre><script>
const text = [...document.querySelectorAll('svg text')];
const box = text.map(t => t.getBoundingClientRect());
const least = Math.min(...text.map(t => { const m = t.getScreenCTM(); return parseFloat(getComputedStyle(t).fontSize) * Math.hypot(m.a, m.b); }));
let meet = 0, out = 0;
const page = document.querySelector('svg').getBoundingClientRect();
for (let i = 0; i < box.length; i++) {
	if (box[i].left < page.left || box[i].right > page.right || box[i].bottom > page.bottom) out++;
	for (let k = i + 1; k < box.length; k++)
		if (box[i].left < box[k].right && box[k].left < box[i].right &&
		    box[i].top < box[k].bottom - 1 && box[k].top < box[i].bottom - 1) meet++;
}
document.getElementById('told').textContent =
	'texts=' + (text.length > 100) + ' least=' + (least >= 8) + ' meet=' + meet + ' out=' + out;
</script>
END
. tests/support/browser.bash
if [ -n "$browser" ]; then
	timeout 120 "$browser" "${headless[@]}" --dump-dom "file://$tmp/measure.html" \
		>"$tmp/dom" 2>/dev/null
	same 'forty lanes: all letters have 6 points, and no two texts meet' \
		"$(sed -n 's/.*<pre id="told">\(.*\)<\/pre>.*/\1/p' "$tmp/dom")" \
		'texts=true least=true meet=0 out=0'
else
	skip "$no_browser"
fi
done_testing
