/* A disk for SQLite that fails when a test says so: a VFS (sqlite.org/vfs.html) in front of the system's.
 *
 * What reaches the files is counted: writes, truncations and syncs, for each watched folder apart, so that tests that run
 * side by side do not meet. */
#ifndef RUNCAST_FAULTY_DISK_H
#define RUNCAST_FAULTY_DISK_H

/* Makes it the VFS of all connections opened from now on. May be called again. Returns 0, or an SQLite result code. */
int faulty_disk_install(void);

/* Starts to count what reaches files whose path begins with `folder`. Returns a number for the calls below; -1 when too many
 * folders are watched. */
int faulty_disk_watch(const char *folder);
void faulty_disk_unwatch(int watch);

/* Operations since the watch began, failed ones included. */
long faulty_disk_operations(int watch);

/* Operations number `first` (the next one is the present count) to `first + count - 1` fail with `code`, an extended result
 * code of SQLite; of a write that fails, the first half reaches the file where `tears` is not 0. */
void faulty_disk_fail(int watch, long first, long count, int code, int tears);

/* The next `count` syncs fail with `code`, besides what fails by its number. */
void faulty_disk_fail_syncs(int watch, int count, int code);

/* From now on keeps beside each file, under its name and ".durable", what it was when it was synced last: all that is sure
 * to be there after a loss of power. */
void faulty_disk_keep_durable(int watch);

/* Files opened from now on have no shared memory, as on a file system that can't be mapped. */
void faulty_disk_refuse_shared_memory(int watch);

#endif
