/* crowd.c - what a user without privileges does to hide the TLS libraries of others among many of
 * his own.
 *   make N DIR CODE    writes N files DIR/1/libssl.so.3 and so on, each with the functions of
 *                      libssl, whose code is CODE (hexadecimal)
 *   map TIMES FILE...  maps each file so many times where it may be executed, hides who it is, and
 *                      waits
 *   lease FILE         the same once, and keeps others from opening it at once
 *   place N FILE       has a mount namespace of its own, where N names in a usual place look like
 *                      libraries; the first 200 are copies of FILE
 * Those that wait say "ready" first. */
#define _GNU_SOURCE
#include <elf.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
	TEXT = 0x1000,
	NAMES = 0x2000,
	SYMBOLS = 0x2100,
	SECTIONS = 0x2200,
	ALL = 0x2400,
	BASE = 0x100000
};

static void need(int ok, const char *what)
{
	if (!ok) {
		perror(what);
		exit(2);
	}
}

static void wait_ready(void)
{
	puts("ready");
	fflush(stdout);
	pause();
}

/* A library with the four functions at one place. */
static void fill(unsigned char *b, const char *code)
{
	static const char *const function[] = {"SSL_read", "SSL_read_ex", "SSL_write",
					       "SSL_write_ex"};
	Elf64_Ehdr *e = (Elf64_Ehdr *)b;
	Elf64_Phdr *p = (Elf64_Phdr *)(b + sizeof(*e));
	Elf64_Sym *s = (Elf64_Sym *)(b + SYMBOLS);
	Elf64_Shdr *h = (Elf64_Shdr *)(b + SECTIONS);
	unsigned names = 1, bytes = (unsigned)strlen(code) / 2, byte;

	memset(b + TEXT, 0xc3, NAMES - TEXT);
	for (unsigned i = 0; i < bytes && sscanf(code + 2 * i, "%2x", &byte) == 1; i++)
		b[TEXT + i] = (unsigned char)byte;
	for (unsigned i = 0; i < 4; i++) {
		s[i + 1] = (Elf64_Sym){.st_name = names,
				       .st_info = ELF64_ST_INFO(STB_GLOBAL, STT_FUNC),
				       .st_shndx = 1,
				       .st_value = BASE,
				       .st_size = bytes};
		names += (unsigned)sprintf((char *)b + NAMES + names, "%s", function[i]) + 1;
	}
	h[1] = (Elf64_Shdr){.sh_type = SHT_PROGBITS,
			    .sh_flags = SHF_ALLOC | SHF_EXECINSTR,
			    .sh_addr = BASE,
			    .sh_offset = TEXT,
			    .sh_size = 0x1000};
	h[2] = (Elf64_Shdr){.sh_type = SHT_STRTAB, .sh_offset = NAMES, .sh_size = names};
	h[3] = (Elf64_Shdr){.sh_type = SHT_DYNSYM,
			    .sh_offset = SYMBOLS,
			    .sh_size = 5 * sizeof(*s),
			    .sh_link = 2,
			    .sh_info = 1,
			    .sh_entsize = sizeof(*s)};
	*p = (Elf64_Phdr){.p_type = PT_LOAD,
			  .p_flags = PF_R | PF_X,
			  .p_offset = TEXT,
			  .p_vaddr = BASE,
			  .p_paddr = BASE,
			  .p_filesz = 0x1000,
			  .p_memsz = 0x1000,
			  .p_align = 0x1000};
	*e = (Elf64_Ehdr){.e_type = ET_DYN,
			  .e_machine = EM_X86_64,
			  .e_version = EV_CURRENT,
			  .e_phoff = sizeof(*e),
			  .e_shoff = SECTIONS,
			  .e_ehsize = sizeof(*e),
			  .e_phentsize = sizeof(*p),
			  .e_phnum = 1,
			  .e_shentsize = sizeof(*h),
			  .e_shnum = 4,
			  .e_shstrndx = 2};
	memcpy(e->e_ident, ELFMAG "\2\1\1", 7);
}

static void put(const char *path, const void *data, size_t n)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0644);

	need(fd >= 0 && write(fd, data, n) == (ssize_t)n, path);
	close(fd);
}

static void make(int n, const char *dir, const char *code)
{
	static unsigned char b[ALL];
	char path[4096];

	fill(b, code);
	for (int i = 1; i <= n; i++) {
		snprintf(path, sizeof(path), "%s/%d", dir, i);
		need(!mkdir(path, 0755), path);
		snprintf(path, sizeof(path), "%s/%d/libssl.so.3", dir, i);
		put(path, b, sizeof(b));
	}
}

static int map(const char *path, int times)
{
	int fd = open(path, O_RDONLY);

	need(fd >= 0, path);
	for (int k = 0; k < times; k++)
		need(mmap(NULL, 0x1000, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, TEXT) != MAP_FAILED,
		     "mmap");
	return fd;
}

/* What a namespace says of its ids. */
static void say(const char *path, const char *format, unsigned id)
{
	char text[40];
	int fd = open(path, O_WRONLY), n = snprintf(text, sizeof(text), format, id);

	need(fd >= 0 && write(fd, text, (size_t)n) == n, path);
	close(fd);
}

static void place(int n, const char *file)
{
	static unsigned char b[ALL];
	unsigned uid = getuid(), gid = getgid();
	int fd = open(file, O_RDONLY);
	char path[100];

	need(fd >= 0 && read(fd, b, sizeof(b)) == sizeof(b), file);
	need(!unshare(CLONE_NEWUSER | CLONE_NEWNS), "unshare");
	say("/proc/self/setgroups", "deny", 0);
	say("/proc/self/uid_map", "0 %u 1", uid);
	say("/proc/self/gid_map", "0 %u 1", gid);
	need(!mount("fakes", "/opt", "tmpfs", 0, "size=512m,nr_inodes=1000000"), "mount");
	for (int i = 0; i < n; i++) {
		snprintf(path, sizeof(path), "/opt/d%d", i);
		need(!mkdir(path, 0755), path);
		snprintf(path, sizeof(path), "/opt/d%d/lib", i);
		need(!mkdir(path, 0755), path);
		snprintf(path, sizeof(path), "/opt/d%d/lib/libssl.so.3", i);
		put(path, b, n - i <= 200 ? sizeof(b) : 0); /* tmpfs shows the latest first */
	}
}

int main(int argc, char **argv)
{
	const char *what = argc > 2 ? argv[1] : "";

	if (!strcmp(what, "make") && argc == 5) {
		make(atoi(argv[2]), argv[3], argv[4]);
		return 0;
	}
	prctl(PR_SET_DUMPABLE, 0); /* so /proc/PID belongs to root */
	if (!strcmp(what, "map")) {
		for (int i = 3; i < argc; i++)
			close(map(argv[i], atoi(argv[2])));
	} else if (!strcmp(what, "lease")) {
		signal(SIGIO, SIG_IGN); /* by which the kernel asks for it back */
		need(!fcntl(map(argv[2], 1), F_SETLEASE, F_WRLCK), "F_SETLEASE");
	} else if (!strcmp(what, "place") && argc == 4) {
		prctl(PR_SET_DUMPABLE, 1); /* else its own uid_map is not its to write */
		place(atoi(argv[2]), argv[3]);
	} else {
		fprintf(stderr, "usage: crowd make N DIR CODE | map TIMES FILE... | lease FILE | "
				"place N FILE\n");
		return 2;
	}
	wait_ready();
	return 0;
}
