#!/bin/bash
# payload_keys.sh - hashes that a node keys: by which secret, what it may look like, of what there
# is no hash, and what several nodes, relays and recordings make of it.
. tests/hostile/lib.bash
need_bpf; need python3
export RUNNEL_POLICY=$tmp/policy
python=$(python3 -c 'import sys; print(sys.executable)') # not what starts it
P=$B/tests/programs/payloads
head -c 32 /dev/urandom >"$tmp/key"
head -c 32 /dev/urandom >"$tmp/other.key"
chmod 600 "$tmp"/*key
printf 'payload = deny\n' >"$tmp/random"
for k in key other.key; do
	printf 'payload = deny\nhash_key = %s\ntags = zq*\n' "$tmp/$k" >"$tmp/by.$k"
done
: >"$tmp/unseen"
use() { cat "$tmp/$1" >"$RUNNEL_POLICY"; }
head -c 100000 /dev/urandom >"$tmp/data"
COPY="dd if=$tmp/data of=$tmp/copy bs=100000 status=none" \
	Q='of write where proc = dd and bytes = 100000'
keyed() { RUNNEL_POLICY=$tmp/by.$1 "$B/tests/swapper" -k "$2" | sed 's/.* //'; }
hash_of() { grep -o '0x[0-9a-f]*' "$tmp/out"; }
hash() {
	run -o csv "${@:2}" -c "$COPY" "hash $Q"
	[ "$rc" = "$1" ] || { not_ok "status $rc"; cat "$tmp/err"; }
}

# ---- the key ----
use by.key; hash 0
same 'it is SipHash-2-4 of the XXH64 and the length' "$(hash_of)" "$(keyed key "$tmp/data")"
same 'with a key that others may have it is complete' \
	"$(hash 0 --strict; grep -c 'withheld\|own' "$tmp/err")" 0
use by.other.key
hash 0
same 'another key, another hash' "$(hash_of)" "$(keyed other.key "$tmp/data")"
same 'the keys are different' \
	"$([ "$(keyed key "$tmp/data")" != "$(keyed other.key "$tmp/data")" ] && echo yes)" yes
use by.key; hash 0; same 'the file is read for each query' "$(hash_of)" "$(keyed key "$tmp/data")"
use random; hash 0; first=$(hash_of)
holds 'without one each query has its own: it is said' \
	'1 node whose hashes have a key of their own in this query; no hash of theirs equals one of another node or query' \
	"$tmp/err"
hash 0
same 'two queries have different hashes' \
	"$([ -n "$first" ] && [ "$(hash_of)" != "$first" ] && echo yes)" yes
same 'neither is XXH64' "$([ "$("$P" "$tmp/data" of)" != "$first" ] && echo yes)" yes
refuses() { # NAME TEXT WAY: the way out; none writes over a key that is there
	hash 4
	same "refused: $1" "$(grep -c "the key of hashes of this node, $tmp/[a-z.]*, $2: $tmp/policy:2 \[E-POLICY\]" "$tmp/err") $(grep -c "^  the owner of the node $3" "$tmp/err") $(grep -c ">$tmp/" "$tmp/err")" \
		'1 1 0'
}
cp "$tmp/key" "$tmp/open.key"
printf 'payload = deny\nhash_key = %s\n' "$tmp/open.key" >"$RUNNEL_POLICY"
for mode in 640 604 620; do
	chmod $mode "$tmp/open.key"
	refuses "a key of mode $mode" 'may be read or written by others than its owner' \
		'says .chmod 600.'
done
chmod 600 "$tmp/open.key"
chown 65534 "$tmp/open.key"
refuses 'a key of nobody' 'belongs neither to root nor to the user of this process' \
	'gives it to root'
rm "$tmp/open.key"
refuses 'a key that is not there' 'No such file or directory' \
	'makes one by .umask 077; head -c 32 /dev/urandom >FILE.'
mkfifo -m 600 "$tmp/open.key"
refuses 'a FIFO' 'is no regular file' 'names a file with 16 or more random bytes'
rm "$tmp/open.key"
(umask 077; head -c 15 /dev/zero >"$tmp/open.key")
refuses 'a short key' 'has less than 16 bytes' 'names a file with 16 to 4,096 random bytes'
run -c true 'count of write'; same 'who asks for no hash needs no key' "$rc" 0
run doctor
same 'doctor tells' "$(grep -c "^policy of this node  *no  *the key of hashes of this node, $tmp/open.key, has less than 16 bytes" "$tmp/out")" \
	1

# ---- of what there is none ----
use by.key
printf 'fifteen bytes..' >"$tmp/15"; printf 'sixteen bytes...' >"$tmp/16"
# Each of both lengths goes into a pipe, a terminal, and /dev/null; and comes from the terminal.
# Then a file of 16 is copied to it, inside the kernel.
cat >"$tmp/moves.py" <<'PY'
import os, sys, tty
a, b = os.openpty()
tty.setraw(a)
tty.setraw(b)
r, w = os.pipe()
null = os.open("/dev/null", os.O_WRONLY)
for name in sys.argv[1:]:
    data = open(name, "rb", 0).read()
    for fd in w, b, null:
        os.write(fd, data)
    os.read(a, len(data))
    os.write(a, data)
    os.read(b, len(data))
    os.readv(r, [bytearray(5), bytearray(len(data) - 5)])
f = os.open(sys.argv[-1], os.O_RDONLY)
try:
    os.sendfile(b, f, 0, 16)
except OSError: # not every kernel copies to a terminal so
    os.write(b, data)
PY
run -o csv -c "$python $tmp/moves.py $tmp/15 $tmp/16" \
	'file, name, bytes, hash of io where file ~ "pipe:*" or file ~ "/dev/p*" or file = "/dev/null" and (bytes = 15 or bytes = 16)'
grep -E ',1[56],"?0x' "$tmp/out" | tr -d '"\r' | sed 's/^pipe:[^,]*/pipe/' | sort |
	uniq -c >"$tmp/moved"
