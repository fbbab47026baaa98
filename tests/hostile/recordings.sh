#!/bin/bash
# recordings.sh - recordings that strangers made to crash, to mislead, to exhaust or to hold their
# reader. Each case runs within a bound of memory and of time. A refusal names what it refuses.
. tests/hostile/lib.bash
need sqlite3 python3
demo=$PWD/tests/demo/io.rnt forge=$PWD/tests/programs/hostile/forge_recording.py \
	cancel=$PWD/tests/programs/hostile/cancel_query.py
cd "$tmp" || exit 1
# NAME SQL
forged() {
	cp "$demo" "$1.rnt" && sqlite3 "$1.rnt" "$2" >sql.log 2>&1 || {
		not_ok "forging $1"
		cat sql.log
	}
}
asked() { within 1500 60 "$RN" "$@" >out 2>err </dev/null; rc=$?; }
# NAME TEXT: of the recording NAME every way of reading is refused, with a message that has TEXT,
# and nothing is made beside it
refused() {
	local left
	asked "count of io from \"$1.rnt\""; [ $rc = 1 ] || [ $rc = 4 ] || not_ok "$1: exit $rc"
	holds "$1" "$2" err
	asked describe "$1.rnt"; [ $rc = 2 ] || not_ok "$1, describe: exit $rc"
	holds "$1-describe" "$2" err
	left=$(ls "$1".rnt?* 2>/dev/null)
	same "$1-left" "$left" "${3:-}"
}

# ---- what it runs: nothing ----
forged view 'alter table events rename to e; create view events as with recursive r(x) as (select 1 union all select x + 1 from r)
	select e.* from r, e where x < 0'
refused view '`events` is no table'
forged own-view 'create view mine as select 1'; refused own-view 'drop view "mine"'
forged trigger 'create trigger t after insert on events begin delete from events; end'
refused trigger 'drop trigger "t"'
forged virtual "create virtual table v using fts5(x)"; refused virtual '`v` is no table'
forged disguised \
	"pragma writable_schema = on; update sqlite_schema set type = 'table' where type = 'view';
	create view w as select 1; update sqlite_schema set type = 'table' where name = 'w'"
refused disguised 'malformed database schema'
forged computed 'alter table events add column zz as (zeroblob(1000000000)); insert into fields values (90, "zz", "bytes", "", "")'
refused computed 'the column `zz` of events is computed'
# the copy that is added to is as little trusted
asked "events of io from \"$demo\" into \"trigger.rnt\" append"
same append-to-trigger "$rc $(grep -c '^error.*no table\|^query.*no table' err) $(sqlite3 trigger.rnt 'select count(*) from events')" \
	"4 1 $(sqlite3 "$demo" 'select count(*) from events')"

# ---- what its tables hold ----
forged null-item "drop table ledger; create table ledger(node, item, count); insert into ledger values ('node1', NULL, 1)"
refused null-item 'ledger.item holds NULL, not a text'
forged two-counts "insert into ledger values ('a', 'lost_ring', 9223372036854775807), ('b', 'lost_ring', 9223372036854775807)"
refused two-counts 'the counts of `lost_ring` in its ledger add up to more than can be'
forged negative "insert into ledger values ('a', 'lost_ring', -5)"
refused negative 'ledger.count holds a negative number, not a count'
forged blob-name "update nodes set node = x'00ff'"; refused blob-name 'nodes.node holds bytes'
forged no-column 'alter table nodes drop column answered'
refused no-column 'the table nodes has no column `answered`'
forged no-table 'drop table ledger'; refused no-table 'no such table: ledger'
forged many-nodes "with recursive r(x) as (select 1 union all select x + 1 from r where x < 70000) insert into nodes select 'n' || x, 1, 2, 1, '' from r"
refused many-nodes 'its table nodes is longer than any that is recorded'
for type in list hist; do
	forged "$type" "update fields set type = '$type' where name = 'proc'; update events set proc = 'x\"}, {\"injected\": true'"
	refused "$type" 'the field proc has an unknown type'
done
forged utf16 "update meta set value = 1 where 0"; python3 - <<'PY'
import sqlite3
a, b = sqlite3.connect("utf16.rnt"), sqlite3.connect("wide.rnt")
b.execute("pragma encoding = 'UTF-16'")
for line in a.iterdump():
    b.execute(line) if not line.startswith(("BEGIN", "COMMIT")) else None
b.execute("pragma application_id = 1380865073"); b.execute("pragma user_version = 1"); b.commit()
PY
refused wide 'its texts are not in UTF-8'
# values of events are looked at when they are read
for case in "pid:'7'||x'41':a text, not a number" "proc:7:a number, not a text" \
	"bytes:1.5:a fraction, not a number" "peer:'nowhere':a text, not an address" \
	"time:NULL:NULL, not a number"; do
	IFS=: read -r column value text <<<"$case"
	cp "$demo" v.rnt
	sqlite3 v.rnt "create table e as select * from events; update e set $column = $value where rowid = 100; drop table events; alter table e rename to events"
	sqlite3 v.rnt "pragma writable_schema = on; update sqlite_schema set sql = replace(replace(sql, ' INT', ''), ' TEXT', '') where name = 'events'"
	sqlite3 v.rnt "update events set $column = $value where rowid = 100"
	asked "$column, fd of io from \"v.rnt\""
	holds "value-of-$column" "events.$column holds $text" err
	same "value-of-$column-status" $rc 4
