#!/bin/bash
# function_pairs.sh - `between` of functions: memory that is taken and given back, locks that are
# held, pauses of a garbage collector; entries and ends; functions beside other events.
. tests/live/lib.sh
need_bpf; need jq gcc
grep -q '^user functions (uprobe)  *ok' "$tmp/doctor" || skip_all 'no user functions here'
F=$PWD/$B/tests/programs/functions U=$PWD/$B/tests/programs/probes
rows() { jq -r "select(.ledger | not) | $1" "$tmp/out" | sort | paste -sd' '; }
of_ledger() { grep '"ledger"' "$tmp/err" | jq -c ".ledger | $1"; }

# Takes 1,000 blocks and gives 990 back. Holds locks 500 times, 4 of which it takes twice. Calls
# tick 100 times, say 20 times with texts, and jump 30 times, which ends with a call of another
# function.
cat >"$tmp/made.c" <<'END'
#include <stdlib.h>
#define SEEN __attribute__((noinline, noclone, visibility("default")))
#define HERE() __asm__ volatile("" ::: "memory")
SEEN void *take(long n) { void *p = malloc(n + 1); HERE(); return p; }
SEEN void give(void *p) { HERE(); free(p); HERE(); }
SEEN long hold(int *lock) { HERE(); return *lock; }
SEEN void let_go(int *lock) { HERE(); *lock = 0; }
SEEN long tick(long n) { HERE(); return n; }
SEEN void say(const char *text, long n) { HERE(); }
SEEN long other(long n) { HERE(); return n; }
SEEN long jump(long n) { HERE(); return other(n + 1); }
int main(void)
{
	static const char *volatile texts[] = {"even", "odd"};
	static int lock[4];
	volatile char near = texts[0][0] + texts[1][0]; /* their page is there */
	void *p;

	for (int i = 0; i < 1000; i++) {
		p = take(i);
		if (i % 100 != 99)
			give(p);
	}
	for (int i = 0; i < 500; i++) {
		if (i % 125 == 7)
			hold(&lock[i % 4]);
		hold(&lock[i % 4]);
		let_go(&lock[i % 4]);
	}
	for (int i = 0; i < 100; i++)
		tick(i);
	for (int i = 0; i < 20; i++)
		say(texts[i % 2], i);
	for (int i = 0; i < 30; i++)
		jump(i);
	return 0;
}
END
gcc -O2 -w -o "$tmp/made" "$tmp/made.c" || set_up_failed 'the program is compiled'
M=$tmp/made

# ---- which moments are paired ----
q -c "$M" "count, count(where latency > 0) as timed
	of between user \"$M:take\" and user \"$M:give\" on pid, ret = arg0 by func, end_func"
same 'memory: a result is the argument of another' \
	"$(rows '"\(.func)-\(.end_func)=\(.count)=\(.timed)"')" 'take-give=990=990'
same 'what is not given back is open' "$(of_ledger '[.open, .unpaired, .lost_pair]')" '[10,0,0]'
q -c "$M" "count of between user \"$M:hold\" and user \"$M:let_go\" on tid, arg0
	by end_module"
same 'locks, from the beginning of a call' "$(rows '"\(.count) \(.end_module)"')" "500 $M"
same 'one that is taken twice: the later time' "$(of_ledger '[.reopened, .open]')" '[4,0]'
q -c "$M" "count of between (events of user \"$M:hold\" where ret = 0) and user \"$M:let_go\"
	on tid, arg0"
same 'locks, from when they are held' "$(rows .count)" 500
q -c "$M" "count of between (events of user \"$M:hold\" where ret != 0) and user \"$M:let_go\"
	on tid, arg0"
same 'a condition on the result' "$(rows .count)" 0
q -c "$M" "arg0, end_arg0 of between user \"$M:tick\" and user \"$M:tick\" on tid
	where arg0 >= 97 or arg0 < 1"
same 'an event that is both ends ends a pair before it begins one' \
	"$(rows '"\(.arg0)-\(.end_arg0)"')" '0-1 97-98 98-99'
q -c "$M" "count, count(where arg0 = end_arg0) as same
	of between user \"$M:tick\" and user \"$M:tick\" on tid where end_ret < 0 or end_ret >= 0"
same 'the beginning and the end of a call' "$(rows '"\(.count) \(.same)"')" '100 100'
q -c "$M" "count of between user \"$M:other\" and user \"$M:jump\" on tid where end_ret > -5"
same 'a result that is not known makes no pair' \
	"$(rows .count) $(of_ledger '.unpaired >= 30')" '0 true'
q -c "$M" "func, arg0, end_func, end_arg0
	of between user \"$M:jump\", \"$M:tick\" and user \"$M:other\", \"$M:tick\" on tid
	where func ~ \"j*\" and arg0 < 2"
same 'several functions at each end' "$(rows '"\(.func) \(.arg0) \(.end_func) \(.end_arg0)"')" \
	'jump 0 other 1 jump 1 other 2'
