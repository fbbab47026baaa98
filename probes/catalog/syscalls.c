/* syscalls.c - what each system call does with its arguments: one table, and the names of the
 * numbers.
 *
 * A call that moves data belongs to a family, and its row says where its payload lies. For a call
 * on a descriptor or a name the row has just that, so that `file` works for fsync or unlink too.
 * Names and numbers come from this architecture's own headers (syscalls.inc, made by the Makefile).
 * #ifdef omits a call that they lack. */
#include <asm/unistd.h>
#include <string.h>
#include "probes/catalog/catalog.h"

enum { N = RN_ARG_NO, R = RN_ARG_RET };
#define PAY(x) RN_PAY_##x
#define DIR_OF(call) RN_DIR_OF_##call /* lang/catalog/direction.h */
#define ADDR(x) RN_ADDR_##x

/* A call that moves data. Its direction is that of lang/catalog/direction.h.
 *      call  families  payload  fd src pos buf len path flags off addr addr_kind */
#define D(call, fam, pay, fd, src, pos, buf, len, path, flags, off, addr, akind) \
	[__NR_##call] = {fam, PAY(pay), DIR_OF(call), fd,  src,  pos,         buf, \
			 len, path,     flags,        off, addr, ADDR(akind), true}
#define COPY(call, pay, fd, src, pos, topos_, flags) \
	[__NR_##call] = { \
		RN_FAM_XFER, PAY(pay),      DIR_OF(call),     fd, src, pos, N, N, N, flags, N, N, \
		ADDR(NONE),  .known = true, .topos = (topos_)}
#define IOV(call, fd, flags, way, peer_) \
	[__NR_##call] = {RN_FAM_XFER, \
			 PAY(IOVEC), \
			 DIR_OF(call), \
			 fd, \
			 N, \
			 N, \
			 1, \
			 2, \
			 N, \
			 flags, \
			 N, \
			 N, \
			 ADDR(NONE), \
			 true, \
			 RN_PATH_##way, \
			 .peer = (peer_)}
