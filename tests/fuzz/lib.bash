# lib.bash - for the scripts of this folder: the table of targets, and where things are. They are
# run from the root of the repository.
B=${B:-build}
# The sanitizer itself keeps some 850 MiB after three million inputs; one allocation above 1 GiB is
# a finding.
FUZZ_LIMITS="-rss_limit_mb=2048 -malloc_limit_mb=1024 -timeout=100"
# Names of all targets, or those that are given, which must be in the table.
targets() { # [NAME...]
	local name
	[ $# -gt 0 ] || { awk '!/^#/ && NF { print $1 }' tests/fuzz/targets; return; }
	for name; do
		awk -v t="$name" '$1 == t { print $1; found = 1 } END { exit !found }' \
			tests/fuzz/targets ||
			{
				echo "there is no fuzz target $name: tests/fuzz/targets has them" \
				>&2
				return 1
			}
	done
}
max_len() { awk -v t="$1" '$1 == t { print $2 }' tests/fuzz/targets; }
files_of() { awk -v t="$1" '$1 == t { for (i = 3; i <= NF; i++) print $i }' tests/fuzz/targets; }
# Folders with the inputs of a target: its corpus, what once crashed it, and with `grown` what
# earlier runs here have found.
inputs() { # TARGET [grown]
	local dir
	[ "${2:-}" = "" ] || mkdir -p "$B/fuzz/corpus/$1"
	for dir in ${2:+"$B/fuzz/corpus/$1"} "tests/fuzz/corpus/$1" "tests/bogons/$1"; do
		[ ! -d "$dir" ] || echo "$dir"
	done
}
