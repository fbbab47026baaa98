/* ways.c - the table of ways, and the command line.
 *
 *     ways list                                   the ways, and the event that carries the tag of
 *                                                 each
 *     ways WAY --tag T --size N --at POS [--chunk N] [--count N]
 *                                                 one way; prints a line of JSON; 77: this kernel
 *                                                 or machine does not do it
 *     ways plan matrix|quick|small|straddle [TAGS]
 *                                                 a table of cells, at most TAGS tags a batch
 *                                                 (ways_plan.c)
 *     ways run PLAN BATCH OUT DIR                 the cells of a batch, files in DIR; a line for
 *                                                 each in OUT
 *     ways load ...                               traffic for the soak test (ways_load.c) */
#include <sys/mman.h>
#include <sys/prctl.h>
#include "ways.h"

static const struct way table[] = {
	{"read", "read", FILE_END, MEM, mv_read},
	{"readv", "readv", FILE_END, MEM, mv_readv, .iovs = 8},
	{"pread64", "pread64", FILE_END, MEM, mv_pread},
	{"preadv", "preadv", FILE_END, MEM, mv_preadv, .iovs = 8},
	{"preadv2", "preadv2", FILE_END, MEM, mv_preadv2, .iovs = 8},
	{"readv-iov1024", "readv", FILE_END, MEM, mv_readv, .iovs = 1024},
	{"preadv-iov1024", "preadv", FILE_END, MEM, mv_preadv, .iovs = 1024},
	{"write", "write", MEM, FILE_END, mv_write},
	{"writev", "writev", MEM, FILE_END, mv_writev, .iovs = 8},
	{"pwrite64", "pwrite64", MEM, FILE_END, mv_pwrite},
	{"pwritev", "pwritev", MEM, FILE_END, mv_pwritev, .iovs = 8},
	{"pwritev2", "pwritev2", MEM, FILE_END, mv_pwritev2, .iovs = 8},
	{"writev-iov1024", "writev", MEM, FILE_END, mv_writev, .iovs = 1024},
	{"pwritev-iov1024", "pwritev", MEM, FILE_END, mv_pwritev, .iovs = 1024},
	{"direct_read", "pread64", FILE_END, MEM, mv_pread, ALIGNED},
	{"direct_write", "pwrite64", MEM, FILE_END, mv_pwrite, ALIGNED},
	{"pipe_read", "read", PIPE, MEM, mv_read},
	{"pipe_write", "write", MEM, PIPE, mv_write},
	{"pipe_readv", "readv", PIPE, MEM, mv_readv, .iovs = 8},
	{"pipe_writev", "writev", MEM, PIPE, mv_writev, .iovs = 8},
	{"send", "sendto", MEM, TCP4, mv_send},
	{"sendto", "sendto", MEM, UDP4, mv_sendto},
	{"sendmsg", "sendmsg", MEM, TCP4, mv_sendmsg, .iovs = 8},
	{"sendmmsg", "sendmmsg", MEM, TCP4, mv_sendmmsg, MANY},
	{"sendmsg-iov1024", "sendmsg", MEM, TCP4, mv_sendmsg, .iovs = 1024},
	{"recv", "recvfrom", TCP4, MEM, mv_recv},
	{"recvfrom", "recvfrom", UDP4, MEM, mv_recvfrom},
	{"recvmsg", "recvmsg", TCP4, MEM, mv_recvmsg, .iovs = 8},
	{"recvmmsg", "recvmmsg", TCP4, MEM, mv_recvmmsg, MANY},
	{"recvmsg-iov1024", "recvmsg", TCP4, MEM, mv_recvmsg, .iovs = 1024},
	{"tcp4_write", "write", MEM, TCP4, mv_write},
	{"tcp4_read", "read", TCP4, MEM, mv_read, NOPLACE},
	{"tcp6_send", "sendto", MEM, TCP6, mv_send},
	{"tcp6_recv", "recvfrom", TCP6, MEM, mv_recv},
	{"tcp46_send", "sendto", MEM, TCP46, mv_send},
	{"tcp46_recv", "recvfrom", TCP46, MEM, mv_recv},
	{"udp4_sendmmsg", "sendmmsg", MEM, UDP4, mv_sendmmsg, MANY},
	{"udp4_recvmmsg", "recvmmsg", UDP4, MEM, mv_recvmmsg, MANY},
	{"udp6_sendto", "sendto", MEM, UDP6, mv_sendto},
	{"udp6_recvfrom", "recvfrom", UDP6, MEM, mv_recvfrom},
	{"unix_send", "sendto", MEM, UNIX, mv_send},
	{"unix_recv", "recvfrom", UNIX, MEM, mv_recv},
	{"unix_sendmsg", "sendmsg", MEM, UNIX, mv_sendmsg},
	{"unix_recvmsg", "recvmsg", UNIX, MEM, mv_recvmsg},
	{"unix_rights_send", "sendmsg", MEM, UNIX, mv_send_rights, .iovs = 2},
	{"unix_rights_recv", "recvmsg", UNIX, MEM, mv_recv_rights, .iovs = 2},
	{"unix_dgram_send", "sendto", MEM, UNIX_DGRAM, mv_send},
	{"unix_dgram_recv", "recvfrom", UNIX_DGRAM, MEM, mv_recv},
	{"unix_dgram_rights", "sendmsg", MEM, UNIX_DGRAM, mv_send_rights, .iovs = 2},
	{"sendfile", "sendfile", FILE_END, TCP4, mv_sendfile},
	{"sendfile_pipe", "sendfile", FILE_END, PIPE, mv_sendfile},
	{"splice_file_pipe", "splice", FILE_END, PIPE, mv_splice},
	{"splice_off_pipe", "splice", FILE_END, PIPE, mv_splice_off},
	{"splice_pipe_file", "splice", PIPE, FILE_END, mv_splice},
	{"splice_pipe_socket", "splice", PIPE, TCP4, mv_splice},
	{"splice_socket_pipe", "splice", TCP4, PIPE, mv_splice, NOPLACE},
	{"tee", "tee", .run = run_tee},
	{"vmsplice_out", "vmsplice", MEM, PIPE, mv_vmsplice, .iovs = 8},
	{"vmsplice_in", "vmsplice", PIPE, MEM, mv_vmsplice, .iovs = 8},
	{"copy_file_range", "copy_file_range", FILE_END, FILE_END, mv_copy_range},
	{"clone_whole", "FICLONE", .flags = ALONE, .run = run_clone},
	{"clone_range", "FICLONERANGE", .flags = PAGED, .run = run_clone, .aux = 1},
	{"clone_dedupe", "FIDEDUPERANGE", .flags = PAGED, .run = run_clone, .aux = 2},
	{"clone_copy", "copy_file_range", .flags = PAGED, .run = run_clone, .aux = 3},
	{"file_copy_up", "-", .none = "overlayfs: `uncovered`, each file that is copied up"},
	{"file_loop", "-",
	 .none = "`uncovered`, once for each loop device that a process reads, or writes to past "
		 "the page cache"},
	{"file_nfsd", "-",
	 .none = "`uncovered`, once for each thread of nfsd that reads or writes files"},
	{"socket_nbd", "-", .none = "`uncovered`, once for each device, as a loop device"},
	{"mmap_read", "mmap_read", .flags = PAGED | NOPLACE, .run = run_mmap_read},
	{"mmap_write", "mmap_write", .flags = PAGED | NOPLACE, .run = run_mmap_write},
	{"uring_read", "io_uring_read", FILE_END, MEM, mv_uring, .aux = U_READ},
	{"uring_write", "io_uring_write", MEM, FILE_END, mv_uring, .aux = U_WRITE},
	{"uring_readv", "io_uring_read", FILE_END, MEM, mv_uring, .aux = U_READV, .iovs = 8},
	{"uring_writev", "io_uring_write", MEM, FILE_END, mv_uring, .aux = U_WRITEV, .iovs = 8},
	{"uring_read_fixed", "io_uring_read", FILE_END, MEM, mv_uring, .aux = U_READ_FIXED},
	{"uring_write_fixed", "io_uring_write", MEM, FILE_END, mv_uring, .aux = U_WRITE_FIXED},
	{"uring_recv", "io_uring_recv", TCP4, MEM, mv_uring, .aux = U_RECV},
	{"uring_send", "io_uring_send", MEM, TCP4, mv_uring, .aux = U_SEND},
	{"uring_recvmsg", "io_uring_recv", TCP4, MEM, mv_uring, .aux = U_RECVMSG, .iovs = 8},
	{"uring_sendmsg", "io_uring_send", MEM, TCP4, mv_uring, .aux = U_SENDMSG, .iovs = 8},
	{"uring_sqpoll_read", "io_uring_read", FILE_END, MEM, mv_uring, .aux = U_READ | U_SQPOLL},
	{"uring_sqpoll_write", "io_uring_write", MEM, FILE_END, mv_uring,
	 .aux = U_WRITE | U_SQPOLL},
	{"uring_async_read", "io_uring_read", FILE_END, MEM, mv_uring, .aux = U_READ | U_ASYNC},
	{"uring_async_write", "io_uring_write", MEM, FILE_END, mv_uring, .aux = U_WRITE | U_ASYNC},
	{"uring_pipe_read", "io_uring_read", PIPE, MEM, mv_uring, .aux = U_READ},
	{"uring_pipe_write", "io_uring_write", MEM, PIPE, mv_uring, .aux = U_WRITE},
	{"aio_read", "io_getevents", FILE_END, MEM, mv_aio},
	{"aio_write", "io_submit", MEM, FILE_END, mv_aio},
	{"aio_readv", "io_getevents", FILE_END, MEM, mv_aio, .iovs = 8},
	{"aio_direct_read", "io_getevents", FILE_END, MEM, mv_aio, ALIGNED},
	{"aio_direct_write", "io_submit", MEM, FILE_END, mv_aio, ALIGNED},
	{"process_vm_readv", "process_vm_readv", .flags = ALONE, .run = run_vm, .iovs = 8},
	{"process_vm_writev", "process_vm_writev", .flags = ALONE, .run = run_vm, .iovs = 8,
	 .aux = 1},
	{"process_vm_file_read", "pread64", .run = run_vm, .aux = 2},
	{"process_vm_file_write", "pwrite64", .run = run_vm, .aux = 3},
	{"process_vm_ptrace", "-", .none = "`uncovered`, once for each traced process"},
	{"tcp4_zerocopy", "getsockopt", .flags = NOPLACE, .run = run_zerocopy},
	{"socket_ring", "-", .none = "`uncovered`, once for each ring"},
	{"fuse_read", "read", .run = run_fuse},
	{"fuse_write", "writev", .run = run_fuse, .aux = 1},
	{"fuse_readv", "readv", .run = run_fuse, .aux = 2},
	{"fuse_write_one", "write", .run = run_fuse, .aux = 3},
	{"fuse_splice", "splice", .run = run_fuse, .aux = 4, .most = MAX_SIZE / 2},
	{"tls_read", "tls_read", .flags = NOPLACE, .run = run_tls},
	{"tls_write", "tls_write", .flags = NOPLACE, .run = run_tls, .aux = 1},
	{"tls_read_ex", "tls_read", .flags = NOPLACE, .run = run_tls, .aux = 2},
	{"tls_write_ex", "tls_write", .flags = NOPLACE, .run = run_tls, .aux = 3},
	/* what must and must not be found over several calls: ways_straddle.c */
	{"seek", "read", .flags = CASE, .run = run_case, .expect = "00", .aux = 0},
	{"dup", "read", .flags = CASE, .run = run_case, .expect = "1", .aux = 1},
	{"inherited", "read", .flags = CASE, .run = run_case, .expect = "1", .aux = 2},
	{"reused", "read", .flags = CASE, .run = run_case, .expect = "000", .aux = 3},
	{"threads", "pread64", .flags = CASE, .run = run_case, .expect = "110", .aux = 4},
	{"two_sockets", "sendto", .flags = CASE, .run = run_case, .expect = "110", .aux = 5},
	{"directions", "read", .flags = CASE, .run = run_case, .expect = "00", .aux = 6},
	{"between", "read", .flags = CASE, .run = run_case, .expect = "11", .aux = 7},
	{"peek", "recvfrom", .flags = CASE, .run = run_case, .expect = "1", .aux = 8},
	{"append", "write", .flags = CASE, .run = run_case, .expect = "1", .aux = 9},
	{"datagrams", "sendto", .flags = CASE, .run = run_case, .expect = "0", .aux = 10},
	{"fuse_requests", "read", .flags = CASE, .run = run_fuse, .expect = "100"},
	{"fuse_replies", "writev", .flags = CASE, .run = run_fuse, .expect = "100", .aux = 1},
	{"fuse_again", "read", .flags = CASE, .run = run_fuse_again, .expect = "0"},
};

