#!/bin/bash
# Tags from a file, from the catalogue's set and of any bytes are searched alike; payload comes only
# where the policy lets it.
. tests/live/lib.sh
need_bpf; need jq dd
export RUNNEL_POLICY=$tmp/policy
printf 'xx a\0\377\n9 yy, two words, zz\n' >"$tmp/data"
printf 'two words\r\n# x\nx"6100ff0a39"\nnothere\n' >"$tmp/tags.txt"
want='two words,x"6100ff0a39"'
found() {
	q -c "dd if=$tmp/data of=/dev/null bs=4096 count=1" \
		"tags of tag $1 where proc = dd and name = read"
	field .tags
}
same literal "$(found 'x"6100FF0A39", "two words", nothere')" "$want"
same file "$(found "from \"$tmp/tags.txt\"")" "$want"
"$RN" -q 'tags add "two words", x"6100ff0a39", nothere'
same set "$(found '*')" "$want"
seq -f 'filler%06g' 997 >>"$tmp/tags.txt"
same 'a thousand' "$(found "from \"$tmp/tags.txt\"")" "$want"

q -c "dd if=$tmp/data of=/dev/null bs=4096 count=1" \
	"tags, hits of tag * where proc = dd and name = read into \"$tmp/x.rnt\""
q "tags, hits of tag \"two words\" from \"$tmp/x.rnt\""
same recorded "$(field '"\(.tags) \(.hits)"')" "two words two words@13"
q "tags of tag x\"6100ff0a39\" from \"$tmp/x.rnt\""
same 'recorded bytes' "$(field .tags)" 'x"6100ff0a39"'

payload() {
	q -c "dd if=$tmp/tags.txt of=/dev/null bs=9 count=1" \
		"data, $1 as s of read where proc = dd and bytes = 9B"
}
payload 'similar(data, "two words")'
same 'payload is off' "$? $(wc -l <"$tmp/out") $(grep -c 'E-POLICY' "$tmp/err")" "4 0 1"
q -c "dd if=$tmp/tags.txt of=/dev/null bs=9 count=1" \
	'similar(data, "two words") as s of read where proc = dd and bytes = 9B'
same 'its sketch is not' "$(field .s)" 1
echo 'payload = allow' >"$tmp/policy"
payload 'similar(data, "two words")'
same 'payload allowed' "$(field '"\(.data) \(.s)"')" 'two words 1'
q -c "dd if=$tmp/data of=/dev/null bs=9 count=1" 'data of read where proc = dd and bytes = 9B'
same 'bytes as they are' "$(field .data)" 'x"7878206100ff0a3920"'
done_testing
