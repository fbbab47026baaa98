/* fdvfs.c - see fdvfs_impl.h. Each connection has a VFS of its own. It is the default one, except
 * for how it opens the database: the name is nothing. Two that write one file are kept apart by the
 * caller (flock): locks that SQLite asks for are always granted. Source of the interface:
 * sqlite.org/vfs.html, sqlite.org/c3ref/io_methods.html. */
#include "exec/trace/fdvfs_impl.h"
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { SECTOR = 4096 };

struct file {
	sqlite3_file base;
	int fd;
	bool fixed;
};

static int fd_of(sqlite3_file *f)
{
	return ((struct file *)f)->fd;
}

static int close_file(sqlite3_file *f)
{
	(void)f; /* the descriptor is the caller's */
	return SQLITE_OK;
}

static int read_file(sqlite3_file *f, void *to, int n, sqlite3_int64 at)
{
	char *p = to;
	ssize_t got = 1;

	while (n > 0 && (got = pread(fd_of(f), p, (size_t)n, at)) > 0)
		p += got, n -= (int)got, at += got;
	if (got < 0)
		return SQLITE_IOERR_READ;
	if (n <= 0)
		return SQLITE_OK;
	memset(p, 0, (size_t)n);
	return SQLITE_IOERR_SHORT_READ;
}

static int write_file(sqlite3_file *f, const void *from, int n, sqlite3_int64 at)
{
	const char *p = from;
	ssize_t put = 1;

	while (n > 0 && (put = pwrite(fd_of(f), p, (size_t)n, at)) > 0)
		p += put, n -= (int)put, at += put;
	if (!n)
		return SQLITE_OK;
	return put < 0 && errno != ENOSPC && errno != EDQUOT ? SQLITE_IOERR_WRITE : SQLITE_FULL;
}

static int truncate_file(sqlite3_file *f, sqlite3_int64 size)
{
	return ftruncate(fd_of(f), size) ? SQLITE_IOERR_TRUNCATE : SQLITE_OK;
}

static int sync_file(sqlite3_file *f, int flags)
{
	(void)flags;
	return fsync(fd_of(f)) ? SQLITE_IOERR_FSYNC : SQLITE_OK;
}

static int size_of_file(sqlite3_file *f, sqlite3_int64 *size)
{
	struct stat st;

	if (fstat(fd_of(f), &st))
		return SQLITE_IOERR_FSTAT;
	*size = st.st_size;
	return SQLITE_OK;
}

static int lock_file(sqlite3_file *f, int level)
{
	(void)f, (void)level;
	return SQLITE_OK;
}

static int is_reserved(sqlite3_file *f, int *out)
{
	(void)f;
	*out = 0;
	return SQLITE_OK;
}

static int control(sqlite3_file *f, int op, void *arg)
{
	(void)f, (void)op, (void)arg;
	return SQLITE_NOTFOUND;
}

static int sector(sqlite3_file *f)
{
	(void)f;
	return SECTOR;
}

static int characteristics(sqlite3_file *f)
{
	return ((struct file *)f)->fixed ? SQLITE_IOCAP_IMMUTABLE
					 : SQLITE_IOCAP_POWERSAFE_OVERWRITE;
}

static const sqlite3_io_methods methods = {
	.iVersion = 1,
	.xClose = close_file,
	.xRead = read_file,
	.xWrite = write_file,
	.xTruncate = truncate_file,
	.xSync = sync_file,
	.xFileSize = size_of_file,
	.xLock = lock_file,
	.xUnlock = lock_file,
	.xCheckReservedLock = is_reserved,
	.xFileControl = control,
	.xSectorSize = sector,
	.xDeviceCharacteristics = characteristics,
};

/* Files without a name are temporary, and the default VFS's. Any other but the database would lie
 * beside it, where others may place it. */
