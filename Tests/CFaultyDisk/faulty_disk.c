#include "faulty_disk.h"

#include <pthread.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { max_watches = 64, max_path = 512 };

struct watch {
    int is_used;
    char folder[max_path];
    long operations;
    long first, count;
    int code, tears;
    /* The next syncs that fail, and with what. */
    int failing_syncs, sync_code;
    int keeps_durable;
    int has_no_shared_memory;
};

/* All of it under the lock. */
static struct watch watches[max_watches];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static sqlite3_vfs *system_vfs;
static sqlite3_vfs faulty_vfs;

struct faulty_file {
    sqlite3_file base;
    char path[max_path];
    /* The system's file lies behind this. */
};

static sqlite3_file *real(sqlite3_file *file) { return (sqlite3_file *)((struct faulty_file *)file + 1); }

static struct watch *watch_of(const char *path) {
    for (int i = 0; i < max_watches; i++)
        if (watches[i].is_used && strncmp(path, watches[i].folder, strlen(watches[i].folder)) == 0) return &watches[i];
    return NULL;
}

/* Counts an operation. Returns SQLITE_OK or the code it must fail with. */
static int count_operation(sqlite3_file *file, int *tears) {
    int code = SQLITE_OK;
    pthread_mutex_lock(&lock);
    struct watch *watch = watch_of(((struct faulty_file *)file)->path);
    if (watch) {
        long number = watch->operations++;
        if (number >= watch->first && number - watch->first < watch->count) {
            code = watch->code;
            *tears = watch->tears;
        }
    }
    pthread_mutex_unlock(&lock);
    return code;
}

/* Returns SQLITE_OK or the code that a sync must fail with. */
static int count_sync(sqlite3_file *file) {
    int code = SQLITE_OK;
    pthread_mutex_lock(&lock);
    struct watch *watch = watch_of(((struct faulty_file *)file)->path);
    if (watch && watch->failing_syncs > 0) {
        watch->failing_syncs--;
        code = watch->sync_code;
    }
    pthread_mutex_unlock(&lock);
    return code;
}

static int keeps_durable(sqlite3_file *file) {
    pthread_mutex_lock(&lock);
    struct watch *watch = watch_of(((struct faulty_file *)file)->path);
    int keeps = watch && watch->keeps_durable;
    pthread_mutex_unlock(&lock);
    return keeps;
}

static void copy_durable(const char *path) {
    /* By two names, so that whoever looks meanwhile finds a whole copy. */
    char name[max_path + 16], draft[max_path + 32];
    snprintf(name, sizeof name, "%s.durable", path);
    snprintf(draft, sizeof draft, "%s.%lx", name, (unsigned long)pthread_self());
    FILE *from = fopen(path, "rb"), *to = fopen(draft, "wb");
    char buffer[16384];
    for (size_t n; from && to && (n = fread(buffer, 1, sizeof buffer, from)) > 0;) fwrite(buffer, 1, n, to);
    if (from) fclose(from);
    if (to) fclose(to);
    rename(draft, name);
}

/* What fails or is counted. */

static int file_write(sqlite3_file *file, const void *bytes, int count, sqlite3_int64 offset) {
    int tears = 0, code = count_operation(file, &tears);
    if (code == SQLITE_OK) return real(file)->pMethods->xWrite(real(file), bytes, count, offset);
    if (tears) real(file)->pMethods->xWrite(real(file), bytes, count / 2, offset);
    return code;
}

static int file_truncate(sqlite3_file *file, sqlite3_int64 size) {
    int tears = 0, code = count_operation(file, &tears);
    return code == SQLITE_OK ? real(file)->pMethods->xTruncate(real(file), size) : code;
}

static int file_sync(sqlite3_file *file, int flags) {
    int tears = 0, code = count_operation(file, &tears);
    if (code == SQLITE_OK) code = count_sync(file);
    if (code == SQLITE_OK) code = real(file)->pMethods->xSync(real(file), flags);
    if (code == SQLITE_OK && keeps_durable(file)) copy_durable(((struct faulty_file *)file)->path);
    return code;
}

/* What is passed on. */

