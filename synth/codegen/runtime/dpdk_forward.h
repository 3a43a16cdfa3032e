/* dpdk_forward.h: frames from ports through the chain to ports, on one lcore. */
#ifndef DPDK_FORWARD_H
#define DPDK_FORWARD_H

#include "dpdk_port.h"
#include "dpdk_trunk.h"
#include "report.h"

struct forwarder {
    struct port
        ports[HOST_MOST_INTERFACES]; /* by interface; behind a switch the first is the cable */
    struct trunk trunk;              /* unused where interfaces have ports of their own */
    struct rte_mempool *buffers;
    struct core_tables *tables;
    struct host_core core;
    struct emissions emissions;
};

/* The time that the chain sees: ns of the monotonic clock. */
uint64_t forward_clock(void);

/* Take one burst, if there is one, from a port through the chain. */
void forward_burst(struct forwarder *f, uint16_t port);

/* Send what is pending for a port. What it refuses now is dropped and counted. */
void forward_flush(struct forwarder *f, uint32_t port);

/* The same at the end, when there is time to wait for the port. */
void forward_drain(struct forwarder *f, uint32_t port);

#endif
