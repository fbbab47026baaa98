/* catalog.h - inside probes/: what the catalogue's numbers mean, and what each system call does with its arguments.
 *
 * The catalogue (catalog.c) hands out rn_class and rn_field with an `id`; this header says which id is what, so that the
 * generator, the provider and the snapshot tables switch over the same numbers. The traits (catalog_syscalls.c) are the one
 * place that knows where a system call keeps its descriptor, its payload and its length.
 *
 * A copy inside the kernel (sendfile, splice, tee, copy_file_range) is ONE event: `file`, `fd`, `local`, `peer` are those of the
 * destination, and `source` is the path of the input. Elsewhere `source` is empty. `bytes` counts once. */
#ifndef RN_PROBES_CATALOG_H
#define RN_PROBES_CATALOG_H
#include "lang/catalog.h"
#include "lang/err.h"

/* rn_class.id. RN_CLS_NR + n is the class of system call number n alone (fsync, ...). */
enum rn_class_id {
	RN_CLS_NONE,
	RN_CLS_SYSCALL, /* every system call */
	RN_CLS_IO, RN_CLS_READ, RN_CLS_WRITE, RN_CLS_SEND, RN_CLS_RECV, RN_CLS_OPEN, RN_CLS_CLOSE, RN_CLS_EXEC, RN_CLS_CONNECT,
	RN_CLS_ACCEPT,
	RN_CLS_TAG,        /* the calls of io; needs the fragment's tags */
	RN_CLS_FORK,       /* tracepoint sched_process_fork, of processes (not threads): ret, child = the new pid */
	RN_CLS_EXIT,       /* tracepoint sched_process_exit of the leader: ret = exit code, signal, latency = lifetime */
	RN_CLS_TRACEPOINT, /* an rn_tp: rn_class_tp() */
	RN_CLS_PROC,       /* snapshot table */
	RN_CLS_LATER,      /* has a `later` text */
	RN_CLS_NR = 0x1000,
};

/* rn_field.id. `node` is the same for all events of a provider: to the generator it is a constant string. */
enum rn_field_id {
	RN_F_NONE,
	RN_F_TIME, RN_F_NODE, RN_F_PROC, RN_F_THREAD, RN_F_PID, RN_F_TID, RN_F_PPID, RN_F_UID, RN_F_GID, RN_F_USER, RN_F_CGROUP,
	RN_F_CONTAINER, RN_F_NETNS, RN_F_NAME,
	RN_F_FD, RN_F_FILE, RN_F_DEV, RN_F_INO, RN_F_BYTES, RN_F_RET, RN_F_ERROR, RN_F_LATENCY, RN_F_OFFSET, RN_F_LOCAL, RN_F_PEER,
	RN_F_SOURCE, RN_F_TAGS, RN_F_FLAGS,
	RN_F_ARG0, RN_F_ARG1, RN_F_ARG2, RN_F_ARG3, RN_F_ARG4, RN_F_ARG5,
	RN_F_CHILD, RN_F_SIGNAL, RN_F_STACK, RN_F_USTACK,
	/* of the table proc only */
	RN_F_STATE, RN_F_THREADS, RN_F_RSS, RN_F_VSZ, RN_F_UTIME, RN_F_STIME, RN_F_START, RN_F_CMDLINE, RN_F_EXE, RN_F_CWD, RN_F_NICE,
	RN_F_TP = 0x100,   /* RN_F_TP + i: field i of a tracepoint, rn_tp.field[i] */
};

