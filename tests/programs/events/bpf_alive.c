/* bpf_alive.c - of programs, maps and links that are given by id, prints those that still exist.
 *
 *     bpf_alive <FILE        lines "prog 12", "map 3", "link 4"
 *
 * It asks for the next id and opens nothing. Opening an array of programs while the kernel clears
 * it can leave that array behind for ever: prog_array_map_clear() (kernel/bpf/arraymap.c) takes one
 * reference for each close of the last descriptor, but queues the work that gives it back once. */
#include <linux/bpf.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

static int next_id_of(const char *what)
{
	return !strcmp(what, "prog")  ? BPF_PROG_GET_NEXT_ID
	       : !strcmp(what, "map") ? BPF_MAP_GET_NEXT_ID
				      : BPF_LINK_GET_NEXT_ID;
}

int main(void)
{
	char what[8];
	unsigned id;

	while (scanf("%7s %u", what, &id) == 2) {
		union bpf_attr at = {.start_id = id - 1};

		if (!syscall(SYS_bpf, next_id_of(what), &at, sizeof(at)) && at.next_id == id)
			printf("%s %u\n", what, id);
	}
	return 0;
}
