#!/bin/bash
# session.sh - the prompt on a terminal of 80 columns: statements of several lines, errors, Tab,
# history, commands, Ctrl-C, sizes, the pager.
. tests/shell/lib.bash

at 80 24
# ---- statements
keys 'count of io' '<Enter>' 'by proc' '<Enter>' 'top 3 from "tests/demo/io.rnt";' '<Enter>'
wait_prompt; golden multi-line
clear; line 'p99(latncy) of read;'; wait_prompt; golden caret
clear; line 'select * from proc;'; wait_prompt; line '.tables'; wait_prompt; line '\dt'
wait_prompt; golden habits
# ---- what is open: a parenthesis, or a string that can no longer be closed; a word that leaves
# elsewhere
clear; line 'count of (count of io by proc'; line 'from "tests/demo/io.rnt"'; line ');'
wait_for ledger; wait_prompt
line 'count of io where proc = "ja'; wait_for 'not closed'; wait_prompt; line 'count of'
line 'exit'; wait_for 'leaves'; keys '<C-c>'; wait_prompt; golden open
# ---- what was meant, by a key: in the place of names, strings and whole lines
clear
line 'p99(latncy), sum(byts) of raed from "tests/demo/io.rnt";'
wait_for 'Ctrl-X'
wait_prompt
keys '<C-x>'
wait_last 'runnel> p99(latncy), sum(byts) of read from "tests/demo/io.rnt";'
keys '<Enter>'
wait_for '`bytes`'
wait_prompt
keys 'wrong' '<C-x>' '<Enter>'
wait_for 'ledger'; wait_prompt; golden mended
keys '<C-x>'
line '\p'
wait_prompt
screen | tail -n 2 | head -n 1 >"$tmp/out"
same nothing-to-mend "$(cat "$tmp/out")" \
	'p99(latency), sum(bytes) of read from "tests/demo/io.rnt";'