const struct way *way_all(unsigned i)
{
	return i < sizeof(table) / sizeof(*table) ? &table[i] : NULL;
}

const struct way *way_find(const char *name)
{
	for (unsigned i = 0; way_all(i); i++)
		if (!strcmp(table[i].name, name))
			return &table[i];
	fprintf(stderr, "ways: there is no way %s; see `ways list`\n", name);
	exit(2);
}

size_t call_bytes(const struct way *w, const struct cell *c, size_t off)
{
	size_t end = c->size, most = (size_t)DGRAM_BYTES * (w->flags & MANY ? 3 : 1);

	for (unsigned i = 0; i < c->ncuts; i++)
		if (c->cut[i] > off && c->cut[i] < end)
			end = c->cut[i];
	if (w->most && end - off > w->most)
		end = off + w->most;
	if ((is_dgram(w->in) || is_dgram(w->out)) && end - off > most)
		end = off + most;
	return end - off;
}

int move_all(struct job *j)
{
	for (size_t off = 0; off < j->size;) {
		for (size_t end = off + call_bytes(j->w, j->c, off); off < end;) {
			ssize_t n = j->w->move(j, off, end - off);

			if (n <= 0)
				return -1;
			j->calls++;
			off += (size_t)n;
		}
	}
	return 0;
}

