#!/bin/bash
# device.sh - `dev` is written major:minor in every format but the table, whether it is of a call,
# of a tracepoint, or recorded; the kernel says which device it is. A table of this machine has the
# name, and words for the kind of a request.
. tests/live/lib.sh
need_bpf; need jq losetup mkfs.ext4 sqlite3
[ "$("$RN" list 'block:block_rq_issue' 2>/dev/null | grep -c block_rq_issue)" -gt 0 ] ||
	skip_all "no block:block_rq_issue on this kernel"
truncate -s 16M "$tmp/disk"
disk=$(losetup -f --show "$tmp/disk" 2>/dev/null) || skip_all "no loop devices on this machine"
at_exit 'umount "$tmp/mnt" 2>/dev/null; losetup -d "$disk"'
dev=$(cat "/sys/class/block/${disk##*/}/dev") \
	number=$(($(tr : ' ' <"/sys/class/block/${disk##*/}/dev" | awk '{ print $1 * 1048576 + $2 }')))
io="dd if=/dev/zero of=$disk bs=4096 count=8 oflag=direct"
tp='tracepoint "block:block_rq_issue" where proc = dd and rwbs ~ "W*"'
q -c "$io" "count of $tp by dev"
same 'a key' "$(field '[.dev, .count] | tostring')" "[\"$dev\",8]"
q -c "$io" "count of $tp and dev = \"$dev\""; same 'a condition' "$(field .count)" 8
q -c "$io" "count of $tp and dev = $number"; same 'by its number' "$(field .count)" 8
q -c "$io" "count of $tp and dev != \"$dev\""; same 'and of others' "$(field .count)" 0
q -c "$io" "set(dev) as s, max(dev) as m, top(dev, 1) as t of $tp"
same 'in a set, as the greatest, in a list' "$(field '[.s, .m, .t] | tostring')" \
	"[[\"$dev\"],\"$dev\",[[\"$dev\",8]]]"
q -c "$io" "count of (dev as d, sector of $tp) by d"
same 'of a nested query' "$(field '[.d, .count] | tostring')" "[\"$dev\",8]"
q -c "$io" "dev of between tracepoint \"block:block_rq_issue\" and tracepoint \"block:block_rq_complete\" on dev, sector where proc = dd and rwbs ~ \"W*\""
same 'of pairs' "$(field .dev | sort | uniq -c | xargs)" "8 $dev"
"$RN" -q -o csv -c "$io" "dev of $tp limit 1" >"$tmp/out" 2>"$tmp/err"
same csv "$(xargs <"$tmp/out")" "dev $dev"
"$RN" -q -o table -c "$io" "dev of $tp limit 1" >"$tmp/out" 2>"$tmp/err"
same table "$(xargs <"$tmp/out")" "dev ${disk##*/}"
"$RN" -q -o table -c "$io" "dev as disk, rwbs as kind of $tp limit 1" >"$tmp/out" 2>"$tmp/err"
same 'a table: under other names' "$(sed 1d "$tmp/out" | xargs)" "${disk##*/} write, sync"
q -c "$io" "events of $tp into \"$tmp/x.rnt\""
over() {
	q "count of tracepoint \"block:block_rq_issue\" where dev = \"$dev\" by dev from \"$tmp/x.rnt\""
	field '[.dev, .count] | tostring'
}
same recorded "$(over)" "[\"$dev\",8]"
table="dev of tracepoint \"block:block_rq_issue\" limit 1 from \"$tmp/x.rnt\""
"$RN" -q -o table "$table" >"$tmp/out"
same 'a table of a recording has numbers' "$(xargs <"$tmp/out")" "dev $dev"
same 'the recording knows that it is a device' \
	"$(sqlite3 "$tmp/x.rnt" "SELECT unit FROM fields WHERE name = 'dev'") $(sqlite3 "$tmp/x.rnt" 'SELECT DISTINCT dev FROM events')" \
	"dev $number"
sqlite3 "$tmp/x.rnt" "UPDATE fields SET unit = '' WHERE name = 'dev'"
same 'one of 0.1.0 did not' "$(over)" "[\"$dev\",8]"
if [ -e "$B/runnel_sqlite.so" ]; then
	sqlite3 -batch -cmd ".load $PWD/$B/runnel_sqlite" :memory: \
		"SELECT * FROM runnel('dev of tracepoint \"block:block_rq_issue\" limit 1 from \"$tmp/x.rnt\"')" \
		>"$tmp/out" 2>&1
	same 'in SQLite' "$(cat "$tmp/out")" "$dev"
fi
# a call on a file of that device has the same
mkfs.ext4 -q "$disk" && mkdir "$tmp/mnt" && mount "$disk" "$tmp/mnt" && {
	q -c "echo x >$tmp/mnt/f" 'count of write where bytes = 2 by dev'
	same 'of a call' "$(field .dev)" "$dev"
	umount "$tmp/mnt"
}
done_testing
