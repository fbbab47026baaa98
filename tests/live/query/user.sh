#!/bin/bash
# user.sh - functions of programs: counted as the programs themselves count them; their arguments;
# which file a name means; what cannot be probed; a policy; nodes; a recording.
. tests/live/lib.sh
need_bpf; need jq gcc g++
grep -q '^user functions (uprobe)  *ok' "$tmp/doctor" || skip_all 'no user functions here'
F=$PWD/$B/tests/programs/functions
rows() { jq -r "select(.ledger | not) | $1" "$tmp/out" | sort | paste -sd' '; }
counts() { rows '"\(.func)=\(.count)"'; }
# as_said NAME PROGRAM ARGUMENT...: each function was called as often as the program says
as_said() {
	local name=$1 said; shift
	said=$("$@")
	q -c "$*" "count of user \"$1:${said%%=*}\" by func"
	same "$name" "$(counts)" "$said"
}

# ---- counts ----
as_said 'recursion' "$F" deep 1000
as_said 'eight threads' "$F" threads 5000
as_said 'calls that longjmp leaves' "$F" jump 3000
as_said 'children of vfork' "$F" children 50
for how in '-static' '-no-pie' '-fcf-protection=full' '-O0' '-m64 -fno-omit-frame-pointer'; do
	# shellcheck disable=SC2086
	gcc -O2 $how -o "$tmp/made" tests/programs/events/functions.c -pthread -w 2>"$tmp/why" || {
		skip "gcc $how: $(head -1 "$tmp/why")"
		continue
	}
	as_said "gcc $how" "$tmp/made" threads 200
done
q -c "$F args 7" "count of user \"$F:six_args\" by arg0, arg1, arg2, arg3, arg4, arg5"
same 'arguments' "$(rows '[.arg0, .arg1, .arg2, .arg3, .arg4, .arg5, .count] | tostring')" \
	"$(for i in 0 1 2 3 4 5 6; do echo "[1,-2,3298534883328,4,5,$i,1]"; done | paste -sd' ')"
q -c "$F args 9" "count, distinct(arg5), set(name) of user \"$F:six_*\" where arg5 > 3 and
	arg1 < 0 by func, module"
same 'a condition on them' \
	"$(rows '[.func, .module, .count, .["distinct(arg5)"], .["set(name)"]] | tostring')" \
	"[\"six_args\",\"$F\",5,5,[\"six_args\"]]"
cat >"$tmp/below.c" <<'END'
__attribute__((noinline)) int f(int n) { __asm__ volatile("" : "+r"(n)); return n; }
int main(void) { for (int i = -5; i < 5; i++) f(i); return 0; }
END
gcc -O1 -w -o "$tmp/below" "$tmp/below.c"
q -c "$tmp/below" "count(where ret & 0x80000000 != 0) as below, max(ret) as most,
	sum(if(ret & 0x80000000 != 0, ret - 4294967296, ret)) as s of user \"$tmp/below:f\""
same 'an int below 0 is in the lower half of the register' \
	"$(rows '"\(.below) \(.most) \(.s)"')" '5 4294967295 -5'
q -c "$F args 4" "count of user \"$F:six_args\" by stack"
same 'no stack of the kernel, and none is lost' \
	"$(rows '"\(.stack)\(.count)"') $(grep '"ledger"' "$tmp/err" | jq .ledger.lost_stack)" '4 0'
q -c "$F args 4" "proc, func, arg5 of user \"$F:six_args\", \"$F:main\" where func ~ \"s*\""
same 'rows, of two names' "$(rows '[.func, .arg5] | tostring')" \
	'["six_args",0] ["six_args",1] ["six_args",2] ["six_args",3]'
gcc -O0 -w -o "$tmp/made" tests/programs/events/functions.c -pthread
q -c "$tmp/made stay 2" "count of user \"$tmp/made:go_down\" by ustack"
same 'the stack that led there' "$(rows '.ustack | test("main;go_down(;go_down)?$")')" 'true true'
"$F" threads 100 >/dev/null &
q -c "$F deep 5" "count of user \"$F:do_step\", \"$F:go_down\" by func"; wait
same 'of the command alone' "$(counts)" 'go_down=5'
during "count of user \"$F:go_down\" where proc = functions" "$F" deep 30 >/dev/null
same 'of all processes' "$(rows .count)" 30

