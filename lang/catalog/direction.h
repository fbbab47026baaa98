/* direction.h - which way each call moves data: one table for the catalogue of the kernel
 * (probes/catalog/syscalls.c) and for what puts a flow together (exec/flow). A recording has the
 * names of its calls, so that it is read by the same table. */
#ifndef RN_LANG_CATALOG_DIRECTION_H
#define RN_LANG_CATALOG_DIRECTION_H
#include <stddef.h>

enum rn_dir {
	RN_DIR_NONE,   /* it moves no data, or the call is not known */
	RN_DIR_IN,     /* into the process */
	RN_DIR_OUT,    /* out of it */
	RN_DIR_THROUGH /* from one file to another one, within the kernel */
};

/* All calls and operations that move data: X(name, direction). A row of data in syscalls.c does not
 * compile without its row here. */
#define RN_CALL_DIRS(X) \
	X(read, IN) \
	X(pread64, IN) \
	X(readv, IN) \
	X(preadv, IN) \
	X(preadv2, IN) \
	X(write, OUT) \
	X(pwrite64, OUT) \
	X(writev, OUT) \
	X(pwritev, OUT) \
	X(pwritev2, OUT) \
	X(sendto, OUT) \
	X(sendmsg, OUT) \
	X(sendmmsg, OUT) \
	X(recvfrom, IN) \
	X(recvmsg, IN) \
	X(recvmmsg, IN) \
	X(sendfile, THROUGH) \
	X(splice, THROUGH) \
	X(copy_file_range, THROUGH) \
	X(tee, THROUGH) \
	X(vmsplice, OUT) \
	X(process_vm_readv, IN) \
	X(process_vm_writev, OUT) \
	X(io_submit, OUT) \
	X(io_getevents, IN) \
	X(io_pgetevents, IN) \
	X(getsockopt, IN) \
	X(io_uring_read, IN) \
	X(io_uring_write, OUT) \
	X(io_uring_recv, IN) \
	X(io_uring_send, OUT) \
	X(mmap_read, IN) \
	X(mmap_write, OUT) \
	X(tls_read, IN) \
	X(tls_write, OUT) \
	X(FICLONE, THROUGH) \
	X(FICLONERANGE, THROUGH) \
	X(FIDEDUPERANGE, THROUGH)
enum { /* RN_DIR_OF_read, ... */
#define X(call, dir) RN_DIR_OF_##call = RN_DIR_##dir,
       RN_CALL_DIRS(X)
#undef X
};

/* The direction of the call with that name, of n bytes. RN_DIR_NONE: it is not in the table. */
enum rn_dir rn_call_dir(const char *name, size_t n);
#endif
