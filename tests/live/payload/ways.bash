# ways.bash - runs a plan of build/tests/programs/ways under queries for its tags: `.
# tests/live/payload/ways.bash` after lib.sh.
WAYS=$PWD/$B/tests/programs/ways
# Most tags of a query: what this version takes.
tags_most() {
	local n
	for n in 1000 64; do
		"$WAYS" plan quick $n |
			awk -F'\t' '$2 == 0 { printf "%s%s", c, $10; c = ", " }' >"$tmp/list"
		"$RN" --stop-after=plan "events of tag $(cat "$tmp/list")" >/dev/null 2>&1 && {
			echo $n
			return
		}
	done
	echo 30
}
# A directory of a file system whose files share blocks, for the ways that need one: an image of XFS
# or of Btrfs.
reflinks() {
	local kind
	mkdir -p "$tmp/reflinks"
	for kind in xfs btrfs; do
		truncate -s 400M "$tmp/$kind.image"
		if mkfs.$kind -q "$tmp/$kind.image" &&
			mount -o loop "$tmp/$kind.image" "$tmp/reflinks"; then
			export WAYS_REFLINKS=$tmp/reflinks
			at_exit 'umount "$tmp/reflinks"'
			return
		fi
	done >"$tmp/reflinks.why" 2>&1
}
# Runs every batch of a plan; leaves $tmp/results, $tmp/rows and the verdicts in $tmp/cells.
run_plan() { # PLAN
	local plan=$1 b fields='name, tags, file'
	"$RN" describe tag 2>/dev/null | grep -qE '^field +hits ' && fields='name, tags, file, hits'
	: >"$tmp/results"; : >"$tmp/rows"; : >"$tmp/ledgers"
	mkdir -p "$tmp/files"
	for b in $(cut -f2 "$plan" | sort -nu | grep -v '^-'); do
		{ printf '%s of tag ' "$fields"; awk -F'\t' -v b="$b" \
			'$2 == b { n = split($10, t, ","); for (i = 1; i <= n; i++) { printf "%s\"%s\"", c, t[i]; c = ", " } }' \
			"$plan"
			printf ' where proc = ways'; } >"$tmp/query"
		timeout 300 "$RN" -o json -c "$WAYS run $plan $b $tmp/res.$b $tmp/files" \
			"$(cat "$tmp/query")" >"$tmp/out" 2>"$tmp/err" ||
			echo "note: batch $b ended with $?: $(grep -v '"ledger"' "$tmp/err" | head -3 | paste -sd' ')"
		cat "$tmp/res.$b" >>"$tmp/results"
		grep '"ledger"' "$tmp/err" >>"$tmp/ledgers"
		# what `ways` shares with its children in memory is no way, though faults map it
		jq -r --arg b "$b" 'select(.name != "mmap_read" or .file != "/dev/zero (deleted)") | [$b, .name, .tags, (.hits // "-")] | @tsv' \
			"$tmp/out" >>"$tmp/rows"
	done
	awk -f tests/coverage/coverage.awk -v check_places="${check_places:-0}" \
		"$plan" "$tmp/results" "$tmp/rows" >"$tmp/cells"
}
# What doctor says this machine cannot cover: the pattern of its line, and of the ways that it
# concerns.
uncovered() { # WAY: prints the reason
	local way=$1 line
	case $way in
	uring_*) line='io_uring';; aio_*) line='aio';; mmap_read) \
		line='files read through memory';; mmap_write) \
		line='files written through memory';; tls_*) line='TLS|SSL|user functions';; *) \
		return 1;;
	esac
	awk -F'  +' -v p="$line" '$1 ~ p && $2 == "no" { print "doctor: " $1 ": " $3; found = 1; exit } END { exit !found }' \
		"$tmp/doctor"
}
# By way: cells, those as they should be, those of them with a tag, refused ones; what is wrong; why
# refused.
sum_ways() {
	awk -F'\t' '
	$1 != "cell" || $7 == "none" { next }
	!($3 in total) { name[++n] = $3 }
	{ total[$3]++ }
	$7 == "seen" { seen[$3]++; planted[$3] += $5 != "control"; next }
	$7 == "refused" { refused[$3]++; why[$3] = $10; next }
	{
		kind = $7; sub(/:.*/, "", kind)
		kind = kind " " $5 " (tag of " $4 ", size " $6 ($11 == "-" ? "" : ", cut at " $11) "); "
		if (kinds[$3]++ < 4) what[$3] = what[$3] kind
	}
	END {
		for (i = 1; i <= n; i++) {
			w = name[i]
			print w "\t" total[w] "\t" seen[w] + 0 "\t" planted[w] + 0 "\t" refused[w] + 0 "\t" (what[w] ? what[w] : "-") "\t" (why[w] ? why[w] : "-")
		}
	}' "$tmp/cells"
}
# A line for each way.
judge_cells() {
	local way total seen planted refused what why
	grep -h '^stray' "$tmp/cells" && not_ok 'a row with a tag that nobody planted'
	sum_ways >"$tmp/ways"
	[ -s "$tmp/ways" ] || not_ok 'no cell was run'
	while IFS=$'\t' read -r way total seen planted refused what why; do
		if [ "$total" = "$refused" ]; then
			skip "$way: this machine does not do it: $why"
		elif [ "$planted" = 0 ] && why=$(uncovered "$way"); then
			skip "$way: $why"
		elif [ $((seen + refused)) = "$total" ]; then
			ok "$way: $seen of $total cells"
		else
			not_ok "$way: $seen of $total cells; $what"
		fi
	done <"$tmp/ways"
}
