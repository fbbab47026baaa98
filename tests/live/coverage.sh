#!/bin/bash
# The recall matrix: every way payload moves x length of the tag x place x size. Each cell is seen once, and nothing else is.
#
#     tests/live/coverage.sh [SET]                 the test; SET: quick (without it), small, or matrix
#     tests/live/coverage.sh matrix FILE           the same, and the table for docs/coverage.md in FILE
. tests/live/lib.sh
. tests/live/ways.bash
need_bpf; need jq awk
# In emulation (tests/vm) less.
set=${1:-quick}; [ -n "${RN_TEST_SMALL:-}" ] && [ $# = 0 ] && set=small
"$WAYS" plan "$set" "$(tags_most)" >"$tmp/plan"
check_places=1 run_plan "$tmp/plan"
judge_cells
[ -n "${2:-}" ] && { awk -f tests/coverage_doc.awk -v set="$set" -v kernel="$(uname -r | cut -d- -f1)" "$tmp/cells" >"$2.new" && mv "$2.new" "$2"; }
exit $status
