#!/bin/bash
# A shell takes a tag in; its children put it out. One is a fork of the shell, one runs a program
# that has the tag as an argument. A child that was started before the shell had the tag has it from
# elsewhere. `by proc` folds the same to links between processes.
. tests/live/lib.sh
need_bpf; need jq
printf 'user fix283\n' >"$tmp/a"
cat >"$tmp/scenario" <<S
printf 'early ' >/dev/null
mkfifo $tmp/go
bash -c 'cat $tmp/go >/dev/null; printf "%s%s" fix 283 >$tmp/early' & early=\$!
exec 3>$tmp/go
read -r _ who <$tmp/a
( echo "\$who" >$tmp/forked; : )
env printf "%s\n" "\$who" >$tmp/program
exec 3>&-
wait \$early
S
q -c "bash $tmp/scenario" '* of (flow of tag fix283)'
jq -c '[.hop, .from, .link, .choices, .proc, .name, .dir, .object, .from_proc]' "$tmp/out"
same 'all three were written' "$(cat "$tmp/forked" "$tmp/program" "$tmp/early" | paste -sd' ')" \
	'fix283 fix283 fix283'
hop() { field "select(.object == \"$tmp/$1\" and .dir == \"$2\") | .hop"; }
from() {
	field "select(.object == \"$tmp/$1\" and .dir == \"out\") | \"\(.from) \(.link) \(.choices)\""
}
same 'a fork has what the shell had' "$(from forked)" "$(hop a in) inherit 1"
same 'so has a program that it starts' "$(from program)" "$(hop a in) inherit 1"
same 'what began before has it from elsewhere' "$(from early)" '0  0'
same 'and the row names the process of the other hop' \
	"$(field "select(.object == \"$tmp/program\") | \"\(.from_proc) \(.from_node)\"")" \
	"bash $(uname -n)"

q -c "bash $tmp/scenario" 'flow of tag fix283 by proc'
same 'folded: from whom to whom, and how many' \
	"$(field 'select(.from) | "\(.from) \(.to) \(.hops) \(.bytes)"' | sort | paste -sd,)" \
	'bash bash 1 7,bash printf 1 7'
same 'a hop without a cause is from nobody' \
	"$(jq -r 'select(.from == null) | .to' "$tmp/out" | sort -u)" bash
done_testing
