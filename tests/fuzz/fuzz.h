/* fuzz.h - what the fuzz targets share: pieces of an input as lines, as texts and as files. */
#ifndef RN_TESTS_FUZZ_H
#define RN_TESTS_FUZZ_H
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);
int LLVMFuzzerInitialize(int *argc, char ***argv);

/* An input may name /dev/fd/N. What the caller has left open there is none of the target's, and
 * reading it may wait for ever. */
int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	(void)argc, (void)argv;
	return close_range(STDERR_FILENO + 1, ~0u, 0);
}

/* What must hold for every input. Not assert(), which NDEBUG takes out. */
#define MUST(x) \
	((x) ? (void)0 : (fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, #x), abort()))

/* The bytes with a NUL behind them; heap, so that a read beyond is seen. */
static inline char *fuzz_text(const uint8_t *data, size_t n)
{
	char *s = malloc(n + 1);

	MUST(s);
	if (n)
		memcpy(s, data, n);
	s[n] = 0;
	return s;
}

/* Cuts the first line off: its text (heap), without the newline. */
static inline char *fuzz_line(const uint8_t **data, size_t *n)
{
	const uint8_t *nl = *n ? memchr(*data, '\n', *n) : NULL;
	size_t len = nl ? (size_t)(nl - *data) : *n;
	char *s = fuzz_text(*data, len);

	*data += len + (nl != NULL);
	*n -= len + (nl != NULL);
	return s;
}

/* Files of the process that have no name: /dev/fd/100 and following, so that a text of the input
 * can name them. which: 0 to 3. The path is static. */
enum { FUZZ_FILE_FD = 100 };
static inline const char *fuzz_file(unsigned which, const uint8_t *data, size_t n)
{
	static const char *const path[] = {"/dev/fd/100", "/dev/fd/101", "/dev/fd/102",
					   "/dev/fd/103"};
	static int made[4];
	int fd = FUZZ_FILE_FD + (int)which;

	if (!made[which]) {
		int was = memfd_create("fuzz", MFD_CLOEXEC);

		MUST(was >= 0 && dup2(was, fd) == fd && !close(was));
		made[which] = 1;
	}
	MUST(!ftruncate(fd, 0) && pwrite(fd, data, n, 0) == (ssize_t)n && !lseek(fd, 0, SEEK_SET));
	return path[which];
}
#endif
