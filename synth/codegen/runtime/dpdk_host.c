/* dpdk_host.c: the host that takes packets from DPDK ports, on one lcore. */
#define _GNU_SOURCE
#include "dpdk_host.h"

#include <inttypes.h>
#include <rte_errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "dpdk_options.h"
#include "dpdk_port.h"
#include "dpdk_tables.h"
#include "dpdk_telemetry.h"
#include "eal.h"

enum {
    BUFFER_BYTES = RTE_MBUF_DEFAULT_BUF_SIZE + RTE_PKTMBUF_HEADROOM,
    BUFFER_CACHE = 256,
    EAL_BASE_BYTES = 64 << 20,
    DRAIN_TRIES = 1000,         /* of 100 us each, for frames that are left when the host stops */
    DRAIN_WAIT_NS = 100000
};
#define NS_PER_SECOND UINT64_C(1000000000)

struct host {
    struct dpdk_options options;
    struct port ports[HOST_MOST_INTERFACES];
    uint32_t open_ports;
    struct rte_mempool *buffers;
    struct core_tables *tables;
    struct table_reload reload;
    struct core_state *state;
    struct emissions emissions;
    struct host_counts counts;
};

/* ---- signals */

static volatile sig_atomic_t must_stop;
static volatile sig_atomic_t must_reload;

static void on_signal(int signal)
{
    if (signal == SIGHUP)
        must_reload = 1;
    else
        must_stop = 1;
}

static void catch_signals(void)
{
    struct sigaction action = {.sa_handler = on_signal, .sa_flags = SA_RESTART};
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    sigaction(SIGHUP, &action, NULL);
}

static uint64_t clock_ns(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (uint64_t)time.tv_sec * NS_PER_SECOND + (uint64_t)time.tv_nsec;
}

/* ---- sending */

static void drop(struct host *h, uint32_t interface, enum host_drop reason)
{
    h->counts.drops[interface][reason]++;
}

/* Send what is pending; what the port refuses now is dropped, as waiting would stop all others. */
static void flush(struct host *h, uint32_t interface)
{
    struct port *port = &h->ports[interface];
    h->counts.packets_out[interface] += port_flush(port);
    h->counts.drops[interface][HOST_TX_FULL] += port->pending;
    rte_pktmbuf_free_bulk(port->tx, port->pending);
    port->pending = 0;
}

/* At the end there is nothing else to do: give the port time to take the rest. */
static void drain(struct host *h, uint32_t interface)
{
    const struct timespec wait = {.tv_nsec = DRAIN_WAIT_NS};
    struct port *port = &h->ports[interface];
    for (int i = 0; i < DRAIN_TRIES && port->pending > 0; i++) {
        h->counts.packets_out[interface] += port_flush(port);
        if (port->pending > 0)
            nanosleep(&wait, NULL);
    }
    flush(h, interface);
}

static void send_frame(struct host *h, const struct emission *emission, struct rte_mbuf *buffer)
{
    struct port *port = &h->ports[emission->interface];
    memcpy(rte_pktmbuf_mtod(buffer, void *), emission->head, emission->head_length);
    buffer->ol_flags &= RTE_MBUF_F_INDIRECT | RTE_MBUF_F_EXTERNAL;
    port->tx[port->pending++] = buffer;
    if (port->pending == PORT_TX_BURST)
        flush(h, emission->interface);
}

/* Carry the emissions out. A frame's last emission takes its buffer, earlier ones take copies. */
static void send_emissions(struct host *h, struct rte_mbuf **buffers, uint16_t count)
{
    uint16_t uses[BURST_FRAMES] = {0};
    for (uint32_t i = 0; i < h->emissions.count; i++)
        uses[h->emissions.items[i].frame]++;
    for (uint16_t i = 0; i < count; i++)
        if (uses[i] == 0)
            rte_pktmbuf_free(buffers[i]);
    for (uint32_t i = 0; i < h->emissions.count; i++) {
        const struct emission *emission = &h->emissions.items[i];
        struct rte_mbuf *buffer = buffers[emission->frame];
        if (--uses[emission->frame] > 0)
            buffer = rte_pktmbuf_copy(buffer, h->buffers, 0, UINT32_MAX);
        if (buffer == NULL)
            drop(h, emission->interface, HOST_NO_BUFFER);
        else
            send_frame(h, emission, buffer);
    }
    h->emissions.count = 0;
}