/* ---- system calls ---- */
enum { /* families: a set */
	RN_FAM_READ = 1, RN_FAM_WRITE = 2, RN_FAM_SEND = 4, RN_FAM_RECV = 8, RN_FAM_OPEN = 16, RN_FAM_CLOSE = 32, RN_FAM_EXEC = 64,
	RN_FAM_CONNECT = 128, RN_FAM_ACCEPT = 256,
	RN_FAM_XFER = 512, /* data between two descriptors or two processes */
	RN_FAM_IO = RN_FAM_READ | RN_FAM_WRITE | RN_FAM_SEND | RN_FAM_RECV | RN_FAM_XFER, /* bytes = max(ret, 0) */
};
enum rn_payload { /* how buf_arg and len_arg describe the data; same numbers as RN_SCAN_BUF ... of intrinsics.h */
	RN_PAY_NONE,
	RN_PAY_BUF,     /* buf: address; bounded by ret */
	RN_PAY_IOVEC,   /* buf: struct iovec[len]; bounded by ret */
	RN_PAY_MSGHDR,  /* buf: struct msghdr *; bounded by ret */
	RN_PAY_MMSGHDR, /* buf: struct mmsghdr[ret], each bounded by its msg_len */
	RN_PAY_PAGES,   /* the page cache behind src_arg, [pos - ret, pos): regular files only */
};
enum rn_dir { RN_DIR_NONE, RN_DIR_IN /* into the process */, RN_DIR_OUT, RN_DIR_THROUGH /* source to file */ };
enum rn_addr_kind { RN_ADDR_NONE, RN_ADDR_SOCKADDR, RN_ADDR_MSGHDR };

enum { RN_ARG_NO = -1, RN_ARG_RET = 6 }; /* RN_ARG_RET: the descriptor is the return value */
struct rn_sys_trait {
	uint16_t families;
	uint8_t payload;   /* enum rn_payload */
	uint8_t dir;       /* enum rn_dir */
	int8_t fd_arg;     /* argument 0..5 with the descriptor that `fd` and `file` are about; RN_ARG_RET; RN_ARG_NO */
	int8_t src_arg;    /* descriptor of the input of an XFER, for `source` and PAGES; else RN_ARG_NO */
	int8_t srcpos_arg; /* pointer to the input's offset (loff_t *, may be NULL: f_pos); else RN_ARG_NO */
	int8_t buf_arg, len_arg;
	int8_t path_arg;   /* user string with the name of a file: `file` where there is no descriptor (yet); RN_ARG_NO */
	int8_t flags_arg;  /* open flags, send/recv flags; for field `flags`; RN_ARG_NO */
	int8_t off_arg;    /* explicit file offset (pread64, ...); RN_ARG_NO: f_pos - ret */
	int8_t addr_arg;   /* peer's address in user memory; RN_ARG_NO */
	uint8_t addr_kind; /* enum rn_addr_kind */
	bool known;        /* has an entry in the table at all */
	bool at;           /* the argument before path_arg is a directory's descriptor; an empty path means what that is open on */
};
#define RN_SYS_MAX 512 /* above every system call number */
/* Never NULL: a call that the table does not know has only RN_ARG_NO. */
const struct rn_sys_trait *rn_sys_trait(unsigned nr);
const char *rn_sys_name(unsigned nr);  /* NULL: no such number */
int rn_sys_nr(const char *name);       /* -1: no such name */
/* Does class c (of this catalogue, or any rn_class with its id) cover system call nr? False for non-syscall classes. */
bool rn_class_covers(const struct rn_class *c, unsigned nr);
bool rn_class_is_syscall(const struct rn_class *c); /* SYSCALL, families, TAG, RN_CLS_NR + n */

/* ---- tracepoints ---- */
enum rn_tp_kind { RN_TP_INT, RN_TP_CHARS /* char x[size] */, RN_TP_LOC /* __data_loc char[]: u32 offset | length << 16 */,
		  RN_TP_RELLOC /* __rel_loc: offset from the end of the u32 */ };
struct rn_tp_field {
	struct rn_field f;
	uint16_t offset, size; /* in the record that a BPF_PROG_TYPE_TRACEPOINT program gets as its context */
	uint8_t kind;          /* enum rn_tp_kind */
	bool is_signed;
};
struct rn_tp {
	struct rn_class cls;
	const char *sys, *name;
	int id;                /* for perf_event_open */
	struct rn_tp_field *field;
	unsigned nfields;
};
const struct rn_tp *rn_class_tp(const struct rn_class *c); /* NULL unless RN_CLS_TRACEPOINT */
#endif
