#!/bin/bash
# functions.sh - list and describe of functions of programs: which there are, by which names a query
# may name them, and what is not there.
. tests/cli/lib.bash
need gcc g++ jq
cat >"$tmp/app.c" <<'END'
#define KEPT __attribute__((noinline, used))
KEPT int one(int x) { __asm__ volatile(""); return x; }
KEPT int two(int x) { __asm__ volatile(""); return x; }
KEPT int twice(int x) { __asm__ volatile(""); return 2 * x; }
static int (*choose(void))(int) { return one; }
int chosen(int) __attribute__((ifunc("choose")));
__asm__(".text\n.globl looped\n.type looped,@function\nlooped: sub $1,%edi\n jne looped\n ret\n"
	" .size looped,.-looped\n");
int main(int argc, char **argv) { return one(two(twice(argc))) + chosen(argc); }
END
gcc -O1 -w -o "$tmp/app" "$tmp/app.c" || set_up_failed 'no program'
A=$tmp/app
run -o csv list "user:$A:tw*"
case_is listed 0 "kind,name,doc
user,$A:twice,\"\"
user,$A:two,\"\"" ''
run -o csv list "user \"$A:tw*\", \"$A:one\""
case_is 'two globs' 0 "kind,name,doc
user,$A:one,\"\"
user,$A:twice,\"\"
user,$A:two,\"\"" ''
run -o csv list "user:$A:chosen"
same 'chosen when the program starts' \
	"$rc $(cat "$tmp/out") $(grep -c 'cannot be probed' "$tmp/err")" '1  1'
run list "user:$A:looped"
holds 'a loop to its beginning' 'it jumps to its own beginning' "$tmp/err"
run list "user:$A:[clot]*o*"
holds 'what is left out is counted' '(2 more that match cannot be probed' "$tmp/err"
run -q list "user:$A:[clot]*o*"
same 'but not with -q' "$rc $(cat "$tmp/err")" '0 '
run list "user:$A:twise"
case_is 'the nearest' 1 '' "error: $A has no function \`twise\`
  did you mean \`twice\`?"
run list "user:$A"
same 'no function' "$rc $(grep -c 'functions are written "WHERE:GLOB"' "$tmp/err")" '1 1'
run list "user:/nonexistent:x"
same 'no file' "$rc $(grep -c 'No such file' "$tmp/err")" '1 1'
cp "$A" "$tmp/with:colon"
run -o csv list "user:$tmp/with\\:colon:one"
same 'a colon in the path' "$(tail -n1 "$tmp/out")" "user,$tmp/with\\:colon:one,\"\""
run -o csv list "user:$tmp/with\\:colon:one, $A:one"
same 'of two files, each by its path' "$(grep '^user' "$tmp/out" | paste -sd' ')" \
	"user,$A:one,\"\" user,$tmp/with\\:colon:one,\"\""
cat >"$tmp/a.cc" <<'END'
namespace ns { template <class T> __attribute__((noinline, used)) T f(T x, int y) { return x; } }
int main() { return ns::f(1, 2) + (int)ns::f(1.5, 2); }
END
g++ -O0 -o "$tmp/cc" "$tmp/a.cc" || set_up_failed 'no program in C++'
run -o json list "user:$tmp/cc:ns::f"
same 'C++' "$(jq -r '"\(.name) \(.doc)"' "$tmp/out")" \
	"$tmp/cc:ns::f<double>(double, int) _ZN2ns1fIdEET_S1_i
$tmp/cc:ns::f<int>(int, int) _ZN2ns1fIiEET_S1_i"
run -o json list "user:$tmp/cc:ns::f<int>(int, int)"
same 'each as it was listed' "$(jq -r .doc "$tmp/out")" _ZN2ns1fIiEET_S1_i

# ---- describe ----
run -o json describe "user \"$A:t*\""
same described \
	"$rc $(jq -r 'select(.kind == "file") | "\(.name) \(.doc)"' "$tmp/out")" "0 $A 2 functions"
same 'with the fields' \
	"$(jq -r 'select(.name == "arg0" or .name == "func") | .type' "$tmp/out" | paste -sd' ')" \
	'integer string'
run -o json describe "user:$A:[clot]*o*"
same 'how many are left out' \
	"$(jq -r 'select(.kind == "left out") | .doc' "$tmp/out")" '2 that cannot be probed'
run describe "user:$A:twise"
case_is 'nothing to describe' 1 '' "error: $A has no function \`twise\`
  did you mean \`twice\`?"
run -o json describe user
same 'the class alone' "$(jq -r 'select(.kind == "class") | .name' "$tmp/out")" user

cat >"$tmp/p.c" <<'END'
int main(void)
{
	__asm__ volatile("990: nop\n.pushsection .note.stapsdt,\"?\",\"note\"\n.balign 4\n"
		".4byte 992f-991f,994f-993f,3\n991: .asciz \"stapsdt\"\n992: .balign 4\n"
		"993: .8byte 990b\n.8byte 0\n.8byte 0\n.asciz \"app\"\n.asciz \"step\"\n"
		".asciz \"\"\n994: .balign 4\n.popsection");
}
END
gcc -O1 -no-pie -o "$tmp/p" "$tmp/p.c" || set_up_failed 'no program with a static probe'
run -o csv list "usdt:$tmp/p:s*"
case_is 'a static probe' 0 "kind,name,doc
usdt,$tmp/p:app:step,\"\"" ''

# ---- the option ----
for bad in 0 -1 x 10x 100001 99999999999999999999; do
	run --max-functions "$bad" 'count of read'
	case_is "--max-functions $bad" 2 '' \
		"runnel: --max-functions takes a number from 1 to 100000, not \`$bad\`"
done
run --max-functions 100000 --stop-after=plan 'count of user "libc:malloc"'
same '--max-functions' "$rc" 0
done_testing
