/* tracer.h - a program that traces, as its benchmark sees it from outside: what it says, where its
 * programs hang, what they put into its ring buffer, and what it takes of a CPU. The kernel shows
 * all of that (/proc/PID/fdinfo, and the ring buffer by its number), so it works with any version
 * of ours. Every function ends the benchmark if something that it needs is not there. */
#ifndef RN_TESTS_BENCH_TRACER_H
#define RN_TESTS_BENCH_TRACER_H
#include <bpf/bpf.h>
#include <dirent.h>
#include <fcntl.h>
#include <linux/bpf.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

static void fail(const char *what, const char *why)
{
	fprintf(stderr, "bench: %s: %s\n", what, why);
	exit(1);
}
static size_t tracer_page(void)
{
	return (size_t)sysconf(_SC_PAGESIZE);
}

enum { MAX_HOOKS = 64 };
struct hook { /* name: a raw tracepoint; else a function, by its type in the kernel */
	char name[64];
	int attach_type;
	unsigned btf_id;
};
struct tracer {
	pid_t pid;
	int err; /* its stderr */
	char *said;
	size_t nsaid;
	/* its ring buffer: pages with what was taken out and what was put in, then the data */
	unsigned char *ring;
	uint64_t record; /* bytes of a record there, 0: none has come */
};

/* Runs argv and reads what it says until `ready` is said. False: it has ended before. */
static bool start(struct tracer *t, const char *const *argv, const char *ready)
{
	int p[2];
	FILE *said;
	char c;

	*t = (struct tracer){0};
	if (pipe2(p, O_CLOEXEC))
		fail("pipe", "cannot be made");
	t->pid = fork();
	if (!t->pid) {
		dup2(p[1], 2);
		dup2(strcmp(argv[0], "unshare") ? open("/dev/null", O_WRONLY) : p[1], 1);
		execvp(argv[0], (char *const *)argv);
		_exit(127);
	}
	close(p[1]);
	t->err = p[0];
	said = open_memstream(&t->said, &t->nsaid);
	if (!said)
		abort();
	while (read(t->err, &c, 1) == 1) {
		putc(c, said);
		fflush(said);
		if (c == '\n' && strstr(t->said, ready))
			break;
	}
	fclose(said);
	return strstr(t->said, ready);
}
/* Ends it, and adds what it says until then; it is read before forget(). */
static void stop(struct tracer *t, int sig)
{
	char text[4096];
	ssize_t n;

	kill(t->pid, sig);
	while ((n = read(t->err, text, sizeof(text))) > 0) {
		t->said = realloc(t->said, t->nsaid + (size_t)n + 1);
		if (!t->said)
			abort();
		memcpy(t->said + t->nsaid, text, (size_t)n);
		t->said[t->nsaid += (size_t)n] = 0;
	}
	waitpid(t->pid, NULL, 0);
	close(t->err);
}
static void forget(struct tracer *t)
{
	if (t->ring)
		munmap(t->ring, 3 * tracer_page());
	free(t->said);
}
/* The next descriptor of a BPF object of the process, as fdinfo shows it. */
static bool next_info(DIR *d, pid_t pid, char text[2048])
{
	struct dirent *e;
	char path[320];

	while ((e = readdir(d))) {
		FILE *f;
		size_t n;

		snprintf(path, sizeof(path), "/proc/%d/fdinfo/%s", pid, e->d_name);
		f = fopen(path, "r");
		if (!f)
			continue;
		n = fread(text, 1, 2047, f);
		text[n] = 0;
		fclose(f);
		if (strstr(text, "map_type:") || strstr(text, "link_type:"))
			return true;
	}
	return false;
}
static DIR *infos(pid_t pid)
{
	char path[64];
	DIR *d;

	snprintf(path, sizeof(path), "/proc/%d/fdinfo", pid);
	d = opendir(path);
	if (!d)
		fail(path, "cannot be read");
	return d;
}
static bool item(const char *text, const char *key, const char *form, void *to)
{
	const char *at = strstr(text, key);

	return at && sscanf(at + strlen(key), form, to) == 1;
}

