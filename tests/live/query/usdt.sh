#!/bin/bash
# usdt.sh - static probes of programs: counted as the program itself counts them; their arguments in
# every place that there is; semaphores; texts that arguments point to; what cannot be read or
# probed; a policy; nodes; a recording.
. tests/live/lib.sh
need_bpf; need jq
grep -q '^user functions (uprobe)  *ok' "$tmp/doctor" || skip_all 'no probes of programs here'
P=$PWD/$B/tests/programs/probes F=$PWD/$B/tests/programs/functions
export RUNNEL_POLICY=$tmp/allow # texts are payload
echo 'payload = allow' >"$tmp/allow"
rows() { jq -r "select(.ledger | not) | $1" "$tmp/out" | sort | paste -sd' '; }
counts() { rows '"\(.func)=\(.count)"'; }
of_ledger() { grep '"ledger"' "$tmp/err" | jq -c ".ledger.$1"; }

# ---- counts and arguments ----
q -c "$P places 300" "count of usdt \"$P:kinds:*\" by func"
same 'several places of one name' "$(counts)" "$("$P" places 300)"
q -c "$P places 300" "count, sum(arg0), max(arg0) of usdt \"$P:kinds:places\" where arg0 > 100"
same 'each has its operands' "$(rows '[.count, ."sum(arg0)", ."max(arg0)"] | tostring')" \
	"[499,$((300 * 1000 + 299 * 300 / 2 - 5050)),1000]"
q -c "$P places 300" "count of usdt \"$P:places\", \"$P:*:bare\" by name, module"
same 'of any provider' "$(rows '[.name, .module, .count] | tostring')" \
	"[\"kinds:bare\",\"$P\",300] [\"kinds:places\",\"$P\",600]"
all=arg0,arg1,arg2,arg3,arg4,arg5,arg6,arg7,arg8,arg9,arg10,arg11
q -c "$P forms 9" "count of usdt \"$P:kinds:forms\" by $all"
# shellcheck disable=SC2016 # of jq
same 'operands in all places' \
	"$(rows '. as $r | [range(12) | $r["arg\(.)"]] + [.count] | tostring')" \
	"$("$P" forms 9 | sort | paste -sd' ')"
q -c "$P forms 9" "$all of usdt \"$P:kinds:forms\" where arg8 = 203 and arg6 >= 3000 and arg0 < 0"
same 'conditions on them, and rows' "$(jq -s 'map(select(has("arg0")).arg9) | add' "$tmp/out")" \
	"$((33 * 1000))"
q -c "$P places 5" "func, arg0 of usdt \"$P:kinds:*\""
same 'a place without the argument: null' "$(rows 'select(.func == "kinds:bare").arg0')" \
	'null null null null null'
q -c "$P places 5" "count, sum(arg0) of usdt \"$P:kinds:*\" by func"
same 'which is left out of what uses it, and counted' "$(counts) $(of_ledger unpaired)" \
	'kinds:places=10 5'
q -c "$P guarded 3 300" "count of usdt \"$P:guarded\" by ustack"
same 'the stack that led there' "$(rows '.ustack | test("main")')" true

# ---- semaphores ----
same 'nobody listens' "$("$P" guarded 5)" 'kinds:guarded=0 0'
q -c "$P guarded 50" "count of usdt \"$P:kinds:guarded\" by func"
same 'while the query is there, the guarded branch runs' \
	"$(counts) $(grep -c 'kinds:guarded=50 1' "$tmp/err" "$tmp/out" | cut -d: -f2 | paste -sd+ | bc)" \
	'kinds:guarded=50 1'
"$P" guarded 100000 5 >"$tmp/said" & one=$!
q "count of usdt \"$P:kinds:guarded\" where pid = $one for 300ms"
same 'of a program that runs' "$(rows '.count > 3')" true
kill $one; wait $one 2>/dev/null
"$P" guarded 30 50 >"$tmp/said" & one=$!
q "count of usdt \"$P:kinds:guarded\" where pid = $one for 300ms"
wait $one
same 'and off again afterwards' "$(cut -d' ' -f2 "$tmp/said")" 0

# ---- texts ----
q -c "$P texts 10" "count of usdt \"$P:kinds:text\" by text(arg0)"
same 'texts as keys; what has none is left out' "$(rows '"\(."text(arg0)")=\(.count)"')" \
	'text 0=2 text 1=2 text 2=2'
