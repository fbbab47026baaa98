# hold.bash - keeps the pages of files in memory while queries look for them there:
# `. tests/live/payload/hold.bash` after lib.sh. Some machines give up pages that nobody has touched
# for a moment. Let go before the file system is unmounted, and when the script ends.
CLONES=$PWD/$B/tests/programs/clones
holder=
let_go() { [ -z "$holder" ] || { kill $holder; wait $holder; } 2>/dev/null; holder=; }
hold() { # FILE...
	: >"$tmp/held"
	"$CLONES" hold "$@" >"$tmp/held" & holder="$holder $!"
	await grep -q held "$tmp/held"
}
