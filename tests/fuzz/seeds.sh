#!/bin/bash
# seeds.sh - writes the seed corpus of the frame fuzzer anew, after a change of exec/wire.proto: one file a kind of frame.
set -eu
B=${B:-build}
make --no-print-directory "$B/internal.a"
bin=$(mktemp); trap 'rm -f "$bin"' EXIT
${CC:-cc} -std=gnu11 -D_GNU_SOURCE -DSEEDS -I. -I"$B/gen" -o "$bin" tests/fuzz/fuzz_frame.c tests/fake_catalog.c "$B/internal.a" \
	$(pkg-config --libs libbpf sqlite3 libprotobuf-c libxxhash libelf zlib) -lm -lpthread
mkdir -p tests/fuzz/corpus/frame
rm -f tests/fuzz/corpus/frame/seed*
"$bin" tests/fuzz/corpus/frame
