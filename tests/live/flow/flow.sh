#!/bin/bash
# A tagged file, copied by cp, piped through cat, sent with nc to another process and written again,
# is one path.
. tests/live/lib.sh
need_bpf; need jq nc
{
	head -c 5000 /dev/zero | tr '\0' x
	printf 'fix283'
	head -c 3000 /dev/zero | tr '\0' y
} >"$tmp/a"
cat >"$tmp/scenario" <<S
nc -v -l -N 127.0.0.1 0 >$tmp/c 2>$tmp/listener & server=\$!
until port=\$(sed -n '1s/^Listening on .* //p' $tmp/listener); [ -n "\$port" ]; do kill -0 \$server || exit; sleep 0.05; done
cp $tmp/a $tmp/b
cat $tmp/b | nc -N 127.0.0.1 \$port
wait \$server
S
q -c "bash $tmp/scenario" 'flow of tag fix283'
cmp -s "$tmp/a" "$tmp/c" && ok 'the scenario ran' || not_ok 'the scenario did not copy the file'
jq -c '[.hop, .from, .proc, .name, .dir, .object, .bytes, .tags]' "$tmp/out"
port=$(sed -n '1s/^Listening on .* //p' "$tmp/listener")
hops() { field "select($1) | .hop" | head -1; }
cp=$(hops ".proc == \"cp\" and (.object | contains(\"$tmp/b\"))") \
	cat_in=$(hops ".proc == \"cat\" and .dir == \"in\" and .object == \"$tmp/b\"")
cat_out=$(hops '.proc == "cat" and .dir == "out" and (.object | startswith("pipe:"))')
nc_in=$(hops '.proc == "nc" and .dir == "in" and (.object | startswith("pipe:"))')
send=$(hops ".proc == \"nc\" and .dir == \"out\" and (.object | contains(\"127.0.0.1:$port\"))")
recv=$(hops ".proc == \"nc\" and .dir == \"in\" and (.object | contains(\"127.0.0.1:$port\"))")
write=$(hops ".proc == \"nc\" and .dir == \"out\" and .object == \"$tmp/c\"")
order="$cp $cat_in $cat_out $nc_in $send $recv $write"
same 'every hop is there' "$(wc -w <<<"$order")" 7
same 'in order' "$(tr ' ' '\n' <<<"$order" | sort -n | paste -sd' ')" "$order"
same 'both socket ends' "$(field 'select(.object | contains("->")) | .object' | sort -u | wc -l)" 2
chain=$(jq -s -r --argjson last "${write:-0}" '. as $h | [$last] | until((.[0] as $n | $h | map(select(.hop == $n))[0].from // 0) == 0; [(.[0] as $n | $h | map(select(.hop == $n))[0].from)] + .) | map(tostring) | join(" ")' "$tmp/out")
same 'one path from the first hop to the last' "$(wc -w <<<"$chain" | awk '{ print ($1 >= 6) }')" 1
same 'the file of the source' "$(field 'select(.proc == "cp") | .object' | grep -c "$tmp/a")" 1

# Two files with the mark go their ways; `through` shows the one that cat read, whole, and as many
# hops as there are. `where` shows the pieces.
cat >"$tmp/two" <<S
cp $tmp/a $tmp/d; cat $tmp/d | tail -c 10000 >$tmp/e
cp $tmp/e $tmp/f; rm $tmp/e
printf fix283 >$tmp/other; head -c 100 $tmp/other >/dev/null
S
q -c "bash $tmp/two" 'flow of tag fix283 through proc = cat'
same 'a whole flow has what came before and behind' \
	"$(field '.proc' | uniq | paste -sd' ')" 'cp cat tail cp'
same 'and nothing else' "$(field .object | grep -c "$tmp/other")" 0
same 'its hops are numbered from 1' "$(field .hop | uniq | paste -sd' ')" \
	"$(seq "$(field .hop | tail -n 1)" | paste -sd' ')"
same 'it goes forward in time and in depth' \
	"$(jq -s '[.[] | select(.from > 0) | .lag >= 0] | all' "$tmp/out") $(
		jq -s '(map({key: "\(.hop)", value: .depth}) | from_entries) as $d |
			map(if .from == 0 then true else .depth > $d["\(.from)"] end) | all' "$tmp/out")" \
	'true true'
