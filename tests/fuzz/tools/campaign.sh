#!/bin/bash
# campaign.sh MINUTES [TARGET...] - fuzzes each target until it has used so many minutes of one
# core's time, whatever else the machine does meanwhile, and adds a line for each to
# BUILD/fuzz/campaign.txt: target, executions, minutes of CPU time, findings, day, commit. What is
# found is in BUILD/fuzz/found.
set -u
minutes=$1; shift
. tests/fuzz/lib.bash
status=0 pid='' ended='' commit=$(git rev-parse --short HEAD 2>/dev/null)
tick=$(getconf CLK_TCK)
mkdir -p "$B/fuzz/found"
trap 'ended=1; [ -z "$pid" ] || kill -INT "$pid"' INT TERM
# seconds of CPU time
used() {
	awk -v tick="$tick" '{ sub(/.*\) /, ""); print int(($12 + $13) / tick) }' "/proc/$1/stat" \
		2>/dev/null
}
for target in $(targets "$@"); do
	log=$B/fuzz/$target.campaign cpu=0 findings=none
	mapfile -t dirs < <(inputs "$target" grown)
	# shellcheck disable=SC2086
	nice -n "${NICE:-19}" "$B/fuzz/$target" -print_final_stats=1 \
		-max_len="$(max_len "$target")" $FUZZ_LIMITS \
		-artifact_prefix="$B/fuzz/found/$target-" \
		"${dirs[@]}" >"$log" 2>&1 &
	pid=$!
	while now=$(used $pid) && [ -n "$now" ] && [ -z "$ended" ]; do
		cpu=$now
		[ "$cpu" -lt $((minutes * 60)) ] || break
		sleep 2
	done
	kill -INT $pid 2>/dev/null
	while kill -0 $pid 2>/dev/null; do wait $pid; done
	pid=
	grep -q '^==[0-9]*== libFuzzer: run interrupted' "$log" || {
		findings=$(sed -n 's/.*Test unit written to //p' "$log" | tail -n 1)
		findings=${findings:-"see $log"}
		status=1
	}
	printf '%-10s %10d executions %6.1f minutes  findings: %s  %s %s\n' "$target" \
		"$(sed -n 's/^stat::number_of_executed_units: *//p' "$log" | tail -n 1)" \
		"$(awk -v s="$cpu" 'BEGIN { print s / 60 }')" "$findings" "$(date +%F)" \
		"$commit" | tee -a "$B/fuzz/campaign.txt"
	[ -z "$ended" ] || break
done
exit $status
