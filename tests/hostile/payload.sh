#!/bin/bash
# payload.sh - an asker who wants the payload of a node, and may change its own program:
# build/tests/swapper puts to the node what no planner would. Each attack is made twice: without a
# line `payload` in the node's policy, where it succeeds, and under `payload = deny`, where it gets
# nothing.
. tests/hostile/lib.bash
need_bpf; need python3
export RUNNEL_POLICY=$tmp/deny
: >"$tmp/unseen"; echo 'payload = deny' >"$tmp/deny"
printf 'payload = deny\ntags = zq*, "order *"\n' >"$tmp/tags"
agent() { echo "$RN agent --stdio --policy $tmp/$1"; }
# What a program moves through a pipe: a password byte by byte, as it comes from a terminal; eight
# bytes at once; more.
{ python3 -c 'import sys; print("#!" + sys.executable)'; cat; } >"$tmp/victim" <<'PY'
import os
r, w = os.pipe()
for part in [bytes([c]) for c in b"Tr0ub4dor&3"] + [b"hunter22", b"pin=4711;user=bob;pw=hunter22"]:
    os.write(w, part)
    os.read(r, 100)
PY
chmod +x "$tmp/victim"
printf 'pin=4711;user=bob;pw=hunter22' >"$tmp/long"
plain=$(tests/programs/hostile/unhash.py of "$tmp/long")
ask() { # POLICY ARGUMENT...: what comes back, in $tmp/out
	local policy=$1; shift
	within 4096 60 "$B/tests/swapper" -c "$tmp/victim" "$@" >"$tmp/out" 2>"$tmp/err" || {
		not_ok "swapper $*"
		cat "$tmp/out" "$tmp/err"
	}
}
put() { local policy=$1 q=${*: -1}; ask "$policy" "${@:2:$#-2}" "$(agent "$policy")" "$q"; }

# ---- the hash gives short payloads back ----
spelled() {
	sed -n 's/^row \([0-9]*\) B \(0x\)/\1 \2/p' "$tmp/out" |
		tests/programs/hostile/unhash.py guess
}
Q='of write where proc = victim and name = write'
put unseen "bytes, hash $Q"
same 'hash, without a line: the password is read' "$(spelled)" 'Tr0ub4dor&3 hunter22'
same 'hash, without a line: it is XXH64' "$(grep -c "$plain" "$tmp/out")" 1
put deny "bytes, hash $Q"; same 'hash: nothing is read' "$(spelled)" ''
same 'hash: all events are there' "$(grep -c '^row' "$tmp/out")" 13
same 'hash: none of short payloads' \
	"$(sed -n 's/^row \([0-9]*\) B 0x0*$/\1/p' "$tmp/out" | sort -n | uniq -c | awk '{ print $1 "x" $2 }' | paste -sd' ')" \
	'11x1 1x8'
same 'hash: of a long one there is one' \
	"$(sed -n 's/^row 29 B //p' "$tmp/out" | grep -cvx 0x0000000000000000)" 1
same 'hash: and it is not XXH64' "$(grep -c "$plain" "$tmp/out")" 0
same 'hash: the ledger says what was withheld' \
	"$(grep -o 'withheld=[0-9]* own_key=[0-9]*' "$tmp/out")" 'withheld=12 own_key=1'
run -o json -c "$tmp/victim" "hash $Q"
same 'a query of the machine itself obeys, too' \
	"$(grep -c "$plain" "$tmp/out") $(grep -c 0x0000000000000000 "$tmp/out")" '0 12'
# However it is asked for: as a key and in the aggregates that may have it, formed in the kernel, at
# the node, or at the coordinator.
for how in '' -n -r; do
	for what in 'count'"|by offset" 'set(offset)|' 'top(offset, 9)|' \
		'distinct(offset)|by offset'; do
		put deny $how -s offset=hash "${what%|*} $Q ${what#*|}"
		same "hash${how:+, $how}: ${what/|/ }: keyed" \
			"$(grep -c "$plain" "$tmp/out") $(grep -q 0x00000000 "$tmp/out" && echo answered)" \
			'0 answered'
	done
done

# ---- what the node refuses, however the fragment came to be ----
refused() { # NAME WHAT ARGUMENT... QUERY
	local what=$2 name=$1; shift 2
	put tags "$@"
	same "refused: $name" "$(grep -c "^error .*$what.*\[E-POLICY\]" "$tmp/out") $(grep -cE '^(row|group)' "$tmp/out")" \
		'1 0'
}
so='use `hash` so'
for how in '' -n -r; do
	refused "hash = constant $how" "$so" $how -s offset=hash "count $Q and offset = 17"
done
refused "hash in a list" "$so" -n -s offset=hash "count $Q and not offset in (1, 2)"
refused "hash in part of a condition" "$so" -s offset=hash \
	"count $Q and (bytes > 5 or offset % 256 < 7)"