/* The hooks of a running query. */
static unsigned hooks_of(pid_t pid, struct hook *hooks)
{
	DIR *d = infos(pid);
	char text[2048];
	unsigned n = 0;

	while (n < MAX_HOOKS && next_info(d, pid, text)) {
		struct hook h = {0};

		if (item(text, "tp_name:", " %63s", h.name) ||
		    (item(text, "attach_type:", " %d", &h.attach_type) &&
		     item(text, "target_btf_id:", " %u", &h.btf_id)))
			hooks[n++] = h;
	}
	closedir(d);
	return n;
}
static int attach_empty(const struct hook *h)
{
	const struct bpf_insn code[] = {
		{.code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = 0},
		{.code = BPF_JMP | BPF_EXIT},
	};
	LIBBPF_OPTS(bpf_prog_load_opts, o, .expected_attach_type = h->attach_type,
		    .attach_btf_id = h->btf_id);
	int fd = bpf_prog_load(*h->name ? BPF_PROG_TYPE_RAW_TRACEPOINT : BPF_PROG_TYPE_TRACING,
			       "empty", "GPL", code, 2, *h->name ? NULL : &o);
	int link = bpf_raw_tracepoint_open(*h->name ? h->name : NULL, fd);

	close(fd);
	return link;
}

/* The ring buffer of a running query, as its reader maps it. */
static void find_ring(struct tracer *t)
{
	DIR *d = infos(t->pid);
	char text[2048];
	int type;
	unsigned id;

	while (!t->ring && next_info(d, t->pid, text)) {
		int fd;
		void *p;

		if (!item(text, "map_type:", " %d", &type) || type != BPF_MAP_TYPE_RINGBUF ||
		    !item(text, "map_id:", " %u", &id) || (fd = bpf_map_get_fd_by_id(id)) < 0)
			continue;
		p = mmap(NULL, 3 * tracer_page(), PROT_READ, MAP_SHARED, fd, 0);
		close(fd);
		if (p == MAP_FAILED)
			fail("ring buffer", "cannot be mapped");
		t->ring = p;
	}
	closedir(d);
}
static uint64_t taken(const struct tracer *t)
{
	return t->ring ? __atomic_load_n((uint64_t *)t->ring, __ATOMIC_ACQUIRE) : 0;
}
static uint64_t put(const struct tracer *t)
{
	return t->ring ? __atomic_load_n((uint64_t *)(t->ring + tracer_page()), __ATOMIC_ACQUIRE)
		       : 0;
}
/* Records so far. All of a query have one length; that of the first shows it. */
static uint64_t records(struct tracer *t)
{
	uint64_t bytes = put(t);
	uint32_t len;

	if (bytes && !t->record) {
		len = *(volatile uint32_t *)(t->ring + 2 * tracer_page()) &
		      ~(BPF_RINGBUF_BUSY_BIT | BPF_RINGBUF_DISCARD_BIT);
		t->record = (len + BPF_RINGBUF_HDR_SZ + 7) / 8 * 8;
	}
	return bytes ? bytes / t->record : 0;
}
/* CPU time of its threads, ns. */
static double own_cpu(pid_t pid)
{
	char path[320];
	double sum = 0, ns;
	struct dirent *e;
	DIR *d;

	snprintf(path, sizeof(path), "/proc/%d/task", pid);
	d = opendir(path);
	while (d && (e = readdir(d))) {
		FILE *f;

		snprintf(path, sizeof(path), "/proc/%d/task/%s/schedstat", pid, e->d_name);
		f = *e->d_name == '.' ? NULL : fopen(path, "r");
		if (f && fscanf(f, "%lf", &ns) == 1)
			sum += ns;
		if (f)
			fclose(f);
	}
	if (d)
		closedir(d);
	return sum;
}
#endif
