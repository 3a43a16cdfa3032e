/* dpdk_port.h: one DPDK port: opening it, its buffer for frames to send, its end. */
#ifndef DPDK_PORT_H
#define DPDK_PORT_H

#include <rte_ethdev.h>
#include <rte_mbuf.h>

#include "host.h"

enum { PORT_RX_DESCRIPTORS = 1024, PORT_TX_DESCRIPTORS = 1024, PORT_TX_BURST = 64 };

struct port {
    uint16_t id;
    uint16_t pending;
    struct rte_mbuf *tx[PORT_TX_BURST];
    uint16_t interfaces[PORT_TX_BURST]; /* where each of them leaves the chain */
};

/* Find, configure and start the port of an interface. False after a message. */
bool port_open(struct port *port, const char *interface, const char *name,
               struct rte_mempool *buffers);
void port_close(struct port *port);

/* Hand the pending frames to the port once, and count them by interface. What it does not take
 * stays pending. */
static inline void port_flush(struct port *port, uint64_t *packets_out)
{
    uint16_t sent = rte_eth_tx_burst(port->id, 0, port->tx, port->pending);
    port->pending = (uint16_t)(port->pending - sent);
    for (uint16_t i = 0; i < sent; i++)
        packets_out[port->interfaces[i]]++;
    for (uint16_t i = 0; sent > 0 && i < port->pending; i++) {
        port->tx[i] = port->tx[i + sent];
        port->interfaces[i] = port->interfaces[i + sent];
    }
}

#endif