q -c "bash $tmp/two" 'flow of tag fix283 through proc = head'
same 'the other flow' "$(field .proc | paste -sd' ')" \
	'bash bash head head'
q -c "bash $tmp/two" 'flow of tag fix283 where proc = cat'
same 'where leaves the other ends outside' \
	"$(field 'select(.object | startswith("pipe:")) | .match' | sort -u)" outside
q -c "bash $tmp/two" 'flow of tag fix283 through proc = nobody'
same 'no flow has such a hop' "$(wc -c <"$tmp/out")" 0

q -c "$B/tests/programs/closed fix283" 'flow of tag fix283'
same 'what a closed connection still held is linked to its sender' \
	"$(field 'select(.dir == "in") | .from')" "$(field 'select(.dir == "out") | .hop')"

# The way of a copy in the kernel, and of a file of two origins. PROGRAM reads and writes as it
# says; the truth is what it says.
python=$(command -v python3)
if [ -n "$python" ]; then
	cd "$tmp" || exit 1
	printf 'zqlk01 A\n' >A; printf 'zqlk01 B\n' >Bb; printf 'zqlk02 C\n' >C
	links() { field \
		'[.name, .object, .from, .link, .choices, .tags] | map(tostring) | join(" ")' |
		sed "s|$tmp/||g; s|[EF] => G|=> G|"; }
	script() { q -c "$python -S -c '$1'" "flow of tag $2 where not (file ~ \"*.py\")"; }
	script 'import os
os.read(os.open("A", 0), 100)
o = os.open("D", os.O_CREAT | os.O_WRONLY)
os.sendfile(o, os.open("Bb", 0), 0, 100)' zqlk01
	same 'a copy in the kernel is of the file that it read' "$(links)" \
		"$(printf '%s\n' 'read A 0  0 zqlk01' 'sendfile Bb => D 0  0 zqlk01')"
	script 'import os
a = os.read(os.open("A", 0), 100)
c = os.read(os.open("C", 0), 100)
o = os.open("E", os.O_CREAT | os.O_WRONLY)
os.write(o, a + c)
os.rename("E", "F")
o = os.open("G", os.O_CREAT | os.O_WRONLY)
os.sendfile(o, os.open("F", 0), 0, 100)' zqlk01,zqlk02
	same 'two tags of two origins are two rows of one hop; a copy of a file that has another name now' \
		"$(links)" "$(printf '%s\n' 'read A 0  0 zqlk01' \
		'read C 0  0 zqlk02' 'write E 1 process 1 zqlk01' 'write E 2 process 1 zqlk02' \
		'sendfile => G 3 file 1 zqlk01,zqlk02')"
	same 'and one number' "$(field 'select(.name == "write") | .hop' | sort -u)" 3
	script 'import os
f = os.open("H", os.O_CREAT | os.O_RDWR)
os.write(f, b"zqlk03 one")
os.pwrite(f, b"zqlk03 two", 4096)
os.pwrite(f, b"zqlk03 six", 0)
os.pread(f, 10, 4096)
os.pread(f, 10, 0)
os.pread(f, 5000, 0)' zqlk03
	same 'what is read at a place was written there, last' \
		"$(field 'select(.dir == "in") | "\(.from) \(.link) \(.choices)"')" \
		"$(printf '%s\n' '2 file 1' '3 file 1' '3 file 1')"
	ins() { field 'select(.dir == "in") | "\(.from) \(.link) \(.choices)"'; }
	script 'import os
for name, text in ("p1", b"one zqlk04 end"), ("p2", b"two zqlk04 end"):
    os.write(os.open(name, os.O_CREAT | os.O_WRONLY), text)
o = os.open("p3", os.O_CREAT | os.O_RDWR)
for name in "p1", "p2":
    os.copy_file_range(os.open(name, 0), o, 100)
os.pread(o, 100, 0)
os.copy_file_range(os.open("p1", 0), os.open("p4", os.O_CREAT | os.O_WRONLY), 14, 0, 8192)
os.pread(os.open("p4", 0), 14, 8192)' zqlk04
	same 'a copy says where it reads, not where it writes' "$(ins)" \
		"$(printf '%s\n' '4 file 2' '6 file 1')"
	mkfifo fifo
	script 'import os