/* Does one cell with j->data filled. "ok", "refused" (this machine does not do it), or "failed". */
static const char *do_cell(struct job *j, const struct cell *c)
{
	int bad;

	j->c = c;
	j->w = c->way;
	j->size = c->size;
	j->calls = 0;
	j->why = NULL;
	j->to_len = 0;
	errno = 0;
	snprintf(j->path_in, sizeof(j->path_in), "%s/in.%d", j->dir, c->id);
	snprintf(j->path_out, sizeof(j->path_out), "%s/out.%d", j->dir, c->id);
	alarm(120);
	bad = j->w->run ? j->w->run(j) : ways_ends(j);
	alarm(0);
	if (!bad)
		j->why = "";
	else if (!j->why)
		j->why = strerror(errno);
	if (!(j->w->flags & CASE)) {
		unlink(j->path_in);
		unlink(j->path_out);
	}
	if (!bad)
		return "ok";
	return errno == ENOSYS || errno == EOPNOTSUPP || errno == EINVAL || errno == EPERM ||
			       errno == EACCES || errno == ENOENT || errno == EAFNOSUPPORT ||
			       errno == EADDRNOTAVAIL
		       ? "refused"
		       : "failed";
}

static struct job make_job(const char *dir)
{
	struct job j = {.dir = dir};