#define AIO(call, what, buf) \
	[__NR_##call] = {RN_FAM_ASYNC, \
			 PAY(AIO_##what), \
			 DIR_OF(call), \
			 RN_ARG_AIO, \
			 N, \
			 N, \
			 buf, \
			 N, \
			 N, \
			 N, \
			 N, \
			 N, \
			 ADDR(NONE), \
			 .known = true, \
			 .path = RN_PATH_AIO}
/* Calls that move none. */
#define T(call, fam, fd, path, flags, addr, akind) \
	[__NR_##call] = {fam, PAY(NONE), RN_DIR_NONE, fd, N,    N,           N, \
			 N,   path,      flags,       N,  addr, ADDR(akind), true}
/* Calls that only have a descriptor or a name. */
#define F(call, fd) T(call, 0, fd, N, N, N, NONE)
#define P(call, path) T(call, 0, N, path, N, N, NONE)
#define AT(call, path) \
	[__NR_##call] = {0, PAY(NONE),  RN_DIR_NONE,   N,         N, N, N, N, path, N, N, \
			 N, ADDR(NONE), .known = true, .at = true}
/* Operations that are not calls.
 *       number  name  families  payload  path  fd buf len off addr kind */
#define OP(op, name, fam, pay, path, fd, buf, len, off, addr, akind) \
	[RN_OP_##op] = {fam, PAY(pay), DIR_OF(name), fd,   N,           N,    buf,           len, \
			N,   N,        off,          addr, ADDR(akind), true, RN_PATH_##path}
/* Copies whose positions are arguments themselves: where they go to, where from, its position
 * there, the other one's. */
#define CLONE(op) \
	[RN_OP_##op] = {RN_FAM_XFER, PAY(PAGES),    DIR_OF(op),    0, 1, 2, N, N, N, N, N, N, \
			ADDR(NONE),  .known = true, .topos = 1 + 3}
#define MESSAGE(op, name) /* with flags of the message */ \
	[RN_OP_##op] = {RN_FAM_ASYNC,   PAY(BY_ARG), DIR_OF(name), 0, N, N, 1, 2, N, 3, N, 4, \
			ADDR(SOCKADDR), true,        RN_PATH_URING}

static const struct rn_sys_trait traits[RN_SYS_MAX] = {
	D(read, RN_FAM_READ, BUF, 0, N, N, 1, 2, N, N, N, N, NONE),
	D(pread64, RN_FAM_READ, BUF, 0, N, N, 1, 2, N, N, 3, N, NONE),
	D(readv, RN_FAM_READ, IOVEC, 0, N, N, 1, 2, N, N, N, N, NONE),
	D(preadv, RN_FAM_READ, IOVEC, 0, N, N, 1, 2, N, N, 3, N, NONE),
	D(preadv2, RN_FAM_READ, IOVEC, 0, N, N, 1, 2, N, 5, 3, N, NONE),
	D(write, RN_FAM_WRITE, BUF, 0, N, N, 1, 2, N, N, N, N, NONE),
	D(pwrite64, RN_FAM_WRITE, BUF, 0, N, N, 1, 2, N, N, 3, N, NONE),
	D(writev, RN_FAM_WRITE, IOVEC, 0, N, N, 1, 2, N, N, N, N, NONE),
	D(pwritev, RN_FAM_WRITE, IOVEC, 0, N, N, 1, 2, N, N, 3, N, NONE),
	D(pwritev2, RN_FAM_WRITE, IOVEC, 0, N, N, 1, 2, N, 5, 3, N, NONE),
	D(sendto, RN_FAM_SEND, BUF, 0, N, N, 1, 2, N, 3, N, 4, SOCKADDR),
	D(sendmsg, RN_FAM_SEND, MSGHDR, 0, N, N, 1, N, N, 2, N, 1, MSGHDR),
	D(sendmmsg, RN_FAM_SEND, MMSGHDR, 0, N, N, 1, 2, N, 3, N, 1, MSGHDR),
	D(recvfrom, RN_FAM_RECV, BUF, 0, N, N, 1, 2, N, 3, N, 4, SOCKADDR),
	D(recvmsg, RN_FAM_RECV, MSGHDR, 0, N, N, 1, N, N, 2, N, 1, MSGHDR),
	D(recvmmsg, RN_FAM_RECV, MMSGHDR, 0, N, N, 1, 2, N, 3, N, 1, MSGHDR),
	/*                                      fd src pos topos flags */
	COPY(sendfile, PAGES, 0, 1, 2, 0, N),
	COPY(splice, PAGES, 2, 0, 1, 1 + 3, 5),
	COPY(copy_file_range, PAGES, 2, 0, 1, 1 + 3, 5),
	COPY(tee, PIPE, 1, 0, N, 0, 3),
	IOV(vmsplice, 0, 3, PAGES, false),
	IOV(process_vm_readv, N, 5, VM, true),
	IOV(process_vm_writev, N, 5, VM, true),

	/* The data is that of several operations; bytes: what they are to write, or have read. */
	AIO(io_submit, SUBMIT, 2),
	AIO(io_getevents, EVENTS, 3),
	AIO(io_pgetevents, EVENTS, 3),

	T(open, RN_FAM_OPEN, R, 0, 1, N, NONE),
	T(creat, RN_FAM_OPEN, R, 0, N, N, NONE),
	T(openat, RN_FAM_OPEN, R, 1, 2, N, NONE),
#ifdef __NR_openat2
	T(openat2, RN_FAM_OPEN, R, 1, N, N, NONE),
#endif
	T(close, RN_FAM_CLOSE, 0, N, N, N, NONE),
	T(execve, RN_FAM_EXEC, N, 0, N, N, NONE),
	T(execveat, RN_FAM_EXEC, N, 1, 4, N, NONE),
	T(connect, RN_FAM_CONNECT, 0, N, N, 1, SOCKADDR),
	T(accept, RN_FAM_ACCEPT, R, N, N, 1, SOCKADDR),
	T(accept4, RN_FAM_ACCEPT, R, N, 3, 1, SOCKADDR),

	F(fstat, 0),
	F(lseek, 0),
	F(ioctl, 0),
	F(fcntl, 0),
	F(flock, 0),
	F(fsync, 0),
	F(fdatasync, 0),
	F(ftruncate, 0),
	F(getdents, 0),
	F(getdents64, 0),
	F(fchdir, 0),
	F(fchmod, 0),
	F(fchown, 0),
	F(fstatfs, 0),
	F(readahead, 0),
	F(fadvise64, 0),
	F(fallocate, 0),
	F(sync_file_range, 0),
	F(syncfs, 0),
	F(fsetxattr, 0),
	F(fgetxattr, 0),
	F(flistxattr, 0),
	F(fremovexattr, 0),
	F(dup, 0),
	F(dup2, 0),
	F(dup3, 0),
	F(bind, 0),
	F(listen, 0),
	F(shutdown, 0),
	F(getsockname, 0),
	F(getpeername, 0),
	F(setsockopt, 0),
	F(socket, R),
	F(epoll_wait, 0),
	F(epoll_pwait, 0),
	F(epoll_ctl, 0),
	F(inotify_add_watch, 0),
	F(timerfd_settime, 0),
	F(timerfd_gettime, 0),
	F(finit_module, 0),
	F(setns, 0),
	F(memfd_create, R),
	F(io_uring_register, 0),
	F(eventfd, R),
	F(eventfd2, R),
	F(timerfd_create, R),
	F(epoll_create1, R),
	[__NR_mmap] = {0, PAY(NONE), RN_DIR_NONE, 4, N, N, N, N, N, N, N, N, ADDR(NONE),
		       .known = true, .path = RN_PATH_MMAP},
	[__NR_io_uring_enter] = {0, PAY(NONE), RN_DIR_NONE, 0, N, N, N, N, N, N, N, N, ADDR(NONE),
				 .known = true, .path = RN_PATH_URING},
	D(getsockopt, RN_FAM_MAPPED, ZEROCOPY, 0, N, N, 3, N, N, N, N, N, NONE),
	P(stat, 0),
	P(lstat, 0),
	P(access, 0),
	P(truncate, 0),
	P(chdir, 0),
	P(rename, 0),
	P(mkdir, 0),
	P(rmdir, 0),
	P(link, 0),
	P(unlink, 0),
	P(symlink, 1),
	P(readlink, 0),
	P(chmod, 0),
	P(chown, 0),
	P(lchown, 0),
	P(utime, 0),
	P(utimes, 0),
	P(mknod, 0),
	P(statfs, 0),
	P(chroot, 0),
	P(setxattr, 0),
	P(getxattr, 0),
	P(listxattr, 0),
	P(removexattr, 0),
	P(swapon, 0),
	P(swapoff, 0),
	P(lsetxattr, 0),
	P(lgetxattr, 0),
	P(llistxattr, 0),
	P(lremovexattr, 0),
	P(mount, 1),
	P(umount2, 0),
	P(pivot_root, 0),
	P(acct, 0),
	AT(mkdirat, 1),
	AT(mknodat, 1),
	AT(fchownat, 1),
	AT(newfstatat, 1),
	AT(unlinkat, 1),
	AT(renameat, 1),
	AT(renameat2, 1),
	AT(linkat, 1),
	AT(symlinkat, 2),
	AT(readlinkat, 1),
	AT(fchmodat, 1),
	AT(faccessat, 1),
	AT(futimesat, 1),
	AT(utimensat, 1),
	AT(statx, 1),
	AT(name_to_handle_at, 1),
#ifdef __NR_faccessat2
	AT(faccessat2, 1),
#endif
	/* Operations that are not calls. Arguments: file, address, length, offset, peer's address,
	   enum rn_payload. */
	OP(MMAP_READ, mmap_read, RN_FAM_MAPPED, MAPPED, MMAP, 0, 1, 2, 3, N, NONE),
	OP(MMAP_WRITE, mmap_write, RN_FAM_MAPPED, MAPPED, MMAP, 0, 1, 2, 3, N, NONE),
	OP(URING_READ, io_uring_read, RN_FAM_ASYNC, BY_ARG, URING, 0, 1, 2, 3, N, NONE),
	OP(URING_WRITE, io_uring_write, RN_FAM_ASYNC, BY_ARG, URING, 0, 1, 2, 3, N, NONE),
	MESSAGE(URING_RECV, io_uring_recv),
	MESSAGE(URING_SEND, io_uring_send),
	CLONE(FICLONE),
	CLONE(FICLONERANGE),
	CLONE(FIDEDUPERANGE),
	/* Arguments as of the function: the connection, address, length. */
	OP(TLS_READ, tls_read, RN_FAM_TLS, BUF, TLS, N, 1, N, N, N, NONE),
	OP(TLS_WRITE, tls_write, RN_FAM_TLS, BUF, TLS, N, 1, N, N, N, NONE),
};
static const struct rn_sys_trait unknown = {0, RN_PAY_NONE, RN_DIR_NONE,  N,    N, N, N, N, N, N,
					    N, N,           RN_ADDR_NONE, false};

static const struct {
	unsigned nr;
	const char *name;
} names[] = {
#include "probes/catalog/syscalls.inc"
#define X(id, name) {RN_OP_##id, name},
	RN_OPS(X)
#undef X
};

/* Names of tracepoints that differ from their calls, and calls that are newer than the headers of
 * the others. */
static const struct {
	const char *name;
	int16_t nr;
} by_tracepoint[] = {
	{"newstat", 4},
	{"newfstat", 5},
	{"newlstat", 6},
	{"sendfile64", 40},
	{"newuname", 63},
	{"umount", 166},
	{"uretprobe", 335},
	{"uprobe", 336},
	{"cachestat", 451},
	{"fchmodat2", 452},
	{"map_shadow_stack", 453},
	{"futex_wake", 454},
	{"futex_wait", 455},
	{"futex_requeue", 456},
	{"statmount", 457},
	{"listmount", 458},
	{"lsm_get_self_attr", 459},
	{"lsm_set_self_attr", 460},
	{"lsm_list_modules", 461},
	{"mseal", 462},
	{"setxattrat", 463},
	{"getxattrat", 464},
	{"listxattrat", 465},
	{"removexattrat", 466},
	{"open_tree_attr", 467},
	{"file_getattr", 468},
	{"file_setattr", 469},
};

int rn_sys_nr_of_tracepoint(const char *name)
{
	int nr = rn_sys_nr(name);

	for (unsigned i = 0; i < sizeof(by_tracepoint) / sizeof(*by_tracepoint); i++)
		if (!strcmp(by_tracepoint[i].name, name))
			return by_tracepoint[i].nr;
	return nr < RN_SYS_FIRST_FREE ? nr : -1;
}

const struct rn_sys_trait *rn_sys_trait(unsigned nr)
{
	return nr < RN_SYS_MAX && traits[nr].known ? &traits[nr] : &unknown;
}

bool rn_sys_ret_is_bytes(const struct rn_sys_trait *trait)
{
	return trait->fd_arg != RN_ARG_AIO && trait->payload != RN_PAY_MMSGHDR &&
	       trait->payload != RN_PAY_ZEROCOPY && !(trait->families & RN_FAM_RECV);
}

const char *rn_sys_name(unsigned nr)
{
	for (unsigned i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (names[i].nr == nr)
			return names[i].name;
	return NULL;
}

int rn_sys_nr(const char *name)
{
	for (unsigned i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (!strcmp(names[i].name, name))
			return (int)names[i].nr;
	return -1;
}

static const struct {
	uint16_t cls;
	uint32_t families;
} class_families[] = {{RN_CLS_IO, RN_FAM_IO | RN_FAM_ASYNC},
		      {RN_CLS_TAG, RN_FAM_IO | RN_FAM_ASYNC | RN_FAM_MAPPED | RN_FAM_TLS},
		      {RN_CLS_TLS, RN_FAM_TLS},
#define X(id, ...) {RN_CLS_##id, RN_FAM_##id},
		      RN_FAMILIES(X)
#undef X
};

bool rn_class_covers(const struct rn_class *cls, unsigned nr)
{
	for (const struct rn_class *const *m = cls->list; m && *m; m++)
		if (rn_class_covers(*m, nr))
			return true;
	if (cls->id == RN_CLS_SYSCALL)
		return nr < RN_OP_FIRST;
	if (cls->id >= RN_CLS_NR)
		return cls->id - RN_CLS_NR == (int)nr;
	for (unsigned i = 0; i < sizeof(class_families) / sizeof(*class_families); i++)
		if (class_families[i].cls == cls->id)
			return (rn_sys_trait(nr)->families & class_families[i].families) != 0;
	return false;
}

bool rn_class_is_syscall(const struct rn_class *cls)
{
	bool all = cls->list != NULL;

	for (const struct rn_class *const *m = cls->list; m && *m; m++)
		all &= rn_class_is_syscall(*m);
	if (cls->list)
		return all;
	for (unsigned i = 0; i < sizeof(class_families) / sizeof(*class_families); i++)
		if (class_families[i].cls == cls->id)
			return true;
	return cls->id == RN_CLS_SYSCALL || cls->id >= RN_CLS_NR;
}
