/* maps.c - creates the maps of one query: see maps.h. */
#include "probes/kernel/maps.h"
#include <bpf/bpf.h>
#include <bpf/btf.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

const char *rn_map_name(int map)
{
	static const char *const names[RN_MAP_COUNT] = {
		"globals",  "groups0",     "groups1",  "cells0",   "cells1", "pairs",   "noted",
		"start",    "scope",       "members",  "live0",    "live1",  "live2",   "live3",
		"ring",     "scratch",     "names",    "verdicts", "sets",   "stacks0", "stacks1",
		"stacks2",  "stacks3",     "procs",    "places",   "cgroup", "calls",   "tails",
		"returns0", "returns1",    "entries0", "entries1", "chain",  "routes",  "searched",
		"paths",    "paths_beyond"};

	return map >= 0 && map < RN_MAP_COUNT ? names[map] : "?";
}

static size_t page_round(size_t n)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);

	return (n + page - 1) / page * page;
}

/* The kernel wants types for task storage: an int key and a value of the right size. */
static int create_task_storage(const struct rn_map_spec *s)
{
	LIBBPF_OPTS(bpf_map_create_opts, o, .map_flags = BPF_F_NO_PREALLOC);
	struct btf *b = btf__new_empty();
	int fd = -ENOMEM, u64, array, key;

	if (!b)
		return -ENOMEM;
	key = btf__add_int(b, "int", 4, BTF_INT_SIGNED);
	u64 = btf__add_int(b, "u64", 8, 0);
	array = btf__add_array(b, key, u64, s->value_bytes / 8);
	if (key > 0 && u64 > 0 && array > 0 && !btf__load_into_kernel(b)) {
		o.btf_fd = (uint32_t)btf__fd(b);
		o.btf_key_type_id = (uint32_t)key;
		o.btf_value_type_id = (uint32_t)array;
		fd = bpf_map_create((enum bpf_map_type)s->type, "rn_start", s->key_bytes,
				    s->value_bytes, 0, &o);
		if (fd < 0)
			fd = -errno;
	} else {
		fd = -errno;
	}
	btf__free(b);
	return fd;
}

static int create_one(struct rn_maps *maps, int i, struct rn_err *err)
{
	struct rn_map_spec *s = &maps->spec[i];
	LIBBPF_OPTS(bpf_map_create_opts, o, .map_flags = s->flags);
	char name[16] = "rn_";
	int fd;

	strncat(name, rn_map_name(i), sizeof(name) - 4);
	if (s->type == BPF_MAP_TYPE_TASK_STORAGE) {
		fd = create_task_storage(s);
	} else {
		fd = bpf_map_create((enum bpf_map_type)s->type, name, s->key_bytes, s->value_bytes,
				    s->entries, &o);
		/* kernel.perf_event_max_stack may allow fewer frames than we ask for */
		while (fd < 0 && errno == EINVAL && s->type == BPF_MAP_TYPE_STACK_TRACE &&
		       s->value_bytes > 64) {
			s->value_bytes = s->value_bytes / 16 * 8;
			fd = bpf_map_create((enum bpf_map_type)s->type, name, s->key_bytes,
					    s->value_bytes, s->entries, &o);
		}
		if (fd < 0)
			fd = -errno;
	}
	if (fd < 0)
		return rn_err_set(
			err, fd, "cannot create the map %s (%u entries of %u+%u bytes): %s",
			rn_map_name(i), s->entries, s->key_bytes, s->value_bytes, strerror(-fd));
	maps->fd[i] = fd;
	return 0;
}

static void *map_shared(const struct rn_maps *m, int i, struct rn_err *err)
{
	void *p = mmap(NULL, page_round(m->spec[i].value_bytes), PROT_READ | PROT_WRITE, MAP_SHARED,
		       m->fd[i], 0);

	if (p == MAP_FAILED) {
		rn_err_set(err, -errno, "cannot map %s into memory: %s", rn_map_name(i),
			   strerror(errno));
		return NULL;
	}
	return p;
}

/* Make the ring without libbpf, which may have to raise a limit of ours first; then rn_maps_ready
 * makes it. */
static void *make_ring(void *maps)
{
	struct rn_maps *m = maps;
	union bpf_attr attr = {.map_type = BPF_MAP_TYPE_RINGBUF,
			       .max_entries = RN_RING_BYTES,
			       .map_name = "rn_ring"};

	m->ring.fd = (int)syscall(__NR_bpf, BPF_MAP_CREATE, &attr, sizeof(attr));
	return NULL;
}

