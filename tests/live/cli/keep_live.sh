#!/bin/bash
# keep_live.sh - views over live events that are kept running: every event is in one window, what is
# lost is said with its window, and Prometheus gets counts, times, sizes and histograms that its own
# tool accepts.
. tests/cli/lib.bash
need_bpf
me=keepdd$$ # nobody else on this machine is called so
cp "$(command -v dd)" "$tmp/$me"
run -q 'view moved(who = '$me') := count as calls, sum(bytes) as total, max(latency) as longest, hist(latency) as took, sum(latency) as waited of write
	where proc = $who and file = "/dev/null" by proc, file; view best := top 1 of moved; view by_place := count of write where proc = '$me' by offset;
	view starts := time, proc, pid of exec; view slowest := proc, offset, latency of write where proc = '$me' order by latency desc limit 5;
	view way := flow of tag keptTAG42; view steps := count of way by proc'
same views "$rc" 0

# Six turns of 500 calls, and more until there are as many windows as the test wants. The machine
# decides how many turns fall in one. `calls`: of all turns.
work() { # WINDOWS ROWS-OF-EACH
	echo 'i=0; while [ $((i += 1)) -le 6 ] || { [ $(($(wc -l <'"$tmp"'/out) / '"$2"')) -lt '"$1"' ] && [ $i -lt 1000 ]; }; do
		'"$tmp"'/'$me' if=/dev/zero of=/dev/null bs=1 count=500 status=none; sleep 0.1; done; echo $(((i - 1) * 500)) >'"$tmp"'/calls'
}
run -o json -c "$(work 2 1)" watch moved --every 100ms
same every-call-once "$rc $(jq -s '[.[].calls] | add' "$tmp/out") $(($(wc -l <"$tmp/out") > 1))" \
	"0 $(cat "$tmp/calls") 1"
same ledger-at-the-end "$(grep -c '"ledger"' "$tmp/err")" 1
run -q -o csv -c "$(work 2 1)" watch best --every 100ms
same view-of-a-view \
	"$rc $(head -n1 "$tmp/out") $(tail -n +2 "$tmp/out" | cut -d, -f4 | paste -sd+ | bc)" \
	"0 window,proc,file,calls,total,longest,took,waited,partial $(cat "$tmp/calls")"
run -q -o json -c 'sh -c true; sh -c true' watch starts
same rows "$rc $(jq -s 'map(.proc == "sh") | all' "$tmp/out") $(($(wc -l <"$tmp/out") >= 2)) $(jq -s 'map(has("window")) | any' "$tmp/out")" \
	"0 true 1 false"

# rows in order: the slowest of each window; a window that is full has as many as it may, each call
# is in one of them
run -q -o json -c "$(work 6 5)" watch slowest --every 100ms
same slowest-of-each "$rc $(jq -s 'group_by(.window) | length > 3 and (map(length) | max) == 5 and all(map(.latency) == (map(.latency) | sort | reverse))' "$tmp/out")" \
	"0 true"
# a flow: its hops are linked within a window (0.5 s apart by the clock: no window has all three)
run -q -o json -c 'for i in 1 2 3; do sh -c "echo keptTAG42 | cat >/dev/null"; sleep 0.5; done' \
	watch way --every 400ms
same flow "$rc $(jq -s '[.[] | select(.proc == "sh")] | length' "$tmp/out") $(jq -s 'group_by(.window) | length > 1 and all(map(.hop) == [range(1; length + 1)])' "$tmp/out")" \
	"0 3 true"
run -q -o json -c 'sh -c "echo keptTAG42 | cat >/dev/null"' watch steps
same flow-counted "$rc $(jq -s 'map(select(.proc == "sh").count) | add' "$tmp/out")" "0 1"
run export way --prometheus :0
case_is flow-not-served 1 "" \
	"error: the view gives the hops of a flow: each is met once, and no number of it goes on
  count them: view NAME := count of VIEW by proc, name"

run -o json -c "$tmp/$me"' if=/dev/zero of='"$tmp"'/big bs=1 count=40000 2>/dev/null' watch \
	by_place --every 60s
same loss-at-the-end "$(grep '"ledger"' "$tmp/err" | jq '.ledger.lost_map > 0')" true
run -c "$tmp/$me"' if=/dev/zero of='"$tmp"'/big bs=1 count=60000 status=none; i=0; until grep -q "^window before .*(other)" '"$tmp"'/err || [ $((i += 1)) -gt 1200 ]; do sleep 0.1; done' \
	watch by_place --every 5s
same loss-with-its-window "$(($(grep -c '^window before [0-9:.]*: [0-9]* events counted in (other)' "$tmp/err") > 0)) $(grep -c '^ledger' "$tmp/err")" \
	"1 1"

# -p, and Ctrl-C
sh -c 'while :; do '"$tmp"'/'$me' if=/dev/zero of=/dev/null bs=1 count=10 2>/dev/null; sleep 0.02; done' &
busy=$!
begin -p $busy -o json watch moved --every 100ms
three() { [ "$(wc -l <"$tmp/out")" -ge 3 ]; }
await three; end INT
same ctrl-c "$rc $(jq -s '[.[].window] | unique | length > 2' "$tmp/out") $(grep -c '"ledger"' "$tmp/err")" \
	"0 true 1"
# Nodes of a hosts file answer as one. (All of them see the same kernel here.)
printf 'one exec: %s agent --stdio\n' "$RN" >"$tmp/hosts"
begin -H "$tmp/hosts" -o json watch moved --every 200ms
await three; end INT
same nodes "$rc $(jq -s '[.[].window] | unique | length > 2' "$tmp/out")" "0 true"

# Served, and accepted
if command -v curl >/dev/null; then
	begin export moved --prometheus :0 --every 200ms
	served() {
		url=$(sed -n 's/^serving //p' "$tmp/err")
		[ -n "$url" ] && curl -s "$url" >"$tmp/metrics" &&
			grep -q '^runnel_moved_calls{' "$tmp/metrics"
	}
	await served; same served $? 0
	same numbers "$(sed -n 's/{.*//; s/^runnel_moved_\([a-z_]*\).*/\1/p' "$tmp/metrics" | sort -u | tr '\n' ' ')" \
		"calls longest_seconds took_seconds_bucket took_seconds_count took_seconds_sum total_bytes waited_seconds "
	same exact-sum "$(grep -c "^# HELP runnel_moved_took_seconds .*its sum is exact" "$tmp/metrics") $(sed -n "s/^runnel_moved_took_seconds_sum//p" "$tmp/metrics")" \
		"1 $(sed -n "s/^runnel_moved_waited_seconds//p" "$tmp/metrics")"
	same counters "$(grep -c '^runnel_events_matched_total [1-9]' "$tmp/metrics") $(grep -c '^runnel_incomplete_total{cause="lost_ring"} 0' "$tmp/metrics")" \
		"1 1"
	if command -v promtool >/dev/null; then
		promtool check metrics <"$tmp/metrics" >"$tmp/lint" 2>&1
		same promtool "$? $(cat "$tmp/lint")" "0 "
	else skip "promtool is not installed (package prometheus)"; fi
	kill $busy; wait $busy 2>/dev/null
	empty() { curl -s "$url" | grep -q '^runnel_window_rows 0'; }
	await empty
	same window-without-rows "$? $(curl -s "$url" | grep -c '^runnel_moved_calls{')" "0 0"
	end TERM; same ended $rc 0
else
	kill $busy; wait $busy 2>/dev/null; skip "curl is not installed"
fi
done_testing
