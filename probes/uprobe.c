/* uprobe.c - see uprobe.h. Two ways to attach: one link for all places in a file (kernels from 6.6 on: taking it out waits once), or a
 * perf event for each. The file is named by our own descriptor, since its path may lie in another mount namespace or be deleted. */
#include <bpf/bpf.h>
#include <errno.h>
#include <gelf.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "probes/uprobe.h"

/* ---- functions of an ELF file ---- */

/* File offset of an address; 0: no segment holds it. */
static uint64_t file_offset(Elf *elf, uint64_t address)
{
	size_t n;

	if (elf_getphdrnum(elf, &n))
		return 0;
	for (size_t i = 0; i < n; i++) {
		GElf_Phdr p;

		if (gelf_getphdr(elf, (int)i, &p) && p.p_type == PT_LOAD && p.p_flags & PF_X && address >= p.p_vaddr &&
		    address - p.p_vaddr < p.p_filesz)
			return address - p.p_vaddr + p.p_offset;
	}
	return 0;
}

static uint64_t past_endbr64(int fd, uint64_t off)
{
	static const unsigned char endbr64[4] = {0xf3, 0x0f, 0x1e, 0xfa};
	unsigned char b[4];

	return pread(fd, b, sizeof(b), (off_t)off) == sizeof(b) && !memcmp(b, endbr64, sizeof(b)) ? off + sizeof(b) : off;
}

static int search_table(Elf *elf, int fd, Elf_Scn *scn, const GElf_Shdr *h, const char *const *names, unsigned n, struct rn_elf_function *out)
{
	Elf_Data *d = elf_getdata(scn, NULL);
	int found = 0;

	for (size_t i = 0; d && h->sh_entsize && i < h->sh_size / h->sh_entsize; i++) {
		const char *name;
		GElf_Sym s;

		if (!gelf_getsym(d, (int)i, &s) || GELF_ST_TYPE(s.st_info) != STT_FUNC || s.st_shndx == SHN_UNDEF)
			continue;
		name = elf_strptr(elf, h->sh_link, s.st_name);
		for (unsigned k = 0; name && k < n; k++)
			if (!out[k].off && !strcmp(name, names[k])) {
				uint64_t at = file_offset(elf, s.st_value), from = at ? past_endbr64(fd, at) : 0;
				out[k] = (struct rn_elf_function){from, s.st_size > from - at ? s.st_size - (from - at) : 0};
				found += at != 0;
			}
	}
	return found;
}

int rn_elf_functions(int fd, const char *const *names, unsigned n, struct rn_elf_function *out)
{
	Elf_Scn *scn = NULL;
	int found = 0;
	Elf *elf;

	memset(out, 0, n * sizeof(*out));
	if (elf_version(EV_CURRENT) == EV_NONE)
		return -ENOTSUP;
	elf = elf_begin(fd, ELF_C_READ, NULL); /* not mapped: who owns the file may cut it meanwhile */
	if (!elf || elf_kind(elf) != ELF_K_ELF) {
		elf_end(elf);
		return -ENOEXEC;
	}
	while ((scn = elf_nextscn(elf, scn))) {
		GElf_Shdr h;

		if (gelf_getshdr(scn, &h) && (h.sh_type == SHT_DYNSYM || h.sh_type == SHT_SYMTAB))
			found += search_table(elf, fd, scn, &h, names, n, out);
	}
	elf_end(elf);
	return found;
}

/* ---- attaching ---- */

static int attach_multi(int prog, const char *path, const struct rn_uprobes *u)
{
	/* The part of union bpf_attr that older headers do not have. */
	struct {
		uint32_t prog_fd, target_fd, attach_type, link_flags;
		uint64_t path, offsets, ref_ctr_offsets, cookies;
		uint32_t cnt, flags, pid, spare;
	} attr = {.prog_fd = (uint32_t)prog, .attach_type = RN_TRACE_UPROBE_MULTI, .path = (uintptr_t)path, .flags = u->at_return};
	uint64_t off[RN_UPROBES_MAX], cookie[RN_UPROBES_MAX];
	long fd;

	for (; attr.cnt < u->n && attr.cnt < RN_UPROBES_MAX; attr.cnt++) {
		off[attr.cnt] = u->at[attr.cnt].off;
		cookie[attr.cnt] = u->at[attr.cnt].cookie;
	}
	attr.offsets = (uintptr_t)off;
	attr.cookies = (uintptr_t)cookie;
	fd = syscall(__NR_bpf, BPF_LINK_CREATE, &attr, sizeof(attr));
	return fd < 0 ? -errno : (int)fd;
}

/* Number of a dynamic source of perf events; negative errno. */
static int perf_type(void)
{
	FILE *f = fopen("/sys/bus/event_source/devices/uprobe/type", "re");
	int type = -ENOTSUP;

	if (!f)
		return -errno;
	if (fscanf(f, "%d", &type) != 1)
		type = -ENOTSUP;
	fclose(f);
	return type;
}

static int attach_perf(int prog, const char *path, uint64_t off, bool at_return, uint64_t cookie)
{
	struct perf_event_attr attr = {.size = sizeof(attr), .config = at_return, .config1 = (uintptr_t)path, .config2 = off};
	LIBBPF_OPTS(bpf_link_create_opts, o, .perf_event.bpf_cookie = cookie);
	int type = perf_type(), fd, link;

	if (type < 0)
		return type;
	attr.type = (uint32_t)type;
	fd = (int)syscall(__NR_perf_event_open, &attr, -1, 0, -1, PERF_FLAG_FD_CLOEXEC);
	if (fd < 0)
		return -errno;
	link = bpf_link_create(prog, fd, BPF_PERF_EVENT, &o);
	if (link < 0)
		link = -errno;
	close(fd); /* the link holds it */
	return link;
}

bool rn_uprobe_multi(void)
{
	static const struct bpf_insn nothing[] = {{.code = BPF_ALU64 | BPF_MOV | BPF_K}, {.code = BPF_JMP | BPF_EXIT}};
	LIBBPF_OPTS(bpf_prog_load_opts, o, .expected_attach_type = (enum bpf_attach_type)RN_TRACE_UPROBE_MULTI);
	struct rn_uprobes u = {.file = -1, .at = &(struct rn_probe_at){1, 0}, .n = 1};
	int prog = bpf_prog_load(BPF_PROG_TYPE_KPROBE, "rn_uprobe", "Dual MIT/GPL", nothing, 2, &o), link;

	if (prog < 0)
		return false;
	/* A kernel that has them looks for the file, which is none; others say that the call is invalid. */
	link = attach_multi(prog, "/proc/self/fd/none", &u);
	close(prog);
	return link == -ENOENT;
}

int rn_uprobe_attach(int prog, bool multi, const struct rn_uprobes *u, int *links)
{
	char path[40];
	int n = 0;

	if (!u->n)
		return 0;
	snprintf(path, sizeof(path), "/proc/self/fd/%d", u->file);
	if (multi) {
		links[0] = attach_multi(prog, path, u);
		return links[0] < 0 ? links[0] : 1;
	}
	for (unsigned i = 0; i < u->n; i++) {
		int fd = attach_perf(prog, path, u->at[i].off, u->at_return, u->at[i].cookie);

		if (fd < 0) {
			while (n)
				close(links[--n]);
			return fd;
		}
		links[n++] = fd;
	}
	return n;
}
