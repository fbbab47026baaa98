#!/bin/bash
# programs.sh - what `events of tag` of 30 tags costs whole programs: `make bench-programs`, or
#
#     tests/bench/programs.sh [PAIRS [PROGRAM...]]   programs: see workloads.bash, which has them
#
# Each program does the same work with nothing attached and in each of these ways:
#
#     runnel  with the query; its tags occur nowhere, so what is measured is the search
#     before  with the query of RUNNEL_BEFORE=PROGRAM, another version, if that is given
#     empty   with empty programs on the tracepoints that the query is attached to (not on the
#             functions of TLS libraries, which none of the programs calls)
#     strace  under `strace -f` of the calls that the query searches, client and server alike
#
# Rounds alternate their order. Printed is the median over the rounds of the ratio of the times,
# with the least and the most. As strace is slow, it has a quarter of the pairs, apart from the
# other ways. Some programs do only a part of their work there. WAYS="runnel empty": only these.
set -u
B=${B:-build}
RN=$PWD/$B/runnel
tmp=$(mktemp -d /var/tmp/runnel-bench.XXXXXX); chmod 755 "$tmp"
. tests/bench/workloads.bash
pairs=${1:-7}; shift 2>/dev/null
programs=${*:-$all_programs}
ways=${WAYS:-runnel${RUNNEL_BEFORE:+ before} empty strace}
share=1 server='' tracer='' worker=''
export RUNNEL_CATALOG=$tmp/catalog.db

hook() { # WHAT PROGRAM: does WHAT_PROGRAM, if there is one
	! declare -F "$1_${2//-/_}" >/dev/null || "$1_${2//-/_}"
}
gone() { ! kill -0 -- "$1"; }
stop() {
	local p
	for p in ${worker:+-$worker} $tracer; do
		kill -- "$p" 2>/dev/null && wait "${p#-}" 2>/dev/null
		await gone "$p" # all of the group: it may still write to $tmp
	done
	[ -z "$server" ] || hook finish "$program"
	rm -rf "$tmp"
}
trap stop EXIT
trap 'exit 130' INT TERM HUP
for program in $programs; do
	declare -F "work_${program//-/_}" >/dev/null ||
		{ echo "no program $program: $all_programs" >&2; exit 2; }
done

tags=$(for i in $(seq 30); do printf '%s"rnbench-tag-%02d-%s"' "$([ "$i" -gt 1 ] && echo ', ')" "$i" "$(printf %06d $((i * 7919)))"; done)
query="events of tag $tags"
tracepoints=$("$RN" --dump=bpf "$query" | grep -oP '^program .* on (raw_tp|tp_btf)/\K\w+' |
	sort -u)
[ -n "$tracepoints" ] || fail 'the query is attached to no tracepoint'
# Not what is no call: operations of io_uring, of mapped files and of TLS libraries.
calls=$(grep -oP '^\tX\(\K[a-z0-9_]+' lang/catalog/direction.h | grep -vE '^(io_uring|mmap|tls)_' |
	paste -sd,)

