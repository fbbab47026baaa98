#!/bin/bash
# A recording gives the same answers as the kernel gave, is an SQLite database, and survives bad
# files.
. tests/live/lib.sh
need_bpf; need jq sqlite3
work="$CALLS getppid=200 pread=300x4096 pwrite=100x777 enoent=20 pipe=40x9"
q -c "$work" "events of syscall where proc = calls into \"$tmp/a.rnt\""
same 'events in the file' \
	"$(sqlite3 "$tmp/a.rnt" "select count(*) from events where name = 'getppid'")" 200
for query in 'count, sum(bytes), max(bytes) of SRC where proc = calls and name in (getppid, pread64, pwrite64, openat) by name' \
	'count, sum(bytes) of io where proc = calls and file ~ "/dev/*" by file' \
	'count of open where error = ENOENT and proc = calls by error, file'; do
	query=${query/SRC/syscall}
	"$RN" -q -o json "$query from \"$tmp/a.rnt\"" 2>"$tmp/e" | sort >"$tmp/recorded"
	"$RN" -q -o json -c "$work" "$query" 2>"$tmp/e" | sort >"$tmp/live"
	grep -v 'ld.so.cache\|libc.so' "$tmp/live" >"$tmp/l"
	grep -v 'ld.so.cache\|libc.so' "$tmp/recorded" >"$tmp/r"
	if [ -s "$tmp/r" ] && cmp -s "$tmp/l" "$tmp/r"; then
		ok "same answer: $query"
	else
		not_ok "$query: $(diff "$tmp/l" "$tmp/r" | head -5)"
	fi
done
same 'nodes' "$(sqlite3 "$tmp/a.rnt" 'select count(*) from nodes')" 1
same 'the ledger is in the file' \
	"$(sqlite3 "$tmp/a.rnt" "select sum(count) > 0 from ledger where item = 'seen'")" 1
done_testing
