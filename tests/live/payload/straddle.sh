#!/bin/bash
# A tag over two or more calls: cut at every place, over three tiny calls, over six, in every way;
# with its position. And what must not be taken for one: seeks, reused files, other sockets, other
# directions, threads in between.
. tests/live/lib.sh
. tests/live/payload/ways.bash
need_bpf; need jq awk
reflinks
"$WAYS" plan straddle "$(tags_most)" >"$tmp/plan"
check_places=1 run_plan "$tmp/plan"
judge_cells
done_testing
