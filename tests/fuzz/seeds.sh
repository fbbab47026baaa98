#!/bin/bash
# seeds.sh - writes the seed corpora of frames and links again, after a change of
# exec/wire/wire.proto or its version.
set -eu
B=${B:-build}
make --no-print-directory "$B/internal.a"
bin=$(mktemp); trap 'rm -f "$bin"' EXIT
for target in frame link; do
	# shellcheck disable=SC2046 # a list
	${CC:-cc} -std=gnu11 -D_GNU_SOURCE -DSEEDS -w -I. -I"$B/gen" -o "$bin" \
		tests/fuzz/fuzz_$target.c tests/support/fake_catalog.c tests/support/fake_wire.c "$B/internal.a" \
		$(make --no-print-directory libs)
	mkdir -p tests/fuzz/corpus/$target
	rm -f tests/fuzz/corpus/$target/seed*
	"$bin" tests/fuzz/corpus/$target
done
