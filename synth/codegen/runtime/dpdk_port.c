/* dpdk_port.c: one DPDK port. */
#include "dpdk_port.h"

#include <errno.h>
#include <rte_errno.h>
#include <string.h>

static void list_ports(char *text, size_t size)
{
    size_t used = 0;
    snprintf(text, size, "none");
    for (uint16_t id = 0; id < RTE_MAX_ETHPORTS && used < size; id++) {
        char name[RTE_ETH_NAME_MAX_LEN];
        if (!rte_eth_dev_is_valid_port(id) || rte_eth_dev_get_name_by_port(id, name) != 0)
            continue;
        int added = snprintf(text + used, size - used, "%s%s", used > 0 ? ", " : "", name);
        used += added > 0 ? (size_t)added : 0;
    }
}

static bool find_port(struct port *port, const char *interface, const char *name)
{
    if (rte_eth_dev_get_port_by_name(name, &port->id) == 0)
        return true;
    char names[1024];
    list_ports(names, sizeof names);
    return host_fail("interface `%s`: DPDK has no port %s; it has %s (vdevs are made by --vdev "
                     "behind --)",
                     interface, name, names) == 0;
}

/* Without offloads: tags stay in the frame, checksums are made in software. */
static int configure(uint16_t id, struct rte_mempool *buffers)
{
    struct rte_eth_conf configuration = {0};
    uint16_t rx = PORT_RX_DESCRIPTORS, tx = PORT_TX_DESCRIPTORS;
    int status = rte_eth_dev_configure(id, 1, 1, &configuration);
    if (status == 0)
        status = rte_eth_dev_adjust_nb_rx_tx_desc(id, &rx, &tx);
    if (status == 0)
        status =
            rte_eth_rx_queue_setup(id, 0, rx, (unsigned)rte_eth_dev_socket_id(id), NULL, buffers);
    if (status == 0)
        status = rte_eth_tx_queue_setup(id, 0, tx, (unsigned)rte_eth_dev_socket_id(id), NULL);
    return status == 0 ? rte_eth_dev_start(id) : status;
}

/* Frames that the NFs do not shorten must fit wherever they may leave. */
static void tell_mtu(uint16_t id, const char *interface)
{
    uint16_t mtu = 0;
    if (rte_eth_dev_get_mtu(id, &mtu) == 0 && mtu < RTE_ETHER_MTU)
        host_warn("interface `%s`: the port's MTU is %u, less than %u", interface, mtu,
                  RTE_ETHER_MTU);
}

static void tell_state(const struct port *port, const char *interface)
{
    struct rte_eth_link link = {0};
    tell_mtu(port->id, interface);
    int status = rte_eth_promiscuous_enable(port->id);
    if (status != 0 && status != -ENOTSUP)
        host_warn("interface `%s`: not promiscuous: %s", interface, rte_strerror(-status));
    if (rte_eth_link_get_nowait(port->id, &link) == 0 && link.link_status == RTE_ETH_LINK_DOWN)
        host_warn("interface `%s`: the link is down", interface);
}

bool port_open(struct port *port, const char *interface, const char *name,
               struct rte_mempool *buffers)
{
    *port = (struct port){0};
    if (!find_port(port, interface, name))
        return false;
    int status = configure(port->id, buffers);
    if (status != 0)
        return host_fail("interface `%s`: port %s does not start: %s", interface, name,
                         rte_strerror(-status)) == 0;
    tell_state(port, interface);
    return true;
}

void port_close(struct port *port)
{
    rte_pktmbuf_free_bulk(port->tx, port->pending);
    port->pending = 0;
    int status = rte_eth_dev_stop(port->id);
    if (status == 0)
        status = rte_eth_dev_close(port->id);
    if (status != 0)
        host_warn("port %u does not close: %s", port->id, rte_strerror(-status));
}