for agg in min sum first hist p99; do
	refused "$agg(hash)" "$so" -s offset=hash "$agg(offset) $Q"
done
refused 'set(hash % 256)' "$so" -s offset=hash "set(offset % 256) $Q"
refused 'set renamed to max' "$so" -s offset=hash -a set=max "set(offset) $Q"
refused 'by hash % 256' "$so" -s offset=hash "count $Q by offset % 256"
refused 'hash + 1' "$so" -s offset=hash "offset + 1 $Q"
refused 'hash at the first end of a pair' "$so" -s offset=hash \
	'count of between (events of write where offset = 7) and (events of read) on pid'
refused 'hash at the second end of a pair' "$so" -s offset=hash \
	'count of between (events of write) and (events of read where offset = 7) on pid'
put tags -s ino=hash 'count of between (events of write) and (events of read) on ino'
same 'refused: pairs on hash' "$(grep -c '^error ' "$tmp/out")" 1
refused 'sketch' 'sketch, which similar() takes' -s file=sketch "file $Q"
refused 'sketch as an argument' 'sketch, which similar() takes' -s file=sketch "first(file) $Q"
refused 'similar' 'sketch, which similar() takes' \
	"count $Q and similar(data, \"pw=hunter22\") > 0.1"
refused 'data' 'the field data' -s file=data "file $Q"
refused 'a condition on data' 'the field data' -n -s file=data "count $Q and file ~ \"pin=4*\""
refused 'a condition on data, at the coordinator' 'the field data' -r -s file=data \
	"count $Q and file ~ \"pin=4*\""
refused 'len(data)' 'the field data' -n -s file=data "count $Q by len(file)"
put tags -s file=data "count $Q by len(file)" # the kernel computes the length of a path alone
same 'refused: len(data) in the kernel' \
	"$(grep -c '^error .*not evaluated in this kernel is field `data`' "$tmp/out") $(grep -cE '^(row|group)' "$tmp/out")" \
	'1 0'
refused 'set(data)' 'the field data' -s file=data "set(file) $Q"
put unseen -s file=data "file $Q"
same 'refused: data, without a line' "$(grep -c '^error .*the field data' "$tmp/out")" 1
put unseen -s file=sketch "file $Q"
same 'without a line a sketch is given' "$(grep -c '^row x"' "$tmp/out")" 13

# ---- tags that grow byte by byte ----
spell() { # POLICY FROM: two bytes of what stands behind FROM, as the node tells
	local known=$2 tags
	for _ in 1 2; do
		tags=$(python3 -c 'import sys; print(", ".join("x\"%s\"" % (sys.argv[1].encode() + bytes([c])).hex() for c in range(33, 127)))' "$known")
		put "$1" "count of tag $tags where proc = victim by tags"
		known=$(python3 -c '
import re, sys
found = [re.match(r"group (\S+) ", l) for l in open(sys.argv[1])]
found = [m[1].split(",")[0] for m in found if m]
print(found[0] if found else sys.argv[2])' "$tmp/out" "$known")
		grep -q '^group' "$tmp/out" || break
	done
	echo "$known"
}
same 'tags, without a line: they spell' "$(spell unseen pw=hun)" pw=hunte
same 'tags: nothing is told' "$(spell deny pw=hun) $(grep -c '^error .*search for the tag .*deny:1 \[E-POLICY\]' "$tmp/out")" \
	'pw=hun 1'
same 'tags that the policy does not list: nothing is told' \
	"$(spell tags pw=hun) $(grep -c '^error .*search for the tag .*tags:2 \[E-POLICY\]' "$tmp/out")" \
	'pw=hun 1'
put tags 'count of tag zq91, "order 17"'
same 'tags that it lists are searched' "$(grep -c '^ledger .*bytes_scanned=' "$tmp/out")" 1
put tags 'count of tag zq91, "orders"'
same 'one that it does not list is enough' "$(grep -c '^error .*the tag `orders`:' "$tmp/out")" 1

# ---- what lies around a tag ----
printf 'user=bob;pw=hunter22;zq91;pin=4711' >"$tmp/marked"
around() {
	within 4096 60 "$B/tests/swapper" -c "cat $tmp/marked >$tmp/copy" "$(agent "$1")" \
		'tags, around of tag zq91 where proc = cat' >"$tmp/out" 2>&1
}
around unseen; n=$(grep -c '^row' "$tmp/out")
same 'around, without a line: fingerprints' \
	"$(grep -c '^row zq91 zq91@' "$tmp/out") $([ "$n" -gt 0 ] && echo some)" "$n some"
around tags
same 'around: empty' "$(grep -c '^row zq91 $' "$tmp/out") $(grep -o 'withheld=[0-9]*' "$tmp/out")" \
	"$n withheld=$n"
done_testing
