#!/bin/bash
# Ways that a search for tags does not search, and that lie below the files: what overlayfs copies
# up, and what loop devices read and write. They are uncovered as often as they were used by a
# process that `where` admits, and never where they were not.
. tests/live/lib.sh
need_bpf; need jq
tag=zqly01
mkdir "$tmp/m" "$tmp/disk" "$tmp/tm"
loops=
let_go() {
	umount "$tmp/m" "$tmp/disk" "$tmp/tm"
	for l in $loops; do losetup -d "$l"; done
}
at_exit 'let_go 2>/dev/null'
# The exit status of --strict: 3 on kernels that leave maps of files uncovered.
whole=0
for trace in read written; do
	grep -q "^tags in files $trace through memory  *ok" "$tmp/doctor" || whole=3
done
uncovered() { grep '"ledger"' "$tmp/err" | jq -c "[.ledger.nodes[].paths.$1.uncovered // 0]"; }

# What is copied up when a file of the layer below is to be changed.
copy_up() { # WHAT UPPER LOWER
	local up=$2/u work=$2/w low=$3/l m=$tmp/m
	mkdir -p "$up" "$work" "$low"
	for i in $(seq 12); do
		{ head -c 100000 /dev/zero | tr '\0' x; printf '%s' $tag; } >"$low/f$i"
	done
	: >"$low/empty"
	mount -t overlay overlay -o "lowerdir=$low,upperdir=$up,workdir=$work" "$m" || {
		skip "$1: overlayfs"
		return
	}
	changes() { # WANTED COMMAND
		q --strict -c "cd $m; $2" "count of tag $tag"
		same "$what: $2" "$? $(uncovered pages)" "$(($1 ? 3 : whole)) [$1]"
	}
	what=$1
	changes 1 'echo x >> f1'
	same "$what: which was a copy-up" "$(ls "$up")" f1
	changes 1 'exec 5<>f2'
	changes 1 'chmod 600 f3'
	changes 1 'chown 1:1 f4'
	changes 1 'touch f5'
	changes 1 'mv f6 g6'
	changes 1 'ln f7 g7'
	changes 1 'truncate -s 5 f8'
	changes 2 'echo x >> f9; chmod 600 f10'
	# what is above already, new, empty, or only read is not copied
	changes 0 'cat f11 >/dev/null'
	changes 0 'echo y >> f1; chmod 644 f3; mv g6 f6; truncate -s 7 f8; ln f8 h8; touch f5'
	changes 0 'echo new > n1; echo more >> n1; chmod 600 n1; mv n1 n2; ln n2 n3; mkdir d; rm n2'
	changes 0 'chmod 600 empty; : >> empty'
	changes 0 ': > f11'
	# if `where` says that it is nobody's, it is not counted; what it says of data does not
	# matter
	q --strict -c "cd $m; chmod 600 f12" "count of tag $tag where proc = nobody"
	same "$what: by somebody else" "$? $(uncovered pages)" "$whole [0]"
	rm -rf "$m/f12"
	umount "$m"
	rm -rf "$up/f12"
	mount -t overlay overlay -o "lowerdir=$low,upperdir=$up,workdir=$work" "$m"
	q --strict -c "cd $m; chmod 600 f12" "count of tag $tag where proc = chmod and bytes > 5"
	same "$what: by this one" "$? $(uncovered pages)" '3 [1]'
	umount "$m"
	rm -rf "$up" "$work" "$low"
}
if grep -qw overlay /proc/filesystems || modprobe overlay 2>/dev/null; then
	mount -t tmpfs tmpfs "$tmp/tm"
	mkdir "$tmp/here"
	copy_up 'tmpfs over this directory' "$tmp/tm" "$tmp/here"
	q --strict -c "chmod 700 $tmp/here; echo x > $tmp/here/f; mv $tmp/here/f $tmp/here/g" \
		"count of tag $tag"
	same 'without overlayfs' "$? $(uncovered pages)" "$whole [0]"
else
	skip "no overlayfs"
fi

# What a process reads from a loop device, or writes to it past the page cache, the kernel reads or
# writes once more, from or to a file.
if truncate -s 300M "$tmp/image" && mkfs.ext4 -q -F "$tmp/image" 2>/dev/null &&
	mount -o loop "$tmp/image" "$tmp/disk"; then
	d=$tmp/disk
	head -c 100000 /dev/zero >"$d/a"; cp "$d/a" "$d/b"; sync
	again() { umount "$d"; mount -o loop "$tmp/image" "$d"; }
	again
	q --strict -c "cat $d/a $d/b >/dev/null" "count of tag $tag"
	same 'loop: a device that is read from is uncovered, once' "$? $(uncovered file)" '3 [1]'
	q --strict -c "cat $d/a $d/b >/dev/null" "count of tag $tag"
	same 'loop: pages that are in memory are not read from it' "$? $(uncovered file)" \
		"$whole [0]"
	write="dd if=/dev/zero of=$d/b bs=64k count=4 conv=notrunc,fsync 2>/dev/null"
	sh -c "$write" # reads what the file system keeps of the file
	q --strict -c "$write" "count of tag $tag"
	same 'loop: write-back of pages is none' "$? $(uncovered file)" "$whole [0]"
	q --strict -c \
		"dd if=/dev/zero of=$d/b bs=4k count=4 conv=notrunc oflag=direct 2>/dev/null" \
		"count of tag $tag"
	same 'loop: what goes past the page cache is' "$? $(uncovered file)" '3 [1]'
	again
	q --strict -c "cat $d/a >/dev/null; dd if=$d/b of=/dev/null bs=4k 2>/dev/null" \
		"count of tag $tag where proc = nobody"
	same 'loop: of somebody else' "$? $(uncovered file)" "$whole [0]"
	again
	q --strict -c "cat $d/a >/dev/null; dd if=$d/b of=/dev/null bs=4k 2>/dev/null" "count of io"
	same 'loop: a query that does not search payload' "$? $(uncovered file)" '0 [0]'
	truncate -s 4M "$tmp/other"
	loops=$(losetup -f --show "$tmp/other")
	again
	q --strict -c "cat $d/a >/dev/null; dd if=$loops of=/dev/null bs=4k count=3 2>/dev/null" \
		"count of tag $tag"
	same 'loop: two devices' "$? $(uncovered file)" '3 [2]'
else
	skip "no loop devices"
fi
done_testing
