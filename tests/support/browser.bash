# browser.bash - finds a Chromium that starts here: `$browser` is its path, `"${headless[@]}"` its
# options. If there is none, `$browser` is empty and `$no_browser` says why. `$tmp` must be set.
browser=$(command -v chromium chromium-browser google-chrome | head -n 1)
no_browser='there is no Chromium on this machine'
# /dev/shm of a container may be too small for it
headless=(--headless=new --no-sandbox --disable-gpu --disable-dev-shm-usage
	--user-data-dir="$tmp/profile")
if [ -n "$browser" ]; then
	timeout 60 "$browser" "${headless[@]}" --dump-dom 'data:text/html,<p>here</p>' \
		>"$tmp/started" 2>"$tmp/said"
	grep -q '<p>here</p>' "$tmp/started" || {
		no_browser="Chromium does not start here: $(tail -n 1 "$tmp/said")"
		browser=''
	}
fi