	j.data = mmap(NULL, MAX_SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	j.buf = mmap(NULL, MAX_SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	memset(j.buf, 0, MAX_SIZE);
	return j;
}

static int run_main(char **argv) /* PLAN BATCH OUT DIR */
{
	struct cell *cells;
	unsigned n = plan_read(argv[0], atoi(argv[1]), &cells);
	struct job j = make_job(argv[3]);
	unsigned char *keep = malloc(MAX_SIZE);
	FILE *out = fopen(argv[2], "w");

	if (!out)
		return perror(argv[2]), 2;
	noise_fill(j.data, MAX_SIZE, cells, n);
	memcpy(keep, j.data, MAX_SIZE);
	prctl(PR_SET_NAME, "ways");
	for (unsigned i = 0; i < n; i++) {
		const struct cell *c = &cells[i];
		const char *status;

		if (!(c->way->flags & CASE) && strcmp(c->pos, "control"))
			noise_plant(j.data, c->size, c->at, c->tag[0], c->len);
		status = do_cell(&j, c);
		fprintf(out, "%d\t%s\t%ld\t%zu\t%s\n", c->id, status, j.calls, j.size,
			*j.why ? j.why : "-");
		fflush(out);
		memcpy(j.data, keep, MAX_SIZE);
		memset(j.buf, 0, MAX_SIZE);
	}
	return fclose(out) ? 1 : 0;
}

/* WAY --tag T --size N --at POS [--chunk N] [--count N] */
static int one_main(int argc, char **argv)
{
	struct cell c = {.way = way_find(argv[1]), .size = 4096, .nroles = 1};
	size_t chunk = 0;
	long count = 1, calls = 0;
	struct job j = make_job(getenv("TMPDIR") ? getenv("TMPDIR") : "/tmp");
	const char *status = "ok";

	for (int i = 2; i + 1 < argc; i += 2) {
		if (!strcmp(argv[i], "--tag"))
			c.len = (unsigned)snprintf((char *)c.tag[0], sizeof(c.tag[0]), "%s",
						   argv[i + 1]);
		else if (!strcmp(argv[i], "--size"))
			c.size = strtoul(argv[i + 1], NULL, 10);
		else if (!strcmp(argv[i], "--at"))
			c.at = strtoul(argv[i + 1], NULL, 10);
		else if (!strcmp(argv[i], "--chunk"))
			chunk = strtoul(argv[i + 1], NULL, 10);
		else if (!strcmp(argv[i], "--count"))
			count = atol(argv[i + 1]);
		else
			return 2;
	}
	if (c.size > MAX_SIZE || c.len > MAX_TAG || c.at + c.len > c.size || c.way->flags & CASE ||
	    (chunk && c.size / chunk > MAX_CUTS))
		return fprintf(stderr, "ways: the tag does not fit, or there are too many calls\n"),
		       2;
	for (size_t at = chunk; chunk && at < c.size; at += chunk)
		c.cut[c.ncuts++] = at;
	c.id = getpid();
	noise_fill(j.data, c.size, NULL, 0);
	noise_plant(j.data, c.size, c.at, c.tag[0], c.len);
	prctl(PR_SET_NAME, "ways");
	for (long i = 0; i < count && !strcmp(status, "ok"); i++) {
		status = do_cell(&j, &c);
		calls += j.calls;
	}
	printf("{\"way\": \"%s\", \"op\": \"%s\", \"status\": \"%s\", \"calls\": %ld, \"bytes\": "
	       "%zu, \"why\": \"%s\"}\n",
	       c.way->name, c.way->op, status, calls, c.size * (size_t)count, j.why);
	return !strcmp(status, "ok") ? 0 : !strcmp(status, "refused") ? 77 : 1;
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "";

	prctl(PR_SET_NAME, "prepare");
	if (!strcmp(what, "list")) {
		for (unsigned i = 0; way_all(i); i++)
			printf("%s\t%s\n", table[i].name, table[i].op);
		return 0;
	}
	if (!strcmp(what, "plan") && argc > 2)
		return plan_print(stdout, argv[2], argc > 3 ? (unsigned)atoi(argv[3]) : 64), 0;
	if (!strcmp(what, "run") && argc == 6)
		return run_main(argv + 2);
	if (!strcmp(what, "load"))
		return load_main(argc - 2, argv + 2);
	if (argc < 2 || what[0] == '-')
		return fprintf(stderr, "usage: ways list | WAY --tag T --size N --at POS | plan "
				       "SET [TAGS] | run PLAN BATCH OUT DIR | load ...\n"),
		       2;
	return one_main(argc, argv);
}
