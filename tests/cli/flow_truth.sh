#!/bin/bash
# Recordings of simulated flows whose truth is known (tests/support/sim_flow.h): what the program
# says of them is as true as what the room of flows says (tests/unit/exec/test_flow_truth.c). Half
# of them have lost events.
# shellcheck source=tests/support/check.bash
. tests/support/check.bash
need jq

# A line of the truth: HOP TAG RECORDED CAUSES, separated by tabs. The answer: lines of JSON.
# Counts links, and prints those with one choice that are wrong.
cat >"$tmp/judge.jq" <<'J'
($truth | split("\n") | map(select(. != "") | split("\t")
	| {key: "\(.[0]) \(.[1])", value: (.[3] | split(",") | map(tonumber))})
	| from_entries) as $true
| (map({key: "\(.hop)", value: (.proc[1:] | tonumber)}) | from_entries) as $sim
| [.[] | . as $row | .tags | split(",")[] | {hop: $row.proc[1:], tag: ., choices: $row.choices,
	from: (if $row.from == 0 then -1 else $sim["\($row.from)"] end),
	is: $true["\($row.proc[1:]) \(.)"]}] as $rows
| {edges: ([$rows[] | select(.from >= 0)] | length),
   certain: ([$rows[] | select(.choices == 1)] | length),
   wrong: [$rows[] | select(.choices == 1 and (.from as $f | .is | index($f) | not))]}
J
seeds="4 8 12 13 16 17 20 21 24 25 29 32 6 7 10 11 14 15 18 19"
edges=0 certain=0
for seed in $seeds; do
	"${B:-build}/tests/gen_flow" "$tmp/x.rnt" "$seed" >"$tmp/truth" || exit
	tags=$(cut -f2 "$tmp/truth" | sort -u | paste -sd,)
	"${B:-build}/runnel" -o json "flow of tag $tags from \"$tmp/x.rnt\"" \
		>"$tmp/answer" 2>"$tmp/ledger"
	jq -sc --arg truth "$(cat "$tmp/truth")" -f "$tmp/judge.jq" "$tmp/answer" >"$tmp/judged"
	same "seed $seed: each certain link is true" "$(jq -c .wrong "$tmp/judged")" '[]'
	same "seed $seed: every hop is there" "$(jq -s 'map(.hop) | max' "$tmp/answer")" \
		"$(cut -f1 "$tmp/truth" | sort -u | wc -l)"
	edges=$((edges + $(jq .edges "$tmp/judged")))
	certain=$((certain + $(jq .certain "$tmp/judged")))
done
echo "# $edges edges, $certain certain"
same "there are some" $((edges > 1000 && certain > 500)) 1
done_testing
