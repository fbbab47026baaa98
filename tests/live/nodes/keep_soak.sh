#!/bin/bash
# Views that are kept running at windows of a second, under keys that live briefly. Memory stays
# flat: that of what counts, of what stands around it, of a table that is read again, and of what
# Prometheus fetches meanwhile.
#
#     tests/live/nodes/keep_soak.sh [SECONDS]           20 without it; `make soak-view`: 600
. tests/live/lib.sh
need_bpf; need jq awk curl
seconds=${1:-20}
CHURN=$PWD/$B/tests/programs/churn
mkdir -p "$tmp/files"
"$RN" -q 'view churned := count as calls, sum(bytes) as moved, hist(latency), p99(latency), distinct(file) as files of io where proc ~ "churn*" by proc, file;
	view busiest := top 5 of churned; view names := count as n of churned;
	view slowest := proc, file, latency of io where proc ~ "churn*" order by latency desc limit 5; view largest := pid, proc, rss of processes order by rss desc limit 20' || exit 1
declare -A pid
follow() { "$RN" -v -o json "${@:2}" >"$tmp/$1" 2>"$tmp/$1.err" & pid[$1]=$!; } # NAME ARGUMENT...
follow churned watch churned
follow busiest watch busiest
follow slowest watch slowest
printf 'one local:\ntwo exec: %s agent --stdio\n' "$RN" >"$tmp/hosts"
follow nodes -H "$tmp/hosts" watch busiest
follow largest watch largest
"$RN" export churned --prometheus :0 >/dev/null 2>"$tmp/served.err" & pid[served]=$!
serving() { url=$(sed -n 's/^serving //p' "$tmp/served.err"); [ -n "$url" ]; }
begun() { [ -s "$tmp/$1" ] || grep -q '^attached' "$tmp/$1.err"; }
await serving
for v in churned busiest slowest nodes largest; do await begun $v; done
windows_of() { jq .window "$tmp/$1" | sort -u | wc -l; }
# Flat: the last third of the run has at most 2 MiB more than the most of the second third, when all
# had been warmed up.
flat() { awk '{ m[NR] = $2 } END { for (i = 1; i <= NR; i++) { h = int((i - 1) * 3 / NR); if (m[i] > most[h]) most[h] = m[i] }
	exit !(NR > 2 && most[2] <= most[1] + 2048) }' "$tmp/rss.$1"; }
# As long as it was to be, and until all is as it should be: a machine that stood still for a while
# gives fewer windows, and greater ones.
enough() {
	local v
	[ $((SECONDS - begin)) -ge "$seconds" ] && [ "${served:-}" = yes ] || return
	for v in busiest largest slowest nodes; do
		[ "$(windows_of $v)" -gt $((seconds / 2)) ] || return
	done
	for v in "${!pid[@]}"; do flat "$v" || return; done
}
"$CHURN" $((seconds + 180)) "$tmp/files" & churn=$!
begin=$SECONDS
while kill -0 $churn 2>/dev/null && ! enough; do
	for v in "${!pid[@]}"; do
		awk -v t=$((SECONDS - begin)) '/^VmRSS/ { print t, $2 }' "/proc/${pid[$v]}/status" \
			2>/dev/null >>"$tmp/rss.$v"
	done
	curl -s -m 60 "$url" -o "$tmp/now" && mv "$tmp/now" "$tmp/metrics" &&
		grep -q '^runnel_churned_calls{proc="churn' "$tmp/metrics" && served=yes
	sleep 1
done
kill $churn 2>/dev/null; wait $churn 2>/dev/null
for v in "${!pid[@]}"; do kill -INT "${pid[$v]}"; wait "${pid[$v]}"; same "$v ended well" $? 0; done
for v in busiest largest slowest nodes; do
	same "windows of $v came" "$(($(windows_of $v) > seconds / 2))" 1
done
same 'and were served' "${served:-no} $(grep -c '^runnel_window_rows' "$tmp/metrics")" "yes 1"
if command -v promtool >/dev/null; then
	promtool check metrics <"$tmp/metrics" >"$tmp/lint" 2>&1
	same promtool "$? $(cat "$tmp/lint")" "0 "
fi
same 'nothing lost' "$(lost "$tmp/churned.err")" 0
# names of files are given up when they are not met any more: there is room for new ones, however
# long it takes
same 'every file has its name' "$(grep '"ledger"' "$tmp/churned.err" | jq .ledger.truncated) $(grep -c '"file": "inode:' "$tmp/churned")" \
	"0 0"
for v in "${!pid[@]}"; do
	flat "$v"
	same "memory of $v is flat: $(awk 'NR % n == 1 || n == 1 { printf "%s%d s %d", s, $1, $2; s = ", " }' n=$((seconds / 10 > 0 ? seconds / 10 : 1)) "$tmp/rss.$v") KiB" \
		$? 0
done
done_testing
