#!/bin/bash
# coverage.sh BUILD [TARGET...] - replays each target's corpus in a build that counts lines, and
# tells which part of the lines of the files that it is for were run. Less than LEAST percent (85)
# is a failure. Columns: target, lines, of them run, percent.
set -u
build=$1; shift
. tests/fuzz/lib.bash
least=${LEAST:-85} status=0
mkdir -p "$build/fuzz/found"
for target in $(targets "$@"); do
	raw=$build/fuzz/$target.profraw data=$build/fuzz/$target.profdata
	mapfile -t files < <(files_of "$target")
	mapfile -t dirs < <(inputs "$target")
	# shellcheck disable=SC2086
	LLVM_PROFILE_FILE=$raw "$build/fuzz/$target" -runs=0 -artifact_prefix="$build/fuzz/found/" \
		$FUZZ_LIMITS "${dirs[@]}" >"$build/fuzz/$target.log" 2>&1 ||
		{
			echo "$target: an input of its corpus crashes"
			tail -20 "$build/fuzz/$target.log"
			status=1
			continue
		}
	llvm-profdata merge -o "$data" "$raw"
	llvm-cov report "$build/fuzz/$target" -instr-profile="$data" "${files[@]}" \
		>"$build/fuzz/$target.coverage" 2>&1
	awk -v t="$target" -v least="$least" \
		'$1 == "TOTAL" { seen = 1; p = 100 * ($8 - $9) / $8; printf "%-10s %6d %6d %6.1f %%\n", t, $8, $8 - $9, p; low = p < least }
		END { if (!seen) print t ": no figures"; exit !seen || low }' "$build/fuzz/$target.coverage" || status=1
	[ -z "${SHOW:-}" ] ||
		llvm-cov show "$build/fuzz/$target" -instr-profile="$data" "${files[@]}" |
			grep -E '^ +[0-9]+\| +0\||^/'
done
exit $status
