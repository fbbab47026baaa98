#!/bin/bash
# What an asker costs an agent is bounded by its node's policy, also before the policy is asked, and
# from outside of the query's work. The asker here tests nothing of what it asks for; the agent
# lives on and answers another query.
. tests/hostile/lib.bash
need_bpf; need python3; need sqlite3
export RUNNEL_POLICY=$tmp/policy
load=
tidy_up() { [ -z "$load" ] || { kill "$load"; wait "$load"; } 2>/dev/null; }
at_exit tidy_up
policy() { printf '%s\n' "$@" >"$tmp/policy"; }
# asks KIB WHAT ARGUMENT: with so much address space for the agent
asks() {
	timeout -k 5 60 "$B/tests/asker" "ulimit -v $1; exec '$RN' agent --stdio" "$2" "$3" \
		>"$tmp/out" 2>"$tmp/err"
	rc=$?
}
lives() { # WHAT PATTERN: how the query ended; and the agent answers another one
	local first; first=$(sed -n 1p "$tmp/out")
	# shellcheck disable=SC2053
	if [[ $first == $2 ]]; then
		ok "$1"
	else
		not_ok "$1: exit $rc, $(cat "$tmp/out" "$tmp/err")"
	fi
	same "$1: and the agent lives" "$rc $(sed -n '2,$p' "$tmp/out")" '0 another: answered'
}

# A regular expression that would be written out to 100,000,000 parts.
policy 'max_memory = 100' 'max_cpu = 20' 'max_seconds = 20'
asks 1000000 matches '((((a{1,100}){1,100}){1,100}){1,100})'
lives 'a regular expression that explodes' \
	'it: refused: *multiply to more than 1000 at byte 13 \[E-LIMIT-REGEX\]'
asks 1000000 matches '(a)\1'
lives 'a back reference' 'it: refused: *`\\1` at byte 3 is a back reference*\[E-TYPE\]'

# Six lists of 1,000,000 numbers, each of a byte on the wire.
asks 500000 values 1000000
lives 'more than max_memory when decoded' \
	"it: refused: the policy of this node does not let a query take so much: decoded, it is more than 100 MiB: $tmp/policy:1 \[E-POLICY\]"
policy 'ask = somebody@else'
asks 200000 values 1000000
lives_not() { same "$1" "$rc $(sort -u <<<"$(sed 's/^[a-z]*: //' "$tmp/out")")" "$2"; }
lives_not 'nothing is decoded of who may not ask' \
	"0 refused: the policy of this node does not let asker@test ask: $tmp/policy:1 [E-POLICY]"
asks 200000 bytes 1000000
same 'nor of who does not say hello' \
	"$rc $(tail -n1 "$tmp/out" | grep -o 'a message beyond the limit')" \
	'1 a message beyond the limit'

# The same from an ordinary coordinator, whose values come from a recording.
run -c true 'events of getppid into "'"$tmp"'/mill.rnt"'
sqlite3 "$tmp/mill.rnt" \
	"with recursive n(i) as (select 1 union all select i + 1 from n where i < 1000000)
	insert into events (time, pid) select i, i from n" 2>"$tmp/sql" || not_ok "no recording: $(cat "$tmp/sql")"
printf 'n1 exec: sh -c "ulimit -v 200000; exec %s agent --stdio"\n' "$RN" >"$tmp/hosts"
timeout -k 5 60 "$RN" -H "$tmp/hosts" \
	"count of getppid where pid in (pid of getppid from \"$tmp/mill.rnt\") for 1s" >"$tmp/out" \
	2>"$tmp/err"
same 'an ordinary coordinator is told' \
	"$? $(grep -c "^error: node n1: the policy of this node does not let [^ ]*@[^ ]* ask: $tmp/policy:1" "$tmp/err")" \
	'4 1'

# One match of this takes minutes and gigabytes, within all limits of a text. Somebody opens the
# file that it is tried on.
cat >"$tmp/open.py" <<'PY'
import os, random, sys, time
random.seed(1)
os.chdir(sys.argv[1])
for _ in range(15): # the kernel gives the path as it is from the root: not beyond 4,096 bytes
    part = "".join(random.choice("ab") for _ in range(200))
    os.mkdir(part)
    os.chdir(part)
open("ab", "w").close()
while True:
    os.close(os.open("ab", os.O_RDONLY))
    time.sleep(0.05)
PY
mkdir "$tmp/deep"
python3 "$tmp/open.py" "$tmp/deep" & load=$!
for limit in 'max_seconds = 3' 'max_cpu = 5' 'max_memory = 60'; do
	policy "$limit"
	asks 4000000 matches '([ab/])*a([ab/]){1000}x'
	lives "a match without an end, ${limit% =*}" \
		"it: ended: ended by the policy of this node: the query *: $tmp/policy:1 \[E-POLICY\]"
done
done_testing
