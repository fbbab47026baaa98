#!/bin/bash
# writing.sh - root's runnel writes into directories where nobody has placed links, FIFOs and files.
# A victim's file never changes, and nothing is made where a link leads. What was placed stays as it
# is, and the error names the file and a way out.
name=writing
. tests/hostile/lib.bash
[ "$(id -u)" = 0 ] || skip_all "only root can be misled so"
from="from \"$PWD/tests/demo/io.rnt\""; rows="count of io $from"
swap=$(readlink -f "$B/tests/programs/swap"); RN=$(readlink -f "$RN"); cd "$tmp" || exit 1
cp "$swap" "$RN" . # nobody reads the tree that was built
mkdir roots own shared open; chmod 700 roots; chown 65534:65534 own; chmod 1777 shared
chmod 777 open
echo precious >roots/file
"$RN" -q "events of io $from into \"roots/old.rnt\""
"$RN" -q --catalog roots/cat.db 'view kept := count of read'
mkdir roots/empty
whole() {
	(
		cd roots && find . -printf '%p %s %m %u %T@ %n\n' | sort
		find . -type f | sort | xargs sha256sum
	)
}
was=$(whole)
is_whole() { same "$1: what is root's is as it was" "$(whole)" "$was"; }
export RUNNEL_HISTORY='' RUNNEL_CATALOG=$tmp/none.db

# ---- what is placed, in a directory of nobody's, in one like /tmp, and in one where all may do all
placed() { # KIND PATH: what it is, for comparison
	case $1 in
	link | dangling) readlink "$2" ;;
	*) stat -c '%F %i %s %u %h' "$2"; [ "$1" = fifo ] || sha256sum <"$2" ;;
	esac
}
put() { # KIND PATH TARGET
	rm -rf "$2"
	case $1 in
	link) nobody ln -s "$3" "$2" ;;
	dangling) nobody ln -s "$tmp/roots/absent" "$2" ;;
	hard) ln "$3" "$2" ;; # nobody can, where fs.protected_hardlinks is 0
	fifo) nobody mkfifo "$2" ;;
	file) nobody sh -c "echo mine >'$2'" ;;
	recording) cp "$3" "$2"; chown 65534:65534 "$2" ;;
	esac
}
# attack WHAT KIND PATH TARGET TEXT COMMAND...: the command fails with status 4, TEXT and a way out;
# all is as it was
attack() {
	local what=$1 kind=$2 path=$3 target=$4 text=$5 before; shift 5
	put "$kind" "$path" "$target"; before=$(placed "$kind" "$path")
	within 4096 60 "$@" >out 2>err </dev/null; rc=$?
	same "$what, $kind in ${path%/*}" \
		"$rc $(grep -c -F -- "$text" err) $(grep -cE '^  .*(another|remove it|name the file itself|name one)|record into another' err) $(placed "$kind" "$path")" \
		"4 1 1 $before"
	rm -rf "$path"
	[ "$kind" = hard ] || [ "$(whole)" = "$was" ] || is_whole "$what, $kind in ${path%/*}"
}
for d in own shared open; do
	# rows
	p=$d/x.csv
	attack -O link $p "$tmp/roots/file" "nothing is written through the symbolic link $p" \
		"$RN" -O $p "$rows"
	attack -O dangling $p - "nothing is written through the symbolic link $p" "$RN" -O $p \
		"$rows"
	attack -O hard $p roots/file "$p: has other names (hard links)" "$RN" -O $p "$rows"
	attack -O fifo $p - "$p: belongs to another user" "$RN" -O $p "$rows"
	attack -O file $p - "$p: belongs to another user" "$RN" -O $p "$rows"
	attack to link $p "$tmp/roots/file" "nothing is written through the symbolic link $p" \
		"$RN" "$rows format csv to \"$p\""
	attack to hard $p roots/file "$p: has other names (hard links)" "$RN" \
		"$rows format csv to \"$p\""
	attack to file $p - "$p: belongs to another user" "$RN" "$rows format csv to \"$p\""
	attack export link $p "$tmp/roots/file" "nothing is written through the symbolic link $p" \
		"$RN" --catalog roots/cat.db -O $p export
	attack directory link $d/dir "$tmp/roots" \
		"nothing is written through the symbolic link $d/dir" "$RN" -O $d/dir/new.csv \
		"$rows"
	# recordings
	p=$d/x.rnt
	attack part link $p.part "$tmp/roots/file" "$p.part is a symbolic link" "$RN" \
		"events of io $from into \"$p\""
	attack part dangling $p.part - "$p.part is a symbolic link" "$RN" \
		"events of io $from into \"$p\""
	attack part hard $p.part roots/old.rnt "$p.part has other names (hard links)" "$RN" \
		"events of io $from into \"$p\""
	attack part fifo $p.part - "$p.part is no file" "$RN" "events of io $from into \"$p\""
	attack part file $p.part - "$p.part belongs to another user" "$RN" \
		"events of io $from into \"$p\""
	for how in replace append; do
		attack $how link $p "$tmp/roots/old.rnt" \
			"nothing is written through the symbolic link $p" "$RN" \
			"events of io $from into \"$p\" $how"
		attack $how hard $p roots/old.rnt "$p: has other names (hard links)" "$RN" \
			"events of io $from into \"$p\" $how"
		attack $how recording $p roots/old.rnt "$p: belongs to another user" "$RN" \
			"events of io $from into \"$p\" $how"
	done
	attack 'recording, directory' link $d/dir "$tmp/roots" \
		"nothing is written through the symbolic link $d/dir" "$RN" \
		"events of io $from into \"$d/dir/new.rnt\""
	# the catalogue
	p=$d/c.db
	attack catalogue link $p "$tmp/roots/cat.db" "$p cannot be written" "$RN" --catalog $p \
		'view v := count of read'
	attack catalogue dangling $p - "$p cannot be written" "$RN" --catalog $p \
		'view v := count of read'
	attack catalogue hard $p roots/cat.db "$p cannot be written" "$RN" --catalog $p \
		'view v := count of read'
	attack 'catalogue, journal' hard $p-journal roots/file "$p cannot be written" "$RN" \
		--catalog $p 'view v := count of read'
	attack 'catalogue, directory' link $d/dir "$tmp/roots/empty" \
		"$d/dir/c.db cannot be written" "$RN" --catalog $d/dir/c.db \
		'view v := count of read'