# ---- returns: the places where a function is left ----
returns() { # NAME WHAT: entries, ends and sum of results of each function, and what has no end
	q -c "$F $2" "count, sum(ret), count(where latency > 0 and begin < time) as timed
		of user \"$F:*\" where func in (go_down, do_step, leap, linger) by func"
	same "$1" "$(rows '"\(.func)=\(.count)/\(."sum(ret)")/\(.timed)"') $(grep '"ledger"' \
		"$tmp/err" | jq .ledger.open)" "$3"
}
returns 'returns: a thousand deep' 'deep 1000' "go_down=1000/$((1000 * 1001 / 2))/1000 1"
returns 'returns: threads' 'threads 1000' "do_step=8000/$((8 * 1000 * 999 / 2))/8000 1"
returns 'returns: two contexts' 'stacks 10000' "do_step=20000/$((10000 * 9999))/20000 3"
returns 'returns: longjmp leaves none' 'jump 10000' ' 10001'
returns 'returns: nor does the end of a thread' 'end 5000' ' 20001'
returns 'returns: in children of vfork' 'children 50' "do_step=50/$((50 * 49 / 2))/50 1"
gcc -O2 -w -o "$tmp/tail" tests/programs/events/functions.c -pthread
q -c "$tmp/tail tail 1000" \
	"count, max(latency) > 0 as timed of user \"$tmp/tail:first\", \"$tmp/tail:second\" by func"
same 'a jump in place of a return' "$(rows '"\(.func)=\(.count)=\(.timed)"')" \
	'first=1000=true second=1000=true'
q -c "$tmp/tail tail 3" \
	"func, ret of user \"$tmp/tail:first\", \"$tmp/tail:second\" where latency > 0"
same 'whose result is not known' "$(rows '"\(.func)=\(.ret)"')" \
	'first=null first=null first=null second=3 second=4 second=5'
q -c "$F args 9" "count of user \"$F:six_args\" where ret - arg5 = 3298534883336 and arg1 = -2"
same 'results and arguments' "$(rows .count)" 9
q -c "$F deep 1000" "count, sum(arg0) of user \"$F:go_down\" where arg0 < 10 and latency >= 0"
few=$(rows '"\(.count) \(."sum(arg0)")"')
q -c "$F deep 1000" "count, sum(arg0) of user \"$F:go_down\" where arg0 < 10"
same 'a condition that the entry tests: the same calls' \
	"$few" "$(rows '"\(.count) \(."sum(arg0)")"')"
q -c "$F deep 1000" "count of user \"$F:go_down\" where arg0 < 0 and latency >= 0"
same 'calls that it leaves out are seen, and not open' \
	"$(rows .count) $(grep '"ledger"' "$tmp/err" | jq -c '.ledger | [.seen, .open, .unpaired]')" \
	'0 [1000,0,0]'
cat >"$tmp/leaps.c" <<'END'
#include <setjmp.h>
static jmp_buf back;
__attribute__((noinline, noclone)) int f(int n)
{
	if (n == 1)
		longjmp(back, 1);
	__asm__ volatile("");
	return n;
}
int main(void)
{
	for (volatile int i = 0; i < 1000; i++) {
		if (!setjmp(back))
			f(1);
		f(2);
	}
	return 0;
}
END
gcc -O1 -w -o "$tmp/leaps" "$tmp/leaps.c"
q -c "$tmp/leaps" "count of user \"$tmp/leaps:f\" where arg0 = 1 and latency >= 0"
same 'an end is never that of another call, which left no end' \
	"$(rows .count) $(grep '"ledger"' "$tmp/err" | jq .ledger.open)" '0 1000'