f = os.open("fifo", os.O_RDWR)
os.write(f, b"first zqlk05")
os.write(f, b"other zqlk05")
os.read(f, 12)
os.read(f, 12)' zqlk05
	same 'what goes first into a named pipe comes first out of it' \
		"$(field 'select(.dir == "in") | "\(.from) \(.link) \(.match)"')" \
		"$(printf '%s\n' '1 order order' '2 order order')"
	script 'import os, pty, tty
m, s = pty.openpty()
tty.setraw(s)
os.write(s, b"out zqlk06")
os.read(m, 10)
os.write(m, b"in  zqlk06")
os.read(s, 10)' zqlk06
	same 'what a terminal shows is not what was typed' \
		"$(field 'select(.dir == "in") | "\(.object | sub("[0-9]+$"; "")) \(.from)"')" \
		"$(printf '%s\n' '/dev/ptmx 0' '/dev/pts/ 0')"
	script 'import socket
a, b = socket.socketpair()
for n in 1, 2:
    a.send(b"zqlk07 text")
    if n == 1:
        b.recv(100, socket.MSG_PEEK)
b.recv(11)
b.recv(11)' zqlk07
	same 'what was peeked at is still there' "$(ins)" \
		"$(printf '%s\n' '1 order 1' '1 order 2' '3 order 2')"
	script 'import os, ctypes
r, w = os.pipe()
x, y = os.pipe()
os.write(w, b"zqlk08 text")
ctypes.CDLL(None).tee(r, y, 100, 0)
os.write(w, b"zqlk08 text")
os.read(r, 11)
os.read(r, 11)
os.read(x, 11)' zqlk08
	same 'so is what tee copied' \
		"$(field 'select(.name == "read") | "\(.from) \(.link) \(.choices)"')" \
		"$(printf '%s\n' '1 order 2' '3 order 2' '2 order 1')"
	script 'import socket
r, s, u = (socket.socket(socket.AF_INET, socket.SOCK_DGRAM) for _ in range(3))
r.bind(("127.0.0.1", 0))
s.connect(r.getsockname())
u.connect(r.getsockname())
s.send(b"zqlk09")
r.recv(100, socket.MSG_PEEK)
u.send(b"zqlk09")
r.recv(100)
r.recv(100)' zqlk09
	same 'and a datagram' "$(field 'select(.dir == "in") | "\(.from) \(.link)"')" \
		"$(printf '%s\n' '1 order' '1 order' '3 order')"
	q -c "$python -S -c 'import os; os.sendfile(os.open(\"D\", os.O_WRONLY), os.open(\"Bb\", 0), 0, 100)'" \
		'source_dev, source_ino, dev, ino, around of tag zqlk01'
	same 'the source is that file' \
		"$(field '[.source_ino, .ino, .source_dev == .dev] | map(tostring) | join(" ")')" \
		"$(stat -c %i Bb) $(stat -c %i D) true"
	cd - >/dev/null || exit 1
fi

# A recording of the same run has the same links.
tag=zqrc; tag=${tag}77 # which is not in this file
printf '%s and so on\n' $tag >"$tmp/a"
"$RN" -v -o json "events of tag $tag where proc in (cp, cat, nc) into \"$tmp/x.rnt\"" >"$tmp/rec" \
	2>"$tmp/recerr" &
recorder=$!
await grep -q '^attached' "$tmp/recerr"
rm "$tmp/listener"
during "flow of tag $tag where proc in (cp, cat, nc)" bash "$tmp/scenario"
kill -TERM $recorder; wait $recorder
rows() { jq -c 'del(.time, .latency, .lag)'; }
rows <"$tmp/out" >"$tmp/lived"
q "flow of tag $tag from \"$tmp/x.rnt\""
same 'hops over the recording' "$(diff "$tmp/lived" <(rows <"$tmp/out"))" ''
same 'there are some, with evidence' \
	"$(jq -s '([.[] | select(.link == "hash")] | length) >= 2' "$tmp/lived")" true
done_testing