same 'and counted: NULL, and what cannot be read' \
	"$(of_ledger unpaired) $(of_ledger faulted)" '4 2'
q -c "$P texts 10" "arg1, text(arg0) of usdt \"$P:kinds:text\" where arg1 >= 5"
same 'rows: then it is null' "$(rows '"\(.arg1)=\(."text(arg0)")"')" \
	'5=text 0 6=text 1 7=text 2 8=null 9=null'
q -c "$P texts 9" "count, sum(arg1) of usdt \"$P:kinds:text\" where text(arg0) = \"text 1\""
same 'a condition' "$(rows '[.count, ."sum(arg1)"] | tostring')" '[2,7]'
q -c "$P texts 9" "set(arg1) of usdt \"$P:kinds:text\" where text(arg0) ~ \"*x? 2\""
same 'a glob' "$(rows '."set(arg1)" | tostring')" '[2,7]'
q -c "$P texts 10" "count of usdt \"$P:kinds:text\" by text(arg0, 4) as t, len(text(arg0))"
same 'so many bytes of it' "$(rows '[.t, ."len(text(arg0))", .count] | tostring')" '["text",6,6]'
q -c "$F args 3" "count of user \"$F:main\" where text(arg0) is null"
same 'no text at a number, in a function' "$(rows .count) $(of_ledger faulted)" '1 1'
q -c "env A=b sh -c :" 'text(arg0), text(ret), latency > 0 as timed of user "libc:getenv"'
same 'text at the entry, and at the result' \
	"$(rows 'select(.timed and ."text(ret)") | ."text(arg0)"' | grep -c .)" 1
cat >"$tmp/env.c" <<'END'
#include <stdlib.h>
#include <string.h>
int main(void)
{
	char name[8];
	for (int i = 0; i < 10; i++) {
		strcpy(name, i % 2 ? "ODD" : "EVEN");
		getenv(name);
	}
}
END
if command -v gcc >/dev/null; then
	gcc -O1 -o "$tmp/env" "$tmp/env.c"
	long=$(printf 'x%.0s' {1..200})
	q -c "env ODD=one EVEN=$long $tmp/env" "count, max(latency) > 0 as timed
		of user \"libc:getenv\" where text(arg0) in (ODD, EVEN) and proc = env
		by text(arg0), len(text(ret)) as n"
	same 'both, in a condition and as keys' \
		"$(rows '[."text(arg0)", .n, .count, .timed] | tostring')" \
		'["EVEN",123,5,true] ["ODD",3,5,true]'
	same 'what is cut is counted' "$(of_ledger truncated)" 5
else
	skip 'texts of functions: there is no gcc'
fi

# ---- what cannot be read or probed ----
q -c "$P odd 7" "count of usdt \"$P:other:*\" by func"
same 'an instruction that none may sit at' "$(counts) $(of_ledger unattached)" 'other:odd=7 1'
q -c "$P odd 7" "arg2, arg3 of usdt \"$P:other:odd\""
same 'an address that is none' "$(rows '[.arg2, .arg3] | tostring' | tr ' ' '\n' | tail -1) \
$(of_ledger faulted)" '[6,null] 7'
refused() { # NAME QUERY PATTERN
	"$RN" "$2 for 10ms" >"$tmp/out" 2>"$tmp/err"
	same "$1" "$(grep -c "$3" "$tmp/err")" 1 || cat "$tmp/err"
}
refused 'at a symbol' "arg0 of usdt \"$P:other:odd\"" 'it lies at a symbol'
refused 'a floating-point number' "arg1 of usdt \"$P:other:odd\"" 'floating-point'
refused 'no such argument' "count of usdt \"$P:places\" by arg1" 'has no `arg1`'
refused 'no such probe' "count of usdt \"$P:kinds:place\"" 'no static probe `kinds:place`'
same 'the nearest is told' "$(grep -c 'did you mean `kinds:places`' "$tmp/err")" 1
refused 'a file without probes' "count of usdt \"$F:a:b\"" 'has no static probes'
refused 'no such file' 'count of usdt "/nonexistent:a:b"' 'No such file'
refused 'no probe' 'count of usdt "libc"' 'WHERE:PROVIDER:NAME'
q -c "$P places 5" "events of usdt \"$P:kinds:places\""
same 'events of one' "$(rows .func | tr ' ' '\n' | sort | uniq -c | xargs)" '10 kinds:places'

