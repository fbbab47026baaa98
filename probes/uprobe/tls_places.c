/* tls_places.c - looks for TLS libraries in the usual places of a mount namespace. A user may have
 * filled them to make that long: see tls_impl.h. */
#include <dirent.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>
#include "lang/values/glob.h"
#include "probes/process/found.h"
#include "probes/uprobe/tls_impl.h"

/* Below the root of each mount namespace. */
static const char *const places[] = {
	"lib*/libssl*.so*",       "lib/*/libssl*.so*",          "usr/lib*/libssl*.so*",
	"usr/lib/*/libssl*.so*",  "usr/local/lib*/libssl*.so*", "usr/local/*/lib*/libssl*.so*",
	"opt/*/lib*/libssl*.so*",
};
enum { OPENING = 4 }; /* steps that count for opening a directory */

struct walk {
	int flags; /* additional flags of open */
	uint64_t *steps;
	bool enough;  /* false: there was more than may be read */
	bool refused; /* some place is in a file system that may never answer */
	struct rn_found_kind kind;
	void (*found)(void *self, int fd);
	void *self;
};

static bool may(struct walk *w, uint64_t steps)
{
	w->enough &= *w->steps >= steps;
	if (w->enough)
		*w->steps -= steps;
	return w->enough;
}

/* Opened as a path, which asks no server: may it be touched? If not, it is closed. */
static int allowed(struct walk *w, int at)
{
	if (at < 0 || !rn_found_look(at, 0, &w->kind))
		return at;
	w->refused = true;
	close(at);
	return -1;
}

static int enter(struct walk *w, int dir, const char *name)
{
	int at = may(w, OPENING) ? allowed(w, openat(dir, name,
						     O_PATH | O_DIRECTORY | O_CLOEXEC | w->flags))
				 : -1,
	    fd;

	if (at < 0)
		return -1;
	fd = openat(at, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NONBLOCK);
	close(at);
	return fd;
}

static bool may_be_directory(const struct dirent *e)
{
	return e->d_type == DT_DIR || e->d_type == DT_LNK || e->d_type == DT_UNKNOWN;
}

static void match(struct walk *w, int dir, const char *pattern);

static void take_file(struct walk *w, int dir, const char *name)
{
	/* a path only: opening a device might do something */
	int fd = allowed(w, openat(dir, name, O_PATH | O_CLOEXEC | w->flags));

	if (fd >= 0)
		w->found(w->self, fd);
}

/* Match the entries of a directory with the first component, and each with the rest of the
 * pattern. */
static void match_entries(struct walk *w, int dir, const char *component, const char *rest)
{
	DIR *d = fdopendir(dir);
	struct dirent *e;

	if (!d) {
		close(dir);
		return;
	}
	while ((e = readdir(d)) && may(w, 1)) {
		if (e->d_name[0] == '.' || !rn_glob_str(component, e->d_name))
			continue;
		if (!rest)
			take_file(w, dirfd(d), e->d_name);
		else if (may_be_directory(e))
			match(w, enter(w, dirfd(d), e->d_name), rest);
	}
	closedir(d);
}

/* Takes the descriptor of the directory. */
static void match(struct walk *w, int dir, const char *pattern)
{
	const char *slash = strchr(pattern, '/');
	size_t n = slash ? (size_t)(slash - pattern) : strlen(pattern);
	char component[32];

	if (dir < 0)
		return;
	memcpy(component, pattern, n);
	component[n] = 0;
	if (!slash || strchr(component, '*')) {
		match_entries(w, dir, component, slash ? slash + 1 : NULL);
		return;
	}
	match(w, enter(w, dir, component), slash + 1);
	close(dir);
}

bool rn_tls_walk(int root, bool follow, uint64_t *steps, void (*found)(void *self, int fd),
		 void *self)
{
	struct walk w = {.flags = follow ? 0 : O_NOFOLLOW,
			 .steps = steps,
			 .enough = true,
			 .found = found,
			 .self = self};

	for (unsigned i = 0; root >= 0 && w.enough && i < sizeof(places) / sizeof(*places); i++)
		match(&w, enter(&w, root, "."), places[i]);
	if (root >= 0)
		close(root);
	return w.enough && !w.refused;
}
