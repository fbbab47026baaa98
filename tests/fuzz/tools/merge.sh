#!/bin/bash
# merge.sh [TARGET...] - makes the committed corpora again. It takes the inputs that there are and
# those that earlier runs here have found. It keeps the few and short ones that still run all that
# all of them run, however often. Those that have a name of ours stay. Their sum must stay below 1
# MiB, or new checkouts grow.
set -eu
. tests/fuzz/lib.bash
for target in $(targets "$@"); do
	new=$(mktemp -d)
	# written by hand
	find "tests/fuzz/corpus/$target" -regextype posix-extended -type f ! \
		-regex '.*/[0-9a-f]{40}' -exec cp -t "$new" {} +
	# shellcheck disable=SC2046,SC2086
	"$B/fuzz/$target" -merge=1 -use_counters=0 $FUZZ_LIMITS -max_len="$(max_len "$target")" \
		"$new" $(inputs "$target" grown) >"$B/fuzz/$target.log" 2>&1
	rm -rf "tests/fuzz/corpus/$target"
	mv "$new" "tests/fuzz/corpus/$target"
	chmod -R u=rwX,go=rX "tests/fuzz/corpus/$target"
	echo "$target: $(find "tests/fuzz/corpus/$target" -type f | wc -l) inputs, $(cat "tests/fuzz/corpus/$target"/* | wc -c) bytes"
done
sum=$(find tests/fuzz/corpus -type f -exec cat {} + | wc -c)
echo "all: $sum bytes"
[ "$sum" -le 1048576 ] || {
	echo "more than 1 MiB: shorten the longest inputs, or lower a target's longest input in tests/fuzz/targets" \
		>&2
	exit 1
}
