#!/bin/bash
# keep.sh - views that are kept running, over recordings and tables: what `watch` prints, what
# `export --prometheus` serves and how it behaves. Nothing here attaches anything; keep_live.sh
# does.
. tests/cli/lib.bash
run -q 'view rec := count as calls, sum(bytes) as moved of io by proc, name from "tests/demo/io.rnt";
	view best := top 2 of rec; view most := max(calls) of rec; view all_rows := proc, name of io from "tests/demo/io.rnt";
	view last_rows := proc, time of io order by time desc limit 3 from "tests/demo/io.rnt";
	view in_order := proc, time of io order by proc from "tests/demo/io.rnt"; view late_procs := count of last_rows; view late_own := count of last_rows every 1s;
	view own := count of io every 250ms from "tests/demo/io.rnt"; view sized(least = 0, who = "*") := pid, proc, rss of processes where proc ~ $who and
	rss >= $least order by rss desc limit 5; view needs(t) := count of io where proc = $t from "tests/demo/io.rnt"'
same views "$rc" 0

# ---- over a recording: the windows of a query with `every`, and what stands around them holds in
# each
run -q -o json watch rec --every 250ms; cp "$tmp/out" "$tmp/watched"
run -q -o json 'count as calls, sum(bytes) as moved of io by proc, name every 250ms from "tests/demo/io.rnt"'
cmp -s "$tmp/out" "$tmp/watched"; same windows-of-every "$? $(($(wc -l <"$tmp/out") > 4))" "0 1"
run -q -o json watch best --every 250ms
same top-of-each "$(jq -r .window "$tmp/out" | uniq -c | awk '$1 > 2' | wc -l) $(jq -c '[.window, .calls]' "$tmp/out")" \
	"0 $(jq -sc 'group_by(.window)[] | sort_by(-.calls)[:2][] | [.window, .calls]' "$tmp/watched")"
run -q -o json watch most --every 250ms
same aggregate-of-each "$(jq -c 'select(."max(calls)") | del(.partial)' "$tmp/out")" \
	"$(jq -sc 'group_by(.window)[] | {window: .[0].window, "max(calls)": map(.calls) | max}' "$tmp/watched")"
same of-each-that-there-is "$(jq -sc 'map(.window / 1000000 | round) | [.[1:], .[:-1]] | transpose | map(.[0] - .[1]) | unique' "$tmp/out") $(jq -c '."max(calls)"' "$tmp/out" | grep -c null)" \
	"[250] 1"
run -q -o csv watch all_rows
same rows-as-they-come "$rc $(head -n1 "$tmp/out") $(($(wc -l <"$tmp/out") > 10))" "0 proc,name 1"
run watch own --every 1s
same own-windows "$rc $(head -n1 "$tmp/err")" \
	"1 view:1:1: error: the view has windows of its own [E-KEEP]"
run -q -o json watch own; same own-windows-kept "$rc $(($(wc -l <"$tmp/out") > 1))" "0 1"
# rows that are put in order: of each window by itself
run -q -o json 'proc, time of io from "tests/demo/io.rnt"'; cp "$tmp/out" "$tmp/every_row"
run -q -o json watch last_rows --every 250ms
same ordered-rows "$rc $(($(jq .window "$tmp/out" | uniq | wc -l) > 1)) $(jq -c '[.window, .time]' "$tmp/out")" \
	"0 1 $(jq -sc 'map(.window = .time - .time % 250000000) | group_by(.window)[] | sort_by(-.time)[:3][] | [.window, .time]' "$tmp/every_row")"
run -q -o json watch in_order --every 250ms
same all-in-order "$rc $(jq -s length "$tmp/out") $(jq -sc '[.[] | [.window, .proc]] == ([.[] | [.window, .proc]] | sort)' "$tmp/out")" \
	"0 $(wc -l <"$tmp/every_row") true"
run -q -o json watch late_procs --every 250ms
same counted-of-each "$rc $(jq -c 'select(.count > 0) | [.window, .count]' "$tmp/out")" \
	"0 $(jq -sc 'map(.window = .time - .time % 250000000) | group_by(.window)[] | [.[0].window, ([length, 3] | min)]' "$tmp/every_row")"
run -q -o json watch late_own
same ordered-in-own-windows "$rc $(jq -c '[.window, .count]' "$tmp/out")" \
	"0 $(jq -sc 'map(.window = .time - .time % 1000000000) | group_by(.window)[] | [.[0].window, ([length, 3] | min)]' "$tmp/every_row")"
run --explain watch last_rows
same explained "$rc $(grep -c 'in windows of 1s' "$tmp/out") $(grep -c 'keeps the first 3 of each window' "$tmp/out")" \
	"0 1 1"
# the start of a window is found by its name: no other column can have it
run -q 'view beside := count as window of io by proc from "tests/demo/io.rnt"; view by_windows := window, max(count) of (count of io by proc every 250ms from "tests/demo/io.rnt") by window'
run watch beside
same window-of-its-own "$rc $(head -n1 "$tmp/err")" \
	"1 view:1:11: error: two columns are called \`window\`: of a view that is kept running the start of each window is one [E-KEEP]"
run export beside --prometheus :0
same window-of-its-own-served "$rc $(grep -c E-KEEP "$tmp/err")" "1 1"
run -q -o csv watch by_windows
same window-of-windows "$rc $(head -n1 "$tmp/out") $(($(wc -l <"$tmp/out") > 2))" \
	"0 window,max(count) 1"
