/* dpdk_options.h: the DPDK host's arguments, and what is checked before the EAL starts. */
#ifndef DPDK_OPTIONS_H
#define DPDK_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "host.h"

enum { HOST_MOST_EAL_ARGUMENTS = 1024 };

struct dpdk_options {
    const char *ports[HOST_MOST_INTERFACES]; /* device or vdev names, by number */
    const char *table_directory;
    uint64_t stats_seconds;    /* between two reports while running; 0: none */
    uint64_t duration_seconds; /* 0: until a signal */
    uint64_t packet_buffers;   /* 0: as many as the ports need */
    bool as_json;
    bool is_without_hugepages;
    int eal_count;
    char **eal_arguments;
};

/* Read the arguments. Return 0; `*is_done` when there is nothing more to do, or the exit code. */
int dpdk_parse_options(struct dpdk_options *options, int count, char **arguments, bool *is_done);

/* How many ports there are: one for each interface, or the cable to a switch alone. */
uint32_t dpdk_port_count(void);

/* What a port is for, in messages. */
const char *dpdk_port_purpose(uint32_t port);

/* Look for what would make the start fail: memory and PCI devices. False after messages that say
 * what is missing and the command that mends it. */
bool dpdk_check_machine(const struct dpdk_options *options, size_t bytes);

#endif
