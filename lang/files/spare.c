/* spare.c - see spare.h. */
#include "lang/files/spare.h"
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "lang/base/memory.h"

int rn_files_spare(unsigned n, struct rn_err *err)
{
	int *fd = rn_malloc((n + 1) * sizeof(*fd)), e = 0;
	unsigned have = 0;

	for (; have < n && !e; have++) {
		fd[have] = have ? fcntl(fd[0], F_DUPFD_CLOEXEC, 0)
				: open("/", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
		if (fd[have] < 0)
			/* EINVAL: the limit was lowered below the number of open files */
			e = errno == EINVAL ? EMFILE : errno;
	}
	for (unsigned i = 0; i < have; i++)
		if (fd[i] >= 0)
			close(fd[i]);
	free(fd);
	return e == EMFILE || e == ENFILE
		       ? rn_err_set(err, -e, "a query needs %u more open files: %s", n, strerror(e))
		       : 0;
}