k=$(keyed key "$tmp/16"); none=0x0000000000000000
count() { awk -v p="$1" '$2 ~ p { n += $1 } END { print n + 0 }' "$tmp/moved"; }
same 'a pipe, 16 bytes' "$(count "^pipe,.*,16,$k")" 2
same 'a pipe, 15 bytes' "$(count "^pipe,.*,15,$none")" 2
same '/dev/null, 16 bytes' "$(count "^/dev/null,.*,16,$k")" 1
same 'a terminal, 16 bytes' "$(count "^/dev/p.*,16,$none") $(count "^/dev/p.*,16,0x")" '5 5'
same 'all are told' "$(awk '{ n += $1 } END { print n }' "$tmp/moved")" 15
same 'and those without a hash are counted' \
	"$(sed -n 's/^  \([0-9]*\) hashes of payloads.*keeps* back; .*/\1/p' "$tmp/err")" \
	"$(count "$none")"
run --strict -c "$python $tmp/moves.py $tmp/15" 'set(hash) of io where file ~ "/dev/pts*"'
same 'they make the answer incomplete' "$rc" 3

# ---- nodes ----
node() { echo "$1 exec: env RUNNEL_POLICY=$tmp/$2"; }
{ node a by.key; node b by.key; } >"$tmp/alike"
{ node a by.key; node b by.other.key; } >"$tmp/differ"
{ node a random; node b random; } >"$tmp/own"; { node a by.key; node b unseen; } >"$tmp/mixed"
echo "r relay: $tmp/alike" >"$tmp/relayed"
# ask HOSTS QUERY: the copy is made while it runs.
ask() {
	begin -v -H "$tmp/$1" --strict -o csv "${@:2}"
	await attached_or_over
	if attached; then $COPY; end INT; else has_ended; fi
}
attached_or_over() { attached || is_over; }
of() {
	ask "$1" "count $Q by hash"
	echo "$rc $(grep -c 0x "$tmp/out") $(sed -n 's/^  hashes of nodes \(.*\) have different keys: .*/\1/p' "$tmp/err")"
}
same 'two nodes with the same key: one hash' "$(of alike)" '0 1 '
same 'that of the key' "$(grep -c "$(keyed key "$tmp/data")" "$tmp/out")" 1
same 'two nodes with different keys' "$(of differ)" '3 2 a and b'
same 'two nodes with keys of their own' \
	"$(of own) $(grep -c '^  2 nodes whose hashes have a key of their own' "$tmp/err")" \
	'3 2 a and b 1'
same 'one that keys and one that does not' "$(of mixed)" '3 2 a and b'
same 'through a relay' "$(of relayed) $(grep -c "$(keyed key "$tmp/data")" "$tmp/out")" '0 1  1'
ask relayed "count $Q and similar(data, \"a text of mine\") > 0.5"
same 'a relay lets through what a node refuses: the node does not' \
	"$(grep -c 'the policy of this node does not let a query have the field sketch.*by.key:1' "$tmp/err")" \
	1
ask alike -o json "set(hash) $Q"
same 'the ledger has an id for the key' \
	"$(grep -o '"hash_key": "0x[0-9a-f]*"' "$tmp/err" | sort | uniq -c | awk '{ print $1 }')" \
	2

# ---- recordings, explain, flows ----
use by.key
run -q -c "$COPY" "time, file, hash $Q into \"$tmp/r.rnt\""
run -o csv "hash of write from \"$tmp/r.rnt\""
same 'a recording has the hash that was let out' "$rc $(hash_of)" "0 $(keyed key "$tmp/data")"
RUNNEL_POLICY=$tmp/by.key "$B/tests/swapper" -k "$tmp/data" >"$tmp/secret"
same 'and no key' "$(python3 - "$tmp" <<'PY'
import sys
tmp = sys.argv[1]
recording = open(tmp + "/r.rnt", "rb").read()
key = bytes.fromhex(open(tmp + "/secret").read().split()[0])
own = open(tmp + "/key", "rb").read()
print([what in recording for what in (key, key[:8], key[8:], key[::-1], own[:8], key.hex().encode(), b"SQLite format 3")])
PY
)" '[False, False, False, False, False, False, True]'
run --explain "hash $Q"
holds 'explain: by which key' "withheld by $tmp/policy: hash is keyed by $tmp/key; of payloads of less than 16 bytes and of terminals there is none" \
	"$tmp/out"
run --explain 'count of write where hash = 0x17'
holds 'explain: what is refused' \
	"refused here: the policy of this node does not let a query use \`hash\` so: $tmp/policy:1 [E-POLICY]" \
	"$tmp/out"
run --explain 'count of tag secret'
holds 'explain: which tag' "refused here: the policy of this node does not let a query search for the tag \`secret\`: $tmp/policy:3 [E-POLICY]" \
	"$tmp/out"
run --dump=bpf "hash $Q"
same 'programs are shown without the key' \
	"$rc $(grep -ciE "$(cut -c 1-16 "$tmp/secret")|$(cut -c 17-32 "$tmp/secret")" "$tmp/out")" \
	'0 0'
printf 'one zq91 two' >"$tmp/in"
run -o csv -c "sh -c 'cat $tmp/in | cat >$tmp/there'" 'flow of tag zq91'
same 'a flow of a tag that is listed' \
	"$rc $(grep -c "zq91" "$tmp/out" | awk '{ print ($1 >= 4) }')" '0 1'
done_testing
