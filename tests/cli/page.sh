#!/bin/bash
# page.sh - `-o html`: one file that makes no request, whose data is JSON, and which a browser shows
# without an error. tests/page/interact.js uses the page as a person does: it needs a driver for
# Chromium from npm (tests/page/package.json), which is installed into the build directory.
. tests/cli/lib.bash
pages=$tmp/pages; mkdir "$pages"
page=$pages/demo.html

run -o html 'flow of tag fix283 from "tests/demo/flow.rnt"'
cp "$tmp/out" "$page"
same status "$rc" 0
same one-of-each \
	"$(grep -cE '^<(style|script|script type="application/json" id="data")>$' "$page")" 3
has() { grep -ciE "$1" "$page"; }
same nothing-is-loaded "$(has 'https?:|//[a-z0-9]+\.[a-z]|<link|<iframe|<object|@import|url\(')" 0
same nothing-is-named "$(has '[ .](src|href)=')" 0
same nothing-is-evaluated \
	"$(has 'eval\(|(inner|outer)HTML|insertAdjacent|\.write\(|new Function')" 0

# ---- the policy: the hashes are those of the content
between() {
	awk -v from="$1" -v to="$2" '$0 == to { on = 0 } on { print } $0 == from { on = 1 }' "$page"
}
hash() {
	{ echo; cat; } | sha256sum | cut -c1-64 | tr a-f A-F | basenc --base16 -d | base64 -w0
}
policy=$(sed -n 's/.*http-equiv="Content-Security-Policy" content="\([^"]*\)".*/\1/p' "$page")
same policy "$policy" "default-src 'none'; script-src 'sha256-$(between '<script>' '</script>' | hash)'; style-src 'sha256-$(between '<style>' '</style>' | hash)'; base-uri 'none'; form-action 'none'; require-trusted-types-for 'script'; trusted-types 'none'"

# ---- the data is that of the rows
data() { page=$1 between '<script type="application/json" id="data">' '</script>'; }
data "$page" >"$tmp/data"
"$RN" -q -o json 'flow of tag fix283 from "tests/demo/flow.rnt"' >"$tmp/rows"
same data-boxes \
	"$(jq -c '.texts as $t | .boxes[] | [.[2], .[8], $t[.[9]], $t[.[10]]]' "$tmp/data")" \
	"$(jq -c '[.hop, .bytes, .name, .object]' "$tmp/rows")"
same data-times "$(jq -c '.boxes[] | .[6] - .[5]' "$tmp/data")" \
	"$(jq -c '.latency // 0' "$tmp/rows")"
same data-edges \
	"$(jq -c '. as $d | .edges[] | [$d.boxes[.[0]][2], $d.boxes[.[1]][2], .[3], $d.texts[.[5]], .[4]]' "$tmp/data")" \
	"$(jq -c 'select(.from > 0) | [.from, .hop, .choices, .link, .lag]' "$tmp/rows")"
same data-gaps "$(jq -c '[.gaps[] | [.[0], .[1] > 300000000]]' "$tmp/data")" '[[1,true]]'
same data-ledger "$(jq -c '[.complete, .folded, (.ledger | length > 0)]' "$tmp/data")" \
	'[true,null,true]'

# ---- names of others, what lacks, and more than a page can show
for kind in hostile lacking; do "$B/tests/gen_page" 300 html $kind >"$pages/$kind.html"; done
"$B/tests/gen_page" 60000 html plain >"$pages/folded.html"
cp tests/demo/flow.rnt "$tmp/story.rnt" && sqlite3 "$tmp/story.rnt" <tests/cli/pictures/story.sql
story="flow of tag fix283 from \"$tmp/story.rnt\""
run -O "$pages/story.html" "$story"
run -O "$pages/empty.html" "* of ($story) where depth > 99"
data "$pages/story.html" >"$tmp/data"
same lacking-node "$(jq -c '.nodes[2][:2]' "$tmp/data")" '["db2","it did not answer for 10 s"]'
data "$pages/empty.html" >"$tmp/data"
same empty "$(jq -c '[.summary, (.boxes | length), .nodes[0][0], .gaps, (.ledger | length > 1)]' \
	"$tmp/data")" '["no hop was seen",0,"db2",[],true]'
data "$pages/hostile.html" >"$tmp/data"
same hostile-data "$(jq '.boxes | length' "$tmp/data") $(grep -c '<' "$tmp/data")" "300 0"
same hostile-name \
	"$(jq '[.texts[] | select(. == "</script><script>document.title='\''broken'\''</script>")] | length' "$tmp/data")" 1
same hostile-utf8 \
	"$(iconv -f utf-8 -t utf-8 "$pages/hostile.html" | cmp - "$pages/hostile.html" && echo valid)" \
	valid
data "$pages/lacking.html" >"$tmp/data"
same lacking-data "$(jq -c '[.complete, .nodes[3][1], .lacking]' "$tmp/data")" \
	'[false,"the connection was reset",[["other side not seen",33],["other side not looked at",24]]]'
data "$pages/folded.html" >"$tmp/data"
same folded-data \
	"$(jq -c '[.folded, (.edges | length <= 50000), ([.boxes[][1]] | add), (.lanes | length)]' "$tmp/data")" \
	'[[60000,62366],true,60000,40]'

# ---- in a browser
. tests/support/browser.bash
if [ -z "$browser" ]; then
	skip "$no_browser: the page is not shown"
	done_testing
fi
timeout 120 "$browser" "${headless[@]}" \
	--virtual-time-budget=4000 --dump-dom "file://$page" >"$tmp/dom" 2>"$tmp/said"
same shown "$(grep -o 'data-state="[^"]*"' "$tmp/dom")" 'data-state="ready"'
same shown-summary "$(grep -o '<p id="summary">[^<]*' "$tmp/dom")" \
	'<p id="summary">8 hops of 5 processes on 1 node, 343 ms'
same shown-processes "$(sed -n 's/.*<select id="proc">\(.*\)<\/select>.*/\1/p' "$tmp/dom" | grep -o 'value="[^"]*"' | tr '\n' ' ')" \
	'value="" value="bash" value="cat" value="cp" value="nc" '

# ---- as a person uses it
driver=$B/tests/page
installed() {
	mkdir -p "$driver" && cp tests/page/package.json tests/page/package-lock.json "$driver" &&
		(cd "$driver" && timeout 300 npm ci --no-audit --no-fund --ignore-scripts)
}
if ! { command -v node && command -v npm; } >/dev/null; then
	skip "there is no npm on this machine: nobody uses the page"
elif [ "$(node -p 'process.versions.node.split(".")[0] >= 18')" != true ]; then
	skip "Node.js is older than 18: nobody uses the page"
elif ! cmp -s tests/page/package-lock.json "$driver/installed" && ! installed >"$tmp/npm" 2>&1; then
	skip "npm does not install playwright-core: $(tail -n 1 "$tmp/npm")"
else
	cp tests/page/package-lock.json "$driver/installed"
	timeout 600 node tests/page/interact.js "$pages" "$driver/node_modules/playwright-core" \
		"$browser" >"$tmp/used" 2>&1
	results <"$tmp/used"
	holds used-to-the-end 'ok the end' "$tmp/used"
fi
done_testing
