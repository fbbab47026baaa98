#!/bin/bash
# all.sh [NAME...] - makes the recordings and pictures of the cases again, in build/cases (OUT=DIR:
# there). It ends with a line that says which it left out, and why. Status 1: a case failed.
out=${OUT:-build/cases}
mkdir -p "$out"
status=0 made='' left=()
if [ $# = 0 ]; then
	for f in docs/cases/*.sh; do
		[ "$f" = docs/cases/all.sh ] || set -- "$@" "$(basename "$f" .sh)"
	done
fi
for name; do
	[ -e "docs/cases/$name.sh" ] || {
		echo "there is no case \`$name\`: docs/cases/README.md lists them"
		exit 2
	}
	echo "== $name"
	"docs/cases/$name.sh" "$out" </dev/null 2>&1 | tee "$out/$name.log"
	rc=${PIPESTATUS[0]}
	why=$(sed -n 's/^1\.\.0 # SKIP //p' "$out/$name.log")
	if [ -n "$why" ]; then
		left+=("$name: $why")
	elif [ "$rc" = 0 ]; then
		made="$made $name"
	else
		status=1
		left+=("$name failed")
	fi
done
echo "made in $out:${made:- none}"
[ ${#left[@]} = 0 ] || printf 'left out: %s\n' "${left[@]}"
exit $status
