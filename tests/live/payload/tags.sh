#!/bin/bash
# Tags are found in every call of this version, at every place, and only hits leave the kernel.
. tests/live/lib.sh
need_bpf; need jq dd
head -c 262144 /dev/urandom | tr -d f >"$tmp/noise"
plant() { # OFFSET TAG
	cp "$tmp/noise" "$tmp/data"
	printf '%s' "$2" | dd of="$tmp/data" bs=1 seek="$1" conv=notrunc 2>/dev/null
}
for at in 0 1 4093 4096 65533 100000 131066; do
	plant $at fix283
	q -c "dd if=$tmp/data of=/dev/null bs=262144 count=1" \
		'count of tag fix283 where proc = dd and name = read by tags'
	same "at $at" "$(field '"\(.tags) \(.count)"')" 'fix283 1'
done
plant 70 fix283
q -c "dd if=$tmp/data of=$tmp/copy bs=4096" \
	'count of tag fix283, nothere where proc = dd by name, tags'
same 'once in, once out, never the other tag' \
	"$(field '"\(.name) \(.tags) \(.count)"' | sort | paste -sd' ')" \
	'read fix283 1 write fix283 1'
printf 'fix283' >"$tmp/tail"; head -c 6 "$tmp/tail" >/dev/null
q -c "dd if=$tmp/tail of=/dev/null bs=5 count=1" 'count of tag fix283 where proc = dd'
same 'nothing past the returned length' "$(field .count)" 0
q -c "dd if=$tmp/noise of=/dev/null bs=65536" 'count of tag fix283 where proc = dd'
same 'no false hit in noise' "$(field .count)" 0
q -c "dd if=$tmp/noise of=/dev/null bs=65536" 'events of tag fix283 where proc = dd and name = read'
same 'the ledger says what was scanned' \
	"$(grep '"ledger"' "$tmp/err" | jq --argjson n "$(stat -c %s "$tmp/noise")" '[.ledger.nodes[] | .bytes_scanned] | add >= $n')" \
	true
done_testing