done

# ---- what it makes others hold ----
cp "$demo" long.rnt
sqlite3 long.rnt "update events set file = printf('%.*c', 300000000, 'x') where rowid = 100"
peak_mib "$RN" -q 'file of io from "long.rnt" limit 2' >out 2>err; same long-limit "$rc" 4
[ "$peak" -lt 100 ] && ok long-limit-memory || not_ok "long-limit-memory: $peak MiB"
peak_mib "$RN" 'count of io by file from "long.rnt"' >out 2>err; same long $rc 4
holds long-message 'a row of it is longer than 4194304 bytes' err
[ "$peak" -lt 100 ] && ok long-memory || not_ok "long-memory: $peak MiB"
rm long.rnt
# pages that lie at many places: no end
cp "$demo" many.rnt
for _ in 1 2 3 4 5 6; do echo 'insert into events select * from events;'; done | sqlite3 many.rnt
python3 "$forge" many.rnt endless.rnt endless || not_ok 'forging endless.rnt'
asked 'count of io by file from "endless.rnt"'; same endless $rc 4
holds endless-message 'its rows are more than a file of' err
cp endless.rnt unsorted.rnt; sqlite3 unsorted.rnt "update meta set value = 0 where key = 'ordered'"
asked 'count of sendfile from "unsorted.rnt"'; same unsorted $rc 4
holds unsorted-message 'its rows are more than a file of' err
# within one step of SQLite, a first Ctrl-C ends it, and so does a host of the library
begin 'count of sendfile from "endless.rnt"'
# of 1/100 s
has_worked() {
	is_over ||
		[ "$(awk '{ print $14 + $15 }' "/proc/$pid/stat" 2>/dev/null || echo 999)" -gt 30 ]
}
await has_worked; is_over && not_ok 'endless ended by itself'
end INT; holds ctrl-c 'interrupted before the end of the recording' err
same ctrl-c-status $rc 0
same cancel "$(timeout -k 5 60 python3 "$cancel" "$B/librunnel.so" 'count of sendfile from "endless.rnt"' 2>&1)" \
	interrupted

# ---- what its owner does meanwhile ----
for _ in 1 2 3 4; do echo 'insert into events select * from events;'; done | sqlite3 many.rnt
# the reader takes no more lines until the file is cut: what the pipe does not hold has not been
# read by then
{ timeout 60 "$RN" -q -o csv 'file, proc, peer of io from "many.rnt"' 2>err; echo $? >status; } |
	{ head -n 5 >/dev/null; truncate -s 65536 many.rnt; cat >/dev/null; }
same cut "$(cat status)" 4
holds cut-message 'many.rnt: is damaged' err

# ---- what lies beside it ----
python3 - "$demo" <<'PY'
import os, shutil, sqlite3, sys
shutil.copy(sys.argv[1], "a"); db = sqlite3.connect("a")
db.execute("pragma journal_mode = wal"); db.execute("insert into events select * from events"); db.commit()
for end in "", "-wal":
    shutil.copy("a" + end, "wal.rnt" + end)
db.close()
shutil.copy(sys.argv[1], "b"); db = sqlite3.connect("b", isolation_level=None)
db.execute("pragma cache_size = 1"); db.execute("begin"); db.execute("update events set bytes = 7")
for end in "", "-journal":
    shutil.copy("b" + end, "journal.rnt" + end)
os._exit(0)
PY
for case in wal:380 journal:190; do
	n=${case%:*}
	refused "$n" "its last changes are in $PWD/$n.rnt-$n" "$n.rnt-$n"
	asked "count of io from \"$n.rnt\""
	grep -o "sqlite3 \".*limit 1'" err >fold.sh && sh fold.sh >/dev/null ||
		not_ok "$n: the command fails"
	asked -q -o csv "count of io from \"$n.rnt\""
	same "$n-folded" "$(tail -1 out) $(ls "$n".rnt*)" "${case#*:} $n.rnt"
done
forged mode 'pragma journal_mode = wal'; rm -f mode.rnt-*
asked -q -o csv 'count of io from "mode.rnt"'
same wal-mode "$(tail -1 out) $(ls mode.rnt*)" '190 mode.rnt'
asked "events of io from \"$demo\" into \"mode.rnt\" append"
same wal-mode-append "$rc $(ls mode.rnt*) $(sqlite3 mode.rnt 'select count(*) from events')" \
	'0 mode.rnt 380'

# ---- wherever it is named ----
for text in 'count of io where pid in (pid of io from "view.rnt")' \
	"let a := count of io by proc from \"view.rnt\"; count of a" \
	'count of io from "view.rnt" into "new.rnt"' \
	'events of io from "view.rnt" into "new.rnt"'; do
	asked "$text"
	same "in-$text" "$([ $rc != 0 ] && [ $rc -lt 100 ] && grep -c 'is no table' err)" 1
done
echo "select * from runnel('count of io from \"null-item.rnt\"')" >ask.sql
within 1500 60 sqlite3 :memory: ".load $B/runnel_sqlite" '.read ask.sql' >out 2>&1
holds sqlite 'ledger.item holds NULL' out
done_testing
