#!/bin/bash
# shoot.sh [DIRECTORY] - writes the pictures of the page that docs/pictures.md shows: the demo's
# flow, light and dark.
set -eu
B=${B:-build} to=${1:-docs/pictures}
driver=$PWD/$B/tests/page top=$(mktemp -d)
trap 'rm -rf "$top"' EXIT
browser=$(command -v chromium chromium-browser google-chrome | head -n 1) ||
	{ echo "there is no Chromium on this machine"; exit 1; }
mkdir -p "$driver" && cp tests/page/package.json tests/page/package-lock.json "$driver"
(cd "$driver" && npm ci --no-audit --no-fund --ignore-scripts >/dev/null)
cp tests/page/package-lock.json "$driver/installed"
"$B/runnel" -q -o html 'flow of tag fix283 from "tests/demo/flow.rnt"' >"$top/page.html"
node tests/page/shoot.js "$top/page.html" "$driver/node_modules/playwright-core" "$browser" "$to"
ls -l "$to"/page-*.png
