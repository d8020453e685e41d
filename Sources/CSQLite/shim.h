#include <sqlite3.h>

/* sqlite3_db_config() is variadic, which Swift can't call. Keeps the last connection that closes from copying the WAL
 * into the database: a database that was refused must stay as it is. Returns an SQLite result code. */
static inline int runcast_sqlite_no_checkpoint_on_close(sqlite3 *connection, int isOn) {
    return sqlite3_db_config(connection, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, isOn, (int *)0);
}
