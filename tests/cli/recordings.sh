#!/bin/bash
# recordings.sh - `into` where a recording is already: an error, `replace`, `append`. What a
# recording holds is asked of sqlite3; what it answers, of queries over the recordings that it was
# made of.
. tests/cli/lib.bash
demo=$PWD/tests/demo/io.rnt; cd "$tmp" || exit 1
from="from \"$demo\""
sql() { sqlite3 "$1" "$2"; }
all=$(sql "$demo" 'select count(*) from events')
reads=$(sql "$demo" "select count(*) from events where name = 'read'")
sum_of() { sha256sum <"$1"; }
run "events of io $from into \"x.rnt\""
same new "$rc $(sql x.rnt 'select count(*) from events') $(ls x.rnt*)" "0 $all x.rnt"
# a second time: nothing is touched, and both ways out are named
was=$(sum_of x.rnt)
run "events of io where name = read $from into \"x.rnt\""
case_is is-there 4 '' "query:1:$((38 + ${#from})): error: x.rnt is there already [E-SYSTEM]
  events of io where name = read $from into \"x.rnt\"
  $(printf '%*s' $((37 + ${#from})) '')^~~~~~~
  into \"x.rnt\" replace: a new recording in its place; into \"x.rnt\" append: more rows in it"
same is-there-untouched "$(sum_of x.rnt)" "$was"
run "events of io $from into \"y.rnt\"; events of io $from into \"y.rnt\""
same twice-in-a-text "$rc $(grep -c 'recorded by a statement before' err) $(ls y.rnt 2>/dev/null)" \
	'4 1 '
run 'events of io from "x.rnt" into "x.rnt" append'
same into-what-is-read "$rc $(grep -c 'is the recording that this query reads' err)" '4 1'

# replace: the rows of the new one, and of no other
run "events of io where name = read $from into \"x.rnt\" replace"
same replaced "$rc $(sql x.rnt "select count(*), sum(name = 'read') from events") $(ls x.rnt*)" \
	"0 $reads|$reads x.rnt"
run "events of io $from into \"new.rnt\" replace"
same replace-of-nothing "$rc $(sql new.rnt 'select count(*) from events')" "0 $all"
# a query that fails leaves what was there; so does one that is killed, whose unfinished file the
# next one takes
was=$(sum_of x.rnt)
printf 'one exec: false\n' >hosts
run -H hosts 'pid, proc, name of io into "x.rnt" replace for 1s'
same failed-leaves-it "$([ $rc != 0 ] && echo failed) $(sum_of x.rnt) $(ls x.rnt*)" \
	"failed $was x.rnt"
begin "events of io $from into \"x.rnt\" replace"; kill -KILL "$pid"; wait "$pid" 2>/dev/null
head -c 20000 new.rnt >x.rnt.part # as a killed one may leave it
[ "$(sum_of x.rnt)" = "$was" ] || [ "$(sql x.rnt 'select count(*) from events')" = "$all" ] &&
	ok killed-leaves-one || not_ok killed-leaves-one
run "events of io $from into \"x.rnt\" replace"
same after-a-kill "$rc $(sql x.rnt 'select count(*) from events') $(ls x.rnt*)" "0 $all x.rnt"

# append: the rows of both, the ledger of both, windows and times over both
run "events of io where name = read $from into \"a.rnt\" append"
same append-of-nothing "$rc $(sql a.rnt 'select count(*) from events')" "0 $reads"
run "events of io $from into \"a.rnt\" append"
same appended "$rc $(sql a.rnt 'select count(*) from events') $(ls a.rnt*)" \
	"0 $((all + reads)) a.rnt"
same runs "$(sql a.rnt "select value from meta where key in ('runs', 'rows', 'complete') order by key")" \
	"$(printf '1\n%s\n2' $((all + reads)))"
run -q -o json 'count of io by name from "a.rnt" order by name'; one=$(cat out)
run -q -o json "count of io by name $from order by name"
same rows-of-both "$one" "$(jq -c 'if .name == "read" then .count *= 2 else . end' out | sed 's/":/": /; s/,"/, "/; s/"count":/"count": /')"
run -q -o json 'count as n of io every 100ms from "a.rnt"'; one=$(jq -sc 'map([.window, .n])' out)
run -q -o json "count as n, sum(len(name)) as l of io every 100ms $from"
two=$(jq -sc 'map([.window, .n])' out)
run -q -o json "count as n of io where name = read every 100ms $from"
three=$(jq -sc 'map([.window, .n])' out)
same windows-of-both "$one" "$(jq -nc --argjson a "$two" --argjson b "$three" '$a + $b | group_by(.[0]) | map([.[0][0], (map(.[1]) | add)])')"
run -o json 'count of io from "a.rnt"'
n=$(sql a.rnt "select sum(count) from ledger where item = 'matched'")
same ledger "$n $(grep -o '"seen": [0-9]*' err | head -1)" \
	"$((all + reads)) \"seen\": $((all + reads))"
same nodes \
	"$(sql a.rnt 'select count(*) from nodes') $(sql a.rnt 'select count(*) from coverage')" \
	"$(sql "$demo" 'select count(*) from nodes') $((2 * $(sql new.rnt 'select count(*) from coverage')))"
run describe a.rnt; same describe "$rc $(grep -c "in 2 runs" out)" '0 1'
run "events of io $from into \"a.rnt\" append"
same third "$rc $(sql a.rnt "select value from meta where key = 'runs'")" '0 3'
same queries-once-in-a-row \
	"$(sql a.rnt "select value from meta where key = 'query'" | grep -o 'events of' | wc -l)" \
	2
# to one of version 0.1.0, which had no coverage
cp "$demo" old.rnt; sqlite3 old.rnt 'drop table if exists coverage; vacuum'
run "events of io $from into \"old.rnt\" append"
same to-an-older-one "$rc $(sql old.rnt 'select count(*) from events') $(sql old.rnt 'select count(*) from coverage')" \
	"0 $((2 * all)) $((2 * $(sql "$demo" 'select count(*) from nodes where begin > 0')))"
# no rows are added to one of no rows, with the fields that the query names
run "pid, proc of io where pid = -5 $from into \"e.rnt\""
run "pid, proc of io where pid = -5 $from into \"e.rnt\" append"
same of-no-rows "$rc $(sql e.rnt "select group_concat(name) from (select name from fields order by position)") $(sql e.rnt "select value from meta where key = 'runs'")" \
	'0 time,node,name,pid,proc 2'

# what differs is named, before anything runs
refused() { # NAME QUERY TEXT
	local was; was=$(sum_of "$4")
	run "$2"; same "$1" "$rc $(grep -c -F -- "$3" err) $(sum_of "$4") $(ls "$4"*)" "4 1 $was $4"
}
run "pid, proc of io $from into \"p.rnt\""
refused class "pid, proc of read $from into \"p.rnt\" append" \
	'p.rnt holds io, and this query records read' p.rnt
refused no-such-field "pid, proc, fd of io $from into \"p.rnt\" append" \
	'p.rnt has no field `fd`, which this query records' p.rnt
refused field-left-out "pid of io $from into \"p.rnt\" append" \
	'p.rnt has the field `proc`, which this query does not record' p.rnt
refused type "bytes as pid, proc of io $from into \"p.rnt\" append" \
	'`pid` is of type integer in p.rnt, and of type size in this query' p.rnt
run "proc, pid of io $from into \"p.rnt\" append"
same another-order "$rc $(sql p.rnt "select count(*) from events where typeof(pid) = 'integer' and typeof(proc) = 'text'")" \
	"0 $((2 * all))"
sqlite3 p.rnt "insert into meta values ('tag.0001', 'fix283')"
refused tags "pid, proc of io $from into \"p.rnt\" append" \
	'p.rnt was searched for the tag fix283, and this query does not search it' p.rnt
echo text >t.txt
for how in '' replace append; do
	refused "no-recording-$how" "events of io $from into \"t.txt\" $how" \
		't.txt: is there already, and is no trace' t.txt
done
head -c 5000 x.rnt >c.rnt
refused cut-append "events of io $from into \"c.rnt\" append" 'c.rnt: is cut short' c.rnt
refused cut "events of io $from into \"c.rnt\"" 'c.rnt is there already' c.rnt
run "events of io $from into \"c.rnt\" replace"
same cut-replaced "$rc $(sql c.rnt 'select count(*) from events')" "0 $all"
: >empty.rnt
run "events of io $from into \"empty.rnt\""
same empty-is-nothing "$rc $(sql empty.rnt 'select count(*) from events')" "0 $all"
run "let l := events of io $from into \"l.rnt\" append; count of l"
same let "$rc $(grep -c E-CLAUSE err)" '1 1'

# the unfinished name: what is no unfinished recording of ours is never written to, also through a
# link; nothing runs
echo precious >v.txt
not_ours() { # NAME TEXT: what s.rnt.part is now is left as it is
	local was; was=$(stat -c '%F %i %s' s.rnt.part)
	run "events of io $from into \"s.rnt\""
	same "part-$1" "$rc $(grep -c -F -- "s.rnt.part $2, and the unfinished recording would have that name" err) $(grep -c 'record into another file' err) $(ls s.rnt 2>/dev/null)" \
		'4 1 1 '
	same "part-$1-left" "$(stat -c '%F %i %s' s.rnt.part) $(cat v.txt)" "$was precious"
	rm -rf s.rnt.part
}
ln -s v.txt s.rnt.part; not_ours link 'is a symbolic link'
: >zero; ln -s zero s.rnt.part; not_ours link-to-nothing 'is a symbolic link'
ln v.txt s.rnt.part; not_ours hard-link 'is no recording'
mkfifo s.rnt.part; not_ours fifo 'is no file'
mkdir s.rnt.part; not_ours directory 'is no file'
sqlite3 s.rnt.part 'create table precious (x)'; not_ours database 'is no recording'
cp new.rnt s.rnt.part; not_ours complete 'is a complete recording'
: >s.rnt.part; chmod 666 s.rnt.part
run "events of io $from into \"s.rnt\""
same part-empty "$rc $(sql s.rnt 'select count(*) from events') $(stat -c %a s.rnt) $(ls s.rnt*)" \
	"0 $all 644 s.rnt"

# the mode and the owner stay those of the old one; a new one has the mode of any new file
for how in append replace; do
	chmod 600 s.rnt
	run "events of io $from into \"s.rnt\" $how"
	echo "$rc $(stat -c %a s.rnt)"
	chmod 460 s.rnt
	run "events of io $from into \"s.rnt\" $how"
	echo "$rc $(stat -c %a s.rnt)"
done >got
same mode "$(cat got)" "$(printf '0 600\n0 460\n0 600\n0 460')"
: >m.rnt
chmod 640 m.rnt
run "events of io $from into \"m.rnt\""
same mode-of-an-empty-one "$rc $(stat -c %a m.rnt)" '0 640'
(umask 077; "$RN" "events of io $from into \"u.rnt\"" 2>err)
same mode-of-a-new-one "$(stat -c %a u.rnt)" 600
if [ "$(id -u)" = 0 ]; then
	for how in append replace; do
		chown 12345:54321 s.rnt
		run "events of io $from into \"s.rnt\" $how"
		echo "$rc $(stat -c '%u %g %a' s.rnt)"
	done >got
	same owner "$(cat got)" "$(printf '0 12345 54321 460\n0 12345 54321 460')"
fi

# through a symbolic link the file is replaced that it leads to; a file of several names is refused,
# and a link that leads nowhere
mkdir -p far; run "events of io $from into \"far/t.rnt\""; ln -s far/t.rnt via.rnt
run "events of io $from into \"via.rnt\" append"
same link-append "$rc $(readlink via.rnt) $(sql far/t.rnt 'select count(*) from events') $(ls far) $(ls via.rnt*)" \
	"0 far/t.rnt $((2 * all)) t.rnt via.rnt"
run "events of io where name = read $from into \"via.rnt\" replace"
same link-replace "$rc $(readlink via.rnt) $(sql far/t.rnt 'select count(*) from events') $(ls far) $(ls via.rnt*)" \
	"0 far/t.rnt $reads t.rnt via.rnt"
ln far/t.rnt far/other.rnt
for how in append replace; do
	refused "hard-link-$how" "events of io $from into \"far/t.rnt\" $how" \
		'far/t.rnt: has other names (hard links)' far/t.rnt
done
ln -s nowhere.rnt dangling.rnt
for how in '' append replace; do
	run "count of io $from; events of io $from into \"dangling.rnt\" $how"
	echo "$rc $(wc -c <out) $(grep -c 'dangling.rnt: is a symbolic link that leads to no file' err) $(ls nowhere.rnt* 2>/dev/null)"
done >got
same dangling "$(cat got)" "$(printf '4 0 1 \n4 0 1 \n4 0 1 ')"

# two statements of one text: what cannot be added is known before the first runs
differ() { # NAME FIRST SECOND TEXT
	run "$2 $from into \"z.rnt\"; $3 $from into \"z.rnt\" append"
	same "$1" "$rc $(grep -c -F -- "after the statement before it, $4" err) $(ls z.rnt* 2>/dev/null)" \
		'4 1 '
}
differ two-classes 'events of write' 'events of read' \
	'z.rnt holds write, and this query records read'
differ two-fields 'pid of io' 'pid, proc of io' \
	'z.rnt has no field `proc`, which this query records'
differ two-types 'pid of io' 'bytes as pid of io' \
	'`pid` is of type integer in z.rnt, and of type size in this query'
run "pid of io $from into \"z.rnt\"; proc of io $from into \"z.rnt\" replace; proc of io $from into \"z.rnt\" append"
same two-alike "$rc $(sql z.rnt 'select count(*) from events')" "0 $((2 * all))"

# both words are names elsewhere
run -q "let replace := pid as append of io $from; view append := count as replace of io $from; max(append) as replace of replace where append > 0"
same names "$rc $(head -1 out | tr -d ' ')" '0 replace'
run -q "replace of append"
same names-of-views "$rc $(paste -sd' ' out | tr -s ' ')" "0 replace $all"
run "events of io $from into \"x.rnt\" replac"
same mistyped "$rc $(grep -c 'did you mean .replace' err)" '1 1'
echo "param f string; events of io $from into \$f append" >q.rnl
run q.rnl f=f.rnt
run q.rnl f=f.rnt
same by-parameter "$rc $(sql f.rnt 'select count(*) from events')" "0 $((2 * all))"
run --explain "events of io $from into \"x.rnt\""
same explain-writes-nothing "$rc $(grep -c 'writes the rows to "x.rnt"' out)" '0 1'
for q in 'view q := events of io' 'tags list'; do
	run --explain "$q"
	same "explain-$q" "$rc $(cat out) $(grep -c '^there is nothing to explain' err)" '0  1'
done
run --explain 'view q := events of io; count of q'
same explain-view-and-query "$rc $(grep -c 'nothing to explain' err)" '0 0'

# live, with a command: a second time is an error before it runs
# shellcheck disable=SC2094 # it is closed by then
"$RN" doctor >doctor 2>&1 || {
	skip "this machine does not permit tracing: $(tail -n1 doctor)"
	done_testing
}
for how in '' '' append replace; do
	run -c 'cat hosts; echo x >>ran' "pid, bytes of write into \"live.rnt\" $how"
	echo "$rc $(wc -l <ran) $(sql live.rnt 'select value from meta where key = "runs"')"
done >got
same command "$(cat got)" "$(printf '0 1 1\n4 1 1\n0 2 2\n0 3 1')"
done_testing
