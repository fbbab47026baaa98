/* user.h - functions of programs and libraries that a query names: user "libc:malloc",
 * user "/usr/sbin/nginx:ngx_http_*".
 *
 * WHERE ends at the first colon; `\:` is one in a path. It is a path if it holds a slash. Else it
 * is a library, lib`WHERE`.so* or `WHERE`.so*, that a process has mapped or the loader's cache
 * lists; or the program of the processes of that name. All files that are found are probed: each
 * container may have a library of its own.
 *
 * Any user may have made the files and their names: the limits of probes/process/elf.h hold. */
#ifndef RN_PROBES_UPROBE_USER_H
#define RN_PROBES_UPROBE_USER_H
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include "lang/base/err.h"
#include "probes/uprobe/uprobe.h"

/* FUNCTIONS: at most, unless the query allows more: --max-functions, RN_MAX_FUNCTIONS */
enum { RN_USER_FILES = 64, RN_USER_FUNCTIONS = 10000, RN_USER_IDLE = 1024, RN_USER_LEFT = 10 };
#define RN_USER_JUMP (1ULL << 63)
/* in the cookies of functions of a pair's second event, which have numbers of their own */
#define RN_USER_SECOND (1ULL << 62)

/* Which file it is. The kernel puts probes into the file below an overlay, which several of them
 * may show: it has the same number, length and times there. */
struct rn_user_id {
	uint64_t dev, ino, bytes;
	int64_t changed[4];
	bool overlay;
};

struct rn_user_file {
	int fd;
	struct rn_user_id id;
	char *path;
	char *names;      /* of its symbols */
	unsigned from, n; /* its functions: at[from], ... */
	unsigned leave_from, nleave;
};
struct rn_user {
	unsigned most; /* functions; 0: RN_USER_FUNCTIONS. The caller sets it. */
	struct rn_user_file file[RN_USER_FILES];
	unsigned nfiles;
	/* functions; the cookie of each is its index, and its file's << 32 */
	struct rn_probe_at *at;
	const char **name; /* of each, in the names of its file */
	char **readable;   /* of each: demangled, NULL if the name is not; NULL: none is */
	unsigned nnames;   /* at least n: some functions may be left out later */
	unsigned n, cap;
	/* where they are left, those of a file after each other; with RN_USER_JUMP in the cookie:
	 * by a jump to another function, whose result is this one's */
	struct rn_probe_at *leave;
	unsigned nleave, cap_leave;
	char *text; /* names of functions of the kernel */
	/* of static probes (usdt.h): where the arguments of each place are; else NULL */
	struct rn_operands *operands;
	unsigned cap_operands;
	/* functions of it that are never called, of which the query names none; their cookie is
	 * that of no function */
	struct rn_probe_at *idle;
	unsigned nidle;
	/* functions that match, and have no probe: chosen when the program starts (ifunc), or with
	 * a first instruction that none may sit at (points.h), or refused by the kernel */
	unsigned left_out;
	unsigned nrefused; /* files that are meant, and that no function is probed of */
	/* names of some of them, if they are the kernel's */
	const char *left_name[RN_USER_LEFT];
	unsigned nleft;
	/* functions of programs with a probe at an instruction that the kernel has to step over */
	unsigned stepped;
};

/* Finds the functions that "WHERE:GLOB, WHERE:GLOB" names; returns: with the places where they are
 * left, and without functions of which these are not known. GLOB matches a name as the file has it,
 * or as it is demangled, also without its parameters. -ENOENT: none; err names what is there
 * instead. -E2BIG: more than user->most. The caller frees user in any case. */
int rn_user_find(struct rn_user *user, const char *arg, bool returns, struct rn_err *err);
/* For other finders of places. Adds a place of a file; false: there is no room. */
bool rn_user_add(struct rn_user *user, unsigned file, uint64_t off, const char *name);
void rn_user_free(struct rn_user *user);        /* one of zeros is allowed */
void rn_user_close_files(struct rn_user *user); /* all is attached */
/* How many functions there may be. */
unsigned rn_user_most(const struct rn_user *user);
/* Says that it are more: `text` of `where` names them; -E2BIG. */
int rn_user_too_many(const struct rn_user *user, const char *text, const char *where,
		     struct rn_err *err);
/* The name of a function for people. */
const char *rn_user_readable(const struct rn_user *user, unsigned function);

/* ---- kernel_functions.c ---- */

/* Finds functions of the kernel in its list: available_filter_functions_addrs of tracefs, with
 * kallsyms; or available_filter_functions, with NULL. arg: "GLOB, GLOB". Files are the kernel and
 * its modules. Errors as above. */
int rn_user_find_kernel(struct rn_user *user, FILE *list, FILE *symbols, const char *arg,
			struct rn_err *err);
/* A function of the kernel has no probe: counts it, and keeps its name if there is room. */
void rn_user_leave_out(struct rn_user *user, const char *name);

/* ---- user_text.c ---- */

/* Takes WHERE off "WHERE:GLOB", in which `\:` becomes a colon; returns the glob, NULL: there is no
 * colon. */
char *rn_user_split(char *part);

/* ---- user_places.c ---- */

/* The functions of a file, by address. */
struct rn_user_places;
struct rn_user_symbol {
	uint64_t address, bytes;
	uint32_t at; /* its name */
};
/* Takes the symbols, which it sorts; names must live as long. */
struct rn_user_places *rn_user_places(struct rn_elf *elf, struct rn_user_symbol *symbols,
				      unsigned n, const char *names);
void rn_user_places_free(struct rn_user_places *places); /* NULL is allowed */

/* ---- user_leaves.c ---- */

/* Does the function jump to its entry? A call then looks like a round of a loop. */
bool rn_user_loops(struct rn_user_places *places, uint64_t address, uint64_t entry);
/* Returns how many bytes after the entry a probe costs less, and is passed once by each call with
 * the same arguments and stack; 0: none. *stepped: the kernel has to step over the instruction
 * there, points.h. */
unsigned rn_user_ahead(struct rn_user_places *places, uint64_t address, uint64_t entry,
		       bool *stepped);
/* Adds the places where the function is left to user->leave, with its cookie. Returns NULL, or why
 * these are not known; then nothing is added. */
const char *rn_user_leaves(struct rn_user *user, struct rn_user_places *places, uint64_t address,
			   uint64_t entry, uint64_t cookie);

/* ---- user_files.c ---- */

bool rn_user_same_file(const struct rn_user_id *a, const struct rn_user_id *b);
/* False: it is no regular file. */
bool rn_user_identify(int fd, struct rn_user_id *id);

/* Calls found for each file that WHERE names, which takes the descriptor; with -1 for one that
 * could not be looked at, or for which there was no room. Returns how many, or negative errno with
 * err: -ENOENT, and -ENOTUNIQ if both a library and a program have the name. */
typedef void rn_user_take(void *self, int fd, const char *path);
int rn_user_files(const char *where, rn_user_take *found, void *self, struct rn_err *err);
/* Returns how many files the argument of the query means by now that it did not mean when its
 * functions were found: other versions, libraries of containers that began since. They have no
 * probes. */
unsigned rn_user_late(const struct rn_user *user, const char *arg);
/* Calls found for each name that a process has mapped a library by (libc), and for each name of a
 * process with a program; a name may come often. */
typedef void rn_user_name(void *self, const char *name);
void rn_user_names(rn_user_name *found, void *self);
#endif