cat >"$tmp/throw.cc" <<'END'
#include <cstdio>
#include <stdexcept>
struct counted { int *n; ~counted() { ++*n; } };
__attribute__((noinline)) int fall(int n)
{
	if (!n)
		throw std::runtime_error("down");
	int r = fall(n - 1);
	__asm__ volatile("");
	return r + 1;
}
__attribute__((noinline)) int guarded(int n, int *left)
{
	counted c{left};
	return n % 2 ? fall(n % 7) : n;
}
int main()
{
	int caught = 0, left = 0;
	for (int i = 0; i < 10000; i++)
		try {
			guarded(i, &left);
		} catch (std::exception &e) {
			caught++;
		}
	printf("%d %d\n", caught, left);
}
END
g++ -O1 -o "$tmp/throw" "$tmp/throw.cc"
q -c "$tmp/throw" "count, max(latency) > 0 as timed of user \"$tmp/throw:*\" by func"
same 'exceptions pass through' "$(head -1 "$tmp/err" "$tmp/out" | grep -c '5000 10000')" 1
same 'what is not thrown returns' \
	"$(rows 'select(.func | test("guarded")) | "\(.count)=\(.timed)"')" '5000=true'
q -c 'ls -lR /usr/include' 'count, count(where latency >= 0) as timed of user "libc:malloc"'
same 'malloc returns' "$(rows '.count > 9 and .count == .timed')" true

q -c "$F tail 7" "count of user \"libc:strlen\", \"$F:first\" by func"
same 'one that has no probe, beside one that has' \
	"$(counts) $(grep '"ledger"' "$tmp/err" | jq '.ledger.nodes[0].unattached > 0')" 'first=7 true'

q "count of user \"libc:mallok_4711\", \"libc:malloc\" for 1ms"
same 'one that is not there, beside one that is' \
	"$(grep -c 'libc has no function `mallok_4711`' "$tmp/err")" 1

# ---- nothing that is watched goes wrong ----
# The kernel takes vpbroadcastb for a jump and vmovd for outsb, and steps over pushf with the flag
# of the step set: functions that begin with such instructions have no probe, and are counted. The
# same goes for one that jumps to its beginning: each round would be a call.
cat >"$tmp/odd.c" <<'END'
#include <stdio.h>
#define F(name, code) __asm__(".text\n.type " #name ",@function\n" #name ": " code "\n .size " \
	#name ",.-" #name "\n"); int name(int x, void *to, long n, long count);
F(f_sse, "movd %edi,%xmm0\n movd %xmm0,%eax\n ret")
F(f_vex, "vmovd %edi,%xmm0\n vmovd %xmm0,%eax\n ret")
F(f_broadcast, "vpbroadcastb %edi,%zmm16\n vmovdqu64 %zmm16,%zmm1\n vmovd %xmm1,%eax\n"
	" and $255,%eax\n ret")
F(f_lock, "lock incl (%rsi)\n mov %edi,%eax\n ret")
F(f_flags, "pushf\n pop %rax\n and $256,%eax\n add %edi,%eax\n ret")
F(f_push, "push %rdi\n pop %rax\n ret")
F(f_loop, "sub $1,%edi\n jne f_loop\n mov $1,%eax\n ret")
int main(int argc, char **argv)
{
	int (*f[])(int, void *, long, long) = {f_sse, f_vex, f_lock, f_flags, f_push, f_broadcast};
	static char to[64];
	int bad = f_loop(9, to, 8, 8) != 1;

	for (int i = 0; i < 6 - (argc > 1); i++)
		for (int x = 1; x < 100; x++)
			bad += f[i](x, to, 8, 8) != x;
	printf("%d\n", bad);
	return bad;
}
END
if gcc -O1 -w -o "$tmp/odd" "$tmp/odd.c" 2>"$tmp/why"; then
	grep -q -w avx512bw /proc/cpuinfo || no_wide=1
	q -c "$tmp/odd ${no_wide:-}" "count of user \"$tmp/odd:f_*\" by func"
	same 'what the kernel cannot step over has no probe' \
		"$(counts) $(grep '"ledger"' "$tmp/err" | jq .ledger.unattached)" \
		'f_push=99 f_sse=99 5'
	same 'and the program goes on as ever' "$(tail -1 "$tmp/err" | grep -c 'ended with')" 0
