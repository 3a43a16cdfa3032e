/* dpdk_forward.c: frames from ports through the chain to ports. */
#define _GNU_SOURCE
#include "dpdk_forward.h"

#include <time.h>

#include "bytes.h"

enum {
    DRAIN_TRIES = 1000, /* of 100 us each */
    DRAIN_WAIT_NS = 100000
};
#define NS_PER_SECOND UINT64_C(1000000000)

uint64_t forward_clock(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (uint64_t)time.tv_sec * NS_PER_SECOND + (uint64_t)time.tv_nsec;
}

/* ---- sending */

/* Send what is pending; what the port refuses now is dropped, as waiting would stop all others. */
void forward_flush(struct forwarder *f, uint32_t number)
{
    struct port *port = &f->ports[number];
    port_flush(port, f->core.counts.packets_out);
    for (uint16_t i = 0; i < port->pending; i++)
        f->core.counts.drops[port->interfaces[i]][HOST_TX_FULL]++;
    rte_pktmbuf_free_bulk(port->tx, port->pending);
    port->pending = 0;
}

/* At the end there is nothing else to do: give the port time to take the rest. */
void forward_drain(struct forwarder *f, uint32_t number)
{
    const struct timespec wait = {.tv_nsec = DRAIN_WAIT_NS};
    struct port *port = &f->ports[number];
    for (int i = 0; i < DRAIN_TRIES && port->pending > 0; i++) {
        port_flush(port, f->core.counts.packets_out);
        if (port->pending > 0)
            nanosleep(&wait, NULL);
    }
    forward_flush(f, number);
}

static void send_frame(struct forwarder *f, const struct emission *emission,
                       struct rte_mbuf *buffer)
{
    bool is_tagged = core_description.tags != NULL;
    uint16_t number = is_tagged ? 0 : emission->interface;
    struct port *port = &f->ports[number];
    copy_head(rte_pktmbuf_mtod(buffer, uint8_t *), emission->head, emission->head_length);
    buffer->ol_flags &= RTE_MBUF_F_INDIRECT | RTE_MBUF_F_EXTERNAL;
    if (is_tagged && !trunk_put_tag(buffer, emission->interface)) {
        rte_pktmbuf_free(buffer);
        f->core.counts.drops[emission->interface][HOST_NO_BUFFER]++;
        return;
    }
    port->interfaces[port->pending] = emission->interface;
    port->tx[port->pending++] = buffer;
    if (port->pending == PORT_TX_BURST)
        forward_flush(f, number);
}

/* A new buffer with a frame that the chain made; NULL when there is none. */
static struct rte_mbuf *make_frame(struct forwarder *f, const struct emission *emission,
                                   const struct rte_mbuf *received)
{
    struct rte_mbuf *buffer = rte_pktmbuf_alloc(f->buffers);
    if (buffer == NULL)
        return NULL;
    char *data = rte_pktmbuf_append(buffer, emission->made_length);
    if (data == NULL) {
        rte_pktmbuf_free(buffer);
        return NULL;
    }
    memcpy(data + emission->head_length,
           rte_pktmbuf_mtod_offset(received, const uint8_t *, emission->rest_at),
           (size_t)(emission->made_length - emission->head_length));
    return buffer;
}

/* The buffer in which an emission leaves; NULL when there is none. */
static struct rte_mbuf *take_buffer(struct forwarder *f, const struct emission *emission,
                                    struct rte_mbuf *received, bool is_last)
{
    if (emission->made_length == 0)
        return is_last ? received : rte_pktmbuf_copy(received, f->buffers, 0, UINT32_MAX);
    struct rte_mbuf *made = make_frame(f, emission, received);
    if (is_last)
        rte_pktmbuf_free(received);
    return made;
}

/* Carry the emissions out. A frame's last emission takes its buffer, earlier ones take copies. */
static void send_emissions(struct forwarder *f, struct rte_mbuf **buffers, uint16_t count)
{
    uint16_t uses[BURST_FRAMES] = {0};
    for (uint32_t i = 0; i < f->emissions.count; i++)
        uses[f->emissions.items[i].frame]++;
    for (uint16_t i = 0; i < count; i++)
        if (uses[i] == 0)
            rte_pktmbuf_free(buffers[i]);
    for (uint32_t i = 0; i < f->emissions.count; i++) {
        const struct emission *emission = &f->emissions.items[i];
        bool is_last = --uses[emission->frame] == 0;
        struct rte_mbuf *buffer = take_buffer(f, emission, buffers[emission->frame], is_last);
        if (buffer == NULL)
            f->core.counts.drops[emission->interface][HOST_NO_BUFFER]++;
        else
            send_frame(f, emission, buffer);
    }
    f->emissions.count = 0;
}

