#!/bin/bash
# terminals.sh - a terminal of 40 columns, one that cannot move its cursor, and none of colour. The
# first screen.
. tests/shell/lib.bash
at 40 30
line '\h'; wait_prompt; golden narrow-help
clear; line 'count of raed where latency > 10 by proc;'; wait_prompt; golden narrow-error
clear
line 'proc, count, sum(bytes), p99(latency) of io by proc, name, file top 3 from "tests/demo/io.rnt";'
wait_prompt
golden narrow-table
clear; line '\?'; wait_prompt; line '\h where'; wait_prompt; golden narrow-commands
clear; keys 'count of io where ar' '<Tab>'; wait_last 'runnel> count of io where arg'
keys '<Tab>'; wait_for 'arg5'; golden narrow-tab; keys '<C-c>'; wait_prompt
line '\q'; wait_last '$'
# the keys of vi, as ~/.editrc may want them: ours are there too, in its text and in its commands
mkdir "$tmp/vi"; echo 'bind -v' >"$tmp/vi/.editrc"
at 80 24 HOME="$tmp/vi"
keys 'count of io wh' '<Tab>'; wait_last 'runnel> count of io where'; keys '<C-c>'; wait_prompt
tm set-buffer 'xcount of'; tm paste-buffer -p -t x; wait_last 'runnel> xcount of'
tm send-keys -t x Escape 0 x; wait_last 'runnel> count of'
tm send-keys -t x : A ' io' Enter; wait_last '     ->'; keys 'xby proc' '<Escape>' '<C-c>'
wait_prompt; ok vi
line '\q'; wait_last '$'
# stopped and back, the prompt of one that cannot move its cursor is shown again: what had been
# typed the terminal threw away
type "clear; TERM=dumb $RN -q" '<Enter>'; wait_prompt
keys 'count' '<C-z>'; wait_for 'Stopped'; wait_last '$'; line 'fg'; wait_prompt; line '\timing'
wait_for 'is on'; wait_prompt; ok dumb-suspended
line '\q'; wait_last '$'

# A terminal that cannot move its cursor edits by itself; nothing but text is written to it.
dumb() { # STATEMENT...: what the prompt prints; the terminal is made by script(1)
	printf '%s\n' "$@" '\q' |
		TERM=dumb NO_COLOR='' script -qec "stty cols 80 rows 24 -echo; $RN ${quiet:-}" \
			/dev/null | tr -d '\r'
}
command -v script >/dev/null || {
	skip "no script(1) on this machine"
	done_testing
}
dumb 'count of io' 'from "tests/demo/io.rnt";' 'count of raed;' '\x' >"$tmp/out"
same dumb-answers "$(grep -c '^ledger: 190 seen' "$tmp/out") $(grep -c 'did you mean `read`' "$tmp/out") $(grep -c 'is on$' "$tmp/out")" \
	"1 1 1"
same dumb-prompts "$(grep -o 'runnel> \|     -> ' "$tmp/out" | tr -d ' ' | paste -sd' ')" \
	"runnel> -> runnel> runnel> runnel>"
same dumb-has-no-escapes "$(grep -c $'\033' "$tmp/out")" 0
# less would ask for a key there
(unset PAGER; dumb '\l *') >"$tmp/out"
same dumb-has-no-pager \
	"$(grep -c 'fully functional' "$tmp/out") $(grep -c '^class  *write ' "$tmp/out")" "0 1"
# The first screen: what may be done here, and three questions, the last two lines before the
# prompt.
dumb >"$tmp/out"
same first-screen \
	"$(grep -c 'helps.*lists commands.*leaves' "$tmp/out") $(grep -c '^    .*;$' "$tmp/out")" \
	"1 $(permitted && echo 3 || echo 2)"
NO_COLOR=1 script -qec "$RN -q" /dev/null <<<'count of raed;' >"$tmp/out"
same no-colour "$(grep -c $'\033\\[[0-9;]*m' "$tmp/out")" 0
# Every example of every topic of \h parses and resolves, each topic as one text, as a reader would
# try it.
quiet=-q
for topic in $(dumb '\h' | sed -n 's/^  \([a-z]*\)  .*/\1/p'); do
	dumb "\\h $topic" | sed 's/^runnel> //' | sed -n 's/^    //p' |
		sed 's/ for [0-9]*s;$/;/' >"$tmp/text"
	cp tests/demo/io.rnt "$tmp/io.rnt"
	if (cd "$tmp" && "$RN" --stop-after=types <text >/dev/null 2>err); then
		ok "examples of \\h $topic"
	else
		not_ok "examples of \\h $topic"
		cat "$tmp/text" "$tmp/err"
	fi
done
done_testing