/* ---- receiving */

/* Make a received frame one piece of memory that is ours to write, with its tag in it. NULL after
 * counting the drop. */
static struct rte_mbuf *settle(struct host *h, uint32_t interface, struct rte_mbuf *buffer)
{
    if ((buffer->ol_flags & RTE_MBUF_F_RX_VLAN_STRIPPED) && rte_vlan_insert(&buffer) != 0) {
        rte_pktmbuf_free(buffer);
        drop(h, interface, HOST_NO_BUFFER);
        return NULL;
    }
    if (buffer->nb_segs > 1 && rte_pktmbuf_linearize(buffer) != 0) {
        rte_pktmbuf_free(buffer);
        drop(h, interface, HOST_FRAME_TOO_LONG);
        return NULL;
    }
    if (RTE_MBUF_DIRECT(buffer) && rte_mbuf_refcnt_read(buffer) == 1)
        return buffer;
    struct rte_mbuf *copy = rte_pktmbuf_copy(buffer, h->buffers, 0, UINT32_MAX);
    rte_pktmbuf_free(buffer);
    if (copy == NULL)
        drop(h, interface, HOST_NO_BUFFER);
    return copy;
}

/* Take one burst from an interface through the chain; return whether there was one. */
static bool poll_interface(struct host *h, uint16_t interface)
{
    struct rte_mbuf *buffers[BURST_FRAMES];
    struct frame frames[BURST_FRAMES];
    uint16_t received = rte_eth_rx_burst(h->ports[interface].id, 0, buffers, BURST_FRAMES);
    uint16_t count = 0;
    if (received == 0)
        return false;
    uint64_t now = clock_ns();
    h->counts.packets_in += received;
    for (uint16_t i = 0; i < received; i++) {
        struct rte_mbuf *buffer = settle(h, interface, buffers[i]);
        if (buffer == NULL)
            continue;
        buffers[count] = buffer;
        frames[count++] = (struct frame){rte_pktmbuf_mtod(buffer, const uint8_t *),
                                         rte_pktmbuf_pkt_len(buffer)};
    }
    core_process(h->tables, h->state, frames, count, interface, now, &h->emissions);
    send_emissions(h, buffers, count);
    return true;
}

/* ---- running */

static void swap_tables(struct host *h)
{
    if (must_reload) {
        must_reload = 0;
        table_reload_start(&h->reload);
    }
    struct core_tables *fresh = table_reload_take(&h->reload);
    if (fresh == NULL)
        return;
    core_tables_destroy(h->tables);
    h->tables = fresh;
    fprintf(stderr, "%s: tables of epoch %" PRIu64 "\n", core_description.chain, h->reload.epoch);
}

static uint64_t seconds_later(uint64_t now, uint64_t seconds)
{
    return seconds == 0 ? UINT64_MAX : now + seconds * NS_PER_SECOND;
}

static int run(struct host *h)
{
    uint64_t now = clock_ns();
    uint64_t end = seconds_later(now, h->options.duration_seconds);
    uint64_t next_stats = seconds_later(now, h->options.stats_seconds);
    while (!must_stop && now < end) {
        for (uint16_t i = 0; i < h->open_ports; i++)
            poll_interface(h, i);
        for (uint16_t i = 0; i < h->open_ports; i++)
            if (h->ports[i].pending > 0)
                flush(h, i);
        now = clock_ns();
        core_tick(h->state, now);
        swap_tables(h);
        if (now >= next_stats) {
            host_report(stderr, h->state, &h->counts, false);
            next_stats = seconds_later(now, h->options.stats_seconds);
        }
    }
    for (uint32_t i = 0; i < h->open_ports; i++)
        drain(h, i);
    return 0;
}

