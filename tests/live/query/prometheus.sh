#!/bin/bash
# prometheus.sh - histograms that are served have one set of bounds in all series and scrapes;
# Prometheus itself adds two of them by `le`.
. tests/live/lib.sh
need_bpf; need jq curl promtool prometheus
cp "$CALLS" "$tmp/small"; cp "$CALLS" "$tmp/large"
"$tmp/small" times=1000000 pause=1 pread=20x10 >/dev/null 2>&1 & small=$!
"$tmp/large" times=1000000 pause=1 pread=30x5000 pread=1x300000 >/dev/null 2>&1 & large=$!
prom='' serving=
tidy_up() { kill "$small" "$large" "$prom" "$serving" 2>/dev/null; wait; }
at_exit tidy_up
cat >"$tmp/v.rnl" <<'V'
view sizes_of := count as calls, hist(bytes) as moved, hist(latency) as took, hist(fd) as plain, lhist(bytes, 0, 10000, 10) as fine, lhist(bytes, 0, 8192, 2048) as coarse
	of pread64 where proc in ("small", "large") by proc
V
"$RN" -q import "$tmp/v.rnl"
"$RN" -v export sizes_of --prometheus :0 --every 500ms >/dev/null 2>"$tmp/err" & serving=$!
both() {
	url=$(sed -n 's/^serving //p' "$tmp/err")
	[ -n "$url" ] && curl -s "$url" >"$tmp/m" &&
		[ "$(grep -c '^runnel_sizes_of_calls{' "$tmp/m")" = 2 ]
}
await both || not_ok 'both are served'
cp "$tmp/m" "$tmp/first"
sleep 1; await both; cat "$tmp/first" "$tmp/m" >"$tmp/scrapes"
promtool check metrics <"$tmp/m" >"$tmp/lint" 2>&1; same 'promtool' "$? $(cat "$tmp/lint")" '0 '
bounds_of() {
	grep "^runnel_sizes_of_$1_[a-z_]*bucket{.*proc=\"$2\"\|^runnel_sizes_of_$1_bucket{.*proc=\"$2\"" \
		"$tmp/${3:-scrapes}" | sed 's/.*le="\([^"]*\)".*/\1/'
}
for h in moved took plain fine coarse; do
	for s in small large; do
		for f in first m; do bounds_of $h $s $f | xargs; done
	done >"$tmp/sets"
	n=$(head -n1 "$tmp/sets" | wc -w)
	same "$h: one set of bounds, of $n, in two series of two scrapes" \
		"$(sort -u "$tmp/sets" | wc -l) $((n >= 5 && n <= 40)) $(head -n1 "$tmp/sets" | awk '{ print $NF }')" \
		'1 1 +Inf'
	same "$h: they ascend" "$(head -n1 "$tmp/sets" | tr ' ' '\n' | sed '$d' | awk 'NR > 1 && $1 + 0 <= was { bad++ } { was = $1 + 0 } END { print bad + 0 }')" \
		0
done
same 'sizes: 1 B to 16 GiB in steps of 2' \
	"$(bounds_of moved small m | sed '$d' | awk '{ printf "%.0f\n", $1 }' | xargs)" \
	"$(for i in $(seq 0 34); do echo $((1 << i)); done | xargs)"
same 'durations: 1 us to 100 s' \
	"$(bounds_of took small m | sed '$d' | awk 'NR == 1 { a = $1 } NR > 1 && $1 / was != 2 { bad++ } { was = $1 } END { print (a >= 1e-6 && a < 2e-6), (was >= 100 && was < 200), bad + 0 }')" \
	'1 1 0'
same 'of lhist its own' "$(bounds_of coarse small m | xargs)" '0 2048 4096 6144 8192 +Inf'
at() { sed -n "s/^runnel_sizes_of_$1_bucket{.*proc=\"$2\".*le=\"$3\"} //p" "$tmp/m"; }
count_of() { sed -n "s/^runnel_sizes_of_$1_count{.*proc=\"$2\".*} //p" "$tmp/m"; }
unit=$(sed -n 's/^runnel_sizes_of_\(moved[a-z_]*\)_count{.*/\1/p' "$tmp/m" | head -n1)
same 'counts: reads of 10 B' \
	"$(at "$unit" small 8) $(($(at "$unit" small 16) - $(count_of "$unit" small)))" '0 0'
same 'of 5000 B and of 300000 B' \
	"$(at "$unit" large 4096) $(($(at "$unit" large 8192) - $(at "$unit" large 262144))) $(($(at "$unit" large 524288) - $(count_of "$unit" large)))" \
	'0 0 0'
# Prometheus, which adds them
cat >"$tmp/prom.yml" <<C
global: {scrape_interval: 500ms, scrape_timeout: 500ms}
scrape_configs: [{job_name: runnel, static_configs: [{targets: ["$(sed 's|^http://||; s|/.*||' <<<"$url")"]}]}]
C
port=$(/usr/bin/python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')
prometheus --config.file="$tmp/prom.yml" --storage.tsdb.path="$tmp/tsdb" \
	--web.listen-address=127.0.0.1:"$port" >"$tmp/prom.log" 2>&1 &
prom=$!
ask() {
	curl -s --data-urlencode "query=$1" ${2:+--data-urlencode "time=$2"} \
		"http://127.0.0.1:$port/api/v1/query"
}
scraped() {
	[ "$(ask "count(runnel_sizes_of_${unit}_bucket{le=\"+Inf\"})" | jq -r '.data.result[0].value[1]' 2>/dev/null)" \
		= 2 ]
}
if await scraped; then
	now=$(date +%s.%N)
	ask "sum by (le) (runnel_sizes_of_${unit}_bucket)" "$now" |
		jq -r '.data.result[] | "\(.metric.le) \(.value[1])"' | sort >"$tmp/sum"
	ask "runnel_sizes_of_${unit}_bucket" "$now" |
		jq -r '.data.result[] | "\(.metric.le) \(.value[1])"' |
		awk '{ n[$1] += $2 } END { for (b in n) print b, n[b] }' | sort >"$tmp/want"
	same 'sum by (le): each bound once, each with both series' \
		"$(wc -l <"$tmp/sum") $(cmp "$tmp/sum" "$tmp/want" && echo same)" '36 same'
	same 'and it never falls' "$(sed 's/+Inf/1e300/' "$tmp/sum" | sort -g | awk '$2 < was { bad++ } { was = $2 } END { print bad + 0 }')" \
		0
	same 'a quantile of the sum is one of both' \
		"$(ask "histogram_quantile(0.99, sum by (le) (runnel_sizes_of_${unit}_bucket)) > bool 16" "$now" | jq -r '.data.result[0].value[1]')" \
		1
else
	not_ok "Prometheus has scraped: $(tail -n1 "$tmp/prom.log")"
fi
done_testing
