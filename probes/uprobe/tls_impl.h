/* tls_impl.h - inside of the search for TLS libraries: what is collected before some of it is
 * chosen.
 *
 * Who may put files and mappings there is an adversary, so whatever is counted, kept, read or
 * opened has a limit for each user. What is beyond a limit is counted in `left`, and costs nothing
 * more. */
#ifndef RN_PROBES_UPROBE_TLS_IMPL_H
#define RN_PROBES_UPROBE_TLS_IMPL_H
#include "probes/process/owner.h"
#include "probes/uprobe/tls.h"

enum {
	/* processes that are remembered of a mapped file: the first may have ended */
	RN_TLS_PIDS = 2,
	/* files mapped by a user's processes that are told apart */
	RN_TLS_MAPPED_MAX = 4096,
	RN_TLS_PLACED_MAX = 64, /* files of a user in places of others' */
	RN_TLS_TRIES_PER = 2,   /* files that are opened for each that may be taken */
	/* of a user's files: the kernel goes to each when a probe is set */
	RN_TLS_MAPPINGS_MAX = 8192,
	RN_TLS_MAPS_BYTES = 8 << 20,  /* of one /proc/PID/maps; */
	RN_TLS_MAPS_FREE = 32 << 10,  /* its first bytes do not count against */
	RN_TLS_USER_BYTES = 32 << 20, /* those of a user */
	RN_TLS_ROOT_BYTES = 64 << 20, /* root's: of one */
	/* mount namespaces that are looked into: of root's, of those of a user */
	RN_TLS_SPACES_MAX = 256,
	/* entries of directories read: of this process's mount namespace, and of all others that
	 * root made; */
	RN_TLS_STEPS_ROOT = 1 << 20,
	RN_TLS_STEPS_USER = 20000,   /* of those that a user made; */
	RN_TLS_STEPS_USERS = 200000, /* of those that any user made */
};

/* A file that is mapped under such a name by some process of a user, in one mount namespace. */
struct rn_tls_mapped {
	/* as the mapping has them: which may not be what stat says */
	uint64_t dev, ino, space, name;
	int pid[RN_TLS_PIDS];
	uint64_t from[RN_TLS_PIDS], to[RN_TLS_PIDS];
	/* place among such files of the process that has it earliest */
	unsigned index;
	unsigned mappings;
	bool system; /* below /usr */
};

struct rn_tls_user {
	uint64_t owner;
	struct rn_tls_mapped *v;
	unsigned n, cap;
	uint32_t *slot; /* of a hash table of v: index + 1 */
	int placed[RN_TLS_PLACED_MAX];
	unsigned nplaced;
	unsigned next, taken, tried, spaces;
	uint64_t mappings, bytes, steps;
};

/* A mount namespace: by a process that is in it. */
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

/* The user with that number; NULL: out of memory. Valid until the next call. */
struct rn_tls_user *rn_tls_user(struct rn_tls_search *s, uint64_t owner);

/* tls_maps.c: what each process has mapped, and which mount namespaces there are. */
void rn_tls_read_processes(struct rn_tls_search *s);

/* tls_places.c: calls found(self, fd) for each file with such a name in the usual places below
 * `root`, which it closes. fd is opened with O_PATH, and given away. follow: also what links lead
 * to. At most `steps` entries are read, of which so many are left afterwards. False: that was not
 * enough. */
bool rn_tls_walk(int root, bool follow, uint64_t *steps, void (*found)(void *self, int fd),
		 void *self);

/* tls_maps.c: is that the name of such a library: "libssl.so.3", "libssl-1a2b3c.so.1.1" (as packed
 * into Python wheels)? */
bool rn_tls_named(const char *base);
#endif
