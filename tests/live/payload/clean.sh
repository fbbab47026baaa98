#!/bin/bash
# clean.sh [PAIRS] - pages that are known to hold no tag are not searched again, and no tag is
# missed by that. A program reads files until they are known. Then it writes a mark into them in
# every way and reads it at once, while others read too (tests/programs/payload/rewriter.c). The
# query must count as many calls as had the mark in their buffers. The files lie on images of ext4,
# XFS and Btrfs, and on tmpfs, of which nothing may be known.
. tests/live/lib.sh
need_bpf; need jq cmp
# Files rest for two seconds between visits: many pairs need many files, but not more groups than a
# query has.
pairs=${1:-4800} files=400
[ "$pairs" -lt 100000 ] || files=1600
mark=zqFRESHmark7 rewriter=$PWD/$B/tests/programs/rewriter
mkdir "$tmp/m"
at_exit 'umount "$tmp/m" 2>/dev/null'
ledger() { grep '"ledger"' "$tmp/err" | jq "$1"; }
of() { jq -s "map(select(.name == \"$1\") | .count) | add // 0" "$tmp/out"; }

# ---- what it is for: the libraries of a program that starts again and again
starts='for i in 1 2 3 4 5 6 7 8 9 10 11 12; do /bin/true; done'
q -c "sh -c '$starts'" 'count of tag zqNOWHERE7'
known=$(ledger '.ledger | .known_clean')
same 'bytes seen are searched, known, beyond the limit or not there' \
	"$(ledger '.ledger | .bytes_seen == .bytes_scanned + .known_clean + .beyond_cap + .faulted')" \
	true
same 'the same of each path' \
	"$(ledger '[.ledger.nodes[].paths[] | .bytes_seen == .bytes_scanned + .known_clean + .beyond_cap + .faulted] | all')" \
	true
case $(stat -f -c %T /bin/true) in
ext2/ext3 | xfs | btrfs)
	same 'most pages that twelve starts map are known' \
		"$((known > 5 * $(ledger '.ledger.bytes_scanned')))" 1
	"$RN" -c "sh -c '$starts'" 'count of tag zqNOWHERE7' >/dev/null 2>"$tmp/text"
	holds 'people see it, too' ' known to hold no tag' "$tmp/text"
	;;
*) skip "programs are on a file system of which nothing may be known" ;;
esac
q --no-clean-cache -c "sh -c '$starts'" 'count of tag zqNOWHERE7'
same '--no-clean-cache searches all' "$(ledger '.ledger.known_clean')" 0

on() { # KIND
	local kind=$1 m=$tmp/m name n way
	q -c "sh -c '$rewriter $m $files $pairs $RANDOM >$tmp/truth'" \
		"count of tag $mark where proc = rewriter by name, file"
	# that a loop device is below is uncovered as well
	same "$kind: nothing is missing" \
		"$(ledger '.ledger | .beyond_cap + .faulted + .unjoined + .truncated + .lost')" 0
	while read -r name n; do
		case $name in
		pairs) same "$kind: pairs of a write and a read" "$((n >= pairs))" 1 ;;
		mapped)
			jq -r 'select(.name == "mmap_read") | .file' "$tmp/out" |
				sort -u >"$tmp/told"
			same "$kind: $n files of which a mapping showed the mark" \
				"$((n > 0)) $(sort -u "$m/mapped" | comm -23 - "$tmp/told" | wc -l)" \
				'1 0'
			;;
		*) same "$kind: $name" "$(of "$name")" "$n" ;;
		esac
	done <"$tmp/truth"
	if [ "$kind" = tmpfs ]; then
		same "$kind: nothing is known" \
			"$(ledger '[.ledger.nodes[].paths | .file.known_clean, .pages.known_clean] | add')" 0
		return
	fi
	for way in file mmap pages; do
		same "$kind: $way: some of it was known" \
			"$(ledger ".ledger.nodes[].paths.$way.known_clean > 0")" true
	done
	q -c "sh -c '$rewriter $m together >$tmp/truth'" \
		"count of tag $mark where proc = rewriter and name = read"
	same "$kind: threads that read through one descriptor" \
		"$(field .count)" "$(sed -n 's/^read //p' "$tmp/truth")"
	# XFS lets nobody write while somebody reads
	[ "$kind" = xfs ] && return
	q -c "sh -c '$rewriter $m stall >$tmp/truth'" \
		"count of tag $mark where proc = rewriter and name = pread64"
	if grep -q userfaultfd "$tmp/truth"; then skip "$(cat "$tmp/truth")"; return; fi
	same "$kind: a read that ends long after it copied the mark" \
		"$(field .count) $(ledger '.ledger.known_clean > 0')" \
		"$(sed -n 's/^pread64 //p' "$tmp/truth") true"
}
# A loop device writes to the file below it.
below() { # KIND
	local m=$tmp/m dev
	truncate -s 1M "$m/disk"
	dev=$(losetup -f --show "$m/disk" 2>/dev/null) || { skip "$1: no loop device"; return; }
	cat >"$tmp/through" <<-END
		sleep 1.3
		for i in 1 2 3; do cat $m/disk; done >/dev/null
		printf $mark >$dev
		blockdev --flushbufs $dev
		cat $m/disk >/dev/null
	END
	q -c "sh $tmp/through" \
		"count of tag $mark where proc = cat and name = read"
	same "$1: through a loop device" "$(field .count)" 1
	losetup -d "$dev"
}
for kind in ext4 xfs btrfs; do
	command -v mkfs.$kind >/dev/null || { skip "no mkfs.$kind"; continue; }
	truncate -s 1G "$tmp/$kind"
	mkfs.$kind -q "$tmp/$kind" >"$tmp/mkfs" 2>&1 &&
		mount -o loop "$tmp/$kind" "$tmp/m" 2>>"$tmp/mkfs" ||
		{ skip "$kind: $(tail -1 "$tmp/mkfs")"; continue; }
	on $kind
	below $kind
	umount "$tmp/m"
done
mount -t tmpfs none "$tmp/m" && on tmpfs
done_testing