fi
# A probe goes ahead to an instruction that costs less: only if each call passes there once. f_round
# has a loop there, f_back is gone on with from its other end, f_table by a register.
cat >"$tmp/ahead.c" <<'END'
#define F(name, code) __asm__(".text\n.type " #name ",@function\n" #name ": " code "\n .size " \
	#name ",.-" #name "\n"); int name(int x);
F(f_ahead, "xor %eax,%eax\n test %edi,%edi\n je 1f\n mov %edi,%eax\n1: ret")
F(f_round, "xor %eax,%eax\n1: add $0,%eax\n lea 1(%rax),%eax\n cmp %edi,%eax\n jne 1b\n ret")
F(f_loop, "xor %eax,%eax\n1: lea 1(%rax),%eax\n cmp %edi,%eax\n jne 1b\n ret")
F(f_back, "xor %eax,%eax\n1: test %edi,%edi\n je 2f\n add $1,%eax\n sub $1,%edi\n jmp 1b\n2: ret")
F(f_table, "lea 1f(%rip),%rax\n test %edi,%edi\n je 1f\n jmp *%rax\n1: mov %edi,%eax\n ret")
int main(void)
{
	int (*f[])(int) = {f_ahead, f_round, f_loop, f_back, f_table};
	int bad = 0;

	for (int i = 0; i < 5; i++)
		for (int x = 1; x < 50; x++)
			bad += f[i](x) != x;
	return bad;
}
END
if gcc -O1 -w -o "$tmp/ahead" "$tmp/ahead.c" 2>"$tmp/why"; then
	q -c "$tmp/ahead" "count, sum(arg0) of user \"$tmp/ahead:f_*\" by func"
	same 'a cheaper place: each call once, with its arguments' \
		"$(rows '"\(.func)=\(.count)=\(."sum(arg0)")"')" \
		"$(printf 'f_%s=49=1225\n' ahead back loop round table | paste -sd' ')"
	q "explain count of user \"$tmp/ahead:f_*\""
	same 'explain tells how many are single-stepped' \
		"$(grep -c '5 functions (4 begin with an instruction' "$tmp/out")" 1
fi
# ---- which file is meant ----
cat >"$tmp/late.c" <<'END'
__attribute__((noinline)) long late(long n) { __asm__ volatile(""); return n; }
END
gcc -O2 -shared -fPIC -o "$tmp/liblate$$.so" "$tmp/late.c"
q -c "$F late $tmp/liblate$$.so 12" "count of user \"$tmp/liblate$$.so:late\" by func"
same 'a library that is loaded later' "$(counts)" 'late=12'
sed 's/n; }/n; } int main(void) { for (;;) { late(1); usleep(9999); } }/' "$tmp/late.c" \
	>"$tmp/run.c"
gcc -O2 -w -o "$tmp/late$$" "$tmp/run.c"
"$tmp/late$$" & one=$!
await is_now $one "late$$"
q "count of user \"late$$:late\" where pid = $one for 300ms"
same 'a program by the name of its process' "$(rows '.count > 3')" true
unshare -m bash -c "mount -t tmpfs none /mnt && cp $tmp/late$$ /mnt/other$$ &&
	exec /mnt/other$$" & two=$!
await is_now $two "other$$"
rm "$tmp/late$$"
q "count of user \"late$$:late\", \"other$$:late\" for 300ms by pid"
same 'deleted, or in another mount namespace' "$(rows .pid)" \
	"$(printf '%s\n' $one $two | sort | paste -sd' ')"
kill $one $two; wait $one $two 2>/dev/null
refused() { # NAME ARGUMENT PATTERN
	"$RN" "count of user \"$2\" for 10ms" >"$tmp/out" 2>"$tmp/err"
	same "$1" "$(grep -c "$3" "$tmp/err")" 1 || cat "$tmp/err"
}
refused 'no such function' "$F:six_argss" 'has no function `six_argss`'
same 'the nearest is told' "$(grep -c 'did you mean `six_args`?' "$tmp/err")" 1
refused 'no such file' /nonexistent:x 'No such file'
refused 'no such library or process' "nonesuch$$:x" 'no process is called so'
refused 'no function' libc 'written "WHERE:GLOB"'
refused 'a function that is chosen at the start' libc:strlen 'cannot be probed'
cp "$F" "$tmp/stripped"; strip -s "$tmp/stripped"
refused 'a stripped program' "$tmp/stripped:six_args" 'no function\|no names'
ln -s "$F" "$tmp/alias"
q -c "$F deep 3" "count of user \"$tmp/alias:go_down\" by func"
same 'by a symbolic link' "$(counts)" 'go_down=3'

