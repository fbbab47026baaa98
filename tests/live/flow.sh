#!/bin/bash
# A tagged file, copied by cp, piped through cat, sent with nc to another process and written again, is one path.
. tests/live/lib.sh
need_bpf; need jq nc
{ head -c 5000 /dev/zero | tr '\0' x; printf 'fix283'; head -c 3000 /dev/zero | tr '\0' y; } >"$tmp/a"
cat >"$tmp/scenario" <<S
nc -v -l -N 127.0.0.1 0 >$tmp/c 2>$tmp/listener & server=\$!
until port=\$(sed -n '1s/^Listening on .* //p' $tmp/listener); [ -n "\$port" ]; do kill -0 \$server || exit; sleep 0.05; done
cp $tmp/a $tmp/b
cat $tmp/b | nc -N 127.0.0.1 \$port
wait \$server
S
q -c "bash $tmp/scenario" 'flow of tag fix283'
cmp -s "$tmp/a" "$tmp/c" && ok 'the scenario ran' || not_ok 'the scenario did not copy the file'
jq -c '[.hop, .from, .proc, .name, .dir, .object, .bytes, .tags]' "$tmp/out"
port=$(sed -n '1s/^Listening on .* //p' "$tmp/listener")
hops() { field "select($1) | .hop" | head -1; }
cp=$(hops ".proc == \"cp\" and (.object | contains(\"$tmp/b\"))") cat_in=$(hops ".proc == \"cat\" and .dir == \"in\" and .object == \"$tmp/b\"")
cat_out=$(hops '.proc == "cat" and .dir == "out" and (.object | startswith("pipe:"))')
nc_in=$(hops '.proc == "nc" and .dir == "in" and (.object | startswith("pipe:"))')
send=$(hops ".proc == \"nc\" and .dir == \"out\" and (.object | contains(\"127.0.0.1:$port\"))")
recv=$(hops ".proc == \"nc\" and .dir == \"in\" and (.object | contains(\"127.0.0.1:$port\"))")
write=$(hops ".proc == \"nc\" and .dir == \"out\" and .object == \"$tmp/c\"")
order="$cp $cat_in $cat_out $nc_in $send $recv $write"
same 'every hop is there' "$(wc -w <<<"$order")" 7
same 'in order' "$(tr ' ' '\n' <<<"$order" | sort -n | paste -sd' ')" "$order"
same 'both socket ends' "$(field 'select(.object | contains("->")) | .object' | sort -u | wc -l)" 2
chain=$(jq -s -r --argjson last "${write:-0}" '. as $h | [$last] | until((.[0] as $n | $h | map(select(.hop == $n))[0].from // 0) == 0; [(.[0] as $n | $h | map(select(.hop == $n))[0].from)] + .) | map(tostring) | join(" ")' "$tmp/out")
same 'one path from the first hop to the last' "$(wc -w <<<"$chain" | awk '{ print ($1 >= 6) }')" 1
same 'the file of the source' "$(field 'select(.proc == "cp") | .object' | grep -c "$tmp/a")" 1
q -c "$B/tests/programs/closed fix283" 'flow of tag fix283'
same 'what a closed connection still held is linked to its sender' "$(field 'select(.dir == "in") | .from')" "$(field 'select(.dir == "out") | .hop')"
exit $status
