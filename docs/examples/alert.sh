#!/bin/bash
# alert.sh - acts on what happens: each window that has too many failing calls of a program is
# passed to a command, as PROGRAM, CALL, ERROR and COUNT.
#
#        docs/examples/alert.sh 100 logger -t runnel          # into the system's log, every second,
#	  until Ctrl-C
#	LAST=1 docs/examples/alert.sh 1 echo                  # the first that comes, then it ends
#
# RUNNEL: the program (runnel). QUERY: another query with the columns proc, name, error and count.
# jq reads what is a JSON object a line.
set -u -o pipefail
limit=${1:?usage: alert.sh LIMIT COMMAND [ARGUMENT...]}; shift
[ $# -gt 0 ] || { echo "usage: alert.sh LIMIT COMMAND [ARGUMENT...]" >&2; exit 2; }
query=${QUERY:-count of syscall where error != 0 by proc, name, error every 1s}
exec 3< <(exec "${RUNNEL:-runnel}" -q -o json "$query")
watcher=$!
trap 'kill -INT $watcher 2>/dev/null' EXIT
while IFS=$'\t' read -r proc name error count; do
	"$@" "$proc" "$name" "$error" "$count" || echo "alert.sh: the command failed for $proc" >&2
	[ -z "${LAST:-}" ] || exit 0
done < <(
	jq --unbuffered -r --argjson limit "$limit" \
		'select(.count >= $limit) | [.proc, .name, .error, .count] | @tsv' <&3
)
wait $watcher
