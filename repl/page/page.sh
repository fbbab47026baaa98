#!/bin/sh
# page.sh - prints C: the page of -o html before and behind its data. page.html names its style, its
# script and their hashes, which its policy for content has: a browser runs this script alone.
set -e
cd "${0%/*}"
# of an element's content, which begins on the line behind its tag
hash_of() {
	printf 'sha256-%s' "$({ echo; cat "$1"; } | sha256sum | cut -c1-64 | tr a-f A-F |
		basenc --base16 -d | base64 -w0)"
}
page() {
	awk -v style="$(hash_of page.css)" -v script="$(hash_of page.js)" '
		/^@page\./ { file = substr($0, 2); while ((getline line <file) > 0) print line; next }
		{ gsub(/@style-hash/, style); gsub(/@script-hash/, script); print }' page.html
}
text() { sed -e 's/[\\"]/\\&/g' -e 's/^/"/' -e 's/$/\\n"/'; }
echo 'const char rn_page_head[] ='
page | sed '/^@data$/,$d' | text
echo ';'
echo 'const char rn_page_foot[] ='
page | sed '1,/^@data$/d' | text
echo ';'
