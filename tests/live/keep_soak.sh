#!/bin/bash
# Views that are kept running at windows of a second, under keys that live briefly: memory stays flat, of what counts, of what stands around
# it, of a table that is read again, and of what is served to Prometheus and fetched meanwhile.
#
#     tests/live/keep_soak.sh [SECONDS]           20 without it; `make soak-view`: 600
. tests/live/lib.sh
need_bpf; need jq awk curl
seconds=${1:-20}
CHURN=$PWD/$B/tests/programs/churn
export RUNNEL_CATALOG=$tmp/catalog.db
mkdir -p "$tmp/files"
"$RN" -q 'view churned := count as calls, sum(bytes) as moved, hist(latency), p99(latency), distinct(file) as files of io where proc ~ "churn*" by proc, file;
	view busiest := top 5 of churned; view names := count as n of churned;
	view slowest := proc, file, latency of io where proc ~ "churn*" order by latency desc limit 5; view largest := pid, proc, rss of proc order by rss desc limit 20' || exit 1
declare -A pid
"$RN" -o json watch churned >"$tmp/churned" 2>"$tmp/churned.err" & pid[churned]=$!
"$RN" -o json watch busiest >"$tmp/busiest" 2>"$tmp/busiest.err" & pid[busiest]=$!
"$RN" -o json watch slowest >"$tmp/slowest" 2>"$tmp/slowest.err" & pid[slowest]=$!
printf 'one local:\ntwo exec: %s agent --stdio\n' "$RN" >"$tmp/hosts"
"$RN" -H "$tmp/hosts" -o json watch busiest >"$tmp/nodes" 2>"$tmp/nodes.err" & pid[nodes]=$!
"$RN" -o json watch largest >"$tmp/largest" 2>"$tmp/largest.err" & pid[largest]=$!
"$RN" export churned --prometheus :0 >/dev/null 2>"$tmp/served.err" & pid[served]=$!
for i in $(seq 600); do url=$(sed -n 's/^serving //p' "$tmp/served.err"); [ -n "$url" ] && break; sleep 0.1; done
"$CHURN" "$seconds" "$tmp/files" & churn=$!
begin=$SECONDS
while kill -0 $churn 2>/dev/null; do
	for v in "${!pid[@]}"; do awk -v t=$((SECONDS - begin)) '/^VmRSS/ { print t, $2 }' "/proc/${pid[$v]}/status" 2>/dev/null >>"$tmp/rss.$v"; done
	curl -s "$url" -o "$tmp/metrics" && grep -q '^runnel_churned_calls{proc="churn' "$tmp/metrics" && served=yes

	sleep 1
done
wait $churn
for v in "${!pid[@]}"; do kill -INT "${pid[$v]}"; wait "${pid[$v]}"; same "$v ended well" $? 0; done
for v in busiest largest slowest nodes; do same "windows of $v came" "$(($(jq .window "$tmp/$v" | sort -u | wc -l) > seconds / 2))" 1; done
same 'and were served' "${served:-no} $(grep -c '^runnel_window_rows' "$tmp/metrics")" "yes 1"
if command -v promtool >/dev/null; then promtool check metrics <"$tmp/metrics" >"$tmp/lint" 2>&1; same promtool "$? $(cat "$tmp/lint")" "0 "; fi
same 'nothing lost' "$(lost "$tmp/churned.err")" 0
# names of files are given up when they are not met any more: there is room for new ones, however long it takes
same 'every file has its name' "$(grep '"ledger"' "$tmp/churned.err" | jq .ledger.truncated) $(grep -c '"file": "inode:' "$tmp/churned")" "0 0"
# Flat: the last third of the run has at most 2 MiB more than the most of the second third, when all had been warmed up.
for v in "${!pid[@]}"; do
	same "memory of $v is flat: $(awk 'NR % n == 1 || n == 1 { printf "%s%d s %d", s, $1, $2; s = ", " }' n=$((seconds / 10 > 0 ? seconds / 10 : 1)) "$tmp/rss.$v") KiB" \
		"$(awk -v end="$seconds" '{ h = $1 >= end * 2 / 3 ? 2 : $1 >= end / 3 ? 1 : 0; if ($2 > m[h]) m[h] = $2 } END { print (m[1] > 0 && m[2] <= m[1] + 2048) + 0 }' "$tmp/rss.$v")" 1
done
exit $status
