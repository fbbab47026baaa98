#!/bin/bash
# cases.sh - the cases of docs/cases: does each committed recording give the golden that was written
# by hand, each vertex, edge and evidence? Are pictures and pages current? BLESS=1 writes pictures,
# never a golden.
. tests/cli/lib.bash
need python3 jq
cases=docs/cases
export LC_ALL=C.UTF-8
rows_of() { run -o json "$($cases/golden.py --query "$1") from \"$2\""; } # GOLDEN RECORDING
at_most() { # FILE COUNT UNIT-OF-wc WORDS
	local n
	n=$(wc "$3" <"$1")
	[ "$n" -le "$2" ] && ok "$1: $4" || not_ok "$1: $4: $n, at most $2"
}
for golden in "$cases"/*.golden; do
	[ -e "$golden" ] || continue
	case=${golden%.golden}
	for f in md sh rnt svg; do
		[ -e "$case.$f" ] || not_ok "there is no $case.$f"
	done
	rows_of "$golden" "$case.rnt"
	silent "$golden: each hop, link and evidence" $cases/golden.py "$golden" "$tmp/out"
	same "$case.rnt lost nothing" "$(grep '"ledger"' "$tmp/err" | jq .ledger.lost)" 0
	run -q -o svg "$($cases/golden.py --query "$golden") from \"$case.rnt\""
	[ -z "${BLESS:-}" ] || cp "$tmp/out" "$case.svg"
	same "$case.svg is current" "$(cmp "$tmp/out" "$case.svg" 2>&1)" ''
	at_most "$case.rnt" 1048576 -c 'bytes'
	at_most "$case.md" 100 -l 'lines'
	at_most "$golden" 80 -l 'lines'
	[ ! -e "$case.strace" ] || at_most "$case.strace" 102400 -c 'bytes'
	same "$case.md begins with its picture" \
		"$(sed -n '3s/^!\[..*\](\(.*\))$/\1/p' "$case.md")" "$(basename "$case").svg"
	same "README.md names $case" "$(grep -cF "]($(basename "$case").md)" $cases/README.md)" 1
done
silent 'pages link to files that exist' tests/lint/links.py $cases/*.md
same 'all recordings have a golden' "$(ls $cases | grep -c '\.rnt$')" \
	"$(ls $cases | grep -c '\.golden$')"

# ---- a golden that is wrong is refused ----
cat >"$tmp/rows" <<'END'
{"hop": 1, "node": "n1", "proc": "sh", "pid": 41, "name": "write", "dir": "out", "object": "/a", "bytes": 9, "tags": "t", "from": 0, "match": "", "link": "", "choices": 0}
{"hop": 2, "node": "n1", "proc": "cp", "pid": 42, "name": "read", "dir": "in", "object": "/a", "bytes": 9, "tags": "t", "from": 1, "match": "", "link": "file", "choices": 1}
{"hop": 3, "node": "n1", "proc": "cp", "pid": 42, "name": "write", "dir": "out", "object": "1.1.1.1:50 -> 1.1.1.2:80", "bytes": 9, "tags": "t", "from": 2, "match": "exact", "link": "hash", "choices": 1}
{"hop": 4, "node": "n2", "proc": "nc", "pid": 43, "name": "read", "dir": "in", "object": "1.1.1.2:80 -> 1.1.1.1:50", "bytes": 9, "tags": "t", "from": 3, "match": "exact", "link": "exact", "choices": 1}
END
cat >"$tmp/right" <<'END'
flow of tag t
# A comment.
1  n1  sh/{sh}  write  out  /a                            9  t  -      0  -      0
2  n1  cp/{cp}  read   in   /a                            9  t  -      1  file   1
3  n1  cp/{cp}  write  out  1.1.1.1:{port} -> 1.1.1.2:80  9  t  exact  2  hash   1
4  n2  nc/{nc}  read   in   1.1.1.2:80 -> 1.1.1.1:{port}  9  t  exact  3  exact  1
END
compared() { $cases/golden.py "$1" "$tmp/rows" 2>&1 | sed "s#$tmp/##"; } # GOLDEN
wrong() { # WHAT SED-SCRIPT SAID
	sed "$2" "$tmp/right" >"$tmp/wrong"
	same "refused: $1" "$(compared "$tmp/wrong")" "$3"
}
same 'one that is right' "$(compared "$tmp/right")" ''
wrong 'another number of bytes' '4s/  9  /  8  /' \
	'wrong:4: hop 2: bytes is 8 in the golden, 9 in the recording'
wrong 'another evidence' 's/hash   1$/process  1/' \
	'wrong:5: hop 3: link is process in the golden, hash in the recording'
wrong 'more choices' 's/hash   1$/hash  2/' \
	'wrong:5: hop 3: choices is 2 in the golden, 1 in the recording'
wrong 'another origin' '6s/  3  exact/  2  exact/' \
	'wrong:6: hop 4: from is 2 in the golden, 3 in the recording'
wrong 'a port that is not the same at both ends' '6s/{port}/51/' \
	'wrong:6: hop 4: object is 1.1.1.2:80 -> 1.1.1.1:51 in the golden, 1.1.1.2:80 -> 1.1.1.1:50 in the recording'
wrong 'one process taken for two' '5s/{cp}/{other}/' \
	'wrong:5: hop 3: process is cp/{other} in the golden, cp/42 in the recording'
wrong 'two processes taken for one' '6s/{nc}/{cp}/' \
	'wrong:6: hop 4: process is nc/42 in the golden, nc/43 in the recording'
wrong 'a line that lacks a column' '6s/  1$//' \
	'wrong:6: 11 columns, not 12: two blanks or more separate them'
sed 's#"/a"#"pipe:[77]"#' "$tmp/rows" >"$tmp/piped"
sed 's#  /a #  pipe:[{p}] #' "$tmp/right" >"$tmp/wrong"
same 'a pipe whose number is a placeholder' "$($cases/golden.py "$tmp/wrong" "$tmp/piped" 2>&1)" ''
sed '4d; 5s/^3/2/; 5s/  2  hash/  1  hash/; 6s/^4/3/; 6s/  3  exact/  2  exact/' \
	"$tmp/right" >"$tmp/wrong"
same 'refused: a hop too few' "$(compared "$tmp/wrong" | head -n1)" \
	'wrong: not in the golden: 2  n1  cp/42  read  in  /a  9  t  -  1  file  1'
sed '6p; 6s/n2/n3/' "$tmp/right" >"$tmp/wrong"
same 'refused: a hop too many' "$(compared "$tmp/wrong" | grep -c 'not in the recording: 4')" 1
done_testing
