#!/bin/bash
# Where no way is used that is not searched, nothing is uncovered: a build, an archive, a database
# under load. --strict is then 0.
. tests/live/lib.sh
need_bpf; need jq make gcc tar
PG=$(ls -d /usr/lib/postgresql/*/bin 2>/dev/null | tail -1)
for trace in 'read' 'written'; do
	grep -q "^tags in files $trace through memory  *ok" "$tmp/doctor" ||
		skip_all "what is $trace through memory is not told by this kernel"
done
# Both queries over COMMAND, which must do what it is to do.
whole() { # WHAT COMMAND [SCAN]
	local query
	for query in 'flow of tag fix283' 'count of tag fix283'; do
		q --strict -c "$2" "$query ${3:-}"
		same "$1: ${query%% *} is whole" \
			"$? $(grep '"ledger"' "$tmp/err" | jq -c '.ledger | [.uncovered, .complete, .bytes_seen > 0]')" \
			'0 [0,true,true]'
		grep '"ledger"' "$tmp/err" |
			jq -c '.ledger.nodes[].paths | with_entries(select(.value | .uncovered + .beyond_cap + .faulted > 0))' |
			grep -v '^{}$'
	done
}
mkdir "$tmp/src"
for i in 1 2 3 4; do
	echo "int f$i(int x) { return x + $i; } /* fix283 */" >"$tmp/src/f$i.c"
done
echo 'int f1(int); int f2(int); int f3(int); int f4(int); int main(void) { return f1(f2(f3(f4(-10)))); }' \
	>"$tmp/src/main.c"
cat >"$tmp/src/Makefile" <<'M'
prog: $(patsubst %.c,%.o,$(wildcard *.c))
	gcc -o $@ $^
%.o: %.c
	gcc -O1 -g -c -o $@ $<
M
cat >"$tmp/build.sh" <<S
make -s -C $tmp/src -B -j2 && $tmp/src/prog
S
whole 'make and gcc' "bash $tmp/build.sh"
same 'the build is seen' "$(field '.count > 0')" true
cat >"$tmp/tar.sh" <<S
tar -C $tmp -cf $tmp/src.tar src && mkdir -p $tmp/out.d && tar -C $tmp/out.d -xf $tmp/src.tar && tar -C $tmp -czf $tmp/src.tgz src && cmp $tmp/src/f1.c $tmp/out.d/src/f1.c
S
whole tar "bash $tmp/tar.sh"
same 'the archive is seen' "$(field '.count > 0')" true
if [ -z "$PG" ] || ! getent passwd postgres >/dev/null; then
	skip "no PostgreSQL on this machine"
	done_testing
fi
mkdir "$tmp/db" && chmod 711 "$tmp" && chown postgres "$tmp/db"
as() { setpriv --reuid postgres --regid postgres --clear-groups "$@"; }
as "$PG/initdb" -D "$tmp/db/data" -A trust >"$tmp/initdb" 2>&1 || {
	not_ok "initdb: $(tail -1 "$tmp/initdb")"
	done_testing
}
# Each of its processes unmaps what they share when it ends: as little of it as is less than the
# most that a query looks at of one call.
cat >"$tmp/ctl" <<S
set -e
exec setpriv --reuid postgres --regid postgres --clear-groups $PG/pg_ctl -D $tmp/db/data -w -m fast -l $tmp/db/log \
	-o "-k $tmp/db -c listen_addresses= -c shared_buffers=2MB -c max_connections=20" "\$@" >>$tmp/ctl.out
S
cat >"$tmp/pgbench" <<S
pg() { setpriv --reuid postgres --regid postgres --clear-groups "\$@"; }
pg $PG/pgbench -h $tmp/db -i -q postgres && pg $PG/pgbench -h $tmp/db -c 4 -t 50 postgres && pg $PG/psql -h $tmp/db -qAt -c "select 'fix283'" postgres
S
echo "bash $tmp/ctl start && bash $tmp/pgbench; got=\$?; bash $tmp/ctl stop; exit \$got" >"$tmp/all"
whole 'PostgreSQL under pgbench, from its start to its end' "bash $tmp/all" 'scan 16MiB'
same 'what it wrote is seen' "$(field '.count > 0')" true
at_exit 'bash "$tmp/ctl" stop -s 2>/dev/null'
bash "$tmp/ctl" start || { not_ok 'PostgreSQL does not begin'; done_testing; }
whole 'pgbench by itself' "bash $tmp/pgbench"
same 'what it sent is seen' "$(field '.count > 0')" true
# Its server, in whose midst the query begins and ends.
: >"$tmp/err"
"$RN" -v -o json -p "$(head -1 "$tmp/db/data/postmaster.pid")" 'count of tag fix283 scan 16MiB' \
	>"$tmp/out" 2>"$tmp/err" &
pid=$!
await watching $pid
bash "$tmp/pgbench" >/dev/null 2>&1
kill -TERM $pid; wait $pid
# The end of a backend may be less than a second before that of the query. Then its shared memory
# was not searched again. The ledger says so.
postponed=$(grep '"ledger"' "$tmp/err" | jq '.ledger.nodes[0].paths.mmap.postponed > 0')
same 'PostgreSQL amid its life is whole, but for memory that it shares' \
	"$(grep '"ledger"' "$tmp/err" | jq -c --argjson p "$postponed" \
		'.ledger | .uncovered as $n |
			[$n == 0 or ($p and $n == 1), .complete == ($n == 0), .bytes_seen > 0]')" \
	'[true,true,true]'
same 'what it received is seen' "$(field '.count > 0')" true
done_testing
