#!/bin/bash
# abuse.sh - what is damaged, closed, full, gone or the wrong kind of thing: a clear message, never
# a hang or a loss.
. tests/cli/lib.bash
ends() { timeout 300 "$RN" "$@" >"$tmp/out" 2>"$tmp/err" </dev/null; rc=$?; }
"$B/tests/gen_trace" "$tmp/t.rnt" 2000 1
cd "$tmp" || exit 1

mkfifo fifo
ends 'count of read from "fifo"'
same fifo-as-recording "$rc $(grep -c 'not a regular file' err)" "1 1"
cp t.rnt newer.rnt; printf '\0\0\0\7' | dd of=newer.rnt bs=1 seek=60 conv=notrunc status=none
ends 'count of read from "newer.rnt"'
same newer-recording "$rc $(grep -c 'newer version' err)" "1 1"
cp t.rnt damaged.rnt
head -c 8192 /dev/zero | tr '\0' x | dd of=damaged.rnt bs=1 seek=150000 conv=notrunc status=none
ends 'count of syscall by proc from "damaged.rnt"'
same damaged-recording "$rc $(grep -c 'is damaged' err)" "4 1"
before=$(cksum <t.rnt)
ends 'events of read from "t.rnt" into "t.rnt"'
same into-what-is-read "$rc $(grep -c 'is the recording that this query reads' err)" "4 1"
ends -O ./t.rnt 'count of (events of read from "t.rnt")'
same output-to-what-is-read "$rc $(cat out)" "4 "
ends -q 'view kept := count of io by proc from "t.rnt"; view kept_set := pid of processes where pid in (pid of io from "t.rnt"); view mid(t) := count of io where latency > $t'
# What reads it in another way does not write there either: views that are kept running, statements
# beside, what is only shown of a query.
own() { ends "$@"; same "recording-read-by: $*" "$rc $(cat out) $(cksum <t.rnt)" "4  $before"; }
own -q -O t.rnt watch kept
own -q -O ./t.rnt watch kept_set
own -q -O t.rnt export kept --prometheus :0
own -O t.rnt --explain watch kept
own -O t.rnt --explain 'count of io from "t.rnt"'
own -O t.rnt 'explain count of io from "t.rnt"'
own -O t.rnt --dump=plan 'count of io from "t.rnt"'
own -O t.rnt describe kept
own -O ./t.rnt describe t.rnt
own -q -O t.rnt 'tags list; count of io from "t.rnt"'
own 'let a := proc of read from "t.rnt"; count of a format csv to "t.rnt"'
own 'let a := pid of read from "t.rnt"; events of read from "t.rnt" where pid in (pid of a) into "t.rnt"'
own 'let a := proc of read from "t.rnt"; count of a' -O t.rnt
# Nothing was shown: the file is as it was.
echo keep >keep.txt
untouched() {
	local want=$1
	shift
	ends -O keep.txt "$@"
	same "output-kept: $*" "$rc $(cat out keep.txt)" "$want keep"
}
untouched 0 -q 'events of read from "t.rnt" into "r.rnt"'
untouched 1 watch mid t=5
untouched 1 watch nosuch
untouched 1 export mid t=5 --prometheus :0
untouched 1 describe nosuch
untouched 1 list nosuch
untouched 1 --dump=ast,tokens 'count of nosuch'
untouched 1 --dump=tokens,ast 'count of of'
ends -O to.txt --dump=tokens 'count of io'
same output-of-a-dump "$rc $(head -n1 to.txt)" "0 1:1 NAME count"
ends -q -O to.txt -o csv list openat
same output-of-a-list "$rc $(head -n1 to.txt)" "0 kind,name,doc"
ends -q -O to.txt -o csv watch kept
same output-of-watch "$rc $(head -n1 to.txt)" "0 window,proc,count,partial"
ends -O /nosuch/x list openat
same output-nowhere "$rc $(head -n1 err)" \
	"4 error: cannot write /nosuch/x: No such file or directory"
same recording-untouched "$(cksum <t.rnt)" "$before"

mkdir d.rnl
ends d.rnl
same directory-as-script "$rc $(cat err)" "2 runnel: cannot read d.rnl: Is a directory"
printf '\xef\xbb\xbfcount of syscall\r\n  from "t.rnt";\r\n' >bom.rnl
ends -q -o json bom.rnl; same byte-order-mark-and-crlf "$rc $(cat out)" '0 {"count": 2000}'
printf 'count of syscall\0 from "t.rnt"' >nul.rnl
ends nul.rnl
same nul "$rc $(grep -c E-LEX-NUL err)" "1 1"
{ printf 'count of read where '; head -c 50000 /dev/zero | tr '\0' '('; } >deep.rnl
ends deep.rnl
same deep "$rc $(grep -c E-LIMIT-DEPTH err)" "1 1"

# A standard descriptor that is closed is not given to a recording: messages would be written into
# it.
timeout 300 "$RN" 'events of syscall from "t.rnt" into "c.rnt"' >&- 2>&- <&-; rc=$?
ends -q -o json 'count of syscall from "c.rnt"'
same descriptors-closed "$rc $(cat out)" '0 {"count": 2000}'
timeout 300 "$RN" 'count of syscall from "t.rnt"' >&- 2>err </dev/null; same stdout-closed "$?" 4
timeout 300 "$RN" - >out 2>err <&-
same stdin-closed "$? $(cat out err)" "2 runnel: cannot read stdin: Bad file descriptor"
timeout 300 "$RN" 'count of syscall from "t.rnt"' >/dev/full 2>err </dev/null
same disk-full "$? $(grep -c 'No space left' err)" "4 1"

ends 'view v(a, a) := count of read where pid = $a;'
same parameter-twice "$rc $(grep -c E-NAME-PARAM err)" "1 1"
ends 'view v(a) := count of read where pid = $b and proc = "\"$c";'
same parameter-unknown "$rc $(grep -c E-NAME-PARAM err) $(grep -c '`b`' err)" "1 1 1"
ends 'view a() := count of read;'; ends 'view b() := events of a;'; ends 'view a() := events of b;'
same views-in-a-circle "$rc $(grep -c 'uses itself' err)" "1 1"
ends 'drop view a'; same drop-what-others-use "$rc $(grep -c 'used by' err)" "1 1"
for k in empty text directory; do
	export RUNNEL_CATALOG=$tmp/$k.db
	case $k in empty) : >$k.db ;; text) echo hello >$k.db ;; directory) mkdir $k.db ;; esac
	ends 'view x() := count of read;'
	same "catalogue-$k" "$rc" "$([ $k = empty ] && echo 0 || echo 4)"
	ends -q -o json 'count of syscall from "t.rnt"'
	same "catalogue-$k-not-needed" "$rc $(cat out)" '0 {"count": 2000}'
done
done_testing
