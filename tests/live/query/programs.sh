#!/bin/bash
# programs.sh - functions of programs as they are: stripped, of Go and Rust, with exceptions and
# cancelled threads, on stacks of their own, upgraded, in other mount namespaces.
. tests/live/lib.sh
need_bpf; need jq gcc g++ strip
grep -q '^user functions (uprobe)  *ok' "$tmp/doctor" || skip_all 'no user functions here'
rows() { jq -r "select(.ledger | not) | $1" "$tmp/out" | sort | paste -sd' '; }
counts() { rows '"\(.func)=\(.count)"'; }
ledger() { grep '"ledger"' "$tmp/err" | jq ".ledger.$1"; }

# ---- stripped: ends that only the tables for unwinding show ----
# Functions with a switch, with a part for what is seldom run, and that end by a jump to one whose
# name is gone. Each is called 10,000 times. If it is not known where one is left, it is refused.
cat >"$tmp/ends.c" <<'END'
#include <stdio.h>
#include <stdlib.h>
#define SEEN __attribute__((noinline, noclone, visibility("default")))
volatile int sink;
__attribute__((noinline, cold)) static void seldom(int n) { sink += n; }
__attribute__((noinline)) static int local(int n) { sink++; return n + 1; }
SEEN int f_jumps(int n) { sink++; return local(n); }
SEEN int f_chooses(int n)
{
	switch (n) {
	case 0: return 3;
	case 1: sink++; return local(n) * 7;
	case 2: return sink & 1;
	case 3: sink += 5; return 11;
	case 4: return n * sink;
	case 5: return local(local(n));
	case 6: sink--; return 2;
	default: return -1;
	}
}
SEEN int f_with_part(int n, int *to)
{
	if (__builtin_expect(n % 100 == 0, 0)) {
		seldom(n);
		seldom(n + 1);
		*to = local(n);
		if (n % 200 == 0)
			return -1;
		seldom(n - 1);
	}
	to[1] = local(n) + local(n + 1);
	return *to;
}
SEEN int f_gives_up(int n)
{
	if (n < 0)
		abort();
	return n / 2;
}
int main(void)
{
	int room[2];
	for (int i = 0; i < 10000; i++) {
		f_jumps(i);
		f_chooses(i % 9);
		f_with_part(i, room);
		f_gives_up(i);
	}
	return 0;
}
END
for how in '-O2' '-Os' '-O3 -fcf-protection=full' '-O2 -static' '-O2 -no-pie' \
	'-O1 -fno-omit-frame-pointer' '-O2 -freorder-blocks-and-partition'; do
	# shellcheck disable=SC2086
	gcc $how -rdynamic -w -o "$tmp/ends" "$tmp/ends.c" 2>"$tmp/why" || {
		skip "gcc $how: $(head -1 "$tmp/why")"
		continue
	}
	nm -D "$tmp/ends" 2>/dev/null | grep -q ' T f_jumps' && strip -s "$tmp/ends"
	q -c "$tmp/ends" \
		"count, count(where latency > 0) as timed of user \"$tmp/ends:f_*\" by func"
	all=$(rows '"\(.func)=\(.count)=\(.timed)"')
	same "gcc $how: as many ends as calls" \
		"$(rows 'select(.count != 10000 or .timed != 10000)')" ''
	same "gcc $how: no call is open, and other functions are counted" \
		"$(ledger open) $(($(wc -w <<<"$all") + $(ledger unattached)))" '0 4'
	same "gcc $how: a jump to a function without a name is an end" \
		"$(grep -o 'f_jumps=[0-9=]*' <<<"$all")" f_jumps=10000=10000
done

# ---- libc: each call has its end ----
# Calls and ends of the same program, one function at a time. Some do not return, and exec.
cat >"$tmp/libc.c" <<'END'
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <locale.h>
#include <wchar.h>
static int order(const void *a, const void *b) { return *(const int *)a - *(const int *)b; }
int main(void)
{
	int v[64], x;
	char text[256];
	wchar_t wide[64];
	FILE *f = fopen("/dev/null", "w");
	for (int i = 0; i < 200; i++) {
		for (int k = 0; k < 64; k++)
			v[k] = (k * 37 + i) % 64;
		qsort(v, 64, sizeof(*v), order);
		bsearch(&i, v, 64, sizeof(*v), order);
		void *p = calloc(1, i + 1);
		p = realloc(p, 100 * i + 1);
		free(p);
		snprintf(text, sizeof(text), "%d %s %g %x", i, "text", i / 3.0, i);
		sscanf(text, "%d", &x);
		fprintf(f, "%s\n", text);
		fputs(text, f);
		fflush(f);
		strtol(text, NULL, 10);
		strtod(text, NULL);
		swprintf(wide, 64, L"%d", i);
		time_t t = i * 86400L;
		mktime(localtime(&t));
		strftime(text, sizeof(text), "%c", gmtime(&t));
		setenv("A", text, 1);
		getenv("A");
		getpid();
		close(dup(0));
		random();
	}
	fclose(f);
	return 0;
}
END
gcc -O1 -w -o "$tmp/libc" "$tmp/libc.c"
libc=$(ldd "$tmp/libc" | awk '/libc\.so/ { print $3 }')
q -c "$tmp/libc" "count of user \"$libc:*\" where proc = libc by func"
rows '"\(.func) \(.count)"' | tr ' ' '\n' | paste -d' ' - - | sort >"$tmp/called"
q -c "$tmp/libc" "count, max(latency) of user \"$libc:*\" where proc = libc by func"
rows '"\(.func) \(.count)"' | tr ' ' '\n' | paste -d' ' - - | sort >"$tmp/ended"
same 'functions of libc that were called and ended: more than 60' \
	"$(($(join "$tmp/called" "$tmp/ended" | wc -l) > 60))" 1
