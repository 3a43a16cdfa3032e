/* eal.c: starting the EAL. */
#define _GNU_SOURCE
#include "eal.h"

#include <rte_eal.h>
#include <rte_errno.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "host.h"

enum { MOST_ADDED = 5, MEGABYTE_BITS = 20 };

static size_t megabytes(size_t bytes)
{
    return (bytes >> MEGABYTE_BITS) + 1;
}

/* The first CPU that this process may use. */
static unsigned first_cpu(void)
{
    cpu_set_t cpus;
    if (sched_getaffinity(0, sizeof cpus, &cpus) != 0)
        return 0;
    for (unsigned cpu = 0; cpu < CPU_SETSIZE; cpu++)
        if (CPU_ISSET(cpu, &cpus))
            return cpu;
    return 0;
}

static bool start(int count, char **arguments)
{
    if (rte_eal_init(count, arguments) >= 0)
        return true;
    return host_fail("DPDK's EAL does not start: %s",
                     rte_errno != 0 ? rte_strerror(rte_errno) : "see its messages above") == 0;
}

bool eal_start_alone(size_t bytes)
{
    char memory[32], cpu[16];
    snprintf(memory, sizeof memory, "%zu", megabytes(bytes));
    snprintf(cpu, sizeof cpu, "%u", first_cpu());
    char program[] = "replay", no_huge[] = "--no-huge", no_pci[] = "--no-pci";
    char no_shconf[] = "--no-shconf", no_telemetry[] = "--no-telemetry";
    char quiet[] = "--log-level=*:error", m[] = "-m", l[] = "-l";
    char *arguments[] = {program, no_huge, no_pci, no_shconf, no_telemetry, quiet,
                         m,       memory,  l,      cpu,       NULL};
    cpu_set_t cpus;
    bool is_known = sched_getaffinity(0, sizeof cpus, &cpus) == 0;
    if (!start((int)(sizeof arguments / sizeof arguments[0]) - 1, arguments))
        return false;
    if (is_known)
        sched_setaffinity(0, sizeof cpus, &cpus);
    return true;
}

bool eal_has_argument(int count, char **arguments, const char *name)
{
    size_t length = strlen(name);
    for (int i = 0; i < count; i++)
        if (strncmp(arguments[i], name, length) == 0 &&
            (arguments[i][length] == '\0' || arguments[i][length] == '=' || name[1] != '-'))
            return true;
    return false;
}

static bool has_lcores(int count, char **arguments)
{
    return eal_has_argument(count, arguments, "-l") || eal_has_argument(count, arguments, "-c") ||
           eal_has_argument(count, arguments, "--lcores");
}

bool eal_start(const char *program, int count, char **arguments, size_t bytes)
{
    /* The EAL keeps pointers into its arguments, so they live as long as the process. */
    static char memory[32], cpu[16], name[256], m[] = "-m", l[] = "-l";
    char **all = calloc((size_t)count + MOST_ADDED + 1, sizeof *all);
    if (all == NULL) {
        host_fail("memory is short");
        return false;
    }
    snprintf(name, sizeof name, "%s", program);
    snprintf(memory, sizeof memory, "%zu", megabytes(bytes));
    snprintf(cpu, sizeof cpu, "%u", first_cpu());
    int used = 0;
    all[used++] = name;
    for (int i = 0; i < count; i++)
        all[used++] = arguments[i];
    if (!has_lcores(count, arguments)) {
        all[used++] = l;
        all[used++] = cpu;
    }
    if (eal_has_argument(count, arguments, "--no-huge") &&
        !eal_has_argument(count, arguments, "-m")) {
        all[used++] = m;
        all[used++] = memory;
    }
    bool is_started = start(used, all);
    free(all);
    return is_started;
}

void eal_stop(void)
{
    rte_eal_cleanup();
}
