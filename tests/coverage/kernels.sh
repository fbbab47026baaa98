#!/bin/bash
# kernels.sh - the section on kernels at the end of docs/generated/coverage.md, from
# docs/generated/coverage-VERSION.md and the table before it.
set -eu
doc=docs/generated/coverage.md
sed -i '/^## Kernels/,$d' $doc
# shellcheck disable=SC2046 # a list
awk -f tests/coverage/kernels.awk $(ls docs/generated/coverage-*.md | sort -V) $doc |
	awk -f docs/packaging/fill.awk >$doc.new
sed -i -e :a -e '/^\n*$/{$d;N;ba' -e '}' $doc
{ cat $doc; echo; cat $doc.new; } >$doc.whole
mv $doc.whole $doc; rm $doc.new