done
is_whole all
# an unfinished recording of another user's, and one of several names, are none of ours
head -c 20000 roots/old.rnt >own/x.rnt.part; chown 65534 own/x.rnt.part
run "events of io $from into \"own/x.rnt\""
same part-of-another \
	"$rc $(grep -c 'own/x.rnt.part belongs to another user' err) $(stat -c %s own/x.rnt.part)" \
	'4 1 20000'
chown 0 own/x.rnt.part; ln own/x.rnt.part own/second
run "events of io $from into \"own/x.rnt\""
same part-of-two-names \
	"$rc $(grep -c 'own/x.rnt.part has other names' err) $(stat -c %s own/second)" '4 1 20000'
rm own/x.rnt.part own/second

# A catalogue that is only read is read as it stands: SQLite neither takes what lies beside it nor
# makes anything there.
cp roots/cat.db own/c.db
chown 65534 own/c.db
sqlite3 own/c.db 'pragma journal_mode = wal' >/dev/null
rm -f own/c.db-*
cp roots/file own/c.db-shm
nobody sh -c 'printf "\067\177\006\202" >own/c.db-wal'
sum=$(sha256sum <own/c.db-shm)
run --catalog own/c.db list kept
same catalogue-read "$rc $(grep -c kept out) $(sha256sum <own/c.db-shm)" "0 1 $sum"
rm -f own/c.db*

# ---- the history, the editor's file ----
at_prompt() { TERM=dumb timeout 60 script -qec "$RN -q" /dev/null; }
for kind in link hard file; do
	[ $kind != hard ] && target=$tmp/roots/file || target=roots/file
	put $kind shared/history "$target"; before=$(placed $kind shared/history)
	RUNNEL_HISTORY=shared/history at_prompt <<<'\timing' >out 2>&1
	same "history, $kind" "$(grep -c 'what is entered is not kept: .*shared/history.*RUNNEL_HISTORY' out) $(placed $kind shared/history)" \
		"1 $before"
	rm -f shared/history
done
EDITOR=true TMPDIR=$tmp/open at_prompt <<<$'\\e\n' >out 2>&1
same editor "$(grep -c 'other users may move files there; name another directory in TMPDIR' out) $(ls open)" \
	'1 '
is_whole history

