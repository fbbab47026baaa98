#!/bin/bash
# A server of FUSE reads and writes the data of its files. A message has the same offset as the call
# of the program that uses the file system, the same place of a tag over two calls, and the same
# hash.
. tests/live/lib.sh
need_bpf; need jq
WAYS=$PWD/$B/tests/programs/ways
message() { # WAY CALL OF-THE-SERVER CALL-OF-THE-CLIENT
	q -c "$WAYS $1 --tag QWERTZ --size 8192 --at 4094 --chunk 4096" \
		"proc, name, offset, hits, hash of tag QWERTZ where proc = ways or name = $3"
	if grep -q '"refused"' "$tmp/out"; then
		skip "$1: $(grep '"refused"' "$tmp/out" | jq -r .why)"
		return
	fi
	grep '"hits"' "$tmp/out" >"$tmp/rows"
	same "$1" \
		"$(jq -r '"\(.proc) \(.name) \(.offset) \(.hits)"' "$tmp/rows" | sort | paste -sd,)" \
		"prepare $3 4096 QWERTZ@-2,ways $2 4096 QWERTZ@-2"
	same "$1: hash" "$(jq -r 'select(.hash != "") | .hash' "$tmp/rows" | sort -u | wc -l)" 1
}
message fuse_read read pwrite64
message fuse_readv readv pwrite64
message fuse_splice splice pwrite64
message fuse_write writev pread64
message fuse_write_one write pread64
# What the server takes from /dev/fuse comes from who wrote to the file, what others read from the
# file comes from the server's reply.
linked() { # WAY SERVER CLIENT FROM TO
	q -c "$WAYS $1 --tag QWERTZ --size 8192 --at 5000 --chunk 4096" \
		"flow of tag QWERTZ where proc = ways or name = $3"
	grep -q '"refused"' "$tmp/out" && return
	same "$1: link" "$(jq -rs "map(select(.hop)) | .[] as \$x | .[] | select(.name == \"$5\" and .from == \$x.hop) | \"\(\$x.name) \(.name)\"" "$tmp/out")" \
		"$4 $5"
}
linked fuse_read read pwrite64 pwrite64 read
linked fuse_write writev pread64 writev pread64
linked fuse_splice splice pwrite64 pwrite64 splice
# Threads of one process write and read at the same time, through a server that splices its
# requests. No two calls have the same length, so lengths are the truth: a request has two headers
# of 40 bytes, a reply one of 16. Requests with the tag in a name are of no call's data.
python=$(command -v python3)
initial='pid:[4026531836]'
if [ "$(readlink /proc/self/ns/pid)" != "$initial" ]; then
	skip "spliced requests: threads are known in the initial PID namespace only"
elif [ -n "$python" ]; then
	q -c "$WAYS fuse_read --tag QWERTZ --size 8192 --at 5000 --chunk 4096" \
		"name, tid, fuse_node, fuse_tid of tag QWERTZ where proc = ways or name = pwrite64"
	if ! grep -q '"refused"' "$tmp/out"; then
		same 'both say the number of the file, 2' \
			"$(field 'select(.name) | .fuse_node' | paste -sd' ')" '2 2'
		same 'the request names the thread that waits' \
			"$(jq -s '(map(select(.name == "read"))[0].fuse_tid // "none") as $asker |
			(map(select(.name == "pwrite64"))[0].tid // "nobody") == $asker' "$tmp/out")" true
		same 'a call is no message' "$(field 'select(.name == "pwrite64") | .fuse_tid')" 0
	fi
	mkdir "$tmp/mnt"
	q -c "timeout 120 $python -S tests/live/payload/fuse.py $tmp/mnt zqfs01" \
		'flow of tag zqfs01 where not (file ~ "*.py")'
	served=$?
	if grep -q 'cannot be mounted\|no mount namespace\|/dev/fuse' "$tmp/err"; then
		skip "spliced requests: $(grep -m 1 'mount\|/dev/fuse' "$tmp/err")"
	else
		same 'the server ends' $served 0
		of() { jq -rs "map(select(.hop)) | .[] as \$to | select(\$to | $1) | (map(select(.hop == \$to.from))[0] // {}) as \$from | $2" \
			"$tmp/out" |
			sort | uniq -c | sed 's/^ *//' | paste -sd,; }
		same 'each spliced request with data is of the call that waits for it' \
			"$(of '.name == "splice" and .bytes > 160' '"\($from.name) \($to.link) \($to.choices) \($to.bytes - $from.bytes)"')" \
			'72 pwrite64 fuse 1 80'
		same 'each read is of the reply to it' \
			"$(of '.name == "pread64"' '"\($from.name) \($to.link) \($to.choices) \($from.bytes - $to.bytes)"')" \
			'36 writev fuse 1 16'
		same 'requests with a name come from no hop that was looked at' \
			"$(of '.name == "splice" and .bytes < 100' '"\($to.from) \($to.match)"' | sed 's/^[0-9]* //')" \
			'0 outside'
	fi
fi
# A reply whose request the query has not seen is searched all the same, and from its data on; but
# it is no known place in a file.
q -c "$WAYS fuse_write --tag QWERTZ --size 8192 --at 5000 --chunk 4096" \
	'offset, hits of tag QWERTZ where proc = ways and name = writev'
grep -q '"refused"' "$tmp/out" ||
	same 'a reply alone' "$(grep '"hits"' "$tmp/out" | jq -r '"\(.offset) \(.hits)"')" \
		'-1 QWERTZ@904'
done_testing
