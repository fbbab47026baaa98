#!/bin/bash
# Profiles: a program that uses the CPU for a known time in a known function; modes, stacks,
# windows, recordings, nodes; beside bpftrace.
. tests/live/lib.sh
need_bpf; need jq
BURN=$PWD/$B/tests/programs/burn
between() { # WHAT NUMBER LEAST MOST
	if [ "${2:-0}" -ge "$3" ] && [ "${2:-0}" -le "$4" ]; then
		ok "$1"
	else
		not_ok "$1: $2 is not between $3 and $4"
	fi
}
# Where the machine is emulated its clock interrupts late, so that most are missing, and loading
# libc takes a good part of the time.
few=1 most=75; [ -z "${RN_TEST_SMALL:-}" ] || few=10 most=50
hot='select(.ustack | test("main;burn_outer;burn_hot$")) | .count'
# 1 s of CPU time at 499 hz: about 499 samples, however long that takes. The bounds leave room for
# clocks of virtual machines.
q -c "$BURN 1000" 'count of sample 499hz where proc = burn by ustack'
all=$(field .count | jq -s add)
between 'samples of a second of CPU time' "$all" $((200 / few)) 1200
between 'nearly all of them in the function that uses it' "$(field "$hot" | jq -s add)" \
	$((${all:-0} * most / 100)) "${all:-0}"
same 'nothing lost' "$(lost)" 0
q -c "$BURN 600" 'count of sample 499hz where proc = burn by mode'
between 'in the program' "$(field 'select(.mode == "program") | .count')" $((100 / few)) 900
q -c 'dd if=/dev/zero of=/dev/null bs=1M count=20000' \
	'count of sample 999hz where proc = dd by mode'
between 'in the kernel, more than in the program' "$(field 'select(.mode == "kernel") | .count')" \
	$(($(field 'select(.mode == "program") | .count') + 1)) 1000000
q -c "$BURN 600" 'count of sample 499hz where proc = burn and mode = kernel by stack'
same 'of the kernel, each has a stack' \
	"$(field 'select(.stack == "" or .stack == "(stack lost)") | .count')" ''
q -c "$BURN 300" 'count of sample 499hz where proc = burn and mode = program by stack'
same 'of the program, none has one of the kernel' "$(field .stack | sort -u)" ''
q -c "$BURN 300" 'count of sample 499hz where pid = 0 by proc'
same 'what is idle is pid 0' "$(field '.proc | test("^swapper/") | not' | grep true)" ''
q -c "$BURN 600" 'sum(n) of (count as n of sample 499hz where proc = burn by ustack every 50ms)'
between 'windows add up' "$(field '."sum(n)"')" $((100 / few)) 900
q -c "$BURN 300" 'count, distinct(mode), distinct(name), max(pid > 0) of sample 499hz where name = sample and mode ~ "*" and proc = burn'
same 'name and mode' \
	"$(field '[.count > 0, ."distinct(mode)" <= 2, ."distinct(name)"] | tostring')" \
	'[true,true,1]'
q -c "$BURN 300" "time, proc, mode, ustack of sample 199hz where proc = burn into \"$tmp/s.rnt\""
rows=$(tail -1 "$tmp/err" | jq '.ledger.matched')
q "count of sample 199hz by ustack from \"$tmp/s.rnt\""
same 'a recording has them all' "$(field .count | jq -s add)" "$rows"
between 'with their stacks' "$(field "$hot" | jq -s add)" 1 "$rows"
q "count of sample 99hz from \"$tmp/s.rnt\""
same 'at another rate it is no source' "$?" 1
printf 'a exec: env\nb exec: env\n' >"$tmp/hosts"
among=$tmp/hosts during 'count of sample 199hz where proc = burn by node, ustack' "$BURN" 1000
same 'two nodes' "$(field "$hot"' | . > 5' | sort | uniq -c | xargs)" '2 true'
"$RN" 'count of sample 10001hz' 2>"$tmp/err"; same 'too often' "$?" 1
same 'is said' "$(cat "$tmp/err")" \
	'query:1:17: error: a profile cannot be taken at 10001hz [E-LIMIT-HZ]
  count of sample 10001hz
                  ^~~~~~~
  from 1hz to 10000hz, as in `sample 99hz`'
if command -v bpftrace >/dev/null; then
	me=burn$$ # it looks at all processes of that name
	cp "$BURN" "$tmp/$me"
	cat >"$tmp/prof.bt" <<-END
		profile:hz:499 /comm == "$me"/ { @n = count(); }
	END
	q -c "bpftrace -q -c '$tmp/$me 1000' $tmp/prof.bt -o $tmp/bt" \
		"count of sample 499hz where proc = $me"
	theirs=$(sed -n 's/^@n: //p' "$tmp/bt") ours=$(field .count)
	between 'as many as bpftrace, or nearly' "$ours" $((${theirs:-0} * 9 / 10)) \
		$((${theirs:-0} * 12 / 10))
	echo "# runnel $ours, bpftrace $theirs samples of the same second"
else
	skip "beside bpftrace: there is none"
fi
done_testing