run -q watch needs t=cp; same parameter "$rc $(head -n1 "$tmp/out" | tr -s ' ')" "0 window count"
run watch needs
case_is parameter-missing 2 "" $'error: the view `needs` needs a value for `t`\n  write t=VALUE behind its name; it is needs(t)'
run watch needs t=cp u=1
case_is parameter-unknown 2 "" $'error: the view `needs` has no parameter `u`\n  it is needs(t)'
run watch slow_reads threshold=5
same parameter-as-typed "$rc $(head -n3 "$tmp/err")" \
	"1 command line:1:22: error: units differ: a duration and a plain number [E-UNIT]
  slow_reads threshold=5
                       ^"
run watch bset
case_is unknown 1 "" $'error: there is no view `bset`\n  did you mean `best`?'
run watch
same no-view "$rc $(cat "$tmp/err")" '2 runnel: watch needs a VIEW; `runnel list` shows them'
run watch best --every 1
same every-unit "$rc $(cat "$tmp/err")" \
	'2 runnel: --every takes a time from 10ms to 366d, such as 1s, not `1`'
run 'count of read' --every 1s; same every-of-a-query "$rc" 2
run 'view rec := count as calls of io by proc from "tests/demo/io.rnt"; view biggest := count of rec'
run --explain watch biggest; same saved-before-module "$rc $(grep -c 'memory' "$tmp/out")" "0 0"
run --explain watch memory_by_name
same module "$rc $(grep -c 'reads the table processes' "$tmp/out")" "0 1"

# ---- tables are read again, each time under its window; Ctrl-C ends it
begin -o json watch sized least=1KiB who='*' --every 200ms
turns() { [ "$(jq .window "$tmp/out" 2>/dev/null | sort -u | wc -l)" -ge 3 ]; }
await turns; end INT
same table "$rc $(jq -s 'map(.window % 200000000) | add' "$tmp/out") $(jq -r 'keys | join(",")' "$tmp/out" | sort -u)" \
	"0 0 pid,proc,rss,window"
same table-ledger "$(grep -c '"ledger"' "$tmp/err")" 1

# ---- served
command -v curl >/dev/null || { skip "curl is not installed"; done_testing; }
serve() { # ARGUMENT...: leaves $pid and $url; what it says is in $tmp/err
	begin export "$@"
	is_up() { grep -q '^serving ' "$tmp/err" || is_over; }
	await is_up; url=$(sed -n 's/^serving //p' "$tmp/err")
	has_window() { [ "$(curl -s -o /dev/null -w '%{http_code}' "$url")" = 200 ]; }
	[ -n "$url" ] && await has_window
}
serve sized --prometheus 127.0.0.1:0 --every 100ms
curl -s "$url" >"$tmp/metrics"
same metrics "$(grep -cE '^runnel_sized_rss_bytes\{pid="[0-9]+",proc="[^"]+"\} [0-9]+$' "$tmp/metrics") $(grep '^runnel_window_rows' "$tmp/metrics")" \
	"5 runnel_window_rows 5"
if command -v promtool >/dev/null; then
	promtool check metrics <"$tmp/metrics" >"$tmp/lint" 2>&1
	same promtool "$? $(cat "$tmp/lint")" "0 "
else skip "promtool is not installed (package prometheus)"; fi
code() { curl -s -o /dev/null -w '%{http_code}' "$@"; }
same not-found "$(code "${url%/metrics}/") $(code "$url/x")" "404 404"
same head "$(code -I "$url") $(curl -sI "$url" | grep -c 'text/plain; version=0.0.4')" "200 1"
same methods "$(code -X POST -d x=1 "$url") $(code -X DELETE "$url")" "405 405"
port=${url#http://127.0.0.1:}; port=${port%/metrics}
for junk in 'GET' 'GET / HTTP/9.9' $'\x16\x03\x01\x02' \
	"GET /$(head -c 100000 /dev/zero | tr '\0' a) HTTP/1.1"; do
	timeout 5 bash -c 'exec 3<>/dev/tcp/127.0.0.1/$0; printf "%s\r\n\r\n" "$1" >&3; cat <&3' \
		"$port" "$junk" >/dev/null 2>&1
done
same after-junk "$(code "$url")" 200
# A client that connects and says nothing, or asks and does not read, keeps nobody waiting.
window_of() { curl -s "$url" | sed -n 's/^runnel_window_start_timestamp_seconds //p'; }
for i in $(seq 40); do
	exec {fd}<>"/dev/tcp/127.0.0.1/$port" && {
		[ $((i % 2)) = 0 ] || printf 'GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n' >&$fd
		slow+=("$fd")
	}
done
before=$(window_of); goes_on() { [ "$(window_of)" != "$before" ]; }
await goes_on; same slow-clients $? 0
for fd in "${slow[@]}"; do exec {fd}>&-; done
run export sized --prometheus ":$port"
case_is address-in-use 4 "" "error: cannot serve at :$port: the address is in use
  another program listens there (\`ss -ltnp\` shows which); take another port"
end INT; same ended "$rc $(code "$url")" "0 000"
for bad in 127.0.0.1 :x 1:2:3 :99999; do
	run export sized --prometheus "$bad"
	same "no-address-$bad" "$rc $(head -n1 "$tmp/err")" \
		"2 error: \`$bad\` is no address to serve at"
done
run export sized --prometheus 192.0.2.1:0
same not-ours "$rc $(head -n1 "$tmp/err")" \
	"4 error: cannot serve at 192.0.2.1:0: Cannot assign requested address"
run export all_rows --prometheus :0
case_is rows-have-no-window 1 "" \
	"error: the view gives rows as they come: there is no latest window of it
  count them: view NAME := count of VIEW by KEY"
run export in_order --prometheus :0
case_is rows-without-limit 1 "" \
	"error: the view gives all rows of each window in order: there may be any number of them
  add \`limit N\`, or count them: view NAME := count of VIEW by KEY"
run export nosuch --prometheus :0; same serve-unknown "$rc" 1
done_testing
