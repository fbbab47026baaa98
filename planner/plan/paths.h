/* paths.h - the ways in which payload moves, as the ledger counts them. The kernel's part reads it,
 * too (probes/abi/abi.h): numbers only. */
#ifndef RN_PLANNER_PLAN_PATHS_H
#define RN_PLANNER_PLAN_PATHS_H
enum rn_path {
	RN_PATH_OTHER,  /* devices, and payload without a file */
	RN_PATH_FILE,   /* calls on regular files */
	RN_PATH_SOCKET, /* calls on sockets */
	RN_PATH_PIPE,   /* calls on pipes */
	/* copies inside the kernel: sendfile, splice, tee, vmsplice, copy_file_range */
	RN_PATH_PAGES,
	RN_PATH_MMAP,  /* pages of files that are mapped */
	RN_PATH_URING, /* io_uring */
	RN_PATH_AIO,   /* io_submit */
	RN_PATH_VM,    /* process_vm_readv, process_vm_writev */
	RN_PATH_FUSE,  /* /dev/fuse */
	RN_PATH_TLS,   /* plaintext of a TLS library */
	RN_PATH_COUNT
};
#endif
