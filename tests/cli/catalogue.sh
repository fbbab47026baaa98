#!/bin/bash
# catalogue.sh - the file of saved views: its versions, what uses what, export and import, and
# several processes at once (CATALOGUE_SECONDS=60 for longer). Nothing here attaches anything.
. tests/cli/lib.bash
SECONDS_OF_RACE=${CATALOGUE_SECONDS:-15}
db() { sqlite3 "$tmp/catalog.db" "$@"; }

# ---- versions
sqlite3 "$tmp/v1.db" <tests/cli/data/catalogue_v1.sql; cp "$tmp/v1.db" "$tmp/v1.copy"
run --catalog "$tmp/v1.db" describe busy
same v1-describe "$rc $(grep -c '^uses *slow' "$tmp/out")" "0 1"
run --catalog "$tmp/v1.db" 'explain events of busy; explain events of mine'
same v1-used "$rc" 0
run --catalog "$tmp/v1.db" export
cp "$tmp/out" "$tmp/v1.rnl"
same v1-exported "$rc $(grep -c '^use io;' "$tmp/out")" "0 1"
cmp -s "$tmp/v1.db" "$tmp/v1.copy"; same v1-read-only-reads $? 0
run -q --catalog "$tmp/v1.db" 'view fresh := count of read'
same v1-migrated "$rc $(sqlite3 "$tmp/v1.db" 'pragma user_version; pragma integrity_check; pragma foreign_key_check;
	select * from view_use; select count(*) from view; select count(*) from tag' | tr '\n' ' ')" "0 3 ok busy|slow 4 1 "
run --catalog "$tmp/v1.db" export slow busy mine
cmp -s "$tmp/out" "$tmp/v1.rnl"; same migrated-alike $? 0
# A migration that cannot be done leaves the file as it was.
cp "$tmp/v1.copy" "$tmp/odd.db"
sqlite3 "$tmp/odd.db" 'create table view_use(somebody, elses)'
cp "$tmp/odd.db" "$tmp/odd.copy"
run --catalog "$tmp/odd.db" 'view fresh := count of read'
case_is migration-fails 4 "" "error: the catalogue of views $tmp/odd.db cannot be brought from version 1 to 3: table view_use already exists
  the file was left as it is; RUNNEL_CATALOG names another"
cmp -s "$tmp/odd.db" "$tmp/odd.copy"; same migration-undone $? 0
cp "$tmp/v1.copy" "$tmp/new.db"
sqlite3 "$tmp/new.db" 'pragma user_version = 99'
cp "$tmp/new.db" "$tmp/new.copy"
run --catalog "$tmp/new.db" 'view fresh := count of read'
case_is newer 4 "" "error: the catalogue of views $tmp/new.db was made by a newer version
  the file was left as it is; name another in RUNNEL_CATALOG"
cmp -s "$tmp/new.db" "$tmp/new.copy"; same newer-left-alone $? 0

