#!/bin/bash
# `file` is what a descriptor is open on when the event happens: after renames, by each of several
# names, through mounts, without a name. What a program reads while this goes on is compared with
# /proc/self/fd at that moment, live and over a recording of the same run.
. tests/live/lib.sh
need_bpf; need jq python3 unshare
repo=$PWD work=$(realpath "$tmp")/w; mkdir "$work"; cd "$work" || exit 1

# ---- one command each ----
# Without the path of the directory, which in a chroot has that before it.
short='((.file // .exe // .source) | split("'"$work"'/") | last)'
one() { # WHAT QUERY COMMAND JQ-OF-A-ROW WANTED
	rm -rf "${work:?}"/*
	q --strict -c "$3" "$2"
	same "$1" "$? $(field "$4" | paste -sd,)" "0 $5"
}
one 'after a rename the new name counts' 'count of io where file ~ "*/n.conf"' \
	'echo hi > n.tmp; mv n.tmp n.conf; cat n.conf > /dev/null' .count 2
one 'each name its own group' \
	'count, sum(bytes) of read where bytes = 3 by proc, file order by file' \
	'echo hi > a3; cat a3 >/dev/null; mv a3 b3; for i in 1 2 3; do cat b3 >/dev/null; done' \
	"\"\\($short) \\(.count)\"" 'a3 1,b3 3'
one 'an open of the new name' 'events of open where file ~ "*b5" and proc = cat' \
	'echo hi > a5; cat a5 >/dev/null; mv a5 b5; cat b5 >/dev/null' "$short" b5
one 'hard links' 'time, file, bytes of read where bytes = 3' \
	'echo hi > h1; ln h1 h2; cat h1 >/dev/null; cat h2 >/dev/null' "$short" h1,h2
one 'a file that is removed' 'time, file of write where bytes = 4' \
	'exec 5>l9; echo one >&5; rm l9; echo two >&5' "$short" 'l9,l9 (deleted)'
one 'the name at the call that closes' 'file of close where file ~ "*/w/x*"' \
	"python3 -c 'import os; a = os.open(\"x1\", os.O_CREAT); os.rename(\"x1\", \"x2\"); os.close(a)'" \
	"$short" x2
one 'the program that runs' 'count of write where bytes = 6 by exe order by exe' \
	'cp /bin/echo e1; ./e1 first; mv e1 e2; ./e2 other; ./e2 again' \
	"\"\\($short) \\(.count)\"" 'e1 1,e2 2'
one 'the program that runs is renamed' 'exe of write where bytes = 5 and proc = p1' \
	'cp /bin/bash p1; ./p1 -c "echo four; mv p1 p2; echo five; rm p2; echo last"' "$short" \
	'p1,p2,p2 (deleted)'
one 'what a copy reads' 'source of sendfile' "python3 -c 'import os
a = os.open(\"s1\", os.O_RDWR | os.O_CREAT); os.write(a, b\"x\" * 9); to = os.open(\"to\", os.O_RDWR | os.O_CREAT)
os.sendfile(to, a, 0, 9); os.rename(\"s1\", \"s2\"); os.sendfile(to, a, 0, 9)'" "$short" s1,s2
rotate='echo hi > conf; for k in 1 2 3 4 5; do cat conf >/dev/null; mv conf conf.$k; sleep 0.3; cat conf.$k >/dev/null; mv conf.$k conf; done'
sums="group_by(.file) | map(\"\\(.[0] | $short) \\(map(.count) | add)\") | join(\",\")"
rotated='conf 5,conf.1 1,conf.2 1,conf.3 1,conf.4 1,conf.5 1'
q --strict -c "$rotate" 'count of read where bytes = 3 by proc, file every 1s'
same 'log rotation, in windows' "$(jq -rs "$sums" "$tmp/out")" "$rotated"
q --strict -c "$rotate" "events of read where bytes = 3 into \"$tmp/conf.rnt\""
q "count of read from \"$tmp/conf.rnt\" by file"
same 'log rotation, recorded' "$(jq -rs "$sums" "$tmp/out")" "$rotated"
q --strict -c "python3 -c 'import os, ctypes
c = ctypes.CDLL(None)
for i in range(50):
    e, t, s = c.eventfd(1, 0), c.timerfd_create(1, 0), (ctypes.c_long * 4)(0, 0, 0, 1)
    c.timerfd_settime(t, 0, s, None); os.read(e, 8); os.read(t, 8)'" 'count of read where file ~ "anon_inode:*" by file order by file'
same 'kinds of objects without a path' "$(field '"\(.file) \(.count)"' | paste -sd,)" \
	'anon_inode:[eventfd] 50,anon_inode:[timerfd] 50'

# Through memory: a file that was renamed before it was mapped, and one of overlayfs, which is
# mapped from a layer.
if grep -q '^tags in files read through memory  *ok' "$tmp/doctor"; then
	rm -rf "${work:?}"/*
	cat >maps.py <<-'S'
	import ctypes, mmap, os
	libc = ctypes.CDLL(None)
	def file(path):
	    with open(path, "w") as f: f.write("x" * 100 + "fix283" + "y" * 9000)
	def look(fd): print(os.readlink(f"/proc/self/fd/{fd}"), mmap.mmap(fd, 4096, mmap.MAP_SHARED, mmap.PROT_READ)[0], flush=True)
	file("m1"); fd = os.open("m1", os.O_RDONLY); os.rename("m1", "m2"); look(fd)
	os.mkdir("t"); libc.mount(b"t", b"t", b"tmpfs", 0, None)
	for d in "lumw": os.mkdir("t/" + d)
	file("t/l/f")
	if not libc.mount(b"o", b"t/m", b"overlay", 0, b"lowerdir=t/l,upperdir=t/u,workdir=t/w"):
	    look(os.open("t/m/f", os.O_RDONLY))
	S
	q --strict -c "unshare -m python3 maps.py >$tmp/said 2>$tmp/cannot" \
		'time, file of tag fix283 where name = mmap_read and proc = python3'
	same 'names of mappings' "$? $(field "$short" | paste -sd,)" \
		"0 $(sed "s|^$work/||; s/ [0-9]*$//" "$tmp/said" | paste -sd,)"
	[ -s "$tmp/said" ] || not_ok "the program that maps: $(cat "$tmp/cannot")"
else
	skip "this kernel does not say what is mapped"
fi

# ---- a program that says itself what it reads: size of the read, name ----
program="unshare -m python3 $repo/tests/programs/events/names.py"
rm -rf "${work:?}"/*; mkdir d
"$RN" -v "events of read where name = pread64 into \"$tmp/run.rnt\"" >"$tmp/recorded" \
	2>"$tmp/recording" &
recorder=$!
attached() { grep -q '^attached' "$tmp/recording" || ! kill -0 "$recorder" 2>/dev/null; }
await attached
q --strict -c "$program $work/d >$tmp/said 2>$tmp/cannot" \
	"arg2, file of read where name = pread64 and proc = python3 and arg2 > 100 and arg2 < 200"
same 'nothing is unsettled or lost' "$?" 0
kill -TERM $recorder; wait $recorder
sed "s/^/skip $name: /" "$tmp/cannot"
sed -i "s|$work/||" "$tmp/said"
row="\"\\(.arg2) \\($short)\""
field "$row" >"$tmp/live"
same 'reads of the program' "$(wc -l <"$tmp/said") $(grep -c . "$tmp/live")" \
	"$(wc -l <"$tmp/live") $(grep -c . "$tmp/said")"
[ "$(wc -l <"$tmp/said")" -gt 10 ] && ok 'the program ran' ||
	not_ok "the program said: $(cat "$tmp/said" "$tmp/cannot")"
same 'every name as /proc had it' "$(diff "$tmp/said" "$tmp/live")" ''
q "arg2, file of read from \"$tmp/run.rnt\" where proc = python3 and arg2 > 100 and arg2 < 200"
same 'the same rows over the recording' "$(diff "$tmp/live" <(field "$row"))" ''
q "count of read from \"$tmp/run.rnt\" where proc = python3 and arg2 > 100 and arg2 < 200 by file"
same 'and groups' "$(field "\"\\(.count) \\($short)\"" | sort)" \
	"$(cut -d' ' -f2- "$tmp/said" | sort | uniq -c | sed 's/^ *//' | sort)"

# ---- two snapshots of one file have one device, inode and generation ----
if command -v mkfs.btrfs >/dev/null && truncate -s 200M img &&
	mkfs.btrfs -q img >/dev/null 2>&1 && mkdir b && mount -o loop img b 2>/dev/null; then
	btrfs -q subvolume create b/s1 2>/dev/null || btrfs subvolume create b/s1 >/dev/null
	echo one >b/s1/f; sync b/s1/f; btrfs subvolume snapshot b/s1 b/s2 >/dev/null
	q --strict -c 'cat b/s1/f; cat b/s2/f; cat b/s2/f' \
		'count of read where bytes = 4 by file order by file'
	same 'snapshots' "$(field "\"\\($short) \\(.count)\"" | paste -sd,)" 'b/s1/f 1,b/s2/f 2'
	umount b
else
	skip "no btrfs on this machine"
fi
cd "$repo" || exit 1
done_testing
