/* valgrind_bpf.c - preloaded by tests/san/valgrind.sh: tells valgrind what the kernel writes for
 * the batch commands of bpf(2), which version 3.19 does not know. Outside of valgrind it does
 * nothing but pass on. */
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <dlfcn.h>
#include <stddef.h>
#include <valgrind/memcheck.h>

typedef int batch_fn(int fd, void *in, void *out, void *keys, void *values, __u32 *count,
		     const struct bpf_map_batch_opts *opts);

static int pass_on(const char *name, int fd, void *in, void *out, void *keys, void *values,
		   __u32 *count, const struct bpf_map_batch_opts *opts)
{
	batch_fn *real = (batch_fn *)dlsym(RTLD_NEXT, name);
	int (*info_of)(int, void *, __u32 *) =
		(int (*)(int, void *, __u32 *))dlsym(RTLD_NEXT, "bpf_obj_get_info_by_fd");
	int (*cpus)(void) = (int (*)(void))dlsym(RTLD_NEXT, "libbpf_num_possible_cpus");
	struct bpf_map_info info = {0};
	__u32 bytes = sizeof(info);
	int r = real(fd, in, out, keys, values, count, opts);

	if (!info_of(fd, &info, &bytes)) {
		size_t value = info.value_size;

		if (info.type == BPF_MAP_TYPE_PERCPU_HASH ||
		    info.type == BPF_MAP_TYPE_LRU_PERCPU_HASH ||
		    info.type == BPF_MAP_TYPE_PERCPU_ARRAY)
			value = (value + 7) / 8 * 8 * (size_t)cpus();
		VALGRIND_MAKE_MEM_DEFINED(keys, (size_t)info.key_size * *count);
		VALGRIND_MAKE_MEM_DEFINED(values, value * *count);
	}
	return r;
}

int bpf_map_lookup_batch(int fd, void *in, void *out, void *keys, void *values, __u32 *count,
			 const struct bpf_map_batch_opts *opts)
{
	return pass_on("bpf_map_lookup_batch", fd, in, out, keys, values, count, opts);
}

int bpf_map_lookup_and_delete_batch(int fd, void *in, void *out, void *keys, void *values,
				    __u32 *count, const struct bpf_map_batch_opts *opts)
{
	return pass_on("bpf_map_lookup_and_delete_batch", fd, in, out, keys, values, count, opts);
}
