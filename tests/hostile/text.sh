#!/bin/bash
# text.sh - names that would move a terminal's cursor, set its title or turn text around, in every
# format, in messages and in the ledger, on a terminal and in a pipe. A recording holds them, as a
# kernel may.
. tests/hostile/lib.bash
need sqlite3 python3
demo=$PWD/tests/demo/io.rnt; cd "$tmp" || exit 1
cp "$demo" h.rnt
python3 - <<'PY'
import sqlite3
db = sqlite3.connect("h.rnt")
bad = "\x1b]0;t\x07a\u009b2J\u202eb\u2066\u200f\u2028\ufeff\U000e0041c"
open("bad", "w").write(bad)
db.execute("delete from events where rowid > 3")
db.execute("update events set node = ?", (bad,))
for row, proc in enumerate((bad, "(other)", "n\xf6\u00e9\u65e5"), 1):
    db.execute("update events set proc = ? where rowid = ?", (proc, row))
db.execute("update nodes set node = ?, answered = 0, why = ?", (bad, bad))
for key in "query", "doc":
    db.execute("update meta set value = ? where key = ?", (bad, key))
db.execute("alter table events add column \"%s\" TEXT default 'x'" % bad)
db.execute("insert into fields values (99, ?, 'string', '', ?)", (bad, bad))
db.commit()
db.execute("update meta set value = ? where key = 'class'", (bad,))
db.commit()
PY
cp h.rnt class.rnt; sqlite3 h.rnt "update meta set value = 'io' where key = 'class'"
# on_terminal COMMAND...: stdout and stderr are one terminal; what it gets is in `screen`
cat >terminal.py <<'PY'
import os, pty, sys
out = open("screen", "wb")
def read(fd):
    data = os.read(fd, 65536)
    out.write(data)
    return data
sys.exit(os.waitstatus_to_exitcode(pty.spawn(sys.argv[1:], read, lambda fd: b"")))
PY
on_terminal() { timeout 60 env TERM=dumb python3 terminal.py "$@" >/dev/null 2>&1 </dev/null; }
# clean NAME FILE: nothing in it but lines of plain text, and what was to be cleaned is there,
# escaped
clean() {
	python3 - "$2" <<'PY' && ok "$1" || { not_ok "$1: $(cat -v "$2")"; }
import sys, unicodedata
text = open(sys.argv[1], "rb").read().decode()
wrong = sorted({"U+%04X" % ord(c) for c in text if c not in "\r\n" and unicodedata.category(c) in ("Cc", "Cf", "Zl", "Zp")})
print(*wrong)
sys.exit(bool(wrong) or not ("\\x1b" in text or "\\u001b" in text or "?]0;t?" in text))
PY
}
for format in table csv json; do
	on_terminal "$RN" -o "$format" 'proc, node of io from "h.rnt"'
	clean "terminal-$format" screen
	on_terminal "$RN" -o "$format" 'events of io from "h.rnt"'
	clean "terminal-header-$format" screen
	on_terminal "$RN" -o "$format" 'set(proc) as s, top(proc, 3) as t of io from "h.rnt"'
	clean "terminal-list-$format" screen
	on_terminal "$RN" -o "$format" 'no of getpid from "class.rnt"'
	clean "terminal-message-$format" screen
	on_terminal "$RN" -o "$format" "describe" h.rnt; clean "terminal-describe-$format" screen
done
for format in table json; do
	"$RN" -o "$format" 'proc, node of io from "h.rnt"' >out 2>err
	clean "pipe-$format" out
	clean "pipe-ledger-$format" err
done
"$RN" 'no of getpid from "class.rnt"' >out 2>err; clean pipe-message err
on_terminal "$RN" "count of $(cat bad)"; clean terminal-query screen
on_terminal "$RN" list "*$(cat bad)*"; clean terminal-glob screen
on_terminal "$RN" --explain 'proc of io where proc = "'"$(cat bad)"'" from "h.rnt"'
clean terminal-explain screen
on_terminal "$RN" "count of io from \"$(cat bad).rnt\""; clean terminal-path screen
# CSV that a program reads has every byte
same csv-bytes \
	"$("$RN" -q -o csv 'proc of io from "h.rnt" limit 1' | tail -n +2 | xxd -p | tr -d '\n')" \
	"$(xxd -p <bad | tr -d '\n')0a"
# JSON says the same in its own way
same json-value "$("$RN" -q -o json 'proc of io from "h.rnt" limit 1' | python3 -c 'import json, sys; print(json.loads(sys.stdin.readline())["proc"] == open("bad").read())')" \
	True
# a program that is called as the row of all others is, is not that row
same other-table "$("$RN" -q 'proc of io from "h.rnt"' | sed -n 3p)" '\x28other)'
same other-csv "$("$RN" -q -o csv 'proc of io from "h.rnt"' | sed -n 3p)" '\x28other)'
same other-json "$("$RN" -q -o json 'proc of io from "h.rnt"' | sed -n 2p)" '{"proc": "(other)"}'
same letters "$("$RN" -q 'proc of io from "h.rnt"' | sed -n 4p)" 'nöé日'
done_testing
