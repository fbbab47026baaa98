#!/bin/sh
# named.sh CC - prints the numbers that have names, from the kernel's headers for programs, as rows
# of C: {RN_U_OPEN, "O_CREAT", 00000100}, ... CC is the compiler, whose preprocessor reads them.
set -e
rows() { # UNIT HEADER NAMES NOT: NAMES, of which those like NOT are left out
	for n in $(echo "#include <$2>" | $cc -E -dM - | sed -n "s/^#define \($3\) .*/\1/p" |
		grep -vxE "$4" | sort); do
		echo "ROW $1 \"$n\" = $n"
	done | { echo "#include <$2>"; cat; } | $cc -E -P - |
		sed -n 's/^ROW \([A-Z_]*\) \("[^"]*"\) = \(.*\)$/{RN_U_\1, \2, \3},/p'
}
cc=$1
rows OPEN asm/fcntl.h 'O_[A-Z]*' ''
rows PROT linux/mman.h 'PROT_[A-Z]*' 'PROT_GROWS.*'
rows MAP linux/mman.h 'MAP_[A-Z_]*' 'MAP_(HUGE.*|TYPE|FILE|UNINITIALIZED|SYNC)'
rows CLONE linux/sched.h 'CLONE_[A-Z_]*' 'CLONE_(NEWTIME|CLEAR_SIGHAND|INTO_CGROUP|ARGS.*)'
rows SIGNAL asm/signal.h 'SIG[A-Z0-9]*' 'SIGRTMIN|SIGRTMAX|SIGSTKSZ|SIGUNUSED|SIGLOST'
rows ETHER linux/if_ether.h 'ETH_P_[A-Z0-9_]*' 'ETH_P_802_3_MIN'
rows FAMILY sys/socket.h 'AF_[A-Z0-9]*' 'AF_MAX|AF_UNSPEC'
