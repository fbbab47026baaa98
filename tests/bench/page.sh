#!/bin/bash
# page.sh [HOPS] - the page of -o html for a flow of 10,000 links, or HOPS: its bytes, the time to
# its first picture, and steps of zoom and of moving, in Chromium without a graphics card.
set -u
B=${B:-build} hops=${1:-10000}
driver=$PWD/$B/tests/page top=$(mktemp -d)
trap 'rm -rf "$top"' EXIT
browser=$(command -v chromium chromium-browser google-chrome | head -n 1)
[ -n "$browser" ] || { echo "there is no Chromium on this machine"; exit 1; }
mkdir -p "$driver" && cp tests/page/package.json tests/page/package-lock.json "$driver" &&
	(cd "$driver" && npm ci --no-audit --no-fund --ignore-scripts >/dev/null) || exit 1
cp tests/page/package-lock.json "$driver/installed"
"$B/tests/gen_page" "$hops" html plain >"$top/page.html"
echo "$hops hops, $(wc -c <"$top/page.html") bytes"
node tests/page/measure.js "$top/page.html" "$driver/node_modules/playwright-core" "$browser"
