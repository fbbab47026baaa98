#!/bin/bash
# What a server of FUSE reads and writes is the data of its files: a message has the same offset, the same place of a tag over two calls
# and the same hash as the call of the program that uses the file system.
. tests/live/lib.sh
need_bpf; need jq
WAYS=$PWD/$B/tests/programs/ways
message() { # WAY CALL OF-THE-SERVER CALL-OF-THE-CLIENT
	q -c "$WAYS $1 --tag QWERTZ --size 8192 --at 4094 --chunk 4096" "proc, name, offset, hits, hash of tag QWERTZ where proc = ways or name = $3"
	if grep -q '"refused"' "$tmp/out"; then
		echo "skip $name: $1: $(grep '"refused"' "$tmp/out" | jq -r .why)"
		return
	fi
	grep '"hits"' "$tmp/out" >"$tmp/rows"
	same "$1" "$(jq -r '"\(.proc) \(.name) \(.offset) \(.hits)"' "$tmp/rows" | sort | paste -sd,)" "prepare $3 4096 QWERTZ@-2,ways $2 4096 QWERTZ@-2"
	same "$1: hash" "$(jq -r 'select(.hash != "") | .hash' "$tmp/rows" | sort -u | wc -l)" 1
}
message fuse_read read pwrite64
message fuse_readv readv pwrite64
message fuse_splice splice pwrite64
message fuse_write writev pread64
message fuse_write_one write pread64
# What the server takes from /dev/fuse comes from who wrote to the file, what others read from the file comes from the server's reply.
linked() { # WAY SERVER CLIENT FROM TO
	q -c "$WAYS $1 --tag QWERTZ --size 8192 --at 5000 --chunk 4096" "flow of tag QWERTZ where proc = ways or name = $3"
	grep -q '"refused"' "$tmp/out" && return
	same "$1: link" "$(jq -rs "map(select(.hop)) | .[] as \$x | .[] | select(.name == \"$5\" and .from == \$x.hop) | \"\(\$x.name) \(.name)\"" "$tmp/out")" "$4 $5"
}
linked fuse_read read pwrite64 pwrite64 read
linked fuse_write writev pread64 writev pread64
# A reply whose request the query has not seen is searched all the same, and from its data on; but it is no known place in a file.
q -c "$WAYS fuse_write --tag QWERTZ --size 8192 --at 5000 --chunk 4096" 'offset, hits of tag QWERTZ where proc = ways and name = writev'
grep -q '"refused"' "$tmp/out" || same 'a reply alone' "$(grep '"hits"' "$tmp/out" | jq -r '"\(.offset) \(.hits)"')" '0 QWERTZ@904'
exit $status
