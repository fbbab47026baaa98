/* test_mapped.c - mappings of a process as regions, the files behind them, and each user's share
 * of what they cost. */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>
#include "lang/base/memory.h"
#include "probes/process/found.h"
#include "probes/process/mapped.h"
#include "probes/process/regions.h"
#include "probes/process/share.h"

static const struct rn_mapping nobody = {.pid = 0, .proc = 77, .uid = 1000};
static const int64_t second = 1000000000;

static bool reads(struct rn_regions *r, const char *text, unsigned lines, struct rn_mapped *files)
{
	FILE *f = fmemopen((void *)text, strlen(text), "r");
	bool any = rn_regions_read(r, f, lines, &nobody, files);

	fclose(f);
	return any;
}

/* "code OFFSET", "none" or "" of what lies at each of these addresses. */
static const char *at(const struct rn_regions *r, uint64_t address)
{
	static char out[32];
	const struct rn_region *x = rn_regions_find(r, address);

	if (!x)
		return "";
	if (!x->code)
		return "none";
	snprintf(out, sizeof(out), "code %llx", (unsigned long long)x->offset);
	return out;
}

static void regions_of_a_process(void **state)
{
	struct rn_mapped *files = rn_mapped_create();
	struct rn_regions r = {0};

	(void)state;

	assert_true(reads(&r,
			  "1000-2000 r-xp 00005000 fe:01 11                         /lib/a.so\n"
			  "2000-3000 r--p 00006000 fe:01 11                         /lib/a.so\n"
			  "3000-5000 rw-p 00000000 00:00 0 \n"
			  "not a line\n"
			  "7000-9000 r-xp 00000000 00:00 0                          [vdso]\n",
			  100, files));
	assert_int_equal(r.n, 3); /* what is no code, and has no gap, is one */
	assert_string_equal(at(&r, 0xfff), "");
	assert_string_equal(at(&r, 0x1000), "code 5000");
	assert_string_equal(at(&r, 0x2000), "none");
	assert_string_equal(at(&r, 0x4fff), "none");
	assert_string_equal(at(&r, 0x5000), "");
	assert_string_equal(at(&r, 0x8fff), "code 0");
	assert_string_equal(at(&r, 0x9000), "");
	/* again: the first is gone and stays, the last lies elsewhere, something new lies in the
	 * middle */
	assert_true(reads(&r,
			  "2800-2900 r-xp 00001000 fe:01 12                         /lib/b.so\n"
			  "8000-a000 r-xp 00000000 00:00 0                          [vdso]\n",
			  100, files));
	assert_string_equal(at(&r, 0x1800), "code 5000");
	assert_string_equal(at(&r, 0x2850), "code 1000");
	assert_string_equal(at(&r, 0x2000), "");
	assert_string_equal(at(&r, 0x7800), "");
	assert_string_equal(at(&r, 0x9fff), "code 0");
	assert_false(reads(&r, "", 100, files)); /* it has ended: what is known stays */
	assert_string_equal(at(&r, 0x1800), "code 5000");
	assert_true(reads(&r, "1000-2000 r-xp 0 0:0 0\n3000-4000 r-xp 0 0:0 0\n", 1, files));
	assert_true(r.cut);
	rn_regions_free(&r);
	rn_mapped_free(files);
}

/* What is mapped and unmapped for ever does not pile up; nor do files that no region has any
 * more. */
static void nothing_piles_up(void **state)
{
	struct rn_mapped *files = rn_mapped_create();
	struct rn_regions r = {0};
	unsigned most = 0, sweeps = 0;

	(void)state;

	for (unsigned i = 0; i < 30000; i++) {
		char text[100];

		snprintf(text, sizeof(text), "%x000-%x000 r-xp 00000000 fe:01 %u /lib/%u\n",
			 2 * i + 1, 2 * i + 2, i + 1, i);
		assert_true(reads(&r, text, 100, files));
		most = r.n > most ? r.n : most;
		if (!rn_mapped_full(files))
			continue;
		for (unsigned k = 0; k < r.n; k++)
			rn_mapped_mark(files, r.list[k].file);
		rn_mapped_sweep(files);
		sweeps++;
	}
	assert_true(most > 4000 && most < 4200);
	assert_true(sweeps > 2);
	rn_regions_free(&r);
	rn_mapped_free(files);
}

