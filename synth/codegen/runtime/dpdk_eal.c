/* dpdk_eal.c: the EAL's arguments. */
#define _GNU_SOURCE
#include "dpdk_eal.h"

#include <errno.h>
#include <getopt.h>
#include <limits.h>
#include <rte_version.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "eal.h"

#define CPU_DIRECTORY "/sys/devices/system/cpu"

/* ---- completing */

bool dpdk_is_pci_address(const char *port)
{
    unsigned domain, bus, device, function;
    int used = 0;
    return sscanf(port, "%x:%x:%x.%x%n", &domain, &bus, &device, &function, &used) == 4 &&
           port[used] == '\0';
}

static bool has_eal(const struct dpdk_options *options, const char *name)
{
    return eal_has_argument(options->eal_count, options->eal_arguments, name);
}

static bool has_chosen_devices(const struct dpdk_options *options)
{
    static const char *const names[] = {"-a", "--allow", "-b", "--block", "--no-pci"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (has_eal(options, names[i]))
            return true;
    return false;
}

/* The arguments that allow the mapped PCI devices, or none. Return how many they are. */
static int choose_devices(char **arguments, const struct dpdk_options *options)
{
    static char allow[] = "-a", no_pci[] = "--no-pci";
    int count = 0;
    for (uint32_t i = 0; i < dpdk_port_count(); i++) {
        if (!dpdk_is_pci_address(options->ports[i]))
            continue;
        arguments[count++] = allow;
        arguments[count++] = (char *)(uintptr_t)options->ports[i];
    }
    if (count == 0)
        arguments[count++] = no_pci;
    return count;
}

bool dpdk_complete_eal(struct dpdk_options *options)
{
    static char no_huge[] = "--no-huge";
    static char *all[HOST_MOST_EAL_ARGUMENTS]; /* the EAL keeps pointers to its arguments */
    size_t most = (size_t)options->eal_count + 2 * core_description.interface_count + 2;
    if (most > HOST_MOST_EAL_ARGUMENTS)
        return host_fail("%d EAL arguments are too many", options->eal_count) == 0;
    int count = 0;
    if (options->is_without_hugepages && !has_eal(options, no_huge))
        all[count++] = no_huge;
    if (!has_chosen_devices(options))
        count += choose_devices(all + count, options);
    /* The user's come last, so that what an argument lacks is not taken from ours. */
    for (int i = 0; i < options->eal_count; i++)
        all[count++] = options->eal_arguments[i];
    options->eal_arguments = all;
    options->eal_count = count;
    return true;
}

/* ---- checking */

/* CPUs as DPDK finds them. */
static bool has_cpu(unsigned long cpu)
{
    char path[PATH_MAX];
    snprintf(path, sizeof path, CPU_DIRECTORY "/cpu%lu/topology/core_id", cpu);
    return access(path, F_OK) == 0;
}

static bool refuse_cpu(const char *list, unsigned long cpu)
{
    char online[256] = "?";
    FILE *file = fopen(CPU_DIRECTORY "/online", "r");
    if (file != NULL) {
        if (fscanf(file, "%255s", online) != 1)
            online[0] = '\0';
        fclose(file);
    }
    return host_fail("-l %s: there is no CPU %lu; this machine has %s", list, cpu, online) == 0;
}

static bool refuse_list(const char *list)
{
    return host_fail("-l %s: this is no list of CPUs such as 1 or 0-3,6", list) == 0;
}

static bool read_cpu(const char **at, unsigned long *cpu)
{
    char *end;
    errno = 0;
    *cpu = strtoul(*at, &end, 10);
    bool is_number = **at >= '0' && **at <= '9' && errno == 0;
    *at = end;
    return is_number;
}

static bool check_cpus(const char *list)
{
    const char *at = list;
    for (;; at++) {
        unsigned long first, last;
        if (!read_cpu(&at, &first))
            return refuse_list(list);
        last = first;
        if (*at == '-' && (at++, !read_cpu(&at, &last)))
            return refuse_list(list);
        for (unsigned long cpu = first; cpu <= last; cpu++)
            if (!has_cpu(cpu))
                return refuse_cpu(list, cpu);
        if (*at == '\0')
            return true;
        if (*at != ',')
            return refuse_list(list);
    }
}

static bool check_megabytes(const char *text)
{
    char *end;
    errno = 0;
    unsigned long megabytes = strtoul(text, &end, 10);
    bool is_number = text[0] >= '0' && text[0] <= '9' && *end == '\0' && errno == 0;
    return (is_number && megabytes > 0) ||
           host_fail("-m %s: this is no number of megabytes", text) == 0;
}

#if RTE_VERSION >= RTE_VERSION_NUM(24, 11, 0, 0)
#define SYSLOG_ARGUMENT optional_argument
#else
#define SYSLOG_ARGUMENT required_argument
#endif

/* What DPDK 22.11 to 24.11 know, each with its letter, or x where none is looked at. */
static const char short_options[] = "+:a:b:c:s:S:d:hl:m:n:r:v";
static const struct option long_options[] = {
    {"allow", required_argument, NULL, 'a'},
    {"base-virtaddr", required_argument, NULL, 'x'},
    {"block", required_argument, NULL, 'b'},
    {"create-uio-dev", no_argument, NULL, 'x'},
    {"file-prefix", required_argument, NULL, 'x'},
    {"force-max-simd-bitwidth", required_argument, NULL, 'x'},
    {"help", no_argument, NULL, 'h'},
    {"huge-dir", required_argument, NULL, 'x'},
    {"huge-unlink", optional_argument, NULL, 'x'},
    {"huge-worker-stack", optional_argument, NULL, 'x'},
    {"in-memory", no_argument, NULL, 'x'},
    {"iova-mode", required_argument, NULL, 'x'},
    {"lcores", required_argument, NULL, 'x'},
    {"legacy-mem", no_argument, NULL, 'x'},
    {"log-color", optional_argument, NULL, 'x'},
    {"log-level", required_argument, NULL, 'x'},
    {"log-timestamp", optional_argument, NULL, 'x'},
    {"main-lcore", required_argument, NULL, 'x'},
    {"match-allocations", no_argument, NULL, 'x'},
    {"mbuf-pool-ops-name", required_argument, NULL, 'x'},
    {"no-hpet", no_argument, NULL, 'x'},
    {"no-huge", no_argument, NULL, 'x'},
    {"no-pci", no_argument, NULL, 'x'},
    {"no-shconf", no_argument, NULL, 'x'},
    {"no-telemetry", no_argument, NULL, 'x'},
    {"proc-type", required_argument, NULL, 'x'},
    {"single-file-segments", no_argument, NULL, 'x'},
    {"socket-limit", required_argument, NULL, 'x'},
    {"socket-mem", required_argument, NULL, 'x'},
    {"syslog", SYSLOG_ARGUMENT, NULL, 'x'},
    {"telemetry", no_argument, NULL, 'x'},
    {"trace", required_argument, NULL, 'x'},
    {"trace-bufsz", required_argument, NULL, 'x'},
    {"trace-dir", required_argument, NULL, 'x'},
    {"trace-mode", required_argument, NULL, 'x'},
    {"vdev", required_argument, NULL, 'x'},
    {"vfio-intr", required_argument, NULL, 'x'},
    {"vfio-vf-token", required_argument, NULL, 'x'},
    {"vmware-tsc-map", no_argument, NULL, 'x'},
    {NULL, 0, NULL, 0},
};

bool dpdk_check_eal(const struct dpdk_options *options)
{
    /* getopt takes the first one for the program's name. */
    char program[] = "EAL", *all[HOST_MOST_EAL_ARGUMENTS + 2];
    int count = options->eal_count + 1;
    memcpy(all + 1, options->eal_arguments, (size_t)options->eal_count * sizeof *all);
    all[0] = program;
    all[count] = NULL;
    optind = 0; /* start anew, as the host's own arguments were read before */
    opterr = 0;
    for (int option; (option = getopt_long(count, all, short_options, long_options, NULL)) != -1;) {
        bool is_good = true;
        switch (option) {
        case 'l': is_good = check_cpus(optarg); break;
        case 'm': is_good = check_megabytes(optarg); break;
        case ':': is_good = host_fail("EAL argument %s needs a value", all[optind - 1]) == 0; break;
        case '?':
            is_good = host_fail("the EAL does not take %s", all[optind > 1 ? optind - 1 : 1]) == 0;
            break;
        default: break;
        }
        if (!is_good)
            return false;
    }
    return optind >= count ||
           host_fail("`%s` is left over among the EAL arguments", all[optind]) == 0;
}
