#!/bin/bash
# Tags that lie across calls are found, and none that only looks so; positions in the stream of a
# connection are the same at both ends.
. tests/live/lib.sh
need_bpf; need jq
J=$PWD/$B/tests/programs/join
$J list >"$tmp/want"
tags=$(cut -d' ' -f1 "$tmp/want" | sort -u | sed 's/.*/"&"/' | paste -sd,)
q -c "$J" "count of tag $tags by tags, name"
jq -r '"\(.tags) \(.name) \(.count)"' "$tmp/out" | sort >"$tmp/got"
while read -r tag call n; do
	same "${tag%%-*}: in $n of $call" \
		"$(awk -v t="$tag" -v c="$call" '$1 == t && $2 == c { n = $3 } END { print n + 0 }' "$tmp/got")" \
		"$n"
done <"$tmp/want"
# Files that are read were filled through a mapping.
same 'and in no other call' "$(awk 'NR == FNR { want[$1 " " $2]; next } $2 != "mmap_write" && !($1 " " $2 in want)' "$tmp/want" "$tmp/got")" \
	''

q -c "$J stream" \
	'name, fd, offset, bytes of io where bytes > 0 and (name = sendto or name = recvfrom)'
# NAME: positions that are not the sum of the bytes before, for each end; a look ahead is not
# counted
at() {
	jq -s -r --arg n "$1" \
		'[.[] | select(.name == $n)] | group_by(.fd)[] | reduce .[] as $e ({at: 0, bad: []};
		if $e.offset != .at then .bad += ["\($e.offset) for \(.at)"] else . end | if $e.bytes == 1 and .at == 0 and $n == "recvfrom" and (.peeked | not)
		then .peeked = true else .at += $e.bytes end) | "\(.at) \(.bad | join(","))"' "$tmp/out"
}
same 'positions of what is sent' "$(at sendto)" "$(printf '105018 \n105018 ')"
same 'positions of what is received' "$(at recvfrom)" "$(printf '105018 \n105018 ')"
done_testing