same 'with as many ends as calls' "$(join "$tmp/called" "$tmp/ended" | awk '$2 != $3')" ''
same 'those without ends: exit, those that are left where they begin, or by a pointer' \
	"$(($(join -v1 "$tmp/called" "$tmp/ended" | wc -l) < 20))" 1

# ---- what leaves a function otherwise ----
cat >"$tmp/leave.cc" <<'END'
#include <csetjmp>
#include <cstdio>
#include <cstring>
#include <pthread.h>
#include <ucontext.h>
#include <unistd.h>
static int cleaned, gone;
struct counted { ~counted() { __atomic_fetch_add(&gone, 1, __ATOMIC_RELAXED); } };
static void clean(void *) { __atomic_fetch_add(&cleaned, 1, __ATOMIC_RELAXED); }
extern "C" {
__attribute__((noinline)) void waits(int how)
{
	counted c;
	pthread_cleanup_push(clean, NULL);
	if (how)
		pthread_exit(NULL);
	for (;;)
		pause();
	pthread_cleanup_pop(0);
}
__attribute__((noinline)) int throws(int n)
{
	counted c;
	if (n)
		throw n;
	return 1;
}
__attribute__((noinline)) int through(int n) { int r = throws(n); __asm__ volatile(""); return r; }
static ucontext_t at[2];
static int turns, left;
__attribute__((noinline)) int yields(int n)
{
	swapcontext(&at[1], &at[0]);
	return n + 1;
}
static void turn() { for (left = turns; left; left--) yields(left); }
__attribute__((noinline)) void resumes() { swapcontext(&at[0], &at[1]); __asm__ volatile(""); }
}
static void *thread(void *how) { waits(how != NULL); return NULL; }
int main(int argc, char **argv)
{
	int n = 10000, caught = 0;
	static char stack[1 << 16];
	if (!strcmp(argv[1], "threads"))
		for (int i = 0; i < 2 * n; i++) {
			pthread_t t;
			pthread_create(&t, NULL, thread, i < n ? NULL : &t);
			if (i < n)
				pthread_cancel(t);
			pthread_join(t, NULL);
		}
	if (!strcmp(argv[1], "exceptions"))
		for (int i = 0; i < 2 * n; i++)
			try {
				through(i % 2);
			} catch (int) {
				caught++;
			}
	if (!strcmp(argv[1], "coroutines")) {
		turns = n;
		getcontext(&at[1]);
		at[1].uc_stack.ss_sp = stack;
		at[1].uc_stack.ss_size = sizeof(stack);
		at[1].uc_link = &at[0];
		makecontext(&at[1], turn, 0);
		for (int i = 0; i <= n; i++)
			resumes();
	}
	printf("%d cleaned, %d gone, %d caught, %d left\n", cleaned, gone, caught, left);
}
END
g++ -O2 -w -o "$tmp/leave" "$tmp/leave.cc" -pthread
says() { grep -h -o '^[0-9]* cleaned.*' "$tmp/out" "$tmp/err"; }
ends() { # WHAT
	q -c "$tmp/leave $1" "count, count(where latency > 0) as timed of user
		\"$tmp/leave:waits\", \"$tmp/leave:throws\", \"$tmp/leave:through\",
		\"$tmp/leave:yields\", \"$tmp/leave:resumes\" by func"
}
"$tmp/leave" threads >"$tmp/alone"
ends threads
same 'cancelled and ended threads clean up as ever' "$(says)" "$(cat "$tmp/alone")"
same 'and have no ends' "$(rows .func) $(($(ledger open) > 0))" ' 1'
ends exceptions
same 'exceptions, 10,000' "$(says)" '0 cleaned, 20000 gone, 10000 caught, 0 left'
same 'what does not throw has an end' "$(rows '"\(.func)=\(.count)=\(.timed)"')" \
	'through=10000=10000 throws=10000=10000'