# ---- what is no attack ----
truth=$("$RN" -q -o csv "$rows")
"$RN" -q -o csv -O /dev/stdout "$rows" | cmp -s - <(echo "$truth")
same stdout-pipe "${PIPESTATUS[*]}" '0 0'
"$RN" -q -o csv -O /dev/stdout "$rows" >out; same stdout-file "$? $(cat out)" "0 $truth"
: >own/o; chown 65534 own/o; "$RN" -q -o csv -O /dev/fd/1 "$rows" >own/o
same stdout-of-who-redirected "$? $(cat own/o)" "0 $truth"; rm own/o
run -q -O /dev/null "$rows"; same null "$rc $(stat -c %F /dev/null)" '0 character special file'
mkfifo roots.fifo; (timeout 60 cat roots.fifo >got) &
"$RN" -q -o csv -O roots.fifo "$rows"; rc=$?; wait $!; same fifo "$rc $(cat got)" "0 $truth"
for d in own shared open; do
	run -q -o csv -O $d/n.csv "$rows"
	run -q -o csv -O $d/n.csv "$rows"
	same "new and again in $d" "$rc $(cat $d/n.csv)" "0 $truth"
	run -q "events of io $from into \"$d/n.rnt\""
	run -q "events of io $from into \"$d/n.rnt\" append"
	same "recording in $d" \
		"$rc $(sqlite3 $d/n.rnt "select value from meta where key = 'runs'") $(ls -d $d/*)" \
		"0 2 $(printf '%s\n' $d/n.csv $d/n.rnt)"
done
mkdir mine
ln -s ../out.csv mine/l.csv
ln -s roots links
run -q -o csv -O mine/l.csv "$rows"
same own-link "$rc $(cat out.csv) $(readlink mine/l.csv)" "0 $truth ../out.csv"
run -q -o csv -O links/new.csv "$rows"
same own-link-of-a-directory "$rc $(cat roots/new.csv)" "0 $truth"
rm roots/new.csv
ln -s ../mine.db mine/c.db
run --catalog mine/c.db 'view v := count of read'
run --catalog mine/c.db 'view w := count of read'
same catalogue-by-own-link \
	"$rc $(sqlite3 mine.db 'select count(*) from view') $(readlink mine/c.db)" \
	'0 2 ../mine.db'
# in nobody's own directory all this is nobody's own
cp "$OLDPWD/tests/demo/io.rnt" . && chmod 644 io.rnt
nobody env -u RUNNEL_CATALOG -u XDG_DATA_HOME -u XDG_STATE_HOME HOME="$tmp/own" ./runnel \
	-q 'view his := count of read' >out 2>err
same of-nobody "$? $(stat -c %u own/.local/share/runnel/catalog.db)" '0 65534'
nobody ln -s n2.csv own/l.csv
nobody ./runnel -q -o csv -O own/l.csv 'count of io from "io.rnt"' >out 2>err
same link-of-nobody "$? $(cat own/n2.csv) $(readlink own/l.csv)" "0 $truth n2.csv"
was=$(whole)

# ---- while it is written: what is exchanged between a look and an opening, so often that it hits
at_exit '[ -z "${pid:-}" ] || kill $pid 2>/dev/null'
race() { # NAME ATTEMPTS SWAP-ARGUMENTS... -- COMMAND...
	local what=$1 n=$2 i done=0 args=(); shift 2
	while [ "$1" != -- ]; do args+=("$1"); shift; done; shift
	mkfifo begun
	as_nobody "$tmp/swap" "${args[@]}" >begun &
	pid=$!
	read -r <begun; rm begun
	for ((i = 0; i < n; i++)); do
		within 4096 60 "$@" >out 2>err </dev/null
		case $? in
		0 | 4) done=$((done + 1)) ;;
		*) cat err ;;
		esac
	done
	kill $pid; wait $pid 2>/dev/null
	same "$what: each attempt ends, with rows or an error" "$done" "$n"
	is_whole "$what"
	rm -rf own/*
}
"$RN" -q -O own/x.csv "$rows"; nobody ln -s "$tmp/roots/file" own/link
race 'race for -O' 25 exchange own/x.csv own/link -- "$RN" -O own/x.csv "$rows"
race 'race for a new file' 25 relink own/x.csv "$tmp/roots/file" -- "$RN" -O own/x.csv "$rows"
race 'race for the unfinished recording' 25 relink own/x.rnt.part "$tmp/roots/file" -- "$RN" \
	"events of io $from into \"own/x.rnt\" replace"
race 'race for the recording' 25 relink own/x.rnt "$tmp/roots/old.rnt" -- "$RN" \
	"events of io $from into \"own/x.rnt\" append"
nobody mkdir own/d; nobody ln -s "$tmp/roots" own/l
race 'race for a directory' 25 exchange own/d own/l -- "$RN" -O own/d/file "$rows"
nobody mkdir own/d; nobody ln -s "$tmp/roots" own/l
race 'race for the directory of a recording' 25 exchange own/d own/l -- "$RN" \
	"events of io $from into \"own/d/old.rnt\" replace"
done_testing
