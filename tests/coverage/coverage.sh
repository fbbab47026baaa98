#!/bin/bash
# The recall matrix: every way payload moves x length of the tag x place x size. Each cell is seen
# once, and nothing else is.
#
#     tests/coverage/coverage.sh [SET]            the test; SET: quick (without it), small, or
#                                               matrix
#     tests/coverage/coverage.sh matrix FILE      the same, and FILE gets the table for
#                                               docs/generated/coverage.md
#     tests/coverage/coverage.sh SET FILE brief   the table of a kernel that is not this
#                                               machine's own (tests/vm)
. tests/live/lib.sh
. tests/live/payload/ways.bash
need_bpf; need jq awk
# In emulation (tests/vm) less.
set=${1:-quick}; [ -n "${RN_TEST_SMALL:-}" ] && [ $# = 0 ] && set=small
"$WAYS" plan "$set" "$(tags_most)" >"$tmp/plan"
reflinks
check_places=1 run_plan "$tmp/plan"
judge_cells
document() {
	{
		cut -f1 "$tmp/ways" | while read -r way; do
			why=$(uncovered "$way") && printf 'uncovered\t%s\t%s\n' "$way" "$why"
		done
		cat "$tmp/cells"
	} | awk -f tests/coverage/document.awk -v set="$set" -v kernel="$(uname -r | cut -d- -f1)" \
		-v date="$(date -u +%F)" -v brief="${2:+1}" | awk -f docs/packaging/fill.awk >"$1.new" &&
		mv "$1.new" "$1"
}
[ -n "${2:-}" ] && document "$2" "${3:-}"
done_testing