static int open_file(sqlite3_vfs *vfs, const char *name, sqlite3_file *f, int flags, int *got)
{
	const struct rn_fdvfs *v = vfs->pAppData;
	sqlite3_vfs *usual = sqlite3_vfs_find(NULL);

	if (!name)
		return usual->xOpen(usual, name, f, flags, got);
	f->pMethods = NULL;
	if (!(flags & SQLITE_OPEN_MAIN_DB))
		return SQLITE_CANTOPEN;
	((struct file *)f)->fd = v->fd;
	/* so a file that says it has a WAL is read without one */
	((struct file *)f)->fixed = !v->write;
	f->pMethods = &methods;
	if (got)
		*got = flags;
	return SQLITE_OK;
}

static int delete_file(sqlite3_vfs *vfs, const char *name, int sync)
{
	(void)vfs, (void)name, (void)sync;
	return SQLITE_OK;
}

static int is_there(sqlite3_vfs *vfs, const char *name, int flags, int *out)
{
	(void)vfs, (void)name, (void)flags;
	*out = 0;
	return SQLITE_OK;
}

static int full_name(sqlite3_vfs *vfs, const char *name, int n, char *out)
{
	(void)vfs;
	sqlite3_snprintf(n, out, "%s", name);
	return SQLITE_OK;
}

/* So that SQLite elsewhere says that it is busy, instead of reading what is half written:
 * sqlite.org/lockingv3.html. The lock is that of the descriptor. A process that opened the file
 * before us and holds a lock of its own can only mislead itself. */
static void lock_out_others(int fd)
{
	enum { PENDING_BYTE = 0x40000000, LOCK_BYTES = 512 };
	struct flock all = {.l_type = F_WRLCK,
			    .l_whence = SEEK_SET,
			    .l_start = PENDING_BYTE,
			    .l_len = LOCK_BYTES};

	fcntl(fd, F_OFD_SETLK, &all);
}

int rn_fdvfs_open(struct rn_fdvfs *fdvfs, int fd, bool write, sqlite3 **db)
{
	const sqlite3_vfs *usual =
		sqlite3_initialize() == SQLITE_OK ? sqlite3_vfs_find(NULL) : NULL;
	int rc;

	*fdvfs = (struct rn_fdvfs){.fd = fd, .write = write};
	*db = NULL;
	if (!usual)
		return SQLITE_ERROR;
	sqlite3_snprintf(sizeof(fdvfs->name), fdvfs->name, "runnel-%p", (void *)fdvfs);
	fdvfs->vfs = *usual;
	fdvfs->vfs.zName = fdvfs->name;
	fdvfs->vfs.pNext = NULL;
	fdvfs->vfs.pAppData = fdvfs;
	if (fdvfs->vfs.szOsFile < (int)sizeof(struct file))
		fdvfs->vfs.szOsFile = (int)sizeof(struct file);
	fdvfs->vfs.xOpen = open_file;
	fdvfs->vfs.xDelete = delete_file;
	fdvfs->vfs.xAccess = is_there;
	fdvfs->vfs.xFullPathname = full_name;
	if (write)
		lock_out_others(fd);
	rc = sqlite3_vfs_register(&fdvfs->vfs, 0);
	if (rc == SQLITE_OK)
		rc = sqlite3_open_v2("file", db,
				     (write ? SQLITE_OPEN_READWRITE : SQLITE_OPEN_READONLY) |
					     SQLITE_OPEN_NOMUTEX,
				     fdvfs->name);
	return rc;
}

struct rn_fdvfs *rn_fdvfs_of(sqlite3 *db)
{
	sqlite3_vfs *v = NULL;

	sqlite3_file_control(db, "main", SQLITE_FCNTL_VFS_POINTER, &v);
	return v ? v->pAppData : NULL;
}

void rn_fdvfs_close(struct rn_fdvfs *fdvfs, sqlite3 *db)
{
	sqlite3_close(db);
	if (fdvfs->vfs.zName)
		sqlite3_vfs_unregister(&fdvfs->vfs);
	*fdvfs = (struct rn_fdvfs){.fd = -1};
}