# ---- results
clear
line 'let kept := count, sum(bytes) as moved of io by proc from "tests/demo/io.rnt";'
wait_for '8 rows'
wait_prompt
line '\v kep*'; wait_prompt; line '\l kep*'; wait_prompt; line '\d kept'; wait_prompt
line '\d kepd'; wait_prompt; golden results
keys '\d kep' '<Tab>'; wait_last 'runnel> \d kept'; keys '<C-c>'; wait_prompt; ok results-tab
# ---- wide characters take two columns; statements on one line are remembered each
clear
line 'count of io by proc = "漢字", proc top 2 from "tests/demo/io.rnt";'
wait_for ledger
wait_prompt
golden wide
clear; line 'count of io from "tests/demo/io.rnt"; count of io'
line 'by name top 1 from "tests/demo/io.rnt";'; wait_for 'name'; wait_prompt
keys '<Up>'; wait_last 'by name top 1 from "tests/demo/io.rnt";'; keys '<Up>'
wait_last 'runnel> count of io from "tests/demo/io.rnt";'; keys '<C-c>'; wait_prompt
ok both-remembered
# ---- events have more columns than a terminal: those that say least are left out, and a row takes
# a line
clear; line 'events of io from "tests/demo/io.rnt" limit 3;'; wait_for ledger; wait_prompt
golden narrow-events
clear; line '\d between openat and close on pid, fd'; wait_for end_ustack; wait_prompt
same a-list-fits "$(($(tm capture-pane -pJ -t x | LC_ALL=C.UTF-8 wc -L) <= 80))" 1
# ---- Tab
clear; keys 'count of io wh' '<Tab>'; wait_last 'runnel> count of io where'
keys 'proc = java and lat' '<Tab>'; wait_last 'runnel> count of io where proc = java and latency'
keys ' > 10ms by pro' '<Tab>'
wait_for 'proto'
wait_last 'runnel> count of io where proc = java and latency > 10ms by pro'
keys 'c fro' '<Tab>'
wait_last 'runnel> count of io where proc = java and latency > 10ms by proc from'
keys '"tests/demo/i' '<Tab>'; wait_for '/io.rnt"'
golden completion
keys '<C-c>'; wait_prompt
cp "$B/tests/programs/functions" "$tmp/fn"
clear; keys "count of user \"$tmp/f" '<Tab>'; wait_last "runnel> count of user \"$tmp/fn:"
keys 'six' '<Tab>'; wait_last "runnel> count of user \"$tmp/fn:six_args\""; ok functions-tab
keys '<C-c>'; wait_prompt; clear; keys "\\d user:$tmp/fn:six" '<Tab>'
wait_last "runnel> \\d user:$tmp/fn:six_args"
keys '<C-c>'; wait_prompt; ok functions-tab-command
clear; keys 'flow '; tm send-keys -t x Tab Tab; wait_last 'runnel> flow of tag'
ok two-keys-in-one-go; keys '<Tab>'; wait_for '(a tag: '; wait_last 'runnel> flow of tag'
ok tags-are-not-words
keys '<C-c>'; wait_prompt
tm set-buffer "$(printf 'count\tof\t')"; tm paste-buffer -p -t x; keys 'io wh' '<Tab>'
wait_last 'runnel> count   of      io where'; ok pasted-tabs
keys '<C-c>'; wait_prompt
keys 'p99(lat) of read' '<C-a>' '<M-f>' '<Right>' '<Right>' '<Right>' '<Right>' '<Tab>'
wait_last 'runnel> p99(latency) of read'
ok field-of-a-source-behind-the-cursor
keys '<C-c>'; wait_prompt
keys '\tim' '<Tab>'; wait_last 'runnel> \timing'; keys 'of' '<Tab>'
wait_last 'runnel> \timing off'; keys '<C-c>'; wait_prompt
clear; line 'view busiest(what, key) := count of $what by $key top 10;'; wait_prompt
keys 'busiest(' '<Tab>'; wait_for '(what: a source; '; wait_last 'runnel> busiest('
keys 'processe' '<Tab>' ', rs' '<Tab>'; wait_last 'runnel> busiest(processes, rss'
ok what-a-parameter-takes; keys '<C-c>'; wait_prompt; line 'drop view busiest;'; wait_prompt
# ---- commands
clear
line '\x on'
wait_prompt
line 'proc, sum(bytes) of io by proc top 2 from "tests/demo/io.rnt";'
wait_prompt
line '\x'; wait_prompt; line '\f csv'; wait_prompt; line '\g'; wait_prompt; line '\f table'
wait_prompt; golden expanded
clear; line "\\o $tmp/rows"; wait_prompt; line '\g'; wait_prompt; line '\o'; wait_prompt
golden output
same rows-in-a-file "$(head -n 1 "$tmp/rows" | tr -s ' ')" "proc sum(bytes)"
clear; line '\gx'; wait_for ledger; wait_prompt; line "\\g $tmp/one"; wait_prompt
line '\g | less'; wait_prompt; line '\pset'; wait_prompt; golden go
clear
line 'proc of io where proc = nobody from "tests/demo/io.rnt" \gx'
wait_for ledger
wait_prompt
line '\h qurey'
wait_prompt
line '\unset'
wait_prompt
golden said
echo kept >"$tmp/kept"
line "count of raed \\g $tmp/kept"
wait_prompt
same nothing-ran-nothing-emptied "$(cat "$tmp/kept")" kept
same rows-of-one-statement "$(head -n 1 "$tmp/one" | tr -s ' ')" "proc sum(bytes)"
clear; line 'view busy(n = 2) := count of io by proc top $n;'; wait_prompt
line 'events of busy(1) from "tests/demo/io.rnt";'; wait_prompt
line '\v busy'; wait_prompt; line '\d busy'; wait_prompt; line 'drop view busy;'; wait_prompt
golden views
clear; line '\timing'; wait_prompt; line 'count of io from "tests/demo/io.rnt";'; wait_prompt
line '\timing off'; wait_prompt
line 'count of io \p'; wait_last '     ->'; line '\r'; wait_prompt; line '\!'" echo shell; exit"
wait_prompt; golden commands
printf 'count of io by name top 1 from "tests/demo/io.rnt";\n' >"$tmp/q.rnl"
clear; line "\\i $tmp/q.rnl"; wait_prompt; line '\explain'; wait_prompt; line '\h whe'
wait_prompt; golden help
clear; line 'count of io top $n from "tests/demo/io.rnt";'; wait_prompt; line '\set n 1'
wait_prompt; line 'count of io by proc top $n from "tests/demo/io.rnt";'
wait_for ledger; wait_prompt; line '\set'; wait_prompt; line '\unset n'; wait_prompt
line '\unset n'; wait_prompt; golden set
# ---- values are for files, too; a command and what stands behind it in an editor
printf 'param n = 3;\ncount of io by proc top $n from "tests/demo/io.rnt";\n' >"$tmp/two.rnl"
clear; line '\set n 1'; wait_prompt; line "\i $tmp/two.rnl"; wait_for ledger; wait_prompt
golden set-and-file
# ---- the editor: it puts another statement into the file
printf '#!/bin/sh\nprintf "count of io by name\\ntop 2 from \\"tests/demo/io.rnt\\";\\n" >"$1"\n' \
	>"$tmp/editor"