/* ---- receiving */

/* Give a received frame up, under a name. */
static struct rte_mbuf *give_up(struct forwarder *f, uint32_t interface, struct rte_mbuf *buffer,
                                enum host_drop reason)
{
    rte_pktmbuf_free(buffer);
    f->core.counts.drops[interface][reason]++;
    return NULL;
}

/* A copy of a frame that others hold too, or the frame itself; NULL when there is no buffer. */
static struct rte_mbuf *make_own(struct forwarder *f, struct rte_mbuf *buffer)
{
    if (RTE_MBUF_DIRECT(buffer) && rte_mbuf_refcnt_read(buffer) == 1)
        return buffer;
    struct rte_mbuf *copy = rte_pktmbuf_copy(buffer, f->buffers, 0, UINT32_MAX);
    rte_pktmbuf_free(buffer);
    return copy;
}

/* Make a received frame one piece of memory that is ours to write, with its tag in it. NULL after
 * counting the drop. */
static struct rte_mbuf *settle(struct forwarder *f, uint32_t interface, struct rte_mbuf *buffer)
{
    const uint64_t unusual =
        RTE_MBUF_F_INDIRECT | RTE_MBUF_F_EXTERNAL | RTE_MBUF_F_RX_VLAN_STRIPPED;
    if ((buffer->ol_flags & unusual) == 0 && rte_mbuf_refcnt_read(buffer) == 1 &&
        buffer->nb_segs == 1)
        return buffer;
    buffer = make_own(f, buffer);
    if (buffer == NULL)
        return give_up(f, interface, buffer, HOST_NO_BUFFER);
    if ((buffer->ol_flags & RTE_MBUF_F_RX_VLAN_STRIPPED) && rte_vlan_insert(&buffer) != 0)
        return give_up(f, interface, buffer, HOST_NO_BUFFER);
    if (buffer->nb_segs > 1 && rte_pktmbuf_linearize(buffer) != 0)
        return give_up(f, interface, buffer, HOST_FRAME_TOO_LONG);
    return buffer;
}

/* Take frames of one interface through the chain. */
static void take(struct forwarder *f, struct rte_mbuf **buffers, uint16_t count, uint16_t interface,
                 uint64_t now)
{
    struct frame frames[BURST_FRAMES];
    if (count == 0)
        return;
    uint16_t i = 0;
    do
        frames[i] = (struct frame){rte_pktmbuf_mtod(buffers[i], const uint8_t *),
                                   rte_pktmbuf_pkt_len(buffers[i])};
    while (++i < count);
    core_process(f->tables, f->core.state, frames, count, interface, now, &f->emissions);
    send_emissions(f, buffers, count);
}

/* Take frames from a switch through the chain, in their order: each run of one interface at once.
 */
static void take_tagged(struct forwarder *f, struct rte_mbuf **buffers, uint16_t count,
                        uint64_t now)
{
    uint16_t interfaces[BURST_FRAMES], kept = 0;
    for (uint16_t i = 0; i < count; i++) {
        uint16_t interface = trunk_take_tag(&f->trunk, buffers[i]);
        if (interface == TRUNK_NO_INTERFACE) {
            give_up(f, 0, buffers[i], HOST_BAD_TAG);
            continue;
        }
        interfaces[kept] = interface;
        buffers[kept++] = buffers[i];
    }
    for (uint16_t start = 0, end; start < kept; start = end) {
        for (end = (uint16_t)(start + 1); end < kept && interfaces[end] == interfaces[start];)
            end++;
        take(f, buffers + start, (uint16_t)(end - start), interfaces[start], now);
    }
}

void forward_burst(struct forwarder *f, uint16_t port)
{
    struct rte_mbuf *buffers[BURST_FRAMES];
    uint16_t received = rte_eth_rx_burst(f->ports[port].id, 0, buffers, BURST_FRAMES);
    uint16_t count = 0;
    if (received == 0)
        return;
    uint64_t now = forward_clock();
    f->core.counts.packets_in += received;
    for (uint16_t i = 0; i < received; i++) {
        struct rte_mbuf *buffer = settle(f, port, buffers[i]);
        if (buffer != NULL)
            buffers[count++] = buffer;
    }
    if (core_description.tags == NULL)
        take(f, buffers, count, port, now);
    else
        take_tagged(f, buffers, count, now);
}
