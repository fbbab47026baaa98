#!/bin/bash
# A user without privileges cannot hide what is done to a file by renames, hard links, mounts or
# names without end. The same programs as in tests/live/query/names.sh run here as nobody; what each
# read is of is compared with /proc/self/fd at that moment.
. tests/hostile/lib.bash
need_bpf; need jq setpriv unshare /usr/bin/python3
home=$(realpath "$tmp")/home; mkdir "$home"; chown 65534 "$home"
cp tests/programs/events/names.py tests/programs/hostile/renames.py "$tmp"
user=(setpriv --reuid=65534 --regid=65534 --clear-groups --inh-caps=-all --bounding-set=-all)
as="cd $home && exec ${user[*]}"
q() { "$RN" --strict -o json "$@" >"$tmp/out" 2>"$tmp/err"; rc=$?; } # -c COMMAND QUERY
rows() { jq -r "$1" "$tmp/out" | sed "s|$home/||" | paste -sd,; }

q -c "$as /usr/bin/python3 $tmp/renames.py replace" \
	'count of io where file ~ "*/conf*" and bytes > 0 by name, file order by file, name'
same 'files that are written under another name' "$rc $(rows '"\(.name) \(.file) \(.count)"')" \
	'0 read conf 50,write conf.tmp 50'
q -c "$as /usr/bin/python3 $tmp/renames.py replace" \
	"count of io where file = \"$home/conf\" and bytes > 0 by name"
same 'asked for by name' "$rc $(rows '"\(.name) \(.count)"')" '0 read 50'
q -c "$as sh -c 'cp /bin/true good; ln good evil; ./good; ./evil; ./evil'" \
	"count of exec where exe in (\"$home/good\", \"$home/evil\") by exe order by exe"
same 'hard links of a program' "$rc $(rows '"\(.exe) \(.count)"')" '0 evil 2,good 1'

# every way of names.py, in namespaces of nobody's own
mkdir "$home/d"; chown 65534 "$home/d"
q -c "$as unshare -Urm /usr/bin/python3 $tmp/names.py $home/d >$tmp/said 2>$tmp/cannot" \
	"arg2, file of read where name = pread64 and proc = python3 and arg2 > 100 and arg2 < 200"
sed "s/^/skip $name: /" "$tmp/cannot"
jq -r '"\(.arg2) \(.file)"' "$tmp/out" >"$tmp/live"
same 'nothing is unsettled or lost' $rc 0
[ "$(wc -l <"$tmp/said")" -gt 10 ] && ok 'the program ran' ||
	not_ok "the program said: $(cat "$tmp/said" "$tmp/cannot")"
same 'every name as /proc had it' "$(diff "$tmp/said" "$tmp/live")" ''

# renamed without pause: each read has a name that the file had, or is counted as one that may have
# none
q -c "$as /usr/bin/python3 $tmp/renames.py race 2000" \
	'count of read where name = pread64 and arg2 = 77 by file'
unsettled=$(grep '"ledger"' "$tmp/err" | jq .ledger.unsettled)
same 'a race of renames: no read is missing' "$(jq -s 'map(.count) | add' "$tmp/out")" 2000
others=$(jq -s "map(select(.file | IN(\"$home/this\", \"$home/that\") | not) | .count) | add // 0" "$tmp/out")
[ "$others" -le "${unsettled:-0}" ] &&
	ok 'a race of renames: names are the right ones, or counted' ||
	not_ok "names that the file never had: $others, unsettled: $unsettled: $(cat "$tmp/out")"

# more names than there is room for: conditions still find the file, and what has no room is counted
for where in 'file = "/etc/passwd"' 'file ~ "/etc/pass*"' 'file ~ "*asswd"'; do
	q -c "$as /usr/bin/python3 $tmp/renames.py flood 70000" \
		"count of read where name = pread64 and $where"
	same "a flood of names: $where finds the read" "$(jq .count "$tmp/out") $rc" '1 3'
	[ "$(grep '"ledger"' "$tmp/err" | jq .ledger.truncated)" -gt 0 ] &&
		ok "a flood of names: $where: counted" ||
		not_ok "nothing is counted: $(cat "$tmp/err")"
done
done_testing
