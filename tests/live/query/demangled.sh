#!/bin/bash
# demangled.sh - functions of C++ and Rust by the names that their authors wrote: overloads,
# templates, operators; what a policy says of them; how many there may be.
. tests/live/lib.sh
need_bpf; need jq g++
grep -q '^user functions (uprobe)  *ok' "$tmp/doctor" || skip_all 'no user functions here'
rows() { jq -r "select(.ledger | not) | $1" "$tmp/out" | sort | paste -sd'|'; }
cat >"$tmp/app.cc" <<'END'
#include <cstdio>
#include <string>
#define KEPT __attribute__((noinline, used))
namespace ns {
struct Class {
	int n;
	KEPT Class(int x) : n(x) { __asm__ volatile(""); }
	KEPT int method(int x) const { __asm__ volatile(""); return n + x; }
	KEPT int method(const char *s) { __asm__ volatile(""); return *s + n; }
	KEPT bool operator<(const Class &o) const { __asm__ volatile(""); return n < o.n; }
};
template <class T> KEPT T twice(T x) { __asm__ volatile(""); return x + x; }
template <class T, class U> KEPT T sum(T x, U y) { __asm__ volatile(""); return x + y; }
}
extern "C" KEPT int plain(int x) { __asm__ volatile(""); return x; }
int main()
{
	ns::Class c(3), d(4);
	double r = 0;

	for (int i = 0; i < 5; i++) r += c.method(i);
	for (int i = 0; i < 3; i++) r += c.method("ab");
	for (int i = 0; i < 2; i++) r += ns::twice(i);
	for (int i = 0; i < 4; i++) r += ns::twice(i + .5);
	for (int i = 0; i < 6; i++) r += ns::sum(i, 'a') + (c < d) + plain(i);
	fprintf(stderr, "%g\n", r);
}
END
g++ -O1 -o "$tmp/app" "$tmp/app.cc"
A=$tmp/app
# counted NAME GLOB... WANTED: func=count of each, in order
counted() {
	local what=$1 wanted=${*: -1} source='' glob
	for glob in "${@:2:$#-2}"; do source+="${source:+, }\"$A:$glob\""; done
	q -c "$A" "count of user $source by func"
	same "$what" "$(rows '"\(.func)=\(.count)"')" "$wanted"
}
counted 'overloads' 'ns::Class::method' \
	'ns::Class::method(char const*)=3|ns::Class::method(int) const=5'
counted 'one of them' 'ns::Class::method(int) const' 'ns::Class::method(int) const=5'
counted 'by the name in the file' '_ZNK2ns5Class6method*' 'ns::Class::method(int) const=5'
counted 'a template' 'ns::twice' 'ns::twice<double>(double)=4|ns::twice<int>(int)=2'
counted 'one of its functions' 'ns::twice<int>' 'ns::twice<int>(int)=2'
counted 'a glob' 'ns::*<double*' 'ns::twice<double>(double)=4'
counted 'an operator' 'ns::Class::operator<' 'ns::Class::operator<(ns::Class const&) const=6'
counted 'a constructor' 'ns::Class::Class' 'ns::Class::Class(int)=2'
counted 'commas, and a second one' 'ns::sum<int, char>(int, char)' 'plain' \
	'ns::sum<int, char>(int, char)=6|plain=6'
counted 'named twice, counted once' 'ns::twice<int>' 'ns::t*' \
	'ns::twice<double>(double)=4|ns::twice<int>(int)=2'
counted 'the narrower one behind' 'ns::t*' 'ns::twice<int>' \
	'ns::twice<double>(double)=4|ns::twice<int>(int)=2'
q -c "$A" "name, func of user \"$A:ns::sum\" limit 1"
same 'name is that of the file' "$(rows '"\(.name) \(.func)"')" \
	'_ZN2ns3sumIicEET_S1_T0_ ns::sum<int, char>(int, char)'
q -c "$A" "count, count(where latency > 0) as timed of user \"$A:ns::Class::method\"
	where func = \"ns::Class::method(int) const\" by name"
