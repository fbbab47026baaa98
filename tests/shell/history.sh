#!/bin/bash
# history.sh - what was entered comes back in the next run, as it was; two shells keep each other's;
# what should not be kept is not.
. tests/shell/lib.bash
at 80 24
keys 'count of io' '<Enter>' 'from "tests/demo/io.rnt";' '<Enter>'; wait_for ledger; wait_prompt
line ' count of raed;'; wait_for 'did you mean'; wait_prompt
clear; line '\x'; wait_prompt; line '\x'; wait_prompt; line '\d "no\such"'; wait_prompt
line '\q'; wait_last '$'
same file "$(cat "$tmp/history")" 'count of io\nfrom "tests/demo/io.rnt";
\\x
\\d "no\\such"'
same mode "$(stat -c %a "$tmp/history")" 600
at 80 24
keys '<Up>'; wait_last 'runnel> \d "no\such"'
keys '<Up>' '<Up>'; wait_last 'from "tests/demo/io.rnt";'; golden history
keys '<Enter>'; wait_for ledger; wait_prompt; clear
keys '<C-r>' 'no'; wait_for '\d "no\such"'; keys '<C-c>' '<C-c>'; wait_prompt; ok searched
# two at once: each appends
RUNNEL_HISTORY=$tmp/history TERM=dumb script -qec "$RN -q" /dev/null <<<'\timing' >/dev/null
line '\v nothing'; wait_prompt
same both "$(tail -n 2 "$tmp/history" | paste -sd' ')" '\\timing \\v nothing'
line '\q'; wait_last '$'
# a long one is cut to its newest entries, and no other than its owner may read it
for ((i = 0; i < 4000; i++)); do echo "count of read limit $i;"; done >"$tmp/history"
at 80 24; keys '<Up>'; wait_last 'runnel> count of read limit 3999;'
same bounded "$(wc -l <"$tmp/history") $(head -n 1 "$tmp/history")" "2000 count of read limit 2000;"
keys '<C-c>'; wait_prompt; line '\q'; wait_last '$'
done_testing
