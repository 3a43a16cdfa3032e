/* dpdk_tables.h: static tables that are built anew beside the running host. */
#ifndef DPDK_TABLES_H
#define DPDK_TABLES_H

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

#include "host.h"

struct table_reload {
    const char *directory;
    cpu_set_t cpus; /* where the build may run: all that the process has */
    uint64_t epoch; /* of the tables that are built or were built last */
    bool is_running;
    pthread_t thread;
    atomic_bool is_finished;
    struct core_tables *fresh; /* of the finished thread; NULL when it failed */
};

/* Begin to build tables of the next epoch, unless that is going on. */
void table_reload_start(struct table_reload *reload);

/* The new tables once they are finished, else NULL. The caller owns them. */
struct core_tables *table_reload_take(struct table_reload *reload);

/* Wait for a build that is going on, and throw it away. */
void table_reload_stop(struct table_reload *reload);

#endif
