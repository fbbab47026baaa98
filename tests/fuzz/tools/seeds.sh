#!/bin/bash
# seeds.sh - writes the seed corpora of frames and links again, after a change of
# exec/wire/wire.proto or its version.
set -eu
. tests/fuzz/lib.bash
for target in frame link; do
	rm -f "tests/fuzz/corpus/$target"/seed*
	"$B/fuzz/seeds_$target" "tests/fuzz/corpus/$target"
done
