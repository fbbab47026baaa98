#!/bin/bash
# A node that sends valid rows as fast as they are taken, and as long as they may be: the
# coordinator keeps its memory, and the good node its place in the answer. What there is no room for
# is counted.
. tests/hostile/lib.bash
need jq python3
cd "$tmp" || exit 1
hosts() {
	printf 'deadline 2s\ngood local:\nbad exec: %s %s # agent --stdio\n' "$B/tests/badagent" \
		"$1" >hosts
}
# With so much address space that gigabytes do not fit. A program that does not end is no help
# either.
ask() { # QUERY
	(
		ulimit -v $((3 * 1024 * 1024))
		peak_mib timeout -k 5 240 "$RN" -H hosts -o json "$1" >out 2>err </dev/null
		echo "$rc $peak" >got
	)
	read -r rc peak <got
}
ledger() { grep '"ledger"' err | jq -r ".ledger.$1"; }
node() { ledger "nodes[] | select(.node == \"$1\") | $2"; }
holds() { # NAME MIB
	same "$1: the query ends" "$rc" 0
	if [ "$peak" -le "$2" ]; then
		ok "$1: $peak MiB"
	else
		not_ok "$1: $peak MiB, more than $2"
	fi
	same "$1: the good node has answered" "$(node good .answered)" true
	same "$1: the ledger names the bad one" "$(node bad .answered)" false
}

hosts big
# the bad one's pids are all 7
ask 'cmdline, pid of processes order by pid desc limit 2 every 1s for 1s'
holds 'rows of a megabyte, in order, two of them wanted' 300
# The bad one goes on after the query's end, so the last window may have rows of it alone.
same 'rows of a megabyte, two wanted: they are the right ones' \
	"$(jq -sc 'group_by(.window) | map(map(.pid == 7) | unique) | unique - [[true]]' out)" \
	'[[false]]'
same 'rows of a megabyte, two wanted: nothing is left out' "$(ledger shed)" 0
ask 'cmdline, pid of processes order by pid every 1s for 1s'
holds 'rows of a megabyte, in order, all wanted' 900
same 'rows of a megabyte, all wanted: the good node has its rows' \
	"$(jq -c "select(.pid == $$)" out | head -1 | wc -l)" 1
hosts flood
ask 'pid of processes every 1s for 1s'
holds 'very many rows' 300
if jq -c "select(.pid == $$)" out | grep -q .; then
	ok 'very many rows: the good node has its own'
else
	not_ok 'very many rows: the good node has none'
fi
done_testing
