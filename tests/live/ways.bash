# ways.bash - runs a plan of build/tests/programs/ways under queries for its tags: `. tests/live/ways.bash` after lib.sh.
WAYS=$PWD/$B/tests/programs/ways
# Most tags of a query: what this version takes.
tags_most() {
	local n
	for n in 1000 64; do
		"$WAYS" plan quick $n | awk -F'\t' '$2 == 0 { printf "%s%s", c, $10; c = ", " }' >"$tmp/list"
		"$RN" --stop-after=plan "events of tag $(cat "$tmp/list")" >/dev/null 2>&1 && { echo $n; return; }
	done
	echo 30
}
# Runs every batch of a plan; leaves $tmp/results, $tmp/rows and the verdicts in $tmp/cells.
run_plan() { # PLAN
	local plan=$1 b fields='name, tags'
	"$RN" describe tag 2>/dev/null | grep -q '^hits' && fields='name, tags, hits'
	: >"$tmp/results"; : >"$tmp/rows"; : >"$tmp/ledgers"
	mkdir -p "$tmp/files"
	for b in $(cut -f2 "$plan" | sort -nu | grep -v '^-'); do
		{ printf '%s of tag ' "$fields"; awk -F'\t' -v b="$b" '$2 == b { n = split($10, t, ","); for (i = 1; i <= n; i++) { printf "%s\"%s\"", c, t[i]; c = ", " } }' "$plan"
			printf ' where proc = ways'; } >"$tmp/query"
		timeout 300 "$RN" -o json -c "$WAYS run $plan $b $tmp/res.$b $tmp/files" "$(cat "$tmp/query")" >"$tmp/out" 2>"$tmp/err" ||
			echo "note: batch $b ended with $?: $(grep -v '"ledger"' "$tmp/err" | head -3 | paste -sd' ')"
		cat "$tmp/res.$b" >>"$tmp/results"
		grep '"ledger"' "$tmp/err" >>"$tmp/ledgers"
		jq -r --arg b "$b" '[$b, .name, .tags, (.hits // "-")] | @tsv' "$tmp/out" >>"$tmp/rows"
	done
	awk -f tests/coverage.awk -v check_places="${check_places:-0}" "$plan" "$tmp/results" "$tmp/rows" >"$tmp/cells"
}
