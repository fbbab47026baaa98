# kernels.awk - the last section of docs/generated/coverage.md: path x kernel, from the tables of docs/generated/coverage*.md, in the order given.
function path(w) {
	if (w ~ /^(uring|aio|mmap|tls|fuse|pipe)_/) { sub(/_.*/, "", w); return w == "uring" ? "io_uring" : w == "mmap" ? "mapped files" : w == "tls" ? "TLS" : w == "pipe" ? "pipes" : w }
	if (w ~ /^(sendfile|splice|tee|vmsplice|copy_file_range|clone|file_copy_up)/) return "copies in the kernel"
	if (w ~ /^(process_)?vm/) return "memory of processes"
	if (w ~ /^(send|recv|socket|tcp|udp|unix)/) return "sockets"
	return "files"
}
FNR == 1 { f++; table = 0 }
/^## Kernels/ { nextfile }
/^Linux [0-9]/ && !kernel[f] { kernel[f] = $2; sub(/[.,]$/, "", kernel[f]) }
/^## / { table = 0 }
/^\| way \| cells \| 4 B/ { table = 1; next }
!table || !/^\| / { next }
{
	split($0, c, " *[|] *")
	w = c[2]; p = path(w)
	if (!(p in known)) { known[p]; order[++n] = p }
	if (split(c[3], x, "/") == 2 && x[1] ~ /^[0-9]+$/) { got[f, p] += x[1]; all[f, p] += x[2] }
	else if (c[3] != "") without[f, p] = without[f, p] "; " w ": " c[3]
}
END {
	print "## Kernels\n"
	print "Cells seen of those planted, by path, and what there is no cell for. Other kernels ran in a virtual machine (`make coverage-vm`), where files are on ext4."
	printf "\n| path |"
	for (i = 1; i <= f; i++) printf " Linux %s |", kernel[i]
	printf "\n|---|"
	for (i = 1; i <= f; i++) printf "---|"
	print ""
	for (k = 1; k <= n; k++) {
		printf "| %s |", order[k]
		for (i = 1; i <= f; i++) printf " %s%s |", all[i, order[k]] ? got[i, order[k]] "/" all[i, order[k]] : "none", without[i, order[k]]
		print ""
	}
}
