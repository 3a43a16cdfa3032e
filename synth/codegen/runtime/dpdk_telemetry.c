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
static const struct core_state *shown_state;
static const struct host_counts *shown_counts;

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
    rte_tel_data_start_dict(reply);
    add_count(reply, "", "packets_in", shown_counts->packets_in);
    add_count(reply, "", "generated", core_generated(shown_state));
    for (uint32_t i = 0; i < core_description.interface_count; i++)
        add_count(reply, "packets_out/", core_description.interfaces[i].name,
                  shown_counts->packets_out[i]);
    host_visit_drops(shown_state, shown_counts, add_drop, reply);
    const uint64_t *counters = core_counters(shown_state);
    for (uint32_t i = 0; i < core_description.counter_count; i++)
        if (!core_description.counter_is_drop[i] && counters[i] > 0)
            add_count(reply, "counters/", core_description.counter_names[i], counters[i]);
    return 0;
}

void telemetry_offer(const struct core_state *state, const struct host_counts *counts)
{
    shown_state = state;
    shown_counts = counts;
    if (rte_telemetry_register_cmd("/synth/counters", reply_counters,
                                   "Counts of the chain: packets, drops, counters.") != 0)
        host_warn("no telemetry for /synth/counters");
}
