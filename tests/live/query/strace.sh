#!/bin/bash
# Independent truth: the same command under strace.
. tests/live/lib.sh
need_bpf; need jq strace find
truth() { # CMD: per process name, number of calls and bytes that io returned, from strace -f
	strace -f -qq -o "$tmp/strace" -e \
		trace=execve,read,pread64,readv,preadv,preadv2,write,pwrite64,writev,pwritev,pwritev2,sendto,sendmsg,sendmmsg,recvfrom,recvmsg,recvmmsg,sendfile,splice,tee,vmsplice,copy_file_range,process_vm_readv,process_vm_writev \
		sh -c "$1" >/dev/null 2>&1
	awk '{ pid = $1 }
		/execve\("/ { match($0, /execve\("[^"]*"/); n = split(substr($0, RSTART + 8, RLENGTH - 9), a, "/"); new[pid] = a[n] }
		/execve/ { if (/ = 0$/) proc[pid] = new[pid]; next }
		/unfinished|^[0-9]+ +[-+]+ / { next }
		{ r = $0; sub(/.* = /, "", r); sub(/ .*/, "", r); p = proc[pid]; calls[p]++; if (r > 0) bytes[p] += r }
		END { for (p in calls) print p, calls[p], bytes[p] + 0 }' "$tmp/strace" | sort
}
mkdir "$tmp/tree"; for i in $(seq 300); do head -c $((i * 13)) /dev/zero >"$tmp/tree/f$i"; done
cmd="find $tmp/tree -type f -size -4k -exec cat {} + | wc -c"
truth "$cmd" | grep -E '^(cat|find) ' >"$tmp/want"
q -c "$cmd" 'count, sum(bytes) of io where proc in (cat, find) by proc'
same 'calls and bytes of find and cat' \
	"$(field '"\(.proc) \(.count) \(."sum(bytes)")"' | sort | paste -sd' ')" \
	"$(paste -sd' ' "$tmp/want")"
q -c "$cmd" 'count, sum(bytes), p99(latency) of io by proc, file top 5 by sum(bytes)'
same 'five rows, with paths' "$(jq -s 'length == 5 and (map(.file | startswith("/") or startswith("pipe:") or startswith("socket:")) | all)' "$tmp/out")" \
	true
q -c "$cmd" "sum(bytes) of read where proc = cat and file ~ \"$tmp/tree/*\" by file"
same 'bytes of every file' "$(jq -r '"\(.file) \(."sum(bytes)")"' "$tmp/out" | sort)" \
	"$(find "$tmp/tree" -type f -size -4k -printf '%p %s\n' | sort)"

# in emulation every traced call is slow
trees='/usr/share/doc /usr/lib'; [ -n "${RN_TEST_SMALL:-}" ] && trees="$tmp/tree /etc"
cmd="ls -lR $trees"
# shellcheck disable=SC2086 # a list
strace -f -c -o "$tmp/c" $cmd >"$tmp/sink" 2>&1
awk 'NR > 2 && $NF != "total" && $1 ~ /^[0-9.]+$/ && $NF !~ /^(exit_group|execve|write)$/ { print $NF, $4 }' \
	"$tmp/c" | sort >"$tmp/want"
q -c "exec $cmd" 'count of syscall where proc = ls by name'
field 'select(.name | IN("exit_group", "execve", "write") | not) | "\(.name) \(.count)"' |
	sort >"$tmp/got"
same 'every call of ls, as strace -c counts' \
	"$(join "$tmp/want" "$tmp/got" | awk '$2 != $3' | tee "$tmp/diff" | wc -l) differ of $([ "$(wc -l <"$tmp/want")" -ge 8 ] && echo many)" \
	'0 differ of many'
done_testing
