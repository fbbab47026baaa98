#!/bin/bash
# programs.sh - what `events of tag` of 30 tags costs whole programs: `make bench-programs`, or
#
#     tests/bench/programs.sh [PAIRS [PROGRAM...]]   programs: tar gzip redis pgbench start build
#
# Each program does the same work without and with the query attached, in pairs whose order
# alternates; printed is the median over the pairs of the ratio of the times, with the least and the
# most. The tags occur nowhere: what is measured is the search. `start` starts Python again and
# again; `build` compiles a part of this project. RUNNEL_BEFORE=PROGRAM: beside another version, in
# the same run.
set -u
B=${B:-build}
RN=$PWD/$B/runnel
pairs=${1:-7}; shift 2>/dev/null
programs=${*:-tar gzip redis pgbench start build}
versions="now${RUNNEL_BEFORE:+ before}"
for p in $programs; do
	case $p in
	tar | gzip | redis | pgbench | start | build) ;;
	*) echo "no program $p: tar gzip redis pgbench start build" >&2; exit 2 ;;
	esac
done
tmp=$(mktemp -d /var/tmp/runnel-bench.XXXXXX); chmod 755 "$tmp"
export RUNNEL_CATALOG=$tmp/catalog.db
server=
stop() {
	[ -n "$server" ] && kill "$server" 2>/dev/null && wait "$server" 2>/dev/null
	[ -d "$tmp/pg" ] &&
		as_postgres "$pg/pg_ctl" -D "$tmp/pg" -m immediate -s stop >/dev/null 2>&1
	rm -rf "$tmp"
}
trap stop EXIT
tags=$(for i in $(seq 30); do printf '%s"rnbench-tag-%02d-%s"' "$([ "$i" -gt 1 ] && echo ', ')" "$i" "$(printf %06d $((i * 7919)))"; done)
query="events of tag $tags"

now() { date +%s%N; }
as_postgres() { setpriv --reuid=postgres --regid=postgres --init-groups "$@"; }

# prepare_X: once; work_X: the measured work
prepare_tar() {
	mkdir "$tmp/tree" && cp -r /usr/include /usr/share/perl "$tmp/tree" 2>/dev/null
	tar cf "$tmp/out.tar" -C "$tmp" tree
}
work_tar() { for i in 1 2 3; do tar cf "$tmp/out.tar" -C "$tmp" tree; done; }
prepare_gzip() {
	cat /usr/lib/*/lib*.a /usr/bin/[a-p]* 2>/dev/null | head -c 100000000 >"$tmp/big"
}
work_gzip() { gzip -1 -c "$tmp/big" >"$tmp/big.gz"; }
prepare_redis() {
	redis-server --port 26379 --save '' --appendonly no --dir "$tmp" >/dev/null & server=$!
	for i in $(seq 50); do redis-cli -p 26379 ping >/dev/null 2>&1 && return; sleep 0.1; done
	echo "redis-server did not start" >&2; exit 1
}
work_redis() { redis-benchmark -p 26379 -q -n 200000 -c 20 -d 256 -t set,get >/dev/null 2>&1; }
prepare_pgbench() {
	pg=$(ls -d /usr/lib/postgresql/*/bin | tail -n1)
	mkdir "$tmp/pg" && chown postgres "$tmp/pg"
	as_postgres "$pg/initdb" -D "$tmp/pg" -A trust >/dev/null &&
		as_postgres "$pg/pg_ctl" -D "$tmp/pg" -s -w -o \
		"-p 25432 -k $tmp/pg -c fsync=off -c listen_addresses=127.0.0.1" -l "$tmp/pg/log" \
		start &&
		as_postgres "$pg/pgbench" -h 127.0.0.1 -p 25432 -i -q -s 5 postgres >/dev/null \
		2>&1 || { echo "PostgreSQL did not start" >&2; exit 1; }
}
work_pgbench() {
	as_postgres "$pg/pgbench" -h 127.0.0.1 -p 25432 -n -c 4 -j 1 -t 4000 postgres >/dev/null \
		2>&1
}

prepare_start() { :; }
work_start() { for i in $(seq 15); do python3 -c 'import json'; done; }
prepare_build() { make -s -j2 build/gen/lang/syntax/grammar.h >/dev/null; }
work_build() {
	rm -rf "$tmp/objects"; mkdir "$tmp/objects"
	printf "%s\n" lang/values/*.c planner/agg/*.c |
		xargs -P2 -I{} sh -c 'gcc -std=gnu11 -D_GNU_SOURCE -O2 -I. -Ibuild/gen -c -o "$0/$(echo {} | tr / _).o" {}' \
			"$tmp/objects"
}

timed() { # plain|PROGRAM OF RUNNEL, WORK: nanoseconds
	local begin
	if [ "$1" != plain ]; then
		"$1" -o json "$query" >"$tmp/rows" 2>"$tmp/ledger" </dev/null & tracer=$!
		for i in $(seq 100); do
			ls -l /proc/$tracer/fd 2>/dev/null | grep -q bpf_link\\\|bpf-link && break
			sleep 0.05
		done
		sleep 0.3
	fi
	begin=$(now); work_"$2"; took=$(($(now) - begin))
	if [ "$1" != plain ]; then
		kill -INT "$tracer"
		wait "$tracer" || { cat "$tmp/ledger" >&2; exit 1; }
	fi
}

printf '%-10s %-7s %8s %8s %8s   %s\n' program version median least most 'searched, of payload'
for p in $programs; do
	prepare_"$p"; work_"$p"
	rm -f "$tmp"/ratios.*
	for k in $(seq "$pairs"); do
		for v in $versions; do
			with=$RN
			[ "$v" = now ] || with=$RUNNEL_BEFORE
			if ((k % 2)); then
				timed plain "$p"; a=$took
				timed "$with" "$p"; b=$took
			else
				timed "$with" "$p"; b=$took
				timed plain "$p"; a=$took
			fi
			awk -v a="$a" -v b="$b" 'BEGIN { print b / a }' >>"$tmp/ratios.$v"
			jq -r 'select(.ledger) | .ledger |
				"\(.bytes_scanned) of \(.bytes_seen) bytes, \(.known_clean // 0) known, \(.lost) lost"' \
				"$tmp/ledger" >"$tmp/seen.$v"
		done
	done
	for v in $versions; do
		seen=$(cat "$tmp/seen.$v")
		sort -n "$tmp/ratios.$v" | awk -v p="$p" -v of="$v" -v seen="$seen" '
			{ v[NR] = $1 }
			END {
				m = NR % 2 ? v[(NR + 1) / 2] : (v[NR / 2] + v[NR / 2 + 1]) / 2
				printf "%-10s %-7s %8.3f %8.3f %8.3f   %s\n", p, of, m, v[1], v[NR], seen
			}'
	done
	[ -n "$server" ] && kill "$server" && wait "$server" 2>/dev/null; server=
done
