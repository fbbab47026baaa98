#!/bin/bash
# cmdline.sh - the command lines of programs as they are started: with blanks, with empty arguments,
# at the bound and beyond it, of many that live briefly; chosen by, grouped by, paired, recorded,
# and beside what the table `processes` says.
. tests/live/lib.sh
need_bpf; need jq
p=args$$
cp "$(type -P true)" "$tmp/$p"
ledger() { grep "\"ledger\"" "$tmp/err" | jq ".ledger.$1 // 0"; }
x() { head -c "$1" /dev/zero | tr '\0' x; } # so many of them
rest=$((256 - ${#tmp} - ${#p} - 2))         # what is left of the bound behind the program's path
cat >"$tmp/run" <<END
$tmp/$p
$tmp/$p 'a b' c
$tmp/$p '' x '' y
$tmp/$p x ''
$tmp/$p $(x $rest)
$tmp/$p $(x $((rest + 1)))
$tmp/$p $(x 5000)
$tmp/$p "\$(printf 'a\\nb\\tc')"
cd $tmp; ./$p relative
./none such 2>/dev/null
exec $tmp/$p last
END
q -c "sh $tmp/run" "cmdline, error, file of exec where proc = $p"
cut=$(x $((rest - 2)))..
cat >"$tmp/want" <<END
$tmp/$p
$tmp/$p a b c
$tmp/$p  x  y
$tmp/$p x
$tmp/$p $(x $rest)
$tmp/$p $cut
$tmp/$p $cut
$tmp/$p a\\nb\\tc
./$p relative
$tmp/$p last
END
field '.cmdline | gsub("\n"; "\\n") | gsub("\t"; "\\t")' >"$tmp/got"
if cmp -s "$tmp/got" "$tmp/want"; then
	ok 'each as it was given'
else
	not_ok 'each as it was given'
	diff "$tmp/got" "$tmp/want"
fi
same 'two were cut, and the ledger says so' "$(ledger truncated)" 2
q -c "sh $tmp/run" "cmdline, error of exec where file ~ \"*/none\""
same 'of one that could not be started nothing is known' \
	"$(field '[.cmdline, .error] | tostring')" '["","ENOENT"]'

# ---- many, chosen by it and grouped by it at the node ----
many="for i in \$(seq 200); do $tmp/$p arg \$i; done"
q -c "$many" "cmdline of exec where proc = $p"
same 'two hundred that live briefly' "$(field .cmdline | sed "s|^$tmp/||" | sort | md5sum)" \
	"$(for i in $(seq 200); do echo "$p arg $i"; done | sort | md5sum)"
q -c "$many" "count of exec where cmdline ~ \"*/$p arg 7?\" by cmdline"
same 'groups of those that a condition chooses' \
	"$(field '"\(.cmdline)=\(.count)"' | sed "s|^$tmp/$p ||" | sort | xargs)" \
	"$(for i in 0 1 2 3 4 5 6 7 8 9; do echo "arg 7$i=1"; done | xargs)"
q -c "$many" \
	"cmdline, ret, latency of between exec and exit on pid where proc = $p and latency > 0s"
same 'each with its end' \
	"$(field .cmdline | sort -u | wc -l) $(field 'select(.ret == 0) | .ret' | wc -l)" \
	'200 200'
q -c "$many" "events of exec into \"$tmp/x.rnt\""
q "count of exec where proc = $p by cmdline from \"$tmp/x.rnt\""
same recorded "$(field .cmdline | sort -u | wc -l) $(field .count | sort -u)" "200 1"

# ---- a condition on it is the kernel's ----
q -c "sh $tmp/run" "count of exec where cmdline ~ \"*/$p a b ?\" or cmdline = \"./$p relative\""
same 'two of eleven leave the kernel as a count' "$(field .count)" 2
q -c "sh $tmp/run" "cmdline of exec where cmdline ~ \"*/$p*xx..\""
same 'two that were cut, as they are shown' "$(field '.cmdline | length' | sort -u)" 256
same 'and the copy for the condition is the one for the row' "$(ledger truncated)" 2
q -c "sh $tmp/run" "count of read where pid in live (pid of exec where cmdline ~ \"*/$p a*c\")"
same 'a live set of it' "$(field '.count > 0')" true

# ---- the same process, asked by both ----
cp "$(type -P sleep)" "$tmp/$p"
q -c "$tmp/$p 0 '0' 0 0.0; exec $tmp/$p 1" "use proc; cmdline of execsnoop where proc = $p limit 1"
same 'execsnoop' "$(field .cmdline)" "$tmp/$p 0 0 0 0.0"
"$tmp/$p" 300 0 & sleeper=$!
await is_now $sleeper "$p"
q "cmdline of processes where pid = $sleeper"
same 'the table has it by the same name' "$(field .cmdline)" "$tmp/$p 300 0"
kill $sleeper; wait $sleeper 2>/dev/null
done_testing
