/* tls.c - finds the TLS libraries: see tls.h. Nothing here trusts a file: it may lie in a container that somebody else owns. */
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "probes/tls.h"
#include "probes/x86.h"

static const char *const functions[RN_TLS_FUNCS] = {"SSL_read", "SSL_read_ex", "SSL_write", "SSL_write_ex", "SSL_free",
							 "SSL_clear"};
/* Where libraries are; each mount namespace has its own. */
static const char *const places[] = {
	"/lib*/libssl*.so*", "/lib/*/libssl*.so*", "/usr/lib*/libssl*.so*", "/usr/lib/*/libssl*.so*", "/usr/local/lib*/libssl*.so*",
	"/usr/local/*/lib*/libssl*.so*", "/opt/*/lib*/libssl*.so*",
};

static uint64_t cookie(unsigned function, int32_t to_frame)
{
	return function | (uint64_t)(uint32_t)to_frame << 32;
}

/* Where to probe function f: at the cheap points if it has them. */
static void place(struct rn_tls_lib *l, unsigned i, const struct rn_elf_function *f)
{
	enum { AT_RETURN = -8 }; /* the return address is gone by then */
	uint8_t code[RN_X86_BYTES];
	struct rn_x86_points p;

	if (!f->off)
		return;
	if (i == RN_TLS_FREE || i == RN_TLS_CLEAR) {
		l->entry[l->nentry++] = (struct rn_probe_at){f->off, cookie(i, 0)};
		return;
	}
	if (f->bytes && f->bytes <= sizeof(code) && l->nleave + RN_X86_RETURNS <= RN_UPROBES_MAX &&
	    pread(l->fd, code, f->bytes, (off_t)f->off) == (ssize_t)f->bytes && rn_x86_points(code, (unsigned)f->bytes, &p)) {
		l->entry[l->nentry++] = (struct rn_probe_at){f->off + p.entry.off, cookie(i, p.entry.to_frame)};
		for (unsigned k = 0; k < p.nleave; k++)
			l->leave[l->nleave++] = (struct rn_probe_at){f->off + p.leave[k].off, cookie(i, p.leave[k].to_frame)};
		return;
	}
	l->entry[l->nentry++] = (struct rn_probe_at){f->off, cookie(i, 0)};
	l->ret[l->nret++] = (struct rn_probe_at){f->off, cookie(i, AT_RETURN)};
}

static bool known(const struct rn_tls_libs *l, const struct stat *st)
{
	for (unsigned i = 0; i < l->n; i++)
		if (l->v[i].dev == st->st_dev && l->v[i].ino == st->st_ino)
			return true;
	return false;
}

/* Adds the file if it is a library of that kind, and new. A path is first only looked at: opening a device might do something. */
static void add(struct rn_tls_libs *l, const char *path)
{
	struct rn_elf_function f[RN_TLS_FUNCS];
	struct rn_tls_lib x = {.fd = -1}, *v;
	int fd = open(path, O_PATH | O_CLOEXEC);
	char self[40];
	struct stat st;

	if (fd < 0)
		return;
	if (!fstat(fd, &st) && S_ISREG(st.st_mode) && !known(l, &st) && l->n < RN_TLS_MAX) {
		snprintf(self, sizeof(self), "/proc/self/fd/%d", fd);
		x.fd = open(self, O_RDONLY | O_CLOEXEC);
		x.dev = st.st_dev;
		x.ino = st.st_ino;
	}
	close(fd);
	if (x.fd < 0)
		return;
	if (l->n == l->cap && (v = realloc(l->v, (l->cap + 8) * sizeof(*v)))) {
		l->v = v;
		l->cap += 8;
	}
	if (l->n < l->cap && rn_elf_functions(x.fd, functions, RN_TLS_FUNCS, f) > 0) {
		for (unsigned i = 0; i < RN_TLS_FUNCS; i++)
			place(&x, i, &f[i]);
		l->v[l->n++] = x;
	} else {
		close(x.fd);
	}
}

/* "libssl.so.3", "libssl-1a2b3c.so.1.1" (as packed into Python wheels). */
static bool named_so(const char *path)
{
	const char *base = strrchr(path, '/');

	return base && !strncmp(base + 1, "libssl", 6) && strstr(base, ".so");
}

/* What a process has mapped: by the mapping itself, which works in other mount namespaces and for deleted files. */
static void add_mapped(struct rn_tls_libs *l, const char *pid)
{
	char path[300], range[64], *line = NULL;
	size_t cap = 0;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%.20s/maps", pid);
	f = fopen(path, "re");
	while (f && getline(&line, &cap, f) > 0) {
		if (!strstr(line, "libssl") || !named_so(line) || sscanf(line, "%63s", range) != 1)
			continue;
		snprintf(path, sizeof(path), "/proc/%.20s/map_files/%s", pid, range);
		add(l, path);
	}
	free(line);
	if (f)
		(void)fclose(f);
}

static void add_places(struct rn_tls_libs *l, const char *pid)
{
	for (unsigned i = 0; i < sizeof(places) / sizeof(*places); i++) {
		char pattern[128];
		glob_t g;

		snprintf(pattern, sizeof(pattern), "/proc/%.20s/root%s", pid, places[i]);
		if (!glob(pattern, GLOB_NOSORT, NULL, &g)) {
			for (size_t k = 0; k < g.gl_pathc; k++)
				add(l, g.gl_pathv[k]);
			globfree(&g);
		}
	}
}

void rn_tls_find(struct rn_tls_libs *l)
{
	enum { SPACES = 256 };
	uint64_t seen[SPACES];
	unsigned nseen = 0;
	DIR *d = opendir("/proc");
	struct dirent *e;

	*l = (struct rn_tls_libs){0};
	add_places(l, "self");
	while (d && (e = readdir(d))) {
		unsigned i = 0;
		char path[64];
		struct stat st;

		if (!isdigit((unsigned char)e->d_name[0]))
			continue;
		add_mapped(l, e->d_name);
		snprintf(path, sizeof(path), "/proc/%.20s/ns/mnt", e->d_name);
		if (stat(path, &st))
			continue;
		while (i < nseen && seen[i] != st.st_ino)
			i++;
		if (i == nseen && nseen < SPACES) {
			seen[nseen++] = st.st_ino;
			add_places(l, e->d_name);
		}
	}
	if (d)
		closedir(d);
}

void rn_tls_free(struct rn_tls_libs *l)
{
	for (unsigned i = 0; i < l->n; i++)
		close(l->v[i].fd);
	free(l->v);
	*l = (struct rn_tls_libs){0};
}