# ---- many ----
# 8,001 functions, each called once; and as many again of another name
if [ -n "${RN_TEST_SMALL:-}" ]; then
	skip '8,001 functions: they take too long to compile here'
else
	{
		for i in {1..8001}; do echo "void f_$i(void) { __asm__ volatile(\"\"); }"; done
		for i in {1..2000}; do echo "void g_$i(void) { __asm__ volatile(\"\"); }"; done
		echo 'int main(void) {'
		for i in {1..8001}; do echo "f_$i();"; done
		echo '}'
	} >"$tmp/many.c"
	gcc -O0 -w -o "$tmp/many" "$tmp/many.c"
	q -c "$tmp/many" "count, distinct(func) of user \"$tmp/many:f_*\" where proc = many by func"
	if grep -q E-LIMIT "$tmp/err"; then
		skip '8,001 functions: this kernel attaches to each alone'
	else
		same '8,001 functions' "$(rows .count | tr ' ' '\n' | sort | uniq -c | xargs)" \
			'8001 1'
		same 'nothing is lost' "$(lost)" 0
		refused 'more than 10,000' "$tmp/many:*" 'E-LIMIT-FUNCTIONS'
	fi
fi

# ---- a policy, nodes, a recording ----
for node in a b; do echo "$node exec: $RN agent --stdio --policy $tmp/policy"; done >"$tmp/hosts"
: >"$tmp/policy"
ask() { q -H "$tmp/hosts" "count, set(node) of user \"$1\" for 50ms"; }
ask "$F:six_args"
same 'others may not, if the policy does not say so' "$(grep -c 'E-POLICY' "$tmp/err")" 1
echo "classes = read, \"user $F:six*\"" >"$tmp/policy"
among=$tmp/hosts during "count, set(node) of user \"$F:six_args\" where proc = functions by arg5" \
	"$F" args 3 >/dev/null
same 'two nodes' "$(rows '[.arg5, .count, (."set(node)" | sort)] | tostring')" \
	'[0,2,["a","b"]] [1,2,["a","b"]] [2,2,["a","b"]]'
for other in "$F:*" "$F:go_down" "/../$F:six_args" "libc:six_args"; do
	ask "$other"
	same "the policy does not name ${other#"$PWD"}" "$(grep -c 'E-POLICY' "$tmp/err")" 1
done
q -c "$F args 5" "events of user \"$F:six_args\" into \"$tmp/user.rnt\""
q "count of user \"$F:six_args\" by func, arg4 from \"$tmp/user.rnt\""
same 'recorded' "$(rows '[.func, .arg4, .count] | tostring')" '["six_args",5,5]'

# ---- beside bpftrace ----
if command -v bpftrace >/dev/null; then
	me=fn$$
	cp "$F" "$tmp/$me"
	printf 'uprobe:%s:go_down,uprobe:%s:do_step { @[probe] = count(); }\n' "$tmp/$me" \
		"$tmp/$me" >"$tmp/u.bt"
	cat >"$tmp/both" <<-END
		#!/bin/sh
		mount -t tracefs none /sys/kernel/tracing
		mount -t debugfs none /sys/kernel/debug
		exec bpftrace -q -c '$tmp/$me threads 321' $tmp/u.bt -o $tmp/bt
	END
	chmod +x "$tmp/both"
	q -c "unshare -m $tmp/both" \
		"count of user \"$tmp/$me:go_down\", \"$tmp/$me:do_step\" by func"
	same 'as bpftrace' "$(counts)" \
		"$(sed -n 's/^@\[uprobe:.*:\(.*\)\]: /\1=/p' "$tmp/bt" | sort | paste -sd' ')"
else
	skip 'beside bpftrace: there is none'
fi
done_testing
