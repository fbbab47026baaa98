/* fdvfs_impl.h - a database of SQLite in a file that is open already.
 *
 * SQLite opens files by their names, /proc/self/fd/N too: between our look at a name and its own,
 * another program may put something else there. Here it gets a descriptor and no name: it reads and
 * writes that file and no other, takes no journal that lies beside it, and makes none. So a writer
 * has `PRAGMA journal_mode = OFF` and a copy to lose, and a reader must know that nobody writes
 * meanwhile. Temporary files are SQLite's own. */
#ifndef RN_EXEC_TRACE_FDVFS_IMPL_H
#define RN_EXEC_TRACE_FDVFS_IMPL_H
#include <sqlite3.h>
#include <stdbool.h>

/* zeroed: nothing is open; must not move while it is */
struct rn_fdvfs {
	sqlite3_vfs vfs;
	int fd;
	bool write;
	char name[32];
};

/* An SQLite code. fd stays the caller's, and must outlive *db, which rn_fdvfs_close closes, also
 * after a failure. */
int rn_fdvfs_open(struct rn_fdvfs *fdvfs, int fd, bool write, sqlite3 **db);
struct rn_fdvfs *rn_fdvfs_of(sqlite3 *db); /* of a connection that it has opened */
void rn_fdvfs_close(struct rn_fdvfs *fdvfs, sqlite3 *db);
#endif
