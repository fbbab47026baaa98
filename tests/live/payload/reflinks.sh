#!/bin/bash
# Files that share blocks: FICLONE, FICLONERANGE, FIDEDUPERANGE and the copies that a file system
# makes so are hops, searched in the pages of the source. On an image of XFS and one of Btrfs, as
# far as this machine has them.
. tests/live/lib.sh
need_bpf; need jq cmp
. tests/live/payload/hold.bash
tag=zqrf01
mkdir "$tmp/m"
at_exit 'let_go; umount "$tmp/m" 2>/dev/null'
paths() { grep '"ledger"' "$tmp/err" | jq -c "[.ledger.nodes[].paths.pages // {} | $1]"; }
# Rows of the class that the question names, one a line.
rows() {
	jq -c '[.name, .bytes, .ret, .error, (.file | sub(".*/(m|dev)/"; "")), (.source | sub(".*/m/"; ""))]' \
		"$tmp/out"
}
# What the answer does not know of the copies. That the loop device below the file system is read
# from is uncovered as well, as are maps on kernels that do not tell of them.
missed() {
	grep '"ledger"' "$tmp/err" |
		jq '.ledger | .beyond_cap + .faulted + .unjoined + .truncated + .lost + ([.nodes[].paths.pages.uncovered // 0] | add)'
}
shown='name, bytes, ret, error, file, source'

on() { # KIND: the file system that is mounted
	local kind=$1 m=$tmp/m n
	# 300,006 bytes, the tag behind 73 pages
	head -c 300000 /dev/zero | tr '\0' 'x' >"$m/in"; printf '%s' $tag >>"$m/in"
	cp "$m/in" "$m/same"; cp "$m/in" "$m/same2"; head -c 300006 /dev/zero >"$m/other"; sync "$m"
	hold "$m/in" "$m/other"

	q -c "$CLONES whole $m/in $m/whole" "flow of tag $tag"
	same "$kind: FICLONE is a hop" "$(missed) $(jq -r '[.name, .dir, (.object | gsub("[^ ]*/m/"; "")), .bytes] | @tsv' "$tmp/out")" \
		"0 FICLONE"$'\t'"out"$'\t'"in => whole"$'\t'300006
	same "$kind: all of it was searched" \
		"$(paths '.bytes_seen, .bytes_scanned, .faulted, .uncovered')" \
		'[300006,300006,0,0]'
	cmp "$m/in" "$m/whole" || not_ok "$kind: the copy"
	q -c "$CLONES whole $m/other $m/whole" "count of tag $tag where name = FICLONE"
	same "$kind: nothing is found where nothing is" "$(field .count)" 0

	q -c "cp $m/in $m/cp; cat $m/cp >$tmp/copy" "flow of tag $tag"
	same "$kind: cp, and what comes after it" \
		"$(missed) $(jq -r '[.hop, .from, .proc, .name] | map(tostring) | join(" ")' "$tmp/out" | paste -sd,)" \
		'0 1 0 cp FICLONE,2 1 cat read,3 2 cat write'

	# a range: the tag within it, before it, and one that ends where the file does; places count
	# from where it begins
	q -c "$CLONES range $m/in 262144 0 $m/range 4096" "$shown, offset, hits of tag $tag"
	same "$kind: FICLONERANGE to the end" \
		"$(missed) $(rows) $(field '[.offset, .hits] | @csv')" \
		"0 [\"FICLONERANGE\",37862,37862,\"\",\"range\",\"in\"] 262144,\"$tag@37856\""
	q -c "$CLONES range $m/in 0 262144 $m/range 0" "$shown of FICLONERANGE"
	same "$kind: a range by its length" "$(rows)" \
		'["FICLONERANGE",262144,262144,"","range","in"]'
	q -c "$CLONES range $m/in 0 262144 $m/range 0" "count of tag $tag where name = FICLONERANGE"
	same "$kind: what is behind it is not its" "$(field .count) $(paths .bytes_seen)" \
		'0 [262144]'

	# each file of a FIDEDUPERANGE is an event: one that has the bytes, one that has not, one
	# that is none
	q -c "$CLONES dedupe $m/in 0 300006 $m/same 0 $m/other 0 $m/same2 0 /dev/null 0 >$tmp/said" \
		"$shown of FIDEDUPERANGE"
	same "$kind: FIDEDUPERANGE, file by file" \
		"$(rows | jq -r '[.[1], .[2], .[4], .[5]] | map(tostring) | join(" ")' | paste -sd,)" \
		"300006 300006 same in,0 0 other in,300006 300006 same2 in,0 -$(sed -n '4s/-\([0-9]*\) .*/\1/p' "$tmp/said") null in"
	same "$kind: as the kernel said" "$(head -3 "$tmp/said" | paste -sd,)" \
		'0 300006,1 0,0 300006'
	q -c "$CLONES dedupe $m/in 0 300006 $m/same 0 $m/other 0 $m/same2 0 >/dev/null" \
		"file of tag $tag where name = FIDEDUPERANGE"
	same "$kind: the tag is in those that share it now" \
		"$(missed) $(field '.file | sub(".*/"; "")' | paste -sd,)" '0 same,same2'
	n=$(for ((i = 0; i < 20; i++)); do printf '%s 0 ' "$m/same"; done)
	q -c "$CLONES dedupe $m/in 0 300006 $n >/dev/null" \
		"file of tag $tag where name = FIDEDUPERANGE"
	same "$kind: files beyond the sixteenth are counted" \
		"$(field .file | wc -l) $(paths .uncovered)" '16 [4]'

	# a copy_file_range that the file system makes by sharing: the destination has no pages
	q -c "$CLONES copy $m/in 0 300006 $m/copied 0" "name of tag $tag"
	same "$kind: copy_file_range" \
		"$(missed) $(field .name) $(paths '.bytes_scanned, .faulted')" \
		'0 copy_file_range [300006,0]'

	# pages that are not in memory are counted, to the byte
	let_go; sync "$m"; umount "$m"; mount -o loop "$tmp/$kind" "$m"
	q -c "$CLONES whole $m/in $m/cold" "count of tag $tag where name = FICLONE"
	same "$kind: nothing is in memory" \
		"$(missed) $(field .count) $(paths '.bytes_seen, .bytes_scanned, .faulted')" \
		'300006 0 [300006,0,300006]'

	hold "$m/in"
	# over a recording: the same hops, and the same classes
	q -c "cp $m/in $m/again; cat $m/again >/dev/null" \
		"events of tag $tag into \"$tmp/$kind.rnt\""
	same "$kind: recorded" \
		"$(missed) $("$RN" -o json "flow of tag $tag from \"$tmp/$kind.rnt\"" 2>/dev/null |
		jq -r '[.hop, .from, .proc, .name, (.object | gsub("[^ ]*/(m|dev)/"; ""))] | map(tostring) | join(" ")' \
		| paste -sd,)" \
		"0 1 0 cp FICLONE in => again,2 1 cat read again,3 2 cat write null"
	q -c "cp $m/in $m/again; $CLONES range $m/in 0 4096 $m/again 0" \
		"events of io into \"$tmp/$kind.io.rnt\""
	"$RN" -o json "sum(bytes) of io from \"$tmp/$kind.io.rnt\" by name where name ~ \"FI*\" order by name" \
		>"$tmp/out" 2>"$tmp/err"
	same "$kind: the recording's classes" "$(jq -c . "$tmp/out" | paste -sd,)" \
		'{"name":"FICLONE","sum(bytes)":300006},{"name":"FICLONERANGE","sum(bytes)":4096}'
	let_go
}

