/* hosts.h - the hosts file: which nodes there are, how each is reached, and in which groups.
 *
 *     # one node a line: NAME TRANSPORT: ARGUMENTS
 *     # `#` at the beginning or behind a blank begins a comment
 *     here   local:                            an agent on this machine
 *     [lab]                                    a group, until the next one
 *     node1  exec: ip netns exec labn1         any command prefix that gives a byte stream
 *     node2  ssh: admin@node2.example.org      ssh, with nothing asked
 *     [racks]
 *     rack1  relay: rack1.hosts                a relay here, over the nodes of a hosts file of its
 *                                              own
 *     rack2  relay: ssh rack2 /etc/rack.hosts  a relay behind a command prefix; the last word is
 *                                              the file there
 *     [fleet]
 *     *      nats: nats://10.0.0.1:4222        all that NATS knows; a NAME instead of `*`: that one
 *     deadline 30s                             how long nodes have at the end of a query to tell
 *                                              what is left (10 s)
 *
 * `runnel agent --stdio` is appended to a prefix, unless it has the word `agent` or `relay` and
 * then `--stdio`. A name has letters, digits, `.`, `_` and `-`, and appears once. All errors of a
 * file are reported, each with its line. */
#ifndef RN_EXEC_HOSTS_HOSTS_H
#define RN_EXEC_HOSTS_HOSTS_H
#include <stdbool.h>
#include <stdint.h>
#include "lang/base/arena.h"
#include "lang/base/err.h"

enum rn_host_kind { RN_HOST_EXEC, RN_HOST_RELAY, RN_HOST_NATS };

struct rn_host_entry {
	const char *name, *group; /* group: NULL before the first group */
	enum rn_host_kind kind;
	/* EXEC, RELAY: the whole command for sh -c; NATS: what follows `nats:` */
	const char *command;
	const char *shown; /* how it is reached, for people: "ssh root@10.0.0.7" */
	unsigned line;
	bool local; /* this machine, by `local:` */
};
struct rn_hosts {
	const char *path;
	struct rn_host_entry *entries;
	unsigned n;
	int64_t deadline_ns; /* from a line `deadline`; 0: no such line */
};
/* Reads the file. program: the path of this binary, for `local:` and `relay: FILE`; agent: what a
 * prefix starts ("runnel"). NULL: err names up to five errors, each with file and line. */
struct rn_hosts *rn_hosts_load(struct rn_arena *arena, const char *path, const char *program,
			       const char *agent, struct rn_err *err);
bool rn_host_is_name(const char *name); /* can a node have this name? */
/* Is a node among `on NODES`? local: it is this machine. nodes: names, groups, globs, `all`,
 * `local`, with `except` before those left out; NULL: all. */
bool rn_host_chosen(const char *name, const char *group, bool local, const char *const *nodes);
/* The words of `on` for the nodes below a relay of that name. If the relay itself is chosen: only
 * what is left out; if a node below may match: all of them. Sets *asked to false if the relay is
 * left out by name or no node below it can match. */
const char *const *rn_hosts_below(const char *name, const char *group, const char *const *nodes,
				  bool *asked);
/* Returns a word of `on` that matches nothing in these hosts; NULL: each matches something, or may
 * be the name of a member of NATS. */
const char *rn_hosts_unknown(const struct rn_hosts *hosts, const char *const *nodes);
/* Returns the name or group that a word was probably meant for; NULL: none is near. */
const char *rn_hosts_nearest(struct rn_arena *arena, const struct rn_hosts *hosts,
			     const char *word);
#endif
