#!/bin/bash
# terminal.sh - what changes when stdin, stdout or stderr is a terminal, over a pseudo-terminal made
# by script(1).
. tests/cli/lib.bash
command -v script >/dev/null || skip_all "no script(1) on this machine"
# on_tty COMMAND: its output on a terminal of 60 columns, without carriage returns
on_tty() { script -qec "stty cols 60 rows 24; $*" /dev/null </dev/null | tr -d '\r'; }
esc=$(printf '\033')
unset NO_COLOR; export TERM=xterm

# Without arguments on a terminal there is a prompt; it ends with its input. tests/shell/ has the
# rest.
export HOME=$tmp # nobody's ~/.editrc
for term in xterm dumb; do
	out=$(printf '\\q\n' | TERM=$term script -qec "$RN; echo status \$?" /dev/null | tr -d '\r')
	same "prompt-$term" "$(grep -c '^runnel .*helps' <<<"$out") $(grep -c 'runnel> ' <<<"$out") $(tail -n1 <<<"$out" | sed -E 's/^runnel> |^(\x1b\[[?0-9]*[a-z])+//')" \
		"1 1 status 0"
done
on_tty "$RN list 'slow_*'" >"$tmp/o"
if grep -q "$esc\[1m" "$tmp/o"; then
	ok coloured-header
else
	not_ok coloured-header
	cat -v "$tmp/o"
fi
same a-list-goes-on-below "$(grep -c '…' "$tmp/o") $(($(grep -c '^   ' "$tmp/o") >= 3))" '0 1'
width=$(sed "s/$esc\[[0-9;]*m//g" "$tmp/o" | LC_ALL=C.UTF-8 wc -L)
same fits-the-width "$((width > 50 && width <= 60))" 1
NO_COLOR=1 on_tty "$RN list 'slow_*'" >"$tmp/o"
same no-colour "$(grep -c "$esc" "$tmp/o")" 0
TERM=dumb on_tty "$RN list 'slow_*'" >"$tmp/o"
same dumb-terminal "$(grep -c "$esc" "$tmp/o")" 0
# doctor: one line, then what is missing, then the rest.
script -qec "stty cols 80 rows 24; $RN doctor" /dev/null </dev/null | tr -d '\r' |
	sed "s/$esc\[[0-9;]*m//g" >"$tmp/o"
same doctor-begins-with-a-line \
	"$(head -n1 "$tmp/o" | grep -cE '^This machine can run (every query|most queries|no live query)')" 1
same doctor-fits-80-columns "$(($(LC_ALL=C.UTF-8 wc -L <"$tmp/o") <= 80))" 1
"$RN" -o json doctor 2>/dev/null | jq -r .result >"$tmp/results"
same doctor-has-failures-first "$(sort -c "$tmp/results" && echo sorted)" sorted
# Events have more columns than a terminal: those of the background give way, and are named. A pipe
# has all.
"$B/tests/gen_trace" "$tmp/t.rnt" 500 1
TERM=dumb script -qec \
	"stty cols 80 rows 24; $RN -q 'events of syscall from \"$tmp/t.rnt\" limit 5'" /dev/null \
	</dev/null | tr -d '\r' >"$tmp/o"
width=$(head -n7 "$tmp/o" | LC_ALL=C.UTF-8 wc -L)
same events-fit \
	"$((width > 60 && width <= 80)) $(sed -n 2p "$tmp/o" | grep -c 'time .*proc .*name .*file')" \
	"1 1"
same of-several-nodes-which "$(sed -n 2p "$tmp/o" | grep -c ' node ')" 1
same only-the-core "$(grep -c cgroup "$tmp/o")" 0
# A flow keeps who, what and from where, beside its margin: first go the date, what is the same in
# all rows, and the microseconds' last digits.
columns_of() {
	case $1 in
	80) echo 'proc  name .*from  choices' ;;
	120) echo 'pid  name .*from  link  *choices  depth' ;;
	*) echo 'pid  name .*from  match  link  *choices  *lag  depth  *clock' ;;
	esac
}
for c in 80 120 200; do
	TERM=dumb script -qec \
		"stty cols $c rows 24; $RN -q 'flow of tag fix283 from \"tests/demo/flow.rnt\"'" \
		/dev/null </dev/null | tr -d '\r' >"$tmp/o$c"
	same "flow-fits-$c" "$(($(LC_ALL=C.UTF-8 wc -L <"$tmp/o$c") <= c)) $(grep -c "^ *hop  time .*$(columns_of $c)$" "$tmp/o$c")" \
		"1 1"
done
same flow-says-once "$(sed -n 1p "$tmp/o80") / $(grep -c fix283 "$tmp/o80")" \
	"all rows: 2026-11-21, node node1, tags fix283 / 1"
same flow-times "$(awk '$2 == 2 { print $3 }' "$tmp/o80" "$tmp/o120" | paste -sd' ') $(awk '$2 == 2 { print $3, $4 }' "$tmp/o200")" \
	"02:59:19.415 02:59:19.415 02:59:19.415345 cp"
same flow-objects-whole "$(grep -c '127.0.0.1:58746 -> 127.0.0.1:38449' "$tmp/o120")" 1
run -q "events of syscall from \"$tmp/t.rnt\" limit 5"
same core-in-a-pipe "$(grep -c cgroup "$tmp/out")" 0
run "events of syscall from \"$tmp/t.rnt\" limit 5"
holds left-out-is-counted ' more columns: write `* of` for `events of`, or use -o json' "$tmp/err"
run -q "* of syscall from \"$tmp/t.rnt\" limit 5"
same all-in-a-pipe "$(grep -c ' cgroup ' "$tmp/out")" 1
run list 'slow_*'
same whole-in-a-pipe "$(grep -c "$esc\|…" "$tmp/out")" 0
done_testing