found=
for kind in xfs btrfs; do
	command -v mkfs.$kind >/dev/null || { skip "no mkfs.$kind"; continue; }
	truncate -s 400M "$tmp/$kind"
	mkfs.$kind -q "$tmp/$kind" >"$tmp/mkfs" 2>&1 &&
		mount -o loop "$tmp/$kind" "$tmp/m" 2>>"$tmp/mkfs" ||
		{ skip "$kind: $(tail -1 "$tmp/mkfs")"; continue; }
	found=1
	on $kind
	umount "$tmp/m"
done
[ -n "$found" ] || skip_all 'no file system here shares blocks'

# What is refused moves nothing: it is an event with its error, and has no payload.
cd "$tmp" || exit
q -c "$CLONES bad >$tmp/plain" "$shown of io where name ~ \"FI*\""
same 'refused ones' "$(jq -r '[.name, .bytes, (.error != "")] | map(tostring) | join(" ")' "$tmp/out" | paste -sd,)" \
	'FICLONE 0 true,FICLONERANGE 0 true,FICLONERANGE 0 true,FIDEDUPERANGE 0 true'
q -c "$CLONES bad >$tmp/plain" "count of tag $tag where proc = clones"
same 'and nothing that was not searched' "$(missed) $(field .count)" '0 0'
# Another ioctl is none of these, and a query of calls alone sees ioctl as it is.
q -c "$CLONES bad >$tmp/plain" "count of io where proc = clones and name = ioctl"
same 'ioctl is no data' "$(field .count)" 0
q -c "$CLONES bad >$tmp/plain" "count of syscall where proc = clones and name ~ \"*CLONE*\""
same 'and a call under its own name' "$(field .count)" 0
q -c "$CLONES bad >$tmp/plain" "count of syscall where proc = clones and name = ioctl"
same 'four of them' "$(field .count)" 4
done_testing