echo 'payload = allow' >"$tmp/allow"
RUNNEL_POLICY=$tmp/allow q -c "$M" "text(arg0) as said, end_arg1
	of between user \"$M:say\" and user \"$M:say\" on tid where end_arg1 < 3"
same 'texts of the first event' "$(rows '"\(.said) \(.end_arg1)"')" 'even 1 odd 2'

# ---- beside other events, other functions ----
q -c "$CALLS pwrite=40" "count of between pwrite64 and pwrite64 on tid"
between=$(rows .count)
q -c "$CALLS pwrite=40" "count of between user \"libc:pwrite64\" and pwrite64 on tid"
same 'a function, then a call' "$(rows .count) $between" '40 39'
q -c "$CALLS pwrite=40" "sum(1) as n
	of between sys_enter_pwrite64 and user \"libc:pwrite64\" on tid where ret > -9"
same 'a tracepoint, then the end of a function' "$(rows .n)" 40
q -c "$U places 100" "count, min(arg0) as least of between usdt \"$U:kinds:places\" and usdt \"$U:kinds:bare\" on tid
	by func, end_func"
places=$(rows '"\(.func) \(.end_func) \(.count > 0)"')
same 'static probes' "$places" 'kinds:places kinds:bare true'
q -c "$U places 100" "count of between user \"$F:six_args\" and usdt \"$U:kinds:places\" on tid"
same 'an end that never happens' "$(rows .count) $(of_ledger '.unpaired > 0')" '0 true'
"$M" & during "count of between user \"$M:take\" and user \"$M:give\" on pid, ret = arg0
	where proc = made" "$M"; wait
same 'two processes' "$(rows '.count >= 990')" true

# ---- explain, policy, nodes ----
q "explain count of between user \"$M:take\" and user \"$M:give\" on pid, ret = arg0"
same 'explain tells the moments' "$(grep -c 'the first event is the end of a call' "$tmp/out")" 1
same 'and the hooks of both ends' \
	"$(sed -n 's/^hooks: [a-z.]*, //p' "$tmp/out" | sed 's/uprobe.multi/uprobe/; s/each of //g; s/ ([^)]*)//g')" \
	'at the entry, and wherever it is left, of 1 function; uprobe, at the entry of 1 function'
for node in a b; do echo "$node exec: $RN agent --stdio --policy $tmp/policy"; done >"$tmp/hosts"
echo "classes = \"user $M:take\"" >"$tmp/policy"
ask="count of between user \"$M:take\" and user \"$M:give\" on pid, ret = arg0"
q -H "$tmp/hosts" "$ask for 50ms"
same 'a policy has to name both' "$(grep -c 'E-POLICY' "$tmp/err")" 1
echo "classes = \"user $M:*\"" >"$tmp/policy"
among=$tmp/hosts during "$ask by node" "$M"
same 'nodes' "$(rows '"\(.node) \(.count)"')" 'a 990 b 990'

# ---- locks of pthreads, a garbage collector ----
cat >"$tmp/locks.c" <<'END'
#include <pthread.h>
#include <unistd.h>
static pthread_mutex_t lock[2] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER};
static void *work(void *x)
{
	for (int i = 0; i < 100; i++) {
		pthread_mutex_lock(&lock[i % 2]);
		usleep(i % 2 ? 3000 : 100);
		pthread_mutex_unlock(&lock[i % 2]);
	}
	return x;
}
int main(void)
{
	pthread_t t[3];

	for (int i = 0; i < 3; i++)
		pthread_create(&t[i], 0, work, 0);
	for (int i = 0; i < 3; i++)
		pthread_join(t[i], 0);
	return 0;
}
END
gcc -O1 -pthread -o "$tmp/locks" "$tmp/locks.c" || set_up_failed 'the program is compiled'
q -c "$tmp/locks" "count, min(latency) >= 3ms as slow of between
	(events of user \"libc:pthread_mutex_lock\" where ret = 0) and user \"libc:pthread_mutex_unlock\"
	on tid, arg0 by arg0 having count >= 150"
same 'how long locks are held' "$(rows '"\(.count) \(.slow)"')" '150 false 150 true'
jvm=$(find /usr/lib/jvm -name libjvm.so 2>/dev/null | head -n 1)
if [ -z "$jvm" ] || ! grep -aq stapsdt "$jvm"; then
	skip 'pauses of a garbage collector: there is no Java with static probes'
elif [ -n "${RN_TEST_SMALL:-}" ]; then
	skip 'pauses of a garbage collector: Java takes too long to begin here'
else
	java=${jvm%/lib/*/libjvm.so}/bin/java
	q -c "$java -XX:+UseSerialGC -Xmn700k -Xlog:gc:file=$tmp/gc.log -XshowSettings:all -version" \
		"count, min(latency) > 0 as timed of between usdt \"$jvm:hotspot:gc__begin\" and
		usdt \"$jvm:hotspot:gc__end\" on tid where proc = java"
	same 'pauses of a garbage collector, as its own log has them' \
		"$(rows '"\(.count) \(.timed)"')" "$(grep -c 'Pause' "$tmp/gc.log") true"
fi
done_testing
