#!/bin/bash
# The TLS of a process is seen, or said to be missing, whatever others make of libraries, mappings,
# names and namespaces.
. tests/hostile/lib.bash
need_bpf; need jq setpriv unshare
TLS=$B/tests/programs/tls CROWD=$B/tests/programs/crowd
"$TLS" >/dev/null; [ $? = 77 ] && skip_all "libssl-dev is not installed"
grep -q 'NO.*user functions' "$tmp/doctor" && {
	skip_all "this kernel has no probes on user functions"
}
started=()
stop() {
	local p
	for p in "${started[@]}"; do kill -KILL "$p"; wait "$p"; done 2>/dev/null
	started=()
}
at_exit 'stop'
cp "$TLS" "$CROWD" "$tmp"
# crowd ARGUMENT...: in the background, as nobody, until it is ready
crowd() {
	: >"$tmp/ready"
	# shellcheck disable=SC2086 # a list
	as_nobody ${inside:-} "$tmp/crowd" "$@" >"$tmp/ready" 2>&1 & started+=($!)
	await grep -q . "$tmp/ready"
	grep -q ready "$tmp/ready" || not_ok "crowd $1: $(cat "$tmp/ready")"
}
# DIR N CODE
fakes() { mkdir "$tmp/$1"; chown 65534 "$tmp/$1"; nobody "$tmp/crowd" make "$2" "$tmp/$1" "$3"; }
# A process of that user id, whose libssl lies outside of /usr: it sends a tag over TLS. $pid
lib=$(ldd "$TLS" | awk '/libssl/ { print $3 }')
talk() { # UID
	mkdir "$tmp/of$1"; cp "$lib" "$tmp/of$1"
	LD_LIBRARY_PATH=$tmp/of$1 setpriv --reuid="$1" --clear-groups "$tmp/tls" times=1000000 \
		pause=2 write='a secret order' &
	pid=$!
	started+=("$pid")
	await grep -qs "$tmp/of$1/" /proc/$pid/maps
}
ask() { within 3000 100 "$RN" -o json --strict "$@" >"$tmp/out" 2>"$tmp/err"; rc=$?; }
unprobed() { grep '"ledger"' "$tmp/err" | jq .ledger.unprobed; }
seen() { # WHO PID LEAST MOST: its TLS is seen, and so many libraries are not probed
	local n
	ask "count of tls where pid = $2 by name for 500ms"
	same "$1: reads and writes are seen" \
		"$(jq -r 'select(.count > 0) | .name' "$tmp/out" | sort | paste -sd,)" \
		tls_read,tls_write
	ask "count of tag 'secret order' where pid = $2 for 500ms"
	same "$1: and the tag in them" "$(jq '.count > 0' "$tmp/out")" true
	n=$(unprobed)
	[ "${n:-0}" -ge "$3" ] && [ "$n" -le "$4" ] &&
		ok "$1: the ledger says how many are left out" ||
		not_ok "$1: left out $n, wanted $3 to $4: $(cut -c -200 "$tmp/err")"
	[ "$3" = 0 ] || same "$1: so the answer is incomplete" $rc 3
}

fakes one 130 554889e5c3
fakes more 470 554889e5c3
fakes other 130 554889e5c3
fakes refused 1 cc

# ---- many libraries that are mapped; other tests of this machine may have some as well ----
crowd map 1 "$tmp"/one/*/libssl.so.3
talk 1; victim=$pid
seen '130 of nobody' $victim 98 130
crowd map 1 "$tmp"/more/*/libssl.so.3
seen '600 of nobody' $victim 568 600
inside='unshare -Urm' crowd map 1 "$tmp"/other/*/libssl.so.3 # root there, but nobody to the machine
seen 'and 130 in a namespace of its own' $victim 698 730
talk 65534
seen 'another process of nobody' $pid 698 731
stop

# ---- 20 users with 36 each: more than there is room for in all, but some of each ----
files=("$tmp"/{one,more,other}/*/libssl.so.3)
for u in {0..19}; do
	setpriv --reuid=$((3001 + u)) --clear-groups "$tmp/crowd" map 1 "${files[@]:u * 36:36}" \
		>"$tmp/ready.$u" 2>&1 &
	started+=($!)
done
all_ready() { [ "$(cat "$tmp"/ready.* | grep -c ready)" = 20 ]; }
await all_ready || not_ok "not all users are ready: $(cat "$tmp"/ready.*)"
talk 5
seen '20 users' $pid 209 240
stop

# ---- one library mapped very often; names without end in a place that is searched ----
crowd map 250 "$tmp"/one/*/libssl.so.3
crowd place 5000 "$tmp/more/1/libssl.so.3"
talk 2
seen '32,500 mappings and 5,000 names' $pid 98 6000
stop

# ---- one that cannot be read at once, and one that has no place for a probe ----
crowd lease "$tmp/one/1/libssl.so.3"
crowd map 1 "$tmp/refused/1/libssl.so.3"
talk 3
seen 'a lease and a refused probe' $pid 2 30
stop
done_testing