chmod +x "$tmp/editor"
line '\q'; wait_last '$'
keys 'echo status $?' '<Enter>'; wait_for 'status 0'; ok status
at 80 24 EDITOR="$tmp/editor"
line '\e'; wait_for 'ledger'; wait_prompt; golden editor
cat >"$tmp/editor" <<'END'
#!/bin/sh
cat >"$1" <<'TEXT'
\set n 1
count of io by name top $n from "tests/demo/io.rnt";
TEXT
END
clear; line '\e'; wait_for 'ledger'; wait_prompt; golden editor-commands
# ---- Ctrl-C at the prompt, in a statement, and of what repeats
clear; keys 'count of read where' '<C-c>'; wait_prompt; keys 'count of' '<Enter>' 'read' '<C-c>'
wait_prompt; golden cancel
clear; line 'count of io from "tests/demo/io.rnt" \watch 0.1'; wait_for 'Ctrl-C ends it'
keys '<C-c>'; wait_prompt; ok watch-ends
# ---- another size of the window
clear
keys 'count, sum(bytes), p99(latency) of io where proc = java and bytes > 4KiB'
wait_for '4KiB'
tm resize-window -t x -x 50 -y 24; wait_for 'bytes > 4KiB'; keys ' by proc'; wait_for 'by proc'
golden resized
tm resize-window -t x -x 80 -y 24; keys '<C-c>'; wait_prompt
# ---- suspended and back
clear; keys 'count of' '<C-z>'; wait_for 'Stopped'; line 'fg'; wait_last 'runnel> count of'
keys ' io from "tests/demo/io.rnt";' '<Enter>'; wait_for 'ledger'; wait_prompt; ok suspended
# ---- SIGTERM is as good as \q
kill -TERM "$(tm list-panes -t x -F '#{pane_pid}' | xargs -I{} ps -o pid= --ppid {} | head -n 1)"
wait_last '$'
ok sigterm
# ---- the nodes of a hosts file, one of which cannot be reached; letters that are not ASCII
printf '[lab]\nhere local:\nodd exec: sh -c "echo no such machine >&2; exit 3"\n' >"$tmp/hosts"
opts="-H $tmp/hosts" at 100 24
line '\n'
wait_for 'odd'
wait_prompt
screen | grep -qE '^here +lab +(answers|.*permi)' && screen | grep -qE '^odd +lab +.*machine' &&
	ok nodes || { not_ok nodes; screen; }
clear; keys 'count of read on ' '<Tab>'; wait_for 'except'; wait_last 'runnel> count of read on'
golden nodes-tab
keys '<C-c>'
wait_prompt
clear
keys 'count of read where file = "grüße €"' '<Left>' '<Left>' 'ö' '<BSpace>' 'x'
wait_last 'runnel> count of read where file = "grüße x€"'
ok letters
keys '<C-c>'; wait_prompt
done_testing
