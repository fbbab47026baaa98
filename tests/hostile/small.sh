#!/bin/bash
# small.sh - limits that a query meets by chance or by an attack are reported as what they are. Such
# are no room for open files, no /proc, and names chosen by how a known hash would place them.
name=small
. tests/hostile/lib.bash
need sqlite3 jq
demo=$PWD/tests/demo/io.rnt

# ---- hashes ----
# More different values than top() keeps: which are kept is another choice for each query, the same
# on both nodes of it, so each count is whole.
"$RN" -q "events of io from \"$demo\" into \"$tmp/big.rnt\""
sqlite3 "$tmp/big.rnt" "delete from events; delete from nodes; delete from coverage;
	insert into events(time, node, name, file) with recursive n(i) as (select 1 union all select i + 1 from n where i < 70000)
	select i, 'n' || node, 'read', '/f/' || i from n, (select 1 as node union all select 2);
	insert into nodes select distinct node, 1, 70001, 1, '' from events; insert into coverage select node, 1, 70001 from nodes"
for i in 1 2; do
	run -q -o json "top(file, 1000) as t of read from \"$tmp/big.rnt\""
	jq -c '.t | if type == "string" then fromjson else . end | map(select(.[0] != "(other)"))' \
		"$tmp/out" >"$tmp/kept$i"
done
same counts-are-whole \
	"$(jq -c '[length, all(.[1] == 2)]' "$tmp/kept1" "$tmp/kept2" | paste -sd' ')" \
	'[1000,true] [1000,true]'
cmp -s "$tmp/kept1" "$tmp/kept2"; same another-choice-each-time $? 1

# ---- no /proc ----
without_proc() {
	unshare -m sh -c 'mount -t tmpfs none /proc && exec "$@"' sh "$RN" "$@" >"$tmp/out" \
		2>"$tmp/err" </dev/null
	rc=$?
}
if unshare -m mount -t tmpfs none /proc 2>/dev/null; then
	for q in 'count of processes' 'proc, rss of processes where pid = 1' \
		'count of read for 100ms' 'count of getpid by ustack for 100ms' 'count of tag "secret order" for 100ms'; do
		without_proc -q "$q"
		same "no /proc: $q" "$rc $(cat "$tmp/out") $(grep -c '/proc is not there' "$tmp/err") $(grep -c 'mount -t proc' "$tmp/err")" \
			'4  1 1'
	done
	without_proc -q -o json "count of io from \"$demo\""
	one=$(cat "$tmp/out")
	run -q -o json "count of io from \"$demo\""
	same 'no /proc: a recording' "$one" "$(cat "$tmp/out")"
else
	skip "no mount namespaces here"
fi

# ---- no room for open files ----
# told LIMIT QUERY: an answer, or that there are too many open files and what to do. CSV has a
# header even if there are no rows.
told() {
	(ulimit -n "$1"; exec timeout 60 "$RN" -q -o csv "$2") >"$tmp/out" 2>"$tmp/err" </dev/null
	rc=$?
	case $rc in
	0) [ -s "$tmp/out" ] ;;
	4) grep -q 'Too many open files' "$tmp/err" &&
		grep -q "the limit is $1; .*ulimit -n" "$tmp/err" && [ ! -s "$tmp/out" ];;
	*) false ;;
	esac
}
all=$("$RN" -q -o csv 'count of processes where pid < 3' | tail -n1); few=0 enough=0
for n in 5 6 7 8 9 10 11 12 13 14 16 20 24 40; do
	if told $n 'count of processes where pid < 3'; then
		case $rc in 0) enough=$((enough + 1)); [ "$(tail -n1 "$tmp/out" | tr -d ' ')" = \
			"$all" ] || not_ok "processes at $n: $(cat "$tmp/out")";; *) \
			few=$((few + 1));; esac
	else
		not_ok "processes at $n: exit $rc: $(cat "$tmp/err")"
	fi
done
same processes "$((few > 0)) $((enough > 0)) $((few + enough))" '1 1 14'
run -q -o csv "count of io from \"$demo\""; one=$(cat "$tmp/out")
told 6 "count of io from \"$demo\""; same recording-at-6 "$? $rc" '0 4'
told 24 "count of io from \"$demo\""; same recording-at-24 "$? $rc $(cat "$tmp/out")" "0 0 $one"
need_bpf
for q in 'count of tag "secret order" for 50ms' 'count of read by file for 50ms' \
	'count of tracepoint "sched:*" by name for 50ms'; do
	few=0
	for n in 6 10 13 16 19 22 24 26 29 33; do
		told $n "$q" || not_ok "$q at $n: exit $rc: $(cat "$tmp/err")"
		[ $rc = 0 ] || few=$((few + 1))
	done
	same "$q" "$((few > 5))" 1
done
told 24 'events of tag "secret order" for 50ms'; same tag-at-24 "$? $rc" '0 4'
done_testing