# ---- a catalogue of 0.1.0: its views answer as before
v2=$tmp/v2.db
sqlite3 "$v2" <tests/cli/data/catalogue_v2.sql; cp "$v2" "$tmp/v2.copy"
chmod 600 "$v2"
carried="note: the catalogue of views $v2 was of an older version, and is carried over; $v2.1 is the old file
  \`evens\` divides whole numbers by div(), as \`/\` has a fraction now
  \`failing\` divides whole numbers by div(), as \`/\` has a fraction now
  \`halves\` divides whole numbers by div(), as \`/\` has a fraction now
  \`largest\` reads \`processes\`, which was \`proc\`
  \`over_halves\` divides whole numbers by div(), as \`/\` has a fraction now
  \`processes\` stays as it was: a table has this name now: save the view under another one
  \`roots\` reads \`processes\`, which was \`proc\`, and divides whole numbers by div(), as \`/\` has a fraction now
  \`skew\` reads \`clocks\`, which was \`clock\`
  \`unknown\` stays as it was: if \`latency / \$unit\` divides whole numbers, write div(): it depends on the values given
  \`uses_processes\` stays as it was: it uses the view \`processes\`, and a table has this name now"
run --catalog "$v2" 'explain events of largest'
same v2-carried-over "$rc $(cat "$tmp/err")" "0 $carried"
same v2-kept "$(stat -c %a "$v2.1") $(sqlite3 "$v2.1" .dump | cksum)" \
	"600 $(sqlite3 "$tmp/v2.copy" .dump | cksum)"
run --catalog "$v2" export
same v2-told-once "$rc $(cat "$tmp/err")" '0 '
grep '^view' "$tmp/out" >"$tmp/views"
same v2-views "$(cat "$tmp/views")" "$(cat tests/cli/data/catalogue_v2.rnl)"
same v2-whole "$(sqlite3 "$v2" 'pragma user_version; pragma integrity_check;
	pragma foreign_key_check' | paste -sd' ')" '3 ok'
# The first use saves a view: the others are carried over before.
cp "$tmp/v2.copy" "$tmp/v2s.db"
run --catalog "$tmp/v2s.db" 'view fresh := ret / 2 as h of read'
same v2-saved "$rc $(sqlite3 "$tmp/v2s.db" "select text from view where name in ('fresh', 'skew')" |
	paste -sd';')" '0 view fresh := ret / 2 as h of read;view skew := node, offset of clocks'
# The old file of an earlier time stays.
cp "$tmp/v2.copy" "$tmp/v2t.db"; echo mine >"$tmp/v2t.db.1"
run --catalog "$tmp/v2t.db" list --saved
same v2-next-name "$rc $(cat "$tmp/v2t.db.1") $(sqlite3 "$tmp/v2t.db.2" 'pragma user_version') $(
	grep -c "v2t.db.2 is the old file" "$tmp/err")" '0 mine 2 1'
# Where nothing can be written, views are read as if they had been carried over.
mkdir "$tmp/shared"; cp "$tmp/v2.copy" "$tmp/shared/v2.db"; chmod 777 "$tmp/shared"
run --catalog "$tmp/shared/v2.db" 'explain events of skew'
same v2-not-written "$rc $(grep -c 'is read as if it had been carried over' "$tmp/err") $(
	grep -c 'reads the table clocks' "$tmp/out") $(ls "$tmp/shared")" '0 1 1 v2.db'
cmp -s "$tmp/shared/v2.db" "$tmp/v2.copy"; same v2-left-alone $? 0

# Whatever is asked of it, a catalogue that cannot be read is the system's trouble, and the file is
# named.
sqlite3 "$tmp/foreign.db" 'create table somebody(elses)'
echo 'view z := count of read;' >"$tmp/z.rnl"
for k in new foreign; do
	for ask in 'list a' 'describe a' export 'export a' 'watch a' 'export a --prometheus :0' \
		"import $tmp/z.rnl"; do
		# shellcheck disable=SC2086 # words
		run --catalog "$tmp/$k.db" $ask
		same "$k-catalogue: ${ask/$tmp\//}" \
			"$rc $(grep -c "^error: .*$tmp/$k.db" "$tmp/err")" "4 1"
	done
	for ask in 'events of a' 'view z := count of read' 'drop view a' 'tags list' \
		'tags add fix283'; do
		run --catalog "$tmp/$k.db" "$ask"
		same "$k-catalogue: $ask" "$rc $(grep -c "^error: .*$tmp/$k.db" "$tmp/err")" "4 1"
	done
done

# ---- what uses what
run -q 'view slow(th = 1ms) := count as n of read where latency > $th by file;
	view busy(th = 2ms) := file, n of slow($th); view busier := sum(n) of busy(3ms)'
same save-chain "$rc" 0
run 'drop view slow'
case_is drop-used 1 "" 'query:1:11: error: `slow` is used by `busy` [E-VIEW-USED]
  drop view slow
            ^~~~
  drop what uses it first, or all together: drop view slow, busier, busy'
run 'drop view slow, busy'
case_is drop-used-by-more 1 "" 'query:1:17: error: `busy` is used by `busier` [E-VIEW-USED]
  drop view slow, busy
                  ^~~~
  drop what uses it first, or all together: drop view busy, busier'
run 'view slow(th = 1ms) := count as m of read where latency > $th by file'
case_is replace-used 1 "" \
	'query:1:1: error: `busy` uses `slow`, which this changes, and would be wrong [E-VIEW-USED]
  view slow(th = 1ms) := count as m of read where latency > $th by file
  ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
  define `busy` again in the same text, or drop it
view busy:1:30: error: `n` is not a column of the view `slow` [E-NAME-FIELD]
  view busy(th = 2ms) := file, n of slow($th)
                               ^
  its columns: file, m'
run 'view slow := count as n of read by file'
same replace-params "$rc $(grep -c 'too many values for the view `slow`' "$tmp/err")" "1 1"
same nothing-changed "$(db 'select generation, count(*) from catalog, view')" "1|3"
run 'view slow := count as m of read by file; view busy(th) := file, m as n of slow'
same replace-together "$rc $(tail -n1 "$tmp/err")" "0 view busy saved"
run 'view slow := sum(n) of busier'
same cycle "$rc $(grep -c 'the view `slow` uses itself' "$tmp/err")" "1 1"
holds cycle-way 'slow -> busier -> busy -> slow' "$tmp/err"
run 'view slow(th) := count as m of busier where 1 > $th'
same cycle-with-parameter "$rc $(grep -c E-NAME-VIEW "$tmp/err")" "1 1"
run describe busy
same describe-uses "$rc $(grep -cE '^(uses +slow|used by +busier)' "$tmp/out")" "0 2"
run -q 'drop view busier; drop view slow; drop view busy'
same drop-in-any-order "$rc $(db 'select count(*) from view')" "0 0"
run -q 'use io; view mine := top 3 of top_files;'
run --stop-after=plan 'events of mine'
case_is module-without-use 0 "" ""
run -q 'view top_files := count of read; drop view top_files'
run -q 'view top_files := count of read'
run --dump=types --stop-after=types 'events of mine'
same module-not-hidden "$rc $(grep -c moved "$tmp/out")" "0 4"
run 'use io; view top_files := count as n of read; view both := n of top_files where n in (slow of slow_reads)'
same module-and-own "$rc $(grep -c 'a name that the module has too' "$tmp/err")" "1 1"
run -q 'drop view mine, top_files'

# ---- export and import
cat >"$tmp/views.rnl" <<'END'
#!/usr/bin/env -S runnel import
use io;
--| Files that are read slowly.
--| th: from here on
view b_slow(th = 1ms) := count as n of read where latency > $th by file;
view a_user(least = 3) := file, n of b_slow where n > $least; -- before b_slow, by its name
view c_files := top 3 of top_files;
view d_tag(t) := count of tag $t by proc; view e_text := count of read where file ~ "/a \"b\"/*" by file, bucket(latency, 10ms)
END
run import "$tmp/views.rnl"
case_is import 0 "" "view b_slow new
view a_user new
view c_files new
view d_tag new
view e_text new
5 views: 5 new, 0 replaced, 0 unchanged"
run export; cp "$tmp/out" "$tmp/all.rnl"
same order "$(grep -o '^view [a-z_]*' "$tmp/out" | cut -c6- | tr '\n' ' ')" \
	"b_slow a_user c_files d_tag e_text "
run --catalog "$tmp/second.db" import "$tmp/all.rnl"
run --catalog "$tmp/second.db" export
cmp -s "$tmp/out" "$tmp/all.rnl"; same round-trip $? 0
"$RN" export | "$RN" --catalog "$tmp/third.db" import -q -
"$RN" --catalog "$tmp/third.db" export | cmp -s - "$tmp/all.rnl"
same piped $? 0
run import "$tmp/all.rnl"
same unchanged "$rc $(tail -n1 "$tmp/err") $(db 'select generation from catalog')" \
	"0 5 views: 0 new, 0 replaced, 5 unchanged $(db 'select generation from catalog')"
run --explain import "$tmp/all.rnl"
same explained "$rc $(sed -n '1p;$p' "$tmp/err")" "0 view b_slow would be unchanged
5 views: would be 0 new, 0 replaced, 5 unchanged"
run --catalog "$tmp/not.db" --explain import "$tmp/z.rnl"
same explained-new "$rc $(cat "$tmp/err") $(ls "$tmp" | grep -c not.db)" "0 view z would be new
1 view: would be 1 new, 0 replaced, 0 unchanged 0"
# What is written can be read back, whatever became of what the views are about: an empty set of
# tags, a recording that is gone.
(
	cd "$tmp" && "$B/tests/gen_trace" gone.rnt 500 1 &&
		"$RN" -q --catalog lacks.db 'tags add abcdef; view of_tags := count of tag * by file; view other := count of open' &&
		"$RN" -q --catalog lacks.db 'view recorded := count, sum(bytes) of io by proc from "gone.rnt"; view most := max(count) of recorded by proc; view named := proc of recorded' &&
		rm gone.rnt && "$RN" --catalog lacks.db export >lacks.rnl
)
cd "$tmp" || exit 1
run --catalog back.db import lacks.rnl
same lacking-import \
	"$rc $(grep -oE '\[[EW]-[A-Z-]*' "$tmp/err" | paste -sd' ') $(tail -n1 "$tmp/err")" \
	"0 [W-TRACE [W-TAG-SET 5 views: 5 new, 0 replaced, 0 unchanged"
"$RN" --catalog back.db export | cmp -s - lacks.rnl; same lacking-round-trip $? 0
run -q --catalog lacks.db 'tags drop abcdef'; run --catalog lacks.db import lacks.rnl
same lacking-tags-dropped "$rc $(tail -n1 "$tmp/err")" "0 5 views: 0 new, 0 replaced, 5 unchanged"
run -q --catalog back.db 'view recorded := count, sum(bytes) as moved of io by proc from "gone.rnt"'
same lacking-replaced "$rc $(cat "$tmp/err")" "0 "
run --catalog back.db 'view foreign := count of tracepoint "no:such" by its_own from "gone.rnt"'
same lacking-fields "$rc $(tail -n1 "$tmp/err")" "0 view foreign saved"
run --catalog back.db 'view paired := count, max(latency) of between openat and close on pid, its_own from "gone.rnt"; view ends := count of between tracepoint "no:such" and tracepoint "no:such" on tid from "gone.rnt"'
same lacking-pairs "$rc $(tail -n1 "$tmp/err")" "0 view ends saved"
# they are errors when they run, and so is what is wrong with the text whatever the recording holds
run --catalog back.db 'events of of_tags'
same lacking-tags-run "$rc $(grep -c E-TAG-SET "$tmp/err")" "1 1"
run --catalog back.db 'events of most'
same lacking-recording-run "$rc $(grep -c E-TRACE "$tmp/err")" "1 1"
run --catalog back.db 'view v := count of read from "gone.rnt"; events of v'
same lacking-recording-at-once "$rc $(grep -c E-TRACE "$tmp/err")" "1 1"
for wrong in 'count of raed from "gone.rnt":SOURCE' 'sum(proc) of read from "gone.rnt":E-TYPE' \
	'count of read where latency > 3 from "gone.rnt":E-UNIT' 'count of recorded(3):PARAM' \
	'count of recorded where proc in (raed of open):FIELD' \
	'count of read where pid in (pid of open from "gone.rnt") by nosuch:FIELD'; do
	run --catalog back.db "view wrong := ${wrong%:*}"
	same "lacking, and wrong: $wrong" "$rc $(grep -c -- "error: .*${wrong##*:}" "$tmp/err")" \
		"1 1"
done
echo none >gone.rnt
run --catalog back.db 'view v := count of read from "gone.rnt"'
same no-recording-but-there "$rc $(grep -c E-TRACE "$tmp/err")" "1 1"
cd - >/dev/null || exit 1
run export a_user
same export-one "$rc $(grep -o '^view [a-z_]*' "$tmp/out" | tr '\n' ' ')" \
	"0 view b_slow view a_user "
run export a_usr
case_is export-unknown 1 "" $'error: there is no saved view `a_usr`\n  did you mean `a_user`?'
run export top_files
same export-of-module "$rc $(tail -n1 "$tmp/err")" \
	"1   it is a view of the standard library, in the module io, which every runnel has"
printf 'view f := count of read;\nview g := count of write; count of read; drop view f\n' \
	>"$tmp/bad.rnl"
run import "$tmp/bad.rnl"
case_is import-query 1 "" \
	"$tmp/bad.rnl:2:27: error: import takes views and \`use\`; this is a query [E-IMPORT]
  view g := count of write; count of read; drop view f
                            ^~~~~~~~~~~~~
  without \`import\`, runnel runs all statements of a file
$tmp/bad.rnl:2:42: error: import takes views and \`use\`; this is \`drop\` [E-IMPORT]
  view g := count of write; count of read; drop view f
                                           ^~~~~~~~~~~
  without \`import\`, runnel runs all statements of a file"
printf 'view f := count of read;\n' >"$tmp/one.rnl"
printf 'view g := nosuch of f;\n' >"$tmp/two.rnl"
run import "$tmp/one.rnl" "$tmp/two.rnl"
same all-or-none \
	"$rc $(head -n1 "$tmp/err") $(db "select count(*) from view where name in ('f', 'g')")" \
	"1 $tmp/two.rnl:1:11: error: \`nosuch\` is not a column of the view \`f\` [E-NAME-FIELD] 0"
printf 'view g := count of f;\n' >"$tmp/two.rnl"
run -q import "$tmp/one.rnl" "$tmp/two.rnl"
same two-files "$rc" 0
printf -- '--| Fine.\nview i_good := count of read by proc;\n\tview i_bad := count of raed\n  by nosuch;\n' \
	>"$tmp/place.rnl"
run import "$tmp/place.rnl"
same import-place "$rc $(grep -o "^$tmp/place.rnl:[0-9]*:[0-9]*: error: .raed." "$tmp/err")" \
	"1 $tmp/place.rnl:3:25: error: \`raed\`"
run import "$tmp/nosuch.rnl"; same no-file "$rc" 2
run import
same no-operand "$rc $(cat "$tmp/err")" \
	'2 runnel: import needs a FILE, or `-` for stdin: runnel import views.rnl'
run --catalog "$tmp/none.db" export
case_is export-none 0 "" "the catalogue $tmp/none.db has no views"

# ---- who may not write, and who waits
hold() { # FILE: another process has it for itself until $release is closed
	coproc sqlite3 "$1"
	held=$COPROC_PID release=${COPROC[1]}
	echo "begin exclusive; select 'held';" >&"$release"
	read -r -t 60 _ <&"${COPROC[0]}"
}
cp "$tmp/catalog.db" "$tmp/before.db"
hold "$tmp/catalog.db"
run 'view late := count of read'
case_is busy 4 "" \
	"error: the catalogue of views $tmp/catalog.db cannot be read: another process is writing it
  nothing was changed; try again. If that lasts, \`fuser\` with the file's name shows who holds it"
run --stop-after=plan 'events of f'
same busy-read "$rc $(head -n1 "$tmp/err")" \
	"4 error: the catalogue of views $tmp/catalog.db cannot be read: another process is writing it"
echo '.quit' >&"$release"; wait "$held"
cmp -s "$tmp/catalog.db" "$tmp/before.db"; same busy-lost-nothing $? 0
run 'view late := count of read'; same after-busy "$rc" 0
if [ "$(id -u)" = 0 ]; then as=(setpriv --reuid=65534 --regid=65534 --clear-groups); else as=(); fi
mkdir "$tmp/ro"; cp "$tmp/catalog.db" "$tmp/ro/c.db"; chmod 755 "$tmp"; chmod 555 "$tmp/ro"
chmod 444 "$tmp/ro/c.db"
cp "$RN" "$tmp/runnel"
"${as[@]}" "$tmp/runnel" --catalog "$tmp/ro/c.db" export >"$tmp/out" 2>"$tmp/err"; rc=$?
same read-only-read "$rc $(grep -c '^view' "$tmp/out")" "0 8"
"${as[@]}" "$tmp/runnel" --catalog "$tmp/ro/c.db" 'view x := count of read' >"$tmp/out" 2>"$tmp/err"
rc=$?
same read-only-write "$rc $(tail -n1 "$tmp/err")" \
	"4   to save, both the file and its directory must be writable; --catalog or RUNNEL_CATALOG names another"
"${as[@]}" "$tmp/runnel" --catalog "$tmp/ro/new.db" 'view x := count of read' >"$tmp/out" \
	2>"$tmp/err"
rc=$?
same read-only-directory "$rc $(tail -n1 "$tmp/err")" \
	"4   to save, its directory must be there and writable; --catalog or RUNNEL_CATALOG names another"
# A writer died while it wrote: the next reader undoes what it began.
sqlite3 "$tmp/catalog.db" "pragma cache_size = 1; begin; create table junk(x); with recursive n(i) as (select 1 union all select i + 1 from n
	where i < 3000) insert into junk select zeroblob(500) from n;" ".shell cp '$tmp/catalog.db' '$tmp/died.db'" \
	".shell cp '$tmp/catalog.db-journal' '$tmp/died.db-journal'" rollback
run --catalog "$tmp/died.db" export
same died "$rc $(grep -c '^view' "$tmp/out") $(sqlite3 "$tmp/died.db" 'pragma integrity_check; select count(*) from sqlite_schema where name = "junk"' | tr '\n' ' ')" \
	"0 8 ok 0 "

# ---- two processes at once, that save, drop, import and run for a while
rm -f "$tmp/catalog.db"
run -q 'view shared := count of read; view ring_1 := count of read; view ring_2 := count of write'
worker() { # NUMBER OTHER: leaves the model of what it did in $tmp/model.N
	local i=$1 other=$2 n=0 done=0 shared=0 busy=0 wrong=0 ring=count \
		end=$((SECONDS + SECONDS_OF_RACE)) k rc
	local -A own=()
	try() { # a change: counted if it was made
		"$RN" -q "$@" >"$tmp/out.$i" 2>"$tmp/err.$i" </dev/null; rc=$?
		if [ $rc = 4 ] && grep -q 'another process is writing it' "$tmp/err.$i"; then
			busy=$((busy + 1))
			return 1
		fi
		[ $rc = 0 ] && return 0
		wrong=$((wrong + 1))
		{ echo "worker $i, exit $rc: $*"; cat "$tmp/err.$i"; } >>"$tmp/wrong"
		return 1
	}
	few() { [ $done -le 5 ] || [ $shared = 0 ]; } # on a slow machine it takes longer
	while [ $SECONDS -lt $end ] || { few && [ $SECONDS -lt $((end + 300)) ]; }; do
		n=$((n + 1)); k=own_${i}_$((n % 5))
		case $((n % 7)) in
		0) try "view shared := count of read where bytes > $i$n" &&
			{ done=$((done + 1)); shared=$((shared + 1)); };;
		1) if [ -n "${own[$k]:-}" ]; then try "drop view $k" &&
			{ done=$((done + 1)); unset "own[$k]"; }; fi;;
		2) try 'explain events of shared' ;;
		3) echo "view $k := count of read where bytes > $n; view own_${i}_x := sum(count) of $k" \
			>"$tmp/in.$i.rnl"
		try import "$tmp/in.$i.rnl" &&
			{ done=$((done + 1)); own[$k]=$n; own[own_${i}_x]=$k
			try "view own_${i}_x := count of write where bytes > $n" &&
				{ done=$((done + 1)); own[own_${i}_x]=$n; }; };;
		4) if [ $ring = count ]; then # one of two that would make a circle is refused
			"$RN" -q "view ring_$i := events of ring_$other" >"$tmp/out.$i" \
				2>"$tmp/err.$i" </dev/null
			rc=$?
			[ $rc = 0 ] && { ring=events; done=$((done + 1)); }
			[ $rc = 0 ] || grep -qE 'uses itself|another process is writing it' \
				"$tmp/err.$i" ||
				{ wrong=$((wrong + 1)); cat "$tmp/err.$i" >>"$tmp/wrong"; }
		else try "view ring_$i := count of read where bytes > $n" &&
			{ ring=count; done=$((done + 1)); }; fi;;
		*) try "view $k := count of read where bytes > $n" &&
			{ done=$((done + 1)); own[$k]=$n; };;
		esac
	done
	{
		echo "$n $done $shared $busy $wrong"
		for k in "${!own[@]}"; do echo "$k ${own[$k]}"; done | sort
	} >"$tmp/model.$i"
}
worker 1 2 & a=$!; worker 2 1 & b=$!
wait $a $b
read -r n1 done1 shared1 busy1 wrong1 <"$tmp/model.1"
read -r n2 done2 shared2 busy2 wrong2 <"$tmp/model.2"
echo "# two processes, $SECONDS_OF_RACE s: $((n1 + n2)) turns, $((done1 + done2)) changes, $((busy1 + busy2)) times told to try again"
[ -e "$tmp/wrong" ] && head -n 20 "$tmp/wrong"
same race-errors "$((wrong1 + wrong2))" 0
same race-changes "$((done1 > 5 && done2 > 5 && shared1 > 0 && shared2 > 0))" 1
same race-integrity "$(db 'pragma integrity_check; pragma foreign_key_check')" ok
same race-no-lost-change "$(db 'select generation from catalog')" $((1 + done1 + done2))
same race-no-lost-update "$(db "select saves from view where name = 'shared'")" \
	$((1 + shared1 + shared2))
same race-own-views "$(db -separator ' ' "select name, replace(substr(text, instr(text, 'bytes > ') + 8), '\"', '') from view where name like 'own%' order by name")" \
	"$(tail -qn +2 "$tmp/model.1" "$tmp/model.2")"
run export; same race-order "$rc" 0
# ---- many views in one text ----
for ((k = 0; k < 2500; k++)); do echo "view many$k := count of read by proc;"; done >"$tmp/many.rnl"
"$RN" -q --catalog "$tmp/many.db" "$tmp/many.rnl" >"$tmp/out" 2>"$tmp/err" </dev/null
same many "$? $(cat "$tmp/err")" "0 "
same many-saved "$(sqlite3 "$tmp/many.db" 'select count(*) from view')" 2500
"$RN" --catalog "$tmp/many.db" export >"$tmp/all.rnl" 2>"$tmp/err" </dev/null
"$RN" -q --catalog "$tmp/more.db" import "$tmp/all.rnl" >"$tmp/out" 2>"$tmp/err" </dev/null
same many-import "$? $(cat "$tmp/err")" "0 "
same many-imported "$(sqlite3 "$tmp/more.db" 'select count(*) from view')" 2500
done_testing
