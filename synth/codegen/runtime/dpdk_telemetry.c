/* dpdk_telemetry.c: the counts, through DPDK's telemetry socket.
 *
 * Telemetry's names have no dots: `nat.no_port` is `nat/no_port` there. Only counters that are not
 * zero are given, since a reply holds 256. The telemetry thread reads while the lcore counts, so a
 * reply is not of one instant.
 */
#include "dpdk_telemetry.h"

#include <rte_telemetry.h>
#include <rte_version.h>

/* The callback has no argument of its own, so what it shows has to be kept here. */
static const struct host_core *shown_cores;
static uint32_t shown_count;
static struct host_totals shown;

static void add_count(struct rte_tel_data *reply, const char *prefix, const char *name,
                      uint64_t count)
{
    char text[RTE_TEL_MAX_STRING_LEN];
    snprintf(text, sizeof text, "%s%s", prefix, name);
    for (char *c = text; *c != '\0'; c++)
        *c = *c == '.' ? '/' : *c;
#if RTE_VERSION >= RTE_VERSION_NUM(23, 3, 0, 0)
    rte_tel_data_add_dict_uint(reply, text, count);
#else
    rte_tel_data_add_dict_u64(reply, text, count);
#endif
}

static void add_drop(void *reply, const char *name, uint64_t count)
{
    add_count(reply, "drops/", name, count);
}

static int reply_counters(const char *command, const char *parameters, struct rte_tel_data *reply)
{
    (void)command;
    (void)parameters;
    const struct host_counts *counts = &shown.counts;
    host_totals_sum(&shown, shown_cores, shown_count);
    rte_tel_data_start_dict(reply);
    add_count(reply, "", "packets_in", counts->packets_in);
    add_count(reply, "", "generated", shown.generated);
    for (uint32_t i = 0; i < core_description.interface_count; i++)
        add_count(reply, "packets_out/", core_description.interfaces[i].name,
                  counts->packets_out[i]);
    host_visit_drops(&shown, add_drop, reply);
    for (uint32_t i = 0; i < core_description.counter_count; i++)
        if (!core_description.counter_is_drop[i] && shown.counters[i] > 0)
            add_count(reply, "counters/", core_description.counter_names[i], shown.counters[i]);
    return 0;
}

void telemetry_offer(const struct host_core *cores, uint32_t count)
{
    shown_cores = cores;
    shown_count = count;
    if (!host_totals_create(&shown) || rte_telemetry_register_cmd("/synth/counters", reply_counters,
                                   "Counts of the chain: packets, drops, counters.") != 0)
        host_warn("no telemetry for /synth/counters");
}

void telemetry_end(void)
{
    host_totals_destroy(&shown);
}
