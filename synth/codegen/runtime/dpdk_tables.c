/* dpdk_tables.c: static tables that are built anew beside the running host. */
#define _GNU_SOURCE
#include "dpdk_tables.h"

static void *build(void *argument)
{
    struct table_reload *reload = argument;
    /* The thread inherits the lcore's one CPU, where it would stop the forwarding. */
    pthread_setaffinity_np(pthread_self(), sizeof reload->cpus, &reload->cpus);
    reload->fresh = host_load_tables(reload->directory, reload->epoch);
    atomic_store(&reload->is_finished, true);
    return NULL;
}

void table_reload_start(struct table_reload *reload)
{
    if (reload->directory == NULL) {
        host_warn("there are no tables to read again without --tables");
        return;
    }
    if (reload->is_running) {
        host_warn("the tables are being read already");
        return;
    }
    reload->epoch++;
    atomic_store(&reload->is_finished, false);
    reload->is_running = pthread_create(&reload->thread, NULL, build, reload) == 0;
    if (!reload->is_running)
        host_warn("no thread to read the tables with; the old ones stay");
}

struct core_tables *table_reload_take(struct table_reload *reload)
{
    if (!reload->is_running || !atomic_load(&reload->is_finished))
        return NULL;
    pthread_join(reload->thread, NULL);
    reload->is_running = false;
    if (reload->fresh == NULL)
        host_warn("the old tables stay");
    return reload->fresh;
}

void table_reload_stop(struct table_reload *reload)
{
    if (!reload->is_running)
        return;
    pthread_join(reload->thread, NULL);
    reload->is_running = false;
    core_tables_destroy(reload->fresh);
}