__attribute__((noinline, noclone)) int mapped_test_function(int x);
int mapped_test_function(int x)
{
	__asm__ volatile("" : "+r"(x));
	return x * 3;
}

/* This process: its own mappings, files and functions. */
static void names_of_this_process(void **state)
{
	struct rn_mapping who = {.pid = getpid(), .proc = (uint64_t)getpid(), .uid = getuid()};
	uint64_t ip = (uint64_t)(uintptr_t)&mapped_test_function + 1;
	struct rn_mapped *files = rn_mapped_create();
	struct rn_regions r = {0};
	FILE *f = fopen("/proc/self/maps", "re");
	struct rn_region *x;
	char out[64];

	(void)state;

	assert_int_equal(mapped_test_function(2), 6);
	assert_true(rn_regions_read(&r, f, 1000, &who, files));
	fclose(f);
	x = rn_regions_find(&r, ip);
	assert_non_null(x);
	who.start = x->start;
	who.end = x->end;
	who.offset = x->offset;
	who.dev = x->dev;
	who.ino = x->ino;
	assert_true(rn_mapped_name(files, &x->file, &who, ip, out, sizeof(out)));
	assert_string_equal(out, "mapped_test_function");
	assert_false(rn_mapped_name(files, &x->file, &who, ip, out, 8));
	assert_string_equal(out, "mapped_");
	assert_int_equal(rn_mapped_cut(files), 0);
	assert_true(rn_mapped_held(files) > 0);
	rn_regions_free(&r);
	rn_mapped_free(files);
}

/* A process that says that it has another's file mapped, and has not: nobody else's names come
 * from it. */
static void only_what_is_open_is_shared(void **state)
{
	struct rn_mapped *files = rn_mapped_create();
	struct rn_mapping liar = {.pid = 0x7fffffff,
				  .proc = 5,
				  .uid = 1000,
				  .start = 4096,
				  .end = 8192,
				  .dev = 8,
				  .ino = 9,
				  .path = "/lib/x"};
	struct rn_mapping other = liar;
	unsigned first = rn_mapped_file(files, &liar);

	(void)state;

	other.proc = 6;
	assert_int_equal(rn_mapped_file(files, &liar), first);
	assert_int_not_equal(rn_mapped_file(files, &other), first);
	rn_mapped_free(files);
}

static void shares_of_users(void **state)
{
	struct rn_share s = {.most = 100, .per_second = 10};

	(void)state;

	assert_int_equal(rn_share_left(&s, 1000, second), 100);
	rn_share_take(&s, 1000, 100, second);
	assert_int_equal(rn_share_left(&s, 1000, second), 0);
	assert_int_equal(rn_share_left(&s, 0, second), 800);    /* root does not suffer */
	assert_int_equal(rn_share_left(&s, 1001, second), 100); /* nor another user */
	rn_share_take(&s, 1001, 100, second);
	assert_int_equal(rn_share_left(&s, 1002, second), 0); /* all together have two */
	assert_int_equal(rn_share_left(&s, 1000, 2 * second), 10);
	assert_int_equal(rn_share_left(&s, 1000, INT64_MAX), 100);
	rn_share_take(&s, 0, 900, 3 * second);
	assert_true(rn_share_left(&s, 0, 3 * second) < 0);
}

