#!/bin/bash
# Payload that never passes through the caller's memory is searched all the same, each way by
# itself, and the ledger's figures add up.
. tests/live/lib.sh
need_bpf; need jq
PAGES=$PWD/$B/tests/programs/pages
PLACES='0 65533 299994' # of 300000 bytes
[ -n "${RN_TEST_SMALL:-}" ] && PLACES=65533
# One way: the call that counts is found with the tag at each place, and not without it; nothing is
# out of reach.
way() { # WAY NAME PATH [FILE]
	local at got='' size=300000
	for at in $PLACES $((size - 5)); do
		q -c "$PAGES $1 $size $at ${4:-}" \
			"count of tag fix283 where proc = pages and name = $2"
		got+="$(field '.count > 0') "
	done
	same "$1" "$got" "$(for at in $PLACES; do printf 'true '; done)false "
	same "$1: all of it was searched" "$(grep '"ledger"' "$tmp/err" |
		jq -c --argjson n $size "[.ledger.nodes[].paths.$3 | .bytes_seen >= \$n, .bytes_seen - .bytes_scanned - .known_clean, .faulted, .uncovered]")" \
		'[true,0,0,0]'
}
can() { grep -q "^$1  *ok" "$tmp/doctor"; }
for w in pipe-file pipe-file-at pipe-pipe socket-pipe file-pipe; do way $w splice pages; done
for w in pipe-unix pipe-tcp; do way $w splice pages; done
for w in sendfile-unix sendfile-file sendfile-pipe; do way $w sendfile pages; done
way tee tee pages; way vmsplice vmsplice pages; way copy copy_file_range pages
way vm-read process_vm_readv process_vm; way vm-write process_vm_writev process_vm
can 'what splice sends from a pipe' && way pipe-late splice pages
# Into a device: seen only by a hook at the call's entry, which there is where sends have no hook of
# their own; else it comes when it was missed.
for w in pipe-null vmsplice-null; do
	q -c "$PAGES $w 300000 10" 'count of tag fix283 where proc = pages and name = splice'
	same "$w: found or uncovered" "$(field .count) $(grep '"ledger"' "$tmp/err" | jq '.ledger.nodes[].paths.pages.uncovered')" \
		"$(can 'what splice sends from a pipe' && echo 0 1 || echo 1 0)"
	RUNNEL_WITHOUT=sock_send_length q -c "$PAGES $w 300000 10" \
		'count of tag fix283 where proc = pages and name = splice'
	same "$w: found at the call's entry" \
		"$(field .count) $(grep '"ledger"' "$tmp/err" | jq '.ledger.nodes[].paths.pages.uncovered')" \
		'1 0'
done
# How long it takes until the entry is hooked differs.
for later in 1 5 20; do
	q -c "$PAGES null-later 300000 10 $later" \
		'count of tag fix283 where proc = pages and name = splice'
	[ "$(field .count)" = 0 ] || break
done
same 'null-later: found after the first one' \
	"$(field .count) $(grep '"ledger"' "$tmp/err" | jq '.ledger.nodes[].paths.pages.uncovered')" \
	"$(can 'what splice sends from a pipe' && echo 1 1 || echo 2 0)"
q -c "$PAGES null-later 300000 10 $later" 'name of tag fix283 where proc = pages and name = splice'
same 'null-later: so in rows' "$(field .name | paste -sd' ')" \
	"$(can 'what splice sends from a pipe' && echo splice || echo splice splice)"
pages() { grep '"ledger"' "$tmp/err" | jq -c "[.ledger.nodes[].paths.pages | $1]"; }
# What another process takes out of the pipe before the call that put it there has returned is
# counted, to the byte.
q -c "$PAGES taken 64 10" 'count of tag fix283 where proc = pages and name = splice'
same 'taken: what was not found is faulted' \
	"$(pages '.bytes_seen, .bytes_scanned + .faulted, .bytes_scanned')" \
	"[1280000,1280000,$(($(field .count) * 64))]"
if [ "$(nproc)" -gt 1 ]; then
	same 'taken: and that happened' "$(pages '.faulted > 0')" '[true]'
else
	skip "taken: there is one CPU"
fi
if can 'tags in files read through memory'; then
	for w in map-read map-cold map-random; do way $w mmap_read mmap; done
	q -c "$PAGES map-first 300000 299999 $tmp/first" \
		"count of tag fix283 where proc = pages and name = mmap_read and file = \"$tmp/first\""
	same 'map-first: of pages that are not in memory nothing is read' \
		"$(grep '"ledger"' "$tmp/err" | jq -c '[.ledger.nodes[].paths.mmap | .bytes_scanned > 0, .bytes_scanned < 65536]')" \
		'[true,true]'
else
	skip "this kernel does not say what is mapped"
	q -c "$PAGES map-read 300000 0" 'count of tag fix283 where proc = pages'
	same 'which is counted' \
		"$(grep '"ledger"' "$tmp/err" | jq '.ledger.nodes[].paths.mmap.uncovered > 0')" \
		true
fi
if can 'tags in files written through memory'; then
	for w in map-msync map-unmap map-exit; do way $w mmap_write mmap; done
	# Several mappings at once: each is an event, 16 of them at most; the others, and what was
	# made and is not searched yet, are counted.
	maps() { # WAY EVENTS UNCOVERED [FILE]
		q -c "$PAGES $1 5000 4093 ${4:-}" \
			'count of tag fix283 where proc = pages and name = mmap_write'
		same "$1: events, uncovered" "$(field .count) $(grep '"ledger"' "$tmp/err" | jq '.ledger.nodes[].paths.mmap.uncovered')" \
			"$2 $3"
	}
	maps map-three 3 0; maps map-twenty 16 4; maps map-unmap-two 2 0; maps map-left 0 1
	maps map-left-synced 1 0
	maps map-msync-two 4 0 # it locks for each
else
	skip "this kernel does not say who locks an address space"
fi
# Other file systems, as far as they can be mounted here.
mounted() { # DIRECTORY
	for w in sendfile-unix copy pipe-file file-pipe; do
		way $w "$(case $w in copy) echo copy_file_range ;; sendfile*) echo sendfile ;; *) echo splice ;; esac)" \
			pages "$1/file"
	done
	can 'tags in files written through memory' && maps map-exit 1 0 "$1/file"
}
at_exit 'rm -rf /dev/shm/pages.$$'
mkdir /dev/shm/pages.$$ && mounted /dev/shm/pages.$$
mkdir -p "$tmp"/{memory,merged}
if mount -t tmpfs memory "$tmp/memory" 2>/dev/null; then
	mkdir "$tmp"/memory/{lower,upper,work}
	if mount -t overlay -o \
		"lowerdir=$tmp/memory/lower,upperdir=$tmp/memory/upper,workdir=$tmp/memory/work" o \
		"$tmp/merged" 2>/dev/null; then
		mounted "$tmp/merged"
		umount "$tmp/merged"
	else
		skip "overlayfs cannot be mounted here"
	fi
	umount "$tmp/memory"
else
	skip "nothing can be mounted here"
fi
done_testing