/* What the ports lost before the chain saw it: not part of the equation, but someone looks for it. */
static void tell_losses(const struct host *h)
{
    for (uint32_t i = 0; i < h->open_ports; i++) {
        struct rte_eth_stats stats;
        if (rte_eth_stats_get(h->ports[i].id, &stats) == 0 &&
            stats.imissed + stats.ierrors + stats.rx_nombuf > 0)
            host_warn("interface `%s`: the port lost %" PRIu64 " frames and had %" PRIu64
                      " bad ones", core_description.interfaces[i].name,
                      stats.imissed + stats.rx_nombuf, stats.ierrors);
    }
}

/* ---- start and end */

static unsigned buffers_needed(const struct host *h)
{
    unsigned ports = core_description.interface_count;
    if (h->options.packet_buffers > 0)
        return (unsigned)h->options.packet_buffers;
    return ports * (PORT_RX_DESCRIPTORS + PORT_TX_DESCRIPTORS + PORT_TX_BURST) +
           BURST_FRAMES * (1 + core_description.emissions_per_frame) + 2 * BUFFER_CACHE;
}

/* Tables are built twice at the most: while they are read again, the old ones are still there. */
static size_t memory_needed(const struct host *h)
{
    return EAL_BASE_BYTES + (size_t)buffers_needed(h) * (BUFFER_BYTES + sizeof(struct rte_mbuf)) +
           host_table_memory() * (h->options.table_directory != NULL ? 2 : 1);
}

static bool open_ports(struct host *h)
{
    h->buffers = rte_pktmbuf_pool_create("frames", buffers_needed(h), BUFFER_CACHE, 0,
                                         BUFFER_BYTES, SOCKET_ID_ANY);
    if (h->buffers == NULL)
        return host_fail("no memory for %u packet buffers: %s", buffers_needed(h),
                         rte_strerror(rte_errno)) == 0;
    for (uint32_t i = 0; i < core_description.interface_count; i++) {
        if (!port_open(&h->ports[i], core_description.interfaces[i].name, h->options.ports[i],
                       h->buffers))
            return false;
        h->open_ports++;
    }
    return true;
}

static bool prepare(struct host *h)
{
    char error[512] = "";
    h->tables = host_load_tables(h->options.table_directory, 0);
    if (h->tables == NULL)
        return false;
    h->state = core_state_create(error, sizeof error);
    if (h->state == NULL)
        return host_fail("%s", error) == 0;
    return open_ports(h);
}

static bool allocate(struct host *h)
{
    h->emissions.capacity = core_description.emissions_per_frame * BURST_FRAMES;
    h->emissions.items = calloc(h->emissions.capacity, sizeof *h->emissions.items);
    return host_counts_create(&h->counts) && h->emissions.items != NULL;
}

static void release(struct host *h)
{
    table_reload_stop(&h->reload);
    for (uint32_t i = 0; i < h->open_ports; i++)
        port_close(&h->ports[i]);
    core_tables_destroy(h->tables);
    eal_stop();
    core_state_destroy(h->state);
    host_counts_destroy(&h->counts);
    free(h->emissions.items);
}

static int start_and_run(struct host *h, const char *program)
{
    if (!dpdk_check_machine(&h->options, memory_needed(h)))
        return EXIT_INPUT;
    h->reload.directory = h->options.table_directory;
    sched_getaffinity(0, sizeof h->reload.cpus, &h->reload.cpus);
    catch_signals();
    if (!eal_start(program, h->options.eal_count, h->options.eal_arguments, memory_needed(h)))
        return EXIT_INPUT;
    int status = EXIT_INPUT;
    if (!allocate(h)) {
        host_fail("memory is short");
    } else if (prepare(h)) {
        telemetry_offer(h->state, &h->counts);
        run(h);
        tell_losses(h);
        status = host_report(stdout, h->state, &h->counts, h->options.as_json);
    }
    release(h);
    return status;
}

int dpdk_main(int count, char **arguments)
{
    static struct host host;
    bool is_done;
    int status = dpdk_parse_options(&host.options, count, arguments, &is_done);
    return is_done ? status : start_and_run(&host, arguments[0]);
}