same 'ends, and a condition' "$(rows '"\(.name)=\(.count)/\(.timed)"')" '_ZNK2ns5Class6methodEi=5/5'
q -c "$A" "count of user \"$A:ns::Class::methods\""
holds 'the nearest' 'did you mean `ns::Class::method`?' "$tmp/err"
q -c "$A" "events of user \"$A:ns::twice\" into \"$tmp/app.rnt\""
q "count of user \"$A:ns::twice\" by func from \"$tmp/app.rnt\""
same 'recorded' "$(rows '"\(.func)=\(.count)"')" 'ns::twice<double>(double)=4|ns::twice<int>(int)=2'
echo "a exec: $RN agent --stdio --policy $tmp/policy" >"$tmp/hosts"
echo "classes = \"user $A:ns::twice*\", \"user $A:ns::sum*\"" >"$tmp/policy"
q -H "$tmp/hosts" "count of user \"$A:ns::sum<int, char>\", \"$A:ns::twice\" for 10ms"
same 'what a policy names' "$(grep -c E-POLICY "$tmp/err")" 0
q -H "$tmp/hosts" "count of user \"$A:ns::sum<int, char>\", \"$A:main\" for 10ms"
same 'and what it does not' "$(grep -c E-POLICY "$tmp/err")" 1
q -H "$tmp/hosts" "count of user \"$A:ns::twice(\", \"$A:main\" for 10ms"
same 'a bracket hides nothing' \
	"$(grep -c 'E-POLICY\|has no function' "$tmp/err") $(rows .count)" '1 '

# ---- how many ----
q --max-functions 2 -c "$A" "count of user \"$A:ns::*\" by func"
holds 'no more than --max-functions' 'more than 2 functions [E-LIMIT-FUNCTIONS]' "$tmp/err"
holds 'the option is named' '--max-functions N, up to 100000' "$tmp/err"
q --max-functions 2 -c "$A" "count of user \"$A:ns::twice\" by func"
same 'as many' "$(rows .count)" '2|4'
echo "classes = \"user $A:*\"" >"$tmp/policy"
q --max-functions 2 -H "$tmp/hosts" "count of user \"$A:ns::*\" for 10ms"
holds 'at a node, too' 'more than 2 functions [E-LIMIT-FUNCTIONS]' "$tmp/err"
{
	for i in {1..10300}; do echo "void f_$i(void) { __asm__ volatile(\"\"); }"; done
	echo 'int main(void) { f_1(); f_10300(); }'
} >"$tmp/many.c"
gcc -O0 -w -o "$tmp/many" "$tmp/many.c"
q -c "$tmp/many" "count of user \"$tmp/many:f_*\" by func"
holds 'more than 10,000' 'more than 10000 functions' "$tmp/err"
q --max-functions 20000 -c "$tmp/many" "count of user \"$tmp/many:f_*\" by func"
if grep -q 'attaches to each' "$tmp/err"; then
	skip '10,300 functions: this kernel attaches to each alone'
else
	same 'with --max-functions' "$(rows .func)" 'f_1|f_10300'
fi

# ---- Rust ----
if command -v rustc >/dev/null; then
	cat >"$tmp/app.rs" <<-'END'
		mod inner {
		    pub trait Speaks { fn speak(&self, n: u64) -> u64; }
		    pub struct Dog;
		    impl Speaks for Dog { #[inline(never)] fn speak(&self, n: u64) -> u64 {
		        std::hint::black_box(n) + 1 } }
		    #[inline(never)] pub fn walk(n: u64) -> u64 { std::hint::black_box(n) * 2 }
		}
		fn main() {
		    use inner::Speaks;
		    let mut r = 0;
		    for i in 0..7 { r += inner::walk(i); }
		    for i in 0..3 { r += inner::Dog.speak(i); }
		    eprintln!("{}", r);
		}
	END
	for how in '' '-C symbol-mangling-version=v0'; do
		# shellcheck disable=SC2086
		rustc -O $how -o "$tmp/app" "$tmp/app.rs" 2>"$tmp/why" || {
			skip "rustc ${how:-as ever}: $(head -1 "$tmp/why")"
			continue
		}
		counted "Rust ${how:-as ever}" 'app::inner::walk' '*inner::Dog as *Speaks>::speak' \
			'<app::inner::Dog as app::inner::Speaks>::speak=3|app::inner::walk=7'
	done
else
	skip 'Rust: there is no rustc'
fi
done_testing
