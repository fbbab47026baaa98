#!/bin/bash
# cp of coreutils on XFS and on Btrfs, as people call it: what it does is known from strace, and
# that blocks are shared from filefrag (FIEMAP). Each of its copies is a hop from the file that was
# copied, whether the kernel shared the blocks or moved the bytes.
. tests/live/lib.sh
. tests/live/payload/hold.bash
need_bpf; need jq strace cp cmp filefrag
tag=zqcp07
mkdir "$tmp/m"
at_exit 'let_go; umount "$tmp/m" 2>/dev/null'
# The successful copies of a trace of strace: what was copied, by which call, and to where. It shows
# the number of FICLONE's argument.
copies() { # FILE
	awk '
	match($0, /= [0-9]+<[^>]*>$/) && /openat\(/ { split(substr($0, RSTART + 2), f, /[<>]/); open[$1, f[1]] = f[2] }
	/FICLONE, [0-9]+\) = 0$/ { split($0, f, /[<>]/); n = $0; sub(/.*FICLONE, /, "", n); sub(/\).*/, "", n); print "FICLONE " open[$1, n] " => " f[2] }
	/copy_file_range\(.*\) = [1-9][0-9]*$/ { split($0, f, /[<>]/); print "copy_file_range " f[2] " => " f[4] }' "$1" | sort
}
# What the answer does not know of the copies. That the loop device below the file system is read
# from is uncovered as well, as are maps on kernels that do not tell of them.
missed() {
	grep '"ledger"' "$tmp/err" |
		jq '.ledger | .beyond_cap + .faulted + .unjoined + .truncated + .lost + ([.nodes[].paths.pages.uncovered // 0] | add)'
}
shared() { filefrag -v "$1" | grep -c shared; }
# One command under strace, then the same under a query; both begin from the same files.
same_as_strace() { # WHAT COMMAND
	local m=$tmp/m
	fresh
	strace -f -y -e trace=openat,ioctl,copy_file_range -o "$tmp/strace" sh -c "$2"
	same "$1: the files" "$(cmp "$m/in" "$m/out" && echo equal)" equal
	copies "$tmp/strace" >"$tmp/truth"
	fresh
	q -c "$2" "flow of tag $tag where proc = cp"
	same "$1: complete" "$(missed)" 0
	same "$1: as strace has it" "$(jq -r 'select(.object | contains("=>")) | "\(.name) \(.object)"' "$tmp/out" | sort)" \
		"$(cat "$tmp/truth")"
	same "$1: bytes" \
		"$(jq -r 'select(.object | contains("=>")) | .bytes' "$tmp/out" | paste -sd' ')" \
		"$(stat -c %s "$m/in" | sed "s/.*/$3/")"
}
fresh() {
	rm -rf "$tmp/m"/out* "$tmp/m/tree2"
}
for kind in xfs btrfs; do
	m=$tmp/m
	command -v mkfs.$kind >/dev/null || { skip "no mkfs.$kind"; continue; }
	truncate -s 400M "$tmp/$kind"
	mkfs.$kind -q "$tmp/$kind" >"$tmp/mkfs" 2>&1 &&
		mount -o loop "$tmp/$kind" "$m" 2>>"$tmp/mkfs" ||
		{ skip "$kind: $(tail -1 "$tmp/mkfs")"; continue; }
	mkdir "$m/tree"
	head -c 150000 /dev/zero | tr '\0' 'y' >"$m/in"
	printf '%s' $tag >>"$m/in"
	head -c 50000 /dev/zero | tr '\0' 'y' >>"$m/in"
	for i in 1 2 3; do cp "$m/in" "$m/tree/f$i"; done
	sync "$m"
	hold "$m/in" "$m"/tree/f?
	same_as_strace "$kind: cp" "cp $m/in $m/out" '&'
	same "$kind: cp: blocks are shared" \
		"$(head -1 "$tmp/truth" | cut -d' ' -f1) $(($(shared "$m/out") > 0))" 'FICLONE 1'
	same_as_strace "$kind: cp --reflink=never" "cp --reflink=never $m/in $m/out" ''
	same "$kind: cp --reflink=never: reads and writes" \
		"$(wc -l <"$tmp/truth") $(jq -r .name "$tmp/out" | sort -u | paste -sd' ')" \
		'0 read write'
	# nobody has read a copy yet: its pages are not in memory, which the ledger counts
	fresh
	q -c "cp $m/in $m/out; cp $m/out $m/out2" "flow of tag $tag where proc = cp"
	same "$kind: a copy of a copy" "$(missed) $(field .object) $(grep '"ledger"' "$tmp/err" | jq .ledger.nodes[].paths.pages.faulted)" \
		"200006 $m/in => $m/out 200006"
	q -c "cp -r $m/tree $m/tree2" "bytes, source, file of tag $tag where name = FICLONE"
	same "$kind: a tree" "$(missed) $(jq -r '[.bytes, (.source | sub(".*/m/"; "")), (.file | sub(".*/m/"; ""))] | map(tostring) | join(" ")' "$tmp/out" | sort | paste -sd,)" \
		'0 200006 tree/f1 tree2/f1,200006 tree/f2 tree2/f2,200006 tree/f3 tree2/f3'
	# to another file system blocks cannot be shared: what cp tried is no hop, what it did then
	# is
	q -c "cp $m/in $tmp/elsewhere" "flow of tag $tag where proc = cp"
	same "$kind: to elsewhere" "$(missed) $(jq -r '.name' "$tmp/out" | grep -c FICLONE) $(jq -r .object "$tmp/out" | grep -c elsewhere)" \
		'0 0 1'
	let_go
	umount "$m"
done
done_testing
