#!/bin/bash
# Files, mappings and file systems that an unprivileged process makes so that a process that looks
# at them runs out of memory or time. Each attack runs as nobody; the query has 600 MiB of address
# space, of which it uses some 250 for itself, and 20 seconds of CPU. An honest process beside it is
# seen as ever, and the ledger counts what was not read.
. tests/hostile/lib.bash
need_bpf; need python3 jq setpriv unshare
P=$B/tests/programs
attackers=()
tidy_up() { for p in "${attackers[@]}"; do kill "$p" 2>/dev/null; done; wait; }
at_exit tidy_up
mkdir "$tmp/open"; chmod 777 "$tmp/open"
cp "$P/mapper" "$P/mute_fuse" "$tmp"
elf() { python3 tests/programs/hostile/hostile_elf.py "$tmp/$1" "${@:2}"; }
is_ready() { grep -q ready "$1"; }
# attack NAME COMMAND...: as nobody, in the background, until it is ready
attack() {
	local what=$1; shift
	: >"$tmp/$what.out"
	as_nobody "$@" >"$tmp/$what.out" 2>&1 & attackers+=($!)
	await is_ready "$tmp/$what.out" || {
		not_ok "$what: the attack does not begin"
		cat "$tmp/$what.out"
	}
}
over() {
	for p in "${attackers[@]}"; do kill "$p" 2>/dev/null; wait "$p" 2>/dev/null; done
	attackers=()
}
# bounded ARGUMENT...: the query, in the background
bounded() {
	: >"$tmp/err"
	(
		ulimit -t 20; ulimit -v $((600 * 1024))
		exec timeout --foreground -k 5 90 "$RN" -v -o json "$@" \
			>"$tmp/out" 2>"$tmp/err" </dev/null
	) &
	pid=$!
}
has_begun() { attached || is_over; }
# it sleeps between them
calls_of() { sed -n 's/^voluntary_ctxt_switches:[[:space:]]*//p' "/proc/$1/status"; }
has_called() { [ "$(calls_of "$1")" -ge "$2" ]; }
# ask WHAT: which functions call getppid, of whom is attacked by and of an honest process; leaves
# rows in $tmp/out, the ledger in $tmp/err
ask() {
	bounded 'count of getppid where proc = chain or proc = mapper or proc = mute_fuse by proc, ustack'
	await has_begun
	"$P/chain" 500 2000
	for p in "${attackers[@]}"; do await has_called "$p" $(($(calls_of "$p") + 3)); done
	end TERM
	same "$1: the query ends as it should" "$rc" 0; [ "$rc" = 0 ] || cat "$tmp/err"
}
truncated() { grep '"ledger"' "$tmp/err" | jq -r '.ledger.truncated > 0'; }
whole() { jq -r 'select(.ustack | test("chain_a;chain_b;chain_c$")) | .count' "$tmp/out"; }

elf honest honest
attack honest "$tmp/mapper" "$tmp/honest"
ask 'an honest file'
same 'an honest file: its function is known' \
	"$(jq -r 'select(.proc == "mapper") | .ustack | test("honest_function")' "$tmp/out" | sort -u)" \
	true
same 'an honest file: nothing is cut' "$(truncated)" false
over

elf overlap overlap 4090
attack overlap "$tmp/mapper" "$tmp/overlap"
ask 'names that overlap'
same 'names that overlap: they are cut' \
	"$(jq -r 'select(.proc == "mapper") | .ustack | test("A{500}")' "$tmp/out" | sort -u)" \
	true
same 'names that overlap: that is told' "$(truncated)" true
same 'names that overlap: an honest process beside it' "$(whole)" 500
over

elf sparse sparse 3
attack sparse "$tmp/mapper" "$tmp/sparse"
ask 'a table of 3 GiB that is a hole'
same 'a table of 3 GiB: it is told that it was cut' "$(truncated)" true
same 'a table of 3 GiB: an honest process beside it' "$(whole)" 500
over

elf open/libssl.so.3 sparse 3
attack library "$tmp/mapper" "$tmp/open/libssl.so.3"
# Memory that is refused would end the reading: so it may have the memory, and must not use it.
for class in tls "tag 'fix283'"; do
	peak_mib bash -c 'ulimit -t 20 -v 8000000; exec timeout -k 5 90 "$@" >/dev/null 2>&1' - \
		"$RN" "count of $class for 100ms"
	if [ $rc = 0 ] && [ "$peak" -lt 400 ]; then ok "a libssl with a table of 3 GiB, $class"
	else not_ok "a libssl with a table of 3 GiB, $class: exit $rc, $peak MiB"; fi
done
if "$P/tls" >/dev/null; [ $? != 77 ]; then
	bounded -c "$P/tls write=hello-fix283-bye" "count of tag 'fix283' by name"; has_ended
	same 'beside it, plaintext of others is found' \
		"$(jq -r '"\(.name) \(.count)"' "$tmp/out" | sort | paste -sd,)" \
		'tls_read 1,tls_write 1'
fi
over

# Six processes, as many mappings as the kernel lets each have, all of them code.
most=$(($(cat /proc/sys/vm/max_map_count) - 200)); [ $most -le 65000 ] || most=65000
for i in 1 2 3 4 5 6; do attack "mappings$i" "$tmp/mapper" "$tmp/honest" $most; done
ask 'mappings without number'
same 'mappings without number: an honest process beside them' "$(whole)" 500
over

# FUSE under an overlay: the kernel keeps root away from the one, and not from the other.
mknod "$tmp/fuse" c 10 229; chmod 666 "$tmp/fuse"
if nobody unshare -Urm true 2>/dev/null && [ -e /sys/class/misc/fuse ]; then
	for overlay in '' overlay; do
		mkdir "$tmp/open/${overlay:-fuse}"; chmod 777 "$tmp/open/${overlay:-fuse}"
		attack "mute${overlay}" "$tmp/mute_fuse" "$tmp/fuse" "$tmp/open/${overlay:-fuse}" \
			"$tmp/honest" $overlay
		ask "a file system that never answers${overlay:+, under an overlay}"
		same "its file is not read${overlay:+, under an overlay}" \
			"$(jq -r 'select(.proc == "mute_fuse") | .ustack | test("libssl.so.3[+]0x1")' "$tmp/out" | sort -u)" \
			true
		same "that is told${overlay:+, under an overlay}" "$(truncated)" true
		same "an honest process beside it${overlay:+, under an overlay}" "$(whole)" 500
		bounded 'count of tls for 100ms'; has_ended
		same "nor is it looked at as a library${overlay:+, under an overlay}" "$rc" 0
		over
	done
else
	skip "nobody cannot mount FUSE on this machine"
fi
done_testing
