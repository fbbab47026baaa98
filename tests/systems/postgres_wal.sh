#!/bin/bash
# PostgreSQL takes old segments of its log by renaming them to names to come. Runnel is asked for
# the writes to each segment, strace watches the same processes: the same segments, calls and bytes.
. tests/live/lib.sh
need_bpf; need jq strace runuser
bin=$(ls -d /usr/lib/postgresql/*/bin 2>/dev/null | tail -1)
[ -n "$bin" ] || skip_all 'no PostgreSQL on this machine'
dir=$(mktemp -d /tmp/runnel-pg-XXXXXX); chown postgres "$dir"
as() { (cd "$dir" && runuser -u postgres -- "$@"); }
over() {
	as "$bin/pg_ctl" -D "$dir/data" -m immediate stop >/dev/null 2>&1
	rm -rf "$dir"
}
at_exit over
sql() { as "$bin/psql" -h "$dir" -d postgres -Atqc "$1" >>"$tmp/psql" 2>&1; }
# Segments of 1 MiB; what writes to it by itself when all is quiet is off.
settings='-c listen_addresses= -c wal_level=minimal -c max_wal_senders=0 -c autovacuum=off -c min_wal_size=4MB -c max_wal_size=4MB -c wal_init_zero=off -c full_page_writes=off'
as "$bin/initdb" -D "$dir/data" --wal-segsize=1 -A trust >"$tmp/initdb" 2>&1 || {
	cat "$tmp/initdb"
	set_up_failed 'initdb'
}
as "$bin/pg_ctl" -w -D "$dir/data" -l "$dir/log" -o "-k $dir $settings" start >"$tmp/start" 2>&1 ||
	{ cat "$tmp/start" "$dir/log"; set_up_failed 'PostgreSQL'; }
sql 'create table t (a text)'
fill() { # N: so many segments, each left half full
	for ((i = 0; i < $1; i++)); do
		sql "insert into t select repeat('x', 1000) from generate_series(1, 500)"
		sql 'select pg_switch_wal()'; sql checkpoint
	done
}
fill 4
server=$(head -1 "$dir/data/postmaster.pid")
all=$(ps -o pid= --ppid "$server") all="$server $all"
# shellcheck disable=SC2046,SC2086 # a list
strace -f -y -qq -e trace=write,pwrite64,pwritev,rename,link -o "$tmp/strace" \
	$(printf -- '-p %s ' $all) 2>"$tmp/strace.err" &
tracer=$!
tracing() { # each of them
	local p
	kill -0 "$tracer" 2>/dev/null || return 0
	for p in $all; do grep -q '^TracerPid:[[:space:]]*[1-9]' "/proc/$p/status" || return; done
}
await tracing
during 'count, sum(bytes) of write where file ~ "*/pg_wal/0*" and proc = postgres by file' fill 6
kill -INT $tracer; wait $tracer 2>/dev/null
# A call that others came between has two lines.
awk '/<unfinished \.\.\.>$/ { begun[$1] = substr($0, 1, length($0) - 17); next }
	/<\.\.\. [a-z0-9]+ resumed>/ { sub(/^[0-9]+ +<\.\.\. [a-z0-9]+ resumed>/, begun[$1]) } { print }' "$tmp/strace" >"$tmp/calls"
sed -nE \
	's/^[0-9]+ +(write|pwrite64|pwritev)\([0-9]+<([^>]*\/pg_wal\/0[^>]*)>.* = ([0-9]+)$/\2 \3/p' \
	"$tmp/calls" |
	awk '{ n[$1]++; b[$1] += $2 } END { for (f in n) print f, n[f], b[f] }' | sort >"$tmp/want"
field '"\(.file) \(.count) \(.["sum(bytes)"])"' | sort >"$tmp/got"
cat "$tmp/want"
same 'several segments were written' "$([ "$(wc -l <"$tmp/want")" -ge 5 ] && echo yes)" yes
taken=$(grep -oE 'rename\("pg_wal/0[^"]*", "pg_wal/[0-9A-F]{24}"\) = 0' "$tmp/calls" | grep -oE '[0-9A-F]{24}"\) = 0' | cut -c1-24 | sort -u)
again=$(for s in $taken; do grep -c "/$s " "$tmp/want"; done | grep -c 1)
same 'and some of them had been others before' "$([ "$again" -ge 1 ] && echo yes)" yes
same 'the same segments, calls and bytes' "$(diff "$tmp/want" "$tmp/got")" ''
same 'nothing is lost or unsettled' "$(lost) $(grep '"ledger"' "$tmp/err" | jq .ledger.unsettled)" \
	'0 0'
[ $status = 0 ] || grep -E "rename|link" "$tmp/calls" | tail -5
done_testing