/* If a user hides a process from others, root is shown as its owner; the user pays all the same. */
static void the_user_of_a_process(void **state)
{
	int ends[2], done[2];
	char c;
	pid_t child;

	(void)state;

	assert_int_equal(rn_share_user(getpid()), getuid());
	assert_int_equal(rn_share_user(0x7fffffff), UINT32_MAX);
	if (getuid())
		skip();
	assert_int_equal(pipe(ends), 0);
	assert_int_equal(pipe(done), 0);
	child = fork();
	if (!child) {
		if (setuid(65534) || prctl(PR_SET_DUMPABLE, 0) || write(ends[1], "x", 1) != 1)
			_exit(1);
		close(done[1]);
		_exit(read(done[0], &c, 1) != 0);
	}
	assert_int_equal(read(ends[0], &c, 1), 1);
	assert_int_equal(rn_share_user(child), 65534);
	close(done[1]);
	close(done[0]);
	close(ends[0]);
	close(ends[1]);
}

static void what_is_opened(void **state)
{
	char dir[] = "/tmp/runnel-found-XXXXXX", path[64];
	int fd;

	(void)state;

	assert_non_null(mkdtemp(dir));
	snprintf(path, sizeof(path), "%s/fifo", dir);
	assert_int_equal(mkfifo(path, 0600), 0);
	assert_true(rn_found_open(path, 0) < 0); /* and it does not wait for who writes into it */
	unlink(path);
	snprintf(path, sizeof(path), "%s/file", dir);
	fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	close(fd);
	fd = rn_found_open(path, 0);
	assert_true(fd >= 0);
	close(fd);
	fd = rn_found_path(getpid(), path, 0);
	assert_true(fd >= 0);
	close(fd);
	unlink(path);
	rmdir(dir);
	assert_true(rn_found_open("/dev/null", 0) < 0);
	assert_true(rn_found_open(dir, 0) < 0);
}

/* In an overlay whose layers are of two file systems, a file's device is in no table of mounts. */
static void file_of_an_overlay(void **state)
{
	char dir[] = "/tmp/runnel-found-XXXXXX", path[64], data[256];
	int fd;

	(void)state;
	if (geteuid() || unshare(CLONE_NEWNS) || mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL))
		skip(); /* it needs mounts of its own */
	assert_non_null(mkdtemp(dir));
	assert_int_equal(mount("lower", dir, "tmpfs", 0, NULL), 0);
	snprintf(path, sizeof(path), "%s/file", dir);
	close(open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600));
	snprintf(path, sizeof(path), "%s/above", dir);
	assert_int_equal(mkdir(path, 0700), 0);
	assert_int_equal(mount("upper", path, "tmpfs", 0, NULL), 0);
	snprintf(path, sizeof(path), "%s/above/data", dir);
	assert_int_equal(mkdir(path, 0700), 0);
	snprintf(path, sizeof(path), "%s/above/work", dir);
	assert_int_equal(mkdir(path, 0700), 0);
	snprintf(data, sizeof(data), "lowerdir=%s,upperdir=%s/above/data,workdir=%s/above/work",
		 dir, dir, dir);
	if (!mount("both", "/mnt", "overlay", 0, data)) {
		fd = rn_found_open("/mnt/file", 0);
		assert_true(fd >= 0);
		close(fd);
		assert_int_equal(umount2("/mnt", MNT_DETACH), 0);
	} else {
		print_message("no overlay here: %s\n", strerror(errno));
	}
	snprintf(path, sizeof(path), "%s/above", dir);
	assert_int_equal(umount2(path, MNT_DETACH), 0);
	assert_int_equal(umount2(dir, MNT_DETACH), 0);
	rmdir(dir);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(regions_of_a_process),
		cmocka_unit_test(nothing_piles_up),
		cmocka_unit_test(names_of_this_process),
		cmocka_unit_test(only_what_is_open_is_shared),
		cmocka_unit_test(shares_of_users),
		cmocka_unit_test(the_user_of_a_process),
		cmocka_unit_test(what_is_opened),
		cmocka_unit_test(file_of_an_overlay),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