ends coroutines
same 'coroutines' "$(rows '"\(.func)=\(.count)=\(.timed)"') open=$(ledger open)" \
	'resumes=10001=10001 yields=10000=10000 open=0'
for how in '' '-static'; do
	# shellcheck disable=SC2086
	g++ -O2 $how -w -o "$tmp/leave" "$tmp/leave.cc" -pthread
	q -c "$tmp/leave exceptions" "count of user \"$tmp/leave:throws\""
	same "calls alone $how" "$(says) $(rows .count)" \
		'0 cleaned, 20000 gone, 10000 caught, 0 left 20000'
done

# ---- Rust ----
if rustc --version >/dev/null 2>&1; then
	cat >"$tmp/panics.rs" <<'END'
use std::panic;
#[no_mangle] #[inline(never)]
pub fn may_panic(n: u32) -> u32 {
    if n % 2 == 1 { panic!("odd"); }
    std::hint::black_box(n) + 1
}
#[no_mangle] #[inline(never)]
pub fn over_it(n: u32) -> u32 { let r = may_panic(n); std::hint::black_box(r) + 1 }
fn main() {
    panic::set_hook(Box::new(|_| {}));
    let mut caught = 0;
    for i in 0..20000u32 {
        if panic::catch_unwind(|| over_it(i)).is_err() { caught += 1; }
    }
    println!("{} caught", caught);
}
END
	rustc -O -o "$tmp/panics" "$tmp/panics.rs" 2>"$tmp/why"
	q -c "$tmp/panics" "count, count(where latency > 0) as timed of user
		\"$tmp/panics:may_panic\", \"$tmp/panics:over_it\" by func"
	same 'panics of Rust, caught 10,000 times' \
		"$(grep -h -o '[0-9]* caught' "$tmp/out" "$tmp/err") $(
			rows '"\(.func)=\(.count)=\(.timed)"')" \
		'10000 caught may_panic=10000=10000 over_it=10000=10000'
else
	skip 'Rust: there is no rustc here'
fi

# ---- Go ----
go=$(command -v go || ls /usr/lib/go*/bin/go 2>/dev/null | head -1)
if [ -n "$go" ]; then
	mkdir "$tmp/go"
	cat >"$tmp/go/main.go" <<'END'
package main

//go:noinline
func deep(n int) int {
	var room [64]int
	room[n%64] = n
	if n > 0 {
		return deep(n-1) + room[n%64]
	}
	return 0
}

func main() {
	done := make(chan int)
	for g := 0; g < 10; g++ {
		go func() { done <- deep(5000) }()
	}
	sum := 0
	for g := 0; g < 10; g++ {
		sum += <-done
	}
	println(sum)
}
END
	(cd "$tmp/go" &&
		HOME=$tmp GO111MODULE=off GOCACHE=$tmp/cache "$go" build -o ../gone main.go)
	q -c "$tmp/gone" "count of user \"$tmp/gone:main.deep\" by func"
	same 'calls of Go, whose stacks move' "$(counts)" 'main.deep=50010'
	q -c "$tmp/gone" "count, max(latency) of user \"$tmp/gone:main.deep\""
	same 'have no ends' "$(grep -c 'of Go, which moves its stacks' "$tmp/err")" 1
else
	skip 'Go: there is none here'
	skip 'ends of Go: there is none here'
fi

# ---- files that come, go and are replaced ----
cat >"$tmp/lib.c" <<'END'
__attribute__((noinline)) long steps(long n) { __asm__ volatile(""); return n; }
END
cat >"$tmp/run.c" <<'END'
#include <stdio.h>
#include <unistd.h>
__attribute__((noinline)) long steps(long n) { __asm__ volatile(""); return n; }
int main(int argc, char **argv)
{
	if (argc > 1) /* until it is told */
		while (access(argv[1], F_OK))
			usleep(10000);
	for (int i = 0; i < 1000; i++)
		steps(i);
}
END
gcc -O2 -w -o "$tmp/old" "$tmp/run.c"
cp "$tmp/old" "$tmp/new"
cp "$tmp/old" "$tmp/upgraded"
# An upgrade while the program runs and the query, too: the old file is counted, the new one is not.
upgrade() {
	"$tmp/upgraded" "$tmp/go-on" & local pid=$!
	await is_now "$pid" upgraded
	mv "$tmp/new" "$tmp/upgraded"
	touch "$tmp/go-on"
	wait "$pid"
	"$tmp/upgraded"
}
during "count of user \"$tmp/upgraded:steps\" by module" upgrade
same 'an upgrade: the program that runs is counted, the file that came is not' \
	"$(rows .count) $(ledger unattached)" '1000 1'
