/* tls_impl.h - inside of the search for TLS libraries: the candidates, from which it chooses.
 *
 * A user who may put files and mappings there is an adversary. So everything that is counted, kept,
 * read or opened has a limit for each user. What is beyond a limit is counted in `left`, and costs
 * nothing more. */
#ifndef RN_PROBES_UPROBE_TLS_IMPL_H
#define RN_PROBES_UPROBE_TLS_IMPL_H
#include "probes/process/owner.h"
#include "probes/uprobe/tls.h"

enum {
	/* processes remembered for a mapped file: the first may have ended */
	RN_TLS_PIDS = 2,
	/* different files mapped by a user's processes */
	RN_TLS_MAPPED_MAX = 4096,
	RN_TLS_PLACED_MAX = 64, /* files of a user in others' places */
	RN_TLS_TRIES_PER = 2,   /* files opened for each one that may be taken */
	/* of a user's files: to set a probe, the kernel visits each */
	RN_TLS_MAPPINGS_MAX = 8192,
	RN_TLS_MAPS_BYTES = 8 << 20,  /* of one /proc/PID/maps; */
	RN_TLS_MAPS_FREE = 32 << 10,  /* of each, so many bytes are free; */
	RN_TLS_USER_BYTES = 32 << 20, /* all of a user's */
	RN_TLS_ROOT_BYTES = 64 << 20, /* root's: of each */
	/* mount namespaces searched: of root's, of a user's */
	RN_TLS_SPACES_MAX = 256,
	/* entries of directories read: of this process's mount namespace, and of all others that
	 * root made; */
	RN_TLS_STEPS_ROOT = 1 << 20,
	RN_TLS_STEPS_USER = 20000,   /* of a user's namespaces; */
	RN_TLS_STEPS_USERS = 200000, /* of all users' namespaces */
};

/* A file that a user's process has mapped under such a name, in one mount namespace. */
struct rn_tls_mapped {
	/* as in the mapping: stat may differ */
	uint64_t dev, ino, space, name;
	int pid[RN_TLS_PIDS];
	uint64_t from[RN_TLS_PIDS], to[RN_TLS_PIDS];
	/* the lowest place among such files of a process that has it */
	unsigned index;
	unsigned mappings;
	bool system; /* below /usr */
};

struct rn_tls_user {
	uint64_t owner;
	struct rn_tls_mapped *list;
	unsigned n, cap;
	uint32_t *slot; /* of a hash table of v: index + 1 */
	int placed[RN_TLS_PLACED_MAX];
	unsigned nplaced;
	unsigned next, taken, tried, spaces;
	uint64_t mappings, bytes, steps;
};

/* A mount namespace, reached by a process in it. */
struct rn_tls_space {
	uint64_t ino, owner;
	int pid;
	bool plain, root;
};

struct rn_tls_search {
	struct rn_tls_libs *libs;
	struct rn_owners owners;
	struct rn_tls_user *user;
	unsigned nusers, cap_users;
	struct rn_tls_space *space;
	unsigned nspaces, cap_spaces;
	uint64_t own_space, steps_root, steps_users;
	int64_t left;
};

/* ---- tls_maps.c ---- */

/* Returns the user with that number. Valid until the next call. */
struct rn_tls_user *rn_tls_user(struct rn_tls_search *search, uint64_t owner);

/* tls_maps.c: reads what each process has mapped, and which mount namespaces there are. */
void rn_tls_read_processes(struct rn_tls_search *search);

/* tls_places.c: calls found(self, fd) for each file with such a name in the usual places below
 * `root`, which it closes. fd is opened with O_PATH, and found owns it. follow: also targets of
 * links. Reads at most `steps` entries, and leaves the rest in it. False: that was not enough. */
bool rn_tls_walk(int root, bool follow, uint64_t *steps, void (*found)(void *self, int fd),
		 void *self);

/* tls_maps.c: is it the name of such a library: "libssl.so.3", "libssl-1a2b3c.so.1.1" (as packed
 * into Python wheels)? */
bool rn_tls_named(const char *base);

/* ---- tls_returns.c ---- */

/* Adds probes on the functions in `off`: where they begin, and where each returns. Not the kernel's
 * probes on returns, which change the stack: an exception, or the end of a thread, that passes
 * through a callback of such a function would end the program. A function of which it is not known
 * where it returns has none, and the library is marked. */
void rn_tls_returns(struct rn_tls_lib *lib);
#endif
