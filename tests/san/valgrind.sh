#!/bin/bash
# valgrind.sh BUILD [NAME...] - tests/cli (or those of it that are named), with each run of the
# program under valgrind. What counts is what valgrind says: a test may fail because all is slower,
# which is shown and not counted.
set -u
real=$(realpath "$1"); shift
dir=$(mktemp -d); trap 'rm -rf "$dir"' EXIT
mkdir "$dir/build" "$dir/log"
for f in "$real"/*; do ln -s "$f" "$dir/build/"; done
rm "$dir/build/runnel"
gcc -shared -fPIC -D_GNU_SOURCE -o "$dir/bpf.so" tests/san/valgrind_bpf.c || exit 2
cat >"$dir/build/runnel" <<TXT
#!/bin/sh
LD_PRELOAD=$dir/bpf.so exec valgrind -q --tool=memcheck --suppressions='$PWD/tests/san/valgrind.supp' --leak-check=full --show-leak-kinds=definite --errors-for-leak-kinds=definite \\
	--child-silent-after-fork=yes --log-file=$dir/log/%p "$real/runnel" "\$@"
TXT
chmod +x "$dir/build/runnel"
[ $# -gt 0 ] || { set -- tests/cli/*.sh; set -- "${@##*/}"; set -- "${@%.sh}"; }
found=0
for t; do
	[ -x "tests/cli/$t.sh" ] || {
		echo "tests/san/valgrind.sh: there is no tests/cli/$t.sh" >&2
		exit 2
	}
	rm -f "$dir"/log/*
	B=$dir/build timeout 3600 "tests/cli/$t.sh" >"$dir/out" 2>&1 </dev/null; rc=$?
	bad=$(grep -lE '^==[0-9]+== +(Syscall|Invalid|Conditional|Use of|[0-9,]+ .*lost)' "$dir"/log/* 2>/dev/null | wc -l)
	found=$((found + bad))
	echo "$t: status $rc, $(grep -c '^ok ' "$dir/out") ok, $(grep -c '^not ok ' "$dir/out") not ok; $(find "$dir/log" -type f | wc -l) runs, $bad with a report"
	[ "$bad" = 0 ] || grep -hE '^==[0-9]+== ' "$dir"/log/* | head -n 60
done
echo "$found runs with a report"
[ $found = 0 ]