all_traced() { # PID...: strace has seized all of them
	local p
	for p in "$@"; do
		[ "$(awk '$1 == "TracerPid:" { print $2 }' "/proc/$p/status")" != 0 ] || return
	done
}
# No tracer outlives its time, whatever becomes of this script.
bounded() { exec timeout --foreground -s INT -k 10 600 "$@"; }
attach() { # WAY: $tracer is its process id
	local pids
	case $1 in
	plain) tracer=; return ;;
	runnel | before)
		local with=$RN
		[ "$1" = runnel ] || with=$RUNNEL_BEFORE
		bounded "$with" -v -o json "$query" >"$tmp/rows" 2>"$tmp/told" </dev/null &
		tracer=$!
		await grep -qx attached "$tmp/told"
		;;
	empty)
		# shellcheck disable=SC2086 # a list
		bounded "$B/tests/bench_empty" $tracepoints >"$tmp/told" 2>&1 & tracer=$!
		await grep -qx attached "$tmp/told"
		;;
	strace)
		pids="$worker ${server:+$server $(pgrep -P "$server")}"
		bounded strace -f -e trace="$calls" -o /dev/null -p "$pids" 2>"$tmp/told" &
		tracer=$!
		# shellcheck disable=SC2086 # a list
		await all_traced $pids
		;;
	esac || fail "$1 was not attached: $(cat "$tmp/told")"
	sleep 0.3
}
detach() { # WAY
	local code
	[ -n "$tracer" ] || return
	# strace ends by itself if all that it traces has ended
	kill -INT "$tracer" 2>/dev/null || [ "$1" = strace ] || fail "$1 ended before the work"
	wait "$tracer"; code=$?
	tracer=
	[ $code = 0 ] || [ "$1" = strace ] || fail "$1: $(cat "$tmp/told")"
}
timed() { # WAY: $took is what the work of $program took
	local begin
	rm -f "$tmp/took" "$tmp/go"; mkfifo "$tmp/go"
	set -m # a process group of its own, which ends as a whole
	{ read -r _ <"$tmp/go"; "work_${program//-/_}"; } & worker=$!
	set +m
	attach "$1"
	hook before "$program"
	begin=$(date +%s%N)
	echo >"$tmp/go"
	wait "$worker" || fail "$program failed, way: $1"
	took=$(($(date +%s%N) - begin))
	worker=
	detach "$1"
	[ ! -s "$tmp/took" ] || took=$(cat "$tmp/took")
}
round() { # NUMBER WAY...: once plain, once in each way; the ratios are appended to ratios.WAY
	local way order='' number=$1; shift
	local -A time=()
	for way in plain "$@"; do
		if ((number % 2)); then order="$order $way"; else order="$way $order"; fi
	done
	for way in $order; do
		timed "$way"
		time[$way]=$took
		case $way in runnel | before)
			jq -rR 'fromjson? | select(.ledger) | .ledger |
				"searched \(.bytes_scanned) of \(.bytes_seen) bytes, \(.known_clean // 0) known, \(.lost) lost"' \
				"$tmp/told" >"$tmp/note.$way"
		esac
	done
	for way in "$@"; do
		awk -v a="${time[plain]}" -v b="${time[$way]}" 'BEGIN { print b / a }' \
			>>"$tmp/ratios.$way"
	done
}
report() { # WAY
	sort -n "$tmp/ratios.$1" |
		awk -v p="$program" -v way="$1" -v note="$(cat "$tmp/note.$1" 2>/dev/null)" '
		{ v[NR] = $1 }
		END {
			m = NR % 2 ? v[(NR + 1) / 2] : (v[NR / 2] + v[NR / 2 + 1]) / 2
			printf "%-12s %-7s %8.3f %8.3f %8.3f %6d  %s\n", p, way, m, v[1], v[NR], NR, note
		}'
}

printf '%-12s %-7s %8s %8s %8s %6s  %s\n' program way median least most pairs ''
for program in $programs; do
	rm -f "$tmp"/ratios.* "$tmp"/note.*
	hook prepare "$program"
	# once beforehand, so that the first run is like the others; a long one is not worth it
	if [ -z "${most_pairs[$program]:-}" ]; then
		hook before "$program"; "work_${program//-/_}" || fail "$program failed"
	fi
	rounds=${most_pairs[$program]:-$pairs}
	[ "$rounds" -lt "$pairs" ] || rounds=$pairs
	# shellcheck disable=SC2086 # a list
	for ((k = 1; k <= rounds; k++)); do round $k ${ways//strace/}; done
	if [[ " $ways " = *' strace '* ]]; then
		share=${strace_share[$program]:-1}
		[ "$share" = 1 ] || echo "1/$share of the work" >"$tmp/note.strace"
		for ((k = 1; k <= (rounds + 3) / 4; k++)); do round $k strace; done
		share=1
	fi
	for way in $ways; do report "$way"; done
	[ -z "$server" ] || hook finish "$program"
done
