/* dpdk_host.c: the host that takes packets from DPDK ports, on one lcore. */
#define _GNU_SOURCE
#include "dpdk_host.h"

#include <inttypes.h>
#include <rte_errno.h>
#include <signal.h>
#include <stdlib.h>

#include "dpdk_eal.h"
#include "dpdk_forward.h"
#include "dpdk_tables.h"
#include "dpdk_telemetry.h"
#include "eal.h"

enum { BUFFER_BYTES = RTE_MBUF_DEFAULT_BUF_SIZE, BUFFER_CACHE = 256, EAL_BASE_BYTES = 64 << 20 };
#define NS_PER_SECOND UINT64_C(1000000000)

struct host {
    struct dpdk_options options;
    struct forwarder forwarder;
    uint32_t open_ports;
    struct table_reload reload;
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
    core_tables_destroy(h->forwarder.tables);
    h->forwarder.tables = fresh;
    fprintf(stderr, "%s: tables of epoch %" PRIu64 "\n", core_description.chain, h->reload.epoch);
}

static uint64_t seconds_later(uint64_t now, uint64_t seconds)
{
    bool is_never = seconds == 0 || seconds > (UINT64_MAX - now) / NS_PER_SECOND;
    return is_never ? UINT64_MAX : now + seconds * NS_PER_SECOND;
}

static void run(struct host *h)
{
    fprintf(stderr, "%s: running; SIGINT or SIGTERM stops it\n", core_description.chain);
    uint64_t now = forward_clock();
    uint64_t end = seconds_later(now, h->options.duration_seconds);
    uint64_t next_stats = seconds_later(now, h->options.stats_seconds);
    while (!must_stop && now < end) {
        for (uint16_t i = 0; i < h->open_ports; i++)
            forward_burst(&h->forwarder, i);
        for (uint16_t i = 0; i < h->open_ports; i++)
            if (h->forwarder.ports[i].pending > 0)
                forward_flush(&h->forwarder, i);
        now = forward_clock();
        core_tick(h->forwarder.core.state, now);
        swap_tables(h);
        if (now >= next_stats) {
            host_report(stderr, &h->forwarder.core, 1, false);
            next_stats = seconds_later(now, h->options.stats_seconds);
        }
    }
    for (uint32_t i = 0; i < h->open_ports; i++)
        forward_drain(&h->forwarder, i);
}

/* What the ports lost before the chain saw it: not part of the equation, but someone looks for it.
 */
static void tell_losses(const struct host *h)
{
    for (uint32_t i = 0; i < h->open_ports; i++) {
        struct rte_eth_stats stats;
        if (rte_eth_stats_get(h->forwarder.ports[i].id, &stats) == 0 &&
            stats.imissed + stats.ierrors + stats.rx_nombuf > 0)
            host_warn("interface `%s`: the port lost %" PRIu64 " frames and had %" PRIu64
                      " bad ones",
                      dpdk_port_purpose(i), stats.imissed + stats.rx_nombuf, stats.ierrors);
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
    struct forwarder *f = &h->forwarder;
    f->buffers = rte_pktmbuf_pool_create("frames", buffers_needed(h), BUFFER_CACHE, 0, BUFFER_BYTES,
                                         SOCKET_ID_ANY);
    if (f->buffers == NULL)
        return host_fail("no memory for %u packet buffers: %s", buffers_needed(h),
                         rte_strerror(rte_errno)) == 0;
    if (core_description.tags != NULL)
        trunk_create(&f->trunk);
    for (uint32_t i = 0; i < dpdk_port_count(); i++) {
        if (!port_open(&f->ports[i], dpdk_port_purpose(i), h->options.ports[i], f->buffers))
            return false;
        h->open_ports++;
    }
    return true;
}

static bool prepare(struct host *h)
{
    struct forwarder *f = &h->forwarder;
    f->tables = host_load_tables(h->options.table_directory, 0);
    if (f->tables == NULL)
        return false;
    f->core.state = host_state(host_secret(), 0, NULL);
    return f->core.state != NULL && open_ports(h);
}

static bool allocate(struct forwarder *f)
{
    f->emissions.capacity = core_description.emissions_per_frame * BURST_FRAMES;
    f->emissions.items = calloc(f->emissions.capacity, sizeof *f->emissions.items);
    return host_counts_create(&f->core.counts) && f->emissions.items != NULL;
}

static void release(struct host *h)
{
    table_reload_stop(&h->reload);
    for (uint32_t i = 0; i < h->open_ports; i++)
        port_close(&h->forwarder.ports[i]);
    core_tables_destroy(h->forwarder.tables);
    eal_stop();
    telemetry_end();
    core_state_destroy(h->forwarder.core.state);
    host_counts_destroy(&h->forwarder.core.counts);
    free(h->forwarder.emissions.items);
}

static int start_and_run(struct host *h, const char *program)
{
    if (!dpdk_complete_eal(&h->options) || !dpdk_check_machine(&h->options, memory_needed(h)))
        return EXIT_INPUT;
    h->reload.directory = h->options.table_directory;
    sched_getaffinity(0, sizeof h->reload.cpus, &h->reload.cpus);
    catch_signals();
    if (!eal_start(program, h->options.eal_count, h->options.eal_arguments, memory_needed(h)))
        return EXIT_INPUT;
    int status = EXIT_INPUT;
    if (!allocate(&h->forwarder)) {
        host_fail("memory is short");
    } else if (prepare(h)) {
        telemetry_offer(&h->forwarder.core, 1);
        run(h);
        tell_losses(h);
        status = host_report(stdout, &h->forwarder.core, 1, h->options.as_json);
    }
    release(h);
    return status;
}

int dpdk_main(int count, char **arguments)
{
    static struct host host;
    bool is_done;
    if (host_cores() > 1)
        return host_fail("this binary is for %u cores, which only --replay runs; build one for ports with "
                         "--cores 1",
                         host_cores());
    int status = dpdk_parse_options(&host.options, count, arguments, &is_done);
    return is_done ? status : start_and_run(&host, arguments[0]);
}