static int file_close(sqlite3_file *file) { return real(file)->pMethods->xClose(real(file)); }
static int file_read(sqlite3_file *file, void *bytes, int count, sqlite3_int64 offset) {
    return real(file)->pMethods->xRead(real(file), bytes, count, offset);
}
static int file_size(sqlite3_file *file, sqlite3_int64 *size) {
    return real(file)->pMethods->xFileSize(real(file), size);
}
static int file_lock(sqlite3_file *file, int level) { return real(file)->pMethods->xLock(real(file), level); }
static int file_unlock(sqlite3_file *file, int level) { return real(file)->pMethods->xUnlock(real(file), level); }
static int file_check_lock(sqlite3_file *file, int *is_locked) {
    return real(file)->pMethods->xCheckReservedLock(real(file), is_locked);
}
static int file_control(sqlite3_file *file, int operation, void *argument) {
    return real(file)->pMethods->xFileControl(real(file), operation, argument);
}
static int file_sector(sqlite3_file *file) { return real(file)->pMethods->xSectorSize(real(file)); }
static int file_traits(sqlite3_file *file) { return real(file)->pMethods->xDeviceCharacteristics(real(file)); }
static int file_shm_map(sqlite3_file *file, int page, int size, int extends, void volatile **memory) {
    return real(file)->pMethods->xShmMap(real(file), page, size, extends, memory);
}
static int file_shm_lock(sqlite3_file *file, int offset, int count, int flags) {
    return real(file)->pMethods->xShmLock(real(file), offset, count, flags);
}
static void file_shm_barrier(sqlite3_file *file) { real(file)->pMethods->xShmBarrier(real(file)); }
static int file_shm_unmap(sqlite3_file *file, int deletes) {
    return real(file)->pMethods->xShmUnmap(real(file), deletes);
}

/* What both versions of the methods have. */
#define BASIC_METHODS \
    .xClose = file_close, .xRead = file_read, .xWrite = file_write, .xTruncate = file_truncate, \
    .xSync = file_sync, .xFileSize = file_size, .xLock = file_lock, .xUnlock = file_unlock, \
    .xCheckReservedLock = file_check_lock, .xFileControl = file_control, .xSectorSize = file_sector, \
    .xDeviceCharacteristics = file_traits

static const sqlite3_io_methods methods = {
    .iVersion = 2,
    BASIC_METHODS,
    .xShmMap = file_shm_map,
    .xShmLock = file_shm_lock,
    .xShmBarrier = file_shm_barrier,
    .xShmUnmap = file_shm_unmap,
};

/* The first version has no shared memory. */
static const sqlite3_io_methods methods_without_shared_memory = { .iVersion = 1, BASIC_METHODS };

static int has_shared_memory(const char *path) {
    pthread_mutex_lock(&lock);
    struct watch *watch = path ? watch_of(path) : NULL;
    int has = !(watch && watch->has_no_shared_memory);
    pthread_mutex_unlock(&lock);
    return has;
}

static int open_file(sqlite3_vfs *vfs, const char *path, sqlite3_file *file, int flags, int *flags_out) {
    (void)vfs;
    int code = system_vfs->xOpen(system_vfs, path, real(file), flags, flags_out);
    /* Without methods SQLite takes a file for not opened, and does not close it. */
    file->pMethods = code != SQLITE_OK ? NULL : has_shared_memory(path) ? &methods : &methods_without_shared_memory;
    snprintf(((struct faulty_file *)file)->path, max_path, "%s", path ? path : "");
    return code;
}

int faulty_disk_install(void) {
    pthread_mutex_lock(&lock);
    int code = SQLITE_OK;
    if (!system_vfs) {
        sqlite3_initialize();
        system_vfs = sqlite3_vfs_find(NULL);
        faulty_vfs = *system_vfs;
        faulty_vfs.zName = "faulty";
        faulty_vfs.szOsFile = (int)sizeof(struct faulty_file) + system_vfs->szOsFile;
        faulty_vfs.xOpen = open_file;
        code = sqlite3_vfs_register(&faulty_vfs, 1);
    }
    pthread_mutex_unlock(&lock);
    return code;
}

int faulty_disk_watch(const char *folder) {
    int found = -1;
    pthread_mutex_lock(&lock);
    for (int i = 0; i < max_watches && found < 0; i++) {
        if (watches[i].is_used) continue;
        watches[i] = (struct watch){.is_used = 1};
        snprintf(watches[i].folder, max_path, "%s", folder);
        found = i;
    }
    pthread_mutex_unlock(&lock);
    return found;
}

void faulty_disk_unwatch(int watch) {
    pthread_mutex_lock(&lock);
    watches[watch].is_used = 0;
    pthread_mutex_unlock(&lock);
}

long faulty_disk_operations(int watch) {
    pthread_mutex_lock(&lock);
    long operations = watches[watch].operations;
    pthread_mutex_unlock(&lock);
    return operations;
}

void faulty_disk_fail(int watch, long first, long count, int code, int tears) {
    pthread_mutex_lock(&lock);
    watches[watch].first = first;
    watches[watch].count = count;
    watches[watch].code = code;
    watches[watch].tears = tears;
    pthread_mutex_unlock(&lock);
}

void faulty_disk_fail_syncs(int watch, int count, int code) {
    pthread_mutex_lock(&lock);
    watches[watch].failing_syncs = count;
    watches[watch].sync_code = code;
    pthread_mutex_unlock(&lock);
}

void faulty_disk_keep_durable(int watch) {
    pthread_mutex_lock(&lock);
    watches[watch].keeps_durable = 1;
    pthread_mutex_unlock(&lock);
}

void faulty_disk_refuse_shared_memory(int watch) {
    pthread_mutex_lock(&lock);
    watches[watch].has_no_shared_memory = 1;
    pthread_mutex_unlock(&lock);
}