nothing() { "$tmp/upgraded"; }
during "count of user \"$tmp/upgraded:steps\"" nothing
same 'without an upgrade no file is missing' "$(rows .count) $(ledger unattached)" '1000 0'
# A library of a container that begins while the query runs.
cp "$tmp/old" "$tmp/came$$"
came() {
	cp "$tmp/came$$" "$tmp/of-its-own" && mkdir -p "$tmp/inner" &&
		mv "$tmp/of-its-own" "$tmp/inner/came$$"
	"$tmp/inner/came$$" "$tmp/go-on" & late=$!
	await is_now "$late" "came$$"
}
rm -f "$tmp/go-on"
"$tmp/came$$" "$tmp/go-on" & one=$!
await is_now $one "came$$"
during "count of user \"came$$:steps\"" came
same 'a program of that name that begins later from another file is counted as missing' \
	"$(ledger unattached)" 1
touch "$tmp/go-on"; wait "$one" "$late"
# An upgrade before the query: by its name, both files are found.
rm -f "$tmp/go-on"
cp "$tmp/old" "$tmp/up$$"; cp "$tmp/old" "$tmp/new"
"$tmp/up$$" "$tmp/go-on" & one=$!
await is_now $one "up$$"
mv "$tmp/new" "$tmp/up$$"
"$tmp/up$$" "$tmp/go-on" & two=$!
await is_now $two "up$$"
both() { touch "$tmp/go-on"; wait "$one" "$two"; }
during "count of user \"up$$:steps\"" both
same 'both files of a program that was upgraded' "$(rows .count)" 2000
# The same file under another name, and one of its own in a chroot.
gcc -O2 -shared -fPIC -o "$tmp/libsteps$$.so" "$tmp/lib.c"
cat >"$tmp/load.c" <<'END'
#include <dlfcn.h>
int main(int argc, char **argv)
{
	void *lib = dlopen(argv[1], RTLD_NOW);
	long (*steps)(long) = lib ? (long (*)(long))dlsym(lib, "steps") : 0;
	for (int i = 0; i < 1000; i++)
		steps(i);
}
END
gcc -O2 -w -o "$tmp/load" "$tmp/load.c" -ldl
during "count of user \"$tmp/libsteps$$.so:steps\"" "$tmp/load" "$tmp/libsteps$$.so"
same 'a library that is loaded while the query runs' "$(rows .count)" 1000
mkdir "$tmp/elsewhere"
elsewhere() {
	unshare -m sh -c "mount --bind '$tmp' '$tmp/elsewhere' && '$tmp/elsewhere/old'"
}
during "count of user \"$tmp/old:steps\"" elsewhere
same 'the same file, mounted elsewhere in another namespace' "$(rows .count)" 1000
mkdir -p "$tmp/root/lib64" "$tmp/root/lib/x86_64-linux-gnu"
cp "$tmp/old" "$tmp/root/in"
rm -f "$tmp/go-on"
for lib in $(ldd "$tmp/old" | grep -o '/[^ ]*'); do
	mkdir -p "$tmp/root${lib%/*}"
	cp -L "$lib" "$tmp/root$lib"
done
chroot "$tmp/root" /in /go-on & one=$!
await grep -qs "$tmp/root.*libc" "/proc/$one/maps"
inside() { touch "$tmp/root/go-on"; wait "$one"; }
during "count of user \"libc:usleep\", \"libc:clock_nanosleep\" where pid = $one by module" \
	inside
same 'a libc of its own in a chroot' \
	"$(rows ".module | startswith(\"$tmp/root/\")" | tr ' ' '\n' | sort -u)" true
# Two overlays show one file below them: a call is one call.
cat >"$tmp/overlays" <<END
mount -t tmpfs none /mnt && cd /mnt && mkdir l u1 w1 m1 u2 w2 m2 && cp '$tmp/old' l/laid$$ || exit
mount -t overlay none -o lowerdir=/mnt/l,upperdir=/mnt/u1,workdir=/mnt/w1 m1 || exit
mount -t overlay none -o lowerdir=/mnt/l,upperdir=/mnt/u2,workdir=/mnt/w2 m2 || exit
m1/laid$$ /mnt/go-on & m2/laid$$ /mnt/go-on &
until [ "\$(cat /proc/\$!/comm)" = laid$$ ]; do sleep 0.1; done
'$RN' -o json -c 'sh -c "touch /mnt/go-on; m1/laid$$"' 'count of user "laid$$:steps"'
wait
END
if unshare -m sh "$tmp/overlays" >"$tmp/out" 2>"$tmp/err" && [ -s "$tmp/out" ]; then
	same 'a file that two overlays show' "$(rows .count)" 1000
else
	skip 'overlays: none can be mounted here'
fi
q -c "$tmp/old" "count of user \"$tmp/old:step*\", \"$tmp/old:steps\""
same 'a function that two parts name' "$(rows .count)" 1000
done_testing