void rn_maps_begin_ring(struct rn_maps *maps)
{
	sigset_t all, before;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before); /* signals are for the calling thread */
	maps->ring.begun = !pthread_create(&maps->ring.thread, NULL, make_ring, maps);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
}

/* The ring's descriptor, or -1: there is none. */
static int end_ring(struct rn_maps *m)
{
	if (!m->ring.begun)
		return -1;
	m->ring.begun = false;
	pthread_join(m->ring.thread, NULL);
	return m->ring.fd;
}

int rn_maps_ready(struct rn_maps *maps, struct rn_err *err)
{
	struct rn_map_spec *s = &maps->spec[RN_MAP_RING];
	int fd = end_ring(maps), r = 0;

	if (s->used && maps->fd[RN_MAP_RING] < 0 && s->entries == RN_RING_BYTES && fd >= 0) {
		maps->fd[RN_MAP_RING] = fd;
		return 0;
	}
	if (fd >= 0)
		close(fd);
	if (s->used && maps->fd[RN_MAP_RING] < 0)
		r = create_one(maps, RN_MAP_RING, err);
	if (r < 0)
		rn_maps_close(maps);
	return r;
}

int rn_maps_create(struct rn_maps *maps, struct rn_err *err)
{
	for (int i = 0; i < RN_MAP_COUNT; i++)
		if (!(maps->lent >> i & 1))
			maps->fd[i] = -1;
	for (int i = 0; i < RN_MAP_COUNT; i++) {
		bool now = maps->spec[i].used && i < RN_MAP_MADE && !(maps->lent >> i & 1) &&
			   !(i == RN_MAP_RING && maps->ring.begun);
		int r = now ? create_one(maps, i, err) : 0;

		if (r < 0) {
			rn_maps_close(maps);
			return r;
		}
	}
	if (maps->spec[RN_MAP_GLOBALS].used &&
	    !(maps->globals = map_shared(maps, RN_MAP_GLOBALS, err)))
		goto fail;
	if (maps->spec[RN_MAP_SCOPE].used && !(maps->scope = map_shared(maps, RN_MAP_SCOPE, err)))
		goto fail;
	if (maps->spec[RN_MAP_MEMBERS].used &&
	    !(maps->members = map_shared(maps, RN_MAP_MEMBERS, err)))
		goto fail;
	if (maps->fd[RN_MAP_ROUTES] >= 0 && !(maps->lent >> RN_MAP_ROUTES & 1) &&
	    !(maps->routes = map_shared(maps, RN_MAP_ROUTES, err)))
		goto fail;
	return 0;
fail:
	rn_maps_close(maps);
	return err ? err->code : -ENOMEM;
}

void rn_maps_close(struct rn_maps *maps)
{
	int ring = end_ring(maps);

	if (ring >= 0)
		close(ring);
	if (maps->globals)
		munmap(maps->globals, page_round(maps->spec[RN_MAP_GLOBALS].value_bytes));
	if (maps->scope)
		munmap(maps->scope, page_round(maps->spec[RN_MAP_SCOPE].value_bytes));
	if (maps->members)
		munmap(maps->members, page_round(maps->spec[RN_MAP_MEMBERS].value_bytes));
	if (maps->routes)
		munmap(maps->routes, page_round(maps->spec[RN_MAP_ROUTES].value_bytes));
	maps->globals = NULL;
	maps->scope = maps->members = NULL;
	maps->routes = NULL;
	for (int i = 0; i < RN_MAP_COUNT; i++) {
		if (i < RN_MAP_MADE && !(maps->lent >> i & 1) && maps->fd[i] >= 0)
			close(maps->fd[i]);
		maps->fd[i] = -1;
	}
}

int64_t rn_map_memory(int fd)
{
	char path[64], line[128];
	long long bytes = 0;
	FILE *f;

	if (fd < 0)
		return 0;
	snprintf(path, sizeof(path), "/proc/self/fdinfo/%d", fd);
	f = fopen(path, "re");
	while (f && fgets(line, sizeof(line), f))
		// NOLINTNEXTLINE(cert-err34-c): the kernel wrote this number
		if (sscanf(line, "memlock: %lld", &bytes) == 1)
			break;
	if (f)
		(void)fclose(f);
	return bytes;
}