# ---- which file is meant ----
cp "$P" "$tmp/probes$$"
"$tmp/probes$$" guarded 100000 5 >/dev/null & one=$!
await is_now $one "probes$$"
q "count of usdt \"probes$$:guarded\" for 300ms by pid"
same 'a program by the name of its process' "$(rows .pid)" $one
kill $one; wait $one 2>/dev/null

# ---- a policy, nodes, a recording ----
for node in a b; do echo "$node exec: $RN agent --stdio --policy $tmp/policy"; done >"$tmp/hosts"
: >"$tmp/policy"
ask() { q -H "$tmp/hosts" "count, set(node) of usdt \"$1\" for 50ms"; }
ask "$P:kinds:text"
same 'others may not, if the policy does not say so' "$(grep -c 'E-POLICY' "$tmp/err")" 1
echo "classes = read, \"usdt $P:kinds:*\"" >"$tmp/policy"
among=$tmp/hosts during "count, set(node) of usdt \"$P:kinds:text\" where proc = probes by arg1" \
	"$P" texts 3 >/dev/null
same 'two nodes' "$(rows '[.arg1, .count, (."set(node)" | sort)] | tostring')" \
	'[0,2,["a","b"]] [1,2,["a","b"]] [2,2,["a","b"]]'
for other in "$P:other:odd" "$P:*" "$F:kinds:text"; do
	ask "$other"
	same "the policy does not name ${other#"$PWD"}" "$(grep -c 'E-POLICY' "$tmp/err")" 1
done
q -H "$tmp/hosts" "count of usdt \"$P:kinds:text\" for 50ms by text(arg0)"
same 'nor does it allow texts' "$(grep -c 'the field text(arg0).*E-POLICY' "$tmp/err")" 1
echo 'payload = allow' >>"$tmp/policy"
among=$tmp/hosts during "count of usdt \"$P:kinds:text\" where proc = probes by text(arg0)" \
	"$P" texts 3 >/dev/null
same 'until it does' "$(rows '"\(."text(arg0)")=\(.count)"')" 'text 0=2 text 1=2 text 2=2'
q -c "$P texts 10" "time, func, arg1, text(arg0) of usdt \"$P:kinds:text\" into \"$tmp/usdt.rnt\""
q "count of usdt \"$P:kinds:text\" by func, text(arg0) from \"$tmp/usdt.rnt\""
same 'recorded' "$(rows '"\(.func)=\(."text(arg0)")=\(.count)"')" \
	'kinds:text=text 0=2 kinds:text=text 1=2 kinds:text=text 2=2'
q "count of usdt \"$P:kinds:text\" where text(arg0) is null from \"$tmp/usdt.rnt\""
same 'and what was null' "$(rows .count)" 4

# ---- a real program ----
postgres=$(printf '%s\n' /usr/lib/postgresql/*/bin/postgres | tail -1)
if [ -x "$postgres" ] && id postgres >/dev/null 2>&1; then
	mkdir "$tmp/pg"; chown postgres "$tmp/pg"; chmod 755 "$tmp"
	runuser -u postgres -- "${postgres%postgres}initdb" -D "$tmp/pg/data" -N >"$tmp/why" 2>&1
	printf 'select 1;\nselect 2;\nselect 2;\n' >"$tmp/sql"
	echo "runuser -u postgres -- $postgres --single -D $tmp/pg/data postgres <$tmp/sql" \
		>"$tmp/single"
	q -c "bash $tmp/single" "count of usdt \"$postgres:postgresql:query__start\"
		where text(arg0) ~ \"select*\" by text(arg0), func"
	same 'queries of postgres' \
		"$(rows '[(."text(arg0)" | rtrimstr("\n")), .count] | tostring')" \
		'["select 1;",1] ["select 2;",2]'
	q -c "bash $tmp/single" "count of usdt \"$postgres:query__*\" by func"
	same 'each has its steps' "$(rows 'select(.count >= 3).func' | tr ' ' '\n' |
		grep -cE ':query__(start|done|parse__start|execute__done)$')" 4
else
	skip 'postgres: it is not installed'
fi
done_testing
