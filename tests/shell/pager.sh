#!/bin/bash
# pager.sh - what is finished and longer than the screen goes through the pager; what fits, or
# repeats, does not.
. tests/shell/lib.bash
command -v less >/dev/null || skip_all "no less on this machine"
at 80 12 PAGER=\'less -FRX\'
line 'time, proc, name of io from "tests/demo/io.rnt";'; wait_last ':'; golden pager
keys ' '; wait_last ':'; keys q; wait_prompt; ok pager-left
clear; line 'count of io from "tests/demo/io.rnt";'; wait_for ledger; wait_prompt; golden pager-fits
clear
line '\pager off'
wait_prompt
line 'time, proc, name of io limit 30 from "tests/demo/io.rnt";'
wait_for ledger
wait_prompt
ok pager-off
clear; line '\pset pager on'; wait_prompt; line '\?'; wait_last ':'; keys q; wait_prompt
ok pager-help
line '\q'; wait_last '$'
done_testing
